"""Sums that need another reduction of the same numbers first are formed beside it, in one reading: sums of exponentials
beside maxima, and of squared distances beside those of the numbers; of columns, of long rows, and of whole arrays. A
softmax of columns, or a layer norm, then reads its matrix twice, and a variance once.

Rows that stay near are read once anyway, by a kernel that finds the maximum first (`ir.fusion.partition.row_chains`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, reduce

from ir.core.expr import Expr, fun
from ir.core.patterns import Call
from ir.core.types import ScalarType, TupleType
from ir.cost.passes import instructions_of, least_alike, seconds_from_memory, seconds_of_instructions
from ir.cost.thresholds.partition import MOMENTS_OPERATIONS
from ir.cost.thresholds.reductions import COLUMN_WAYS
from ir.fusion.partition.bundles import Rows
from ir.fusion.partition.graph import Graph
from ir.fusion.partition.row_chains import Near
from ir.fusion.prepare.rewriting import Rewriter, over_variables, rewritten
from ir.rewrite.strategy import Strategy, use
from ir.rules.common import element, length, length_of_row, parts_of
from ir.rules.compensation import compensated
from ir.rules.exponentials import added, no_exponentials, of_block
from ir.rules.folds.exponentials import Normaliser, maximum_with_exponentials, normaliser_in_one_reading
from ir.rules.folds.moments import Moments, squares_in_one_reading, sum_with_squares
from ir.rules.folds.reduced_rows import base_of

__all__ = ["read_once"]


def read_once(
    roots: Sequence[Expr], graph: Graph, rewriter: Rewriter, by_items: bool, doubles: bool, near: Near
) -> list[Expr] | None:
    """The same results with both reductions as one, where that pays; None where it never does.

    Args:
        rewriter: what has rewritten vertices before
        by_items: do the work-items of a group share rows, as on GPUs?
        doubles: does the device compute with numbers of 64 bits?
        near: which rows stay near
    """
    found_of = {node: _found(node, graph, by_items, doubles, near) for node in graph.order}
    sums = {node: found for node, found in found_of.items() if found is not None}
    if not sums:
        return None

    def summed(node: Expr, made: Expr) -> Expr | None:
        return rewriter.apply(_together(sums[node]), made, map(_over_numbers, (made,))) if node in sums else None

    done = rewritten(graph, summed)
    first = {done[found.first]: found for found in sums.values()}  # sums must have seen them as they were

    def found_beside(node: Expr, made: Expr) -> Expr | None:
        if node not in first:
            return None
        return rewriter.apply(_beside(first[node]), made, (over_variables(e, [base_of(e)]) for e in (made,)))

    again = rewritten(Graph([done[root] for root in roots], graph.known), found_beside)
    return [again[done[root]] for root in roots]


def _together(found: Normaliser | Moments) -> Strategy:
    """The rule for the sums."""
    return normaliser_in_one_reading if isinstance(found, Normaliser) else squares_in_one_reading


def _beside(found: Normaliser | Moments) -> Strategy:
    """The rule for what they need first."""
    return use(maximum_with_exponentials, op=found.op) if isinstance(found, Normaliser) else sum_with_squares


def _over_numbers(sums: Expr) -> Expr:
    """Sums over a variable for their numbers."""
    found = _of(sums)
    return sums if found is None else over_variables(sums, [found.base])


def _of(e: Expr) -> Normaliser | Moments | None:
    return Normaliser.of(e) or Moments.of(e)


def _found(node: Expr, graph: Graph, by_items: bool, doubles: bool, near: Near) -> Normaliser | Moments | None:
    """Sums that can be formed beside what they need, and are predicted to take less time so."""
    if graph.exists(node):
        return None
    found = _of(node)
    if found is None or graph.exists(found.first) or _is_near(found, near):
        return None
    return found if (doubles or isinstance(found, Normaliser)) and _pays(found, by_items) else None


def _is_near(found: Normaliser | Moments, near: Near) -> bool:
    """Does one kernel reduce a row first and then again, while it is near?"""
    form = Rows.of(found.numbers, found.by_rows)
    return near.has_rows(form) or near.has_one(form)


def _pays(found: Normaliser | Moments, by_items: bool) -> bool:
    """Does reading the numbers again from memory take longer than what one reduction computes more, and what else may
    be written and read for it: the accumulator of each row?
    """
    number, whole = element(found.first), found.numbers
    assert isinstance(number, ScalarType)
    least = least_alike(length_of_row(whole) if found.by_rows else length(whole))
    if isinstance(found, Normaliser):
        parts, more = len(no_exponentials(number).operands), _more_instructions(found.op, number, by_items)
    else:
        parts, more = 4, MOMENTS_OPERATIONS  # two sums of twice the bytes
    computing = seconds_of_instructions(more, number.bytes, by_items)
    return (least - 2 * parts) * seconds_from_memory(number.bytes, by_items) >= least * computing


@lru_cache
def _more_instructions(op: str, t: ScalarType, by_items: bool) -> float:
    """How many more instructions the one reduction of exponentials does for each number than both."""
    block = TupleType((t,) * COLUMN_WAYS)
    apart = fun((block, t), lambda p, m: _added([Call(op, Call("subtract", x, m)) for x in _parts(p)]))
    both = fun(block, lambda p: of_block(op, _parts(p)))
    pair = no_exponentials(t).type
    add = compensated(fun((t, t), lambda x, y: Call("add", x, y)))
    add_both = compensated(fun((pair, pair), lambda a, b: added(op, a, b)))
    more = sum(instructions_of(f, by_items) for f in (both, add_both))
    more -= sum(instructions_of(f, by_items) for f in (apart, add))
    return more / COLUMN_WAYS - 1  # and a maximum


def _parts(block: Expr) -> tuple[Expr, ...]:
    return parts_of(block, COLUMN_WAYS)


def _added(values: Sequence[Expr]) -> Expr:
    return reduce(lambda x, y: Call("add", x, y), values)
