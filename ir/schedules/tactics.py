"""Macro rules: strategies with a name, built of rules only (ICFP 2015, section 6.1)."""

from __future__ import annotations

from ir.core.expr import Expr
from ir.core.patterns import MAP, Concat, Head, Join, Map, Memory, Reduce, is_view_map
from ir.core.sizes import Size, SizeLike
from ir.rewrite.places import Place, below, body, function, here, joined, part
from ir.rewrite.rule import Context
from ir.rewrite.strategy import Rewritten, Strategy, at, choice, everywhere, of, seq, succeed, tactic, use
from ir.rules.common import is_open_map, length
from ir.rules.folds.scan import scan_map_fusion
from ir.rules.layout import views
from ir.rules.layout.generate import generate_to_map
from ir.rules.layout.ragged import map_pad
from ir.rules.maps.algorithmic import (
    id_elimination,
    join_after_split,
    map_backwards,
    map_fusion,
    reduce_seq_fusion,
    scan_seq_fusion,
    split_after_join,
    split_join,
)
from ir.rules.opencl.lowering import (
    map_to_global,
    map_to_local,
    map_to_seq,
    map_to_workgroup,
    reduce_to_seq,
    scan_to_seq,
)
from ir.rules.opencl.memory import to_private
from ir.rules.opencl.vectorise import vect_propagation, vector_after_map

__all__ = [
    "alone_over", "at_parts", "below_head", "count_of_rows", "from_the_end", "fuse_maps", "in_order", "is_open_map",
    "keep", "over", "pad_to", "push_maps", "row_of", "rows_in", "sequential", "split_over", "to_grid", "to_groups",
    "to_items", "to_rows_of_items", "when",
]  # fmt: skip


to_groups: Strategy = use(map_to_workgroup, dim=0)
to_items: Strategy = use(map_to_local, dim=0)
to_grid: Strategy = use(map_to_global, dim=0)
"""A map over work-groups, over the work-items of a group, or over all work-items, in the first dimension."""
to_rows_of_items: Strategy = use(map_to_local, dim=1)
"""A map over the work-items of a group in the second dimension."""


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


def from_the_end(e: Expr, context: Context) -> Rewritten | None:
    """mapWorkgroup f  ->  reverse ∘ mapWorkgroup f ∘ reverse      of several, where the result is written: what the
    kernel before has read last is still in the cache
    """
    if isinstance(e, Map):
        return when(e.how.name == "mapWorkgroup" and length(e).value != 1, map_backwards)(e, context)
    written = range(len(e.operands) if e.is_pattern and e.traits.passes_destination else 0)
    return seq(*(at((i,), from_the_end) for i in written))(e, context)


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


@of(Map)
def fuse_maps(e: Expr, context: Context) -> Rewritten | None:
    """Two maps that compute become one; a map that only rearranges stays apart, so that others can be moved past it."""
    return None if isinstance(e, Map) and is_view_map(e.xs) else map_fusion(e, context)


_push: Strategy = everywhere(choice(
    views.slice_after_map, views.split_after_map, views.join_after_map, views.transpose_after_map,
    views.stride_after_map, views.element_after_map, views.view_map_after_map, vector_after_map, vect_propagation,
    split_after_join, join_after_split, id_elimination, views.gather_after_map, views.gather_computed,
    generate_to_map, fuse_maps,
))  # fmt: skip


def push_maps(e: Expr, context: Context) -> Rewritten:
    """Move maps below the views they are read through, and fuse those that meet."""
    return _push(e, context)  # type: ignore[return-value]  # repeat always succeeds


@of(Map)
def _map_to_seq(e: Expr, context: Context) -> Rewritten | None:
    """A map that computes something; one that only rearranges stays an index function."""
    return None if is_view_map(e) else map_to_seq(e, context)


_sequential: Strategy = everywhere(choice(
    fuse_maps, _map_to_seq, reduce_to_seq, reduce_seq_fusion, scan_to_seq, scan_seq_fusion, scan_map_fusion,
))  # fmt: skip


def sequential(e: Expr, context: Context) -> Rewritten:
    """Every map, reduce and scan that is still open runs in order in one work-item; maps fuse into the reductions and
    scans that read them.
    """
    return _sequential(e, context)  # type: ignore[return-value]


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


@tactic
def pad_to(e: Map, multiple: int) -> Strategy:
    """map f xs  ->  head n (map f (concat(xs, zeros)))      as many elements as are a multiple of that"""
    n = length(e.xs)
    whole = (n + multiple - 1) // multiple * multiple
    return succeed if whole is n else use(map_pad, count=whole - n)


@tactic
def below_head(e: Expr, inner: Strategy) -> Strategy:
    """The strategy below a head, where there is one."""
    return at(below(Head), inner) if isinstance(e, Head) else inner
