"""What is reduced: an array, or each row of a view of one; and where views show each row what it was reduced to."""

from __future__ import annotations

from collections.abc import Callable

from ir.core.expr import Expr, Lambda, Param, fun
from ir.core.layouts import layouts
from ir.core.patterns import MAP, REDUCE, Call, Get, Join, Map, Reduce, Repeat, Zip
from ir.rules.common import element, is_monoid, length
from ir.rules.exponentials import is_float
from ir.rules.maps.zips import viewed

__all__ = [
    "base_of", "is_call", "is_reduction", "is_reduction_of", "of_differences", "over", "peeled", "reduced", "seen",
    "shows_each_its_own",
]  # fmt: skip


def reduced(e: Expr) -> tuple[Expr, Reduce | None]:
    """What is reduced, an array or rows, and the reduction, of rows that of an opened one; None for others."""
    match e:
        case Reduce(_, _, xs):
            return xs, e
        case Join(Map(Lambda() as of_row, rows, how)) if how == MAP:
            (row,), body = of_row.open()
            return rows, body if isinstance(body, Reduce) and body.xs is row else None
    return e, None


def base_of(e: Expr) -> Expr:
    """What an array is a view of whose numbers, or rows, are reduced."""
    return peeled(reduced(e)[0])[1]


def over(numbers: Expr, by_rows: bool, reduction: Callable[[Expr], Expr]) -> Expr:
    """The reduction of numbers, or of each of their rows."""
    if not by_rows:
        return reduction(numbers)
    return Join(Map(fun(element(numbers), reduction), numbers))


def is_call(e: Expr, op: str, *operands: Expr) -> bool:
    """Is it that primitive of these operands? They may be of types for which there is none."""
    return isinstance(e, Call) and e.op == op and e.operands == operands


def of_differences(e: Expr, argument: Callable[[Expr], Expr | None]) -> tuple[Expr, Expr, Expr] | None:
    """The body g, xs and ys of `map (λ(x, y). g (x - y)) (zip(xs, ys))`, in one map or in two.

    Args:
        argument: what g is applied to; None where the body is none
    """
    if not isinstance(e, Map) or e.how != MAP or not isinstance(e.f, Lambda):
        return None
    (variable,), body = e.f.open()
    inside, below = argument(body), e
    if inside is variable and isinstance(e.xs, Map) and e.xs.how == MAP and isinstance(e.xs.f, Lambda):
        below = e.xs
        (variable,), inside = e.xs.f.open()
    if inside is None or not isinstance(below.xs, Zip) or len(below.xs.operands) != 2:
        return None
    if not is_call(inside, "subtract", Get(0, variable), Get(1, variable)):
        return None
    return (body, *below.xs.operands)


def is_reduction(e: Reduce, op: str) -> bool:
    """Is it the reduction of numbers by a primitive?"""
    if e.how != REDUCE or not isinstance(e.f, Lambda) or not is_float(e.init.type) or not is_monoid(e.f, e.init):
        return False
    body = e.f.open()[1]
    return isinstance(body, Call) and body.op == op


def is_reduction_of(e: Expr, op: str, numbers: Expr, by_rows: bool) -> bool:
    """Is it the reduction of these numbers, or those of these rows, by a primitive?"""
    whole, reduction = reduced(e)
    if reduction is None or whole is not numbers or (reduction.xs is not whole) is not by_rows:
        return False
    return is_reduction(reduction, op)


def peeled(e: Expr) -> tuple[tuple[Expr, ...], Expr]:
    """The views that an array, or reductions, are seen through, the first that is applied first, and what that is."""
    views: list[Expr] = []
    while reduced(e)[1] is None:
        below = e.x if isinstance(e, Repeat) else viewed(e)
        if below is None:
            break
        views.insert(0, e)
        e = below
    return tuple(views), e


def seen(views: tuple[Expr, ...], e: Expr) -> Expr:
    """An array through such views."""
    for view in views:
        e = view._rebuilt((*view.operands[:-1], e))
    return e


def shows_each_its_own(views: tuple[Expr, ...], results: Expr, by_rows: bool) -> bool:
    """Do views of what numbers, or their rows, were reduced to show beside each number the result of its row?"""
    known = Param("results", results.type)
    found = layouts(seen(views, known))
    if len(found) != 1 or len(found[0]) != 1 + by_rows:
        return False
    *rows, within = found[0]
    count = length(known)
    in_order = [] if count.value == 1 or not by_rows else [(count, 1)]
    each = [(extent, stride.value) for level in rows for extent, stride in level]
    return each == in_order and all(stride.value == 0 for _, stride in within)  # results of a square may be turned
