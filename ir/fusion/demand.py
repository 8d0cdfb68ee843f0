"""Which vertices are better stored than computed where they are read: concats that no kernel can take apart, and
whatever would be computed many times over.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence

from ir.core.expr import Expr
from ir.core.patterns import Concat, Element, Gather, Map, Reduce, Repeat, Slice, is_view_map
from ir.core.types import ArrayType, Type

__all__ = ["Demand"]

COMPUTED_LIMIT = 8.0
"""Times that each element of a map is computed at most."""

CONCAT_LIMIT = 1.5
"""The same for a concat: a kernel that reads it shifted asks for each element in which part it lies."""


class Demand:
    """How many elements of each vertex are asked for, and by whom, told from the results to the inputs.

    A vertex that is stored is computed once; whoever reads it through a slice asks for the slice's elements, whoever
    repeats it for as many as the copies have. A concat read by an element-wise map becomes a concat of maps; one that
    is read by a reduction, a gather or out of step is stored.

    order : all vertices, operands first
    reads : what a vertex reads
    reduces : does a function reduce anything?
    """

    def __init__(
        self,
        order: Sequence[Expr],
        reads: Callable[[Expr], tuple[Expr, ...]],
        reduces: Callable[[Expr], bool],
        known: Container[object],
    ) -> None:
        self._reads = reads
        self._reduces = reduces
        self._asked: dict[Expr, float] = {}
        self._unspread: set[Expr] = set()  # a concat among what is read here is asked element by element
        self._computing: set[Expr] = set()  # maps and reductions, and the views of such
        if any(isinstance(node, Concat) for node in order):
            for node in order:
                if node not in known and (
                    isinstance(node, (Map, Reduce)) or any(x in self._computing for x in node.operands)
                ):
                    self._computing.add(node)

    def stores(self, node: Expr, kernels: int) -> bool:
        """Would storing a vertex that so many kernels read be better than computing it in each of them?"""
        if isinstance(node, Concat):
            shared = kernels > 1 and node in self._computing
            return shared or node in self._unspread or self._exceeds(node, CONCAT_LIMIT)
        return isinstance(node, Map) and not is_view_map(node) and self._exceeds(node, COMPUTED_LIMIT)

    def _exceeds(self, node: Expr, limit: float) -> bool:
        return self._asked.get(node, 0.0) > limit * _elements(node.type)

    def pass_on(self, node: Expr, stored: bool) -> None:
        """Ask for what a vertex reads, where all who read the vertex have asked."""
        own = _elements(node.type)
        times = 1.0 if stored or own == 0 else self._asked.get(node, 0.0) / own
        unspread = not self._spreads(node) or (node in self._unspread and not stored)
        for operand in self._reads(node):
            count = _elements(operand.type)
            if isinstance(node, (Slice, Repeat, Element)) or (isinstance(node, Gather) and operand is node.xs):
                count = own
            self._asked[operand] = self._asked.get(operand, 0.0) + times * count
            if unspread or (isinstance(node, Concat) and isinstance(operand, Concat)):
                self._unspread.add(operand)

    def _spreads(self, node: Expr) -> bool:
        """Can a kernel that computes this vertex from a concat treat each part of it in a loop of its own?"""
        if isinstance(node, (Reduce, Gather, Repeat)) or is_view_map(node):
            return False
        if isinstance(node, Slice):  # of few elements: not worth storing all for
            return 2 * _elements(node.type) < _elements(node.xs.type)
        return not isinstance(node, Map) or not self._reduces(node.f)


def _elements(t: Type) -> int:
    """The number of elements of an array of constant extents; one for anything else."""
    count = 1
    while isinstance(t, ArrayType):
        count *= t.length.value or 0
        t = t.element
    return count
