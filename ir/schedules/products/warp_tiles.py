"""The macros of products whose small matrices are multiplied by warps: tiles of work-groups, shared out among these."""

from __future__ import annotations

from ir.core.expr import Expr
from ir.core.nodes.tensor_cores import MMA_HELD
from ir.core.patterns import Repeat, Split, is_view_map
from ir.core.signature import LANES
from ir.core.sizes import Size
from ir.core.types import ArrayType
from ir.rewrite.places import array, below, body, initial, joined, part, transposed, viewed
from ir.rewrite.strategy import Strategy, at, choice, seq, succeed, tactic, try_, use
from ir.rules.common import element
from ir.rules.layout.broadcasts import transpose_introduction
from ir.rules.layout.views import matrices_beside, views_after_elements
from ir.rules.maps.algorithmic import map_fission, map_identity, split_join, split_join_introduction
from ir.rules.maps.fusion import take_from_operand
from ir.rules.opencl.lowering import map_to_local, map_to_seq, map_to_workgroup, unroll
from ir.rules.opencl.memory import (
    global_together,
    masked_pad,
    prefetch_copies,
    prefetch_input,
    to_global,
    to_local,
    to_private,
)
from ir.rules.opencl.tensor_cores import (
    columns_by_lanes,
    pad_terms,
    reduce_by_warp,
    round_beforehand,
    rows_by_lanes,
)
from ir.schedules.maps.flat import in_vectors
from ir.schedules.products.macros import (
    accumulate_together,
    ahead_of,
    below_views,
    blocks_together,
    in_chunks,
    in_local,
    tiled,
    views_out,
)
from ir.schedules.schedule import Choices
from ir.schedules.tactics import (
    below_head,
    over,
    pad_to,
    sequential,
    to_grid,
    to_groups,
    to_items,
    to_rows_of_items,
    when,
)

__all__ = ["APART", "by_warp_tiles"]

APART = {True: 4, False: 8}
"""Elements between rows in local memory where these go along the terms, and where they go across: what the lanes of a
warp read at once lies in 32 different banks.
"""

_to_planes: Strategy = use(map_to_local, dim=2)
_WARPS = (_to_planes, to_rows_of_items)
"""A map over the warps of a work-group, down and across."""


def by_warp_tiles(terms: Size, choices: Choices) -> Strategy:
    """map (λr. map g cs) rs, a tile of it for each work-group of the first two dimensions, and a part of it for each of
    its warps.
    """
    tall, wide, chunk = choices["down"] * choices["rows"], choices["across"] * choices["columns"], choices["chunk"]
    whole = (terms + chunk - 1) // chunk * chunk
    masked = when(not choices["packed"] and choices["ahead"] > 1, try_(masked_pad))
    longer = seq(use(pad_terms, count=whole - terms), at(array / body, masked), at(body / array / body, masked))
    tiles = tiled(tall, wide, use(map_to_workgroup, dim=1), to_groups, _tile(whole, choices))
    if choices["packed"]:
        by_rows, by_columns = _by_lanes(choices)
        columns = at(array / part(1) / below(Repeat) / below(Split), _packed(by_columns))
        beside = at(joined, seq(matrices_beside, columns, global_together))
        tiles = seq(round_beforehand, at(array, _packed(by_rows)), tiles, beside)
    padded = seq(
        when(whole is not terms, longer),
        at(body, seq(pad_to(wide), below_head(at(array, masked)))),
        pad_to(tall),
        below_head(at(array, masked)),
    )
    return seq(padded, below_head(seq(views_out, below_views(tiles))))


def _by_lanes(choices: Choices) -> tuple[Strategy, Strategy]:
    """Rows and columns in the order of lanes, all that a work-group copies in a turn together."""
    tall, wide = choices["down"] * choices["rows"], choices["across"] * choices["columns"]
    terms = choices["chunk"]
    return use(rows_by_lanes, rows=tall, terms=terms), use(columns_by_lanes, rows=wide, terms=terms)


@tactic
def _at_flat(e: Expr, inner: Strategy) -> Strategy:
    """The strategy at the array of numbers that views show as rows."""
    if not isinstance(element(e), ArrayType):
        return inner
    return at(array if is_view_map(e) else viewed, _at_flat(inner))


_copied_in_order: Strategy = seq(
    choice(views_after_elements, map_identity), in_vectors(MMA_HELD, over(to_grid, sequential)), to_global
)
"""xs  ->  toGlobal (mapGlobal id xs)      in vectors of what a lane hands over"""


def _packed(by_lanes: Strategy) -> Strategy:
    """Rows that are copied to global memory before, in the order of lanes."""
    return seq(by_lanes, _at_flat(_copied_in_order))


def _tile(terms: Size, choices: Choices) -> Strategy:
    """The tile of a work-group."""
    by_warp = use(reduce_by_warp, width=MMA_HELD if choices["packed"] else 1)
    block = seq(accumulate_together, at(viewed, in_chunks(terms, choices["chunk"])), by_warp)
    blocks = tiled(choices["rows"], choices["columns"], succeed, succeed, block)
    out = seq(at(body, at(transposed / joined, views_out)), views_out)
    return seq(blocks, at(joined, seq(out, below_views(seq(blocks_together, _by_warps(choices))))))


def _by_warps(choices: Choices) -> Strategy:
    """What `blocks_together` makes, a block for each warp: its accumulators in registers, and what a chunk reads,
    rounded to TF32, in local memory.
    """
    packed = bool(choices["packed"])
    rounded = seq(at(body, use(take_from_operand, operand=1)), use(take_from_operand, operand=1))
    by_rows, by_columns = _by_lanes(choices)
    rows = _in_order(choices, by_rows) if packed else _staged(choices, "rows_turned")
    columns = _in_order(choices, by_columns) if packed else _staged(choices, "columns_turned")
    staged = seq(when(not packed, rounded), at(array / part(1), rows), at(body / array / part(1), columns))
    chunk = at(body, seq(staged, at(body, to_rows_of_items), _to_planes))
    filled = _copied((*_WARPS, to_items), 2)
    ahead = _copied_ahead(choices["ahead"]) if packed else ahead_of(choices["ahead"])
    turns = seq(at(initial, filled), chunk, ahead)
    return seq(at(viewed, seq(turns, to_private)), filled)


def _copied(levels: tuple[Strategy, ...], width: int, loops: int = 2) -> Strategy:
    """xs  ->  mapX (.. (mapSeqUnroll (.. id))) xs      over the levels, two loops and vectors of that width"""
    if levels:
        return seq(map_identity, at(body, _copied(levels[1:], width)), levels[0])
    if loops:
        return seq(map_identity, at(body, _copied((), width, loops - 1)), map_to_seq, unroll)
    return seq(map_identity, in_vectors(width, seq(map_to_seq, unroll)))


def _staged(choices: Choices, turned: str) -> Strategy:
    """Blocks of columns in local memory, each of them a row after the other: row by row where those of the matrix lie
    so (`turned`), else column by column. The elements that a warp reads at once lie in different banks.
    """
    if choices[turned]:
        rows = seq(try_(map_identity), at(body, transpose_introduction), map_fission)
        return seq(rows, at(array, seq(split_join_introduction, at(below(Split), _flat(choices, APART[True])))))
    joined_rows = seq(try_(map_identity), at(body, split_join_introduction), map_fission)
    return seq(transpose_introduction, at(transposed, seq(joined_rows, at(array, _flat(choices, APART[False])))))


def _in_order(choices: Choices, by_lanes: Strategy) -> Strategy:
    """Blocks of columns in local memory, as one matrix of rows in the order of lanes."""
    rows = seq(try_(map_identity), at(body, transpose_introduction), map_fission)
    flat = seq(by_lanes, _at_flat(seq(_copied_by_warps(choices), to_local)))
    return seq(rows, at(array, seq(split_join_introduction, at(below(Split), flat))))


def _copied_ahead(turns: int) -> Strategy:
    """What so many turns further on copy to local memory is copied meanwhile."""
    return when(turns > 0, seq(use(prefetch_input, distance=turns), prefetch_copies))


def _flat(choices: Choices, apart: int) -> Strategy:
    """Rows in local memory, so many elements apart, copied by all work-items."""
    return seq(split_join_introduction, at(below(Split), _copied_by_warps(choices)), in_local(apart, 0))


def _copied_by_warps(choices: Choices) -> Strategy:
    """xs  ->  join (join (join (mapSeq (mapLocal2 (mapLocal1 (mapLocal0 f))))))      each work-item copies vectors"""
    items = over(_to_planes, over(to_rows_of_items, over(to_items, sequential)))
    turn = over(map_to_seq, items)
    for count in (choices["down"], choices["across"], LANES):
        turn = seq(use(split_join, n=count), at(joined, turn))
    return seq(choice(views_after_elements, map_identity), in_vectors(choices["copied"], turn))
