"""`pad`: an array with a border, dimension by dimension, each a concat of what stands before, the array and what stands
behind.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from lazyarr.api.elementwise.standard import floor
from lazyarr.api.elementwise.ufuncs import rint
from lazyarr.api.reduce import reductions
from lazyarr.api.shape.joining import concat
from lazyarr.api.statistics.order_statistics import median
from lazyarr.array import Array, giving_arrays
from lazyarr.memory.masked import refuse_masked
from lazyarr.recording.conversion import astype
from lazyarr.recording.creation import as_arrays, asarray
from lazyarr.recording.filled import full
from lazyarr.recording.indexing import index
from lazyarr.recording.movement import broadcast_to, normalise_axis, reshape, view
from lazyarr.recording.replay import replayable

__all__ = ["pad"]

_KEYWORDS: dict[str, tuple[str, ...]] = {
    "constant": ("constant_values",),
    "edge": (),
    "empty": (),
    "linear_ramp": ("end_values",),
    "maximum": ("stat_length",),
    "mean": ("stat_length",),
    "median": ("stat_length",),
    "minimum": ("stat_length",),
    "reflect": ("reflect_type",),
    "symmetric": ("reflect_type",),
    "wrap": (),
}


def _or_by_a_function(by_name: Callable[..., Array]) -> Callable[..., Array]:
    """`pad` where the mode may be a function of the user's, which is called now."""

    @wraps(by_name)
    def padded(array: Any, pad_width: Any, mode: Any = "constant", **kwargs: Any) -> Array:
        if callable(mode):
            return _padded_by(mode, asarray(array, function="pad"), pad_width, kwargs)
        return by_name(array, pad_width, mode, **kwargs)

    return padded


@_or_by_a_function
@giving_arrays
@replayable
def pad(array: Any, pad_width: Any, mode: str = "constant", **kwargs: Any) -> Array:
    """The array with a border.

    Args:
        pad_width: how many elements before and behind: a number, a pair, or a pair for each dimension
        mode: what the border holds: `constant` (`constant_values`, 0), the `edge`, a `linear_ramp` to `end_values`, the
            `maximum`, `mean`, `median` or `minimum` of the `stat_length` elements next to it, the array again (`wrap`),
            mirrored without (`reflect`) or with (`symmetric`) the edge, `reflect_type` being `even` or `odd`; `empty`
            leaves it open: zeros; or a function that is called for each vector along each dimension, of zeros at first,
            with that, the pair of widths, the axis and a dictionary of the keywords: it writes to the border

    Raises:
        ValueError: other modes, keywords, or negative widths.
        TypeError: widths that are no whole numbers.
    """
    x = asarray(array, function="pad")
    if mode not in _KEYWORDS:
        raise ValueError(f"pad: expected mode to be one of {', '.join(_KEYWORDS)}, got {mode!r}")
    unknown = sorted(set(kwargs) - set(_KEYWORDS[mode]))
    if unknown:
        raise ValueError(f"pad: unsupported keyword arguments for mode {mode!r}: {', '.join(unknown)}")
    numbers = _widths(pad_width, x.ndim)
    kwargs = {name: as_arrays(value) for name, value in kwargs.items()}
    axes = [axis for axis, pair in enumerate(numbers) if any(pair)]
    for axis in axes:
        if not x.shape[axis] and mode not in ("constant", "empty"):
            raise ValueError(f"pad: cannot extend an empty axis {axis} in mode {mode!r}")
    for axis in reversed(axes) if _is_separable(mode, kwargs) else axes:  # whole rows last: these are slices of rows
        x = concat(_MODES[mode](x, axis, *numbers[axis], kwargs), axis=axis)
    return view(x, None, x.shape)


def _widths(pad_width: Any, ndim: int) -> list[tuple[int, int]]:
    refuse_masked(pad_width, "pad")
    pad_width = as_arrays(pad_width)
    if not isinstance(pad_width, dict) and np.asarray(pad_width).dtype.kind not in "iu":
        raise TypeError(f"pad: expected pad_width to be whole numbers, got {pad_width}")
    numbers = [
        (operator.index(before), operator.index(after)) for before, after in _pairs("pad_width", pad_width, ndim)
    ]
    if any(n < 0 for pair in numbers for n in pair):
        raise ValueError(f"pad: expected widths that are not negative, got {pad_width}")
    return numbers


def _padded_by(mode: Callable[..., Any], x: Array, pad_width: Any, keywords: dict[str, Any]) -> Array:
    """The array with a border that a function writes, which computes it."""
    widths = _widths(pad_width, x.ndim)
    if not widths:
        return x.copy()  # a single number has no vectors
    made = np.pad(np.asarray(x), widths)
    for axis, pair in enumerate(widths):
        vectors = np.moveaxis(made, axis, -1)
        for place in np.ndindex(vectors.shape[:-1]):
            vector = asarray(vectors[place].copy())
            mode(vector, pair, axis, keywords)
            vectors[place] = np.asarray(vector)
    return asarray(made, device=x.placed)


def _is_separable(mode: str, options: dict[str, Any]) -> bool:
    """Is a border the same elements, whichever dimension is extended first?"""
    if mode == "constant":
        values = options.get("constant_values", 0)
        return not isinstance(values, dict) and np.ndim(values) == 0
    mirrored = mode in ("reflect", "symmetric") and options.get("reflect_type", "even") == "even"
    return mirrored or mode in ("edge", "empty", "wrap")


def _pairs(name: str, value: Any, ndim: int) -> list[tuple[Any, Any]]:
    """A pair for each dimension, of what is given as a number, a pair, or a pair for each."""
    if isinstance(value, dict):
        given = {normalise_axis("pad", axis, ndim): pair for axis, pair in value.items()}
        return [_pairs(name, given.get(axis, 0), 1)[0] for axis in range(ndim)]
    value = as_arrays(value)
    try:
        known = np.asarray(value) if isinstance(value, Array) else value
        found = np.broadcast_to(np.asarray(known, dtype=object), (ndim, 2))
    except ValueError:
        raise ValueError(f"pad: expected {name} to be a number, a pair or {ndim} pairs, got {value}") from None
    return [(before, after) for before, after in found]


Parts = Callable[[Array, int, int, int, dict[str, Any]], list[Array]]


def _sliced(x: Array, axis: int, *bounds: Any) -> Array:
    return index(x, (*(slice(None),) * axis, slice(*bounds)))


def _border(x: Array, axis: int, count: int) -> tuple[int, ...]:
    return (*x.shape[:axis], count, *x.shape[axis + 1 :])


def _filled(values: Any, x: Array, axis: int, count: int) -> Array:
    """A border of one number, in the array's dtype, which holds it as an element that is assigned."""
    number = np.empty((), x.dtype)
    number[()] = np.asarray(values)[()]
    return full(_border(x, axis, count), number.item(), x.dtype, device=x.placed)


def _constant(x: Array, axis: int, before: int, after: int, options: dict[str, Any]) -> list[Array]:
    first, last = _pairs("constant_values", options.get("constant_values", 0), x.ndim)[axis]
    return [_filled(first, x, axis, before), x, _filled(last, x, axis, after)]


def _edge(x: Array, axis: int, before: int, after: int, options: dict[str, Any]) -> list[Array]:
    first, last = _sliced(x, axis, 0, 1), _sliced(x, axis, x.shape[axis] - 1, None)
    return [broadcast_to(first, _border(x, axis, before)), x, broadcast_to(last, _border(x, axis, after))]


def _linear_ramp(x: Array, axis: int, before: int, after: int, options: dict[str, Any]) -> list[Array]:
    first, last = _pairs("end_values", options.get("end_values", 0), x.ndim)[axis]
    edges = _sliced(x, axis, 0, 1), _sliced(x, axis, x.shape[axis] - 1, None)
    left = _ramp(edges[0], axis, before, first)
    right = _ramp(edges[1], axis, after, last)
    return [left, x, _sliced(right, axis, None, None, -1)]


def _ramp(edge: Array, axis: int, count: int, end: Any) -> Array:
    """From the end value to one before the edge, in equal steps."""
    steps = (1,) * axis + (count,) + (1,) * (edge.ndim - axis - 1)
    at = reshape(asarray(np.arange(count, dtype=np.float64)), steps)
    exact = edge.dtype.kind in "fc"
    wide = edge if exact else astype(edge, "float64")
    start = np.asarray(end).astype(wide.dtype).item()
    made = start + at.astype(wide.dtype) * ((wide - start) / max(count, 1))
    return made if exact else astype(floor(made) if edge.dtype.kind in "iu" else made, edge.dtype)


def _statistic(name: str) -> Parts:
    def parts(x: Array, axis: int, before: int, after: int, options: dict[str, Any]) -> list[Array]:
        statistics: dict[str, Callable[..., Array]] = {
            "maximum": reductions.max, "minimum": reductions.min, "mean": reductions.mean, "median": median,
        }  # fmt: skip

        found = []
        length = _pairs("stat_length", options.get("stat_length"), x.ndim)[axis]
        for count, wanted, behind in ((before, length[0], False), (after, length[1], True)):
            taken = x.shape[axis] if wanted is None else min(operator.index(wanted), x.shape[axis])
            if taken < 1:
                raise ValueError(f"pad: expected a stat_length of one or more for mode {name!r}")
            near = _sliced(x, axis, x.shape[axis] - taken, None) if behind else _sliced(x, axis, 0, taken)
            value = statistics[name](near, axis, keepdims=True)
            if name in ("mean", "median") and x.dtype.kind in "iu":
                value = rint(value)
            found.append(broadcast_to(astype(value, x.dtype), _border(x, axis, count)))
        return [found[0], x, found[1]]

    return parts


def _mirrored(with_edge: bool) -> Parts:
    def parts(x: Array, axis: int, before: int, after: int, options: dict[str, Any]) -> list[Array]:
        kind = options.get("reflect_type", "even")
        if kind not in ("even", "odd"):
            raise ValueError(f"pad: expected reflect_type to be 'even' or 'odd', got {kind!r}")
        while before > 0 or after > 0:
            extent = x.shape[axis]
            most = extent if with_edge else extent - 1
            if not most:  # a lone element mirrors to itself
                return _edge(x, axis, before, after, options)
            is_last, skip = max(before, after) <= most, 0 if with_edge else 1  # mirrored again, each end is a mirror
            left, right = (max(before, 0), max(after, 0)) if is_last else (most, most)
            start = _sliced(_sliced(x, axis, skip, skip + left), axis, None, None, -1)
            stop = _sliced(_sliced(x, axis, extent - skip - right, extent - skip), axis, None, None, -1)
            if kind == "odd":
                start = astype(2 * _sliced(x, axis, 0, 1) - start, x.dtype)  # of bools these are integers
                stop = astype(2 * _sliced(x, axis, extent - 1, None) - stop, x.dtype)
            x = concat([start, x, stop], axis=axis)
            before, after = before - left, after - right
        return [_sliced(x, axis, -before, x.shape[axis] + after)]

    return parts


def _wrap(x: Array, axis: int, before: int, after: int, options: dict[str, Any]) -> list[Array]:
    extent = x.shape[axis]
    parts = []
    if before % extent:
        parts.append(_sliced(x, axis, extent - before % extent, None))
    parts += [x] * (before // extent + 1 + after // extent)
    if after % extent:
        parts.append(_sliced(x, axis, 0, after % extent))
    return parts


_MODES: dict[str, Parts] = {
    "constant": _constant,
    "edge": _edge,
    "empty": _constant,
    "linear_ramp": _linear_ramp,
    "maximum": _statistic("maximum"),
    "mean": _statistic("mean"),
    "median": _statistic("median"),
    "minimum": _statistic("minimum"),
    "reflect": _mirrored(with_edge=False),
    "symmetric": _mirrored(with_edge=True),
    "wrap": _wrap,
}
