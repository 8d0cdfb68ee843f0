"""From a partition to kernels: stored vertices, or bundles of them, as expressions over inputs and earlier results.

A vertex that is stored gets a name, which all others read; several that one kernel makes are its tuple of results. What
else changes is rewritten by rules (`ir.fusion.prepare.rewriting`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from ir.core.expr import Expr, Lambda, Param, postorder, substitute
from ir.core.patterns import Get, Join, Map, Split, Tuple, Zip
from ir.core.sizes import size
from ir.core.types import ArrayType, ScalarType, TupleType, Type, array_of, element_type, shape_of
from ir.fusion.partition.graph import Graph, is_computed, rebuild
from ir.fusion.prepare.rewriting import Rewriter, Rewriting, by_way_of_flat, over_variables
from ir.rewrite.derivation import Derivation
from ir.rewrite.strategy import Strategy, operands, seq
from ir.rules.common import length
from ir.rules.layout.concat import map_after_concat
from ir.rules.maps.algorithmic import map_identity, map_identity_elimination
from ir.rules.maps.fusion import zip_unread
from ir.rules.maps.zips import zip_of_components
from ir.walks import walk

__all__ = ["KernelTask", "Partition", "tasks"]


@dataclass(frozen=True)
class KernelTask:
    """One kernel to run: its expression over inputs and other kernels' results, and the variables that name its
    results. With more than one of them, the expression is an array of tuples, or a tuple of arrays of their own
    lengths, and each names a component.

    Attributes:
        start: where the kernel's elements begin in its result, which other kernels write the rest of; None: they are
            all
        steps: does it do several steps of a stencil (`ir.fusion.partition.steps`)? Then it takes arrays of some tiles
    """

    expr: Expr
    results: tuple[Param, ...]
    start: int | None = None
    steps: bool = False


@dataclass(frozen=True)
class Partition:
    """The kernels in an order in which they can run, and where each requested value is found.

    Attributes:
        used: what the kernels need of that which the partition was allowed (`ir.fusion.partition.kernels.cut_prepared`)
        fissions: how maps were cut before that (`ir.fusion.prepare.fission`)
        rewritings: how vertices were rewritten before that (`ir.fusion.prepare.order_concats`), and what kernels make
    """

    tasks: tuple[KernelTask, ...]
    results: tuple[Param, ...]
    used: frozenset[str] = frozenset()
    fissions: tuple[Derivation, ...] = ()
    rewritings: tuple[Rewriting, ...] = ()


def tasks(
    roots: Sequence[Expr],
    graph: Graph,
    maker: Mapping[Expr, int],
    grouped: Container[Expr] = (),
    rewriter: Rewriter | None = None,
    blocks: Container[Expr] = (),
) -> Partition:
    """The kernels of a partition.

    Args:
        maker: for each vertex whose value is stored the number of its kernel
        grouped: concats of many parts, each of which a kernel of its own writes
        rewriter: what has rewritten vertices before
        blocks: those that are computed with others block by block
    """
    rewriter = rewriter or Rewriter()
    stored = (node for node in graph.order if node in maker)
    names = {node: Param(f"v{number}", _stored(node, graph)) for number, node in enumerate(stored)}
    members = Counter(maker.values())
    done: dict[Expr, Expr] = {}
    single: list[KernelTask] = []
    together: dict[int, list[tuple[Expr, Param]]] = {}
    several = {number for node, number in maker.items() if node in blocks}
    for node in graph.order:
        if node in graph.known:
            done[node] = graph.known[node]
            continue
        if node in grouped:
            parts = _components(names[node]) if _has_components(node.type) else (names[node],)
            done[node] = Zip(*parts) if len(parts) > 1 else parts[0]
            single += _parts(rebuild(node, done), parts, rewriter)
            continue
        rebuilt = rebuild(node, done)
        if node not in maker:
            done[node] = rebuilt
            continue
        if _is_component(rebuilt):  # it is stored already
            done[node] = _component_of(rebuilt, rewriter)
            continue
        shared = members[maker[node]] > 1
        name = names[node]
        if not shared and (_has_components(name.type) or name.type is not node.type):
            parts = _components(name) if _has_components(name.type) else (name,)
            made = rebuilt if name.type is node.type else _rewritten(rewriter, by_way_of_flat, rebuilt, [rebuilt])
            done[node], flat = _named(made, name.type, Zip(*parts) if len(parts) > 1 else name)
            single.append(KernelTask(_computable(flat, rewriter), parts))
            continue
        done[node] = name
        if shared and _has_components(name.type):
            parts = _components(name)
            done[node] = Zip(*parts)
            columns = _rewritten(rewriter, zip_of_components, rebuilt, [rebuilt]).operands
            together.setdefault(maker[node], []).extend(zip(columns, parts, strict=True))
        elif shared:
            together.setdefault(maker[node], []).append((rebuilt, name))
        else:
            single.append(KernelTask(_computable(rebuilt, rewriter), (names[node],)))
    kernels = single + [_several(group, graph, rewriter, number in several) for number, group in together.items()]
    results = []
    for root in roots:
        found = done[root]
        assert isinstance(found, Param)
        results.append(found)
    ordered = tuple(_in_order(kernels) if together else kernels)
    return Partition(ordered, tuple(results), rewritings=rewriter.rewritings)


def _rewritten(rewriter: Rewriter, strategy: Strategy, e: Expr, reads: Sequence[Expr]) -> Expr:
    """What a strategy makes of an expression; it is shown over variables for what that reads."""
    return rewriter.apply(strategy, e, (over_variables(e, some) for some in [reads])) or e


def _component_of(e: Expr, rewriter: Rewriter) -> Expr:
    """An array for `map (λt. t.i) (zip(xs, ys, ..))`."""
    return _rewritten(rewriter, _component, e, e.operands[1].operands)


def _parts(e: Expr, names: Sequence[Param], rewriter: Rewriter) -> Iterator[KernelTask]:
    """A kernel for each part of a concat; of one of tuples for each component of each, since each has its memory."""
    columns = [e]
    if len(names) > 1:
        columns = list(_rewritten(rewriter, _columns, e, e.operands).operands)
    start = 0
    for i, part in enumerate(e.operands):
        for name, column in zip(names, columns, strict=True):
            own = column.operands[i]
            found = _component_of(own, rewriter) if _is_component(own) else own
            yield KernelTask(_computable(found, rewriter), (name,), start)
        start += length(part).value or 0


_columns = seq(zip_of_components, operands(map_after_concat))
"""concat(xs, ys, ..)  ->  zip(concat(map (λt. t.0) xs, ..), concat(map (λt. t.1) xs, ..), ..)"""

_component = seq(zip_unread, map_identity_elimination)
"""map (λt. t.i) (zip(xs, ys, ..))  ->  the array of that number"""


def _stored(node: Expr, graph: Graph) -> Type:
    """The type of the memory that holds a vertex: elements of a view that only kernels read lie one after the other."""
    if node in graph.wanted or is_computed(node) or not isinstance(node.type, ArrayType):
        return node.type
    return array_of(element_type(node.type), prod(shape_of(node.type), start=size(1)))


def _named(e: Expr, t: Type, name: Expr) -> tuple[Expr, Expr]:
    """An array that is a view of one of that type: the same view of what names that, and that."""
    if e.type is t:
        return name, e
    assert isinstance(e, Split)
    view, flat = _named(e.xs, t, name)
    return Split(e.chunk, view), flat


def _has_components(t: Type) -> bool:
    """Is it a flat array of tuples of scalars, whose components lie in memory of their own?"""
    if not isinstance(t, ArrayType) or not isinstance(t.element, TupleType):
        return False
    return len(t.element.elements) > 1 and all(isinstance(part, ScalarType) for part in t.element.elements)


def _components(name: Param) -> tuple[Param, ...]:
    """Names for the components of an array of tuples."""
    t = name.type
    assert isinstance(t, ArrayType)
    assert isinstance(t.element, TupleType)
    return tuple(Param(f"{name.identifier}_{i}", ArrayType(p, t.length)) for i, p in enumerate(t.element.elements))


def _is_component(e: Expr) -> bool:
    """Is it `map (λt. t.i) (zip(xs, ys, ..))` of a stored array of that number?"""
    match e:
        case Map(Lambda() as f, Zip() as arrays):
            (variable,), body = f.open()
            if isinstance(body, Get) and body.operand is variable:
                return isinstance(arrays.operands[body.index], Param)
    return False


def _several(members: list[tuple[Expr, Param]], graph: Graph, rewriter: Rewriter, blocks: bool) -> KernelTask:
    """One kernel for several results: reductions and what is made of them, or a map that writes one tuple for each
    element; a tuple of those that are computed block by block.

    Only one member is left where the others turned out to be stored already.
    """
    if len(members) == 1:
        return KernelTask(_computable(members[0][0], rewriter), (members[0][1],))
    names = tuple(name for _, name in members)
    values: dict[Param, Expr] = {}
    for e, name in members:  # one that is made of others is computed with them, not read from memory
        values[name] = substitute(e, values) if values else e
    if blocks:
        return KernelTask(Tuple(*values.values()), names)
    made = Zip(*values.values())
    reductions = all(graph.is_barrier(e) for e, _ in members)
    return KernelTask(made if reductions else _computable(made, rewriter), names)


def _in_order(tasks: list[KernelTask]) -> list[KernelTask]:
    """Each kernel after those whose results it reads."""
    makers: dict[Expr, list[KernelTask]] = {}
    for task in tasks:
        for name in task.results:
            makers.setdefault(name, []).append(task)
    needs = {task: [maker for x in postorder(task.expr) for maker in makers.get(x, ())] for task in tasks}
    ordered = walk(tasks, lambda task: needs[task][::-1])
    place = {task: i for i, task in enumerate(ordered)}
    early = (place[maker] < place[task] for task in ordered for maker in needs[task])
    assert all(early), "kernels wait for each other in a circle"
    return ordered


def _computable(e: Expr, rewriter: Rewriter) -> Expr:
    """A task must compute something: a pure view of stored values is copied by `map id`."""
    inner = e
    while isinstance(inner, Join):
        inner = inner.xs
    if is_computed(inner):
        return e
    return _rewritten(rewriter, map_identity, e, [e])
