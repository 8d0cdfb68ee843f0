"""Schedules for element-wise expressions: `map f xs` over a flat array."""

from __future__ import annotations

from ir.core.expr import Expr, postorder
from ir.core.patterns import Map, length_of
from ir.core.sizes import Size, var
from ir.rewrite.derivation import Derivation
from ir.rewrite.strategy import Strategy, at, seq
from ir.rules.common import element, is_scalar_like
from ir.rules.vectorise import is_vectorisable
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
from ir.strategies.tactics import is_open_map, named, sequential, when

__all__ = [
    "WIDTHS", "MapChunks", "MapGrid", "in_turns", "inner_map", "is_elementwise", "length_of", "ragged", "vectorised",
    "widths",
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


def vectorised(width: int) -> Strategy:
    """map f  ->  asScalar ∘ map (vect f) ∘ asVector, the function widened; nothing for width 1."""
    return when(width > 1, seq(named("vectorise_map", width=width), at((0, 0), named("vect_propagation"))))


def in_turns(streams: int, share: Size, ahead: int) -> Strategy:
    """map f  ->  join ∘ transpose ∘ mapSeq (mapSeqUnroll f) ∘ transpose ∘ split share; mapSeq f for one stream"""
    hint = when(ahead > 0, seq(named("prefetch_input", distance=ahead), named("prefetch_output", distance=ahead)))
    if streams == 1:
        return seq(named("map_to_seq"), hint)
    step = seq(named("map_to_seq"), named("unroll"))
    turns = seq(named("interchange"), at((0, 0, 0), step), at((0,), seq(named("map_to_seq"), hint)))
    return seq(named("split_join", n=share), at((0,), turns))


def inner_map(width: int) -> tuple[int, ...]:
    """Where the map stands after `vectorised`."""
    return (0,) if width > 1 else ()


def ragged(n: Size, whole: Size, body: Strategy, tail: Strategy) -> Strategy:
    """The body over the first `whole` of n elements and the tail over the rest, where there can be one."""
    if whole is n:
        return body
    return seq(named("map_partition", at=whole), at((0,), body), at((1,), tail))


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
            Parameter("groups", (1, 2, 4, 8, 16, 32, 64, 128)),
            Parameter("width", widths(e)),
            Parameter("streams", (1, 2, 4)),
            Parameter("prefetch", PREFETCH),
        )

    def default(self, e: Expr, machine: Machine, elements: int) -> dict[str, int]:
        """A few chunks for each compute unit, one where the array is small; a CPU is told ahead what is read."""
        widest = widest_of(widths(e), e, machine)
        groups = 1 if elements < 16384 else 4 * _power_of_two(machine.compute_units)
        return {"groups": groups, "width": widest, "streams": 1, "prefetch": 256 if machine.is_cpu else 0}

    def constraints(self, e: Expr) -> list[Constraint]:
        """A known length holds a chunk for each group."""
        return [*whole_blocks(length_of(e), "groups", "width", "streams"), prefetching()]

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """concat(join ∘ mapWorkgroup (in_turns f) ∘ split c ∘ slice, join ∘ mapWorkgroup (mapSeq f) over the tail)"""
        groups, width, streams = choices["groups"], choices["width"], choices["streams"]
        n = length_of(start.result)
        share = n // (groups * width * streams)
        chunk = width * streams * share
        turns = in_turns(streams, share, choices["prefetch"] // width)
        lower = at(inner_map(width), turns)
        body = seq(
            named("split_join", n=chunk),
            at((0, 0, 0), seq(vectorised(width), lower)),
            at((0,), named("map_to_workgroup", dim=0)),
        )
        tail = seq(
            named("split_join", n=n - groups * chunk),
            at((0, 0, 0), sequential),
            at((0,), named("map_to_workgroup", dim=0)),
        )
        return start.then(ragged(n, groups * chunk, body, tail), self.name)


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
            "local": min(256, machine.max_work_group_size),
            "width": max(w for w in widths(e) if w <= 4),
            "each": 1,
        }

    def constraints(self, e: Expr) -> list[Constraint]:
        """A group is no larger than the device allows, and a known length holds one."""
        limit = Constraint.le(var("local", 1), MACHINE["max_work_group_size"], "work-items in a work-group")
        return [limit, *whole_blocks(length_of(e), "local", "width", "each")]

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """concat(join ∘ mapWorkgroup (mapLocal f) ∘ split (l*w) ∘ slice, the same over the tail)"""
        local, width, each = choices["local"], choices["width"], choices["each"]
        n = length_of(start.result)
        block = local * width * each
        whole = (n // block) * block
        items = seq(named("map_to_local", dim=0), at((0,), sequential))
        rounds = seq(
            named("split_join", n=local), at((0, 0, 0), items), at((0,), seq(named("map_to_seq"), named("unroll")))
        )
        lower = at(inner_map(width), items if each == 1 else rounds)
        body = seq(
            named("split_join", n=block),
            at((0,), named("map_to_workgroup", dim=0)),
            at((0, 0, 0), seq(vectorised(width), lower)),
        )
        tail = seq(
            named("split_join", n=n - whole),
            at((0,), named("map_to_workgroup", dim=0)),
            at((0, 0, 0), seq(named("map_to_local", dim=0), at((0,), sequential))),
        )
        return start.then(ragged(n, whole, body, tail), self.name)


def _power_of_two(n: int) -> int:
    """The largest power of two that is at most n, and at most 32."""
    return 1 << (min(max(n, 1), 32).bit_length() - 1)
