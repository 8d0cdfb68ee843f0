"""Loops that write an array and accumulate beside it: a map and a reduction of one length in one loop.

Paper 003, section 3: what reads the same data is computed in one pass over it. Futhark fuses such loops to its `screma`
(T. Henriksen, "Design and implementation of the Futhark programming language", 2017).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from ir.core.expr import Expr, Lambda, fun, postorder, substitute
from ir.core.patterns import (
    MAP_SEQ,
    REDUCE_SEQ,
    AsScalar,
    Concat,
    Element,
    Get,
    Map,
    MapReduce,
    Memory,
    Prefetch,
    Reduce,
    Repeat,
    Tuple,
    Zip,
)
from ir.core.sizes import Size
from ir.core.stored import changes, holds_array
from ir.rewrite.rule import rule
from ir.rules.common import element, length, parts_of, tuple_of

__all__: list[str] = []


@rule(source="paper 003 sec. 3, horizontal fusion")
def maps_together(e: Tuple) -> Expr | None:
    """(v (mapX f xs), w (mapX g ys), ..)  ->  (v (map (λp. p.0) s), w (map (λp. p.1) s), ..)
    for s = mapX (λ(x, y, ..). (f x, g y, ..)) (zip(xs, ys, ..)), parallel maps of arrays that v, w, .. only move

    All are shared out alike, so that each work-group or work-item goes on with what it has read.
    """
    for i, x in enumerate(e.operands):
        for first in _parallel(x):
            found = {i: first}
            for j in range(i + 1, len(e.operands)):
                other = next((m for m in _parallel(e.operands[j]) if _are_alike(first, m)), None)
                if other is not None and all(
                    other not in postorder(m) and m not in postorder(other) for m in found.values()
                ):
                    found[j] = other
            if len(found) > 1:
                return _with(
                    e, {j: {m: part} for (j, m), part in zip(found.items(), _parts(found.values()), strict=True)}
                )
    return None


def _parallel(e: Expr) -> Iterator[Map]:
    """The parallel maps that compute arrays of arrays, which an operand only moves."""
    return (
        x
        for x in _moved(e)
        if isinstance(x, Map) and x.how.parallel and isinstance(x.f, Lambda) and holds_array(element(x))
    )


def _are_alike(one: Map, other: Map) -> bool:
    return one.how is other.how and length(one) is length(other)


def _parts(maps: Collection[Map]) -> list[Expr]:
    """What several maps compute, as parts of what one does."""
    rows, how = Zip(*(m.xs for m in maps)), next(iter(maps)).how
    both = Map(fun(element(rows), lambda p: Tuple(*(m.f(Get(i, p)) for i, m in enumerate(maps)))), rows, how)  # type: ignore[operator]  # a lambda

    def part(i: int) -> Expr:
        return Map(fun(element(both), lambda p: Get(i, p)), both)

    return [part(i) for i in range(len(maps))]


@rule(source="paper 003 sec. 3; Futhark's fusion to `screma`")
def loops_together(e: Tuple) -> Expr | None:
    """(v (mapSeq g xs), h (toPrivate (reduceSeq f z ys)))  ->  (v q.1, h q.0)
    for q = mapReduceSeq (λ(a, (x, y)). (g x, f a y)) z (zip(xs, ys)), where v only moves the array

    The same for operands in any order, for a reduction that is written, not kept, and for several that are kept, whose
    accumulators are a tuple; an array is the accumulator of one alone. The first one's hints are those of the loop.
    """
    for i, x in enumerate(e.operands):
        for loop, hinted in _loops(x):
            folds: dict[int, Expr] = {}
            for j, other in enumerate(e.operands):
                kept = next((m for m in _folds(other) if _is_beside(m, loop)), None)
                if j != i and kept is not None and (not folds or not _is_alone(kept)):
                    folds[j] = kept
                    if _is_alone(kept):
                        break
            if folds:
                made, accumulators = _in_one(loop, list(folds.values()))
                others = {j: {kept: a} for (j, kept), a in zip(folds.items(), accumulators, strict=True)}
                return _with(e, {i: {hinted: Get(1, made)}, **others})
    return None


def _is_alone(e: Expr) -> bool:
    """Is it no part of a tuple of accumulators: what is written as it is, and an array?"""
    return not isinstance(e, Memory) or holds_array(_fold(e).init.type)


def _is_beside(e: Expr, loop: Map) -> bool:
    """Are they of as many turns, and neither needs the other?"""
    return length(loop.xs) is length(_fold(e).xs) and e not in postorder(loop) and loop not in postorder(e)


def _fold(e: Expr) -> Reduce:
    """The reduction, kept or not."""
    fold = e.xs if isinstance(e, Memory) else e
    assert isinstance(fold, Reduce)
    return fold


def _in_one(loop: Map, found: Sequence[Expr]) -> tuple[Expr, list[Expr]]:
    """The loop that does what all do, and the accumulators."""
    folds = [_fold(e) for e in found]
    rows = Zip(_unhinted(loop.xs)[0], *(_unhinted(fold.xs)[0] for fold in folds))
    ahead = _unhinted(folds[0].xs)[1]
    init = tuple_of(tuple(fold.init for fold in folds))

    def turn(a: Expr, p: Expr) -> Expr:
        following = [f.f(b, Get(i + 1, p)) for i, (f, b) in enumerate(zip(folds, parts_of(a, len(folds)), strict=True))]  # type: ignore[operator]
        return Tuple(tuple_of(tuple(following)), loop.f(Get(0, p)))  # type: ignore[operator]  # lambdas

    made = MapReduce(fun((init.type, element(rows)), turn), init, rows if ahead is None else Prefetch(ahead, rows))
    if len(folds) == 1:
        return made, [Get(0, made)]
    last = Element(0, Get(0, made))
    return made, [Repeat(1, Get(i, last)) for i in range(len(folds))]


def _unhinted(xs: Expr) -> tuple[Expr, Size | None]:
    return (xs.xs, xs.distance) if isinstance(xs, Prefetch) else (xs, None)


def _moved(e: Expr) -> Iterator[Expr]:
    """What is below the patterns that only move it, or put it after something else."""
    pending = [e]
    while pending:
        node = pending.pop(0)
        if isinstance(node, Concat) or (node.traits.view and node.traits.moves) or isinstance(node, AsScalar):
            pending.extend(node.operands)
        else:
            yield node


def _loops(e: Expr) -> Iterator[tuple[Map, Expr]]:
    """The maps in order that compute an array of nothing that is kept (what combines accumulators goes on when their
    loop is done), and these with the hints for where they write.
    """
    for node in _moved(e):
        inner = node.xs if isinstance(node, Prefetch) else node
        if not isinstance(inner, Map) or inner.how is not MAP_SEQ or not isinstance(inner.f, Lambda):
            continue
        if not any(isinstance(x, Memory) for x in postorder(inner.xs)):
            yield inner, node


def _folds(e: Expr) -> Iterator[Expr]:
    """The reductions in order of which an operand is made, outside of functions, each with the private
    memory that keeps it; and those that are written where the operand is.
    """
    for node in postorder(e, lambda node: isinstance(node, Lambda)):
        if isinstance(node, Memory) and node.space == "private" and _is_fold(node.xs):
            yield node
    yield from filter(_is_fold, _moved(e))


def _is_fold(e: Expr) -> bool:
    """Is it a reduction in order, of an array if each turn changes that where it lies?"""
    if not isinstance(e, Reduce) or e.how is not REDUCE_SEQ or not isinstance(e.f, Lambda):
        return False
    (accumulator, _), body = e.f.open()
    return not holds_array(e.init.type) or changes(body, accumulator)


def _with(e: Tuple, others: dict[int, dict[Expr, Expr]]) -> Expr:
    """A tuple whose operands have other parts."""
    return Tuple(*(substitute(x, dict(others.get(i, {}))) if i in others else x for i, x in enumerate(e.operands)))
