"""The normal form from which every schedule starts: element-wise graphs fused into one map, views pushed out of
the way.
"""

from __future__ import annotations

from ir.core.expr import Expr, postorder
from ir.core.patterns import MAP, REDUCE, Map, Reduce, Zip
from ir.rewrite.rule import Context
from ir.rewrite.strategy import Rewritten, Strategy, at, choice, everywhere, repeat, seq, top_down
from ir.rules.common import components
from ir.strategies.spread import CONCAT_VIEWS, spread_parts
from ir.strategies.tactics import fuse_maps, named

__all__ = ["fuse_operands", "normalise"]


def fuse_operands(e: Expr, context: Context) -> Rewritten | None:
    """Fuse one operand of a map over a zip: the one that no other operand is computed from, so that each is fused
    once.
    """
    if not isinstance(e, Map) or e.how != MAP:
        return None
    arrays = components(e.xs)
    inner = [x for x in arrays if isinstance(x, Map) and x.how == MAP]
    if not inner:
        return None
    if len(inner) == 1:
        return named("fuse_operand", operand=arrays.index(inner[0]))(e, context)
    last = [node for node in postorder(e.xs) if node in inner][-1]
    return named("fuse_operand", operand=arrays.index(last))(e, context)


_VIEWS = (
    "id_elimination", "join_after_split", "split_after_join", "slice_after_map", "split_after_map", "join_after_map",
    "transpose_after_map", "element_after_map", "element_of_zip", "stride_after_map", "view_map_after_map",
    "zip_duplicates", "reduce_of_maps", "tuple_of_components", "map_of_elements", "gather_after_map", "gather_computed",
    *CONCAT_VIEWS,
)  # fmt: skip


def fuse_below_reduce(e: Expr, context: Context) -> Rewritten | None:
    """Move the maps that a reduction reads through a zip to where the reduction can take them in."""
    if isinstance(e, Reduce) and e.how == REDUCE and isinstance(e.xs, Zip):
        return at((2,), named("map_out_of_zip"))(e, context)
    return None


_views: Strategy = everywhere(choice(*map(named, _VIEWS), fuse_maps, fuse_below_reduce, spread_parts))


def _fuse_here_or_below(e: Expr, context: Context) -> Rewritten | None:
    return top_down(fuse_operands)(e, context)


normalise: Strategy = seq(
    repeat(choice(top_down(named("zip_duplicates")), _fuse_here_or_below)),
    _views,
    repeat(seq(_fuse_here_or_below, _views)),
)
"""Cancel views, fuse element-wise graphs; bounded by the size of the expression, every rule shrinks or pushes
inwards.
"""
