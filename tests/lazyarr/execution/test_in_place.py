"""Results take the memory of inputs that die, and of no others: whoever still has a value keeps it."""

from __future__ import annotations

import gc
import random
import subprocess
import sys
import threading
from contextlib import contextmanager

import numpy as np
import pytest

import lazyarr as la
from lazyarr import lift
from lazyarr.aliasing import views
from lazyarr.compile import in_place as module
from lazyarr.config import configure
from lazyarr.evaluate import dying as evaluated
from lazyarr.lift import dying as called
from lazyarr.runtime import Batch, LaunchError, default_device
from tests.tiers import by_tier
from tuner import WrongAnswerWarning

pytestmark = pytest.mark.optimised  # compilers conclude from the names of memory that it is not the same
COUNT = 4099
TWO = np.float32(2)


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    """However small results are; other threads of the test run do not matter; no searches."""
    monkeypatch.setattr(module, "IN_PLACE_FROM_BYTES", 1)
    monkeypatch.setattr(module, "IN_PLACE_MADE_AFTER_BYTES", 0)
    monkeypatch.setattr(evaluated, "is_alone", lambda: True)
    monkeypatch.setattr(called, "is_alone", lambda: True)
    before = configure(tier="compiled", tune="off")
    yield
    configure(tier=before.tier, tune=before.tune)


def fresh(count=COUNT, dtype="float32"):
    """An array in memory of the pool, and its values."""
    values = (np.arange(count) % 97).astype(dtype)
    x = la.asarray(values) + np.ones((), dtype)
    la.compute(x)
    return x, values + np.ones((), dtype)


def place(x):
    """Which piece of the device's memory has the value: what the host sees may be a copy, at an address used before."""
    la.compute(x)
    return x.node.storage.key


def doubled(x):
    """`x *= 2`, computed; did it stay where it was?"""
    before = place(x)
    x *= TWO
    return place(x) == before


def warm():
    """The programs of `doubled` ran twice, so that they may write in place."""
    x, _ = fresh()
    doubled(x)
    return doubled(x)


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


# --- who keeps a value ------------------------------------------------------------------------------------------------


def numpy_view(x):
    return np.asarray(x)


def part_of_numpy_view(x):
    return np.asarray(x)[5:9]


def buffer(x):
    return memoryview(np.asarray(x))


def exported(x):
    return np.from_dlpack(x)


def copied(x):
    return x.copy()


def computed_view(x):
    y = x[3:]
    la.compute(y)
    return np.asarray(y)


def pending(x):
    return x + 1


def pending_of_pending(x):
    return (x + 1) * 3


def half_computed(x):
    y = x + 1
    z = y * 3
    la.compute(y)
    return [y, z]


def expression(x):
    return x.node


def reshaped(x):
    return la.reshape(x.copy(), (1, COUNT))


def result_of_jit(x):
    return lift.jit(lambda x: (x, x + 1))(x)[0]


def listed(x):
    return [x.copy(), {"a": x + 1}]


def suspended(x):
    y = x.copy()

    def rows():
        yield 0
        yield np.asarray(y)

    made = rows()
    next(made)
    return made


def read_by_parts(x):
    y = x.copy()
    for i in range(60):
        float(y[i])
    return y


HOLDERS = [
    numpy_view, part_of_numpy_view, buffer, exported, copied, computed_view, pending, pending_of_pending, half_computed,
    expression, reshaped, result_of_jit, listed, suspended, read_by_parts,
]  # fmt: skip


def shown(holder, held):
    """What the holder has, as NumPy arrays."""
    if holder is expression:
        return [held.storage.to_numpy("float32", (COUNT,))]
    if holder is suspended:
        return [next(held)]
    if holder is listed:
        return [np.asarray(held[0]), np.asarray(held[1]["a"])]
    if holder is half_computed:
        return list(map(np.asarray, held))
    return [np.asarray(held)]


@pytest.mark.parametrize("holder", HOLDERS, ids=lambda each: each.__name__)
@pytest.mark.parametrize("way", ["operator", "at once", "name", "jit"])
def test_who_keeps_a_value_has_it_afterwards(holder, way, monkeypatch):
    if way == "at once":  # as of large arrays
        monkeypatch.setattr(views, "CHANGES_RECORDED_AT_MOST", 0)
    assert warm()

    @lift.jit
    def assigns(u):
        u *= TWO

    def change(x):
        if way in ("operator", "at once"):
            x *= TWO
        elif way == "name":
            x = x * TWO
        else:
            assigns(x)
        return x

    for _ in range(3):
        y, _ = fresh()
        y = change(y)
        la.compute(y)
    x, values = fresh()
    held = holder(x)
    expected = [each.copy() for each in shown(holder, held)] if holder not in (suspended, pending) else None
    if holder in (pending_of_pending, half_computed, listed):  # asking has computed it: hold it anew
        held = holder(x)
    x = change(x)
    la.compute(x)
    found = shown(holder, held)
    if holder is pending:
        expected = [values + 1]
    if holder is suspended:
        expected = [values]
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(x, values * 2)


def test_another_name_sees_the_change_of_the_object_alone():
    assert warm()
    x, values = fresh()
    y = x
    x *= TWO
    la.compute(x)
    assert y is x
    y = x
    x = x * TWO
    la.compute(x)
    np.testing.assert_array_equal(y, values * 2)
    np.testing.assert_array_equal(x, values * 4)


def test_views_see_the_change():
    assert warm()
    x, values = fresh()
    v, w = x[::2], x[10:20]
    la.compute(v)
    for _ in range(3):
        x *= TWO
        w += 1
        values *= 2
        values[10:20] += 1
    np.testing.assert_array_equal(v, values[::2])
    np.testing.assert_array_equal(w, values[10:20])
    np.testing.assert_array_equal(x, values)


def test_memory_of_numpy_is_never_written_to():
    for given in (np.ones(COUNT, np.float32), np.arange(COUNT, dtype=np.float32)):
        before = given.copy()
        for copy in (None, False, True):
            for _ in range(4):
                x = la.asarray(given, copy=copy)
                x = x * TWO
                la.compute(x)
            np.testing.assert_array_equal(given, before)
        given.setflags(write=False)
        for _ in range(4):
            x = la.asarray(given)
            x *= TWO
            la.compute(x)
        np.testing.assert_array_equal(given, before)


def test_results_that_something_on_the_way_needs():
    def run():
        x, values = fresh()
        y = x * TWO
        z = y + 1
        del x
        la.compute(z)  # y may be computed again, of what x stood for
        np.testing.assert_array_equal(z, values * 2 + 1)
        np.testing.assert_array_equal(y, values * 2)

    for _ in range(4):
        run()


def test_what_was_kept_on_the_way_stays():
    for _ in range(4):
        x, values = fresh()
        y = la.cumulative_sum(x)
        del x
        assert float(la.max(y)) == values.sum()  # y is kept, as a call that has a value
        z = y * TWO
        la.compute(z)
        np.testing.assert_array_equal(z, values.cumsum() * 2)
        np.testing.assert_array_equal(y, values.cumsum())
        u = la.cumulative_sum(z)
        float(la.max(u))
        v = u * TWO
        del u
        la.compute(v)
        np.testing.assert_allclose(v, (values.cumsum() * 2).cumsum() * 2, rtol=1e-5)


def test_what_earlier_kernels_read_is_read_by_then():
    def run():
        x, values = fresh()
        s = la.cumulative_sum(x)
        y = x - la.sum(s) / COUNT
        z = la.sort(x) + x
        del x
        la.compute(y, z, s)
        np.testing.assert_allclose(s, np.cumsum(values, dtype="float64"), rtol=1e-5)
        np.testing.assert_allclose(y, values - np.cumsum(values, dtype="float64").sum() / COUNT, rtol=1e-4)
        np.testing.assert_array_equal(z, np.sort(values) + values)

    for _ in range(3):
        run()


def test_kernels_that_read_elsewhere():
    ways = [
        (lambda x: x[::-1] + 1, lambda a: a[::-1] + 1),
        (lambda x: la.roll(x, 1) * 2, lambda a: np.roll(a, 1) * 2),
        (lambda x: x + x[::-1], lambda a: a + a[::-1]),
        (lambda x: x - la.max(x), lambda a: a - a.max()),
        (lambda x: la.take(x, la.asarray(np.arange(COUNT)[::-1].copy())), lambda a: a[::-1]),
        (lambda x: la.concat([x[:1], x[1:] - x[:-1]]), lambda a: np.concatenate([a[:1], a[1:] - a[:-1]])),
    ]
    for ours, numpys in ways:
        for _ in range(3):
            x, values = fresh()
            x = ours(x)
            la.compute(x)
            np.testing.assert_array_equal(x, numpys(values))


# --- jitted functions -------------------------------------------------------------------------------------------------


def test_a_function_that_assigns_to_its_argument():
    @lift.jit
    def step(u, v):
        u += TWO * v

    (x, a), (y, b) = fresh(), fresh()
    step(x, y)
    before = place(x)
    for _ in range(3):
        step(x, y)
        assert place(x) == before
    np.testing.assert_array_equal(x, a + 8 * b)
    np.testing.assert_array_equal(y, b)


def test_temporaries_are_taken_and_names_are_not():
    step = lift.jit(lambda u: u + 1)
    x, values = fresh()
    for _ in range(4):
        y = step(step(step(x)))
        np.testing.assert_array_equal(y, values + 3)
        np.testing.assert_array_equal(x, values)
    for _ in range(3):
        y = step(x)
        z = step(x)  # called twice with the same array
        np.testing.assert_array_equal(y, values + 1)
        np.testing.assert_array_equal(z, values + 1)
    for _ in range(3):
        x = step(x)
    np.testing.assert_array_equal(x, values + 3)
    several = (step(x),)
    for _ in range(3):
        np.testing.assert_array_equal(step(*several), values + 5)
    np.testing.assert_array_equal(several[0], values + 4)
    kept = [step(x)]
    for _ in range(3):
        np.testing.assert_array_equal(next(map(step, kept)), values + 5)
    np.testing.assert_array_equal(kept[0], values + 4)


def test_arguments_that_are_results_as_well():
    @lift.jit
    def swap(u, v):
        u[...], v[...] = v * TWO, u.copy()

    @lift.jit
    def both(u):
        old = u.copy()
        u *= TWO
        return old, u + 1

    for _ in range(4):
        (x, a), (y, b) = fresh(), fresh()
        y = y + 3
        swap(x, y)
        np.testing.assert_array_equal(x, (b + 3) * 2)
        np.testing.assert_array_equal(y, a)
        old, new = both(x)
        np.testing.assert_array_equal(old, (b + 3) * 2)
        np.testing.assert_array_equal(x, (b + 3) * 4)
        np.testing.assert_array_equal(new, (b + 3) * 4 + 1)


def test_captured_arrays_stay():
    c, values = fresh()
    step = lift.jit(lambda u: u * TWO + c)
    same = lift.jit(lambda u: (u + c, c))
    for _ in range(4):
        x, a = fresh()
        np.testing.assert_array_equal(step(step(x)), (a * 2 + values) * 2 + values)
        np.testing.assert_array_equal(step(c), values * 3)
        first, second = same(c)
        np.testing.assert_array_equal(first, values * 2)
        np.testing.assert_array_equal(second, values)
    np.testing.assert_array_equal(c, values)


def test_an_argument_that_is_captured_as_well():
    def results(way):
        configure(in_place=way)
        c, _ = fresh()

        @lift.jit
        def step(u):
            u *= TWO
            return c

        return [np.asarray(each) for _ in range(4) for each in (step(c), c)]

    for found, wanted in zip(results("on"), results("off"), strict=True):
        np.testing.assert_array_equal(found, wanted)
    configure(in_place="on")


def test_an_argument_whose_old_value_is_a_result():
    @lift.jit
    def old_and_new(u):
        old = u.copy()
        u *= TWO
        return old

    for _ in range(4):
        x, values = fresh()
        old = old_and_new(x)
        np.testing.assert_array_equal(x, values * 2)
        np.testing.assert_array_equal(old, values)


def test_the_same_array_twice():
    @lift.jit
    def add(u, v):
        u += v

    for _ in range(4):
        x, values = fresh()
        add(x, x)
        np.testing.assert_array_equal(x, values * 2)
        y = lift.jit(lambda u, v: u - 2 * v)(x, x)
        np.testing.assert_array_equal(y, -values * 2)


# --- failures ---------------------------------------------------------------------------------------------------------


@contextmanager
def raising(monkeypatch, error):
    """Launches fail meanwhile."""
    with monkeypatch.context() as patched:

        def enqueue(*_):
            raise error

        patched.setattr(Batch, "_enqueue", enqueue)
        yield


@pytest.mark.parametrize("way", ["operator", "jit"])
def test_a_failed_launch_loses_nothing(monkeypatch, way):
    @lift.jit
    def step(u):
        u *= TWO

    def change(x):
        if way == "jit":
            step(x)
        else:
            x *= TWO
        la.compute(x)

    x, values = fresh()
    for _ in range(3):
        change(x)
        values = values * 2
    with raising(monkeypatch, LaunchError("refused")), pytest.raises(LaunchError, match="refused"):
        change(x)
    if way == "jit":
        np.testing.assert_array_equal(x, values)
        change(x)
    np.testing.assert_array_equal(x, values * 2)


def test_an_interrupted_launch_gives_no_wrong_value(monkeypatch):
    @lift.jit
    def step(u):
        u *= TWO

    x, _ = fresh()
    for _ in range(3):
        step(x)
    with raising(monkeypatch, KeyboardInterrupt()), pytest.raises(KeyboardInterrupt):
        step(x)
    for ask in (np.asarray, lambda x: np.asarray(x + 1), step):
        with pytest.raises(LaunchError, match="interrupted"):
            ask(x)
    y, values = fresh()
    step(y)
    np.testing.assert_array_equal(y, values * 2)


def test_exceptions_in_between_keep_what_frames_hold():
    assert warm()

    def fails(x):
        y = x.copy()
        raise ValueError(y)

    x, values = fresh()
    try:
        fails(x)
    except ValueError as error:
        kept = error
    x *= TWO
    la.compute(x)
    np.testing.assert_array_equal(kept.args[0], values)


def test_threads_of_blocks_keep_nothing():
    code = """
import threading
from ir.reference import workers
from lazyarr.evaluate.dying import is_alone
workers.together(list, [1, 2, 3], 2)
assert [thread.name for thread in threading.enumerate()] == ["MainThread", "lazyarr-blocks"]
assert is_alone()
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_other_threads_keep_everything_where_it_is(monkeypatch):
    monkeypatch.undo()
    monkeypatch.setattr(module, "IN_PLACE_FROM_BYTES", 1)
    monkeypatch.setattr(module, "IN_PLACE_MADE_AFTER_BYTES", 0)
    configure(tier="compiled", tune="off")
    done = threading.Event()
    thread = threading.Thread(target=done.wait)
    thread.start()
    try:
        assert not evaluated.is_alone()
        x, values = fresh()
        for _ in range(4):
            assert not doubled(x)
        np.testing.assert_array_equal(x, values * 16)
    finally:
        done.set()
        thread.join()


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
