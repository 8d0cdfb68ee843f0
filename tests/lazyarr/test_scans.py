"""Scans along any axis against NumPy: shapes, dtypes, NaNs, infinities, signed zeros, no elements; errors."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.exceptions import AxisError

import lazyarr as la
from ir.cost.thresholds.reductions import CHAIN_AT_MOST
from ir.fusion import program
from lazyarr import lift
from lazyarr.api.reduce import scans
from lazyarr.config import configure
from tests.lazyarr.evaluation import EXAMPLES, ON_DEVICE
from tests.lazyarr.support import DTYPES, REQUIRED, SHAPES, check, operands, values

LENGTHS = (1, 2, 3, 7, 64, 1000, 1031, 65537, (1 << 20) + 3)
AXES = [(shape, axis) for shape in SHAPES if shape for axis in (*range(len(shape)), -1)]


@pytest.fixture(autouse=True)
def _untuned():
    before = configure()
    configure(tune="off")
    yield
    configure(tune=before.tune)


def whole(n: int, dtype: str, seed: int) -> np.ndarray:
    """Whole numbers whose sums are exact in float32: within 2**24 in any order."""
    return np.random.default_rng(seed).integers(-7, 8, n).astype(dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int8"])
@pytest.mark.parametrize("n", LENGTHS)
def test_sums_of_any_length(n, dtype):
    if not ON_DEVICE and n > 65537:
        pytest.skip("the interpreter alone")
    x = whole(n, dtype, n)
    check(la.cumulative_sum(la.asarray(x)), np.cumsum(x, dtype="int64").astype(np.cumsum(x[:1]).dtype))
    check(scans.cummax(la.asarray(x)), np.maximum.accumulate(x))


@pytest.mark.parametrize("n", [n for n in LENGTHS if n < 65537])
def test_products_are_computed_in_order(n):
    x = values((n,), "float32", n, 0.9, 1.1)
    value = np.asarray(la.cumprod(la.asarray(x)))
    np.testing.assert_array_equal(value, np.cumprod(x))
    x = np.arange(n, dtype="float32")  # a product of some of them overflows, but the first one is zero
    np.testing.assert_array_equal(np.asarray(la.cumprod(la.asarray(x))), np.zeros(n, "float32"))


@pytest.mark.parametrize(("shape", "axis"), AXES, ids=str)
def test_every_axis(shape, axis):
    x = values(shape, "int32", 1)
    a = la.asarray(x)
    check(la.cumulative_sum(a, axis=axis), np.cumulative_sum(x, axis=axis))
    check(la.cumulative_sum(a, axis=axis, include_initial=True), np.cumulative_sum(x, axis=axis, include_initial=True))
    check(la.cumulative_prod(a, axis=axis), np.cumulative_prod(x, axis=axis))
    check(
        la.cumulative_prod(a, axis=axis, include_initial=True), np.cumulative_prod(x, axis=axis, include_initial=True)
    )
    check(a.cumsum(axis), x.cumsum(axis))
    check(scans.cummin(a, axis), np.minimum.accumulate(x, axis))
    check(la.diff(a, axis=axis), np.diff(x, axis=axis))


@given(data=st.data(), name=st.sampled_from(["cumsum", "cumprod", "nancumsum", "nancumprod"]))
@settings(max_examples=4 * EXAMPLES)
def test_numpy_names(name, data):
    x = data.draw(operands(low=-2, high=3))
    axis = data.draw(st.sampled_from([None, *range(-x.ndim, x.ndim)]))
    expected = getattr(np, name)(x, axis=axis)
    check(getattr(la, name)(la.asarray(x), axis), expected, max(x.size, 1), float(np.max(np.abs(expected), initial=9)))


@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes(dtype):
    x = values((3, 11), dtype, 2, low=1, high=4)
    a = la.asarray(x)
    check(la.cumsum(a, 0), np.cumsum(x, 0), 11)
    check(la.cumulative_prod(a, axis=1), np.cumulative_prod(x, axis=1), 11)
    check(scans.cummax(a), np.maximum.accumulate(x, -1))
    check(scans.cummin(a, 0), np.minimum.accumulate(x, 0))
    target = REQUIRED[DTYPES.index(dtype) % len(REQUIRED) - 1]
    check(la.cumulative_sum(a, axis=1, dtype=target), np.cumulative_sum(x, axis=1, dtype=target), 11)
    check(la.cumprod(a, dtype=target), np.cumprod(x, dtype=target), 33)


SPECIAL = st.sampled_from([0.0, -0.0, 1.5, -2.25, np.inf, -np.inf, np.nan])


@given(st.lists(SPECIAL, min_size=1, max_size=70), st.sampled_from(["float32", "float64"]))
@settings(max_examples=4 * EXAMPLES)
def test_special_values(numbers, dtype):
    """Bit for bit but for the payload of NaNs: all sums here are exact."""
    x = np.array(numbers, dtype)
    a = la.asarray(x)
    with np.errstate(all="ignore"):
        pairs = [
            (la.cumsum(a), np.cumsum(x)),
            (la.cumsum(la.asarray(np.stack([x, x[::-1]], 1)), 0)[:, 0], np.cumsum(x)),
            (la.cumulative_sum(a, include_initial=True), np.cumulative_sum(x, include_initial=True)),
            (scans.cummax(a), np.maximum.accumulate(x)),
            (scans.cummin(a), np.minimum.accumulate(x)),
            (la.nancumsum(a), np.nancumsum(x)),
        ]
    for number, (actual, expected) in enumerate(pairs):
        found = np.asarray(actual)
        np.testing.assert_array_equal(found, expected)
        if number < 3:
            known = ~np.isnan(expected)
            np.testing.assert_array_equal(np.signbit(found[known]), np.signbit(expected[known]))


def test_a_long_sum_of_floats_keeps_its_digits():
    """No chain of additions is long, and most of them are of small sums: NumPy keeps two digits of this."""
    n = (1 << 20) + 3
    x = np.full(n, 0.1, "float32")
    exact = np.arange(1, n + 1) * np.float64(x[0])
    old = configure(tune="off")
    try:
        found = np.asarray(la.cumsum(la.asarray(x)))
    finally:
        configure(**vars(old))
    tuned = np.asarray(la.cumsum(la.asarray(x)))
    error, any_other, numpys = (np.abs(value - exact) / exact for value in (found, tuned, np.cumsum(x)))
    assert error.max() < 1e-4 < 1e-3 < numpys.max()
    assert any_other.max() < numpys[:CHAIN_AT_MOST].max()  # what one chain may lose in whatever a search picks


def test_what_a_scan_reads_is_computed_with_it():
    x, y = values((1031,), "float32", 3), values((1031,), "float32", 4)
    a, b = la.asarray(x), la.asarray(y)
    check(la.cumsum(la.abs(a) * b), np.cumsum(np.abs(x) * y), 1031, 81 * 1031)
    if ON_DEVICE:
        assert len(lift.explain(lambda a, b: la.cumsum(la.abs(a) * b), a, b).kernels) == 1
        assert len(lift.explain(lambda a: la.cumsum(a) * 2, a).kernels) == 1


@pytest.mark.slow
def test_what_is_done_with_a_scan_has_a_kernel_where_no_schedule_of_both_is_found(monkeypatch):
    def kernels(f) -> int:
        return len(lift.explain(lambda a: f(la.cumsum(a, axis=1)) + a, la.ones((7, 11))).kernels)

    assert kernels(la.sqrt) == 1
    monkeypatch.setattr(program, "_CAN_BE_MADE", {**program._CAN_BE_MADE, "scans": lambda kernel: False})
    assert kernels(la.abs) == 2


@given(data=st.data())
@settings(max_examples=2 * EXAMPLES)
def test_diff(data):
    x = data.draw(operands().filter(lambda x: x.ndim > 0))
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    n = data.draw(st.integers(0, 3))
    rest = (*x.shape[: axis % x.ndim], 2, *x.shape[axis % x.ndim + 1 :])
    ends = {}
    for name in ("prepend", "append"):
        kind = data.draw(st.sampled_from(["none", "number", "array"]))
        if kind == "number":
            ends[name] = x.dtype.type(3)
        elif kind == "array":
            ends[name] = values(rest, str(x.dtype), 5)
    expected = np.diff(x, n, axis, **ends)
    ours = {name: la.asarray(end) if isinstance(end, np.ndarray) else end for name, end in ends.items()}
    check(la.diff(la.asarray(x), n, axis, **ours), expected, 2, 50)


def test_diff_undoes_a_running_sum():
    x = values((5, 7), "int64", 6)
    a = la.asarray(x)
    for axis in (0, 1):
        check(la.diff(la.cumulative_sum(a, axis=axis, include_initial=True), axis=axis), x)


def test_trapezoid():
    y = values((4, 9), "float64", 7)
    places = np.sort(values((9,), "float64", 8))
    check(la.trapezoid(la.asarray(y)), np.trapezoid(y), 9, 81)
    check(la.trapezoid(la.asarray(y), dx=0.5, axis=0), np.trapezoid(y, dx=0.5, axis=0), 9, 81)
    check(la.trapezoid(la.asarray(y), la.asarray(places)), np.trapezoid(y, places), 9, 800)
    check(la.trapezoid(la.asarray(y), y, axis=0), np.trapezoid(y, y, axis=0), 9, 800)
    check(la.trapezoid(la.asarray(y[:, 0]), y[:, 1]), np.trapezoid(y[:, 0], y[:, 1]), 9, 800)


def test_scan_of_the_papers_notation():
    x, m = whole(1031, "float32", 9), values((31, 17), "int32", 10)
    a, b = la.asarray(x), la.asarray(m)
    check(lift.scan(lambda p, q: p + q, 0, a), np.cumsum(x))
    check(lift.scan(lambda p, q: p + q, 5)(a), 5 + np.cumsum(x))
    check(lift.scan(lambda p, q: p - (-q), 5, a), 5 + np.cumsum(x))  # not recognised as a sum: in order
    check(lift.scan(la.maximum, 0, a), np.maximum(np.maximum.accumulate(x), 0))
    check(lift.scan(lambda p, q: p + q, 0, b), np.cumsum(m, 0, dtype="int32"))
    check(lift.scan(lambda p, q: q + p, m[3], b), np.cumsum(m, 0, dtype="int32") + m[3])
    check(lift.map(lambda row: lift.scan(lambda p, q: p + q, 0, row), b), np.cumsum(m, 1, dtype="int32"))
    check(lift.map(la.cumsum, la.asarray(m.astype("int64"))), np.cumsum(m, 1, dtype="int64"))
    pair = lift.scan(lambda p, q: (p[0] + q[0], la.maximum(p[1], q[1])), (0, -np.inf), lift.zip(a, a))
    sums, most = lift.unzip(pair)
    check(sums, np.cumsum(x))
    check(most, np.maximum.accumulate(x))
    cube = values((5, 4, 3), "int32", 11)
    check(lift.scan(lambda p, q: p + q, 0, la.asarray(cube)), np.cumsum(cube, 0, dtype="int32"))


def test_scan_keeps_the_order():
    """Composition of maps is associative and not commutative."""
    n = 37
    a, b = values((n,), "float64", 12, -1, 1), values((n,), "float64", 13, -1, 1)
    found = lift.scan(lambda p, q: (p[0] * q[0], p[0] * q[1] + p[1]), (1, 0), lift.zip(la.asarray(a), la.asarray(b)))
    slope, offset, expected = 1.0, 0.0, []
    for x, y in zip(a, b, strict=True):
        slope, offset = slope * x, slope * y + offset
        expected.append((slope, offset))
    for actual, column in zip(lift.unzip(found), np.array(expected).T, strict=True):
        check(actual, column, 2 * n, 1)


def test_a_jitted_scan():
    f = lift.jit(lambda x: la.cumsum(la.abs(x)))
    for n in (1, 7, 1031, 2000):
        x = whole(n, "float32", n)
        check(f(la.asarray(x)), np.cumsum(np.abs(x)))


def test_nothing_to_scan():
    for dtype in ("float32", "int32", "bool"):
        x = np.empty((0,), dtype)
        check(la.cumsum(la.asarray(x)), np.cumsum(x))
        check(la.cumulative_prod(la.asarray(x), include_initial=True), np.cumulative_prod(x, include_initial=True))
        check(scans.cummax(la.asarray(x)), x)
    check(lift.scan(lambda p, q: p + q, 0, la.asarray(np.empty((0, 3), "int32"))), np.empty((0, 3), "int32"))
    check(la.cumsum(la.asarray(np.array(3.0))), np.cumsum(np.array(3.0)))


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_complex_numbers(dtype):
    x = (np.arange(1, 8) * (1 - 0.5j)).astype(dtype)
    check(la.cumulative_sum(la.asarray(x)), np.cumsum(x))
    check(la.cumulative_prod(la.asarray(x)), np.cumprod(x))
    check(la.cumulative_sum(la.asarray(x.real), dtype=dtype), np.cumsum(x.real, dtype=dtype))


def test_a_single_number():
    for name in ("cumulative_sum", "cumulative_prod", "cumsum", "cumprod"):
        for axis in (None, 0, -1):
            check(getattr(la, name)(la.asarray(3), axis=axis), getattr(np, name)(np.asarray(3), axis=axis))
    check(la.cumulative_sum(la.asarray(3), include_initial=True), np.array([0, 3]))


def test_errors():
    x = la.asarray(np.ones((2, 3)))
    with pytest.raises(ValueError, match=r"cumulative_sum: axis must be given for an array of 2 dimensions"):
        la.cumulative_sum(x)
    with pytest.raises(AxisError, match=r"cumulative_prod: axis 1 is out of bounds"):
        la.cumulative_prod(la.asarray(1.0), axis=1)
    with pytest.raises(AxisError, match=r"cumsum.*axis 2 is out of bounds"):
        la.cumsum(x, 2)
    with pytest.raises(TypeError, match=r"cumulative_sum: .*float16"):
        la.cumulative_sum(x, axis=0, dtype="float16")
    with pytest.raises(ValueError, match=r"diff: expected n not to be negative, got -1"):
        la.diff(x, -1)
    with pytest.raises(ValueError, match=r"diff: .*0-dimensional"):
        la.diff(la.asarray(1.0))
    with pytest.raises(ValueError, match=r"diff: expected prepend and append .*\(2, 3\), but for axis 1, .*\(4,\)"):
        la.diff(x, prepend=np.ones(4))
    with pytest.raises(ValueError, match=r"cummax: .*0-dimensional"):
        scans.cummax(la.asarray(1.0))
    with pytest.raises(ValueError, match=r"trapezoid: .*0-dimensional"):
        la.trapezoid(la.asarray(1.0))
    with pytest.raises(TypeError, match=r"lift.scan: expected a function that gives float64"):
        lift.scan(lambda a, b: a > b, 0, la.asarray(np.ones(3)))
    with pytest.raises(TypeError, match=r"lift.scan: expected init to be a tuple of 2"):
        lift.scan(lambda a, b: a, 0, lift.zip(la.asarray(np.ones(3)), la.asarray(np.ones(3))))


def test_no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        x = values((37, 19), "float32", 14)
        check(la.cumsum(la.asarray(x), 0).sum(1), np.cumsum(x, 0).sum(1), 37 * 19, 81 * 37)
