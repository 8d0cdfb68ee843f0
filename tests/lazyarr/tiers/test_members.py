"""`isin` of few test elements, under all tiers."""

import numpy as np
import pytest

import lazyarr as la
from lazyarr.config import configure


@pytest.fixture(autouse=True)
def untuned():
    old = configure(tune="off")
    yield
    configure(**vars(old))


MEMBERS = [
    *[(dtype, "auto") for dtype in ("float64", "float32", "int64", "uint8", "bool", "complex64")],
    ("float64", "reference"), ("float32", "compiled"),
]  # fmt: skip


@pytest.mark.parametrize(("dtype", "tier"), MEMBERS)
def test_membership_among_few(dtype, tier):
    configure(tier=tier)
    a = (np.random.default_rng(3).random(400) * 9).astype("uint8").astype(dtype)
    if a.dtype.kind == "f":
        a[::7] = np.nan
    for tests in ([3], [1, 300, 3], [0.5, 2.0, np.nan], np.arange(16), np.arange(17), [True, False], [2 + 1j, 3]):
        for invert in (False, True):
            for x, own in ((la.asarray(a), a), (la.asarray(a)[::-2] * 1, a[::-2] * 1)):
                found = la.isin(x, la.asarray(np.asarray(tests)), invert=invert)
                np.testing.assert_array_equal(np.asarray(found), np.isin(own, tests, invert=invert))
                assert found.dtype == np.bool_ and found.shape == own.shape
