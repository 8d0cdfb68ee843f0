"""How the elements of a view lie in memory: extents and strides, as far as the view's patterns say.

An array is a list of levels, outermost first; a level is one dimension of its type, made of (extent, stride) pairs,
the slowest first. A matrix that was transposed and flattened is one level of two pairs, that of stride 1 the first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import prod

from ir.core.expr import Expr, Lambda, Param
from ir.core.patterns import Id, Join, Map, Repeat, Slice, Slide, Split, Transpose, Zip, is_view_map, length_of
from ir.core.sizes import Size, divide_exactly, size
from ir.core.types import shape_of
from ir.cost.thresholds.defaults import CLOSE_STRIDE_UP_TO

__all__ = ["Exchange", "Layout", "Level", "Located", "exchange_of", "layouts", "located"]

Level = tuple[tuple[Size, Size], ...]
Layout = tuple[Level, ...]


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
        place = Located(xs.identifier, size(0), _in_memory(xs))
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
    layout = _viewed(view, place.layout)
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


def layouts(xs: Expr) -> list[Layout]:
    """The layout of each array in memory that a view reads, of those arrays for which the patterns say it."""
    return list(_layouts(xs, {}))


def _layouts(xs: Expr, variables: Mapping[Expr, Layout]) -> Iterator[Layout]:
    for chain in _chains(xs):
        layout = _through(chain, variables)
        if layout is not None:
            yield layout


def _chains(xs: Expr) -> Iterator[list[Expr]]:
    """The views from an array down to each variable it reads, in the order in which they are applied."""
    pending: list[tuple[Expr, tuple[Expr, ...]]] = [(xs, ())]
    while pending:
        node, above = pending.pop()
        if isinstance(node, Zip):
            pending.extend((operand, above) for operand in dict.fromkeys(reversed(node.operands)))
        elif isinstance(node, Param):
            yield [node, *reversed(above)]
        elif node.traits.view or is_view_map(node):
            pending.append((node.operands[-1], (*above, node)))


def _through(chain: list[Expr], variables: Mapping[Expr, Layout]) -> Layout | None:
    """The layout of what views make of a variable; None where one of them leaves no even strides."""
    layout: Layout | None = variables.get(chain[0]) or _in_memory(chain[0])
    for view in chain[1:]:
        if layout is None:
            return None
        layout = _viewed(view, layout)
    return layout


def _in_memory(array: Expr) -> Layout:
    """An array as it is stored, row by row."""
    shape = shape_of(array.type)
    return tuple(_merged(((extent, prod(shape[i + 1 :], start=size(1))),)) for i, extent in enumerate(shape))


def _viewed(view: Expr, layout: Layout) -> Layout | None:
    """The layout of what a view makes of an array; None where it leaves no even strides."""
    match view, layout:
        case Id(), _:
            return layout
        case Split(chunk, _), (first, *rest):
            both = _cut(first, chunk)
            return None if both is None else (*both, *rest)
        case Join(), (first, second, *rest):
            return (_merged((*first, *second)), *rest)
        case Transpose(), (first, second, *rest):
            return (second, first, *rest)
        case Repeat(count, _), _:
            return (_merged(((count, size(0)),)), *layout)
        case Slice(_, step, count, _), (((_, stride),), *rest):
            return (_merged(((count, stride * step),)), *rest)
        case Slide(window, step, _), (((_, stride),), *rest):
            return (_merged(((length_of(view), stride * step),)), _merged(((window, stride),)), *rest)
        case Map(Lambda() as f, _), (first, *rest):
            (row,), body = f.open()
            inner = list(_layouts(body, {row: tuple(rest)}))
            return (first, *inner[0]) if len(inner) == 1 else None
    return None


def _merged(level: Level) -> Level:
    """Without dimensions of one element; those that lie one after the other in memory made one."""
    done: list[tuple[Size, Size]] = []
    for extent, stride in level:
        if extent.value == 1:
            continue
        if done and done[-1][1] is stride * extent:
            done[-1] = (done[-1][0] * extent, stride)
        else:
            done.append((extent, stride))
    return tuple(done)


def _cut(level: Level, chunk: Size) -> tuple[Level, Level] | None:
    """The chunks of a level, and what is in one; None where a chunk is no whole number of its dimensions."""
    outer, inner = list(level), list[tuple[Size, Size]]()
    while outer and chunk.value != 1:
        extent, stride = outer.pop()
        whole = divide_exactly(chunk, extent)
        if whole is not None:
            inner.insert(0, (extent, stride))
            chunk = whole
            continue
        parts = divide_exactly(extent, chunk)
        if parts is None:
            return None
        inner.insert(0, (chunk, stride))
        outer.append((parts, stride * chunk))
        chunk = size(1)
    return (_merged(tuple(outer)), _merged(tuple(inner))) if chunk.value == 1 else None
