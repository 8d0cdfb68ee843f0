"""Diagonals and windows, as arrays of their own; `lazyarr.aliasing.viewing` has the views."""

from __future__ import annotations

from typing import Any

from ir.core.patterns import Slide
from lazyarr.array import Array, array_of
from lazyarr.graph.builders import join, rows
from lazyarr.recording.creation import asarray
from lazyarr.recording.indexing import index
from lazyarr.recording.movement import moveaxis, normalise_axis, reshape, view, whole_number

__all__ = ["along_diagonal", "diagonal", "diagonal_for", "windows"]


def diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
    """The diagonal of the matrices that two dimensions hold, as the last dimension; a view: `lazyarr.aliasing.viewing`.

    Args:
        offset: how far right of (negative: below) the main diagonal
    """
    return diagonal_for("diagonal", a, offset, axis1, axis2)


def diagonal_for(function: str, a: Any, offset: int, axis1: int, axis2: int) -> Array:
    """`diagonal`, for a function whose name stands in errors."""
    x = asarray(a, function=function)
    if x.ndim < 2:
        raise ValueError(f"{function}: expected two or more dimensions, got shape {x.shape}")
    first, second = normalise_axis(function, axis1, x.ndim), normalise_axis(function, axis2, x.ndim)
    if first == second:
        raise ValueError(f"{function}: expected two different axes, got {axis1} and {axis2}")
    x = moveaxis(x, (first, second), (-2, -1))
    rows, columns = x.shape[-2:]
    taken = along_diagonal(rows, columns, whole_number(function, "offset", offset, None))
    if not taken.stop:
        return view(x, None, (*x.shape[:-2], 0))
    return index(reshape(x, (*x.shape[:-2], rows * columns)), (..., taken))


def along_diagonal(rows: int, columns: int, offset: int) -> slice:
    """Where the diagonal of a matrix lies among its elements in row-major order; nowhere: `slice(0, 0)`."""
    start = max(offset, 0) - min(offset, 0) * columns
    count = min(rows + min(offset, 0), columns - max(offset, 0))
    return slice(start, start + (count - 1) * (columns + 1) + 1, columns + 1) if count > 0 else slice(0, 0)


def windows(x: Array, window: tuple[int, ...], axes: tuple[int, ...]) -> Array:
    """`sliding_window_view` for windows that fit, as an array of its own, also where there are no windows."""
    if not axes:
        return view(x, None, x.shape)
    for along, extent in zip(axes, window, strict=True):
        x = moveaxis(_windows(moveaxis(x, along, 0), extent), (0, 1), (along, -1))
    return x


def _windows(x: Array, extent: int) -> Array:
    """All windows of neighbours along the first dimension, which become the second one."""
    count, *rest = x.extents
    shape = (count - extent + 1, extent, *rest)
    if 0 in shape:
        return view(x, None, shape)
    items = rows(x.node, count) if rest else x.node
    node = join(Slide(extent, 1, items))
    return array_of(join(node) if rest else node, shape, x.dtype, x.placed, x.traced_in)
