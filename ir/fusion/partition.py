"""Cut the recorded graph into kernels (paper 003): sweeps from the results to the inputs, linear in the graph.

A value is computed inside the kernel that reads it when exactly one kernel does. It is stored when it is a reduction
(its result cannot be used by the kernel that computes it: there is no global barrier), when it is broadcast
(recomputing it for every copy costs more than storing it), when the kernel has grown too long, or when several kernels
read it and computing it again in each of them is predicted to cost more (`ir.fusion.traffic`). Results that share what
they are made of are computed by one kernel (`ir.fusion.bundles`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ir.core.expr import Expr, Param
from ir.core.patterns import Join
from ir.core.types import ArrayType
from ir.fusion.bundles import OUTPUTS_LIMIT, bundles
from ir.fusion.graph import Graph, Known, gathers, is_computed, repeats
from ir.fusion.tasks import KernelTask, Partition, tasks
from ir.fusion.traffic import Costs, Kernel

__all__ = ["OPERATIONS_LIMIT", "OUTPUTS_LIMIT", "KernelTask", "Partition", "partition"]

OPERATIONS_LIMIT = 96
"""Patterns fused into one kernel at most: longer kernels compile slowly and win nothing that memory traffic could
show.
"""


def partition(roots: Sequence[Expr], known: Known | None = None, limit: int = OPERATIONS_LIMIT) -> Partition:
    """Cut the graph below `roots` into kernels.

    known : vertices whose values exist already, and the variables that stand for them
    limit : the number of vertices in one kernel, at most
    """
    graph = Graph(roots, known if known is not None else dict[Expr, Param]())
    together = bundles(graph, limit)
    cut = _Cut(graph, together, limit)
    cut.recompute()
    return tasks(roots, graph, cut.maker.keys(), together)


class _Cut:
    """Which vertices are stored, by which kernels, and who reads them.

    maker : the kernel that computes a stored vertex
    readers : the kernels that read a vertex
    """

    def __init__(self, graph: Graph, together: Mapping[Expr, int], limit: int) -> None:
        self.graph = graph
        self.limit = limit
        self.kernels: list[Kernel] = []
        self.maker: dict[Expr, int] = {}
        self.readers: dict[Expr, set[int]] = {node: set() for node in graph.order}
        self.broadcast: set[Expr] = set()
        self._sweep(together)

    def _sweep(self, together: Mapping[Expr, int]) -> None:
        """Give each vertex to the kernel that reads it, or a kernel of its own; nothing is computed twice."""
        graph, kernels = self.graph, self.kernels
        joined: set[Expr] = set()  # barriers whose flattened result is stored instead
        opened: dict[int, int] = {}  # the kernel of each bundle
        for node in reversed(graph.order):
            inside = self.readers[node]
            if not graph.exists(node):
                computed = is_computed(node)
                full = isinstance(node.type, ArrayType) and any(len(kernels[k].vertices) >= self.limit for k in inside)
                shared = computed and (len(inside) > 1 or node in self.broadcast)
                if node in graph.wanted or full or shared or (node not in joined and graph.is_barrier(node)):
                    if isinstance(node, Join):
                        joined.add(node.xs)
                    number = len(kernels)
                    if node in together:
                        number = opened.setdefault(together[node], number)
                    if number == len(kernels):
                        kernels.append(Kernel())
                    self.maker[node] = number
                    self._read(node)
                    inside = {number}
                for k in inside:
                    kernels[k].vertices.append(node)
                for operand in graph.reads(node):
                    self.readers[operand] |= inside
                    seen_through = node in self.broadcast and not computed and node not in self.maker
                    repeated = repeats(node) or gathers(node, operand) or seen_through
                    if repeated or (computed and not graph.reads_once(node, operand)):
                        self.broadcast.add(operand)
            else:
                self._read(node)

    def _read(self, node: Expr) -> None:
        """Note that a vertex in memory is read by the kernels that ask for it."""
        for k in self.readers[node]:
            self.kernels[k].reads[node] = None

    def recompute(self) -> None:
        """Store no value that its readers had better compute themselves."""
        costs = Costs()
        for node in list(self.maker):
            number, readers = self.maker[node], self.readers[node]
            if self.graph.is_stored_first(node) or node in self.broadcast or not is_computed(node):
                continue
            maker, kernels = self.kernels[number], [self.kernels[k] for k in readers]
            if any(len(k.vertices) + len(maker.vertices) > self.limit for k in kernels):
                continue
            if not costs.saves_by_recomputing(node, maker, kernels):
                continue
            for kernel in kernels:
                kernel.take(maker, node)
            for x in maker.reads:
                self.readers[x].discard(number)
                self.readers[x] |= readers
            del self.maker[node]
