"""Rules on reductions: ICFP 2015 figure 6d, and interleaved accumulators.

Each asks that (f, z) be a commutative monoid, which the papers demand of `reduce` in words; `is_monoid` checks it.
"""

from __future__ import annotations

import functools

from ir.core.expr import Expr, Lambda, fun, identity
from ir.core.patterns import (
    MAP,
    REDUCE,
    REDUCE_SEQ,
    Concat,
    Element,
    Get,
    Iterate,
    Join,
    Map,
    Reduce,
    ReducePart,
    Reorder,
    Repeat,
    Split,
    Transpose,
    Tuple,
    Zip,
)
from ir.core.sizes import Size, divide_exactly, power, size
from ir.core.types import ArrayType, TupleType
from ir.cost.thresholds.partition import OPERANDS_TAKEN_APART_AT_MOST
from ir.rewrite.rule import Label, rule
from ir.rules.common import divides, element, fresh_size, is_monoid, length, neutral, parts_of, zip_of

__all__ = ["in_columns", "mapped_by"]


@rule(source="semantics of reduce, ICFP'15 fig. 9")
def reduce_elements(e: Reduce) -> Expr | None:
    """reduce f z xs  ->  repeat 1 (f (.. (f (f z (element 0 xs)) (element 1 xs)) ..))      for few elements"""
    match e:
        case Reduce(Lambda() as f, z, xs, how) if how == REDUCE:
            count = length(xs).value
            if count is not None and 1 <= count <= OPERANDS_TAKEN_APART_AT_MOST:
                return Repeat(1, functools.reduce(lambda value, i: f(value, Element(i, xs)), range(count), z))
    return None


@rule(source="semantics of split and join")
def reduce_in_one_row(e: Reduce) -> Expr | None:
    """reduce f z xs  ->  join (map (reduce f z) (split n xs))      where n is the length of xs: there is one row"""
    match e:
        case Reduce(f, z, xs, how) if how == REDUCE and length(xs).value != 0:
            whole = Split(length(xs), xs)
            return Join(Map(fun(element(whole), lambda row: Reduce(f, z, row)), whole))
    return None


@rule(Label.FINITE_ONLY, "z is the neutral element of f")
def reduce_from_first(e: Reduce) -> Expr | None:
    """reduce f z (concat(xs, ys, ..))  ->  map (λp. f (f p.0 p.1) ..) (zip(xs, ys, ..))      for arrays of one element

    A reduction of one element is that element.
    """
    match e:
        case Reduce(Lambda() as f, z, xs, how) if how == REDUCE and is_monoid(f, z):
            parts = xs.operands if isinstance(xs, Concat) else (xs,)
            if any(length(part).value != 1 for part in parts):
                return None
            rows = zip_of(parts)
            combine = fun(element(rows), lambda p: functools.reduce(f, parts_of(p, len(parts))))
            return Map(combine, rows) if len(parts) > 1 else xs
    return None


@rule(Label.REASSOCIATING, "associativity: f c (f z x) = f c x")
def reduce_before_start(e: Reduce) -> Expr | None:
    """reduce f c  ->  map (f c) ∘ reduce f z"""
    match e:
        case Reduce(Lambda() as f, c, xs, how) if how == REDUCE:
            z = neutral(f)
            return None if z is None or c is z else Map(fun(element(xs), lambda x: f(c, x)), Reduce(f, z, xs))
    return None


@rule(Label.REASSOCIATING, "ICFP'15 fig. 6d")
def reduce_to_parts(e: Reduce, *, parts: Size | int) -> Expr | None:
    """reduce f z  ->  reduce f z ∘ reducePart f z n"""
    match e:
        case Reduce(f, z, xs, how) if how == REDUCE and divides(parts, length(xs)) and is_monoid(f, z):
            return Reduce(f, z, ReducePart(f, z, parts, xs))
    return None


@rule(Label.EXACT, "ICFP'15 fig. 6d")
def part_to_reduce(e: ReducePart) -> Expr | None:
    """reducePart f z 1  ->  reduce f z"""
    match e:
        case ReducePart(f, z, parts, xs) if parts.value == 1:
            return Reduce(f, z, xs)
    return None


@rule(Label.REORDERING, "ICFP'15 fig. 6d")
def part_reorder(e: ReducePart) -> Expr | None:
    """reducePart f z n  ->  reducePart f z n ∘ reorder"""
    match e:
        case ReducePart(f, z, parts, xs) if is_monoid(f, z) and not isinstance(xs, Reorder):
            return ReducePart(f, z, parts, Reorder(xs))
    return None


@rule(Label.REASSOCIATING, "ICFP'15 fig. 6d")
def part_iterate(e: ReducePart, *, factor: int, count: int) -> Expr | None:
    """reducePart_(I**k) f z n  ->  iterate k (reducePart_I f z)"""
    match e:
        case ReducePart(f, z, parts, xs) if is_monoid(f, z) and length(xs) is power(size(factor), size(count)) * parts:
            if factor < 1 or length(xs).value == 0:
                return None  # an empty array does not say how often it can be halved
            m = fresh_size(e, e.level + 1)
            step = fun(ArrayType(element(xs), m * factor), lambda ys: ReducePart(f, z, m, ys))
            return Iterate(count, m, step, xs)
    return None


@rule(Label.EXACT, "ICFP'15 fig. 6d")
def part_split(e: ReducePart, *, parts: Size | int) -> Expr | None:
    """reducePart_I f z (J*K)  ->  join ∘ map (reducePart f z J) ∘ split (I*J)"""
    match e:
        case ReducePart(f, z, total, xs) if divides(parts, total):
            each = _quotient(length(xs), total) * parts
            if each.value == 0:
                return None  # an empty array does not say how many chunks it has
            chunks = Split(each, xs)
            return Join(Map(fun(element(chunks), lambda chunk: ReducePart(f, z, parts, chunk)), chunks))
    return None


def _quotient(total: Size, n: Size) -> Size:
    quotient = size(1) if total is n else divide_exactly(total, n)
    assert quotient is not None  # the pattern's own typing rule
    return quotient


@rule(Label.REASSOCIATING, "ICFP'15 fig. 6d over a tuple of accumulators, and 6f")
def reduce_interleave(e: Reduce, *, ways: int) -> Expr | None:
    """reduce f z ∘ map g  ->  map (λt. f(t.0, f(t.1, ...))) ∘ reduceSeq (λ(t, r). (f(t.0, g r.0), ...)) (z, ...) ∘
    zip of columns

    The columns are those of `split u`: u independent accumulators walk the array in lockstep, so that no operation
    waits for the one before. Without a map, g is the identity.
    """
    match e:
        case Reduce(Lambda() as f, z, xs, how) if (
            how == REDUCE and ways > 1 and divides(ways, length(xs)) and is_monoid(f, z)
        ):
            g, rows = in_columns(xs, ways)
            many = TupleType((element(xs),) * ways)
            step = fun((many, element(rows)), lambda t, r: Tuple(*(f(Get(i, t), g(Get(i, r))) for i in range(ways))))

            def combine(t: Expr) -> Expr:
                result: Expr = Get(ways - 1, t)
                for i in reversed(range(ways - 1)):
                    result = f(Get(i, t), result)
                return result

            return Map(fun(many, combine), Reduce(step, Tuple(*(z,) * ways), rows, REDUCE_SEQ))
    return None


def in_columns(xs: Expr, ways: int) -> tuple[Lambda, Expr]:
    """The function of a map, and what it maps, as a zip of so many columns; without a map the identity, and the array
    itself.
    """
    g, ys = mapped_by(xs)
    return g, Zip(*(Element(i, Transpose(Split(ways, ys))) for i in range(ways)))


def mapped_by(xs: Expr) -> tuple[Lambda, Expr]:
    """The function of a map, and what it maps; without a map the identity, and the array itself."""
    if isinstance(xs, Map) and xs.how == MAP and isinstance(xs.f, Lambda):
        return xs.f, xs.xs
    return identity(element(xs)), xs


@rule(Label.EXACT, "ICFP'15 fig. 6d, read from right to left")
def reduce_to_part(e: Reduce) -> Expr | None:
    """reduce f z  ->  reducePart f z 1"""
    match e:
        case Reduce(f, z, xs, how) if how == REDUCE:
            return ReducePart(f, z, 1, xs)
    return None


@rule(Label.EXACT, "map-of-reduce and reduce-of-map, thesis ch. 5")
def reduce_of_maps(e: Reduce) -> Expr | None:
    """reduce (λ(as, xs). map f (zip(as, xs))) zs
    ->  split m ∘ join ∘ map (λ(z, xs). reduce f z xs) ∘ zip(zs, .) ∘ transpose
    """
    match e:
        case Reduce(Lambda() as rows, zs, xss, how) if how == REDUCE and isinstance(zs.type, ArrayType):
            (acc, row), body = rows.open()
            match body:
                case Map(Lambda() as f, Zip(operands=(left, right)), inner) if inner == MAP and not f.loose:
                    if (left, right) == (acc, row):
                        return _columns(f, zs, xss)
    return None


def _columns(f: Lambda, zs: Expr, xss: Expr) -> Expr:
    pairs = Zip(zs, Transpose(xss))
    t = element(zs)

    def column(pair: Expr) -> Expr:
        return Reduce(fun((t, t), lambda a, x: f(Tuple(a, x))), Get(0, pair), Get(1, pair))

    return Split(length(zs), Join(Map(fun(element(pairs), column), pairs)))
