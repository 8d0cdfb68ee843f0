"""Results that wait for being computed with what is made of them: a loop that reads nothing must end in bounded memory.

    for _ in range(1000): z = z*z + c; n = n + (abs(z) <= 2)

Where a result lies too deep, what waits is computed as far as few arrays go on: here the `z` and `n` of one step. If
only the deepest result was computed, each `abs(z) <= 2` would be kept for `n`, and a loop that carries on several
arrays would be computed again for each.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Container, Iterable, Mapping
from itertools import accumulate
from math import prod
from operator import attrgetter
from typing import Final
from weakref import ref

from ir.cost.thresholds.partition import PENDING_ARRAYS_NOTED, PENDING_DEPTH_AT_MOST, PENDING_LOOKED_AT
from lazyarr.array import Array, array_of, compute_deep
from lazyarr.graph.recorded_calls import RecordedCall, composing, depth_of

__all__ = ["PENDING_DEPTH_AT_MOST", "compute_if_deep"]


class _Late(threading.local):
    """The arrays that a thread recorded last, where much waits already."""

    def __init__(self) -> None:
        self.arrays: deque[ref[Array]] = deque(maxlen=PENDING_ARRAYS_NOTED)


_late = _Late()


def compute_if_deep(made: Array, found: RecordedCall) -> None:
    """Compute a result that lies too deep: where the loop was cut before, else here, unless that place comes again.

    Called of each result that lies half as deep, or deeper.
    """
    operation, depth = found.operation, found.depth
    _late.arrays.append(ref(made))
    if depth <= PENDING_DEPTH_AT_MOST or composing.depth:
        return
    if operation is not None and operation.cuts:
        _cut(made, found)
    elif depth > 2 * PENDING_DEPTH_AT_MOST or (depth == PENDING_DEPTH_AT_MOST + 1 and not _was_cut(found)):
        if operation is not None:
            operation.cuts = True
        _cut(made, found)


def _was_cut(found: RecordedCall) -> bool:
    """Is there among what waits below a result an operation at which such a loop was cut before? It comes again."""
    return any(x.operation is not None and x.operation.cuts for x in _waiting([found]) if x is not found)


def _waiting(results: Iterable[RecordedCall], but: Container[RecordedCall] = ()) -> dict[RecordedCall, None]:
    """What waits for being computed with some results, these included, but for some, and what waits for these; in an
    order that is the same each time.
    """
    waiting = list(results)
    seen = dict.fromkeys(waiting)
    while waiting:
        for x in waiting.pop().operands:
            if type(x) is RecordedCall and x not in seen and x not in but:
                seen[x] = None
                waiting.append(x)
    return seen


def _cut(made: Array, found: RecordedCall) -> None:
    """Compute what waits for a result as far as few bytes go on."""
    noted = [x for x in (reference() for reference in _late.arrays) if x is not None]
    # As they are: a view whose base was written to since stands for nothing until somebody asks, which records more.
    calls = {call: x for x in noted if type(call := x.expr) is RecordedCall and x.placed == made.placed}
    waiting, living = _together(found, calls)
    computed = _to_compute(waiting, living, calls, made, found)
    beside = [calls[call] for call in living if call in calls]
    del calls, waiting, living  # which would keep what is in between
    if computed:
        compute_deep(*computed)
        del computed
        _count_again(_waiting([found, *(call for x in beside if type(call := x.expr) is RecordedCall)]))


def _together(
    found: RecordedCall, calls: Mapping[RecordedCall, Array]
) -> tuple[dict[RecordedCall, None], list[RecordedCall]]:
    """What waits for a result, and for living arrays that are made of the same; and the result and those arrays."""
    waiting, living = _waiting([found]), [found]
    left = PENDING_LOOKED_AT * len(waiting)
    for call in reversed(list(calls)):
        if call in waiting:
            living.append(call)
        elif left > 0:
            own = _waiting([call], but=waiting)
            if any(y in waiting for x in own for y in x.operands):
                living.append(call)
                waiting |= own
            else:
                left -= len(own)
    return waiting, living


def _to_compute(
    waiting: Iterable[RecordedCall],
    living: Iterable[RecordedCall],
    calls: Mapping[RecordedCall, Array],
    made: Array,
    found: RecordedCall,
) -> list[Array]:
    """What is computed, so that fewest bytes go on to what is recorded later: of what waits for a result, and for
    living arrays that are made of the same, what is read from a depth on, for each result on the way there. Nothing
    refers to the others afterwards.
    """
    order = _count_again(waiting)
    deepest = found.depth
    if deepest <= PENDING_DEPTH_AT_MOST:  # much below it was computed meanwhile
        return []
    last = dict.fromkeys(living, deepest + 1)  # how deep what reads them lies
    for x in order:
        for y in x.operands:
            if type(y) is RecordedCall and last.get(y, 0) < x.depth:
                last[y] = x.depth
    change = [0] * (deepest + 2)
    for x in order:
        if x.depth <= deepest:
            nbytes = _nbytes(x) if x.operation is not None or x in calls else _NEVER
            change[x.depth] += nbytes
            change[min(last[x], deepest + 1)] -= nbytes
    going_on = list(accumulate(change))
    depth = min(range(PENDING_DEPTH_AT_MOST // 2 + 1, deepest + 1), key=lambda d: (going_on[d] / d, -d))
    if going_on[depth] >= _NEVER:
        return [made]
    return [calls[x] if x in calls else _array(x, made) for x in order if x.depth <= depth < last[x]]


_NEVER: Final = 1 << 60
"""As many bytes go on with an expression that was recorded at once, and that no array stands for."""


def _count_again(waiting: Iterable[RecordedCall]) -> list[RecordedCall]:
    """Results in an order in which those that others are made of come first, who know again how deep they lie."""
    order = sorted(waiting, key=attrgetter("depth"))
    for x in order:
        if x.operands:
            x.depth = depth_of(x.operands) + 1
    return sorted(order, key=attrgetter("depth"))


def _nbytes(x: RecordedCall) -> int:
    """How large a result of an operation is; of what was recorded at once, about."""
    return prod(x.operation.extents) * x.operation.dtype.itemsize if x.operation is not None else 1


def _array(x: RecordedCall, made: Array) -> Array:
    """An array that stands for a result of an operation."""
    assert x.operation is not None  # else there is one
    return array_of(x, x.operation.extents, x.operation.dtype, made.placed)
