"""Which vertices are better stored than computed where they are read: concats that no kernel can take apart, and
whatever would be computed many times over.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Sequence
from itertools import islice

from ir.core.expr import Expr, Lambda, postorder
from ir.core.patterns import Concat, Gather, Join, Map, Slice, Slide, Zip, is_view_map
from ir.core.types import ArrayType, Type, is_flat
from ir.cost.passes import bytes_alike, elements_alike, seconds_to_store
from ir.cost.processors import CPU
from ir.cost.thresholds.partition import (
    CONCAT_COMPUTED_AT_MOST,
    FUSED_OPERATIONS_AT_MOST,
    MAP_COMPUTED_AT_MOST,
    PARTS_OF_A_BORDERED_ARRAY,
    READINGS_AT_MOST,
    SHIFTS_OF_A_BORDER_AT_MOST,
)
from ir.fusion.partition.graph import Graph, reduces
from ir.walks import reached

__all__ = ["Demand"]


Way = tuple[object, ...]
"""On which way a result's elements lead to those of a vertex: the views that change an index, the outermost first."""


def _through(node: Expr, operand: Expr, way: Way) -> Way:
    """The way to an operand of a vertex to which that way leads."""
    match node:
        case Slice(start, step, _, xs):
            before = way[-1] if way else None
            unit = _elements(xs.type) // max(1, xs.type.length.value or 1)  # type: ignore[attr-defined]  # an array
            offset = (start.value or 0) * unit
            if step == 1 and isinstance(before, int):  # slices of neighbours in slices: one offset
                return (*way[:-1], before + offset)
            return (*way, offset) if step == 1 else (*way, (offset, step))
        case Gather(xs, indices):
            return (*way, indices) if operand is xs else way
        case Map() if is_view_map(node):
            return (*way, node.f)
    return (*way, (type(node), node.type)) if node.traits.view and not node.traits.reshapes else way


class Demand:
    """How many elements of each vertex are asked for, and by whom, told from the results to the inputs.

    A vertex that is stored is computed once; whoever reads it through a slice asks for the slice's elements, whoever
    repeats it for as many as the copies have. A concat read by an element-wise map becomes a concat of maps; one that
    is read by a reduction, a gather or out of step is stored.

    Attributes:
        graph: the vertices
        grouped: concats of many parts, each of which a kernel of its own writes
        spread: does a kernel compute the parts of a concat? Else they are stored before
        by_items: is it for work-items that share blocks and rows, as on GPUs?
    """

    def __init__(
        self, graph: Graph, grouped: Container[Expr] = (), spread: bool = True, by_items: bool = False
    ) -> None:
        self.grouped = grouped
        self.spread = spread
        self.by_items = by_items
        self._graph = graph
        self._asked: dict[Expr, dict[Way, int]] = {}  # by way: a kernel evaluates an element once for each
        self._unspread: set[Expr] = set()  # a concat among what is read here is asked element by element
        self._out_of_step: set[Expr] = set()  # the same, but for slices of neighbours, and of few
        self._computing: set[Expr] = set()  # maps and reductions, and the views of such
        self._over: set[Expr] = set()  # whatever is made of a concat
        self._parted: set[Expr] = set()  # concats, and their elements nested in another way
        self._parts_once: set[Expr] = set()  # what reads each element of a concat once, which nothing else reads
        self._bordered: set[Expr] = set()  # whatever is read with a border around
        if any(isinstance(node, Concat) for node in graph.order):
            readers = Counter(x for node in graph.order if not graph.exists(node) for x in graph.reads(node))
            for node in graph.order:
                if graph.exists(node):
                    continue
                below = (x for x in graph.reads(node) if readers[x] == 1)
                if isinstance(node, Concat) or (_keeps_all(node) and any(x in self._parts_once for x in below)):
                    self._parts_once.add(node)
                if node.traits.computes or any(x in self._computing for x in node.operands):
                    self._computing.add(node)
                if isinstance(node, Concat) or any(x in self._over for x in graph.reads(node)):
                    self._over.add(node)
                moved = node.traits.bijective and node.operands[0] in self._parted
                if isinstance(node, Concat) or moved:
                    self._parted.add(node)

    def is_final(self, node: Expr) -> bool:
        """Has a vertex that is stored to stay so, since its readers cannot compute it from the parts it is made of?"""
        return node in self._unspread and node in self._over

    def is_parted(self, node: Expr) -> bool:
        """Is it a flat array of parts?"""
        return node in self._parted and is_flat(node.type)

    def stores(self, node: Expr, kernels: int) -> bool:
        """Would storing a vertex that so many kernels read be better than computing it in each of them?"""
        if node in self.grouped:
            return True
        if node in self._parted:
            if not is_flat(node.type):
                # A flat view of it is, unless there is none: each way leads through each of its parts.
                return isinstance(node, Concat) and len(self._asked.get(node, ())) >= READINGS_AT_MOST
            within = self._bordered_by(node)
            stored = node in self._out_of_step or self._exceeds(node, SHIFTS_OF_A_BORDER_AT_MOST)
            if within is not None and not within:
                return stored
            shared = kernels > 1 and node in self._computing
            often = shared or node in self._unspread or self._exceeds(node, CONCAT_COMPUTED_AT_MOST)
            if within and often and not stored:
                self._bordered |= within
                return False
            return often
        if node in self._bordered:
            return True
        if not isinstance(node, Map) or is_view_map(node):
            return False
        # What reads a concat is stored rather than that, which would be asked for as often.
        limit = CONCAT_COMPUTED_AT_MOST if node in self._parts_once else MAP_COMPUTED_AT_MOST
        return self._exceeds(node, limit) or self._takes_longer(node)

    def _takes_longer(self, node: Expr) -> bool:
        """Is a map that is read in parts of its rows, and reads such parts itself, predicted to be stored sooner than
        computed for each of its readings?

        What such a kernel reads has no vectors on a CPU: each number's row and column are a quotient and a remainder.
        Readings of a few of its elements, as of a border, do not count.
        """
        ways = self._asked.get(node, {})
        of_rows = [way for way, asked in ways.items() if _is_of_rows(way) and 2 * asked > _elements(node.type)]
        if self.by_items or len(of_rows) < 2 or not is_flat(node.type):
            return False
        quotients = CPU.quotient * len(of_rows) * elements_alike(node.type) / (CPU.units * CPU.clock)
        moving = CPU.next_launch + seconds_to_store(bytes_alike(node.type), CPU)
        return quotients > moving and self._reads_parts_of_rows(node)

    def _reads_parts_of_rows(self, node: Expr) -> bool:
        """Does a kernel that computes it read parts of the rows of what lies in memory? Of what it is made of as much
        is looked at as a kernel holds.
        """
        graph = self._graph

        def below(e: Expr) -> Sequence[Expr]:
            return () if graph.exists(e) or graph.is_barrier(e) else graph.reads(e)

        return any(is_view_map(e) for e in islice(reached([node], below), 2 * FUSED_OPERATIONS_AT_MOST))

    def _bordered_by(self, node: Expr) -> set[Expr] | None:
        """What is computed of an array between few others, which are numbers or made of it; None: it is no such array.

        A kernel that reads it shifted has a loop more for each shift, and nothing to compute again if that is stored.
        """
        while not isinstance(node, Concat):
            node = node.operands[0]
        if len(node.operands) > PARTS_OF_A_BORDERED_ARRAY:
            return None
        parts = [self._made_of(part) for part in node.operands]
        if not any(found & self._computing for found in parts):
            return set()
        within = max(parts, key=len)
        return within if within <= self._computing and all(found <= within for found in parts) else None

    def _made_of(self, e: Expr) -> set[Expr]:
        """The maps, reductions and arrays in memory, but for numbers, that an array is a view of."""
        exists, reads = self._graph.exists, self._graph.reads

        def is_one(node: Expr) -> bool:
            return (exists(node) and _elements(node.type) > 1) or (node.traits.computes and not is_view_map(node))

        return set(filter(is_one, reached([e], lambda node: () if exists(node) or is_one(node) else reads(node))))

    def _exceeds(self, node: Expr, limit: float) -> bool:
        asked = sum(self._asked.get(node, {}).values())
        return asked > limit * _elements(node.type)

    def pass_on(self, node: Expr, stored: bool) -> None:
        """Ask for what a vertex reads, where all who read the vertex have asked."""
        own = _elements(node.type)
        ways = {(): own} if stored else self._asked.pop(node, {})
        unspread = not self._spreads(node) or (node in self._unspread and not stored)
        in_step = _shifts(node) or _takes_few(node) or self._spreads(node)
        out_of_step = not in_step or (node in self._out_of_step and not stored)
        for operand in self._graph.reads(node):
            count = _elements(operand.type)
            asked = self._asked.setdefault(operand, {})
            for way, elements in ways.items():
                again = _through(node, operand, way)
                if again is not way and _takes(node):
                    share = elements
                else:
                    share = elements * count // own if own else 0
                if again in asked or len(asked) < READINGS_AT_MOST:
                    asked[again] = max(asked.get(again, 0), share)
            if unspread:
                self._unspread.add(operand)
            if out_of_step:
                self._out_of_step.add(operand)

    def _spreads(self, node: Expr) -> bool:
        """Can a kernel that computes this vertex from a concat treat each part of it in a loop of its own?"""
        if node.traits.collective or node.traits.copies or is_view_map(node):
            return False
        if isinstance(node, Slice):
            if _takes_rows(node):
                return True
            return _takes_few(node) and node.xs not in self._computing
        return not isinstance(node, Map) or not reduces(node.f)


def _is_of_rows(way: Way) -> bool:
    """Does it lead through views of each row, which keep much of it, whatever its length within its magnitude?"""
    views = [step.open() for step in way if isinstance(step, Lambda)]
    return bool(views) and all(2 * elements_alike(kept.type) >= elements_alike(row.type) for (row, *_), kept in views)


def _keeps_all(node: Expr) -> bool:
    """Does it read each element of its operands once?"""
    if isinstance(node, Map):
        return not is_view_map(node) and not reduces(node.f)
    return isinstance(node, Zip) or node.traits.bijective


def _shifts(node: Expr) -> bool:
    """Does it take neighbours, or those of each row?"""
    if isinstance(node, Map) and isinstance(node.f, Lambda) and is_view_map(node):
        parameters, row = node.f.open()
        while _takes_neighbours(row):
            row = row.operands[0]
        return row in parameters
    return _takes_neighbours(node)


def _takes_neighbours(node: Expr) -> bool:
    return isinstance(node, Slice) and node.step == 1


def _takes_few(node: Expr) -> bool:
    """Is it a slice for which storing all is not worth it, as a column of a matrix?"""
    return isinstance(node, Slice) and 2 * _elements(node.type) < _elements(node.xs.type)


def _takes(node: Expr) -> bool:
    """Is an element of what it is made of asked for as often as it has elements of that, or copies?"""
    if node.traits.view and node.traits.natural and not node.traits.bijective:
        return True
    return is_view_map(node) and any(isinstance(part, Slide) for part in postorder(node.operands[0]))


def _takes_rows(e: Slice) -> bool:
    """Is it a slice of whole rows of what a join puts one after the other?"""
    if not isinstance(e.xs, Join) or e.step != 1:
        return False
    row = e.xs.xs.type.element.length.value  # type: ignore[attr-defined]  # it joins an array of arrays
    return bool((e.start % row).value == 0 and (e.count % row).value == 0)


def _elements(t: Type) -> int:
    """The number of elements of an array of constant extents; one for anything else."""
    count = 1
    while isinstance(t, ArrayType):
        count *= t.length.value or 0
        t = t.element
    return count
