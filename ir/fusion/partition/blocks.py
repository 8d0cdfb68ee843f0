"""Results of different lengths that one kernel computes, block by block: the rows of a matrix and its columns, an array
and its sum (paper 003: BiCGK, AXPYDOT).

A work-group computes its part of each result from the same block of memory, which is read once. Each condition for that
is a function here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ir.core.expr import Expr
from ir.core.patterns import Map, Reduce, Split, Transpose, Zip, is_view_map
from ir.core.types import ArrayType, ScalarType
from ir.cost.thresholds.partition import BLOCKS_FROM_ELEMENTS
from ir.cost.thresholds.ratios import OPERATIONS_PER_BYTE
from ir.fusion.partition.bundles import Bundles, Rows
from ir.fusion.partition.graph import Graph
from ir.fusion.partition.traffic import operations_of, size_bytes
from ir.rules.common import element

__all__ = ["are_rows_and_columns", "in_blocks", "is_reduced_alone", "is_worth_blocks"]


def in_blocks(graph: Graph, together: Bundles) -> Bundles:
    """Also what shares a kernel block by block, of the results that share none yet; each with one other at most."""
    numbers = dict(together.number)
    found: set[Expr] = set()
    following = max(numbers.values(), default=-1) + 1
    readers: dict[Expr, list[Expr]] = {}
    for node in graph.order:
        for x in graph.reads(node) if not graph.exists(node) else ():
            readers.setdefault(x, []).append(node)
    for one, other in _pairs(graph, together, readers):
        if one not in numbers and other not in numbers:
            numbers |= {one: following, other: following}
            following += 1
            found |= {one, other}
    rows = {node: form for node, form in together.rows.items() if node not in found}  # whose kernels do nothing else
    return replace(together, number=numbers, rows=rows, blocks=frozenset(found))


def _pairs(graph: Graph, together: Bundles, readers: dict[Expr, list[Expr]]) -> Iterator[tuple[Expr, Expr]]:
    """Those that may, in the order of the graph."""
    forms = [(node, form) for node, form in together.rows.items() if isinstance(element(node), ScalarType)]
    for i, (one, form) in enumerate(forms):
        for other, columns in forms[i + 1 :]:
            same = together.depth[one] == together.depth[other] and graph.exists(form.base)
            if same and are_rows_and_columns(form, columns) and is_worth_blocks(form.base):
                yield one, other
    for reduced, form in forms:
        if isinstance(reduced, Reduce) and is_worth_blocks(form.base):
            for x in form.arrays(graph, set(graph.order)):
                if x in graph.wanted and _is_elementwise(x) and is_reduced_alone(graph, x, reduced, readers):
                    yield x, reduced


def are_rows_and_columns(one: Rows, other: Rows) -> bool:
    """Do they reduce the rows of a matrix in memory and its columns?

    Neither reads what the other computes, as they are of one depth (`ir.fusion.partition.bundles`).
    """
    if one.base is not other.base or one.count is not other.each or one.each is not other.count:
        return False
    return {_kinds(one), _kinds(other)} == {(Split,), (Transpose, Split)}


def _kinds(form: Rows) -> tuple[object, ...]:
    """The patterns through which rows are seen."""
    return tuple(view[0] for view in form.views if isinstance(view, tuple))


def is_worth_blocks(base: Expr) -> bool:
    """Is what is read once so large that it is not in the cache the second time anyhow?"""
    t = base.type
    assert isinstance(t, ArrayType)
    return (t.length.value or 0).bit_length() > BLOCKS_FROM_ELEMENTS.bit_length() - 1


def is_reduced_alone(graph: Graph, x: Expr, reduced: Reduce, readers: Mapping[Expr, Sequence[Expr]]) -> bool:
    """Is a reduction one of an array that is a result itself and of nothing else, and is computing the array for both,
    element by element from what lies in memory, cheaper than reading it from there?

    Between them stand maps and zips that only this reduction reads: no other kernel waits for the array and has the
    reduction wait for it. One that reads more from memory is no faster in blocks: a sum takes instructions, and the
    memory that it waits for now was read meanwhile.
    """
    between, others = _made_of(reduced.xs, graph, x)
    if others != {x}:
        return False
    if any(reader is not reduced and reader not in between for node in between for reader in readers[node]):
        return False
    own, below = _made_of(x, graph, None)
    if not all(map(graph.is_stored_first, below)):  # views would be taken apart for each element of a block
        return False
    return sum(map(operations_of, own)) <= OPERATIONS_PER_BYTE * size_bytes(x.type)


def _made_of(e: Expr, graph: Graph, end: Expr | None) -> tuple[set[Expr], set[Expr]]:
    """The maps and zips of which each element is made of the elements there, and what they read in turn."""
    between: set[Expr] = set()
    others: set[Expr] = set()
    pending = [e]
    while pending:
        node = pending.pop()
        if node in between or node in others:
            continue
        simple = not graph.exists(node) and (isinstance(node, Zip) or _is_elementwise(node))
        if node is end or not simple or (node in graph.wanted and node is not e):
            others.add(node)
        else:
            between.add(node)
            pending.extend(graph.reads(node))
    return between, others


def _is_elementwise(node: Expr) -> bool:
    """A map of numbers to numbers."""
    return (
        isinstance(node, Map) and not is_view_map(node) and node.f.level == 1 and isinstance(element(node), ScalarType)
    )
