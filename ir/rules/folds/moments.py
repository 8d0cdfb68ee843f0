"""Rules on sums of squared distances from a mean: the sum of numbers and that of squares in one reduction.

The distances need the mean first, and so read the numbers twice. The sums s of x - k and q of its squares, for any k,
come from one reading, and give both: the sum is n k + s, and that of squared distances from the mean q - s s / n. What
is lost by subtracting depends on how far k is from the mean. Here it is the first number, so that the square of that
distance is at most n times the variance; and the sums have twice the bits of the numbers, as well as corrections. The
loss is below what rounding the numbers' own distances costs.

Equal numbers have no distances, exactly. If the first number is NaN or infinite, k is 0: infinite and missing numbers
then make both sums what two readings make them.
"""

from __future__ import annotations

from typing import NamedTuple

from ir.core.expr import Expr, Lambda, fun
from ir.core.patterns import MAP, Call, Cast, FromSize, Get, Join, Literal, Map, Reduce, Repeat, Slice, Tuple, Zip
from ir.core.sizes import Size, is_le
from ir.core.types import FLOAT32, FLOAT64, TupleType
from ir.rewrite.rule import Label, rule
from ir.rules.common import element, length, length_of_row, where
from ir.rules.folds.reduced_rows import (
    base_of,
    is_call,
    is_reduction,
    is_reduction_of,
    of_differences,
    over,
    peeled,
    reduced,
    seen,
    shows_each_its_own,
)

__all__ = ["Moments"]

_SOURCE = "Chan, Golub and LeVeque 1983, shifted data"


class Moments(NamedTuple):
    """A sum of the squares of what numbers are apart from their mean: of an array, or of each row.

    Attributes:
        first: the reduction, or reductions of rows, to sums
        numbers: the array, or its rows
        by_rows: are they rows?
    """

    first: Expr
    numbers: Expr
    by_rows: bool

    @classmethod
    def of(cls, e: Expr) -> Moments | None:
        """The sums that stand here; None where none do."""
        whole, reduction = reduced(e)
        if reduction is None or not _adds_numbers(whole, reduction):
            return None
        views, computed = peeled(whole)
        found = of_differences(computed, _squared)
        if found is None:
            return None
        _, numbers, subtrahend = found
        shown, mean = peeled(subtrahend)
        by_rows = reduction.xs is not whole
        sums = _divided(mean, _count(whole, by_rows))
        if sums is None:
            return None
        below, added = peeled(sums)
        numbers = seen(views, numbers)
        same = is_reduction_of(added, "add", numbers, by_rows)
        is_mean = same and shows_each_its_own((*below, *shown, *views), added, by_rows)
        return cls(added, numbers, by_rows) if is_mean else None

    @property
    def base(self) -> Expr:
        """What the numbers are a view of."""
        return base_of(self.first)


def _adds_numbers(whole: Expr, reduction: Reduce) -> bool:
    """Does it add up numbers of 32 bits, of which there is a first one?"""
    if reduction.init.type is not FLOAT32 or not is_reduction(reduction, "add"):
        return False
    return is_le(1, _count(whole, reduction.xs is not whole))


def _count(numbers: Expr, by_rows: bool) -> Size:
    return length_of_row(numbers) if by_rows else length(numbers)


def _squared(e: Expr) -> Expr | None:
    is_square = isinstance(e, Call) and e.op == "multiply" and e.operands[0] is e.operands[1]
    return e.operands[0] if is_square else None


def _divided(e: Expr, count: Size) -> Expr | None:
    """xs of `map (λx. x / n) xs` for n the number of what is added up."""
    if not isinstance(e, Map) or e.how != MAP or not isinstance(e.f, Lambda):
        return None
    (variable,), body = e.f.open()
    return e.xs if is_call(body, "divide", variable, FromSize(count, FLOAT32)) else None


def _near(k: Expr) -> Expr:
    """The first number with twice the bits; 0 if it is not finite."""
    return Cast(where(Call("isfinite", k), k, Literal(0, FLOAT32)), FLOAT64)


def _first(xs: Expr) -> Expr:
    return Slice(0, 1, 1, xs)


def _together(xs: Expr) -> Reduce:
    """s and q of some numbers."""
    zero = Literal(0, FLOAT64)
    z = Tuple(zero, zero)
    add = fun((z.type, z.type), lambda a, b: Tuple(*(Call("add", Get(i, a), Get(i, b)) for i in range(2))))
    first = Join(Map(fun(FLOAT32, lambda k: Repeat(length(xs), k)), _first(xs)))

    def powers(pair: Expr) -> Expr:
        distance = Call("subtract", Cast(Get(0, pair), FLOAT64), _near(Get(1, pair)))
        return Tuple(distance, Call("multiply", distance, distance))

    return Reduce(add, z, Map(fun(TupleType((FLOAT32, FLOAT32)), powers), Zip(xs, first)))


@rule(Label.REASSOCIATING, _SOURCE)
def squares_in_one_reading(e: Join | Reduce) -> Expr | None:
    """reduce (+) 0 (map (λ(x, y). (x - y) * (x - y)) (zip(xs, repeated (map (λs. s / n) (reduce (+) 0 xs)))))
    ->  map (λ(s, q). max (q - s * s / n) 0) (reduce (+, +) (0, 0) (map (λ(x, k). (x - k, (x - k) * (x - k))) (zip(xs,
    repeated (slice 0 1 1 xs)))))      for n >= 1 numbers of 32 bits, in 64 bits; k is 0 where it is not finite

    The same for the sums of all rows of a view, if each is shown the mean of its own numbers.
    """
    found = Moments.of(e)
    if found is None:
        return None
    made = over(found.numbers, found.by_rows, _together)
    n = FromSize(_count(found.numbers, found.by_rows), FLOAT64)

    def of_mean(p: Expr) -> Expr:
        lost = Call("divide", Call("multiply", Get(0, p), Get(0, p)), n)
        return Cast(Call("maximum", Call("subtract", Get(1, p), lost), Literal(0, FLOAT64)), FLOAT32)

    return Map(fun(element(made), of_mean), made)


@rule(Label.REASSOCIATING, _SOURCE)
def sum_with_squares(e: Join | Reduce) -> Expr | None:
    """reduce (+) 0 xs  ->  map (λ((s, q), k). n * k + s) (zip(reduce (+, +) (0, 0) (map (λ(x, k). (x - k, (x - k) *
    (x - k))) (zip(xs, repeated (slice 0 1 1 xs)))), slice 0 1 1 xs))      for n, k and numbers as for
    `squares_in_one_reading`; the same for rows
    """
    whole, reduction = reduced(e)
    if reduction is None or not _adds_numbers(whole, reduction):
        return None
    by_rows = reduction.xs is not whole
    made = Zip(over(whole, by_rows, _together), over(whole, by_rows, _first))
    n = FromSize(_count(whole, by_rows), FLOAT64)

    def added(p: Expr) -> Expr:
        return Cast(Call("add", Call("multiply", n, _near(Get(1, p))), Get(0, Get(0, p))), FLOAT32)

    return Map(fun(element(made), added), made)
