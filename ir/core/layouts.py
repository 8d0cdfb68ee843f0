"""How the elements of a view lie in memory: extents and strides, as far as the view's patterns say.

An array is a list of levels, outermost first; a level is one dimension of its type, made of (extent, stride) pairs,
the slowest first. A matrix that was transposed and flattened is one level of two pairs, that of stride 1 the first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod

from ir.core.expr import Expr, Lambda, Param
from ir.core.patterns import Id, Join, Map, Repeat, Slice, Slide, Split, Transpose, Zip, is_view_map, length_of
from ir.core.sizes import Size, divide_exactly, size
from ir.core.types import shape_of

__all__ = ["Layout", "Level", "in_memory", "layouts", "through_view"]

Level = tuple[tuple[Size, Size], ...]
Layout = tuple[Level, ...]


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
    layout: Layout | None = variables.get(chain[0]) or in_memory(chain[0])
    for view in chain[1:]:
        if layout is None:
            return None
        layout = through_view(view, layout)
    return layout


def in_memory(array: Expr) -> Layout:
    """An array as it is stored, row by row."""
    shape = shape_of(array.type)
    return tuple(_merged(((extent, prod(shape[i + 1 :], start=size(1))),)) for i, extent in enumerate(shape))


def through_view(view: Expr, layout: Layout) -> Layout | None:
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
