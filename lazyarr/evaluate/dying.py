"""Which leaves die with an evaluation: those that only its own recorded calls refer to.

    x = c * x        # the call is applied to x's old leaf, and x stands for the call: nothing else has the leaf

After an evaluation its calls have values and let go of their operands, or nothing refers to them. A leaf dies if all
references to it are those, and those of the evaluation itself: they are counted. Where other threads run, one of them
may hold what a call was applied to: then nothing dies.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from gc import get_referents
from sys import getrefcount

from ir.core.patterns import Zip
from ir.cost.thresholds.tiers import DYING_VERTICES_AT_MOST
from ir.reference.workers import is_worker
from lazyarr.evaluate.program_lookup import Signature
from lazyarr.graph.dying import IN_ONE_PLACE, Dying
from lazyarr.graph.leaves import Input
from lazyarr.graph.recorded_calls import RecordedCall
from lazyarr.tiers.making import is_making_thread

__all__ = ["DyingLeaves", "is_alone"]


_COUNTS = sys.implementation.name == "cpython" and getattr(sys, "_is_gil_enabled", lambda: True)()
"""Does the interpreter count references exactly?"""


def is_alone() -> bool:
    """Does no other thread run Python code, but for the one that makes kernels, which keeps to its own leaves, and
    those that carry out blocks, which hold nothing in between?
    """
    if not _COUNTS:
        return False
    # no name for the frames: one would keep this one, and those above, alive
    others = [number for number in sys._current_frames() if not is_making_thread(number) and not is_worker(number)]
    return len(others) == 1


class DyingLeaves(Dying):
    """The leaves of an evaluation's program."""

    __slots__ = ("_all_kept", "_signature")

    def __init__(self, leaves: Sequence[Input], signature: Signature, kept: int) -> None:
        """Args:
        leaves: see `Dying`
        signature: what is evaluated
        kept: how many of the results on the way that something else refers to are kept: the others may be computed
            again
        """
        super().__init__(leaves)
        self._signature = signature
        self._all_kept = len(signature.held) == kept and not signature.inside

    def dies(self, number: int) -> bool:
        """See `Dying`."""
        if not self._all_kept or not is_alone():
            return False
        signature = self._signature
        leaf = self.leaves[number]
        same = [call for call, value in signature.values.items() if value is leaf]  # those that were computed before
        stands = {id(leaf), *map(id, same)}
        uses = dict.fromkeys(stands, 0)
        pending = signature.pending
        for call in pending:
            if call.operation is None:
                below = _uses_below(call, leaf)
                if below is None:
                    return False
                uses[id(leaf)] += below
            own = [id(operand) for operand in pending[call] if id(operand) in stands]
            if own and getrefcount(pending[call]) != IN_ONE_PLACE + 1:  # the call's, and the signature's
                return False
            for each in own:
                uses[each] += 1
        expected = uses[id(leaf)] + 2 * len(same)  # by those calls, and by the table that has them
        del leaf
        for i in range(len(same)):  # each is in two tables of the signature
            if getrefcount(same[i]) != IN_ONE_PLACE + 2 + uses[id(same[i])]:
                return False
        return getrefcount(self.leaves[number]) == IN_ONE_PLACE + 2 + expected


def _uses_below(call: RecordedCall, leaf: Input) -> int | None:
    """How many operands the leaf is of what was recorded at once; None where something else may hold an expression
    that leads to it, or there are many.
    """
    if getrefcount(call.made) != IN_ONE_PLACE:
        return None
    assert call.made is not None  # recorded at once
    waiting, uses = [call.made], 0
    for _ in range(DYING_VERTICES_AT_MOST):
        if not waiting:
            return uses
        node = waiting.pop()
        named = [id(each) for each in get_referents(node)]  # by the pattern's own names for its operands
        operands = node.operands
        del node
        uses += named.count(id(leaf))
        for i in range(len(operands)):
            if operands[i] is leaf:
                uses += 1
            elif operands[i].patterned or type(operands[i]) is Zip:
                if getrefcount(operands[i]) != IN_ONE_PLACE + named.count(id(operands[i])):  # by another vertex, too
                    return None
                waiting.append(operands[i])
    return None
