"""Macro rules: strategies with a name, built of rules only (ICFP 2015, section 6.1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from ir.core.expr import Expr, Lambda
from ir.core.patterns import MAP, REDUCE, Concat, Map, Memory, Reduce, is_view_map
from ir.core.sizes import Size
from ir.core.types import ArrayType
from ir.rewrite.rule import Context
from ir.rewrite.strategy import (
    Rewritten,
    Strategy,
    at,
    choice,
    everywhere,
    seq,
    succeed,
    use,
)
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
)
from ir.rules.compensation import adds_floats, is_compensated
from ir.rules.generate import generate_to_map
from ir.rules.lowering import map_to_seq, reduce_to_seq, reorder_to_stride, scan_to_seq, unroll
from ir.rules.memory import prefetch_input, to_private
from ir.rules.ragged import reduce_partition
from ir.rules.reduction import (
    part_reorder,
    part_split,
    part_to_reduce,
    reduce_from_first,
    reduce_interleave,
    reduce_to_part,
)
from ir.rules.scan import scan_map_fusion
from ir.rules.vectorise import reorder_vectors, vect_propagation, vector_after_map, vectorise_reduce

__all__ = [
    "Folding", "few", "fold", "fold_exact", "fold_ragged", "in_order", "in_pairs",
    "operand_is_vectorisable", "push_maps", "reorder_below_maps", "sequential", "split_parts", "strided",
    "sums_in_blocks", "when",
]  # fmt: skip


def when(wanted: bool, strategy: Strategy) -> Strategy:
    """The strategy if `wanted`, else nothing."""
    return strategy if wanted else succeed


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
        return seq(*(at((i,), keep) for i in range(len(e.operands))))(e, context)
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
    return seq(use(vectorise_reduce, width=how.width), at((2, 0), inner), few(how.width))


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
            at((1,), seq(_ahead(how), to_private)),
            map_to_seq,
        )(e, context)

    return seq(when(how.apart, _stride_apart(how.ways)), run)


def _stride_apart(ways: int) -> Strategy:
    """reduce f z  ->  reduce f z ∘ reorderStride (n / ways)"""

    def run(e: Expr, context: Context) -> Rewritten | None:
        if not isinstance(e, Reduce):
            return None
        assert isinstance(e.xs.type, ArrayType)
        return seq(
            reduce_to_part,
            part_reorder,
            part_to_reduce,
            at((2,), use(reorder_to_stride, stride=e.xs.type.length // ways)),
            push_maps,
        )(e, context)

    return run


def fold_ragged(how: Folding) -> Strategy:
    """A reduction of any length: a body of whole vectors, and the tail one by one."""

    def run(e: Expr, context: Context) -> Rewritten | None:
        step = how.step
        if step == 1 or not isinstance(e, Reduce):
            return seq(push_maps, in_order)(e, context)
        assert isinstance(e.xs.type, ArrayType)
        n = e.xs.type.length
        body: Size = (n // step) * step
        if body.value == 0:
            return seq(push_maps, in_order)(e, context)
        if body is n:
            return fold_exact(how)(e, context)
        return seq(
            use(reduce_partition, at=body, parts=1),
            at((2, 0), seq(part_to_reduce, fold_exact(how), keep)),
            at((2, 1), seq(push_maps, in_order, keep)),
            reduce_from_first,
            map_to_seq,
        )(e, context)

    return run


def fold(e: Expr, how: Folding) -> Strategy:
    """The reduction `e` in one work-item, as wide as asked where that is possible."""
    from ir.rules.common import is_monoid, is_scalar_like
    from ir.rules.vectorise import is_vectorisable

    if not isinstance(e, Reduce) or e.how != REDUCE or not is_monoid(e.f, e.init):
        return seq(push_maps, in_order)
    wide = is_vectorisable(e.f) and is_scalar_like(e.init.type) and operand_is_vectorisable(e.xs)
    return fold_ragged(how if wide else replace(how, width=1))


def sums_in_blocks(how: Folding) -> Strategy:
    """A sum with corrections in one work-item, in blocks; nothing else, nor where the length leaves no whole block."""

    def run(e: Expr, context: Context) -> Rewritten | None:
        return fold(e, how)(e, context) if isinstance(e, Reduce) and is_compensated(e.f) else None

    return run


def in_pairs(how: Folding) -> Strategy:
    """The reduction that stands here in one work-item: sums of floats as sums of pairs, added up in the end."""

    def lower(e: Expr, context: Context) -> Rewritten | None:
        return fold(e, how)(e, context)

    def run(e: Expr, context: Context) -> Rewritten | None:
        if not isinstance(e, Reduce) or not adds_floats(e.f):
            return lower(e, context)
        return seq(reduce_to_pairs, at((1,), seq(lower, keep)), map_to_seq)(e, context)

    return run


def operand_is_vectorisable(xs: Expr) -> bool:
    """Can what a reduction reads be read in vectors: maps of scalar functions over scalars?"""
    from ir.rules.common import element, is_scalar_like
    from ir.rules.vectorise import is_vectorisable

    while isinstance(xs, Map) and xs.how == MAP:
        if not is_vectorisable(xs.f):
            return False
        xs = xs.xs
    return is_scalar_like(element(xs))


split_parts: Strategy = seq(use(part_split, parts=1), at((0, 0, 0), part_to_reduce))
"""reducePart f z n  ->  join ∘ map (reduce f z) ∘ split"""


def strided(stride: int, width: int) -> Strategy:
    """reorder  ->  reorderStride, of vectors where they are asked for"""
    lower = use(reorder_to_stride, stride=stride)
    return seq(use(reorder_vectors, width=width), at((0,), lower)) if width > 1 else lower


def reorder_below_maps(e: Expr, context: Context) -> Rewritten:
    """reorder ∘ map f  ->  map f ∘ reorder, where there is a map"""
    done = reorder_after_map(e, context)
    return Rewritten(e, ()) if done is None else done


def is_open_map(e: Expr) -> bool:
    """A map that computes something, not yet given to any level of the machine."""
    return isinstance(e, Map) and e.how == MAP and isinstance(e.f, Lambda) and not is_view_map(e)
