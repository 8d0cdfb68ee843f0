"""Histograms, against NumPy."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la
from lazyarr import lift
from lazyarr.config import configure
from tests import oclgrind
from tests.lazyarr.evaluation import interpreted
from tests.lazyarr.support import check, values

FLOATS = ("float32", "float64")
RANGES = st.sampled_from([(0.0, 1.0), (0.1, 0.7), (-3.3, 4.4), (1000.0, 1000.5), (-1e-3, 1e30), (2.0, 2.0), (0, 300)])


def counts(x, *arguments, **keywords):
    """NumPy's histogram, and ours is the same."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # NaNs are compared
        expected = np.histogram(x, *arguments, **keywords)
    for ours, theirs in zip(la.histogram(la.asarray(x), *arguments, **keywords), expected, strict=True):
        check(ours, theirs)
    return expected[0]


def around(edges, dtype):
    """The edges, their neighbours on both sides, and what is in no bin."""
    edges = edges.astype(dtype)
    far = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0], dtype)
    return np.concatenate([edges, np.nextafter(edges, dtype(np.inf)), np.nextafter(edges, dtype(-np.inf)), far])


@interpreted()
def test_histogram():
    x = values((300,), "float64", 3)
    x[::50] = 4.0
    cases = [{}, {"bins": 7}, {"bins": 4, "range": (-3, 4)}, {"bins": [-9.0, -2, -2, 0.5, 4, 8]},
             {"bins": np.array([0, 4])}, {"bins": [0, 1, 1]}, {"bins": 5, "density": True},
             {"bins": [-9, 0, 1, 9], "density": True}, {"bins": [3.0]}, {"bins": []}]  # fmt: skip
    for dtype in ("float64", "float32", "int32", "uint8"):
        y = np.abs(x).astype(dtype) if dtype == "uint8" else x.astype(dtype)
        for case in cases:
            for ours, theirs in zip(la.histogram(la.asarray(y), **case), np.histogram(y, **case), strict=True):
                check(ours, theirs)
            check(
                la.histogram_bin_edges(la.asarray(y), case.get("bins", 10)),
                np.histogram_bin_edges(y, case.get("bins", 10)),
            )
    w = values((300,), "float64", 4)
    for ours, theirs in zip(la.histogram(x, weights=w), np.histogram(x, weights=w), strict=True):
        check(ours, theirs, 50, 9)
    for empty in ({}, {"range": (0, 1)}, {"bins": [1, 2]}):
        counts(np.zeros(0), **empty)
    counts(np.full(5, 2.5))


@interpreted()
@settings(max_examples=30)
@given(st.sampled_from(FLOATS), st.sampled_from([1, 2, 7, 10, 64, 257]), RANGES, st.integers(0, 99))
def test_equal_bins_have_numpys_counts_at_their_edges_too(dtype, bins, limits, seed):
    kind = np.dtype(dtype).type
    edges = np.histogram_bin_edges(np.zeros(0, kind), bins, limits)
    inner = np.random.default_rng(seed).uniform(edges[0], edges[-1], 50).astype(kind)
    x = np.concatenate([around(edges, kind), inner])
    assert counts(x, bins, limits).sum() >= bins + 1


@interpreted()
@settings(max_examples=15)
@given(st.sampled_from(FLOATS), st.sampled_from([1, 10, 33]), st.integers(0, 99))
def test_bins_between_the_extremes(dtype, bins, seed):
    x = np.random.default_rng(seed).standard_normal(60).astype(dtype) * 10 ** (seed % 9)
    edges = np.histogram_bin_edges(x, bins)
    inside = np.concatenate([x, np.clip(around(edges, x.dtype.type)[: 3 * bins + 3], x.min(), x.max())])
    assert counts(inside, bins).sum() == inside.size


@interpreted()
def test_bins_as_narrow_as_rounding():
    first = np.float32(1000)
    edges = first + np.arange(9, dtype="float32") * np.spacing(first)
    limits = (float(edges[0]), float(edges[-1]))
    assert counts(around(edges, np.float32), 8, limits).sum() > 8
    for bins in (9, 1000):
        with pytest.raises(ValueError, match=r"histogram: .* have no width in float32"):
            la.histogram(la.asarray(edges), bins, limits)
        with pytest.raises(ValueError, match="Too many bins"):
            np.histogram(edges, bins, limits)


@interpreted()
@settings(max_examples=15)
@given(st.sampled_from((*FLOATS, "int16", "uint64")), st.integers(1, 40), st.integers(0, 99))
def test_given_edges(dtype, number, seed):
    rng = np.random.default_rng(seed)
    edges = np.sort(rng.integers(0, 30, number) / 2)
    x = (rng.integers(0, 40, 80) / 2).astype(dtype)
    if x.dtype.kind == "f":
        x[:3] = np.nan, np.inf, -np.inf
    if number > 1:
        counts(x, edges)


@pytest.mark.device
def test_one_kernel_serves_all_ranges(monkeypatch):
    from lazyarr.runtime import Device

    x = values((5000,), "float32", 5)
    counts(x, 16, (-9.1, 7.3))
    monkeypatch.setattr(Device, "build", None)
    for last in (7.1, 8.7, 9.9):
        counts(x, 16, (-9.3, last))


@pytest.mark.device
@pytest.mark.parametrize("dtype", FLOATS)
def test_histogram_on_the_device(dtype):
    x = values((5000,), dtype, 5)
    f = lift.jit(lambda x: la.histogram(x, 16, (-9, 9))[0])
    check(f(x), np.histogram(x, 16, (-9, 9))[0])


def run_under_the_simulator() -> None:
    edges = np.histogram_bin_edges([], 7, (0.1, 0.8))
    x = np.concatenate([np.random.default_rng(1).random(16500), around(edges, np.float64)]).astype("float32")
    found = np.asarray(la.histogram(la.asarray(x), 7, (0.1, 0.8))[0])
    np.testing.assert_array_equal(found, np.histogram(x[np.isfinite(x)], 7, (0.1, 0.8))[0])


@pytest.mark.sweep
@pytest.mark.skipif(not oclgrind.available(), reason="Oclgrind is not installed")
def test_a_simulator_finds_nothing_wrong():
    code = "from tests.lazyarr.test_histogram import run_under_the_simulator as run\nrun()"
    assert oclgrind.run(code, timeout=300) == ""


@interpreted()
def test_of_complex_weights():
    x, w = np.arange(20.0) % 7, np.arange(20) * (1 + 2j)
    for ours, theirs in zip(la.histogram(la.asarray(x), 4, weights=w), np.histogram(x, 4, weights=w), strict=True):
        check(ours, theirs)


@pytest.mark.parametrize(
    ("bins", "limits"),
    [(4, None), ([3, 5], None), ([[-1.0, 0.0, 0.5, 1.0], 3], None), (6, [(-0.5, 0.5), (0.0, 1.0)])],
)
@pytest.mark.parametrize("density", [False, True])
@interpreted()
def test_of_two_dimensions(bins, limits, density):
    x, y = np.sin(np.arange(211.0)), np.cos(np.arange(211.0) * 2)
    w = np.arange(211.0) % 5
    arguments = {"bins": bins, "range": limits, "density": density}
    for weights in (None, w):
        expected = np.histogram2d(x, y, weights=weights, **arguments)
        found = la.histogram2d(la.asarray(x), la.asarray(y), weights=weights, **arguments)
        for ours, theirs in zip(found, expected, strict=True):
            np.testing.assert_allclose(np.asarray(ours), theirs, rtol=1e-12)
    points = np.stack([x, y], axis=1)
    expected, edges = np.histogramdd(points, **arguments)
    found, lines = la.histogramdd(la.asarray(points), **arguments)
    np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-12)
    for ours, theirs in zip(lines, edges, strict=True):
        np.testing.assert_array_equal(np.asarray(ours), theirs)


def test_errors_of_more_dimensions():
    with pytest.raises(ValueError, match="histogramdd"):
        la.histogramdd(np.zeros((5, 2)), bins=[3])
    with pytest.raises(ValueError, match="histogramdd"):
        la.histogramdd(np.zeros((5, 2, 2)))


RULES = [(rule, None, "normal") for rule in ("auto", "doane", "fd", "rice", "scott", "sqrt", "sturges")]


@pytest.mark.parametrize(("rule", "limits", "kind"), [*RULES, ("auto", (-1, 1), "normal"), ("fd", None, "integers")])
def test_bins_by_rules(rule, limits, kind):
    rng = np.random.default_rng(8)
    x = rng.normal(size=101) if kind == "normal" else rng.integers(-4, 90, 101)
    counts, edges = la.histogram(la.asarray(x), bins=rule, range=limits)
    expected = np.histogram(x, bins=rule, range=limits)
    np.testing.assert_allclose(np.asarray(edges), expected[1])
    np.testing.assert_array_equal(np.asarray(counts), expected[0])


def test_rules_of_equal_elements_and_of_weights():
    found, expected = la.histogram(la.ones(5), bins="fd"), np.histogram(np.ones(5), bins="fd")
    np.testing.assert_array_equal(np.asarray(found[0]), expected[0])
    with pytest.raises(TypeError, match="no rules for bins"):
        la.histogram([1.0, 2.0], bins="auto", weights=[1, 2])


def test_rules_that_are_not_there():
    with pytest.raises(ValueError, match="one of auto, doane"):
        la.histogram([1.0, 2.0], bins="best")


@pytest.mark.parametrize("limits", [None, ((0, 9), (0, 9)), ((np.float32(0), np.float32(9)),) * 2])
@pytest.mark.parametrize("dtypes", [("float32", "float32"), ("float32", "float64"), ("int32", "float32")])
def test_edges_of_grids_have_the_dtype_of_their_ends(dtypes, limits):
    points = [values((40,), dtype, i, 0, 9) for i, dtype in enumerate(dtypes)]
    found, edges = la.histogramdd([la.asarray(x) for x in points], 3, limits)
    expected, theirs = np.histogramdd(points, 3, limits)
    check(found, expected)
    for ours, their in zip(edges, theirs, strict=True):
        check(ours, their)


@pytest.mark.parametrize("tier", ["auto", "compiled"])
def test_weights_of_float32_are_added_in_float64(tier):
    rng = np.random.default_rng(8)
    x, w = rng.random(20_001), (rng.random(20_001) * 1000).astype("float32")
    for bins in (np.array([0, 0.3, 0.30001, 0.3001, 1]), np.linspace(0, 1, 4)):
        wanted = np.histogram(x, bins, weights=w.astype(float))[0]
        before = configure(tier=tier, tune="off")
        try:
            found = np.asarray(la.histogram(la.asarray(x), la.asarray(bins), weights=la.asarray(w))[0])
        finally:
            configure(**vars(before))
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, wanted, rtol=2**-23, atol=0)


def test_complex_weights_are_refused_where_they_are_not_counted():
    with pytest.raises(TypeError, match="weights that are real"):
        la.bincount(la.asarray([0, 1]), weights=la.asarray([1j, 2]))
