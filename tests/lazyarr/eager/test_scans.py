"""Eager running sums, in the reference tier and in the one that users have: an overflow is NumPy's."""

from __future__ import annotations

import numpy as np
import pytest

import lazyarr as la


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64"])
@pytest.mark.parametrize("tier", ["auto", "reference"])
@pytest.mark.parametrize("n", [5, 100, 3000])
def test_eager_sums_stay_infinite_from_an_overflow_on(dtype, n, tier):
    la.config(tier=tier)
    x = np.zeros(n, dtype)
    x[:4] = np.array([1, 1, -1, -1]) * np.finfo(dtype).max
    for each, axis in ((x, 0), (np.stack([x, x[::-1]]), 1)):
        with np.errstate(all="ignore"):
            np.testing.assert_array_equal(np.asarray(la.cumsum(la.asarray(each), axis=axis)), np.cumsum(each, axis))
