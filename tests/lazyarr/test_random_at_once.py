"""Small arrays of random numbers, drawn at once by NumPy: the bits that the recorded expression has."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import lazyarr as la
from ir.cost.thresholds.drawing import DRAWN_AT_ONCE_AT_MOST, WORDS_IN_AN_INTEGER_AT_MOST
from lazyarr.config import configure
from lazyarr.random import Generator, bit_generators, generator
from lazyarr.random.at_once import written
from lazyarr.random.distributions import BLOCKS, DISTRIBUTIONS
from lazyarr.random.philox import philox4x32
from lazyarr.random.words import words_at
from tests.threads import in_threads

FLOAT, INT, UINT = np.dtype("float64"), np.dtype("int64"), np.dtype("uint64")
PARAMETERS = {
    "random": (), "uniform": (-1.0, 2.5), "standard_normal": (), "normal": (3.0, 0.5), "lognormal": (0.1, 0.4),
    "standard_exponential": (), "exponential": (2.0,), "rayleigh": (2.0,), "weibull": (1.5,), "pareto": (3.0,),
    "power": (2.5,), "laplace": (0.5, 2.0), "logistic": (0.5, 2.0), "gumbel": (0.5, 2.0), "standard_cauchy": (),
    "triangular": (-1.0, 0.5, 2.0), "geometric": (0.3,), "standard_gamma": (0.7,), "wald": (1.0, 2.0), "zipf": (2.5,),
    "vonmises": (0.5, 1.5), "integers": (-3, 11),
}  # fmt: skip
"""Of the methods that draw from a generator's words themselves."""
OF_WHOLE_NUMBERS = {
    "integers": (INT, UINT, np.dtype("int8"), np.dtype("bool")), "keys": (UINT,),
    "geometric": (INT,), "zipf": (INT,), "poisson_below_one": (INT,),
}  # fmt: skip
OF_FLOAT32 = {"random", "standard_normal", "normal", "standard_exponential", "standard_gamma", "uniform"}


MANY = 3000


@pytest.fixture(autouse=True)
def by_numpy(monkeypatch):
    monkeypatch.setattr(generator, "DRAWN_AT_ONCE_AT_MOST", MANY)  # so that these are drawn at once, too
    before = configure(tier="reference", tune="off")
    yield
    configure(**vars(before))


@pytest.fixture
def recorded(monkeypatch):
    """Draws as a function does, all recorded."""

    def draw(function):
        with monkeypatch.context() as patch:
            patch.setattr(generator, "DRAWN_AT_ONCE_AT_MOST", 0)
            made = function()
            assert made.value is None
            return np.asarray(made)

    return draw


@pytest.mark.parametrize("key", [0, 1, 2**32 + 5, 2**64 - 1])
@pytest.mark.parametrize("first", [0, 2**32 - 7, 2**32 - 1, 3 * 2**40 + 1, 2**64 - 4])
def test_words_are_those_of_the_recorded_expression(key, first):
    stream = 2**63 - 3
    for count in (1, 2, 7, WORDS_IN_AN_INTEGER_AT_MOST, WORDS_IN_AN_INTEGER_AT_MOST + 1):
        at = (np.arange(count, dtype=np.uint64) + np.uint64(first)).reshape(-1, 1)
        low, high = at.astype(np.uint32), (at >> np.uint64(32)).astype(np.uint32)
        rest = np.broadcast_to(np.array([stream & 0xFFFFFFFF, stream >> 32], np.uint32), (count, 2))
        keys = np.array([[key & 0xFFFFFFFF, key >> 32]], np.uint32)
        expected = np.asarray(philox4x32(np.hstack([low, high, rest]), keys))
        np.testing.assert_array_equal(np.stack(words_at(key, stream, first, count), axis=-1), expected)


def test_all_distributions_are_tried():
    assert set(PARAMETERS) | {"poisson_below_one", "keys"} == {*DISTRIBUTIONS, "integers"}


@pytest.mark.parametrize("function", [*PARAMETERS, "poisson_below_one", "keys"])
def test_programs_have_no_length(function):
    count = 1 if function == "poisson_below_one" else len(PARAMETERS.get(function, ()))
    given = (INT, UINT) if function == "integers" else (FLOAT,) * count
    for one in (True, False):
        kinds = tuple((x, one) for x in given)
        for dtype in OF_WHOLE_NUMBERS.get(function, (FLOAT,)):
            assert len({written(function, dtype, kinds, n).text for n in (2, 3, 256)}) == 1


@pytest.mark.slow
@pytest.mark.parametrize("function", PARAMETERS)
def test_bits_are_those_of_recorded_numbers(function, recorded):
    blocks = BLOCKS.get(function, 1)
    for dtype in ("float64", "float32") if function in OF_FLOAT32 else (None,):
        options = {} if dtype is None else {"dtype": dtype}
        for size in (None, 1, 2, (3, 5), 129, 300, MANY // blocks):
            for position in (0, 11, 2**32 - 40, 2**64 - 2):
                if blocks > 1 and size == 300:
                    continue

                def draw(size=size, position=position, options=options):
                    return getattr(Generator(7, 3, position), function)(*PARAMETERS[function], size=size, **options)

                found = draw()
                assert found.value is not None
                expected = recorded(draw)
                assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
                np.testing.assert_array_equal(np.asarray(found), expected)


@pytest.mark.slow
@pytest.mark.parametrize("function", [name for name, given in PARAMETERS.items() if given])
def test_parameters_that_are_arrays(function, recorded):
    first, *others = PARAMETERS[function]
    column = np.asarray(first) + np.zeros((3, 1), type(first))
    for given in ((column, *others), (la.asarray(first), *others), (np.repeat(column, 4, 1), *others)):
        for size in (None, (3, 4), (2, 3, 4)):
            if size is None and np.size(given[0]) == 12:
                size = (3, 4)  # it is their shape
            made = [getattr(Generator(7), function)(*given, size=size)]
            expected = recorded(lambda given=given, size=size: getattr(Generator(7), function)(*given, size=size))
            assert made[0].value is not None
            np.testing.assert_array_equal(np.asarray(made[0]), expected)
            # numbers of the same parameters as Python's
            whole = getattr(Generator(7), function)(*PARAMETERS[function], size=expected.shape)
            np.testing.assert_array_equal(np.asarray(whole), expected)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"])
def test_whole_numbers_of_every_dtype(dtype, recorded):
    info = (0, 1) if dtype == "bool" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    for low, high in ((0, 1), (info[0], info[1]), (info[0], info[0]), (0, info[1])):
        for size in (None, 5, 400):

            def draw(low=low, high=high, size=size):
                return Generator(7).integers(int(low), int(high), size, dtype, endpoint=True)

            np.testing.assert_array_equal(np.asarray(draw()), recorded(draw))


def test_odd_parameters(recorded):
    for loc in (0.0, -0.0, float("inf"), float("nan"), 10**30, True, 2**53 + 1):
        rng = Generator(7)
        for _ in range(4):  # what is drawn ahead of one is not another's
            rng.laplace(0.0, 0.0, 2), rng.laplace(-0.0, 0.0, 2)
            position = rng.position
            found = np.asarray(rng.laplace(loc, 0.0, 2))
            expected = recorded(lambda loc=loc, position=position: Generator(7, 0, position).laplace(loc, 0.0, 2))
            assert found.tobytes() == expected.tobytes()
    for scale in (-1.0, -0.0, -3, float("-inf")):
        with pytest.raises(ValueError, match="expected scale not to be negative"):
            la.random.default_rng(1).normal(0.0, scale, 3)
    assert np.isnan(np.asarray(la.random.default_rng(1).normal(0.0, float("nan"), 3))).all()
    with pytest.raises(ValueError, match="expected low to be less than high"):
        la.random.default_rng(1).integers(5, 5)
    with pytest.raises(ValueError, match="out of bounds"):
        la.random.default_rng(1).integers(0, 2**64 + 1)
    with pytest.raises(ValueError, match="not negative"):
        la.random.default_rng(1).random(-1)
    assert la.random.default_rng(1).integers(-(2**63), 2**63, 3).dtype == np.int64
    assert la.random.default_rng(1).random((0, 3)).shape == (0, 3)


@pytest.mark.parametrize("shape", [(2, 3), (0, 3), (100, 100)])
def test_sizes_that_are_iterators(shape):
    for size in (lambda: map(int, shape), lambda: iter(shape), lambda: (n for n in shape)):
        for draw in (lambda rng, s: rng.random(s), lambda rng, s: rng.normal(0.0, 1.0, s)):
            found, expected = draw(la.random.default_rng(5), size()), draw(la.random.default_rng(5), shape)
            assert found.shape == shape
            np.testing.assert_array_equal(np.asarray(found), np.asarray(expected))


def test_a_restart_while_the_words_are_made_stays(monkeypatch):
    for key in (2, la.asarray(2)):
        bits = la.random.default_rng(1).bit_generator
        word, restarts = bit_generators.word, [lambda key=key, bits=bits: bits.restart(key)]

        def interrupted(value, word=word, restarts=restarts):
            if restarts:
                other = threading.Thread(target=restarts.pop())
                other.start()
                other.join()
            return word(value)

        with monkeypatch.context() as patch:
            patch.setattr(bit_generators, "word", interrupted)
            bits.at()
        assert not restarts
        assert bits.at() == (2, 0, 0)
        np.testing.assert_array_equal(
            np.asarray(Generator(bits).random(9000)), np.asarray(la.random.default_rng(2).random(9000))
        )


def test_larger_ones_and_settings_record(monkeypatch):
    monkeypatch.setattr(generator, "DRAWN_AT_ONCE_AT_MOST", DRAWN_AT_ONCE_AT_MOST)
    assert la.random.default_rng(1).random(DRAWN_AT_ONCE_AT_MOST).value is not None
    assert la.random.default_rng(1).random(DRAWN_AT_ONCE_AT_MOST + 1).value is None
    expected = np.asarray(la.random.default_rng(1).random(5))
    for changes in ({"tier": "compiled"}, {"deterministic": True}):
        before = configure(**changes)
        made = la.random.default_rng(1).random(5)
        assert made.value is None
        np.testing.assert_array_equal(np.asarray(made), expected)
        configure(**vars(before))
    pending = la.asarray(np.arange(60000.0)).sum() * 0.0
    assert pending.value is None
    assert la.random.default_rng(1).uniform(pending, 1.0, 3).value is None


def test_threads_that_share_a_generator():
    rng, found = la.random.default_rng(5), []

    def draw(size):
        found.extend([np.asarray(rng.random(size)) for _ in range(60)])

    in_threads(draw, (1, 3, 7, 130))
    drawn = np.concatenate(found)
    np.testing.assert_array_equal(np.sort(drawn), np.sort(np.asarray(la.random.default_rng(5).random(drawn.size))))


@pytest.mark.parametrize("function", PARAMETERS)
def test_draws_go_on_where_the_last_one_ended(function):
    rng, given = Generator(7), PARAMETERS[function]
    parts = [getattr(rng, function)(*given, size=size) for size in (3, 1, 140, 2)]
    assert rng.position == 146 * BLOCKS.get(function, 1)
    whole = getattr(Generator(7), function)(*given, size=146)
    np.testing.assert_array_equal(np.concatenate([np.asarray(x) for x in parts]), whole)
