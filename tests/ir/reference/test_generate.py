"""NumPy programs of graphs, compared with the interpreter."""

from __future__ import annotations

import numpy as np
import pytest

from ir.core.expr import Expr, Param, fun
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
    Iterate,
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
from ir.core.semantics.interpreter import interpret
from ir.core.sizes import var
from ir.core.types import BOOL, FLOAT32, FLOAT64, INT32, INT64, ArrayType, ScalarType, TupleType
from ir.cost.thresholds.tiers import COPIES_POOLED_FROM, NUMPY_ELEMENT_SECONDS, TERMS_IN_A_ROW, TURNS_WRITTEN_UP_TO
from ir.reference import calls, folds, source
from ir.reference.calls import accumulated
from ir.reference.generate import NumPyProgram, write
from ir.reference.source import UnwrittenError
from tests.ir.reference.programs import Inputs, flat_program, flat_results
from tests.tiers import by_tier

U32 = ScalarType("uint32")


def leaf(name: str, length: int, t: ScalarType = FLOAT64) -> Param:
    return Param(name, ArrayType(t, length))


def values(*leaves: Param) -> Inputs:
    """Distinct numbers of both signs, in no order."""
    rng = np.random.default_rng(7)
    found: Inputs = {}
    for x in leaves:
        assert isinstance(x.type, ArrayType)
        numbers = rng.permutation(x.type.length.value or 0) - (x.type.length.value or 0) // 3
        found[x] = (numbers * (1.25 if x.type.element in (FLOAT32, FLOAT64) else 1)).astype(str(x.type.element))
    return found


def check(roots: list[Expr], inputs: Inputs) -> NumPyProgram:
    """The program gives what the interpreter gives, and leaves its inputs alone; it is given back."""
    made = write(roots, list(inputs))
    before = [x.copy() for x in inputs.values()]
    with np.errstate(all="ignore"):
        got = made.call(*inputs.values())
    assert all(
        np.array_equal(x, y, equal_nan=x.dtype.kind == "f") for x, y in zip(before, inputs.values(), strict=True)
    )
    for root, found in zip(roots, got, strict=True):
        wanted = np.asarray(interpret(root, inputs))
        assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype), made.text
        assert found.flags.c_contiguous
        if wanted.dtype.kind == "f":
            scale = np.abs(wanted[np.isfinite(wanted)]).max(initial=1.0)
            eps = float(np.finfo(wanted.dtype).eps) * 64 * wanted.size
            np.testing.assert_allclose(found, wanted, rtol=eps, atol=eps * scale, err_msg=made.text)
        else:
            np.testing.assert_array_equal(found, wanted, err_msg=made.text)
    return made


def add(a: Expr, b: Expr) -> Expr:
    return Call("add", a, b)


def sum_of(xs: Expr) -> Expr:
    t = xs.type.element
    return Reduce(fun((t, t), add), Literal(0, t), xs)


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


@pytest.mark.parametrize("name", ["add", "multiply", "minimum", "maximum", "bitwise_and", "bitwise_or", "bitwise_xor"])
@pytest.mark.parametrize("count", [1, 2, 5])
def test_what_is_repeated_is_combined_with_itself(name, count):
    """Of a matrix whose rows are the same, and of one number that is."""
    x = leaf("x", 6, INT32)
    combine = fun((INT32, INT32), lambda a, b: Call(name, a, b))
    init = Literal(3, INT32)
    column, row = ArrayType(INT32, count), ArrayType(ArrayType(INT32, 3), count)
    roots: list[Expr] = [
        Join(Map(fun(column, lambda c: Reduce(combine, init, c)), Transpose(Repeat(count, x)))),
        Reduce(combine, init, Join(Repeat(count, x))),
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


# --- products ---------------------------------------------------------------------------------------------------------


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


# --- what programs are ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "root",
    [
        Reduce(fun((FLOAT64, FLOAT64), add), Literal(0, FLOAT64), leaf("x", TURNS_WRITTEN_UP_TO + 1), REDUCE_SEQ),
        Iterate(
            2,
            var("m", 1),
            fun(ArrayType(FLOAT64, 2 * var("m", 1)), lambda xs: Slice(0, 2, var("m", 1), xs)),
            leaf("x", 4),
        ),
        Repeat(0, Literal(0, FLOAT64)),
        Scatter(
            fun((FLOAT64, FLOAT64), lambda a, b: Call("subtract", a, Call("abs", b))),
            fun(FLOAT64, lambda v: Tuple(Literal(0, INT32), v)),
            leaf("x", 4),
            leaf("x", 4),
        ),
    ],
    ids=["reduceSeq", "iterate", "empty", "scatter"],
)
def test_what_has_no_calls_is_refused(root):
    with pytest.raises(UnwrittenError):
        write([root], [leaf("x", 4), leaf("x", TURNS_WRITTEN_UP_TO + 1)])


def test_equal_statements_are_one_and_dead_ones_none():
    x = leaf("x", 6)
    rows = Split(3, x)

    def centred(r: Expr) -> Expr:
        mean = Element(0, sum_of(r))
        return Map(fun(FLOAT64, lambda e: Call("subtract", e, mean)), r)

    twice = Map(fun(ArrayType(FLOAT64, 3), lambda r: Zip(centred(r), centred(r))), rows)
    made = check(flat_results(twice), values(x))
    assert made.text.count("op_add.reduce") == 1
    assert made.text.count("op_subtract(") == 1
    unused = Map(
        fun(TupleType((FLOAT64, FLOAT64)), lambda p: Get(0, p)), Zip(x, Map(fun(FLOAT64, lambda e: Call("exp", e)), x))
    )
    assert "op_exp" not in check([unused], values(x)).text


def test_memory_of_dead_values_is_used_again():
    x = leaf("x", 4096)
    e: Expr = x
    for name in ("abs", "sqrt", "negative"):
        e = Map(fun(FLOAT64, lambda v, name=name: Call(name, v)), e)
    text = check([e, sum_of(x)], values(x)).text
    assert text.count("out=") == 2  # not over the input
    rows = ArrayType(FLOAT64, 64)
    sums = Join(Map(fun(rows, sum_of), Split(64, e)))
    assert (
        "; del t"
        in check(
            [Map(fun(FLOAT64, lambda v: Call("sqrt", v)), Map(fun(FLOAT64, lambda v: Call("abs", v)), sums))], values(x)
        ).text
    )


def test_bits_of_an_input_are_not_written_to():
    x = leaf("x", 4096, FLOAT32)
    low = Map(fun(FLOAT32, lambda v: Call("bitwise_and", Call("bits", v), Literal(7, U32))), x)
    twice = Map(fun(U32, lambda v: Call("bitwise_xor", v, Literal(3, U32))), low)
    assert check([twice], values(x)).text.count("out=") == 1


def test_results_keep_no_larger_memory_alive():
    x = leaf("x", 1000)
    given = values(x)
    (found,) = write([Slice(10, 1, 5, x)], [x]).call(*given.values())
    assert not np.may_share_memory(found, given[x])
    (whole,) = write([x], [x]).call(*given.values())
    np.testing.assert_array_equal(whole, given[x])


def test_a_long_chain_is_written_iteratively():
    x = leaf("x", 3)
    e: Expr = x
    for _ in range(20000):
        e = Map(fun(FLOAT64, lambda v: Call("negative", v)), e)
    (found,) = write([e], [x]).call(np.array([1.0, -2.0, 3.0]))
    np.testing.assert_array_equal(found, [1.0, -2.0, 3.0])


def test_predictions_grow_with_the_work():
    small, large = (write([sum_of(leaf("x", n))], [leaf("x", n)]) for n in (10, 10**6))
    assert small.kernels == large.kernels
    assert 0 < small.seconds < large.seconds / 10


def folded_rows(rows: int, each: int, t: ScalarType) -> float:
    """What the sums of so many rows are predicted to take."""
    x = leaf("x", rows * each, t)
    return write([Join(Map(fun(ArrayType(t, each), sum_of), Split(each, x)))], [x]).seconds


def test_short_rows_take_longer_to_fold_than_long_ones():
    assert folded_rows(25_000, 4, FLOAT64) > 3 * folded_rows(10, 10_000, FLOAT64)
    assert folded_rows(10, 10_000, FLOAT32) > folded_rows(10, 10_000, INT32)  # carried in float64


def test_columns_take_no_longer_to_fold_the_shorter_they_are():
    def columns(count: int, each: int) -> float:
        x = leaf("x", count * each)
        rows = Transpose(Split(count, x))
        return write([Join(Map(fun(ArrayType(FLOAT64, each), sum_of), rows))], [x]).seconds

    assert columns(25_000, 4) < folded_rows(25_000, 4, FLOAT64) / 3
    assert columns(25_000, 4) < 2 * columns(10, 10_000)


def test_operands_of_different_shapes_are_gone_through_row_by_row():
    def added(rows: int, each: int, again: bool) -> float:
        x, y = leaf("x", rows * each), leaf("y", each)
        ys = Split(each, leaf("z", rows * each)) if again else Repeat(rows, y)
        row = TupleType((ArrayType(FLOAT64, each), ArrayType(FLOAT64, each)))
        pair = TupleType((FLOAT64, FLOAT64))
        total = fun(pair, lambda p: add(Get(0, p), Get(1, p)))
        e = Join(Map(fun(row, lambda r: Map(total, Zip(Get(0, r), Get(1, r)))), Zip(Split(each, x), ys)))
        return write([e], [x, leaf("z", rows * each) if again else y]).seconds

    assert added(25_000, 4, again=False) > added(25_000, 4, again=True)
    assert added(10, 10_000, again=False) < added(10, 10_000, again=True)


@pytest.mark.parametrize("t", [FLOAT32, FLOAT64])
def test_functions_are_predicted_by_dtype(t):
    x = leaf("x", 100_000, t)
    made = write([Map(fun(t, lambda v: Call("exp", v)), x)], [x]).seconds
    negated = write([Map(fun(t, lambda v: Call("negative", v)), x)], [x]).seconds
    each = NUMPY_ELEMENT_SECONDS["function" if t is FLOAT64 else "function of float32"]
    assert made - negated == pytest.approx(100_000 * each)


@pytest.mark.parametrize("small_is_large", [False, True])
def test_random_programs_have_the_interpreters_values(monkeypatch, small_is_large):
    """Also where what is done with large arrays alone is done with these."""
    if small_is_large:
        monkeypatch.setattr(source, "NUMPY_REUSED_FROM", 9)  # no numbers
        monkeypatch.setattr(source, "COPIES_POOLED_FROM", 9)
        monkeypatch.setattr(folds, "TERMS_IN_A_ROW", 1)
        monkeypatch.setattr(folds, "ACCUMULATORS", 1)
        monkeypatch.setattr(calls, "TERMS_IN_A_ROW", 2)
        monkeypatch.setattr(calls, "ACCUMULATORS", 1)
        monkeypatch.setattr(calls, "PRODUCT_ROWS_BYTES", 64)
        monkeypatch.setattr(calls, "_PAIRED_FROM", 1)
        monkeypatch.setattr(calls, "_WIDENED_UP_TO", 0)
    compared = 0
    for seed in range(by_tier(60, 300, 1200)):
        made = flat_program(seed, steps=12)
        if made is None:
            continue
        roots, inputs = made
        try:
            check(roots, inputs)
        except UnwrittenError:
            continue
        compared += 1
    assert compared > by_tier(20, 100, 500)


def test_large_results_lie_in_the_memory_that_is_given_for_them():
    """But for those of operands that lie column by column."""
    xs, ys = (leaf(name, COPIES_POOLED_FROM // 4) for name in ("xs", "ys"))
    inputs = values(xs, ys)
    made = []

    def empty(shape, dtype):
        made.append(np.empty(shape, dtype))
        return made[-1]

    def added(x, y):
        return Map(fun(TupleType((FLOAT64, FLOAT64)), lambda v: Call("add", Get(0, v), Get(1, v))), Zip(x, y))

    for root in (added(xs, ys), added(added(xs, ys), xs)):  # the second sum takes the memory of the first
        made.clear()
        (found,) = write([root], [xs, ys], empty=empty).call(*inputs.values())
        np.testing.assert_array_equal(found, interpret(root, inputs))
        (memory,) = made
        assert np.may_share_memory(found, memory)
    assert source._memory(empty, (3, 2), "<f8", np.ones((3, 2))) is made[-1]
    assert source._memory(empty, (3, 2), "<f8", np.ones((3, 2)), np.ones((2, 3)).T) is None
