"""What NumPy's `as_strided` gets of a lazy array: a view of its base's memory, as of an array of NumPy's.

    v = (x * 2)[100:200]
    np.lib.stride_tricks.as_strided(v[50:], (50, 10), (-8, 8))      # reads elements of v that v[50:] does not show

The value of a view may have memory of its own, beyond which such strides would lead. NumPy does not look, so this does.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.lib.array_utils import byte_bounds
from numpy.lib.stride_tricks import as_strided

from lazyarr.array import Array

__all__ = ["asked_by_as_strided", "value_in_base"]

_Memory = np.ndarray[Any, Any]


def asked_by_as_strided(depth: int) -> dict[str, Any] | None:
    """The arguments of `as_strided`, if it is the function that many calls above this one's caller."""
    frame = sys._getframe(depth + 1)
    return frame.f_locals if frame.f_code is as_strided.__code__ else None


def value_in_base(x: Array, arguments: dict[str, Any]) -> _Memory:
    """The value, read-only, in memory that has the elements of the base of a view, too, if that lives.

    Raises:
        ValueError: the shape and the strides asked for lead out of that memory.
    """
    found = _in_base(x)
    shape, strides = arguments["shape"], arguments["strides"]
    extents = found.shape if shape is None else tuple(shape)
    steps = found.strides if strides is None else tuple(strides)
    if 0 not in extents and len(extents) == len(steps):
        whole = found
        while type(whole.base) is np.ndarray:
            whole = whole.base
        begin, end = byte_bounds(whole)
        ways = [(extent - 1) * step for extent, step in zip(extents, steps, strict=True)]
        at = found.__array_interface__["data"][0]
        if at + sum(min(way, 0) for way in ways) < begin or at + sum(max(way, 0) for way in ways) + x.itemsize > end:
            raise ValueError(
                f"as_strided: shape {extents} with strides {steps} leads out of the memory of a lazy array of shape "
                f"{x.extents} and dtype {x.dtype}: give it np.asarray of the array whose elements it is to show"
            )
    found.setflags(write=False)
    return found


def _in_base(x: Array) -> _Memory:
    base: Array | None = x.base
    if base is None or x.tracing:
        return x.__array__()
    memory, host = _in_base(base), x.host
    if host is not None and base.host is not None:
        at = host.__array_interface__["data"][0] - base.host.__array_interface__["data"][0]
        return np.ndarray(host.shape, host.dtype, memory, at, host.strides)
    origin = x.origin
    if origin is None:
        return x.__array__()
    memory = memory.reshape(origin.family.shape)
    for step in origin.steps:
        memory = step.on(memory)
    return memory.reshape(x.extents)
