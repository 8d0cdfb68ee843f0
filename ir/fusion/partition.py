"""Cut the recorded graph into kernels (paper 003, narrow): one sweep from the results to the inputs, linear in the
graph.

A value is computed inside the kernel that reads it when exactly one kernel does. It is stored when several kernels read
it, when it is a reduction (its result cannot be used by the kernel that computes it: there is no global barrier),
when it is broadcast (recomputing it for every copy costs more than storing it), or when the kernel has grown too long.
Results that are asked for together, as long as each other and read the same arrays are computed by one kernel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from ir.core.expr import Expr, Lambda, Param, close, postorder, substitute
from ir.core.patterns import Concat, Gather, Generate, Get, Join, Map, Reduce, Repeat, Scan, Scatter, Zip, is_view_map
from ir.core.sizes import Size
from ir.core.types import ArrayType, ScalarType, TupleType, Type
from ir.fusion.alike import Constants
from ir.fusion.arrange import arrange
from ir.fusion.demand import Demand
from ir.rules.common import identity

__all__ = ["OPERATIONS_LIMIT", "KernelTask", "Partition", "partition"]

OPERATIONS_LIMIT = 96
"""Patterns fused into one kernel at most: longer kernels compile slowly and win nothing that memory traffic could
show.
"""


OUTPUTS_LIMIT = 8
"""Results of one kernel at most."""


class Known(Protocol):
    """Vertices whose values exist already, and the variables that stand for them."""

    def __contains__(self, node: object) -> bool: ...

    def __getitem__(self, node: Expr, /) -> Param: ...


@dataclass(frozen=True)
class KernelTask:
    """One kernel to run: its expression over inputs and other kernels' results, and the variables that name its
    results. With more than one of them, the expression is an array of tuples and each names a component.
    """

    expr: Expr
    results: tuple[Param, ...]


@dataclass(frozen=True)
class Partition:
    """The kernels in an order in which they can run, and where each requested value is found."""

    tasks: tuple[KernelTask, ...]
    results: tuple[Param, ...]


class _Reads:
    """What vertices read: their operands, and the arrays that their functions close over."""

    def __init__(self) -> None:
        self._captured: dict[Lambda, tuple[Expr, ...]] = {}
        self._reducing: dict[Expr, bool] = {}

    def of(self, node: Expr) -> tuple[Expr, ...]:
        """The vertices that a vertex reads."""
        reads: list[Expr] = []
        for operand in node.operands:
            reads.extend(self.captured(operand) if isinstance(operand, Lambda) else (operand,))
        return tuple(reads)

    def captured(self, f: Lambda) -> tuple[Expr, ...]:
        """The arrays of the enclosing graph that a function mentions."""
        found = self._captured.get(f)
        if found is None:
            inner = list(postorder(f.body, prune=_is_outer))
            outer = dict.fromkeys(o for e in inner for o in e.operands if _is_outer(o))
            if _is_outer(f.body):
                outer[f.body] = None
            found = self._captured[f] = tuple(outer)
        return found

    def reduces(self, f: Expr) -> bool:
        """Does a function reduce or scan anything that depends on its argument?"""
        known = self._reducing.get(f)
        if known is None:
            known = any(isinstance(e, (Reduce, Scan)) for e in postorder(f, prune=_is_outer))
            self._reducing[f] = known
        return known

    def is_barrier(self, node: Expr) -> bool:
        """Must this vertex's result be stored before anything else can read it?"""
        while isinstance(node, Join):
            node = node.xs
        return isinstance(node, (Reduce, Scan, Scatter)) or (isinstance(node, (Map, Generate)) and self.reduces(node.f))

    def reads_once(self, node: Expr, operand: Expr) -> bool:
        """Does a pattern that computes read each element of that operand once? A matrix product reads rows many times."""
        if isinstance(node, Scatter):
            return operand is node.xs or operand is node.ys
        if not isinstance(node, (Map, Reduce, Scan)) or operand is not node.xs:
            return False
        return not (isinstance(node, Map) and node.f.level > 2 and self.reduces(node.f))


def _repeats(node: Expr) -> bool:
    """Is it a view that copies what it reads, whole or element by element?"""
    if not is_view_map(node):
        return isinstance(node, Repeat)
    return any(isinstance(part, Repeat) for part in postorder(node.operands[0], prune=_is_outer))


def _gathers(node: Expr, operand: Expr) -> bool:
    """Does a vertex take elements of that operand, each of them any number of times?"""
    return isinstance(node, Gather) and operand is node.xs


def _is_outer(e: Expr) -> bool:
    """An array that does not depend on any enclosing function's variable."""
    return not e.loose and not isinstance(e, Lambda) and isinstance(e.type, ArrayType)


def partition(
    roots: Sequence[Expr],
    known: Known | None = None,
    limit: int = OPERATIONS_LIMIT,
    constants: Constants | None = None,
) -> Partition:
    """Cut the graph below `roots` into kernels.

    known : vertices whose values exist already, and the variables that stand for them
    limit : the number of vertices in one kernel, at most
    constants : makes a leaf of an array of constants; None: there are none (see `ir.fusion.alike`)
    """
    known = known if known is not None else dict[Expr, Param]()
    reads = _Reads()
    order = _vertices(roots, reads, known)
    grouped: set[Expr] = set()
    if any(isinstance(node, Concat) for node in order):
        rebuild = lambda node, done: _rebuild(node, done, reads)  # noqa: E731  # bound to these reads
        roots, grouped = arrange(roots, order, reads.of, rebuild, known, constants)
        order = _vertices(roots, reads, known)
    demand = Demand(order, reads.of, reads.reduces, known, grouped)
    kernels: dict[Expr, set[int]] = {node: set() for node in order}  # the kernels that read a vertex
    stored: set[Expr] = set()
    broadcast: set[Expr] = set()
    joined: set[Expr] = set()  # barriers whose flattened result is stored instead
    sizes: list[int] = []
    wanted = set(roots)
    bundles = _bundles(order, wanted, reads, known, limit)
    opened: dict[int, int] = {}  # the kernel of each bundle
    for node in reversed(order):
        if isinstance(node, Param) or node in known:
            continue
        readers = kernels[node]
        computed = isinstance(node, (Map, Reduce, Scan, Scatter)) and not is_view_map(node)
        free = isinstance(node, Generate)  # whoever reads it computes it from the index: no memory is cheaper
        worth = computed or demand.is_parted(node)  # what a view reads is stored rather than the view
        full = worth and not free and any(sizes[k] >= limit for k in readers)
        barrier = node not in joined and reads.is_barrier(node)
        store = node in wanted or barrier or full or (computed and (len(readers) > 1 or node in broadcast))
        store = store or demand.stores(node, len(readers))
        demand.pass_on(node, store)
        if store:
            if isinstance(node, Join):
                joined.add(node.xs)
            stored.add(node)
            number = len(sizes)
            if node in bundles:
                number = opened.setdefault(bundles[node], number)
            readers = {number}
            if number == len(sizes):
                sizes.append(0)
        for k in readers:
            sizes[k] += 1
        for operand in reads.of(node):
            kernels[operand] |= readers
            repeated = _repeats(node) or _gathers(node, operand) or (node in broadcast and not computed)
            if repeated or free or (computed and not reads.reads_once(node, operand)):
                broadcast.add(operand)
    return _build(roots, order, stored, bundles, reads, known)


def _bundles(order: list[Expr], wanted: set[Expr], reads: _Reads, known: Known, limit: int) -> dict[Expr, int]:
    """The number of the kernel that a wanted vertex shares with others; vertices with a kernel of their own are absent.

    Only vertices with equally many wanted ones on the longest path below them meet: no path joins those, so kernels
    never wait for each other in a circle.
    """
    depth: dict[Expr, int] = {}
    bundles: list[_Bundle] = []
    latest: dict[tuple[object, int, Expr], int] = {}  # the last bundle of that length and depth that reads a vertex
    for node in order:
        below = () if node in known else reads.of(node)
        depth[node] = max((depth[x] for x in below), default=0) + (node in wanted)
        if node in known or node not in wanted or not _is_elementwise(node, reads):
            continue
        inside = _inside(node, wanted, reads, known, limit)
        if inside is None:
            continue
        assert isinstance(node.type, ArrayType)
        keys = [(node.type.length, depth[node], x) for x in inside if _has_length(x, node.type.length)]
        number = next((latest[key] for key in keys if key in latest), len(bundles))
        if number < len(bundles) and not bundles[number].takes(inside, limit):
            number = len(bundles)
        if number == len(bundles):
            bundles.append(_Bundle())
        bundles[number].members.append(node)
        bundles[number].inside |= inside
        latest.update(dict.fromkeys(keys, number))
    return {node: i for i, bundle in enumerate(bundles) for node in bundle.members if len(bundle.members) > 1}


class _Bundle:
    """Wanted vertices that one kernel computes, and all that it computes or reads for them."""

    def __init__(self) -> None:
        self.members: list[Expr] = []
        self.inside: set[Expr] = set()

    def takes(self, inside: set[Expr], limit: int) -> bool:
        return len(self.members) < OUTPUTS_LIMIT and len(self.inside | inside) <= limit


def _is_elementwise(node: Expr, reads: _Reads) -> bool:
    """A map over scalars that reduces nothing."""
    if not isinstance(node, Map) or reads.is_barrier(node):
        return False
    if is_view_map(node) and reads.is_barrier(node.xs):
        return False  # a component of what another kernel stores
    return isinstance(node.type, ArrayType) and isinstance(node.type.element, ScalarType)


def _inside(root: Expr, wanted: set[Expr], reads: _Reads, known: Known, limit: int) -> set[Expr] | None:
    """What the kernel of one wanted vertex computes and reads; None for more than `limit` vertices."""
    found, pending = {root}, [root]
    while pending:
        for x in reads.of(pending.pop()):
            if x in found:
                continue
            found.add(x)
            if len(found) > limit:
                return None
            if x not in wanted and x not in known and not reads.is_barrier(x):
                pending.append(x)
    return found


def _has_length(node: Expr, length: Size) -> bool:
    """Is it an array that is computed or stored, of that length?"""
    return isinstance(node, (Map, Param)) and isinstance(node.type, ArrayType) and node.type.length is length


def _vertices(roots: Sequence[Expr], reads: _Reads, known: Known) -> list[Expr]:
    """All vertices, operands first, walking through captured arrays too; iterative."""
    seen: set[Expr] = set()
    order: list[Expr] = []
    stack: list[tuple[Expr, bool]] = [(root, False) for root in reversed(roots)]
    while stack:
        node, expanded = stack.pop()
        if expanded:
            order.append(node)
        elif node not in seen:
            seen.add(node)
            stack.append((node, True))
            if node not in known:
                stack.extend((operand, False) for operand in reversed(reads.of(node)) if operand not in seen)
    return order


def _build(
    roots: Sequence[Expr],
    order: list[Expr],
    stored: set[Expr],
    bundles: dict[Expr, int],
    reads: _Reads,
    known: Known,
) -> Partition:
    names = {node: Param(f"v{number}", node.type) for number, node in enumerate(n for n in order if n in stored)}
    done: dict[Expr, Expr] = {}
    single: list[KernelTask] = []
    together: dict[int, list[tuple[Expr, Param]]] = {}
    for node in order:
        if node in known:
            done[node] = known[node]
            continue
        rebuilt = _rebuild(node, done, reads)
        if node not in stored:
            done[node] = rebuilt
            continue
        component = _component(rebuilt)
        if component is not None:  # it is stored already
            done[node] = component
            continue
        if node not in bundles and _has_components(node.type):
            parts = _components(names[node])
            done[node] = Zip(*parts)
            single.append(KernelTask(_computable(rebuilt), parts))
            continue
        done[node] = names[node]
        if node in bundles:
            together.setdefault(bundles[node], []).append((rebuilt, names[node]))
        else:
            single.append(KernelTask(_computable(rebuilt), (names[node],)))
    tasks = single + [_several(members) for members in together.values()]
    results = []
    for root in roots:
        found = done[root]
        assert isinstance(found, Param)
        results.append(found)
    return Partition(tuple(_in_order(tasks) if together else tasks), tuple(results))


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


def _several(members: list[tuple[Expr, Param]]) -> KernelTask:
    """One kernel for several results."""
    arrays = Zip(*(e for e, _ in members))
    assert isinstance(arrays.type, ArrayType)
    return KernelTask(Map(identity(arrays.type.element), arrays), tuple(name for _, name in members))


def _in_order(tasks: list[KernelTask]) -> list[KernelTask]:
    """Each kernel after those whose results it reads."""
    maker = {name: task for task in tasks for name in task.results}
    needs = {task: [maker[x] for x in postorder(task.expr) if isinstance(x, Param) and x in maker] for task in tasks}
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


def _rebuild(node: Expr, done: dict[Expr, Expr], reads: _Reads) -> Expr:
    operands: list[Expr] = []
    for operand in node.operands:
        if isinstance(operand, Lambda):
            captured = {c: done[c] for c in reads.captured(operand) if done[c] is not c}
            operands.append(_replace_captured(operand, captured) if captured else operand)
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
    if isinstance(inner, (Map, Reduce, Scan, Scatter)) and not is_view_map(inner):
        return e
    assert isinstance(e.type, ArrayType)
    return Map(identity(e.type.element), e)
