"""Random numbers of parameters that are arrays, and NumPy's rarer distributions and bit generators."""

from __future__ import annotations

import numpy as np
import pytest
import scipy

import lazyarr as la
from lazyarr import lift
from lazyarr.config import configure
from tests.lazyarr import evaluation
from tests.lazyarr.distributions import known

pytestmark = pytest.mark.recording

SAMPLES = 2003


@pytest.fixture(autouse=True)
def _untuned():
    before = configure()
    configure(tune="off")
    yield
    configure(tune=before.tune)


MANY = np.concatenate([np.linspace(0, 400, 300), np.full(SAMPLES, 77.25)])
"""More distinct parameters than get a table each; behind them many equal ones."""

COUNTS = {
    "poisson of few": (lambda r: r.poisson([2.5, 300], (SAMPLES, 2))[:, 1], known.poisson(300)),
    "poisson of many": (lambda r: r.poisson(MANY)[300:], known.poisson(77.25)),
    "binomial of few": (lambda r: r.binomial([3, 200], 0.3, (SAMPLES, 2))[:, 1], known.binom(200, 0.3)),
    "binomial of many": (lambda r: r.binomial(np.floor(MANY), 0.3)[300:], known.binom(77, 0.3)),
    "binomial of chances": (lambda r: r.binomial([5, 9], [0.2, 0.7], (SAMPLES, 2))[:, 1], known.binom(9, 0.7)),
    "negative binomial": (lambda r: r.negative_binomial([2, 5.5], [0.3, 0.6], (SAMPLES, 2))[:, 1],
                          known.nbinom(5.5, 0.6)),
    "negative binomial of many": (lambda r: r.negative_binomial(MANY / 10 + 0.1, 0.4)[300:], known.nbinom(7.825, 0.4)),
    "hypergeometric": (lambda r: r.hypergeometric([5, 10], 7, [3, 9], (SAMPLES, 2))[:, 1], known.hypergeom(17, 10, 9)),
    "logseries": (lambda r: r.logseries([0.3, 0.9], (SAMPLES, 2))[:, 1], known.logser(0.9)),
    "zipf": (lambda r: r.zipf(2.5, SAMPLES), known.zipf(2.5)),
    "zipf of arrays": (lambda r: r.zipf([4.0, 1.25], (SAMPLES, 2))[:, 1], known.zipf(1.25)),
    "multivariate": (lambda r: r.multivariate_hypergeometric([5, 0, 7, 3], 6, SAMPLES)[:, 2],
                     known.hypergeom(15, 7, 6)),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", COUNTS)
def test_counts(name):
    draw, expected = COUNTS[name]
    found = draw(la.random.default_rng(5))
    assert found.dtype == np.int64
    values, counts = np.unique(np.asarray(found), return_counts=True)
    chances = expected.pmf(values)
    often = chances * SAMPLES >= 5
    ideal = [*chances[often] * SAMPLES, SAMPLES * (1 - chances[often].sum())]
    rest = [*counts[often], SAMPLES - counts[often].sum()]
    assert scipy.stats.chisquare(rest, ideal).pvalue > 1e-3


CONTINUOUS = {
    "noncentral_chisquare": ((3, 2.5), known.ncx2(3, 2.5)),
    "noncentral_chisquare of few degrees": ((0.5, 2.5), known.ncx2(0.5, 2.5)),
    "noncentral_f": ((3, 7, 2.5), known.ncf(3, 7, 2.5)),
    "vonmises": ((0.0, 4.0), known.vonmises(4)),
    "vonmises of little": ((0.0, 1e-6), known.vonmises(1e-6)),
    "vonmises, flat": ((0.0, 0.0), known.uniform(-np.pi, 2 * np.pi)),
    "vonmises, narrow": ((0.5, 1e7), known.norm(0.5, 1e7**-0.5)),
}


@pytest.mark.parametrize("name", CONTINUOUS)
def test_continuous_distributions(name):
    parameters, expected = CONTINUOUS[name]
    method = name.split(",")[0].split(" ")[0]
    value = np.asarray(getattr(la.random.default_rng(11), method)(*parameters, size=SAMPLES))
    assert scipy.stats.kstest(value, expected.cdf).pvalue > 1e-3


def test_angles_wrap():
    value = np.asarray(la.random.default_rng(3).vonmises([3.0, -3.0, 9.0], 2.0, (500, 3)))
    assert ((value >= -np.pi) & (value <= np.pi)).all()
    centre = np.angle(np.exp(1j * value).mean(axis=0))
    np.testing.assert_allclose(np.cos(centre - [3.0, -3.0, 9.0]), 1, atol=0.02)


def test_shapes_and_ends():
    rng = la.random.default_rng(4)
    assert rng.poisson(np.zeros((0, 3))).shape == (0, 3)
    assert rng.poisson(la.asarray([1.0, 2.0])).shape == (2,)
    assert rng.poisson([0.0, 0.0]).tolist() == [0, 0]
    assert rng.binomial(np.arange(400), 1.0).tolist() == list(range(400))
    assert rng.hypergeometric([4, 0], [0, 4], 3).tolist() == [3, 0]
    found = np.asarray(rng.multivariate_hypergeometric([2, 3, 4], 9, (2, 2)))
    assert (found == [2, 3, 4]).all()
    assert (np.asarray(rng.zipf(1.0001, 50)) >= 1).all()
    with pytest.raises(la.TracingError):
        lift.jit(lambda lam: la.random.default_rng(1).poisson(lam))(la.ones(3))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda r: r.zipf(1.0), "zipf: expected a"),
        (lambda r: r.vonmises(0, -1), "vonmises: expected kappa"),
        (lambda r: r.poisson([-1, 2]), "poisson: expected lam"),
        (lambda r: r.poisson(np.nan), "poisson: expected lam"),
        (lambda r: r.binomial([1, -2], 0.5), "binomial: expected n"),
        (lambda r: r.logseries([0.5, 1.5]), "logseries: expected p"),
        (lambda r: r.hypergeometric([1, 2], 3, [9, 9]), "hypergeometric: cannot draw"),
        (lambda r: r.multivariate_hypergeometric([1, 2], 5), "multivariate_hypergeometric: cannot draw"),
        (lambda r: r.multivariate_hypergeometric([1, 2], 1, method="best"), "expected method"),
        (lambda r: r.noncentral_chisquare(0, 1), "noncentral_chisquare: expected df"),
        (lambda r: r.noncentral_f(1, 1, -1), "noncentral_f: expected nonc"),
        (lambda r: r.negative_binomial([0, 1], 0.5), "negative_binomial: expected n"),
        (lambda r: r.random(3, out=np.zeros(2)), "random: expected size to be the shape of out"),
    ],
)
def test_errors(call, message):
    with pytest.raises(ValueError, match=message):
        call(la.random.default_rng(1))


def test_trials_are_truncated_as_numpys_are():
    p = [0.3, 0.6]
    for given, whole in ((3.0, 3), (3.7, 3), (np.float32(9.5), 9), ([2.5, 1], [2, 1]), (la.asarray(4.9), 4), (-0.5, 0)):
        for chance in (0.5, p):
            found = la.random.default_rng(1).binomial(given, chance, (5, 2))
            np.testing.assert_array_equal(
                np.asarray(found), np.asarray(la.random.default_rng(1).binomial(whole, chance, (5, 2)))
            )
    found = la.random.default_rng(1).hypergeometric(9.9, 7.0, [3.5, 4], (5, 2))
    expected = la.random.default_rng(1).hypergeometric(9, 7, [3, 4], (5, 2))
    np.testing.assert_array_equal(np.asarray(found), np.asarray(expected))
    for n in (np.nan, [1.0, np.inf], 1e300):
        with pytest.raises(ValueError, match="binomial: expected n to be numbers of the range of int64"):
            la.random.default_rng(1).binomial(n, 0.5)
    with pytest.raises(TypeError, match="binomial: expected n to be whole numbers"):
        la.random.default_rng(1).binomial("3", 0.5)


def test_ends_of_tables():
    rng = la.random.default_rng(1)
    assert rng.logseries(0).item() == 1
    assert rng.logseries([0.0, -0.0], (3, 2)).tolist() == [[1, 1]] * 3
    for p in (1.0, -0.1, np.nan, [0.0, 1.0]):
        with pytest.raises(ValueError, match="logseries: expected p from 0 to below 1"):
            rng.logseries(p)
    for n, size in ((5, None), (0, None), (5, 3), (5, 0)):
        with pytest.raises(ValueError, match="multinomial: expected a vector of one or more"):
            rng.multinomial(n, [], size)


def test_nothing_is_chosen_of_nothing():
    own, theirs = la.random.default_rng(1), np.random.default_rng(1)
    for a, size, replace, axis in (
        (0, 0, True, 0), (0, (0, 3), True, 0), (0, 0, False, 0), ([], 0, True, 0), (np.zeros((0, 3)), (0, 2), False, 0),
        (np.zeros((3, 0), "float32"), 0, True, 1), (-1, 0, True, 0), (np.zeros(0, "<U3"), 0, True, 0),
    ):  # fmt: skip
        found, expected = (r.choice(a, size, replace, axis=axis) for r in (own, theirs))
        assert (found.shape, np.asarray(found).dtype) == (expected.shape, expected.dtype)
    for a in (0, [], la.zeros(0)):
        with pytest.raises(ValueError, match="choice: expected probabilities"):
            own.choice(a, 0, p=[])
        with pytest.raises(ValueError, match="choice: expected one or more"):
            own.choice(a, 1)


def test_covariances_are_checked():
    good, bad, skew = np.array([[2.0, 1], [1, 3]]), np.array([[1.0, 2], [2, 1]]), np.array([[2.0, 1], [0, 3]])
    draw = la.random.default_rng(1).multivariate_normal
    assert draw([0, 0], good, 4, "raise", 1e-8).shape == (4, 2)
    assert draw([0, 0], good * 1e9, 4, "raise", method="cholesky").shape == (4, 2)
    assert draw([0, 0], np.ones((2, 2)), 4, "raise").shape == (4, 2)
    for cov in (bad, skew):
        with pytest.raises(ValueError, match="cov is not symmetric positive-semidefinite"):
            draw([0, 0], cov, 4, "raise")
        with pytest.warns(RuntimeWarning, match="cov is not symmetric positive-semidefinite"):
            draw([0, 0], cov, 4)
        assert draw([0, 0], cov, 4, "ignore").shape == (4, 2)
        assert draw([0, 0], cov, 4, "raise", 9.0).shape == (4, 2)
    with pytest.raises(ValueError, match="expected check_valid warn"):
        draw([0, 0], good, 4, "maybe")
    with pytest.raises(ValueError, match="expected method svd"):
        draw([0, 0], good, 4, method="qr")


def test_out_has_the_dtype():
    rng = la.random.default_rng(2)
    for name, parameters in (("random", ()), ("standard_normal", ()), ("standard_exponential", ()),
                             ("standard_gamma", (2.0,))):  # fmt: skip
        draw = getattr(rng, name)
        outs = [
            ("float64", x) for x in (la.zeros(2, dtype="float32"), np.zeros(2, "float32"), np.zeros(2, "int64"), [1.0])
        ]
        for dtype, out in (*outs, ("float32", np.zeros(2))):
            with pytest.raises(TypeError, match=f"{name}: expected out to be an array of dtype {dtype}"):
                draw(*parameters, dtype=dtype, out=out)
    assert rng.position == 0


# --- out, and what is shuffled ----------------------------------------------------------------------------------------


def test_out():
    for name in ("random", "standard_normal", "standard_exponential"):
        expected = np.asarray(getattr(la.random.default_rng(2), name)((3, 2), "float32"))
        for out in (la.zeros((3, 2), dtype="float32"), np.zeros((3, 2), "float32")):
            assert getattr(la.random.default_rng(2), name)(dtype="float32", out=out) is out
            np.testing.assert_array_equal(np.asarray(out), expected)
    out = la.zeros(4)
    assert la.random.default_rng(2).standard_gamma(2.0, out=out) is out
    x = la.arange(7)
    assert la.random.default_rng(2).permuted(x, out=x) is x
    assert sorted(x.tolist()) == list(range(7))


def test_lists_and_numpys_arrays_are_shuffled():
    rng = la.random.default_rng(2)
    items, array = list("abcdefgh"), np.arange(14).reshape(7, 2)
    rng.shuffle(items)
    rng.shuffle(array)
    assert items != sorted(items)
    assert sorted(items) == list("abcdefgh")
    assert sorted(array.tolist()) == np.arange(14).reshape(7, 2).tolist()
    rng.shuffle(array, axis=1)
    assert sorted(array[0].tolist()) in np.arange(14).reshape(7, 2).tolist()


def test_labels_are_chosen():
    rng = la.random.default_rng(2)
    found = rng.choice(["a", "b", "c"], 50, p=[0.5, 0.0, 0.5])
    assert found.shape == (50,)
    assert set(found) == {"a", "c"}
    assert rng.choice(["a", "b"]) in ("a", "b")
    assert sorted(rng.choice(["x", "y", "z"], 3, replace=False)) == ["x", "y", "z"]


@evaluation.interpreted()
def test_multinomials_of_arrays():
    rng = la.random.default_rng(5)
    chances = np.array([[0.2, 0.3, 0.5], [1.0, 0, 0], [0, 0.25, 0.75]])
    trials = np.array([[40], [0]])
    counts = np.asarray(rng.multinomial(trials, chances))
    assert (counts.shape, counts.dtype) == ((2, 3, 3), np.int64)
    np.testing.assert_array_equal(counts.sum(axis=-1), np.broadcast_to(trials, (2, 3)))
    assert (counts[:, chances == 0] == 0).all()
    many = np.asarray(rng.multinomial([5, 9], chances[0], size=(1500, 2)))
    spread = np.sqrt(chances[0] * (1 - chances[0]) * 9 / 1500)
    assert (np.abs(many.mean(axis=0) - np.outer([5, 9], chances[0])) < 5 * spread).all()
    for n, pvals, size in [([3, 4], [0.5, 0.5], 3), ([-1], [1.0], None), (2, [[0.9, 0.4, 0]], None), (2, 0.5, None)]:
        with pytest.raises(ValueError, match="multinomial"):
            rng.multinomial(n, pvals, size)


def test_roots_by_cholesky():
    draw = la.random.default_rng(1).multivariate_normal
    cov = np.array([[2.0, 0.6], [0.6, 1.0]])
    found = np.asarray(draw([1, -2], cov, 4000, method="cholesky"))
    np.testing.assert_allclose(np.cov(found.T), cov, atol=0.2)
    for matrix in ([[1.0, 2], [2, 1]], [[1.0, 1], [1, 1 - 1e-9]]):
        for valid in ("ignore", "raise"):
            with pytest.raises(np.linalg.LinAlgError, match="'cholesky' expects a positive definite cov"):
                draw([0, 0], matrix, check_valid=valid, method="cholesky")
