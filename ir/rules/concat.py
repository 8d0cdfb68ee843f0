"""Arrays put one after the other: `concat` changes places with maps, slices and the other views. All are exact.

They follow from the denotations: concat only says which of its parts holds an element. A map over a concat becomes a
concat of maps, each of them a loop of its own that asks nothing; a concat of columns becomes a map over rows.
"""

from __future__ import annotations

from ir.core.expr import Expr, Lambda, Param, close, fun
from ir.core.patterns import MAP, Concat, Element, Get, Join, Map, Slice, Split, Transpose, Zip
from ir.core.sizes import Size, divide_exactly, is_le, is_lt, size
from ir.core.types import TupleType
from ir.rewrite.rule import rule
from ir.rules.common import components, divides, element, length, parts_of, zip_of

__all__ = ["is_side_by_side"]


@rule(source="semantics of concat")
def map_after_concat(e: Expr) -> Expr | None:
    """map f (concat(xs, ys, ..))  ->  concat(map f xs, map f ys, ..)"""
    match e:
        case Map(f, Concat() as arrays, how) if how == MAP:
            return Concat(*(Map(f, xs) for xs in arrays.operands))
    return None


@rule(source="semantics of concat, read from right to left")
def concat_of_maps(e: Expr) -> Expr | None:
    """concat(map f xs, map f ys, ..)  ->  map f (concat(xs, ys, ..))"""
    match e:
        case Concat(operands=(Map(f, _, how), *_)) if how == MAP:
            maps = [x for x in e.operands if isinstance(x, Map) and x.f is f and x.how == MAP]
            return Map(f, Concat(*(x.xs for x in maps))) if len(maps) == len(e.operands) else None
    return None


@rule(source="semantics of concat, zip and slice")
def map_concat_operand(e: Expr, *, operand: int) -> Expr | None:
    """map f (zip(.., concat(xs, ys), ..))  ->  concat(map f (zip(.., xs, ..)), map f (zip(.., ys, ..)))

    The other arrays are sliced: from each the part that lies beside xs, and beside ys.
    """
    match e:
        case Map(f, Zip() as zipped, how) if how == MAP and 0 <= operand < len(zipped.operands):
            arrays = zipped.operands[operand]
            if not isinstance(arrays, Concat):
                return None
            pieces, start = [], size(0)
            for part in arrays.operands:
                beside = (part if x is arrays else _cut(x, start, length(part)) for x in zipped.operands)
                pieces.append(Map(f, Zip(*beside)))
                start = start + length(part)
            return Concat(*pieces)
    return None


def _cut(xs: Expr, start: Size, count: Size) -> Expr:
    """Elements `start` to `start + count - 1`; a slice of neighbours in a slice is one slice."""
    if isinstance(xs, Slice) and xs.step == 1:
        return Slice(xs.start + start, 1, count, xs.xs)
    return Slice(start, 1, count, xs)


@rule(source="semantics of concat and slice")
def slice_after_concat(e: Expr) -> Expr | None:
    """slice s 1 n (concat(.., xs, ..))  ->  slice (s - m) 1 n xs      where all of it lies in xs, which begins at m

    Or concat(xs, .., ys), where the slice is exactly those parts.
    """
    match e:
        case Slice(start, 1, count, Concat() as arrays):
            begin, taken = size(0), list[Expr]()
            for part in arrays.operands:
                end = begin + length(part)
                if is_le(begin, start) and is_le(start + count, end):
                    whole = begin is start and end is start + count
                    return part if whole else Slice(start - begin, 1, count, part)
                if is_le(start, begin) and is_le(end, start + count):
                    taken.append(part)
                elif taken or not is_le(end, start):
                    break
                begin = end
            total = sum((length(part) for part in taken), size(0))
            if len(taken) > 1 and total is count and _begins(arrays, taken[0], start):
                return Concat(*taken)
    return None


def _begins(arrays: Concat, part: Expr, start: Size) -> bool:
    """Does that part of a concat begin there?"""
    before = size(0)
    for x in arrays.operands:
        if before is start and x is part:
            return True
        before = before + length(x)
    return False


@rule(source="semantics of slice")
def slice_after_slice(e: Expr) -> Expr | None:
    """slice s k n (slice t 1 m xs)  ->  slice (t + s) k n xs"""
    match e:
        case Slice(start, step, count, Slice(before, 1, _, xs)):
            return Slice(before + start, step, count, xs)
    return None


@rule(source="semantics of concat and element")
def element_after_concat(e: Expr) -> Expr | None:
    """element i (concat(.., xs, ..))  ->  element (i - m) xs      where i lies in xs, which begins at m"""
    match e:
        case Element(index, Concat() as arrays):
            begin = size(0)
            for part in arrays.operands:
                end = begin + length(part)
                if is_le(begin, index) and is_lt(index, end):
                    return Element(index - begin, part)
                begin = end
    return None


@rule(source="semantics of concat")
def concat_of_concats(e: Expr) -> Expr | None:
    """concat(.., concat(xs, ys), ..)  ->  concat(.., xs, ys, ..)"""
    match e:
        case Concat() if any(isinstance(x, Concat) for x in e.operands):
            return Concat(*(y for x in e.operands for y in (x.operands if isinstance(x, Concat) else (x,))))
    return None


@rule(source="semantics of concat and slice")
def concat_of_slices(e: Expr, *, operand: int) -> Expr | None:
    """concat(.., slice s 1 m xs, slice (s + m) 1 n xs, ..)  ->  concat(.., slice s 1 (m + n) xs, ..)"""
    match e:
        case Concat() if 0 <= operand < len(e.operands) - 1:
            left, right = e.operands[operand : operand + 2]
            match left, right:
                case Slice(s, 1, m, xs), Slice(t, 1, n, ys) if xs is ys and t is s + m:
                    both = Slice(s, 1, m + n, xs)
                    rest = (*e.operands[:operand], both, *e.operands[operand + 2 :])
                    return Concat(*rest) if len(rest) > 1 else both
    return None


@rule(source="semantics of concat and join")
def join_after_concat(e: Expr) -> Expr | None:
    """join (concat(xss, yss, ..))  ->  concat(join xss, join yss, ..)"""
    match e:
        case Join(Concat() as arrays):
            return Concat(*(Join(xss) for xss in arrays.operands))
    return None


@rule(source="semantics of concat and split")
def split_after_concat(e: Expr) -> Expr | None:
    """split n (concat(xs, ys, ..))  ->  concat(split n xs, split n ys, ..)      where n divides each length"""
    match e:
        case Split(n, Concat() as arrays) if all(divides(n, length(xs)) for xs in arrays.operands):
            return None if n.value == 0 else Concat(*(Split(n, xs) for xs in arrays.operands))
    return None


@rule(source="semantics of concat and transpose")
def transpose_after_concat(e: Expr) -> Expr | None:
    """transpose (concat(xss, yss, ..))  ->  map (λ(xs, ys, ..). concat(xs, ys, ..)) (zip(transpose xss, ..))"""
    match e:
        case Transpose(Concat() as arrays):
            zipped = Zip(*(Transpose(xss) for xss in arrays.operands))
            count = len(arrays.operands)
            return Map(fun(element(zipped), lambda row: Concat(*(Get(i, row) for i in range(count)))), zipped)
    return None


@rule(source="semantics of concat and transpose")
def concat_out_of_map(e: Expr) -> Expr | None:
    """map (λx. concat(f x, g x, ..)) xs  ->  transpose (concat(transpose (map f xs), transpose (map g xs), ..))"""
    match e:
        case Map(Lambda() as rows, xs, how) if how == MAP:
            variables, body = rows.open()
            if isinstance(body, Concat):
                return Transpose(Concat(*(Transpose(Map(close(variables, part), xs)) for part in body.operands)))
    return None


@rule(source="semantics of slice, split and join")
def slice_of_rows(e: Expr) -> Expr | None:
    """join ∘ slice s 1 k ∘ split n  ->  slice (s * n) 1 (k * n)"""
    match e:
        case Join(Slice(start, 1, count, Split(n, xs))):
            return Slice(start * n, 1, count * n, xs)
    return None


@rule(source="semantics of slice and join")
def slice_after_join(e: Expr) -> Expr | None:
    """slice (s * n) 1 (k * n) ∘ join  ->  join ∘ slice s 1 k      where n is the inner length"""
    match e:
        case Slice(start, 1, count, Join(xss)):
            n = length_of_row(xss)
            first, rows = divide_exactly(start, n), divide_exactly(count, n)
            return None if first is None or rows is None else Join(Slice(first, 1, rows, xss))
    return None


@rule(source="semantics of split and join")
def split_of_rows(e: Expr) -> Expr | None:
    """split (k * n) ∘ join  ->  map join ∘ split k      where n is the inner length"""
    match e:
        case Split(chunk, Join(xss)):
            k = divide_exactly(chunk, length_of_row(xss))
            if k is None or not divides(k, length(xss)) or length_of_row(xss).value == 0:
                return None
            chunks = Split(k, xss)
            return Map(fun(element(chunks), lambda rows: Join(rows)), chunks)
    return None


@rule(source="semantics of transpose and slice")
def slice_of_columns(e: Expr) -> Expr | None:
    """transpose ∘ slice s k n ∘ transpose  ->  map (slice s k n)"""
    match e:
        case Transpose(Slice(start, step, count, Transpose(xss))):
            return Map(fun(element(xss), lambda row: Slice(start, step, count, row)), xss)
    return None


@rule(source="semantics of join")
def join_of_joins(e: Expr) -> Expr | None:
    """join (join (map f xss))  ->  join (map (join ∘ f) xss)"""
    match e:
        case Join(Join(Map(Lambda() as f, xss, how))) if how == MAP:
            return Join(Map(fun(f.types, lambda x: Join(f(x))), xss))
    return None


@rule(source="semantics of join, read from right to left")
def join_out_of_map(e: Expr) -> Expr | None:
    """join (map (join ∘ f) xss)  ->  join (join (map f xss))"""
    match e:
        case Join(Map(Lambda() as f, xss, how)) if how == MAP and len(f.types) == 1:
            (x,), body = f.open()
            if isinstance(body, Join):
                return Join(Join(Map(close((x,), body.xs), xss)))
    return None


def is_side_by_side(f: Expr) -> bool:
    """Does a function put arrays side by side: is its value a concat, or one for each row of what it is given?"""
    while isinstance(f, Lambda):
        body = f.body
        while isinstance(body, Join):
            body = body.xs
        if isinstance(body, Concat):
            return True
        if not isinstance(body, Map) or body.how != MAP:
            return False
        f = body.f
    return False


@rule(source="semantics of join and zip")
def map_into_rows(e: Expr, *, operand: int) -> Expr | None:
    """map f (zip(.., join (map g xss), ..))  ->  join (map (λ(.., x, ..). map f (zip(.., g x, ..))) (zip(.., xss, ..)))

    The other arrays are split into rows of that length. Only where g puts arrays side by side: each becomes a loop.
    """
    match e:
        case Map(f, xs, how) if how == MAP and 0 <= operand < len(components(xs)):
            inner = components(xs)[operand]
            if not isinstance(inner, Join) or not isinstance(inner.xs, Map):
                return None
            rows = inner.xs
            g, m = rows.f, length_of_row(rows)
            if rows.how != MAP or not isinstance(g, Lambda) or not is_side_by_side(g) or m.value == 0:
                return None
            arrays = tuple(dict.fromkeys(components(xs)))
            sources = tuple(rows.xs if x is inner else Split(m, x) for x in arrays)

            def body(variable: Param) -> Expr:
                parts = dict(zip(arrays, parts_of(variable, len(arrays)), strict=True))
                beside = tuple(g(parts[x]) if x is inner else parts[x] for x in components(xs))
                return Map(f, zip_of(beside))

            types = tuple(element(x) for x in sources)
            return Join(Map(fun(types[0] if len(types) == 1 else TupleType(types), body), zip_of(sources)))
    return None


def length_of_row(xss: Expr) -> Size:
    """The inner length of an array of arrays."""
    row = element(xss)
    return row.length  # type: ignore[attr-defined, no-any-return]  # what is joined is an array of arrays
