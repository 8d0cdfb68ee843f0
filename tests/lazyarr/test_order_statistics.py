"""Medians, quantiles and percentiles against NumPy: its methods, axes, dtypes, NaN."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import lazyarr as la
from lazyarr import TracingError, config, lift

pytestmark = pytest.mark.recording

METHODS = (
    "linear", "lower", "higher", "midpoint", "nearest", "inverted_cdf", "averaged_inverted_cdf", "closest_observation",
    "interpolated_inverted_cdf", "hazen", "weibull", "median_unbiased", "normal_unbiased",
)  # fmt: skip


@pytest.fixture(autouse=True, scope="module")
def untuned():
    old = config.configure(tune="off")
    yield
    config.configure(**vars(old))


def matrix(dtype: str) -> np.ndarray:
    """Four rows; of floats with no NaN, one, several and NaNs alone."""
    x = (np.random.default_rng(3).normal(size=(4, 11)) * 30).astype(dtype)
    if x.dtype.kind == "f":
        x[1, 3], x[2, :5], x[3] = np.nan, np.nan, np.nan
    return x


def same(found: la.Array, expected: np.ndarray) -> None:
    expected = np.asarray(expected)
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    np.testing.assert_allclose(np.asarray(found), expected, rtol=8 * np.finfo(np.result_type(expected, "f4")).eps)


@pytest.fixture(autouse=True)
def quiet():
    """NumPy warns of rows that have no numbers."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        yield


@pytest.mark.parametrize("method", METHODS)
def test_methods(method):
    x, q = matrix("float64"), [0.0, 0.3, 0.5, 1.0]
    same(la.quantile(la.asarray(x), q, axis=1, method=method), np.quantile(x, q, axis=1, method=method))


@pytest.mark.parametrize("method", ["linear", "nearest", "closest_observation", "midpoint"])
def test_rows_with_different_numbers_of_elements(method):
    x, q = matrix("float64"), [0.0, 0.3]
    same(la.nanquantile(la.asarray(x), q, axis=1, method=method), np.nanquantile(x, q, axis=1, method=method))


@pytest.mark.parametrize("dtype", ["float32", "int8", "int64"])
def test_dtypes(dtype):
    x = matrix(dtype)
    a = la.asarray(x)
    for q in (30, [20.5, 90]):
        same(la.percentile(a, q, axis=1), np.percentile(x, q, axis=1))
        same(la.percentile(a, q, axis=0, method="lower"), np.percentile(x, q, axis=0, method="lower"))
        same(la.nanpercentile(a, q, axis=1), np.nanpercentile(x, q, axis=1))
    same(la.median(a, axis=1), np.median(x, axis=1))


@pytest.mark.parametrize("axis", [None, 0, (0, 1)])
@pytest.mark.parametrize("keepdims", [False, True])
def test_axes(axis, keepdims):
    x = matrix("float64")
    x[3] = 5
    a = la.asarray(x)
    same(la.median(a, axis, keepdims=keepdims), np.median(x, axis, keepdims=keepdims))
    same(la.nanmedian(a, axis, keepdims=keepdims), np.nanmedian(x, axis, keepdims=keepdims))
    q = [[10, 20.5], [30, 99]]
    same(la.nanpercentile(a, q, axis, keepdims=keepdims), np.nanpercentile(x, q, axis, keepdims=keepdims))


def test_nothing_and_bad_input():
    same(la.median(la.asarray(np.zeros((2, 0))), axis=1), np.array([np.nan, np.nan]))
    with pytest.raises(IndexError, match="quantile: expected elements"):
        la.quantile(np.zeros((2, 0)), 0.5, axis=1)
    with pytest.raises(ValueError, match="percentile: expected q to be 0 to 100, got 101"):
        la.percentile([1.0], 101)
    with pytest.raises(ValueError, match="expected method to be one of 'linear'"):
        la.quantile([1.0], 0.5, method="cubic")
    with pytest.raises(TypeError, match="real numbers"):
        la.quantile([1j], 0.5)
    with pytest.raises(TracingError):
        lift.jit(lambda q: la.quantile(la.asarray([1.0, 2.0]), q))(la.asarray(0.5))
