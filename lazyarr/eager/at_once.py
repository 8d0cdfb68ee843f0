"""Operations on arrays of any size that are carried out during the call, since programs of them are short.

    for batch in batches: total += float(la.sum(batch))        # 100,000 numbers each

To find a program again and to ask which tier it has takes some fifty microseconds. Where kernels would save less than
that, NumPy is done sooner during the call. Which operations these are is found out from programs that run again
(`lazyarr.evaluate.short_programs`). Their results are what an evaluation gives, not eager arrays: what is made of them
is recorded as ever, unless it is such an operation, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ir.core.expr import Expr
from lazyarr.array import Array, array_of
from lazyarr.array.eager import part_of_existing
from lazyarr.eager.operations import written_for
from lazyarr.graph.leaves import Input, is_borrowed, is_on_host, leaf, on_host
from lazyarr.graph.recorded_calls import Operation, RecordedCall
from lazyarr.memory.quiet import quietly
from lazyarr.memory.snapshots import pooled

__all__ = ["carried_out_at_once", "let_go_at_once", "seconds_at_once"]


def seconds_at_once(operation: Operation) -> float | None:
    """What NumPy's calls for an operation of real numbers are predicted to take; None where there are none."""
    if operation.dtype.kind == "c" or any(dtype.kind == "c" for _, dtype in operation.operands):
        return None
    program = written_for(operation, pooled)
    return None if program is None else program.seconds


def let_go_at_once(operation: Operation) -> None:
    """Let an operation that `seconds_at_once` knows be carried out during the call from now on."""
    program = written_for(operation, pooled)
    operation.at_once = None if program is None else program.call


def carried_out_at_once(operation: Operation, operands: Sequence[Expr | RecordedCall]) -> Array | None:
    """The result of an operation that goes at once, as an array that has its value; None where the values of operands
    do not exist in the host's memory.
    """
    values = []
    for x in operands:
        value = _value(x)
        if value is None:
            return None
        values.append(value)
    found: np.ndarray[Any, Any] = quietly(operation.at_once, *values)[0]
    for given in values:
        if np.may_share_memory(found, given):
            found = found.copy()
    found.setflags(write=False)
    return array_of(leaf(operation.extents, operation.dtype, found), operation.extents, operation.dtype)


def _value(x: Expr | RecordedCall) -> np.ndarray[Any, Any] | None:
    """The elements of an operand, flat, where they exist; a view's are copied where they lie otherwise."""
    node = x.made if type(x) is RecordedCall else x
    if type(node) is not Input:
        part = part_of_existing(x) if type(x) is RecordedCall else None
        return None if part is None else part.reshape(-1)
    storage = node.storage
    if type(storage) is np.ndarray:
        return None if is_borrowed(node) else storage if storage.ndim == 1 else storage.reshape(-1)
    if storage is None or not is_on_host(storage) or storage.device.queue.pending:
        return None  # nobody waits for a device here
    return on_host(node)
