"""The statements of a NumPy program: each assigns one variable, once. Equal ones are one, dead ones are left out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from math import prod
from operator import add
from types import CodeType
from typing import Any, Final, NamedTuple

import numpy as np

from ir.cost.thresholds.compiling import CALLS_COMPARED, KERNELS_COMPARED_FROM
from ir.cost.thresholds.tiers import COPIES_POOLED_FROM, NUMPY_CALL_SECONDS, NUMPY_REUSED_FROM, WHOLE_NUMBERS_FROM_CALLS
from ir.errors import IRError
from ir.reference import calls
from ir.reference.regions import Region, regions_and_others, seconds_to_move

__all__ = ["NumPyProgram", "Source", "Statement", "UnwrittenError", "Variable", "Work"]


class UnwrittenError(IRError):
    """A graph holds what no call of NumPy does on all elements at once."""


class Work(NamedTuple):
    """What one kind of a program's operations is predicted to take NumPy, how many kernels they end, and how many of
    these differ.
    """

    seconds: float
    kernels: int
    different: int


class Variable:
    """A NumPy array of the program.

    Attributes:
        shape, dtype: the array's
        root: the variable whose memory it may show; None where the memory is its own
        own: did the program make that memory, so that it may be written to again?
        factors: what it is the product of, element by element, by the dimensions that its axes then have
        truth: the truth values whose numbers it holds, with the same axes
        counts: are its elements 0, 1, .. along its one axis?
        overlaps: does it show windows along an axis that begin one element after the other?
        place: of truth values along one axis of which one alone holds, where that is
        sorted: the length of the rows whose numbers were brought into order in it
    """

    __slots__ = ("counts", "dtype", "factors", "name", "overlaps", "own", "place", "root", "shape", "sorted", "truth")

    def __init__(
        self, name: str, shape: tuple[int, ...], dtype: np.dtype[Any], root: Variable | None = None, own: bool = True
    ) -> None:
        self.name = name
        self.shape = shape
        self.dtype = dtype
        self.root = root
        self.own = own
        self.factors: dict[Any, Any] = {}
        self.truth: Variable | None = None
        self.counts = self.overlaps = False
        self.place: int | None = None
        self.sorted = 0

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


class Statement(NamedTuple):
    """A call whose result is a variable.

    Attributes:
        function: its name; of a method with a dot in front, which the first argument has; empty where there is one
            argument, which is the value
        reads: the variables among the arguments
        seconds: what it is predicted to take
        moved: bytes that it reads and writes where elements depend on those at their places alone, else 0
        kernels: how many kernels it ends where it is compiled
        is_ufunc: is there an argument `out`?
        work: what kernels have a speed of their own for (`COMPILED_SPEEDS`); empty for others
    """

    variable: Variable
    function: str
    arguments: tuple[str, ...]
    reads: tuple[Variable, ...]
    seconds: float
    moved: int
    kernels: int
    is_ufunc: bool
    work: str

    def text(self, out: str = "") -> str:
        """The call."""
        function, arguments = self.function, self.arguments
        if function.startswith("."):
            function, arguments = arguments[0] + function, arguments[1:]
        listed = ", ".join((*arguments, *([f"out={out}"] if out else [])))
        return f"{function}({listed})" if function else listed


class NumPyProgram(NamedTuple):
    """A graph as a Python function.

    Attributes:
        call: takes the inputs, flat arrays in order, and gives the roots' values, flat arrays in order; none of them is
            to be written to, nor the inputs as long as results live
        text: its source
        seconds: what a call is predicted to take
        works: the parts of them that works take for which kernels have a speed of their own
            (`ir.cost.thresholds.tiers.COMPILED_SPEEDS`)
        sorts: of each sort of numbers their bytes, how many rows, and their length
        kernels: how many kernels the graph is predicted to be where it is compiled
        different: how many of them differ: a loop in Python ends the same ones in each turn
        calls: how many calls it makes, views among them
    """

    call: Callable[..., tuple[np.ndarray[Any, Any], ...]]
    text: str
    seconds: float
    works: Mapping[str, Work]
    sorts: Sequence[tuple[int, int, int]]
    kernels: int
    different: int
    calls: int


def _is_of_whole_numbers(statement: Statement) -> bool:
    """Is it an element-wise function that gives integers?"""
    return statement.moved > 0 and statement.variable.dtype.kind in "iu"


def _seconds_of_whole_numbers(part: Region | Statement) -> float:
    """What those of a part take."""
    if isinstance(part, Region):
        return part.seconds * sum(map(_is_of_whole_numbers, part.statements)) / len(part.statements)
    return part.seconds if _is_of_whole_numbers(part) else 0.0


_NAME: Final = re.compile(r"\b([at]\d+)\b")
"""The name of a variable in an argument."""

_KEPT: Final = 1 << 62
"""Where the memory of a result is read last: behind all statements."""


def _memory(
    empty: Callable[..., Any], shape: tuple[int, ...], dtype: str, *operands: np.ndarray[Any, Any]
) -> np.ndarray[Any, Any]:
    """Memory for a result, whose elements lie in the order of the largest operand's, through which the function goes
    then, too; in row-major order where there is none.
    """
    strides: list[int] = []
    if operands:
        largest = max(operands, key=_size)
        strides = [abs(stride) if n > 1 else 0 for stride, n in zip(largest.strides, largest.shape, strict=True)]
    own = [stride for stride in strides if stride]
    found: np.ndarray[Any, Any]
    if own == sorted(own, reverse=True):
        found = empty(shape, np.dtype(dtype))
        return found
    strides = [0] * (len(shape) - len(strides)) + strides
    order = sorted(range(len(shape)), key=lambda axis: (strides[axis] > 0, -strides[axis]))  # repeated ones outside
    found = empty(tuple([shape[axis] for axis in order]), np.dtype(dtype))
    return found.transpose(np.argsort(order))


def _size(x: Any) -> int:
    return int(x.size)


@lru_cache(maxsize=1024)
def _compiled(text: str) -> CodeType:
    """Programs that differ in numbers alone, and many that differ in sizes, have the same text."""
    return compile(text, "<lazyarr reference tier>", "exec")


class Source:
    """The statements written so far. Names of functions are those of `ir.reference.calls`."""

    def __init__(self, empty: Callable[..., Any] = np.empty) -> None:
        """`empty` gives memory for large results."""
        self._statements: list[Statement] = []
        self._known: dict[tuple[str, ...], Variable] = {}
        self._ending: set[Variable] = set()  # the results of calls that end kernels
        self._constants: dict[tuple[str, bytes], str] = {}
        self.scope: dict[str, Any] = {**vars(calls), "empty": empty, "memory": partial(_memory, empty)}

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
        moved: int = 0,
        kernels: int = 0,
        view_of: Variable | None = None,
        is_ufunc: bool = False,
        work: str = "",
    ) -> Variable:
        """The variable for the result of a call; an earlier one where the same was called before.

        Args:
            seconds: what it is predicted to take, beside the call itself and what is moved
            view_of: whose memory the result may show
            others: as `Statement` has them
        """
        key = (function, *arguments)
        found = self._known.get(key)
        if found is None:
            root = None if view_of is None else view_of.memory
            found = Variable(f"t{len(self._statements)}", shape, dtype, root)
            total = NUMPY_CALL_SECONDS + seconds + seconds_to_move(moved)
            self._statements.append(
                Statement(found, function, tuple(arguments), tuple(reads), total, moved, kernels, is_ufunc, work)
            )
            self._known[key] = found
            if kernels:
                self._ending.add(found)
        return found

    def end_a_kernel(self, results: Sequence[Variable]) -> None:
        """What several calls compute, of which these are the results, ends one kernel."""
        own = {variable.memory for variable in results} - self._ending
        for i in range(len(self._statements) - 1, -1, -1):  # they are among the last
            if self._statements[i].variable in own:
                self._statements[i] = self._statements[i]._replace(kernels=1)
                break
        self._ending |= own

    def ends_a_kernel(self, variable: Variable | None) -> bool:
        """Is a variable, or what it shows, the result of a call that ends a kernel?"""
        return variable is not None and variable.memory in self._ending

    def function(self, results: Sequence[Variable], inputs: int) -> NumPyProgram:
        """The program as a Python function of that many inputs.

        Args:
            results: what it returns, as a tuple
        """
        needed = set(results)
        kept: list[Statement] = []
        for statement in reversed(self._statements):
            if statement.variable in needed:
                kept.append(statement)
                needed.update(statement.reads)
        kept.reverse()
        parts = regions_and_others(kept, set(results))
        kept = [statement for part in parts for statement in (part.statements if isinstance(part, Region) else [part])]
        last: dict[Variable, int] = {}  # where the memory of a variable is read last
        for i, statement in enumerate(kept):
            for read in statement.reads:
                last[read.memory] = i
        for result in results:
            last[result.memory] = _KEPT
        names: dict[Variable, list[str]] = {}  # of each memory the variables that show it
        for statement in kept:
            names.setdefault(statement.variable.memory, []).append(statement.variable.name)
        lines: list[str] = []
        functions: list[str] = []
        i = 0
        for part in parts:
            if isinstance(part, Region):
                function, own = self._in_blocks(part, f"block{len(functions)}", i, last, names)
                functions.append(function)
                lines += own
                i += len(part.statements)
            else:
                lines.append(self._line(part, i, last, names))
                i += 1
        returned = "".join([f"{result.name}, " for result in results])
        parameters = ", ".join([f"a{i}" for i in range(inputs)])
        program = "\n    ".join([f"def program({parameters}):", *lines, f"return ({returned})\n"])
        text = "\n".join([*functions, program])
        scope = dict(self.scope)
        exec(_compiled(text), scope)  # its text is written here
        seconds = sum([part.seconds for part in parts])
        works: dict[str, Work] = {}
        different = self._different(kept)
        for statement in kept:
            if statement.work:
                so_far = works.get(statement.work, Work(0.0, 0, 0))
                made = statement.kernels if statement.variable in different else 0
                more = Work(statement.seconds, statement.kernels, made)
                works[statement.work] = Work(*map(add, so_far, more))
        kernels = sum([statement.kernels for statement in kept])
        if sum(map(_is_of_whole_numbers, kept)) >= WHOLE_NUMBERS_FROM_CALLS * max(kernels, 1):
            works["whole numbers"] = Work(sum(map(_seconds_of_whole_numbers, parts)), 0, 0)
        others = sum([statement.kernels for statement in kept if statement.variable in different])
        sorts = [(x.dtype.itemsize, prod(x.shape) // x.sorted, x.sorted) for x, *_ in kept if x.sorted]
        return NumPyProgram(scope["program"], text, seconds, works, sorts, kernels, others, len(kept))

    def _different(self, kept: Sequence[Statement]) -> set[Variable]:
        """The results of statements that end kernels but for those whose kernel is one before: whose last calls are the
        same, of what has the same shapes and dtypes.
        """
        ends = [statement.variable for statement in kept if statement.kernels]
        if len(ends) < KERNELS_COMPARED_FROM:
            return set(ends)
        numbers: dict[Any, int] = {}  # of what is computed in the same way
        ways: dict[str, Sequence[int]] = {}  # of each variable by name, as far as none, one, .. of its last calls tell
        found: dict[int, Variable] = {}

        def way(x: Variable) -> Sequence[int]:
            lies = x.name not in ways or x in self._ending  # in memory
            return [numbers.setdefault((x.shape, x.dtype.str), len(numbers))] * CALLS_COMPARED if lies else ways[x.name]

        for statement in kept:
            made = statement.variable
            read = {x.name: way(x) for x in statement.reads}
            arguments = [_NAME.split(argument) for argument in statement.arguments]
            own = [numbers.setdefault((made.shape, made.dtype.str), len(numbers))]
            for i in range(CALLS_COMPARED):
                called = [read[part][i] if part in read else part for parts in arguments for part in parts]
                own.append(numbers.setdefault((statement.function, *called, *own[:1]), len(numbers)))
            ways[made.name] = own
            if statement.kernels:
                found.setdefault(own[-1], made)
        return set(found.values())

    def _in_blocks(
        self, region: Region, name: str, i: int, last: dict[Variable, int], names: dict[Variable, list[str]]
    ) -> tuple[str, list[str]]:
        """A region as text: a function of that name for a block, and the lines that carry it out; whole arrays are
        computed where these lie in no common order. Its first statement is the i-th.
        """
        end = i + len(region.statements)
        whole = [self._line(statement, i + k, last, names) for k, statement in enumerate(region.statements)]
        read = dict.fromkeys([v.memory for v in region.given])
        ending = [v for v in read if last[v] < end and v.own and v.nbytes >= NUMPY_REUSED_FROM]
        gone = [name for v in ending for name in names[v]]
        function, called = region.text(name)
        return function, [
            f"if (found := {called}) is None:",
            *[f"    {line}" for line in whole],
            "else:",
            f"    ({', '.join([v.name for v in region.results])},) = found",
            *([f"    del {', '.join(gone)}"] if gone else []),
            "del found",
        ]

    @staticmethod
    def _line(statement: Statement, i: int, last: dict[Variable, int], names: dict[Variable, list[str]]) -> str:
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
            else:
                if made.nbytes >= COPIES_POOLED_FROM:
                    arrays = [x for x in statement.arguments if any(x.startswith(v.name) for v in statement.reads)]
                    if last[made.memory] == _KEPT:  # results lie in row-major order
                        arrays = []
                    given = ", ".join([made.dtype.str.join("''"), *arrays])
                    text = statement.text(f"memory({made.shape}, {given})")
        elif statement.function == "concatenate" and made.nbytes >= COPIES_POOLED_FROM:
            text = statement.text(f"memory({made.shape}, {made.dtype.str!r})")
        gone = [name for v in ending for name in names[v] if name != made.name]
        return f"{made} = {text}" + (f"; del {', '.join(gone)}" if gone else "")
