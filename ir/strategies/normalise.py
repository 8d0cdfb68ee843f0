"""The normal form from which every schedule starts: element-wise graphs fused into one map, views pushed out of
the way.
"""

from __future__ import annotations

from ir.core.expr import Expr, Lambda, postorder
from ir.core.patterns import (
    MAP,
    REDUCE,
    SCAN,
    Element,
    Generate,
    Join,
    Map,
    Reduce,
    Scan,
    Scatter,
    Slice,
    Slide,
    Sort,
    Zip,
    is_open,
)
from ir.rewrite.rule import READ, Context
from ir.rewrite.strategy import Rewritten, Strategy, at, bottom_up, choice, everywhere, repeat, seq, top_down, try_
from ir.rules.common import components
from ir.strategies.dependent import components_once, rows_with_results
from ir.strategies.spread import CONCAT_VIEWS, spread_parts
from ir.strategies.tactics import fuse_maps, is_open_map, named
from ir.strategies.together import reduce_together, results_together, rows_apart
from ir.strategies.windows import windows_apart

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


_OUTWARD = (
    "repeat_after_map", "join_after_map", "split_after_map", "slice_after_map", "slide_after_map",
    "transpose_after_map", "stride_after_map", "gather_after_map", "id_elimination",
)  # fmt: skip


def _moves(e: Expr) -> bool:
    """Is it an array of elements of its operand, as they are?"""
    return e.traits.view and e.traits.natural and not isinstance(e, Element)


def generated_outward(e: Expr, context: Context) -> Rewritten | None:
    """A generated array as a map of its indices, and that map out of the views it is read through.

    Moved before maps are fused, they are fused like any other; the views are left to the indices, which cost nothing.
    """
    if isinstance(e, Generate):
        return named("generate_to_map")(e, context)
    if _moves(e) and isinstance(e.operands[0], Map) and _is_generated(e.operands[0].xs):
        return choice(*map(named, _OUTWARD))(e, context)
    if _rearranges_rows(e) and isinstance(e.operands[1], Map) and _is_generated(e.operands[1].xs):
        return named("view_map_after_map")(e, context)
    return None


def _is_generated(xs: Expr) -> bool:
    """Is it a view of indices?"""
    while _moves(xs) or _rearranges_rows(xs):
        xs = xs.operands[0] if _moves(xs) else xs.operands[1]
    return isinstance(xs, Generate)


def _rearranges_rows(e: Expr) -> bool:
    """Is it a map of a function that is a chain of views?"""
    if not isinstance(e, Map) or e.how != MAP or not isinstance(e.f, Lambda):
        return False
    parameters, body = e.f.open()
    while _moves(body):
        body = body.operands[0]
    return body in parameters


_VIEWS = (
    "id_elimination", "join_after_split", "split_after_join", "slice_after_map", "slide_after_map", "slide_to_split",
    "element_of_slide", "slice_of_slide", "split_after_map", "join_after_map",
    "transpose_after_map", "element_after_map", "element_of_zip", "stride_after_map", "view_map_after_map",
    "zip_duplicates", "reduce_of_maps", "tuple_of_components", "map_of_elements", "gather_after_map", "gather_computed",
    "generate_to_map", "scatter_fusion", "sort_fusion", "map_sort_fusion", *CONCAT_VIEWS,
)  # fmt: skip


def fuse_below_reduce(e: Expr, context: Context) -> Rewritten | None:
    """Move the maps that a reduction or scan reads through a zip to where it can take them in."""
    if isinstance(e, (Reduce, Scan)) and e.how in (REDUCE, SCAN) and isinstance(e.xs, Zip):
        return at((2,), named("map_out_of_zip"))(e, context)
    if isinstance(e, Sort) and isinstance(e.xs, Zip):
        return at((1,), named("map_out_of_zip"))(e, context)
    if isinstance(e, Scatter) and isinstance(e.ys, Zip):
        return at((3,), named("map_out_of_zip"))(e, context)
    return None


def slice_computed(e: Expr, context: Context) -> Rewritten | None:
    """A slice, or windows, of a zip of which a part is computed go to the parts, where they meet the map."""
    if isinstance(e, (Slice, Slide)) and isinstance(e.xs, Zip) and any(map(is_open_map, e.xs.operands)):
        return named("slice_of_zip" if isinstance(e, Slice) else "view_of_zip")(e, context)
    return None


def map_out_of_zips(e: Expr, context: Context) -> Rewritten | None:
    """What is computed for a part of a zip that is read through a view, or zipped again, is computed after it: then it
    moves on, to whatever reads that.
    """
    if _moves(e) or isinstance(e, Zip):
        for index, operand in enumerate(e.operands):
            if isinstance(operand, Zip) and any(map(is_open_map, operand.operands)):
                return at((index,), named("map_out_of_zip"))(e, context)
    return None


def flatten_operand(e: Expr, context: Context) -> Rewritten | None:
    """Computed rows that a map, reduction, scan or scatter reads one after the other become one map: it takes that in.

    Where a row's function uses the row, the index of each element is divided to find it.
    """
    if not is_open(e):
        return None
    last = len(e.operands) - 1
    read = e.operands[last]
    for index, operand in enumerate(components(read)):
        if isinstance(operand, Join) and is_open_map(operand.xs):
            place = (last, index) if isinstance(read, Zip) else (last,)
            done = at(place, choice(named("join_after_map"), named("flatten_rows")))(e, context)
            if done is not None:
                return done
    return None


_scan_columns: Strategy = seq(named("scan_of_maps"), at((0,), try_(named("map_repeat_operand", operand=0))))
"""A scan of rows is one of each column, from one initial value where all have the same."""

_views: Strategy = everywhere(
    choice(
        *map(named, _VIEWS), fuse_maps, fuse_below_reduce, spread_parts, _scan_columns, slice_computed, map_out_of_zips
    )
)


def _fuse_here_or_below(e: Expr, context: Context) -> Rewritten | None:
    return top_down(fuse_operands)(e, context)


_fused: Strategy = seq(_views, repeat(seq(_fuse_here_or_below, _views)))


def flatten_viewed(e: Expr, context: Context) -> Rewritten | None:
    """Computed rows that a view of them reads one after the other become one map, which moves out of the view.

    Each row's function is made one map first. Where the view is of the result, rows are written through it.
    """
    computed = _moves(e) and isinstance(e.operands[0], Join) and is_open_map(e.operands[0].xs)
    if not computed or context[-1:] != (READ,):
        return None
    flat = choice(named("join_after_map"), named("map_out_of_rows"), named("flatten_rows"))
    return seq(at((0, 0, 0, 0), _fused), at((0,), flat))(e, context)


_windows: Strategy = seq(top_down(windows_apart), _views, everywhere(named("ungroup_zip")))

normalise: Strategy = seq(
    try_(choice(reduce_together, results_together)),
    everywhere(generated_outward),
    repeat(_windows),
    repeat(seq(bottom_up(flatten_viewed), _fused)),
    repeat(choice(top_down(named("zip_duplicates")), _fuse_here_or_below, top_down(flatten_operand))),
    _fused,
    repeat(seq(choice(top_down(flatten_operand), bottom_up(rows_apart), _windows), _fused)),
    repeat(seq(top_down(rows_with_results), _fused)),
    repeat(components_once),
)
"""Make reductions that are computed together one, cancel views, fuse element-wise graphs, read rows as what they are;
bounded by the size of the expression, every rule shrinks or pushes inwards.
"""
