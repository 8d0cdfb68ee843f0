"""Python functions along arrays, walks over elements, and windows of arrays, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import lazyarr as la
from lazyarr import config, lift

X = np.arange(24.0).reshape(2, 3, 4) % 7
FUNCTIONS = [lambda row: row.max() - row.min(), lambda row: row[::-1], lambda row: row[:2].reshape(2, 1) * row[:3]]


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_apply_along_axis(function, axis):
    expected = np.apply_along_axis(function, axis, X)
    np.testing.assert_array_equal(np.asarray(la.apply_along_axis(function, axis, la.asarray(X))), expected)


def test_apply_over_axes_and_its_errors():
    expected = np.apply_over_axes(np.sum, X, [0, 2])
    np.testing.assert_array_equal(np.asarray(la.apply_over_axes(la.sum, la.asarray(X), [0, 2])), expected)
    with pytest.raises(ValueError, match="apply_along_axis"):
        la.apply_along_axis(la.sum, 0, la.zeros((3, 0)))


def test_vectorize():
    def f(a, b=2):
        return a + b if a > b else a - b

    for arguments in ((la.asarray([1, 5, 3]), 2), (la.asarray([[1.5], [4.0]]), np.array([1.0, 2.0]))):
        given = [np.asarray(x) for x in arguments]
        expected = np.vectorize(f)(*given)
        found = la.vectorize(f)(*arguments)
        assert isinstance(found, la.Array)
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(np.asarray(found), expected)
    assert la.vectorize(f, otypes=[float])(la.asarray([1, 5])).dtype == np.float64


def test_walks():
    assert [(i, float(v)) for i, v in la.ndenumerate(la.asarray(X[0]))] == list(np.ndenumerate(X[0]))
    assert [float(v) for v in la.nditer(la.asarray(X))] == X.ravel().tolist()
    a, b = X.copy(), la.asarray(X)
    with np.nditer(a, op_flags=["readwrite"]) as walk:
        for x in walk:
            x[...] = 2 * x
    with la.nditer(b[1], op_flags=["readwrite"]) as walk:
        for x in walk:
            x[...] = 2 * x
    np.testing.assert_array_equal(np.asarray(b), np.stack([X[0], a[1]]))


@pytest.mark.parametrize(("window", "axis"), [((2,), (1,)), ((3,), (-1,)), ((2, 2), (0, 2)), ((1, 2, 3), None)])
def test_sliding_windows(window, axis):
    expected = np.lib.stride_tricks.sliding_window_view(X, window, axis)
    found = la.lib.stride_tricks.sliding_window_view(la.asarray(X), window, axis)
    np.testing.assert_array_equal(np.asarray(found), expected)


def test_strides():
    x = np.arange(10.0)
    expected = np.lib.stride_tricks.as_strided(x, (4, 3), (16, 8))
    np.testing.assert_array_equal(np.asarray(la.lib.stride_tricks.as_strided(la.asarray(x), (4, 3), (16, 8))), expected)
    with pytest.raises(ValueError, match="leads out"):
        la.lib.stride_tricks.as_strided(la.asarray(x), (4, 4), (24, 8))
    with pytest.raises(ValueError, match="does not fit"):
        la.lib.stride_tricks.sliding_window_view(la.asarray(x), 11)


def test_frompyfunc_runs_on_the_host_and_is_counted():
    before = config.statistics().get("frompyfunc", 0)
    f = la.frompyfunc(lambda x, y: (x + y, x > y), 2, 2)
    x, y = np.arange(6.0).reshape(2, 3), np.array([2.0, 3, 1])
    total, greater = f(la.asarray(x), y)
    np.testing.assert_array_equal(np.asarray(total), x + y)
    np.testing.assert_array_equal(np.asarray(greater), x > y)
    assert (total.dtype, greater.dtype) == (np.float64, np.bool_)
    assert config.statistics()["frompyfunc"] == before + 1
    with pytest.raises(TypeError, match="expected 2 arguments"):
        f(x)
    with pytest.raises(la.TracingError, match="frompyfunc"):
        lift.jit(lambda a: la.frompyfunc(abs, 1, 1)(a))(la.ones(3))
