"""What NumPy programs are predicted to take."""

from __future__ import annotations

import pytest

from ir.core.expr import fun
from ir.core.patterns import (
    Call,
    Element,
    Get,
    Join,
    Map,
    Repeat,
    Split,
    Transpose,
    Zip,
)
from ir.core.types import FLOAT32, FLOAT64, INT32, ArrayType, ScalarType, TupleType
from ir.cost.thresholds.tiers import NUMPY_ELEMENT_SECONDS
from ir.reference.generate import write
from tests.ir.reference.checks import add, leaf, sum_of


def test_predictions_grow_with_the_work():
    small, large = (write([sum_of(leaf("x", n))], [leaf("x", n)]) for n in (10, 10**6))
    assert small.kernels == large.kernels
    assert 0 < small.seconds < large.seconds / 10


def test_kernels_of_the_turns_of_a_loop_are_the_same():
    x, turns = leaf("x", 1000, FLOAT64), {}
    for count in (10, 20):
        y, sums = x, []
        for _ in range(count):
            total = sum_of(y)
            sums.append(total)
            y = Map(fun(FLOAT64, lambda v, t=total: Call("multiply", v, Element(0, t))), y)
        turns[count] = write([*sums, y], [x])
    assert turns[20].kernels == turns[10].kernels + 10
    assert turns[10].different == turns[20].different < 10


def test_kernels_that_differ_in_what_goes_before_are_not_the_same():
    x, y = leaf("x", 1000), leaf("y", 1000)
    operations = ("exp", "sin", "cos", "sqrt")
    made = [sum_of(Map(fun(FLOAT64, lambda v, op=op: Call(op, v)), x)) for op in operations]
    written = write([*made, sum_of(y)], [x, y])
    assert written.different == written.kernels == 5


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
