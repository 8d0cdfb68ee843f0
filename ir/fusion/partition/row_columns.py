"""Reductions of the columns of a matrix that need a number of each of its rows, in one kernel with the reductions of
these (paper 003: ATAX). A work-group reduces a block of rows, and then its part of each column from what is still near.
"""

from __future__ import annotations

from ir.core.expr import Expr
from ir.core.types import ScalarType
from ir.cost.thresholds.partition import COLUMNS_BY_ITEMS_AT_MOST
from ir.fusion.partition.blocks import are_rows_and_columns, is_worth_blocks
from ir.fusion.partition.bundles import Bundles, Rows
from ir.fusion.partition.row_chains import Near
from ir.fusion.partition.storage import Assignment
from ir.fusion.prepare.absorb import Taking
from ir.rules.common import element

__all__ = ["reduce_columns_of_rows"]


def reduce_columns_of_rows(cut: Assignment, together: Bundles, by_items: bool, near: Near) -> bool:
    """Let kernels of columns take over those of rows whose results they alone need; did one?

    Args:
        by_items: do work-items of a group share blocks, as on GPUs? They keep an accumulator for each column
        near: which rows stay near
    """
    return len(together.rows) > 1 and _Crossing(cut, together, by_items, near).run()


class _Crossing(Taking):
    def __init__(self, cut: Assignment, together: Bundles, by_items: bool, near: Near) -> None:
        super().__init__(cut)
        self.by_items, self.near = by_items, near
        self.columns = COLUMNS_BY_ITEMS_AT_MOST if by_items else None
        self.alone = {x: form for x, form in together.rows.items() if x not in together.number}

    def run(self) -> bool:
        """From the inputs to the results. Was something taken over?"""
        before = len(self.results)
        for node, form in self.alone.items():
            number = self.cut.maker.get(node)
            if number is not None and self.results[number] == [node]:
                target = self._target(number, form)
                if target is not None:
                    self.take_over(number, target)
        return len(self.results) < before

    def _target(self, number: int, form: Rows) -> int | None:
        """The kernel that reduces the rows of the columns' matrix to numbers that this kernel alone needs."""
        cut = self.cut
        needed = [x for x in cut.kernels[number].reads if x in self.alone and x in cut.maker]
        if len(needed) != 1 or self.is_needed(needed[0], number):
            return None
        (x,) = needed
        target, rows = cut.maker[x], self.alone[x]
        if self.results[target] != [x] or not _is_number(x) or not self.near.has_rows(rows):
            return None
        if not are_rows_and_columns(rows, form) or not self.graph.exists(form.base):
            return None
        if self.columns is not None and (form.count.value or 0) > self.columns:
            return None
        return target if is_worth_blocks(form, self.by_items) and cut.fits(number, target) else None


def _is_number(x: Expr) -> bool:
    return isinstance(element(x), ScalarType)
