"""Products of floats on the reference tier: in order, so that a zero among the first factors stays."""

from __future__ import annotations

import numpy as np
import pytest

import lazyarr as la
from lazyarr import config, lift


@pytest.fixture(autouse=True, params=["auto", "reference"])
def tier(request):
    before = config.configure(tier=request.param)
    yield
    config.configure(**vars(before))


SHAPES = {(200,): 0, (3000,): 0, (400, 3): 0, (3, 400): 1, (2, 300, 5): 1, (1, 200): 1}


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", ["prod", "cumprod"])
def test_a_zero_before_what_overflows(name, shape, dtype):
    axis = SHAPES[shape]
    x = np.full(shape, 1e10, dtype)
    x[(slice(None),) * axis + (3,)] = 0
    with np.errstate(over="ignore", invalid="ignore"):
        expected = getattr(np, name)(x, axis)
    function = getattr(la, name)
    lazy = la.asarray(x) + 0
    for found in (function(la.asarray(x), axis), function(lazy, axis), lift.jit(lambda a: function(a, axis))(lazy)):
        np.testing.assert_array_equal(np.asarray(found), expected)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("shape", [(1,), (7,), (5, 4), (3, 4, 5), (2, 1, 3), (200, 300)], ids=str)
def test_products_of_complex_numbers_are_numpys(shape, dtype):
    rng = np.random.default_rng(1)
    x = np.exp(2j * np.pi * rng.random(shape)).astype(dtype)
    a, close = la.asarray(x) + 0, {"rtol": 1e-3 if dtype == "complex64" else 1e-9}
    for axis in (None, *range(len(shape)), (0, len(shape) - 1) if len(shape) > 1 else -1):
        np.testing.assert_allclose(np.asarray(la.prod(a, axis)), np.prod(x, axis), **close)
        np.testing.assert_allclose(np.asarray(la.prod(a.T.T, axis, initial=2j)), np.prod(x, axis) * 2j, **close)
        if not isinstance(axis, tuple):
            np.testing.assert_allclose(np.asarray(la.cumprod(a, axis)), np.cumprod(x, axis), **close)
    np.testing.assert_allclose(np.asarray(la.prod(la.broadcast_to(a, (3, *shape)), 0)), x**3, **close)
