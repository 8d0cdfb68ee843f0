"""What becomes of NumPy memory that arrays are made from: it is shared where nobody else can write to it, else copied.

An array means the values of the moment when it was made, whenever they are read.
"""

from __future__ import annotations

import sys
import sysconfig
import weakref
from collections import defaultdict
from functools import lru_cache
from math import prod
from sys import getrefcount
from typing import Any, Final

import numpy as np
from numpy import ndarray

from ir.cost.thresholds.tiers import COPIES_POOLED_FROM
from lazyarr.memory.pool import block_alignment, physical_memory_bytes, size_class

__all__ = ["COUNTS", "ONE_HOLDER", "HostBlock", "HostMemory", "is_constant", "pooled", "snapshot", "taken_over"]

COUNTS: Final = (
    sys.implementation.name == "cpython"
    and sys.version_info < (3, 14)  # from then on callers lend references that are counted nowhere
    and not sysconfig.get_config_var("Py_GIL_DISABLED")
)

ONE_HOLDER: Final = 2 if COUNTS else 0
"""What `sys.getrefcount` says of an argument that only the variable of the function it was given to holds: a temporary
of its caller, moved into the call. A caller that keeps it, in a variable, a tuple of arguments or C, counts once more.
0 where references do not tell."""


_SHARE: Final = 8
"""The part of the machine's memory, its inverse, that unused copies may keep."""


def taken_over(array: np.ndarray[Any, Any]) -> bool:
    """Take over the memory of a temporary, which is read-only from then on; False where somebody else may hold it: its
    memory is not NumPy's, other arrays show it, or there are weak references.

    Args:
        array: of which only the one who asks holds references
    """
    if weakref.getweakrefcount(array):
        return False
    if not array.flags.owndata:
        # a temporary's view of a temporary: held by the view, and by the argument of the count
        if type(array.base) is not np.ndarray or sys.getrefcount(array.base) != ONE_HOLDER:
            return False
        if not array.base.flags.owndata or weakref.getweakrefcount(array.base):
            return False
        array.base.setflags(write=False)
    array.setflags(write=False)
    return True


def is_constant(array: Any) -> bool:
    """Can nobody write to an array's memory: is it read-only, and all that it is a view of, up to the owner?

    The owner is a NumPy array, `bytes` or lazyarr itself. Of other memory (files, other libraries', whatever shows its
    own by a protocol) nobody knows who writes to it.
    """
    while isinstance(array, np.ndarray) and type(array) is not HostBlock:
        if array.flags.writeable:
            return False
        if array.base is None:
            return array.flags.owndata
        array = array.base
    if isinstance(array, memoryview):
        return is_constant(array.obj) if array.readonly else False
    if type(array) is HostMemory:
        shown = getattr(array.owner, "array", None)  # of a buffer that wraps a NumPy array
        return array.owner is not None and (shown is None or is_constant(shown))
    return isinstance(array, (bytes, HostBlock))


class HostMemory:
    """Host memory as NumPy sees it, and the object that must live as long as the arrays made from it."""

    __slots__ = ("__array_interface__", "owner")

    def __init__(
        self,
        address: int,
        read_only: bool,
        shape: tuple[int, ...],
        typestr: str,
        owner: object,
        strides: tuple[int, ...] | None = None,
    ) -> None:
        """strides: in bytes; None where the elements lie row by row"""
        self.owner = owner
        self.__array_interface__ = {
            "data": (address, read_only), "shape": shape, "typestr": typestr, "strides": strides, "version": 3,
        }  # fmt: skip


class HostBlock(np.ndarray[Any, Any]):
    """Bytes that are used again: NumPy arrays over them have them as their base, and what shows these arrays has these.
    They are free when no array is over them.

    Attributes:
        start: the first byte that is aligned
        shifted: one behind it at which operands that are read together do not fall into the same lines of caches
    """

    __slots__ = ("shifted", "start")
    shifted: int
    start: int


def _only_holder() -> int:
    block = [object()].pop()
    return getrefcount(block)


_FREE: Final = _only_holder() if sys.implementation.name == "cpython" else 0
"""What `getrefcount` says of a block that was taken out of its list and that no array is over."""

_SHIFT: Final = 640
"""Bytes by which each further block is shifted, the first one against pages: no divisor of a page, and what the widest
vectors are aligned to. A processor tells addresses by their last 12 bits at first: to copy 272 KB takes 104 us to eight
bytes further in a page, as `y[1:] = x[:-1]` does it, and 8 to elsewhere.
"""

_KEPT: Final = 16
"""Blocks of one size that are known: who makes another forgets the one that was used least recently."""


_capacity: Final = lru_cache(maxsize=256)(size_class)
"""The size of the block for so many bytes: loops ask for the same again and again."""


class _Blocks:
    """Memory that is used again: the system clears fresh pages, which takes longer than to copy them.

    Threads take a block out of its list while they look at it, and put it back with an array over it.
    """

    def __init__(self) -> None:
        self._known: defaultdict[int, list[HostBlock]] = defaultdict(list)
        self._bytes = 0
        self._most = physical_memory_bytes() // _SHARE

    def array(self, shape: tuple[int, ...], dtype: np.dtype[Any], nbytes: int, shifted: bool) -> np.ndarray[Any, Any]:
        """Memory for an array of so many bytes; its contents are arbitrary. See `pooled`."""
        capacity = _capacity(nbytes)
        blocks = self._known[capacity]
        used: list[HostBlock] = []
        while True:
            try:
                block = blocks.pop()
            except IndexError:
                block = self._made(capacity, used)
                break
            if getrefcount(block) == _FREE:
                break
            used.append(block)
        found: np.ndarray[Any, Any] = ndarray(shape, dtype, block, block.shifted if shifted else block.start)
        if used:
            used.reverse()
            blocks.extend(used)
        blocks.append(block)
        return found

    def _made(self, capacity: int, used: list[HostBlock]) -> HostBlock:
        """A new block, in place of the one of its size that was used least recently where there are many."""
        if self._bytes + capacity > self._most:  # what is used now goes on
            self._known.clear()
            used.clear()
            self._bytes = 0
        if len(used) >= _KEPT:
            used.pop()
        else:
            self._bytes += capacity
        alignment = block_alignment(capacity)
        block = HostBlock((capacity + 2 * alignment,), np.uint8)  # NumPy asks for huge pages itself where that is large
        block.start = -block.ctypes.data % alignment
        block.shifted = block.start + (_SHIFT * (1 + len(used)) % alignment if alignment > _SHIFT else 0)
        return block


_blocks = _Blocks()


def snapshot(array: np.ndarray[Any, Any], writeable: bool = False) -> np.ndarray[Any, Any]:
    """The elements as they are now, in row-major order: a copy of the same shape and dtype.

    Args:
        writeable: may it be written to?
    """
    if array.nbytes < COPIES_POOLED_FROM:
        found = np.array(array, order="C")
    else:
        found = pooled(array.shape, array.dtype)
        np.copyto(found, array)
    if not writeable:
        found.setflags(write=False)
    return found


def pooled(shape: tuple[int, ...], dtype: np.dtype[Any], shifted: bool = False) -> np.ndarray[Any, Any]:
    """Memory for an array in row-major order, which is used again once nobody shows it; its contents are arbitrary.

    Args:
        shifted: does no device read it? Then it need not begin with a page, as others that it is read with do.
    """
    nbytes = prod(shape) * dtype.itemsize
    return np.empty(shape, dtype) if nbytes < COPIES_POOLED_FROM else _blocks.array(shape, dtype, nbytes, shifted)
