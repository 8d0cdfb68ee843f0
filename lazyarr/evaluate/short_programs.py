"""Programs that run again and are so short that NumPy, during the calls that they are made of, is done sooner than they
are found again (`lazyarr.eager.at_once`).

What NumPy's calls for the whole and for each operation take is predicted, and what kernels would save. The operations
of longer programs stay recorded, so that these can be compiled, unless they are met in short ones, too.
"""

from __future__ import annotations

from ir.cost.thresholds.tiers import EVALUATING_SECONDS, RUNS_BEFORE_AT_ONCE
from lazyarr.config import settings
from lazyarr.eager.at_once import let_go_at_once, seconds_at_once
from lazyarr.eager.operations import allowed
from lazyarr.evaluate.kept_results import only_chooses
from lazyarr.evaluate.program_lookup import Signature
from lazyarr.graph.recorded_calls import Operation
from lazyarr.runtime import computes_on_cpu
from lazyarr.tiers.programs import Program

__all__ = ["note_again"]


def note_again(program: Program, taken: Signature) -> None:
    """A program was found again by what arrays stand for. Once it was a few times, its operations go at once if it
    is short.
    """
    program.again += 1
    if program.again < RUNS_BEFORE_AT_ONCE or not allowed():
        return
    program.again = -1  # it is not asked again
    wanted = settings()
    if wanted.tier != "auto" or not isinstance(program.place, str) or not computes_on_cpu(wanted.device):
        return
    operations = [x.operation for x in taken.pending]
    computed = [x for x in operations if x is not None and not only_chooses(x)]
    if None not in operations and _is_short(program, computed):
        for operation in computed:
            if operation.at_once is None:
                let_go_at_once(operation)


def _is_short(program: Program, operations: list[Operation]) -> bool:
    """Would NumPy's calls one by one take no longer than the program, however it is carried out, and finding it?"""
    seconds, saved = program.predicted
    if saved > EVALUATING_SECONDS:
        return False
    at_once = 0.0
    for operation in operations:
        own = seconds_at_once(operation)
        if own is None:
            return False
        at_once += own
    return at_once <= seconds + EVALUATING_SECONDS
