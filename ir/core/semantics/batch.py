"""Batch axes: how a value of one scope is seen inside the function of a `map` (see `ir.core.semantics.interpreter`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ir.core.semantics.values import Value, leaves, map_leaves
from ir.errors import IRError

__all__ = ["at", "concatenate", "gather", "length_of", "lift", "reshape", "spread", "windows"]

_Array: TypeAlias = NDArray[Any]


def lift(value: Value, depth: int, new_depth: int) -> Value:
    """A value of an outer scope inside an inner one: the batch axes it does not depend on have length 1."""
    if depth == new_depth:
        return value
    index = (slice(None),) * depth + (None,) * (new_depth - depth)
    return map_leaves(lambda a: a[index], value)


def spread(value: Value, axis: int, length: int) -> Value:
    """The value with an axis that may have length 1, for "the same everywhere", brought to its length; a view."""

    def widened(a: _Array) -> _Array:
        if a.shape[axis] == length:
            return a
        return np.broadcast_to(a, (*a.shape[:axis], length, *a.shape[axis + 1 :]))

    return map_leaves(widened, value)


def reshape(value: Value, axis: int, old: int, new: tuple[int, ...]) -> Value:
    """The value with `old` axes from `axis` on replaced by axes of the lengths `new`."""
    return map_leaves(lambda a: a.reshape(a.shape[:axis] + new + a.shape[axis + old :]), value)


def at(value: Value, axis: int, index: int | slice | _Array | None) -> Value:
    """The value indexed along an axis, by some indices where it is an array; None puts an axis of length 1 there."""
    where = (slice(None),) * axis + (index,)
    return map_leaves(lambda a: a[where], value)


def windows(value: Value, axis: int, window: int, step: int) -> Value:
    """The value with its windows of that length, `step` apart, along an axis, and their elements along the next; a
    view.
    """

    def seen(a: _Array) -> _Array:
        found = np.moveaxis(np.lib.stride_tricks.sliding_window_view(a, window, axis), -1, axis + 1)
        return found[(slice(None),) * axis + (slice(None, None, step),)]

    return map_leaves(seen, value)


def length_of(value: Value, axis: int) -> int:
    """The length of an axis, the same in all arrays of a value."""
    length: int = next(leaves(value)).shape[axis]
    return length


def concatenate(parts: Sequence[Value], axis: int) -> Value:
    """One value after the other along an axis; the batch axes before it are brought to one shape."""
    if isinstance(parts[0], tuple):
        return type(parts[0])(concatenate(component, axis) for component in zip(*parts, strict=True))
    arrays = [part for part in parts if isinstance(part, np.ndarray)]
    batch = np.broadcast_shapes(*(a.shape[:axis] for a in arrays))
    return np.concatenate([np.broadcast_to(a, batch + a.shape[axis:]) for a in arrays], axis=axis)


def gather(value: Value, indices: _Array, axis: int) -> Value:
    """The elements that the indices name along an axis, clamped into it; both have `axis` batch axes in front.

    Raises:
        IRError: there are indices but no elements.
    """
    length = length_of(value, axis)

    def picked(a: _Array) -> _Array:
        if length == 0:
            batch = np.broadcast_shapes(a.shape[:axis], indices.shape[:-1])
            if 0 not in (*batch, indices.shape[-1]):
                raise IRError(f"gather: {indices.shape[-1]} elements of an array that has none")
            return np.zeros((*batch, indices.shape[-1], *a.shape[axis + 1 :]), a.dtype)
        at = np.clip(indices, 0, length - 1)
        return np.take_along_axis(a, at.reshape(at.shape + (1,) * (a.ndim - axis - 1)), axis)

    return map_leaves(picked, value)
