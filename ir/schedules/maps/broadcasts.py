"""Schedules for element-wise maps of arrays that are flat but read by rows: broadcast, transposed, cut out of others.

A map over such a flat array divides the index of each element by the row's length. Split into rows again, the index
arithmetic finds row and column as they are, and each vector of a row is read whole.
"""

from __future__ import annotations

from ir.core.expr import Expr
from ir.core.patterns import Element, Join, Map, is_view_map
from ir.core.sizes import Size, divide_exactly, size, var
from ir.core.types import ArrayType
from ir.cost.thresholds.defaults import GPU_VECTOR_AT_MOST, PREFETCHED_AHEAD
from ir.rewrite.derivation import Derivation
from ir.rewrite.places import joined
from ir.rewrite.strategy import Strategy, at, seq, use
from ir.rules.common import is_scalar_like, length
from ir.rules.maps.algorithmic import split_join
from ir.rules.opencl.lowering import map_to_global
from ir.schedules.maps.flat import in_turns, in_vectors, in_whole_chunks, is_elementwise, ragged, widths
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
    widest_of,
)
from ir.schedules.tactics import alone_over, over, sequential, split_over, to_grid, to_groups

__all__ = ["MapRows", "MapRowsGrid", "row_length"]


def row_length(e: Expr) -> Size | None:
    """The length of the rows that an element-wise map reads one after the other; None where it reads flat arrays.

    Of several lengths the shortest that divides all: then none of the indices is divided.
    """
    if not is_elementwise(e):
        return None
    assert isinstance(e, Map)
    found: dict[Size, None] = {}
    seen: set[Expr] = set()
    pending = [e.xs]
    while pending:
        node = pending.pop()
        if node in seen or not isinstance(node.type, ArrayType):
            continue
        seen.add(node)
        if isinstance(node, Join) and isinstance(node.xs.type, ArrayType):
            inner = node.xs.type.element
            if isinstance(inner, ArrayType) and is_scalar_like(inner.element):
                found[inner.length] = None
        if node.traits.view and not isinstance(node, Element):
            pending.extend(node.operands)
        elif isinstance(node, Map) and is_view_map(node):
            pending.append(node.xs)
    total = length(e)
    rows = [m for m in found if m.value != 1 and m is not total and divide_exactly(total, m) is not None]
    shortest = [m for m in rows if all(divide_exactly(other, m) is not None for other in rows)]
    return shortest[0] if shortest else None


def _row(e: Expr) -> Size:
    row = row_length(e)
    assert row is not None
    return row


def _rows(e: Expr) -> Size:
    rows = divide_exactly(length(e), _row(e))
    assert rows is not None
    return rows


def _in_vectors(row: Size, width: int, body: Strategy) -> Strategy:
    """The map over a row: whole vectors by the strategy, what is left element by element."""
    return ragged(row, width * (row // width), in_vectors(width, body), sequential)


class MapRows(Schedule):
    """Some rows for each work-group of one work-item, vectors along each row; the last group has fewer."""

    name = "map_rows"

    def matches(self, e: Expr) -> bool:
        """Element-wise maps of flat arrays that are views of rows."""
        return row_length(e) is not None

    def parameters(self, e: Expr) -> tuple[Parameter, ...]:
        """How many groups, how wide the vectors, and how many elements ahead memory is asked."""
        return (
            Parameter("groups", GROUPS),
            Parameter("width", widths(e)),
            Parameter("prefetch", PREFETCH),
        )

    def default(self, e: Expr, machine: Machine, elements: int) -> dict[str, int]:
        """A few groups for each compute unit, one where the array is small; full vectors."""
        widest = widest_of(widths(e), e, machine)
        return {
            "groups": groups_for(machine, elements),
            "width": widest,
            "prefetch": PREFETCHED_AHEAD if machine.is_cpu else 0,
        }

    def constraints(self, e: Expr) -> list[Constraint]:
        """A row for each group, and a vector in each row."""
        return [
            Constraint.le(var("groups", 1), _rows(e), "groups that have a row"),
            Constraint.le(var("width", 1), _row(e), "elements of a vector that lie in one row"),
            prefetching(),
        ]

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """join ∘ head n ∘ join ∘ mapWorkgroup (mapSeqHead (mapSeq f in vectors)) ∘ split s ∘ (λxss. concat(xss, zeros))
        ∘ split m
        """
        e, groups, width = start.result, choices["groups"], choices["width"]
        row, rows = _row(e), _rows(e)
        share = (rows + groups - 1) // groups
        along = _in_vectors(row, width, in_turns(1, size(1), choices["prefetch"] // width))
        several = in_whole_chunks(rows, share, groups, lambda level: split_over(share, to_groups, over(level, along)))
        return start.then(seq(use(split_join, n=row), at(joined, several)), self.name)


class MapRowsGrid(Schedule):
    """A grid of work-items, one dimension for the rows and one for the vectors of a row."""

    name = "map_rows_grid"

    def matches(self, e: Expr) -> bool:
        """Element-wise maps of flat arrays that are views of rows."""
        return row_length(e) is not None

    def parameters(self, e: Expr) -> tuple[Parameter, ...]:
        """How wide the vectors are."""
        return (Parameter("width", widths(e)),)

    def default(self, e: Expr, machine: Machine, elements: int) -> dict[str, int]:
        """Vectors as wide as 16 bytes."""
        return {"width": up_to(GPU_VECTOR_AT_MOST, widths(e))}

    def constraints(self, e: Expr) -> list[Constraint]:
        """A vector in each row, and rows that are long enough to keep the work-items that run in lockstep together."""
        return [
            Constraint.le(var("width", 1), _row(e), "elements of a vector that lie in one row"),
            Constraint.le(var("width", 1) * MACHINE["lockstep"], _row(e), "elements of a row"),
        ]

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """join ∘ mapGlobal1 (concat(mapGlobal0 f in vectors, mapGlobal0 f)) ∘ split m"""
        row, width = _row(start.result), choices["width"]
        items = alone_over(to_grid)
        along = ragged(row, width * (row // width), in_vectors(width, items), items)
        return start.then(split_over(row, use(map_to_global, dim=1), along), self.name)
