"""Columns of a matrix that need a number of each of its rows: both from the same blocks of rows (paper 003: ATAX)."""

from __future__ import annotations

from ir.core.expr import Expr, Lambda, fun, postorder
from ir.core.patterns import MAP, REDUCE, Concat, Join, Map, Reduce, Split, Transpose, Zip
from ir.core.sizes import Size, is_le, size
from ir.rewrite.rule import Label, rule
from ir.rules.common import element, is_monoid, length
from ir.rules.folds.reduction import mapped_by
from ir.rules.layout.ragged import cut

__all__: list[str] = []


@rule(Label.REASSOCIATING, "ICFP'15 fig. 6d; paper 003, nested map and reduce: ATAX")
def columns_by_blocks(e: Join, *, rows: Size | int) -> Expr | None:
    """join (map (λx. reduce f z (map g (zip(x, join (map h xss))))) (transpose xss))
    ->  join ∘ map (reduce f z) ∘ transpose (concat(map p (split k xss), map p (split 1 yss)))
        where p = λb. join (map (λx. reduce f z (map g (zip(x, join (map h b))))) (transpose b)), yss are the rows left

    Each block of rows gives numbers of its own and its part of each column.
    """
    match e:
        case Join(Map(Lambda() as columns, Transpose(xss), how)) if how == MAP and is_le(size(1), size(rows)):
            (x,), body = columns.open()
            if not isinstance(body, Reduce) or body.how != REDUCE or not is_monoid(body.f, body.init):
                return None
            f, z, (g, read) = body.f, body.init, mapped_by(body.xs)
            if not isinstance(read, Zip) or any(x in postorder(part) for part in (f, g, z)):
                return None
            own = [None if each is x else _of_rows(each, xss, x) for each in read.operands]
            if not any(own) or any(h is None and each is not x for h, each in zip(own, read.operands, strict=True)):
                return None

            def part(b: Expr) -> Expr:
                numbers, turned = [h and Join(Map(h, b)) for h in own], Transpose(b)

                def column(c: Expr) -> Expr:
                    return Reduce(f, z, Map(g, Zip(*(each or c for each in numbers))))

                return Join(Map(fun(element(turned), column), turned))

            n = length(xss)
            whole, rest = cut(xss, rows * (n // rows))
            blocks = [Split(rows, whole), *([Split(1, rest)] if length(rest).value != 0 else [])]
            parts = [Map(fun(element(each), part), each) for each in blocks]
            found = Transpose(Concat(*parts) if len(parts) > 1 else parts[0])
            return Join(Map(fun(element(found), lambda r: Reduce(f, z, r)), found))
    return None


def _of_rows(e: Expr, xss: Expr, x: Expr) -> Lambda | None:
    """The function of rows that gives an array of numbers, one of each row; None of any other."""
    match e:
        case Join(Map(Lambda() as h, rows, how)) if how == MAP and rows is xss and x not in postorder(h):
            return h
    return None
