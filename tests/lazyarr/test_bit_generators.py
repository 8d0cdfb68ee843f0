"""Bit generators, seeds and states of random numbers."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import lazyarr as la
from lazyarr import lift
from lazyarr.config import configure


@pytest.fixture(autouse=True)
def _untuned():
    before = configure()
    configure(tune="off")
    yield
    configure(tune=before.tune)


@pytest.mark.parametrize("name", ["PCG64", "MT19937", "Philox", "SFC64", "PCG64DXSM"])
def test_bit_generators(name):
    make = getattr(la.random, name)
    first, again = (np.asarray(la.random.Generator(make(42)).random(5)) for _ in range(2))
    np.testing.assert_array_equal(first, again)
    assert isinstance(make(1), la.random.BitGenerator)
    others = [np.asarray(la.random.Generator(g).random(5)) for g in (make(43), make(42).jumped(), *make(42).spawn(2))]
    assert len({tuple(x) for x in (first, *others)}) == 5
    if name in ("PCG64", "Philox"):
        np.testing.assert_array_equal(first, np.asarray(la.random.default_rng(42).random(5)))


def test_keys_and_counters():
    make = la.random.Philox
    words = [np.asarray(la.random.Generator(g).random(5)) for g in (make(7), make(key=7), make(key=7, counter=0))]
    assert np.array_equal(words[0], words[1]) and np.array_equal(words[0], words[2])
    assert make(key=[5, 6], counter=3).state["state"] == {**make([5, 6]).state["state"], "position": 3}
    for keywords in ({"seed": 1, "key": 1}, {"key": 1, "counter": -1}, {"key": -1}):
        with pytest.raises(ValueError):
            make(**keywords)


def test_seeds():
    one = np.asarray(la.random.default_rng([1, 2, 3]).random(3))
    for seed in ([1, 2, 3], np.array([1, 2, 3]), la.random.SeedSequence([1, 2, 3])):
        np.testing.assert_array_equal(np.asarray(la.random.default_rng(seed).random(3)), one)
    assert not np.array_equal(np.asarray(la.random.default_rng([3, 2, 1]).random(3)), one)
    assert la.random.default_rng(2**200).random().shape == ()
    with pytest.raises(TypeError, match="expected a whole number"):
        la.random.default_rng("seed")


def test_states_are_kept_and_assigned():
    rng = la.random.default_rng(7)
    rng.random(11)
    state = rng.bit_generator.state
    first = rng.random(3).tolist()
    assert rng.random(3).tolist() != first
    rng.bit_generator.state = state
    assert rng.random(3).tolist() == first
    fresh = la.random.default_rng()
    fresh.bit_generator.state = state
    assert fresh.random(3).tolist() == first
    with pytest.raises(ValueError, match="state: expected"):
        rng.bit_generator.state = {"state": 3}
    la.random.seed(3)
    kept = la.random.get_state()
    first = la.random.rand(3).tolist()
    la.random.set_state(kept)
    assert la.random.rand(3).tolist() == first
    own = la.random.RandomState(5)
    kept = own.get_state()
    first = own.vonmises(0, 1, 3).tolist()
    own.set_state(kept)
    assert own.vonmises(0, 1, 3).tolist() == first


def test_generators_of_one_bit_generator_share_its_stream():
    expected = np.asarray(la.random.Generator(la.random.PCG64(3)).random(9))
    bits = la.random.PCG64(3)
    first = la.random.Generator(bits)
    drawn = [first.random(2)]
    state = bits.state
    second, third = la.random.Generator(bits), la.random.default_rng(bits)
    drawn += [second.random(3), first.random(1), third.random(3)]
    np.testing.assert_array_equal(np.concatenate([np.asarray(x) for x in drawn]), expected)
    assert first.bit_generator is second.bit_generator is third.bit_generator is bits
    assert (first.position, second.position, bits.state["state"]["position"]) == (9, 9, 9)
    bits.state = state
    for rng in (first, third, second):  # all go on from there, in turns
        start = rng.position
        np.testing.assert_array_equal(np.asarray(rng.random(2)), expected[start : start + 2])
    assert first.position == 8


def test_bit_generators_are_pickled_and_copied_with_their_position():
    bits = la.random.SFC64(5)
    rng = la.random.Generator(bits)
    rng.random(4)
    others = [pickle.loads(pickle.dumps(bits)), copy.deepcopy(bits)]
    expected = rng.random(3).tolist()
    for other in others:
        assert type(other) is la.random.SFC64
        assert la.random.Generator(other).random(3).tolist() == expected


def test_a_bit_generator_made_elsewhere_is_not_frozen_into_a_recording():
    bits = la.random.PCG64(3)
    with pytest.raises(la.TracingError, match="the position of a generator made elsewhere"):
        lift.jit(lambda x: x + la.random.Generator(bits).random(3))(la.zeros(3))
    assert bits.state["state"]["position"] == 0


def test_states_and_seeds_out_of_range():
    for make in (la.random.PCG64, la.random.MT19937, la.random.default_rng):
        with pytest.raises(ValueError, match="expected a key from 0 on, got -1"):
            make(-1)
    bits = la.random.PCG64(3)
    for name, value in (("key", -1), ("stream", 2**63), ("position", 2**64)):
        state = bits.state
        state["state"][name] = value
        with pytest.raises(ValueError, match=f"expected a {name} from 0"):
            bits.state = state
    assert bits.state["state"] == {"key": 3, "stream": 0, "position": 0}


@pytest.mark.parametrize("name", ["PCG64", "MT19937", "Philox", "SFC64", "PCG64DXSM"])
def test_a_seed_of_the_system_is_not_frozen_into_a_recording(name):
    make = getattr(la.random, name)
    with pytest.raises(la.TracingError, match=f"{name}: while a function is being recorded a seed from the operating"):
        lift.jit(lambda x: x + la.random.Generator(make()).random(3))(la.zeros(3))
    assert make().at() != make().at()


def test_advance_skips_what_would_be_drawn():
    for made in (la.random.Philox, la.random.PCG64, la.random.PCG64DXSM):
        bits = made(5)
        expected = np.asarray(la.random.Generator(made(5)).random(30))
        assert bits.advance(10) is bits
        np.testing.assert_array_equal(np.asarray(la.random.Generator(bits).random(20)), expected[10:])
        bits.advance(np.int64(-25))
        np.testing.assert_array_equal(np.asarray(la.random.Generator(bits).random(5)), expected[5:10])
        bits.advance(2**64 - 10)
        assert float(la.random.Generator(bits).random()) == expected[0]
        for wrong in (2.0, "1", None):
            with pytest.raises(TypeError):
                bits.advance(wrong)
    for made in (la.random.MT19937, la.random.SFC64):  # as NumPy's
        assert not hasattr(made(5), "advance")


def test_a_copy_of_a_generator_shares_what_it_draws_from():
    rng = la.random.Generator(la.random.PCG64DXSM(3))
    shared, own, loaded = copy.copy(rng), copy.deepcopy(rng), pickle.loads(pickle.dumps(rng))
    assert shared.bit_generator is rng.bit_generator
    for other in (own, loaded):
        assert type(other.bit_generator) is la.random.PCG64DXSM
        assert other.bit_generator is not rng.bit_generator
    first = float(rng.random())
    assert float(shared.random()) != first
    assert float(own.random()) == float(loaded.random()) == first
    both = pickle.loads(pickle.dumps((rng, shared)))
    assert both[0].bit_generator is both[1].bit_generator


@pytest.mark.parametrize("name", ["PCG64", "MT19937", "Philox", "SFC64", "PCG64DXSM"])
def test_numpys_generators_draw_the_seed(name):
    def draws(seed):
        bits = getattr(np.random, name)(seed)
        made = la.random.default_rng(bits), la.random.Generator(bits), la.random.default_rng(np.random.Generator(bits))
        return np.concatenate([np.asarray(rng.random(4)) for rng in made])

    found = draws(9)
    np.testing.assert_array_equal(draws(9), found)
    assert np.unique(found).size == 12  # the generator moves on
    assert (draws(10) != found).all()


def test_numpys_legacy_generator_draws_the_seed():
    pairs = [la.random.default_rng(np.random.RandomState(3)).random(2) for _ in range(2)]
    np.testing.assert_array_equal(*map(np.asarray, pairs))
