"""Launches without an event: `clEnqueueNDRangeKernel` itself, for which pyopencl always makes one.

Between two kernels an event costs an NVIDIA GPU one to two microseconds, and the host one more.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any

__all__ = ["extents", "function", "message"]

_Enqueue = Callable[..., int]


@cache
def function() -> _Enqueue | None:
    """The function of the OpenCL library that pyopencl is linked with; None where it cannot be found.

    Its types are not declared, since converting by them costs half as much as the call itself: handles must be
    `ctypes.c_void_p`, a null pointer is None, and numbers are of 32 bits.
    """
    from pyopencl import _cl

    try:
        # A library's handle finds the symbols of all that it was linked with.
        found = ctypes.CDLL(_cl.__file__).clEnqueueNDRangeKernel
    except (OSError, AttributeError):
        return None
    found.restype = ctypes.c_int
    return found


def extents(size: tuple[int, ...] | None) -> ctypes.Array[ctypes.c_size_t] | None:
    """A global or local size as the function takes it."""
    return None if size is None else (ctypes.c_size_t * len(size))(*size)


def message(code: int) -> str:
    """What went wrong, by what the function returned."""
    import pyopencl as cl

    codes: Any = cl.status_code
    return f"clEnqueueNDRangeKernel failed: {codes.to_string(code)}"
