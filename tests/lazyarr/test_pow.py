"""`pow` in vectors: a compiler's vector library may get it wrong where its scalar one does not."""

from __future__ import annotations

import numpy as np
import pytest

import lazyarr as la


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_pow_of_vectors(dtype):
    bases = np.array([5.0, 0.1, 2.0, 1e-30, 1e10, 7.25, 1.0, 0.0], dtype)
    exponents = np.array([-2.5, 1.5, 0.5, -1.0, 2.0, 3.0, 0.0], dtype)
    a, b = (grid.ravel() for grid in np.meshgrid(np.tile(bases, 8), exponents))
    with np.errstate(divide="ignore"):
        expected = a**b
    found = np.asarray(la.asarray(a) ** la.asarray(b))
    np.testing.assert_allclose(found, expected, rtol=64 * np.finfo(dtype).eps)


POWERS = (
    2,
    0,
    1,
    3,
    True,
    2.0,
    0.5,
    -1.0,
    2 + 0j,
    np.int64(2),
    np.int8(2),
    np.float32(2),
    np.array(2),
    np.array([2]),
    [2],
)


@pytest.mark.parametrize("power", POWERS, ids=repr)
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_powers_of_bools(power):
    """NumPy's operator squares for a Python 2 alone, which is int8 of bools; `power` never does."""
    for x in (np.array([True, False]), np.array(True)):
        found, expected = np.asarray(la.asarray(x) ** power), np.asarray(x**power)
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)
        assert la.power(la.asarray(x), power).dtype == np.power(x, power).dtype


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
@pytest.mark.filterwarnings("ignore:invalid value")
def test_the_power_by_a_half_is_the_root(dtype):
    x = np.array([4, 2, 0, 9], dtype)
    if x.dtype.kind == "f":
        x = np.concatenate([x, [-np.inf, -0.0, np.inf, np.nan]]).astype(dtype)
    for of in (
        lambda xp, v: v**0.5,
        lambda xp, v: xp.power(v, 0.5),
        lambda xp, v: v[0] ** 0.5,
        lambda xp, v: v ** xp.sqrt(v),
    ):
        found, expected = np.asarray(of(la, la.asarray(x))), of(np, x)
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found, expected, rtol=4 * np.finfo(found.dtype).eps)
        np.testing.assert_array_equal(np.signbit(found), np.signbit(expected))
