"""Small arrays of random numbers, drawn ahead: the numbers that are there without it, at every position."""

from __future__ import annotations

import pickle
from math import prod

import numpy as np
import pytest

import lazyarr as la
from lazyarr import lift
from lazyarr.config import configure
from lazyarr.random import Generator, Philox, generator

DRAWS = {
    "random": lambda rng, n: rng.random(n),
    "float32": lambda rng, n: rng.random(n, dtype="float32"),
    "uniform": lambda rng, n: rng.uniform(-1, 1, n),
    "integers": lambda rng, n: rng.integers(0, 10, n),
    "bytes": lambda rng, n: rng.integers(0, 256, n, "uint8"),
    "bools": lambda rng, n: rng.integers(0, 2, n, "bool"),
    "normal": lambda rng, n: rng.normal(1, 2, n),
    "by arrays": lambda rng, n: rng.uniform(np.arange(float(n)), 1000.0),
    "gamma": lambda rng, n: rng.standard_gamma(2.0, n),  # several blocks a number
    "permutation": lambda rng, n: rng.permutation(n),
}
ROUNDED = {"normal", "gamma"}
"""Of functions that a device rounds in its own way."""


@pytest.fixture(autouse=True)
def by_numpy():
    before = configure(tier="auto", tune="off")
    yield
    configure(**vars(before))


def same(name, x, y):
    np.testing.assert_allclose(np.asarray(x), np.asarray(y), rtol=1e-12 if name in ROUNDED else 0)
    assert x.dtype == y.dtype


@pytest.mark.slow
@pytest.mark.parametrize("tier", ["auto", "compiled"])
@pytest.mark.parametrize("name", DRAWS)
def test_small_draws_in_turns(name, tier):
    rng, other = la.random.default_rng(3), "random" if name != "random" else "uniform"
    found = []
    for size in (7, 7, 1, 127, 3, 129, 7, 128, 0, 5) * 2:
        found.append((rng.position, size, DRAWS[name](rng, size)))
        DRAWS[other](rng, 2)  # what others draw in between moves on
    configure(tier=tier)
    for position, size, x in found[:: 1 if tier == "auto" else 5]:
        same(name, x, DRAWS[name](Generator(3, 0, position), size))


@pytest.mark.parametrize("between", [0, 3000])
@pytest.mark.parametrize("name", ["random", "float32", "uniform", "integers", "bytes", "normal", "gamma"])
def test_larger_draws_of_a_loop(name, between, monkeypatch):
    computed = []
    drawn = generator._drawn
    monkeypatch.setattr(generator, "_drawn", lambda *given: computed.append(given[1]) or drawn(*given))
    rng = la.random.default_rng(3)
    found = []
    sizes = (1000,) * 7 + (1500, 129, 4097, 16384, 2) + (1000,) * 40
    for size in sizes:
        found.append((rng.position, size, DRAWS[name](rng, size)))
        rng.bit_generator.advance(between)  # others draw in between
    many = [prod(shape) for shape in computed]
    if name not in ("bytes", "gamma"):
        assert (32768 in many) == (not between)
        assert len(many) < len(sizes)
    assert sum(many) <= 2 * sum(sizes)
    configure(tier="reference")
    for position, size, x in found[::5]:
        same(name, x, DRAWS[name](Generator(3, 0, position), size))


def test_larger_draws_belong_to_their_array():
    rng = la.random.default_rng(1)
    whole = np.asarray(la.random.default_rng(1).random(20000))
    drawn = [rng.random(1000) for _ in range(20)]
    drawn[8][...] = 0
    np.testing.assert_array_equal(np.concatenate(drawn[9:]), whole[9000:])
    rng.bit_generator.state = la.random.default_rng(2).bit_generator.state
    np.testing.assert_array_equal(rng.random(1000), la.random.default_rng(2).random(1000))


def test_a_state_that_is_assigned_again_and_generators_that_share_it():
    rng = la.random.default_rng(1)
    for _ in range(3):
        rng.random(4)
    state = rng.bit_generator.state
    first = [np.asarray(rng.random(4)) for _ in range(3)]
    rng.bit_generator.state = {**state, "state": {**state["state"], "key": 2}}
    other = np.asarray(rng.random(4))
    rng.bit_generator.state = state
    np.testing.assert_array_equal([rng.random(4) for _ in range(3)], first)
    assert (other != first[0]).all()
    bits = Philox(1)
    several = [Generator(bits) for _ in range(2)]
    mixed = [float(several[i % 2].random()) for i in range(20)]
    np.testing.assert_array_equal(mixed, la.random.default_rng(1).random(20))
    again = pickle.loads(pickle.dumps(rng))
    np.testing.assert_array_equal(again.random(4), rng.random(4))


def test_numbers_belong_to_their_array():
    rng = la.random.default_rng(1)
    whole = np.asarray(la.random.default_rng(1).random(20))
    drawn = [rng.random(4) for _ in range(5)]
    drawn[2][...] = 0
    np.testing.assert_array_equal(drawn[3], whole[12:16])
    assert rng.random().shape == ()
    assert rng.random((2, 3)).shape == (2, 3)
    scale = la.asarray(2.0)
    rng = la.random.default_rng(1)
    for _ in range(4):
        scale[...] = scale + 1
        assert 0 <= float(rng.uniform(scale, scale + 1)) - float(scale) <= 1


def test_many_distributions_in_turns(monkeypatch):
    drawn = []
    whole = generator.numbers_at
    monkeypatch.setattr(generator, "numbers_at", lambda *given: drawn.append(given[4]) or whole(*given))
    rng, parts = la.random.default_rng(1), []
    for turn in range(6):
        # nine that return, and one that does not
        parts += [(rng.position, scale, rng.normal(0, scale, 3)) for scale in (*range(1, 10), 100 + turn)]
        if turn == 1:
            drawn.clear()
    # what did not return was drawn alone; of what did ever more, of which others took positions between
    assert sorted(drawn) == [3] * 4 + [48] * 9 + [192] * 9
    for position, scale, x in parts[::7]:
        same("normal", x, Generator(1, 0, position).normal(0, scale, 3))


@pytest.mark.parametrize("position", [0, 5, 2**63 - 2, 2**64 - 3])
def test_numbers_at_every_position(position):
    rng, once = Generator(1, 0, position), Generator(1, 0, position).random(6)
    np.testing.assert_array_equal(np.concatenate([np.asarray(rng.random(2)) for _ in range(3)]), once)
    assert rng.position == (position + 6) % 2**64


def test_recorded_draws_stay_recorded():
    recorded = lift.jit(lambda seed: [la.random.default_rng(seed).random(4) for _ in range(3)])
    for seed in (1, 2):
        for x in recorded(la.asarray(seed)):
            np.testing.assert_array_equal(x, la.random.default_rng(seed).random(4))
