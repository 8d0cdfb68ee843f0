"""Scatters by sorting: values in the order of their places, so that each place looks for its own, by halving.

Sharing out the places lets each part look at all values; that is as much work as there are parts. A sort and a search
by halving are little more work than to go through the values once, and all of it is shared out.
"""

from __future__ import annotations

from ir.core.expr import Expr, Lambda, fun
from ir.core.patterns import (
    REDUCE_SEQ,
    SCATTER,
    Call,
    Cast,
    Concat,
    Element,
    FromSize,
    Gather,
    Generate,
    Get,
    Literal,
    Map,
    Reduce,
    Repeat,
    Scatter,
    Slice,
    Sort,
    Tuple,
    Zip,
)
from ir.core.sizes import is_le
from ir.core.types import INT32, INT64, ScalarType, scalar
from ir.rewrite.rule import Label, rule
from ir.rules.common import element, length, neutral

__all__: list[str] = []


@rule(source="semantics of scatter and sort: values for one place stay in their order")
def last_by_sorting(e: Scatter) -> Expr | None:
    """scatter (λ(a, b). b) key xs ys  ->  map (λ(k, x). v if i = k else x, where (i, v) = s[last k]) (zip(indices, xs))

    Where `s = sort key ys`, and `last k` is the last place whose index is not behind k: it is found by halving.
    """
    match e:
        case Scatter(Lambda() as f, Lambda(), xs, _, how) if how == SCATTER and _takes_last(f):
            found = _in_order(e)
            return None if found is None else _looked_up(f, xs, *found)
    return None


@rule(Label.REASSOCIATING, "Hillis and Steele 1986, for values of the same place")
def totals_by_sorting(e: Scatter) -> Expr | None:
    """scatter f key xs ys  ->  map (λ(k, x). f x v if i = k else x, where (i, v) = s[last k]) (zip(indices, xs))

    Where f is a monoid, `s = sort key ys` with each value combined with those before it that have the same place, over
    distances of 1, 2, 4 ..; and `last k` is the last place whose index is not behind k.
    """
    match e:
        case Scatter(Lambda() as f, Lambda(), xs, _, how) if how == SCATTER and neutral(f) is not None:
            found = _in_order(e)
            if found is None or element(found[1]) is not element(xs):
                return None
            indices, values = found
            return _looked_up(f, xs, indices, _combined(f, indices, values))
    return None


def _takes_last(f: Lambda) -> bool:
    (_, b), body = f.open()
    return body is b


def _in_order(e: Scatter) -> tuple[Expr, Expr] | None:
    """The indices and the values of a scatter of scalars in the order of the indices, those below zero behind all
    others; None where the lengths are not known, there is nothing, or indices cannot count the places.
    """
    key, xs, ys = e.key, e.xs, e.ys
    assert isinstance(key, Lambda)
    pair = key.result
    t, value = pair.elements  # type: ignore[attr-defined]  # a scatter's key gives a pair
    scalars = isinstance(value, ScalarType) and isinstance(element(xs), ScalarType)
    if not scalars or key.loose or not (length(xs).value and length(ys).value):
        return None
    if t is INT32 and not is_le(length(xs), 2**31):  # no index names what lies further
        return None
    unsigned = scalar("uint32" if t is INT32 else "uint64")

    def keyed(y: Expr) -> Expr:
        made = key(y)
        at, own = made.operands if isinstance(made, Tuple) else (Get(0, made), Get(1, made))
        return Tuple(Cast(at, unsigned), Tuple(at, own))

    ordered = Sort(unsigned.bytes * 8, fun(key.types, keyed), ys)
    first, second = (Map(fun(pair, lambda p, i=i: Get(i, p)), ordered) for i in (0, 1))
    return first, second


def _combined(f: Lambda, indices: Expr, values: Expr) -> Expr:
    """Each value combined with those before it that have the same index, which lie side by side."""
    m = length(values)

    def step(i: Expr, j: Expr, a: Expr, b: Expr) -> Expr:
        return Call("select", Call("equal", i, j), f(a, b), b)

    distance = 1
    while distance < (m.value or 0):
        rest = m - distance
        beside = Zip(*[Slice(start, 1, rest, x) for x in (indices, values) for start in (0, distance)])
        combined = Map(fun(element(beside), lambda p: step(*[Get(i, p) for i in range(4)])), beside)
        values = Concat(Slice(0, 1, distance, values), combined)
        distance *= 2
    return values


def _looked_up(f: Lambda, xs: Expr, indices: Expr, values: Expr) -> Expr:
    """The array with f of each element and the last value whose index is that element's, where there is one."""
    n, m, t = length(xs), length(indices), element(indices)
    assert isinstance(t, ScalarType)
    count_type = INT32 if is_le(m, 2**31 - 1) else INT64
    unsigned = scalar("uint32" if t is INT32 else "uint64")
    steps = (m.value or 0).bit_length()
    one, total = Literal(1, count_type), FromSize(m, count_type)

    def width(i: Expr) -> Expr:
        return Call("left_shift", one, Call("subtract", Literal(steps - 1, count_type), i))

    def at(array: Expr, place: Expr) -> Expr:
        return Element(0, Gather(array, Repeat(1, place)))

    def body(k: Expr, x: Expr) -> Expr:
        def step(found: Expr, more: Expr) -> Expr:
            left = Call("subtract", total, found)
            ahead = Call("add", found, Call("minimum", more, left))
            before = Cast(at(indices, Call("subtract", ahead, one)), unsigned)
            fits = Call("bitwise_and", Call("less_equal", more, left), Call("less_equal", before, Cast(k, unsigned)))
            return Call("select", fits, ahead, found)

        widths = Generate(steps, fun(count_type, width))
        until = Reduce(fun((count_type, count_type), step), Literal(0, count_type), widths, REDUCE_SEQ)
        last = Call("subtract", Element(0, until), one)
        return Call("select", Call("equal", at(indices, last), k), f(x, at(values, last)), x)

    places = Zip(Generate(n, fun(t, lambda i: i)), xs)
    return Map(fun(element(places), lambda p: body(Get(0, p), Get(1, p))), places)
