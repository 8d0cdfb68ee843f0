"""Windows of arrays: elements gathered by their positions, as views."""

from __future__ import annotations

import operator
from math import prod
from typing import Any

from lazyarr.aliasing.view_steps import Strided, Windows, reach
from lazyarr.aliasing.viewing import broadcast_arrays, broadcast_to
from lazyarr.aliasing.views import as_view, is_writeable, view_layout, whole_of
from lazyarr.array import Array
from lazyarr.recording.creation import as_shape, asarray
from lazyarr.recording.movement import broadcast_shapes, normalise_axis, one_or_several
from lazyarr.recording.positional import windows

__all__ = ["as_strided", "broadcast_arrays", "broadcast_shapes", "broadcast_to", "sliding_window_view"]


def sliding_window_view(
    x: Any, window_shape: Any, axis: Any = None, *, subok: bool = False, writeable: bool = False
) -> Array:
    """All windows of neighbours along some dimensions, as a view, which is read-only unless `writeable`.

    The places of the windows stand where the dimensions stood, the dimensions of the windows at the end.

    Args:
        window_shape: the extents of a window, one for each axis
        axis: one dimension or several; None: all. A dimension that is named twice has windows of its windows.
        subok: is there for NumPy's sake

    Raises:
        ValueError: a window that is longer than the dimension, or of another number of extents than axes.
    """
    found = asarray(x, function="sliding_window_view")
    window = as_shape(window_shape, "sliding_window_view")
    given = range(found.ndim) if axis is None else one_or_several(axis)
    axes = [normalise_axis("sliding_window_view", along, found.ndim) for along in given]
    if len(axes) != len(window):
        raise ValueError(f"sliding_window_view: expected as many extents as axes, got {window} for {tuple(axes)}")
    counts = list(found.shape)
    for along, extent in zip(axes, window, strict=True):
        counts[along] -= extent - 1
        if extent < 0 or counts[along] < 1:
            raise ValueError(
                f"sliding_window_view: a window of {extent} does not fit into dimension {along} of shape {found.shape}"
            )
    before = found.node
    return as_view(found, windows(found, window, tuple(axes)), Windows(window, tuple(axes)), before, not writeable)


def as_strided(x: Any, shape: Any = None, strides: Any = None, subok: bool = False, writeable: bool = True) -> Array:
    """The elements of an array, or of its base while that lives, at multiples of strides (in bytes) from the array's
    first one: a view. `subok` is there for NumPy's sake.

    Raises:
        ValueError: strides that are no multiples of the elements' size, or lead out of the array and its base; of a
            view that does not lie in row-major order, whose base is gone or has another dtype.
    """
    found = asarray(x, function="as_strided")
    extents = found.shape if shape is None else as_shape(shape, "as_strided")
    steps = found.strides if strides is None else tuple(operator.index(step) for step in strides)
    if len(steps) != len(extents) or any(step % found.itemsize for step in steps):
        raise ValueError(f"as_strided: expected {len(extents)} strides, multiples of {found.itemsize}, got {steps}")
    whole, behind = whole_of(found)
    if whole.dtype != found.dtype:
        whole, behind = found, 0
    layout = view_layout(whole)
    if layout is not None and not layout.flags.c_contiguous:
        raise ValueError(
            "as_strided: the array does not lie in row-major order, and its base is gone or of another dtype: give it "
            "a copy"
        )
    start = behind // found.itemsize
    by = Strided(start, extents, tuple(each // found.itemsize for each in steps))
    node = whole.standing
    before, after = reach(extents, by.strides)
    if prod(extents) and not 0 <= start + before <= start + after < whole.size:
        raise ValueError(
            f"as_strided: shape {extents} with strides {steps} leads out of an array of {whole.nbytes} bytes, from "
            f"element {start} on"
        )
    return as_view(whole, None, by, node, not (writeable and is_writeable(found)))
