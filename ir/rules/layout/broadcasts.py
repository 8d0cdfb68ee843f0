"""Rows of arrays that were broadcast or gathered: what a row of them is. All are exact."""

from __future__ import annotations

from ir.core.expr import Expr, Lambda, fun
from ir.core.patterns import MAP, Gather, Join, Map, Repeat, Split, Transpose
from ir.core.sizes import divide_exactly
from ir.core.types import ArrayType
from ir.rewrite.rule import rule
from ir.rules.common import element

__all__: list[str] = []


@rule(source="semantics of transpose and repeat")
def transpose_of_repeat(e: Transpose) -> Expr | None:
    """transpose (repeat k xs)  ->  map (λx. repeat k x) xs"""
    match e:
        case Transpose(Repeat(count, xs)):
            return Map(fun(element(xs), lambda x: Repeat(count, x)), xs)
    return None


@rule(source="semantics of transpose and repeat")
def transpose_of_repeats(e: Transpose) -> Expr | None:
    """transpose (map (λx. repeat k x) xs)  ->  repeat k xs"""
    match e:
        case Transpose(Map(Lambda() as f, xs, how)) if how == MAP:
            (x,), body = f.open()
            if isinstance(body, Repeat) and body.x is x:
                return Repeat(body.count, xs)
    return None


@rule(source="semantics of transpose and repeat")
def repeat_in_one_row(e: Join) -> Expr | None:
    """join (repeat n xs)  ->  join (transpose (repeat n xs))      where xs has one element: there is one row"""
    match e:
        case Join(Repeat(_, xs) as rows) if isinstance(xs.type, ArrayType) and xs.type.length.value == 1:
            return Join(Transpose(rows))
    return None


@rule(source="semantics of transpose")
def transpose_of_transpose(e: Transpose) -> Expr | None:
    """transpose ∘ transpose  ->  id"""
    match e:
        case Transpose(Transpose(xss)):
            return xss
    return None


@rule(source="semantics of transpose, read from right to left")
def transpose_introduction(e: Expr) -> Expr | None:
    """xss  ->  transpose (transpose xss)      for arrays of rows"""
    t = e.type
    if isinstance(e, Transpose) or not isinstance(t, ArrayType) or not isinstance(t.element, ArrayType):
        return None
    return Transpose(Transpose(e))


@rule(source="semantics of split and repeat")
def split_of_repeat(e: Split) -> Expr | None:
    """split k (repeat (k*n) x)  ->  repeat n (repeat k x)"""
    match e:
        case Split(chunk, Repeat(count, x)):
            rows = divide_exactly(count, chunk)
            return None if rows is None else Repeat(rows, Repeat(chunk, x))
    return None


@rule(source="semantics of gather")
def split_after_gather(e: Split) -> Expr | None:
    """split k (gather xs is)  ->  map (λi. gather xs i) (split k is)"""
    match e:
        case Split(chunk, Gather(xs, indices)):
            rows = Split(chunk, indices)
            return Map(fun(element(rows), lambda row: Gather(xs, row)), rows)
    return None


@rule(source="semantics of gather and transpose")
def transpose_after_gather(e: Transpose) -> Expr | None:
    """transpose (map (λi. gather xs i) is)  ->  map (λi. gather xs i) (transpose is)      where xs is not of the row"""
    match e:
        case Transpose(Map(Lambda() as f, rows, how)) if how == MAP:
            (row,), body = f.open()
            if isinstance(body, Gather) and body.indices is row and not body.xs.loose:
                columns = Transpose(rows)
                return Map(fun(element(columns), lambda column: Gather(body.xs, column)), columns)
    return None
