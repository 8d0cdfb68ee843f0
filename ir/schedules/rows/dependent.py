"""Reductions of a row whose function needs another reduction of the same row: the mean, of which a variance takes the
distances; the maximum, by which a softmax is scaled. Both are done while the row is near: memory is read once.
"""

from __future__ import annotations

from ir.core.expr import Expr, Lambda, postorder
from ir.core.patterns import MAP, REDUCE, Join, Map, Memory, Reduce, Zip
from ir.rewrite.places import array, part
from ir.rewrite.rule import Context
from ir.rewrite.strategy import Rewritten, Strategy, at, everywhere, once, seq, succeed, tactic, top_down, try_, use
from ir.rules.maps.fusion import elements_of_map, fuse_operand, zip_duplicates
from ir.rules.maps.horizontal import reduce_known_component
from ir.schedules.reductions.folding import Folding, fold
from ir.schedules.tactics import keep

__all__ = [
    "components_once", "fold_here", "fold_with_others", "needs_others", "others_of", "reduce_inside", "reduce_others",
    "reduces_rows_once", "rows_with_results",
]  # fmt: skip


def rows_with_results(e: Expr, context: Context) -> Rewritten | None:
    """map f (zip(xss, join ∘ map (reduce g z) yss))  ->  map (λ(xs, ys). f (xs, element 0 (reduce g z ys))) of both

    Where f reduces a row, or maps its elements.
    """
    if not isinstance(e, Map) or e.how != MAP or not isinstance(e.xs, Zip) or not (_is_reduction(e.f) or _is_map(e.f)):
        return None
    rows = e.xs.operands
    for index, x in enumerate(rows):
        if isinstance(x, Join) and isinstance(x.xs, Map) and x.xs.how == MAP and _is_reduction(x.xs.f):
            fuse = use(fuse_operand, operand=index)
            return seq(at(array / part(index), elements_of_map), fuse, try_(zip_duplicates))(e, context)
    return None


def reduces_rows_once(e: Expr) -> bool:
    """Is all that is reduced in a normal form reduced by the functions of its rows, as schedules for rows expect it?"""
    rows = [node for node in postorder(e) if isinstance(node, Map) and _is_reduction(node.f)]
    return not any(isinstance(node, Reduce) for each in rows for node in postorder(each.xs))


def _is_reduction(f: Expr) -> bool:
    body = f.open()[1] if isinstance(f, Lambda) else None
    return isinstance(body, Reduce) and body.how == REDUCE


def _is_map(f: Expr) -> bool:
    body = f.open()[1] if isinstance(f, Lambda) else None
    return isinstance(body, Map) and body.how == MAP


def others_of(row: Reduce) -> list[Reduce]:
    """The reductions that the function of a row's reduction needs."""
    found = dict.fromkeys(node for x in row.operands for node in postorder(x))
    return [node for node in found if isinstance(node, Reduce)]


components_once: Strategy = top_down(reduce_known_component)
"""A component of a row's reduction that is one of the reductions it needs is taken from that one."""


def needs_others(row: Expr | None) -> bool:
    """Does the function of a row's reduction need another reduction of the row?"""
    return isinstance(row, Reduce) and bool(others_of(row))


def reduce_inside(lower: Strategy) -> Strategy:
    """The strategy at each reduction here and below, those first that need no others; its result is kept in memory,
    where the rest reads it. Made once for all places that read it.
    """
    return everywhere(_alone(once(lower)))


@tactic
def _alone(e: Reduce, lower: Strategy) -> Strategy | None:
    """The strategy at a reduction that needs no others."""
    return None if e.how != REDUCE or _has_open(e) else lower


@tactic
def reduce_others(e: Expr, lower: Strategy) -> Strategy:
    """The same at each reduction that the one standing here needs."""
    inside = at(array, reduce_inside(lower))
    return inside if needs_others(e) else succeed


def fold_here(how: Folding) -> Strategy:
    """The reduction that stands here, in one work-item, its result kept: made once for all places that read it."""
    return once(seq(fold(how), keep))


def fold_with_others(how: Folding) -> Strategy:
    """The reduction that stands here, and first those that it needs, by one work-item."""
    return seq(reduce_others(fold_here(how)), fold(how))


def _has_open(e: Expr) -> bool:
    """Is there a reduction inside that no rule has lowered yet?"""
    inner = (node for x in e.operands for node in postorder(x, prune=lambda node: isinstance(node, Memory)))
    return any(isinstance(node, Reduce) and node.how == REDUCE for node in inner)
