"""Reductions against NumPy: every combination of axes, keepdims, dtypes, layouts; no elements; errors."""

from __future__ import annotations

import itertools
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.exceptions import AxisError

import lazyarr as la
from tests.lazyarr.evaluation import EXAMPLES
from tests.lazyarr.support import DTYPES, REQUIRED, SHAPES, check, dtypes, operands, values
from tests.tiers import by_tier


def axes_of(shape):
    """None and every set of axes, in some order, counted from either end."""
    ndim = len(shape)
    yield None
    for count in range(ndim + 1):
        for axes in itertools.combinations(range(ndim), count):
            yield tuple(axis - ndim if i % 2 else axis for i, axis in enumerate(axes[::-1]))
    yield from range(-ndim, ndim)


def terms(x):
    return max(x.size, 1)


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_every_axis(shape, keepdims):
    x = values(shape, "float64", 1)
    a = la.asarray(x)
    for axis in axes_of(shape):
        check(la.sum(a, axis, keepdims=keepdims), np.sum(x, axis=axis, keepdims=keepdims), terms(x), 9)
        reduced = range(x.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
        if all(shape[i] for i in reduced) or not np.sum(x, axis=axis).size:
            check(a.max(axis, keepdims=keepdims), np.max(x, axis=axis, keepdims=keepdims))


@given(name=st.sampled_from(["sum", "prod", "any", "all", "min", "max", "mean", "var", "std"]), data=st.data())
@settings(max_examples=4 * EXAMPLES)
def test_every_function(name, data):
    x = data.draw(operands(low=-2, high=3))
    axis = data.draw(st.sampled_from(list(axes_of(x.shape))))
    keepdims = data.draw(st.booleans())
    reduce = getattr(la, name)
    if name in ("min", "max"):
        reduced = range(x.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
        if not all(x.shape[i] for i in reduced):
            x = np.ones(tuple(max(e, 1) for e in x.shape), x.dtype)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = np.asarray(getattr(np, name)(as_float(name, x), axis=axis, keepdims=keepdims))
    check(
        reduce(la.asarray(x), axis, keepdims=keepdims),
        expected,
        4 * terms(x),
        float(np.max(np.abs(expected), initial=9)),
    )
    check(
        getattr(la.asarray(x), name)(axis, keepdims=keepdims),
        expected,
        4 * terms(x),
        float(np.max(np.abs(expected), initial=9)),
    )


def as_float(name, x):
    """NumPy's mean of integers is float64; its variance of float32 is computed as such."""
    return x.astype("float64") if name in ("mean", "var", "std") and x.dtype.kind in "biu" else x


@pytest.mark.parametrize("dtype", DTYPES)
def test_accumulators(dtype):
    x = values((11,), dtype, 2, low=1, high=4)
    check(la.sum(la.asarray(x)), np.sum(x), 11)
    check(la.prod(la.asarray(x)), np.prod(x), 11)
    for target in REQUIRED:
        check(la.sum(la.asarray(x), dtype=target), np.sum(x, dtype=target), 11)
        check(la.prod(la.asarray(x), dtype=target), np.prod(x, dtype=target), 11)


@given(dtype=dtypes)
@settings(max_examples=EXAMPLES)
def test_extremes_of_the_dtype(dtype):
    low, high = (
        (False, True)
        if dtype == "bool"
        else (-np.inf, np.inf)
        if dtype[0] == "f"
        else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    )
    for x in (np.array([low], dtype), np.array([high], dtype), np.array([low, high], dtype)):
        check(la.min(la.asarray(x)), np.min(x))
        check(la.max(la.asarray(x)), np.max(x))


def test_nan_is_propagated():
    x = np.array([1.0, np.nan, 3.0])
    for name in ("sum", "min", "max", "mean", "any", "all"):
        check(getattr(la, name)(la.asarray(x)), getattr(np, name)(x))


def test_ddof():
    x = values((4, 5), "float32", 3)
    for ddof in (0, 1, 5):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            check(la.var(la.asarray(x), 1, ddof=ddof), np.var(x, 1, ddof=ddof), 5, 81)
            check(la.std(la.asarray(x), 0, correction=ddof), np.std(x, 0, ddof=ddof), 5, 81)


@pytest.mark.parametrize("length", [1, 2, 97, 1009])
def test_lengths(length):
    x = values((length,), "float32", length)
    check(la.sum(la.abs(la.asarray(x))), np.sum(np.abs(x)), length)
    check(la.sum(la.asarray(x) * la.asarray(x)), np.sum(x * x), length)


def test_errors():
    x = la.asarray(np.ones((2, 3)))
    with pytest.raises(AxisError, match=r"sum.*axis 2 is out of bounds"):
        la.sum(x, 2)
    with pytest.raises(AxisError, match=r"max.*axis -3 is out of bounds"):
        x.max(axis=(-3,))
    with pytest.raises(ValueError, match=r"sum: duplicate value in axis \(0, -2\)"):
        la.sum(x, (0, -2))
    with pytest.raises(TypeError, match=r"mean.*'x'"):
        la.mean(x, "x")
    with pytest.raises(ValueError, match=r"min: zero-size array"):
        la.min(la.asarray(np.ones(0)))
    with pytest.raises(ValueError, match=r"max: zero-size array.*no identity"):
        la.max(la.asarray(np.ones((3, 0))), 1)
    with pytest.raises(TypeError, match=r"sum: dtype float16"):
        la.sum(x, dtype="float16")
    with pytest.raises(TypeError, match=r"var.*int32"):
        la.var(x, dtype="int32")


@pytest.mark.parametrize("name", ["var", "std"])
@pytest.mark.parametrize("dtype", ["float64", "complex64", "int32"])
def test_moments_of_what_a_mask_leaves(name, dtype):
    x = values((4, 5), dtype, 3)
    mask = values((4, 5), "bool", 4)
    mask[2] = False
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for where in (mask, mask[:, :1], False):
            for keywords in ({"axis": 1, "ddof": 1}, {"keepdims": True}, {"axis": (0, 1)}):
                expected = getattr(np, name)(x, where=where, **keywords)
                check(getattr(la, name)(la.asarray(x), where=where, **keywords), expected, 20, 81)
        check(getattr(la.asarray(x), name)(axis=0, where=mask), getattr(x, name)(axis=0, where=mask), 20, 81)


def test_moments_about_a_known_mean():
    x = values((4, 5), "float64", 5)
    mean = x.mean(axis=1, keepdims=True)
    check(la.var(la.asarray(x), 1, mean=la.asarray(mean)), np.var(x, 1, mean=mean), 5, 81)
    check(la.std(la.asarray(x), 1, mean=mean, ddof=1), np.std(x, 1, mean=mean, ddof=1), 5, 81)
    with pytest.raises(ValueError, match="ddof or correction"):
        la.var(x, ddof=1, correction=1)


def moments(xp, v):
    return xp.mean(v, axis=-1), xp.var(v, axis=-1), xp.sum(v, axis=-1)


@pytest.mark.device
@pytest.mark.parametrize("shape", [(64, 1000), (64, 1023), (64, 129)][: by_tier(1, 1, 3)])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"][: by_tier(1, 1, 3)])
def test_a_variance_takes_the_sum_that_its_mean_is_made_of(dtype, shape):
    x = np.random.default_rng(7).integers(-9, 9, shape).astype(dtype)
    if dtype != "int32":
        x[1, 5], x[2, 7], x[3], x[4, ::2] = np.nan, np.inf, -np.inf, -0.0
    with np.errstate(all="ignore"):
        expected = moments(np, x)
    y = la.asarray(x)
    for found in (moments(la, y), la.lift.jit(lambda v: moments(la, v))(y)):
        for a, b in zip(found, expected, strict=True):
            np.testing.assert_allclose(np.asarray(a), b, rtol=1e-5, atol=1e-5)
    explained = la.lift.explain(lambda v: moments(la, v), y)
    (kernel,) = explained.kernels
    derivations = [kernel.derivation, *(rewriting.derivation for rewriting in explained.rewritings)]
    assert "reduce_known_component" in {step.rule for derivation in derivations for step in derivation.steps}


def test_what_all_rows_have_is_known_to_what_is_asked_of_them():
    x = np.arange(64000).reshape(64, 1000) % 7 == 0
    x[3] = False

    def rows(v):
        some = v.any(axis=1, keepdims=True)
        return v.any(axis=1), (v | some).all(axis=1)

    for found, expected in zip(la.lift.jit(rows)(la.asarray(x)), rows(x), strict=True):
        np.testing.assert_array_equal(np.asarray(found), expected)


@pytest.mark.parametrize("name", ["var", "std", "nanvar", "nanstd"])
def test_variances_of_complex_numbers_as_real_ones(name):
    x = np.array([[1 + 2j, 3j, -4], [2, 5 - 1j, 0.5]])
    for axis in (None, 0, 1):
        with pytest.warns(np.exceptions.ComplexWarning):
            expected = getattr(np, name)(x, axis=axis, dtype="float32")
        with pytest.warns(np.exceptions.ComplexWarning):
            check(getattr(la, name)(la.asarray(x), axis=axis, dtype="float32"), expected)


@pytest.mark.parametrize("name", ["nanvar", "nanstd", "median", "nanmedian"])
@pytest.mark.parametrize("dtype", ["float32", "complex64", "complex128"])
def test_reductions_of_nothing_have_their_dtype_and_parts(name, dtype):
    for shape, axis in (((0,), None), ((2, 0), 1)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = getattr(np, name)(np.zeros(shape, dtype), axis=axis)
            check(getattr(la, name)(la.asarray(np.zeros(shape, dtype)), axis=axis), expected)


def test_the_mean_of_nothing_warns_in_every_dtype():
    for dtype in (None, "float32", "int64"):
        with pytest.warns(RuntimeWarning, match="Mean of empty slice"):
            la.mean(la.asarray(np.zeros((2, 0))), axis=1, dtype=dtype)


def test_numpys_numbers_as_initial_are_held_or_refused():
    x = np.array([5, -5], "int8")
    for initial in (np.uint8(200), np.int64(-129), np.float64(np.nan)):
        with pytest.raises((OverflowError, ValueError)):
            np.min(x, initial=initial)
        with pytest.raises((OverflowError, ValueError)):
            la.min(la.asarray(x), initial=initial)
    check(la.max(la.asarray(x), initial=np.float64(9.7)), np.max(x, initial=np.float64(9.7)))


def test_bools_are_no_numbers_for_plus():
    with pytest.raises(TypeError, match="positive"):
        +la.asarray([True])
    x = la.asarray([1, 2])
    assert +x is not x and la.array_equal(+x, x)
