"""Places in a sorted vector: `searchsorted` and `digitize`, by comparing or by halving.

Each value looks for its own place: among few elements by counting which of them come before it, which vectors do for
many values at once; among many in as many steps as their number has bits. The order is that of `sort`
(`lazyarr.api.order.sorting`): NaNs come last.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from ir.core.expr import Expr, fun
from ir.core.patterns import REDUCE_SEQ, Call, Cast, Element, FromSize, Gather, Generate, Literal, Map, Reduce, Repeat
from ir.core.types import INT64, ScalarType
from ir.cost.thresholds.eager import EAGER_ELEMENTS_ON_CPUS, EAGER_FUNCTION_ELEMENTS_AT_MOST
from ir.cost.thresholds.partition import SEARCH_COMPARED_UP_TO
from lazyarr.api.order.sorting import keys_of
from lazyarr.api.select.taking import take
from lazyarr.array import Array, array_of, combine
from lazyarr.dtypes import DType, int64, result_type, to_ir
from lazyarr.eager.functions import small_by
from lazyarr.graph.builders import index_type, join
from lazyarr.graph.tracing import refuse
from lazyarr.recording.conversion import astype
from lazyarr.recording.creation import asarray
from lazyarr.recording.filled import zeros
from lazyarr.recording.movement import flip
from lazyarr.recording.replay import replayable

__all__ = ["digitize", "searchsorted"]


def _searched(a: Any, v: Any, side: Any = "left", sorter: Any = None) -> Any:
    """NumPy's function, of few values."""
    return np.searchsorted(a, v, side, sorter) if np.size(v) <= EAGER_FUNCTION_ELEMENTS_AT_MOST else None


@small_by(_searched, EAGER_ELEMENTS_ON_CPUS)
@replayable
def searchsorted(a: Any, v: Any, side: str = "left", sorter: Any = None) -> Array:
    """For each value the index at which it would be inserted into a sorted vector, as int64.

    Args:
        side: "left": before equal elements; "right": behind them
        sorter: indices that sort the vector, as `argsort` gives them

    Raises:
        ValueError: the vector has not one dimension, or the side is unknown.
    """
    lines = asarray(a, function="searchsorted")
    if lines.ndim != 1:
        raise ValueError(f"searchsorted: expected a sorted vector, got shape {lines.shape}")
    if side not in ("left", "right"):
        raise ValueError(f"searchsorted: expected side to be 'left' or 'right', got {side!r}")
    if sorter is not None:
        order = asarray(sorter, function="searchsorted")
        if order.dtype.kind not in "iu":
            raise TypeError(f"searchsorted: expected a sorter of integers, got dtype {order.dtype.name}")
        if order.shape != lines.shape:
            raise ValueError(f"searchsorted: expected a sorter of shape {lines.shape}, got {order.shape}")
        lines = take(lines, order)
    values = asarray(v, function="searchsorted")  # a Python number is what it is as an array, as in NumPy
    common = result_type(lines.dtype, values.dtype)
    return places(astype(lines, common), astype(values, common), right=side == "right")


def places(lines: Array, values: Array, *, right: bool) -> Array:
    """How many elements of a sorted vector come before each value; with `right`, also those equal to it."""
    if not values.size or not lines.size:
        return zeros(values.shape, dtype=int64, device=values.placed)
    device, trace = combine("searchsorted", (lines, values))
    if lines.size <= SEARCH_COMPARED_UP_TO:
        place = _comparing(lines, right)
    else:
        place = halving(lines, lambda x, value: _comes_before(lines.dtype, x, value, right))
    node = join(Map(fun(to_ir(values.dtype), place), values.node))
    if index_type(lines.size) is not INT64:
        node = Map(_widened(), node)
    return array_of(node, values.shape, int64, device, trace)


def _comparing(lines: Array, right: bool) -> Callable[[Expr], Expr]:
    """`λv. reduceSeq (λ(at, x). at + 1 if x comes before v, else at) 0 lines`."""
    t = index_type(lines.size)
    one = Literal(1, t)

    def place(value: Expr) -> Expr:
        def counted(at: Expr, x: Expr) -> Expr:
            return Call("select", _comes_before(lines.dtype, x, value, right), Call("add", at, one), at)

        return Reduce(fun((t, to_ir(lines.dtype)), counted), Literal(0, t), lines.node, REDUCE_SEQ)

    return place


def halving(lines: Array, comes_before: Callable[[Expr, Expr], Expr]) -> Callable[[Expr], Expr]:
    """`λv. reduceSeq (λ(at, step). at + step, where so many elements come before v, else at) 0 [.., 4, 2, 1]`.

    Args:
        comes_before: whether an element does so
    """
    count = lines.size
    t = index_type(count)
    steps = count.bit_length()
    one, n = Literal(1, t), FromSize(count, t)
    descending = Generate(steps, fun(t, lambda i: Call("left_shift", one, Call("subtract", FromSize(steps - 1, t), i))))

    def place(value: Expr) -> Expr:
        def step(at: Expr, width: Expr) -> Expr:
            # the difference cannot overflow, as the sum of both might
            ahead = Call("add", at, Call("minimum", width, Call("subtract", n, at)))
            found = Element(0, Gather(lines.node, Repeat(1, Call("subtract", ahead, one))))
            fits = Call("less_equal", width, Call("subtract", n, at))
            return Call("select", Call("bitwise_and", fits, comes_before(found, value)), ahead, at)

        return Reduce(fun((t, t), step), Literal(0, t), descending, REDUCE_SEQ)

    return place


def _comes_before(dtype: DType, x: Expr, value: Expr, right: bool) -> Expr:
    """Is the value inserted behind x: does x come before it, or with `right`, does it not come before x?"""
    return Call("bitwise_invert", _is_less(dtype, value, x)) if right else _is_less(dtype, x, value)


def _is_less(dtype: DType, x: Expr, y: Expr) -> Expr:
    """Does a number come before another one in sorted order?"""
    if dtype.kind == "f":
        last = Call("bitwise_and", Call("isnan", y), Call("bitwise_invert", Call("isnan", x)))
        return Call("bitwise_or", Call("less", x, y), last)
    if dtype.kind != "c":
        return Call("less", x, y)
    found: Expr | None = None
    for _, key in keys_of(dtype):  # the least significant first
        first, second = key(x), key(y)
        less = Call("less", first, second)
        if found is not None:
            less = Call("bitwise_or", less, Call("bitwise_and", Call("equal", first, second), found))
        found = less
    assert found is not None
    return found


@lru_cache(maxsize=1)
def _widened() -> Any:
    return fun(ScalarType("int32"), lambda i: Cast(i, INT64))


@small_by(np.digitize)
@replayable
def digitize(x: Any, bins: Any, right: bool = False) -> Array:
    """The index of the bin to which each element belongs, as int64: bins are edges that increase, or all decrease.

    Args:
        right: is the right edge of a bin part of it, instead of the left one?

    Raises:
        ValueError: bins that are not monotonic: they are computed now, unless a function is being recorded.
    """
    edges = asarray(bins, function="digitize")
    values = asarray(x, function="digitize")
    if values.dtype.kind == "c" or edges.dtype.kind == "c":
        raise TypeError("digitize: expected real numbers: complex numbers are not ordered")
    if edges.ndim != 1:
        raise ValueError(f"digitize: expected bins of one dimension, got shape {edges.shape}")
    down = False
    if edges.tracing:
        refuse("value", "digitize: whether the bins increase or decrease", edges)
    known = np.asarray(edges)
    if known.size > 1 and not (known[1:] >= known[:-1]).all():
        down = bool((known[1:] <= known[:-1]).all())
        if not down:
            raise ValueError("digitize: expected bins that increase, or decrease, monotonically")
    side = "left" if right else "right"
    if not down:
        return searchsorted(edges, values, side=side)
    found: Array = edges.size - searchsorted(flip(edges), values, side=side)
    return found
