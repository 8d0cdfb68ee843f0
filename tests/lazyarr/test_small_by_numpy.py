"""Functions that NumPy carries out on small arrays whose values exist, against NumPy, and what is refused as by it.

The same in both tiers.
"""

from __future__ import annotations

from functools import reduce
from operator import methodcaller

import numpy as np
import pytest

import lazyarr as la
from lazyarr import config
from tests.lazyarr.support import agree, values

DTYPES = ["bool", "int8", "uint64", "float32", "float64"]


@pytest.fixture(autouse=True, params=["auto", "reference"])
def tier(request):
    before = config.configure(tier=request.param)
    yield
    config.configure(**vars(before))


def from_index_to_index(f, x, at, axis):
    """`f.reduceat`, which NumPy 2.4.6 computes wrongly for powers of floats where the processor has AVX-512."""
    if f is not np.power or x.dtype.kind != "f":
        return f.reduceat(x, at, axis=axis)
    x = np.moveaxis(x, axis, 0)
    parts = [x[i:j] if i < j else x[i : i + 1] for i, j in zip(at, [*at[1:], len(x)], strict=True)]
    return np.moveaxis(np.stack([reduce(f, part) for part in parts]), 0, axis)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["add", "maximum", "logical_or", "divide", "hypot", "power"])
def test_reductions_from_index_to_index(name, dtype):
    x = np.abs(values((7, 2), dtype, 1)) if dtype != "bool" else values((7, 2), dtype, 1)
    if name == "power" and x.dtype.kind == "f":  # else powers of powers have the first one's error many times
        x = 1 + x / (8 * x.max())
    with np.errstate(all="ignore"):
        for axis, at in ((0, [0, 3, 1]), (-1, [1, 0])):
            expected = from_index_to_index(getattr(np, name), x, at, axis)
            if expected.dtype != np.float16:
                agree(getattr(la, name).reduceat(la.asarray(x), at, axis=axis), expected, 8)
    with pytest.raises(IndexError):
        getattr(la, name).reduceat(la.asarray(x), [9])


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64", "float32", "float64"])
@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "maximum", "minimum"])
def test_values_combined_in_place(name, dtype):
    x, y = values((6,), dtype, 2), values((4,), dtype, 3)
    for at, b in (([0, 0, 2, -1], y), ([1, 1], 3), (np.array([5, 5, 0]), 2), (slice(0, 2), y[:2]), (3, y[1])):
        numpys = x.copy()
        own = la.array(x)
        view = own[::-1]
        with np.errstate(all="ignore"):
            getattr(np, name).at(numpys, at, b)
            getattr(la, name).at(own, at, la.asarray(b) if isinstance(b, np.ndarray) else b)
        agree(own, numpys)
        agree(view, numpys[::-1])


@pytest.mark.parametrize("nans", [False, True])
def test_without_nans(nans):
    x = values((3, 5), "float64", 4)
    if nans:
        x[1, 2] = np.nan
    for call in (
        lambda xp, x: xp.nanmedian(x),
        lambda xp, x: xp.nanmedian(x, axis=1),
        lambda xp, x: xp.nanmedian(x, keepdims=True),
        lambda xp, x: xp.nanquantile(x, [0.2, 0.7]),
        lambda xp, x: xp.nanpercentile(x, 30, axis=0),
        lambda xp, x: xp.nanpercentile(x, 30, method="lower"),
    ):
        agree(call(la, la.asarray(x)), call(np, x), 8)
    with pytest.warns(RuntimeWarning, match="All-NaN slice encountered"):
        assert np.isnan(la.nanmedian(la.asarray([np.nan, np.nan])))


def test_bits_and_choices():
    x = values((2, 9), "uint8", 5)
    agree(la.unpackbits(la.asarray(x), axis=1), np.unpackbits(x, axis=1))
    agree(la.unpackbits(la.asarray(x), count=11, bitorder="little"), np.unpackbits(x, count=11, bitorder="little"))
    agree(la.bitwise_count(la.asarray(x)), np.bitwise_count(x))
    out = la.zeros(x.shape, dtype="int64")
    assert la.bitwise_count(la.asarray(x), out=out) is out
    agree(out, np.bitwise_count(x).astype("int64"))
    agree(la.compress([True, False, True], la.asarray(x), axis=1), np.compress([True, False, True], x, axis=1))
    agree(la.extract(la.asarray(x) > 2, la.asarray(x)), np.extract(x > 2, x))
    y = x.astype("int64")
    agree(la.ediff1d(la.asarray(y), to_end=1), np.ediff1d(y, to_end=1))
    agree(la.maximum.accumulate(la.asarray(x), axis=1), np.maximum.accumulate(x, axis=1))


@pytest.mark.parametrize(
    "refused",
    [
        lambda xp: xp.gradient(xp.asarray([True, False])),
        lambda xp: xp.round(xp.asarray([0.5, 1.5]), 1.5),
        lambda xp: xp.round(xp.asarray([True, False]), 1),
        lambda xp: xp.asarray([True, False]).round(-1),
        lambda xp: xp.equal.reduceat(xp.asarray([1j, 2, 3]), [0, 1]),
        lambda xp: xp.less.reduceat(xp.asarray([1, 2, 3]), [0, 1]),
        lambda xp: methodcaller("round", 0.5)(xp.asarray([0.5, 1.5])),
    ],
)
def test_refused_as_by_numpy(refused):
    for xp in (np, la):
        with pytest.raises(TypeError):
            refused(xp)


@pytest.mark.parametrize("name", ["nanmedian", "nanquantile", "nanpercentile"])
def test_arrays_are_not_overwritten(name):
    given = np.array([5.0, 1.0, 4.0, 2.0, 3.0, 0.0])
    rest = () if name == "nanmedian" else (0.5,)
    for key in (slice(None), slice(2, None)):
        x = la.array(given)
        view, own = x[key], given.copy()
        float(view[0]), float(x[0])  # both are eager
        agree(getattr(la, name)(view, *rest, overwrite_input=True), getattr(np, name)(given[key], *rest))
        getattr(la, name)(own, *rest, overwrite_input=True)
        agree(view, given[key])
        agree(x, given)
        np.testing.assert_array_equal(own, given)


@pytest.mark.parametrize("name", ["logical_or", "logical_and", "logical_xor", "maximum", "fmin", "subtract"])
def test_reductions_of_complex_numbers_from_index_to_index(name):
    x = np.array([1 + 2j, 0, 3j, 2, 1 - 1j])
    agree(getattr(la, name).reduceat(la.asarray(x), [0, 3, 1]), getattr(np, name).reduceat(x, [0, 3, 1]), 8)


def test_scans_of_zeros_have_the_signs_of_kernels():
    for x in ([0.0, -0.0, 0.0, -0.0, np.nan, 1.0], [1.0, -0.0, 0.0, -1.0], [np.nan, -0.0, 0.0]):
        for name in ("fmax", "fmin"):
            made = getattr(la, name).accumulate(la.asarray(x))
            before = config.configure(tier="compiled")
            kernels = np.asarray(getattr(la, name).accumulate(la.asarray(x)))
            config.configure(**vars(before))
            np.testing.assert_array_equal(made, kernels)
            np.testing.assert_array_equal(np.signbit(made), np.signbit(kernels))


def test_dtypes_as_by_numpy():
    agree(la.power(la.asarray([3, 4], dtype="uint64"), [0, -1]), np.power(np.array([3, 4], "uint64"), [0, -1]))
    x = values((4,), "float32", 6)
    agree(la.sort_complex(la.asarray(x)), np.sort_complex(x))
    assert la.gradient(la.asarray(2.0)) == ()
