"""Where the elements of a lazy array lie, as `Array.strides` says: those of a view in the memory of its base.

    v = (x * 2)[::2]
    np.lib.stride_tricks.as_strided(v, (8, 3), v.strides * 2)       # reads elements of x * 2 that v does not show

The value of a view may have memory of its own, which lies otherwise and beyond which such strides would lead. NumPy's
`as_strided` does not look, and takes what `np.asarray` gets, for which it would be dear to compute all of a base. So it
is told apart here, gets the memory of the base, and an error where that is gone or ends.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.lib.array_utils import byte_bounds
from numpy.lib.stride_tricks import as_strided

from lazyarr.aliasing.view_steps import reach
from lazyarr.aliasing.views import address_of, row_major, strides_of, view_layout, whole_of
from lazyarr.array import Array

__all__ = ["asked_by_as_strided", "value_for_strides", "value_in_base"]

_Memory = np.ndarray[Any, Any]


def asked_by_as_strided(depth: int) -> dict[str, Any] | None:
    """The arguments of `as_strided`, if it is the function that many calls above this one's caller."""
    frame = sys._getframe(depth + 1)
    return frame.f_locals if frame.f_code is as_strided.__code__ else None


def value_in_base(x: Array) -> _Memory:
    """The value, read-only, with the strides of the array, among the elements of its base, if that lives."""
    found = _with_whole(x)[0]
    found.setflags(write=False)
    return found


def value_for_strides(x: Array, shape: Any, strides: Any) -> _Memory:
    """The same, for `as_strided`.

    Raises:
        ValueError: the shape and the strides asked for lead to what is no element of the array or its base.
        TypeError: one of them is an iterator, which can be looked at once only.
    """
    for name, given in (("shape", shape), ("strides", strides)):
        if hasattr(given, "__next__"):
            raise TypeError(f"as_strided: {name} is an iterator ({type(given).__name__}); give a tuple of integers")
    found, whole = _with_whole(x)
    extents = found.shape if shape is None else tuple(shape)
    if strides is not None:
        steps = tuple(strides)
    else:
        steps = row_major(extents, x.itemsize) if found.flags.c_contiguous else found.strides
    if 0 not in extents and len(extents) == len(steps) and not _within(whole, found, extents, steps):
        raise ValueError(
            f"as_strided: shape {extents} with strides {steps} leads out of the memory of a lazy array of shape "
            f"{x.extents}, strides {found.strides} and dtype {x.dtype}, and of its base, if that lives: give it "
            "np.asarray of the array whose elements it is to show"
        )
    found.setflags(write=False)
    return found


def _with_whole(x: Array) -> tuple[_Memory, _Memory]:
    """The value where it lies, and the array that lives of whose elements it is one part."""
    base, offset = whole_of(x)
    whole, layout = base.__array__(), view_layout(base)
    if layout is None or layout.flags.c_contiguous or not base.size:
        whole = buffer = np.ascontiguousarray(whole).reshape(base.extents)
    else:  # a view whose base is gone, and with that the elements between
        begin, end = byte_bounds(layout)
        buffer, offset = np.zeros(end - begin, np.uint8), offset + address_of(layout) - begin
        given, whole = whole, np.ndarray(layout.shape, base.dtype, buffer, address_of(layout) - begin, layout.strides)
        whole[...] = given
    return np.ndarray(x.extents, x.dtype, buffer, offset, strides_of(x)), whole


def _within(whole: _Memory, part: _Memory, extents: tuple[int, ...], steps: tuple[int, ...]) -> bool:
    """Does what begins with a part of an array, in that shape with those strides, show elements of that array alone?"""
    begin, end = byte_bounds(whole)
    at = address_of(part) - begin
    before, after = reach(extents, steps)
    if at + before < 0 or begin + at + after + part.itemsize > end:
        return False
    if whole.flags.c_contiguous:
        return True
    known = np.zeros(end - begin, np.bool_)  # the bytes of its elements
    strides = (*whole.strides, 1)
    np.ndarray((*whole.shape, whole.itemsize), np.bool_, known, address_of(whole) - begin, strides)[...] = True
    extents = tuple([extent if step else 1 for extent, step in zip(extents, steps, strict=True)])
    return bool(np.ndarray((*extents, part.itemsize), np.bool_, known, at, (*steps, 1)).all())
