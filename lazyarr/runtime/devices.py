"""One OpenCL device: what it is, and the one context, queue and memory that lazyarr uses on it."""

from __future__ import annotations

import atexit
import contextlib
import os
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ir.locks import cached_property, make_lock
from lazyarr.memory.pool import Block, Bytes, Pool, aligned_bytes, block_alignment, physical_memory_bytes
from lazyarr.runtime import pocl
from lazyarr.runtime.calling_thread import CallingThread
from lazyarr.runtime.declarations import Declarations
from lazyarr.runtime.errors import DeviceError
from lazyarr.runtime.groups import Items, few_groups, whole_groups
from lazyarr.runtime.memory import Buffer, Memory, shares_memory
from lazyarr.runtime.programs import Program
from lazyarr.runtime.queues import Event, Queue
from lazyarr.runtime.timing import Clock, Timing, measure, measure_in_a_row

if TYPE_CHECKING:
    import pyopencl as cl

Kind = Literal["cpu", "gpu", "accelerator"]

# Part of a device's memory that the pool keeps for reuse.
_POOL_SHARE = 4

_FILLED_AT_ONCE = 1 << 30
"""Bytes, a multiple of every pattern's. NVIDIA's driver never returns from a fill of 2**31 patterns of one byte. From
2**32 on it writes nothing, and reports no error."""

# Devices with a context, for what must happen at exit and after a fork.
_opened: weakref.WeakSet[Device] = weakref.WeakSet()
_is_lost = False


@dataclass(frozen=True)
class Limits:
    """What a device allows and has. Sizes in bytes, vector widths in elements.

    Attributes:
        max_work_group_size: work-items in a work-group.
        max_work_item_sizes: the same for each dimension.
        compute_units: cores or multiprocessors.
        local_memory_bytes: local memory of a work-group.
        max_allocation_bytes: the largest buffer.
        global_memory_bytes: the memory of the device.
        native_vector_width_float: elements of its float32 vectors.
        warp_size: work-items that run in lockstep; 1 where there is no such thing.
        device_fence: whether work-groups of a running kernel can be made to see what others wrote.
        fused_multiply_add: whether a product and a sum that are rounded once take one instruction.
        tensor_cores: whether its warps multiply matrices of TF32.
        float64: whether double precision works.
        host_unified_memory: whether it uses the host's memory.
    """

    max_work_group_size: int
    max_work_item_sizes: tuple[int, ...]
    compute_units: int
    local_memory_bytes: int
    max_allocation_bytes: int
    global_memory_bytes: int
    native_vector_width_float: int
    warp_size: int
    device_fence: bool
    fused_multiply_add: bool
    tensor_cores: bool
    float64: bool
    host_unified_memory: bool


# PoCL derives these from the memory that is free when it starts: they differ between processes on one machine.
_UNSTABLE_LIMITS = frozenset({"max_allocation_bytes", "global_memory_bytes"})


@dataclass(frozen=True)
class _Opened:
    """What exists once a device is in use."""

    context: cl.Context
    queue: Queue
    memory: Memory
    zero_copy: bool
    calling_thread: CallingThread | None


class Device:
    """An OpenCL device. Made by discovery; nothing is created on it before it is used.

    Attributes:
        handle: the `pyopencl.Device`.
        name: the device's name.
        platform: the platform's name.
        platform_version: the platform's version text.
        driver: the driver's version.
        kind: `"cpu"`, `"gpu"` or `"accelerator"`.
        simulator: whether it only simulates a device (Oclgrind): slow, for checks.
        is_pocl: whether its platform is PoCL, of any version.
        index: `"platform:device"` numbers, as `LAZYARR_DEVICE` takes them.
        companion: the `pyopencl.Device` that runs kernels in the thread that launches them, if there is one.
    """

    def __init__(self, handle: cl.Device, index: str, companion: cl.Device | None = None) -> None:
        import pyopencl as cl

        self.handle = handle
        self.companion = companion
        self.index = index
        self.name = handle.name.strip()
        self.platform = handle.platform.name.strip()
        self.platform_version = handle.platform.version.strip()
        self.driver = handle.driver_version.strip()
        self.simulator = "oclgrind" in self.platform.lower()
        kinds = int(handle.type)
        self.kind: Kind = "accelerator"
        # A simulator claims every kind.
        if self.simulator or kinds & cl.device_type.CPU:
            self.kind = "cpu"
        elif kinds & cl.device_type.GPU:
            self.kind = "gpu"
        self.is_pocl = "portable computing language" in self.platform.lower()
        self._lock = make_lock(self._lost)
        self._state: _Opened | None = None
        self._abandoned = ""
        self._kept: list[cl.Buffer] = []

    def __repr__(self) -> str:
        return f"<Device {self.index} {self.name} ({self.kind}) on {self.platform}>"

    @cached_property
    def limits(self) -> Limits:
        """What the device allows and has."""
        handle = self.handle
        is_nvidias = self.kind == "gpu" and "nvidia" in self.platform.lower()
        return Limits(
            max_work_group_size=int(handle.max_work_group_size),
            max_work_item_sizes=tuple(int(size) for size in handle.max_work_item_sizes),
            compute_units=int(handle.max_compute_units),
            local_memory_bytes=int(handle.local_mem_size),
            max_allocation_bytes=int(handle.max_mem_alloc_size),
            global_memory_bytes=int(handle.global_mem_size),
            native_vector_width_float=pocl.vector_width(handle),
            warp_size=_warp_size(handle, self.kind),
            device_fence=is_nvidias,
            fused_multiply_add=self.kind == "gpu" or pocl.fuses(handle),
            tensor_cores=is_nvidias and int(handle.compute_capability_major_nv) >= 8,
            float64="cl_khr_fp64" in handle.extensions,
            host_unified_memory=bool(handle.host_unified_memory),
        )

    @cached_property
    def declarations(self) -> Declarations | None:
        """What programs have to begin with if the compiler is not to read its header each time; None if it may."""
        folder = pocl.headers(self.handle) if self.is_pocl else None
        return None if folder is None else Declarations.of(folder)

    @property
    def has_binaries(self) -> bool:
        """Does a program have its binary once it is built? PoCL compiles every kernel again when it is asked for it."""
        return not self.is_pocl

    @cached_property
    def fingerprint(self) -> str:
        """Platform, device, driver and limits as one line of text: equal in every process on the same machine and
        driver.

        Sizes of memory are left out: some runtimes derive them from what is free at the moment.
        """
        limits = self.limits
        parts = [self.platform, self.platform_version, self.name, self.driver, self.kind]
        parts += [f"{f.name}={getattr(limits, f.name)}" for f in fields(limits) if f.name not in _UNSTABLE_LIMITS]
        return " | ".join(parts)

    # What is created on first use.

    @property
    def context(self) -> cl.Context:
        """The one pyopencl context of the device."""
        return (self._state or self._open()).context

    @property
    def queue(self) -> Queue:
        """The one in-order queue of the device."""
        return (self._state or self._open()).queue

    @property
    def calling_thread(self) -> CallingThread | None:
        """Where programs for the calling thread run; None where there is no such place."""
        return (self._state or self._open()).calling_thread

    @property
    def memory(self) -> Memory:
        """The memory of the device. Part of the runtime, not for its users."""
        return (self._state or self._open()).memory

    @property
    def pool(self) -> Pool:
        """The memory kept for reuse: `pool.trim()`, `pool.statistics()`, `pool.capacity` (bytes)."""
        return (self._state or self._open()).memory.pool

    @property
    def zero_copy(self) -> bool:
        """Whether buffers are the host's own memory: arrays are wrapped, and results viewed, without copies."""
        return (self._state or self._open()).zero_copy

    @property
    def alignment(self) -> int:
        """Bytes of which the address of every buffer is a multiple; 1 where buffers may be the user's own memory."""
        return 1 if self.zero_copy else 128  # OpenCL 1.2, section 6.1.5: the size of the largest vector

    def _open(self) -> _Opened:
        import pyopencl as cl

        with self._lock:
            if self._state is not None:
                return self._state
            if self._abandoned:
                raise DeviceError(f"{self.name} on {self.platform} cannot be used: {self._abandoned}")
            try:
                context = cl.Context([self.handle] if self.companion is None else [self.handle, self.companion])
                # Recording times costs nothing measurable on PoCL and Intel's runtime, but half a launch on NVIDIA's.
                profiled = cl.CommandQueue(context, self.handle, cl.command_queue_properties.PROFILING_ENABLE)
                queue = profiled if self.kind == "cpu" else cl.CommandQueue(context, self.handle)
            except Exception as error:
                raise DeviceError(f"{self.name} on {self.platform} cannot be used: {error}") from error
            shares = self.kind == "cpu" and not self.simulator and self.limits.host_unified_memory
            total = min(physical_memory_bytes(), self.limits.global_memory_bytes)
            if shares:
                # What PoCL calls its memory is a guess; the pool's blocks are the host's memory.
                total = physical_memory_bytes()
            own = Queue(queue, profiled, self.name, on_host=self.kind == "cpu" and not self.simulator)
            zero_copy = shares and shares_memory(context, queue)
            state = _Opened(
                context,
                own,
                Memory(self, total // _POOL_SHARE),
                zero_copy,
                _calling_thread(context, self.companion, own) if zero_copy else None,
            )
            self._state = state
            _opened.add(self)
            return state

    # Memory.

    def wrap(self, array: np.ndarray[Any, Any], *, copy: bool = False) -> Buffer:
        """A buffer with the contents of a NumPy array.

        On devices that share the host's memory the array itself, without copy, when it is C-contiguous, aligned and of
        native byte order: later changes to the array are seen by later launches, and a kernel that writes to the buffer
        changes the array. The buffer keeps the array alive. Wrapping the same array again is cheap. Otherwise a copy
        made now, in pooled memory. `Buffer.shared` tells which.

        Args:
            array: any shape; its dtype must have an OpenCL type.
            copy: always copy.

        Raises:
            TypeError: not a NumPy array, or a dtype without OpenCL type (object, text, dates, long double, records).
            AllocationError: larger than the device allows, or out of memory.
        """
        return (self._state or self._open()).memory.wrap(array, copy)

    def allocate(self, nbytes: int) -> Buffer:
        """A buffer of `nbytes` bytes with arbitrary contents, from the pool; it returns there when the last reference
        dies.

        Raises:
            ValueError: the size is negative.
            AllocationError: larger than the device allows, or out of memory.
        """
        return (self._state or self._open()).memory.allocate(nbytes)

    def make_shared(self, memory: Bytes, read_only: bool) -> cl.Buffer:
        """A pyopencl buffer over host memory, which must outlive it. Part of the runtime, not for its users."""
        import pyopencl as cl

        access = cl.mem_flags.READ_ONLY if read_only else cl.mem_flags.READ_WRITE
        return self._lasting(cl.Buffer(self.context, access | cl.mem_flags.USE_HOST_PTR, hostbuf=memory))

    def make_block(self, capacity: int) -> Block:
        """Fresh memory of `capacity` bytes. Part of the runtime, not for its users."""
        import pyopencl as cl

        if self.zero_copy:
            memory = aligned_bytes(capacity, block_alignment(capacity))
            return Block(self.make_shared(memory, False), memory, capacity)
        return Block(self._lasting(cl.Buffer(self.context, cl.mem_flags.READ_WRITE, size=capacity)), None, capacity)

    def _lasting(self, handle: cl.Buffer) -> cl.Buffer:
        """The buffer, which is never released on Oclgrind (19.10).

        There a later buffer takes the place of a released one, with the old one's record of which bytes were written:
        what a kernel writes beyond that length and reads again is then reported as uninitialised.
        """
        if self.simulator:
            self._kept.append(handle)
        return handle

    def write(self, buffer: Buffer, source: Bytes) -> None:
        """Copy bytes from the host to a buffer that nobody else knows yet. Part of the runtime, not for its users."""
        import pyopencl as cl

        if buffer.host is not None:
            self.queue.finish()  # the memory may have had another owner, whose commands are in flight
            buffer.host[: source.nbytes] = source
        else:
            assert buffer.handle is not None  # empty buffers are not written
            cl.enqueue_copy(self.queue.handle, buffer.handle, source)

    def read(self, buffer: Buffer, target: np.ndarray[Any, Any], offset: int) -> None:
        """Copy bytes of a buffer, from an offset on, to the host, after all pending work. Part of the runtime, not for
        users. It is enqueued behind that work, and both are waited for once.

        Raises:
            LaunchError: pending work failed, or the queue was abandoned.
        """
        import pyopencl as cl

        assert buffer.handle is not None  # empty buffers are not read
        queue = self.queue
        queue.require()
        try:
            cl.enqueue_copy(queue.handle, target, buffer.handle, src_offset=offset)
        except cl.Error as error:
            raise queue.failure(error, "a command failed") from error
        queue.finish()  # what is known to be done is forgotten

    def copy(self, source: Buffer, target: Buffer) -> None:
        """Enqueue a copy of the first bytes of a buffer, which fill another one. Part of the runtime, not for its
        users.
        """
        import pyopencl as cl

        keep = [buffer for buffer in (source, target) if buffer.pool is None]
        copied = partial(cl.enqueue_copy, byte_count=target.nbytes)
        self.queue.enqueue(copied, keep, target.handle, source.handle)

    def fill(self, buffer: Buffer, pattern: Bytes) -> None:
        """Enqueue a fill of a whole buffer, in pieces of at most `_FILLED_AT_ONCE` bytes. Part of the runtime, not for
        its users.
        """
        import pyopencl as cl

        keep = buffer if buffer.pool is None else None
        for start in range(0, buffer.nbytes, _FILLED_AT_ONCE):
            nbytes = min(_FILLED_AT_ONCE, buffer.nbytes - start)
            self.queue.enqueue(cl.enqueue_fill_buffer, keep, buffer.handle, pattern, start, nbytes)

    # Programs and time.

    def build(
        self,
        source: str,
        binary: bytes | None = None,
        options: Sequence[str] = (),
        declarations: str = "",
        in_thread: bool = False,
    ) -> Program:
        """Compile OpenCL C, or load what `Program.binary` gave earlier; a binary that fails to load falls back to the
        source.

        Args:
            source: the program's text.
            binary: compiled earlier from this source for this device; trusted, since a runtime may crash on a forged
                one.
            options: compiler options besides the language's version.
            declarations: `Program.declarations` of the same source earlier, which need not be found again then; where
                it does not compile with them, they are.
            in_thread: for the calling thread, where there is `calling_thread`; a binary is for one of the two.

        Raises:
            BuildError: the source does not compile; shows it with line numbers, and the compiler's log.
            LaunchError: the device cannot be used any more. A fork may have left its compiler locked.
        """
        self.queue.require()
        if self.is_pocl:
            pocl.keep_folder()
        return Program(self, source, binary, options, declarations, in_thread)

    def grid(self, items: Items) -> tuple[Items, Items]:
        """The work-items to launch in each dimension, and their work-group, for a kernel that works with any group and
        in which those beyond `items` do nothing. Part of the runtime, not for its users.
        """
        if self.is_pocl:
            return few_groups(items, self.limits.max_work_group_size)
        return whole_groups(items, self.limits.max_work_group_size, self.limits.max_work_item_sizes)

    def finish(self) -> None:
        """Block until all work enqueued on the device is done.

        Raises:
            LaunchError: some of it failed.
        """
        if self._state is not None:
            self._state.queue.finish()

    def time(
        self,
        launch: Callable[[], Event | Sequence[Event]],
        budget_seconds: float = 0.1,
        minimum_repetitions: int = 3,
        maximum_repetitions: int = 200,
        clock: Clock | None = None,
    ) -> Timing:
        """Measure how long a launch takes. See `lazyarr.runtime.timing.measure`.

        Returns:
            Median and minimum in seconds; `float(timing)` is the median.
        """
        return measure(self.queue, launch, budget_seconds, minimum_repetitions, maximum_repetitions, clock)

    def time_in_a_row(
        self,
        launch: Callable[[], object],
        budget_seconds: float = 0.1,
        minimum_repetitions: int = 3,
        maximum_repetitions: int = 200,
    ) -> Timing:
        """Measure how long a launch takes among others like it. See `lazyarr.runtime.timing.measure_in_a_row`."""
        return measure_in_a_row(self.queue, launch, budget_seconds, minimum_repetitions, maximum_repetitions)

    def _lost(self) -> None:
        """The process was forked while this one was in use, or opened: all that uses it fails instead of hanging."""
        global _is_lost
        _is_lost = True
        self._abandoned = "this process was forked after OpenCL was used; start it with the 'spawn' method instead"
        if self._state is not None:
            self._state.queue.abandon(self._abandoned)


def _warp_size(handle: cl.Device, kind: str) -> int:
    """Work-items in lockstep, as far as vendors tell."""
    if kind == "gpu":
        for attribute in ("warp_size_nv", "wavefront_width_amd"):
            # Asking a device of another vendor is an error.
            with contextlib.suppress(Exception):
                return max(1, int(getattr(handle, attribute)))
    return 1


def _calling_thread(context: cl.Context, companion: cl.Device | None, queue: Queue) -> CallingThread | None:
    """Where kernels run in the calling thread, if the companion sees the same memory."""
    import pyopencl as cl

    if companion is None:
        return None
    handle = cl.CommandQueue(context, companion, cl.command_queue_properties.PROFILING_ENABLE)
    return CallingThread(handle, queue) if shares_memory(context, handle) else None


@atexit.register
def _close() -> None:
    """Let pending work end and release memory while the runtimes' own libraries are still whole."""
    for device in list(_opened):
        with contextlib.suppress(Exception):
            device.finish()
            device.pool.trim()


def finish_on_host() -> None:
    """Wait for what runs on the host's processors: somebody is about to write to memory that it may read."""
    for device in list(_opened):
        if device.kind == "cpu" and device.queue.pending:
            device.queue.finish()


def is_lost() -> bool:
    """Was this process forked from one that had used OpenCL? It cannot use that any more."""
    return _is_lost


def _before_fork() -> None:
    # What is computed by then lies in memory that the child has a copy of.
    for device in list(_opened):
        with contextlib.suppress(Exception):
            device.finish()


def _after_fork() -> None:
    # The runtimes' threads did not come along: the first wait would last for ever.
    for device in list(_opened):
        device._lost()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_child=_after_fork)
