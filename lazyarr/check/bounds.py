"""How far elements of a result may be from the reference, worked out where somebody asks: for the elements in doubt.

Where a result is a map, the rows in question are computed alone, so that few of them cost little however many there
are; any other expression is computed as a whole.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeGuard

import numpy as np

from ir.core.expr import Expr, Param, postorder
from ir.core.patterns import MAP, Gather, Join, Map, Tuple, Zip
from ir.core.semantics.error_bounds import interpret_bounded
from ir.core.types import INT64, ArrayType, shape_of

__all__ = ["Bounds", "bounds_of"]

_Array = np.ndarray[Any, Any]

_CHUNK = 1 << 18
"""Elements of work that are done at once: each takes 16 bytes for each value that is alive."""

_MOST = 1 << 22
"""Elements of work that are done for the rows of a map in all, which takes about a second."""

_LARGEST = 1 << 24
"""Elements of work that are done for one row, or for an expression that is no map."""


class Bounds:
    """The components of an expression's value in double precision, and how far each element may be off.

    Attributes:
        work: the elements that the interpreter would hold at once for the whole expression
    """

    def __init__(self, e: Expr, inputs: Mapping[str, Any], sizes: Mapping[str, int], work: int) -> None:
        self._expression, self._inputs, self._sizes = e, inputs, sizes
        size = math.prod(extent.evaluate(sizes) for extent in shape_of(e.type))
        rows = _mapped(e)
        self._rows = 1 if rows is None else max(1, shape_of(rows.type)[0].evaluate(sizes))
        self._row = max(1, size // self._rows)  # elements of a row
        self._work = max(1, work // self._rows)  # for a row
        self._left = max(1, _MOST // self._work) if self._work <= _LARGEST else 0  # rows
        self._known = np.zeros(self._rows, bool)
        self._components: list[tuple[_Array, _Array]] = []

    def of(self, component: int, places: _Array, weights: _Array) -> tuple[_Array, _Array, _Array]:
        """The places for which there is a bound, the values there and their errors: where there is too much to compute,
        the places of the least weight are left out.
        """
        rows = places // self._row
        unknown = np.flatnonzero(~self._known[rows]) if self._left else np.zeros(0, np.int64)
        if unknown.size > self._left:
            most = np.argpartition(-weights[unknown], self._left)[: self._left]
            unknown = unknown[most]
        chosen = np.zeros(self._rows, bool)  # np.unique takes longer than all the rest
        chosen[rows[unknown]] = True
        wanted = np.flatnonzero(chosen)
        self._left -= wanted.size
        step = max(1, _CHUNK // self._work)
        for start in range(0, wanted.size, step):
            self._work_out(wanted[start : start + step])
        places = places[self._known[rows]]
        if not self._components:
            return places, np.zeros(0), np.zeros(0)
        values, errors = self._components[component]
        return places, values[places], errors[places]

    def _work_out(self, rows: _Array) -> None:
        e, inputs = self._expression, self._inputs
        if self._rows > 1:
            e, inputs = _at_rows(e, rows.size), {**inputs, _ROWS: rows.astype(np.int64)}
        found = interpret_bounded(e, inputs, self._sizes)
        if not self._components:
            shape = (self._rows, self._row)
            self._components = [
                (np.empty(shape, value.dtype).reshape(-1), np.empty(shape).reshape(-1)) for value, _ in found
            ]
        for known, new in zip(self._components, found, strict=True):
            for whole, part in zip(known, new, strict=True):
                whole.reshape(self._rows, self._row)[rows] = part.reshape(rows.size, self._row)
        self._known[rows] = True


class _OfSeveral(Bounds):
    """The same for the results of a kernel that have lengths of their own, each worked out alone."""

    def __init__(self, results: Sequence[Bounds]) -> None:
        self._results = results

    def of(self, component: int, places: _Array, weights: _Array) -> tuple[_Array, _Array, _Array]:
        """As of the result of that number, each of which is an array of numbers."""
        return self._results[component].of(0, places, weights)


def bounds_of(e: Expr, inputs: Mapping[str, Any], sizes: Mapping[str, int], work: Callable[..., int]) -> Bounds:
    """The bounds for an expression's value. work : the elements that the interpreter holds at once for one"""
    if isinstance(e, Tuple):
        return _OfSeveral([bounds_of(x, inputs, sizes, work) for x in e.operands])
    return Bounds(e, inputs, sizes, work(e, sizes))


_ROWS = "rows in question"


def _mapped(e: Expr) -> Map | None:
    """The map whose results make up an expression's value, one after the other."""
    while isinstance(e, Join):
        e = e.xs
    return e if _is_map(e) else None


def _is_map(e: Expr) -> TypeGuard[Map]:
    return isinstance(e, Map) and e.how == MAP


def _at_rows(e: Expr, count: int) -> Expr:
    """A map's results for so many of its elements only: what it reads is read at these."""
    joins = 0
    while isinstance(e, Join):
        joins, e = joins + 1, e.xs
    rows = Param(_ROWS, ArrayType(INT64, count))
    found: dict[Expr, Expr] = {}

    def read(x: Expr) -> Expr:
        return found[x] if x in found else Gather(x, rows)

    for node in postorder(e, lambda x: not _is_map(x) and not isinstance(x, Zip)):
        found[node] = Map(node.f, read(node.xs)) if isinstance(node, Map) else Zip(*map(read, node.operands))
    e = found[e]
    for _ in range(joins):
        e = Join(e)
    return e
