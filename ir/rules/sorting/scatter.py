"""Scatters: what reads comes into the key, and the work is shared out by places or by values."""

from __future__ import annotations

from ir.core.expr import Expr, Lambda, close, fun
from ir.core.nodes.scatters import adds_integers
from ir.core.patterns import (
    MAP,
    REDUCE_SEQ,
    SCATTER,
    SCATTER_LOCAL,
    SCATTER_SEQ,
    Call,
    Cast,
    Concat,
    FromSize,
    Generate,
    Get,
    Head,
    Join,
    Literal,
    Map,
    Reduce,
    Repeat,
    Scatter,
    Split,
    Transpose,
    Tuple,
    Zip,
)
from ir.core.sizes import Size, is_le, size
from ir.core.types import INT32, INT64, ScalarType, TupleType
from ir.rewrite.rule import Context, Label, rule
from ir.rules.common import components, compose, divides, element, length, neutral, rows_of, within
from ir.rules.layout.ragged import cut
from ir.rules.opencl.lowering import allows_warp

__all__: list[str] = []


@rule(source="ICFP'15 fig. 6f, for scatter")
def scatter_fusion(e: Scatter) -> Expr | None:
    """scatter f key xs ∘ map g  ->  scatter f (key ∘ g) xs"""
    match e:
        case Scatter(f, Lambda() as key, xs, Map(Lambda() as g, ys, inner), how) if inner == MAP:
            return Scatter(f, compose(key, g), xs, ys, how)
    return None


@rule(source="ICFP'15 fig. 7b, for scatter")
def scatter_to_seq(e: Scatter) -> Expr | None:
    """scatter f key xs  ->  scatterSeq f key xs"""
    match e:
        case Scatter(f, key, xs, ys, how) if how == SCATTER:
            return Scatter(f, key, xs, ys, SCATTER_SEQ)
    return None


@rule(source="semantics of scatter: sums of integers, which wrap, are the same in any order")
def scatter_to_local(e: Scatter, context: Context) -> Expr | None:
    """scatter f key xs  ->  scatterLocal f key xs      in a work-group, where f adds integers of 32 or 64 bits"""
    match e:
        case Scatter(f, key, xs, ys, how) if how == SCATTER and adds_integers(f) and allows_warp(context):
            return Scatter(f, key, xs, ys, SCATTER_LOCAL)
    return None


@rule(source="semantics of scatter and head: what is in further places is left out")
def scatter_pad(e: Scatter, *, count: Size | int) -> Expr | None:
    """scatter f key (repeat n z) ys  ->  head n (scatter f key (repeat (n + m) z) ys)"""
    match e:
        case Scatter(f, key, Repeat(n, z), ys, how) if how == SCATTER and is_le(0, size(count)):
            return Head(n, Scatter(f, key, Repeat(n + count, z), ys))
    return None


def _shifted(key: Lambda, start: Expr) -> Lambda:
    """The key of an array that lacks the elements before `start`, which says the type of the index.

    An index below zero that wraps around when the start is taken from it is no index of the rest: that is too short.
    """
    t = start.type
    assert isinstance(t, ScalarType)

    def body(y: Expr) -> Expr:
        pair = key(y)
        index = Get(0, pair) if not isinstance(pair, Tuple) else pair.operands[0]
        value = Get(1, pair) if not isinstance(pair, Tuple) else pair.operands[1]
        return Tuple(Call("subtract", index if index.type is t else Cast(index, t), start), value)

    return fun(key.types, body)


def _index_type(key: Lambda, n: Size) -> ScalarType:
    """A type for the indices of an array of that length: int32 where the key gives such and they are enough."""
    assert isinstance(key.result, TupleType)
    return INT32 if key.result.elements[0] is INT32 and is_le(n, 2**31 - 1) else INT64


@rule(source="semantics of scatter: an index outside is left out")
def scatter_partition(e: Scatter, *, at: Size | int) -> Expr | None:
    """scatter f key xs ys -> concat(scatter f key (slice 0 1 m xs) ys, scatter f (key - m) (slice m 1 (n-m) xs) ys)"""
    match e:
        case Scatter(f, Lambda() as key, xs, ys, how) if how == SCATTER and within(at, length(xs)):
            first, rest = cut(xs, at)
            shifted = _shifted(key, FromSize(at, _index_type(key, length(xs))))
            return Concat(Scatter(f, key, first, ys), Scatter(f, shifted, rest, ys))
    return None


@rule(source="semantics of scatter: an index outside is left out")
def scatter_split(e: Scatter, *, n: Size | int) -> Expr | None:
    """scatter f key xs ys  ->  join (map (λ(c, s). scatter f (key - s) c ys) (zip(split n xs, generate (λi. n * i))))

    Each chunk of the array looks at all values, and takes those that it has a place for.
    """
    match e:
        case Scatter(f, Lambda() as key, xs, ys, how) if how == SCATTER and divides(n, length(xs)):
            t = _index_type(key, length(xs))
            chunks = Split(n, xs)
            starts = Generate(length(chunks), fun(t, lambda i: Call("multiply", i, FromSize(n, t))))
            pairs = Zip(chunks, starts)
            part = fun(element(pairs), lambda p: Scatter(f, _shifted(key, Get(1, p)), Get(0, p), ys))
            return Join(Map(part, pairs))
    return None


@rule(Label.REASSOCIATING, "ICFP'15 fig. 6d, for scatter")
def scatter_of_rows(e: Scatter) -> Expr | None:
    """scatter f key xs (concat(join yss, zs))  ->  join (map (λ(x, c). reduce f x c) (zip(xs, transpose (concat(map g
    yss, map g (repeat 1 zs))))))      also without zs

    Where f is a monoid with neutral element z and `g = scatter f key (repeat n z)`: each row of values, and the rest,
    goes to an array of its own, and these are combined.
    """
    match e:
        case Scatter(f, Lambda() as key, xs, ys, how) if how == SCATTER:
            z, found = neutral(f), rows_of(ys)
            if z is None or found is None:
                return None
            rows, rest = found
            empty = Repeat(length(xs), z)

            def apart(yss: Expr) -> Expr:
                return Map(fun(element(yss), lambda row: Scatter(f, key, empty, row)), yss)

            own = apart(rows) if rest is None else Concat(apart(rows), apart(Repeat(1, rest)))
            pairs = Zip(xs, Transpose(own))
            return Join(Map(fun(element(pairs), lambda p: Reduce(f, Get(0, p), Get(1, p))), pairs))
    return None


@rule(source="semantics of scatter: values are combined in their order")
def scatter_in_order(e: Scatter, *, at: Size | int) -> Expr | None:
    """scatter f key xs ys  ->  scatter f key (scatter f key xs (slice 0 1 m ys)) (slice m 1 (n-m) ys)"""
    match e:
        case Scatter(f, key, xs, ys, how) if how == SCATTER and within(at, length(ys)):
            first, rest = cut(ys, at)
            return Scatter(f, key, Scatter(f, key, xs, first), rest)
    return None


@rule(source="semantics of scatter: values are combined in their order")
def scatter_in_chunks(e: Scatter, *, n: Size | int) -> Expr | None:
    """scatter f key xs ys  ->  join (reduceSeq (λ(a, c). scatter f key a c) xs (split n ys))"""
    match e:
        case Scatter(f, key, xs, ys, how) if how == SCATTER and divides(n, length(ys)) and not (f.loose or key.loose):
            chunks = Split(n, ys)
            turn = fun((xs.type, element(chunks)), lambda a, c: Scatter(f, key, a, c))
            return Join(Reduce(turn, xs, chunks, REDUCE_SEQ))
    return None


@rule(source="ICFP'15 fig. 6f, for scatter, read from right to left")
def scatter_indices_apart(e: Scatter) -> Expr | None:
    """scatter f (λy. (i, v)) xs ys  ->  scatter f (λ(i, y). (i, v)) xs (zip(map (λy. i) ys, ys))"""
    match e:
        case Scatter(f, Lambda() as key, xs, ys, how) if how == SCATTER:

            def part(which: int, y: Expr) -> Expr:
                pair = key(y)
                return pair.operands[which] if isinstance(pair, Tuple) else Get(which, pair)

            pairs = Zip(Map(fun(key.types, lambda y: part(0, y)), ys), ys)
            named = fun(element(pairs), lambda p: Tuple(Get(0, p), part(1, Get(1, p))))
            return Scatter(f, named, xs, pairs, how)
    return None


@rule(source="semantics of map and scatter: rows lie one after the other")
def scatter_out_of_rows(e: Map) -> Expr | None:
    """map (λx. scatter f k (g x) (h x)) xs -> split n (scatter f (n*i + k) (join (map g xs)) (zip(i, join (map h xs))))

    Where `i` are the numbers of the rows, `join (map (repeat m) (generate r (λi. i)))`, f and k do not use x, and an
    index that is outside of its row of n places is outside of all.
    """
    match e:
        case Map(Lambda() as rows, xs, how) if how == MAP:
            (x,), body = rows.open()
            match body:
                case Scatter(Lambda() as f, Lambda() as key, places, ys, inner) if inner == SCATTER:
                    n, t = length(places), _index_type(key, length(places) * length(xs))
                    if n.value == 0 or f.loose or key.loose:
                        return None

                    def one_after_the_other(part: Expr) -> Expr:
                        if part is x:
                            return Join(xs)
                        return Join(Map(close((x,), part), xs) if part.loose else Repeat(length(xs), part))

                    numbers = Generate(length(xs), fun(t, lambda i: i))
                    row = Join(Map(fun(t, lambda i: Repeat(length(ys), i)), numbers))
                    values = [one_after_the_other(part) for part in components(ys)]

                    def named(p: Expr) -> Expr:
                        parts = [Get(1 + i, p) for i in range(len(values))]
                        return _in_row(key, Tuple(*parts) if isinstance(ys, Zip) else parts[0], Get(0, p), n)

                    numbered = Zip(row, *values)
                    joined = fun(element(numbered), named)
                    return Split(n, Scatter(f, joined, one_after_the_other(places), numbered))
    return None


def _in_row(key: Lambda, y: Expr, row: Expr, n: Size) -> Expr:
    """What the key gives, the index being one of all rows of n places; -1 where it is none of the row's."""
    pair, t = key(y), row.type
    assert isinstance(t, ScalarType)
    index, value = pair.operands if isinstance(pair, Tuple) else (Get(0, pair), Get(1, pair))
    index, count = index if index.type is t else Cast(index, t), FromSize(n, t)
    below, above = Call("less", index, Literal(0, t)), Call("greater_equal", index, count)
    place = Call("add", Call("multiply", row, count), index)
    return Tuple(Call("select", Call("bitwise_or", below, above), Literal(-1, t), place), value)
