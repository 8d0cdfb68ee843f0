"""Operations on arrays of any size that are carried out during the call, since programs of them are short.

    for batch in batches: total += float(la.sum(batch))        # 100,000 numbers each

To find a program again and to ask which tier it has takes some fifty microseconds. Where kernels would save less than
that, NumPy is done sooner during the call. Which operations these are is found out from programs that run again
(`lazyarr.evaluate.short_programs`). Their results are what an evaluation gives, not eager arrays: what is made of them
is recorded as ever, unless it is such an operation, too.

A program that is not short is to stay whole, though operations of it are met in short ones. So operations that are made
of each other go at once as far as they take no longer than a short program in which the last one was met. Those whose
results long programs read again and again are recorded from then on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ir.core.expr import Expr
from ir.cost.thresholds.eager import RUNS_BEFORE_AT_ONCE
from lazyarr.array import Array, array_of
from lazyarr.array.eager import part_of_existing
from lazyarr.config import settings
from lazyarr.eager.operations import written_for
from lazyarr.graph.leaves import Input, is_borrowed, is_on_host, looks, made_by, note_made_by, on_host
from lazyarr.graph.recorded_calls import Operation, RecordedCall
from lazyarr.memory.quiet import quietly
from lazyarr.memory.snapshots import pooled
from lazyarr.runtime import computes_on_cpu

__all__ = ["AtOnce", "carried_out_at_once", "give_back", "made_for", "way_at_once"]


class AtOnce:
    """How an operation is carried out at once.

    Attributes:
        call: by NumPy
        seconds: what that is predicted to take
        most: what the operations of a short program in which it was met take, at most
        missed: how many of its results long programs have read
    """

    __slots__ = ("call", "missed", "most", "seconds")

    def __init__(self, call: Callable[..., Any], seconds: float) -> None:
        self.call = call
        self.seconds = seconds
        self.most = 0.0
        self.missed = 0


class _Made:
    """How a leaf was made at once.

    Attributes:
        operation: by which one
        seconds: what it and those before it took whose results nobody had looked at
        looks: how often the thread had looked at values then
    """

    __slots__ = ("looks", "operation", "seconds")

    def __init__(self, operation: Operation, seconds: float) -> None:
        self.operation = operation
        self.seconds = seconds
        self.looks = looks.count


def way_at_once(operation: Operation) -> AtOnce | None:
    """How an operation of real numbers could be carried out at once; None where there are no calls of NumPy for it."""
    if operation.dtype.kind == "c" or any(dtype.kind == "c" for _, dtype in operation.operands):
        return None
    program = written_for(operation, pooled)
    return None if program is None else AtOnce(program.call, program.seconds)


def made_for(leaves: Sequence[Input]) -> tuple[list[Operation], float]:
    """The operations that made some of the leaves of a program at once, and the seconds that these and those before
    them took. Each leaf counts once: what is read again and again was not made for this program.
    """
    operations, seconds = [], 0.0
    for node in leaves:
        made = made_by(node)
        if made is not None:
            note_made_by(node, None)
            operations.append(made.operation)
            seconds += made.seconds
    return operations, seconds


def give_back(operations: Sequence[Operation]) -> None:
    """A long program reads what these operations made at once: they should have been a part of it. They are recorded
    again once that happened a few times.
    """
    for operation in operations:
        way = operation.at_once
        if way:
            way.missed += 1
            if way.missed >= RUNS_BEFORE_AT_ONCE:
                operation.at_once = False


def carried_out_at_once(operation: Operation, operands: Sequence[Expr | RecordedCall]) -> Array | None:
    """The result of an operation that goes at once, as an array that has its value; None where the values of operands
    do not exist in the host's memory, or where what they were made of goes with it into a longer program.
    """
    way = operation.at_once
    if not way:  # another thread gave it back
        return None
    seconds, before = way.seconds, looks.count
    values = []
    for x in operands:
        node, value = _leaf_and_value(x)
        if node is None or value is None:
            return None
        made = made_by(node)
        if made is not None and made.looks == before:
            seconds += made.seconds
        values.append(value)
    if seconds > way.most or not computes_on_cpu(settings().device):
        return None
    found: np.ndarray[Any, Any] = quietly(way.call, *values)[0]
    for given in values:
        if np.may_share_memory(found, given):
            found = found.copy()
    found.setflags(write=False)
    result = Input(operation.extents, operation.dtype, found)
    note_made_by(result, _Made(operation, seconds))
    return array_of(result, operation.extents, operation.dtype)


def _leaf_and_value(x: Expr | RecordedCall) -> tuple[Input | None, np.ndarray[Any, Any] | None]:
    """What an operand shows elements of, and these, flat, where they exist; a view's are copied where they lie
    otherwise.
    """
    node: Any = x.made if type(x) is RecordedCall else x
    if type(node) is not Input:
        part = part_of_existing(x) if type(x) is RecordedCall else None
        if part is None:
            return None, None
        of: Any = x.operands[0] if x.operands else None
        base = of.made if type(of) is RecordedCall else of
        return (base, part.reshape(-1)) if type(base) is Input else (None, None)
    storage = node.storage
    if type(storage) is np.ndarray:
        return node, None if is_borrowed(node) else storage if storage.ndim == 1 else storage.reshape(-1)
    if storage is None or not is_on_host(storage) or storage.device.queue.pending:
        return node, None  # nobody waits for a device here
    return node, on_host(node)
