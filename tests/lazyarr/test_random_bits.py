"""Random numbers: equal bits however they are computed, kernels built, the module's functions."""

from __future__ import annotations

import copy
import pickle
import random

import numpy as np
import pytest

import lazyarr as la
from lazyarr import TracingError, lift
from lazyarr.config import configure
from tests import oclgrind
from tests.lazyarr.test_random import _untuned  # noqa: F401  # a fixture that each test uses


def drawn(seed, n=4099):
    rng = la.random.default_rng(seed)
    return rng.random(n), rng.random(n, "float32"), rng.integers(-5, 1000, n), rng.integers(0, 9, n, "int8")


@pytest.mark.slow
def test_equal_bits_under_jit_and_as_slices():
    expected = [np.asarray(x) for x in drawn(123)]
    jitted = lift.jit(drawn)
    for seed in (np.array(123), la.asarray(123), np.uint64(123)):
        for a, b in zip(jitted(seed), expected, strict=True):
            np.testing.assert_array_equal(np.asarray(a), b)
    for x, b in zip(drawn(123), expected, strict=True):
        np.testing.assert_array_equal(np.asarray(x[3:1000:7]), b[3:1000:7])
    for x, b in zip(drawn(123), expected, strict=True):
        np.testing.assert_array_equal(np.asarray(x[::-1].reshape(-1, 1)), b[::-1, None])
    x, *_ = drawn(123)
    assert la.max(x).item() == expected[0].max()
    kept = la.random.default_rng(123)
    pieces = [kept.random(k) for k in (1, 7, 4091)]
    np.testing.assert_array_equal(np.asarray(la.concatenate(pieces)), expected[0])


@pytest.mark.device
def test_equal_bits_with_any_tuning():
    from ir.schedules.candidates import Candidates
    from lazyarr.compile.compiled import build
    from lazyarr.compile.trials import machine_of, wait
    from tests.lazyarr.execution.kernels import kernel_of

    n = 1031
    expected = np.asarray(drawn(9, n)[2])
    device, general, inputs = kernel_of(drawn(9, n)[2])
    candidates, machine, choose = Candidates.of(general.expr), machine_of(device), random.Random(5)
    tried = 0
    for name, parameters in candidates.parameters().items():
        for _ in range(4):
            configuration = {"schedule": name, **{p.name: choose.choice(p.values) for p in parameters}}
            if candidates.refused(configuration, machine, general.sizes) is not None:
                continue
            executable = build(device, general, configuration)
            (result,), events = executable.enqueue(inputs, tuple(general.sizes.values()))
            wait(events[-1])
            np.testing.assert_array_equal(result.to_numpy(expected.dtype, (n,)), expected)
            tried += 1
    assert tried >= 3


def test_a_generator_is_not_frozen_into_a_recording():
    rng = la.random.default_rng(1)
    with pytest.raises(TracingError, match=r"random: while a function is being recorded the position of a generator"):
        lift.jit(lambda x: x + rng.random(3))(la.zeros(3))
    with pytest.raises(TracingError, match="a seed from the operating system"):
        lift.jit(lambda x: x + la.random.default_rng().random(3))(la.zeros(3))
    assert rng.position == 0
    made = []
    lift.jit(lambda x: made.append(la.random.default_rng(3)) or x)(la.zeros(3))
    with pytest.raises(TracingError, match="a generator made elsewhere"):
        made[0].random()


@pytest.mark.slow
def test_spawning_while_recording():
    def total(seed):
        return [child.random(3) for child in la.random.default_rng(seed).spawn(2)]

    for a, b in zip(lift.jit(total)(la.asarray(42)), total(42), strict=True):
        np.testing.assert_array_equal(np.asarray(a), np.asarray(b))


def test_pickles_and_copies():
    rng = la.random.default_rng(31)
    rng.random(5)
    others = [pickle.loads(pickle.dumps(rng)), copy.deepcopy(rng)]
    expected = rng.random(4).tolist()
    assert [x.random(4).tolist() for x in others] == [expected] * 2
    assert la.random.default_rng(rng) is rng


# --- kernels ----------------------------------------------------------------------------------------------------------


@pytest.mark.device
def test_new_seeds_and_calls_build_no_kernels(monkeypatch):
    from lazyarr.runtime import Device

    configure(cache="off")
    sources = []
    build = Device.build
    monkeypatch.setattr(
        Device, "build", lambda self, s, *more, **named: sources.append(s) or build(self, s, *more, **named)
    )
    try:
        rng = la.random.default_rng(1)
        la.compute(
            rng.random(5003), rng.normal(1, 2, 5003), rng.integers(2, 17, 5003), rng.integers(0, 3, 5003, "int8")
        )
        before = len(sources)
        assert before > 0
        for seed in (0, 1, 2, 3, 5003, 2**31, 2**64 - 1):
            rng = la.random.Generator(seed, seed // 3, seed)
            for n in (5003, 5009, 6007):
                la.compute(
                    rng.random(n), rng.normal(seed + 0.5, seed + 3.0, n), rng.integers(seed // 5, 2**62 + seed // 5, n),
                    rng.integers(0, 1 + seed % 9, n, "int8"),
                )  # fmt: skip
        assert len(sources) == before
    finally:
        configure(cache="on")


@pytest.mark.device
@pytest.mark.skipif(not oclgrind.available(), reason="Oclgrind is not installed")
def test_equal_bits_on_another_device():
    """The simulator's: it also reports races, and reads out of bounds and of what was not written."""
    rng = la.random.default_rng(3)
    expected = [rng.random(35).tolist(), rng.integers(0, 2**40, 37).tolist(), rng.random(37, "float32").tolist()]
    code = f"""
import lazyarr as la
from lazyarr import config
config.configure(tune="off")
rng = la.random.default_rng(3)
found = [rng.random((7, 5)).ravel().tolist(), rng.integers(0, 2**40, 37).tolist(), rng.random(37, "float32").tolist()]
assert found == {expected}
assert abs(float(la.mean(rng.normal(1, 2, 37, "float32"))) - 1) < 2
"""
    assert oclgrind.run(code) == ""


@pytest.mark.device
def test_monte_carlo_pi_is_one_kernel():
    def pi(seed):
        rng = la.random.default_rng(seed)
        x, y = rng.random(1 << 17, "float32"), rng.random(1 << 17, "float32")
        return 4 * la.mean(la.astype(x * x + y * y < 1, "float32"))

    jitted = lift.jit(pi)
    assert abs(float(jitted(la.asarray(8))) - np.pi) < 0.02
    recording, _ = jitted.recording(la.asarray(8))
    assert len(recording.steps) == 1


# --- the module's functions -------------------------------------------------------------------------------------------


def test_legacy_functions():
    rng = la.random.default_rng(99)
    expected = [
        rng.random((2, 3)), rng.standard_normal((2, 3)), rng.integers(0, 9, 4), rng.random(3), rng.uniform(1, 2, 3),
        rng.normal(1, 2, 3), rng.integers(1, 7, 5), rng.choice(4, 3), rng.random(), rng.exponential(2, 3),
    ]  # fmt: skip
    for seed in (99, np.int64(99)):
        la.random.seed(seed)
        names = la.random
        found = [
            names.rand(2, 3), names.randn(2, 3), names.randint(9, size=4), names.random(3), names.uniform(1, 2, 3),
            names.normal(1, 2, 3), names.random_integers(6, size=5), names.choice(4, 3), names.random_sample(),
            names.exponential(scale=2, size=3),
        ]  # fmt: skip
        for a, b in zip(found, expected, strict=True):
            assert (a.shape, a.dtype) == (b.shape, b.dtype)
            np.testing.assert_array_equal(np.asarray(a), np.asarray(b))
    la.random.seed()
    first = la.random.rand(5).tolist()
    la.random.seed()
    assert la.random.rand(5).tolist() != first
    assert len(la.random.bytes(7)) == 7
