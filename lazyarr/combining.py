"""Values combined into the places that indices name: `add.at(x, i, v)` and its like, `bincount` and `histogram`.

All are scatters (`ir.core.scatters`): a place that is named several times takes all the values in their order.
"""

from __future__ import annotations

import operator
from collections.abc import Hashable
from functools import cache
from typing import Any

import numpy as np

from ir.core.expr import Lambda, fun
from lazyarr.array import Array, combine
from lazyarr.creation import asarray, zeros
from lazyarr.dtypes import DType, int64, to_ir
from lazyarr.elementwise import astype
from lazyarr.keys import parse
from lazyarr.movement import ravel
from lazyarr.scalar_functions import loop_of
from lazyarr.updating import adopt, destinations, in_shape, scattered

__all__ = ["bincount", "combine_at", "histogram", "histogram_bin_edges"]


def combine_at(name: str, a: Array, indices: Any, b: Any) -> None:
    """`a[indices] = f(a[indices], b)` for one index after the other.

    Raises `TypeError` where the function's result does not convert to a's dtype by NumPy's same-kind rule.
    """
    function = f"{name}.at"
    if not isinstance(a, Array):
        raise TypeError(f"{function}: expected a lazyarr array to change, got {type(a).__name__}")
    key = parse(function, indices, a.shape)
    kind: Any = type(b) if type(b) in (int, float, bool) else asarray(b, function=function).dtype
    f, operand = _combiner(name, a.dtype, kind)
    values = in_shape(function, asarray(b, operand), key.shape)
    if not values.size:
        return
    at = destinations(a, key)
    device, trace = combine(function, (a, at, values))
    adopt(a, Array(scattered(f, a, at, values), a.shape, a.dtype, device, trace))


@cache
def _combiner(name: str, own: DType, other: Hashable) -> tuple[Lambda, DType]:
    """`λ(a, b). f(a, b)` from and to the array's dtype, and the dtype of b."""
    from lazyarr.scalars import cast

    loop = loop_of(name, (own, other))
    if not np.can_cast(loop.result, own, "same_kind"):
        raise TypeError(f"{name}.at: cannot put {loop.result.name} into an array of dtype {own.name}")
    first, second = loop.operands
    f = fun((to_ir(own), to_ir(second)), lambda a, b: cast(loop.build(cast(a, first), b), own))
    return f, second


def bincount(x: Any, /, weights: Any = None, minlength: int = 0) -> Array:
    """How often each number from zero on occurs in a vector of whole numbers, or the sums of the weights beside them.

    The result is as long as the greatest number asks, and at least `minlength`: that number is computed now. Counts are
    int64, sums float64.
    """
    at = asarray(x, function="bincount")
    if at.ndim != 1:
        raise ValueError(f"bincount: expected a vector, got shape {at.shape}")
    if not np.can_cast(at.dtype, np.int64, "safe") and at.size:
        raise TypeError(f"bincount: expected whole numbers that an int64 holds, got dtype {at.dtype.name}")
    length = operator.index(minlength)
    if length < 0:
        raise ValueError(f"bincount: expected minlength not to be negative, got {minlength}")
    at = astype(at, "int64")
    if at.size:
        from lazyarr.array import compute
        from lazyarr.reductions import max as max_
        from lazyarr.reductions import min as min_

        low, high = min_(at), max_(at)
        if at.tracing:
            from lazyarr.tracing import refuse

            refuse("value", "bincount", at)
        compute(low, high)
        if int(low) < 0:
            raise ValueError(f"bincount: expected numbers that are not negative, got {int(low)}")
        length = max(length, int(high) + 1)
    return _counted("bincount", at, weights, length)


def _counted(function: str, at: Array, weights: Any, length: int) -> Array:
    """The sums of weights (None: ones) by place, for places below a length."""
    if weights is None:
        values, dtype = None, int64
    else:
        values = asarray(weights, "float64", function=function)
        dtype = values.dtype
        if values.shape != at.shape:
            raise ValueError(f"{function}: expected weights of shape {at.shape}, got shape {values.shape}")
    start = zeros(length, dtype=dtype, device=at.device)
    if not at.size or not length:
        return start
    from lazyarr.creation import full

    values = full(at.shape, 1, dtype=dtype) if values is None else values
    f, _ = _combiner("add", dtype, dtype)
    device, trace = combine(function, (at, values))
    return Array(scattered(f, start, at, values), (length,), dtype, device, trace)


def histogram_bin_edges(a: Any, bins: Any = 10, range: Any = None) -> Array:
    """The edges of `histogram`'s bins: given ones, or those of as many equal bins from the least to the greatest
    element.
    """
    return asarray(_edges(ravel(asarray(a, function="histogram_bin_edges")), bins, range))


def _edges(x: Array, bins: Any, limits: Any) -> np.ndarray[Any, Any]:
    """The edges, on the host: which values there are decides where the bins lie."""
    if isinstance(bins, str):
        raise TypeError(f"histogram: expected a number of bins or their edges; rules such as {bins!r} are not there")
    edges = np.asarray(bins)
    if edges.ndim:
        if edges.ndim > 1 or (edges[1:] < edges[:-1]).any():
            raise ValueError("histogram: expected bins to be a vector of edges that increase")
        return edges
    count = operator.index(bins)
    if count < 1:
        raise ValueError(f"histogram: expected one or more bins, got {bins}")
    if limits is None:
        if x.tracing:
            from lazyarr.tracing import refuse

            refuse("value", "histogram without a range", x)
        first, last = (x.dtype.type(limit) for limit in _limits(x))  # as wide as NumPy's, for the same rounding
    else:
        first, last = (float(limit) for limit in limits)
        if first > last:
            raise ValueError(f"histogram: expected a range whose end is not before its beginning, got {limits}")
    if not (np.isfinite(first) and np.isfinite(last)):
        raise ValueError(f"histogram: the range ({first}, {last}) is not finite")
    if first == last:
        first, last = first - 0.5, last + 0.5
    dtype = np.result_type(x.dtype if x.dtype.kind == "f" else np.float64, np.float32)
    return np.linspace(first, last, count + 1, endpoint=True, dtype=dtype)


def _limits(x: Array) -> tuple[float, float]:
    """The least and the greatest element."""
    from lazyarr.array import compute
    from lazyarr.reductions import max as max_
    from lazyarr.reductions import min as min_

    if not x.size:
        return 0.0, 1.0
    low, high = min_(x), max_(x)
    compute(low, high)
    return float(low), float(high)


def histogram(
    a: Any, bins: Any = 10, range: Any = None, density: bool = False, weights: Any = None
) -> tuple[Array, Array]:
    """How many elements lie in each bin (of the last also those on its end), and the edges of the bins.

    bins : how many of equal width, or their edges. weights : what each element counts. density : divide by the sum and
    the widths, so that the integral is one. Where there is no `range` the extremes are computed now.
    """
    x = ravel(asarray(a, function="histogram"))
    edges = _edges(x, bins, range)
    own = None if weights is None else ravel(asarray(weights, function="histogram"))
    if own is not None and own.shape != x.shape:
        raise ValueError(f"histogram: expected weights of shape {x.shape}, got shape {own.shape}")
    place = _bin_of(x, edges, uniform=not np.ndim(bins))
    counts = _counted("histogram", place, own, len(edges) - 1)
    if own is not None:
        counts = astype(counts, own.dtype)
    limits = asarray(edges)
    if density:
        from lazyarr.reductions import sum as sum_

        counts = counts / asarray(np.diff(edges).astype(np.float64)) / sum_(counts)
    return counts, limits


def _bin_of(x: Array, edges: np.ndarray[Any, Any], *, uniform: bool) -> Array:
    """The bin of each element; one outside has none, which is a place that does not exist."""
    from lazyarr.elementwise import floor, logical_and, where

    count = len(edges) - 1
    if count < 1:
        return asarray(np.full(x.shape, -1))
    lines = asarray(edges)
    if uniform:
        wide = x if x.dtype.kind == "f" else astype(x, "float64")
        first, last = edges[0], edges[-1]
        guess = floor((wide - float(first)) / float(last - first) * count)
        inside = logical_and(wide >= float(first), wide <= float(last))
        at = astype(where(inside, where(guess >= count, count - 1, guess), 0), "int64")
        # rounding may be off by one: the edges decide, as NumPy has it
        at = where(wide < lines[at], at - 1, at)
        at = where(logical_and(wide >= lines[at + 1], at != count - 1), at + 1, at)
        return where(inside, at, -1)
    return _searched(x, lines, count)


def _searched(x: Array, lines: Array, count: int) -> Array:
    """The bin between edges that lie anywhere: found by halving, each step for all elements at once."""
    from lazyarr.elementwise import logical_and, where

    low = asarray(np.zeros((), np.int64))
    step = 1 << max(0, (count).bit_length() - 1)
    at: Any = low
    while step:
        ahead = at + step
        fits = logical_and(ahead <= count, x >= lines[_least(ahead, count)])
        at = where(fits, ahead, at)
        step >>= 1
    inside = logical_and(x >= lines[0], x <= lines[count])
    last = logical_and(x == lines[count], inside)
    return astype(where(inside, where(last, count - 1, at), -1), "int64")


def _least(at: Any, count: int) -> Array:
    from lazyarr.elementwise import minimum

    return minimum(at, count)
