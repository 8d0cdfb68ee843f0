"""Schedules for scans (`scan f z xs`) of a whole array and of the rows of a matrix, in which each work-item works
alone.

A scan in parts takes three steps: all parts are reduced, the sums scanned to give each part its carry, the parts
scanned and each result combined with its part's carry. Two steps of the three run in parallel, and rounding errors grow
with the length of a part only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ir.core.expr import Expr, postorder
from ir.core.patterns import SCAN, AsScalar, Call, Join, Map, Reduce, Scan, Slice, Transpose
from ir.core.sizes import Size, SizeLike, var
from ir.core.types import BOOL, ScalarType
from ir.rewrite.derivation import Derivation
from ir.rewrite.places import Place, array, below, body, function, here, joined, part, transposed
from ir.rewrite.rule import Context
from ir.rewrite.strategy import Rewritten, Strategy, at, choice, seq, use
from ir.rules.accuracy import scan_to_pairs
from ir.rules.algorithmic import vector_after_scalar
from ir.rules.common import is_exact_monoid, length, neutral
from ir.rules.compensation import adds_floats
from ir.rules.fusion import fuse_operand
from ir.rules.lowering import map_to_seq, scan_to_seq, unroll
from ir.rules.memory import to_global
from ir.rules.scan import scan_partition, scan_split, vectorise_scan, vectorise_scans, vectorise_sums
from ir.rules.vectorise import is_vectorisable, vect_propagation, vectorise_map
from ir.strategies.maps import WIDTHS, prefetching_both, ragged
from ir.strategies.reductions import LONGEST_CHAIN, longest_sum
from ir.strategies.schedule import (
    MACHINE,
    PREFETCH,
    Choices,
    Constraint,
    Machine,
    Parameter,
    Schedule,
    prefetching,
    product_of,
    whole_blocks,
    widest_of,
)
from ir.strategies.tactics import (
    Folding,
    at_parts,
    in_pairs,
    keep,
    operand_is_vectorisable,
    over,
    push_maps,
    row_of,
    rows_in,
    sequential,
    to_grid,
    to_groups,
    when,
)

__all__ = ["ScanChunks", "ScanColumns", "ScanRowsByGroup", "ScanRowsByItem", "ScanSequential"]

_PARTS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
_GROUPS = (2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096)


def scans_in_parts(e: Expr) -> bool:
    """A scan that may be regrouped: by an associative function that has a neutral element.

    Products of floats are none: where the product of a part overflows, a carry of zero would not stay zero.
    """
    z = neutral(e.f) if isinstance(e, Scan) and e.how == SCAN else None
    if z is None:
        return False
    assert isinstance(e, Scan)
    return is_exact_monoid(e.f, z) or not any(isinstance(x, Call) and x.op == "multiply" for x in postorder(e.f))


def scan_widths(e: Expr) -> tuple[int, ...]:
    """How wide the vectors of a scan can be."""
    assert isinstance(e, Scan)
    plain = isinstance(e.init.type, ScalarType) and e.init.type is not BOOL
    if plain and scans_in_parts(e) and is_vectorisable(e.f) and operand_is_vectorisable(e.xs):
        return WIDTHS
    return (1,)


def _widest(e: Expr, machine: Machine) -> int:
    return widest_of(scan_widths(e), e, machine)


def short_carries(e: Expr, *factors: str) -> list[Constraint]:
    """The result is carried from vector to vector few enough times for its rounding errors to stay small."""
    assert isinstance(e, Scan)
    z = neutral(e.f)
    if not scans_in_parts(e) or z is None or is_exact_monoid(e.f, z):
        return []
    return [Constraint.le(length(e) // product_of(*factors), longest_carry(e), "roundings in one carry")]


def longest_carry(e: Scan) -> int:
    """Values that one carry takes in at most."""
    return longest_sum(e.init.type) if adds_floats(e.f) else LONGEST_CHAIN


@dataclass(frozen=True)
class Scanning:
    """How one work-item scans an array.

    width : elements in a vector
    parts : parts, each of which starts from what those before it combine to; 1 for a scan in one go
    prefetch : how many elements ahead memory is asked, 0 for not at all
    """

    width: int = 1
    parts: int = 1
    prefetch: int = 0

    @classmethod
    def of(cls, choices: Choices) -> Scanning:
        """The scanning that a schedule's parameters describe."""
        return cls(choices["width"], choices.get("parts", 1), choices.get("prefetch", 0))


def scan_exact(how: Scanning) -> Strategy:
    """A scan whose length is a multiple of `how.width`, in order: from vector to vector, if they are wider than one."""
    if how.width == 1:
        return seq(scan_in_order, _hint(how))
    return seq(_vectors(how.width), at(below(AsScalar), seq(push_maps, sequential, _hint(how))))


def scan_in_order(e: Expr, context: Context) -> Rewritten | None:
    """A scan, and what is mapped over it, in order; sums of floats carry along what rounding took from them."""
    place = array if isinstance(e, Map) else here
    scan = place.of(e)
    sums = isinstance(scan, Scan) and scan.how == SCAN and adds_floats(scan.f)
    return seq(push_maps, when(sums, at(place, scan_to_pairs)), push_maps, sequential)(e, context)


def _vectors(width: int) -> Strategy:
    """A scan of vectors."""
    return choice(use(vectorise_sums, width=width), use(vectorise_scan, width=width))


def _hint(how: Scanning) -> Strategy:
    return prefetching_both(how.prefetch // how.width)


def carried_exact(how: Scanning) -> Strategy:
    """map (f c) ∘ scan f z over a multiple of `how.width`: each vector of the scan is combined with the carry."""
    if how.width == 1:
        return scan_exact(how)
    vectors = seq(_vectors(how.width), at(below(AsScalar), seq(push_maps, sequential)))
    results = seq(at(array, vector_after_scalar), at(function, vect_propagation), sequential, _hint(how))
    return seq(at(array, vectors), use(vectorise_map, width=how.width), at(below(AsScalar), results))


_take_in: Strategy = use(fuse_operand, operand=1)
"""map f (zip(carries, map g parts))  ->  map (λ(c, part). f (c, g part)) (zip(carries, parts))"""


def part_of_zip(lower: Strategy, inner: Strategy) -> Strategy:
    """join (map (λ(c, part). map (f c) (scan f z part)) (zip(carries, parts))), the map lowered, parts by `inner`"""

    def take_in(e: Expr, context: Context) -> Rewritten | None:
        mapped = isinstance((array / part(1)).of(e), Map)
        return _take_in(e, context) if mapped else Rewritten(e, ())

    return at(joined, seq(at(array / part(1), push_maps), take_in, over(lower, inner)))


carries: Place = joined / array / part(0)
"""Where the carries of the parts stand in such a map."""


def in_each_part(strategy: Strategy) -> Strategy:
    """A strategy at the carries of both parts of a concat: all but the last ones, and those."""
    return at_parts(*[at(carries / below(Slice), strategy)] * 2)


def scan_in_parts(n: Size, share: Size, count: int, lower: Strategy, store: Strategy, how: Scanning) -> Strategy:
    """A scan of n elements in `count` parts of a length, and the rest; `lower` gives parts to a level of the machine,
    `store` keeps their sums and their carries.
    """

    def folded(e: Expr, context: Context) -> Rewritten | None:
        how_folded = Folding(how.width, 4, prefetch=how.prefetch)
        return in_pairs(how_folded)(e, context) if isinstance(e, Reduce) else None

    sums = seq(push_maps, at(joined, over(lower, folded)), store)
    in_order = choice(scan_to_pairs, scan_to_seq)
    scanned = seq(at(array / part(1), sums), in_order, when(count < 8, unroll), store)
    each, rest = part_of_zip(lower, carried_exact(how)), part_of_zip(lower, scan_in_order)
    return scan_cut(n, count * share, share, scanned, each, rest)


def scan_cut(n: Size, whole: Size, share: SizeLike, scanned: Strategy, each: Strategy, rest: Strategy) -> Strategy:
    """A scan of n elements, the first `whole` of them in parts of a length, and what is left in one more.

    The scan of the parts' sums is lowered by `scanned`, a part by `each`, and what is left by `rest`.
    """
    if whole is n:
        return seq(use(scan_split, n=share), at(carries, scanned), each)
    return seq(use(scan_partition, at=whole, n=share), in_each_part(scanned), at_parts(each, rest))


def scan_by_item(how: Scanning) -> Strategy:
    """A scan of any length in one work-item."""

    def run(e: Expr, context: Context) -> Rewritten | None:
        if not isinstance(e, Scan):
            return None
        n, block = length(e), how.width * how.parts
        if how.parts == 1 and (n // block) * block is n:
            return scan_exact(how)(e, context)
        if block == 1 or (n // block).value == 0:
            return scan_in_order(e, context)
        part = how.width * (n // block)
        return scan_in_parts(n, part, how.parts, map_to_seq, keep, how)(e, context)

    return run


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
        wanted = max(4 * min(machine.compute_units, 32), chains, 2)
        groups = next((g for g in _GROUPS if g >= wanted), _GROUPS[-1])
        return {"groups": groups, "width": width, "prefetch": 256 if machine.is_cpu else 0}

    def constraints(self, e: Expr) -> list[Constraint]:
        """A carry with bounded rounding errors, and something for each group."""
        return [*short_carries(e, "groups", "width"), *whole_blocks(length(e), "groups", "width"), prefetching()]

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """concat(join ∘ mapWorkgroup (scanSeq) ∘ zip carries ∘ split ∘ slice, the tail), carries = toGlobal (scanSeq ∘
        toGlobal (mapWorkgroup (reduceSeq)))
        """
        groups, how = choices["groups"], Scanning.of(choices)
        n = length(start.result)
        part = how.width * (n // (groups * how.width))
        return start.then(scan_in_parts(n, part, groups, to_groups, to_global, how), self.name)


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
        return {"width": width, "parts": parts, "prefetch": 256 if machine.is_cpu else 0}

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
    def _columns(e: Expr) -> tuple[Place, Map, Scan] | None:
        """The map over columns, its place, and the scan of one over the opened variable."""
        place, exchanged = here, False
        while isinstance(e, (Join, Transpose)):
            exchanged = exchanged or isinstance(e, Transpose)
            place, e = place / below(Join, Transpose), e.xs
        found = ScanRows.row(e) if exchanged else None
        return None if found is None or not isinstance(e, Map) else (place, e, found)

    def matches(self, e: Expr) -> bool:
        """The scans of the columns of a matrix."""
        return self._columns(e) is not None

    def parameters(self, e: Expr) -> tuple[Parameter, ...]:
        """How many columns a work-item takes, and how many rows ahead it asks for memory."""
        return (Parameter("width", self._widths(e)), Parameter("rows", (0, 4, 8, 16)))

    def _widths(self, e: Expr) -> tuple[int, ...]:
        found = self._columns(e)
        assert found is not None
        _, columns, scan = found
        plain = isinstance(scan.init.type, ScalarType) and scan.init.type is not BOOL and not scan.init.loose
        fits = plain and is_vectorisable(scan.f) and not columns.f.loose and operand_is_vectorisable(scan.xs)
        return WIDTHS if fits else (1,)

    def default(self, e: Expr, machine: Machine, elements: int) -> dict[str, int]:
        """Full vectors on a CPU, which is told ahead what is read."""
        width = widest_of(self._widths(e), e, machine)
        return {"width": width if machine.is_cpu else 1, "rows": 8 if machine.is_cpu else 0}

    def constraints(self, e: Expr) -> list[Constraint]:
        """Hints only where they help."""
        return [Constraint.le(var("rows", 0), MACHINE["furthest_prefetch"], "elements asked for ahead of use")]

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """mapGlobal (scanSeq) over the columns in vectors, and over those that are left"""
        found, width, ahead = self._columns(start.result), choices["width"], choices["rows"]
        assert found is not None
        place, columns, _ = found
        item = over(to_grid, seq(scan_in_order, prefetching_both(ahead)))
        m = length(columns)
        whole = width * (m // width)
        if width == 1 or whole.value == 0:
            return start.then(at(place, item), self.name)
        wide = seq(use(vectorise_scans, width=width), at(_lanes, seq(at(body, push_maps), item)))
        return start.then(at(place, ragged(m, whole, wide, item)), self.name)
