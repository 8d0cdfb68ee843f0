"""Large arrays that one call of NumPy's computes, and the same by kernels."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import lazyarr as la
from lazyarr import config, lift
from tests.lazyarr.support import check, values


@pytest.fixture(params=["reference", "compiled"])
def tier(request: pytest.FixtureRequest) -> Iterator[str]:
    before = config.configure(tier=request.param, tune="off")
    yield request.param
    config.configure(**vars(before))


# --- reductions from index to index -----------------------------------------------------------------------------------


def _indices(extent: int) -> list[np.ndarray]:
    rng = np.random.default_rng(extent)
    return [np.sort(rng.choice(extent, extent // 9, replace=False)), rng.integers(0, extent, 11), np.array([0])]


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float32", "float64", "complex64"])
@pytest.mark.parametrize("name", ["add", "maximum", "multiply"])
def test_large_arrays_are_reduced_from_index_to_index(name, dtype):
    x = values((90, 300), dtype, 1)
    if name == "multiply" and x.dtype.kind in "fc":
        x = 1 + x / (100 * np.abs(x).max())
    f, numpys = getattr(la, name), getattr(np, name)
    before = config.configure(tier="reference")
    for axis, ours, theirs in ((0, la.asarray(x), x), (-1, la.asarray(x), x), (1, la.asarray(x)[::-1].T, x[::-1].T)):
        for at in _indices(theirs.shape[axis]):
            check(f.reduceat(ours, at, axis), numpys.reduceat(theirs, at, axis), 300, 300)
    config.configure(**vars(before))


@pytest.mark.parametrize("name", ["add", "minimum", "subtract"])
def test_reduced_from_index_to_index_by_both_tiers(name, tier):
    x = values((9001,), "float64", 2)
    x[[5, 700]] = np.nan, np.inf
    f, numpys = getattr(la, name), getattr(np, name)
    for at in _indices(9001)[:2]:
        expected = numpys.reduceat(x, at)
        check(f.reduceat(la.asarray(x), at), expected, 9001, 100)
        check(f.reduceat(la.asarray(x[::-1])[::-1], la.asarray(at)), expected, 9001, 100)
        assert f.reduceat(la.asarray(x), at, dtype="float32").dtype == np.float32
    out = la.zeros(2)
    assert f.reduceat(la.asarray(x) * 1, [9, 3], out=out) is out
    check(out, numpys.reduceat(x, [9, 3]), 9001, 100)
    with pytest.raises(IndexError, match=f"{name}.reduceat: an index is out of bounds for axis 0 with size 9001"):
        f.reduceat(la.asarray(x), [9001])
    check(f.reduceat(la.asarray(x), np.zeros(0, int)), numpys.reduceat(x, np.zeros(0, int)))


def test_sums_of_float32_from_index_to_index_are_carried_in_float64():
    x = np.full(1_000_000, 0.1, "float32")
    before = config.configure(tier="reference")
    found = np.asarray(la.add.reduceat(la.asarray(x), [0, 500_000]))
    config.configure(**vars(before))
    np.testing.assert_array_equal(found, np.float32(500_000 * np.float64(np.float32(0.1))))


def test_recorded_from_index_to_index():
    x, at = values((50,), "int64", 3), [3, 40, 7, 7, 49]
    check(lift.jit(lambda v: la.add.reduceat(v, at))(la.asarray(x)), np.add.reduceat(x, at))
