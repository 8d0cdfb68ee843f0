"""The schedules for scans of few columns, or few rows, of a matrix on GPUs: in parts, so that all units have work.

Three kernels: the parts of all columns are reduced, a work-group for each column scans their sums, and each part is
scanned from what those before it combine to. So are rows.
"""

from __future__ import annotations

from collections.abc import Mapping

from ir.core.expr import Expr, Param, postorder
from ir.core.patterns import Map, Scan
from ir.core.sizes import Size, var
from ir.cost.thresholds.defaults import LAUNCHED_GROUPS_AT_MOST
from ir.cost.thresholds.scans import (
    SCAN_COLUMN_ITEMS_PER_UNIT,
    SCAN_COLUMN_PART_AT_LEAST,
    SCAN_COLUMN_PARTS_FROM,
    SCAN_ROW_PART_AT_MOST,
    SCAN_ROW_PARTS_FROM,
    SCANNED_SUMS_EACH,
    SCANNED_SUMS_GROUP,
)
from ir.rewrite.derivation import Derivation
from ir.rewrite.places import Place, array, body, joined, part
from ir.rewrite.strategy import Strategy, at, seq, use
from ir.rules.common import length
from ir.rules.folds.scan import scan_from_carry, scan_out_of_map, scan_split
from ir.rules.maps.algorithmic import map_fission, map_identity
from ir.rules.opencl.lowering import map_to_global, map_to_workgroup
from ir.rules.opencl.memory import to_global
from ir.schedules.cuts import scan_partition
from ir.schedules.reductions.folding import Folding, in_pairs
from ir.schedules.reductions.trees import fold_row
from ir.schedules.scans.chains import ScanColumns, ScanRows
from ir.schedules.scans.scanning import longest_carry, part_of_zip, scan_in_order, scans_in_parts, short_carries
from ir.schedules.scans.trees import fits_a_scan, in_corrected_pairs, scan_row
from ir.schedules.schedule import MACHINE, Choices, Constraint, Machine, Parameter, Schedule
from ir.schedules.tactics import (
    alone_over,
    at_parts,
    over,
    push_maps,
    rows_in,
    split_over,
    to_grid,
    to_groups,
    to_items,
)

__all__ = ["ScanColumnsInParts", "ScanRowsInParts"]


class _InParts(Schedule):
    """So many parts of each column, or row, and what is left of it in one more."""

    exchanges = True

    def matches(self, e: Expr) -> bool:
        """Scans that may be regrouped, and all begin with the same."""
        found = self._scans(e)
        if found is None or not scans_in_parts(found[2]):
            return False
        alike = not any(isinstance(x, Param) for x in postorder(found[2].init))
        return alike and (length(found[2].xs).value or self._values[0]) >= self._values[0]

    def parameters(self, e: Expr) -> tuple[Parameter, ...]:
        """How many parts a column, or row, has."""
        n = length(self._found(e)[2].xs).value
        return (Parameter("parts", tuple(p for p in self._values if n is None or p <= n)),)

    def constraints(self, e: Expr) -> list[Constraint]:
        """Work-items in lockstep, an element for each part, and parts with bounded rounding errors."""
        *_, scan = self._found(e)
        return [
            Constraint.le(2, MACHINE["lockstep"], "work-items in lockstep at least"),
            Constraint.le(var("parts", 1), length(scan.xs), "parts that have an element"),
            *self._short(scan),
            *fits_a_scan(scan.init.type, SCANNED_SUMS_GROUP, SCANNED_SUMS_EACH),
        ]

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """map (λ(xs, as). concat(join ∘ map (scan f a) ∘ zip as ∘ split, the rest)), where the carries as = toGlobal
        (mapWorkgroup (scan_row) ∘ toGlobal (map (join ∘ map (reduce f z) ∘ split))); the open maps given to levels
        """
        place, _, scan = self._found(start.result)
        n, parts = length(scan.xs), choices["parts"]
        share = n // parts
        exact = parts * share is n
        cut = use(scan_split, n=share) if exact else scan_partition(parts * share, share)
        zero, sum_ = self._sums(share)
        sums = at_parts(seq(map_identity, zero), seq(push_maps, at(joined, sum_)))
        carries = seq(
            map_fission,
            at(array, seq(over(self._level, sums), to_global)),
            over(to_groups, scan_row(*_group_of(parts + 1), corrects=True)),
            to_global,
        )
        each, rest = self._part(share), self._part(n - parts * share)
        results = over(self._level, each if exact else at_parts(each, rest))
        steps = seq(at(body, cut), scan_out_of_map, at(array / part(1), carries), results)
        return start.then(at(place, steps), self.name)

    _level: Strategy
    _values: tuple[int, ...]

    def _scans(self, e: Expr) -> tuple[Place, Map, Scan] | None:
        """The map over columns, or rows, its place, and the scan of one over the opened variable."""
        raise NotImplementedError

    def _sums(self, share: Size) -> tuple[Strategy, Strategy]:
        """How a map is lowered that gives the element before all parts, and one that reduces parts of a length."""
        raise NotImplementedError

    def _part(self, share: Size) -> Strategy:
        """How parts of a length are scanned, each from its carry."""
        raise NotImplementedError

    def _short(self, scan: Scan) -> list[Constraint]:
        return short_carries(scan, "parts")

    def _found(self, e: Expr) -> tuple[Place, Map, Scan]:
        found = self._scans(e)
        assert found is not None
        return found

    def _sizes(self, e: Expr, sizes: Mapping[str, int]) -> tuple[int, int]:
        """How many there are, and how long they are."""
        _, xss, scan = self._found(e)
        return length(xss).evaluate(sizes), length(scan.xs).evaluate(sizes)


def _group_of(count: int) -> tuple[int, int]:
    """The work-items of a group that scans so many sums, and elements of each: one block, as far as that goes."""
    local = next((n for n in (32, 64) if n * SCANNED_SUMS_EACH >= count), SCANNED_SUMS_GROUP)
    return local, next((each for each in (3, 5) if local * each >= count), SCANNED_SUMS_EACH)


class ScanColumnsInParts(_InParts):
    """A work-item for each part of a column; neighbouring ones have neighbouring columns."""

    name = "column_parts"
    _level = staticmethod(to_grid)
    _values = (4, 8, 16, 32, 64, 128, 256, 512)

    def default_at(self, e: Expr, machine: Machine, elements: int, sizes: Mapping[str, int]) -> dict[str, int]:
        """So many that there are work-items for all compute units."""
        (count, n), (parts,) = self._sizes(e, sizes), self.parameters(e)
        enough = SCAN_COLUMN_ITEMS_PER_UNIT * machine.compute_units
        few = (p for p in parts.values if p * count >= enough or 2 * p * SCAN_COLUMN_PART_AT_LEAST > n)
        return {"parts": int(next(few, parts.values[-1]))}

    def is_preferred(self, e: Expr, machine: Machine, sizes: Mapping[str, int]) -> bool:
        """On a GPU, where there are too few columns for all compute units, and long ones."""
        count, n = self._sizes(e, sizes)
        few = count < SCAN_COLUMN_ITEMS_PER_UNIT * machine.compute_units
        return not machine.is_cpu and few and n >= SCAN_COLUMN_PARTS_FROM

    def _scans(self, e: Expr) -> tuple[Place, Map, Scan] | None:
        return ScanColumns.columns(e)

    def _sums(self, share: Size) -> tuple[Strategy, Strategy]:
        beside = use(map_to_global, dim=1)
        return beside, over(beside, in_pairs(Folding()))

    def _part(self, share: Size) -> Strategy:
        return part_of_zip(use(map_to_global, dim=1), seq(scan_from_carry, scan_in_order))


class ScanRowsInParts(_InParts):
    """A work-group for each part of a row."""

    name = "row_parts"
    _level = staticmethod(use(map_to_workgroup, dim=1))
    _values = (4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192)

    def default_at(self, e: Expr, machine: Machine, elements: int, sizes: Mapping[str, int]) -> dict[str, int]:
        """Parts of which a work-item takes a few elements."""
        (_, n), (parts,) = self._sizes(e, sizes), self.parameters(e)
        return {"parts": int(next((p for p in parts.values if n <= SCAN_ROW_PART_AT_MOST * p), parts.values[-1]))}

    def is_preferred(self, e: Expr, machine: Machine, sizes: Mapping[str, int]) -> bool:
        """On a GPU, of long rows."""
        return not machine.is_cpu and self._sizes(e, sizes)[1] >= SCAN_ROW_PARTS_FROM

    def _scans(self, e: Expr) -> tuple[Place, Map, Scan] | None:
        scan, rows = ScanRows.row(e), rows_in(e).of(e)
        return (rows_in(e), rows, scan) if scan is not None and isinstance(rows, Map) else None

    def constraints(self, e: Expr) -> list[Constraint]:
        """Also as many rows as GPUs launch work-groups of in the second dimension."""
        rows = length(self._found(e)[1])
        few = Constraint.le(rows, LAUNCHED_GROUPS_AT_MOST, "work-groups over the rows", throughout=True)
        return [*super().constraints(e), few]

    def _short(self, scan: Scan) -> list[Constraint]:
        if not short_carries(scan, "parts"):
            return []
        turns = length(scan.xs) // (var("parts", 1) * SCANNED_SUMS_GROUP)  # of a work-item
        return [Constraint.le(turns, longest_carry(scan), "roundings in one carry")]

    def _sums(self, share: Size) -> tuple[Strategy, Strategy]:
        folded = in_corrected_pairs(fold_row(share, SCANNED_SUMS_GROUP, Folding()))
        return split_over(1, to_groups, alone_over(to_items)), over(to_groups, folded)

    def _part(self, share: Size) -> Strategy:
        return part_of_zip(to_groups, scan_row(SCANNED_SUMS_GROUP, SCANNED_SUMS_EACH))
