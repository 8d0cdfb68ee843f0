"""Rules on scans by the work-items of a group: block after block, the last one filled up, and by doubling distances
(Hillis and Steele, "Data parallel algorithms", 1986); and on scans whose readers each reduce what comes before them.
"""

from __future__ import annotations

from typing import cast

from ir.core.expr import Expr, Lambda, fun, identity
from ir.core.patterns import (
    MAP,
    REDUCE,
    REDUCE_SEQ_UNROLL,
    SCAN,
    SCAN_MAP_SEQ,
    Call,
    Concat,
    Element,
    Generate,
    Get,
    Head,
    Join,
    Literal,
    Map,
    Memory,
    Reduce,
    Repeat,
    Scan,
    ScanLane,
    Slice,
    Split,
    Tuple,
    Zip,
    map_local,
)
from ir.core.signature import LANES
from ir.core.sizes import LIMIT_32, Size, is_le, size
from ir.core.types import INT32, INT64
from ir.rewrite.rule import Context, Label, is_kept, rule
from ir.rules.common import divides, element, is_monoid, is_scalar_like, length, neutral, where
from ir.rules.compensation import adds_floats, compensated, corrected, no_corrections, sums_of
from ir.rules.layout.ragged import zero_of
from ir.rules.opencl.lowering import allows_local, allows_warp

__all__: list[str] = []


@rule(Label.REASSOCIATING, "associativity: f (f c z) x = f c (f z x)")
def scan_before_carry(e: Scan) -> Expr | None:
    """scan f c  ->  map (f c) ∘ scan f z"""
    match e:
        case Scan(Lambda() as f, c, xs, how) if how == SCAN:
            z = neutral(f)
            return None if z is None or c is z else Map(fun(element(xs), lambda x: f(c, x)), Scan(f, z, xs))
    return None


@rule(Label.REASSOCIATING, "Blelloch 1990, sec. 1.3, one part after the other")
def scan_in_turns(e: Scan, *, n: Size | int) -> Expr | None:
    """scan f c xs  ->  join (scanMapSeq (λ(a, ys). let zs = scan f z ys in (element 0 (reduce f a (last zs)), map (f a)
    zs)) c (split n xs)) where last zs is the array of the last one; a map below the scan stays below it

    A part is scanned where all before it are known. Sums of floats carry along what rounding took from them.
    """
    match e:
        case Scan(Lambda() as f, c, operand, how) if (
            how == SCAN and is_le(1, size(n)) and divides(n, length(operand)) and neutral(f) is not None
        ):
            z, exact = neutral(f), no_corrections(f.types[0], sums_of(f)) if adds_floats(f) else None
            step, value = (compensated(f), corrected(f)) if exact else (f, None)
            mapped = operand if isinstance(operand, Map) and operand.how == MAP else None
            parts = Split(n, mapped.xs if mapped else operand)
            assert z is not None

            def turn(a: Expr, ys: Expr) -> Expr:
                zs = Scan(f, z, Map(mapped.f, ys) if mapped else ys)
                last: Expr = Slice(size(n) - 1, 1, 1, zs)
                if exact:
                    last = Map(fun(element(last), lambda x: Tuple(x, exact)), last)
                carry = value(a) if value else a
                return Tuple(Element(0, Reduce(step, a, last)), Map(fun(element(zs), lambda x: f(carry, x)), zs))

            first = Tuple(c, exact) if exact else c
            return Join(Scan(fun((first.type, element(parts)), turn), first, parts, SCAN_MAP_SEQ))
    return None


@rule(Label.REASSOCIATING, "Hillis and Steele 1986; ICFP'15 fig. 7d")
def scan_by_doubling(e: Scan, context: Context) -> Expr | None:
    """scan f z (concat(repeat 1 z, ys))  ->  zs_k, for n elements, 2^k of them or fewer, zs_0 = concat(repeat 1 z, ys),
    zs_(i+1) = toLocal (mapLocal f (zip(concat(repeat d z, slice 0 1 (n - d) zs_i), zs_i))), d = 2^i

    In a work-group, one work-item for each element.
    """
    match e:
        case Scan(Lambda() as f, c, Concat(operands=(Repeat(count, z), _)) as xs, how) if (
            how == SCAN and is_scalar_like(z.type) and c is z and z is neutral(f) and count is size(1)
        ):
            n, d, zs = length(xs).value, 1, cast("Expr", xs)
            if n is None or not allows_local(context, 0) or is_kept(context):
                return None
            while d < n:
                pairs = Zip(Concat(Repeat(d, z), Slice(0, 1, n - d, zs)), zs)
                zs = Memory("local", Map(fun(element(pairs), lambda p: f(Get(0, p), Get(1, p))), pairs, map_local(0)))
                d *= 2
            return zs
    return None


@rule(Label.REASSOCIATING, "Hillis and Steele 1986 in the lanes of a warp; PTX ISA, shfl.sync")
def scan_by_lanes(e: Scan, context: Context) -> Expr | None:
    """scan f z (concat(repeat 1 z, ys))  ->  toLocal (mapLocal (λ(i, x). f (element 0 (toPrivate (reduceSeqUnroll (λ(a,
    (j, s)). f a (select(32 * (j + 1) <= i, s, z))) z (zip(generate (n / 32 - 1) id, slice 31 32 (n / 32 - 1) xs))))) x)
    (zip(generate n id, xs))) where xs = toLocal (scanLane f z (concat(repeat 1 z, ys)))

    For n elements, in a work-group of as many work-items. Each folds the sums of the warps before its own, those of
    floats with corrections.
    """
    match e:
        case Scan(Lambda() as f, c, Concat(operands=(Repeat(count, z), _)) as xs, how) if (
            how == SCAN and is_scalar_like(z.type) and c is z and z is neutral(f) and count is size(1)
        ):
            n = length(xs).value
            if not n or n % LANES or not allows_warp(context) or is_kept(context):
                return None
            scanned, others = Memory("local", ScanLane(f, z, xs)), n // LANES - 1
            return Memory("local", _with_warps_before(f, z, scanned, others)) if others else scanned
    return None


def _with_warps_before(f: Lambda, z: Expr, xs: Expr, others: int) -> Expr:
    """The elements of warps, each combined with the last ones of the warps before its own, which may be so many."""
    numbered, exact = identity(INT32), no_corrections(z.type, sums_of(f)) if adds_floats(f) else None
    combine = compensated(f) if exact else f
    sums = Zip(Generate(others, numbered), Slice(LANES - 1, LANES, others, xs))
    places = Zip(Generate(length(xs), numbered), xs)
    start = Tuple(z, exact) if exact else z

    def combined(place: Expr) -> Expr:
        def step(a: Expr, last: Expr) -> Expr:
            behind = Call("multiply", Call("add", Get(0, last), Literal(1, INT32)), Literal(LANES, INT32))
            chosen = where(Call("less_equal", behind, Get(0, place)), Get(1, last), z)
            return combine(a, Tuple(chosen, exact) if exact else chosen)

        folded = Reduce(fun((start.type, element(sums)), step), start, sums, REDUCE_SEQ_UNROLL)
        before = Element(0, Memory("private", folded))
        return f(corrected(f)(before) if exact else before, Get(1, place))

    return Map(fun(element(places), combined), places, map_local(0))


@rule(Label.REASSOCIATING, "PTX ISA, shfl.sync")
def reduce_by_lanes(e: Reduce, context: Context) -> Expr | None:
    """reduce f z xs  ->  reduce f z (slice 31 32 (n / 32) (toLocal (scanLane f z xs)))

    For n elements, in a work-group of as many work-items; the last lane of each warp has what the warp combines.
    """
    match e:
        case Reduce(Lambda() as f, z, xs, how) if how == REDUCE and is_scalar_like(z.type) and is_monoid(f, z):
            n = length(xs).value
            if n and n % LANES == 0 and allows_warp(context) and not is_kept(context):
                scanned = Memory("local", ScanLane(f, z, xs))
                return Reduce(f, z, Slice(LANES - 1, LANES, n // LANES, scanned))
    return None


@rule(Label.REASSOCIATING, "semantics of reduce and scan")
def scan_by_reductions(e: Scan, *, count: Size | int) -> Expr | None:
    """scan f c (concat(repeat 1 z, ys))  ->  map (λ(i, ys). f c (element 0 (reduce f z (map (λ(j, y). select(j < i, y,
    z)) (zip(generate (n + m) id, concat(ys, repeat m z))))))) (zip(generate (n + 1) id, repeat (n + 1) ys))

    For n elements ys, whose end m more are put behind; without f c where c is z. Where few come before, whoever reads
    an element reduces them himself, and need not wait for one who scans.
    """
    match e:
        case Scan(Lambda() as f, c, Concat(operands=(Repeat(first, z), ys)), how) if (
            how == SCAN and is_scalar_like(z.type) and z is neutral(f) and first is size(1) and is_le(0, size(count))
        ):
            n, t = length(ys), INT32 if is_le(length(ys) + count, LIMIT_32) else INT64
            places = Zip(Generate(n + 1, identity(t)), Repeat(n + 1, ys))

            def before(place: Expr) -> Expr:
                i, those = Get(0, place), Get(1, place)
                filled = those if size(count) is size(0) else Concat(those, Repeat(count, z))
                numbered = Zip(Generate(n + count, identity(t)), filled)
                kept = fun(element(numbered), lambda p: where(Call("less", Get(0, p), i), Get(1, p), z))
                found = Element(0, Reduce(f, z, Map(kept, numbered)))
                return found if c is z else f(c, found)

            return Map(fun(element(places), before), places)
    return None


@rule(Label.EXACT, "semantics of concat and head")
def scan_pad(e: Scan, *, count: Size | int) -> Expr | None:
    """scan f c xs  ->  head n (scan f c (concat(xs, repeat m 0)))      for n elements, or for maps of that many"""
    match e:
        case Scan(f, c, xs, how) if how == SCAN and is_le(size(0), size(count)):
            padded = _padded(xs, count)
            return None if padded is None else Head(length(xs), Scan(f, c, padded))
    return None


def _padded(xs: Expr, count: Size | int) -> Expr | None:
    """An array, or a map of one, with so many elements more."""
    match xs:
        case Map(f, ys, how) if how == MAP:
            inner = _padded(ys, count)
            return None if inner is None else Map(f, inner)
    zero = zero_of(element(xs))
    return None if zero is None else Concat(xs, Repeat(count, zero))
