"""Sums of exponentials beside the maxima that they need: of which numbers, and on which devices."""

from __future__ import annotations

import numpy as np
import pytest

from ir.core.expr import Expr, Param, fun
from ir.core.patterns import Call, Get, Join, Literal, Map, Reduce, Repeat, Zip
from ir.core.semantics.interpreter import interpret
from ir.core.types import FLOAT32, FLOAT64, ScalarType, TupleType, array_of
from ir.fusion.checks import Checks
from ir.fusion.partition import row_chains
from ir.fusion.partition.kernels import Partition, partition
from ir.fusion.prepare import one_reading
from tests.ir.fusion.graphs import binary, columns, down, greatest, lowered, rows, run, total, unary

SPECIAL = [[np.nan, 1, 2], [np.inf, 1, 2], [-np.inf, 1, 2], [-np.inf, -np.inf, -np.inf], [1e308, -1e308, 0]]
XS = Param("xs", array_of(FLOAT64, 384))
NUMBERS = np.random.default_rng(3).permutation(384) / 7 - 20
RULES = [["normaliser_in_one_reading"], ["maximum_with_exponentials"]]


def below(values: Expr, count: int) -> Expr:
    """A value for each column, repeated along columns of that length; flat."""
    return Join(Repeat(count, values))


LARGEST_OF_COLUMNS = below(columns(XS, 3, greatest), 128)
EXPONENTIALS = unary("exp", binary("subtract", XS, LARGEST_OF_COLUMNS))
SUMS = columns(EXPONENTIALS, 3)
SOFTMAX = binary("divide", EXPONENTIALS, below(SUMS, 128))
LOGARITHM = binary("add", columns(XS, 3, greatest), unary("log", SUMS))
OF_ALL = total(unary("exp", binary("subtract", XS, below(greatest(XS), 384))))
OF_ROWS = rows(unary("exp", binary("subtract", XS, down(rows(XS, 128, greatest), 128))), 128)


@pytest.fixture(autouse=True)
def long_rows(monkeypatch):
    """One row is as short as the graphs have; rows are too long to stay near."""
    monkeypatch.setattr(row_chains, "ONE_ROW_AT_MOST", 1)
    monkeypatch.setattr(row_chains, "ROW_READ_AGAIN_AT_MOST", 1)


def cut(*roots: Expr, by_items: bool = True, inputs: dict | None = None) -> Partition:
    inputs = {"xs": NUMBERS} if inputs is None else inputs
    parts = partition(roots, checks=Checks(), by_items=by_items)
    for actual, root in zip(run(parts, inputs), roots, strict=True):
        np.testing.assert_allclose(actual, interpret(root, inputs), rtol=1e-14)
    return parts


def rules(parts: Partition) -> list[list[str]]:
    """How vertices were rewritten for one reading."""
    found = [[step.rule for step in rewriting.derivation.steps] for rewriting in parts.rewritings]
    return [each for each in found if each in RULES]


@pytest.mark.parametrize(
    ("root", "kernels"),
    [(SOFTMAX, 2), (LOGARITHM, 1), (OF_ALL, 1), (OF_ROWS, 1)],
    ids=["softmax", "logarithm", "of all", "of rows"],
)
def test_maximum_and_sum_are_one_reduction(root, kernels):
    parts = cut(root)
    assert len(parts.tasks) == kernels
    assert rules(parts) == (RULES if root in (SOFTMAX, LOGARITHM) else RULES[:1])  # the maximum is asked for
    lowered(parts, {"xs": NUMBERS})


@pytest.mark.parametrize("numbers", SPECIAL)
def test_special_values_are_those_of_two_readings(numbers):
    with np.errstate(all="ignore"):
        cut(SOFTMAX, LOGARITHM, OF_ALL, inputs={"xs": np.tile(np.asarray(numbers, np.float64), 128)})


def test_other_numbers_are_read_twice():
    minima = columns(XS, 3, lambda xs: Reduce(_of(FLOAT64, "minimum"), Literal(np.inf, FLOAT64), xs))
    others = columns(unary("exp", binary("subtract", XS, below(minima, 128))), 3)
    of_half = columns(unary("exp", binary("subtract", XS, below(columns(_halved(XS), 3, greatest), 128))), 3)
    of_all = columns(unary("exp", binary("subtract", XS, below(greatest(XS), 384))), 3)
    for root in (others, of_half, of_all):
        assert rules(cut(root)) == []


def test_a_maximum_that_is_there_is_not_computed_again():
    largest = columns(XS, 3, greatest)
    parts = partition([SUMS], {largest: Param("known", array_of(FLOAT64, 3))}, by_items=True)
    assert rules(parts) == []


def test_rows_that_stay_near_are_left_alone(monkeypatch):
    monkeypatch.setattr(row_chains, "ROW_READ_AGAIN_AT_MOST", 384)
    assert rules(cut(OF_ROWS)) == []
    assert rules(cut(SUMS)) == RULES[:1]  # columns are not near
    monkeypatch.setattr(row_chains, "ONE_ROW_AT_MOST", 384)
    assert rules(cut(OF_ALL)) == []


def test_short_columns_are_read_twice():
    def of(count: int) -> Expr:
        xs = Param("xs", array_of(FLOAT64, 3 * count))
        largest = below(columns(xs, 3, greatest), count)
        return columns(unary("exp", binary("subtract", xs, largest)), 3)

    assert rules(cut(of(7), inputs={"xs": NUMBERS[:21]})) == []
    assert rules(cut(of(8), inputs={"xs": NUMBERS[:24]})) == RULES[:1]


def test_where_computing_takes_longer_than_reading_numbers_are_read_twice(monkeypatch):
    assert rules(cut(SOFTMAX, by_items=False)) == []
    monkeypatch.setattr(one_reading, "seconds_of_instructions", lambda *_: 0.0)
    assert rules(cut(SOFTMAX, by_items=False)) == RULES


@pytest.mark.parametrize("op", ["exp", "exp2"])
def test_of_other_types_and_functions(op):
    xs = Param("xs", array_of(FLOAT32, 384))
    less = fun(TupleType((FLOAT32, FLOAT32)), lambda p: Call(op, Call("subtract", Get(0, p), Get(1, p))))
    largest = Reduce(_of(FLOAT32, "maximum"), Literal(-np.inf, FLOAT32), xs)
    sums = Reduce(_of(FLOAT32, "add"), Literal(0, FLOAT32), Map(less, Zip(xs, below(largest, 384))))
    assert rules(partition([sums], by_items=True)) == RULES[:1]


def test_a_softmax_of_a_softmax_is_two():
    largest = below(columns(SOFTMAX, 3, greatest), 128)
    again = unary("exp", binary("subtract", SOFTMAX, largest))
    parts = cut(binary("divide", again, below(columns(again, 3), 128)))
    assert [each.times for each in parts.rewritings][:2] == [2, 2]


def _of(t: ScalarType, op: str):
    return fun((t, t), lambda a, b: Call(op, a, b))


def _halved(xs: Expr) -> Expr:
    return Map(fun(FLOAT64, lambda x: Call("multiply", x, Literal(0.5, FLOAT64))), xs)
