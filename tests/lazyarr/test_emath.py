"""`la.emath` against NumPy's: complex results where real ones do not exist."""

from __future__ import annotations

import numpy as np
import pytest

import lazyarr as la
from lazyarr import lift
from lazyarr.errors import TracingError
from tests.lazyarr.support import agree, values

pytestmark = pytest.mark.recording

UNARY = ["sqrt", "log", "log2", "log10", "arccos", "arcsin", "arctanh"]


@pytest.mark.parametrize("name", UNARY)
@pytest.mark.parametrize("dtype", ["float64", "float32", "int32"])
@pytest.mark.parametrize("low", [-3, 0.5])
def test_against_numpy(name, dtype, low):
    x = values((7,), dtype, 3, low, 4)
    with np.errstate(all="ignore"):
        expected = getattr(np.emath, name)(x)
    agree(getattr(la.emath, name)(la.asarray(x)), expected, 64, x, 1, zeros=False)


def test_numbers_and_empty_arrays():
    agree(la.emath.sqrt(-4.0), np.emath.sqrt(-4.0), zeros=False)
    agree(la.emath.log(np.zeros(0)), np.emath.log(np.zeros(0)))
    agree(la.emath.sqrt(np.array([1j, -2])), np.emath.sqrt(np.array([1j, -2])), zeros=False)


def test_powers_and_logarithms_to_any_base():
    x = np.array([2, 5, 7])
    agree(la.emath.power(la.asarray(x), 2), np.emath.power(x, 2))
    agree(la.emath.power(la.asarray(x), -2), np.emath.power(x, -2))
    agree(la.emath.power(la.asarray(-x), 3), np.emath.power(-x, 3), 64, scale=400, zeros=False)
    agree(la.emath.logn(2, la.asarray([-4.0, 8.0])), np.emath.logn(2, [-4.0, 8.0]), 32, zeros=False)


def test_no_jitted_function_records_it():
    with pytest.raises(TracingError):
        lift.jit(la.emath.sqrt)(la.ones(3))
