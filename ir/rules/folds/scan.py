"""Rules on scans: in parts with a carry for each (Blelloch, "Prefix sums and their applications", 1990), by doubling
distances (Hillis and Steele, "Data parallel algorithms", 1986), and in the lanes of a vector.

Each asks that f be associative and have a neutral element z, which `neutral` finds; the initial value c may be any.
"""

from __future__ import annotations

from collections.abc import Callable

from ir.core.expr import Expr, Lambda, Param, close, fun, postorder, substitute
from ir.core.patterns import (
    MAP,
    MAP_SEQ,
    REDUCE,
    SCAN,
    SCAN_MAP_SEQ,
    SCAN_MAP_SEQ_UNROLL,
    SCAN_SEQ,
    SCAN_SEQ_UNROLL,
    AsScalar,
    AsVector,
    Call,
    Concat,
    Element,
    Get,
    Join,
    Map,
    Reduce,
    Repeat,
    Scan,
    Slice,
    Splat,
    Split,
    Transpose,
    Tuple,
    Vect,
    Zip,
)
from ir.core.sizes import Size, divide_exactly, is_le, size
from ir.core.types import VECTOR_WIDTHS, ArrayType, ScalarType
from ir.rewrite.rule import Label, rule
from ir.rules.common import (
    components,
    divides,
    element,
    is_monoid,
    is_scalar_like,
    length,
    neutral,
    parts_of,
    rows_of,
    tuple_of,
)
from ir.rules.compensation import adds_floats, compensated, corrected, no_corrections
from ir.rules.opencl.vectorise import is_vectorisable, widen

__all__: list[str] = []


@rule(Label.REASSOCIATING, "semantics of reduce and scan")
def last_of_scan(e: Reduce) -> Expr | None:
    """reduce f c xs  ->  slice (n - 1) 1 1 (scan f c xs)      for n elements, of which there is one at least"""
    match e:
        case Reduce(Lambda() as f, c, xs, how) if how == REDUCE and neutral(f) is not None and is_le(1, length(xs)):
            return Slice(length(xs) - 1, 1, 1, Scan(f, c, xs))
    return None


@rule(Label.REASSOCIATING, "Blelloch 1990, sec. 1.3; reduce, then scan")
def scan_split(e: Scan, *, n: Size | int) -> Expr | None:
    """scan f c xs  ->  join (map (λ(a, ys). map (f a) (scan f z ys)) (zip(as, split n xs)))
    where as = scan f c (concat(repeat 1 z, join (map (reduce f z) (split n ys)))), ys all of xs but the last n

    The carry of a part is what all parts before it combine to, so the last part is not reduced.
    """
    match e:
        case Scan(f, _, xs, how) if how == SCAN and divides(n, length(xs)) and neutral(f) is not None:
            parts = divide_exactly(length(xs), size(n))
            if parts is not None and is_le(1, parts):
                first = Slice(0, 1, length(xs) - n, xs)
                return _carried(f, _carries(e, Split(n, first)), Split(n, xs))
    return None


@rule(Label.REASSOCIATING, "Blelloch 1990, sec. 1.3, for lengths that are no multiple")
def scan_of_rows(e: Scan) -> Expr | None:
    """scan f c (concat(join xss, ys))  ->  concat(join (map g (zip(slice 0 1 k as, xss))), join (map g (zip(slice k 1 1
    as, split r ys)))) where g = λ(a, ys). map (f a) (scan f z ys), as = scan f c (concat(repeat 1 z, join (map (reduce
    f z) xss)))

    For k rows xss and r elements ys, which are not reduced: nothing comes after them.
    """
    match e:
        case Scan(f, _, Concat() as arrays, how) if how == SCAN and neutral(f) is not None:
            rows, rest = rows_of(arrays) or (arrays, None)
            if rest is None or length(rest).value == 0:
                return None
            count, carries = length(rows), _carries(e, rows)
            last = _carried(f, Slice(count, 1, 1, carries), Split(length(rest), rest))
            return Concat(_carried(f, Slice(0, 1, count, carries), rows), last)
    return None


def _carries(e: Scan, parts: Expr) -> Expr:
    """What all parts before each combine to, and at the end all of them: one more than there are parts."""
    f, z = e.f, neutral(e.f)
    assert z is not None
    sums = Join(Map(fun(element(parts), lambda part: Reduce(f, z, part)), parts))
    return Scan(f, e.init, Concat(Repeat(1, z), sums))


def _carried(f: Expr, carries: Expr, parts: Expr) -> Expr:
    """The parts scanned one by one, each result combined with the part's carry."""
    pairs, z = Zip(carries, parts), neutral(f)
    assert isinstance(f, Lambda) and z is not None

    def part(pair: Expr) -> Expr:
        carry, ys = Get(0, pair), Get(1, pair)
        return Map(fun(carry.type, lambda x: f(carry, x)), Scan(f, z, ys))

    return Join(Map(fun(element(pairs), part), pairs))


@rule(source="semantics of split and join")
def scan_in_one_part(e: Scan) -> Expr | None:
    """scan f c xs  ->  join (map (scan f c) (split n xs))      where n is the length of xs: there is one part"""
    match e:
        case Scan(f, c, xs, how) if how == SCAN and length(xs).value != 0:
            whole = Split(length(xs), xs)
            return Join(Map(fun(element(whole), lambda part: Scan(f, c, part)), whole))
    return None


@rule(Label.REASSOCIATING, "associativity: f c (f z x) = f (f c z) x")
def scan_from_carry(e: Map) -> Expr | None:
    """map (f c) ∘ scan f z  ->  scan f c"""
    match e:
        case Map(Lambda() as g, Scan(Lambda() as f, z, xs, inner), how) if how == MAP and inner == SCAN:
            if is_monoid(f, z):
                (x,), body = g.open()
                carry = _left_argument(body, x)
                if carry is not None and carry.type is z.type and f(carry, x) is body:
                    return Scan(f, carry, xs)
    return None


def _left_argument(body: Expr, x: Param) -> Expr | None:
    """The c of which `body` may be f c x, for an f that is a primitive, component by component for tuples."""
    if isinstance(body, Tuple):
        parts = [_left_argument(part, x) for part in body.operands]
        found = [part for part in parts if part is not None]
        if len(found) < len(parts):
            return None
        made = Tuple(*found)
        first = found[0]
        if isinstance(first, Get) and made.operands == tuple(Get(i, first.operand) for i in range(len(parts))):
            return first.operand if first.operand.type is made.type else made
        return made
    if not isinstance(body, Call):
        return None
    others = [operand for operand in body.operands if not _is_of(operand, x)]
    return others[0] if len(body.operands) == 2 and len(others) == 1 else None


def _is_of(e: Expr, x: Param) -> bool:
    """Is it the variable, or a component of it?"""
    while isinstance(e, Get):
        e = e.operand
    return e is x


@rule(Label.REASSOCIATING, "Hillis and Steele 1986 in the lanes of a vector; ICFP'15 fig. 7e")
def vectorise_scan(e: Scan, *, width: int) -> Expr | None:
    """scan f c  ->  asScalar ∘ scanSeq (λ(cs, xs). vect w f (splat w (last cs)) (scan f z xs)) (splat w c) ∘ asVector w

    The lanes of one vector are scanned by doubling distances; z is f's neutral element, whatever the carry c.
    """
    match e:
        case Scan(Lambda() as f, carry, xs, how) if (
            how == SCAN and width in VECTOR_WIDTHS and divides(width, length(xs))
        ):
            z = neutral(f)
            if z is None or not isinstance(carry.type, ScalarType) or not is_vectorisable(f):
                return None
            wide, vectors = widen(f, width), AsVector(width, xs)

            def step(last: Expr, v: Expr) -> Expr:
                return wide(Splat(Element(width - 1, _lanes(last)), width), _scanned(v, wide, width, z))

            types = (element(vectors), element(vectors))
            return AsScalar(Scan(fun(types, step), Splat(carry, width), vectors, SCAN_SEQ))
    return None


@rule(Label.REASSOCIATING, "vectorise_scan with reduce_to_pairs")
def vectorise_sums(e: Scan, *, width: int) -> Expr | None:
    """scan (+) c  ->  asScalar ∘ scanMapSeq (λ((s, d), xs). let ys = scan (+) 0 xs in (p, splat w (s + d) + ys))
    (c, -0) ∘ asVector w, where p = (s + t, d + (what that was rounded by)), t = last ys

    For floating-point numbers: what rounding takes from the sum of all vectors is carried along. The lanes of one are
    scanned by doubling distances.
    """
    match e:
        case Scan(Lambda() as f, carry, xs, how) if (
            how == SCAN and width in VECTOR_WIDTHS and divides(width, length(xs)) and adds_floats(f)
        ):
            z, step, value = neutral(f), compensated(f), corrected(f)
            if z is None or not isinstance(carry.type, ScalarType):
                return None
            wide, vectors, exact = widen(f, width), AsVector(width, xs), no_corrections(carry.type, (0,))

            def turn(p: Expr, v: Expr) -> Expr:
                done = _scanned(v, wide, width, z)
                last = Element(width - 1, _lanes(done))
                return Tuple(step(p, Tuple(last, exact)), wide(Splat(value(p), width), done))

            return AsScalar(
                Scan(fun((step.types[0], element(vectors)), turn), Tuple(carry, exact), vectors, SCAN_MAP_SEQ)
            )
    return None


def _scanned(v: Expr, wide: Lambda, width: int, z: Expr) -> Expr:
    """The lanes of a vector scanned by doubling distances."""
    distance = 1
    while distance < width:
        v = wide(_moved(v, distance, width, z), v)
        distance *= 2
    return v


def _lanes(v: Expr) -> Expr:
    """The lanes of a vector as an array."""
    return AsScalar(Repeat(1, v))


def _moved(v: Expr, distance: int, width: int, z: Expr) -> Expr:
    """The lanes moved up by a distance, z in the first ones."""
    kept = Slice(0, 1, width - distance, _lanes(v))
    return Element(0, AsVector(width, Concat(Repeat(distance, z), kept)))


@rule(source="map-of-reduce and reduce-of-map, thesis ch. 5, for scans")
def scan_of_maps(e: Scan) -> Expr | None:
    """scan (λ(as, xs). map f (zip(as, xs))) zs  ->  transpose ∘ map (λ(z, xs). scan f z xs) ∘ zip(zs, .) ∘ transpose"""
    match e:
        case Scan(Lambda() as rows, zs, xss, how) if how == SCAN and isinstance(zs.type, ArrayType):
            both, body = rows.open()
            match body:
                case Map(Lambda() as f, Zip() as pairs, inner) if inner == MAP and not f.loose:
                    if set(pairs.operands) == set(both):
                        return _columns(f, [both.index(x) for x in pairs.operands], zs, xss)
    return None


def _columns(f: Lambda, order: list[int], zs: Expr, xss: Expr) -> Expr:
    """`order` says which of accumulator and element each component of f's argument is."""
    pairs, t = Zip(zs, Transpose(xss)), element(zs)
    step = fun((t, t), lambda *both: f(Tuple(*(both[i] for i in order))))
    return Transpose(Map(fun(element(pairs), lambda pair: Scan(step, Get(0, pair), Get(1, pair))), pairs))


@rule(source="ICFP'15 fig. 7e over rows: neighbouring rows in the lanes of a vector")
def vectorise_scans(e: Map, *, width: int) -> Expr | None:
    """map (scan f c ∘ map g)  ->  transpose ∘ map asScalar ∘ transpose ∘ map (scan (vect w f) (splat w c) ∘ map (vect w
    g)) ∘ transpose ∘ map (asVector w) ∘ transpose, also without g
    """
    match e:
        case Map(Lambda() as rows, xss, how) if how == MAP and not rows.loose and width in VECTOR_WIDTHS:
            (row,), body = rows.open()
            if isinstance(body, Scan) and body.how == SCAN and divides(width, length(xss)):
                wide = _wide(body, row, width)
                if wide is not None:
                    columns = Transpose(xss)
                    vectors = Transpose(Map(fun(element(columns), lambda xs: AsVector(width, xs)), columns))
                    found = Transpose(Map(fun(element(vectors), wide), vectors))
                    return Transpose(Map(fun(element(found), AsScalar), found))
    return None


def _wide(e: Scan, row: Expr, width: int) -> Callable[[Expr], Expr] | None:
    """The scan of a row over vectors, a function of the row; None where it cannot be vectorised."""
    f, carry = e.f, e.init
    if not isinstance(f, Lambda) or not is_vectorisable(f) or not isinstance(carry.type, ScalarType) or carry.loose:
        return None
    wide, start = widen(f, width), Splat(carry, width)
    match e.xs:
        case Map(Lambda() as g, xs, how) if how == MAP and xs is row and is_vectorisable(g):
            return lambda vectors: Scan(wide, start, Map(Vect(width, g), vectors))
        case xs if xs is row and is_scalar_like(element(row)):
            return lambda vectors: Scan(wide, start, vectors)
    return None


# --- what reads a scan ------------------------------------------------------------------------------------------------

_WITH_RESULTS = {
    SCAN_SEQ: SCAN_MAP_SEQ,
    SCAN_MAP_SEQ: SCAN_MAP_SEQ,
    SCAN_SEQ_UNROLL: SCAN_MAP_SEQ_UNROLL,
    SCAN_MAP_SEQ_UNROLL: SCAN_MAP_SEQ_UNROLL,
}
"""The loops of scans, and those that give a result beside what they carry along."""


@rule(source="ICFP'15 fig. 6f, for scans that are read")
def scan_map_fusion(e: Map) -> Expr | None:
    """mapSeq h ∘ scanSeq f z  ->  scanMapSeq (λ(acc, x). (f acc x, h (f acc x))) z,
    mapSeq h ∘ scanMapSeq f z  ->  scanMapSeq (λ(acc, x). ((f acc x).0, h (f acc x).1)) z
    """
    match e:
        case Map(Lambda() as h, Scan(Lambda() as f, z, xs, inner) as scan, how) if how == MAP_SEQ:
            if inner not in _WITH_RESULTS:
                return None

            def step(acc: Expr, x: Expr) -> Expr:
                carried, result = _pair(scan, f(acc, x))
                return Tuple(carried, h(result))

            return Scan(fun(f.types, step), z, xs, _WITH_RESULTS[inner])
    return None


@rule(source="semantics of zip")
def zip_into_scan(e: Zip, *, operand: int) -> Expr | None:
    """zip(.., scanSeq f z xs, ..)  ->  scanMapSeq (λ(acc, t). (f acc t.i, t')) z (zip(.., xs, ..))
    where t' is t with f acc t.i for its component i, the operand; so for scanMapSeq, with its result
    """
    match e:
        case Zip() if 0 <= operand < len(e.operands):
            scan = e.operands[operand]
            if isinstance(scan, Scan) and scan.how in _WITH_RESULTS and isinstance(scan.f, Lambda):
                arrays, f = Zip(*(scan.xs if x is scan else x for x in e.operands)), scan.f

                def step(acc: Expr, together: Expr) -> Expr:
                    parts = parts_of(together, len(arrays.operands))
                    carried, result = _pair(scan, f(acc, parts[operand]))
                    return Tuple(
                        carried, Tuple(*(result if x is scan else p for x, p in zip(e.operands, parts, strict=True)))
                    )

                return Scan(fun((f.types[0], element(arrays)), step), scan.init, arrays, _WITH_RESULTS[scan.how])
    return None


def _pair(scan: Scan, value: Expr) -> tuple[Expr, Expr]:
    """What a turn of the scan carries along and its result, of what its function gives."""
    if not scan.gives_results:
        return value, value
    return (value.operands[0], value.operands[1]) if isinstance(value, Tuple) else (Get(0, value), Get(1, value))


@rule(source="map fission: ICFP'15 fig. 6f, read from right to left")
def scan_out_of_map(e: Map) -> Expr | None:
    """map (λx. g x (scan f z (h x))) xs  ->  map (λ(x, s). g x s) (zip(xs, map (λx. scan f z (h x)) xs))
    unless g x s is s, in rows or columns; for a map of such a function too

    What else reads a scan needs all of it, and no work-item has room for it: it becomes an array of its own.
    """
    match e:
        case Map(Lambda() as g, xs, how) if how == MAP:
            (x,), body = g.open()
            result = body
            while result.traits.bijective:
                result = result.operands[-1]
            for node in postorder(body, prune=lambda part: isinstance(part, Lambda)):
                if node is not result and node.loose and _is_scan(node):
                    return _apart(x, body, node, xs)
    return None


def _is_scan(e: Expr) -> bool:
    """Is it a scan, or are its rows scans?"""
    if isinstance(e, Map) and e.how == MAP and isinstance(e.f, Lambda):
        body = e.f.open()[1]
        while body.traits.bijective:
            body = body.operands[-1]
        return _is_scan(body)
    return isinstance(e, Scan) and e.how == SCAN


def _apart(x: Param, body: Expr, scan: Expr, xs: Expr) -> Expr:
    """`map (λx. body) xs` where the scan in the body is computed by a map of its own."""
    before = components(xs)
    pairs = Zip(*before, Map(close((x,), scan), xs))

    def rest(t: Expr) -> Expr:
        element_ = tuple_of(tuple(Get(i, t) for i in range(len(before))))
        return substitute(body, {scan: Get(len(before), t), x: element_})

    return Map(fun(element(pairs), rest), pairs)
