"""Parts of arrays that are stored anyway, read where they lie in these.

A step of a stencil with kept borders is a concat of its interior and of what it keeps. The next step reads the whole,
and the interior once more: as the values that were assigned. Where the whole is in memory, whatever comes after it
reads the interior there, as a slice. So the interior has one reader, which is the kernel that writes the whole: one
kernel a step.

    map f (zip(slice 0 1 n c, xs))      where c is concat(.., xs, ..), and xs begins at m
    ->  map f (zip(slice 0 1 n c, slice m 1 k c))

This is `slice_after_concat` and the like, read from right to left: which array to read is nothing that xs alone says.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Container, Iterable, Sequence

from ir.core.expr import Expr
from ir.core.patterns import Concat, Join, Slice, Split, Transpose
from ir.core.types import is_flat
from ir.fusion.partition.graph import Graph, is_computed, rebuild
from ir.rules.common import length, length_of_row
from ir.rules.layout.slices import begin_of, slice_of_columns

__all__ = ["read_in_whole"]

View = Callable[[Expr], Expr]


def read_in_whole(roots: Sequence[Expr], graph: Graph, stored: Iterable[Expr]) -> Sequence[Expr]:
    """The results, in which what is computed for a concat that is stored is read there by all that comes after it.

    Args:
        stored: concats that are, in the order of the graph.
    """
    stored = dict.fromkeys(node for node in stored if is_flat(node.type) and node not in graph.known)
    if not stored:
        return roots
    order = Graph([*stored, *roots], graph.known).order  # what a concat does not need comes after it
    place = {node: i for i, node in enumerate(order)}
    readers: dict[Expr, list[Expr]] = {}
    for node in order:
        if not graph.exists(node):
            for operand in graph.reads(node):
                readers.setdefault(operand, []).append(node)
    held: dict[Expr, tuple[Expr, View]] = {}  # of parts the first concat that holds them, and where
    for node in stored:
        for part, view in _computed_parts(node, graph, stored):
            later = any(place[reader] > place[node] for reader in readers.get(part, ()))
            if later and part not in held and part not in graph.wanted:
                held[part] = node, view
    if not held:
        return roots
    done: dict[Expr, Expr] = {}
    shown: dict[Expr, Expr] = {}  # parts, as views of concats that are there by now
    parts_of: dict[Expr, list[Expr]] = {}
    for part, (concat, _) in held.items():
        parts_of.setdefault(concat, []).append(part)
    for node in order:
        done[node] = node if graph.exists(node) else rebuild(node, ChainMap(shown, done) if shown else done)
        for part in parts_of.get(node, ()):
            made = held[part][1](done[node])
            assert made.type is part.type
            shown[part] = made
    return [done[root] for root in roots]


def _computed_parts(concat: Expr, graph: Graph, stored: Container[Expr]) -> list[tuple[Expr, View]]:
    """What is computed for a concat and lies in it, row by row or side by side, and the concats and views on the way to
    that: each as a view of the concat. What is stored itself is not looked into.
    """
    inside: dict[Expr, tuple[View, Expr | None]] = {concat: (lambda e: e, None)}
    computed: set[Expr] = set()
    stack: list[Expr] = [concat]
    while stack:
        node = stack.pop()
        view = inside[node][0]
        if graph.exists(node) or (node in stored and node is not concat):
            continue
        if is_computed(node):
            way: Expr | None = node
            while way is not None and way not in computed:
                computed.add(way)
                way = inside[way][1]
        elif isinstance(node, Concat):
            for i, x in enumerate(node.operands):
                if x not in inside:
                    inside[x] = _part(node, i, view), node
                    stack.append(x)
        elif (before := _before(node, view)) is not None and node.operands[0] not in inside:
            inside[node.operands[0]] = before, node
            stack.append(node.operands[0])
    return [(node, inside[node][0]) for node in computed if node is not concat]


def _part(concat: Concat, i: int, view: View) -> View:
    begin, count = begin_of(concat, i), length(concat.operands[i])
    return lambda e: Slice(begin, 1, count, view(e))


def _before(node: Expr, view: View) -> View | None:
    """The operand of a view that can be undone, as a view of what holds the view; None for any other."""
    match node:
        case Join(xss):
            return lambda e: Split(length_of_row(xss), view(e))
        case Split():
            return lambda e: Join(view(e))
        case Transpose():
            return lambda e: _flipped(view(e))
    return None


def _flipped(e: Expr) -> Expr:
    done = slice_of_columns(Transpose(e), ())
    return Transpose(e) if done is None else done.expr
