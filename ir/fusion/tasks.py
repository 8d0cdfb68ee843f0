"""From a partition to kernels: stored vertices, or bundles of them, as expressions over inputs and earlier results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from ir.core.expr import Expr, Lambda, Param, close, fun, postorder, substitute
from ir.core.patterns import Get, Join, Map, Split, Zip
from ir.core.sizes import size
from ir.core.types import ArrayType, ScalarType, TupleType, Type, array_of, element_type, shape_of
from ir.fusion.graph import Graph, captured, is_computed
from ir.rewrite.derivation import Derivation
from ir.rules.common import identity

__all__ = ["KernelTask", "Partition", "rebuild", "tasks"]


@dataclass(frozen=True)
class KernelTask:
    """One kernel to run: its expression over inputs and other kernels' results, and the variables that name its
    results. With more than one of them, the expression is an array of tuples and each names a component.

    start : where the kernel's elements begin in its result, which other kernels write the rest of; None: they are all
    """

    expr: Expr
    results: tuple[Param, ...]
    start: int | None = None


@dataclass(frozen=True)
class Partition:
    """The kernels in an order in which they can run, and where each requested value is found.

    gathered : does a kernel reduce rows with results of its own (`ir.fusion.dependent`)?
    fissions : how maps were cut before that (`ir.fusion.fission`)
    """

    tasks: tuple[KernelTask, ...]
    results: tuple[Param, ...]
    gathered: bool = False
    fissions: tuple[Derivation, ...] = ()


def tasks(roots: Sequence[Expr], graph: Graph, maker: Mapping[Expr, int], grouped: Container[Expr] = ()) -> Partition:
    """The kernels of a partition.

    maker : for each vertex whose value is stored the number of its kernel
    grouped : concats of many parts, each of which a kernel of its own writes
    """
    stored = (node for node in graph.order if node in maker)
    names = {node: Param(f"v{number}", _stored(node, graph)) for number, node in enumerate(stored)}
    members = Counter(maker.values())
    done: dict[Expr, Expr] = {}
    single: list[KernelTask] = []
    together: dict[int, list[tuple[Expr, Param]]] = {}
    for node in graph.order:
        if node in graph.known:
            done[node] = graph.known[node]
            continue
        if node in grouped:
            parts = _components(names[node]) if _has_components(node.type) else (names[node],)
            done[node] = Zip(*parts) if len(parts) > 1 else parts[0]
            single += _parts(node, parts, done)
            continue
        rebuilt = rebuild(node, done)
        if node not in maker:
            done[node] = rebuilt
            continue
        component = _component(rebuilt)
        if component is not None:  # it is stored already
            done[node] = component
            continue
        shared = members[maker[node]] > 1
        name = names[node]
        if not shared and (_has_components(name.type) or name.type is not node.type):
            parts = _components(name) if _has_components(name.type) else (name,)
            done[node] = _nested(node.type, Zip(*parts) if len(parts) > 1 else name)
            single.append(KernelTask(_computable(_flat(rebuilt, name.type)), parts))
            continue
        done[node] = names[node]
        if shared:
            together.setdefault(maker[node], []).append((rebuilt, names[node]))
        else:
            single.append(KernelTask(_computable(rebuilt), (names[node],)))
    made = single + [_several(group, graph) for group in together.values()]
    results = []
    for root in roots:
        found = done[root]
        assert isinstance(found, Param)
        results.append(found)
    return Partition(tuple(_in_order(made) if together else made), tuple(results))


def _parts(e: Expr, names: Sequence[Param], done: Mapping[Expr, Expr]) -> Iterator[KernelTask]:
    """A kernel for each part of a concat; of one of tuples for each component of each, since each has its memory."""
    start = 0
    for part in e.operands:
        made = done[part]
        assert isinstance(part.type, ArrayType)
        for i, name in enumerate(names):
            own = Map(_getter(part.type.element, i), made) if len(names) > 1 else made
            yield KernelTask(_computable(_component(own) or own), (name,), start)
        start += part.type.length.value or 0


def _getter(t: Type, i: int) -> Lambda:
    return fun(t, lambda x: Get(i, x))


def _stored(node: Expr, graph: Graph) -> Type:
    """The type of the memory that holds a vertex: elements of a view that only kernels read lie one after the other."""
    if node in graph.wanted or is_computed(node) or not isinstance(node.type, ArrayType):
        return node.type
    return array_of(element_type(node.type), prod(shape_of(node.type), start=size(1)))


def _flat(e: Expr, t: Type) -> Expr:
    """Nested arrays as the array of that type, their elements one after the other."""
    while e.type is not t:
        e = Join(e)
    return e


def _nested(t: Type, e: Expr) -> Expr:
    """An array, or one whose elements lie one after the other, as the one of that type."""
    for extent in reversed(shape_of(t)[1:]):
        e = Split(extent, e)
    return e


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


def _component(e: Expr) -> Param | None:
    """The stored array that `map (λt. t.i) (zip(xs, ys, ..))` stands for."""
    match e:
        case Map(Lambda() as f, Zip() as arrays):
            (variable,), body = f.open()
            if isinstance(body, Get) and body.operand is variable:
                found = arrays.operands[body.index]
                return found if isinstance(found, Param) else None
    return None


def _several(members: list[tuple[Expr, Param]], graph: Graph) -> KernelTask:
    """One kernel for several results: reductions and what is made of them, or a map that writes one tuple for each
    element.

    Only one member is left where the others turned out to be stored already.
    """
    if len(members) == 1:
        return KernelTask(_computable(members[0][0]), (members[0][1],))
    names = tuple(name for _, name in members)
    values: dict[Param, Expr] = {}
    for e, name in members:  # one that is made of others is computed with them, not read from memory
        values[name] = substitute(e, values) if values else e
    made = Zip(*values.values())
    reductions = all(graph.is_barrier(e) for e, _ in members)
    return KernelTask(made if reductions else _computable(made), names)


def _in_order(tasks: list[KernelTask]) -> list[KernelTask]:
    """Each kernel after those whose results it reads."""
    makers: dict[Expr, list[KernelTask]] = {}
    for task in tasks:
        for name in task.results:
            makers.setdefault(name, []).append(task)
    needs = {task: [maker for x in postorder(task.expr) for maker in makers.get(x, ())] for task in tasks}
    ordered: dict[KernelTask, None] = {}
    entered: set[KernelTask] = set()
    stack = [(task, False) for task in reversed(tasks)]
    while stack:
        task, ready = stack.pop()
        if ready:
            ordered[task] = None
        elif task not in ordered:
            assert task not in entered, "kernels wait for each other in a circle"
            entered.add(task)
            stack.append((task, True))
            stack.extend((other, False) for other in needs[task] if other not in ordered)
    return list(ordered)


def rebuild(node: Expr, done: Mapping[Expr, Expr]) -> Expr:
    """The vertex over other vertices, given by a table of replacements."""
    operands: list[Expr] = []
    for operand in node.operands:
        if isinstance(operand, Lambda):
            changed = {c: done[c] for c in captured(operand) if done[c] is not c}
            operands.append(_replace_captured(operand, changed) if changed else operand)
        else:
            operands.append(done.get(operand, operand))
    return node._rebuilt(tuple(operands)) if tuple(operands) != node.operands else node


def _replace_captured(f: Lambda, captured: dict[Expr, Expr]) -> Lambda:
    params, body = f.open()
    replaced = substitute(body, captured)
    return close(params, replaced)


def _computable(e: Expr) -> Expr:
    """A task must compute something: a pure view of stored values is copied by `map id`."""
    inner = e
    while isinstance(inner, Join):
        inner = inner.xs
    if is_computed(inner):
        return e
    assert isinstance(e.type, ArrayType)
    return Map(identity(e.type.element), e)
