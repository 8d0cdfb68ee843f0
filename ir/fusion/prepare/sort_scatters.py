"""Scatters of many values over many places are sorts, where all work-items would look at all values: each of them has a
range of the places.

Few places stay scatters: each share of the values gets an array of its own then.
"""

from __future__ import annotations

from collections.abc import Sequence

from ir.core.expr import Expr
from ir.core.patterns import SCATTER, Scatter
from ir.cost.thresholds.sorts import SCATTER_SHARES_AT_LEAST, SCATTER_SORTED_FROM, SCATTER_SORTED_PLACES_EACH
from ir.fusion.partition.graph import Graph
from ir.fusion.prepare.rewriting import Rewriter, rewritten
from ir.rewrite.strategy import choice
from ir.rules.common import length, neutral
from ir.rules.sorting.scatter_by_sorting import last_by_sorting, totals_by_sorting

__all__ = ["sort_scatters"]


def sort_scatters(roots: Sequence[Expr], graph: Graph, rewriter: Rewriter) -> list[Expr] | None:
    """The same results with long scatters as sorts; None where there are none.

    Args:
        rewriter: what has rewritten vertices before
    """
    found = {node for node in graph.order if not graph.exists(node) and _is_long(node)}
    if not found:
        return None

    def by_sorting(node: Expr, made: Expr) -> Expr | None:
        return rewriter.apply(choice(last_by_sorting, totals_by_sorting), made, ()) if node in found else None

    done = rewritten(graph, by_sorting)
    return [done[root] for root in roots]


def _is_long(e: Expr) -> bool:
    """Is it a scatter of so many values, for that many places, that sorting them is less work, over more places than
    shares may have?
    """
    if not isinstance(e, Scatter) or e.how != SCATTER:
        return False
    places, values = length(e.xs).value or 0, length(e.ys).value or 0
    shared = neutral(e.f) is not None and places * SCATTER_SHARES_AT_LEAST <= values
    return values >= SCATTER_SORTED_FROM and places <= SCATTER_SORTED_PLACES_EACH * values and not shared
