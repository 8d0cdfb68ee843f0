"""Schedules for scans (`scan f z xs`) of a whole array and of the rows of a matrix, in which each work-item works
alone.

A scan in parts takes three steps: all parts are reduced, the sums scanned to give each part its carry, the parts
scanned and each result combined with its part's carry. Two steps of the three run in parallel, and rounding errors grow
with the length of a part only.
"""

from __future__ import annotations

from collections.abc import Mapping

from ir.core.expr import Expr
from ir.core.patterns import SCAN, Join, Map, Scan, Transpose
from ir.core.sizes import var
from ir.core.types import BOOL, ScalarType
from ir.cost.processors import CPU
from ir.cost.thresholds.defaults import CHUNKS_PER_UNIT, PREFETCHED_AHEAD, UNITS_WITH_CHUNKS_AT_MOST
from ir.cost.thresholds.prediction import RIVAL_TAKES_AT_MOST
from ir.cost.thresholds.scans import SCAN_COLUMNS_ROWS_AHEAD
from ir.rewrite.derivation import Derivation
from ir.rewrite.places import Place, array, below, body, here, transposed
from ir.rewrite.strategy import Strategy, at, seq, use
from ir.rules.common import length
from ir.rules.folds.scan import vectorise_scans
from ir.rules.opencl.memory import to_global
from ir.rules.opencl.vectorise import is_vectorisable
from ir.schedules.maps.flat import WIDTHS, prefetching_both, ragged
from ir.schedules.reductions.folding import operand_is_vectorisable
from ir.schedules.scans.scanning import (
    Scanning,
    longest_carry,
    scan_by_item,
    scan_in_order,
    scan_in_parts,
    scan_widths,
    scans_in_parts,
    short_carries,
)
from ir.schedules.schedule import (
    MACHINE,
    PREFETCH,
    Choices,
    Constraint,
    Machine,
    Parameter,
    Rival,
    Schedule,
    prefetching,
    whole_blocks,
    widest_of,
)
from ir.schedules.tactics import count_of_rows, over, push_maps, row_of, rows_in, to_grid, to_groups

__all__ = ["ScanChunks", "ScanColumns", "ScanRowsByGroup", "ScanRowsByItem", "ScanSequential"]

_PARTS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
_GROUPS = (2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096)


def _widest(e: Expr, machine: Machine) -> int:
    return widest_of(scan_widths(e), e, machine)


class ScanSequential(Schedule):
    """One work-item scans the whole array: what is best for small ones."""

    name = "sequential"

    def matches(self, e: Expr) -> bool:
        """Any scan."""
        return isinstance(e, Scan) and e.how == SCAN

    def parameters(self, e: Expr) -> tuple[Parameter, ...]:
        """How wide the vectors are."""
        return (Parameter("width", scan_widths(e)),)

    def default(self, e: Expr, machine: Machine, elements: int) -> dict[str, int]:
        """Full vectors on a CPU."""
        return {"width": _widest(e, machine) if machine.is_cpu else 1}

    def constraints(self, e: Expr) -> list[Constraint]:
        """A carry with bounded rounding errors."""
        return short_carries(e, "width")

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """scanSeq over the body in vectors, then over the tail"""
        return start.then(scan_by_item(Scanning.of(choices)), self.name)


class ScanChunks(Schedule):
    """A contiguous chunk for each work-group of one work-item: one kernel reduces the chunks, one scans the sums, and
    one scans the chunks.
    """

    name = "carries"

    def matches(self, e: Expr) -> bool:
        """Scans that may be regrouped."""
        return scans_in_parts(e)

    def parameters(self, e: Expr) -> tuple[Parameter, ...]:
        """How many groups, how wide the vectors, and how many elements ahead a group asks for memory."""
        return (
            Parameter("groups", _GROUPS),
            Parameter("width", scan_widths(e)),
            Parameter("prefetch", PREFETCH),
        )

    def default(self, e: Expr, machine: Machine, elements: int) -> dict[str, int]:
        """A few chunks for each compute unit, and more where chains would get too long; full vectors."""
        width = _widest(e, machine)
        assert isinstance(e, Scan)
        chains = -(-elements // (longest_carry(e) // 2 * width))
        wanted = max(CHUNKS_PER_UNIT * min(machine.compute_units, UNITS_WITH_CHUNKS_AT_MOST), chains, 2)
        groups = next((g for g in _GROUPS if g >= wanted), _GROUPS[-1])
        return {"groups": groups, "width": width, "prefetch": PREFETCHED_AHEAD if machine.is_cpu else 0}

    def constraints(self, e: Expr) -> list[Constraint]:
        """A carry with bounded rounding errors, and something for each group."""
        return [*short_carries(e, "groups", "width"), *whole_blocks(length(e), "groups", "width"), prefetching()]

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """concat(join ∘ mapWorkgroup (scanSeq) ∘ zip carries ∘ split ∘ slice, the tail), carries = toGlobal (scanSeq ∘
        toGlobal (mapWorkgroup (reduceSeq)))
        """
        groups, how = choices["groups"], Scanning.of(choices)
        n = length(start.result)
        share = how.width * (n // (groups * how.width))
        return start.then(scan_in_parts(n, share, groups, to_groups, to_global, how), self.name)


class ScanRows(Schedule):
    """What the schedules for rows share: `join (map (λrow. scan f z (.. row)) xss)`."""

    @staticmethod
    def row(e: Expr) -> Scan | None:
        """The scan of one row, over the opened variable."""
        row = row_of(e)
        return row if isinstance(row, Scan) and row.how == SCAN else None

    def _row(self, e: Expr) -> Scan:
        row = self.row(e)
        assert row is not None
        return row

    def matches(self, e: Expr) -> bool:
        """The scans of the rows of a matrix."""
        return self.row(e) is not None

    def parameters(self, e: Expr) -> tuple[Parameter, ...]:
        """How wide the vectors along a row are, in how many parts it is scanned, and how far ahead memory is asked."""
        row = self._row(e)
        return (
            Parameter("width", scan_widths(row)),
            Parameter("parts", _PARTS if scans_in_parts(row) else (1,)),
            Parameter("prefetch", PREFETCH),
        )

    def default(self, e: Expr, machine: Machine, elements: int) -> dict[str, int]:
        """Full vectors on a CPU; parts where chains would get too long in a row of so many elements."""
        row = self._row(e)
        width = _widest(row, machine) if machine.is_cpu else 1
        chains = -(-elements // (longest_carry(row) * width))
        limited = bool(short_carries(row))
        parts = next((p for p in _PARTS if p >= chains), _PARTS[-1]) if limited else 1
        return {"width": width, "parts": parts, "prefetch": PREFETCHED_AHEAD if machine.is_cpu else 0}

    def default_at(self, e: Expr, machine: Machine, elements: int, sizes: Mapping[str, int]) -> dict[str, int]:
        """The defaults for the length of a row."""
        return self.default(e, machine, length(self._row(e)).evaluate(sizes))

    def constraints(self, e: Expr) -> list[Constraint]:
        """A carry with bounded rounding errors."""
        return [*short_carries(self._row(e), "width", "parts"), prefetching()]

    def lowered(self, start: Derivation, choices: Choices, level: Strategy) -> Derivation:
        """The map over rows given to a level of the machine, each row scanned by one work-item"""
        rows = over(level, scan_by_item(Scanning.of(choices)))
        return start.then(at(rows_in(start.result), rows), self.name)


class ScanRowsByGroup(ScanRows):
    """A work-group of one work-item for each row."""

    name = "row_group"

    def rivals(self, e: Expr, machine: Machine, choices: Choices, sizes: Mapping[str, int]) -> tuple[Rival, ...]:
        """On a CPU a work-item for each row, where starting a group for each takes longer than a kernel."""
        starting = count_of_rows(e).evaluate(sizes) * CPU.group / machine.compute_units
        if not machine.is_cpu or starting < CPU.launch:
            return ()
        return (Rival(ScanRowsByItem.name, None, RIVAL_TAKES_AT_MOST),)

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """join ∘ mapWorkgroup (scan_by_item)"""
        return self.lowered(start, choices, to_groups)


class ScanRowsByItem(ScanRows):
    """A work-item for each row."""

    name = "row_item"

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """join ∘ mapGlobal (scan_by_item)"""
        return self.lowered(start, choices, to_grid)


_lanes: Place = transposed / array / transposed
"""Where the scans of vectors stand below the views that take columns together in vectors, and apart again."""


class ScanColumns(Schedule):
    """A work-item for some neighbouring columns of a matrix, one in each lane of a vector; one for each that is left.

    The matrix is read and written transposed: `join (transpose (map (scan f z) (transpose xss)))`.
    """

    name = "columns"

    @staticmethod
    def columns(e: Expr) -> tuple[Place, Map, Scan] | None:
        """The map over columns, its place, and the scan of one over the opened variable."""
        place, exchanged = here, False
        while isinstance(e, (Join, Transpose)):
            exchanged = exchanged or isinstance(e, Transpose)
            place, e = place / below(Join, Transpose), e.xs
        found = ScanRows.row(e) if exchanged else None
        return None if found is None or not isinstance(e, Map) else (place, e, found)

    def matches(self, e: Expr) -> bool:
        """The scans of the columns of a matrix."""
        return self.columns(e) is not None

    def parameters(self, e: Expr) -> tuple[Parameter, ...]:
        """How many columns a work-item takes, and how many rows ahead it asks for memory."""
        return (Parameter("width", self._widths(e)), Parameter("rows", (0, 4, 8, 16)))

    def _widths(self, e: Expr) -> tuple[int, ...]:
        found = self.columns(e)
        assert found is not None
        _, columns, scan = found
        plain = isinstance(scan.init.type, ScalarType) and scan.init.type is not BOOL and not scan.init.loose
        fits = plain and is_vectorisable(scan.f) and not columns.f.loose and operand_is_vectorisable(scan.xs)
        return WIDTHS if fits else (1,)

    def default(self, e: Expr, machine: Machine, elements: int) -> dict[str, int]:
        """Full vectors on a CPU, which is told ahead what is read."""
        width = widest_of(self._widths(e), e, machine)
        return {"width": width if machine.is_cpu else 1, "rows": SCAN_COLUMNS_ROWS_AHEAD if machine.is_cpu else 0}

    def constraints(self, e: Expr) -> list[Constraint]:
        """Hints only where they help."""
        return [Constraint.le(var("rows", 0), MACHINE["furthest_prefetch"], "elements asked for ahead of use")]

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """mapGlobal (scanSeq) over the columns in vectors, and over those that are left"""
        found, width, ahead = self.columns(start.result), choices["width"], choices["rows"]
        assert found is not None
        place, columns, _ = found
        item = over(to_grid, seq(scan_in_order, prefetching_both(ahead)))
        m = length(columns)
        whole = width * (m // width)
        if width == 1 or whole.value == 0:
            return start.then(at(place, item), self.name)
        wide = seq(use(vectorise_scans, width=width), at(_lanes, seq(at(body, push_maps), item)))
        return start.then(at(place, ragged(m, whole, wide, item)), self.name)
