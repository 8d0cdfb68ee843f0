"""Parts of a concat that are alike, as one: a map of all for maps of each, and so on. All are exact.

They are the rules by which a concat goes into what its parts are made of, read from right to left. A loop in Python
over the rows of an array becomes one map by them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from ir.core.expr import Expr, Lambda, Param, fun, substitute, transform
from ir.core.patterns import (
    MAP,
    REDUCE,
    Concat,
    Gather,
    Get,
    Join,
    Literal,
    Map,
    Reduce,
    Repeat,
    Slice,
    Split,
    Transpose,
    Tuple,
    Zip,
)
from ir.core.types import ScalarType, TupleType
from ir.rewrite.rule import rule
from ir.rules.common import components, element, length

__all__ = ["differ_in_constants"]


def _column(parts: Sequence[Expr], operand: int) -> Concat:
    """An operand of each part, one after the other."""
    return Concat(*(part.operands[operand] for part in parts))


def _all(parts: Sequence[Expr], kind: type[Expr], same: Sequence[int] = ()) -> bool:
    """Are all parts applications of a pattern, with the same parameters and the same operands of those numbers?"""
    first = parts[0]
    return isinstance(first, kind) and all(
        type(part) is type(first)
        and part.parameters == first.parameters
        and all(part.operands[i] is first.operands[i] for i in same)
        for part in parts
    )


@rule(source="semantics of concat and repeat")
def concat_of_same(e: Concat) -> Expr | None:
    """concat(xs, xs, ..)  ->  join (repeat k xs)      for k parts"""
    match e:
        case Concat(operands=(xs, *others)) if all(x is xs for x in others):
            return Join(Repeat(len(e.operands), xs))
    return None


@rule(source="semantics of concat and slice")
def concat_of_slices(e: Concat) -> Expr | None:
    """concat(slice s k m xs, slice (s + k * m) k n xs, ..)  ->  slice s k (m + n + ..) xs

    A slice of one element may have any step.
    """
    match e:
        case Concat(operands=(Slice(start, _, _, xs), *_)):
            parts = [x for x in e.operands if isinstance(x, Slice) and x.xs is xs]
            step = next((x.step for x in parts if x.count.value != 1), 1)
            end = start
            for x in parts:
                if x.start is not end or (x.step != step and x.count.value != 1):
                    return None
                end = end + x.count * step
            if len(parts) == len(e.operands):
                return Slice(start, step, length(e), xs)
    return None


@rule(source="semantics of concat and repeat")
def concat_of_repeats(e: Concat) -> Expr | None:
    """concat(repeat m x, repeat n x, ..)  ->  repeat (m + n + ..) x"""
    match e:
        case Concat(operands=(Repeat(_, x), *others)):
            if all(isinstance(y, Repeat) and y.x is x for y in others):
                return Repeat(length(e), x)
    return None


@rule(source="semantics of concat, repeat and transpose")
def concat_of_copies(e: Concat) -> Expr | None:
    """concat(repeat n x, repeat n y, ..)  ->  join (transpose (repeat n (concat(repeat 1 x, repeat 1 y, ..))))

    For n other than 1, and numbers x, y, ..
    """
    match e:
        case Concat(operands=(Repeat(n, x), *_)) if n.value != 1 and isinstance(x.type, ScalarType):
            if _all(e.operands, Repeat):
                return Join(Transpose(Repeat(n, Concat(*(Repeat(1, part.operands[0]) for part in e.operands)))))
    return None


@rule(source="semantics of concat, read from right to left")
def concat_of_maps(e: Concat) -> Expr | None:
    """concat(map f xs, map f ys, ..)  ->  map f (concat(xs, ys, ..))"""
    match e:
        case Concat(operands=(Map(f, _, how), *_)) if how == MAP and _all(e.operands, Map, [0]):
            return Map(f, _column(e.operands, 1))
    return None


@rule(source="semantics of concat and map; abstraction of constants")
def concat_of_like_maps(e: Concat) -> Expr | None:
    """concat(map (f c) xs, map (f d) ys, ..)  ->  map f (zip(concat(repeat m c, repeat n d, ..), concat(xs, ys, ..)))

    For functions of numbers that differ in constants c and d, of any number of arrays: those come before the constants.
    """
    match e:
        case Concat(operands=(Map(Lambda() as f, xs, how), *_)) if how == MAP and _all(e.operands, Map):
            functions = [part.operands[0] for part in e.operands]
            if all(isinstance(g, Lambda) and differ_in_constants(f, g) for g in functions):
                width = len(components(xs)) if isinstance(xs, Zip) else 0
                arrays = [part.operands[1] for part in e.operands]
                if all((len(ys.operands) if isinstance(ys, Zip) else 0) == width for ys in arrays):
                    return _of_constants(f, functions, arrays)
    return None


def differ_in_constants(f: Lambda, g: Lambda) -> bool:
    """Are these functions of numbers the same but for constants in them?"""
    first, second = _constants_apart(f), _constants_apart(g)
    return first is not None and second is not None and first[0] is second[0] and f.types == g.types


@lru_cache(maxsize=4096)
def _constants_apart(f: Lambda) -> tuple[Expr, tuple[Literal, ...]] | None:
    """The body of a function of numbers with numbered holes for its constants, and these in order; None for others."""
    found: list[Literal] = []
    if not isinstance(f.result, ScalarType) or f.loose or f.level != 1:
        return None

    def visit(node: Expr, operands: tuple[Expr, ...]) -> Expr:
        if isinstance(node, Literal):
            found.append(node)
            return _hole(len(found) - 1, node)
        return node if operands == node.operands else node._make(operands, node.parameters)

    return transform(f.body, visit, lambda node: False), tuple(found)


def _hole(i: int, constant: Literal) -> Param:
    return Param(f"constant {i}", constant.dtype)


def _of_constants(f: Lambda, functions: Sequence[Expr], arrays: Sequence[Expr]) -> Expr | None:
    """A map of one function over the arrays, one after the other, and over the constants that differ."""
    apart = [_constants_apart(g) for g in functions if isinstance(g, Lambda)]
    ((body, own), *_) = known = [each for each in apart if each is not None]
    columns = list(zip(*(constants for _, constants in known), strict=True))
    differing = [i for i, column in enumerate(columns) if len(set(column)) > 1]
    counts = [length(xs) for xs in arrays]
    operands = [
        *(Concat(*column) for column in zip(*map(components, arrays), strict=True)),
        *(Concat(*map(Repeat, counts, columns[i])) for i in differing),
    ]
    if not differing or not all(isinstance(element(xs), ScalarType) for xs in operands):
        return None
    (variable,) = f.variables

    def filled(p: Param) -> Expr:
        parts = [Get(i, p) for i in range(len(operands))]
        given = parts[: len(operands) - len(differing)]
        filling: dict[Expr, Expr] = {variable: Tuple(*given) if isinstance(arrays[0], Zip) else given[0]}
        constants = dict(zip(differing, parts[len(given) :], strict=True))
        filling |= {_hole(i, literal): constants.get(i, literal) for i, literal in enumerate(own)}
        return substitute(body, filling)

    return Map(fun(TupleType(tuple(map(element, operands))), filled), Zip(*operands))


@rule(source="map fission: a map of reductions, read from right to left")
def concat_of_reductions(e: Concat) -> Expr | None:
    """concat(reduce f z xs, reduce f z ys, ..)  ->  join (map (reduce f z) (split n (concat(xs, ys, ..))))

    For arrays of one length n, other than 0.
    """
    match e:
        case Concat(operands=(Reduce(f, z, xs, how), *_)) if how == REDUCE and _all(e.operands, Reduce, [0, 1]):
            if length(xs).value != 0 and all(part.operands[2].type is xs.type for part in e.operands):
                rows = Split(length(xs), _column(e.operands, 2))
                return Join(Map(fun(xs.type, lambda row: Reduce(f, z, row)), rows))
    return None


@rule(source="semantics of concat and join, read from right to left")
def concat_of_joins(e: Concat) -> Expr | None:
    """concat(join xss, join yss, ..)  ->  join (concat(xss, yss, ..))      for rows of one length"""
    match e:
        case Concat(operands=(Join(xss), *_)) if _all(e.operands, Join):
            if all(element(part.operands[0]) is element(xss) for part in e.operands):
                return Join(_column(e.operands, 0))
    return None


@rule(source="semantics of concat and split, read from right to left")
def concat_of_splits(e: Concat) -> Expr | None:
    """concat(split n xs, split n ys, ..)  ->  split n (concat(xs, ys, ..))"""
    match e:
        case Concat(operands=(Split(n), *_)) if n.value != 0 and _all(e.operands, Split):
            return Split(n, _column(e.operands, 0))
    return None


@rule(source="semantics of concat and gather")
def concat_of_gathers(e: Concat) -> Expr | None:
    """concat(gather xs is, gather xs js, ..)  ->  gather xs (concat(is, js, ..))      for indices of one type"""
    match e:
        case Concat(operands=(Gather(xs, indices), *_)) if _all(e.operands, Gather, [0]):
            if all(element(part.operands[1]) is element(indices) for part in e.operands):
                return Gather(xs, _column(e.operands, 1))
    return None


@rule(source="semantics of concat and zip")
def concat_of_zips(e: Concat) -> Expr | None:
    """concat(zip(xs, ys, ..), zip(us, vs, ..), ..)  ->  zip(concat(xs, us, ..), concat(ys, vs, ..), ..)"""
    match e:
        case Concat(operands=(Zip() as first, *_)) if _all(e.operands, Zip):
            return Zip(*(_column(e.operands, i) for i in range(len(first.operands))))
    return None
