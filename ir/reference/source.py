"""The statements of a NumPy program: each assigns one variable, once. Equal ones are one, dead ones are left out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from math import prod
from types import CodeType
from typing import Any, NamedTuple

import numpy as np

from ir.cost.thresholds.tiers import NUMPY_CALL_SECONDS, NUMPY_REUSED_FROM
from ir.errors import IRError
from ir.reference import calls

__all__ = ["Source", "UnwrittenError", "Variable", "Work"]


class UnwrittenError(IRError):
    """A graph holds what no call of NumPy does on all elements at once."""


class Work(NamedTuple):
    """What one kind of a program's operations is predicted to take NumPy, and how many kernels they end."""

    seconds: float
    kernels: int


class Variable:
    """A NumPy array of the program.

    Attributes:
        shape, dtype: the array's
        root: the variable whose memory it may show; None where the memory is its own
        own: did the program make that memory, so that it may be written to again?
        factors: what it is the product of, element by element
        truth: the truth values whose numbers it holds, with the same axes
    """

    __slots__ = ("dtype", "factors", "name", "own", "root", "shape", "truth")

    def __init__(
        self, name: str, shape: tuple[int, ...], dtype: np.dtype[Any], root: Variable | None = None, own: bool = True
    ) -> None:
        self.name = name
        self.shape = shape
        self.dtype = dtype
        self.root = root
        self.own = own
        self.factors: Any = None
        self.truth: Variable | None = None

    @property
    def memory(self) -> Variable:
        """The variable that owns the memory."""
        return self if self.root is None else self.root

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return prod(self.shape) * self.dtype.itemsize

    def __str__(self) -> str:
        return self.name


class _Statement:
    __slots__ = ("arguments", "function", "is_ufunc", "kernels", "reads", "seconds", "variable", "work")

    def __init__(
        self,
        variable: Variable,
        function: str,
        arguments: tuple[str, ...],
        reads: tuple[Variable, ...],
        seconds: float,
        kernels: int,
        is_ufunc: bool,
        work: str,
    ) -> None:
        self.variable = variable
        self.function = function
        self.arguments = arguments
        self.reads = reads
        self.seconds = seconds
        self.kernels = kernels
        self.is_ufunc = is_ufunc
        self.work = work

    def text(self, out: str = "") -> str:
        arguments = ", ".join((*self.arguments, *([f"out={out}"] if out else [])))
        return f"{self.function}({arguments})" if self.function else arguments


@lru_cache(maxsize=1024)
def _compiled(text: str) -> CodeType:
    """Programs that differ in numbers alone, and many that differ in sizes, have the same text."""
    return compile(text, "<lazyarr reference tier>", "exec")


class Source:
    """The statements written so far. Names of functions are those of `ir.reference.calls`."""

    def __init__(self) -> None:
        self._statements: list[_Statement] = []
        self._known: dict[tuple[str, ...], Variable] = {}
        self._constants: dict[tuple[str, bytes], str] = {}
        self.scope: dict[str, Any] = dict(vars(calls))

    def input(self, number: int, length: int, dtype: np.dtype[Any]) -> Variable:
        """The variable of an input, a flat array."""
        return Variable(f"a{number}", (length,), dtype, own=False)

    def constant(self, value: np.generic) -> str:
        """The name of a number."""
        key = (value.dtype.str, value.tobytes())
        name = self._constants.get(key)
        if name is None:
            name = self._constants[key] = f"c{len(self._constants)}"
            self.scope[name] = value
        return name

    def value(self, name: str) -> np.generic | None:
        """The number of that name; None of what is none."""
        found = self.scope.get(name) if name.startswith("c") else None
        return found if isinstance(found, np.generic) else None

    def number(self, value: int, dtype: np.dtype[Any]) -> str:
        """The name of a whole number of that dtype, which wraps around in integers."""
        found: Any = np.array(value).astype(dtype)[()]
        return self.constant(found)

    def assign(
        self,
        function: str,
        arguments: Sequence[str],
        reads: Iterable[Variable],
        shape: tuple[int, ...],
        dtype: np.dtype[Any],
        *,
        seconds: float = 0.0,
        kernels: int = 0,
        view_of: Variable | None = None,
        is_ufunc: bool = False,
        work: str = "",
    ) -> Variable:
        """The variable for the result of a call; an earlier one where the same was called before.

        Args:
            function: its name; empty where there is one argument, which is the value
            reads: the variables among the arguments
            seconds: what it is predicted to take, beside the call itself
            kernels: how many kernels it ends where it is compiled
            view_of: whose memory the result may show
            is_ufunc: is there an argument `out`?
            work: what kernels have a speed of their own for (`COMPILED_SPEEDS`); empty for others
        """
        key = (function, *arguments)
        found = self._known.get(key)
        if found is None:
            root = None if view_of is None else view_of.memory
            found = Variable(f"t{len(self._statements)}", shape, dtype, root)
            total = NUMPY_CALL_SECONDS + seconds
            made = _Statement(found, function, tuple(arguments), tuple(reads), total, kernels, is_ufunc, work)
            self._statements.append(made)
            self._known[key] = found
        return found

    def function(
        self, results: Sequence[Variable], inputs: int
    ) -> tuple[Callable[..., Any], str, float, dict[str, Work], int]:
        """The program as a Python function of that many inputs, its text, and what it is predicted to take: seconds
        where NumPy carries it out, those of each work with a speed of its own, and kernels where it is compiled.

        Args:
            results: what it returns, as a tuple
        """
        needed = set(results)
        kept: list[_Statement] = []
        for statement in reversed(self._statements):
            if statement.variable in needed:
                kept.append(statement)
                needed.update(statement.reads)
        kept.reverse()
        last: dict[Variable, int] = {}  # where the memory of a variable is read last
        for i, statement in enumerate(kept):
            for read in statement.reads:
                last[read.memory] = i
        for result in results:
            last[result.memory] = len(kept)
        names: dict[Variable, list[str]] = {}  # of each memory the variables that show it
        for statement in kept:
            names.setdefault(statement.variable.memory, []).append(statement.variable.name)
        lines = [self._line(statement, i, last, names) for i, statement in enumerate(kept)]
        returned = "".join([f"{result.name}, " for result in results])
        parameters = ", ".join([f"a{i}" for i in range(inputs)])
        text = "\n    ".join([f"def program({parameters}):", *lines, f"return ({returned})\n"])
        scope = dict(self.scope)
        exec(_compiled(text), scope)  # its text is written here
        seconds = sum([statement.seconds for statement in kept])
        works: dict[str, Work] = {}
        for statement in kept:
            if statement.work:
                seconds_so_far, kernels_so_far = works.get(statement.work, (0.0, 0))
                works[statement.work] = Work(seconds_so_far + statement.seconds, kernels_so_far + statement.kernels)
        return scope["program"], text, seconds, works, sum([statement.kernels for statement in kept])

    @staticmethod
    def _line(statement: _Statement, i: int, last: dict[Variable, int], names: dict[Variable, list[str]]) -> str:
        """A statement as text. Its result takes the memory of an argument that nobody reads later; what is large and
        not read any more is let go of.
        """
        made = statement.variable
        read = dict.fromkeys([v.memory for v in statement.reads])
        ending = [v for v in read if last[v] == i and v.own and v.nbytes >= NUMPY_REUSED_FROM]
        text = statement.text()
        if statement.is_ufunc:
            for v in ending:
                if v.shape == made.shape and v.dtype == made.dtype and v.name in statement.arguments:
                    text = statement.text(v.name)
                    break
        gone = [name for v in ending for name in names[v] if name != made.name]
        return f"{made} = {text}" + (f"; del {', '.join(gone)}" if gone else "")
