"""Arrays put one after the other in a normal form: each part gets the maps that read it, as a loop of its own."""

from __future__ import annotations

from ir.core.expr import Expr, postorder
from ir.core.patterns import MAP, Concat, Join, Map, Slice, Split
from ir.cost.thresholds.partition import SPREAD_PARTS_AT_MOST
from ir.rewrite.rule import Context
from ir.rewrite.strategy import Rewritten, of, use
from ir.rules.common import components
from ir.rules.layout import concat, slices
from ir.rules.layout.broadcasts import transpose_of_transpose
from ir.rules.layout.concat import is_side_by_side
from ir.rules.layout.views import slice_of_zip

__all__ = ["CONCAT_VIEWS", "spread_parts"]


CONCAT_VIEWS = (
    concat.join_after_concat, concat.split_after_concat, concat.concat_of_concats, slices.slice_after_concat,
    slices.slice_across_concat, slices.element_after_concat, slices.slice_after_slice, concat.transpose_after_concat,
    transpose_of_transpose, slices.slice_of_columns, slices.slice_of_rows, slice_of_zip,
)  # fmt: skip
"""Rules that bring a concat out of the views that it is read through."""


@of(Join, Map, Slice, Split)
def spread_parts(e: Expr, context: Context) -> Rewritten | None:
    """A map over a concat becomes a concat of maps; one over arrays side by side becomes a map over rows of them."""
    if isinstance(e, Join) and isinstance(e.xs, Join) and _has_parts(e.xs.xs):
        return concat.join_of_joins(e, context)
    if isinstance(e, Slice) and isinstance(e.xs, Join) and _has_parts(e.xs.xs):
        return slices.slice_after_join(e, context)
    if isinstance(e, Split) and isinstance(e.xs, Join) and _has_parts(e.xs.xs):
        return concat.split_of_rows(e, context)
    if not isinstance(e, Map) or e.how != MAP:
        return None
    for operand, inner in enumerate(components(e.xs)):
        if isinstance(inner, Concat) and len(inner.operands) <= SPREAD_PARTS_AT_MOST:
            whole = inner is e.xs
            spread = concat.map_after_concat if whole else use(concat.map_concat_operand, operand=operand)
        elif isinstance(inner, Join) and _has_parts(inner.xs):
            spread = use(concat.map_into_rows, operand=operand)
        else:
            continue
        return None if _combines(e.f) else spread(e, context)
    return None


def _combines(f: Expr) -> bool:
    """Does a function reduce, scan or scatter? What is made of rows so is no part that can be written one by one."""
    return any(node.traits.folds for node in postorder(f))


def _has_parts(rows: Expr) -> bool:
    """Rows of arrays side by side."""
    return isinstance(rows, Map) and is_side_by_side(rows.f)
