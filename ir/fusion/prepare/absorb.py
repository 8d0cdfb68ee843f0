"""Kernels of reductions that take over what other kernels do with their results."""

from __future__ import annotations

from collections.abc import Sequence

from ir.core.expr import Expr
from ir.cost.thresholds.partition import RESULTS_OF_A_KERNEL_AT_MOST
from ir.fusion.partition.reasons import Condition
from ir.fusion.partition.storage import Assignment

__all__ = ["Taking"]


class Taking:
    """The kernels of an assignment, and what each stores.

    Attributes:
        cut: the assignment, which changes
        position: of each vertex in the order of the graph
        results: of each kernel by its number, in that order
    """

    def __init__(self, cut: Assignment) -> None:
        self.cut = cut
        self.graph = cut.graph
        self.position = {node: i for i, node in enumerate(cut.graph.order)}
        self.results: dict[int, list[Expr]] = {}
        for node in cut.graph.order:
            if node in cut.maker:
                self.results.setdefault(cut.maker[node], []).append(node)

    def fits(self, number: int, targets: Sequence[int], own: set[Expr]) -> bool:
        """Can the targets, as one kernel, make what a kernel makes of some of their results as well?"""
        left = [x for k in targets for x in self.results[k] if x not in own or self.is_needed(x, number)]
        return len(self.results[number]) + len(left) <= RESULTS_OF_A_KERNEL_AT_MOST and self.cut.fits(number, *targets)

    def is_needed(self, result: Expr, number: int) -> bool:
        """Does anyone but that kernel need a result?"""
        return result in self.graph.wanted or bool(self.cut.readers[result] - {number})

    def refused(self, number: int, condition: Condition) -> None:
        """No kernel takes over what that one makes."""
        if self.cut.reasons is not None:
            self.cut.reasons.note_apart(number, condition)

    def join(self, number: int, target: int) -> None:
        """Let the target make what a kernel makes of other arrays than its results."""
        made = self.results.pop(number)
        self.cut.move(number, [target])
        self.cut.maker.update(dict.fromkeys(made, target))
        self.results[target] = sorted(self.results[target] + made, key=self.position.__getitem__)

    def take_over(self, number: int, target: int) -> None:
        """Let the target make what a kernel makes; what only that one needed of the target's results is not stored."""
        cut, made = self.cut, self.results.pop(number)
        own = [x for x in cut.kernels[number].reads if cut.maker.get(x) == target]
        unneeded = [x for x in own if not self.is_needed(x, number)]
        cut.move(number, [target])
        cut.maker.update(dict.fromkeys(made, target))
        for x in own:
            cut.readers[x].discard(target)
            cut.kernels[target].reads.pop(x, None)
        for x in unneeded:
            cut.forget(x)
        self.results[target] = [x for x in self.results[target] if x not in unneeded] + made
