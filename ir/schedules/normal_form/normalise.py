"""The normal form from which every schedule starts: element-wise graphs fused into one map, views pushed out of
the way.
"""

from __future__ import annotations

from ir.core.expr import Expr, Lambda
from ir.core.patterns import (
    MAP,
    REDUCE,
    SCAN,
    CompactBeside,
    Element,
    Generate,
    Join,
    Map,
    Reduce,
    Repeat,
    Scan,
    Scatter,
    Slice,
    Slide,
    Sort,
    Zip,
    is_open,
)
from ir.rewrite.places import Place, array, below, body, joined, part, transposed, values
from ir.rewrite.rule import READ, Context
from ir.rewrite.strategy import (
    Rewritten,
    Strategy,
    at,
    bottom_up,
    choice,
    everywhere,
    of,
    repeat,
    seq,
    top_down,
    try_,
    use,
)
from ir.rules.common import components, length
from ir.rules.folds.reduction import reduce_of_maps
from ir.rules.folds.scan import scan_of_maps
from ir.rules.layout import views
from ir.rules.layout.broadcasts import transpose_of_transpose
from ir.rules.layout.generate import generate_to_map
from ir.rules.layout.slide import element_of_slide, slice_of_slide, slide_after_map, slide_to_split
from ir.rules.maps import fusion
from ir.rules.maps.algorithmic import id_elimination, join_after_split, split_after_join
from ir.rules.maps.horizontal import fuse_maps_of_zip
from ir.rules.maps.zips import ungroup_zip, view_of_zip
from ir.rules.sorting.compact import compacts_together
from ir.rules.sorting.scatter import scatter_fusion
from ir.rules.sorting.sort import map_sort_fusion, sort_fusion
from ir.schedules.normal_form.mapped import in_one_row, rows_of_map
from ir.schedules.normal_form.spread import CONCAT_VIEWS, spread_parts
from ir.schedules.normal_form.together import reduce_together, results_together, rows_apart
from ir.schedules.normal_form.windows import windows_apart
from ir.schedules.rows.dependent import components_once, rows_with_results
from ir.schedules.tactics import fuse_maps, is_open_map

__all__ = ["normalise"]


_OUTWARD = (
    views.repeat_after_map, views.join_after_map, views.split_after_map, views.slice_after_map, slide_after_map,
    views.transpose_after_map, views.stride_after_map, views.gather_after_map, id_elimination,
)  # fmt: skip


def _moves(e: Expr) -> bool:
    """Is it an array of elements of its operand, as they are?"""
    return e.traits.view and e.traits.natural and not isinstance(e, Element)


def generated_outward(e: Expr, context: Context) -> Rewritten | None:
    """A generated array as a map of its indices, and that map out of the views it is read through.

    Moved before maps are fused, they are fused like any other; the views are left to the indices, which cost nothing.
    """
    if isinstance(e, Generate):
        return generate_to_map(e, context)
    if _moves(e) and isinstance(e.operands[0], Map) and _is_generated(e.operands[0].xs):
        return choice(*_OUTWARD)(e, context)
    if _rearranges_rows(e) and isinstance(e.operands[1], Map) and _is_generated(e.operands[1].xs):
        return views.view_map_after_map(e, context)
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
    id_elimination, join_after_split, split_after_join, transpose_of_transpose, views.slice_after_map, slide_after_map,
    slide_to_split, element_of_slide, slice_of_slide, views.split_after_map, views.join_after_map,
    views.transpose_after_map, views.element_after_map, views.element_of_zip, views.stride_after_map,
    views.view_map_after_map, fusion.zip_duplicates, reduce_of_maps, fusion.tuple_of_components, fusion.map_of_elements,
    views.gather_after_map, views.gather_computed, generate_to_map, scatter_fusion, sort_fusion, map_sort_fusion,
    *CONCAT_VIEWS,
)  # fmt: skip


@of(Reduce, Scan, Scatter, Sort)
def fuse_below_reduce(e: Expr, context: Context) -> Rewritten | None:
    """Move the maps that a reduction or scan reads through a zip to where it can take them in."""
    if not isinstance(e, (Scatter, Sort)) and not (isinstance(e, (Reduce, Scan)) and e.how in (REDUCE, SCAN)):
        return None
    read = _read(e)
    return at(read, fusion.map_out_of_zip)(e, context) if isinstance(read.of(e), Zip) else None


def _read(e: Expr) -> Place:
    """Where the elements stand that a pattern takes one by one."""
    return values if isinstance(e, Scatter) else array


@of(Slice, Slide)
def slice_computed(e: Expr, context: Context) -> Rewritten | None:
    """A slice, or windows, of a zip of which a part is computed go to the parts, where they meet the map."""
    if isinstance(e, (Slice, Slide)) and isinstance(e.xs, Zip) and any(map(is_open_map, e.xs.operands)):
        return (views.slice_of_zip if isinstance(e, Slice) else view_of_zip)(e, context)
    return None


@of(Join)
def order_computed(e: Expr, context: Context) -> Rewritten | None:
    """The elements of a zip in another order: of its parts, where one is computed or was put in order, too."""
    xs = e
    while _moves(xs) and xs.traits.bijective:
        xs = xs.operands[0]
    if xs is e or not isinstance(xs, Zip) or not any(isinstance(x, Join) or is_open_map(x) for x in xs.operands):
        return None
    return view_of_zip(e, context)


def map_out_of_zips(e: Expr, context: Context) -> Rewritten | None:
    """What is computed for a part of a zip that is read through a view, or zipped again, is computed after it: then it
    moves on, to whatever reads that.
    """
    if _moves(e) or isinstance(e, Zip):
        for index, operand in enumerate(e.operands):
            if isinstance(operand, Zip) and any(map(is_open_map, operand.operands)):
                return at((index,), fusion.map_out_of_zip)(e, context)
    return None


def flatten_operand(e: Expr, context: Context) -> Rewritten | None:
    """Computed rows that a map, reduction, scan or scatter reads one after the other become one map: it takes that in.

    Where a row's function uses the row, the index of each element is divided to find it.
    """
    if not is_open(e):
        return None
    read = _read(e)
    whole = read.of(e)
    assert whole is not None
    for index, operand in enumerate(components(whole)):
        if isinstance(operand, Join) and is_open_map(operand.xs):
            place = read / part(index) if isinstance(whole, Zip) else read
            done = at(place, choice(views.join_after_map, fusion.flatten_rows))(e, context)
            if done is not None:
                return done
    return None


@of(Repeat)
def repeated_number(e: Expr, context: Context) -> Rewritten | None:
    """A number that is computed is computed for each element that it is repeated for: the map meets those it is read
    by.
    """
    if isinstance(e, Repeat) and isinstance(e.x, Map) and e.x.how == MAP and length(e.x).value == 1:
        return views.repeat_after_map(e, context)
    return None


_scan_columns: Strategy = seq(scan_of_maps, at(transposed, try_(use(fusion.map_repeat_operand, operand=0))))
"""A scan of rows is one of each column, from one initial value where all have the same."""

_zip_once: Strategy = seq(ungroup_zip, fusion.zip_duplicates)
"""What stands in several zips that a map reads together is zipped once."""

_view: Strategy = choice(
    *_VIEWS,
    fuse_maps,
    fuse_below_reduce,
    spread_parts,
    _scan_columns,
    slice_computed,
    order_computed,
    _zip_once,
    map_out_of_zips,
    repeated_number,
)
_views: Strategy = everywhere(_view)
_fused: Strategy = everywhere(_view, fusion.fuse_operands)


def flatten_viewed(e: Expr, context: Context) -> Rewritten | None:
    """Computed rows that a view of them reads one after the other become one map, which moves out of the view.

    Each row's function is made one map first. Where the view is of the result, rows are written through it.
    """
    computed = _moves(e) and isinstance(e.operands[0], Join) and is_open_map(e.operands[0].xs)
    if not computed or context[-1:] != (READ,):
        return None
    flat = choice(views.join_after_map, fusion.map_out_of_rows, fusion.flatten_rows)
    return at(below(type(e)), seq(at(joined / body, _fused), flat))(e, context)


_windows: Strategy = seq(top_down(windows_apart), _views, everywhere(ungroup_zip))

normalise: Strategy = seq(
    try_(choice(in_one_row, seq(compacts_together, at(below(CompactBeside), fuse_maps_of_zip)))),
    try_(choice(reduce_together, results_together)),
    everywhere(generated_outward),
    repeat(_windows),
    repeat(seq(bottom_up(flatten_viewed), _fused)),
    everywhere(fusion.zip_duplicates, fusion.fuse_operands, flatten_operand),
    _fused,
    repeat(seq(choice(top_down(flatten_operand), bottom_up(rows_apart), _windows), _fused)),
    repeat(seq(top_down(rows_with_results), _fused)),
    try_(seq(rows_of_map, repeat(seq(top_down(rows_with_results), _fused)))),
    repeat(components_once),
)
"""Make reductions that are computed together one, cancel views, fuse element-wise graphs, read rows as what they are;
bounded by the size of the expression, every rule shrinks or pushes inwards.
"""
