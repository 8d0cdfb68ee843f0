"""Eager arrays: their value lies in NumPy memory of their own, where operations are carried out eagerly.

    A[i, j] -= A[i, :j] @ A[j, :j]        # in a loop over small arrays: as NumPy does it

Recording costs tens of microseconds an operation and pays where operations fuse. Where operands are small and their
values exist, NumPy is done sooner (`lazyarr.recording.eagerly` decides). An eager array has a `host`, a NumPy array
that is written to in place; its views are NumPy's views of it. Whoever asks what it stands for gets a leaf over a copy,
which is made anew after the next write. So expressions never see memory that changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import ref

import numpy as np

from lazyarr.graph.leaves import Input, host_memory, inputs_of, is_on_host, leaf
from lazyarr.graph.recorded_calls import RecordedCall

if TYPE_CHECKING:
    from ir.core.expr import Expr
    from lazyarr.array.core import Array

__all__ = ["Shared", "changed", "existing", "snapshot_leaf"]


_MANY = 256
"""Leaves from which on those of arrays that are gone are looked for."""


class Shared:
    """What arrays over the same memory have in common.

    Attributes:
        owner: the array whose elements the others show, weakly
        leaves: those of which a leaf was made since the last write, weakly
        recorded: those that have views which are recorded, not eager, weakly: jitted functions made them
    """

    __slots__ = ("__weakref__", "leaves", "owner", "recorded")

    def __init__(self, owner: Array) -> None:
        self.owner = ref(owner)
        self.leaves: list[ref[Array]] = []
        self.recorded: list[ref[Array]] = []


def snapshot_leaf(x: Array) -> Expr:
    """What an eager array stands for now: a leaf over a copy."""
    host, shared = x.host, x.shared
    assert host is not None
    if shared is None:
        shared = x.shared = Shared(x)
    leaves = shared.leaves
    leaves.append(ref(x))
    if len(leaves) >= _MANY and not len(leaves) & (len(leaves) - 1):  # views come and go while nobody writes
        shared.leaves = [each for each in leaves if each() is not None]
    value = np.array(host, order="C").reshape(-1)
    value.setflags(write=False)
    x.expr = found = leaf(x.extents, x.dtype, value)
    return found


def changed(x: Array) -> None:
    """The memory of an eager array was written to: leaves of it and its views are out of date."""
    shared = x.shared
    if shared is not None and shared.leaves:
        for reference in shared.leaves:
            each = reference()
            if each is not None and each.host is not None:
                each.expr = None
        shared.leaves = []
    if shared is not None and shared.recorded:
        for reference in shared.recorded:
            each = reference()
            if each is not None and each.family is not None:
                each.family.outdate(each, None)


def existing(x: Array) -> np.ndarray[Any, Any] | None:
    """The value of an array as NumPy's, not to be written to, where it exists in memory that the host sees; None where
    it is to be computed, belongs to a recording, or the array was put on a device.
    """
    if x.host is not None:
        return x.host
    node: Any = x.expr
    if type(node) is RecordedCall:
        node = node.made
    if x.placed is not None or x.traced_in is not None or node is None:
        return None
    if type(node) is Input:
        storage = node.storage
        if type(storage) is np.ndarray:
            return storage.reshape(x.extents)
        if storage is None or not is_on_host(storage):
            return None
    else:
        parts = inputs_of(node)
        if not parts or not all(part.storage is not None and is_on_host(part.storage) for part in parts):
            return None
    return host_memory(node, x.dtype).reshape(x.extents)
