"""Columns of a matrix that need a number of each of its rows: both from the same rows (paper 003: ATAX)."""

from __future__ import annotations

from dataclasses import dataclass

from ir.core.expr import Expr, Lambda, fun, postorder
from ir.core.patterns import (
    MAP,
    REDUCE,
    REDUCE_SEQ,
    Concat,
    Element,
    Get,
    Head,
    Join,
    Map,
    Reduce,
    Repeat,
    Split,
    Transpose,
    Zip,
)
from ir.core.sizes import Size, is_le, size
from ir.core.types import ArrayType
from ir.rewrite.rule import Label, rule
from ir.rules.common import divides, element, is_monoid, length
from ir.rules.folds.reduction import mapped_by
from ir.rules.layout.ragged import cut, zero_of

__all__: list[str] = []


@rule(Label.REASSOCIATING, "ICFP'15 fig. 6d; paper 003, nested map and reduce: ATAX")
def columns_by_blocks(e: Join, *, rows: Size | int) -> Expr | None:
    """join (map (λx. reduce f z (map g (zip(x, join (map h xss))))) (transpose xss))
    ->  join ∘ map (reduce f z) ∘ transpose (concat(map p (split k xss), map p (split 1 yss)))
        where p = λb. join (map (λx. reduce f z (map g (zip(x, join (map h b))))) (transpose b)), yss are the rows left

    Each block of rows gives numbers of its own and its part of each column.
    """
    found = _columns_of_rows(e)
    if found is None or not is_le(size(1), size(rows)):
        return None
    n = length(found.xss)
    whole, rest = cut(found.xss, rows * (n // rows))
    blocks = [Split(rows, whole), *([Split(1, rest)] if length(rest).value != 0 else [])]
    parts = [
        Map(fun(element(each), lambda b: Join(found.each(found.numbers(b), Transpose(b)))), each) for each in blocks
    ]
    columns = Transpose(Concat(*parts) if len(parts) > 1 else parts[0])
    return Join(Map(fun(element(columns), lambda r: Reduce(found.f, found.z, r)), columns))


@rule(Label.REASSOCIATING, "ICFP'15 fig. 6d; paper 003, nested map and reduce: ATAX")
def columns_by_rows(e: Join, *, rows: Size | int, items: Size | int) -> Expr | None:
    """join (map (λx. reduce f z (map g (zip(x, join (map h xss))))) (transpose xss))
    ->  head m ∘ join ∘ transpose ∘ element 0 ∘ reduceSeq (λ(as, b). map (λp. map (λq. f q.0 (element 0 (reduce f z
        (map g (zip(q.1, join (map h b))))))) (zip(p.0, p.1))) (zip(as, transpose ∘ split i (concat(transpose b, repeat
        r 0))))) (repeat i (repeat c z)) ∘ split k      for m columns, i * c = m + r

    A turn takes k of the rows, reduces them, and adds their part of each column to its accumulator. These are shared
    out among i work-items: each has every i-th column.
    """
    found = _columns_of_rows(e)
    rows_type = None if found is None else element(found.xss)
    zero = zero_of(rows_type.element) if isinstance(rows_type, ArrayType) else None
    if found is None or zero is None or not is_le(size(1), size(items)) or not divides(rows, length(found.xss)):
        return None
    f, z, m = found.f, found.z, length(Transpose(found.xss))
    each = (m + items - 1) // items
    turns = Split(rows, found.xss)

    def step(accumulators: Expr, b: Expr) -> Expr:
        numbers, columns = found.numbers(b), Transpose(b)
        padded = (
            Concat(columns, Repeat(items * each - m, Repeat(rows, zero))) if (items * each - m).value != 0 else columns
        )

        def added(p: Expr) -> Expr:
            return f(Get(0, p), Element(0, found.column(numbers, Get(1, p))))

        def of_item(p: Expr) -> Expr:
            own = Zip(Get(0, p), Get(1, p))
            return Map(fun(element(own), added), own)

        both = Zip(accumulators, Transpose(Split(items, padded)))
        return Map(fun(element(both), of_item), both)

    begun = Repeat(items, Repeat(each, z))
    done = Join(Transpose(Element(0, Reduce(fun((begun.type, element(turns)), step), begun, turns, REDUCE_SEQ))))
    return done if length(done) is m else Head(m, done)


@dataclass(frozen=True)
class _Columns:
    """`join (map (λx. reduce f z (map g (zip(x, join (map h xss))))) (transpose xss))`

    Attributes:
        numbers: the numbers of some rows, each None for what is the column's own
        column: the reduction of a column with such numbers
    """

    xss: Expr
    f: Lambda
    z: Expr
    g: Lambda
    own: tuple[Lambda | None, ...]

    def numbers(self, b: Expr) -> list[Expr | None]:
        return [h and Join(Map(h, b)) for h in self.own]

    def column(self, numbers: list[Expr | None], c: Expr) -> Reduce:
        return Reduce(self.f, self.z, Map(self.g, Zip(*(each or c for each in numbers))))

    def each(self, numbers: list[Expr | None], columns: Expr) -> Map:
        return Map(fun(element(columns), lambda c: self.column(numbers, c)), columns)


def _columns_of_rows(e: Join) -> _Columns | None:
    """Columns of a matrix that need numbers of its rows."""
    match e:
        case Join(Map(Lambda() as columns, Transpose(xss), how)) if how == MAP:
            (x,), body = columns.open()
            if not isinstance(body, Reduce) or body.how != REDUCE or not is_monoid(body.f, body.init):
                return None
            f, z, (g, read) = body.f, body.init, mapped_by(body.xs)
            if not isinstance(read, Zip) or any(x in postorder(part) for part in (f, g, z)):
                return None
            own = tuple(None if each is x else _of_rows(each, xss, x) for each in read.operands)
            if not any(own) or any(h is None and each is not x for h, each in zip(own, read.operands, strict=True)):
                return None
            assert isinstance(f, Lambda)
            return _Columns(xss, f, z, g, own)
    return None


def _of_rows(e: Expr, xss: Expr, x: Expr) -> Lambda | None:
    """The function of rows that gives an array of numbers, one of each row; None of any other."""
    match e:
        case Join(Map(Lambda() as h, rows, how)) if how == MAP and rows is xss and x not in postorder(h):
            return h
    return None
