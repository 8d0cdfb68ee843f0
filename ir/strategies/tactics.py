"""Macro rules: strategies with a name, built of rules only (ICFP 2015, section 6.1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from ir.core.expr import Expr, Lambda
from ir.core.patterns import MAP, REDUCE, AsScalar, Concat, Join, Map, Memory, Reduce, is_view_map
from ir.core.sizes import Size, SizeLike
from ir.rewrite.places import Place, array, below, body, function, here, joined, part
from ir.rewrite.rule import Context
from ir.rewrite.strategy import Rewritten, Strategy, at, choice, everywhere, seq, succeed, try_, use
from ir.rules import views
from ir.rules.accuracy import reduce_in_blocks, reduce_to_pairs
from ir.rules.algorithmic import (
    id_elimination,
    join_after_split,
    map_fusion,
    reduce_seq_fusion,
    reorder_after_map,
    scan_seq_fusion,
    split_after_join,
    split_join,
)
from ir.rules.common import element, is_monoid, is_scalar_like, length
from ir.rules.compensation import adds_floats, is_compensated
from ir.rules.generate import generate_to_map
from ir.rules.lowering import (
    map_to_global,
    map_to_local,
    map_to_seq,
    map_to_workgroup,
    reduce_to_seq,
    reorder_to_stride,
    scan_to_seq,
    unroll,
)
from ir.rules.memory import prefetch_input, to_private
from ir.rules.ragged import reduce_partition
from ir.rules.reduction import (
    part_reorder,
    part_split,
    part_to_reduce,
    reduce_from_first,
    reduce_interleave,
    reduce_to_part,
    reduce_to_parts,
)
from ir.rules.scan import scan_map_fusion
from ir.rules.vectorise import is_vectorisable, reorder_vectors, vect_propagation, vector_after_map, vectorise_reduce

__all__ = [
    "Folding", "alone_over", "at_parts", "count_of_rows", "cut_reduction", "few", "fold", "fold_exact", "fold_ragged",
    "fuse_maps", "in_order", "in_pairs", "is_open_map", "keep", "operand_is_vectorisable", "over", "parts_over",
    "push_maps", "reorder_below_maps", "row_of", "rows_in", "sequential", "split_over", "split_parts", "strided",
    "sums_in_blocks", "to_grid", "to_groups", "to_items", "when", "whole_over",
]  # fmt: skip


to_groups: Strategy = use(map_to_workgroup, dim=0)
to_items: Strategy = use(map_to_local, dim=0)
to_grid: Strategy = use(map_to_global, dim=0)
"""A map over work-groups, over the work-items of a group, or over all work-items, in the first dimension."""


def when(wanted: bool, strategy: Strategy) -> Strategy:
    """The strategy if `wanted`, else nothing."""
    return strategy if wanted else succeed


def over(level: Strategy, inner: Strategy) -> Strategy:
    """map f  ->  mapX f'      the map given to a level of the machine, and what f gives lowered by `inner`"""
    return seq(level, at(body, inner))


def alone_over(level: Strategy) -> Strategy:
    """map f  ->  mapX f'      the map given to a level of the machine, each element computed by one work-item"""
    return seq(level, at(function, sequential))


def split_over(n: SizeLike, level: Strategy, inner: Strategy) -> Strategy:
    """map f  ->  join ∘ mapX (map f) ∘ split n      the maps over a chunk lowered by `inner`"""
    return seq(use(split_join, n=n), at(joined, over(level, inner)))


def at_parts(*strategies: Strategy) -> Strategy:
    """Each part of a concat by a strategy of its own."""
    return seq(*(at(part(i), strategy) for i, strategy in enumerate(strategies)))


def row_of(e: Expr) -> Expr | None:
    """What is made of a row, over the opened variable: f of `join (map (λrow. f) xss)`, or without the join."""
    rows = e.xs if isinstance(e, Join) else e
    return body.of(rows) if isinstance(rows, Map) and rows.how == MAP else None


def rows_in(e: Expr) -> Place:
    """Where that map stands."""
    return joined if isinstance(e, Join) else here


def count_of_rows(e: Expr) -> Size:
    """How many rows there are."""
    rows = rows_in(e).of(e)
    assert isinstance(rows, Map)
    return length(rows)


def cut_reduction(n: Size, whole: Size, parts: int, each: Strategy, rest: Strategy, store: Strategy) -> Strategy:
    """reduce f z xs  ->  reduce f z (concat(reducePart f z p ys, reduce f z zs))      where ys are the first `whole`

    The reductions of the parts are lowered by `each`, that of what is left by `rest`; `store` keeps their results.
    """
    if whole is n:
        return seq(use(reduce_to_parts, parts=parts), at(array, seq(each, store)))
    return seq(use(reduce_partition, at=whole, parts=parts), at(array, seq(at_parts(each, rest), store)))


def fuse_maps(e: Expr, context: Context) -> Rewritten | None:
    """Two maps that compute become one; a map that only rearranges stays apart, so that others can be moved past it."""
    return None if isinstance(e, Map) and is_view_map(e.xs) else map_fusion(e, context)


_PUSH = (
    views.slice_after_map, views.split_after_map, views.join_after_map, views.transpose_after_map,
    views.stride_after_map, views.element_after_map, views.view_map_after_map, vector_after_map, vect_propagation,
    split_after_join, join_after_split, id_elimination, views.gather_after_map, views.gather_computed,
    generate_to_map,
)  # fmt: skip


def push_maps(e: Expr, context: Context) -> Rewritten:
    """Move maps below the views they are read through, and fuse those that meet."""
    return everywhere(choice(*_PUSH, fuse_maps))(e, context)  # type: ignore[return-value]  # repeat always succeeds


def _map_to_seq(e: Expr, context: Context) -> Rewritten | None:
    """A map that computes something; one that only rearranges stays an index function."""
    return None if is_view_map(e) else map_to_seq(e, context)


_SEQUENTIAL: tuple[Strategy, ...] = (
    _map_to_seq, reduce_to_seq, reduce_seq_fusion, scan_to_seq, scan_seq_fusion, scan_map_fusion,
)  # fmt: skip


def sequential(e: Expr, context: Context) -> Rewritten:
    """Every map, reduce and scan that is still open runs in order in one work-item; maps fuse into the reductions and
    scans that read them.
    """
    return everywhere(choice(fuse_maps, *_SEQUENTIAL))(e, context)  # type: ignore[return-value]


def keep(e: Expr, context: Context) -> Rewritten | None:
    """Whatever sequential result is read by another pattern is kept in private memory."""
    if isinstance(e, Memory):
        return Rewritten(e, ())
    if isinstance(e, Concat):
        return at_parts(*(keep for _ in e.operands))(e, context)
    return to_private(e, context)


def in_order(e: Expr, context: Context) -> Rewritten | None:
    """A reduction, carried out from the first element to the last."""
    return sequential(e, context) if isinstance(e, Reduce) else None


def few(count: int) -> Strategy:
    """A reduction of so few elements that it needs no loop; sums of floats are formed in pairs."""

    def run(e: Expr, context: Context) -> Rewritten | None:
        if not isinstance(e, Reduce):
            return None
        if is_compensated(e.f):
            block = when(count > 1, use(reduce_in_blocks, ways=count))
            return seq(block, reduce_from_first, sequential)(e, context)
        return seq(sequential, unroll)(e, context)

    return run


@dataclass(frozen=True)
class Folding:
    """How one work-item folds an array.

    width : elements in a vector
    ways : accumulators; for sums of floats, elements that are added in pairs before they reach the one accumulator
    apart : whether each of these comes from a contiguous share of its own; else they are neighbouring elements
    prefetch : how many elements ahead memory is asked, 0 for not at all
    """

    width: int = 1
    ways: int = 1
    apart: bool = False
    prefetch: int = 0

    @classmethod
    def of(cls, choices: Mapping[str, int]) -> Folding:
        """The folding that a schedule's parameters describe."""
        apart, prefetch = bool(choices.get("apart", 0)), choices.get("prefetch", 0)
        return cls(choices["width"], choices["ways"], apart, prefetch)

    @property
    def ahead(self) -> int:
        """Turns of the loop by which memory is asked ahead."""
        return self.prefetch // (self.width if self.apart else self.step)

    @property
    def step(self) -> int:
        """Elements taken in one turn."""
        return self.width * self.ways


def fold_exact(how: Folding) -> Strategy:
    """A reduction whose length is a multiple of `how.step`: vectors, and several accumulators of them."""
    vectors = seq(push_maps, _accumulators(how) if how.ways > 1 else seq(sequential, _ahead(how)))
    if how.width == 1:
        return vectors
    # reduce f z (asScalar (reduce (vect f) ... (asVector (map g xs))))
    inner = seq(vectors, to_private)
    return seq(use(vectorise_reduce, width=how.width), at(array / below(AsScalar), inner), few(how.width))


def _ahead(how: Folding) -> Strategy:
    return when(how.ahead > 0, use(prefetch_input, distance=how.ahead))


def _accumulators(how: Folding) -> Strategy:
    """Several accumulators, folded together in the end; for sums of floats one, to which the sums of blocks are added:
    its corrections take more instructions than all else, and so they are shared by the elements of a block.
    """

    def run(e: Expr, context: Context) -> Rewritten | None:
        assert isinstance(e, Reduce)
        if is_compensated(e.f):
            return seq(use(reduce_in_blocks, ways=how.ways), sequential, _ahead(how))(e, context)
        return seq(
            use(reduce_interleave, ways=how.ways),
            at(array, seq(_ahead(how), to_private)),
            map_to_seq,
        )(e, context)

    return seq(when(how.apart, _stride_apart(how.ways)), run)


def _stride_apart(ways: int) -> Strategy:
    """reduce f z  ->  reduce f z ∘ reorderStride (n / ways)"""

    def run(e: Expr, context: Context) -> Rewritten | None:
        if not isinstance(e, Reduce):
            return None
        return seq(
            reduce_to_part,
            part_reorder,
            part_to_reduce,
            at(array, use(reorder_to_stride, stride=length(e.xs) // ways)),
            push_maps,
        )(e, context)

    return run


def fold_ragged(how: Folding) -> Strategy:
    """A reduction of any length: a body of whole vectors, and the tail one by one."""

    def run(e: Expr, context: Context) -> Rewritten | None:
        step = how.step
        if step == 1 or not isinstance(e, Reduce):
            return seq(push_maps, in_order)(e, context)
        n = length(e.xs)
        whole = (n // step) * step
        if whole.value == 0:
            return seq(push_maps, in_order)(e, context)
        if whole is n:
            return fold_exact(how)(e, context)
        both = at_parts(seq(part_to_reduce, fold_exact(how), keep), seq(push_maps, in_order, keep))
        cut = use(reduce_partition, at=whole, parts=1)
        return seq(cut, at(array, both), reduce_from_first, map_to_seq)(e, context)

    return run


def fold(how: Folding) -> Strategy:
    """The reduction that stands here in one work-item, as wide as asked where that is possible."""

    def run(e: Expr, context: Context) -> Rewritten | None:
        if not isinstance(e, Reduce) or e.how != REDUCE or not is_monoid(e.f, e.init):
            return seq(push_maps, in_order)(e, context)
        wide = is_vectorisable(e.f) and is_scalar_like(e.init.type) and operand_is_vectorisable(e.xs)
        return fold_ragged(how if wide else replace(how, width=1))(e, context)

    return run


def sums_in_blocks(how: Folding) -> Strategy:
    """A sum with corrections in one work-item, in blocks; nothing else, nor where the length leaves no whole block."""

    def run(e: Expr, context: Context) -> Rewritten | None:
        return fold(how)(e, context) if isinstance(e, Reduce) and is_compensated(e.f) else None

    return run


def in_pairs(how: Folding) -> Strategy:
    """The reduction that stands here in one work-item: sums of floats as sums of pairs, added up in the end."""

    def run(e: Expr, context: Context) -> Rewritten | None:
        if not isinstance(e, Reduce) or not adds_floats(e.f):
            return fold(how)(e, context)
        return seq(reduce_to_pairs, at(array, seq(fold(how), keep)), map_to_seq)(e, context)

    return run


def operand_is_vectorisable(xs: Expr) -> bool:
    """Can what a reduction reads be read in vectors: maps of scalar functions over scalars?"""
    while isinstance(xs, Map) and xs.how == MAP:
        if not is_vectorisable(xs.f):
            return False
        xs = xs.xs
    return is_scalar_like(element(xs))


split_parts: Strategy = seq(use(part_split, parts=1), at(joined / body, part_to_reduce))
"""reducePart f z n  ->  join ∘ map (reduce f z) ∘ split"""


def parts_over(level: Strategy, inner: Strategy) -> Strategy:
    """reducePart f z n  ->  join ∘ mapX (reduce f z) ∘ split      the reduction of a part lowered by `inner`"""
    return seq(split_parts, push_maps, at(joined, over(level, inner)))


def whole_over(level: Strategy, inner: Strategy) -> Strategy:
    """reduce f z  ->  join ∘ mapX (reduce f z) ∘ split n      for all n elements: there is one part"""
    return seq(reduce_to_part, parts_over(level, inner))


def strided(stride: int, width: int) -> Strategy:
    """reorder  ->  reorderStride, of vectors where they are asked for"""
    lower = use(reorder_to_stride, stride=stride)
    return seq(use(reorder_vectors, width=width), at(below(AsScalar), lower)) if width > 1 else lower


reorder_below_maps: Strategy = try_(reorder_after_map)
"""reorder ∘ map f  ->  map f ∘ reorder, where there is a map"""


def is_open_map(e: Expr) -> bool:
    """A map that computes something, not yet given to any level of the machine."""
    return isinstance(e, Map) and e.how == MAP and isinstance(e.f, Lambda) and not is_view_map(e)
