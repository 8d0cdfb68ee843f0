"""Where long programs of element-wise functions are cut: into layers, between which few values go on (paper 003,
section 4: of all partitions the one that moves fewest bytes).

    for _ in range(50): z = where(live, z*z + c, z); n = n + live       # more functions than a kernel may hold

A kernel that is cut where it gets too long leaves what lies below to several kernels: one for `z`, one for `n`, and
one for each `live` that both read. A layer is one kernel. It does some steps for all of the values, keeps what only it
needs in registers, and writes those that a later layer reads.

The functions of one length are put in an order in which they can run. The next layer ends where it moves the fewest
bytes for each of its functions. So each is looked at a few times, however long the program is. All lengths of one
magnitude are cut alike: the bytes are those of the shortest arrays.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import pairwise
from math import inf

from ir.core.expr import Expr, Lambda
from ir.core.patterns import Concat, Map, Zip
from ir.core.sizes import Size
from ir.core.types import ScalarType, TupleType
from ir.cost.passes import bytes_alike, elements_alike, size_bytes
from ir.cost.thresholds.partition import BRANCH_OPERATIONS_AT_MOST, RESULTS_OF_A_KERNEL_AT_MOST
from ir.cost.thresholds.ratios import LAUNCH_BYTES
from ir.fusion.partition.graph import Graph, captured, is_computed
from ir.rules.common import arrays_of, element, length
from ir.walks import walk

__all__ = ["Layers", "layers"]


@dataclass(frozen=True)
class Layers:
    """A program cut into layers.

    Attributes:
        stored: what is not asked for, but read by another kernel than its own
        number: of each result of a layer, asked for or not, the number of the layer
        members: the functions of all layers
        reads: of each layer the vertices that it reads, and does not compute
        order: all vertices, what they read first; of a layer, too
        stage: of each vertex, how many times, at most, what it is made of has to be in memory
    """

    stored: Sequence[Expr]
    number: Mapping[Expr, int]
    members: Set[Expr]
    reads: Sequence[Sequence[Expr]]
    order: Sequence[Expr]
    stage: Mapping[Expr, int]


def layers(graph: Graph, limit: int) -> Layers | None:
    """The layers of a program; None where one kernel holds all functions of a length, or no cut is found.

    Args:
        limit: the number of vertices that one kernel computes and reads, at most
    """
    if len(graph.order) <= limit:
        return None
    stage, regions = _regions(graph)
    stored: list[Expr] = []
    number: dict[Expr, int] = {}
    reads: list[Sequence[Expr]] = []
    first: dict[Expr, Expr] = {}
    for region in regions:
        if 2 * len(region) <= limit:
            continue
        cuts = [_Cut(order, graph, limit) for order in (region, _by_depth(region, graph))]
        best = min(cuts, key=lambda cut: cut.nbytes)
        if best.nbytes == inf or len(best.ends) < 2:
            continue
        for members, results in best.layers():
            stored += (x for x in results if x not in graph.wanted)
            number.update(dict.fromkeys(results, len(reads)))
            own = set(members)
            reads.append(list(dict.fromkeys(x for node in members for x in _near(node) if x not in own)))
            first.update(dict.fromkeys(members, members[0]))
    if not number:
        return None
    of_first = {first[x]: reads[i] for x, i in number.items()}

    def below(node: Expr) -> Sequence[Expr]:
        found = () if graph.exists(node) else graph.reads(node)
        before = of_first.get(node) or (first[node],) if node in first else ()
        return (*before, *found)

    return Layers(stored, number, first.keys(), reads, walk(graph.order, below), stage)


def _near(node: Expr) -> list[Expr]:
    """The arrays that a function reads element by element, one beside the other or not."""
    return list(arrays_of(node.xs)) if isinstance(node, Map) else []


def _is_member(node: Expr, graph: Graph) -> bool:
    """Is it a function of numbers, or of tuples of numbers, that gives such?"""
    if not isinstance(node, Map) or not isinstance(node.f, Lambda) or not is_computed(node) or graph.is_barrier(node):
        return False
    t = element(node)
    numbers = all(isinstance(part, ScalarType) for part in (t.elements if isinstance(t, TupleType) else (t,)))
    return numbers and not captured(node.f)


def _regions(graph: Graph) -> tuple[dict[Expr, int], list[list[Expr]]]:
    """The stage of each vertex, -1 of what only chooses elements of an array in memory, and the functions of each stage
    and length.

    A function is of the stage of what it reads element by element. Whatever else reads functions is of the next one:
    so no path leads from a stage to an earlier one, nor between the functions of different lengths of one.
    """
    stage: dict[Expr, int] = {}
    found: dict[tuple[int, Size], list[Expr]] = {}
    for node in graph.order:
        if graph.exists(node):
            stage[node] = -1
            continue
        below = max((stage[x] for x in graph.reads(node)), default=-1)
        if _is_member(node, graph):
            stage[node] = max(below, 0)
            found.setdefault((stage[node], length(node)), []).append(node)
        elif isinstance(node, Zip):
            stage[node] = below
        else:
            apart = below >= 0 or is_computed(node) or isinstance(node, Concat)  # whose parts are loops of their own
            stage[node] = below + 1 if apart else -1
    readers = graph.readers()
    return stage, [_without_ends(each, graph, readers) for each in found.values()]


def _without_ends(region: Sequence[Expr], graph: Graph, readers: Mapping[Expr, Sequence[Expr]]) -> list[Expr]:
    """Functions but for the last few before something that is none of them, as a reduction, which does these itself."""
    members, after = set(region), dict[Expr, int]()
    for node in reversed(region):
        uses = [y for x in readers.get(node, ()) for y in (readers.get(x, ()) if isinstance(x, Zip) else (x,))]
        if node in graph.wanted or any(x in members and x not in after for x in uses):
            continue
        steps = 1 + max((after.get(x, 0) for x in uses), default=0)
        if steps < BRANCH_OPERATIONS_AT_MOST:
            after[node] = steps
    return [node for node in region if node not in after]


def _by_depth(region: Sequence[Expr], graph: Graph) -> list[Expr]:
    """The functions as soon as what they read is there, but those of few arrays in memory where they are first read."""
    members = set(region)
    depth: dict[Expr, int] = {}
    below: dict[Expr, int] = {}  # how many functions are below one, each counted for each way to it
    for node in region:
        reads = [x for x in _near(node) if x in members]
        depth[node] = 1 + max((depth[x] for x in reads), default=0)
        below[node] = min(BRANCH_OPERATIONS_AT_MOST, 1 + sum(below[x] for x in reads))
    late = [node for node in region if below[node] < BRANCH_OPERATIONS_AT_MOST and node not in graph.wanted]
    soon = sorted(members.difference(late), key={node: (depth[node], i) for i, node in enumerate(region)}.__getitem__)
    return [node for node in walk([*soon, *late], lambda e: [x for x in _near(e) if x in members]) if node in members]


class _Cut:
    """A sequence of functions cut into layers.

    Attributes:
        ends: where layers end
        nbytes: the bytes that they move, with those in the time of the launches; infinite where there is no such cut
    """

    def __init__(self, order: Sequence[Expr], graph: Graph, limit: int) -> None:
        self._order, self._graph, self._limit = order, graph, limit
        self._place = place = {node: i for i, node in enumerate(order)}
        self._last: dict[Expr, float] = {}  # where each is read last
        readers = graph.readers()
        for node in order:
            uses = [y for x in readers.get(node, ()) for y in (readers.get(x, ()) if isinstance(x, Zip) else (x,))]
            outside = node in graph.wanted or any(x not in place for x in uses)
            self._last[node] = inf if outside else max(place[x] for x in uses)
        self.ends: list[int] = []
        self.nbytes = 0.0
        start = 0
        while start < len(order):
            end, moved = self._layer(start)
            if not end:
                self.nbytes = inf
                return
            self.nbytes += moved
            self.ends.append(end)
            start = end

    def layers(self) -> Iterator[tuple[Sequence[Expr], list[Expr]]]:
        """The functions of each layer, and those of them that it writes."""
        for start, end in pairwise([0, *self.ends]):
            members = self._order[start:end]
            yield members, [x for x in members if self._last[x] >= end]

    def _layer(self, start: int) -> tuple[int, float]:
        """Where the layer that starts there had better end, and the bytes that it moves; 0 where none is possible."""
        inside: set[Expr] = set()
        read = written = results = 0
        best, least, moved = 0, inf, 0.0
        for end in range(start + 1, len(self._order) + 1):
            node = self._order[end - 1]
            read += self._enter(node, inside)
            if len(inside) > self._limit:
                break
            ended = [x for x in dict.fromkeys(_near(node)) if self._last.get(x) == end - 1 and self._place[x] >= start]
            written += bytes_alike(node.type) - sum(bytes_alike(x.type) for x in ended)
            results += _width(node) - sum(map(_width, ended))
            found = LAUNCH_BYTES + read + written
            # one layer of all that is left moves no more than several
            wins = found <= least * (end - start) or end == len(self._order)
            if wins and results <= RESULTS_OF_A_KERNEL_AT_MOST:
                best, least, moved = end, found / (end - start), found
        return best, moved

    def _enter(self, node: Expr, inside: set[Expr]) -> int:
        """Compute a function in a layer that holds others; the bytes that it reads for that, and was not reading."""
        read, pending = 0, [node]
        while pending:
            x = pending.pop()
            if x in inside:
                continue
            inside.add(x)
            if x is not node and (x in self._place or self._graph.is_stored_first(x)):
                read += min(elements_alike(x.type), elements_alike(node.type)) * size_bytes(x.type)
            else:
                pending.extend(self._graph.reads(x))
        return read


def _width(x: Expr) -> int:
    """In how many arrays it lies in memory."""
    t = element(x)
    return len(t.elements) if isinstance(t, TupleType) else 1
