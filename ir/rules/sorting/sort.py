"""Rules on sorts: by digits, the least significant one first (Knuth, "Sorting and searching", algorithm R), each by
counting (algorithm D); few elements by comparing each with all others.

`exclusive h` stands for `concat(repeat 1 0, slice 0 1 (n-1) (scan (+) 0 h))`: what all before each add up to.
"""

from __future__ import annotations

from ir.core.expr import Expr, Lambda, fun, identity, substitute
from ir.core.nodes.sorts import MOST_RANKED_BITS
from ir.core.patterns import (
    MAP,
    Call,
    Cast,
    Concat,
    Element,
    Generate,
    Get,
    Join,
    Literal,
    Map,
    Permute,
    RankRunsSeq,
    RankSeq,
    Reduce,
    Repeat,
    Scan,
    Scatter,
    Slice,
    Sort,
    Split,
    Transpose,
    Tuple,
    Zip,
)
from ir.core.sizes import Size, is_le, size
from ir.core.types import INT32, INT64, ScalarType
from ir.rewrite.rule import rule
from ir.rules.common import compose, element, length, rows_of

__all__: list[str] = []


@rule(source="ICFP'15 fig. 6f, for sort")
def sort_fusion(e: Sort) -> Expr | None:
    """sort b key ∘ map g  ->  sort b (key ∘ g)"""
    match e:
        case Sort(bits, Lambda() as key, Map(Lambda() as g, xs, how)) if how == MAP:
            return Sort(bits, compose(key, g), xs)
    return None


@rule(source="ICFP'15 fig. 6f, for sort")
def map_sort_fusion(e: Map) -> Expr | None:
    """map h ∘ sort b (λx. (k, v))  ->  sort b (λx. (k, h v))"""
    match e:
        case Map(Lambda() as h, Sort(bits, Lambda() as key, xs), how) if how == MAP:

            def body(x: Expr) -> Expr:
                k, v = _parts(key(x))
                return Tuple(k, h(v))

            return Sort(bits, fun(key.types, body), xs)
    return None


def _parts(pair: Expr) -> tuple[Expr, Expr]:
    return (pair.operands[0], pair.operands[1]) if isinstance(pair, Tuple) else (Get(0, pair), Get(1, pair))


@rule(source="Knuth 1998, 5.2.5 R: stable sorts by the digits of a key")
def sort_by_digits(e: Expr, *, n: Size | int) -> Expr | None:
    """sort b (λx. (k, v))  ->  sort (b-d) (λx. (right_shift(k, d), v)) ∘ sort d (λx. (k, x))      for 0 < d < b"""
    digit = size(n).value
    match e:
        case Sort(bits, Lambda() as key, xs) if digit is not None and 0 < digit < bits:

            def rest(x: Expr) -> Expr:
                k, v = _parts(key(x))
                return Tuple(_shifted(k, digit), v)

            first = fun(key.types, lambda x: Tuple(_parts(key(x))[0], x))
            return Sort(bits - digit, fun(key.types, rest), Sort(digit, first, xs))
    return None


def _shifted(key: Expr, digit: int) -> Expr:
    """A key without its lowest bits, also of one that lacks some already."""
    t = key.type
    assert isinstance(t, ScalarType)
    match key:
        case Call(op="right_shift", operands=(whole, Literal() as before)):
            return Call("right_shift", whole, Literal(int(before.value) + digit, t))
    return Call("right_shift", key, Literal(digit, t))


@rule(source="map fission: ICFP'15 fig. 6f, read from right to left")
def sort_out_of_map(e: Map) -> Expr | None:
    """map (λx. sort b f (g x)) xs  ->  map (λx. sort b f x) (map g xs)      where g sorts or computes"""
    match e:
        case Map(Lambda() as rows, xs, how) if how == MAP:
            (x,), body = rows.open()
            match body:
                case Sort(bits, Lambda() as key, (Sort() | Map()) as inner) if not key.loose:
                    first = Map(fun(x.type, lambda row: substitute(inner, {x: row})), xs)
                    return Map(fun(element(first), lambda row: Sort(bits, key, row)), first)
    return None


def _count_type(n: Size) -> ScalarType:
    """A type for the places of an array of that length."""
    return INT32 if is_le(n, 2**31 - 1) else INT64


def _histogram(bits: int, key: Lambda, t: ScalarType, xs: Expr) -> Expr:
    """How many elements there are of each key."""
    zero, one = Literal(0, t), Literal(1, t)

    def place(x: Expr) -> Expr:
        return Tuple(Cast(_low(_parts(key(x))[0], bits), t), one)

    add = fun((t, t), lambda a, b: Call("add", a, b))
    return Scatter(add, fun(key.types, place), Repeat(1 << bits, zero), xs)


def _low(key: Expr, bits: int) -> Expr:
    """The lowest bits of a key."""
    t = key.type
    assert isinstance(t, ScalarType)
    return key if bits == 8 * t.bytes else Call("bitwise_and", key, Literal((1 << bits) - 1, t))


def _exclusive(counts: Expr) -> Expr:
    """What all counts before each add up to."""
    t = element(counts)
    assert isinstance(t, ScalarType)
    zero = Literal(0, t)
    sums = Scan(fun((t, t), lambda a, b: Call("add", a, b)), zero, counts)
    return Concat(Repeat(1, zero), Slice(0, 1, length(counts) - 1, sums))


@rule(source="Knuth 1998, 5.2 D: distribution counting, in parts")
def sort_of_rows(e: Sort) -> Expr | None:
    """sort b key (concat(join yss, zs))  ->  permute (concat(join (map rank (zip(slice 0 1 p ss, yss))), join (map rank
    (zip(slice p 1 1 ss, split r zs))))) where rank = λ(s, ys). rankSeq b key s ys, ss = transpose (split (p+1)
    (exclusive (join (transpose hs)))), hs = concat(map h yss, map h (repeat 1 zs)), h = scatter (+) (λx. (key x, 1))
    (repeat 2^b 0); also without zs

    A row's values of a key go behind those of the same key in the rows before it. It is one equation: where a value
    belongs is known when the counts of all rows are there, so no part of the right side is sorted by itself.
    """
    match e:
        case Sort(bits, Lambda() as key, xs) if bits <= MOST_RANKED_BITS and not key.loose:
            found, t = rows_of(xs), _count_type(length(xs))
            if found is None or not is_le(1, length(found[0])):
                return None
            rows, rest = found

            def histograms(yss: Expr) -> Expr:
                return Map(fun(element(yss), lambda ys: _histogram(bits, key, t, ys)), yss)

            counts = histograms(rows) if rest is None else Concat(histograms(rows), histograms(Repeat(1, rest)))
            starts = Transpose(Split(length(counts), _exclusive(Join(Transpose(counts)))))

            def ranked(own: Expr, yss: Expr) -> Expr:
                pairs = Zip(own, yss)
                return Join(Map(fun(element(pairs), lambda p: RankSeq(bits, key, Get(0, p), Get(1, p))), pairs))

            if rest is None:
                return Permute(ranked(starts, rows))
            if length(rest).value == 0:
                return None
            p = length(rows)
            last = ranked(Slice(p, 1, 1, starts), Split(length(rest), rest))
            return Permute(Concat(ranked(Slice(0, 1, p, starts), rows), last))
    return None


@rule(source='Satish et al. 2010, "Fast sort on CPUs and GPUs", section 5.2.1: buffered scatter')
def rank_in_runs(e: Expr, *, n: Size | int) -> Expr | None:
    """rankSeq b key s xs  ->  rankRunsSeq b n key s xs      for n = 2, 4, 8, ...

    `rankRunsSeq` is not made of smaller patterns: `docs/derivation.md` says why.
    """
    run = size(n).value
    match e:
        case RankSeq(bits, key, starts, xs) if run is not None and run >= 2 and not isinstance(e, RankRunsSeq):
            return RankRunsSeq(bits, run, key, starts, xs) if run & (run - 1) == 0 else None
    return None


@rule(source="Knuth 1998, 5.2 D: distribution counting, of each row")
def sort_rows(e: Map) -> Expr | None:
    """map (λx. sort b key ys) xs  ->  map (λ(h, x). permute (rankSeq b key (exclusive h) ys)) (zip(hs, xs))
    where hs = map (λx. scatter (+) (λy. (key y, 1)) (repeat 2^b 0) ys) xs
    """
    match e:
        case Map(Lambda() as rows, xs, how) if how == MAP:
            (x,), body = rows.open()
            match body:
                case Sort(bits, Lambda() as key, ys) if bits <= MOST_RANKED_BITS and not key.loose:
                    t = _count_type(length(ys))
                    histograms = Map(fun(x.type, lambda row: _histogram(bits, key, t, substitute(ys, {x: row}))), xs)
                    pairs = Zip(histograms, xs)

                    def sorted_row(pair: Expr) -> Expr:
                        own = substitute(ys, {x: Get(1, pair)})
                        return Permute(RankSeq(bits, key, _exclusive(Get(0, pair)), own))

                    return Map(fun(element(pairs), sorted_row), pairs)
    return None


@rule(source="Knuth 1998, 5.2 C: comparison counting")
def sort_by_comparison(e: Sort) -> Expr | None:
    """sort b (λx. (k, v)) xs  ->  permute (map (λ(x, i). (the place of x, v)) (zip(xs, generate id))) where the place
    is element 0 (reduce (+) 0 (map (λ(y, j). 1 if y goes before x, else 0) (zip(xs, generate id))))

    y goes before x if its key is less, or the same and j < i.
    """
    match e:
        case Sort(bits, Lambda() as key, xs):
            t = _count_type(length(xs))
            zero, one = Literal(0, t), Literal(1, t)
            pairs = Zip(xs, Generate(length(xs), identity(t)))
            add = fun((t, t), lambda a, b: Call("add", a, b))

            def placed(pair: Expr) -> Expr:
                k, v = _parts(key(Get(0, pair)))
                own, i = _low(k, bits), Get(1, pair)

                def before(other: Expr) -> Expr:
                    k = _low(_parts(key(Get(0, other)))[0], bits)
                    first = Call("bitwise_and", Call("equal", k, own), Call("less", Get(1, other), i))
                    return Call("select", Call("bitwise_or", Call("less", k, own), first), one, zero)

                place = Element(0, Reduce(add, zero, Map(fun(element(pairs), before), pairs)))
                return Tuple(place, v)

            return Permute(Map(fun(element(pairs), placed), pairs))
    return None
