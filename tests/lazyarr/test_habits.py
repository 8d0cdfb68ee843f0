"""What programs ask about arrays without thinking, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import lazyarr as la
from tests.lazyarr.support import agree, values

X = values((3, 5), "float64", 1)


def test_requirements():
    agree(la.require(X, "float32", ["C", "ALIGNED"]), X.astype("float32"))
    agree(la.require([1, 2], requirements="F"), np.array([1, 2]))
    with pytest.raises(ValueError, match='"C" or "F"'):
        la.require(X, None, ["C", "F"])
    with pytest.raises(KeyError, match="Q"):
        la.require(X, None, "Q")


@pytest.mark.parametrize("x", [X, X + 0j, X + 1e-14j, X + 1j, (X + 1e-6j).astype("complex64")])
@pytest.mark.parametrize("tol", [100, 0.5])
def test_real_if_close(x, tol):
    agree(la.real_if_close(la.asarray(x), tol), np.real_if_close(x, tol), zeros=False)


def test_common_types():
    for dtypes in (["float32"], ["int64"], ["float32", "complex64"], ["float64", "complex64", "int8"]):
        arrays = [np.ones(2, dtype) for dtype in dtypes]
        assert la.common_type(*map(la.asarray, arrays)) is np.common_type(*arrays)
    with pytest.raises(TypeError):
        la.common_type(la.ones(2, dtype=bool))


def test_arrays_broadcast_together():
    found, expected = la.broadcast(la.asarray(X), la.ones((3, 1)), 2), np.broadcast(X, np.ones((3, 1)), 2)
    for name in ("shape", "ndim", "nd", "size", "numiter"):
        assert getattr(found, name) == getattr(expected, name)
    assert list(found) == list(expected)
    with pytest.raises(ValueError, match="broadcast"):
        la.broadcast(X, la.ones(4))


def test_no_value_lies_in_column_major_order():
    assert not la.isfortran(la.ones((2, 3)))
    assert not la.isfortran(la.asarray(np.asfortranarray(X)))


def test_indices_of_what_a_function_leaves():
    for function in ("triu", "tril"):
        found, expected = la.mask_indices(4, getattr(la, function), 1), np.mask_indices(4, getattr(np, function), 1)
        for own, theirs in zip(found, expected, strict=True):
            agree(own, theirs)


@pytest.mark.parametrize("trim", ["fb", "f", "b"])
@pytest.mark.parametrize("axis", [None, 0, -1, (0, 1)])
def test_zeros_cut_off(trim, axis):
    x = np.zeros((5, 6))
    x[1:3, 2:4] = 3
    agree(la.trim_zeros(la.asarray(x), trim, axis), np.trim_zeros(x, trim, axis))
    agree(la.trim_zeros(la.zeros((3, 2)), trim, axis), np.trim_zeros(np.zeros((3, 2)), trim, axis))


def test_the_path_of_a_contraction():
    x = la.asarray(X)
    path, text = la.einsum_path("ij,kj,kl->il", x, x, x, optimize="optimal")
    theirs, described = np.einsum_path("ij,kj,kl->il", X, X, X, optimize="optimal")
    assert (path, text) == (theirs, described)
    agree(la.einsum("ij,kj,kl->il", x, x, x, optimize=path), np.einsum("ij,kj,kl->il", X, X, X), 64, scale=4000)


def test_contractions_by_lists_of_numbers():
    y = values((5, 4), "float64", 2)
    agree(la.einsum(X, [0, 1], y, [1, 2], [0, 2]), np.einsum(X, [0, 1], y, [1, 2], [0, 2]), 64, scale=400)
    agree(la.einsum(X, [3, 1]), np.einsum(X, [3, 1]), 64, scale=400)
    with pytest.raises(TypeError, match="einsum: expected subscripts, or lists"):
        la.einsum(X, [0, "a"])
