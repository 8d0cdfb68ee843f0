"""Cut the recorded graph into kernels (paper 003, narrow): one sweep from the results to the inputs, linear in the
graph.

A value is computed inside the kernel that reads it when exactly one kernel does. It is stored when several kernels read
it, when it is a reduction (its result cannot be used by the kernel that computes it: there is no global barrier),
when it is broadcast (recomputing it for every copy costs more than storing it), or when the kernel has grown too long.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from ir.core.expr import Expr, Lambda, Param, close, postorder, substitute
from ir.core.patterns import Join, Map, Reduce, Repeat, is_view_map
from ir.core.types import ArrayType
from ir.rules.common import identity

__all__ = ["OPERATIONS_LIMIT", "KernelTask", "Partition", "partition"]

OPERATIONS_LIMIT = 96
"""Patterns fused into one kernel at most: longer kernels compile slowly and win nothing that memory traffic could
show.
"""


class Known(Protocol):
    """Vertices whose values exist already, and the variables that stand for them."""

    def __contains__(self, node: object) -> bool: ...

    def __getitem__(self, node: Expr, /) -> Param: ...


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
        """Does a function reduce anything that depends on its argument?"""
        known = self._reducing.get(f)
        if known is None:
            known = any(isinstance(e, Reduce) for e in postorder(f, prune=_is_outer))
            self._reducing[f] = known
        return known

    def is_barrier(self, node: Expr) -> bool:
        """Must this vertex's result be stored before anything else can read it?"""
        while isinstance(node, Join):
            node = node.xs
        return isinstance(node, Reduce) or (isinstance(node, Map) and self.reduces(node.f))

    def reads_once(self, node: Expr, operand: Expr) -> bool:
        """Does a map or reduce read each element of that operand once? A product of matrices reads rows many times."""
        if not isinstance(node, (Map, Reduce)) or operand is not node.xs:
            return False
        return not (isinstance(node, Map) and node.f.level > 2 and self.reduces(node.f))


def _repeats(node: Expr) -> bool:
    """Is it a view that copies what it reads, whole or element by element?"""
    if not is_view_map(node):
        return isinstance(node, Repeat)
    return any(isinstance(part, Repeat) for part in postorder(node.operands[0], prune=_is_outer))


def _is_outer(e: Expr) -> bool:
    """An array that does not depend on any enclosing function's variable."""
    return not e.loose and not isinstance(e, Lambda) and isinstance(e.type, ArrayType)


def partition(roots: Sequence[Expr], known: Known | None = None, limit: int = OPERATIONS_LIMIT) -> Partition:
    """Cut the graph below `roots` into kernels.

    known : vertices whose values exist already, and the variables that stand for them
    limit : the number of vertices in one kernel, at most
    """
    known = known if known is not None else dict[Expr, Param]()
    reads = _Reads()
    order = _vertices(roots, reads, known)
    kernels: dict[Expr, set[int]] = {node: set() for node in order}  # the kernels that read a vertex
    stored: set[Expr] = set()
    broadcast: set[Expr] = set()
    joined: set[Expr] = set()  # barriers whose flattened result is stored instead
    sizes: list[int] = []
    wanted = set(roots)
    for node in reversed(order):
        if isinstance(node, Param) or node in known:
            continue
        readers = kernels[node]
        computed = isinstance(node, (Map, Reduce)) and not is_view_map(node)
        full = isinstance(node.type, ArrayType) and any(sizes[k] >= limit for k in readers)
        barrier = node not in joined and reads.is_barrier(node)
        store = node in wanted or barrier or full or (computed and (len(readers) > 1 or node in broadcast))
        if store:
            if isinstance(node, Join):
                joined.add(node.xs)
            stored.add(node)
            readers = {len(sizes)}
            sizes.append(0)
        for k in readers:
            sizes[k] += 1
        for operand in reads.of(node):
            kernels[operand] |= readers
            repeated = _repeats(node) or (node in broadcast and not computed)
            if repeated or (computed and not reads.reads_once(node, operand)):
                broadcast.add(operand)
    return _build(roots, order, stored, reads, known)


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


def _build(roots: Sequence[Expr], order: list[Expr], stored: set[Expr], reads: _Reads, known: Known) -> Partition:
    names = {node: Param(f"v{number}", node.type) for number, node in enumerate(n for n in order if n in stored)}
    done: dict[Expr, Expr] = {}
    tasks = []
    for node in order:
        if node in known:
            done[node] = known[node]
            continue
        rebuilt = _rebuild(node, done, reads)
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
    if isinstance(inner, (Map, Reduce)) and not is_view_map(inner):
        return e
    assert isinstance(e.type, ArrayType)
    return Map(identity(e.type.element), e)
