"""An assignment: which vertices are stored, and which kernel computes what. Its first sweep computes nothing twice."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from ir.core.expr import Expr
from ir.core.patterns import Concat, Gather, Generate, Join, Map, Slide, Zip
from ir.core.types import is_flat
from ir.cost.thresholds.partition import (
    BRANCH_OPERATIONS_AT_MOST,
    GATHER_VIEWS,
    ROW_STEPS_AT_MOST,
    VIEWS_AT_MOST,
)
from ir.fusion.partition.graph import Graph, gathers, is_computed, repeated_rows, repeats, steps_of
from ir.fusion.partition.read_counts import Demand
from ir.fusion.partition.reasons import Condition, Reasons

__all__ = ["Assignment", "Kernel"]

_LONG = BRANCH_OPERATIONS_AT_MOST
"""As many vertices as a branch that is not short has, or more."""


@dataclass
class Kernel:
    """The vertices that a kernel computes, and the arrays in memory that it reads."""

    vertices: list[Expr] = field(default_factory=list)
    reads: dict[Expr, None] = field(default_factory=dict)


class Assignment:
    """A cut of a graph into kernels, from the results to the inputs.

    Attributes:
        limit: the number of vertices in one kernel, at most
        kernels: the kernels, by their numbers
        maker: for each vertex that is stored the kernel that computes it
        readers: for each vertex the kernels that read it
        broadcast: vertices of which each element is read many times
        reasons: takes why vertices are stored; None: nobody asks
    """

    def __init__(
        self,
        graph: Graph,
        together: Mapping[Expr, int],
        limit: int,
        demand: Demand | None = None,
        reasons: Reasons | None = None,
    ) -> None:
        """Give each vertex to the kernel that reads it, or a kernel of its own.

        Args:
            together: for vertices that share a kernel the number of their bundle
            demand: how often vertices are asked for
        """
        demand = Demand(graph) if demand is None else demand
        self.graph = graph
        self.limit = limit
        self.reasons = reasons
        self.kernels: list[Kernel] = []
        self.maker: dict[Expr, int] = {}
        self.readers: dict[Expr, set[int]] = {node: set() for node in graph.order}
        self.broadcast: set[Expr] = set()
        joined: set[Expr] = set()  # barriers whose flattened result is stored instead
        opened: dict[int, int] = {}  # the kernel of each bundle
        alone: set[Expr] = set()  # parts that a kernel each writes: if others read them too, they are stored before
        parts, branches = _Parts(), _Branches(graph)
        views: dict[Expr, int] = {}  # of views, how many a kernel reads it through at most
        for node in reversed(graph.order):
            inside = self.readers[node]
            if graph.exists(node):
                self._note_reads(node)
                continue
            often = demand.stores(node, len(inside))
            computed = is_computed(node)
            free = isinstance(node, Generate)  # whoever reads it computes it from the index: no memory is cheaper
            long = (
                (computed or demand.is_parted(node))  # what a view reads is stored rather than the view
                and not free
                and node not in graph.layered
                and not all(branches.fits(node, k, limit - len(self.kernels[k].vertices)) for k in inside)
            )
            read_through = views.get(node, 0)
            deep = read_through >= VIEWS_AT_MOST and (is_flat(node.type) or read_through >= 2 * VIEWS_AT_MOST)
            deep = deep and not (computed or free or _has_copies(node))
            full = long or deep or (node not in joined and _takes_many_steps(node))
            shared = computed and (len(inside) > 1 or node in self.broadcast)
            first = node not in joined and graph.is_barrier(node)
            if often or full or demand.is_final(node) or (shared and node in alone):
                self.broadcast.add(node)  # not to be computed by its readers after all
            often = often or (free and node in parts)
            demand.pass_on(node, node in graph.wanted or full or shared or first or often)
            if node in graph.wanted or full or shared or first or often:
                if isinstance(node, Join):
                    joined.add(node.xs)
                number = len(self.kernels)
                if node in together:
                    number = opened.setdefault(together[node], number)
                if number == len(self.kernels):
                    self.kernels.append(Kernel())
                self.maker[node] = number
                if reasons is not None:
                    conditions = {
                        Condition.BARRIER: first,
                        Condition.RESULT: node in graph.wanted and node not in graph.between,
                        Condition.LONG: long or node in graph.between,
                        Condition.DEEP: deep,
                        Condition.STEPS: full,
                        Condition.WRITTEN_IN_PARTS: node in demand.grouped,
                        Condition.ASKED_OFTEN: often,
                        Condition.COPIED: node in self.broadcast,
                        Condition.SHARED: True,
                    }
                    reasons.note_stored(node, conditions)
                self._note_reads(node)
                inside = {number}
            for k in inside:
                self.kernels[k].vertices.append(node)
                branches.enter(node, k, limit - len(self.kernels[k].vertices))
            parts.pass_on(node, graph.reads(node), stored=node in self.maker)
            through = (
                0
                if computed or node in self.maker
                else views.get(node, 0) + (GATHER_VIEWS if isinstance(node, Gather) else 1)
            )
            for operand in graph.reads(node):
                views[operand] = max(views.get(operand, 0), through)
                apart = node in self.maker and node in demand.grouped
                self.readers[operand] |= {self._another()} if apart else inside
                if apart:
                    alone.add(operand)
                seen_through = node in self.broadcast and not computed and node not in self.maker
                stored_parts = isinstance(node, Concat) and not demand.spread
                repeated = repeats(node) or gathers(node, operand) or stored_parts or seen_through
                if repeated or free or (computed and not graph.reads_once(node, operand)):
                    self.broadcast.add(operand)
            self.broadcast.update(repeated_rows(node))

    def _another(self) -> int:
        """The number of a new kernel."""
        self.kernels.append(Kernel())
        return len(self.kernels) - 1

    def _note_reads(self, node: Expr) -> None:
        """A vertex in memory is read by the kernels that ask for it."""
        for k in self.readers[node]:
            self.kernels[k].reads[node] = None

    def fits(self, *numbers: int) -> bool:
        """Do the kernels of those numbers fit into one?"""
        return sum(len(self.kernels[k].vertices) for k in numbers) <= self.limit

    def move(self, number: int, into: Collection[int]) -> None:
        """Let kernels do the work of another one; it is empty then."""
        old = self.kernels[number]
        for x in old.reads:
            self.readers[x].discard(number)
            self.readers[x].update(into)
        for k in into:
            self.kernels[k].vertices += old.vertices
            self.kernels[k].reads.update(old.reads)
        self.kernels[number] = Kernel()

    def forget(self, node: Expr) -> None:
        """Store a vertex no longer: whoever reads it computes it."""
        for k in self.readers[node]:
            self.kernels[k].reads.pop(node, None)
        del self.maker[node]


def _takes_many_steps(node: Expr) -> bool:
    """Is it a map, or the rows of one, whose function is as long as those that longer ones are cut into?"""
    while isinstance(node, Join):
        node = node.xs
    return isinstance(node, Map) and steps_of(node.f) >= ROW_STEPS_AT_MOST


def _has_copies(node: Expr) -> bool:
    """Is it a view that is larger than what it reads, or arrays beside each other?"""
    return repeats(node) or isinstance(node, (Slide, Zip))


class _Branches:
    """Short ways from arrays in memory to what is read beside a long one, told from the results to the inputs.

        where(c0 < x, a0 * x, where(c1 < x, a1 * x, ..))

    A kernel that computes a vertex keeps room for the short branches that this reads, but for the longest of what it
    reads. It ends before that is used up: on the long way, where one array is stored, and not with many that only it
    reads.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._sizes: dict[Expr, int] = {}  # vertices of each that is short
        self._near: dict[Expr, dict[Expr, None]] = {}  # what `_beside` found
        self._kept: dict[int, dict[Expr, None]] = {}  # those for which a kernel keeps room
        self._room: dict[int, int] = {}  # as many vertices
        for node in graph.order:
            below = [0 if graph.is_stored_first(x) else self._sizes.get(x, _LONG) for x in graph.reads(node)]
            if sum(below) < BRANCH_OPERATIONS_AT_MOST:
                self._sizes[node] = 1 + sum(below)

    def fits(self, node: Expr, kernel: int, room: int) -> bool:
        """Does a vertex, with its short branches, fit into a kernel that may compute so many more?"""
        kept = self._kept.get(kernel, {})
        more = [self._sizes[x] for x in self._beside(node) if x not in kept]
        return node in kept or self._room.get(kernel, 0) + sum(more) < room

    def enter(self, node: Expr, kernel: int, room: int) -> None:
        """A kernel computes a vertex, and may compute so many more."""
        kept, needed = self._kept.setdefault(kernel, {}), self._room.get(kernel, 0)
        if node in kept:
            del kept[node]
            needed -= self._sizes[node]
        for x in self._beside(node):
            if x not in kept and needed + self._sizes[x] <= room:
                kept[x] = None
                needed += self._sizes[x]
        self._room[kernel] = needed

    def _beside(self, node: Expr) -> dict[Expr, None]:
        """The short branches that a vertex reads, through a zip or not, beside the longest of what it reads."""
        beside = self._near.get(node)
        if beside is None:
            reads, near = self._graph.reads, dict[Expr, None]()
            for x in reads(node):
                near.update(dict.fromkeys(reads(x) if isinstance(x, Zip) else (x,)))
            found = [x for x in near if not self._graph.is_stored_first(x)]
            longest = max(found, key=lambda x: self._sizes.get(x, _LONG), default=None)
            beside = self._near[node] = dict.fromkeys(x for x in found if x in self._sizes and x is not longest)
        return beside


class _Parts:
    """Vertices below a concat that is read through views, told from the results to the inputs.

    What is generated there is stored: a map could not be brought out of the concat, for its other parts have none.
    """

    def __init__(self) -> None:
        self._viewed: set[Expr] = set()
        self._below: set[Expr] = set()

    def __contains__(self, node: Expr) -> bool:
        return node in self._below

    def pass_on(self, node: Expr, operands: Iterable[Expr], stored: bool) -> None:
        """Tell what a vertex reads how it is read."""
        viewed, below = (False, False) if stored else (node in self._viewed, node in self._below)
        if isinstance(node, Concat):
            below = below or viewed
        elif not is_computed(node):
            viewed = True
        for operand in operands:
            if viewed:
                self._viewed.add(operand)
            if below:
                self._below.add(operand)
