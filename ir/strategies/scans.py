"""Schedules for scans (`scan f z xs`) of a whole array and of the rows of a matrix, in which each work-item works
alone.

A scan in parts takes three steps: all parts are reduced, the sums scanned to give each part its carry, the parts
scanned and each result combined with its part's carry. Two steps of the three run in parallel, and rounding errors grow
with the length of a part only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ir.core.expr import Expr, Lambda, postorder
from ir.core.patterns import MAP, SCAN, Call, Join, Map, Reduce, Scan, Transpose
from ir.core.sizes import Size, size, var
from ir.core.types import BOOL, ScalarType
from ir.rewrite.derivation import Derivation
from ir.rewrite.rule import Context, Rule
from ir.rewrite.strategy import Path, Rewritten, Strategy, at, choice, seq, use
from ir.rules.accuracy import scan_to_pairs
from ir.rules.algorithmic import vector_after_scalar
from ir.rules.common import is_exact_monoid, length, neutral
from ir.rules.compensation import adds_floats
from ir.rules.fusion import fuse_operand
from ir.rules.lowering import map_to_global, map_to_seq, map_to_workgroup, scan_to_seq, unroll
from ir.rules.memory import prefetch_input, prefetch_output, to_global
from ir.rules.scan import scan_partition, scan_split, vectorise_scan, vectorise_scans, vectorise_sums
from ir.rules.vectorise import is_vectorisable, vect_propagation, vectorise_map
from ir.strategies.maps import ragged
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
    whole_blocks,
    widest_of,
)
from ir.strategies.tactics import Folding, in_pairs, keep, operand_is_vectorisable, push_maps, sequential, when

__all__ = ["ScanChunks", "ScanColumns", "ScanRowsByGroup", "ScanRowsByItem", "ScanSequential"]

_WIDTHS = (1, 2, 4, 8, 16)
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
        return _WIDTHS
    return (1,)


def _widest(e: Expr, machine: Machine) -> int:
    return widest_of(scan_widths(e), e, machine)


def short_chains(e: Expr, *factors: str) -> list[Constraint]:
    """The result is carried from vector to vector few enough times for its rounding errors to stay small."""
    assert isinstance(e, Scan)
    z = neutral(e.f)
    if not scans_in_parts(e) or z is None or is_exact_monoid(e.f, z):
        return []
    share = size(1)
    for name in factors:
        share = share * var(name, 1)
    return [Constraint.le(length(e) // share, longest_carry(e), "roundings in one carry")]


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
        return seq(in_turns, _hint(how))
    return seq(_vectors(how.width), at((0,), seq(push_maps, sequential, _hint(how))))


def in_turns(e: Expr, context: Context) -> Rewritten | None:
    """A scan, and what is mapped over it, in order; sums of floats carry along what rounding took from them."""
    place: Path = (1,) if isinstance(e, Map) else ()
    scan = e.xs if isinstance(e, Map) else e
    sums = isinstance(scan, Scan) and scan.how == SCAN and adds_floats(scan.f)
    return seq(push_maps, when(sums, at(place, scan_to_pairs)), push_maps, sequential)(e, context)


def _vectors(width: int) -> Strategy:
    """A scan of vectors."""
    return choice(use(vectorise_sums, width=width), use(vectorise_scan, width=width))


def _hint(how: Scanning) -> Strategy:
    ahead = how.prefetch // how.width
    return when(ahead > 0, seq(use(prefetch_input, distance=ahead), use(prefetch_output, distance=ahead)))


def carried_exact(how: Scanning) -> Strategy:
    """map (f c) ∘ scan f z over a multiple of `how.width`: each vector of the scan is combined with the carry."""
    if how.width == 1:
        return scan_exact(how)
    vectors = seq(_vectors(how.width), at((0,), seq(push_maps, sequential)))
    results = seq(use(vectorise_map, width=how.width), at((0, 1), vector_after_scalar))
    return seq(at((1,), vectors), results, at((0,), seq(at((0,), vect_propagation), sequential, _hint(how))))


_take_in: Strategy = use(fuse_operand, operand=1)
"""map f (zip(carries, map g parts))  ->  map (λ(c, part). f (c, g part)) (zip(carries, parts))"""


def part_of_zip(lower: Strategy, inner: Strategy) -> Strategy:
    """join (map (λ(c, part). map (f c) (scan f z part)) (zip(carries, parts))), the map lowered, parts by `inner`"""

    def run(e: Expr, context: Context) -> Rewritten | None:
        steps: list[Strategy] = [at((0, 1, 1), push_maps)]
        done = seq(*steps)(e, context)
        if done is None or not isinstance(done.expr, Join):
            return None
        assert isinstance(done.expr.xs, Map)
        operands = done.expr.xs.xs.operands
        if isinstance(operands[1], Map):
            steps.append(at((0,), _take_in))
        return seq(*steps, at((0,), lower), at((0, 0, 0), inner))(e, context)

    return run


def scan_in_parts(n: Size, part: Size, count: int, lower: Strategy, store: Strategy, how: Scanning) -> Strategy:
    """A scan of n elements in `count` parts of a length, and the rest; `lower` gives parts to a level of the machine,
    `store` keeps their sums and their carries.
    """

    def folded(e: Expr, context: Context) -> Rewritten | None:
        how_folded = Folding(how.width, 4, prefetch=how.prefetch)
        return in_pairs(how_folded)(e, context) if isinstance(e, Reduce) else None

    sums = seq(push_maps, at((0,), lower), at((0, 0, 0), folded), store)
    in_order = choice(scan_to_pairs, scan_to_seq)
    carries = seq(at((2, 1), sums), in_order, when(count < 8, unroll), store)
    body = part_of_zip(lower, carried_exact(how))
    tail = part_of_zip(lower, in_turns)
    if count * part is n:
        return seq(use(scan_split, n=part), at((0, 1, 0), carries), body)
    cut = use(scan_partition, at=count * part, n=part)
    both = seq(at((0, 0, 1, 0, 0), carries), at((1, 0, 1, 0, 0), carries))
    return seq(cut, both, at((0,), body), at((1,), tail))


def scan_by_item(how: Scanning) -> Strategy:
    """A scan of any length in one work-item."""

    def run(e: Expr, context: Context) -> Rewritten | None:
        if not isinstance(e, Scan):
            return None
        n, block = length(e), how.width * how.parts
        if how.parts == 1 and (n // block) * block is n:
            return scan_exact(how)(e, context)
        if block == 1 or (n // block).value == 0:
            return in_turns(e, context)
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
        return short_chains(e, "width")

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
        return [*short_chains(e, "groups", "width"), *whole_blocks(length(e), "groups", "width"), prefetching()]

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """concat(join ∘ mapWorkgroup (scanSeq) ∘ zip carries ∘ split ∘ slice, the tail), carries = toGlobal (scanSeq ∘
        toGlobal (mapWorkgroup (reduceSeq)))
        """
        groups, how = choices["groups"], Scanning.of(choices)
        n = length(start.result)
        part = how.width * (n // (groups * how.width))
        spread = use(map_to_workgroup, dim=0)
        return start.then(scan_in_parts(n, part, groups, spread, to_global, how), self.name)


class ScanRows(Schedule):
    """What the schedules for rows share: `join (map (λrow. scan f z (.. row)) xss)`."""

    rule: Rule

    @staticmethod
    def row(e: Expr) -> Scan | None:
        """The scan of one row, over the opened variable."""
        rows = e.xs if isinstance(e, Join) else e
        if isinstance(rows, Map) and rows.how == MAP and isinstance(rows.f, Lambda):
            body = rows.f.open()[1]
            if isinstance(body, Scan) and body.how == SCAN:
                return body
        return None

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
        limited = bool(short_chains(row))
        parts = next((p for p in _PARTS if p >= chains), _PARTS[-1]) if limited else 1
        return {"width": width, "parts": parts, "prefetch": 256 if machine.is_cpu else 0}

    def default_at(self, e: Expr, machine: Machine, elements: int, sizes: Mapping[str, int]) -> dict[str, int]:
        """The defaults for the length of a row."""
        return self.default(e, machine, length(self._row(e)).evaluate(sizes))

    def constraints(self, e: Expr) -> list[Constraint]:
        """A carry with bounded rounding errors."""
        return [*short_chains(self._row(e), "width", "parts"), prefetching()]

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """The map over rows given to a level of the machine, each row scanned by one work-item"""
        place: Path = (0,) if isinstance(start.result, Join) else ()
        inner = scan_by_item(Scanning.of(choices))
        return start.then(seq(at(place, use(self.rule, dim=0)), at((*place, 0, 0), inner)), self.name)


class ScanRowsByGroup(ScanRows):
    """A work-group of one work-item for each row."""

    name = "row_group"
    rule = map_to_workgroup


class ScanRowsByItem(ScanRows):
    """A work-item for each row."""

    name = "row_item"
    rule = map_to_global


class ScanColumns(Schedule):
    """A work-item for some neighbouring columns of a matrix, one in each lane of a vector; one for each that is left.

    The matrix is read and written transposed: `join (transpose (map (scan f z) (transpose xss)))`.
    """

    name = "columns"

    @staticmethod
    def _columns(e: Expr) -> tuple[Path, Map, Scan] | None:
        """The map over columns, its place, and the scan of one over the opened variable."""
        place: Path = ()
        transposed = False
        while isinstance(e, (Join, Transpose)):
            transposed = transposed or isinstance(e, Transpose)
            place, e = (*place, 0), e.xs
        found = ScanRows.row(e) if transposed else None
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
        return _WIDTHS if fits else (1,)

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
        hint = when(ahead > 0, seq(use(prefetch_input, distance=ahead), use(prefetch_output, distance=ahead)))
        item = seq(use(map_to_global, dim=0), at((0, 0), seq(in_turns, hint)))
        m = length(columns)
        whole = width * (m // width)
        if width == 1 or whole.value == 0:
            return start.then(at(place, item), self.name)
        wide = seq(use(vectorise_scans, width=width), at((0, 1, 0), seq(at((0, 0), push_maps), item)))
        return start.then(at(place, ragged(m, whole, wide, item)), self.name)
