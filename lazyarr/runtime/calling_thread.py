"""The queue of a companion device: its kernels run in the thread that launches them (`lazyarr.runtime.companions`)."""

from __future__ import annotations

import ctypes
from types import TracebackType
from typing import TYPE_CHECKING, Any

from ir.locks import make_lock
from lazyarr.runtime.errors import LaunchError
from lazyarr.runtime.queues import Event, Queue

if TYPE_CHECKING:
    import pyopencl as cl

__all__ = ["CallingThread"]


class CallingThread:
    """A turn on a companion device, one thread after the other: kernels are launched within `with`.

    A turn begins when all that the device itself has to do is done, so that its kernels come after what was enqueued
    before, and memory that others gave back is free. At its end all of it is done: whatever follows sees the results.
    PoCL needs the turns: it runs what two threads launch at once on this device in either of them, and does not let the
    other one wait for that.

    Attributes:
        handle: the pyopencl queue of the companion.
        pointer: the queue as functions of the OpenCL library take it.
    """

    def __init__(self, handle: cl.CommandQueue, queue: Queue) -> None:
        """queue: that of the device itself."""
        self.handle = handle
        self.pointer = ctypes.c_void_p(handle.int_ptr)
        self._queue = queue
        self._lock = make_lock()

    def __enter__(self) -> None:
        self._lock.acquire()
        try:
            self._queue.drain()
        except BaseException:
            self._lock.release()
            raise

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.handle.finish()
        except Exception as failed:
            raise self._queue.failure(failed, "a command failed") from failed
        finally:
            self._lock.release()

    def enqueue(self, function: Any, keep: Any, *arguments: Any) -> Event:
        """As of `Queue`; the command is done when this returns.

        Raises:
            LaunchError: the command was refused.
        """
        with self:
            try:
                command = function(self.handle, *arguments)
            except LaunchError:
                raise
            except Exception as error:
                raise self._queue.failure(error, "a command was refused") from error
        return Event(command, self._queue)
