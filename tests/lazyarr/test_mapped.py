"""`lift.map` of functions that go on with results: of a matrix' rows and columns, of a sorted row, of windows of it.

All are cut into kernels by rules: one that has to be cut further since it cannot be made, with a warning, fails here.
"""

from __future__ import annotations

import numpy as np
import pytest

import lazyarr as la
from lazyarr import lift
from tests import oclgrind
from tests.lazyarr.support import check, values

pytestmark = pytest.mark.filterwarnings("error::lazyarr.errors.CandidateWarning")

A = values((9, 13), "float32", 1)
N = values((3, 5, 7), "float32", 4)

# What a function of matrices makes of results of its rows, and of its columns.
OF_MATRICES = {
    "centred columns": lambda m, x: x - m.mean(x, axis=0, keepdims=True),
    "centred rows": lambda m, x: x - m.mean(x, axis=1, keepdims=True),
    "standardised": lambda m, x: (x - m.mean(x, axis=0)) / (1 + m.std(x, axis=0)),
    "softmax": lambda m, x: (
        m.exp(x - m.max(x, axis=1, keepdims=True))
        / m.sum(m.exp(x - m.max(x, axis=1, keepdims=True)), axis=1, keepdims=True)
    ),
    "the greatest sum": lambda m, x: m.max(m.sum(x, axis=1)),
    "norms and sums": lambda m, x: m.sqrt(m.sum(x * x, axis=1))[:, None] * m.sum(x, axis=1),
    "a product with a product": lambda m, x: x.T @ (x @ x[0]),
    "centred twice, turned": lambda m, x: (
        (x - m.mean(x, axis=1, keepdims=True) + x - m.mean(x, axis=0, keepdims=True)).T
    ),
    "variances of sums": lambda m, x: m.var(m.cumsum(x - m.mean(x, axis=0), axis=0), axis=0),
    "centred and sorted": lambda m, x: m.sort(x - m.mean(x, axis=0), axis=1),
    "squares of both ends": lambda m, x: m.concatenate([x[0], x[-1, ::-1]]) @ m.concatenate([x[0], x[-1, ::-1]]),
}


@pytest.mark.parametrize("name", OF_MATRICES)
def test_functions_of_matrices_go_on_with_results_of_their_rows(name):
    function = OF_MATRICES[name]
    expected = np.stack([function(np, x) for x in N])
    check(lift.map(lambda x: function(la, x), la.asarray(N)), expected, terms=N.size, scale=99)


@pytest.mark.parametrize("shape", [(2, 3, 2), (1, 1, 1)], ids=str)
def test_matrices_of_few_rows_or_columns_are_no_exception(shape):
    x = values(shape, "float64", 5)
    for axis in (0, 1):
        found = lift.map(lambda m, axis=axis: m - la.mean(m, axis=axis, keepdims=True), la.asarray(x))
        check(found, x - x.mean(axis=1 + axis, keepdims=True), terms=x.size, scale=99)


def test_what_lies_one_after_the_other_may_be_reduced():
    found = lift.map(lambda r: la.concat([r, r[::-1]]) - la.max(la.concat([r, la.abs(r)])), la.asarray(A))
    check(found, np.concatenate([A, A[:, ::-1]], axis=1) - np.abs(A).max(axis=1, keepdims=True))


def test_rows_may_be_sorted_again():
    expected = np.sort(np.abs(np.sort(A, axis=1) - A.mean(axis=1, keepdims=True)), axis=1)
    found = lift.map(lambda r: la.sort(la.abs(la.sort(r) - la.mean(r))), la.asarray(A))
    check(found, expected, terms=A.size, scale=99)


@pytest.mark.parametrize(("length", "mode"), [(4, "full"), (4, "same"), (13, "valid"), (19, "full")])
def test_rows_may_be_convolved(length, mode):
    """Also with windows of more elements than are read side by side, and than a row has."""
    w = values((length,), "float64", 6)
    x = A.astype(np.float64)
    expected = np.stack([np.convolve(r, w, mode=mode) for r in x])
    check(lift.map(lambda r: la.convolve(r, la.asarray(w), mode=mode), la.asarray(x)), expected, terms=19, scale=99)


def test_rows_may_be_sorted_after_they_were_convolved():
    w = np.array([1, -2, 0.5], np.float32)
    expected = np.sort(np.stack([np.convolve(np.sort(r), w) for r in A]), axis=1)
    check(
        lift.map(lambda r: la.sort(la.convolve(la.sort(r), la.asarray(w))), la.asarray(A)), expected, terms=3, scale=99
    )


CODE = """
import numpy as np
import lazyarr as la
from lazyarr import lift
la.config(tune="off")
w = la.asarray(np.array([1.0, -2.0, 0.5], np.float32))
x = np.sin(np.arange(30, dtype=np.float32)).reshape(2, 3, 5)
cubes, rows = la.asarray(x), la.asarray(x[0])
found = lift.map(lambda m: (m - la.mean(m, axis=0)) / (2 + la.max(m, axis=1, keepdims=True)), cubes)
expected = (x - x.mean(axis=1, keepdims=True)) / (2 + x.max(axis=2, keepdims=True))
np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-5, atol=1e-6)
found = lift.map(lambda r: la.convolve(la.sort(r), w), rows)
expected = np.stack([np.convolve(np.sort(r), [1.0, -2.0, 0.5]) for r in x[0]])
np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-5, atol=1e-6)
found = lift.map(lambda r: (r - la.mean(r))[:, None] * (r - la.mean(r))[None, :], rows)
centred = x[0] - x[0].mean(axis=1, keepdims=True)
np.testing.assert_allclose(np.asarray(found), centred[:, :, None] * centred[:, None, :], rtol=1e-5, atol=1e-6)
found = lift.map(lambda r: la.histogram(r, bins=4, range=(-0.9, 0.9))[0], rows)
expected = np.stack([np.histogram(r, bins=4, range=(-0.9, 0.9))[0] for r in x[0]])
np.testing.assert_array_equal(np.asarray(found), expected)
y, z = rows, x[0]
for _ in range(60):
    y, z = la.concat([y[:, 1:], y[:, :1]], axis=1).T, np.concatenate([z[:, 1:], z[:, :1]], axis=1).T
np.testing.assert_array_equal(np.asarray(y), z)
"""


@pytest.mark.device
@pytest.mark.sweep
@pytest.mark.skipif(not oclgrind.available(), reason="Oclgrind is not installed")
def test_the_simulator_finds_nothing_wrong():
    assert oclgrind.run(CODE) == ""


REPEATING = {
    "products of centred elements": lambda m, r: (r - m.mean(r))[:, None] * (r - m.mean(r))[None, :],
    "distances to shares": lambda m, r: (r / m.max(r))[:, None] - r[None, :],
    "sums of products": lambda m, r: m.sum(m.abs(r)[None, ::-1] * m.abs(r)[:, None], axis=1),
}


@pytest.mark.parametrize("name", REPEATING)
def test_functions_may_repeat_what_they_make_of_a_row(name):
    function = REPEATING[name]
    check(
        lift.map(lambda r: function(la, r), la.asarray(A)), np.stack([function(np, r) for r in A]), terms=13, scale=99
    )


K = np.random.default_rng(11).integers(-2, 9, (5, 7))


def counted(m, row):
    """How often what the row holds occurs, by their places among nine, negative ones from the end."""
    places = m.zeros(9)
    m.add.at(places, row, row * 0.5 + 1)
    return places


def ranks(m, row):
    places = m.zeros(7, dtype="int64")
    places[m.argsort(row)] = m.arange(7)
    return places * 2 + 1


def written(m, row):
    """A copy of the row with values at three places, one of which is written twice: the last one stays."""
    places = row + 0
    places[m.asarray(np.asarray([4, 0, 4]))] = row[:3] * 2
    return places


SCATTERED = {
    "histogram": (lambda m, row: m.histogram(row, bins=6, range=(-2, 2))[0], "float32"),
    "shares of a histogram": (lambda m, row: m.histogram(row - m.mean(row), bins=6, range=(-2, 2))[0] / 7, "float32"),
    "sums of squares": (lambda m, row: m.sum(counted(m, row) ** 2), "int64"),
    "sorted after": (lambda m, row: m.sort(counted(m, row))[::-1], "int64"),
    "ranks": (ranks, "float32"),
    "written": (written, "float32"),
}


@pytest.mark.parametrize("name", SCATTERED)
def test_functions_may_put_values_to_places(name):
    function, dtype = SCATTERED[name]
    rows = K if dtype == "int64" else values((5, 7), dtype, 6)
    expected = np.stack([function(np, row) for row in rows])
    check(lift.map(lambda row: function(la, row), la.asarray(rows)), expected, terms=9)


def test_functions_of_matrices_may_put_values_to_places_of_their_rows():
    x = np.stack([K, K[::-1] % 9])
    found = lift.map(lambda m: lift.map(lambda row: counted(la, row), m), la.asarray(x))
    check(found, np.stack([[counted(np, row) for row in m] for m in x]), terms=9)
