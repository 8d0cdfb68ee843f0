"""Distinct elements and sets against NumPy: NaN, signed zeros, shapes, axes, tracing."""

from __future__ import annotations

import numpy as np
import pytest

import lazyarr as la
from lazyarr import TracingError, config, lift
from lazyarr.api.order import sets
from lazyarr.api.select import taking
from lazyarr.recording import keys

DTYPES = ("int64", "float32", "complex64")
SHAPES = ((0,), (3, 5))


@pytest.fixture(autouse=True, scope="module")
def untuned():
    old = config.configure(tune="off")
    yield
    config.configure(**vars(old))


def few(dtype: str, shape: tuple[int, ...], seed: int = 1) -> np.ndarray:
    """Numbers of which many are equal; NaN and both zeros among floats."""
    rng = np.random.default_rng(seed)
    x = (rng.normal(size=shape) * 3).round()
    if dtype == "complex64":
        x = x + 1j * (rng.normal(size=shape) * 2).round()
    x = np.asarray(x).astype(dtype)
    if dtype == "float32" and x.size > 4:
        x.flat[1:4] = np.nan, np.nan, -0.0
    return x


def same(found: la.Array, expected: np.ndarray) -> None:
    value = np.asarray(found)
    assert value.dtype == expected.dtype
    np.testing.assert_array_equal(value, expected, strict=True)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_distinct_elements(dtype, shape):
    distinct(few(dtype, shape))


def test_many_elements():
    distinct(few("float32", (1300,)) % 7)


def distinct(x: np.ndarray) -> None:
    a = la.asarray(x)
    for found, expected in zip(la.unique(a, True, True, True), np.unique(x, True, True, True), strict=True):
        same(found, expected)
    same(la.unique(a), np.unique(x))
    every, theirs = la.unique_all(a), np.unique_all(x)
    same(every.values, theirs.values)
    same(every.counts, theirs.counts)
    same(every.indices, theirs.indices)
    np.testing.assert_array_equal(np.asarray(every.values)[np.asarray(every.inverse_indices)], x)
    same(la.unique_values(a), np.sort(np.unique_values(x)))
    same(la.unique_counts(a).counts, theirs.counts)
    np.testing.assert_array_equal(la.unique_inverse(a).inverse_indices, every.inverse_indices)


@pytest.mark.parametrize("axis", [0, -1])
def test_distinct_slices(axis):
    x = np.random.default_rng(4).integers(0, 2, (7, 2, 3))
    found, expected = la.unique(la.asarray(x), True, True, True, axis), np.unique(x, True, True, True, axis)
    for ours, theirs in zip(found, expected, strict=True):
        same(ours, theirs)


def test_a_nan_is_one_or_many():
    x = np.array([np.nan, 1, np.nan])
    same(la.unique(la.asarray(x)), np.unique(x))
    same(la.unique(la.asarray(x), equal_nan=False), np.unique(x, equal_nan=False))


@pytest.mark.parametrize("dtype", ["float32"])
def test_sets(dtype):
    x, y = few(dtype, (3, 7)), few(dtype, (9,), 2)
    a, b = la.asarray(x), la.asarray(y)
    for name in ("union1d", "intersect1d", "setdiff1d", "setxor1d", "isin"):
        same(getattr(la, name)(a, b), getattr(np, name)(x, y))
    same(la.isin(a, b, invert=True), np.isin(x, y, invert=True))
    found, expected = la.intersect1d(a, b, return_indices=True), np.intersect1d(x, y, return_indices=True)
    for ours, theirs in zip(found, expected, strict=True):
        same(ours, theirs)


def test_sets_of_different_dtypes_and_of_nothing():
    same(la.isin([1, 2, 300], [300.5, 2]), np.isin([1, 2, 300], [300.5, 2]))
    same(la.isin(la.asarray([1, 2]), []), np.isin([1, 2], []))
    same(la.in1d([[1, 2], [3, 4]], 3), np.isin([1, 2, 3, 4], 3))
    same(la.union1d([1, 2], [2.5]), np.union1d([1, 2], [2.5]))
    same(la.setdiff1d([5, 3, 5, 1], [3], assume_unique=True), np.setdiff1d([5, 3, 5, 1], [3], assume_unique=True))
    same(la.ediff1d([1, 5, 2], 9, [7, 7]), np.ediff1d([1, 5, 2], 9, [7, 7]))
    with pytest.raises(ValueError, match="isin: expected kind"):
        la.isin([1], [1], kind="hash")


@pytest.mark.parametrize("most", [1, 16])
@pytest.mark.parametrize("dtype", [*DTYPES, "bool", "uint64", "int8"])
def test_distinct_rows_of_many_columns(dtype, most, monkeypatch):
    monkeypatch.setattr(sets, "COLUMNS_SORTED_BY_AT_MOST", most)
    rng = np.random.default_rng(6)
    x = np.zeros((90, 41), dtype)
    x[np.arange(90), rng.integers(20, 41, 90)] = few("int64", (90,)).astype(dtype)
    x[rng.integers(0, 90, 20), 7] = 1
    if dtype == "uint64":
        x[:30, 8] = 2**64 - 1
    if x.dtype.kind in "fc":
        x[3:6, 9] = np.nan
        x[6:9, 10] = -0.0
    for ours, theirs in zip(
        la.unique(la.asarray(x), True, True, True, 0), np.unique(x, True, True, True, 0), strict=True
    ):
        same(ours, theirs)


def test_rows_of_many_columns_take_no_time_for_each_pair_of_columns():
    x = np.random.default_rng(7).integers(0, 2, (9, 3000))
    same(la.unique(la.asarray(x), axis=0), np.unique(x, axis=0))


def test_how_many_there_are_is_not_known_while_recording():
    for f in (la.unique, la.unique_all, lambda x: la.setxor1d(x, [1])):
        with pytest.raises(TracingError, match=r"la\.sort keeps the shape"):
            lift.jit(f)(la.asarray([1, 2, 1]))
    same(lift.jit(lambda x: la.isin(x, [1, 5]))(la.asarray([1, 2, 1])), np.array([True, False, True]))


def test_slices_of_a_vector_are_its_elements():
    x = np.array([np.nan, 0, 3, 0, np.nan])
    for axis in (0, -1):
        for equal_nan in (True, False):
            same(la.unique(la.asarray(x), axis=axis, equal_nan=equal_nan), np.unique(x, axis=axis, equal_nan=equal_nan))
        found = la.unique(la.asarray(x), axis=axis, return_inverse=True, return_counts=True)
        for ours, theirs in zip(found, np.unique(x, axis=axis, return_inverse=True, return_counts=True), strict=True):
            same(ours, theirs)
    with pytest.raises(ValueError, match="axis"):
        la.unique(la.asarray(x), axis=1)


@pytest.mark.parametrize("tier", ["reference", "compiled"])
@pytest.mark.parametrize("invert", [False, True])
def test_integers_that_no_dtype_holds_all_of(tier, invert):
    signed = np.array([2**53 + 1, 2**53, 5, -1, -(2**63), 2**63 - 1, 0])
    unsigned = np.array([2**53, 7, 2**64 - 1, 2**63, 2**63 - 1, 0], np.uint64)
    old = config.configure(tier=tier)
    try:
        for x, tests in ((signed, unsigned), (unsigned, signed)):
            found = la.isin(la.asarray(x), la.asarray(tests), invert=invert)
            same(found, np.array([(int(i) in tests.tolist()) != invert for i in x]))
    finally:
        config.configure(**vars(old))


@pytest.mark.device
def test_where_kernels_find_masks_no_mask_is_read(monkeypatch):
    def read(*_):
        raise AssertionError("a mask is read")

    for module in (keys, taking):
        monkeypatch.setattr(module, "mask_of", read)
    x, y = np.arange(3000.0) % 700, np.arange(2000.0) % 900 + 5
    old = config.configure(tier="compiled")
    try:
        a, b = la.asarray(x), la.asarray(y)
        for found, wanted in [
            (la.unique(a), np.unique(x)),
            *zip(la.unique(a, True, True, True), np.unique(x, True, True, True), strict=True),
            *zip(la.unique(a, return_counts=True), np.unique(x, return_counts=True), strict=True),
            (la.intersect1d(a, b), np.intersect1d(x, y)),
            (la.setdiff1d(a, b), np.setdiff1d(x, y)),
            (la.setxor1d(a, b), np.setxor1d(x, y)),
        ]:
            same(found, wanted)
    finally:
        config.configure(**vars(old))
