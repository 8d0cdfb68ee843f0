"""Cut the recorded graph into kernels (paper 003, narrow): one sweep from the results to the inputs, linear in the
graph.

A value is computed inside the kernel that reads it when exactly one kernel does. It is stored when several kernels read
it, when it is a reduction (its result cannot be used by the kernel that computes it: there is no global barrier),
when it is broadcast (recomputing it for every copy costs more than storing it), or when the kernel has grown too long.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ir.core.expr import Expr, Lambda, Param, close, postorder, substitute
from ir.core.patterns import Join, Map, Reduce, Repeat, is_view_map
from ir.core.types import ArrayType
from ir.rules.common import identity

__all__ = ["OPERATIONS_LIMIT", "KernelTask", "Partition", "partition"]

OPERATIONS_LIMIT = 48
"""Patterns fused into one kernel at most: longer kernels compile slowly and win nothing that memory traffic could
show.
"""


@dataclass(frozen=True)
class KernelTask:
    """One kernel to run: its expression over inputs and other kernels' results, and the variable that names its
    result.
    """

    expr: Expr
    result: Param


@dataclass(frozen=True)
class Partition:
    """The kernels in an order in which they can run, and where each requested value is found."""

    tasks: tuple[KernelTask, ...]
    results: tuple[Param, ...]


def _array_operands(node: Expr) -> tuple[Expr, ...]:
    """What a vertex reads: its array operands, and the arrays that its functions close over."""
    reads: list[Expr] = []
    for operand in node.operands:
        if isinstance(operand, Lambda):
            reads.extend(_captured(operand))
        elif not isinstance(node, Reduce) or operand is node.xs:
            reads.append(operand)
    return tuple(reads)


_captures: dict[Lambda, tuple[Expr, ...]] = {}


def _captured(f: Lambda) -> tuple[Expr, ...]:
    """The computed values of the enclosing graph that a function mentions."""
    found = _captures.get(f)
    if found is None:
        inner = list(postorder(f.body, prune=_is_outer))
        outer = dict.fromkeys(o for e in inner for o in e.operands if _is_outer(o))
        if _is_outer(f.body):
            outer[f.body] = None
        found = tuple(outer)
        if len(_captures) > 4096:
            _captures.clear()
        _captures[f] = found
    return found


def _is_outer(e: Expr) -> bool:
    """An array that does not depend on any enclosing function's variable."""
    return not e.loose and not isinstance(e, Lambda) and isinstance(e.type, ArrayType)


def _is_barrier(node: Expr) -> bool:
    """Must this vertex's result be stored before anything else can read it?"""
    while isinstance(node, Join):
        node = node.xs
    return isinstance(node, Reduce) or (isinstance(node, Map) and _reduces(node.f))


_reducing: dict[Expr, bool] = {}


def _reduces(f: Expr) -> bool:
    known = _reducing.get(f)
    if known is None:
        known = any(isinstance(e, Reduce) for e in postorder(f, prune=_is_outer))
        if len(_reducing) > 4096:
            _reducing.clear()
        _reducing[f] = known
    return known


def partition(roots: Sequence[Expr], limit: int = OPERATIONS_LIMIT) -> Partition:
    """Cut the graph below `roots` into kernels."""
    order = _vertices(roots)
    kernels: dict[Expr, set[int]] = {node: set() for node in order}  # the kernels that read a vertex
    stored: dict[Expr, int] = {}  # vertex -> its kernel
    broadcast: set[Expr] = set()
    joined: set[Expr] = set()  # barriers whose flattened result is stored instead
    sizes: list[int] = []
    wanted = set(roots)
    for node in reversed(order):
        if isinstance(node, Param):
            continue
        readers = kernels[node]
        computed = isinstance(node, (Map, Reduce)) and not is_view_map(node)
        full = len(readers) == 1 and computed and sizes[next(iter(readers))] >= limit
        barrier = _is_barrier(node) and node not in joined
        store = node in wanted or barrier or (computed and (len(readers) > 1 or node in broadcast or full))
        if store:
            if isinstance(node, Join):
                joined.add(node.xs)
            stored[node] = len(sizes)
            mine = {len(sizes)}
            sizes.append(1)
        else:
            mine = readers
            if computed:
                sizes[next(iter(mine))] += 1
        for operand in _array_operands(node):
            kernels[operand] |= mine
            spreads = (
                isinstance(node, Repeat)
                or (node in broadcast and not computed)
                or (computed and not _is_elementwise(node, operand))
            )
            if spreads:
                broadcast.add(operand)
    return _build(roots, order, stored)


def _is_elementwise(node: Expr, operand: Expr) -> bool:
    """Does the vertex read each element of that operand once?"""
    return (
        isinstance(node, (Map, Reduce)) and operand is node.xs and not (isinstance(node, Map) and _reduces_pairs(node))
    )


def _reduces_pairs(node: Map) -> bool:
    """A map over rows that reduces them within further maps reads each row many times (a matrix product)."""
    return node.f.level > 2 and _reduces(node.f)


def _vertices(roots: Sequence[Expr]) -> list[Expr]:
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
            stack.extend((operand, False) for operand in reversed(_array_operands(node)) if operand not in seen)
    return order


def _build(roots: Sequence[Expr], order: list[Expr], stored: dict[Expr, int]) -> Partition:
    names = {node: Param(f"v{number}", node.type) for number, node in enumerate(n for n in order if n in stored)}
    done: dict[Expr, Expr] = {}
    tasks = []
    for node in order:
        rebuilt = _rebuild(node, done)
        if node in stored:
            tasks.append(KernelTask(_computable(rebuilt), names[node]))
            done[node] = names[node]
        else:
            done[node] = rebuilt
    results = []
    for root in roots:
        found = done[root]
        assert isinstance(found, Param)
        results.append(found)
    return Partition(tuple(tasks), tuple(results))


def _rebuild(node: Expr, done: dict[Expr, Expr]) -> Expr:
    operands: list[Expr] = []
    for operand in node.operands:
        if isinstance(operand, Lambda):
            captured = {c: done[c] for c in _captured(operand) if done[c] is not c}
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
    if isinstance(inner, (Map, Reduce)) and not is_view_map(inner):
        return e
    assert isinstance(e.type, ArrayType)
    return Map(identity(e.type.element), e)
