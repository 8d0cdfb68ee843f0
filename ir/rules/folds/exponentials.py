"""Rules on sums of exponentials: the maximum and the sum of what numbers are less than it in one reduction."""

from __future__ import annotations

from typing import NamedTuple

from ir.core.expr import Expr, Lambda, fun
from ir.core.patterns import REDUCE, Call, Get, Join, Map, Reduce, Tuple
from ir.core.types import ScalarType, TupleType
from ir.rewrite.rule import Label, rule
from ir.rules.common import divides, element, is_monoid, length
from ir.rules.compensation import no_corrections, plain_part
from ir.rules.exponentials import (
    EXPONENTIALS,
    added,
    adds,
    exponential,
    no_exponentials,
    number_of,
    of_block,
    total,
)
from ir.rules.folds.reduced_rows import (
    base_of,
    is_reduction,
    is_reduction_of,
    of_differences,
    over,
    peeled,
    reduced,
    seen,
    shows_each_its_own,
)
from ir.rules.folds.reduction import in_columns

__all__ = ["Normaliser", "added_by"]


class Normaliser(NamedTuple):
    """A sum of the exponentials of what numbers are less than their maximum: of an array, or of each row.

    Attributes:
        op: the exponential function
        first: the reduction, or reductions of rows, to maxima
        numbers: the array, or its rows
        by_rows: are they rows?
    """

    op: str
    first: Expr
    numbers: Expr
    by_rows: bool

    @classmethod
    def of(cls, e: Expr) -> Normaliser | None:
        """The sums that stand here; None where none do."""
        whole, reduction = reduced(e)
        if reduction is None or not is_reduction(reduction, "add"):
            return None
        views, computed = peeled(whole)
        found = of_differences(computed, _exponent)
        if found is None:
            return None
        body, numbers, subtrahend = found
        assert isinstance(body, Call)
        shown, maxima = peeled(subtrahend)
        numbers, by_rows = seen(views, numbers), reduction.xs is not whole
        same = is_reduction_of(maxima, "maximum", numbers, by_rows)
        is_maximum = same and shows_each_its_own((*shown, *views), maxima, by_rows)
        return cls(body.op, maxima, numbers, by_rows) if is_maximum else None

    @property
    def base(self) -> Expr:
        """What the numbers are a view of."""
        return base_of(self.first)

    def together(self) -> Expr:
        """The accumulators of the numbers, or of each row."""
        return over(self.numbers, self.by_rows, lambda xs: _of_numbers(self.op, xs))


def _exponent(e: Expr) -> Expr | None:
    return e.operands[0] if isinstance(e, Call) and e.op in EXPONENTIALS else None


def _of_numbers(op: str, xs: Expr) -> Reduce:
    t = element(xs)
    assert isinstance(t, ScalarType)
    z = no_exponentials(t)
    add = fun((z.type, z.type), lambda a, b: added(op, a, b))
    return Reduce(add, z, Map(fun(t, lambda x: exponential(op, x)), xs))


@rule(Label.REASSOCIATING, "Milakov and Gimelshein 2018, online softmax")
def normaliser_in_one_reading(e: Join | Reduce) -> Expr | None:
    """reduce (+) 0 (map (λ(x, y). exp (x - y)) (zip(xs, repeated (reduce maximum (-inf) xs))))
    ->  map (λ(m, r, s). s * exp (r - m)) (reduce ⊕ (-inf, r (-inf), 0) (map (λx. (x, r x, exp (x - r x))) xs))
    where r x is the multiple of 16 nearest to x, and at least the least number, and
    (m, r, s) ⊕ (n, q, t) = (max m n, max r q, s * exp (min 0 (r - q)) + t * exp (min 0 (q - r)))

    The same for the sums of all rows of a view, if each is shown the maximum of its own numbers.
    """
    found = Normaliser.of(e)
    if found is None:
        return None
    made = found.together()
    t = element(made)
    assert isinstance(t, TupleType)
    return Map(total(found.op, t), made)


@rule(Label.EXACT, "Milakov and Gimelshein 2018, online softmax")
def maximum_with_exponentials(e: Join | Reduce, *, op: str) -> Expr | None:
    """reduce maximum (-inf) xs  ->  map (λ(m, r, s). m) (reduce ⊕ (-inf, r (-inf), 0) (map (λx. (x, r x, exp (x - r
    x))) xs))      for ⊕ and r of `normaliser_in_one_reading`; the same for the maxima of rows
    """
    whole, reduction = reduced(e)
    if reduction is None or op not in EXPONENTIALS or not is_reduction(reduction, "maximum"):
        return None
    made = over(whole, reduction.xs is not whole, lambda xs: _of_numbers(op, xs))
    return Map(fun(element(made), lambda p: Get(0, p)), made)


@rule(Label.REASSOCIATING, "ICFP'15 fig. 6d; a sum times a number")
def exponentials_in_blocks(e: Reduce, *, ways: int) -> Expr | None:
    """reduce ⊕ z ∘ map (λx. (f x, r (f x), exp (f x - r (f x))))
    ->  reduce ⊕ z ∘ map (λp. let m = max (f p.0) (f p.1) in (m, r m, exp (f p.0 - r m) + exp (f p.1 - r m))) ∘ zip of
    columns      for ⊕ and r of `normaliser_in_one_reading`

    The columns are those of `split u`. Where the accumulators have corrections, those of a block are none.
    """
    match e:
        case Reduce(Lambda() as f, z, xs, how) if (
            how == REDUCE and ways > 1 and divides(ways, length(xs)) and is_monoid(f, z)
        ):
            op = added_by(f)
            g, rows = in_columns(xs, ways)
            if op is None:
                return None

            def block(row: Expr) -> Expr:
                return _block(op, [g(Get(i, row)) for i in range(ways)])

            made = g.open()[1]
            return Reduce(f, z, Map(fun(element(rows), block), rows)) if _number(op, made) is not None else None
    return None


def added_by(f: Lambda) -> str | None:
    """The exponential function of the accumulators that a function adds, which may have corrections."""
    (a, b), body = f.open()
    plain = plain_part(body, a, b)
    return adds(body, a, b) if plain is None else adds(plain, Get(0, a), Get(0, b))


def _number(op: str, e: Expr) -> Expr | None:
    """The number of whose exponential this is the accumulator, which may have no corrections; None of others."""
    plain, exact = _without_corrections(e)
    return number_of(op, plain) if exact is None or exact is no_corrections(plain.type, (2,)) else None


def _without_corrections(e: Expr) -> tuple[Expr, Expr | None]:
    """The accumulator, and what it is corrected by if it can be."""
    return (e.operands[0], e.operands[1]) if isinstance(e, Tuple) and len(e.operands) == 2 else (e, None)


def _block(op: str, values: list[Expr]) -> Expr:
    numbers = [x for x in (_number(op, value) for value in values) if x is not None]
    exact = _without_corrections(values[0])[1]
    made = of_block(op, numbers)
    return made if exact is None else Tuple(made, exact)
