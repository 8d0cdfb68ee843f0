"""Schedules for sums of floats: each accumulator is a pair of a sum and what rounding took from it.

The reduction of such pairs is lowered by its own schedule, like any other. The two are added where results are written.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from ir.core.expr import Expr, Param, postorder
from ir.core.patterns import Join, Reduce, Scan
from ir.core.sizes import var
from ir.cost.thresholds.reductions import ADDED_PLAINLY_UP_TO, PLAIN_LANES, PLAIN_ROW_UP_TO
from ir.rewrite.derivation import Derivation
from ir.rewrite.places import array, body
from ir.rewrite.rule import Context
from ir.rewrite.strategy import Rewritten, Strategy, at, choice, everywhere, seq, try_
from ir.rules.common import length
from ir.rules.folds.accuracy import reduce_to_pairs, scan_to_pairs
from ir.rules.layout.views import element_after_map
from ir.rules.maps.algorithmic import map_fission
from ir.rules.maps.fusion import map_out_of_rows
from ir.schedules.reductions.chains import Rows, ways_of
from ir.schedules.rows.finished import OfReduction, finish
from ir.schedules.schedule import Choices, Constraint, Machine, Parameter, satisfied
from ir.schedules.tactics import fuse_maps, rows_in

__all__ = ["Compensated", "pairs_inside"]


_FOLDS = (Reduce, Scan)


_pairs: Strategy = seq(reduce_to_pairs, at(array / array, try_(fuse_maps)))


def _is_long(e: Expr) -> bool:
    count = length(e.xs).value if isinstance(e, Reduce) else 0
    return count is None or count > ADDED_PLAINLY_UP_TO


def _reduce_to_pairs(e: Expr, context: Context) -> Rewritten | None:
    """A sum of floats of more than a few elements becomes one of pairs."""
    return _pairs(e, context) if _is_long(e) else None


def _of_one_row(e: Expr, context: Context) -> Rewritten | None:
    """The same, unless each element depends on the variables of two functions: in a product of matrices all is read
    many times, so that instructions are what takes time, and not memory.
    """
    if not _is_long(e):
        return None
    variables = {node for node in postorder(e) if isinstance(node, Param) and node.binder}
    return _pairs(e, context) if len(variables) <= 1 else None


pairs_inside: Strategy = everywhere(choice(_of_one_row, element_after_map, scan_to_pairs))
"""Sums of floats below here become sums of pairs, whose results are added up where they are used; so do scans."""


def to_pairs(e: Expr, context: Context) -> Rewritten | None:
    """A reduction, or reductions of rows  ->  map (λ(s, c). s + c) ∘ the same of pairs"""
    if isinstance(e, Reduce):
        return _reduce_to_pairs(e, context)
    if Rows.row(e) is None:
        return None
    row, out = rows_in(e) / body, map_out_of_rows if isinstance(e, Join) else map_fission
    return seq(try_(at(row / array, pairs_inside)), at(row, _reduce_to_pairs), out)(e, context)


@lru_cache(maxsize=1024)
def _paired(e: Expr) -> Expr:
    """The reduction of pairs that a reduction becomes; itself where it adds no floats."""
    done = to_pairs(e, ())
    return e if done is None else done.expr.operands[1]


class Compensated(OfReduction):
    """A schedule for reductions, which carries corrections along in sums of floats; but for short rows, if its
    parameter `plain` is 1: they are added as NumPy adds them, and each takes a fraction of the time.
    """

    def reduced(self, e: Expr) -> Expr:
        """The reduction of pairs that it becomes; itself where it adds no floats."""
        return _paired(e)

    def _can_be_plain(self, e: Expr) -> bool:
        """Does it add up rows, and nothing else, with all accumulators of a row in one work-item?"""
        row = Rows.row(e) if self.name in ("row_item", "row_group", "row_streams") else None
        return row is not None and _paired(e) is not e and not any(isinstance(x, _FOLDS) for x in postorder(row.xs))

    def matches(self, e: Expr) -> bool:
        """The other schedule's."""
        return self.reduction.matches(e)

    def parameters(self, e: Expr) -> tuple[Parameter, ...]:
        """Those of the reduction of pairs."""
        found = super().parameters(e)
        return (*found, Parameter("plain", (0, 1))) if self._can_be_plain(e) else found

    def default(self, e: Expr, machine: Machine, elements: int) -> dict[str, int]:
        """The reduction of pairs'."""
        found = super().default(e, machine, elements)
        return {**found, "plain": 0} if self._can_be_plain(e) else found

    def default_at(self, e: Expr, machine: Machine, elements: int, sizes: Mapping[str, int]) -> dict[str, int]:
        """The reduction of pairs'; plain sums where they may be."""
        found = super().default_at(e, machine, elements, sizes)
        if not self._can_be_plain(e):
            return found
        plain = {**self.reduction.default_at(e, machine, elements, sizes), "plain": 1}
        row = Rows.row(e)
        assert row is not None
        plain["ways"] = min(max(ways_of(row)), PLAIN_LANES // plain["width"])
        allowed = satisfied(self._of_plain_rows(e), plain, sizes) is None
        return plain if allowed else {**found, "plain": 0}

    def constraints(self, e: Expr) -> list[Constraint]:
        """The reduction of pairs'; short rows and as many accumulators as NumPy's for sums without corrections."""
        found = super().constraints(e)
        return found + self._of_plain_rows(e) if self._can_be_plain(e) else found

    def _of_plain_rows(self, e: Expr) -> list[Constraint]:
        row = Rows.row(e)
        assert row is not None
        plain, lanes = var("plain", 0), var("width", 1) * var("ways", 1)
        return [
            Constraint.le(
                plain * length(row.xs), PLAIN_ROW_UP_TO, "numbers added without corrections", throughout=True
            ),
            Constraint.le(plain * PLAIN_LANES, lanes, "accumulators without corrections"),
            Constraint.le(plain * lanes, PLAIN_LANES, "numbers that are left over"),
        ]

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """map (λ(s, c). s + c) ∘ (the reduction of pairs, lowered)  ->  the map goes where the results are written"""
        if choices.get("plain") or to_pairs(start.result, ()) is None:
            return self.reduction.derive(start, choices)
        return start.then(seq(to_pairs, at(array, self.reduction.strategy(choices)), finish), self.name)
