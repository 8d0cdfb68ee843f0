"""What is stored because its readers would have no vectors: parts of rows of what is computed of parts of rows."""

from __future__ import annotations

import numpy as np
import pytest

from ir.core.expr import Expr, Param, fun
from ir.core.patterns import Join, Map, Slice, Split
from ir.core.types import FLOAT64, array_of
from ir.fusion.partition.kernels import partition
from tests.ir.fusion.graphs import binary, run, unary


def image(rows: int, columns: int) -> Param:
    return Param("image", array_of(FLOAT64, rows * columns))


def part(xs: Expr, of: int, start: int, count: int) -> Expr:
    """Columns of a matrix of so many."""
    return Join(Map(fun(array_of(FLOAT64, of), lambda row: Slice(start, 1, count, row)), Split(of, xs)))


def differences(xs: Expr, columns: int) -> Expr:
    """Of neighbours in each row."""
    return binary("subtract", part(xs, columns, 1, columns - 1), part(xs, columns, 0, columns - 1))


def kernels(root: Expr, by_items: bool = False) -> int:
    return len(partition([root], by_items=by_items).tasks)


@pytest.mark.parametrize("columns", [601, 640, 1000])
def test_what_lies_between_parts_of_rows_is_stored_on_a_cpu(columns):
    x = image(700, columns)
    twice = differences(differences(x, columns), columns - 1)
    parts = partition([twice])
    assert len(parts.tasks) == 2
    values = np.random.default_rng(1).random((700, columns))
    (found,) = run(parts, {"image": values.reshape(-1)})
    np.testing.assert_array_equal(found.reshape(700, -1), np.diff(np.diff(values, axis=1), axis=1))


def test_it_is_computed_again_where_a_launch_takes_longer_or_work_items_have_no_vectors():
    assert kernels(differences(differences(image(20, 30), 30), 29)) == 1
    assert kernels(differences(differences(image(700, 640), 640), 639), by_items=True) == 1


def test_it_is_computed_again_where_an_index_needs_no_quotient():
    line = Param("line", array_of(FLOAT64, 400_000))

    def shifted(xs: Expr, n: int) -> Expr:
        return binary("subtract", Slice(1, 1, n - 1, xs), Slice(0, 1, n - 1, xs))

    assert kernels(shifted(shifted(line, 400_000), 399_999)) == 1
    assert kernels(differences(unary("abs", image(700, 640)), 640)) == 1  # of whole rows
    inner = differences(image(700, 640), 640)
    assert kernels(unary("abs", part(inner, 639, 1, 600))) == 1  # read once


def test_a_border_is_no_further_reading():
    inner = differences(image(700, 640), 640)
    assert kernels(binary("subtract", part(inner, 639, 0, 5), part(inner, 639, 634, 5))) == 1
