"""Quantiles with weights, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la
from tests.lazyarr.support import agree, seeds, values

pytestmark = pytest.mark.recording

CASES = [("float64", (3, 5), 1), ("float32", (4, 3), 0), ("int32", (7,), None), ("float64", (2, 3, 4), (0, 2))]


@pytest.mark.parametrize("name", ["quantile", "nanquantile", "percentile", "nanpercentile"])
@pytest.mark.parametrize("case", CASES, ids=str)
@given(seed=seeds, keepdims=st.booleans(), holes=st.booleans())
@settings(max_examples=5)
def test_against_numpy(name, case, seed, keepdims, holes):
    dtype, shape, axis = case
    rng = np.random.default_rng(seed)
    x, w = values(shape, dtype, seed), rng.integers(0, 4, shape).astype(float) + 0.125 * (rng.random(shape) < 0.9)
    w.flat[-1] += 1
    if holes and dtype != "int32":
        x[rng.random(shape) < 0.3] = np.nan
    for q in (0.5, [0.0, 0.25, 1.0]):
        at = np.multiply(q, 100 if "percentile" in name else 1)
        keywords = {"axis": axis, "method": "inverted_cdf", "keepdims": keepdims}
        with np.errstate(all="ignore"):
            try:
                expected = getattr(np, name)(x, at, weights=w, **keywords)
            except ValueError:  # a row without weights
                return
        agree(getattr(la, name)(la.asarray(x), at, weights=la.asarray(w), **keywords), expected)


def test_weights_of_an_axis_and_errors():
    x = values((3, 4), "float64", 5)
    w = np.array([0.0, 1, 3])
    expected = np.quantile(x, 0.3, axis=0, weights=w, method="inverted_cdf")
    agree(la.quantile(x, 0.3, axis=0, weights=w, method="inverted_cdf"), expected)
    with pytest.raises(ValueError, match="weights are for the method 'inverted_cdf'"):
        la.quantile(x, 0.5, axis=0, weights=w)
    with pytest.raises(ValueError, match="not to be negative"):
        la.quantile(x, 0.5, axis=0, weights=-w, method="inverted_cdf")
    with pytest.raises(ValueError, match="not all zero"):
        la.quantile(x, 0.5, axis=0, weights=0 * w, method="inverted_cdf")
    with pytest.raises(ValueError, match="do not fit axis"):
        la.quantile(x, 0.5, axis=1, weights=w, method="inverted_cdf")
    with pytest.raises(TypeError, match="an axis is needed"):
        la.percentile(x, 50, weights=w, method="inverted_cdf")


@pytest.mark.parametrize("row", [[0.0] * 4, [np.finfo(float).max] * 4, [1.0, np.inf, 1, 1]])
def test_the_weights_of_one_row_are_checked_for_themselves(row):
    x, w = np.arange(8).reshape(2, 4), np.array([row, [0.5] * 4])
    for xp in (np, la):
        with pytest.raises(ValueError, match="all zero"), np.errstate(all="ignore"):
            xp.quantile(xp.asarray(x), 0.5, axis=1, weights=xp.asarray(w), method="inverted_cdf")
        with np.errstate(over="ignore"):
            enough = row[0] < 2 and np.isfinite(row).all()
            if enough:  # together with the others they are not all zero
                found = xp.quantile(xp.asarray(x), 0.5, weights=xp.asarray(w), method="inverted_cdf")
                assert float(found) == 5
