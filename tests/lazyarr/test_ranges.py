"""Ranges against NumPy, bit for bit where NumPy adds and multiplies: in the interpreter, and some on the device."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la
from ir.fusion.symbols.symbolise import symbolise
from lazyarr import lift
from lazyarr.graph.leaves import Input
from tests.lazyarr import evaluation
from tests.lazyarr.support import DTYPES, check

pytestmark = pytest.mark.recording

EXAMPLES = 2 * settings.default.max_examples


def same(actual, expected):
    """The interpreter's value is NumPy's: shape, dtype and every bit, but those of a NaN."""
    expected = np.asarray(expected)
    assert (actual.dtype, actual.shape) == (expected.dtype, expected.shape)
    if type(actual.node) is not Input:
        evaluation.compute([actual])
    value = np.asarray(actual)
    np.testing.assert_array_equal(value, expected)
    if expected.dtype.kind == "f":
        numbers = ~np.isnan(expected)
        np.testing.assert_array_equal(np.signbit(value)[numbers], np.signbit(expected)[numbers])


whole = st.integers(-300, 300)
steps = st.integers(-40, 40).filter(bool)
numbers = st.floats(-50, 50, allow_subnormal=False) | st.sampled_from([0.0, -0.0, 1 / 3, 1e-9, -7.5])
distances = st.floats(0.01, 9) | st.floats(-9, -0.01) | st.sampled_from([0.1, 0.2, 1 / 3, -1.0])


@settings(max_examples=EXAMPLES)
@given(whole, whole, steps, st.sampled_from([None, *(t for t in DTYPES if t[0] in "if")]))
def test_arange_of_whole_numbers(start, stop, step, dtype):
    if dtype == "int8":  # beyond, NumPy wraps around or raises, as the first two elements have it
        start, stop, step = start // 3, stop // 3, step // 3 or 1
    same(la.arange(start, stop, step, dtype), np.arange(start, stop, step, dtype))
    same(la.arange(stop), np.arange(stop))
    same(la.arange(start, stop), np.arange(start, stop))


@settings(max_examples=EXAMPLES)
@given(numbers, numbers, distances, st.sampled_from([None, "float32", "float64"]))
def test_arange_of_floats(start, stop, step, dtype):
    same(la.arange(start, stop, step, dtype), np.arange(start, stop, step, dtype))


@pytest.mark.parametrize(
    "bounds",
    [
        (5,), (0,), (-3,), (2, 7), (7, 2), (5, 0, -1), (0, 1, 0.1), (1, 2, 0.1), (-0.0, 3.0), (0.0, -3.0, -1.0),
        (1e16, 1e16 + 8), (0.1, 5, 0.2), (1.0, -5, -1 + 1e-16), (-1e16, 3e16, 1e16 + 2), (0, -1e-320, 1e10),
        (8e307, -8e307, -7e307), (np.float32(0.5), 3), (np.uint64(3),), (np.int8(-5), np.int8(100), 3), (True, 4),
        (2**53, 2**53 + 5), (-(2**63), -(2**63) + 3), (2**40, 2**40 + 9, 2), (np.array(4), np.array(9)), (5, None, 2),
    ],
    ids=str,
)  # fmt: skip
def test_arange_at_the_edges(bounds):
    same(la.arange(*bounds), np.arange(*bounds))


@pytest.mark.parametrize("dtype", DTYPES)
def test_arange_of_every_dtype(dtype):
    for bounds in ((2,), (0, 2), (1,), (0,)) if dtype == "bool" else ((120,), (3, 250, 100), (7, 0, -3), (1.5, 9)):
        try:
            expected = np.arange(*bounds, dtype=dtype)
        except OverflowError:  # 7, 4, 1 fit an unsigned dtype, but all else is as NumPy has it
            with pytest.raises(OverflowError):
                la.arange(*bounds, dtype=dtype)
        else:
            same(la.arange(*bounds, dtype=dtype), expected)


def test_arange_by_names():
    same(la.arange(start=2, stop=9, step=3), np.arange(start=2, stop=9, step=3))
    same(la.arange(stop=4), np.arange(stop=4))
    same(la.arange(la.asarray(2), la.asarray(9)), np.arange(2, 9))


@pytest.mark.parametrize(
    ("bounds", "error", "message"),
    [
        ((0, 5, 0), ZeroDivisionError, "arange: expected a step that is not zero"),
        ((math.nan,), ValueError, "arange: cannot compute the length"),
        ((math.inf,), ValueError, "arange: .* more elements than there can be"),
        ((0, 10**400), ValueError, "arange: .* more elements than there can be"),
        ((0, 1, 1e-320), ValueError, "arange: .* more elements than there can be"),
        (("a",), TypeError, "arange: expected a real number, got 'a'"),
        ((1j,), TypeError, "arange: expected a real number, got 1j"),
        (([3],), TypeError, r"arange: expected a real number, got \[3\]"),
        ((), TypeError, "arange: expected a bound"),
    ],
)
def test_arange_of_what_is_no_range(bounds, error, message):
    with pytest.raises(error, match=message):
        la.arange(*bounds)


def test_arange_of_bools_and_overflow():
    with pytest.raises(TypeError, match="arange: expected another dtype than bool"):
        la.arange(3, dtype=bool)
    with pytest.raises(OverflowError):
        la.arange(300, 302, dtype="int8")


# --- linspace ---------------------------------------------------------------------------------------------------------


@settings(max_examples=EXAMPLES)
@given(numbers, numbers, st.integers(0, 70), st.booleans(), st.sampled_from([None, "float32", "int32"]))
def test_linspace(start, stop, num, endpoint, dtype):
    same(la.linspace(start, stop, num, endpoint, dtype=dtype), np.linspace(start, stop, num, endpoint, dtype=dtype))
    same(
        la.linspace(np.float32(start), np.float32(stop), num, endpoint),
        np.linspace(np.float32(start), np.float32(stop), num, endpoint),
    )


@pytest.mark.parametrize(
    "bounds", [(0, 1), (0, 0), (3, -3), (0, 5e-324), (1e308, -1e308), (0, math.inf), (-0.0, 0.0), (0, 10**18)], ids=str
)
@pytest.mark.parametrize("num", [0, 1, 2, 4, 50])
def test_linspace_at_the_edges(bounds, num):
    with np.errstate(all="ignore"):
        for endpoint in (True, False):
            same(la.linspace(*bounds, num, endpoint), np.linspace(*bounds, num, endpoint))


@pytest.mark.parametrize("axis", [0, 1, -1, 2])
def test_linspace_between_arrays(axis):
    a, b = np.arange(6.0).reshape(2, 3), np.array([7, 1.0, 2])
    for num, endpoint in ((5, True), (4, False), (1, True), (0, True)):
        expected, step = np.linspace(a, b, num, endpoint, True, axis=axis)
        found, apart = la.linspace(la.asarray(a), b, num, endpoint, True, axis=axis)
        same(found, expected)
        np.testing.assert_array_equal(np.asarray(apart), step)
    same(la.linspace(np.float32([1, 2]), 3, 4), np.linspace(np.float32([1, 2]), 3, 4))
    same(la.linspace([0, 1], [0, 5], 3), np.linspace([0, 1], [0, 5], 3))


def test_the_step_of_a_linspace():
    assert la.linspace(0, 1, 5, retstep=True)[1] == 0.25
    assert math.isnan(la.linspace(0, 1, 1, retstep=True)[1])
    same(la.linspace(0, 9, 4, dtype=bool), np.linspace(0, 9, 4, dtype=bool))


def test_what_is_no_linspace():
    with pytest.raises(ValueError, match="linspace: expected num not to be negative, got -1"):
        la.linspace(0, 1, -1)
    with pytest.raises(TypeError, match=r"linspace: expected num to be a whole number, got 2.5"):
        la.linspace(0, 1, 2.5)
    with pytest.raises(np.exceptions.AxisError):
        la.linspace(0, 1, 3, axis=1)


# --- logarithmic ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("endpoint", [True, False])
def test_logspace_and_geomspace(endpoint):
    close = lambda a, b: check(a, b, 8)
    close(la.logspace(0, 3, 7, endpoint), np.logspace(0, 3, 7, endpoint))
    close(la.logspace(-2, 5, 9, endpoint, 2), np.logspace(-2, 5, 9, endpoint, 2))
    close(la.logspace(0, [1, 2], 5, endpoint), np.logspace(0, [1, 2], 5, endpoint))
    close(la.logspace(1, 3, 4, endpoint, [2, 3.0, 4], axis=1), np.logspace(1, 3, 4, endpoint, [2, 3.0, 4], axis=1))
    close(la.logspace(0, 2, 5, endpoint, dtype="float32"), np.logspace(0, 2, 5, endpoint, dtype="float32"))
    close(la.geomspace(1, 1000, 4, endpoint), np.geomspace(1, 1000, 4, endpoint))
    close(la.geomspace(-1000, -1, 5, endpoint), np.geomspace(-1000, -1, 5, endpoint))
    close(la.geomspace([1, 2], [8, 128.0], 3, endpoint, axis=1), np.geomspace([1, 2], [8, 128.0], 3, endpoint, axis=1))
    close(la.geomspace(256, 1, 9, endpoint, dtype="float32"), np.geomspace(256, 1, 9, endpoint, dtype="float32"))


def test_geomspace_ends_exactly_and_knows_no_zero():
    found = np.asarray(la.geomspace(3, 7, 11))
    assert (found[0], found[-1]) == (3, 7)
    for num in (0, 1, 2):
        check(la.geomspace(3, 7, num), np.geomspace(3, 7, num), 8)
    with pytest.raises(ValueError, match="geomspace: expected bounds that are not zero"):
        la.geomspace(0, 1)


# --- on the device ----------------------------------------------------------------------------------------------------


def exactly(actual, expected):
    assert actual.dtype == expected.dtype
    np.testing.assert_array_equal(np.asarray(actual), expected)


@pytest.mark.parametrize("n", [3, 7, 97, 1009, 20011])
def test_on_the_device(n):
    exactly(la.arange(n), np.arange(n))
    exactly(la.arange(5, 5 + 3 * n, 3), np.arange(5, 5 + 3 * n, 3))
    exactly(la.arange(-4, n), np.arange(-4, n))
    exactly(la.arange(0.1, 0.1 + 0.7 * n, 0.7), np.arange(0.1, 0.1 + 0.7 * n, 0.7))
    exactly(la.arange(n, dtype="float32"), np.arange(n, dtype="float32"))
    exactly(la.arange(n, dtype="uint8"), np.arange(n).astype("uint8"))
    exactly(la.linspace(0, 1, n), np.linspace(0, 1, n))
    exactly(la.linspace(0.3, -7, n, dtype="float32"), np.linspace(0.3, -7, n, dtype="float32"))
    exactly(la.linspace(0.3, -7, n, endpoint=False), np.linspace(0.3, -7, n, endpoint=False))
    exactly(la.sum(la.arange(n) ** 2), np.sum(np.arange(n) ** 2))
    exactly(la.arange(n)[::-1] * 2 + la.arange(n), np.arange(n)[::-1] * 2 + np.arange(n))


def test_inside_jit():
    f = lift.jit(lambda x: x * la.arange(x.shape[0]) + la.linspace(0, 1, x.shape[0])[::-1])
    x = np.arange(11) / 4
    check(f(x), x * np.arange(11) + np.linspace(0, 1, 11)[::-1])


def test_ranges_of_all_lengths_share_a_kernel():
    def structure(x):
        return symbolise(x.node, {}).expr

    assert structure(la.arange(10)) is structure(la.arange(1000))
    assert structure(la.arange(5, 11)) is structure(la.arange(70, 1000))
    assert structure(la.arange(-5, 18, 2)) is structure(la.arange(-70, 1000, 2))
    assert structure(la.linspace(0, 2, 10)) is structure(la.linspace(0, 2, 1000))
    assert structure(la.linspace(0, 2, 10, False)) is structure(la.linspace(0, 2, 1000, False))
