"""Reuse of device memory.

Fresh pages cost more than the work done on them: the kernel of the operating system clears each page when it is first
touched. Memory that a dying buffer gives back is kept by size class and handed out again, most recently used first:
at once, also while commands that use it are in flight, since those of the next owner come after them in the queue.
"""

from __future__ import annotations

import contextlib
import itertools
import os
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ir.locks import make_lock

_SMALLEST = 64
_PAGE = 4096
# Small blocks are aligned to the widest vector of any runtime (16 doubles), larger ones to pages.
_SMALL_ALIGNMENT = 128

_keys = itertools.count(1)

Bytes = np.ndarray[Any, np.dtype[np.uint8]]


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
    """One piece of device memory, as launches see it.

    Attributes:
        handle: the pyopencl buffer; None where it has no bytes.
        memory: the host memory behind it, where the pool's devices share it.
        capacity: its size in bytes; 0 for memory that no pool could use again.
        key: names the memory in argument caches: no other memory of this process ever has it; 0 where it has no bytes.
        address: of the host memory; 0 where the device hides it.
        read_only: whether kernels must not write to it.
        pool: where it goes when its owner dies, which commands in flight need not wait for; None for other memory.
        returned: when it came back to the pool last.
    """

    __slots__ = ("address", "capacity", "handle", "key", "memory", "pool", "read_only", "returned")
    returned: int

    def __init__(
        self,
        handle: Any,
        memory: Bytes | None = None,
        capacity: int = 0,
        address: int = 0,
        read_only: bool = False,
    ) -> None:
        self.handle = handle
        self.memory = memory
        self.capacity = capacity
        self.key = 0 if handle is None else next(_keys)
        self.address = address if memory is None else memory.ctypes.data
        self.read_only = read_only
        self.pool: Pool | None = None


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

    Safe for threads. Taking a free block and giving one back touch a deque once, which needs no lock: they are part of
    every call, and finalisers give back, which the garbage collector may start at any point. The lock is for whoever
    makes or releases memory; nothing is counted but there, since all else follows.
    """

    def __init__(self, make: Callable[[int], Block], capacity: int, release: Callable[[Block], None]) -> None:
        """`make` gives fresh memory of so many bytes, `release` lets go of a block once no command uses it."""
        self.capacity = capacity
        self._make = make
        self._release = release
        self._lock = make_lock()
        self._free: dict[int, deque[Block]] = {}  # of each class, in the order in which they came back
        self._times = itertools.count()
        self._readings = 0  # times that were no return
        self._bytes = 0  # of all blocks, free or not
        self._allocations = 0
        self._releases = 0

    def take(self, capacity: int) -> Block:
        """A block of exactly `capacity` bytes (a size class), reused if one is free; its contents are arbitrary."""
        try:
            return self._free[capacity].pop()
        except LookupError:  # none is free, or there never was one
            return self._allocate(capacity)

    def give_back(self, block: Block) -> None:
        """Return a block of this pool that nobody uses any more. Called by finalisers: waits for no lock."""
        block.returned = next(self._times)
        self._free[block.capacity].append(block)
        # Who holds the lock looks after the limit, too, or whoever comes next.
        if self._bytes > self.capacity and self._lock.acquire(blocking=False):
            try:
                doomed = self._shrink(self.capacity)
            finally:
                self._lock.release()
            self._drop(doomed)

    def trim(self, keep_bytes: int = 0) -> int:
        """Give free memory back to the system until at most `keep_bytes` are kept; returns the bytes released.

        What commands in flight still use goes back when they are done.
        """
        with self._lock:
            doomed = self._shrink(keep_bytes)
        released = sum(block.capacity for block in doomed)
        self._drop(doomed)
        return released

    def statistics(self) -> PoolStatistics:
        """What the pool holds and did, in bytes and blocks."""
        with self._lock:
            returns = next(self._times) - self._readings
            self._readings += 1
            free = self._free_bytes()
            # Each return was followed by another use, or a release, or the block is free.
            reuses = returns - self._releases - sum(map(len, self._free.values()))
            return PoolStatistics(free, self._bytes - free, self._allocations, reuses, self._releases)

    def _allocate(self, capacity: int) -> Block:
        with self._lock:
            doomed = self._shrink(self.capacity)
        self._drop(doomed)
        block = self._make(capacity)
        block.pool = self
        with self._lock:
            self._free.setdefault(capacity, deque())
            self._allocations += 1
            self._bytes += capacity
        return block

    def _free_bytes(self) -> int:
        """The lock is held, so that no class is added."""
        return sum([capacity * len(blocks) for capacity, blocks in self._free.items()])

    def _shrink(self, limit: int) -> list[Block]:
        """Take out the least recently used blocks until at most `limit` bytes are free. The lock is held."""
        doomed: list[Block] = []
        while self._free_bytes() > limit:
            with contextlib.suppress(IndexError, ValueError):  # another thread took the last one of a class, or of all
                block = min([b for b in self._free.values() if b], key=lambda b: b[0].returned).popleft()
                self._bytes -= block.capacity
                self._releases += 1
                doomed.append(block)
        return doomed

    def _drop(self, doomed: list[Block]) -> None:
        """Give memory back to the system, outside the lock: releasing it runs other code."""
        while doomed:
            self._release(doomed.pop())
