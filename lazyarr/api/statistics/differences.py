"""Derivatives by differences of neighbours; `diff` itself stands in `lazyarr.api.reduce.scans`, `ediff1d` in
`lazyarr.api.order.sets`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lazyarr.api.elementwise.standard import (
    abs,
    add,
    divide,
    equal,
    greater,
    less,
    logical_and,
    multiply,
    remainder,
    subtract,
)
from lazyarr.api.reduce.scans import cumsum, diff
from lazyarr.api.shape.joining import concat
from lazyarr.array import Array
from lazyarr.dtypes import bool_, float64
from lazyarr.recording.conversion import astype, where
from lazyarr.recording.creation import asarray
from lazyarr.recording.indexing import index
from lazyarr.recording.movement import normalise_axes, reshape
from lazyarr.recording.replay import replayable

__all__ = ["gradient", "unwrap"]


@replayable
def gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """The derivatives along axes (None: all) by second order differences; at the ends of order `edge_order`, 1 or 2.

    Args:
        varargs: how far apart the samples are: nothing (1), one number for all axes, or for each axis a number or the
            places of the samples along it

    A tuple of arrays, for one axis an array: of the dtype of `f`, float64 for integers.

    Raises:
        ValueError: an axis of no more than `edge_order` elements, or places that do not fit.
        TypeError: too many or too few places; bools, which cannot be subtracted.
    """
    x = asarray(f, function="gradient")
    if x.dtype is bool_ and x.ndim:
        raise TypeError("gradient: expected numbers, got bools, which cannot be subtracted")
    x = x if x.dtype.kind in "fc" else astype(x, float64)
    axes = tuple(range(x.ndim)) if axis is None else normalise_axes("gradient", axis, x.ndim)
    if edge_order not in (1, 2):
        raise ValueError(f"gradient: expected edge_order to be 1 or 2, got {edge_order}")
    if len(varargs) not in (0, 1, len(axes)):
        raise TypeError(
            f"gradient: expected a distance for each of {len(axes)} axes, or one for all, got {len(varargs)}"
        )
    if not axes:
        return ()
    distances = [_distances(along, d, x) for along, d in zip(axes, _for_each(varargs, len(axes)), strict=True)]
    for along in axes:
        if x.shape[along] <= edge_order:
            raise ValueError(
                f"gradient: expected more than {edge_order} elements along axis {along}, got shape {x.shape}"
            )
    found = tuple(_along(x, along, apart, edge_order) for along, apart in zip(axes, distances, strict=True))
    return found[0] if len(found) == 1 else found


def _for_each(varargs: tuple[Any, ...], count: int) -> tuple[Any, ...]:
    if len(varargs) == 1 and count > 1:
        if np.ndim(varargs[0]):
            raise TypeError("gradient: places of the samples have to be given for each axis")
        return varargs * count
    return varargs or (1.0,) * count


def _distances(axis: int, given: Any, x: Array) -> Array:
    """One number, or the distances of neighbours, in a shape that broadcasts with the array."""
    apart = asarray(given, function="gradient")
    apart = apart if apart.dtype.kind in ("f", x.dtype.kind) else astype(apart, float64)
    if not apart.ndim:
        return astype(apart, x.dtype) if type(given) in (int, float) else apart
    if apart.shape != (x.shape[axis],):
        raise ValueError(f"gradient: expected {x.shape[axis]} places along axis {axis}, got shape {apart.shape}")
    return reshape(diff(apart), (-1, *(1,) * (x.ndim - axis - 1)))


def _along(x: Array, axis: int, apart: Array, edge_order: int) -> Array:
    def part(array: Array, start: int | None, stop: int | None) -> Array:
        return index(array, (*(slice(None),) * (axis - x.ndim + array.ndim), slice(start, stop)))

    before, here, after = part(x, None, -2), part(x, 1, -1), part(x, 2, None)
    if not apart.ndim:
        inner = divide(subtract(after, before), multiply(2.0, apart))
        first = last = second = before_last = apart
    else:
        left, right = part(apart, None, -1), part(apart, 1, None)
        inner = add(
            add(
                multiply(divide(multiply(right, -1.0), multiply(left, add(left, right))), before),
                multiply(divide(subtract(right, left), multiply(left, right)), here),
            ),
            multiply(divide(left, multiply(right, add(left, right))), after),
        )
        first, second = part(apart, 0, 1), part(apart, 1, 2)
        last, before_last = part(apart, -1, None), part(apart, -2, -1)
    if edge_order == 1:
        begin = divide(subtract(part(x, 1, 2), part(x, 0, 1)), first)
        end = divide(subtract(part(x, -1, None), part(x, -2, -1)), last)
    else:
        begin = _end(part(x, 0, 1), part(x, 1, 2), part(x, 2, 3), first, second)
        end = multiply(_end(part(x, -1, None), part(x, -2, -1), part(x, -3, -2), last, before_last), -1.0)
    return concat([astype(piece, x.dtype) for piece in (begin, inner, end)], axis)


def _end(x0: Array, x1: Array, x2: Array, near: Array, far: Array) -> Array:
    """The derivative at the first of three samples, the first two and the last two being so far apart."""
    both = add(near, far)
    a = divide(multiply(add(add(near, near), far), -1.0), multiply(near, both))
    b, c = divide(both, multiply(near, far)), divide(multiply(near, -1.0), multiply(far, both))
    found: Array = add(add(multiply(a, x0), multiply(b, x1)), multiply(c, x2))
    return found


@replayable
def unwrap(p: Any, discont: Any = None, axis: int = -1, *, period: Any = 2 * np.pi) -> Array:
    """Angles with multiples of the period added, so that neighbours along an axis differ by half of it at most.

    Args:
        discont: smaller jumps than this are left alone; None, and what is less: half of the period

    Integers stay integers if the period is one.

    Raises:
        ValueError: 0-dimensional arrays.
    """
    x = asarray(p, function="unwrap")
    steps = diff(x, axis=axis)
    along = normalise_axes("unwrap", axis, x.ndim)[0]
    dtype = np.result_type(x.dtype, period)
    whole = dtype.kind in "iu"
    high, rest = divmod(period, 2) if whole else (period / 2, 0)
    steps = astype(steps, dtype)
    wrapped = add(remainder(subtract(steps, -high), period), -high)
    if rest == 0:  # half of the period either way: in the direction of the step
        wrapped = where(logical_and(equal(wrapped, -high), greater(steps, 0)), high, wrapped)
    jumps = less(abs(steps), period / 2 if discont is None else discont)
    correction = where(jumps, dtype.type(0), subtract(wrapped, steps))
    first = (*(slice(None),) * along, slice(0, 1))
    rest_ = (*(slice(None),) * along, slice(1, None))
    moved = add(index(x, rest_), cumsum(correction, axis=along))
    return concat([astype(index(x, first), dtype), astype(moved, dtype)], along)
