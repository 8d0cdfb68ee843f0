"""Rules applied at the vertices of a graph before it is cut into kernels, and how that is kept with the plan.

A vertex is rewritten where its operands are already, the whole graph once, in its order. A plan would be as large as
the graph if it kept every step, and loops in Python rewrite many vertices in the same way: of each way one example is
kept, a derivation over variables for what the vertex reads, and how many vertices were rewritten so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import chain

from ir.core.expr import Expr, Lambda, Param, postorder
from ir.core.patterns import Literal, Split
from ir.core.types import ArrayType
from ir.fusion.partition.graph import Graph, captured, rebuild
from ir.rewrite.contexts import Context
from ir.rewrite.derivation import Derivation
from ir.rewrite.places import viewed
from ir.rewrite.strategy import Rewritten, Strategy, at, seq, succeed
from ir.rules.maps.algorithmic import split_join_introduction

__all__ = ["Rewriter", "Rewriting", "by_way_of_flat", "over_variables", "rewritten"]


@dataclass(frozen=True, slots=True)
class Rewriting:
    """One way in which vertices of a graph were rewritten.

    Attributes:
        derivation: an example. Of the many parts of a concat it may have fewer.
        times: how many vertices were rewritten by these rules, in this order.
    """

    derivation: Derivation
    times: int


class Rewriter:
    """Applies strategies at vertices, and counts the ways in which they rewrote them."""

    def __init__(self) -> None:
        self._examples: dict[tuple[str, ...], Derivation | None] = {}
        self._times: dict[tuple[str, ...], int] = {}

    def copy(self) -> Rewriter:
        """One that has rewritten the same, and goes on by itself."""
        made = Rewriter()
        made._examples, made._times = self._examples.copy(), self._times.copy()
        return made

    @property
    def rewritings(self) -> tuple[Rewriting, ...]:
        """The ways that have an example, in the order in which they occurred first."""
        found = self._examples.items()
        return tuple([Rewriting(example, self._times[way]) for way, example in found if example is not None])

    def apply(
        self, strategy: Strategy, e: Expr, examples: Iterable[Expr], shown: Strategy | None = None
    ) -> Expr | None:
        """What the strategy makes of an expression; None where it fails or does nothing.

        Args:
            examples: expressions over variables, of which the first that is rewritten in the same way is kept.
            shown: the strategy for these, if it is another one.
        """
        done = strategy(e, ())
        if done is None or not done.steps:
            return None
        way = tuple(dict.fromkeys([step.rule for step in done.steps]))
        if way not in self._examples:
            own = (over_variables(each, ()) for each in (e,))  # made where no other example will do
            self._examples[way] = _example(way, shown or strategy, chain(examples, own))
            self._times[way] = 0
        self._times[way] += 1
        return done.expr


def _example(way: tuple[str, ...], strategy: Strategy, starts: Iterable[Expr]) -> Derivation | None:
    """The derivation of the first start that the strategy rewrites by those rules; None where it rewrites none so: a
    program never fails for want of an example.
    """
    for start in starts:
        done = strategy(start, ())
        if done is not None and tuple(dict.fromkeys([step.rule for step in done.steps])) == way:
            return Derivation(start, done.steps, done.expr)
    return None


def over_variables(e: Expr, reads: Iterable[Expr]) -> Expr:
    """An expression over variables: for what it reads, for other leaves, and for what its functions close over."""
    names: dict[Expr, Expr] = {}

    def name(x: Expr) -> None:
        if not isinstance(x, Literal):
            names.setdefault(x, Param(f"x{len(names)}", x.type))

    for x in reads:
        name(x)
    order = list(postorder(e, lambda node: node in names or isinstance(node, Lambda)))
    for node in order:
        for x in (node, *node.operands):
            for leaf in captured(x) if isinstance(x, Lambda) else (x,) if isinstance(x, Param) else ():
                name(leaf)
    done: dict[Expr, Expr] = dict(names)
    for node in order:
        if node not in done:
            done[node] = rebuild(node, done)
    return done[e]


def rewritten(graph: Graph, changed: Callable[[Expr, Expr], Expr | None]) -> dict[Expr, Expr]:
    """What becomes of each vertex of a graph.

    Args:
        changed: what becomes of a vertex, as it was and over what its operands became; None: nothing
    """
    done: dict[Expr, Expr] = {}
    for node in graph.order:
        made = node if graph.exists(node) else rebuild(node, done)
        done[node] = changed(node, made) or made
    return done


def by_way_of_flat(e: Expr, context: Context) -> Rewritten:
    """A nested array as a view of a flat one, which can be stored: rows that are split from what lies flat."""
    if not isinstance(e.type, ArrayType) or not isinstance(e.type.element, ArrayType):
        return succeed(e, context)
    split = succeed if isinstance(e, Split) else split_join_introduction
    done = seq(split, at(viewed, by_way_of_flat))(e, context)
    return succeed(e, context) if done is None else done
