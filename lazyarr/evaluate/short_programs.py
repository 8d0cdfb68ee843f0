"""Programs that run again and are so short that NumPy, during the calls that they are made of, is done sooner than they
are found again (`lazyarr.eager.at_once`).

What NumPy's calls for the whole and for each operation take is predicted, and what kernels would save. The operations
of longer programs stay recorded, so that these can be compiled, or are again once it shows that short ones have them,
too.
"""

from __future__ import annotations

from ir.cost.thresholds.eager import AT_ONCE_SECONDS_AT_MOST, EVALUATING_SECONDS, RUNS_BEFORE_AT_ONCE
from lazyarr.config import settings
from lazyarr.eager.at_once import AtOnce, give_back, made_for, way_at_once
from lazyarr.eager.operations import allowed
from lazyarr.evaluate.kept_results import only_chooses
from lazyarr.evaluate.program_lookup import Signature
from lazyarr.graph.recorded_calls import Operation
from lazyarr.runtime import computes_on_cpu
from lazyarr.tiers.programs import Program

__all__ = ["note_again"]


def note_again(program: Program, taken: Signature) -> None:
    """A program was found again by what arrays stand for. Once it was a few times, its operations go at once if it
    is short, with those that had gone at once before; these are given back if it is not.
    """
    program.again += 1
    if program.again < RUNS_BEFORE_AT_ONCE:
        return
    made, before = made_for(taken.leaves)
    if program.again > RUNS_BEFORE_AT_ONCE and not made:
        return
    seconds, saved = program.predicted(before)
    if saved > EVALUATING_SECONDS:
        give_back(made)
        return
    wanted = settings()
    if not allowed() or wanted.tier != "auto" or not isinstance(program.place, str):
        return
    operations = [x.operation for x in taken.pending]
    if None in operations or not computes_on_cpu(wanted.device):
        return
    computed = [x for x in operations if x is not None and not only_chooses(x)]
    left = min(seconds + EVALUATING_SECONDS, AT_ONCE_SECONDS_AT_MOST) - before
    ways = _ways(computed, left)
    if computed and not ways:  # it is carried out as a whole
        give_back(made)
    together = before + sum([ways[operation].seconds for operation in computed]) if ways else 0.0
    for operation, way in ways.items():
        if operation.at_once is None:
            operation.at_once = way
        way.most = max(way.most, together)


def _ways(operations: list[Operation], left: float) -> dict[Operation, AtOnce]:
    """How each of some operations would be carried out at once; none where NumPy's calls one by one would take longer.

    Args:
        left: seconds that they may take
    """
    ways: dict[Operation, AtOnce] = {}
    for operation in operations:
        way = ways.get(operation) or (way_at_once(operation) if operation.at_once is None else operation.at_once)
        if not way or way.seconds > left:
            return {}
        left -= way.seconds
        ways[operation] = way
    return ways
