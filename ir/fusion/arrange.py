"""The concats of a recorded graph, put in order before the graph is cut into kernels.

A program that assigns to slices of one array records a concat for each assignment. Here

- a slice that lies within one part of a concat reads that part, unless the concat has to be stored anyway;
- neighbouring parts that are the same function of neighbouring slices become one: a loop over rows in Python is one map;
- a concat of many parts becomes a tree of concats of a few, each of them small enough for a kernel.

All three are equations of `ir.rules.concat` (`slice_after_concat`, `concat_of_maps`, `concat_of_slices`), at lengths that
are numbers here, so that it is known which part holds what. The graph is walked iteratively; only the comparison of two
parts recurs, to a bounded depth.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence

from ir.core.expr import Expr, fun
from ir.core.patterns import MAP, REDUCE, Concat, Gather, Join, Map, Reduce, Repeat, Slice, Split, Zip
from ir.core.types import ArrayType

__all__ = ["FEW", "arrange"]

FEW = 16
"""Parts of one kernel's concat at most."""

_DEPTH = 24
"""Patterns on a path of a part that is compared with its neighbour at most."""

Reads = Callable[[Expr], tuple[Expr, ...]]
Rebuild = Callable[[Expr, dict[Expr, Expr]], Expr]


def arrange(
    roots: Sequence[Expr], order: Sequence[Expr], reads: Reads, rebuild: Rebuild, known: Container[object]
) -> list[Expr]:
    """The roots over concats of few parts.

    order : all vertices below the roots, operands first
    reads : the vertices that a vertex reads
    rebuild : a vertex over other vertices, given by a table of replacements
    known : vertices whose values exist already, which stay as they are
    """
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
            flat[node] = _merged(_parts(node, done, flat, whole), shared)
            done[node] = _tree(flat[node])
        else:
            part = _part(node) if isinstance(node, Slice) and node.xs not in whole else None
            done[node] = rebuild(node, done) if part is None else _sliced(done[part[0]], part[1], node)
        if readers.get(node, 0) > 1:
            shared.add(done[node])
    return [done[root] for root in roots]


def _number(e: Expr) -> int:
    """The length of an array."""
    t = e.type
    assert isinstance(t, ArrayType)
    assert t.length.value is not None  # lengths are numbers in a recorded graph
    return t.length.value


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
        end = begin + _number(part)
        if begin <= first < end:
            return (part, first - begin) if begin <= last < end else None
        begin = end
    return None


def _sliced(xs: Expr, start: int, like: Slice) -> Expr:
    """The slice of xs from `start` on, with the step and count of another."""
    if start == 0 and like.step == 1 and like.count.value == _number(xs):
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
        elif _number(operand):
            found.append(done[operand])
    return found or [done[e.operands[0]]]


def _tree(parts: list[Expr]) -> Expr:
    """A concat of a few parts, which may be concats of a few parts in their turn."""
    while len(parts) > FEW:
        parts = [_concat(parts[i : i + FEW]) for i in range(0, len(parts), FEW)]
    return _concat(parts)


def _concat(parts: list[Expr]) -> Expr:
    return parts[0] if len(parts) == 1 else Concat(*parts)


# --- neighbours that are the same function ---------------------------------------------------------------------------


def _merged(parts: list[Expr], shared: set[Expr]) -> list[Expr]:
    """The parts with neighbours merged where they are the same function of neighbouring elements."""
    found: list[Expr] = []
    for part in parts:
        both = _merge(found[-1], part, shared, _DEPTH) if found else None
        if both is None:
            found.append(part)
        else:
            found[-1] = both
    return found


def _merge(a: Expr, b: Expr, shared: set[Expr], depth: int) -> Expr | None:
    """One expression for `concat(a, b)` that is no concat; None where there is none."""
    if depth == 0:
        return None
    if (isinstance(a, (Map, Reduce)) and a in shared) or (isinstance(b, (Map, Reduce)) and b in shared):
        return None
    if isinstance(b, Reduce):
        return _merge_reductions(a, b, shared, depth)
    if type(a) is not type(b):
        return None

    def merge(x: Expr, y: Expr) -> Expr | None:
        return _merge(x, y, shared, depth - 1)

    match a, b:
        case Slice(), Slice() if a.xs is b.xs:
            return _merge_slices(a, b)
        case Repeat(n, x), Repeat(m, y) if x is y:
            return Repeat(n + m, x)
        case Map(f, xs, how), Map(g, ys) if f is g and how == MAP and b.parameters == a.parameters:
            both = merge(xs, ys)
            return None if both is None else Map(f, both)
        case Join(xs), Join(ys) if _element(xs) is _element(ys):
            both = merge(xs, ys)
            return None if both is None else Join(both)
        case Split(n, xs), Split(m, ys) if n is m:
            both = merge(xs, ys)
            return None if both is None else Split(n, both)
        case Gather(xs, i), Gather(ys, j) if xs is ys:
            both = merge(i, j)
            return None if both is None else Gather(xs, both)
        case Zip(), Zip() if len(a.operands) == len(b.operands):
            pairs = [merge(x, y) for x, y in zip(a.operands, b.operands, strict=True)]
            operands = [pair for pair in pairs if pair is not None]
            return Zip(*operands) if len(operands) == len(pairs) else None
    return None


def _element(e: Expr) -> object:
    assert isinstance(e.type, ArrayType)
    return e.type.element


def _merge_slices(a: Slice, b: Slice) -> Expr | None:
    """Slices of one array, of which the second goes on where the first ends."""
    n, m = a.count.value, b.count.value
    first, second = a.start.value, b.start.value
    assert n is not None and m is not None and first is not None and second is not None  # one fact
    step = a.step if n > 1 else b.step if m > 1 else second - first
    fits = step != 0 and (m == 1 or b.step == step) and second == first + n * step
    return _sliced(a.xs, first, Slice(first, step, n + m, a.xs)) if fits else None


def _merge_reductions(a: Expr, b: Reduce, shared: set[Expr], depth: int) -> Expr | None:
    """concat(reduce f z xs, reduce f z ys)  ->  join (map (reduce f z) (split n (concat(xs, ys))))"""
    if b.how != REDUCE or b.f.loose or b.init.loose:
        return None
    n = _number(b.xs)
    row = fun(b.xs.type, lambda xs: Reduce(b.f, b.init, xs))
    match a:
        case Reduce(f, z, xs, how) if f is b.f and z is b.init and how == REDUCE and xs.type is b.xs.type:
            before = xs
        case Join(Map(f, Split(m, xs))) if f is row and m.value == n:
            before = xs
        case _:
            return None
    both = _merge(before, b.xs, shared, depth - 1)
    return None if both is None else Join(Map(row, Split(n, both)))
