"""Schedules in which the work-items of a group scan together: each a few elements, their sums in local memory.

Blocks are scanned one after the other, each in local memory, so that neighbouring work-items read and write
neighbouring elements, and in as many parts as the group has work-items. What the parts combine to is scanned by
doubling distances.
"""

from __future__ import annotations

from dataclasses import dataclass

from ir.core.expr import Expr
from ir.core.patterns import SCAN, Head, Reduce, Scan
from ir.core.signature import LANES
from ir.core.sizes import Size, SizeLike, is_le, minimum, power, size, var
from ir.core.types import Type
from ir.cost.thresholds.scans import (
    SCAN_TREE,
    SCAN_TREE_FOLDED_EACH,
    SCAN_TREE_FOLDED_SUMS,
    SCAN_TREE_MANY_SUMS,
    SCAN_TREE_OF_MANY_SUMS,
    SCAN_TREE_SUMS_EACH,
    SCAN_TREE_SUMS_GROUP,
    SCANNED_ROW_GROUP,
)
from ir.rewrite.derivation import Derivation
from ir.rewrite.places import array, below, body, joined, part
from ir.rewrite.rule import Context
from ir.rewrite.strategy import Rewritten, Strategy, at, choice, everywhere, of, once, seq, tactic, try_, use
from ir.rules.common import length
from ir.rules.compensation import adds_floats
from ir.rules.folds.accuracy import reduce_to_pairs
from ir.rules.folds.scan import scan_from_carry, scan_in_one_part, scan_split
from ir.rules.folds.scan_by_group import (
    scan_before_carry,
    scan_by_doubling,
    scan_by_lanes,
    scan_by_reductions,
    scan_in_turns,
    scan_pad,
)
from ir.rules.maps.algorithmic import map_identity, split_after_join, split_join
from ir.rules.opencl.lowering import map_to_seq, unroll
from ir.rules.opencl.memory import rows_to_private, to_global, to_local, to_private
from ir.schedules.reductions.folding import Folding, in_pairs
from ir.schedules.reductions.trees import fold_in_group
from ir.schedules.rows.dependent import reduce_inside
from ir.schedules.rows.finished import finish
from ir.schedules.scans.chains import ScanRows
from ir.schedules.scans.scanning import carries, part_of_zip, scan_cut, scan_in_order, scans_in_parts, short_carries
from ir.schedules.schedule import (
    MACHINE,
    Choices,
    Constraint,
    Machine,
    Parameter,
    Schedule,
    bytes_of,
    product_of,
    scalars_of,
)
from ir.schedules.tactics import over, push_maps, rows_in, sequential, to_groups, to_items

__all__ = ["ScanRowsByTree", "ScanTree", "fits_a_scan", "in_corrected_pairs", "scan_row"]

_LOCAL = (32, 64, 128, 256, 512, 1024)
_BY_LANES = Parameter("lanes", (0, LANES))
_HAS_LANES = Constraint.le(var("lanes", 0), MACHINE["warp_size"], "work-items in a warp")
_EACH = (3, 5, 9, 17)
"""Elements of a work-item: odd, so that parts begin in different banks of local memory."""


def scan_row(local: int, each: int, *, corrects: bool = False, lanes: bool = False) -> Strategy:
    """scan f c, or map (f c) ∘ scan f z, over any number of elements by the work-items of one group: block after block,
    the last one filled up.

    A block is copied to local memory, from where each work-item takes its part into private memory. What is scanned
    goes the same way back; what comes before the block is combined with it on the way out.

    Args:
        corrects: whether a work-item corrects sums of floats for what rounding took from its part
        lanes: whether the sums of the parts go from lane to lane of warps
    """
    block = size(local * each)
    by_neighbours = seq(use(split_join, n=local), at(joined, over(map_to_seq, over(to_items, sequential))))
    copied = seq(push_maps, try_(map_identity), by_neighbours, to_local)
    kept = at(joined, seq(over(to_items, seq(map_to_seq, unroll)), rows_to_private))
    own = seq(copied, map_identity, use(split_join, n=each), kept)
    folded = over(to_items, in_pairs(Folding()) if corrects or lanes else sequential)
    exclusive = scan_by_lanes if lanes else scan_by_doubling
    sums = seq(at(array / part(1), seq(push_maps, at(joined, folded), to_local)), exclusive)
    parts = over(to_items, seq(scan_in_order if corrects else seq(push_maps, sequential), unroll))
    split = seq(use(scan_split, n=each), at(joined / array / part(1), split_after_join))
    in_local = seq(at(array, own), split, at(carries, sums), at(joined, parts), to_local)
    one_block = seq(choice(scan_before_carry, map_identity), at(array, in_local), by_neighbours)

    def turns(e: Expr, context: Context) -> Rewritten | None:
        # What is scanned stands in both parts of a turn, and is derived alike: it is computed once.
        scanned = once(_of_scan(in_local))
        carried = seq(everywhere(scanned), at(array, seq(push_maps, sequential, unroll, to_private)))
        turn = seq(at(part(0), carried), at(part(1), seq(at(array, scanned), by_neighbours)))
        return seq(at(array, push_maps), use(scan_in_turns, n=block), at(joined / body, turn))(e, context)

    def run(e: Expr, context: Context) -> Rewritten | None:
        n = length(e)
        lower, missing = (one_block, block - n) if is_le(n, block) else (turns, -n % block)
        filled_up = lower if missing is size(0) else seq(use(scan_pad, count=missing), at(below(Head), lower))
        return seq(try_(scan_from_carry), filled_up)(e, context)

    return run


@tactic
def in_corrected_pairs(e: Expr, folded: Strategy) -> Strategy:
    """The reduction that stands here, lowered by `folded`; one of floats with corrections, which come in at the end."""
    if isinstance(e, Reduce) and adds_floats(e.f):
        return seq(reduce_to_pairs, at(array, seq(push_maps, folded)), finish)
    return folded


def _of_scan(strategy: Strategy) -> Strategy:
    """The strategy, where a scan stands that is still open."""
    return of(Scan)(lambda e, context: strategy(e, context) if isinstance(e, Scan) and e.how == SCAN else None)


def _lanes_of(machine: Machine) -> int:
    """The lanes of the machine's warps, where these hand on what they have; 0 elsewhere."""
    return LANES if machine.warp_size == LANES else 0


def _fitting(
    t: Type, local: int, n: int, machine: Machine, each: tuple[int, ...] = _EACH, lanes: int = 0
) -> dict[str, int]:
    """So many elements for each work-item of a group that n are a block, as far as local memory allows; fewer
    work-items where it does not allow the least. Some bytes are left for what comes before the block.
    """
    local = min(local, machine.max_work_group_size)
    kept = {
        (items, some): _kept(t, items, some, lanes).evaluate({}) for items in _LOCAL if items <= local for some in each
    }
    fits = {pair for pair, count in kept.items() if count < machine.local_memory_bytes} or {(_LOCAL[0], each[0])}
    local = max(items for items, _ in fits)
    allowed = [some for some in each if (local, some) in fits]
    return {"local": local, "each": next((some for some in allowed if local * some >= n), allowed[-1])}


def _kept(t: Type, local: SizeLike, each: SizeLike, lanes: SizeLike = 0) -> Size:
    """Bytes of local memory: a block, twice what the parts combine to, and corrections of what is reduced before; where
    lanes hand on what they have, both before and behind that, and what other devices hand it on through.
    """
    handed = sum({8 if scalar.bytes == 8 else 4 for scalar in scalars_of(t)})
    return size(local) * ((size(each) + 3) * bytes_of(t) + minimum(lanes, 1) * (bytes_of(t) + handed))


def fits_a_scan(
    t: Type, local: SizeLike, each: SizeLike, beside: SizeLike = 0, lanes: SizeLike = 0
) -> list[Constraint]:
    """A group fits the device, and its block and the sums of the parts fit local memory beside so many bytes."""
    return [
        Constraint.le(local, MACHINE["max_work_group_size"], "work-items in a work-group"),
        Constraint.le(_kept(t, local, each, lanes) + beside, MACHINE["local_memory_bytes"], "bytes of local memory"),
    ]


class ScanTree(Schedule):
    """A block for each work-group: one kernel reduces the blocks, a group scans the sums, and one scans the blocks.

    Many sums are scanned in the same way. Of few sums each group folds those of the blocks before its own.
    """

    name = "tree"
    exchanges = True
    reads_again = True

    def matches(self, e: Expr) -> bool:
        """Scans that may be regrouped."""
        return scans_in_parts(e)

    def parameters(self, e: Expr) -> tuple[Parameter, ...]:
        """How many work-items in a group, how many elements for each; whether the sums of the blocks are scanned in
        blocks, too; work-items of the group that scans all sums, or 0 where each group folds those before its block;
        lanes of the warps that combine the sums of a block, or 0 where local memory is between all work-items.
        """
        counts = (Parameter("local", _LOCAL), Parameter("each", _EACH))
        return (*counts, Parameter("levels", (1, 2)), Parameter("sums", (0, *_LOCAL)), _BY_LANES)

    def default(self, e: Expr, machine: Machine, elements: int) -> dict[str, int]:
        """Smaller blocks where the array is short, and each group folds sums as far as they are few; many sums are
        scanned in blocks, too.
        """
        assert isinstance(e, Scan)
        lanes = _lanes_of(machine)

        def blocks(local: int, each: int) -> tuple[dict[str, int], int]:
            found = _fitting(e.init.type, local, local * each, machine, lanes=lanes)
            return {**found, "lanes": lanes}, elements // (found["local"] * found["each"])

        few, small = blocks(*SCAN_TREE[max(n for n in SCAN_TREE if elements >= n * machine.compute_units)])
        if small <= SCAN_TREE_FOLDED_SUMS:
            return {**few, "levels": 1, "sums": 0}
        many, count = blocks(*SCAN_TREE_OF_MANY_SUMS)
        if lanes and count <= SCAN_TREE_FOLDED_SUMS:
            return {**many, "levels": 1, "sums": 0}
        if count >= SCAN_TREE_MANY_SUMS and small // (few["local"] * few["each"]) <= SCAN_TREE_FOLDED_SUMS:
            return {**few, "levels": 2, "sums": 0}
        sums = _fitting(e.init.type, SCAN_TREE_SUMS_GROUP, 0, machine, (SCAN_TREE_SUMS_EACH,))
        return {**many, "levels": 1 + (count >= SCAN_TREE_MANY_SUMS), "sums": sums["local"]}

    def constraints(self, e: Expr) -> list[Constraint]:
        """Groups that fit, and a block at least."""
        assert isinstance(e, Scan)
        local, block, sums = var("local", 1), product_of("local", "each"), var("sums", 0)
        folds, blocks = 1 - minimum(sums, 1), power(block, var("levels", 1))
        return [
            *fits_a_scan(e.init.type, local, var("each", 1), folds * bytes_of(e.init.type), var("lanes", 0)),
            *fits_a_scan(e.init.type, sums, SCAN_TREE_SUMS_EACH),
            Constraint.le(blocks, length(e), "elements in a block, or in a block of blocks"),
            _HAS_LANES,
            Constraint.le(folds * (length(e) // blocks), SCAN_TREE_FOLDED_SUMS, "sums that each group folds"),
            *short_carries(e, blocks, sums * SCAN_TREE_SUMS_EACH + folds * local * SCAN_TREE_FOLDED_EACH),
        ]

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """concat(join ∘ mapWorkgroup (scan_row) ∘ zip carries ∘ split, the tail), carries = toGlobal (mapWorkgroup
        (scan_row) ∘ sums), sums = toGlobal (mapWorkgroup (fold_in_group)), or mapWorkgroup (scan_row ∘ fold_in_group) ∘
        zip sums ∘ split
        """
        blocks = _Blocks(choices["local"], choices["each"], choices["sums"], bool(choices["lanes"]))
        return start.then(blocks.scan(length(start.result), choices["levels"]), self.name)


@dataclass(frozen=True)
class _Blocks:
    """Blocks of `local * each` elements, whose sums are scanned by so many work-items (`sums`), or, if that is 0,
    folded by each group that scans a block.
    """

    local: int
    each: int
    sums: int
    lanes: bool

    def scan(self, n: Size, levels: int, *, corrects: bool = False) -> Strategy:
        """scan f z over n elements in blocks; their sums are scanned by a group, or folded, or scanned in blocks
        themselves if there are more levels, with corrections.
        """
        block = self.local * self.each
        count, row = n // block, scan_row(self.local, self.each, corrects=corrects, lanes=self.lanes)
        folded = in_corrected_pairs(fold_in_group(self.local, Folding(1, self.each), lanes=self.lanes))
        sums = at(array / part(1), seq(push_maps, at(joined, over(to_groups, folded)), to_global))
        if levels == 1 and not self.sums:
            how, missing = Folding(1, SCAN_TREE_FOLDED_EACH), -count % (self.local * SCAN_TREE_FOLDED_EACH)
            before = in_corrected_pairs(seq(push_maps, fold_in_group(self.local, how, lanes=self.lanes)))
            blocks = part_of_zip(to_groups, seq(reduce_inside(seq(before, to_local)), row))
            return scan_cut(n, block * count, block, seq(sums, use(scan_by_reductions, count=missing)), blocks, blocks)
        number = count if block * count is n else count + 1
        one_group = over(to_groups, scan_row(self.sums, SCAN_TREE_SUMS_EACH, corrects=True))
        by_one_group = seq(scan_in_one_part, at(joined, one_group))
        scanned = by_one_group if levels == 1 else self.scan(number, levels - 1, corrects=True)
        blocks = part_of_zip(to_groups, row)
        return scan_cut(n, block * count, block, seq(sums, scanned, to_global), blocks, blocks)


class ScanRowsByTree(ScanRows):
    """A work-group for each row."""

    name = "row_tree"
    exchanges = True

    def matches(self, e: Expr) -> bool:
        """The scans of the rows of a matrix, if they may be regrouped and are not known to be very short."""
        row = self.row(e)
        return row is not None and scans_in_parts(row) and bool(self._groups(e))

    def _groups(self, e: Expr) -> tuple[int, ...]:
        """How many work-items may share a row: where its length is known, no more than there are elements."""
        n = length(self._row(e)).value
        return tuple(local for local in _LOCAL if n is None or local <= n)

    def parameters(self, e: Expr) -> tuple[Parameter, ...]:
        """How many work-items in a group, how many elements each has of a block, and lanes of the warps that combine
        sums, or 0.
        """
        return (Parameter("local", self._groups(e)), Parameter("each", _EACH), _BY_LANES)

    def default(self, e: Expr, machine: Machine, elements: int) -> dict[str, int]:
        """So many work-items that one block is a row, as far as that goes."""
        groups = [n for n in self._groups(e) if n <= SCANNED_ROW_GROUP]
        local = next((n for n in groups if n * _EACH[-1] >= elements), groups[-1])
        lanes = _lanes_of(machine)
        return {**_fitting(self._row(e).init.type, local, elements, machine, lanes=lanes), "lanes": lanes}

    def constraints(self, e: Expr) -> list[Constraint]:
        """Groups that fit, and carries with bounded rounding errors."""
        row = self._row(e)
        fits = fits_a_scan(row.init.type, var("local", 1), var("each", 1), 0, var("lanes", 0))
        return [*short_carries(row, "local", "each"), *fits, _HAS_LANES]

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """join ∘ mapWorkgroup (scan_row)"""
        inner = scan_row(choices["local"], choices["each"], lanes=bool(choices["lanes"]))
        return start.then(at(rows_in(start.result), over(to_groups, seq(push_maps, inner))), self.name)
