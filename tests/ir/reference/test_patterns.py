"""NumPy programs of each pattern, compared with the interpreter."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from ir.core.expr import Expr, fun
from ir.core.patterns import (
    REDUCE_SEQ,
    Call,
    Cast,
    Compact,
    Concat,
    Element,
    FromSize,
    Gather,
    Generate,
    Get,
    Join,
    Literal,
    Map,
    Prefetch,
    Reduce,
    Repeat,
    Scan,
    Scatter,
    Slice,
    Slide,
    Sort,
    Split,
    Transpose,
    Tuple,
    Zip,
)
from ir.core.types import BOOL, FLOAT32, FLOAT64, INT32, INT64, ArrayType, TupleType, Type
from ir.cost.thresholds.tiers import TERMS_IN_A_ROW
from tests.ir.reference.checks import U32, add, check, leaf, sum_of, values
from tests.ir.reference.programs import flat_results

# --- sequential reductions --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 5])
def test_sequential_reductions_are_written_turn_by_turn(n):
    """By functions that are no monoid: of another type, of tuples, of what the maps around have."""
    x, y, i = leaf("x", n), leaf("y", n, FLOAT32), leaf("i", 3 * n, INT32)
    counted = fun((INT32, FLOAT64), lambda at, e: Call("select", Call("less", e, Literal(1, FLOAT64)), add(at, at), at))
    pair = TupleType((FLOAT64, FLOAT32))
    halved = fun(
        (FLOAT64, pair), lambda a, p: Call("subtract", Cast(Get(1, p), FLOAT64), Call("multiply", a, Get(0, p)))
    )
    both = fun((pair, FLOAT32), lambda p, e: Tuple(add(Get(0, p), Cast(e, FLOAT64)), Call("maximum", Get(1, p), e)))

    def below(v: Expr) -> Expr:
        f = fun((INT32, FLOAT64), lambda at, e: Call("select", Call("less", e, Cast(v, FLOAT64)), add(at, v), at))
        return Reduce(f, v, x, REDUCE_SEQ)

    row = ArrayType(INT32, n)
    check(
        [
            Reduce(counted, Literal(1, INT32), x, REDUCE_SEQ),
            Reduce(halved, Literal(0.5, FLOAT64), Zip(x, y), REDUCE_SEQ),
            Join(Map(fun(INT32, below), i)),
            Join(
                Map(
                    fun(row, lambda r: Reduce(fun((INT32, INT32), subtracted), Element(0, r), r, REDUCE_SEQ)),
                    Split(n, i),
                )
            ),
            *flat_results(Reduce(both, Tuple(Literal(2, FLOAT64), Literal(-9, FLOAT32)), y, REDUCE_SEQ)),
        ],
        values(x, y, i),
    )


def subtracted(a: Expr, b: Expr) -> Expr:
    return Call("subtract", b, a)


def even_places(n: int) -> Expr:
    """Half of each even index, and for odd ones what leaves them out of a compact."""
    one, half = Literal(1, INT32), FromSize((n + 1) // 2, INT32)

    def place(k: Expr) -> Expr:
        is_odd = Call("equal", Call("bitwise_and", k, one), one)
        return Call("select", is_odd, half, Call("right_shift", k, one))

    return Generate(n, fun(INT32, place))


# --- each pattern -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 7, 12])
def test_each_pattern_alone(n):
    x, y, i = leaf("x", n), leaf("y", n, FLOAT32), leaf("i", n, INT32)
    given = values(x, y, i)
    pairs = Zip(x, i)
    first = fun(pairs.type.element, lambda p: Get(0, p))
    key = fun(FLOAT64, lambda e: Tuple(Cast(Call("floor", e), U32), e))
    roots: list[Expr] = [
        Map(fun(FLOAT64, lambda e: Call("negative", e)), x),
        Map(fun(FLOAT32, lambda e: Cast(e, FLOAT64)), y),
        Map(
            fun(
                pairs.type.element,
                lambda p: Call("select", Call("less", Get(1, p), Literal(2, INT32)), Get(0, p), Literal(9, FLOAT64)),
            ),
            pairs,
        ),
        Map(first, pairs),
        Repeat(5, Element(n - 1, x)),
        Repeat(3, Literal(True, BOOL)),
        Generate(n, fun(INT64, lambda k: Call("multiply", k, k))),
        Map(fun(FLOAT64, lambda e: Call("add", e, FromSize(4, FLOAT64))), x),
        sum_of(x),
        sum_of(y),
        sum_of(i),
        Reduce(fun((INT32, INT32), lambda a, b: Call("maximum", a, b)), Literal(-100, INT32), i),
        Scan(fun((FLOAT32, FLOAT32), add), Literal(2, FLOAT32), y),
        Scan(fun((INT32, INT32), lambda a, b: Call("minimum", a, b)), Literal(3, INT32), i),
        Concat(x, Repeat(2, Literal(1, FLOAT64)), x),
        Slice(n - 1, -1, n, x),
        Slice(0, 2, (n + 1) // 2, x),
        Slice(n - 1, 0, 4, x),
        Join(Slide(max(1, n // 2), 1, x)),
        Gather(x, i),
        Scatter(fun((FLOAT64, FLOAT64), lambda a, b: b), fun(TupleType((INT32, FLOAT64)), lambda p: p), x, Zip(i, x)),
        Scatter(fun((FLOAT64, FLOAT64), add), fun(TupleType((INT32, FLOAT64)), lambda p: p), x, Zip(i, x)),
        Sort(5, key, x),
        Compact((n + 1) // 2, Zip(even_places(n), x)),
        Compact(n, Zip(Generate(n, fun(INT32, lambda k: Call("subtract", FromSize(n - 1, INT32), k))), x)),
        Prefetch(1, x),
    ]
    for root in roots:
        check([root], given)
    check(roots, given)


@pytest.mark.parametrize(("n", "m"), [(1, 1), (1, 5), (5, 1), (2, 3), (7, 4)])
def test_rows_and_columns(n, m):
    x, v, w, i = leaf("x", n * m), leaf("v", m), leaf("w", n), leaf("i", n * m, INT32)
    given = values(x, v, w, i)
    matrix = Split(m, x)
    row = ArrayType(FLOAT64, m)
    plus = fun((FLOAT64, FLOAT64), add)
    pair = TupleType((row, FLOAT64))
    roots: list[Expr] = [
        Join(Transpose(matrix)),
        Join(Map(fun(row, sum_of), matrix)),
        Join(Map(fun(ArrayType(FLOAT64, n), sum_of), Transpose(matrix))),
        Join(Map(fun(row, lambda r: Scan(plus, Literal(0, FLOAT64), r)), matrix)),
        Join(
            Map(fun(row, lambda r: Map(fun(FLOAT64, lambda e: Call("subtract", e, Element(0, sum_of(r)))), r)), matrix)
        ),
        Join(
            Map(
                fun(
                    row,
                    lambda r: Map(fun(TupleType((FLOAT64, FLOAT64)), lambda p: add(Get(0, p), Get(1, p))), Zip(r, v)),
                ),
                matrix,
            )
        ),
        Join(
            Map(
                fun(pair, lambda p: Map(fun(FLOAT64, lambda e: Call("multiply", e, Get(1, p))), Get(0, p))),
                Zip(matrix, w),
            )
        ),
        Join(Map(fun(row, lambda r: Gather(r, Slice(0, 1, m, i))), matrix)),
        Join(
            Map(
                fun(TupleType((row, ArrayType(INT32, m))), lambda p: Gather(Get(0, p), Get(1, p))),
                Zip(matrix, Split(m, i)),
            )
        ),
        Join(Map(fun(ArrayType(INT32, m), lambda k: Gather(v, k)), Split(m, i))),
        Join(Map(fun(row, lambda r: Sort(4, fun(FLOAT64, lambda e: Tuple(Cast(Call("abs", e), U32), e)), r)), matrix)),
        Join(Repeat(3, Join(Transpose(matrix)))),
        Join(Transpose(Repeat(3, x))),
        Join(Concat(matrix, matrix, Repeat(2, v))),
        Join(Transpose(Concat(Transpose(matrix), Repeat(2, w)))),
        Join(Map(fun(row, lambda r: Concat(r, Slice(m - 1, -1, m, r))), matrix)),
        Slice(m - 1, m, n, Join(matrix)) if n > 1 else x,
        Join(Map(fun(row, lambda r: Join(Slide(m, 1, r))), matrix)),
        Slice(0, 1, n, Join(Transpose(matrix))),
    ]
    for root in roots:
        check([root], given)
    check(roots, given)


@pytest.mark.parametrize("n", [2, 3, 4])
def test_what_lies_on_other_axes_is_not_the_same(n):
    """The rows of a vector and its columns are one variable, and so are repeated rows and repeated elements."""
    x = leaf("x", n)
    rows, columns = Repeat(n, x), Map(fun(FLOAT64, lambda a: Repeat(n, a)), x)
    row = ArrayType(FLOAT64, n)

    def beside(a: Expr, b: Expr) -> Expr:
        return Concat(Repeat(1, a), Repeat(1, b))

    def zipped(f: Callable[[Expr, Expr], Expr], a: Expr, b: Expr, t: Type) -> Expr:
        return Map(fun(TupleType((t, t)), lambda p: f(Get(0, p), Get(1, p))), Zip(a, b))

    by_rows = zipped(lambda r, s: zipped(beside, r, s, FLOAT64), rows, columns, row)
    same = zipped(lambda r, s: zipped(beside, r, s, FLOAT64), columns, columns, row)
    flat = zipped(beside, Join(rows), Join(columns), FLOAT64)
    given = values(x)
    for root, joined in ((Join(Join(by_rows)), True), (Join(Join(same)), False), (Join(flat), True)):
        assert ("concatenate" in check([root], given).text) == joined


@pytest.mark.parametrize("name", ["add", "multiply", "minimum", "maximum", "bitwise_and", "bitwise_or", "bitwise_xor"])
@pytest.mark.parametrize("count", [1, 2, 5])
def test_what_is_repeated_is_combined_with_itself(name, count):
    """Of a matrix whose rows are the same, one whose rows come again, and of one number that is."""
    x = leaf("x", 6, INT32)
    combine = fun((INT32, INT32), lambda a, b: Call(name, a, b))
    init = Literal(3, INT32)
    column, row = ArrayType(INT32, count), ArrayType(ArrayType(INT32, 3), count)
    columns = ArrayType(INT32, 3 * count)
    roots: list[Expr] = [
        Join(Map(fun(column, lambda c: Reduce(combine, init, c)), Transpose(Repeat(count, x)))),
        Reduce(combine, init, Join(Repeat(count, x))),
        Join(Map(fun(columns, lambda c: Reduce(combine, init, c)), Transpose(Join(Repeat(count, Split(2, x)))))),
        Reduce(combine, init, Repeat(count, Element(4, x))),
        Join(Map(fun(column, lambda c: Scan(combine, init, c)), Transpose(Repeat(count, x)))),
        Join(
            Map(
                fun(row, lambda r: Reduce(combine, init, Join(r))),
                Map(fun(ArrayType(INT32, 3), lambda r: Repeat(count, r)), Split(3, x)),
            )
        ),
    ]
    for root in roots:
        check([root], values(x))


@pytest.mark.parametrize(("window", "step"), [(1, 1), (2, 1), (3, 2), (5, 3), (12, 1), (7, 5)])
def test_windows_of_rows_and_columns(window, step):
    x = leaf("x", 36)
    matrix = Split(12, x)

    def within(xs: Expr) -> Expr:
        return Map(fun(ArrayType(FLOAT64, 12), lambda r: Join(Slide(window, step, r))), xs)

    roots: list[Expr] = [
        Join(Slide(window, step, Slice(3, 2, 12, x))),
        Join(within(matrix)),
        Join(Transpose(within(matrix))),
        Join(within(Transpose(Split(3, x)))),
        Join(Join(Slide(min(window, 3), step, matrix))),
        Join(Slide(window, step, Repeat(12, Element(5, x)))),
    ]
    for root in roots:
        check([root], values(x))


def test_functions_of_tuples_fold_by_halves():
    n = 11
    x = leaf("x", n)
    pairs = Zip(x, Generate(n, fun(INT32, lambda k: k)))
    t = pairs.type.element

    def greater(a: Expr, b: Expr) -> Expr:
        test = Call("greater", Get(0, b), Get(0, a))
        return Tuple(*[Call("select", test, Get(k, b), Get(k, a)) for k in (0, 1)])

    init = Tuple(Literal(-np.inf, FLOAT64), Literal(-1, INT32))
    best = Reduce(fun((t, t), greater), init, pairs)
    scanned = Scan(fun((t, t), greater), init, pairs)
    check([*flat_results(best), *flat_results(scanned)], values(x))


def test_functions_that_take_components_apart_fold_by_their_primitives():
    n = 2 * TERMS_IN_A_ROW + 3
    x, y = leaf("x", n), leaf("y", n, INT32)
    pairs = Zip(x, y)
    t = pairs.type.element

    def apart(a: Expr, b: Expr) -> Expr:
        return Tuple(Call("add", Get(0, a), Get(0, b)), Call("maximum", Get(1, b), Get(1, a)))

    def crossed(a: Expr, b: Expr) -> Expr:
        return Tuple(Call("add", Get(0, b), Get(0, b)), Call("maximum", Get(1, b), Get(1, a)))

    init = Tuple(Literal(2.0, FLOAT64), Literal(-1, INT32))
    folds_ = [make(fun((t, t), apart), init, pairs) for make in (Reduce, Scan)]
    made = check([part for fold in folds_ for part in flat_results(fold)], values(x, y))
    assert made.text.count("reduce(") + made.text.count("accumulate(") + made.text.count("accumulated(") == 4
    made = check(flat_results(Reduce(fun((t, t), crossed), init, pairs)), values(x, y))
    assert "reduce(" not in made.text
    few = Zip(Slice(0, 1, 9, x), Slice(0, 1, 9, y))
    made = check(flat_results(Reduce(fun((t, t), apart), init, few)), values(x, y))
    assert "reduce(" not in made.text  # by halves
