"""Convolutions and correlations against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import lazyarr as la
from lazyarr import lift
from tests.lazyarr.support import check, in_turn, values

LENGTHS = [(7, 3), (8, 4), (3, 7), (4, 8), (1, 1), (6, 1), (1, 4)]


@pytest.mark.parametrize("function", ["convolve", "correlate"])
@pytest.mark.parametrize(("lengths", "dtypes"), in_turn(LENGTHS), ids=str)
def test_modes(function, lengths, dtypes):
    x, y = (values((n,), dtype, n) for n, dtype in zip(lengths, dtypes, strict=True))
    for mode in ("full", "valid") if function == "convolve" else ("same", "valid"):
        mine = getattr(la, function)(la.asarray(x), y, mode)
        check(mine, getattr(np, function)(x, y, mode), 8, 200)


def test_defaults_and_infinities():
    x, y = np.array([1.0, np.inf, 2, 3]), np.array([0.5, 1.0])
    check(la.convolve(x, la.asarray(y)), np.convolve(x, y))
    check(la.correlate(x, la.asarray(y)), np.correlate(x, y))
    check(la.convolve(la.asarray(y), [np.nan, 1.0]), np.convolve(y, [np.nan, 1.0]))
    check(la.convolve(la.asarray(2.0), y), np.convolve(2.0, y))


def test_refusals():
    with pytest.raises(ValueError, match=r"convolve: expected two vectors .* \(0,\)"):
        la.convolve(la.zeros(0), la.ones(2))
    with pytest.raises(ValueError, match="correlate: expected two vectors"):
        la.correlate(la.ones((2, 2)), la.ones(2))
    with pytest.raises(ValueError, match="expected mode"):
        la.convolve(la.ones(2), la.ones(2), "all")


def test_correlations_and_dot_products_of_bools_are_bools():
    x = np.array([True, False, True, True])
    for function in ("correlate", "vecdot", "vdot"):
        f = lift.jit(lambda y, function=function: getattr(la, function)(y, y))
        wanted = getattr(np, function)(x, x)
        result = np.asarray(f(la.asarray(x)))
        assert result.dtype == wanted.dtype == bool
        np.testing.assert_array_equal(result, wanted)
