"""Arg-reductions, counts and ranges of values against NumPy: axes, dtypes, equal elements, NaN, infinities, errors."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.exceptions import AxisError

import lazyarr as la
from ir.fusion.partition.kernels import partition
from lazyarr import lift
from tests.lazyarr import evaluation
from tests.lazyarr.evaluation import EXAMPLES
from tests.lazyarr.support import DTYPES, check, dtypes, operands, values
from tests.lazyarr.test_ranges import same

NAMES = ("argmax", "argmin")


@pytest.mark.parametrize("shape", [(), (7,), (0,), (1, 1), (3, 5), (0, 3), (3, 0), (2, 3, 5), (2, 0, 3)], ids=str)
def test_every_axis(shape):
    x = values(shape, "float64", 1)
    for axis in (None, *range(-x.ndim, x.ndim)):
        keepdims = axis is None or axis >= 0
        check(la.count_nonzero(la.asarray(x), axis, keepdims=keepdims), np.count_nonzero(x, axis, keepdims=keepdims))
        for name in NAMES:
            try:
                expected = getattr(np, name)(x, axis, keepdims=keepdims)
            except ValueError:
                with pytest.raises(ValueError, match=f"{name}: expected elements to choose from"):
                    getattr(la, name)(la.asarray(x), axis, keepdims=keepdims)
            else:
                check(getattr(la, name)(la.asarray(x), axis, keepdims=keepdims), expected)


def special(draw, dtype, shape):
    """Few different values, so that many are equal; for floats NaN, the infinities and both zeros among them."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    if dtype == "bool":
        return rng.random(shape) < 0.5
    if np.dtype(dtype).kind == "f":
        return rng.choice(np.array(draw(st.sampled_from(FLOATS)), dtype), shape)
    info = np.iinfo(dtype)
    return rng.choice(np.array([info.min, info.max, 0, 1, 7], dtype), shape)


FLOATS = (
    [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.5],
    [np.inf, -np.inf],
    [0.0, -0.0],
    [np.nan],
    [np.nan, 3.0, -2.0],
    [np.inf],
    [-np.inf],
)


@settings(max_examples=2 * settings.default.max_examples)
@given(st.data(), dtypes)
def test_equal_elements_nan_and_the_ends_of_the_range(data, dtype):
    x = special(data.draw, dtype, data.draw(st.sampled_from([(1,), (7,), (97,), (3, 5), (5, 67), (2, 3, 5)])))
    axis = data.draw(st.sampled_from([None, *range(-x.ndim, x.ndim)]))
    for name in (*NAMES, "count_nonzero"):
        same(getattr(la, name)(la.asarray(x), axis), getattr(np, name)(x, axis))
    for name in ("min", "max"):  # of equal zeros of both signs NumPy gives any
        found = getattr(la, name)(la.asarray(x), axis)
        evaluation.compute([found])
        check(found, getattr(np, name)(x, axis))


@settings(max_examples=2 * EXAMPLES)
@given(st.sampled_from(NAMES), st.data(), st.sampled_from(["float32", "float64", "int32", "bool"]))
def test_the_same_on_the_device(name, data, dtype):
    x = special(data.draw, dtype, data.draw(st.sampled_from([(7,), (97,), (1009,), (20011,), (5, 67)])))
    axis = data.draw(st.sampled_from([None, *range(-x.ndim, x.ndim)]))
    check(getattr(la, name)(la.asarray(x), axis), getattr(np, name)(x, axis))
    extreme = name.removeprefix("arg")
    check(getattr(la, extreme)(la.asarray(x), axis), getattr(np, extreme)(x, axis))


@settings(max_examples=EXAMPLES)
@given(st.sampled_from(NAMES), st.data())
def test_any_layout(name, data):
    x = data.draw(operands(data.draw(st.sampled_from([(7,), (64,), (3, 5), (5, 1), (2, 3, 5)]))))
    axis = data.draw(st.sampled_from([None, *range(-x.ndim, x.ndim)]))
    check(getattr(la, name)(la.asarray(x), axis), getattr(np, name)(x, axis))


@pytest.mark.parametrize("dtype", DTYPES)
def test_computed_operands(dtype):
    x = values((13, 31), dtype, 5)
    a = la.asarray(x)
    check(la.argmin(la.abs(a), 1), np.argmin(np.abs(x), 1))
    check(la.argmax(a[:, ::-1].T), np.argmax(x[:, ::-1].T))
    check(la.argmax(a.ravel() == a[3, 4]), np.argmax(x.ravel() == x[3, 4]))
    check(la.argmax(la.arange(31) % 7 * 2), np.argmax(np.arange(31) % 7 * 2))


@pytest.mark.parametrize("dtype", [t for t in DTYPES if t != "bool"])
def test_ptp(dtype):
    x = values((5, 7), dtype, 3)
    for axis in (None, 0, 1, (0, 1)):
        check(la.ptp(la.asarray(x), axis, keepdims=True), np.ptp(x, axis, keepdims=True))
    if dtype[0] == "i":
        check(la.ptp(la.asarray(np.array([-100, 100], "int8"))), np.ptp(np.array([-100, 100], "int8")))
    check(la.ptp(la.asarray([1, np.nan])), np.ptp([1, np.nan]))


def test_an_index_is_found_by_one_kernel():
    x = la.asarray(values((5, 11), "float32", 1))
    for found in (la.argmax(x), la.argmin(x, 1), la.argmax(la.abs(x), 0), la.argmin(x) * 2):
        assert len(partition([found.node]).tasks) == 1


def test_inside_jit_and_map():
    x = values((5, 11), "float32", 1)
    check(lift.jit(lambda x: la.argmax(x, 1) * 2)(x), np.argmax(x, 1) * 2)
    check(lift.map(la.argmin, la.asarray(x)), np.argmin(x, 1))


def test_errors():
    x = la.asarray(np.ones((2, 3)))
    with pytest.raises(AxisError, match=r"argmax.*axis 5 is out of bounds"):
        la.argmax(x, 5)
    with pytest.raises(TypeError, match=r"argmin: expected an integer axis, got \(0, 1\)"):
        la.argmin(x, (0, 1))
    with pytest.raises(ValueError, match=r"argmax: expected elements to choose from, got shape \(3, 0\) and axis 1"):
        la.argmax(np.ones((3, 0)), 1)
    with pytest.raises(TypeError):
        la.ptp(la.asarray([True, False]))
    with pytest.raises(ValueError, match="ptp: zero-size array"):
        la.ptp([])
