"""Arrays whose elements come again, or move around: `repeat tile roll resize`. Most of them are views."""

from __future__ import annotations

from math import prod
from typing import Any, Final

import numpy as np

from ir.cost.thresholds.eager import EAGER_FUNCTION_ELEMENTS_AT_MOST
from lazyarr.api.shape.joining import concat
from lazyarr.array import Array, giving_arrays
from lazyarr.eager.functions import on_host, small_by
from lazyarr.memory.snapshots import pooled
from lazyarr.recording.creation import as_arrays, as_shape, asarray
from lazyarr.recording.filled import zeros
from lazyarr.recording.indexing import index
from lazyarr.recording.keys import mask_of
from lazyarr.recording.movement import broadcast_to, expand_dims, normalise_axis, one_or_several, ravel, reshape, view
from lazyarr.recording.replay import replayable

__all__ = ["repeat", "resize", "roll", "tile"]

_FLOATS: Final = float, np.floating


def _cut_off(repeats: Any) -> Any:
    """Repeats that stand in no array as integers, also where they are floats, of which NumPy takes the whole part."""
    if isinstance(repeats, (list, tuple)) and all(isinstance(n, (int, float, np.number)) for n in repeats):
        return np.asarray(repeats, np.int64)
    is_float = (
        repeats.is_number and repeats.dtype.kind == "f" if type(repeats) is Array else isinstance(repeats, _FLOATS)
    )
    return int(repeats) if is_float else repeats


def _repeat(a: Any, repeats: Any, axis: int | None = None) -> Any:
    """NumPy's function, where the repeats are integers and the result is small, too."""
    times = np.asarray(repeats)
    small = times.dtype.kind in "iu" and np.size(a) * np.max(times, initial=0) <= EAGER_FUNCTION_ELEMENTS_AT_MOST
    return np.repeat(a, times, axis) if small else None


@small_by(_repeat)
def repeat(a: Any, repeats: Any, axis: int | None = None) -> Array:
    """Each element so many times along a dimension; None: flattened.

    Args:
        repeats: one number, or one for each element along the dimension: the shape depends on those, so that they are
            computed now (`TracingError` where they are being recorded)
    """
    x = asarray(a, function="repeat")
    if axis is None:
        x, axis = ravel(x), 0
    elif not x.ndim:
        x = ravel(x)  # as NumPy, which gives a number the axes 0 and -1
    along = normalise_axis("repeat", axis, x.ndim)
    extent = x.shape[along]
    repeats = _cut_off(repeats)
    times = repeats if isinstance(repeats, int) else mask_of("repeat", asarray(repeats, function="repeat"))
    if isinstance(times, np.ndarray):
        if times.dtype.kind not in "biu":
            raise TypeError(f"repeat: expected integers as repeats, got dtype {times.dtype}")
        if times.ndim > 1 or (times.ndim == 1 and times.size not in (1, extent)):
            raise ValueError(f"repeat: expected one number or {extent} of them, got shape {times.shape}")
        if times.size == 1:
            times = int(times.reshape(()))
    if np.any(np.asarray(times) < 0):
        raise ValueError("repeat: repeats may not be negative")
    if isinstance(times, int):
        spread = expand_dims(x, along + 1)
        shape = (*x.shape[: along + 1], times, *x.shape[along + 1 :])
        return reshape(broadcast_to(spread, shape), (*x.shape[:along], extent * times, *x.shape[along + 1 :]))
    counts = pooled(times.shape, np.dtype(np.int64))
    counts[...] = times  # of repeats that are read-only NumPy makes a copy, in fresh memory
    made = on_host(lambda value: np.repeat(value, counts, along), x)
    return index(x, (*(slice(None),) * along, np.repeat(np.arange(extent), counts))) if made is None else made


def _tile(A: Any, reps: Any) -> Any:
    """NumPy's function, where the result is small."""
    times = reps if type(reps) in (list, tuple) else (reps,)
    whole = all(type(n) is int and n >= 0 for n in times)
    return np.tile(A, reps) if whole and np.size(A) * prod(times) <= EAGER_FUNCTION_ELEMENTS_AT_MOST else None


@small_by(_tile)
@replayable
def tile(A: Any, reps: Any) -> Array:
    """The whole array so many times along each dimension, the last numbers meaning the last dimensions."""
    x = asarray(A, function="tile")
    times = as_shape(reps, "tile")
    if any(n < 0 for n in times):
        raise ValueError(f"tile: expected numbers that are not negative, got {times}")
    ndim = max(x.ndim, len(times))
    shape = (1,) * (ndim - x.ndim) + x.shape
    times = (1,) * (ndim - len(times)) + times
    made = view(x, None, tuple(n for extent in shape for n in (1, extent)))
    made = broadcast_to(made, tuple(n for pair in zip(times, shape, strict=True) for n in pair))
    return reshape(made, tuple(n * extent for n, extent in zip(times, shape, strict=True)))


def _roll(a: Any, shift: Any, axis: Any = None) -> Any:
    """NumPy's function, of an array by whole numbers; by one of Python's views take less."""
    if type(shift) is int:
        return None
    whole = type(a) is np.ndarray and a.ndim > 0 and np.asarray(shift).dtype.kind in "iu" and np.ndim(shift) <= 1
    return np.roll(a, shift, axis) if whole else None


@giving_arrays
@small_by(_roll)
@replayable
def roll(a: Any, shift: Any, axis: Any = None) -> Array:
    """The elements moved on by `shift` along a dimension, those beyond its end to the front; None: flattened.

    Args:
        shift, axis: integers, or tuples of as many; a vector of shifts is computed at once
    """
    x, shift = asarray(a, function="roll"), as_arrays(shift)
    if isinstance(shift, (Array, np.ndarray)) and shift.ndim == 1:
        shift = tuple(mask_of("roll", asarray(shift, function="roll")).tolist())
    if axis is None:
        return reshape(roll(ravel(x), shift, 0), x.shape)
    axes = tuple([normalise_axis("roll", a, x.ndim) for a in one_or_several(axis)])
    shifts = tuple(shift) if isinstance(shift, (tuple, list)) else (shift,) * len(axes)
    try:
        shifts = tuple([int(n) for n in shifts])  # of numbers that are not whole the whole part, as NumPy has it
    except (TypeError, ValueError):
        raise TypeError(f"roll: expected shift to be whole numbers, got {shift!r}") from None
    if len(axes) == 1:
        axes *= len(shifts)
    if len(shifts) != len(axes):
        raise ValueError(f"roll: expected as many shifts as axes, got {shift} and {axis}")
    for a, n in zip(axes, shifts, strict=True):
        if not x.shape[a]:
            continue
        start = -n % x.shape[a]
        if start:
            before = (slice(None),) * a
            x = concat([index(x, (*before, slice(start, None))), index(x, (*before, slice(start)))], axis=a)
    return view(x, None, x.shape)


def _resize(a: Any, new_shape: Any) -> Any:
    """NumPy's function, where the result is small."""
    extents = new_shape if type(new_shape) is tuple else (new_shape,)
    whole = all(type(extent) is int and extent >= 0 for extent in extents)
    return np.resize(a, extents) if whole and prod(extents) <= EAGER_FUNCTION_ELEMENTS_AT_MOST else None


@small_by(_resize)
def resize(a: Any, new_shape: Any) -> Array:
    """As many elements as the shape has, those of the array again and again."""
    x = ravel(asarray(a, function="resize"))
    shape = as_shape(new_shape, "resize")
    if any(extent < 0 for extent in shape):
        raise ValueError(f"resize: expected extents that are not negative, got shape {shape}")
    count = prod(shape)
    if not count:
        return view(x, None, shape)
    if not x.size:
        return zeros(shape, dtype=x.dtype)
    times = -(-count // x.size)
    return reshape(index(tile(x, times), (slice(count),)), shape)
