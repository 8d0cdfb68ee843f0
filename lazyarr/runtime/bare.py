"""Launches without an event: `clEnqueueNDRangeKernel` itself, for which pyopencl always makes one.

Between two kernels an event costs an NVIDIA GPU one to two microseconds, and the host one more.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any

__all__ = ["BareLaunch"]

_Enqueue = Callable[..., int]


@cache
def _function() -> _Enqueue | None:
    """The function of the OpenCL library that pyopencl is linked with; None where it cannot be found."""
    from pyopencl import _cl

    try:
        # A library's handle finds the symbols of all that it was linked with.
        found = ctypes.CDLL(_cl.__file__).clEnqueueNDRangeKernel
    except (OSError, AttributeError):
        return None
    pointer = ctypes.c_void_p
    found.argtypes = [
        pointer, pointer, ctypes.c_uint, pointer, pointer, pointer, ctypes.c_uint, pointer, pointer,
    ]  # fmt: skip
    found.restype = ctypes.c_int
    return found


class BareLaunch:
    """A kernel launch over fixed extents.

    Attributes:
        possible: whether the function was found; if not, a launch has to go through pyopencl.
    """

    __slots__ = ("_dim", "_enqueue", "_extents", "_global", "_local", "possible")

    def __init__(self, global_size: tuple[int, ...], local_size: tuple[int, ...] | None) -> None:
        self._enqueue = _function()
        self.possible = self._enqueue is not None
        extents = ctypes.c_size_t * len(global_size)
        self._extents = (extents(*global_size), None if local_size is None else extents(*local_size))
        self._dim = len(global_size)
        self._global = ctypes.addressof(self._extents[0])
        self._local = None if self._extents[1] is None else ctypes.addressof(self._extents[1])

    def __call__(self, queue: Any, kernel: Any) -> None:
        """Enqueue the kernel object, whose arguments are set, on a queue; `RuntimeError` if the device refuses."""
        assert self._enqueue is not None
        code = self._enqueue(queue.int_ptr, kernel.int_ptr, self._dim, None, self._global, self._local, 0, None, None)
        if code:
            import pyopencl as cl

            codes: Any = cl.status_code
            raise RuntimeError(f"clEnqueueNDRangeKernel failed: {codes.to_string(code)}")
