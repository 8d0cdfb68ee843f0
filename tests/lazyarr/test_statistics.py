"""Averages, covariances and correlation coefficients against NumPy."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import lazyarr as la
from lazyarr import lift
from tests.lazyarr.support import check, values

AVERAGES = [
    ((3, 5), (3, 5), None), ((3, 5), (3, 5), 0), ((3, 5), (5,), 1), ((2, 3, 4), (4, 2), (2, 0)), ((7,), (7,), 0),
    ((2, 3, 4), (3,), 1),
]  # fmt: skip


@pytest.mark.parametrize(("case", "dtype"), [*zip(AVERAGES, ["float64", "float32", "int32"] * 2, strict=True)], ids=str)
def test_average(case, dtype):
    shape, of_weights, axis = case
    x, w = values(shape, dtype, 1), values(of_weights, "float32", 2, low=0.5)
    for keepdims in (False, True):
        mine = la.average(la.asarray(x), axis, w, returned=True, keepdims=keepdims)
        for one, other in zip(mine, np.average(x, axis, w, returned=True, keepdims=keepdims), strict=True):
            check(one, other, 20, 10)
    check(la.average(la.asarray(x), axis), np.average(x, axis), 20, 10)
    for one, other in zip(la.average(x, axis, returned=True), np.average(x, axis, returned=True), strict=True):
        check(one, other, 20, 10)


def test_average_of_weights_that_sum_to_zero():
    x = la.asarray([[1.0, 2, 3], [4, 5, 6]])
    for axis, w in [(None, la.zeros((2, 3))), (0, [1, -1]), (1, [[1, 1, -2], [1, 1, 1]])]:
        for module, given in ((la, x), (np, np.asarray(x))):
            with pytest.raises(ZeroDivisionError, match="eights sum to zero"):
                module.average(given, axis, np.asarray(w))
    recorded = lift.jit(lambda v, w: la.average(v, 0, w))  # where nothing is known of their sum
    check(recorded(x, la.asarray([1.0, 3])), np.average(np.asarray(x), 0, [1, 3]))
    assert np.isinf(np.asarray(recorded(x, la.asarray([1.0, -1])))).all()


def test_average_refuses():
    with pytest.raises(TypeError, match="an axis is needed"):
        la.average(la.ones((2, 3)), weights=[1, 2, 3])
    with pytest.raises(ValueError, match=r"weights of shape \(3,\) do not fit axis 0"):
        la.average(la.ones((2, 3)), 0, [1, 2, 3])


COVARIANCES = [
    ((3, 7), {}), ((7,), {}), ((7, 3), {"rowvar": False}), ((3, 7), {"bias": True}), ((3, 7), {"ddof": 2}),
    ((2, 5), {"fweights": np.array([1, 2, 0, 1, 3])}), ((2, 5), {"aweights": np.array([0.5, 2, 1, 1, 3])}),
    ((2, 5), {"fweights": np.array([1, 2, 0, 1, 3]), "aweights": np.array([0.5, 2, 1, 1, 3]), "ddof": 0}),
    ((3, 7), {"dtype": "float32"}), ((1, 6), {}),
]  # fmt: skip


@pytest.mark.parametrize("case", COVARIANCES, ids=str)
def test_cov(case):
    shape, options = case
    x = values(shape, "complex64" if options.get("rowvar") is False else "float32", 5)
    check(la.cov(la.asarray(x), **options), np.cov(x, **options), 20, 100)
    y = values(shape, "float64", 6)
    if not options:
        check(la.cov(la.asarray(x), y), np.cov(x, y), 20, 100)


@pytest.mark.parametrize(("shape", "dtype"), [((3, 7), "float64"), ((7,), "float32"), ((3, 5), "complex128")])
def test_corrcoef(shape, dtype):
    x, y = values(shape, dtype, 1), values(shape, dtype, 2)
    check(la.corrcoef(la.asarray(x)), np.corrcoef(x), 40, 2)
    check(la.corrcoef(la.asarray(x), y), np.corrcoef(x, y), 40, 2)


def test_cov_refuses():
    with pytest.raises(ValueError, match="one or two dimensions"):
        la.cov(la.ones((2, 2, 2)))
    with pytest.raises(TypeError, match="fweights to be integers"):
        la.cov(la.ones((2, 3)), fweights=[0.5, 1, 2])
    with pytest.raises(ValueError, match=r"aweights of shape \(3,\)"):
        la.cov(la.ones((2, 3)), aweights=[0.5, 1])


@pytest.mark.parametrize("dtype", ["int64", "int8", "uint16"])
def test_means_of_integers_in_integers(dtype):
    for x in (values((5, 8), "float32", 3) * 20 + 60, values((5, 8), "int32", 4) % 100 + 20):
        x = np.abs(x)
        mask = x > 40
        for options in ({}, {"axis": 0}, {"axis": (0, 1), "keepdims": True}, {"axis": 1, "where": mask}):
            ours = {k: la.asarray(v) if isinstance(v, np.ndarray) else v for k, v in options.items()}
            check(la.mean(la.asarray(x), dtype=dtype, **ours), np.asarray(np.mean(x, dtype=dtype, **options)))
    out = la.zeros(8, dtype=dtype)
    assert la.mean(la.asarray(x), 0, dtype, out) is out
    check(out, np.mean(x, 0, dtype))


MEANS_OF_NOTHING = [
    lambda m: m.mean(m.zeros((0, 3)), axis=0), lambda m: m.zeros(0).mean(), lambda m: m.median(m.zeros(0)),
    lambda m: m.average(m.zeros(0)), lambda m: m.var(m.zeros(0)), lambda m: m.std(m.ones((2, 1)), axis=1, ddof=1),
    lambda m: m.var(m.ones(3), ddof=4), lambda m: m.cov(m.ones((1, 1))), lambda m: m.corrcoef(m.ones((2, 1))),
]  # fmt: skip


@pytest.mark.parametrize("call", MEANS_OF_NOTHING)
def test_means_of_nothing_warn_each_time_as_numpys(call):
    with warnings.catch_warnings(record=True) as theirs, np.errstate(all="ignore"):
        warnings.simplefilter("always")
        call(np)
    for _ in range(2):
        with warnings.catch_warnings(record=True) as own:
            warnings.simplefilter("always")
            assert np.isnan(np.asarray(call(la))).all()
        assert {(w.category, str(w.message).rstrip(".")) for w in own} == {
            (w.category, str(w.message).rstrip(".")) for w in theirs
        }
        assert own[0].filename == __file__


def test_means_of_something_do_not_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert la.mean(la.zeros((0, 3)), axis=1).shape == (0,)
        assert la.var(la.zeros((0, 3)), axis=1).shape == (0,)
        assert float(la.var(la.ones(1))) == 0
