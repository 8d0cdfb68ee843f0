"""Derivatives and lists of differences against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import lazyarr as la
from tests.lazyarr.support import check, values

PLACES = np.array([0.0, 0.5, 2.0, 2.25, 4.0])
GRADIENTS = [
    ((7,), (), {}), ((5,), (PLACES,), {}), ((5,), (PLACES,), {"edge_order": 2}), ((4, 5), (0.5,), {}),
    ((4, 5), (2.0, PLACES), {}), ((5, 4), (PLACES,), {"axis": 0}), ((3, 4, 5), (), {"axis": (2, 0), "edge_order": 2}),
    ((2,), (), {}), ((3, 5), (PLACES,), {"axis": -1}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("case", "dtype"), [*zip(GRADIENTS, ["float64", "float32", "int32"] * 3, strict=True)], ids=str
)
def test_gradient(case, dtype):
    shape, distances, options = case
    x = values(shape, dtype, 3)
    mine, theirs = la.gradient(la.asarray(x), *distances, **options), np.gradient(x, *distances, **options)
    assert isinstance(mine, tuple) is isinstance(theirs, tuple)
    for one, other in zip(*((part if isinstance(part, tuple) else (part,)) for part in (mine, theirs)), strict=True):
        check(one, other, 4, 40)


def test_gradient_refuses():
    x = la.ones((3, 4))
    with pytest.raises(ValueError, match="more than 2 elements along axis 0"):
        la.gradient(la.ones((2, 4)), edge_order=2)
    with pytest.raises(ValueError, match="edge_order to be 1 or 2"):
        la.gradient(x, edge_order=3)
    with pytest.raises(TypeError, match="got 3"):
        la.gradient(x, 1, 2, 3)
    with pytest.raises(TypeError, match="for each axis"):
        la.gradient(x, [0.0, 1, 2])
    with pytest.raises(ValueError, match="4 places along axis 1"):
        la.gradient(x, [0.0, 1, 2], axis=1)


@pytest.mark.parametrize("dtype", ["float64", "int16", "complex64"])
def test_ediff1d(dtype):
    x = values((3, 4), dtype, 2)
    check(la.ediff1d(la.asarray(x)), np.ediff1d(x), 1, 20)
    ends = np.array([7, 8], dtype)
    check(la.ediff1d(la.asarray(x), ends, 5), np.ediff1d(x, ends, np.array(5, dtype)), 1, 20)
    check(la.ediff1d(la.asarray(x[:0])), np.ediff1d(x[:0]))


def test_ediff1d_refuses_ends_of_another_kind():
    with pytest.raises(TypeError, match=r"ediff1d: .*float64"):
        la.ediff1d(la.arange(4), 0.5)


ANGLES = values((5, 6), "float64", 7, -20, 20)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("keywords", [{}, {"axis": 0}, {"discont": 5.0}, {"period": 3.0, "axis": -2}], ids=str)
def test_unwrap(dtype, keywords):
    x = ANGLES.astype(dtype)
    check(la.unwrap(la.asarray(x), **keywords), np.unwrap(x, **keywords), 6, 100)


@pytest.mark.parametrize("period", [4, 5])
def test_unwrap_of_integers(period):
    x = np.array([0, 1, 2, -1, 0, 2, 4, 0, -1, 7])
    check(la.unwrap(la.asarray(x), period=period), np.unwrap(x, period=period))


def test_unwrap_of_few_and_no_dimensions():
    check(la.unwrap(la.zeros(0)), np.unwrap(np.zeros(0)))
    check(la.unwrap(la.ones(1)), np.unwrap(np.ones(1)))
    with pytest.raises(ValueError, match="dimension"):
        la.unwrap(la.asarray(1.0))
