"""What does nothing is left out of a recorded graph before it is cut into kernels: it would be stored, or done again.

A result that is an input then is that input: nothing is copied.
"""

from __future__ import annotations

from collections.abc import Sequence

from ir.core.expr import Expr, Lambda
from ir.core.patterns import MAP, Id, Join, Map, Split
from ir.fusion.partition.graph import Graph
from ir.fusion.prepare.rewriting import Rewriter, over_variables, rewritten
from ir.rewrite.contexts import Context
from ir.rewrite.places import body
from ir.rewrite.strategy import Rewritten, at, choice, seq, try_
from ir.rules.maps.algorithmic import id_elimination, join_after_split, map_identity_elimination

__all__ = ["does_nothing", "eliminate"]


def does_nothing(e: Expr) -> bool:
    """Is it what it reads: an identity, a map of one, rows that are joined as they were split?"""
    while isinstance(e, Map) and e.how == MAP and isinstance(e.f, Lambda):
        if e.f.body is e.f.variables[0]:
            return True
        inner = e.f.body
        if not isinstance(inner, Map) or inner.xs is not e.f.variables[0]:
            return False
        e = inner
    return isinstance(e, Id) or (isinstance(e, Join) and isinstance(e.xs, Split))


def eliminate(roots: Sequence[Expr], graph: Graph, rewriter: Rewriter) -> list[Expr]:
    """The same results over a graph without vertices that do nothing."""

    def eliminated(node: Expr, made: Expr) -> Expr | None:
        if graph.exists(node) or not does_nothing(made):
            return None
        return rewriter.apply(_eliminated, made, (over_variables(e, e.operands[-1:]) for e in (made,)))

    done = rewritten(graph, eliminated)
    return [done[root] for root in roots]


def _eliminated(e: Expr, context: Context) -> Rewritten | None:
    return _at_vertex(e, context)


_at_vertex = choice(
    seq(try_(at(body, _eliminated)), map_identity_elimination),
    id_elimination,
    join_after_split,
)
