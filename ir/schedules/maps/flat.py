"""Schedules for element-wise expressions: `map f xs` over a flat array."""

from __future__ import annotations

from collections.abc import Callable

from ir.core.expr import Expr, postorder
from ir.core.patterns import AsScalar, Head, Map
from ir.core.sizes import Size, SizeLike, size, var
from ir.cost.thresholds.defaults import GPU_VECTOR_AT_MOST, MAP_GROUP, PREFETCHED_AHEAD
from ir.rewrite.derivation import Derivation
from ir.rewrite.places import below, body, function, joined, transposed
from ir.rewrite.strategy import Strategy, at, seq, use
from ir.rules.common import element, is_scalar_like, length
from ir.rules.layout.ragged import map_pad, map_partition
from ir.rules.layout.views import interchange
from ir.rules.maps.algorithmic import split_join
from ir.rules.opencl.lowering import leave_out_behind_head, map_to_seq, unroll
from ir.rules.opencl.memory import prefetch_input, prefetch_output
from ir.rules.opencl.vectorise import is_vectorisable, vect_propagation, vectorise_map
from ir.schedules.schedule import (
    GROUPS,
    MACHINE,
    PREFETCH,
    Choices,
    Constraint,
    Machine,
    Parameter,
    Schedule,
    groups_for,
    prefetching,
    up_to,
    whole_blocks,
    widest_of,
)
from ir.schedules.tactics import alone_over, at_parts, is_open_map, sequential, split_over, to_groups, to_items, when

__all__ = [
    "WIDTHS", "MapChunks", "MapGrid", "in_turns", "in_vectors", "in_whole_chunks", "is_elementwise",
    "pieces", "prefetching_both", "ragged", "widths",
]  # fmt: skip

WIDTHS = (1, 2, 4, 8, 16)
"""Elements in a vector."""


def is_elementwise(e: Expr) -> bool:
    """A map of a function that computes from scalars alone, without loops of its own."""
    return is_open_map(e) and not any(node.traits.computes for node in postorder(e.f))  # type: ignore[attr-defined]  # a map


def widths(e: Expr) -> tuple[int, ...]:
    """The widths of vectors that a map's function may be widened to."""
    wide = isinstance(e, Map) and is_vectorisable(e.f) and is_scalar_like(element(e.xs))
    return WIDTHS if wide else (1,)


def in_vectors(width: int, inner: Strategy) -> Strategy:
    """map f  ->  asScalar ∘ map (vect f) ∘ asVector, the function widened and the map lowered by `inner`; for width 1
    the map is lowered as it is.
    """
    if width == 1:
        return inner
    widened = seq(use(vectorise_map, width=width), at(below(AsScalar) / function, vect_propagation))
    return seq(widened, at(below(AsScalar), inner))


def in_turns(streams: int, share: Size, ahead: int) -> Strategy:
    """map f  ->  join ∘ transpose ∘ mapSeq (mapSeqUnroll f) ∘ transpose ∘ split share; mapSeq f for one stream"""
    hint = prefetching_both(ahead)
    if streams == 1:
        return seq(map_to_seq, hint)
    step = seq(map_to_seq, unroll)
    turns = seq(interchange, at(transposed / body, step), at(transposed, seq(map_to_seq, hint)))
    return seq(use(split_join, n=share), at(joined, turns))


def prefetching_both(ahead: int) -> Strategy:
    """A sequential map or scan asks memory so many turns ahead for what it reads and for where it writes."""
    return when(ahead > 0, seq(use(prefetch_input, distance=ahead), use(prefetch_output, distance=ahead)))


def ragged(n: Size, whole: Size, main: Strategy, tail: Strategy) -> Strategy:
    """map f over n elements: the first `whole` of them by `main`, the rest by `tail`, where there is one."""
    return main if whole is n else seq(use(map_partition, at=whole), at_parts(main, tail))


def pieces(n: Size, whole: Size, main: Strategy, tail: Strategy) -> Strategy:
    """As `ragged`, also where it is known that nothing is whole."""
    return tail if whole.value == 0 else ragged(n, whole, main, tail)


def in_whole_chunks(n: Size, chunk: SizeLike, count: SizeLike, lowered: Callable[[Strategy], Strategy]) -> Strategy:
    """map f over n elements  ->  head n ∘ map f over so many chunks, which hold no fewer; the last one ends early

    So there is one loop for all, where `ragged` has another one for what is left over.

    Args:
        lowered: how the map over the chunks is lowered, given how the map over the elements of each is
    """
    whole = size(count) * chunk
    if whole is n:
        return lowered(map_to_seq)
    turns = seq(map_to_seq, leave_out_behind_head)
    return seq(use(map_pad, count=whole - n), at(below(Head), lowered(turns)))


class MapChunks(Schedule):
    """A long contiguous chunk for each work-group of one work-item, vectors within it; one group takes the tail."""

    name = "chunks"

    def matches(self, e: Expr) -> bool:
        """Any element-wise map."""
        return is_elementwise(e)

    def parameters(self, e: Expr) -> tuple[Parameter, ...]:
        """How many groups, how wide the vectors, at how many places of its chunk a work-item works in turns, and how
        many elements ahead it asks for memory.
        """
        return (
            Parameter("groups", GROUPS),
            Parameter("width", widths(e)),
            Parameter("streams", (1, 2, 4)),
            Parameter("prefetch", PREFETCH),
        )

    def default(self, e: Expr, machine: Machine, elements: int) -> dict[str, int]:
        """A few chunks for each compute unit, one where the array is small; a CPU is told ahead what is read."""
        widest = widest_of(widths(e), e, machine)
        groups = groups_for(machine, elements)
        return {"groups": groups, "width": widest, "streams": 1, "prefetch": PREFETCHED_AHEAD if machine.is_cpu else 0}

    def constraints(self, e: Expr) -> list[Constraint]:
        """A known length holds a chunk for each group."""
        return [*whole_blocks(length(e), "groups", "width", "streams"), prefetching()]

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """concat(join ∘ mapWorkgroup (in_turns f) ∘ split c ∘ slice, join ∘ mapWorkgroup (mapSeq f) over the tail)"""
        groups, width, streams = choices["groups"], choices["width"], choices["streams"]
        n = length(start.result)
        share = n // (groups * width * streams)
        chunk = width * streams * share
        turns = in_turns(streams, share, choices["prefetch"] // width)
        whole = split_over(chunk, to_groups, in_vectors(width, turns))
        tail = split_over(n - groups * chunk, to_groups, sequential)
        return start.then(ragged(n, groups * chunk, whole, tail), self.name)


class MapGrid(Schedule):
    """Some vectors for each work-item of groups of a fixed size; one more turn of the first group takes the tail."""

    name = "grid"

    def matches(self, e: Expr) -> bool:
        """Any element-wise map."""
        return is_elementwise(e)

    def parameters(self, e: Expr) -> tuple[Parameter, ...]:
        """How many work-items in a group, how wide the vectors, and how many of them for each work-item."""
        return (
            Parameter("local", (16, 32, 64, 128, 256, 512, 1024)),
            Parameter("width", widths(e)),
            Parameter("each", (1, 2, 4, 8)),
        )

    def default(self, e: Expr, machine: Machine, elements: int) -> dict[str, int]:
        """Groups of 256, vectors as wide as 16 bytes."""
        return {
            "local": min(MAP_GROUP, machine.max_work_group_size),
            "width": up_to(GPU_VECTOR_AT_MOST, widths(e)),
            "each": 1,
        }

    def constraints(self, e: Expr) -> list[Constraint]:
        """A group is no larger than the device allows, and a known length holds one."""
        limit = Constraint.le(var("local", 1), MACHINE["max_work_group_size"], "work-items in a work-group")
        return [limit, *whole_blocks(length(e), "local", "width", "each")]

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """concat(join ∘ mapWorkgroup (mapLocal f) ∘ split (l*w) ∘ slice, the same over the tail)"""
        local, width, each = choices["local"], choices["width"], choices["each"]
        n = length(start.result)
        block = local * width * each
        whole = (n // block) * block
        items = alone_over(to_items)
        rounds = seq(use(split_join, n=local), at(joined / body, items), at(joined, seq(map_to_seq, unroll)))
        blocks = split_over(block, to_groups, in_vectors(width, items if each == 1 else rounds))
        tail = split_over(n - whole, to_groups, items)
        return start.then(ragged(n, whole, blocks, tail), self.name)
