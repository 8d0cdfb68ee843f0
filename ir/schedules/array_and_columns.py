"""The schedule for an array and a reduction of its columns, by the same loops: what a work-item writes it adds up, too,
so that the array is not read again (paper 003: GEMVER).

The rows are cut into parts. A work-item takes a column of a part, writes its elements and accumulates. A second kernel
reduces the parts of each column.
"""

from __future__ import annotations

from collections.abc import Mapping

from ir.core.expr import Expr
from ir.core.patterns import Tuple
from ir.core.sizes import Size, size
from ir.cost.thresholds.reductions import WRITTEN_COLUMN_PARTS
from ir.rewrite.derivation import Derivation
from ir.rewrite.places import joined, transposed
from ir.rewrite.strategy import Strategy, at, choice, everywhere, seq, use
from ir.rules.common import length
from ir.rules.layout.views import interchange
from ir.rules.maps.accumulate import loops_together, maps_together
from ir.rules.maps.algorithmic import split_join
from ir.rules.opencl.lowering import map_to_seq, unroll
from ir.rules.opencl.memory import tuple_in_global
from ir.schedules.maps.flat import is_elementwise, pieces
from ir.schedules.rows.columns import RowsByGrid, by_items, to_parts
from ir.schedules.rows.compensated import Compensated
from ir.schedules.rows.finished import Finished, OfReduction
from ir.schedules.rows.together import lie_apart
from ir.schedules.schedule import Choices, Constraint, Machine, Parameter, Schedule, satisfied
from ir.schedules.tactics import count_of_rows, over, to_items

__all__ = ["ArrayAndColumns"]


class ArrayAndColumns(Schedule):
    """A work-item for each column of a part of the rows, which writes what it adds up."""

    name = "array_columns"
    exchanges = True
    of_columns = (Compensated(RowsByGrid()), Finished(Compensated(RowsByGrid())))

    def matches(self, e: Expr) -> bool:
        """An element-wise matrix, and reductions of the columns of one of its form, or a map over their results. The
        columns can be cut into parts.
        """
        if not isinstance(e, Tuple) or len(e.operands) != 2 or not is_elementwise(e.operands[0]):
            return False
        schedule = self._schedule(e)
        if schedule is None:
            return False
        columns = self._columns(e)
        row = RowsByGrid.row(columns)
        assert row is not None  # it matches
        whole = length(e.operands[0]) is count_of_rows(columns) * length(row.xs)
        return whole and lie_apart(columns) and bool(self._parts(e).values)

    def _schedule(self, e: Expr) -> OfReduction | None:
        return next((s for s in self.of_columns if s.matches(e.operands[1])), None)

    def _known(self, e: Expr) -> OfReduction:
        schedule = self._schedule(e)
        assert schedule is not None  # it matches
        return schedule

    def _columns(self, e: Expr) -> Expr:
        """The reductions of columns, below a map over their results."""
        schedule = self._known(e)
        return schedule.reduced(e.operands[1]) if isinstance(schedule, Finished) else e.operands[1]

    def _parts(self, e: Expr) -> Parameter:
        """Into how many parts the rows are cut: several, since a kernel of one part begins no other."""
        (found,) = (p for p in self._known(e).parameters(e.operands[1]) if p.name == "parts")
        return Parameter(found.name, tuple(parts for parts in found.values if parts > 1))

    def parameters(self, e: Expr) -> tuple[Parameter, ...]:
        """Those of the columns."""
        return tuple(self._parts(e) if p.name == "parts" else p for p in self._known(e).parameters(e.operands[1]))

    def default_at(self, e: Expr, machine: Machine, elements: int, sizes: Mapping[str, int]) -> dict[str, int]:
        """Those of the columns, in more parts: work-items that also write take longer over as many rows."""
        found = self._known(e).default_at(e.operands[1], machine, elements, sizes)
        allowed = self.constraints(e)
        more = ({**found, "parts": n} for n in self._parts(e).values if found["parts"] < n <= WRITTEN_COLUMN_PARTS)
        fitting = [each for each in more if satisfied(allowed, {**machine.bindings(), **each}, sizes) is None]
        return max(fitting, key=lambda each: each["parts"], default=found | {"parts": max(found["parts"], 2)})

    def constraints(self, e: Expr) -> list[Constraint]:
        """Those of the columns."""
        return self._known(e).constraints(e.operands[1])

    def is_preferred(self, e: Expr, machine: Machine, sizes: Mapping[str, int]) -> bool:
        """Where neighbouring work-items read neighbouring elements at once."""
        return not machine.is_cpu

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """(xs, f ys)  ->  (t.0, f t.1)      for t = toGlobal (xs and ys, partial results, by the same loops)"""
        columns, schedule = self._columns(start.result), self._known(start.result)
        count = count_of_rows(columns)
        elements = _elements(length(start.result.operands[0]) // count, count, choices)
        each = at((0,), elements), at((1,), schedule.strategy(choices))
        together = everywhere(choice(maps_together, loops_together))
        return start.then(seq(*each, tuple_in_global, together), self.name)


def _elements(rows: Size, columns: Size, choices: Choices) -> Strategy:
    """map f over a flat array  ->  join ∘ mapWorkgroup1 (transpose ∘ (mapSeq f of each column)) ∘ split: of parts of as
    many rows each, and of single rows that are left over.
    """
    local, parts, ways = choices["local"], choices["parts"], choices["ways"]
    whole = parts * ways * (rows // (parts * ways))

    def of_parts(share: Size, turn: Strategy) -> Strategy:
        columns_of = at(transposed, by_items(columns, local, over(to_items, turn)))
        return seq(use(split_join, n=share), at(joined, over(to_parts, seq(interchange, columns_of))))

    several = seq(use(split_join, n=ways), at(joined, over(map_to_seq, seq(map_to_seq, unroll))))
    each = of_parts(whole // parts, several if ways > 1 else map_to_seq)
    return seq(use(split_join, n=columns), at(joined, pieces(rows, whole, each, of_parts(size(1), map_to_seq))))
