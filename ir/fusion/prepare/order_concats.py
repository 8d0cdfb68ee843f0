"""The concats of a recorded graph, put in order before the graph is cut into kernels.

A program that assigns to slices of one array records a concat for each assignment. Here

- a slice that lies within one part of a concat reads that part, unless the concat has to be stored anyway;
- neighbouring parts that are the same function of neighbouring slices become one (`ir.fusion.prepare.merge_parts`);
- what reduces rows, of concats side by side, or takes some, reads them through a flat view, which can be stored;
- a concat of few parts is one kernel's; of many, each part is written by a kernel of its own, into its place.

Here it is decided where: all that is changed is changed by rules, at vertices whose operands are changed already, the
whole graph once (`ir.fusion.prepare.rewriting`). Lengths are numbers, so that it is known which part holds what. The
graph is walked iteratively; only the comparison of parts recurs, to a bounded depth.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Container, Iterator, Sequence
from typing import NamedTuple

from ir.core.expr import Expr
from ir.core.patterns import Concat, Gather, Map, Repeat, Slice, Split
from ir.core.types import ArrayType, shape_of
from ir.cost.thresholds.partition import PARTS_OF_A_CONCAT_AT_MOST, PARTS_OF_A_SLICE_AT_MOST
from ir.fusion.partition.graph import Graph, rebuild, reduces
from ir.fusion.prepare.merge_parts import Constants, Merging, number
from ir.fusion.prepare.rewriting import Rewriter, by_way_of_flat, over_variables
from ir.fusion.prepare.stored_parts import read_in_whole
from ir.rewrite.contexts import Context
from ir.rewrite.strategy import Rewritten, Strategy, at, choice, operands, seq, try_, use
from ir.rules.layout.concat import concat_of_nothing, concat_of_some_concats, join_after_concat
from ir.rules.layout.slices import (
    begin_of,
    parts_near,
    slice_across_concat,
    slice_after_concat,
    slice_after_slice,
    slice_of_repeat,
)
from ir.rules.maps.algorithmic import join_after_split

__all__ = ["Arranged", "arrange"]


class Arranged(NamedTuple):
    """A graph in order.

    Attributes:
        roots: over concats of few parts, or of parts that are to be written by a kernel each.
        grouped: the latter concats.
        rewriter: what has rewritten vertices.
    """

    roots: list[Expr]
    grouped: frozenset[Expr]
    rewriter: Rewriter


def arrange(
    roots: Sequence[Expr], graph: Graph, constants: Constants | None = None, rewriter: Rewriter | None = None
) -> Arranged:
    """Put the concats of a graph in order.

    Args:
        constants: makes a variable for an array of constants
        rewriter: what has rewritten vertices before
    """
    roots = read_in_whole(roots, graph, _sliced(graph))
    graph = Graph(roots, graph.known)
    readers: dict[Expr, int] = dict.fromkeys(roots, 1)
    whole: set[Expr] = set(roots)  # has to be stored, or is read by more than slices of single parts
    for node in graph.order:
        if node in graph.known:
            whole.add(node)
            continue
        for operand in graph.reads(node):
            readers[operand] = readers.get(operand, 0) + 1
            if isinstance(operand, Concat) and not isinstance(node, Concat) and not _reads_parts(node):
                whole.add(operand)
    arranging = _Arranging(graph, constants, whole, rewriter or Rewriter())
    shared: set[Expr] = set()  # vertices of the new graph that several read: merged into others they would run twice
    for node in graph.order:
        made = arranging.rewritten(node, shared)
        if readers.get(node, 0) > 1 and (node in whole or not isinstance(node, Concat)):
            shared.add(made)
    return Arranged([arranging.done[root] for root in roots], frozenset(arranging.grouped), arranging.rewriter)


def _sliced(graph: Graph) -> dict[Expr, None]:
    """Concats of which slices read most, across their parts, in order: they are stored."""
    slices = (node for node in graph.order if isinstance(node, Slice) and node not in graph.known)
    return dict.fromkeys(node.xs for node in slices if isinstance(node.xs, Concat) and not _reads_parts(node))


class _Arranging:
    """A graph whose vertices are rewritten one by one, operands first.

    Attributes:
        whole: concats that have to be stored, or are read by more than slices of single parts
    """

    def __init__(self, graph: Graph, constants: Constants | None, whole: set[Expr], rewriter: Rewriter) -> None:
        self.graph = graph
        self.whole = whole
        self.rewriter = rewriter
        self.done: dict[Expr, Expr] = {}
        self.grouped: set[Expr] = set()
        self._open: set[Expr] = set()  # concats whose parts others take for their own
        self._slice = _slice_of_parts(graph.known)
        self._merging = Merging(self.rewriter, constants, graph.known)

    def rewritten(self, node: Expr, shared: Container[Expr]) -> Expr:
        """A vertex over the new ones, in order.

        Args:
            shared: vertices of the new graph that several read
        """
        if node in self.graph.known:
            made = node
        elif isinstance(node, Concat):
            made = self._concat(node, shared)
        else:
            views = self._flat_views(node) if _takes_rows(node) else None
            made = rebuild(node, ChainMap(views, self.done) if views else self.done)
            if isinstance(node, Slice) and node.xs not in self.whole and _reads_parts(node):
                examples = _examples_of_slice(made, self.graph.known)
                made = self.rewriter.apply(self._slice, made, examples) or made
        self.done[node] = made
        return made

    def _concat(self, node: Concat, shared: Container[Expr]) -> Expr:
        """A concat with the parts of inner ones that nothing else needs among its own, and no empty ones."""
        made = found = rebuild(node, self.done)
        members = sum([1 << i for i, x in enumerate(node.operands) if x in self._open])
        if members or not all(map(number, node.operands)):
            flat = seq(try_(use(concat_of_some_concats, members=members)), try_(concat_of_nothing))
            found = self.rewriter.apply(flat, made, [_over_variables(made.operands)]) or made
        single = found is not made and found in made.operands
        if node in self.whole:
            return self._together([found] if single else found.operands, shared)
        if not single:
            self._open.add(node)
        return found

    def _together(self, parts: Sequence[Expr], shared: Container[Expr]) -> Expr:
        """The concat of the parts, like neighbours made one; of many, a view of a flat concat whose parts a kernel each
        writes.
        """
        parts = self._merging.merged(parts, shared)
        if len(parts) == 1:
            return parts[0]
        made: Expr = Concat(*parts)
        if len(parts) > PARTS_OF_A_CONCAT_AT_MOST:
            made = flat = self.rewriter.apply(_flat, made, _examples_of_parts(parts)) or made
            while isinstance(flat, Split):
                flat = flat.xs
            self.grouped.add(flat)
        return made

    def _flat_views(self, node: Expr) -> dict[Expr, Expr]:
        """Nested concats that a vertex reduces, or takes rows of in any order, by way of flat arrays."""
        views: dict[Expr, Expr] = {}
        for x in self.graph.reads(node):
            nested = self.done[x]
            if _is_nested_concat(nested):
                views[x] = self.rewriter.apply(by_way_of_flat, nested, [over_variables(nested, [nested])]) or nested
        return views


def _takes_rows(e: Expr) -> bool:
    """May it reduce rows, or take some in any order?"""
    return e.traits.collective or isinstance(e, Gather) or (isinstance(e, Map) and reduces(e.f))


def _is_nested_concat(e: Expr) -> bool:
    """Is it a view of a concat that is flat nowhere on the way?"""
    while isinstance(e.type, ArrayType) and isinstance(e.type.element, ArrayType):
        if isinstance(e, Concat):
            return True
        if not e.traits.bijective:
            return False
        e = e.operands[0]
    return False


def _reads_parts(e: Expr) -> bool:
    """Does a slice of a concat read a single part, or a few neighbours that are less than half of it?

    Else the concat is stored, and read as it is.
    """
    if not isinstance(e, Slice) or not isinstance(e.xs, Concat):
        return False
    near = _parts_read(e)
    few = len(near) <= PARTS_OF_A_SLICE_AT_MOST and 2 * number(e) < number(e.xs)
    return len(near) == 1 or (e.step == 1 and number(e) > 0 and few)


def _parts_read(e: Slice) -> range:
    """The numbers of the parts of a concat that a slice reads."""
    assert isinstance(e.xs, Concat)
    last = e.start + (e.count - 1) * e.step
    low, high = (e.start, last) if e.step > 0 else (last, e.start)
    return parts_near(e.xs, low, high + 1)


def _slice_of_parts(known: Container[Expr]) -> Strategy:
    """A slice of parts of a concat as slices of what these are made of.

    Args:
        known: vertices whose values exist: what is read of them is read by way of no other
    """
    cut = choice(slice_of_repeat, slice_after_slice)

    def run(e: Expr, context: Context) -> Rewritten | None:
        if not isinstance(e, Slice) or not isinstance(e.xs, Concat):
            return None
        parts = [e.xs.operands[i] for i in _parts_read(e)]

        def tidy(x: Expr, context: Context) -> Rewritten | None:
            return None if x in parts or (isinstance(x, Slice) and x.xs in known) else cut(x, context)

        of_one, of_several = slice_after_concat, slice_across_concat
        return (seq(of_one, try_(tidy)) if len(parts) == 1 else seq(of_several, operands(try_(tidy))))(e, context)

    return run


def _examples_of_slice(e: Expr, known: Container[Expr]) -> Iterator[Expr]:
    """A slice of a concat over variables, without parts far from those that it reads."""
    assert isinstance(e, Slice)
    assert isinstance(e.xs, Concat)
    near = _parts_read(e)
    first = max(near.start - 1, 0)
    parts = e.xs.operands[first : near.stop + 1]
    reads = [part.operands[0] if isinstance(part, (Repeat, Slice)) and part not in known else part for part in parts]
    yield over_variables(Slice(e.start - begin_of(e.xs, first), e.step, e.count, Concat(*parts)), reads)


def _flat(e: Expr, context: Context) -> Rewritten | None:
    """Parts of nested arrays one after the other, as a view of flat parts: what these were split from, if they were."""
    dimensions = len(shape_of(e.type))
    flatten = seq(join_after_concat, operands(try_(join_after_split)))
    places = [
        (0,) * place for place in reversed(range(dimensions - 1, 2 * dimensions - 2))
    ]  # of joins, inner ones first
    return seq(by_way_of_flat, *(at(place, flatten) for place in places))(e, context)


def _examples_of_parts(parts: Sequence[Expr]) -> Iterator[Expr]:
    """A concat of the first few parts over variables, or of more where all are rewritten in another way."""
    count = 2
    while count < len(parts):
        yield _over_variables(parts[:count])
        count *= 4
    yield _over_variables(parts)


def _over_variables(parts: Sequence[Expr]) -> Expr:
    reads: list[Expr] = []
    for part in parts:
        while isinstance(part, Split):
            part = part.xs
        reads += part.operands if isinstance(part, Concat) else (part,)
    return over_variables(Concat(*parts), reads)
