"""Maps whose elements need numbers of their row that another kernel reduces, in one kernel with that: a softmax, a
layer norm. The work-group that has reduced a row makes its elements, and the row is read from memory once.
"""

from __future__ import annotations

from ir.core.expr import Expr
from ir.core.types import ScalarType, is_flat
from ir.cost.thresholds.partition import MAPPED_ROW_FROM
from ir.fusion.partition.bundles import Bundles
from ir.fusion.partition.reasons import Condition
from ir.fusion.partition.repeated_rows import OfSameRows, are_near
from ir.fusion.partition.storage import Assignment
from ir.rules.common import element, length

__all__ = ["map_rows"]


def map_rows(cut: Assignment, together: Bundles) -> bool:
    """Let maps take over the kernels of reductions of rows whose results they alone need, row by row; did one?"""
    return bool(together.rows) and _Mapping(cut, together).run()


class _Mapping(OfSameRows):
    def run(self) -> bool:
        """From the inputs to the results. Was something taken over?"""
        before = len(self.results)
        for node in self.graph.order:
            number = self.cut.maker.get(node)
            if number is None or number in self.forms or self.results[number] != [node]:
                continue
            target = self._target(node, number)
            if isinstance(target, Condition):
                self.refused(number, target)
            elif target is not None:
                self.take_over(number, target)
        return len(self.results) < before

    def _target(self, node: Expr, number: int) -> int | Condition | None:
        """The kernel whose results a map needs row by row, if the map can take that over; or why not. None: it is no
        such map.
        """
        cut = self.cut
        if self.graph.is_barrier(node) or not is_flat(node.type) or not isinstance(element(node), ScalarType):
            return None
        reads = cut.kernels[number].reads
        targets = {cut.maker[x] for x in reads if x in cut.maker and cut.maker[x] in self.forms}
        targets = {k for k in targets if length(node) is self.forms[k].count * self.forms[k].each}
        if len(targets) != 1:
            return Condition.SEVERAL_REDUCTIONS if targets else None
        (target,) = targets
        form = self.forms[target]
        if not are_near(form) or (form.each.value or 0).bit_length() < MAPPED_ROW_FROM.bit_length():
            return Condition.NOT_OF_ROWS
        if not all(self.is_result(x, form) for x in self.results[target]):
            return Condition.NOT_A_NUMBER_EACH
        own = {x for x in reads if cut.maker.get(x) == target}
        if len(own) < len(self.results[target]) or any(self.is_needed(x, number) for x in own):
            return Condition.NEEDED
        # What is made after the reductions' results has as many ends below it: no two kernels wait for each other.
        below = self.below[target]
        if any(not self.graph.exists(x) and x not in own and self.depth[x] >= below for x in reads):
            return Condition.NOT_READY
        shared = [x for x in cut.kernels[target].reads if x in reads]
        if not any(length(x) is length(node) for x in shared) or not self.reads_by_rows(number, own, form):
            return Condition.OTHER_ROWS
        return target if self.fits(number, [target], own) else Condition.TOO_MANY
