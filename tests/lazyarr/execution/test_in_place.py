"""Results take the memory of inputs that die, and of no others: whoever still has a value keeps it."""

from __future__ import annotations

import gc
import random
import subprocess
import sys

import numpy as np
import pytest

import lazyarr as la
from lazyarr import lift
from lazyarr.aliasing import views
from lazyarr.compile import in_place as module
from lazyarr.config import configure
from lazyarr.runtime import default_device
from tests.lazyarr.execution.dying import TWO, at_once, doubled, fresh, place, warm  # noqa: F401  # a fixture that each test uses
from tests.tiers import by_tier
from tuner import WrongAnswerWarning

pytestmark = pytest.mark.optimised  # compilers conclude from the names of memory that it is not the same


# --- what is done in place --------------------------------------------------------------------------------------------


def test_in_place_operators_write_where_they_read():
    assert warm()
    x, values = fresh()
    for _ in range(3):
        assert doubled(x)
    np.testing.assert_array_equal(x, values * 8)


def test_a_name_that_is_assigned_anew_writes_where_it_reads():
    x, values = fresh()
    places = set()
    for _ in range(6):
        x = TWO * x + 1
        la.compute(x)
        values = 2 * values + 1
        places.add(place(x))
    assert len(places) <= 2  # the first run plans
    np.testing.assert_array_equal(x, values)


def test_a_loop_that_reads_on_its_way():
    def loop():
        x, values = fresh()
        places = []
        for _ in range(6):
            x = x * TWO
            total = float(la.sum(x))
            values = values * 2
            assert total == values.sum()
            places.append(place(x))
        np.testing.assert_array_equal(x, values)
        return places

    loop()
    assert len(set(loop()[2:])) <= 2


def test_large_arrays_whose_changes_are_recorded_at_once(monkeypatch):
    monkeypatch.setattr(views, "CHANGES_RECORDED_AT_MOST", 0)
    assert warm()
    for _ in range(3):
        (x, a), (y, b) = fresh(), fresh()
        for _ in range(3):
            place(x)
            x *= TWO
            x += y
            a = a * 2 + b
            la.compute(x)
        z = x + x
        x *= TWO
        la.compute(x)
        np.testing.assert_array_equal(z, a + a)
        np.testing.assert_array_equal(x, a * 2)
        np.testing.assert_array_equal(y, b)


def test_several_operands():
    def run():
        (x, a), (y, b) = fresh(), fresh()
        before = {place(x), place(y)}
        z = x * 3 - y
        del x, y
        la.compute(z)
        np.testing.assert_array_equal(z, a * 3 - b)
        return place(z) in before

    run()
    assert run()


def test_several_results():
    def run():
        (x, a), (y, b) = fresh(), fresh()
        before = {place(x), place(y)}
        u, v = x + y, x - y
        del x, y
        la.compute(u, v)
        np.testing.assert_array_equal(u, a + b)
        np.testing.assert_array_equal(v, a - b)
        return {place(u), place(v)} & before

    run()
    run()


def test_integers_truth_values_and_other_lengths():
    for dtype in ("int64", "int8", "float64", "bool"):
        for count in (1, 17, 1000, 1024):
            x, values = fresh(count, dtype)
            for _ in range(4):
                x, values = la.logical_not(x) if dtype == "bool" else x + x, ~values if dtype == "bool" else values * 2
                la.compute(x)
            np.testing.assert_array_equal(x, values)


def test_memory_in_use():
    """A loop of a pool of its own: in place it has one piece, else two."""
    code = """
import numpy as np, lazyarr as la, sys
from lazyarr.compile import in_place
from lazyarr.runtime import default_device
la.config(tier="compiled", tune="off")
in_place.IN_PLACE_MADE_AFTER_BYTES = 0 if sys.argv[1] == "on" else 1 << 60
pool = default_device().memory.pool
values = np.ones(1 << 20, np.float32)
x = la.asarray(values, copy=False) if False else la.asarray(values)
for _ in range(5):
    x = x * np.float32(2)
    la.compute(x)
pool.trim()
before = pool.statistics().allocations
for _ in range(5):
    x = x * np.float32(2)
    la.compute(x)
found = pool.statistics()
print(found.allocations - before, found.used_bytes + found.free_bytes)
assert np.array_equal(np.asarray(x), values * 1024)
"""
    made = {}
    for way in ("on", "off"):
        done = subprocess.run([sys.executable, "-c", code, way], capture_output=True, text=True, check=True)
        made[way] = [int(word) for word in done.stdout.split()]
    assert made["on"] == [0, 1 << 22]
    assert made["off"] == [1, 2 << 22]


# --- searches, checks, and what is not for all programs ---------------------------------------------------------------


def test_searches_leave_inputs_alone(monkeypatch):
    configure(tune="first-call", tune_seconds=0.3, tune_above=1, cache="off")
    try:

        @lift.jit
        def step(u):
            u *= np.float32(3)
            u += 1

        x, values = fresh(70001)
        for _ in range(12):
            step(x)
            values = values * 3 + 1
            np.testing.assert_array_equal(x, values)
            x /= np.float32(3)
            values = values / np.float32(3)
    finally:
        configure(tune_seconds=3.0, tune_above=65536, cache="on")


def test_a_wrong_kernel_is_reported_and_not_used(monkeypatch):
    monkeypatch.setattr(module.InPlace, "_mismatch", lambda *_: "wrong elements: 5 of 7")
    warned = []
    monkeypatch.setattr(module.warnings, "warn", lambda text, category, **_: warned.append((text, category)))
    x, values = fresh()
    for _ in range(4):
        x = x * np.float32(4) - 7
        values = values * 4 - 7
        x = x - 3
        values = values - 3
        la.compute(x)
    np.testing.assert_array_equal(x, values)
    assert warned
    assert all("5 of 7" in text and category is WrongAnswerWarning for text, category in warned)


def test_deterministic_results_are_computed_as_ever():
    before = configure(deterministic=True)
    try:
        x, values = fresh()
        for _ in range(3):
            assert not doubled(x)
        np.testing.assert_array_equal(x, values * 8)
    finally:
        configure(deterministic=before.deterministic)


# --- many sequences ---------------------------------------------------------------------------------------------------


class Sequence:
    """Arrays and NumPy's, to which the same is done."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.pairs = [list(fresh(257)) for _ in range(3)]
        self.exports = []
        self.jitted = {
            "add": lift.jit(lambda u, v: u + v),
            "scale": lift.jit(_scale),
            "both": lift.jit(lambda u: (u, u * TWO)),
        }

    def step(self):
        rng, pairs = self.rng, self.pairs
        i, j = rng.randrange(len(pairs)), rng.randrange(len(pairs))
        (x, a), (y, b) = pairs[i], pairs[j]
        del pairs[i]
        kind = rng.randrange(13)
        if kind == 0:
            x, a = x * np.float32(0.5), a * np.float32(0.5)
        elif kind == 1:
            x *= np.float32(0.5)
            a *= np.float32(0.5)
        elif kind == 2:
            x, a = x + y, a + b
        elif kind == 3:
            x += y
            a += b.copy()
        elif kind == 4:
            pairs.append([x.copy(), a.copy()])
        elif kind == 5:
            self.exports.append((np.asarray(x), a.copy()))
        elif kind == 6:
            x, a = self.jitted["add"](x, y), a + b
        elif kind == 7:
            self.jitted["scale"](x)
            a *= np.float32(0.5)
        elif kind == 8:
            u, v = self.jitted["both"](x)
            pairs += [[u, a.copy()], [v, a * 2]]
        elif kind == 9:
            x, a = self.jitted["add"](self.jitted["add"](x, y), x), a + b + a
        elif kind == 10:
            x, a = x[::-1] - x, a[::-1] - a
        elif kind == 11:
            assert float(la.max(x)) == a.max()
        elif kind == 12:
            v, w = x[5:50], a[5:50]
            v *= np.float32(0.5)
            w *= np.float32(0.5)
        if rng.random() < 0.6:
            la.compute(x)
        pairs.append([x, a])
        if len(pairs) > 5:
            del pairs[rng.randrange(len(pairs))]
        if len(self.exports) > 3:
            found, wanted = self.exports.pop(0)
            np.testing.assert_array_equal(found, wanted)

    def check(self):
        for found, wanted in [*self.pairs, *self.exports]:
            np.testing.assert_array_equal(np.asarray(found), wanted)


def _scale(u):
    u *= np.float32(0.5)


@pytest.mark.parametrize("recorded", [False, True])
@pytest.mark.parametrize("seed", range(by_tier(1, 3, 10)))
def test_random_sequences(seed, recorded):
    taken = 0
    real = module.InPlace.run

    def counted(self, *arguments):
        nonlocal taken
        made = real(self, *arguments)
        taken += made is not None
        return made

    with pytest.MonkeyPatch.context() as patched, np.errstate(all="ignore"):
        patched.setattr(module.InPlace, "run", counted)
        if recorded:
            patched.setattr(views, "CHANGES_RECORDED_AT_MOST", 0)
        sequence = Sequence(seed)
        for number in range(by_tier(40, 150, 300)):
            sequence.step()
            if number % 25 == 0:
                sequence.check()
                gc.collect()
        sequence.check()
    assert taken >= 3
    default_device().finish()
