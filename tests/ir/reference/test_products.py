"""NumPy programs of sums of products, compared with the interpreter."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from ir.core.expr import Expr, fun
from ir.core.patterns import (
    Call,
    Get,
    Join,
    Literal,
    Map,
    Scan,
    Slice,
    Split,
    Transpose,
    Zip,
)
from ir.core.types import FLOAT32, FLOAT64, ArrayType, TupleType
from ir.cost.thresholds.tiers import TERMS_IN_A_ROW
from ir.reference.calls import accumulated
from tests.ir.reference.checks import add, check, leaf, sum_of, values


@pytest.mark.parametrize("t", [FLOAT32, FLOAT64])
@pytest.mark.parametrize(("m", "k", "n"), [(3, 5, 4), (1, 7, 2), (6, 1, 3), (2, 8, 1), (4, 6, 5)])
def test_sums_of_products_are_products_of_matrices(t, m, k, n):
    a, b = leaf("a", m * k, t), leaf("b", k * n, t)
    columns = Transpose(Split(n, b))

    def dot(r: Expr, c: Expr) -> Expr:
        return sum_of(Map(fun(TupleType((t, t)), lambda p: Call("multiply", Get(0, p), Get(1, p))), Zip(r, c)))

    by_rows = Map(
        fun(ArrayType(t, k), lambda r: Join(Map(fun(ArrayType(t, k), lambda c: dot(r, c)), columns))), Split(k, a)
    )
    made = check([Join(by_rows)], values(a, b))
    assert ("matmul" in made.text) == (k > 1)
    vectors, large = m == 1 or n == 1, m > 3 and n > 3
    work = "product with vectors" if vectors else "library product" if large else f"product of {t}"
    assert list(made.works) == ([work] if k > 1 else [])
    assert all(0 < done.seconds < made.seconds and done.kernels == 1 for done in made.works.values())


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 0, 2), (0, 2, 1), (2, 0, 1), (1, 2, 0), (2, 1, 0)])
def test_products_are_summed_along_the_dimension_that_is_asked_for(order):
    """Of products whose dimensions were transposed before, and of those that were not, which are one variable."""
    x, y = leaf("x", 6), leaf("y", 12)

    def rows(f: Callable[[Expr], Expr], xs: Expr) -> Expr:
        assert isinstance(xs.type, ArrayType)
        return Map(fun(xs.type.element, f), xs)

    def multiplied(r: Expr, s: Expr) -> Expr:
        return rows(lambda p: Call("multiply", Get(0, p), Get(1, p)), Zip(r, s))

    products = rows(lambda r: rows(lambda s: multiplied(r, s), Split(3, y)), Split(3, x))
    turned, axes = products, [0, 1, 2]
    for at in (0, 1, 0):  # neighbours are exchanged until the axes are in order
        if order.index(axes[at]) > order.index(axes[at + 1]):
            turned = rows(Transpose, turned) if at else Transpose(turned)
            axes[at : at + 2] = axes[at + 1], axes[at]
    assert axes == list(order)
    both = [Join(Join(rows(lambda m: rows(sum_of, m), xs))) for xs in (products, turned)]
    for roots in ([both[1]], both, both[::-1]):
        made = check(roots, values(x, y))
        assert "matmul" in made.text or "reduce" in made.text


@pytest.mark.parametrize("t", [FLOAT32, FLOAT64])
@pytest.mark.parametrize("k", [64, 65, 512, 513, 40000])
def test_a_long_sum_of_products_is_formed_in_parts(t, k):
    a, b, v = leaf("a", 5 * k, t), leaf("b", 15 * k, t), leaf("v", k, t)
    pair = TupleType((t, t))

    def dot(r: Expr, c: Expr) -> Expr:
        return sum_of(Map(fun(pair, lambda p: Call("multiply", Get(0, p), Get(1, p))), Zip(r, c)))

    def by_rows(xs: Expr) -> Expr:
        return Join(Map(fun(ArrayType(t, k), lambda r: dot(r, v)), xs))

    def with_columns(r: Expr, m: Expr) -> Expr:
        return Join(Map(fun(ArrayType(t, k), lambda c: dot(r, c)), m))

    batch = TupleType((ArrayType(t, k), ArrayType(ArrayType(t, k), 3)))
    both = Zip(Split(k, a), Split(3, Split(k, b)))
    roots = [
        dot(Slice(0, 1, k, a), Slice(0, 1, k, b)),
        by_rows(Split(k, a)),
        by_rows(Transpose(Split(5, a))),
        with_columns(v, Split(k, b)),
        Join(Map(fun(batch, lambda p: with_columns(Get(0, p), Get(1, p))), both)),
    ]
    for root in roots:
        made = check([root], values(a, b, v))
        assert ("dotted" in made.text) == (k > (64 if t is FLOAT32 else 512)), made.text


@pytest.mark.parametrize("n", [1, 2, 7, 8, 9, 63, 64, 65, 100, 1000, 20000])
def test_sums_of_float64_are_formed_in_pairs_and_blocks(n):
    x = leaf("x", 3 * n)
    plus = fun((FLOAT64, FLOAT64), add)
    column, row = ArrayType(FLOAT64, n), ArrayType(FLOAT64, 3)
    columns = Transpose(Split(3, x))
    roots = [
        Join(Map(fun(column, sum_of), columns)),
        Join(Map(fun(column, lambda c: Scan(plus, Literal(2, FLOAT64), c)), columns)),
        Join(Map(fun(row, lambda r: Scan(plus, Literal(2, FLOAT64), r)), Split(3, x))),
        Scan(plus, Literal(-1, FLOAT64), x),
        sum_of(Join(columns)),
    ]
    for root in roots:
        made = check([root], values(x))
        if n > TERMS_IN_A_ROW:
            assert "op_add.reduce" not in made.text or root is roots[-1]
            assert "op_add.accumulate" not in made.text


def test_sums_of_infinities_and_zeros_are_numpys():
    """Also where they are formed otherwise than NumPy does."""
    for numbers in ([np.inf] * 20, [-0.0] * 20, [1.0] * 9 + [np.inf, -np.inf] + [0.0] * 9, [np.nan] + [1.0] * 30):
        x = np.array(numbers)
        with np.errstate(invalid="ignore"):
            found, want = accumulated(x, 0), np.cumsum(x)
        np.testing.assert_array_equal(found, want)
        np.testing.assert_array_equal(np.signbit(found), np.signbit(want))
