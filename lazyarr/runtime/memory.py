"""Buffers: device memory that wraps NumPy's, or comes from the pool, and goes back to NumPy.

Devices that share the host's memory (`Device.zero_copy`) work in place: a wrapped array is the buffer, and `to_numpy`
is a view. Other devices copy at both ends.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from lazyarr.memory.pool import Block, Pool, aligned_bytes, size_class
from lazyarr.memory.snapshots import HostMemory
from lazyarr.runtime.errors import AllocationError

if TYPE_CHECKING:
    import pyopencl as cl

    from lazyarr.runtime.devices import Device

_Array = np.ndarray[Any, np.dtype[Any]]

# What OpenCL C has a type for: bool, the integers, float16/32/64, complex64/128. Not long double, text, times, records.
_SUPPORTED = frozenset("?bBhHiIlLqQefdFD")
_ALIGNMENT_CAP = 4096


def _bytes_at(address: int, nbytes: int, read_only: bool) -> npt.NDArray[np.uint8]:
    """An array over `nbytes` at `address` that owns nothing."""
    return np.asarray(HostMemory(address, read_only, (nbytes,), "|u1", None))


class Buffer:
    """A piece of device memory of `nbytes` bytes. Made by `Device.wrap` and `Device.allocate`.

    The memory lives as long as the buffer, a NumPy view made from it, or a launch that uses it; pooled memory is reused
    when the buffer and the views are gone, by commands that come after that launch.

    Attributes:
        device: where the memory is.
        nbytes: size in bytes.
        block: the memory itself. Part of the runtime, not for its users.
        array: the NumPy array whose memory this is, if it wraps one.
    """

    __slots__ = ("__weakref__", "array", "block", "device", "nbytes")

    def __init__(self, device: Device, nbytes: int, block: Block, array: _Array | None = None) -> None:
        self.device = device
        self.nbytes = nbytes
        self.block = block
        self.array = array

    def __del__(self) -> None:
        block = self.block
        if block.pool is not None:
            block.pool.give_back(block)

    @property
    def handle(self) -> cl.Buffer | None:
        """The `pyopencl.Buffer`; None if `nbytes` is 0, which OpenCL cannot express (kernels get a null pointer)."""
        return self.block.handle  # type: ignore[no-any-return]  # as the pool was given it

    @property
    def key(self) -> int:
        """A number that no other memory of this process has; 0 for an empty buffer."""
        return self.block.key

    @property
    def address(self) -> int:
        """Where the memory begins on the host; 0 where the device hides it."""
        return self.block.address

    @property
    def read_only(self) -> bool:
        """Whether the wrapped array forbids writing; kernels must not write to it."""
        return self.block.read_only

    @property
    def pool(self) -> Pool | None:
        """What owns the memory, so that commands in flight need not keep the buffer alive; None for other memory."""
        return self.block.pool

    def __repr__(self) -> str:
        origin = "wraps a NumPy array" if self.array is not None else "pooled"
        return f"<Buffer of {self.nbytes} bytes on {self.device.name}, {origin}>"

    @property
    def host(self) -> npt.NDArray[np.uint8] | None:
        """The pooled host memory behind the buffer, where there is any. Part of the runtime, not for its users."""
        return self.block.memory

    @property
    def shared(self) -> bool:
        """Whether this is the memory of a NumPy array: changes on either side are seen on the other."""
        return self.array is not None

    @property
    def alignment(self) -> int:
        """The largest power of two, up to 4096 bytes, that divides the address; 4096 where the device hides it."""
        return min(self.address & -self.address, _ALIGNMENT_CAP) if self.address else _ALIGNMENT_CAP

    def element(self, dtype: npt.DTypeLike, at: int) -> _Array:
        """A copy of the one element at a place in an array of that dtype that lies here, after all pending work.

        Raises:
            TypeError: the dtype has no OpenCL type.
            ValueError: there are fewer elements.
            LaunchError: pending work failed.
        """
        dtype = np.dtype(dtype)
        _check_dtype(dtype)
        if not 0 <= at < self.nbytes // dtype.itemsize:
            raise ValueError(f"a buffer of {self.nbytes} bytes has no element {at} of {dtype}")
        if self.address:
            return self.to_numpy(dtype, (at + 1,))[at:].copy()
        found = np.empty(1, dtype)
        self.device.read(self, found, at * dtype.itemsize)
        return found

    def to_numpy(self, dtype: npt.DTypeLike, shape: Sequence[int]) -> _Array:
        """The contents as a C-contiguous array, after all pending work of the device.

        A view without copy where the device shares the host's memory: it keeps the buffer alive, and is writeable
        unless the buffer wraps a read-only array. A copy elsewhere.

        Raises:
            TypeError: the dtype has no OpenCL type.
            ValueError: dtype and shape ask for more bytes than there are.
            LaunchError: pending work failed.
        """
        dtype = np.dtype(dtype)
        _check_dtype(dtype)
        shape = tuple(shape)
        wanted = dtype.itemsize
        for extent in shape:
            wanted *= extent
        if wanted > self.nbytes or wanted < 0:
            raise ValueError(f"shape {shape} of {dtype} is {wanted} bytes, but the buffer holds {self.nbytes}")
        device = self.device
        if not wanted or self.address:
            device.queue.finish()
        if wanted == 0:
            return np.empty(shape, dtype)
        if self.address:
            # No map is needed for coherence: `zero_copy` was established by trying (`shares_memory`).
            return np.asarray(HostMemory(self.address, self.read_only, shape, dtype.str, self))
        result = np.empty(shape, dtype)
        device.read(self, result, 0)
        return result

    def front(self, nbytes: int) -> Buffer:
        """A copy of the first bytes, in memory of their own. Ordered like a launch; does not wait.

        Raises:
            ValueError: there are fewer.
        """
        if nbytes > self.nbytes:
            raise ValueError(f"a buffer of {self.nbytes} bytes has no first {nbytes}")
        found = self.device.allocate(nbytes)
        if nbytes:
            self.device.copy(self, found)
        return found

    def fill(self, pattern: bytes | int) -> None:
        """Write a pattern over the whole buffer (poison). Ordered like a launch; does not wait.

        Args:
            pattern: one byte as a number, or 1, 2, 4 ... 128 bytes whose count divides `nbytes`.

        Raises:
            ValueError: the pattern does not fit, or the buffer is read-only.
        """
        if isinstance(pattern, int):
            pattern = bytes([pattern])
        count = len(pattern)
        if self.read_only:
            raise ValueError("a buffer that wraps a read-only array cannot be filled")
        if count not in (1, 2, 4, 8, 16, 32, 64, 128) or self.nbytes % count:
            raise ValueError(
                f"a pattern of {count} bytes cannot fill {self.nbytes} bytes: "
                "its length must be a power of two up to 128 that divides the size"
            )
        if self.nbytes:
            self.device.fill(self, np.frombuffer(pattern, np.uint8))


def _check_dtype(dtype: np.dtype[Any]) -> None:
    if dtype.char not in _SUPPORTED:
        expected = "bool, integers, float16/32/64 or complex64/128"
        raise TypeError(f"arrays of {dtype} cannot be used on a device: expected {expected}")


_NOTHING = Block(None)
"""In place of memory of no bytes, which OpenCL cannot express: kernels get a null pointer."""


class _Wrapped:
    """A cached wrapping: enough to recognise the array and to make a Buffer again. Does not keep the array alive."""

    __slots__ = ("block", "dtype", "nbytes", "reference", "strides")

    reference: weakref.ref[_Array]

    def __init__(self, array: _Array, block: Block) -> None:
        self.block = block
        self.nbytes = array.nbytes
        self.dtype = array.dtype
        self.strides = array.strides


class Memory:
    """What a device knows about memory: its pool, and the arrays that it wrapped already."""

    def __init__(self, device: Device, capacity: int) -> None:
        self.pool = Pool(self._make_block, capacity, lambda block: device.queue.hold(block))
        self._device = device
        self._limit = device.limits.max_allocation_bytes
        # A simulator finds accesses beyond the end, and reads of what nobody wrote, only in memory of the exact size
        # and fresh.
        self._fresh = device.simulator
        self._wrapped: dict[int, _Wrapped] = {}
        self._counters: list[Buffer] = []

    @property
    def counter(self) -> Buffer:
        """A `uint` that is 0 between kernels: those that count their work-groups with it leave it so. One for all of
        the device, whose queue runs one kernel after the other.
        """
        if not self._counters:
            self._counters.append(self.wrap(np.zeros(1, np.uint32), copy=True))
        return self._counters[0]  # of two threads' the first; no kernel uses one before both are kept

    def allocate(self, nbytes: int) -> Buffer:
        """An uninitialised buffer of `nbytes` bytes from the pool.

        Raises:
            ValueError: the size is negative.
            AllocationError: larger than the device allows, or out of memory.
        """
        return self.buffer(nbytes, self.capacity(nbytes))

    def buffer(self, nbytes: int, capacity: int) -> Buffer:
        """`allocate` where the capacity of the block is known."""
        return Buffer(self._device, nbytes, self.borrow(capacity))

    def capacity(self, nbytes: int) -> int:
        """The size in bytes of the block in which `nbytes` are kept.

        Raises:
            ValueError: the size is negative.
            AllocationError: larger than the device allows.
        """
        if nbytes <= 0:
            if nbytes < 0:
                raise ValueError(f"a buffer cannot have {nbytes} bytes")
            return 0
        limit = self._limit
        if nbytes > limit:
            raise AllocationError(
                f"a buffer of {nbytes} bytes was asked for, but {self._device.name} allows at most {limit} bytes in "
                "one; use smaller arrays, or another device"
            )
        return nbytes if self._fresh else min(size_class(nbytes), limit)

    def borrow(self, capacity: int) -> Block:
        """A block of that capacity for commands that are about to be enqueued; `give_back` takes it once they are.

        Raises:
            AllocationError: out of memory.
        """
        if not capacity:
            return _NOTHING
        return self._make_block(capacity) if self._fresh else self.pool.take(capacity)

    def give_back(self, blocks: Sequence[Block]) -> None:
        """Take back borrowed blocks; commands that use them may be in flight (see `Pool`)."""
        for block in blocks:
            if block.pool is not None:
                block.pool.give_back(block)

    def wrap(self, array: _Array, copy: bool) -> Buffer:
        """See `Device.wrap`."""
        cached = self._wrapped.get(id(array))
        # A live weak reference to this very object: its id was not reused. The rest guards against changes in place.
        if (
            cached is not None
            and cached.reference() is array
            and not copy
            and cached.nbytes == array.nbytes
            and cached.dtype is array.dtype
            and cached.strides == array.strides
            and cached.block.read_only is not array.flags.writeable
        ):
            return Buffer(self._device, cached.nbytes, cached.block, array)
        return self._wrap_anew(array, copy)

    def _wrap_anew(self, array: _Array, copy: bool) -> Buffer:
        if not isinstance(array, np.ndarray):
            raise TypeError(f"expected a NumPy array, got {type(array).__name__}")
        _check_dtype(array.dtype)
        device = self._device
        nbytes = array.nbytes
        if nbytes == 0:
            return Buffer(device, 0, _NOTHING)
        flags = array.flags
        if copy or not (device.zero_copy and flags.c_contiguous and flags.aligned and array.dtype.isnative):
            # The copy keeps the element type but takes the machine's byte order and C order.
            packed = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("="))
            buffer = self.allocate(nbytes)
            device.write(buffer, packed.reshape(-1).view(np.uint8))
            return buffer
        if nbytes > device.limits.max_allocation_bytes:
            raise AllocationError(
                f"an array of {nbytes} bytes was passed, but {device.name} allows at most "
                f"{device.limits.max_allocation_bytes} bytes in one buffer; use smaller arrays, or another device"
            )
        address = array.ctypes.data
        read_only = not flags.writeable
        handle = device.make_shared(_bytes_at(address, nbytes, read_only), read_only)
        block = Block(handle, address=address, read_only=read_only)
        entry = _Wrapped(array, block)
        key, cache = id(array), self._wrapped

        def forget(dead: weakref.ref[_Array]) -> None:
            # Runs before the id can be given to another object; checks nevertheless that the entry is the dead array's.
            current = cache.get(key)
            if current is not None and current.reference is dead:
                del cache[key]

        entry.reference = weakref.ref(array, forget)
        cache[key] = entry
        return Buffer(device, nbytes, block, array)

    def _make_block(self, capacity: int) -> Block:
        try:
            return self._device.make_block(capacity)
        except Exception:
            # Memory may be held by finished commands or lie unused in the pool; give it back and try once more.
            self._device.queue.finish()
            self.pool.trim()
        try:
            return self._device.make_block(capacity)
        except Exception as error:
            raise AllocationError(f"{self._device.name} could not allocate {capacity} bytes: {error}") from error


def shares_memory(context: cl.Context, queue: cl.CommandQueue) -> bool:
    """Whether the host and the device see each other's writes to a buffer over host memory, without mapping it.

    OpenCL promises that only between a map and an unmap, which cost more than a small launch (about 20 to 30
    microseconds). CPU runtimes whose buffer is the very memory need neither; this tries, with an alignment as poor as
    NumPy's.
    """
    import pyopencl as cl

    nbytes = 192
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.USE_HOST_PTR
    first = aligned_bytes(nbytes + 16, 4096)[16:]
    second = aligned_bytes(nbytes + 16, 4096)[16:]
    try:
        first[:] = 1
        second[:] = 2
        one = cl.Buffer(context, flags, hostbuf=first)
        other = cl.Buffer(context, flags, hostbuf=second)
        for value in (3, 4):  # twice: the first use may copy the memory in
            first[:] = value
            cl.enqueue_copy(queue, other, one)
            queue.finish()
            if not (second == value).all():
                return False
    except Exception:
        return False
    return True
