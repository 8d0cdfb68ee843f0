"""Twenty everyday lines, each of an array namespace ``xp``: NumPy, lazyarr and JAX run the same text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

COLUMNS = 32
SHAPES = ((1_000, COLUMNS), (100_000, COLUMNS))
"""Rows and columns of the two sizes that are measured."""
BINS = 20


@dataclass(frozen=True)
class Inputs:
    """What the lines are about: matrices ``a`` and ``b`` of one shape, a vector ``v`` as long as a row; float32."""

    a: Any
    b: Any
    v: Any

    def converted(self, asarray: Callable[[Any], Any]) -> Inputs:
        """The same as another library's arrays."""
        return Inputs(asarray(self.a), asarray(self.b), asarray(self.v))


def inputs(rows: int, columns: int = COLUMNS, seed: int = 17) -> Inputs:
    """Numbers in [0, 1), as NumPy's arrays: sums of them cancel nothing."""
    rng = np.random.default_rng(seed)
    shapes = ((rows, columns), (rows, columns), (columns,))
    return Inputs(*(rng.random(shape, dtype=np.float32) for shape in shapes))


def softmax(xp: Any, d: Inputs) -> Any:
    """Of each row."""
    e = xp.exp(d.a - xp.max(d.a, axis=1, keepdims=True))
    return e / xp.sum(e, axis=1, keepdims=True)


def one(rows: int, columns: int) -> int:
    """An element of the result is made of a few elements."""
    return 1


def row(rows: int, columns: int) -> int:
    """It is made of a row."""
    return columns


def column(rows: int, columns: int) -> int:
    """It is made of a column."""
    return rows


def everything(rows: int, columns: int) -> int:
    """It is made of all elements."""
    return rows * columns


@dataclass(frozen=True)
class Line:
    """A line: its name, what it computes, and how many elements one of the result is made of."""

    name: str
    write: Callable[[Any, Inputs], Any]
    terms: Callable[[int, int], int]


LINES = (
    Line("add", lambda xp, d: d.a + d.b, one),
    Line("mean", lambda xp, d: xp.mean(d.a), everything),
    Line("std of columns", lambda xp, d: xp.std(d.a, axis=0), column),
    Line("softmax", softmax, row),
    Line("argmax of rows", lambda xp, d: xp.argmax(d.a, axis=1), row),
    Line("sort", lambda xp, d: xp.sort(d.a, axis=0), one),
    Line("mask", lambda xp, d: d.a[d.a > 0.5], one),
    Line("concatenate", lambda xp, d: xp.concatenate([d.a, d.b]), one),
    Line("histogram", lambda xp, d: xp.histogram(d.a, bins=BINS, range=(0.0, 1.0)), one),
    Line("median of columns", lambda xp, d: xp.median(d.a, axis=0), one),
    Line("a.T @ b", lambda xp, d: d.a.T @ d.b, column),
    Line("cumsum", lambda xp, d: xp.cumsum(d.a, axis=0), column),
    Line("where", lambda xp, d: xp.where(d.a > d.b, d.a, -d.b), one),
    Line("clip", lambda xp, d: xp.clip(d.a, 0.25, 0.75), one),
    Line("sum of abs", lambda xp, d: xp.sum(xp.abs(d.a - 2.0)), everything),
    Line("var of columns", lambda xp, d: xp.var(d.a, axis=0), column),
    Line("matrix-vector product", lambda xp, d: d.a @ d.v, row),
    Line("unique", lambda xp, d: xp.unique(xp.round(10 * d.a)), one),
    Line("transposed sum", lambda xp, d: xp.sum(d.a.T * 2, axis=1), column),
    Line("norm of rows", lambda xp, d: xp.linalg.norm(d.a, axis=1), row),
)
ROUNDINGS = 4.0
"""Rounding errors of one term, in units of eps: a function and what is around it, in both libraries."""

SMALL = 64
"""Elements of the small arrays."""


def add(xp: Any, x: Any, y: Any) -> Any:
    """``x + y``."""
    return x + y


def asum(xp: Any, x: Any, y: Any) -> Any:
    """``sum(abs(x))``."""
    return xp.sum(xp.abs(x))


SMALL_LINES: dict[str, Callable[[Any, Any, Any], Any]] = {"x + y": add, "sum(abs(x))": asum}
