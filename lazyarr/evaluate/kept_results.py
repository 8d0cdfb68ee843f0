"""Which results an evaluation keeps beside those that were asked for, so that nothing is computed again and again.

    p = A @ w; w = w - 0.001 * (B @ p)        # in a loop
    s = float(p.sum())                        # computes p, and the w before, which the w of the next step is made of

An evaluation passes through results that it was not asked for. Where an array or another result still refers to one, it
may be needed again. It is kept if computing it again is predicted to cost more than storing it; and if it, or something
that it is made of, was computed for an earlier evaluation and not kept, unless it costs no more than to be read. So no
program does more than a small constant times the work of computing each result when it is recorded. What nothing refers
to any more fuses away.

Costs are counted in bytes moved to or from memory: those of an operation follow from its expression, for the arrays'
shapes and dtypes (`ir.cost.count`), as if it was fused with what it is made of.
"""

from __future__ import annotations

from math import prod
from typing import NamedTuple

from ir.core.types import bytes_of, element_type, extents_of
from ir.cost.thresholds.partition import LATER_USES_OF_A_KEPT_RESULT
from ir.cost.thresholds.ratios import LAUNCH_BYTES, OPERATION_BYTES
from lazyarr.evaluate.program_lookup import Signature
from lazyarr.graph.leaves import leaf
from lazyarr.graph.recorded_calls import Operation, RecordedCall

__all__ = ["kept", "kept_inside", "note_passed", "only_chooses"]


class _Cost(NamedTuple):
    """What an operation costs beside reading its operands, in bytes moved; and the kernels whose results something in
    it reads from memory. If it `is_view`, it only chooses elements.
    """

    work: float
    stored: int
    is_view: bool


class _Redone(NamedTuple):
    """What computing a result costs, in bytes moved; and whether an earlier evaluation did so, or part of it."""

    cost: float
    before: bool


def kept(signature: Signature) -> tuple[int, ...]:
    """The numbers of the results to be kept, of those that are held. The signature's key and what it says to decide
    beside it (`Signature.with_what_decides`) tell.
    """
    redone: dict[RecordedCall, _Redone] = {}
    held, found = set(signature.held), set()
    for x in _operands_first(signature):
        redone[x] = again = _redone(x, signature, redone)
        if x in held and _is_worth(x, again):
            found.add(x)
            redone[x] = _Redone(_nbytes(x), False)
    return tuple([i for i, x in enumerate(signature.held) if x in found])


def kept_inside(signature: Signature) -> list[RecordedCall]:
    """The same of those that are met in expressions alone that were recorded at once."""
    return [x for x in signature.inside if x.passed or _of_call(x).stored]


def note_passed(signature: Signature) -> None:
    """The pending results of a signature were computed on the way, as far as they were not kept."""
    for x in signature.pending:
        x.passed = True
    for x in signature.inside:
        x.passed = True


def _operands_first(signature: Signature) -> list[RecordedCall]:
    order: list[RecordedCall] = []
    done: set[RecordedCall] = set()
    for first in signature.held:
        waiting = [first]
        while waiting:
            last = waiting[-1]
            if last in done:
                waiting.pop()
                continue
            missing = [x for x in signature.pending[last] if x in signature.pending and x not in done]
            if missing:
                waiting += missing
            else:
                done.add(last)
                order.append(last)
                waiting.pop()
    return order


def _redone(x: RecordedCall, signature: Signature, redone: dict[RecordedCall, _Redone]) -> _Redone:
    own = _of_call(x)
    if x.operation is None:
        return _Redone(own.work + own.stored * LAUNCH_BYTES + 2 * _nbytes(x), x.passed)
    cost, before = own.work + own.stored * LAUNCH_BYTES, x.passed
    for operand, (shape, dtype) in zip(signature.pending[x], x.operation.operands, strict=True):
        below = redone.get(operand) if type(operand) is RecordedCall else None
        if below is not None:
            cost += below.cost
            before = before or below.before
        else:
            cost += _nbytes(x) if own.is_view else prod(shape) * dtype.itemsize
    return _Redone(cost, before)


def _is_worth(x: RecordedCall, again: _Redone) -> bool:
    """Is a result kept that something may need again?"""
    own = _of_call(x)
    if own.stored and not own.is_view:
        return True  # it is in memory anyway, or close to what is
    if again.before:
        return again.cost > _nbytes(x)
    return again.cost > LATER_USES_OF_A_KEPT_RESULT * 2 * _nbytes(x) + LAUNCH_BYTES


def _of_call(x: RecordedCall) -> _Cost:
    if x.operation is None:
        assert x.made is not None  # recorded at once
        from ir.fusion.partition.graph import Graph  # as below

        return _Cost(0.0, int(Graph([x.made], {}).is_barrier(x.made)), False)
    return _of_known(x.operation)


def _of_known(operation: Operation) -> _Cost:
    found: _Cost | None = operation.cost
    if found is None:
        found = operation.cost = _of_operation(operation)
    return found


def only_chooses(operation: Operation) -> bool:
    """Does an operation give elements as they are, and compute nothing?"""
    return _of_known(operation).is_view


def _of_operation(operation: Operation) -> _Cost:
    from ir.cost.count import count  # programs whose results nobody holds need neither, and the first call waits
    from ir.fusion.partition.graph import Graph, is_computed

    e = operation.of([leaf(shape, dtype, None) for shape, dtype in operation.operands])
    graph = Graph([e], {})
    stored = sum(map(graph.is_barrier, graph.order))
    is_view = not any(map(is_computed, graph.order))
    work = 0.0 if is_view else sum(OPERATION_BYTES[w.kind] * n.evaluate({}) for w, n in count(e).operations.items())
    return _Cost(work, stored, is_view)


def _nbytes(x: RecordedCall) -> int:
    """How large a result is."""
    if x.operation is not None:
        return prod(x.operation.extents) * x.operation.dtype.itemsize
    assert x.made is not None  # recorded at once
    return prod(extents_of(x.made.type)) * bytes_of(element_type(x.made.type))
