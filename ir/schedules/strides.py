"""Where the elements of a view are in memory, and which of its dimensions is the nearest there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import prod

from ir.core.expr import Expr, Lambda, Param
from ir.core.layouts import Layout, Level, in_memory, layouts, through_view
from ir.core.patterns import Map, Slice, Slide, Zip, is_view_map
from ir.core.sizes import Size, size
from ir.cost.thresholds.defaults import CLOSE_STRIDE_UP_TO

__all__ = ["Exchange", "Located", "exchange_of", "located"]


@dataclass(frozen=True)
class Exchange:
    """An array of `outer` x `rows` x `middle` x `columns` elements that is read with the rows' dimension fastest."""

    outer: Size
    rows: Size
    middle: Size
    columns: Size


@dataclass(frozen=True)
class Located:
    """Where a view's elements are: in which array, from where on, how they lie, and how far they are from those of the
    next one of many.
    """

    array: str
    offset: Size
    layout: Layout
    between: Size = field(default_factory=lambda: size(0))


def located(xs: Expr, variables: Mapping[Expr, Located]) -> Located | None:
    """Where the elements of a view are; None where its patterns do not say it, or there are several arrays."""
    views = []
    while xs not in variables and not isinstance(xs, Zip) and (xs.traits.view or is_view_map(xs)):
        views.append(xs)
        xs = xs.operands[-1]
    place = variables.get(xs)
    if place is None:
        if not isinstance(xs, Param) or xs.binder:
            return None
        place = Located(xs.identifier, size(0), in_memory(xs))
    for view in reversed(views):
        found = _located_through(view, place)
        if found is None:
            return None
        place = found
    return place


def _located_through(view: Expr, place: Located) -> Located | None:
    """Where the elements are that a view shows of those that lie there."""
    match view:
        case Map(Lambda() as f, _):
            first, *rest = place.layout
            (row,), body = f.open()
            inner = located(body, {row: replace(place, layout=tuple(rest))})
            return None if inner is None else replace(inner, layout=(first, *inner.layout))
        case Slice(start, step, _, _):
            first = place.layout[0]
            if len(first) != 1 or step < 1:
                return None
            place = replace(place, offset=place.offset + start * first[0][1])
        case Slide():
            return None  # elements of several windows: no library takes arrays whose rows overlap
    layout = through_view(view, place.layout)
    return None if layout is None else replace(place, layout=layout)


def exchange_of(xs: Expr) -> Exchange | None:
    """The first exchange of dimensions that an array, or one of those zipped in it, is read through; None without."""
    for layout in layouts(xs):
        if len(layout) == 1:
            found = _exchange(layout[0])
            if found is not None:
                return found
    return None


def _exchange(level: Level) -> Exchange | None:
    """Is the dimension that is nearest in memory another one than the last?"""
    if not level or level[-1][1].value == 0:
        return None
    *strides, last = [stride.value for _, stride in level]
    near = [i for i, stride in enumerate(strides) if stride is not None and 0 < stride <= CLOSE_STRIDE_UP_TO]
    if not near:
        return None
    at = min(near, key=lambda i: strides[i] or 0)
    if last is not None and abs(last) <= (strides[at] or 0):
        return None
    extents = [extent for extent, _ in level]
    one = size(1)
    return Exchange(prod(extents[:at], start=one), extents[at], prod(extents[at + 1 : -1], start=one), extents[-1])
