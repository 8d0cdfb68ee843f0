"""What a candidate's result must be: the interpreter's value, and how far floating point may stray from it.

A cheap tolerance comes first. It follows from the dtype and from how many values are added up, relative to the
magnitude of the terms, which is the value of the same expression with absolute values under every sum. Elements that
are further off are held against a running error analysis of their own data (`lazyarr.check.bounds`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

import numpy as np

from ir.core.expr import Expr, Lambda, fun, postorder, transform
from ir.core.patterns import MAP, Call, Generate, Get, Map, Reduce, Scan, Scatter, Tuple
from ir.core.semantics.interpreter import interpret
from ir.core.semantics.rounding import apart, units_of_sum
from ir.core.sizes import Size
from ir.core.types import ScalarType
from ir.rules.common import is_complex_product
from ir.schedules.candidates import Candidates
from lazyarr.check.argreduce_ties import Choices, compared
from lazyarr.check.bounds import Bounds, bounds_of
from lazyarr.check.exact_sums import ROUNDED, Description, Grid

__all__ = ["Mismatch", "Reference", "components", "folds_floats", "multiplies", "work"]

Arrays = dict[str, Any]

_ROUNDINGS = 16
"""Units in the last place allowed where nothing is added up: a function's result may be the value itself."""


@dataclass(frozen=True)
class Mismatch:
    """A result that is not what it must be.

    Attributes:
        excess: by how many times what rounding explains it is off at most; infinity where nothing explains it
    """

    found: str
    excess: float = math.inf

    def __str__(self) -> str:
        return self.found


@dataclass(frozen=True)
class Reference:
    """The value of an expression, component by component, with its tolerance.

    Attributes:
        tolerances: how far each element may stray in any case; None where a component must agree exactly
        bounds: how far rounding may move elements that are further off, by a running error analysis with the data at
            hand
        settled: the components whose tolerances say all: no rounding moves them further
        choices: what an arg-reduction chooses among: another index of a value that cannot be told apart will do
    """

    values: tuple[np.ndarray[Any, Any], ...]
    tolerances: tuple[np.ndarray[Any, Any] | None, ...]
    bounds: Bounds | None = None
    settled: frozenset[int] = frozenset()
    choices: Callable[[], Choices | None] = lambda: None

    @classmethod
    def of(
        cls, e: Expr, inputs: Arrays, sizes: Mapping[str, int], descriptions: Sequence[Description] = ()
    ) -> Reference:
        """Interpret the expression.

        Args:
            descriptions: of the components of its value (`lazyarr.check.exact_sums`); None: nothing is known
        """
        values = components(interpret(e, inputs, sizes))
        magnitudes = components(interpret(_magnitude(e), inputs, sizes))
        added = max((_length(_folded(x), sizes) for x in postorder(e) if x.traits.folds), default=1)
        tolerances: list[np.ndarray[Any, Any] | None] = []
        free = multiplies(e)
        if _multiplies_complex(e):  # the parts of a product stray by what its absolute value allows
            largest = np.max([np.abs(value) for value in values if value.dtype.kind == "f"], axis=0)
            magnitudes = [3 * largest for _ in values]
        known = descriptions or [None] * len(values)
        for value, magnitude, description in zip(values, magnitudes, known, strict=True):
            if value.dtype.kind == "f" and isinstance(description, Grid):
                tolerances.append(np.zeros(value.shape))
            elif value.dtype.kind == "f" and description is ROUNDED:
                tolerances.append(_ROUNDINGS * float(np.finfo(value.dtype).eps) * np.abs(value))
            elif value.dtype.kind == "f":
                unit = float(np.finfo(value.dtype).eps)
                with np.errstate(all="ignore"):
                    sums = unit * units_of_sum(added) * np.maximum(np.abs(magnitude), np.abs(value))
                    bound = np.where(np.isfinite(value), sums, 0.0)
                tolerances.append(np.where(free & _extreme(value), np.inf, bound))
            else:
                tolerances.append(None)

        @cache
        def choices() -> Choices | None:
            pairs = compared(Candidates.of(e).normal)
            return None if pairs is None else Choices.of(pairs, inputs, sizes)

        settled = frozenset(i for i, description in enumerate(known) if description is not None)
        return cls(tuple(values), tuple(tolerances), bounds_of(e, inputs, sizes, work), settled, choices)

    @classmethod
    def agreed(cls, values: list[np.ndarray[Any, Any]]) -> Reference:
        """A first candidate's result as the measure of the others, where the interpreter cannot hold the problem."""
        return cls(tuple(values), tuple([_loose(v) if v.dtype.kind == "f" else None for v in values]))

    def mismatch(self, results: list[np.ndarray[Any, Any]]) -> Mismatch | None:
        """None where a result agrees, else where and by how much it does not."""
        for component, (value, result) in enumerate(zip(self.values, results, strict=True)):
            places, times = self._wrong(component, result)
            if places.size:
                at, most = int(places.min()), float(times.max())
                found = f"component {component}, element {at}: expected {value[at]!r}, got {result[at]!r}"
                far = f", by up to {most:.3g} times the bound" if math.isfinite(most) else ""
                return Mismatch(f"{found} ({places.size} of {value.size} differ{far})", most)
        return None

    def _wrong(self, component: int, result: np.ndarray[Any, Any]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        """Where a result is not what it must be, and by how many times what is allowed it is off there."""
        value, tolerance = self.values[component], self.tolerances[component]
        places = np.flatnonzero(_beyond(value, result, tolerance))
        times = _times(value[places], result[places], 0.0 if tolerance is None else tolerance[places])
        if not places.size or component in self.settled:
            return places, times
        if tolerance is None and (choices := self.choices()) is not None:
            suspects = np.zeros(value.shape, bool)
            suspects[places] = True
            places = np.flatnonzero(choices.wrong(component, result, suspects))
            return places, np.full(places.shape, np.inf)
        if self.bounds is not None:
            known, wide, errors = self.bounds.of(component, places, times)
            if known.size:  # those left out are less far off than many that are looked at
                times = _times(wide, result[known], errors)
                places, times = known[times > 1], times[times > 1]
        return places, times


def _loose(value: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """How far elements may stray where nothing but a result is known: some units in the last place of the largest
    number in it.
    """
    most = np.abs(value).max(initial=0)
    if not np.isfinite(most):
        most = np.abs(value).max(initial=0, where=np.isfinite(value))
    return np.broadcast_to(float(np.finfo(value.dtype).eps) * 2**12 * most, value.shape)


def _beyond(
    value: np.ndarray[Any, Any], result: np.ndarray[Any, Any], tolerance: np.ndarray[Any, Any] | None
) -> np.ndarray[Any, Any]:
    """Which elements of a result are not within a tolerance."""
    if tolerance is None:
        different: np.ndarray[Any, Any] = value != result
        return different
    with np.errstate(all="ignore"):
        same = (value == result) | (np.isnan(value) & np.isnan(result))
        near = np.isfinite(value) & (np.abs(value - result) <= tolerance)
    beyond: np.ndarray[Any, Any] = ~(same | near | np.isinf(tolerance))
    return beyond


def _times(value: np.ndarray[Any, Any], result: np.ndarray[Any, Any], allowed: Any) -> np.ndarray[Any, Any]:
    """By how many times what is allowed elements are off; infinity for a NaN and a number, and where nothing is."""
    off = apart(value, result).astype(np.float64)
    with np.errstate(all="ignore"):
        found: np.ndarray[Any, Any] = np.where((off == 0) | np.isinf(allowed), 0.0, off / allowed)
    return found


def components(value: Any) -> list[np.ndarray[Any, Any]]:
    """The arrays of an interpreter's value, flat, in the order of the buffers that hold them."""
    if isinstance(value, tuple):
        return [part for item in value for part in components(item)]
    return [np.asarray(value).reshape(-1)]


def _magnitude(e: Expr) -> Expr:
    """The expression with absolute values under every floating-point sum."""

    def visit(node: Expr, operands: tuple[Expr, ...]) -> Expr:
        if isinstance(node, Lambda):
            return Lambda._make(operands, node.parameters) if operands != node.operands else node
        rebuilt = node._rebuilt(operands) if operands != node.operands else node
        if isinstance(rebuilt, (Reduce, Scan)) and isinstance(rebuilt.f, Lambda) and any(_sums(rebuilt.f)):
            return type(rebuilt)(rebuilt.f, rebuilt.init, Map(_absolute(rebuilt.f), rebuilt.xs, MAP), rebuilt.how)
        if isinstance(rebuilt, Scatter) and isinstance(rebuilt.f, Lambda) and any(_sums(rebuilt.f)):
            return _absolute_scatter(rebuilt, _absolute(rebuilt.f))
        return rebuilt

    return transform(e, visit, lambda node: False)


def _absolute_scatter(e: Scatter, absolute: Lambda) -> Scatter:
    """A scatter of absolute values into absolute values."""
    key = e.key
    assert isinstance(key, Lambda)

    def body(y: Expr) -> Expr:
        pair = key(y)
        return Tuple(Get(0, pair), absolute(Get(1, pair)))

    return Scatter(e.f, fun(key.types, body), Map(absolute, e.xs, MAP), e.ys, e.how)


def _folded(e: Expr) -> Expr:
    """The array of the values that a fold combines."""
    found: Expr = getattr(e, e.traits.streams[-1])
    return found


def _sums(f: Lambda) -> tuple[bool, ...]:
    """Which components of an accumulator a function adds to."""
    if f.types[0] is not f.types[1]:
        return (False,)
    parts = f.body.operands if isinstance(f.body, Tuple) else (f.body,)
    return tuple(isinstance(part, Call) and part.op == "add" for part in parts)


def _absolute(f: Lambda) -> Lambda:
    """The absolute values of the components that f adds up."""
    sums = _sums(f)
    if not isinstance(f.body, Tuple):
        return fun(f.types[1], lambda x: Call("abs", x))
    return fun(f.types[1], lambda x: Tuple(*(Call("abs", Get(i, x)) if s else Get(i, x) for i, s in enumerate(sums))))


def folds_floats(e: Expr) -> bool:
    """Are floating-point numbers combined, in an order that a candidate chooses?"""
    return any(x.traits.folds and any(_is_float(y) for y in postorder(x.operands[0])) for x in postorder(e))


def multiplies(e: Expr) -> bool:
    """Is there a product of many values? Where one overflows or vanishes on the way depends on the order."""
    functions = (node.operands[0] for node in postorder(e) if node.traits.folds)
    found = (f.body for f in functions if isinstance(f, Lambda))
    return any(isinstance(body, Call) and body.op == "multiply" for body in found) or _multiplies_complex(e)


def _multiplies_complex(e: Expr) -> bool:
    """Is there a product of many complex numbers?"""
    folds = (node for node in postorder(e) if isinstance(node, (Reduce, Scan)))
    functions = (node.f for node in folds if isinstance(node.f, Lambda) and len(node.f.types) == 2)
    return any(is_complex_product(f.body, f.variables) for f in functions)  # type: ignore[arg-type]  # two variables


def _extreme(value: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Values at the ends of the range of their dtype."""
    info = np.finfo(value.dtype)
    size = np.abs(value)
    found: np.ndarray[Any, Any] = ~np.isfinite(value) | (size < info.tiny / info.eps) | (size > info.max * info.eps)
    return found


def _is_float(node: Expr) -> bool:
    return isinstance(node, Call) and isinstance(node.type, ScalarType) and node.type.is_float


def _length(xs: Expr, sizes: Mapping[str, int]) -> int:
    length: Size = xs.type.length  # type: ignore[attr-defined]  # a reduction reads an array
    return length.evaluate(sizes)


def work(e: Expr, sizes: Mapping[str, int]) -> int:
    """How many elements the interpreter would hold at once for the largest nest of maps."""
    return _work(e, tuple(sizes.items()))


@lru_cache(maxsize=1024)
def _work(e: Expr, given: tuple[tuple[str, int], ...]) -> int:
    """The same: it is asked for each kernel of a program, of which many are alike."""
    sizes = dict(given)
    most = 1
    seen: set[tuple[Expr, int]] = set()
    pending = [(e, 1)]
    while pending:
        place = pending.pop()
        if place in seen:
            continue
        seen.add(place)
        node, outer = place
        own = outer
        if node.traits.streams:
            own = outer * _length(_folded(node), sizes)
        elif isinstance(node, Generate):
            own = outer * node.count.evaluate(sizes)
        most = max(most, own)
        pending += [(operand, own if isinstance(operand, Lambda) else outer) for operand in node.operands]
    return most
