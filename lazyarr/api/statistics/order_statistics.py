"""Order statistics: medians, quantiles and percentiles, by sorting.

The elements between which a quantile lies are read from the sorted rows at places that the host computes; where NaNs
are left out, each row has as many elements as it has, and the places are computed with it. Methods are NumPy's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from math import prod
from typing import Any, Final, TypeVar

import numpy as np

from ir.cost.thresholds.eager import EAGER_FUNCTION_ELEMENTS_AT_MOST
from lazyarr.aliasing.outputs import with_out_at
from lazyarr.api.elementwise.standard import equal, floor, isfinite, isnan, logical_or, maximum, minimum
from lazyarr.api.elementwise.standard import round as round_
from lazyarr.api.order.sorting import sort
from lazyarr.api.reduce.reductions import sum as sum_
from lazyarr.api.select.taking import take_along_axis
from lazyarr.api.shape.joining import stack
from lazyarr.api.statistics.weights import check_weights, quantiles_by_weight, weights_for
from lazyarr.array import Array
from lazyarr.dtypes import DType, bool_, component_of, float64
from lazyarr.eager.functions import on_host, small_by
from lazyarr.graph.tracing import refuse
from lazyarr.memory.masked import refuse_masked
from lazyarr.recording.conversion import astype, where
from lazyarr.recording.creation import asarray
from lazyarr.recording.empty_slices import warns_of_empty_slices
from lazyarr.recording.filled import full
from lazyarr.recording.indexing import index
from lazyarr.recording.movement import expand_dims, moveaxis, normalise_axes, reshape
from lazyarr.recording.replay import replayable, warn

__all__ = ["median", "nanmedian", "nanpercentile", "nanquantile", "percentile", "quantile"]

F = TypeVar("F", bound=Callable[..., Any])


def _of_numbers(numpys: Callable[..., Any], count: int) -> Callable[..., Any]:
    """NumPy's function of the elements that are not NaN, where it warns of nothing; else it gives None.

    Args:
        count: how many arguments stand between the array and the axis
    """

    def of(a: Any, *rest: Any, **named: Any) -> Any:
        x = np.asarray(a)
        if x.dtype.kind not in "biuf" or not x.size or "weights" in named or len(rest) > count + 1:
            return None
        nans = np.isnan(x) if x.dtype.kind == "f" else _NO_NANS
        if nans.any():
            axis = rest[count] if len(rest) > count else named.get("axis")
            x = x[~nans]
            if axis is not None or named.get("keepdims") or not x.size:
                return None
        named.pop("overwrite_input", None)
        return numpys(x, *rest, **named)

    return of


_NO_NANS: Final = np.zeros(1, bool)


def _by_numpy(numpys: Callable[..., Any], count: int) -> Callable[[F], F]:
    """Decorates a function that leaves NaNs out: of small arrays whose values exist, and of all elements of large ones,
    NumPy's is called, which selects among those that are left. (What is recorded sorts: places differ with values.)

    Args:
        count: how many arguments stand between the array and the axis
    """
    of = _of_numbers(numpys, count)

    def decorated(function: F) -> F:
        small = small_by(of)(function)

        @wraps(function)
        def on_values(a: Any, *rest: Any, **named: Any) -> Any:
            if type(a) is Array and a.size > EAGER_FUNCTION_ELEMENTS_AT_MOST and len(rest) <= count:
                options = (*rest, *named.values())
                if named.get("axis") is None and not any(isinstance(each, Array) for each in options):
                    found = on_host(lambda value: of(value, *rest, **named), a)
                    if found is not None:
                        return found
            return small(a, *rest, **named)

        return on_values  # type: ignore[return-value]  # it takes and gives what the function does

    return decorated


@with_out_at(2, casting="unsafe")
@replayable
def median(a: Any, axis: Any = None, overwrite_input: bool = False, keepdims: bool = False) -> Array:
    """The middle element along axes (None: of all), or the mean of the middle two; NaN where there are none, or one is
    NaN.

    Args:
        overwrite_input: allows what nothing gains by: `a` stays as it is
    """
    return _median("median", a, axis, keepdims, skip=False)


@with_out_at(2, casting="unsafe")
@warns_of_empty_slices("All-NaN slice encountered")
@_by_numpy(np.median, 0)
@replayable
def nanmedian(a: Any, axis: Any = None, overwrite_input: bool = False, keepdims: bool = False) -> Array:
    """The median of the elements that are not NaN."""
    return _median("nanmedian", a, axis, keepdims, skip=True)


def _median(function: str, a: Any, axis: Any, keepdims: bool, skip: bool) -> Array:
    rows = _Rows(function, a, axis)
    if rows.x.dtype.kind in "biu":
        rows.x = astype(rows.x, float64)
    if not rows.x.shape[-1]:
        if not skip or 0 not in rows.x.shape[:-1]:
            warn("Mean of empty slice", RuntimeWarning)
        nothing = complex(np.nan, np.nan) if rows.x.dtype.kind == "c" else np.nan
        return rows.finished(full(rows.x.shape[:-1], nothing, dtype=rows.x.dtype), (), keepdims)
    half = np.asarray(0.5)
    found = _quantiles(rows, half, _METHODS["median"], skip and rows.x.dtype.kind in "fc", rows.x.dtype)
    return rows.finished(found, (), keepdims)


@with_out_at(3, broadcasts=True)
@replayable
def quantile(
    a: Any,
    q: Any,
    axis: Any = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: Any = None,
) -> Array:
    """The q-th quantiles along axes (None: of all elements), q from 0 to 1; several q lie along a new first axis.

    Args:
        method: one of NumPy's: "linear", "lower", "higher", "midpoint", "nearest", "inverted_cdf",
            "averaged_inverted_cdf", "closest_observation", "interpolated_inverted_cdf", "hazen", "weibull",
            "median_unbiased", "normal_unbiased"
        weights: how much each element counts, in the shape of `a` or of its extents along the axes, for the method
            "inverted_cdf"
        overwrite_input: allows what nothing gains by: `a` stays as it is

    NaN where an element is.

    Raises:
        ValueError: a q outside, or an unknown method.
        IndexError: no elements.
        TypeError: complex numbers.
    """
    return _quantile("quantile", a, q, 1, axis, method, keepdims, weights, skip=False)


@with_out_at(3, broadcasts=True)
@replayable
def percentile(
    a: Any,
    q: Any,
    axis: Any = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: Any = None,
) -> Array:
    """`quantile` for q from 0 to 100."""
    return _quantile("percentile", a, q, 100, axis, method, keepdims, weights, skip=False)


@with_out_at(3, broadcasts=True)
@warns_of_empty_slices("All-NaN slice encountered")
@_by_numpy(np.quantile, 1)
@replayable
def nanquantile(
    a: Any,
    q: Any,
    axis: Any = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: Any = None,
) -> Array:
    """`quantile` of the elements that are not NaN; NaN where there are none."""
    return _quantile("nanquantile", a, q, 1, axis, method, keepdims, weights, skip=True)


@with_out_at(3, broadcasts=True)
@warns_of_empty_slices("All-NaN slice encountered")
@_by_numpy(np.percentile, 1)
@replayable
def nanpercentile(
    a: Any,
    q: Any,
    axis: Any = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: Any = None,
) -> Array:
    """`nanquantile` for q from 0 to 100."""
    return _quantile("nanpercentile", a, q, 100, axis, method, keepdims, weights, skip=True)


def _quantile(
    function: str, a: Any, q: Any, whole: int, axis: Any, method: str, keepdims: bool, weights: Any, skip: bool
) -> Array:
    known = _METHODS.get(method)
    if known is None or method == "median":
        names = ", ".join(repr(name) for name in _METHODS if name != "median")
        raise ValueError(f"{function}: expected method to be one of {names}, got {method!r}")
    refuse_masked(q, function)
    weak = type(q) in (int, float)
    if whole == 1 and method == "linear" and np.asarray(q).dtype.kind in "biu":
        known = _METHODS["lower"]  # the ends, in the dtype of the elements
    if isinstance(q, Array) and q.tracing:
        refuse("value", f"{function}: q", q)
    if np.asarray(q).dtype.kind not in "biuf":
        raise TypeError(f"{function}: expected q to be real numbers, got {q!r}")
    at = np.true_divide(np.asarray(q), whole)
    if at.ndim > 2:
        raise ValueError(f"{function}: expected q of at most two dimensions, got shape {at.shape}")
    if not ((at >= 0) & (at <= 1)).all():
        raise ValueError(f"{function}: expected q to be 0 to {whole}, got {q}")
    rows = _Rows(function, a, axis)
    if rows.x.dtype.kind == "c":
        raise TypeError(f"{function}: expected real numbers, got {rows.x.dtype.name}")
    if not rows.x.shape[-1]:
        if not skip:
            raise IndexError(f"{function}: expected elements along axis {axis}, got shape {rows.shape}")
        if 0 not in rows.x.shape[:-1]:
            warn("Mean of empty slice", RuntimeWarning)
        own = rows.x.dtype if weak and rows.x.dtype.kind == "f" else float64
        empty = full((*at.shape, *rows.x.shape[:-1]), np.nan, dtype=own)
        return rows.finished(empty, at.shape, keepdims)
    if weights is not None:
        if method != "inverted_cdf":
            raise ValueError(f"{function}: weights are for the method 'inverted_cdf', not for {method!r}")
        check_weights(function, weights, rows.shape, axis)
        counting = _Rows(function, weights_for(function, weights, rows.shape, axis), axis)
        return rows.finished(quantiles_by_weight(rows.x, counting.x, at, skip), at.shape, keepdims)
    if rows.x.dtype is bool_ and known.weight is not None:
        raise TypeError(f"{function}: bools have no differences, as the method {method!r} takes")
    own = rows.x.dtype
    if known.weight is not None and not (weak and own.kind == "f"):
        own = np.result_type(own, at.dtype)
    found = _quantiles(rows, at, known, skip and rows.x.dtype.kind == "f", own)
    return rows.finished(found, at.shape, keepdims)


class _Rows:
    """The array with the axes that are reduced as its last one.

    Attributes:
        x: it.
        shape: what it was.
        axes: the axes that are reduced
    """

    def __init__(self, function: str, a: Any, axis: Any) -> None:
        x = asarray(a, function=function)
        self.shape = x.shape
        self.axes = tuple(range(x.ndim)) if axis is None else normalise_axes(function, axis, x.ndim)
        moved = moveaxis(x, self.axes, tuple(range(x.ndim - len(self.axes), x.ndim))) if x.ndim else x
        kept = tuple(extent for d, extent in enumerate(x.shape) if d not in self.axes)
        self.x = reshape(moved, (*kept, prod(x.shape[d] for d in self.axes)))

    def finished(self, found: Array, front: tuple[int, ...], keepdims: bool) -> Array:
        """The result with the dimensions it should have; `front` are those of q."""
        if not keepdims:
            return found
        own = tuple(1 if d in self.axes else extent for d, extent in enumerate(self.shape))
        return reshape(found, (*front, *own))


@dataclass(frozen=True)
class _Method:
    """Where a quantile lies between the elements of a sorted row.

    Attributes:
        place: the place, not whole in general, given the number of elements and q
        weight: how much the element behind counts, given the part behind the point and the place; None for a method
            that takes the element at a whole place
    """

    place: Callable[[Any, Any], Any]
    weight: Callable[[Any, Any], Any] | None


def _between(alpha: float, beta: float) -> _Method:
    """Hyndman and Fan, "Sample quantiles in statistical packages", 1996: the continuous methods."""
    return _Method(lambda n, q: n * q + (alpha + q * (1 - alpha - beta)) - 1, lambda part, place: part)


def _up_to(place: Callable[[Any, Any], Any], stays: Callable[[Any, Any], Any]) -> _Method:
    """The element behind the place, or the one before it where that is so."""

    def whole(n: Any, q: Any) -> Any:
        at = place(n, q)
        before = _floor(at)
        return _where(stays(at - before, before), before, before + 1)

    return _Method(whole, None)


def _where(condition: Any, x: Any, y: Any) -> Any:
    return where(condition, x, y) if isinstance(condition, Array) else np.where(condition, x, y)


def _floor(x: Any) -> Any:
    return floor(x) if isinstance(x, Array) else np.floor(x)


def _ceil(x: Any) -> Any:
    return -_floor(-x)


def _round(x: Any) -> Any:
    return round_(x) if isinstance(x, Array) else np.round(x)


_METHODS: dict[str, _Method] = {
    "median": _Method(lambda n, q: (n - 1) * q, lambda part, place: part),
    "linear": _Method(lambda n, q: (n - 1) * q, lambda part, place: part),
    "lower": _Method(lambda n, q: _floor((n - 1) * q), None),
    "higher": _Method(lambda n, q: _ceil((n - 1) * q), None),
    "nearest": _Method(lambda n, q: _round((n - 1) * q), None),
    "midpoint": _Method(
        lambda n, q: 0.5 * (_floor((n - 1) * q) + _ceil((n - 1) * q)),
        lambda part, place: _where(part == 0, 0.0, 0.5),
    ),
    "inverted_cdf": _up_to(lambda n, q: n * q - 1, lambda part, before: part == 0),
    "closest_observation": _up_to(lambda n, q: n * q - 1 - 0.5, lambda part, before: (part == 0) & (before % 2 == 1)),
    "averaged_inverted_cdf": _Method(lambda n, q: n * q - 1, lambda part, place: _where(part == 0, 0.5, 1.0)),
    "interpolated_inverted_cdf": _between(0, 1),
    "hazen": _between(0.5, 0.5),
    "weibull": _between(0, 0),
    "median_unbiased": _between(1 / 3, 1 / 3),
    "normal_unbiased": _between(3 / 8, 3 / 8),
}


def _quantiles(rows: _Rows, q: np.ndarray[Any, Any], method: _Method, skip: bool, dtype: DType) -> Array:
    """The quantiles of the rows, those of one q after the other along new first axes.

    Args:
        skip: leave NaNs out, which are the last elements of the sorted rows
        dtype: in which elements are mixed
    """
    x, extent = rows.x, rows.x.shape[-1]
    ordered = sort(x)
    last = index(ordered, (..., -1))
    q = q.astype(np.float64)
    if skip:
        count: Any = astype(extent - sum_(astype(isnan(x), "int64"), axis=-1), float64)
        parts = [_at(ordered, method.place(count, float(each)), count, method, dtype) for each in q.reshape(-1)]
    else:
        parts = [_at(ordered, method.place(extent, each), extent, method, dtype) for each in q.reshape(-1)]
    if x.dtype.kind in "fc" and not skip:
        parts = [where(isnan(last), astype(last, dtype), part) for part in parts]
    if not q.ndim:
        return parts[0]

    if not parts:
        return full((*q.shape, *x.shape[:-1]), 0, dtype=dtype)
    return reshape(stack(parts), (*q.shape, *x.shape[:-1]))


def _at(ordered: Array, place: Any, count: Any, method: _Method, dtype: DType) -> Array:
    """The value at a place of each sorted row of `count` elements."""
    if not isinstance(count, Array):
        return _at_known(ordered, float(place), int(count), method, dtype)

    last = maximum(count - 1, 0.0)

    def taken(at: Array) -> Array:
        inside = astype(maximum(minimum(at, last), 0.0), "int64")
        found = take_along_axis(ordered, expand_dims(inside, -1), axis=-1)
        return reshape(found, ordered.shape[:-1])

    if method.weight is None:
        return taken(place)
    before = _floor(place)
    weight = method.weight(place - before, place)
    first, mean = taken(before), method is _METHODS["median"]
    alone = logical_or(equal(weight, 0.0), logical_or(before < 0, before >= last))
    mixed = _mixed(first, taken(before + 1), astype(weight, component_of(dtype)), dtype, mean)
    return where(alone, astype(first, dtype), mixed)


def _at_known(ordered: Array, place: float, count: int, method: _Method, dtype: DType) -> Array:
    """The same for a number of elements and a place that the host knows."""

    def taken(at: float) -> Array:
        return index(ordered, (..., int(min(max(at, 0), count - 1))))

    if method.weight is None:
        return taken(place)
    before = np.floor(place)
    weight = float(method.weight(place - before, place))
    if weight == 0 or not 0 <= before < count - 1:
        return astype(taken(before), dtype)
    return _mixed(taken(before), taken(before + 1), weight, dtype, method is _METHODS["median"])


def _mixed(a: Array, b: Array, weight: Any, dtype: DType, mean: bool) -> Array:
    """`a + (b - a) * weight`, from the nearer end, so that it lies between them.

    Args:
        mean: of infinities, and of numbers whose difference overflows, take `a / 2 + b / 2`
    """
    if a.dtype.kind != "f":  # the difference of integers may exceed them
        a, b = astype(a, dtype), astype(b, dtype)
    a, b, step = astype(a, dtype), astype(b, dtype), astype(b - a, dtype)
    if isinstance(weight, Array):
        found: Array = where(weight >= 0.5, b - step * (1 - weight), a + step * weight)
    else:
        found = b - step * (1 - weight) if weight >= 0.5 else a + step * weight
    return where(isfinite(step), found, a * 0.5 + b * 0.5) if mean else found
