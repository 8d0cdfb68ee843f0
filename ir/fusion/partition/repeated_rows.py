"""Reductions of rows that need the results of other reductions of the same rows, in one kernel with those: the variance
needs the mean, a softmax's sum the maximum.

There is no barrier across work-groups, but a row's reduction needs the other one's result for this row only, which the
same work-items have just done. The second time a row is read it is still near: memory is read once.
"""

from __future__ import annotations

from ir.core.expr import Expr
from ir.core.patterns import Join, Repeat, Split, Transpose, Zip
from ir.core.types import ScalarType
from ir.cost.thresholds.partition import ROW_READ_AGAIN_AT_MOST, ROWS_READ_AGAIN_AT_LEAST
from ir.fusion.partition.bundles import Bundles, Rows
from ir.fusion.partition.graph import is_computed
from ir.fusion.partition.reasons import Condition
from ir.fusion.partition.storage import Assignment
from ir.fusion.prepare.absorb import Taking
from ir.rules.common import element, length

__all__ = ["OfSameRows", "are_near", "gather"]


def gather(cut: Assignment, together: Bundles) -> bool:
    """Let the kernels of reductions of rows take over those which need their results of the same rows; did one?"""
    return len(together.rows) > 1 and _Gathering(cut, together).run()


class OfSameRows(Taking):
    """What kernels of the same rows ask for before one takes over the other.

    Attributes:
        forms: the kernels that reduce rows, and how
        below: how many ends are below what such a kernel reads, and one more
    """

    def __init__(self, cut: Assignment, together: Bundles) -> None:
        super().__init__(cut)
        self.depth = together.depth
        self.forms: dict[int, Rows] = {}
        self.below: dict[int, int] = {}
        for number, kernel in enumerate(cut.kernels):
            members = [x for x in kernel.vertices if x in together.rows]
            if members and all(isinstance(element(x), ScalarType) for x in members):  # of pairs each is stored alone
                self.forms[number] = together.rows[members[0]]
                self.below[number] = min(self.depth[x] for x in members)

    def is_result(self, x: Expr, form: Rows) -> bool:
        """Is it a number for each row?"""
        return length(x) is form.count and isinstance(element(x), ScalarType)

    def reads_by_rows(self, number: int, own: set[Expr], form: Rows) -> bool:
        """Does a kernel read of those arrays, for what it does with the elements of a row, the row's number only?

        xs  ->  join (transpose (repeat n xs)), and that element by element up to the rows that are reduced: any other
        view would bring the number of another row.
        """
        repeated, turned, flat, rows = set[Expr](), set[Expr](), set[Expr](), set[Expr]()
        vertices = sorted(set(self.cut.kernels[number].vertices), key=self.position.__getitem__)
        for node in vertices:
            reads = self.graph.reads(node)
            if any(x in rows for x in reads):
                if not self.graph.is_barrier(node):
                    return False
            elif any(x in flat for x in reads):
                if isinstance(node, Split) and node.chunk is form.each:
                    rows.add(node)
                elif isinstance(node, Zip) or (is_computed(node) and not self.graph.is_barrier(node)):
                    flat.add(node)
                else:
                    return False
            elif any(x in own or x in repeated or x in turned for x in reads):
                if isinstance(node, Repeat) and node.x in own and node.count is form.each:
                    repeated.add(node)
                elif isinstance(node, Transpose) and node.xs in repeated:
                    turned.add(node)
                elif isinstance(node, Join) and node.xs in turned:
                    flat.add(node)
                else:
                    return False
        return True


class _Gathering(OfSameRows):
    def run(self) -> bool:
        """From the inputs to the results: what was taken over may be needed in turn. Was something?"""
        before = len(self.results)
        for node in self.graph.order:
            number = self.cut.maker.get(node)
            if number in self.forms and self.results[number][-1] is node:
                target = self._target(number)
                if isinstance(target, Condition):
                    self.refused(number, target)
                else:
                    self.take_over(number, target)
        return len(self.results) < before

    def _target(self, number: int) -> int | Condition:
        """The kernel whose results a kernel needs row by row, if it can take that over; or why not."""
        cut, form = self.cut, self.forms[number]
        if not are_near(form):
            return Condition.NOT_OF_ROWS
        if not all(self.is_result(x, form) for x in self.results[number]):
            return Condition.NOT_A_NUMBER_EACH
        reads = cut.kernels[number].reads
        makers = dict.fromkeys(cut.maker[x] for x in reads if x in cut.maker)
        targets = [k for k in makers if k in self.forms and k != number and self.forms[k].kind == form.kind]
        if len(targets) != 1:
            return Condition.SEVERAL_REDUCTIONS if targets else Condition.OTHER_ROWS
        (target,) = targets
        own = {x for x in reads if cut.maker.get(x) == target}
        if not all(self.is_result(x, form) for x in self.results[target]):
            return Condition.NOT_A_NUMBER_EACH
        # What depends on the target's results has as many ends below it: then no two kernels wait for each other.
        if any(not self.graph.exists(x) and x not in own and self.depth[x] >= self.below[target] for x in reads):
            return Condition.NOT_READY
        shared = [x for x in cut.kernels[target].reads if x in reads]
        if not any(length(x) is form.count * form.each for x in shared) or not self.reads_by_rows(number, own, form):
            return Condition.OTHER_ROWS
        if not self.fits(number, [target], own):
            return Condition.TOO_MANY
        return target


def are_near(form: Rows) -> bool:
    """Are they rows that lie one after the other, many of them, each short enough to stay near?"""
    count, each = form.count.value, form.each.value
    if count is None or each is None or count < ROWS_READ_AGAIN_AT_LEAST or not 1 < each <= ROW_READ_AGAIN_AT_MOST:
        return False
    return len(form.views) == 1 and form.views[0][0] is Split  # type: ignore[index]  # a view, its parameters, function
