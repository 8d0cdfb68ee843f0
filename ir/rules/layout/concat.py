"""Arrays put one after the other: `concat` changes places with maps, slices and the other views. All are exact.

They follow from the denotations: concat only says which of its parts holds an element. A map over a concat becomes a
concat of maps, each of them a loop of its own that asks nothing; a concat of columns becomes a map over rows.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain

from ir.core.expr import Expr, Lambda, Param, close, fun
from ir.core.patterns import MAP, Concat, Get, Join, Map, Slice, Split, Transpose, Zip
from ir.core.sizes import Size, divide_exactly, size
from ir.core.types import TupleType
from ir.rewrite.rule import rule
from ir.rules.common import components, divides, element, length, length_of_row, parts_of, zip_of

__all__ = ["is_side_by_side"]


@rule(source="semantics of concat")
def map_after_concat(e: Map) -> Expr | None:
    """map f (concat(xs, ys, ..))  ->  concat(map f xs, map f ys, ..)"""
    match e:
        case Map(f, Concat() as arrays, how) if how == MAP:
            return Concat(*(Map(f, xs) for xs in arrays.operands))
    return None


@rule(source="semantics of concat, zip and slice")
def map_concat_operand(e: Map, *, operand: int) -> Expr | None:
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


@rule(source="semantics of concat")
def concat_of_concats(e: Expr) -> Expr | None:
    """concat(.., concat(xs, ys), ..)  ->  concat(.., xs, ys, ..)"""
    return _spliced(e, lambda _: True)


@rule(source="semantics of concat")
def concat_of_some_concats(e: Expr, *, members: int) -> Expr | None:
    """concat(.., concat(xs, ys), ..)  ->  concat(.., xs, ys, ..)      for operands whose bits are set in `members`"""
    return _spliced(e, lambda i: bool(members >> i & 1)) if members > 0 else None


def _spliced(e: Expr, wanted: Callable[[int], bool]) -> Expr | None:
    """A concat with the parts of some operands in place of these."""
    if not isinstance(e, Concat):
        return None
    parts = [x.operands if isinstance(x, Concat) and wanted(i) else (x,) for i, x in enumerate(e.operands)]
    return Concat(*chain(*parts)) if any(len(part) > 1 for part in parts) else None


@rule(source="semantics of concat")
def concat_of_nothing(e: Concat) -> Expr | None:
    """concat(.., xs, ys, ..)  ->  concat(.., ys, ..)      for each xs of length 0, but for one if all are"""
    match e:
        case Concat():
            parts = [x for x in e.operands if length(x).value != 0] or [e.operands[0]]
            if len(parts) < len(e.operands):
                return Concat(*parts) if len(parts) > 1 else parts[0]
    return None


@rule(source="semantics of concat and join")
def join_after_concat(e: Join) -> Expr | None:
    """join (concat(xss, yss, ..))  ->  concat(join xss, join yss, ..)"""
    match e:
        case Join(Concat() as arrays):
            return Concat(*(Join(xss) for xss in arrays.operands))
    return None


@rule(source="semantics of concat and split")
def split_after_concat(e: Split) -> Expr | None:
    """split n (concat(xs, ys, ..))  ->  concat(split n xs, split n ys, ..)      where n divides each length"""
    match e:
        case Split(n, Concat() as arrays) if all(divides(n, length(xs)) for xs in arrays.operands):
            return None if n.value == 0 else Concat(*(Split(n, xs) for xs in arrays.operands))
    return None


@rule(source="semantics of concat and transpose")
def transpose_after_concat(e: Transpose) -> Expr | None:
    """transpose (concat(xss, yss, ..))  ->  map (λ(xs, ys, ..). concat(xs, ys, ..)) (zip(transpose xss, ..))"""
    match e:
        case Transpose(Concat() as arrays):
            zipped = Zip(*(Transpose(xss) for xss in arrays.operands))
            count = len(arrays.operands)
            return Map(fun(element(zipped), lambda row: Concat(*(Get(i, row) for i in range(count)))), zipped)
    return None


@rule(source="semantics of concat and transpose")
def concat_out_of_map(e: Map) -> Expr | None:
    """map (λx. concat(f x, g x, ..)) xs  ->  transpose (concat(transpose (map f xs), transpose (map g xs), ..))"""
    match e:
        case Map(Lambda() as rows, xs, how) if how == MAP:
            variables, body = rows.open()
            if isinstance(body, Concat):
                return Transpose(Concat(*(Transpose(Map(close(variables, part), xs)) for part in body.operands)))
    return None


@rule(source="semantics of split and join")
def split_of_rows(e: Split) -> Expr | None:
    """split (k * n) ∘ join  ->  map join ∘ split k      where n is the inner length"""
    match e:
        case Split(chunk, Join(xss)):
            k = divide_exactly(chunk, length_of_row(xss))
            if k is None or not divides(k, length(xss)) or length_of_row(xss).value == 0:
                return None
            chunks = Split(k, xss)
            return Map(fun(element(chunks), lambda rows: Join(rows)), chunks)
    return None


@rule(source="semantics of join")
def join_of_joins(e: Join) -> Expr | None:
    """join (join (map f xss))  ->  join (map (join ∘ f) xss)"""
    match e:
        case Join(Join(Map(Lambda() as f, xss, how))) if how == MAP:
            return Join(Map(fun(f.types, lambda x: Join(f(x))), xss))
    return None


@rule(source="semantics of join, read from right to left")
def join_out_of_map(e: Join) -> Expr | None:
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
def map_into_rows(e: Map, *, operand: int) -> Expr | None:
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
