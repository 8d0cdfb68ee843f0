"""The concats of a recorded graph, put in order before the graph is cut into kernels.

A program that assigns to slices of one array records a concat for each assignment. Here

- a slice that lies within one part of a concat reads that part, unless the concat has to be stored anyway;
- neighbouring parts that are the same function of neighbouring slices become one (`ir.fusion.alike`);
- a concat of many parts becomes a tree of concats of a few, each of them small enough for a kernel.

These are equations of `ir.rules.concat` (`slice_after_concat`, `concat_of_maps`, `concat_of_slices`), at lengths that are
numbers here, so that it is known which part holds what. The graph is walked iteratively; only the comparison of parts
recurs, to a bounded depth.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence

from ir.core.expr import Expr
from ir.core.patterns import Concat, Join, Repeat, Slice, Split
from ir.core.sizes import Size
from ir.core.types import ArrayType
from ir.fusion.alike import Constants, merged, number

__all__ = ["FEW", "arrange"]

FEW = 16
"""Parts of one kernel's concat at most."""

Reads = Callable[[Expr], tuple[Expr, ...]]
Rebuild = Callable[[Expr, dict[Expr, Expr]], Expr]


def arrange(
    roots: Sequence[Expr],
    order: Sequence[Expr],
    reads: Reads,
    rebuild: Rebuild,
    known: Container[object],
    constants: Constants | None = None,
) -> tuple[list[Expr], set[Expr]]:
    """The roots over concats of few parts, and the concats that are parts of others: each has to be stored.

    order : all vertices below the roots, operands first
    reads : the vertices that a vertex reads
    rebuild : a vertex over other vertices, given by a table of replacements
    known : vertices whose values exist already, which stay as they are
    constants : makes a leaf of an array of constants
    """
    stored: set[Expr] = set()
    readers: dict[Expr, int] = dict.fromkeys(roots, 1)
    whole: set[Expr] = set(roots)  # has to be stored, or is read by more than slices of single parts
    for node in order:
        if node in known:
            whole.add(node)
            continue
        for operand in reads(node):
            readers[operand] = readers.get(operand, 0) + 1
            if isinstance(operand, Concat) and not isinstance(node, Concat) and _part(node) is None:
                whole.add(operand)
    done: dict[Expr, Expr] = {}
    flat: dict[Expr, list[Expr]] = {}  # the parts of a concat
    shared: set[Expr] = set()  # vertices of the new graph that several read: merged into others they would run twice
    for node in order:
        if node in known:
            done[node] = node
        elif isinstance(node, Concat):
            flat[node] = _parts(node, done, flat, whole)
            if node in whole:  # nothing asks for the others: their parts are read one by one
                done[node] = _tree(merged(flat[node], shared, constants), stored)
        else:
            part = _part(node) if isinstance(node, Slice) and node.xs not in whole else None
            done[node] = rebuild(node, done) if part is None else _sliced(done[part[0]], part[1], node)
        if readers.get(node, 0) > 1 and node in done:
            shared.add(done[node])
    return [done[root] for root in roots], stored


def _part(e: Expr) -> tuple[Expr, int] | None:
    """The part of a concat in which all that a slice reads lies, and where the slice starts in it."""
    if not isinstance(e, Slice) or not isinstance(e.xs, Concat):
        return None
    first, count = e.start.value, e.count.value
    assert first is not None
    assert count is not None
    last = first + e.step * (count - 1)
    begin = 0
    for part in e.xs.operands:
        end = begin + number(part)
        if begin <= first < end:
            return (part, first - begin) if begin <= last < end else None
        begin = end
    return None


def _sliced(xs: Expr, start: int, like: Slice) -> Expr:
    """The slice of xs from `start` on, with the step and count of another."""
    if start == 0 and like.step == 1 and like.count.value == number(xs):
        return xs
    if isinstance(xs, Repeat):
        return Repeat(like.count, xs.x)
    if isinstance(xs, Slice):
        return Slice(xs.start + start * xs.step, xs.step * like.step, like.count, xs.xs)
    return Slice(start, like.step, like.count, xs)


def _parts(e: Concat, done: dict[Expr, Expr], flat: dict[Expr, list[Expr]], whole: set[Expr]) -> list[Expr]:
    """The parts of a concat, those of inner ones that nothing else needs among them."""
    found: list[Expr] = []
    for operand in e.operands:
        if isinstance(operand, Concat) and operand not in whole:
            found += flat[operand]
        elif number(operand):
            found.append(done[operand])
    return found or [done[e.operands[0]]]


def _tree(parts: list[Expr], stored: set[Expr]) -> Expr:
    """A concat of a few parts, which may be concats of a few parts in their turn, and then flat and stored."""
    while len(parts) > FEW:
        groups = [parts[i : i + FEW] for i in range(0, len(parts), FEW)]
        parts = [_concat(group, stored) if len(group) > 1 else group[0] for group in groups]
    return parts[0] if len(parts) == 1 else Concat(*parts)


def _concat(parts: list[Expr], stored: set[Expr]) -> Expr:
    """The parts one after the other, as a view of a flat array that is to be stored."""
    made: Expr = Concat(*parts)
    extents: list[Size] = []
    while isinstance(made.type, ArrayType) and isinstance(made.type.element, ArrayType):
        extents.append(made.type.element.length)
        made = Join(made)
    stored.add(made)
    for extent in extents:
        made = Split(extent, made)
    return made
