"""What becomes of NumPy memory that arrays are made from: it is shared where nobody else can write to it, else copied.

An array means the values of the moment when it was made, whenever they are read.
"""

from __future__ import annotations

import sys
import sysconfig
import weakref
from functools import cache
from math import prod
from typing import Any, Final

import numpy as np

from ir.cost.thresholds.tiers import COPIES_POOLED_FROM
from lazyarr.memory.pool import Block, Pool, aligned_bytes, block_alignment, physical_memory_bytes, size_class

__all__ = ["ONE_HOLDER", "HostMemory", "is_constant", "pooled", "snapshot", "taken_over"]

_COUNTS: Final = (
    sys.implementation.name == "cpython"
    and sys.version_info < (3, 14)  # from then on callers lend references that are counted nowhere
    and not sysconfig.get_config_var("Py_GIL_DISABLED")
)

ONE_HOLDER: Final = 2 if _COUNTS else 0
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
    while isinstance(array, np.ndarray):
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
    return isinstance(array, bytes)


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


class _Copy:
    """A piece of pooled memory, which goes back when the last array over it dies; commands in flight keep that."""

    __slots__ = ("_block",)

    def __init__(self, block: Block) -> None:
        self._block = block

    def __del__(self) -> None:
        pool = self._block.pool
        assert pool is not None
        pool.give_back(self._block)


@cache
def _pool() -> Pool:
    """Memory that is used again: the system clears fresh pages, which takes longer than to copy them."""

    def made(capacity: int) -> Block:
        return Block(None, aligned_bytes(capacity, block_alignment(capacity)), capacity)

    return Pool(made, physical_memory_bytes() // _SHARE, lambda block: None)


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


def pooled(shape: tuple[int, ...], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """Memory for an array in row-major order, which is used again once nobody shows it; its contents are arbitrary."""
    nbytes = prod(shape) * dtype.itemsize
    if nbytes < COPIES_POOLED_FROM:
        return np.empty(shape, dtype)
    block = _pool().take(size_class(nbytes))
    return np.asarray(HostMemory(block.address, False, shape, dtype.str, _Copy(block)))
