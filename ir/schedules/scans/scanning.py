"""How one work-item, or several, scan an array: strategies for `scan f z xs`, whatever its length."""

from __future__ import annotations

from dataclasses import dataclass

from ir.core.expr import Expr, postorder
from ir.core.patterns import SCAN, AsScalar, Call, Map, Scan, Slice
from ir.core.sizes import Size, SizeLike
from ir.core.types import BOOL, ScalarType
from ir.cost.thresholds.reductions import CHAIN_AT_MOST, REDUCTION_WAYS
from ir.cost.thresholds.scans import SCAN_PARTS_UNROLLED_BELOW
from ir.rewrite.places import Place, array, below, function, here, joined, part
from ir.rewrite.rule import Context
from ir.rewrite.strategy import Rewritten, Strategy, at, choice, seq, succeed, tactic, use
from ir.rules.common import is_exact_monoid, length, neutral
from ir.rules.compensation import adds_floats
from ir.rules.folds.accuracy import scan_to_pairs
from ir.rules.folds.scan import scan_split, vectorise_scan, vectorise_sums
from ir.rules.maps.algorithmic import vector_after_scalar
from ir.rules.maps.fusion import fuse_operand
from ir.rules.opencl.lowering import map_to_seq, scan_to_seq, unroll
from ir.rules.opencl.vectorise import is_vectorisable, vect_propagation, vectorise_map
from ir.schedules.cuts import scan_partition
from ir.schedules.maps.flat import WIDTHS, prefetching_both
from ir.schedules.reductions.chains import longest_sum
from ir.schedules.reductions.folding import Folding, in_pairs, operand_is_vectorisable
from ir.schedules.schedule import Choices, Constraint, product_of
from ir.schedules.tactics import at_parts, keep, over, push_maps, sequential, when

__all__ = [
    "Scanning", "carries", "longest_carry", "part_of_zip", "scan_by_item", "scan_cut",
    "scan_in_order", "scan_in_parts", "scan_widths", "scans_in_parts", "short_carries",
]  # fmt: skip


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


def short_carries(e: Expr, *factors: str | Size) -> list[Constraint]:
    """The result is carried from vector to vector few enough times for its rounding errors to stay small."""
    assert isinstance(e, Scan)
    z = neutral(e.f)
    if not scans_in_parts(e) or z is None or is_exact_monoid(e.f, z):
        return []
    return [Constraint.le(length(e) // product_of(*factors), longest_carry(e), "roundings in one carry")]


def longest_carry(e: Scan) -> int:
    """Values that one carry takes in at most."""
    return longest_sum(e.init.type) if adds_floats(e.f) else CHAIN_AT_MOST


@dataclass(frozen=True)
class Scanning:
    """How one work-item scans an array.

    Attributes:
        width: elements in a vector
        parts: parts, each of which starts from what those before it combine to; 1 for a scan in one go
        prefetch: how many elements ahead memory is asked, 0 for not at all
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


def _carried_exact(how: Scanning) -> Strategy:
    """map (f c) ∘ scan f z over a multiple of `how.width`: each vector of the scan is combined with the carry."""
    if how.width == 1:
        return scan_exact(how)
    vectors = seq(_vectors(how.width), at(below(AsScalar), seq(push_maps, sequential)))
    results = seq(at(array, vector_after_scalar), at(function, vect_propagation), sequential, _hint(how))
    return seq(at(array, vectors), use(vectorise_map, width=how.width), at(below(AsScalar), results))


def part_of_zip(lower: Strategy, inner: Strategy) -> Strategy:
    """join (map (λ(c, part). map (f c) (scan f z part)) (zip(carries, parts))), the map lowered, parts by `inner`"""
    pushed = at(array, at_parts(push_maps, push_maps))
    return at(joined, seq(pushed, _take_in(1), _take_in(0), over(lower, inner)))


@tactic
def _take_in(e: Expr, operand: int) -> Strategy:
    """map f (zip(carries, map g parts))  ->  map (λ(c, part). f (c, g part)) (zip(carries, parts)); so for carries"""
    return use(fuse_operand, operand=operand) if isinstance((array / part(operand)).of(e), Map) else succeed


carries: Place = joined / array / part(0)
"""Where the carries of the parts stand in such a map."""


def _in_each_part(strategy: Strategy) -> Strategy:
    """A strategy at the carries of both parts of a concat: all but the last ones, and those."""
    return at_parts(*[at(carries / below(Slice), strategy)] * 2)


def scan_in_parts(n: Size, share: Size, count: int, lower: Strategy, store: Strategy, how: Scanning) -> Strategy:
    """A scan of n elements in `count` parts of a length, and the rest; `lower` gives parts to a level of the machine,
    `store` keeps their sums and their carries.
    """
    folded = in_pairs(Folding(how.width, REDUCTION_WAYS, prefetch=how.prefetch))
    sums = seq(push_maps, at(joined, over(lower, folded)), store)
    in_order = choice(scan_to_pairs, scan_to_seq)
    scanned = seq(at(array / part(1), sums), in_order, when(count < SCAN_PARTS_UNROLLED_BELOW, unroll), store)
    each, rest = part_of_zip(lower, _carried_exact(how)), part_of_zip(lower, scan_in_order)
    return scan_cut(n, count * share, share, scanned, each, rest)


def scan_cut(n: Size, whole: Size, share: SizeLike, scanned: Strategy, each: Strategy, rest: Strategy) -> Strategy:
    """A scan of n elements, the first `whole` of them in parts of a length, and what is left in one more.

    The scan of the parts' sums is lowered by `scanned`, a part by `each`, and what is left by `rest`.
    """
    if whole is n:
        return seq(use(scan_split, n=share), at(carries, scanned), each)
    return seq(scan_partition(whole, share), _in_each_part(scanned), at_parts(each, rest))


@tactic
def scan_by_item(e: Scan, how: Scanning) -> Strategy:
    """A scan of any length in one work-item."""
    n, block = length(e), how.width * how.parts
    if how.parts == 1 and (n // block) * block is n:
        return scan_exact(how)
    if block == 1 or (n // block).value == 0:
        return scan_in_order
    share = how.width * (n // block)
    return scan_in_parts(n, share, how.parts, map_to_seq, keep, how)
