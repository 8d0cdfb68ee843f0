"""Sums of float64 up to each element: values, and how far they are off."""

from __future__ import annotations

from math import fsum

import numpy as np
import pytest

from ir.reference.cumulative import accumulated

U = 2.0**-53

SHAPES = [
    (1,), (16,), (17,), (18,), (33,), (8191,), (8193,), (131_073,), (300_001,), (3, 1), (3, 20_011), (20_011, 3),
    (4001, 9), (3, 1500, 5), (2, 100, 300), (1, 1, 5), (0, 3), (3, 0), (0,),
]  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_sums_up_to_each_element(shape):
    x = np.random.default_rng(3).integers(-9, 9, shape).astype(float)
    for axis in range(x.ndim):
        for y, along in ((x, axis), (x.T, x.ndim - 1 - axis), (x[::-1], axis), (np.repeat(x, 2, 0)[::2], axis)):
            found = accumulated(y, along)
            assert found.shape == y.shape and found.dtype == y.dtype
            np.testing.assert_array_equal(found, np.cumsum(y, axis=along))  # whole numbers: exact


@pytest.mark.parametrize("kind", ["tenths", "random", "scaled"])
def test_errors_grow_with_the_digits_of_the_index(kind):
    rng = np.random.default_rng(4)
    n = 400_000
    x = {"tenths": np.full(n, 0.1), "random": rng.random(n), "scaled": rng.random(n) * 10.0 ** rng.integers(-8, 8, n)}
    found = accumulated(x[kind], 0)
    for i in (10, 100, 1000, 10_000, 131_072, 131_080, 262_144, 399_999):
        wanted = fsum(x[kind][: i + 1])
        assert abs(found[i] - wanted) <= (2 * min(i, 131_072).bit_length() + 2) * U * wanted
        if kind != "scaled":
            assert abs(found[i] - wanted) <= 6 * U * wanted


def test_infinities_and_nan():
    x = np.random.default_rng(5).random((300_000, 1))
    x[[150_000, 200_000, 290_000]] = [[np.inf], [-np.inf], [np.nan]]
    with np.errstate(all="ignore"):
        found, expected = accumulated(x, 0), np.cumsum(x, 0)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))
    np.testing.assert_array_equal(np.isinf(found), np.isinf(expected))
    assert np.signbit(accumulated(np.full(300_000, -0.0), 0)).all()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("n", [4, 17, 100, 2048, 2049, 20_000, 300_000])
def test_an_overflow_stays(dtype, n):
    most = np.finfo(dtype).max
    x = np.random.default_rng(6).random((n, 2)).astype(dtype)
    x[1:5, 0] = [most, most, -most, -most][: n - 1]  # in pairs it would end in NaN, in wider numbers go down again
    x[:4, 1] = [-most, 1, most / 4 * 3, most / 4 * 3]  # in order it does not overflow at all
    for y, axis in ((x, 0), (np.ascontiguousarray(x.T), 1)):
        found = accumulated(y, axis)
        with np.errstate(over="ignore"):
            expected = np.cumsum(y, axis)
        assert found.dtype == dtype
        np.testing.assert_allclose(found, expected, rtol=n * np.finfo(dtype).eps)
        kept = accumulated(x[:, 1:], 0)
        assert np.isfinite(kept).all()


def test_before_an_overflow_sums_are_as_accurate_as_others():
    x = np.full(1000, 0.1)
    x[-2:] = np.finfo(float).max
    found = accumulated(x, 0)
    assert np.isinf(found[-1])
    assert abs(found[900] - fsum(x[:901])) <= 6 * U * found[900]
