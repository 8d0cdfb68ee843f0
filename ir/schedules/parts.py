"""Schedules for arrays put one after the other or side by side: each part of the result is a loop nest of its own.

A kernel's expression is then a concat of element-wise maps, of copies (`map id`) and of maps over rows, whose rows may
be such concats in their turn: what an assignment to a slice of an array becomes.
"""

from __future__ import annotations

from ir.core.expr import Expr, postorder
from ir.core.patterns import Concat, Join, Map, is_view_map
from ir.core.sizes import Size, divide_exactly
from ir.core.types import ArrayType
from ir.cost.thresholds.defaults import GPU_VECTOR_AT_MOST, LOOPS_IN_VECTORS_AT_MOST
from ir.rewrite.derivation import Derivation
from ir.rewrite.places import joined
from ir.rewrite.rule import Context
from ir.rewrite.strategy import Rewritten, Strategy, at, seq, tactic, use
from ir.rules.common import element, is_scalar_like, length
from ir.rules.layout.concat import is_side_by_side
from ir.rules.maps.algorithmic import map_identity
from ir.rules.opencl.lowering import map_to_global, map_to_seq
from ir.rules.opencl.vectorise import is_vectorisable
from ir.schedules.maps.flat import WIDTHS, in_vectors, is_elementwise, pieces, ragged
from ir.schedules.schedule import GROUPS, Choices, Machine, Parameter, Schedule, groups_for, up_to
from ir.schedules.tactics import (
    alone_over,
    at_parts,
    count_of_rows,
    over,
    push_maps,
    row_of,
    sequential,
    split_over,
    to_grid,
    to_groups,
)

__all__ = ["PartsByGroup", "PartsByItem", "computes", "is_of_parts"]


def is_rows(e: Expr) -> bool:
    """Rows that one map makes, joined: `join (map f xss)`, each row flat and of parts."""
    if not isinstance(e, Join) or not isinstance(e.xs, Map):
        return False
    row = row_of(e)
    return row is not None and _is_parts(row) and not computes(e.xs.xs)


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


@tactic
def copied(e: Expr, then: Strategy) -> Strategy:
    """What only rearranges is copied by `map id`; a map goes on as it is."""
    return then if is_elementwise(e) else seq(map_identity, then)


@tactic
def each_part(e: Expr, flat: Strategy, rows: Strategy) -> Strategy:
    """The parts of a concat one by one: joined rows by `rows`, all others by `flat`."""
    if isinstance(e, Concat):
        return at_parts(*(each_part(flat, rows) for _ in e.operands))
    return rows if is_rows(e) else copied(flat)


@tactic
def parts_in_order(e: Expr, width: int) -> Strategy:
    """All of it in one work-item, vectors where a part is long enough for one."""
    return each_part(_in_vectors(width), at(joined, over(map_to_seq, parts_in_order(width))))


@tactic
def _in_vectors(e: Expr, width: int) -> Strategy:
    """A part in one work-item."""
    w, n = _width(e, width), length(e)
    if w == 1 or (n.value is not None and n.value < w):
        return sequential
    return ragged(n, (n // w) * w, in_vectors(w, sequential), sequential)


class PartsByGroup(Schedule):
    """A long contiguous chunk of each part, or of its rows, for each work-group of one work-item."""

    name = "parts"

    def matches(self, e: Expr) -> bool:
        """Concats of element-wise maps and copies, and rows of such."""
        return is_of_parts(e)

    def parameters(self, e: Expr) -> tuple[Parameter, ...]:
        """How many groups, and how wide the vectors."""
        return (Parameter("groups", GROUPS), Parameter("width", WIDTHS))

    def default(self, e: Expr, machine: Machine, elements: int) -> dict[str, int]:
        """A few chunks for each compute unit, one where the array is small; vectors where there are few parts, for each
        is a loop or two to be compiled.
        """
        widest = machine.native_vector_width if _loops(e) <= LOOPS_IN_VECTORS_AT_MOST else 1
        width = up_to(widest, WIDTHS)
        return {"groups": groups_for(machine, elements), "width": width}

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """concat(join ∘ mapWorkgroup (mapSeq f) ∘ split c, join ∘ mapWorkgroup (mapSeq (concat ..)) ∘ split r, ..)"""
        groups, width = choices["groups"], choices["width"]

        def chunks(n: Size, inner: Strategy) -> Strategy:
            """A map over n elements or rows in `groups` chunks, and the rest in one more."""
            share = n // groups
            if n.value is not None and n.value < groups:
                return split_over(n, to_groups, inner)
            rest = split_over(n - groups * share, to_groups, inner)
            return ragged(n, groups * share, split_over(share, to_groups, inner), rest)

        def flat(e: Expr, context: Context) -> Rewritten | None:
            return chunks(length(e), parts_in_order(width))(e, context)

        def rows(e: Expr, context: Context) -> Rewritten | None:
            return at(joined, chunks(count_of_rows(e), over(map_to_seq, parts_in_order(width))))(e, context)

        return start.then(each_part(flat, rows), self.name)


class PartsByItem(Schedule):
    """A work-item for each vector: what lies in a row in the first dimension of the grid, rows in the second, and rows
    of rows in the third.
    """

    name = "part_grid"

    def matches(self, e: Expr) -> bool:
        """Concats of element-wise maps and copies, and rows of such."""
        return is_of_parts(e)

    def parameters(self, e: Expr) -> tuple[Parameter, ...]:
        """How wide the vectors are."""
        return (Parameter("width", WIDTHS),)

    def default(self, e: Expr, machine: Machine, elements: int) -> dict[str, int]:
        """Vectors of a few elements."""
        return {"width": GPU_VECTOR_AT_MOST}

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """concat(mapGlobal f, join (mapGlobal1 (concat(mapGlobal f, ..))), ..), vectors where a part is long enough;
        rows of rows with mapGlobal2 around
        """
        items, (depth, row) = alone_over(to_grid), _nesting(start.result)

        def vectors(e: Expr, context: Context) -> Rewritten | None:
            width, n = _width(e, choices["width"]), length(e)
            return pieces(n, width * (n // width), in_vectors(width, items), items)(e, context)

        def written(dim: int) -> Strategy:
            """By the work-items of this dimension of the grid and those before it."""
            if dim == 0:  # rows inside of rows, for which no dimension is left
                return each_part(seq(push_maps, vectors), at(joined, over(to_grid, parts_in_order(1))))
            level, inner = use(map_to_global, dim=dim), written(dim - 1)

            def flat(e: Expr, context: Context) -> Rewritten | None:
                chunk = n = length(e)
                if dim == 1 and row is not None and divide_exactly(n, row) is not None:
                    chunk = row  # as long as the rows beside it
                return split_over(chunk, level, inner)(e, context)

            return each_part(flat, at(joined, over(level, inner)))

        return start.then(written(min(depth, 2)), self.name)


def _loops(e: Expr) -> int:
    """How many loops over single elements write an expression of parts; an element alone takes none."""
    if isinstance(e, Concat):
        return sum(map(_loops, e.operands))
    row = row_of(e) if is_rows(e) else None
    return int(length(e).value != 1) if row is None else _loops(row)


def _nesting(e: Expr) -> tuple[int, Size | None]:
    """How many maps over rows stand inside each other in an expression of parts, and how long the rows inside are."""
    if isinstance(e, Concat):
        return max(map(_nesting, e.operands), key=lambda found: found[0])
    row = row_of(e) if is_rows(e) else None
    if row is None:
        return 0, None
    depth, inner = _nesting(row)
    return depth + 1, length(row) if inner is None else inner
