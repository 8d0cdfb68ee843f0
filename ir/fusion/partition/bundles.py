"""Which results one kernel computes together: horizontal fusion (paper 003, section 3).

Members of a bundle have the same form, element-wise results of one length or reductions of the same rows, and share an
array that each would otherwise read from memory, or compute, for itself. Of several bundles a result joins the one with
which it shares most. Small results share a launch, which takes longer than they do, also where they share no array.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeGuard

from ir.core.expr import Expr, Lambda, Param
from ir.core.patterns import Element, Join, Map, Reduce, Slide, Zip
from ir.core.sizes import Size, size
from ir.core.types import ArrayType, ScalarType
from ir.cost.passes import bytes_alike, is_read_within_a_launch
from ir.cost.thresholds.partition import RESULTS_OF_A_KERNEL_AT_MOST
from ir.fusion.partition.graph import Graph, is_computed
from ir.fusion.partition.layers import Layers
from ir.rules.common import element, is_monoid, is_scalar_like, length, length_of_row
from ir.rules.maps.zips import viewed
from ir.schedules.products.form import reduced_in_nest

__all__ = ["Bundles", "Rows", "bundles"]


Kind = tuple[object, ...]


class _Bundle:
    """Vertices that one kernel computes, and all that it computes or reads for them."""

    def __init__(self, depth: int) -> None:
        self.depth = depth
        self.members: list[Expr] = []
        self.inside: set[Expr] = set()

    def takes(self, inside: set[Expr], limit: int) -> bool:
        return len(self.members) < RESULTS_OF_A_KERNEL_AT_MOST and len(self.inside | inside) <= limit


class _Found:
    """The bundles so far."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._bundles: list[_Bundle] = []
        # of each form and vertex that is shared, the last one of each depth; None: whose members are small
        self._latest: dict[tuple[Kind, Expr | None], dict[int, int]] = {}

    def join(self, node: Expr, inside: set[Expr], kind: Kind, shared: list[Expr | None], depths: range) -> int:
        """Put a vertex into a bundle of one of those depths, the one with which it shares most, or into one of its own,
        of the first depth; how deep it is then.
        """
        common = Counter(number for x in shared for number in self._met(kind, x, depths))
        best = sorted(common, key=lambda n: (-common[n], n))
        number = next((n for n in best if self._bundles[n].takes(inside, self._limit)), len(self._bundles))
        if number == len(self._bundles):
            self._bundles.append(_Bundle(depths.start))
        found = self._bundles[number]
        found.members.append(node)
        found.inside |= inside
        for x in shared:
            self._latest.setdefault((kind, x), {})[found.depth] = number
        return found.depth

    def _met(self, kind: Kind, x: Expr | None, depths: range) -> Iterator[int]:
        """The bundles of those depths that share a vertex and are not full; those that are need not be met again."""
        latest = self._latest.get((kind, x), {})
        for d in depths if len(depths) <= len(latest) else list(latest):
            number = latest.get(d)
            if number is None or d not in depths:
                continue
            if len(self._bundles[number].members) < RESULTS_OF_A_KERNEL_AT_MOST:
                yield number
            else:
                del latest[d]

    def numbers(self) -> dict[Expr, int]:
        """The number of the bundle of each vertex that shares one."""
        return {node: i for i, each in enumerate(self._bundles) for node in each.members if len(each.members) > 1}


@dataclass(frozen=True)
class Bundles:
    """Results that share kernels.

    Attributes:
        number: the number of the kernel that a stored vertex shares with others; absent where it has one of its own
        depth: of all vertices, how many ends of kernels, at most, stand on a path down from it, itself included
        rows: the form of reductions to numbers
        products: that of products of matrices, each element of which is the reduction of a row and a column
        blocks: those of the results with numbers that are computed block by block (`ir.fusion.partition.blocks`)
    """

    number: dict[Expr, int] = field(default_factory=dict)
    depth: dict[Expr, int] = field(default_factory=dict)
    rows: dict[Expr, Rows] = field(default_factory=dict)
    products: dict[Expr, Rows] = field(default_factory=dict)
    blocks: frozenset[Expr] = frozenset()


def bundles(graph: Graph, limit: int, by_items: bool = False, cut: Layers | None = None) -> Bundles:
    """Which results share a kernel; nothing where there are not two of them.

    Only ends of one depth meet: no path joins those, so kernels never wait for each other in a circle. Small results
    that nothing reads may wait, and meet what is deeper.

    Args:
        limit: the number of vertices in one kernel, at most
        by_items: do the work-items of a group share rows, as on GPUs?
        cut: the layers of a long program; each is a bundle, and others lie in one stage each: so no two wait for each
            other
    """
    ends = {node for node in graph.order if _ends(node, graph)}
    if len(ends) < 2:
        return Bundles()
    depth: dict[Expr, int] = {}
    rows: dict[Expr, Rows] = {}
    products: dict[Expr, Rows] = {}
    found = _Found(limit)
    unread: list[tuple[Expr, set[Expr], Kind, list[Expr | None]]] = []
    readers = Counter(x for node in graph.order if not graph.exists(node) for x in graph.reads(node))
    for node in graph.order if cut is None else cut.order:
        if graph.exists(node):
            depth[node] = 0
            continue
        if cut is not None and node in cut.number:
            depth[node] = max((depth[x] for x in cut.reads[cut.number[node]]), default=0) + 1
            continue
        depth[node] = max((depth[x] for x in graph.reads(node)), default=0) + (node in ends)
        form: Rows | _Elements | None
        if graph.is_barrier(node):
            form = _rows(node, graph, readers)
            if form is not None:
                rows[node] = form
                if not isinstance(element(node), ScalarType):
                    continue  # pairs lie in memory of their own each: they are stored alone, if at all
            elif (product := _product(node)) is not None:
                products[node] = product
        else:
            form = _elements(node, graph)
        inside = None if form is None else _inside(node, graph, limit)
        if form is None or inside is None:
            continue
        is_small = form.is_flat and is_read_within_a_launch(bytes_alike(form.base.type), by_items)
        shared: list[Expr | None] = [*form.arrays(graph, inside), *([None] if is_small else [])]
        kind = form.kind if cut is None else (*form.kind, cut.stage[node])
        if is_small and not readers[node]:
            unread.append((node, inside, kind, shared))
        else:
            found.join(node, inside, kind, shared, range(depth[node], depth[node] + 1))
    deepest = max(depth.values()) + 1
    for node, inside, kind, shared in sorted(unread, key=lambda each: -depth[each[0]]):
        depth[node] = found.join(node, inside, kind, shared, range(depth[node], deepest))
    number = found.numbers()
    if cut is not None:
        following = max(number.values(), default=-1) + 1
        number |= {node: following + layer for node, layer in cut.number.items()}
    return Bundles(number, depth, rows, products)


def _ends(node: Expr, graph: Graph) -> bool:
    """Does a kernel end with it? A join of reductions is stored in their place and does not count again."""
    if graph.exists(node):
        return False
    return not isinstance(node, Join) if graph.is_barrier(node) else node in graph.wanted


def _inside(root: Expr, graph: Graph, limit: int) -> set[Expr] | None:
    """What the kernel of one stored vertex computes and reads; None for more than `limit` vertices."""
    found, pending = {root}, [root]
    while pending:
        node = pending.pop()
        for x in graph.reads(node):
            if x in found:
                continue
            found.add(x)
            if len(found) > limit:
                return None
            if not graph.is_stored_first(x) or (isinstance(node, Join) and graph.is_barrier(node)):
                pending.append(x)
    return found


@dataclass(frozen=True)
class _Elements:
    """An element-wise result, and how long it is."""

    base: Expr
    length: Size

    @property
    def kind(self) -> Kind:
        """What members of one bundle have in common."""
        return (_Elements, self.length)

    @property
    def is_flat(self) -> bool:
        """Is it one array?"""
        return True

    def arrays(self, graph: Graph, inside: set[Expr]) -> Iterator[Expr]:
        """The arrays that sharing saves something for: those as long as the result."""
        return (x for x in inside if isinstance(x, (Map, Param)) and _length(x) is self.length)


@dataclass(frozen=True)
class Rows:
    """Reductions of rows, or of one array.

    Attributes:
        count, each: how many rows there are, and their length
        views: how the rows are made of the base
        base: a flat array
    """

    count: Size
    each: Size
    views: tuple[object, ...]
    base: Expr

    @classmethod
    def of(cls, numbers: Expr, by_rows: bool) -> Rows:
        """The form of reductions of an array, or of its rows."""
        if not by_rows:
            return cls(size(1), length(numbers), (), numbers)
        return cls(length(numbers), length_of_row(numbers), *_peeled(numbers))

    @property
    def kind(self) -> Kind:
        """What members of one bundle have in common."""
        return (Rows, self.count, self.each, self.views)

    @property
    def is_flat(self) -> bool:
        """Is it one array that is reduced?"""
        return not self.views

    def arrays(self, graph: Graph, inside: set[Expr]) -> Iterator[Expr]:
        """The arrays below the base that are read in its order: element i of them for element i, and for no other."""
        seen, pending = {self.base}, [self.base]
        while pending:
            node = pending.pop()
            if not isinstance(node, Zip):
                yield node
            if node not in inside or graph.is_stored_first(node) or not (isinstance(node, Zip) or is_computed(node)):
                continue
            below = [x for x in ((node.xs,) if isinstance(node, Map) else node.operands) if x not in seen]
            seen.update(below)
            pending.extend(below)


def _elements(node: Expr, graph: Graph) -> _Elements | None:
    """The form of an element-wise result that is asked for."""
    if node in graph.wanted and isinstance(node, Map) and isinstance(element(node), ScalarType):
        return _Elements(node, length(node))
    return None


def _rows(node: Expr, graph: Graph, readers: Mapping[Expr, int]) -> Rows | None:
    """The form of reductions to numbers, in any order, that nothing else is stored in the place of."""
    if isinstance(node, Join) and (readers[node.xs] > 1 or node.xs in graph.wanted):
        return None
    rows = node.xs if isinstance(node, Join) else node
    if isinstance(rows, Reduce):
        return Rows(size(1), length(rows.xs), (), rows.xs) if _is_sum(rows) else None
    if not isinstance(rows, Map) or not isinstance(rows.f, Lambda):
        return None
    body = rows.f.open()[1]
    if isinstance(node, Map):
        if not isinstance(body, Element):
            return None
        body = body.xs
    if not _is_sum(body):
        return None
    return Rows(length(rows), length(body.xs), *_peeled(rows.xs))


def _product(node: Expr) -> Rows | None:
    """The form of a product of matrices of numbers, or of many."""
    e = reduced_in_nest(node)
    if e is None or not _is_sum(e) or not isinstance(element(node), ScalarType):
        return None
    return Rows(length(node), length(e.xs), (), node)


def _is_sum(e: Expr) -> TypeGuard[Reduce]:
    """Is it a reduction to one number, or a tuple of numbers, that may be done in any order?"""
    return isinstance(e, Reduce) and is_scalar_like(e.init.type) and _is_monoid(e.f, e.init)


_is_monoid = lru_cache(maxsize=256)(is_monoid)


def _peeled(e: Expr) -> tuple[tuple[object, ...], Expr]:
    """The reshapes and windows that an array is seen through, and what it is a view of."""
    views: list[object] = []
    while (below := viewed(e)) is not None and (e.traits.bijective or isinstance(e, (Slide, Map))):
        views.append((type(e), e.parameters, e.f if isinstance(e, Map) else None))
        e = below
    return tuple(views), e


def _length(e: Expr) -> Size | None:
    return e.type.length if isinstance(e.type, ArrayType) else None
