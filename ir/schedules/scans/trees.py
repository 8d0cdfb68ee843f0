"""Schedules in which the work-items of a group scan together: each a few elements, their sums in local memory.

A block is scanned in as many parts as the group has work-items. The sums of the parts lie in local memory, where they
are scanned in parts in turn: some work-items reduce a few sums each, one scans what they find, and they go on from
there. The block may lie in local memory, too, before and after.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ir.core.expr import Expr
from ir.core.patterns import AsScalar, Reduce, Scan
from ir.core.sizes import Size, SizeLike, power, size, var
from ir.core.types import Type
from ir.cost.thresholds.defaults import GPU_VECTOR_AT_MOST
from ir.cost.thresholds.scans import (
    SCAN_TREE,
    SCAN_TREE_MANY_SUMS,
    SCANNED_ROW_PER_ITEM_AT_LEAST,
)
from ir.rewrite.derivation import Derivation
from ir.rewrite.places import array, below, body, here, joined, part
from ir.rewrite.rule import Context
from ir.rewrite.strategy import Rewritten, Strategy, at, seq, try_, use
from ir.rules.common import length
from ir.rules.folds.scan import scan_from_carry, scan_in_one_part, scan_split
from ir.rules.layout.views import map_after_join
from ir.rules.maps.algorithmic import map_identity, split_join
from ir.rules.opencl.lowering import map_to_seq, unroll
from ir.rules.opencl.memory import to_global, to_last_group, to_local
from ir.schedules.cuts import scan_partition
from ir.schedules.reductions.folding import Folding, in_pairs
from ir.schedules.reductions.trees import fold_in_group
from ir.schedules.scans.chains import ScanRows
from ir.schedules.scans.scanning import (
    Scanning,
    carried_exact,
    carries,
    in_each_part,
    part_of_zip,
    scan_cut,
    scan_in_order,
    scan_widths,
    scans_in_parts,
    short_carries,
)
from ir.schedules.schedule import MACHINE, Choices, Constraint, Machine, Parameter, Schedule, bytes_of
from ir.schedules.tactics import at_parts, fuse_maps, over, push_maps, rows_in, sequential, to_groups, to_items, when

__all__ = ["ScanRowsByTree", "ScanTree", "fits_a_scan", "scan_row"]

_LOCAL = (32, 64, 128, 256, 512, 1024)
_EACH = (1, 2, 4, 8, 16, 32)
_WAYS = {"levels": (1, 2), "one_kernel": (0, 1), "staged": (0, 1)}

_one_by_one: Strategy = seq(scan_in_order, try_(unroll))


def _folded(e: Expr, context: Context) -> Rewritten | None:
    return in_pairs(Folding())(e, context) if isinstance(e, Reduce) else None


def scan_sums(local: int) -> Strategy:
    """scan f c (concat(repeat 1 z, join (map (reduce f z) parts))) of `local` elements, by the work-items of one group.

    What the parts combine to is kept in local memory and scanned there, in parts whose number is near to their length.
    """
    share = 1 << ((local.bit_length() - 1) // 2)
    sums = at(array / part(1), seq(push_maps, at(joined, over(to_items, _folded)), to_local))
    by_one = seq(scan_in_one_part, at(joined, over(to_items, _one_by_one)), to_local)
    return seq(
        sums,
        use(scan_split, n=share),
        at(carries, seq(sums, by_one)),
        at(joined, over(to_items, seq(scan_from_carry, _one_by_one))),
        to_local,
    )


def scan_block(local: int, each: int, width: int) -> Strategy:
    """map (f c) (scan f z block) where the block has `local * each` elements, `each` of them for each work-item"""
    inner = carried_exact(Scanning(width))
    unrolled = try_(at(below(AsScalar) if width > 1 else here, unroll))
    return seq(
        at(array, seq(use(scan_split, n=each), at(carries, scan_sums(local)))),
        map_after_join,
        at(joined, seq(fuse_maps, at(body, fuse_maps))),
        part_of_zip(to_items, seq(inner, unrolled)),
    )


def scan_block_in_local(local: int, each: int) -> Strategy:
    """The same where neighbouring work-items read and write neighbouring elements: the block is copied to local memory,
    scanned there, and what comes before it combined with it on the way out.
    """
    turns = seq(use(split_join, n=local), at(joined, over(map_to_seq, over(to_items, sequential))))
    copied = seq(push_maps, try_(map_identity), turns, to_local)
    in_parts = seq(use(scan_split, n=each), at(carries, scan_sums(local)), at(joined, over(to_items, _one_by_one)))
    return seq(at(array, seq(at(array, copied), in_parts, to_local)), turns)


def scan_row(n: Size, local: int) -> Strategy:
    """scan f c over n elements, whatever n is: equal shares for all work-items but one, which takes what is left.

    Where n is known to be smaller than a group, fewer work-items have a share.
    """
    while local > 2 and (n // (local - 1)).value == 0:
        local //= 2
    share = n // (local - 1)
    parts = part_of_zip(to_items, _one_by_one)
    cut = scan_partition(share * (local - 1), share)
    return seq(cut, in_each_part(scan_sums(local)), at_parts(parts, parts))


def fits_a_scan(t: Type, local: SizeLike) -> list[Constraint]:
    """A group fits the device, and the sums, those of their parts and the carries of both fit local memory."""
    return [
        Constraint.le(local, MACHINE["max_work_group_size"], "work-items in a work-group"),
        Constraint.le(size(local) * (4 * bytes_of(t)), MACHINE["local_memory_bytes"], "bytes of local memory"),
    ]


class ScanTree(Schedule):
    """A block for each work-group: one kernel reduces the blocks, a group scans the sums, and one scans the blocks.

    Many sums are scanned in the same way.
    """

    name = "tree"
    exchanges = True

    def matches(self, e: Expr) -> bool:
        """Scans that may be regrouped."""
        return scans_in_parts(e)

    def parameters(self, e: Expr) -> tuple[Parameter, ...]:
        """How many work-items in a group, how many elements for each, how wide the vectors are; whether the sums
        of the blocks are scanned in blocks, too; whether the last group to reduce a block scans their sums; whether a
        block is scanned in local memory: then a work-item has one element more, so that parts begin in different banks.
        """
        widths = tuple(w for w in scan_widths(e) if w <= GPU_VECTOR_AT_MOST)
        counts = (Parameter("local", _LOCAL), Parameter("each", _EACH), Parameter("width", widths))
        return (*counts, *(Parameter(name, values) for name, values in _WAYS.items()))

    def default(self, e: Expr, machine: Machine, elements: int) -> dict[str, int]:
        """Blocks in local memory, smaller ones where the array is short; many sums are scanned in blocks, too."""
        assert isinstance(e, Scan)
        start = max(least for least in SCAN_TREE if elements >= least * machine.compute_units)
        local, each = SCAN_TREE[start]
        local = min(local, machine.max_work_group_size)
        while each > 1 and self._kept(e, local, each) > machine.local_memory_bytes:
            each //= 2
        while local > _LOCAL[0] and self._kept(e, local, each) > machine.local_memory_bytes:
            local //= 2
        many = elements >= SCAN_TREE_MANY_SUMS * local * (each + 1)
        handed = int(machine.device_fence and not many)
        return {"local": local, "each": each, "width": 1, "levels": 1 + many, "one_kernel": handed, "staged": 1}

    @staticmethod
    def _kept(e: Scan, local: int, each: int) -> int:
        """Bytes of local memory: a block before and after, an element more for each work-item, and their sums."""
        return (2 * (each + 1) + 4) * local * bytes_of(e.init.type)

    def constraints(self, e: Expr) -> list[Constraint]:
        """Groups that fit, a block at least, vectors within what a work-item takes."""
        staged = var("staged", 0)
        block = var("local", 1) * (var("each", 1) + staged)
        assert isinstance(e, Scan)
        t = e.init.type
        return [
            Constraint.le(staged * (var("width", 1) - 1), size(0), "elements in a vector of what local memory keeps"),
            Constraint.le(
                (staged * 2 * block + 4 * var("local", 1)) * bytes_of(t),
                MACHINE["local_memory_bytes"],
                "bytes of local memory",
            ),
            Constraint.le(power(block, var("levels", 1)), length(e), "elements in a block, or in a block of blocks"),
            Constraint.le(var("width", 1), var("each", 1), "elements in a vector"),
            Constraint.le(var("one_kernel", 0), MACHINE["device_fence"], "work-groups see what others wrote"),
            *short_carries(e, "local", "local", "each"),
            Constraint.le(var("local", 1), MACHINE["max_work_group_size"], "work-items in a work-group"),
        ]

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """concat(join ∘ mapWorkgroup (scan_block) ∘ zip carries ∘ split, the tail), carries = toGlobal (mapWorkgroup
        (scan_row) ∘ toGlobal (mapWorkgroup (fold_in_group))), or toLastGroup
        """
        blocks = _Blocks(
            choices["local"],
            choices["each"] + choices["staged"],
            1 if choices["staged"] else min(choices["width"], choices["each"]),
            bool(choices["one_kernel"]),
            bool(choices["staged"]),
        )
        return start.then(_in_blocks(length(start.result), blocks, choices["levels"]), self.name)


@dataclass(frozen=True)
class _Blocks:
    """Blocks of `local * each` elements: how wide their vectors are, whether the last group to reduce one scans their
    sums (`handed`), and whether they are scanned in local memory (`staged`).
    """

    local: int
    each: int
    width: int
    handed: bool
    staged: bool

    @property
    def scanned(self) -> Strategy:
        """How a block is scanned from a carry."""
        if self.staged:
            return scan_block_in_local(self.local, self.each)
        return scan_block(self.local, self.each, self.width)


def _in_blocks(n: Size, how: _Blocks, levels: int) -> Strategy:
    """scan f z over n elements in blocks; their sums are scanned by a group, or in blocks themselves if there are more
    levels.
    """
    block, local = how.local * how.each, how.local
    count = n // block
    folded = fold_in_group(local, Folding(how.width))
    sums = at(array / part(1), seq(push_maps, at(joined, over(to_groups, folded)), to_global))
    exact = block * count is n
    number = count if exact else count + 1
    one_group = seq(over(to_groups, scan_row(number, local)), when(how.handed, to_last_group))
    by_one_group = seq(scan_in_one_part, at(joined, one_group))
    scanned = by_one_group if levels == 1 else _in_blocks(number, replace(how, width=1), levels - 1)
    blocks = part_of_zip(to_groups, how.scanned)
    tail = part_of_zip(to_groups, seq(scan_from_carry, scan_row(n - block * count, local)))
    return scan_cut(n, block * count, block, seq(sums, scanned, to_global), blocks, tail)


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
        """How many work-items in a group."""
        return (Parameter("local", self._groups(e)),)

    def default(self, e: Expr, machine: Machine, elements: int) -> dict[str, int]:
        """Some elements of a row for each work-item."""
        groups = self._groups(e)
        fitting = [
            n for n in groups if SCANNED_ROW_PER_ITEM_AT_LEAST * n <= elements and n <= machine.max_work_group_size
        ]
        return {"local": max(fitting, default=groups[0])}

    def constraints(self, e: Expr) -> list[Constraint]:
        """Groups that fit, and shares of a row with bounded rounding errors."""
        row = self._row(e)
        return [*short_carries(row, "local"), *fits_a_scan(row.init.type, var("local", 1))]

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """join ∘ mapWorkgroup (scan_row)"""
        inner = scan_row(length(self._row(start.result)), choices["local"])
        return start.then(at(rows_in(start.result), over(to_groups, seq(push_maps, inner))), self.name)
