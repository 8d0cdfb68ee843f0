"""Rules on sorts: by digits, the least significant one first (Knuth, "Sorting and searching", algorithm R), each by
counting (algorithm D); by merging runs that are sorted already; few elements by comparing each with all others.

`exclusive h` stands for `concat(repeat 1 0, slice 0 1 (n-1) (scan (+) 0 h))`: what all before each add up to.
"""

from __future__ import annotations

from ir.core.expr import Expr, Lambda, fun, identity, substitute
from ir.core.nodes.sorts import MOST_RANKED_BITS
from ir.core.patterns import (
    MAP,
    REDUCE_SEQ,
    SCAN_MAP_SEQ,
    Call,
    Cast,
    Concat,
    Element,
    FromSize,
    Gather,
    Generate,
    Get,
    Head,
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
    SortRuns,
    Split,
    Transpose,
    Tuple,
    Zip,
)
from ir.core.sizes import Size, is_le, maximum, size
from ir.core.types import INT32, INT64, ScalarType
from ir.rewrite.rule import rule
from ir.rules.common import compose, element, is_scalar_like, length, rows_of, where
from ir.rules.layout.ragged import zero_of

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

                place: Expr = Element(0, Reduce(add, zero, Map(fun(element(pairs), before), pairs)))
                return Tuple(place, v)

            return Permute(Map(fun(element(pairs), placed), pairs))
    return None


@rule(source="semantics of sort and repeat")
def sort_as_row(e: Sort) -> Expr | None:
    """sort b key xs  ->  join (map (λx. sort b key x) (repeat 1 xs))"""
    match e:
        case Sort(bits, Lambda() as key, xs) if not key.loose:
            return Join(Map(fun(xs.type, lambda row: Sort(bits, key, row)), Repeat(1, xs)))
    return None


@rule(source="semantics of sortRuns")
def runs_of_one(e: SortRuns) -> Expr | None:
    """sortRuns b 1 (λx. (k, v)) xs  ->  map (λx. v) xs"""
    match e:
        case SortRuns(_, 1, Lambda() as key, xs):
            return Map(fun(key.types, lambda x: _parts(key(x))[1]), xs)
    return None


@rule(source="Knuth 1998, 5.2.4: sorting by merging; Cormen et al. 2009, problem 27: each place found by bisection")
def merge_runs(e: Map, *, n: Size | int) -> Expr | None:
    """map (λx. sort b (λy. (k, v)) ys) xs  ->  map (λrs. permute (map (λ(r, i). (the place of r, v)) (zip(rs, generate
    id)))) (map (λx. sortRuns b n (λy. (k, y)) ys) xs); the same for sortRuns b m, of whose runs each has some of n
    for n = 1, 2, 4, .. and m = 2 n, 4 n, ..

    The place of r is where its run begins, what comes before it there and how many elements of each other run go before
    it: one of an earlier run if its key is not greater, one of a later run if it is less. Bisection counts them.
    """
    run = size(n).value
    match e:
        case Map(Lambda() as rows, xs, how) if how == MAP and run is not None and run > 0 and run & (run - 1) == 0:
            (x,), body = rows.open()
            if not isinstance(body, Sort | SortRuns) or not isinstance(body.key, Lambda) or body.key.loose:
                return None
            whole = body.run if isinstance(body, SortRuns) else None
            if whole is not None and (whole <= run or whole & (whole - 1)):
                return None
            key, bits, ys = body.key, body.bits, body.xs
            kept = fun(key.types, lambda y: Tuple(_parts(key(y))[0], y))
            first = Map(fun(x.type, lambda row: SortRuns(bits, run, kept, substitute(ys, {x: row}))), xs)
            return Map(fun(element(first), lambda row: _merged(bits, whole, run, key, row)), first)
    return None


@rule(source='Odeh et al. 2012, "Merge path: parallel merging made simple", algorithms 1 and 2')
def merge_in_shares(e: Map, *, n: Size | int, share: Size | int) -> Expr | None:
    """map (λx. sortRuns b 2n (λy. (k, v)) ys) xs  ->  map (λrs. head m (join (map (λi. scanMapSeq next (begin i)
    (generate id)) (generate id)))) (map (λx. sortRuns b n (λy. (k, y)) ys) xs)      for m elements in shares of s, n
    and s = 1, 2, 4, .. and s <= 2n; the same for a sort of 2n elements or fewer

    A share begins where bisection finds it: so many elements of the first run go before its first place, and the others
    before it come from the second run. From there on the next element is the lesser one of two, the first run's if the
    keys are equal.
    """
    run, count = size(n).value, size(share).value
    match e:
        case Map(Lambda() as rows, xs, how) if how == MAP and _is_power(run) and _is_power(count):
            (x,), body = rows.open()
            if not isinstance(body, Sort | SortRuns) or not isinstance(body.key, Lambda) or body.key.loose:
                return None
            assert run is not None and count is not None
            fits = body.run == 2 * run if isinstance(body, SortRuns) else is_le(length(body), 2 * run)
            key, bits, ys = body.key, body.bits, body.xs
            if not fits or count > 2 * run or not is_scalar_like(element(ys)):
                return None
            kept = fun(key.types, lambda y: Tuple(_parts(key(y))[0], y))
            first = Map(fun(x.type, lambda row: SortRuns(bits, run, kept, substitute(ys, {x: row}))), xs)
            return Map(fun(element(first), lambda row: _in_shares(bits, run, count, key, row)), first)
    return None


def _is_power(number: int | None) -> bool:
    return number is not None and number > 0 and number & (number - 1) == 0


def _in_shares(bits: int, run: int, share: int, key: Lambda, xs: Expr) -> Expr:
    """The values of an array whose runs of some length are sorted, each two of them merged, so many at a time."""
    n = length(xs)
    t = _count_type(n)
    zero, one, length_of_run, count = Literal(0, t), Literal(1, t), Literal(run, t), FromSize(n, t)
    widths = Generate(run.bit_length(), fun(t, lambda j: Call("right_shift", length_of_run, j)))

    def key_of(x: Expr) -> Expr:
        return _low(_parts(key(x))[0], bits)

    def at(index: Expr) -> Expr:
        return Element(0, Gather(xs, Repeat(1, index)))

    def merged(number: Expr) -> Expr:
        place = Call("multiply", number, Literal(share, t))
        first = Call("bitwise_and", place, Literal(-2 * run, t))
        second = Call("add", first, length_of_run)
        before = Call("subtract", place, first)  # so many places of the two runs are before the share
        there = Call("minimum", length_of_run, Call("subtract", count, first))
        left = Call("subtract", Call("subtract", count, first), length_of_run)
        later = Call("maximum", zero, Call("minimum", length_of_run, left))  # elements of the second run
        most = Call("minimum", before, there)

        def step(found: Expr, width: Expr) -> Expr:
            ahead = Call("add", found, width)
            own = key_of(at(Call("subtract", Call("add", first, ahead), one)))
            other = key_of(at(Call("add", second, Call("subtract", before, ahead))))
            goes = Call("bitwise_and", Call("less_equal", ahead, most), Call("less_equal", own, other))
            return Call("select", goes, ahead, found)

        least = Call("maximum", zero, Call("subtract", before, later))
        taken: Expr = Element(0, Reduce(fun((t, t), step), least, widths, REDUCE_SEQ))

        def begin(taken: Expr) -> Expr:
            return Tuple(taken, at(Call("add", first, taken)), at(Call("add", second, Call("subtract", before, taken))))

        def following(state: Expr, j: Expr) -> Expr:
            """What is taken then from the first run, what comes next in both, and the value that is next."""
            taken, x, y = Get(0, state), Get(1, state), Get(2, state)
            others = Call("subtract", Call("add", before, j), taken)
            lesser = Call("bitwise_and", Call("less", taken, there), Call("less_equal", key_of(x), key_of(y)))
            own = Call("bitwise_or", Call("greater_equal", others, later), lesser)
            more = Call("add", taken, Call("select", own, one, zero))
            index = Call("select", own, Call("add", first, more), Call("add", Call("add", second, others), one))
            new = at(index)
            value = _parts(key(where(own, x, y)))[1]
            return Tuple(Tuple(more, where(own, new, x), where(own, y, new)), value)

        state = begin(taken)
        return Scan(fun((state.type, t), following), state, Generate(share, identity(t)), SCAN_MAP_SEQ)

    shares = (n + (share - 1)) // share
    made = Join(Map(fun(t, merged), Generate(shares, identity(t))))
    return made if length(made) is n else Head(n, made)


@rule(source="semantics of sortRuns, split and head")
def runs_in_tiles(e: SortRuns) -> Expr | None:
    """sortRuns b r (λx. (k, v)) xs  ->  head n (join (map (λys. sort b (λp. p) (map (λ(x, i). (k if i < n, else
    2^b - 1, v)) ys)) (split r (zip(concat(xs, repeat m 0), generate id)))))      for n + m elements in runs of r

    The last run is made as long as the others: what fills it up comes last, since no key is greater.
    """
    match e:
        case SortRuns(bits, run, Lambda() as key, xs) if not key.loose:
            zero = zero_of(element(xs))
            if zero is None:
                return None
            n = length(xs)
            t = _count_type(n)
            behind = (n + (run - 1)) // run * run - n
            tiles = Split(run, Zip(Concat(xs, Repeat(behind, zero)), Generate(n + behind, identity(t))))

            def pair(ys: Expr) -> Expr:
                k, v = _parts(key(Get(0, ys)))
                assert isinstance(k.type, ScalarType)
                greatest = Literal((1 << bits) - 1, k.type)
                return Tuple(Call("select", Call("less", Get(1, ys), FromSize(n, t)), k, greatest), v)

            def tile(ys: Expr) -> Expr:
                pairs = Map(fun(element(ys), pair), ys)
                return Sort(bits, fun(element(pairs), lambda p: Tuple(Get(0, p), Get(1, p))), pairs)

            return Head(n, Join(Map(fun(element(tiles), tile), tiles)))
    return None


def _merged(bits: int, whole: int | None, run: int, key: Lambda, xs: Expr) -> Expr:
    """The values of an array whose runs of some length are sorted, merged: all of them or those of longer runs."""
    n = length(xs)
    t = _count_type(n)
    zero, one, count = Literal(0, t), Literal(1, t), FromSize(n, t)
    steps = run.bit_length()
    widths = Generate(steps, fun(t, lambda j: Call("left_shift", one, Call("subtract", Literal(steps - 1, t), j))))
    add = fun((t, t), lambda a, b: Call("add", a, b))

    def begin_of(number: Expr) -> Expr:
        return number if run == 1 else Call("left_shift", number, Literal(steps - 1, t))

    def number_of(i: Expr) -> Expr:
        return i if run == 1 else Call("right_shift", i, Literal(steps - 1, t))

    last = number_of(count)

    def merged(pair: Expr) -> Expr:
        k, v = _parts(key(Get(0, pair)))
        own_key, i = _low(k, bits), Get(1, pair)
        own = number_of(i)
        first = zero if whole is None else Call("bitwise_and", own, Literal(-(whole // run), t))

        def before(other: Expr) -> Expr:
            """How many elements of one of the other runs, counted from the first, go before this one."""
            number = other if whole is None else Call("add", first, other)
            later = Call("less_equal", own, number)
            number = Call("add", number, Call("select", later, one, zero))
            begin = begin_of(Call("minimum", number, last))
            there = Call("minimum", Literal(run, t), Call("subtract", count, begin))
            there = Call("select", Call("less_equal", number, last), there, zero)

            def step(found: Expr, width: Expr) -> Expr:
                left = Call("subtract", there, found)
                ahead = Call("add", found, Call("minimum", width, left))
                index = Call("subtract", Call("add", begin, ahead), one)
                k = _low(_parts(key(Element(0, Gather(xs, Repeat(1, index)))))[0], bits)
                same = Call("bitwise_and", Call("equal", k, own_key), Call("bitwise_invert", later))
                goes = Call("bitwise_or", Call("less", k, own_key), same)
                return Call("select", Call("bitwise_and", Call("less_equal", width, left), goes), ahead, found)

            return Element(0, Reduce(fun((t, t), step), zero, widths, REDUCE_SEQ))

        others = (maximum(n, 1) - 1) // run if whole is None else size(whole // run - 1)
        place: Expr = Element(0, Reduce(add, zero, Map(fun(t, before), Generate(others, identity(t)))))
        if run > 1:
            place = Call("add", Call("bitwise_and", i, Literal(run - 1, t)), place)
        return Tuple(place if whole is None else Call("add", begin_of(first), place), v)

    pairs = Zip(xs, Generate(n, identity(t)))
    return Permute(Map(fun(element(pairs), merged), pairs))
