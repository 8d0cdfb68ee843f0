"""`lift.slide` against NumPy's sliding windows: shapes, dtypes, layouts, special values, stencils of two dimensions."""

from __future__ import annotations

import operator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la
from lazyarr import lift
from tests import oclgrind
from tests.lazyarr.evaluation import EXAMPLES
from tests.lazyarr.support import agree, check, operands, special, values
from tuner import Outcome

X = values((23,), "float32", 1)
A = values((7, 11), "float64", 2)


def seen(x: np.ndarray, size: int, step: int = 1, axis: int = 0) -> np.ndarray:
    """NumPy's windows along an axis, their elements along the next one."""
    found = np.moveaxis(np.lib.stride_tricks.sliding_window_view(x, size, axis=axis), -1, axis + 1)
    return found[(slice(None),) * axis + (slice(None, None, step),)]


def windows_of_rows_and_columns(x, rows: int, columns: int):
    """`(n, m)` as `(n - rows + 1, m - columns + 1, rows, columns)`."""
    return la.permute_dims(lift.slide(rows, 1, lift.map(lift.slide(columns, 1), x)), (0, 2, 1, 3))


def laplace(u):
    return lift.map(lambda w: w[0] - 2 * w[1] + w[2], lift.slide(3, 1, u))


@pytest.mark.parametrize("size", [2, 5, 8, 16, 17])
def test_functions_that_use_their_variables_several_times(size):
    """Written out for each element they would double with each."""
    x = values((67,), "float32", 8)
    windows = lift.slide(size, 1, la.asarray(x))
    check(lift.map(la.argmax, windows), seen(x, size).argmax(1))
    largest = lift.map(lambda w: lift.reduce(lambda a, b: la.where(la.abs(b) > la.abs(a), b, a), 0, w), windows)
    check(largest, np.take_along_axis(seen(x, size), np.abs(seen(x, size)).argmax(1)[:, None], 1)[:, 0])


@given(data=st.data())
@settings(max_examples=EXAMPLES)
def test_any_shape_and_dtype(data):
    shape = data.draw(st.sampled_from([(1,), (2,), (7,), (13,), (3, 5), (7, 2), (2, 3, 5), (5, 1), (3, 0), (4, 1, 3)]))
    x = data.draw(operands(shape))
    size, step = data.draw(st.integers(1, shape[0])), data.draw(st.integers(1, 4))
    check(lift.slide(size, step, la.asarray(x)), seen(x, size, step))


@pytest.mark.parametrize(("size", "step"), [(3, 1), (5, 2), (23, 3)])
def test_what_is_made_of_windows(size, step):
    x = la.asarray(X)
    windows = lift.slide(size, step, x)
    check(lift.map(lift.reduce(operator.add, 0), windows), seen(X, size, step).sum(1), size, 81)
    weights = values((size,), "float32", 3)
    moved = lift.map(lambda w: lift.reduce(operator.add, 0, lift.map(operator.mul, lift.zip(w, weights))), windows)
    check(moved, (seen(X, size, step) * weights).sum(1), size, 729)
    check(la.sum(windows, 0), seen(X, size, step).sum(0), 23, 81)


def test_windows_along_other_dimensions():
    a = la.asarray(A)
    check(lift.slide(3, 2, a), seen(A, 3, 2))
    check(lift.map(lift.slide(4, 3), a), seen(A, 4, 3, axis=1))
    both = windows_of_rows_and_columns(a, 3, 2)
    expected = np.lib.stride_tricks.sliding_window_view(A, (3, 2))
    check(both, expected)
    kernel = values((3, 2), "float64", 4)
    found = lift.map(lambda r: lift.map(lambda w: la.sum(w * kernel), r), both)
    check(found, (expected * kernel).sum((2, 3)), 6, 729)
    rows = lift.map(lambda r: lift.map(la.max, lift.slide(2, 1, r)), a)
    check(rows, seen(A, 2, axis=1).max(2))


def test_windows_of_windows_and_of_borders():
    u, expected = la.asarray(X), X
    for _ in range(4):
        u, expected = laplace(u), expected[:-2] - 2 * expected[1:-1] + expected[2:]
    check(u, expected, 40, 200)
    padded = np.pad(X, 1, mode="edge")
    check(laplace(la.pad(la.asarray(X), 1, mode="edge")), padded[:-2] - 2 * padded[1:-1] + padded[2:], 4, 81)
    check(la.flip(laplace(la.asarray(X))), (X[:-2] - 2 * X[1:-1] + X[2:])[::-1], 4, 81)


def test_zipped_elements():
    x, y = la.asarray(X), la.asarray(X[::-1] > 0)
    pairs = lift.slide(4, 3, lift.zip(x, y))
    assert pairs.shape == (7, 4)
    chosen = lift.map(lambda w: lift.reduce(operator.add, 0, lift.map(lambda a, b: la.where(b, a, 0), w)), pairs)
    expected = np.where(seen(X[::-1] > 0, 4, 3), seen(X, 4, 3), 0).sum(1, dtype=np.float32)
    check(chosen, expected, 4, 81)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64"])
def test_special_values_go_through(dtype):
    x = special(dtype, 19, 5)
    agree(lift.slide(3, 2, la.asarray(x)), seen(x, 3, 2), 0)
    with np.errstate(all="ignore"):
        agree(lift.map(lambda w: w[0] + w[2], lift.slide(3, 1, la.asarray(x))), x[:-2] + x[2:], what=(x[:-2], x[2:]))


def test_point_free_and_numpy_arrays():
    sums = lift.compose(lift.map(lift.reduce(operator.add, 0)), lift.slide(3, 1))
    check(sums(X), seen(X, 3).sum(1), 3, 27)
    check(lift.slide(np.int64(2), 1, [1, 2, 3]), np.array([[1, 2], [2, 3]]))


def test_refusals():
    x = la.asarray(X)
    for size, step, message in ((0, 1, "size to be 1 or more, got 0"), (3, -1, "step to be 1 or more, got -1")):
        with pytest.raises(ValueError, match=message):
            lift.slide(size, step, x)
    with pytest.raises(ValueError, match=r"lift.slide: expected windows of at most the length 23, got size 24"):
        lift.slide(24, 1, x)
    with pytest.raises(ValueError, match="0-dimensional"):
        lift.slide(1, 1, la.asarray(1.0))
    with pytest.raises(TypeError, match=r"lift.slide: expected size to be a whole number, got 2.5"):
        lift.slide(2.5, 1, x)


@pytest.mark.device
@pytest.mark.parametrize("size", [3, 20])
def test_a_search_finds_no_wrong_candidate(size):
    """Each is compared with the interpreter, on a small instance and on the actual inputs."""
    f = lift.jit(lambda v: lift.map(la.sum, lift.slide(size, 1, v)))
    x = values((499,), "float32", 6)
    (result,) = lift.tune(f, la.asarray(x), seconds=None, trials=5)
    assert {trial.outcome for trial in result.trials} == {Outcome.ok}
    check(f(la.asarray(x)), seen(x, size).sum(1), size, 200)


@pytest.mark.device
@pytest.mark.sweep
@pytest.mark.skipif(not oclgrind.available(), reason="Oclgrind is not installed")
def test_windows_in_the_simulator():
    code = """
import numpy as np
import lazyarr as la
from lazyarr import config, lift
from tests.lazyarr.test_windows import A, X, laplace, seen, windows_of_rows_and_columns
config.configure(tune="off")
x = la.asarray(X)
for size, step in ((3, 1), (5, 3), (20, 1)):
    found = lift.map(la.sum, lift.slide(size, step, x))
    np.testing.assert_allclose(np.asarray(found), seen(X, size, step).sum(1), atol=1e-3)
np.testing.assert_array_equal(np.asarray(lift.slide(4, 3, x)), seen(X, 4, 3))
blocks = windows_of_rows_and_columns(la.asarray(A), 3, 3)
found = lift.map(lambda r: lift.map(la.sum, r), blocks)
np.testing.assert_allclose(np.asarray(found), np.lib.stride_tricks.sliding_window_view(A, (3, 3)).sum((2, 3)))
np.asarray(laplace(laplace(la.pad(x, 2))))
np.testing.assert_allclose(np.asarray(la.convolve(x, X[:4])), np.convolve(X, X[:4]), atol=1e-3)
"""
    assert oclgrind.run(code) == ""
