"""Matrices and grids that follow from positions, against NumPy: shapes, offsets, dtypes and operands of every kind."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la
from lazyarr import lift
from tests.lazyarr.evaluation import EXAMPLES
from tests.lazyarr.support import DTYPES, check, dtypes, operands, values
from tests.lazyarr.test_ranges import same

extents = st.sampled_from([0, 1, 2, 3, 5, 7, 11])
offsets = st.integers(-13, 13)


@settings(max_examples=settings.default.max_examples)
@given(extents, st.none() | extents, offsets, st.sampled_from([None, *DTYPES]))
def test_eye_and_tri(n, m, k, dtype):
    dtype = "float64" if dtype is None else dtype
    same(la.eye(n, m, k=k, dtype=dtype), np.eye(n, m, k, dtype))
    same(la.tri(n, m, k, dtype), np.tri(n, m, k, dtype))
    same(la.identity(n, dtype), np.identity(n, dtype))


@settings(max_examples=settings.default.max_examples)
@given(st.data(), offsets, dtypes)
def test_triangles(data, k, dtype):
    shape = data.draw(
        st.sampled_from([(5,), (3, 5), (5, 3), (1, 7), (7, 1), (2, 3, 4), (0, 3), (3, 0), (2, 0, 3), (4, 4)])
    )
    x = data.draw(operands(shape, dtype))
    same(la.tril(la.asarray(x), k), np.tril(x, k))
    same(la.triu(la.asarray(x), k=k), np.triu(x, k))


@settings(max_examples=settings.default.max_examples)
@given(st.sampled_from([(0,), (1,), (4,), (3, 5), (5, 3), (1, 1), (7, 1), (0, 3)]), offsets, dtypes, st.integers(0, 99))
def test_diagonals(shape, k, dtype, seed):
    x = values(shape, dtype, seed)
    same(la.diag(la.asarray(x), k), np.diag(x, k))


@settings(max_examples=60)
@given(st.lists(extents, min_size=0, max_size=3), st.sampled_from(["xy", "ij"]), st.booleans(), st.data())
def test_meshgrid(lengths, indexing, sparse, data):
    arrays = [values((n,), data.draw(dtypes), 7 + i) for i, n in enumerate(lengths)]
    expected = np.meshgrid(*arrays, indexing=indexing, sparse=sparse)
    found = la.meshgrid(*map(la.asarray, arrays), indexing=indexing, sparse=sparse)
    assert isinstance(found, tuple)
    for a, b in zip(found, expected, strict=True):
        same(a, b)


def test_meshgrid_of_numbers_and_errors():
    for a, b in zip(la.meshgrid(3, [1, 2.5]), np.meshgrid(3, [1, 2.5]), strict=True):
        same(a, b)
    with pytest.raises(ValueError, match="meshgrid: expected indexing to be 'xy' or 'ij', got 'x'"):
        la.meshgrid([1], indexing="x")
    for a, b in zip(la.meshgrid([[1, 2], [3, 4]], 5), np.meshgrid([[1, 2], [3, 4]], 5), strict=True):
        same(a, b)


@pytest.mark.parametrize("shape", [(), (4,), (0,), (3, 5), (2, 3, 4), (2, 0, 3), (1, 1)], ids=str)
@pytest.mark.parametrize("dtype", ["int64", "float32", "int8"])
def test_indices_and_fromfunction(shape, dtype):
    same(la.indices(shape, dtype), np.indices(shape, dtype))
    for a, b in zip(la.indices(shape, dtype, sparse=True), np.indices(shape, dtype, sparse=True), strict=True):
        same(a, b)
    if shape:
        f = lambda *at: sum(i * 10**d for d, i in enumerate(at))
        same(la.fromfunction(f, shape, dtype=dtype), np.fromfunction(f, shape, dtype=dtype))
    same(la.fromfunction(lambda i, j: i + j, (2, 3)), np.fromfunction(lambda i, j: i + j, (2, 3)))


@pytest.mark.parametrize("x", [[3, -2, 0, 7], [0.5, -1.5, 0.0], [], [2], np.float32([1.5, np.nan, np.inf])], ids=str)
def test_vander(x):
    x = np.asarray(x)
    for n in (None, 0, 1, 2, 5):
        for increasing in (False, True):
            check(la.vander(la.asarray(x), n, increasing), np.vander(x, n, increasing), 4)


@settings(max_examples=EXAMPLES)
@given(extents, extents, offsets)
def test_on_the_device(n, m, k):
    x = values((n, m), "float32", 3)
    check(la.eye(n, m, k=k), np.eye(n, m, k))
    check(la.tril(la.asarray(x) * 2, k), np.tril(x * 2, k))
    check(la.sum(la.triu(la.asarray(x), k)), np.sum(np.triu(x, k)), n * m, 9)
    check(la.diag(la.asarray(x[:, 0] if m else x.ravel()) + 1, k), np.diag((x[:, 0] if m else x.ravel()) + 1, k))
    check(la.diag(la.asarray(x) + 1, k), np.diag(x + 1, k))
    check(la.indices((n, m)), np.indices((n, m)))
    a, b = la.meshgrid(la.arange(n), la.linspace(0, 1, m))
    c, d = np.meshgrid(np.arange(n), np.linspace(0, 1, m))
    check(a * b, c * d)
    check(la.eye(n, m, k=k) * la.asarray(x) + la.tri(n, m), np.eye(n, m, k) * x + np.tri(n, m))


def test_inside_jit():
    x = values((5, 5), "float64", 1)
    check(
        lift.jit(lambda x: la.tril(x) + la.eye(5) - la.diag(la.diag(x)))(x),
        np.tril(x) + np.eye(5) - np.diag(np.diag(x)),
    )


def test_errors():
    with pytest.raises(TypeError, match=r"eye: expected N to be a whole number, got 2.5"):
        la.eye(2.5)
    with pytest.raises(TypeError, match=r"tri: expected k to be a whole number, got 0.5"):
        la.tri(2, k=0.5)
    with pytest.raises(ValueError, match="tril: expected an array of one or more dimensions, got a number"):
        la.tril(3)
    with pytest.raises(ValueError, match=r"diag: expected an array of one or two dimensions, got shape \(1, 1, 1\)"):
        la.diag(np.ones((1, 1, 1)))
    with pytest.raises(ValueError, match=r"vander: expected a 1-dimensional array, got shape \(1, 2\)"):
        la.vander([[1, 2]])
