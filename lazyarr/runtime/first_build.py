"""The first program that PoCL compiles in a process, in a thread of its own.

Before its first program PoCL reads its built-in functions for the device: six megabytes of LLVM's bitcode, which take
longer than compiling most kernels does. Meanwhile it leaves Python's lock to others. So a thread has it compile an
empty program, while another one imports, plans and derives what the first kernel needs.

Where PoCL's own cache has the empty program, nothing is read. It is there from the first process that used this cache
on; later ones find kernels there, too.
"""

from __future__ import annotations

import contextlib
import threading
from typing import TYPE_CHECKING

from lazyarr.runtime.declarations import GUARD
from lazyarr.runtime.devices import Device, is_lost

if TYPE_CHECKING:
    import pyopencl as cl

__all__ = ["begin"]

_EMPTY = "kernel void empty(void) {}"

_begun = False
"""Once in a process: what was read for a device is of no use to its companion, and PoCL does one thing at a time."""


def begin(device: Device, in_thread: bool) -> None:
    """Have PoCL compile the empty program, if it has compiled none in this process. Returns at once.

    The process does not end before that is done, which takes a fraction of a second.

    Args:
        in_thread: for the calling thread, where there is `Device.calling_thread`, as `Device.build` takes it
    """
    global _begun
    if _begun or not device.is_pocl or device.limits.compute_units < 2 or is_lost():
        return
    _begun = True
    # Opened here, not by the thread: who forks meanwhile has used OpenCL.
    target = (device.companion if in_thread and device.calling_thread is not None else None) or device.handle
    with contextlib.suppress(RuntimeError):  # the process ends, or may have no more threads
        threading.Thread(target=_compile, args=(device.context, target), name="lazyarr-first-build").start()


def _compile(context: cl.Context, target: cl.Device) -> None:
    from pyopencl import _cl

    with contextlib.suppress(Exception):  # who compiles a kernel hears what is wrong
        _cl._Program(context, _EMPTY)._build(f"-cl-std=CL1.2 -w -D{GUARD}".encode(), [target])
