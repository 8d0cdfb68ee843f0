"""Functions given piece by piece against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la
from tests.lazyarr.support import agree, check, values


@pytest.mark.parametrize(("count", "dtype"), [(1, "float64"), (7, "complex64"), (64, "float32")])
@given(seed=st.integers(0, 99))
@settings(max_examples=5)
def test_interp(count, dtype, seed):
    rng = np.random.default_rng(seed)
    xp = np.sort(rng.uniform(0, 9, count))
    fp = values((count,), dtype, seed)
    x = np.concatenate([rng.uniform(-2, 11, 20), xp[:5], [np.nan, np.inf, -np.inf]])
    agree(la.interp(la.asarray(x), xp, fp, -1.0, 5.0), np.interp(x, xp, fp, -1.0, 5.0), 64, x, 20)


def test_interp_of_equal_places_integers_and_numbers():
    xp, fp = np.array([1, 2, 2, 5]), np.array([10, 20, 30, 60])
    x = np.array([[0, 1, 2], [3, 4, 6]], np.int32)
    check(la.interp(la.asarray(x), xp, fp), np.interp(x, xp, fp))
    check(la.interp(3.5, la.asarray(xp), fp), np.interp(3.5, xp, fp))
    steps = np.array([0.0, np.inf, np.inf, 1])
    x = np.array([0.5, 1.0, 1.5, 2.0, 2.5])
    with np.errstate(all="ignore"):
        expected = np.interp(x, np.arange(4), steps)
    check(la.interp(la.asarray(x), np.arange(4), steps), expected)


def test_interp_refuses():
    with pytest.raises(ValueError, match=r"interp: .* \(2,\) and \(3,\)"):
        la.interp(1.0, la.ones(2), la.ones(3))
    with pytest.raises(ValueError, match="interp"):
        la.interp(1.0, la.zeros(0), la.zeros(0))


def test_piecewise():
    for dtype in ("float64", "int32"):
        x = values((3, 5), dtype, 4)
        a = la.asarray(x)
        functions = [lambda v: v * 2, -1, lambda v, k=1: v * v + k]
        for known, lazy in (([x < -3, x > 3], [a < -3, a > 3]), ([x < 0, x < 3], [a < 0, a < 3])):
            check(la.piecewise(a, lazy, functions), np.piecewise(x, known, functions), 2)
            check(la.piecewise(a, lazy, functions[:2]), np.piecewise(x, known, functions[:2]))
        check(la.piecewise(a[0], a[0] > 0, [1, 2]), np.piecewise(x[0], x[0] > 0, [1, 2]))
        check(la.piecewise(a, [a > 0], [functions[2]], k=3), np.piecewise(x, [x > 0], [functions[2]], k=3), 2)
    with pytest.raises(ValueError, match="expected 1 functions, or one more, got 3"):
        la.piecewise(a, [a > 0], [1, 2, 3])


@pytest.mark.parametrize("period", [360, -7.5])
def test_interp_of_a_period(period):
    x = np.array([-180.0, -170, -185, 185, -10, -5, 0, 365, np.nan])
    xp, fp = np.array([190.0, -190, 350, -350]), np.array([5.0, 10, 3, 4])
    agree(la.interp(la.asarray(x), xp, la.asarray(fp), period=period), np.interp(x, xp, fp, period=period), 64, x, 400)
    with pytest.raises(ValueError, match="period not to be zero"):
        la.interp(x, xp, fp, period=0)
