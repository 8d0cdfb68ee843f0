"""The recorded graph as the partition sees it: what a vertex reads, and which results must be stored."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from copy import copy
from typing import Protocol
from weakref import WeakKeyDictionary

from ir.core.expr import Bound, Expr, Lambda, Param, close, postorder, substitute
from ir.core.patterns import Gather, Generate, Get, Join, Map, Repeat, Zip, is_view_map
from ir.core.stored import holds_array
from ir.core.types import ArrayType, TupleType
from ir.walks import walk

__all__ = [
    "Graph", "Known", "captured", "gathers", "is_computed", "is_outer", "reads_rows_often", "rebuild", "reduces",
    "repeated_rows", "repeats", "row_steps", "steps_of",
]  # fmt: skip


class Known(Protocol):
    """Vertices whose values exist already, and the variables, or for arrays of tuples zips, that stand for them."""

    def __contains__(self, node: object) -> bool: ...

    def __getitem__(self, node: Expr, /) -> Expr: ...


class Graph:
    """The vertices below some results, and what they read.

    Attributes:
        roots: the results that are asked for
        known: vertices whose values exist already; nothing below them is looked at
        wanted: the results, and what is stored between layers
        between: what is stored between layers (`ir.fusion.partition.layers`)
        layered: what layers compute, which is known to fit into their kernels
    """

    def __init__(self, roots: Sequence[Expr], known: Known) -> None:
        self.known = known
        self.wanted = set(roots)
        self.between: Set[Expr] = frozenset()
        self.layered: Set[Expr] = frozenset()
        self._reads: dict[Expr, tuple[Expr, ...]] = {}
        self._barriers: dict[Expr, bool] = {}
        self._readers: dict[Expr, list[Expr]] | None = None
        self.order = walk(roots, lambda node: () if node in known else self.reads(node))  # through captured arrays too

    def in_layers(self, between: Iterable[Expr], layered: Set[Expr]) -> Graph:
        """The same graph, of which some vertices are computed in layers, and some of these stored between them."""
        made = copy(self)
        made.between, made.layered = frozenset(between), layered
        made.wanted = self.wanted | made.between
        return made

    def reads(self, node: Expr) -> tuple[Expr, ...]:
        """The vertices that a vertex reads: its operands, and the arrays that its functions close over."""
        known = self._reads.get(node)
        if known is None:
            found: list[Expr] = []
            for operand in node.operands:
                found.extend(captured(operand) if isinstance(operand, Lambda) else (operand,))
            known = self._reads[node] = tuple(found)
        return known

    def readers(self) -> dict[Expr, list[Expr]]:
        """Of each vertex that is read, those that read it, in order."""
        found = self._readers
        if found is None:
            found = self._readers = {}
            for node in self.order:
                for x in self.reads(node) if not self.exists(node) else ():
                    found.setdefault(x, []).append(node)
        return found

    def exists(self, node: Expr) -> bool:
        """Is its value in memory before any kernel runs?"""
        return isinstance(node, Param) or node in self.known

    def is_barrier(self, node: Expr) -> bool:
        """Must this vertex's result be stored before anything else can read it?"""
        found = self._barriers.get(node)
        if found is None:
            below = node
            while isinstance(below, Join):
                below = below.xs
            found = below.traits.collective or (isinstance(below, (Map, Generate)) and reduces(below.f))
            self._barriers[node] = found
        return found

    def is_stored_first(self, node: Expr) -> bool:
        """Is it in memory before a kernel can read it, whatever the partition is?"""
        return self.exists(node) or node in self.wanted or self.is_barrier(node)

    def reads_once(self, node: Expr, operand: Expr) -> bool:
        """Does a vertex read each element of that operand once? A product of matrices reads rows often."""
        if not any(operand is getattr(node, name) for name in node.traits.streams):
            return False
        return not (isinstance(node, Map) and isinstance(node.f, Lambda) and reads_rows_often(node.f))


_often: WeakKeyDictionary[Expr, bool] = WeakKeyDictionary()


def reads_rows_often(f: Lambda) -> bool:
    """Does a function reduce, and one inside of it use arrays of those around it, so that they are read once for each
    of its own arguments? A product of matrices does, but not one of a matrix and a vector that is computed on the way.
    """
    known = _often.get(f)
    if known is None:
        nested = f.level > _OF_ARRAYS and reduces(f)
        inner = (g for g in postorder(f.body, prune=is_outer) if isinstance(g, Lambda))
        known = _often[f] = nested and any(map(_uses_outer_arrays, inner))
    return known


def _uses_outer_arrays(f: Lambda) -> bool:
    """Does a function use variables of those around it that are, or hold, arrays?"""
    return any(
        isinstance(node, Bound) and node.binder_level > f.own_level and holds_array(node.type)
        for node in postorder(f.body, prune=lambda e: not e.loose)
    )


_captured: WeakKeyDictionary[Expr, tuple[Expr, ...]] = WeakKeyDictionary()
_reducing: WeakKeyDictionary[Expr, bool] = WeakKeyDictionary()


def captured(f: Lambda) -> tuple[Expr, ...]:
    """The arrays of the enclosing graph that a function mentions."""
    found = _captured.get(f)
    if found is None:
        inner = list(postorder(f.body, prune=is_outer))
        outer = dict.fromkeys(o for e in inner for o in e.operands if is_outer(o))
        if is_outer(f.body):
            outer[f.body] = None
        found = _captured[f] = tuple(outer)
    return found


def reduces(f: Expr) -> bool:
    """Does a function reduce, scan, scatter or sort anything that depends on its argument?"""
    known = _reducing.get(f)
    if known is None:
        known = _reducing[f] = any(e.traits.collective for e in postorder(f, prune=is_outer))
    return known


def steps_of(f: Expr) -> int:
    """Of how many arrays, each made of the one before, the result of a function of arrays is the last."""
    if not isinstance(f, Lambda) or (f.level == 1 and not isinstance(f.result, ArrayType)):
        return 0
    found = _steps.get(f)
    if found is None:
        found = _steps[f] = row_steps(f).get(f.open()[1], 0)
    return found


_steps: WeakKeyDictionary[Expr, int] = WeakKeyDictionary()


def row_steps(f: Lambda) -> dict[Expr, int]:
    """What a function makes of its arguments, opened, operands first; of each, how many arrays lead to it."""
    parameters, body = f.open()
    steps: dict[Expr, int] = dict.fromkeys(parameters, 0)
    for node in postorder(body, prune=lambda e: not e.loose):
        before = [steps[operand] for operand in node.operands if operand in steps]
        if before:
            steps[node] = max(before) + isinstance(node.type, ArrayType)
    return steps


def is_outer(e: Expr) -> bool:
    """An array that does not depend on any enclosing function's variable."""
    return not e.loose and not isinstance(e, Lambda) and isinstance(e.type, ArrayType)


def is_computed(node: Expr) -> bool:
    """Is it a map, reduction, scan, scatter or sort that computes something?"""
    return node.traits.computes and not is_view_map(node)


def repeats(node: Expr) -> bool:
    """Is it a view that copies what it reads, whole or element by element?"""
    if not is_view_map(node):
        return isinstance(node, Repeat)
    return any(isinstance(part, Repeat) for part in postorder(node.operands[0], prune=is_outer))


def repeated_rows(node: Expr) -> list[Expr]:
    """The arrays of a map's zip, or the one that it maps, whose elements its function repeats as they are, or computes
    something of each copy.
    """
    if not isinstance(node, Map) or not isinstance(node.f, Lambda) or node.f.level < _OF_ARRAYS:
        return []
    found = _repeating.get(node.f)
    if found is None:
        found = _repeating[node.f] = _repeated_components(node.f)
    arrays = node.xs.operands if isinstance(node.xs, Zip) else None
    return [node.xs] * bool(found) if arrays is None else [arrays[i] for i in sorted(found)]


_repeating: WeakKeyDictionary[Expr, frozenset[int]] = WeakKeyDictionary()


def _repeated_components(f: Lambda) -> frozenset[int]:
    (variable, *_), body = f.open()

    def component(node: Expr) -> int | None:
        return node.index if isinstance(node, Get) and node.operand is variable else None

    def below(node: Expr) -> tuple[Expr, ...]:
        ends = not node.loose or node.traits.collective or isinstance(node, Lambda) or component(node) is not None
        return () if ends else node.operands

    inner = postorder(body, prune=lambda e: not e.loose)
    repeated = walk([node.x for node in inner if isinstance(node, Repeat)], below)
    if variable in repeated:
        return frozenset(range(len(variable.type.elements) if isinstance(variable.type, TupleType) else 1))
    return frozenset([i for i in map(component, repeated) if i is not None])


_OF_ARRAYS = 2
"""The level of a function with another one inside: what is repeated in others is numbers."""


def gathers(node: Expr, operand: Expr) -> bool:
    """Does a vertex take elements of that operand, each of them any number of times?"""
    return isinstance(node, Gather) and operand is node.xs


def rebuild(node: Expr, done: Mapping[Expr, Expr]) -> Expr:
    """The vertex over other vertices, given by a table of replacements."""
    operands: list[Expr] = []
    for operand in node.operands:
        if isinstance(operand, Lambda):
            made = {c: done[c] for c in captured(operand)}  # what stays is named, too: nobody looks below it
            changed = any(made[c] is not c for c in made)
            operands.append(_replace_captured(operand, made) if changed else operand)
        else:
            operands.append(done.get(operand, operand))
    return node._rebuilt(tuple(operands)) if tuple(operands) != node.operands else node


def _replace_captured(f: Lambda, captured: dict[Expr, Expr]) -> Lambda:
    params, body = f.open()
    replaced = substitute(body, captured)
    return close(params, replaced)
