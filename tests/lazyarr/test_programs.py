"""Programs in NumPy's way that once ended in an error of lazyarr's own, or in a wrong result, each as small as it could
be made: kernels of which something was left that no rule lowered. A candidate that cannot be built fails the test, too.
"""

from __future__ import annotations

import numpy as np
import pytest

import lazyarr as la
from lazyarr import lift
from tests.lazyarr.support import check, values

A = values((9, 13), "float32", 1)
S = values((7, 7), "float32", 2)
V = values((17,), "float64", 3)
N = values((3, 5, 7), "float32", 4)


def neighbours_of_centred_rows(m, x):
    d = x - m.mean(x, axis=1)[:, None]
    return m.sum(d[:, 1:] * d[:, :-1], axis=1)


def turned_and_reversed(m, x):
    for _ in range(4):
        x = (x + x.T) * 0.5 - x[::-1]
    return x


def least_product_of_neighbours(m, x):
    y = x * x
    return m.argmin(y[1:] * y[:-1])


def mean_of_rows_taken_from_a_frame(m, x):
    return m.mean(m.take(m.pad(x[:2, :1], 1), m.asarray([2, 0, 1, 1]), axis=0))


def greatest_of_rows_taken_side_by_side(m, x):
    return m.max(m.take(m.concatenate([x, -x], axis=1), m.asarray([2, 0, 1, 1]), axis=0), axis=1)


def rows_of_one_added_to_every_other(m, x):
    y = x[:8, :1] - m.sum(x[:8, :1], axis=1, keepdims=True)
    z = x[:8, :1] * 1
    z[::-2] = x[0, :1]
    return z + y


PROGRAMS = {
    "neighbours of centred rows": (neighbours_of_centred_rows, A),
    "an array, turned and reversed": (turned_and_reversed, S),
    "least product of neighbours": (least_product_of_neighbours, V),
    "mean of rows taken from a frame": (mean_of_rows_taken_from_a_frame, A),
    "greatest of rows taken side by side": (greatest_of_rows_taken_side_by_side, A),
    "rows of one added to every other": (rows_of_one_added_to_every_other, A),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_is_numpys(name):
    program, x = PROGRAMS[name]
    expected = program(np, x)
    check(program(la, la.asarray(x)), expected, terms=x.size, scale=float(np.abs(expected).max()))
    check(
        lift.jit(lambda x: program(la, x))(la.asarray(x)), expected, terms=x.size, scale=float(np.abs(expected).max())
    )


# What a row's function is, and the same of a matrix with NumPy. A sort is whole before anything reads it.
OF_ROWS = {
    "an element of the sorted row": (lambda r: la.sort(r)[2], lambda x: np.sort(x, axis=1)[:, 2]),
    "a row and the sorted row": (lambda r: la.sort(r) - r, lambda x: np.sort(x, axis=1) - x),
    "the sum of the greatest": (lambda r: la.sum(la.sort(r)[3:]), lambda x: np.sort(x, axis=1)[:, 3:].sum(axis=1)),
    "a centred row sorted": (
        lambda r: la.sort(r - la.mean(r)) * la.max(r),
        lambda x: np.sort(x - x.mean(axis=1, keepdims=True), axis=1) * x.max(axis=1, keepdims=True),
    ),
    "sums of the sorted": (lambda r: la.cumsum(la.sort(r)), lambda x: np.cumsum(np.sort(x, axis=1), axis=1)),
    "sorted twice": (lambda r: la.sort(-la.sort(r)), lambda x: np.sort(-x, axis=1)),
    "sorted in two orders": (lambda r: la.sort(r) + la.sort(-r), lambda x: np.sort(x, axis=1) + np.sort(-x, axis=1)),
    "median": (la.median, lambda x: np.median(x, axis=1)),
    "percentile": (lambda r: la.percentile(r, 30), lambda x: np.percentile(x, 30, axis=1)),
    "taken in order": (lambda r: la.take(r, la.argsort(r)), lambda x: np.sort(x, axis=1)),
}


@pytest.mark.parametrize("name", OF_ROWS)
def test_functions_of_rows_may_sort_and_go_on(name):
    function, expected = OF_ROWS[name]
    check(lift.map(function, la.asarray(A)), expected(A), terms=A.size, scale=99)


def test_functions_of_matrices_may_sort_rows_and_columns():
    x = la.asarray(N)
    check(lift.map(lambda m: la.sort(m, axis=1), x), np.sort(N, axis=2))
    check(lift.map(lambda m: la.sort(m, axis=0)[1], x), np.sort(N, axis=1)[:, 1])
    check(lift.map(lambda m: lift.map(lambda r: la.sort(r)[1], m), x), np.sort(N, axis=2)[:, :, 1])
    check(la.sum(lift.map(lambda m: la.sort(m[:, 0])[1], x)), np.sort(N[:, :, 0], axis=1)[:, 1].sum(), terms=3)
    pairs = lift.map(lambda a: lift.map(lambda b: la.sort(a * b)[1], x[0]), x[1])
    check(pairs, np.sort(N[1][:, None] * N[0], axis=2)[:, :, 1])
