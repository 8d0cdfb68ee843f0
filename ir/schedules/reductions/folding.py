"""How one work-item, or several, fold an array: strategies for `reduce f z xs`, whatever its length."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from ir.core.expr import Expr
from ir.core.patterns import MAP, REDUCE, AsScalar, Map, Reduce
from ir.core.sizes import Size
from ir.rewrite.places import array, below, body, joined
from ir.rewrite.strategy import Strategy, at, choice, seq, tactic, try_, use
from ir.rules.common import element, is_monoid, is_scalar_like, length
from ir.rules.compensation import adds_floats, is_compensated
from ir.rules.folds.accuracy import reduce_in_blocks, reduce_to_pairs
from ir.rules.folds.exponentials import exponentials_in_blocks
from ir.rules.folds.reduction import (
    part_reorder,
    part_split,
    part_to_reduce,
    reduce_from_first,
    reduce_interleave,
    reduce_to_part,
    reduce_to_parts,
)
from ir.rules.layout.ragged import reduce_partition
from ir.rules.maps.algorithmic import reorder_after_map
from ir.rules.opencl.lowering import map_to_seq, reorder_to_stride, unroll
from ir.rules.opencl.memory import prefetch_input, to_private
from ir.rules.opencl.vectorise import is_vectorisable, reorder_vectors, vectorise_reduce
from ir.schedules.tactics import at_parts, in_order, keep, over, push_maps, sequential, when

__all__ = [
    "Folding", "cut_reduction", "few", "fold", "fold_exact", "fold_ragged", "in_pairs", "operand_is_vectorisable",
    "parts_over", "reorder_below_maps", "split_parts", "strided", "sums_in_blocks", "whole_over",
]  # fmt: skip


@tactic
def few(e: Reduce, count: int) -> Strategy:
    """A reduction of so few elements that it needs no loop; sums of floats are formed in pairs."""
    if is_compensated(e.f):
        block = when(count > 1, _in_blocks(count))
        return seq(block, reduce_from_first, sequential)
    return seq(sequential, unroll)


def _in_blocks(ways: int) -> Strategy:
    """Blocks of so many elements: what is combined in pairs; of exponentials those that have one scale."""
    return choice(use(exponentials_in_blocks, ways=ways), use(reduce_in_blocks, ways=ways))


@dataclass(frozen=True)
class Folding:
    """How one work-item folds an array.

    Attributes:
        width: elements in a vector
        ways: accumulators; for sums of floats, elements that are added in pairs before they reach the one accumulator
        apart: whether each of these comes from a contiguous share of its own; else they are neighbouring elements
        prefetch: how many elements ahead memory is asked, 0 for not at all
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


@tactic
def _accumulators(e: Reduce, how: Folding) -> Strategy:
    """Several accumulators, folded together in the end; for sums of floats one, to which the sums of blocks are added:
    its corrections take more instructions than all else, and so they are shared by the elements of a block.
    """
    if is_compensated(e.f):
        folded = seq(_in_blocks(how.ways), sequential, _ahead(how))
    else:
        folded = seq(use(reduce_interleave, ways=how.ways), at(array, seq(_ahead(how), to_private)), map_to_seq)
    return seq(when(how.apart, _stride_apart(how.ways)), folded)


@tactic
def _stride_apart(e: Reduce, ways: int) -> Strategy:
    """reduce f z  ->  reduce f z ∘ reorderStride (n / ways)"""
    return seq(
        reduce_to_part,
        part_reorder,
        part_to_reduce,
        at(array, use(reorder_to_stride, stride=length(e.xs) // ways)),
        push_maps,
    )


@tactic
def fold_ragged(e: Expr, how: Folding) -> Strategy:
    """A reduction of any length: a body of whole vectors, and the tail one by one."""
    step = how.step
    if step == 1 or not isinstance(e, Reduce):
        return seq(push_maps, in_order)
    n = length(e.xs)
    whole = (n // step) * step
    if whole.value == 0:
        return seq(push_maps, in_order)
    if whole is n:
        return fold_exact(how)
    both = at_parts(seq(part_to_reduce, fold_exact(how), keep), seq(push_maps, in_order, keep))
    cut = use(reduce_partition, at=whole, parts=1)
    return seq(cut, at(array, both), reduce_from_first, map_to_seq)


@tactic
def fold(e: Expr, how: Folding) -> Strategy:
    """The reduction that stands here in one work-item, as wide as asked where that is possible."""
    if not isinstance(e, Reduce) or e.how != REDUCE or not is_monoid(e.f, e.init):
        return seq(push_maps, in_order)
    wide = is_vectorisable(e.f) and is_scalar_like(e.init.type) and operand_is_vectorisable(e.xs)
    return fold_ragged(how if wide else replace(how, width=1))


@tactic
def sums_in_blocks(e: Expr, how: Folding) -> Strategy | None:
    """A sum with corrections in one work-item, in blocks; nothing else, nor where the length leaves no whole block."""
    return fold(how) if isinstance(e, Reduce) and is_compensated(e.f) else None


@tactic
def in_pairs(e: Expr, how: Folding) -> Strategy:
    """The reduction that stands here in one work-item: sums of floats as sums of pairs, added up in the end."""
    if not isinstance(e, Reduce) or not adds_floats(e.f):
        return fold(how)
    return seq(reduce_to_pairs, at(array, seq(fold(how), keep)), map_to_seq)


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


def cut_reduction(n: Size, whole: Size, parts: Size | int, each: Strategy, rest: Strategy, store: Strategy) -> Strategy:
    """reduce f z xs  ->  reduce f z (concat(reducePart f z p ys, reduce f z zs))      where ys are the first `whole`

    The reductions of the parts are lowered by `each`, that of what is left by `rest`; `store` keeps their results.
    """
    if whole is n:
        return seq(use(reduce_to_parts, parts=parts), at(array, seq(each, store)))
    return seq(use(reduce_partition, at=whole, parts=parts), at(array, seq(at_parts(each, rest), store)))
