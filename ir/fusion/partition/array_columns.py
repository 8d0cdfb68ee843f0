"""Reductions of the columns of an array, in one kernel with what writes that array (paper 003: GEMVER).

It is the last thing that a partition does: by then it is known what else each kernel computes, and which kernels wait
for others.
"""

from __future__ import annotations

from ir.core.expr import Expr
from ir.core.patterns import Join
from ir.core.types import ScalarType
from ir.fusion.partition.blocks import are_columns, is_worth_blocks, made_of, maps_numbers
from ir.fusion.partition.bundles import Bundles, Rows
from ir.fusion.partition.storage import Assignment
from ir.fusion.prepare.absorb import Taking
from ir.rules.common import element, length
from ir.walks import reached

__all__ = ["write_what_columns_reduce"]


def write_what_columns_reduce(cut: Assignment, together: Bundles) -> frozenset[Expr]:
    """Let kernels of columns write the arrays that they reduce, where these are stored; the results of kernels that
    do.
    """
    return _Writing(cut, together).run() if together.rows else frozenset()


class _Writing(Taking):
    def __init__(self, cut: Assignment, together: Bundles) -> None:
        super().__init__(cut)
        rows = together.rows.items()
        self.columns = {x: form for x, form in rows if are_columns(form) and isinstance(element(x), ScalarType)}
        self.kernels = {  # which compute these
            x: number for number, kernel in enumerate(cut.kernels) for x in kernel.vertices if x in self.columns
        }

    def run(self) -> frozenset[Expr]:
        """From the inputs to the results."""
        found: set[Expr] = set()
        for node, form in self.columns.items():
            number = self.kernels.get(node)
            if number is not None and self._reduces_alone(number, node):
                arrays = (x for x in self.cut.kernels[number].reads if self._is_one_pass(number, x, form))
                if (x := next(arrays, None)) is not None:
                    self.take_over(number, self.cut.maker[x])
                    found.update(self.results[self.cut.maker[x]])
        return frozenset(found)

    def _reduces_alone(self, number: int, node: Expr) -> bool:
        """Does the kernel reduce those columns and nothing else, to one result?"""
        own = {node, node.xs} if isinstance(node, Join) else {node}
        barriers = {x for x in self.cut.kernels[number].vertices if self.graph.is_barrier(x)}
        return barriers == own and len(self.results[number]) == 1

    def _is_one_pass(self, number: int, x: Expr, form: Rows) -> bool:
        """Can the kernel of those columns write an array that it reads?

        Others need the array, too. It is a map of numbers, and all that its kernel makes. Element i of what is reduced
        needs only element i of it, and of other arrays in memory.
        """
        cut, graph, target = self.cut, self.graph, self.cut.maker.get(x)
        if target is None or self.results[target] != [x] or not maps_numbers(x) or not self.is_needed(x, number):
            return False
        if length(x) is not length(form.base) or not is_worth_blocks(form, by_items=True):
            return False
        if any(map(graph.is_barrier, cut.kernels[target].vertices)) or not cut.fits(number, target):
            return False
        below = {x} if form.base is x else made_of(form.base, graph, x)[1]
        in_memory = all(graph.exists(y) or y in cut.maker for y in below)
        return x in below and in_memory and not self._waits(number, x)

    def _waits(self, number: int, x: Expr) -> bool:
        """Does what a kernel reads beside an array need that array? Then neither could be first."""
        kernels, maker = self.cut.kernels, self.cut.maker
        others = [y for y in kernels[number].reads if y is not x]
        needed = reached(others, lambda y: kernels[maker[y]].reads if y in maker else ())
        return any(maker.get(y) == maker[x] for y in needed)
