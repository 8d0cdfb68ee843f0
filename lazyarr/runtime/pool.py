"""Reuse of device memory.

Fresh pages cost more than the work done on them: the kernel of the operating system clears each page when it is first
touched. Memory that a dying buffer gives back is kept by size class and handed out again, most recently used first:
at once, also while commands that use it are in flight, since those of the next owner come after them in the queue.
"""

from __future__ import annotations

import itertools
import os
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pyopencl as cl

_SMALLEST = 64
_PAGE = 4096
# Small blocks are aligned to the widest vector of any runtime (16 doubles), larger ones to pages.
_SMALL_ALIGNMENT = 128

_keys = itertools.count(1)

Bytes = np.ndarray[Any, np.dtype[np.uint8]]


def next_key() -> int:
    """A number that no other device memory of this process ever had: it names the memory in argument caches."""
    return next(_keys)


def size_class(nbytes: int) -> int:
    """The size in bytes of the block that holds `nbytes`: a power of two up to 4 KiB, then steps of 1/8 power of two.

    At most an eighth of a large block is wasted, and at most 8 classes per doubling exist.
    """
    if nbytes <= _SMALLEST:
        return _SMALLEST
    if nbytes <= _PAGE:
        return 1 << (nbytes - 1).bit_length()
    step = max(_PAGE, 1 << ((nbytes - 1).bit_length() - 4))
    return -(-nbytes // step) * step


def block_alignment(capacity: int) -> int:
    """The alignment in bytes of a block of `capacity` bytes."""
    return _PAGE if capacity >= _PAGE else _SMALL_ALIGNMENT


def aligned_bytes(nbytes: int, alignment: int) -> Bytes:
    """Uninitialised host memory of `nbytes`, starting at a multiple of `alignment` bytes."""
    # NumPy asks for huge pages itself when the allocation is large.
    memory = np.empty(nbytes + alignment, dtype=np.uint8)
    start = -memory.ctypes.data % alignment
    return memory[start : start + nbytes]


def physical_memory_bytes() -> int:
    """The memory that this process may use, in bytes: the machine's, or the control group's limit if that is lower."""
    try:
        total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        total = 4 << 30
    for path in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        try:
            with open(path) as file:
                total = min(total, int(file.read()))
        except (OSError, ValueError):
            continue
    return total


class Block:
    """One piece of device memory: the pyopencl buffer (None where it has no bytes), the host memory if the device
    shares it, its size in bytes.
    """

    __slots__ = ("address", "capacity", "handle", "key", "memory", "returned")
    returned: int  # when it came back to the pool last

    def __init__(self, handle: cl.Buffer | None, memory: Bytes | None, capacity: int) -> None:
        self.handle = handle
        self.memory = memory
        self.capacity = capacity
        self.key = next_key() if capacity else 0
        self.address = 0 if memory is None else memory.ctypes.data


@dataclass(frozen=True)
class PoolStatistics:
    """What a pool holds and did. Sizes in bytes.

    Attributes:
        free_bytes: kept for reuse now.
        used_bytes: in buffers now.
        allocations: blocks made since the start.
        reuses: blocks handed out again since the start.
        releases: blocks given back to the system since the start.
    """

    free_bytes: int
    used_bytes: int
    allocations: int
    reuses: int
    releases: int


class Pool:
    """Free blocks of one device by size class, least recently used released first above `capacity` bytes.

    Safe for threads. `give_back` takes no lock that it could wait for: it runs in finalisers, which the garbage
    collector may start at any point, also while this thread holds the lock.
    """

    def __init__(self, make: Callable[[int], Block], capacity: int, release: Callable[[Block], None]) -> None:
        """make : fresh memory of so many bytes; release : lets go of a block once no command uses it"""
        self.capacity = capacity
        self._make = make
        self._release = release
        self._lock = threading.Lock()
        self._free: dict[int, list[Block]] = {}  # of each class, in the order in which they came back
        self._returned: deque[Block] = deque()  # came back while the lock was held
        self._times = itertools.count()
        self._free_bytes = 0
        self._used_bytes = 0
        self._allocations = 0
        self._reuses = 0
        self._releases = 0

    def take(self, capacity: int) -> Block:
        """A block of exactly `capacity` bytes (a size class), reused if one is free; its contents are arbitrary."""
        with self._lock:
            if self._returned:
                self._collect()
            free = self._free.get(capacity)
            if free:
                self._free_bytes -= capacity
                self._used_bytes += capacity
                self._reuses += 1
                return free.pop()
            doomed = self._shrink(self.capacity)
        self._drop(doomed)
        block = self._make(capacity)
        with self._lock:
            self._allocations += 1
            self._used_bytes += capacity
        return block

    def give_back(self, block: Block) -> None:
        """Return a block that nobody uses any more. Called by finalisers."""
        if not self._lock.acquire(blocking=False):
            self._returned.append(block)
            return
        try:
            self._insert(block)
            doomed = self._shrink(self.capacity) if self._free_bytes > self.capacity else None
        finally:
            self._lock.release()
        if doomed:
            self._drop(doomed)

    def trim(self, keep_bytes: int = 0) -> int:
        """Give free memory back to the system until at most `keep_bytes` are kept; returns the bytes released.

        What commands in flight still use goes back when they are done.
        """
        with self._lock:
            self._collect()
            doomed = self._shrink(keep_bytes)
        released = sum(block.capacity for block in doomed)
        self._drop(doomed)
        return released

    def statistics(self) -> PoolStatistics:
        """What the pool holds and did, in bytes and blocks."""
        with self._lock:
            self._collect()
            return PoolStatistics(self._free_bytes, self._used_bytes, self._allocations, self._reuses, self._releases)

    def _insert(self, block: Block) -> None:
        """Put a block to the free ones of its class. The lock is held."""
        capacity = block.capacity
        block.returned = next(self._times)
        self._used_bytes -= capacity
        self._free_bytes += capacity
        free = self._free.get(capacity)
        if free is None:
            free = self._free[capacity] = []
        free.append(block)

    def _collect(self) -> None:
        """Sort returned blocks into their classes. The lock is held."""
        while self._returned:
            self._insert(self._returned.popleft())

    def _shrink(self, limit: int) -> list[Block]:
        """Take out the least recently used blocks until at most `limit` bytes are free. The lock is held."""
        doomed = []
        while self._free_bytes > limit:
            capacity = min(
                (capacity for capacity, free in self._free.items() if free), key=lambda c: self._free[c][0].returned
            )
            block = self._free[capacity].pop(0)
            self._free_bytes -= capacity
            self._releases += 1
            doomed.append(block)
        return doomed

    def _drop(self, doomed: list[Block]) -> None:
        """Give memory back to the system, outside the lock: releasing it runs other code."""
        while doomed:
            self._release(doomed.pop())
