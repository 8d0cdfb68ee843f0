"""Results of different lengths that one kernel computes: the rows of a matrix and its columns, block by block, an array
and its sum, in one loop (paper 003: BiCGK, AXPYDOT).

A work-group computes its part of each result from the same block of memory, which is read once. Each condition for that
is a function here.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ir.core.expr import Expr
from ir.core.patterns import Join, Map, Reduce, Repeat, Split, Transpose, Zip, is_view_map
from ir.core.sizes import Size
from ir.core.types import ArrayType, ScalarType
from ir.cost.passes import bytes_alike, least_alike, pays_to_read_once, processor_for, size_bytes
from ir.cost.thresholds.defaults import ONE_GROUP_BELOW
from ir.cost.thresholds.partition import BLOCKED_SIDE
from ir.cost.thresholds.reductions import BLOCKS_PER_UNIT_AT_LEAST
from ir.fusion.partition.bundles import Bundles, Rows
from ir.fusion.partition.graph import Graph
from ir.rules.common import element, length

__all__ = [
    "are_columns", "are_rows_and_columns", "in_blocks", "is_one_loop", "is_worth_blocks", "made_of", "maps_numbers",
]  # fmt: skip


def in_blocks(graph: Graph, together: Bundles, by_items: bool) -> Bundles:
    """Also what shares a kernel block by block: rows and columns that share none yet, each with one other at most, and
    an array with a reduction, or with all reductions that share a kernel.

    Args:
        by_items: do work-items of a group share blocks, as on GPUs?
    """
    numbers = dict(together.number)
    found: set[Expr] = set()
    following = max(numbers.values(), default=-1) + 1
    readers = graph.readers()
    members = [
        *_rows_and_columns(graph, together, by_items),
        *_arrays_and_reductions(graph, together, readers, by_items),
    ]
    for one, *others in members:
        if one not in numbers and not found.intersection(others):
            numbers |= dict.fromkeys((one, *others), following)
            following += 1
            found |= {one, *others}
    rows = {node: form for node, form in together.rows.items() if node not in found}  # whose kernels do nothing else
    return replace(together, number=numbers, rows=rows, blocks=frozenset(found))


def _rows_and_columns(graph: Graph, together: Bundles, by_items: bool) -> Iterator[tuple[Expr, ...]]:
    """Reductions of the rows of one matrix and of its columns, in the order of the graph."""
    alone = [node for node in together.rows if node not in together.number and isinstance(element(node), ScalarType)]
    beside: dict[tuple[int, Expr], deque[Expr]] = {}
    for node in alone:
        beside.setdefault((together.depth[node], together.rows[node].base), deque()).append(node)
    for one in alone:
        form = together.rows[one]
        others = beside[together.depth[one], form.base]
        others.popleft()  # it is the first of them
        for other in others if graph.exists(form.base) else ():
            columns = together.rows[other] if _kinds(form) == (Split,) else form
            if are_rows_and_columns(form, together.rows[other]) and is_worth_blocks(columns, by_items):
                yield one, other


def _arrays_and_reductions(
    graph: Graph, together: Bundles, readers: dict[Expr, list[Expr]], by_items: bool
) -> Iterator[tuple[Expr, ...]]:
    """Arrays, and the reductions with which they may share a loop, where that saves a launch."""
    sharing: dict[object, list[Expr]] = {}
    for node in together.rows:
        sharing.setdefault(together.number.get(node, node), []).append(node)
    arrays = [x for x in graph.order if x in graph.wanted and x not in together.number and maps_numbers(x)]
    for reductions in sharing.values():
        folds = [x for x in reductions if isinstance(x, Reduce) and isinstance(element(x), ScalarType)]
        if len(folds) == len(reductions) and _saves_a_launch(length(folds[0].xs), by_items):
            yield from ((x, *folds) for x in arrays if is_one_loop(graph, together.depth, x, folds, readers))


def _saves_a_launch(n: Size, by_items: bool) -> bool:
    """Does one loop that writes an array and reduces it take a kernel less than two?

    On a CPU another kernel adds up what the work-groups of the loop leave. So it does for a reduction alone, but where
    that has one group.
    """
    return by_items or least_alike(n) >= ONE_GROUP_BELOW


def are_rows_and_columns(one: Rows, other: Rows) -> bool:
    """Do they reduce the rows of a matrix in memory and its columns?

    Neither reads what the other computes, as they are of one depth (`ir.fusion.partition.bundles`). The matrix is
    neither narrow nor long (`BLOCKED_SIDE`).
    """
    if one.base is not other.base or one.count is not other.each or one.each is not other.count:
        return False
    return _is_wide(one) and {_kinds(one), _kinds(other)} == {(Split,), (Transpose, Split)}


def are_columns(form: Rows) -> bool:
    """Are they the columns of a matrix, which is neither narrow nor long (`BLOCKED_SIDE`)?"""
    return _is_wide(form) and _kinds(form) == (Transpose, Split)


def _is_wide(form: Rows) -> bool:
    least, most = (side.bit_length() for side in BLOCKED_SIDE)
    return all(least <= (side.value or 0).bit_length() < most for side in (form.count, form.each))


def _kinds(form: Rows) -> tuple[object, ...]:
    """The patterns through which rows are seen."""
    return tuple(view[0] for view in form.views if isinstance(view, tuple))


def is_worth_blocks(columns: Rows, by_items: bool) -> bool:
    """Does reading a matrix again take longer than adding up what each block leaves of each of its columns?"""
    blocks = min(BLOCKS_PER_UNIT_AT_LEAST * processor_for(by_items).units, least_alike(columns.each))
    parts = blocks * least_alike(columns.count) * size_bytes(columns.base.type)
    return pays_to_read_once(bytes_alike(columns.base.type), parts, by_items)


def is_one_loop(
    graph: Graph,
    depth: Mapping[Expr, int],
    x: Expr,
    folds: Sequence[Reduce],
    readers: Mapping[Expr, Sequence[Expr]],
) -> bool:
    """Can one loop write an array that is a result, element by element, and reduce it, or what it is made of, so that
    memory is read once?

    Each is made by maps and zips of arrays of one length in memory, and they have one of these in common; or the
    reduction reads the array. What is between it and these arrays, but not below the array, nobody else reads, and what
    is read beside the array is there before the array is: no other kernel waits for this one and has it wait.

    Args:
        folds: reductions that share a kernel, or one alone
    """
    if any(length(x) is not length(fold.xs) or depth[fold] - depth[x] not in (0, 1) for fold in folds):
        return False
    own, below = made_of(x, graph, None)
    between = set[Expr]()
    before = set(below)
    for fold in folds:
        inner, others = made_of(fold.xs, graph, x)
        if x not in others and (depth[x] < depth[fold] or not _is_shared(others & below, length(x))):
            return False
        between |= inner
        before |= others - {x}
    inside = between.union(folds)
    if any(reader not in inside for node in between - own for reader in readers[node]):
        return False
    return all(graph.is_stored_first(node) and depth[node] < depth[x] for node in before)


def _is_shared(arrays: set[Expr], n: Size) -> bool:
    """Is one of them an array of that length?"""
    return any(isinstance(x.type, ArrayType) and x.type.length is n for x in arrays)


def made_of(e: Expr, graph: Graph, end: Expr | None) -> tuple[set[Expr], set[Expr]]:
    """The maps and zips of which each element is made of the elements there, or of numbers that are repeated, and what
    they read in turn.
    """
    between: set[Expr] = set()
    others: set[Expr] = set()
    pending = [e]
    while pending:
        node = pending.pop()
        if node in between or node in others:
            continue
        number = _number(node)
        simple = not graph.exists(node) and (isinstance(node, Zip) or maps_numbers(node) or number is not None)
        if node is end or not simple or (node in graph.wanted and node is not e):
            others.add(node)
        else:
            between.add(node)
            pending.extend(graph.reads(node) if number is None else (number,))
    return between, others


def maps_numbers(node: Expr) -> bool:
    """A map of numbers to numbers."""
    return (
        isinstance(node, Map) and not is_view_map(node) and node.f.level == 1 and isinstance(element(node), ScalarType)
    )


def _number(node: Expr) -> Expr | None:
    """The array of one number that is repeated for each element of another."""
    match node:
        case Join(Repeat(_, x)) if length(x).value == 1:
            return x
    return None
