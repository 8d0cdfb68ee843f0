"""Indices as numbers and numbers as indices: `ix_ unravel_index ravel_multi_index`, and the diagonals they lead to."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from ir.cost.thresholds.eager import EAGER_FUNCTION_ELEMENTS_AT_MOST
from lazyarr.aliasing.assignment import rebind, set_item
from lazyarr.aliasing.eager_writes import changed_by_numpy, is_changed_eagerly, values_of
from lazyarr.api.elementwise.standard import clip, remainder
from lazyarr.api.shape.repeating import resize
from lazyarr.array import Array
from lazyarr.eager.functions import small_by
from lazyarr.eager.numbers import broadcast_size
from lazyarr.memory.orders import as_order
from lazyarr.recording.conversion import astype
from lazyarr.recording.creation import as_shape, asarray
from lazyarr.recording.keys import host_values, mask_of, outside
from lazyarr.recording.movement import broadcast_arrays, reshape, view
from lazyarr.recording.replacing import numbers_in

__all__ = ["fill_diagonal", "ix_", "ravel_multi_index", "unravel_index"]


def ix_(*args: Any) -> tuple[Array, ...]:
    """Vectors as keys for the grid of their combinations: each along a dimension of its own; masks become indices."""
    found = []
    for i, arg in enumerate(args):
        x = asarray(arg, function="ix_")
        if x.ndim != 1:
            raise ValueError(f"ix_: expected vectors, got shape {x.shape}")
        if x.dtype.kind == "b":
            x = asarray(np.flatnonzero(mask_of("ix_", x)))
        elif not x.size:
            x = astype(x, "int64")
        found.append(view(x, None, (1,) * i + (x.size,) + (1,) * (len(args) - i - 1)))
    return tuple(found)


def _shape_of(function: str, shape: Any) -> tuple[int, ...]:
    extents = as_shape(shape, function)
    if any(extent < 0 for extent in extents):
        raise ValueError(f"{function}: expected extents that are not negative, got {extents}")
    if prod(extents) > np.iinfo(np.int64).max:
        raise ValueError(f"{function}: an array of shape {extents} has more elements than an int64 counts")
    return extents


def _strides(shape: tuple[int, ...], order: str | None, function: str) -> list[int]:
    if as_order(order, function, ("C", "F")) == "F":
        return [prod(shape[:i]) for i in range(len(shape))]
    return [prod(shape[i + 1 :]) for i in range(len(shape))]


def _unravelled(indices: Any, shape: Any, order: str = "C") -> Any:
    """NumPy's function, of integers."""
    numpys: Any = np.unravel_index  # whose overloads ask for a literal order
    return numpys(indices, shape, order) if np.asarray(indices).dtype.kind in "iu" else None


@small_by(_unravelled)
def unravel_index(indices: Any, shape: Any, order: str | None = "C") -> tuple[Array, ...]:
    """For positions in the flattened array the indices along each dimension of that shape, as int64.

    `ValueError` for a position out of bounds whose value the host knows, and for more elements than an int64 counts.
    """
    extents = _shape_of("unravel_index", shape)
    at = asarray(indices, function="unravel_index")
    if at.dtype.kind not in "biu":
        raise TypeError(f"unravel_index: expected integers, got dtype {at.dtype.name}")
    known = None if at.tracing else host_values(at)
    wrong = outside(known, prod(extents))
    if wrong is not None:
        raise ValueError(f"unravel_index: index {wrong} is out of bounds for an array of {prod(extents)} elements")
    if not extents and at.ndim:
        raise ValueError(f"unravel_index: expected one index for an array without dimensions, got shape {at.shape}")
    at = astype(at, "int64")
    strides = _strides(extents, order, "unravel_index")
    return tuple(at // stride % extent if extent else at for stride, extent in zip(strides, extents, strict=True))


def _ravelled(multi_index: Any, dims: Any, mode: Any = "raise", order: str = "C") -> Any:
    """NumPy's function, of arrays of integers."""
    if (
        type(multi_index) is not tuple
        or not multi_index
        or any(np.asarray(at).dtype.kind not in "iu" for at in multi_index)
        or broadcast_size(multi_index) > EAGER_FUNCTION_ELEMENTS_AT_MOST
    ):
        return None
    numpys: Any = np.ravel_multi_index  # as above
    return numpys(multi_index, dims, mode, order)


@small_by(_ravelled)
def ravel_multi_index(multi_index: Sequence[Any], dims: Any, mode: Any = "raise", order: str | None = "C") -> Array:
    """Positions in the flattened array for indices along each dimension of that shape, as int64.

    Args:
        mode: "raise": `ValueError` for an index out of bounds whose value the host knows; "wrap"; "clip"; or one for
            each
    """
    extents = _shape_of("ravel_multi_index", dims)
    parts = [asarray(at, function="ravel_multi_index") for at in multi_index]
    modes = (mode,) * len(extents) if isinstance(mode, str) else tuple(mode)
    if len(parts) != len(extents) or len(modes) != len(extents):
        raise ValueError(f"ravel_multi_index: expected an index array for each of {len(extents)} dimensions")
    total: Any = None
    strides = _strides(extents, order, "ravel_multi_index")
    together = broadcast_arrays(*parts)
    if 0 in extents and together[0].size:
        raise ValueError(f"ravel_multi_index: there are no positions in shape {extents}")
    given = zip(together, extents, strides, modes, strict=True)
    for axis, (part, extent, stride, how) in enumerate(given):
        if part.dtype.kind not in "biu":
            raise TypeError(f"ravel_multi_index: expected integers, got dtype {part.dtype.name}")
        term = _within(astype(part, "int64"), part, axis, extent, how) * stride
        total = term if total is None else total + term
    if total is None:
        raise ValueError("ravel_multi_index: expected at least one dimension")
    found: Array = total
    return found


def _within(at: Array, given: Array, axis: int, extent: int, mode: str) -> Array:
    if mode == "wrap":
        wrapped: Array = remainder(at, extent)
        return wrapped
    if mode == "clip":
        return clip(at, 0, extent - 1)
    if mode != "raise":
        raise ValueError(f"ravel_multi_index: expected mode to be 'raise', 'wrap' or 'clip', got {mode!r}")
    known = None if given.tracing else host_values(given)
    wrong = outside(known, extent)
    if wrong is not None:
        raise ValueError(f"ravel_multi_index: index {wrong} is out of bounds for axis {axis} with size {extent}")
    return at


def fill_diagonal(a: Array, val: Any, wrap: bool = False) -> None:
    """Put a value, or several in turn, on the main diagonal of an array; the object changes.

    Args:
        wrap: go on behind the end of a matrix with more rows than columns

    Of more than two dimensions all extents must be equal.
    """
    if not isinstance(a, Array):
        raise TypeError(f"fill_diagonal: expected a lazyarr array to change, got {type(a).__name__}")
    if a.ndim < 2:
        raise ValueError(f"fill_diagonal: expected two or more dimensions, got shape {a.shape}")
    if a.ndim > 2 and len(set(a.shape)) > 1:
        raise ValueError(f"fill_diagonal: expected equal extents, got shape {a.shape}")
    val = numbers_in("fill_diagonal", val, a.dtype)
    if is_changed_eagerly(a):
        new = values_of(val, a.dtype, a)
        if new is not None and new.size and changed_by_numpy(np.fill_diagonal, a, new, wrap=wrap):
            return
    columns = a.shape[1]
    step = columns + 1 if a.ndim == 2 else 1 + sum(prod(a.shape[i + 1 :]) for i in range(a.ndim - 1))
    end = a.size if wrap or a.ndim > 2 else columns * columns
    flat = reshape(a, a.size)
    places = range(0, min(end, a.size), step)
    if places:
        value = asarray(val, function="fill_diagonal")
        set_item(flat, slice(0, places[-1] + 1, step), resize(value, len(places)) if value.size > 1 else value)

        rebind(a, reshape(flat, a.shape))
