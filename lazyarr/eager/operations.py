"""Operations carried out eagerly, by NumPy, on small arrays whose values exist (`lazyarr.array.eager`).

Recording a step on small values costs more than NumPy takes for it. What is large is carried out eagerly only where an
eager array as large takes part: a loop that writes to parts of it is running. What NumPy does otherwise than lazyarr
(another dtype, an error, a warning) is recorded as ever, so nothing but time tells.

Element-wise functions are NumPy's own (`lazyarr.eager.ufuncs`); any other function is what its recorded
expression says, written as calls of NumPy once for operands of the same shapes and dtypes (`ir.reference`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy import ndarray

from ir.cost.thresholds.eager import (
    BORROWED_FROM,
    COPIES_OF_BORROWED,
    EAGER_BYTES_A_USE,
    EAGER_BYTES_AT_MOST,
    EAGER_ELEMENTS_AT_MOST,
    EAGER_ELEMENTS_IN_LOOPS,
    EAGER_ELEMENTS_ON_CPUS,
    EAGER_FUNCTION_ELEMENTS_AT_MOST,
    EAGER_PASSES,
    EAGER_SECONDS_AT_MOST,
    EAGER_USES,
    EAGER_USES_OF_ANOTHER,
    ELEMENTS_BEFORE_BORROWING,
    PENDING_CALLS_AT_MOST,
)
from lazyarr import config
from lazyarr.array import Array, compute_deep, eager
from lazyarr.array.eager import part_of_existing
from lazyarr.array.lent import is_lent
from lazyarr.config import eagerness
from lazyarr.graph.builders import components
from lazyarr.graph.leaves import inputs_of, leaf
from lazyarr.graph.recorded_calls import Operation, RecordedCall
from lazyarr.graph.tracing import recordings
from lazyarr.memory.quiet import quietly
from lazyarr.runtime import computes_on_cpu

if TYPE_CHECKING:
    from ir.reference.source import NumPyProgram

__all__ = [
    "allowed", "carried_out", "is_beside_eager", "is_fused", "is_lendable", "is_numpys", "is_ready", "is_used_enough",
    "numpys_functions", "recording_only", "written_for",
]  # fmt: skip

numpys_functions: dict[Callable[..., Any], Callable[[tuple[Any, ...], dict[str, Any]], Array | None]] = {}
"""What carries functions out by NumPy's, where values exist: takes the arguments, and gives None where the call is to
be recorded.
"""


class _Recording(threading.local):
    """How deep a thread is in calls whose expressions are wanted: nothing is carried out eagerly meanwhile."""

    depth = 0

    def __enter__(self) -> None:
        if not self.depth:
            eagerness.hold()
        self.depth += 1

    def __exit__(self, *raised: object) -> None:
        self.depth -= 1
        if not self.depth:
            eagerness.release()


recording_only = _Recording()

_LOOPS_KNOWN = 256
_passed: dict[tuple[tuple[int, ...], Any], int] = {}
"""Elements of large eager arrays of a shape and dtype that operators went through, one by one."""
_in_loops: set[tuple[tuple[int, ...], Any]] = set()
"""Shapes and dtypes of large arrays that became eager since their parts were written in a loop: others like these, of
which large parts are written, or what was written is read, are part of the same loop, or of its next run.
"""


def allowed() -> bool:
    """May this thread carry out operations eagerly now?"""
    if recordings.count or recording_only.depth:
        return False
    if eagerness.wanted is None:
        config.settings()
    return bool(eagerness.wanted)


def is_used_enough(
    x: Array, small: int = EAGER_ELEMENTS_AT_MOST, passes: bool = False, lent: bool = False, is_large: bool = False
) -> bool:
    """Is an array small, or were parts of it read or written often enough for it to become eager? Counts this use; of
    views it is their base that counts.

    Args:
        small: elements of a small array, at most
        passes: does this use cost, recorded, a pass over the array?
        lent: would it not be copied?
        is_large: is a large part written?
    """
    base = None if x.origin is None else x.origin.family.base()
    if base is None:
        base = x
    size = prod(base.extents)
    if size <= small:
        return True
    uses = base.uses = getattr(base, "uses", 0) + 1
    nbytes = size * base.dtype.itemsize
    if lent:
        return uses >= EAGER_USES
    if nbytes > EAGER_BYTES_AT_MOST:
        return False
    like = base.extents, base.dtype
    if (passes or is_large) and like in _in_loops and uses >= EAGER_USES_OF_ANOTHER:
        return True
    if not (uses >= EAGER_PASSES if passes else uses >= EAGER_USES and uses * EAGER_BYTES_A_USE >= nbytes):
        return False
    if len(_in_loops) >= _LOOPS_KNOWN:
        _in_loops.clear()
    _in_loops.add(like)
    return True


def is_numpys(size: int, *operands: Any) -> bool:
    """Are operations on eager arrays of so many elements NumPy's? Many are where kernels run on the same processor: in
    loops that write to parts of arrays these gain less than their bookkeeping costs. To lent memory nobody writes.

    Args:
        operands: those of the operation, as far as they may show lent memory
    """
    if size <= EAGER_ELEMENTS_IN_LOOPS:
        return True
    if operands and all(is_lent(x) for x in operands if type(x) is Array and x.value is not None):
        return False
    if operands and size >= BORROWED_FROM:
        if is_fused(*operands):
            return False
        _count(operands)
    return size <= EAGER_ELEMENTS_ON_CPUS and computes_on_cpu(config.settings().device)


def is_fused(*operands: Any) -> bool:
    """Are operations on these recorded although eager arrays among them are large, as their memory is borrowed until
    somebody writes to it? Where the loop is hot, or they are so large that they are recorded anyway, and all large ones
    show theirs row by row.
    """
    found = False
    for x in operands:
        if type(x) is Array and type(x.value) is ndarray and x.value.size >= BORROWED_FROM:
            if not is_lendable(x):
                return False
            if x.value.size <= EAGER_ELEMENTS_ON_CPUS and _passed.get(_like(x), 0) < ELEMENTS_BEFORE_BORROWING:
                return False
            found = True
    return found and allowed() and computes_on_cpu(config.settings().device)


def is_lendable(x: Array) -> bool:
    """May what is recorded from an eager array borrow its memory? That of many floats, which lie row by row as those of
    the array do that has them, and where that did not have to be copied again and again.
    """
    value = x.value
    if type(value) is not ndarray or value.size < BORROWED_FROM or x.dtype.kind != "f":
        return False
    if value.strides[-1] != value.itemsize:
        return False
    shared = x.shared
    if shared is None:
        return value.flags.c_contiguous
    owner = shared.owner()
    return owner is not None and owner.dtype is x.dtype and shared.copies < COPIES_OF_BORROWED and not is_lent(x)


def _like(x: Array) -> tuple[tuple[int, ...], Any]:
    """The shape and dtype of the array whose elements one shows."""
    owner = None if x.shared is None else x.shared.owner()
    return (x if owner is None else owner).extents, x.dtype


def _count(operands: Sequence[Any]) -> None:
    """Operands are gone through by NumPy."""
    for x in operands:
        if type(x) is Array and is_lendable(x):
            like = _like(x)
            if len(_passed) >= _LOOPS_KNOWN and like not in _passed:
                del _passed[next(iter(_passed))]  # that which was met first
            _passed[like] = _passed.get(like, 0) + prod(x.extents)


def is_beside_eager(operands: Sequence[Any]) -> bool:
    """Is one of the operands an eager array?"""
    for x in operands:  # noqa: SIM110  # a generator costs more than what it goes through
        if type(x) is Array and x.value is not None:
            return True
    return False


def is_ready(x: Array, others: Sequence[Any]) -> bool:
    """Does the value of an array exist, or is it worth computing since it is small, and other operands are eager? What
    is used in a loop, such as a number computed before it, would be computed at each step.
    """
    call = x.expr
    if type(call) is not RecordedCall or (call.made is not None and inputs_of(call.made)):
        return True
    if call.operation is not None and call.operation.step and part_of_existing(call) is not None:
        return True
    if call.depth > PENDING_CALLS_AT_MOST or x.placed is not None or x.traced_in is not None:
        return False
    if prod(x.extents) > EAGER_FUNCTION_ELEMENTS_AT_MOST or not allowed():
        return False
    if not is_beside_eager(others):
        return False
    compute_deep(x)
    return True


# --- functions --------------------------------------------------------------------------------------------------------


def carried_out(operation: Operation, values: Sequence[np.ndarray[Any, Any]]) -> Array | None:
    """The result of an operation on the values of its operands; None where it is to be recorded."""
    call = operation.eager
    if call is None:
        call = operation.eager = _written(operation) or False
    if call is False:
        return None
    return eager(call(values))


def written_for(operation: Operation, empty: Callable[..., np.ndarray[Any, Any]] = np.empty) -> NumPyProgram | None:
    """An operation as calls of NumPy, of all parts of its operands; None where there are none.

    Args:
        empty: gives memory, of a shape and dtype, for large results
    """
    from ir.reference.generate import write  # few programs come here, and it takes long to import
    from ir.reference.library import noted_below
    from ir.reference.source import UnwrittenError

    leaves = [leaf(shape, dtype, None) for shape, dtype in operation.operands]
    with recording_only:
        made = operation.of(leaves)
    roots = components(made) if operation.dtype.kind == "c" else (made,)
    inputs = [part for x in leaves for part in inputs_of(x)]
    try:
        return write(roots, inputs, noted_below(roots, inputs), empty)
    except UnwrittenError:
        return None


def _written(operation: Operation) -> Callable[[Sequence[np.ndarray[Any, Any]]], np.ndarray[Any, Any]] | None:
    """What carries an operation out; None where nothing does, or it takes long."""
    program = written_for(operation)
    if program is None or program.seconds > EAGER_SECONDS_AT_MOST:
        return None
    dtype, extents = operation.dtype, operation.extents
    call, plain = program.call, all(dtype.kind != "c" for _, dtype in operation.operands)

    def carry_out(values: Sequence[np.ndarray[Any, Any]]) -> np.ndarray[Any, Any]:
        given = [x.reshape(-1) for x in values] if plain else _parts(values)
        found = quietly(call, *given)
        if dtype.kind == "c":
            both = np.empty(extents, dtype)
            both.real, both.imag = found[0].reshape(extents), found[1].reshape(extents)
            return both
        result = found[0].reshape(extents)
        # an operation that leaves elements where they are gives the operand's own memory
        borrowed = not result.flags.writeable or any(np.may_share_memory(result, x) for x in given)
        return result.copy() if borrowed else result

    return carry_out


def _parts(values: Sequence[np.ndarray[Any, Any]]) -> list[np.ndarray[Any, Any]]:
    """The values as flat arrays of real numbers, two of each complex one."""
    found: list[np.ndarray[Any, Any]] = []
    for x in values:
        found += [x.real.reshape(-1), x.imag.reshape(-1)] if x.dtype.kind == "c" else [x.reshape(-1)]
    return found
