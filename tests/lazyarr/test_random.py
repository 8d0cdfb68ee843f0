"""Random numbers: the published words, distributions, equal bits however they are computed, kernels built."""

from __future__ import annotations

from math import prod

import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la
from lazyarr.config import configure
from lazyarr.random.tables import poisson_table
from tests.lazyarr.distributions import known
from tests.lazyarr.evaluation import ON_DEVICE

FULL = 0xFFFFFFFF
KNOWN = [  # Random123's kat_vectors: counter, key, words
    ((0,) * 4, (0,) * 2, (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    ((FULL,) * 4, (FULL,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
        (0xA4093822, 0x299F31D0),
        (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
    ),
]
SAMPLES = 8009 if ON_DEVICE else 2003


@pytest.fixture(autouse=True)
def _untuned():
    before = configure()
    configure(tune="off")
    yield
    configure(tune=before.tune)


def philox(counter: tuple[int, ...], key: tuple[int, ...]) -> list[int]:
    """The same generator in Python's integers, from the paper's definition."""
    (c0, c1, c2, c3), (k0, k1) = counter, key
    for _ in range(10):
        p0, p1 = 0xD2511F53 * c0, 0xCD9E8D57 * c2
        c0, c1, c2, c3 = (p1 >> 32) ^ c1 ^ k0, p1 & FULL, (p0 >> 32) ^ c3 ^ k1, p0 & FULL
        k0, k1 = (k0 + 0x9E3779B9) & FULL, (k1 + 0xBB67AE85) & FULL
    return [c0, c1, c2, c3]


def words(seed: int, position: int, stream: int = 0) -> list[int]:
    """The words of a block of a generator."""
    counter = (position & FULL, position >> 32, stream & FULL, stream >> 32)
    return philox(counter, (seed & FULL, seed >> 32))


# --- the words --------------------------------------------------------------------------------------------------------


def test_published_words():
    counters, keys, expected = (np.array(column, np.uint32) for column in zip(*KNOWN, strict=True))
    np.testing.assert_array_equal(np.asarray(la.random.philox4x32(counters, keys)), expected)
    for counter, key, found in KNOWN:
        assert philox(counter, key) == list(found)
        np.testing.assert_array_equal(np.asarray(la.random.philox4x32(counter, np.array(key, np.uint32))), found)


def test_counters_and_keys_broadcast():
    counters = np.arange(24, dtype=np.uint32).reshape(2, 3, 4)
    found = np.asarray(la.random.philox4x32(counters, np.array([5, 7], np.uint32)))
    expected = [[philox(tuple(map(int, c)), (5, 7)) for c in row] for row in counters]
    np.testing.assert_array_equal(found, expected)
    assert la.random.philox4x32(np.zeros((0, 4), np.uint32), [5, 7]).shape == (0, 4)
    with pytest.raises(ValueError, match="expected counter of shape"):
        la.random.philox4x32([1, 2, 3], [5, 7])


@settings(deadline=None, max_examples=10)
@given(st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1), st.integers(1, 40))
def test_elements_come_from_blocks(seed, position, count):
    """Element i is made of block position + i; positions beyond 32 bits carry, those beyond 64 wrap around."""
    blocks = [words(seed, (position + i) % 2**64) for i in range(count)]
    rng = la.random.Generator(seed, 0, position)
    doubles = [((w[0] >> 5) * 2**26 + (w[1] >> 6)) / 2**53 for w in blocks]
    assert rng.random(count).tolist() == doubles
    assert rng.position == (position + count) % 2**64
    floats = la.random.Generator(seed, 0, position).random(count, "float32")
    assert floats.tolist() == [(w[0] >> 8) / 2**24 for w in blocks]


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"])
def test_integers_are_exact(dtype):
    least, most = (0, 1) if dtype == "bool" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    for low, high in [(least, most), (0, 1), (most, most), (least, most - 1 if dtype != "bool" else 1), (0, most)]:
        found = la.random.default_rng(2**40 + 3).integers(low, high, 37, dtype, endpoint=True)
        assert found.dtype == dtype
        expected = []
        for i in range(37):
            w, count = words(2**40 + 3, i), high - low + 1
            used = w[:2] if np.dtype(dtype).itemsize <= 4 else w
            fraction = sum(word << (32 * k) for k, word in enumerate(used))
            expected.append(low + (fraction * count >> (32 * len(used))))
        assert [int(x) for x in found.tolist()] == expected


def test_spawned_generators():
    parent = la.random.default_rng(11)
    first = parent.random(5)
    children = parent.spawn(3) + parent.spawn(1)
    again = la.random.default_rng(11)
    again.random(5)
    assert [repr(x) for x in again.spawn(4)] == [repr(x) for x in children]
    for i, child in enumerate(children):
        w = words(11, 5 + i, 1 << 63)
        key, stream = w[0] | w[1] << 32, w[2] | (w[3] & 0x7FFFFFFF) << 32
        assert repr(child) == f"Generator(key={key:#x}, stream={stream:#x}, position=0)"
        assert child.integers(0, 2**64, dtype="uint64").item() == sum(
            word << 32 * k for k, word in enumerate(words(key, 0, stream)[2:])
        )
    drawn = np.array([x.random(100).tolist() for x in [*children, *children[0].spawn(2)]])
    assert len(np.unique(drawn)) == drawn.size
    assert parent.spawn(0) == []
    assert first.tolist() == la.random.default_rng(11).random(5).tolist()


# --- distributions ----------------------------------------------------------------------------------------------------

CONTINUOUS = {
    "random": ((), known.uniform()),
    "uniform": ((-2.5, 4), known.uniform(-2.5, 6.5)),
    "standard_normal": ((), known.norm()),
    "normal": ((3, 0.5), known.norm(3, 0.5)),
    "lognormal": ((0.25, 0.5), known.lognorm(0.5, scale=np.exp(0.25))),
    "standard_exponential": ((), known.expon()),
    "exponential": ((2.5,), known.expon(scale=2.5)),
    "rayleigh": ((1.5,), known.rayleigh(scale=1.5)),
    "weibull": ((1.7,), known.weibull_min(1.7)),
    "pareto": ((3.5,), known.lomax(3.5)),
    "power": ((2.5,), known.powerlaw(2.5)),
    "laplace": ((1, 2), known.laplace(1, 2)),
    "logistic": ((-1, 0.5), known.logistic(-1, 0.5)),
    "gumbel": ((0.5, 2), known.gumbel_r(0.5, 2)),
    "standard_cauchy": ((), known.cauchy()),
    "triangular": ((-1, 0.5, 3), known.triang(0.375, -1, 4)),
}


IN_FLOAT32 = ("random", "standard_normal", "exponential", "logistic", "gumbel", "triangular")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "dtype"), [*((name, "float64") for name in CONTINUOUS), *((name, "float32") for name in IN_FLOAT32)]
)
def test_continuous_distributions(name, dtype):
    """Kolmogorov and Smirnov's distance, and the moments that there are, with a fixed seed."""
    parameters, expected = CONTINUOUS[name]
    x = getattr(la.random.default_rng(1234), name)(*parameters, size=SAMPLES, dtype=dtype)
    assert x.dtype == dtype
    value = np.asarray(x).astype(np.float64)
    assert np.isfinite(value).all()
    assert scipy.stats.kstest(value, expected.cdf).pvalue > 1e-3
    if name != "standard_cauchy":
        error = expected.std() / np.sqrt(SAMPLES)
        assert abs(value.mean() - expected.mean()) < 4 * error
        spread = np.sqrt((scipy.stats.moment(value, 4) / value.var() ** 2 - 1) / SAMPLES)
        assert abs(value.var() / expected.var() - 1) < 4 * spread
    neighbours = np.corrcoef(expected.cdf(value[:-1]), expected.cdf(value[1:]))[0, 1]
    assert abs(neighbours) < 4 / np.sqrt(SAMPLES)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("draw", "expected"),
    [
        (lambda rng: rng.integers(-3, 14, SAMPLES), known.randint(-3, 14)),
        (lambda rng: rng.integers(7, size=SAMPLES, dtype="uint8"), known.randint(0, 7)),
        (lambda rng: rng.binomial(9, 0.3, SAMPLES), known.binom(9, 0.3)),
        (lambda rng: rng.geometric(0.4, SAMPLES), known.geom(0.4)),
        (lambda rng: rng.choice(5, SAMPLES), known.randint(0, 5)),
        (lambda rng: rng.choice(3, SAMPLES, p=[0.2, 0, 0.8]), known.rv_discrete(values=([0, 2], [0.2, 0.8]))),
        (lambda rng: rng.poisson(0.4, SAMPLES), known.poisson(0.4)),
        (lambda rng: rng.poisson(1234.5, SAMPLES), known.poisson(1234.5)),
    ],
    ids=["integers", "uint8", "binomial", "geometric", "choice", "choice of some", "poisson", "poisson of many"],
)
def test_counts(draw, expected):
    value = np.asarray(draw(la.random.default_rng(77)))
    found, counts = np.unique(value, return_counts=True)
    chances = expected.pmf(found)
    often = chances * SAMPLES >= 5
    counts = [*counts[often], SAMPLES - counts[often].sum()]
    chances = [*chances[often], 1 - chances[often].sum()]
    used = 2 if chances[-1] > 1e-9 else 1
    assert used == 2 or counts[-1] == 0
    end = None if used == 2 else -1
    ideal = np.array(chances[:end]) / sum(chances[:end]) * sum(counts[:end])
    assert scipy.stats.chisquare(counts[:end], ideal).pvalue > 1e-3


def test_ends_of_distributions():
    """The numbers at the ends of what uniform ones can be: zero, and the words all ones."""
    rng = la.random.default_rng(5)
    assert rng.uniform(2, 2, 5).tolist() == [2] * 5
    assert rng.normal(1.5, 0, 5).tolist() == [1.5] * 5
    assert rng.geometric(1, 5).tolist() == [1] * 5
    assert rng.binomial(3, 1.0, 5).tolist() == [3] * 5
    assert rng.binomial(0, 0.5, 5).tolist() == [0] * 5
    assert np.isfinite(np.asarray(rng.geometric(1e-300, 5))).all()
    assert (np.asarray(rng.geometric(1e-300, 5)) > 2**62).all()


# --- parameters and shapes --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [None, 5, (), (0,), (3, 5), (2, 0), np.int64(4), [2, 3]])
def test_shapes(size):
    rng = la.random.default_rng(3)
    assert rng.random(size).shape == np.random.default_rng(1).random(size or () if size is None else size).shape
    shape = np.zeros(size if size is not None else ()).shape
    assert rng.integers(0, 9, size).shape == shape
    assert rng.position == 2 * prod(shape)
    assert np.asarray(rng.normal(0, 1, size)).shape == shape


def test_parameters_broadcast():
    low, high = np.array([0.0, 10.0, 20.0]), np.array([[21.0], [22.0]])
    unit = np.asarray(la.random.default_rng(4).random((2, 3)))
    for a, b in [(low, high), (la.asarray(low), la.asarray(high)), (low.tolist(), high)]:
        drawn = la.random.default_rng(4).uniform(a, b)
        np.testing.assert_array_equal(np.asarray(drawn), low + (high - low) * unit)
    bounds = np.array([1, 10, 100])
    drawn = [la.random.default_rng(4).integers(b, b * 2, (50, 3)) for b in (bounds, la.asarray(bounds))]
    np.testing.assert_array_equal(*map(np.asarray, drawn))
    assert ((np.asarray(drawn[0]) >= bounds) & (np.asarray(drawn[0]) < 2 * bounds)).all()
    cut = np.array([1.5, -10.9, 100.0])
    for lows in (cut, la.asarray(cut), cut.tolist()):
        drawn = [la.random.default_rng(4).integers(each, 120.7, (50, 3)) for each in (lows, [1, -10, 100])]
        np.testing.assert_array_equal(*map(np.asarray, drawn))
    with pytest.raises(ValueError, match=r"uniform: parameters of shape \(3,\) do not broadcast to size \(2,\)"):
        la.random.default_rng(4).uniform(low, 90, 2)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda r: r.integers(5, 5), ValueError, "integers: expected low to be less than high"),
        (lambda r: r.integers(0, 300, dtype="int8"), ValueError, "integers: high is out of bounds for int8"),
        (lambda r: r.integers(-1, 3, dtype="uint8"), ValueError, "integers: low is out of bounds for uint8"),
        (lambda r: r.integers(0, 2**65), ValueError, "high is out of bounds"),
        (lambda r: r.integers(0.5j, 2), TypeError, "expected low to be whole numbers"),
        (lambda r: r.integers(la.asarray(0.5j), 2), TypeError, "expected low to be whole numbers"),
        (lambda r: r.integers(0.5, 0.9), ValueError, "expected low to be less than high"),
        (lambda r: r.shuffle(la.asarray(1)), TypeError, "expected an array that has dimensions"),
        (lambda r: r.integers(5, dtype="float32"), TypeError, "expected dtype to be bool or of integers"),
        (lambda r: r.random(3, "int32"), TypeError, "random: expected dtype to be float32 or float64"),
        (lambda r: r.random(-1), ValueError, "random: expected extents that are not negative"),
        (lambda r: r.random(2.5), TypeError, "random: expected shape"),
        (lambda r: r.normal(0, -1), ValueError, "normal: expected scale not to be negative"),
        (lambda r: r.weibull(-1), ValueError, "weibull: expected a not to be negative"),
        (lambda r: r.binomial(3, 1.5), ValueError, "binomial: expected p to be a probability"),
        (lambda r: r.geometric(0), ValueError, "geometric: expected p to be a probability"),
        (lambda r: r.binomial(-1, 0.5), ValueError, "binomial: expected n"),
        (lambda r: r.triangular(0, 3, 2), ValueError, "triangular: expected left <= mode <= right"),
        (lambda r: r.choice(0), ValueError, "choice: expected one or more"),
        (lambda r: r.choice(3.5), ValueError, "choice: expected a whole number or an array"),
        (lambda r: r.choice(5, p=[0.2] * 4), ValueError, "choice: expected 5 probabilities"),
        (lambda r: r.choice(2, p=[0.5, 0.6]), ValueError, "choice: expected probabilities that"),
        (lambda r: r.choice(5, 6, replace=False), ValueError, "choice: cannot take 6 elements of 5"),
        (lambda r: r.choice(3, 2, False, [0, 1, 0]), ValueError, "choice: fewer than 2 probabilities"),
        (lambda r: r.permutation(-1), ValueError, "permutation: expected x not to be negative"),
        (lambda r: r.shuffle((1, 2)), TypeError, "shuffle: expected an array or a list"),
        (lambda r: r.poisson(-1), ValueError, "poisson: expected lam"),
        (lambda r: r.poisson(1e12), ValueError, "poisson: expected lam"),
        (lambda r: la.random.default_rng(-1), ValueError, "expected a key from 0"),
        (lambda r: la.random.default_rng(1.5), TypeError, "expected a whole number"),
        (lambda r: la.random.default_rng(la.zeros(2, dtype="int32")), TypeError, "expected one whole number"),
        (lambda r: r.spawn(-1), ValueError, "spawn: expected"),
    ],
)
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call(la.random.default_rng(1))


def test_choice():
    rng = la.random.default_rng(9)
    at = np.asarray(la.random.default_rng(9).integers(0, 3, (4, 2)))
    x = np.array([10.0, 20.0, 40.0])
    np.testing.assert_array_equal(np.asarray(rng.choice(x, (4, 2))), x[at])
    table = np.arange(12).reshape(4, 3)
    at = np.asarray(la.random.default_rng(9).integers(0, 3, 5))
    np.testing.assert_array_equal(np.asarray(la.random.default_rng(9).choice(table, 5, axis=1)), table[:, at])


@pytest.mark.parametrize("mean", [0, 1e-3, 0.5, 1, 7.25, 300, 12345.6, 1e5])
def test_poisson_table(mean):
    first, table = poisson_table(mean)
    at = np.arange(first, first + len(table))
    np.testing.assert_allclose(table, scipy.stats.poisson(mean).cdf(at), rtol=1e-9, atol=1e-15)
    assert table[-1] == 1
    assert first == 0 or scipy.stats.poisson(mean).cdf(first - 1) < 1e-20


@pytest.mark.slow
def test_choice_without_replacement():
    rng = la.random.default_rng(4)
    for n, k in [(7, 7), (1009, 53), (5, 0)]:
        found = np.asarray(rng.choice(n, k, replace=False))
        assert found.shape == (k,)
        assert len(set(found.tolist())) == k
        assert all(0 <= i < n for i in found)
    x = np.arange(12.0).reshape(4, 3)
    rows = np.asarray(rng.choice(x, (2, 2), replace=False))
    assert sorted(rows[..., 0].ravel().tolist()) == x[:, 0].tolist()
    # of three elements with these weights two in turn: the probabilities of the six orders
    p = [0.5, 0.3, 0.2]
    keys = rng.standard_exponential((3001, 3)) / la.asarray(p)
    drawn = np.asarray(la.argsort(keys, axis=1))[:, :2]
    chances = {(i, j): p[i] * p[j] / (1 - p[i]) for i in range(3) for j in range(3) if i != j}
    counts = [int((drawn == order).all(1).sum()) for order in chances]
    assert scipy.stats.chisquare(counts, np.array(list(chances.values())) * 3001).pvalue > 1e-3
    assert set(np.asarray(rng.choice(5, 2, False, [0, 0.5, 0, 0.5, 0])).tolist()) == {1, 3}


def test_permutations():
    rng = la.random.default_rng(6)
    for n in (0, 1, 97):
        assert sorted(np.asarray(rng.permutation(n)).tolist()) == list(range(n))
    table = np.arange(20).reshape(5, 4)
    order = np.asarray(la.random.default_rng(8).permutation(5))
    np.testing.assert_array_equal(np.asarray(la.random.default_rng(8).permutation(table)), table[order])
    shuffled = la.asarray(table)
    la.random.default_rng(8).shuffle(shuffled)
    np.testing.assert_array_equal(np.asarray(shuffled), table[order])
    order = np.asarray(la.random.default_rng(8).permutation(4))
    np.testing.assert_array_equal(np.asarray(la.random.default_rng(8).permutation(table, axis=1)), table[:, order])
    rows = np.asarray(rng.permuted(table, axis=1))
    np.testing.assert_array_equal(np.sort(rows, axis=1), table)
    assert len({tuple(row % 4) for row in rows}) > 1
    np.testing.assert_array_equal(np.sort(np.asarray(rng.permuted(table)), axis=None), np.arange(20))
    # every order of three is as likely as the others
    orders, counts = np.unique(np.asarray(la.argsort(rng.integers(0, 2**64, (3001, 3), "uint64"), axis=1)), axis=0,
                               return_counts=True)  # fmt: skip
    assert len(orders) == 6
    assert scipy.stats.chisquare(counts).pvalue > 1e-3
