"""The concats of a recorded graph, put in order before the graph is cut into kernels.

A program that assigns to slices of one array records a concat for each assignment. Here

- a slice that lies within one part of a concat reads that part, unless the concat has to be stored anyway;
- neighbouring parts that are the same function of neighbouring slices become one (`ir.fusion.alike`);
- what reduces rows, of concats side by side, or takes some, reads them through a flat view, which can be stored;
- a concat of few parts is one kernel's; of many, each part is written by a kernel of its own, into its place.

These are equations of `ir.rules.concat` (`slice_after_concat`, `concat_of_maps`, `concat_of_slices`), at lengths that
are numbers here, so that it is known which part holds what. The graph is walked iteratively; only the comparison of
parts recurs, to a bounded depth.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Container, Sequence

from ir.core.expr import Expr
from ir.core.patterns import Concat, Gather, Join, Map, Repeat, Slice, Split
from ir.core.sizes import Size
from ir.core.types import ArrayType
from ir.cost.thresholds.partition import PARTS_OF_A_CONCAT_AT_MOST, PARTS_OF_A_SLICE_AT_MOST
from ir.fusion.alike import Constants, merged, number
from ir.fusion.graph import Graph, reduces
from ir.fusion.tasks import rebuild

__all__ = ["arrange"]


def arrange(
    roots: Sequence[Expr], graph: Graph, constants: Constants | None = None
) -> tuple[list[Expr], frozenset[Expr]]:
    """The roots over concats of few parts, or of parts that are to be written by a kernel each: those.

    constants : makes a variable for an array of constants
    """
    order, known = graph.order, graph.known
    grouped: set[Expr] = set()
    readers: dict[Expr, int] = dict.fromkeys(roots, 1)
    whole: set[Expr] = set(roots)  # has to be stored, or is read by more than slices of single parts
    for node in order:
        if node in known:
            whole.add(node)
            continue
        for operand in graph.reads(node):
            readers[operand] = readers.get(operand, 0) + 1
            if isinstance(operand, Concat) and not isinstance(node, Concat) and not _pieces(node):
                whole.add(operand)
    done: dict[Expr, Expr] = {}
    flat: dict[Expr, list[Expr]] = {}  # the parts of a concat
    shared: set[Expr] = set()  # vertices of the new graph that several read: merged into others they would run twice
    for node in order:
        if node in known:
            done[node] = node
        elif isinstance(node, Concat):
            flat[node] = _parts(node, done, flat, whole)
            if node in whole:  # nothing asks for the others: their parts are read one by one
                done[node] = _put_together(merged(flat[node], shared, constants, known), grouped)
        else:
            taken = _pieces(node) if isinstance(node, Slice) and node.xs not in whole else []
            cuts = [_sliced(done[part], start, step, count, known) for part, start, step, count in taken]
            done[node] = _rebuilt(node, graph, done) if not cuts else cuts[0] if len(cuts) == 1 else Concat(*cuts)
        if readers.get(node, 0) > 1 and node in done:
            shared.add(done[node])
    return [done[root] for root in roots], frozenset(grouped)


def _rebuilt(node: Expr, graph: Graph, done: dict[Expr, Expr]) -> Expr:
    """The vertex over the new ones; nested concats that it reduces, or takes rows of in any order, by way of a flat
    array: xs -> split n (join xs).
    """
    if node.traits.collective or isinstance(node, Gather) or (isinstance(node, Map) and reduces(node.f)):
        views = {x: _by_way_of_flat(done[x]) for x in graph.reads(node) if _is_nested_concat(done[x])}
        if views:
            return rebuild(node, ChainMap(views, done))
    return rebuild(node, done)


def _is_nested_concat(e: Expr) -> bool:
    """Is it a view of a concat that is flat nowhere on the way?"""
    while isinstance(e.type, ArrayType) and isinstance(e.type.element, ArrayType):
        if isinstance(e, Concat):
            return True
        if not e.traits.bijective:
            return False
        e = e.operands[0]
    return False


def _by_way_of_flat(e: Expr) -> Expr:
    """A nested array as a view of a flat one, which can be stored: xs -> split n (join xs)."""
    extents: list[Size] = []
    while isinstance(e.type, ArrayType) and isinstance(e.type.element, ArrayType):
        extents.append(e.type.element.length)
        e = Join(e)
    for extent in reversed(extents):
        e = Split(extent, e)
    return e


def _pieces(e: Expr) -> list[tuple[Expr, int, int, int]]:
    """The parts of a concat that a slice reads: each with the start, step and count of what it reads of it.

    Nothing where it reads of more than a few parts, or most of the concat: then that is stored, and read as it is.
    """
    if not isinstance(e, Slice) or not isinstance(e.xs, Concat):
        return []
    first, count = e.start.value, e.count.value
    assert first is not None
    assert count is not None
    last = first + e.step * (count - 1)
    found = []
    begin = 0
    for part in e.xs.operands:
        end = begin + number(part)
        if begin <= first < end and begin <= last < end:
            return [(part, first - begin, e.step, count)]
        low, high = max(first, begin), min(last + 1, end)
        if low < high:
            found.append((part, low - begin, 1, high - low))
        begin = end
    return found if e.step == 1 and len(found) <= PARTS_OF_A_SLICE_AT_MOST and 2 * count < begin else []


def _sliced(xs: Expr, start: int, step: int, count: int, known: Container[Expr]) -> Expr:
    """A slice of xs, of what exists by way of no other."""
    if start == 0 and step == 1 and count == number(xs):
        return xs
    if xs in known:
        return Slice(start, step, count, xs)
    if isinstance(xs, Repeat):
        return Repeat(count, xs.x)
    if isinstance(xs, Slice):
        return Slice(xs.start + start * xs.step, xs.step * step, count, xs.xs)
    return Slice(start, step, count, xs)


def _parts(e: Concat, done: dict[Expr, Expr], flat: dict[Expr, list[Expr]], whole: set[Expr]) -> list[Expr]:
    """The parts of a concat, those of inner ones that nothing else needs among them."""
    found: list[Expr] = []
    for operand in e.operands:
        if isinstance(operand, Concat) and operand not in whole:
            found += flat[operand]
        elif number(operand):
            found.append(done[operand])
    return found or [done[e.operands[0]]]


def _put_together(parts: list[Expr], grouped: set[Expr]) -> Expr:
    """The concat of the parts; of many, a view of a flat concat whose parts a kernel each writes."""
    if len(parts) <= PARTS_OF_A_CONCAT_AT_MOST:
        return parts[0] if len(parts) == 1 else Concat(*parts)
    extents: list[Size] = []
    while isinstance(parts[0].type, ArrayType) and isinstance(parts[0].type.element, ArrayType):
        extents.append(parts[0].type.element.length)
        parts = [part.xs if isinstance(part, Split) else Join(part) for part in parts]
    made: Expr = Concat(*parts)
    grouped.add(made)
    for extent in reversed(extents):
        made = Split(extent, made)
    return made
