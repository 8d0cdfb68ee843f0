"""`i0` and Kaiser's window against NumPy's."""

from __future__ import annotations

import numpy as np
import pytest

import lazyarr as la
from tests.lazyarr.support import agree


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "bool"])
def test_i0_against_numpy(dtype):
    x = np.array([0, 1, 0.5, 3.75, 7.9999, 8, 8.0001, 20, 50]).astype(dtype)
    x = np.concatenate([x, -x]) if dtype != "bool" else x
    agree(la.i0(la.asarray(x)), np.i0(x), 32, x)


def test_i0_of_special_values():
    x = np.array([np.nan, 700.0, 0.0, -0.0])
    agree(la.i0(la.asarray(x)), np.i0(x), 600)
    agree(la.i0(2.5), np.i0(2.5), 32)
    agree(la.i0(np.zeros((0, 3))), np.i0(np.zeros((0, 3))))
    with pytest.raises(TypeError, match="i0: expected real numbers"):
        la.i0(la.asarray([1j]))


@pytest.mark.parametrize("count", [0, 1, 2, 7, 12])
@pytest.mark.parametrize("beta", [0.0, 5.0, 14.0])
def test_kaiser_against_numpy(count, beta):
    agree(la.kaiser(count, beta), np.kaiser(count, beta), 200)
