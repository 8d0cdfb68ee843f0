"""Schedules for arrays put one after the other or side by side: each part of the result is a loop nest of its own.

A kernel's expression is then a concat of element-wise maps, of copies (`map id`) and of maps over rows, whose rows may
be such concats in their turn: what an assignment to a slice of an array becomes.
"""

from __future__ import annotations

from ir.core.expr import Expr, Lambda, postorder
from ir.core.patterns import MAP, Concat, Join, Map, is_view_map
from ir.core.sizes import Size
from ir.core.types import ArrayType
from ir.rewrite.derivation import Derivation
from ir.rewrite.rule import Context
from ir.rewrite.strategy import Rewritten, Strategy, at, seq
from ir.rules.common import element, is_scalar_like, length
from ir.rules.concat import is_side_by_side
from ir.rules.vectorise import is_vectorisable
from ir.strategies.maps import is_elementwise, ragged, vectorised
from ir.strategies.schedule import Choices, Machine, Parameter, Schedule
from ir.strategies.tactics import named, push_maps, sequential

__all__ = ["PartsByGroup", "PartsByItem", "computes", "is_of_parts"]


def is_rows(e: Expr) -> bool:
    """Rows that one map makes, joined: `join (map f xss)`, each row flat and of parts."""
    if not isinstance(e, Join) or not isinstance(e.xs, Map) or e.xs.how != MAP:
        return False
    return _is_parts(_row(e.xs.f)) and not computes(e.xs.xs)


def _row(f: Expr) -> Expr:
    """A row, over opened variables."""
    assert isinstance(f, Lambda)
    return f.open()[1]


def _is_parts(e: Expr) -> bool:
    """Can `_Parts` write it: flat element-wise maps, and whatever only rearranges, put together by concat and join?"""
    t = e.type
    if not isinstance(t, ArrayType) or not is_scalar_like(t.element):
        return False
    if isinstance(e, Concat):
        return all(map(_is_parts, e.operands))
    if is_rows(e):
        return True
    return not computes(e.operands[1] if is_elementwise(e) else e)


def computes(e: Expr) -> bool:
    """Is it made of more than index functions?"""
    found = (node for node in postorder(e) if node.traits.computes)
    return any(not is_view_map(node) for node in found)


def is_of_parts(e: Expr) -> bool:
    """A concat, or joined rows that are concats."""
    beside = isinstance(e, Join) and isinstance(e.xs, Map) and is_side_by_side(e.xs.f)
    return (isinstance(e, Concat) or beside) and _is_parts(e)


def _width(e: Expr, wanted: int) -> int:
    """The width, where the map's function works on vectors; else one."""
    wide = isinstance(e, Map) and is_vectorisable(e.f) and is_scalar_like(element(e.xs))
    return wanted if wide else 1


def copied(then: Strategy) -> Strategy:
    """What only rearranges is copied by `map id`; a map goes on as it is."""

    def run(e: Expr, context: Context) -> Rewritten | None:
        return then(e, context) if is_elementwise(e) else seq(named("map_identity"), then)(e, context)

    return run


def each_part(flat: Strategy, rows: Strategy) -> Strategy:
    """The parts of a concat one by one: joined rows by `rows`, all others by `flat`."""

    def run(e: Expr, context: Context) -> Rewritten | None:
        if isinstance(e, Concat):
            return seq(*(at((i,), run) for i in range(len(e.operands))))(e, context)
        return rows(e, context) if is_rows(e) else copied(flat)(e, context)

    return run


def in_order(width: int) -> Strategy:
    """All of it in one work-item, vectors where a part is long enough for one."""

    def flat(e: Expr, context: Context) -> Rewritten | None:
        w, n = _width(e, width), length(e)
        if w == 1 or (n.value is not None and n.value < w):
            return sequential(e, context)
        lower = at((0,), sequential)
        return ragged(n, (n // w) * w, seq(vectorised(w), lower), sequential)(e, context)

    def rows(e: Expr, context: Context) -> Rewritten | None:
        return at((0,), seq(named("map_to_seq"), at((0, 0), in_order(width))))(e, context)

    return each_part(flat, rows)


class PartsByGroup(Schedule):
    """A long contiguous chunk of each part, or of its rows, for each work-group of one work-item."""

    name = "parts"

    def matches(self, e: Expr) -> bool:
        """Concats of element-wise maps and copies, and rows of such."""
        return is_of_parts(e)

    def parameters(self, e: Expr) -> tuple[Parameter, ...]:
        """How many groups, and how wide the vectors."""
        return (Parameter("groups", (1, 2, 4, 8, 16, 32, 64, 128)), Parameter("width", (1, 2, 4, 8, 16)))

    def default(self, e: Expr, machine: Machine, elements: int) -> dict[str, int]:
        """A few chunks for each compute unit, one where the array is small; vectors where there are few parts, for each
        is a loop or two to be compiled.
        """
        widest = machine.native_vector_width if _loops(e) <= FEW_LOOPS else 1
        width = max(w for w in (1, 2, 4, 8, 16) if w <= max(1, widest))
        groups = 1 if elements < 16384 else min(128, 4 * (1 << (max(1, machine.compute_units).bit_length() - 1)))
        return {"groups": groups, "width": width}

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """concat(join ∘ mapWorkgroup (mapSeq f) ∘ split c, join ∘ mapWorkgroup (mapSeq (concat ..)) ∘ split r, ..)"""
        groups, width = choices["groups"], choices["width"]

        def chunks(n: Size, body: Strategy) -> Strategy:
            """A map over n elements or rows in `groups` chunks, and the rest in one more."""
            share = n // groups

            def chunk(size: Size) -> Strategy:
                return seq(
                    named("split_join", n=size),
                    at((0, 0, 0), body),
                    at((0,), named("map_to_workgroup", dim=0)),
                )

            if n.value is not None and n.value < groups:
                return chunk(n)
            return ragged(n, groups * share, chunk(share), chunk(n - groups * share))

        def flat(e: Expr, context: Context) -> Rewritten | None:
            return chunks(length(e), in_order(width))(e, context)

        def rows(e: Expr, context: Context) -> Rewritten | None:
            inner = seq(named("map_to_seq"), at((0, 0), in_order(width)))
            return at((0,), chunks(length(e.operands[0]), inner))(e, context)

        return start.then(each_part(flat, rows), self.name)


class PartsByItem(Schedule):
    """A work-item for each element: rows in the second dimension of the grid, what lies in a row in the first."""

    name = "part_grid"

    def matches(self, e: Expr) -> bool:
        """Concats of element-wise maps and copies, and rows of such."""
        return is_of_parts(e)

    def parameters(self, e: Expr) -> tuple[Parameter, ...]:
        """None."""
        return ()

    def default(self, e: Expr, machine: Machine, elements: int) -> dict[str, int]:
        """Nothing to choose."""
        return {}

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """concat(mapGlobal f, join (mapGlobal1 (concat(mapGlobal f, ..))), ..)"""
        two = any(isinstance(node, Join) and is_rows(node) for node in _written(start.result))

        def within(e: Expr, context: Context) -> Rewritten | None:
            """Inside a row: one dimension is left."""
            return each_part(seq(push_maps, named("map_to_global", dim=0), at((0,), sequential)), _rows_in_row)(
                e, context
            )

        def _rows_in_row(e: Expr, context: Context) -> Rewritten | None:
            inner = seq(named("map_to_global", dim=0), at((0, 0), in_order(1)))
            return at((0,), inner)(e, context)

        def flat(e: Expr, context: Context) -> Rewritten | None:
            if not two:
                return seq(named("map_to_global", dim=0), at((0,), sequential))(e, context)
            alone = seq(
                named("map_to_global", dim=1), at((0, 0), seq(named("map_to_global", dim=0), at((0,), sequential)))
            )
            return seq(named("split_join", n=length(e)), at((0,), alone))(e, context)

        def rows(e: Expr, context: Context) -> Rewritten | None:
            return at((0,), seq(named("map_to_global", dim=1), at((0, 0), within)))(e, context)

        return start.then(each_part(flat, rows), self.name)


FEW_LOOPS = 6
"""Loops of a kernel that are made to work on vectors where nothing was measured."""


def _loops(e: Expr) -> int:
    """How many loops over single elements write an expression of parts."""
    if isinstance(e, Concat):
        return sum(map(_loops, e.operands))
    return _loops(_row(e.xs.f)) if isinstance(e, Join) and is_rows(e) and isinstance(e.xs, Map) else 1


def _written(e: Expr) -> list[Expr]:
    """The parts of a concat, itself where it is none."""
    if not isinstance(e, Concat):
        return [e]
    return [part for operand in e.operands for part in _written(operand)]
