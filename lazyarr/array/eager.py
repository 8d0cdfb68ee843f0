"""Eager arrays: their value lies in NumPy memory of their own, where operations are carried out eagerly.

    A[i, j] -= A[i, :j] @ A[j, :j]        # in a loop over small arrays: as NumPy does it

Recording costs tens of microseconds an operation and pays where operations fuse. Where operands are small and their
values exist, NumPy is done sooner (`lazyarr.eager.operations` decides). An eager array has a `host`, a NumPy array
that is written to in place; its views are NumPy's views of it. An eager number is Python's until
somebody writes to it. Whoever asks what it stands for gets a leaf over a copy,
which is made anew after the next write; in hot loops over a leaf of its own memory, which has a copy before the next
write (`lazyarr.aliasing.borrowing`). So expressions never see memory that changes.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any
from weakref import ref

import numpy as np

from ir.cost.thresholds.eager import (
    EAGER_ELEMENTS_AT_MOST,
    EAGER_ELEMENTS_IN_LOOPS,
    EAGER_FUNCTION_ELEMENTS_AT_MOST,
    EAGER_READS,
)
from ir.locks import make_rlock
from lazyarr.array.lent import Lent, is_lent
from lazyarr.config import eagerness
from lazyarr.dtypes import complex128, float64
from lazyarr.graph.leaves import Input, give_copy, host_memory, inputs_of, is_borrowed, is_on_host, leaf, looks
from lazyarr.graph.recorded_calls import RecordedCall
from lazyarr.memory.snapshots import is_constant
from lazyarr.runtime import finish_on_host

if TYPE_CHECKING:
    from ir.core.expr import Expr
    from lazyarr.array.core import Array

__all__ = [
    "Loan", "Shared", "changing", "copied", "end_loan", "existing", "noted", "part_of_existing", "read_eagerly",
    "shared_by", "snapshot_leaf", "written",
]  # fmt: skip


changing = make_rlock()
"""Held while an array and its relatives come to stand for something else: threads may write different elements."""

_MANY = 256
"""References from which on those to arrays that are gone are looked for."""


class Loan:
    """A leaf over memory that others will write to, and what it was taken apart to: by their layout.

    `None` stands for all of it.
    """

    __slots__ = ("node", "parts")

    def __init__(self, node: Input) -> None:
        self.node: Input | None = node  # None while the loan ends
        self.parts: dict[Any, Expr | RecordedCall] = {}


class Shared:
    """What arrays over the same memory have in common.

    Attributes:
        owner: the array whose elements the others show, weakly
        leaves: those of which a leaf was made since the last write, weakly
        recorded: those that have views which are recorded, not eager, weakly: jitted functions made them
        lent: the memory, where it is or was not their own (`lazyarr.array.lent`)
        loan: the leaf over this very memory from which something was recorded since the last write
        copies: how often that had to be copied before a write
    """

    __slots__ = ("__weakref__", "copies", "leaves", "lent", "loan", "owner", "recorded")

    def __init__(self, owner: Array) -> None:
        self.owner = ref(owner)
        self.leaves: list[ref[Array]] = []
        self.recorded: list[ref[Array]] = []
        self.lent: Lent | None = None
        self.loan: Loan | None = None
        self.copies = 0


def shared_by(x: Array) -> Shared:
    """What an eager array has in common with others over its memory; made once, though several threads ask for it."""
    shared = x.shared
    if shared is None:
        with changing:
            shared = x.shared
            if shared is None:
                shared = x.shared = Shared(x)
    return shared


def noted(references: list[ref[Array]], x: Array) -> list[ref[Array]]:
    """References to arrays with one more, now and then without those that are gone."""
    references.append(ref(x))
    if len(references) < _MANY or len(references) & (len(references) - 1):
        return references
    return [each for each in references if each() is not None]  # views come and go while nobody writes


def snapshot_leaf(x: Array) -> Expr:
    """What an eager array stands for now: a leaf over a copy, or over memory that was lent to it."""
    host, shared = x.host, shared_by(x)
    assert host is not None
    shared.leaves = noted(shared.leaves, x)
    lent = not host.flags.writeable and host.flags.c_contiguous and is_lent(x)  # then nobody ever writes to it
    value = host.reshape(-1) if lent else np.array(host, order="C").reshape(-1)
    value.setflags(write=False)
    x.expr = found = leaf(x.extents, x.dtype, value)
    return found


def written(x: Array) -> None:
    """The memory of an eager array was written to: leaves of it and its views are out of date.

    To be called after the write: of a leaf that another thread makes meanwhile this one knows, since `snapshot_leaf`
    notes it before it copies.
    """
    shared = x.shared
    if shared is None or not (shared.leaves or shared.recorded):
        return
    with changing:
        for reference in shared.leaves:
            each = reference()
            if each is not None and each.value is not None:
                each.expr = None
        shared.leaves = []
        for reference in shared.recorded:
            each = reference()
            if each is not None and each.family is not None:
                each.family.outdate(each, None)


def end_loan(shared: Shared) -> None:
    """Somebody is about to write to memory that was borrowed: what is still to be computed from it has a copy.

    Who comes meanwhile waits: the loan is there until the copy is.
    """
    with changing:
        loan = shared.loan
        if loan is None:
            return
        loan.parts.clear()
        held = None if loan.node is None else ref(loan.node)
        loan.node = None
        node = None if held is None else held()  # still there: somebody else holds it
        try:
            if node is None:
                finish_on_host()  # kernels that were launched before may be reading it
            else:
                give_copy(node)
                shared.copies += 1
        except BaseException:
            loan.node = node
            raise
        shared.loan = None


def read_eagerly(x: Array) -> None:
    """Let a small array that exists be eager, as what is carried out eagerly reads it; what it stands for holds until
    somebody writes to it. Not at the first time (`EAGER_READS`), not one that is a view or has views
    (`lazyarr.aliasing.views.become_eager`), nor one over memory that others may write to, as the user wishes.
    """
    # the parts of complex numbers, which lie apart, would be put together each time
    most = EAGER_ELEMENTS_IN_LOOPS if x.dtype.kind == "c" else EAGER_FUNCTION_ELEMENTS_AT_MOST
    if not _is_alone(x) or x.size > most:
        return
    uses = x.uses = getattr(x, "uses", 0) + 1
    if uses < EAGER_READS:
        return
    is_number = x.is_number
    if is_number and x.dtype is not float64 and x.dtype is not complex128 and x.dtype.kind not in "biu":
        return
    with changing:
        value = existing(x)
        if x.value is None and value is not None and _is_alone(x) and is_constant(value):
            x.shared = shared = Shared(x)
            shared.leaves.append(ref(x))
            x.value = value.item() if is_number else np.array(value, order="C")
            if hasattr(x, "fixed") and not is_number:
                x.value.setflags(write=False)


def _is_alone(x: Array) -> bool:
    """Is an array no view, and has it none? Another thread may make one of it, but not while this one has the lock."""
    return x.family is None and x.origin is None


def existing(x: Array) -> np.ndarray[Any, Any] | None:
    """The value of an array as NumPy's, not to be written to, where it exists in memory that the host sees; None where
    it is to be computed, belongs to a recording, or the array was put on a device.
    """
    if x.value is not None:
        return x.host
    node: Any = x.expr
    if x.placed is not None or x.traced_in is not None:
        return None
    if type(node) is RecordedCall:
        made = node.made
        chosen = None if type(made) is Input else part_of_existing(node)
        if chosen is not None:
            return chosen.reshape(x.extents)  # it may share the call with one of another shape
        if made is None:
            return None
        node = made
    if type(node) is Input:
        storage = node.storage
        if type(storage) is np.ndarray and not is_borrowed(node):
            extents = x.extents
            return storage if storage.shape == extents else storage.reshape(extents)
    parts = inputs_of(node)
    for part in parts:
        storage = part.storage
        if storage is None or not is_on_host(storage):
            return None
        if type(storage) is not np.ndarray and storage.device.queue.pending:
            return None  # nobody waits for a device here
    if not parts:
        return None
    before = looks.count
    value = host_memory(node, x.dtype).reshape(x.extents)
    looks.count = before  # what is recorded does not depend on it
    return value


def copied(x: Array) -> np.ndarray[Any, Any] | None:
    """A copy of the value of an eager array, or of a small one that exists, for an array that may be written to; None
    of others, and where memory that was lent need not be copied.
    """
    host = x.host
    if host is not None:
        return host.copy() if host.flags.writeable or not is_lent(x) else None
    if not eagerness.on or not 0 < prod(x.extents) <= EAGER_ELEMENTS_AT_MOST:
        return None
    value = existing(x)
    return None if value is None else np.array(value, order="C")


def part_of_existing(call: RecordedCall) -> np.ndarray[Any, Any] | None:
    """The elements that a recorded view chooses from a NumPy array, not to be written to; None of what is another call,
    or has a value of its own.
    """
    operation, operands = call.operation, call.operands
    if operation is None or not operation.step or len(operands) != 1:
        return None
    of: Any = operands[0]
    if type(of) is RecordedCall:
        of = of.made
    if type(of) is not Input or type(of.storage) is not np.ndarray or is_borrowed(of):
        return None
    found: np.ndarray[Any, Any] = operation.step.on(of.storage.reshape(operation.operands[0][0]))
    return found
