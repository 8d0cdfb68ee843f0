"""Ragged lengths: a body whose length divides evenly, and the tail that is left (design, section 3.5)."""

from __future__ import annotations

from ir.core.expr import Expr, Lambda, Param, fun
from ir.core.patterns import (
    MAP,
    REDUCE,
    REDUCE_SEQ,
    Concat,
    Element,
    Head,
    Literal,
    Map,
    Overlap,
    Reduce,
    ReducePart,
    Repeat,
    Slice,
    Split,
    Tuple,
    Zip,
)
from ir.core.sizes import Size, is_le, size
from ir.core.types import ArrayType, ScalarType, TupleType, Type
from ir.rewrite.rule import Label, rule
from ir.rules.common import components, divides, element, is_monoid, length, parts_of, within, zip_of

__all__ = ["cut", "zero_of"]


def cut(xs: Expr, at: Size | int) -> tuple[Expr, Expr]:
    """The first `at` elements and the rest."""
    return Slice(0, 1, at, xs), Slice(at, 1, length(xs) - at, xs)


@rule(Label.EXACT, "semantics of concat and slice")
def array_partition(e: Expr, *, at: Size | int) -> Expr | None:
    """xs  ->  concat(slice 0 1 m xs, slice m 1 (n-m) xs)"""
    return Concat(*cut(e, at)) if isinstance(e.type, ArrayType) and within(at, e.type.length) else None


@rule(Label.EXACT, "semantics of concat and slice")
def map_partition(e: Map, *, at: Size | int) -> Expr | None:
    """map f xs  ->  concat(map f (slice 0 1 m xs), map f (slice m 1 (n-m) xs))"""
    match e:
        case Map(f, xs, how) if how == MAP and within(at, length(xs)):
            body, tail = cut(xs, at)
            return Concat(Map(f, body), Map(f, tail))
    return None


@rule(Label.EXACT, "semantics of overlap and slice")
def map_overlap(e: Map, *, first: Size | int, last: Size | int) -> Expr | None:
    """map f xs  ->  overlap n (map f (slice 0 1 k xs)) (map f (slice (n-m) 1 m xs))      for k + m elements or fewer"""
    match e:
        case Map(f, xs, how) if how == MAP and all(within(part, length(xs)) for part in (first, last)):
            n = length(xs)
            if is_le(n, size(first) + size(last)):
                return Overlap(n, Map(f, Slice(0, 1, first, xs)), Map(f, Slice(n - last, 1, last, xs)))
    return None


@rule(Label.EXACT, "semantics of concat and head")
def map_pad(e: Map, *, count: Size | int) -> Expr | None:
    """map f xs  ->  head n (map f (concat(xs, repeat m 0)))      for n elements; zeros in each part of an element"""
    match e:
        case Map(f, xs, how) if how == MAP and is_le(size(0), size(count)):
            zero = zero_of(element(xs))
            return None if zero is None else Head(length(xs), Map(f, Concat(xs, Repeat(count, zero))))
    return None


@rule(Label.EXACT, "semantics of zip, concat and head")
def zip_of_head(e: Zip, *, operand: int) -> Expr | None:
    """zip(.., head n xs, ys, ..)  ->  head n (zip(.., xs, concat(ys, repeat m 0), ..))      for n + m elements xs"""
    match e:
        case Zip() if 0 <= operand < len(e.operands):
            shown = e.operands[operand]
            zeros = [zero_of(element(x)) for x in e.operands if x is not shown]
            found = [zero for zero in zeros if zero is not None]
            if isinstance(shown, Head) and len(found) == len(zeros):
                left, rest = length(shown.xs) - shown.count, iter(found)
                return Head(
                    shown.count,
                    Zip(*(shown.xs if x is shown else Concat(x, Repeat(left, next(rest))) for x in e.operands)),
                )
    return None


@rule(source="semantics of head")
def map_after_head(e: Map) -> Expr | None:
    """map f ∘ head n  ->  head n ∘ map f"""
    match e:
        case Map(f, Head(count, xs), how) if how == MAP:
            return Head(count, Map(f, xs))
    return None


def zero_of(t: Type) -> Expr | None:
    """Nothing but zeros of that type, false for truth values; None of vectors."""
    if isinstance(t, ScalarType):
        return Literal(0, t)
    if isinstance(t, ArrayType):
        inner = zero_of(t.element)
        return None if inner is None else Repeat(t.length, inner)
    parts = [zero_of(part) for part in t.elements] if isinstance(t, TupleType) else [None]
    found = [part for part in parts if part is not None]
    return Tuple(*found) if len(found) == len(parts) else None


@rule(Label.REASSOCIATING, "ICFP'15 fig. 6d for lengths that are no multiple")
def reduce_partition(e: Reduce, *, at: Size | int, parts: Size | int) -> Expr | None:
    """reduce f z xs  ->  reduce f z (concat(reducePart f z p (slice 0 1 m xs), reduce f z (slice m 1 (n-m) xs)))"""
    match e:
        case Reduce(f, z, xs, how) if how == REDUCE and within(at, length(xs)) and is_monoid(f, z):
            body, tail = cut(xs, at)
            if divides(parts, length(body)):
                return Reduce(f, z, Concat(ReducePart(f, z, parts, body), Reduce(f, z, tail)))
    return None


@rule(source="semantics of reduce, ICFP'15 fig. 9")
def reduce_continued(e: Reduce, *, at: Size | int) -> Expr | None:
    """reduce f z xs  ->  reduce f (element 0 (reduce f z (slice 0 1 m xs))) (slice m 1 (n-m) xs)      (or reduceSeq)"""
    match e:
        case Reduce(f, z, xs, how) if how in (REDUCE, REDUCE_SEQ) and within(at, length(xs)):
            body, tail = cut(xs, at)
            return Reduce(f, Element(0, Reduce(f, z, body, how)), tail, how)
    return None


@rule(source="semantics of reduceSeq; tiles of the journal draft, fig. 9")
def reduce_in_chunks(e: Reduce, *, n: Size | int) -> Expr | None:
    """reduceSeq f z xs  ->  reduceSeq (λ(acc, ys). element 0 (reduceSeq f acc ys)) z (split n xs)

    Of a zip, the parts are cut: zip(xs, ys, ..) is read as zip(split n xs, split n ys, ..).
    """
    match e:
        case Reduce(Lambda() as f, z, xs, how) if how == REDUCE_SEQ and size(n).value != 0 and divides(n, length(xs)):
            arrays = components(xs)
            chunks = zip_of(tuple(Split(n, x) for x in arrays))

            def step(acc: Expr, t: Param) -> Expr:
                return Element(0, Reduce(f, acc, zip_of(parts_of(t, len(arrays))), how))

            return Reduce(fun((z.type, element(chunks)), step), z, chunks, how)
    return None


@rule(Label.REASSOCIATING, "ICFP'15 fig. 6d: the result of a part is one of the elements to combine")
def reduce_flatten(e: Reduce) -> Expr | None:
    """reduce f z (concat(.., reduce f z ys, ..))  ->  reduce f z (concat(.., ys, ..)), parts of a concat ys"""
    match e:
        case Reduce(f, z, Concat(operands=parts), how) if how == REDUCE and is_monoid(f, z):
            found: list[Expr] = []
            for part in parts:
                match part:
                    case Reduce(g, y, Concat(operands=inner), inner_how) if inner_how == REDUCE and (g, y) == (f, z):
                        found += inner
                    case Reduce(g, y, ys, inner_how) if inner_how == REDUCE and (g, y) == (f, z):
                        found.append(ys)
                    case _:
                        found.append(part)
            return None if tuple(found) == tuple(parts) else Reduce(f, z, Concat(*found))
    return None


@rule(Label.EXACT, "z is the neutral element of f")
def reduce_pad(e: Reduce, *, count: Size | int) -> Expr | None:
    """reduce f z xs  ->  reduce f z (concat(xs, repeat m z))"""
    match e:
        case Reduce(f, z, xs, how) if how == REDUCE and is_le(size(0), size(count)) and is_monoid(f, z):
            return Reduce(f, z, Concat(*(xs.operands if isinstance(xs, Concat) else (xs,)), Repeat(count, z)))
    return None
