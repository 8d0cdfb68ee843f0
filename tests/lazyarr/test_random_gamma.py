"""Gamma numbers and what is made of them, and counts looked up in tables: distributions, and equal bits everywhere."""

from __future__ import annotations

import numpy as np
import pytest
import scipy

import lazyarr as la
from lazyarr.random.distributions import BLOCKS
from lazyarr.random.tables import binomial_table
from tests.lazyarr.distributions import known
from tests.lazyarr.evaluation import interpreted

COUNT = 4001
CONTINUOUS = [
    ("standard_gamma", (2.5,), known.gamma(2.5)),
    ("standard_gamma", (1.0,), known.gamma(1.0)),
    ("standard_gamma", (0.3,), known.gamma(0.3)),
    ("standard_gamma", (300.0,), known.gamma(300.0)),
    ("gamma", (2.0, 3.0), known.gamma(2.0, scale=3.0)),
    ("chisquare", (3,), known.chi2(3)),
    ("beta", (0.5, 2.0), known.beta(0.5, 2.0)),
    ("f", (4, 7), known.f(4, 7)),
    ("standard_t", (4,), known.t(4)),
    ("wald", (2.0, 3.0), known.invgauss(2.0 / 3.0, scale=3.0)),
]
DISCRETE = [
    ("binomial", (1000, 0.3), known.binom(1000, 0.3)),
    ("binomial", (3, 0.5), known.binom(3, 0.5)),
    ("binomial", (10, np.array(0.01)), known.binom(10, 0.01)),
    ("negative_binomial", (3.5, 0.2), known.nbinom(3.5, 0.2)),
    ("hypergeometric", (30, 50, 20), known.hypergeom(80, 30, 20)),
    ("hypergeometric", (5, 2, 6), known.hypergeom(7, 5, 6)),
    ("logseries", (0.7,), known.logser(0.7)),
]


@pytest.mark.parametrize(("name", "parameters", "wanted"), CONTINUOUS)
@interpreted()
def test_continuous_distributions(name, parameters, wanted):
    """Kolmogorov and Smirnov: a wrong formula fails by far, a right one once in ten thousand seeds; this one passes."""
    found = np.asarray(getattr(la.random.default_rng(11), name)(*parameters, size=COUNT))
    assert found.dtype == np.float64
    assert scipy.stats.kstest(found, wanted.cdf).pvalue > 1e-4
    if wanted.var() < 50:
        error = np.sqrt(wanted.var() / COUNT)
        assert abs(found.mean() - wanted.mean()) < 5 * error


@pytest.mark.parametrize(("name", "parameters", "wanted"), DISCRETE)
@interpreted()
def test_counts(name, parameters, wanted):
    found = np.asarray(getattr(la.random.default_rng(12), name)(*parameters, size=COUNT))
    assert found.dtype == np.int64
    values = np.arange(found.min(), found.max() + 1)
    seen, expected = np.bincount(found - found.min()), wanted.pmf(values) * COUNT
    often = expected > 5
    total = seen[often].sum() / expected[often].sum()
    assert scipy.stats.chisquare(seen[often], expected[often] * total).pvalue > 1e-4
    assert abs(found.mean() - wanted.mean()) < 5 * np.sqrt(wanted.var() / COUNT)


@pytest.mark.slow
def test_tables():
    for trials, chance in ((1, 0.5), (40, 0.9), (100_000, 1e-4), (10**9, 0.25)):
        first, table = binomial_table(trials, chance)
        k = first + np.arange(len(table))
        np.testing.assert_allclose(table, scipy.stats.binom.cdf(k, trials, chance), rtol=1e-6, atol=1e-9)
    assert binomial_table(5, 0.0)[0] == 0
    assert binomial_table(5, 1.0)[0] == 5


@interpreted()
def test_vectors():
    rng = la.random.default_rng(3)
    parts = np.asarray(rng.dirichlet([1.0, 2.0, 5.0], size=COUNT))
    np.testing.assert_allclose(parts.sum(axis=1), 1, rtol=1e-12)
    np.testing.assert_allclose(parts.mean(axis=0), np.array([1, 2, 5]) / 8, atol=0.01)
    counts = np.asarray(rng.multinomial(20, [0.2, 0.3, 0.5], size=COUNT // 4))
    assert (counts.sum(axis=1) == 20).all()
    np.testing.assert_allclose(counts.mean(axis=0), [4, 6, 10], atol=0.3)
    cov = np.array([[2.0, 0.5], [0.5, 1.0]])
    normal = np.asarray(rng.multivariate_normal([1.0, -2.0], cov, size=COUNT))
    np.testing.assert_allclose(normal.mean(axis=0), [1, -2], atol=0.1)
    np.testing.assert_allclose(np.cov(normal.T), cov, atol=0.15)


@interpreted()
def test_parameters_broadcast_and_draws_do_not_overlap():
    rng = la.random.default_rng(5)
    shapes = np.array([[0.5], [2.0], [50.0]])
    found = np.asarray(rng.standard_gamma(shapes, size=(3, 1000)))
    np.testing.assert_allclose(found.mean(axis=1), shapes[:, 0], rtol=0.15)
    assert rng.position == 3000 * BLOCKS["standard_gamma"]
    again = np.asarray(la.random.default_rng(5).standard_gamma(shapes, size=(3, 1000)))
    np.testing.assert_array_equal(again, found)
    assert np.asarray(rng.standard_gamma(0.0, size=3)).tolist() == [0, 0, 0]


def test_bad_parameters():
    rng = la.random.default_rng(1)
    for name, parameters in (
        ("gamma", (-1.0,)), ("beta", (0.0, 1.0)), ("chisquare", (0,)), ("wald", (1.0, -1.0)), ("logseries", (1.0,)),
        ("hypergeometric", (2, 2, 5)), ("negative_binomial", (0, 0.5)), ("binomial", (-1, 0.5)),
        ("multinomial", (3, [0.7, 0.7, 0.1])), ("dirichlet", ([1.0, -1.0],)),
        ("multivariate_normal", ([1.0], [[1.0, 2]])),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=name):
            getattr(rng, name)(*parameters)


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("exponential", ([2, -1, 3.0],)), ("normal", (0, [-1.0])), ("weibull", (-1.0,)), ("power", ([0.0, 1.0],)),
        ("zipf", ([1.0],)), ("geometric", ([0.0],)), ("triangular", (3.0, 2.0, 1.0)), ("chisquare", (0.0,)),
        ("integers", ([5, 9], [7, 9])), ("integers", ([5, 6], [9, 300], None, "uint8")),
    ],
    ids=str,
)  # fmt: skip
def test_parameters_whose_values_exist_are_checked(name, parameters):
    def given(parameters, m):
        return [x if x is None or isinstance(x, str) else m.asarray(x) for x in parameters]

    rng = la.random.default_rng(1)
    with pytest.raises(ValueError):
        getattr(np.random.default_rng(1), name)(*given(parameters, np))
    with pytest.raises(ValueError, match=f"{name}: "):
        getattr(rng, name)(*given(parameters, la))
    assert rng.position == 0  # nothing was drawn


@pytest.mark.parametrize(
    "alpha", [[1e-4, 3e-4, 1e-4], [1e-300, 1e-300], [0.05, 0.05], [0.0, 2.0], [0.0, 0.0], [np.nan, 1.0]], ids=str
)
@interpreted()
def test_parts_of_a_whole_whose_gamma_numbers_are_too_small(alpha):
    parts = np.asarray(la.random.default_rng(3).dirichlet(alpha, size=4000))
    theirs = np.random.default_rng(3).dirichlet(alpha, size=4000)
    np.testing.assert_allclose(parts.sum(axis=1), theirs.sum(axis=1), rtol=1e-12)
    np.testing.assert_allclose(parts.mean(axis=0), theirs.mean(axis=0), atol=0.05)
    np.testing.assert_allclose(parts.std(axis=0), theirs.std(axis=0), atol=0.05)


@pytest.mark.device
def test_kernels_give_the_interpreters_numbers():
    """Accepted candidates are chosen by comparisons, which rounding may turn once in very many numbers."""
    for dtype, eps in (("float32", 1e-4), ("float64", 1e-12)):
        found = np.asarray(la.random.default_rng(9).standard_gamma([0.4, 3.0], size=(501, 2), dtype=dtype))
        with interpreted():
            expected = np.asarray(la.random.default_rng(9).standard_gamma([0.4, 3.0], size=(501, 2), dtype=dtype))
        assert found.dtype == expected.dtype
        assert np.isclose(found, expected, rtol=eps).mean() > 0.997


@interpreted()
def test_a_state_of_its_own():
    """Draws what a generator of that seed draws, whatever the module's own generator does."""
    state, rng = la.random.RandomState(4), la.random.default_rng(4)
    for found, expected in (
        (state.rand(2, 3), rng.random((2, 3))),
        (state.randn(4), rng.standard_normal(4)),
        (state.randint(0, 9, size=5), rng.integers(0, 9, 5)),
        (state.random_sample(3), rng.random(3)),
        (state.uniform(-1, 1, size=3), rng.uniform(-1, 1, 3)),
        (state.permutation(6), rng.permutation(6)),
    ):
        np.testing.assert_array_equal(np.asarray(found), np.asarray(expected))
        la.random.random(7)
    with pytest.raises(AttributeError, match="no_such"):
        state.no_such(1)
    normal = state.normal
    for seed in (7, la.asarray(7)):
        state.seed(seed)
        np.testing.assert_array_equal(np.asarray(normal(size=3)), np.asarray(la.random.default_rng(7).normal(size=3)))
