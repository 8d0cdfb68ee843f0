"""A program is data: arrays to begin with, and statements in Python's text that run with NumPy and with lazyarr."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any

import numpy as np

NAME = re.compile(r"\b[a-z]\d+\b(?!\()")


@dataclass(frozen=True)
class Data:
    """An array of small whole numbers: what a program starts from."""

    dtype: str
    shape: tuple[int, ...]
    seed: int

    def value(self) -> np.ndarray:
        """The same array each time, newly made."""
        rng = np.random.default_rng(self.seed)
        kind = np.dtype(self.dtype).kind
        if kind == "b":
            return np.asarray(rng.random(self.shape) < 0.5)
        low, high = (0, 13) if kind == "u" else (-6, 7)
        whole = rng.integers(low, high, self.shape)
        if kind == "c":
            return np.asarray(whole + 1j * rng.integers(-3, 4, self.shape)).astype(self.dtype)
        return np.asarray(whole).astype(self.dtype)

    def source(self) -> str:
        """An expression for it."""
        value = self.value()
        if value.size == 0:
            return f"np.zeros({self.shape}, {self.dtype!r})"
        return f"np.array({_literal(value.tolist())}, {self.dtype!r})"


def _literal(x: Any) -> str:
    """Python's `repr`, but for complex numbers whose real part would become -0.0."""
    if isinstance(x, list):
        return f"[{', '.join(map(_literal, x))}]"
    return f"({x.real}{x.imag:+}j)" if isinstance(x, complex) else repr(x)


@dataclass(frozen=True)
class Statement:
    """One statement, of one or more lines.

    makes : names that it binds. writes : names of arrays that it changes in place. arrays : names that have to be
    arrays, where NumPy's scalars would behave otherwise. rough : does it round? sharp : has it steps or poles, which
    would make a rounding error large? drops : names that are no more. data : what is read from, for a name that begins
    with d
    """

    text: str
    makes: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    arrays: tuple[str, ...] = ()
    rough: bool = False
    sharp: bool = False
    drops: tuple[str, ...] = ()
    data: Data | None = None

    @property
    def reads_value(self) -> bool:
        """Does it only hand a value to `read`?"""
        return not self.makes and not self.writes and "read(" in self.text

    @property
    def names(self) -> list[str]:
        """The names of variables in it, each once."""
        return list(dict.fromkeys(NAME.findall(self.text)))

    @property
    def lines(self) -> list[str]:
        """Its source, data included."""
        found = self.text.splitlines()
        if self.data is not None:
            found.insert(0, f"{self.makes[0].replace('v', 'd')} = {self.data.source()}")
        return found


@dataclass(frozen=True)
class Program:
    """Statements, and the sources of the jitted functions that they may call (`f.f0`, ...), by name."""

    statements: tuple[Statement, ...]
    functions: dict[str, str] = field(default_factory=dict)

    def with_statements(self, statements: Iterable[Statement]) -> Program:
        """Another program with these."""
        return replace(self, statements=tuple(statements))

    @property
    def called(self) -> list[str]:
        """The functions that it calls."""
        text = "\n".join(s.text for s in self.statements)
        return [name for name in self.functions if f"f.{name}(" in text]

    def source(self, name: str = "program") -> str:
        """A Python function of the namespace, the jitted functions and a function that is given each value read."""
        lines = [line for s in self.statements for line in s.lines]
        return "\n    ".join([f"def {name}(xp, f, read):", *(lines or ["pass"])]) + "\n"


def functions_of(xp: Any, jit: Callable[..., Any], compute: Callable[..., Any]) -> SimpleNamespace:
    """What programs call `f`: without jitted functions so far."""
    return SimpleNamespace(jit=jit, compute=compute, xp=xp)


def define(f: SimpleNamespace, functions: dict[str, str]) -> None:
    """Jit the functions that `f` does not have yet."""
    for name, source in functions.items():
        if not hasattr(f, name):
            scope: dict[str, Any] = {"xp": f.xp, "np": np}
            exec(source, scope)
            setattr(f, name, f.jit(scope[name]))
