"""`f.at(x, key, value)` against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import lazyarr as la
from lazyarr import lift
from tests.lazyarr.evaluation import ON_DEVICE, interpreted
from tests.lazyarr.support import check, values

SMALL = values((5, 4), "int64", 2, 1, 5)


@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "maximum", "minimum", "bitwise_xor", "power"])
@interpreted()
def test_at_takes_each_index_in_turn(name):
    rng = np.random.default_rng(5)
    at, new = rng.integers(-5, 5, (3, 11)), rng.integers(1, 3, (3, 11, 4))
    x = SMALL.copy()
    getattr(np, name).at(x, at, new)
    a = la.asarray(SMALL)
    getattr(la, name).at(a, la.asarray(at), new)
    check(a, x)
    for key in ((at, at % 4), (slice(1, 3), [0, 0, 3]), SMALL > 2, 1, (..., [1, 1])):
        x, a = SMALL.copy(), la.asarray(SMALL)
        getattr(np, name).at(x, key, 2)
        getattr(la, name).at(a, key, 2)
        check(a, x)


def test_at_on_the_device():
    rng = np.random.default_rng(6)
    at, new = rng.integers(0, 20, 300), rng.integers(-9, 9, 300)
    for dtype in ("float64", "int32", "complex64"):
        x = np.zeros(20, dtype)
        a = la.asarray(x.copy())
        la.add.at(a, at, new.astype(dtype))
        np.add.at(x, at, new.astype(dtype))
        check(a, x)
    f = lift.jit(lambda x, i, v: (la.subtract.at(x, i, v), x * 1)[1])
    if ON_DEVICE:
        x = SMALL[:, 0].copy()
        np.subtract.at(x, at % 5, new)
        check(f(la.asarray(SMALL[:, 0]), at % 5, new), x)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int64", "float32"])
@pytest.mark.parametrize("value", [True, 2, -1, 300, 1.5, 2.75, np.int64(300), np.float64(0.1)], ids=repr)
def test_at_converts_each_result(dtype, value):
    for name in ("add", "maximum", "divide", "equal"):
        if dtype == "bool" and name == "divide":
            continue  # of zeros
        x = np.array([1, 0, 1, 7]).astype(dtype)
        a = la.asarray(x.copy())
        getattr(np, name).at(x, [0, 0, 3], value)
        getattr(la, name).at(a, [0, 0, 3], value)
        check(a, x)


def test_at_keeps_the_dtype():
    a = la.zeros(3, dtype="int32")
    with pytest.raises(TypeError, match=r"add.at: cannot put complex128 into an array of dtype int32"):
        la.add.at(a, [0], 0.5j)
    with pytest.raises(TypeError, match=r"add.at: expected a lazyarr array to change, got ndarray"):
        la.add.at(np.zeros(3), [0], 1)
    with pytest.raises(IndexError, match=r"index 3 is out of bounds"):
        la.add.at(a, [3], 1)
