"""Programs whose numbers change from run to run: a few kernels serve all."""

from __future__ import annotations

import numpy as np
import pytest

import lazyarr as la
from ir.cost.thresholds.tiers import CONSTANT_KERNELS_AT_MOST
from lazyarr import lift
from lazyarr.compile import compiler, program
from lazyarr.tiers import programs as tiers
from tests.lazyarr.evaluation import ON_DEVICE

pytestmark = pytest.mark.skipif(not ON_DEVICE, reason="counts what the real engine builds")
X = np.linspace(-1, 1, 1000, dtype=np.float32)


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    """A compiler and programs of their own, and a cache that is off: everything is built."""
    from lazyarr import config

    old = config.settings()
    monkeypatch.setattr(compiler, "_compilers", {})
    monkeypatch.setattr(program, "_programs", {})
    monkeypatch.setattr(tiers, "_programs", {})
    config.configure(cache="off")
    yield
    config.configure(**vars(old))


def test_a_loop_with_another_number_in_each_turn(built):
    x, expected = la.asarray(X), X
    for i in range(25):
        x, expected = x * 0.9 + i, expected * np.float32(0.9) + np.float32(i)
        np.testing.assert_allclose(np.asarray(x), expected, rtol=1e-6)
    assert CONSTANT_KERNELS_AT_MOST < len(built) <= CONSTANT_KERNELS_AT_MOST + 2, "\n".join(built)
    assert "0.9f" in built[-1]  # it never changed


def test_numbers_that_begin_to_differ_later(built):
    """Those of one operand, then those of the other: each becomes an input after a few."""
    for i in range(12):
        scale = 0.5 if i < 8 else 0.5 + i
        np.testing.assert_array_equal(np.asarray(la.asarray(X) * scale - i), X * np.float32(scale) - np.float32(i))
    assert len(built) <= 2 * (CONSTANT_KERNELS_AT_MOST + 1)


def test_assignments_in_a_loop(built):
    a, expected = la.zeros((60, 20)), np.zeros((60, 20))
    a[0] = expected[0] = 1.0
    for i in range(1, 60):
        a[i] = a[i - 1] * 0.5 + i
        expected[i] = expected[i - 1] * 0.5 + i
    np.testing.assert_array_equal(np.asarray(a), expected)
    assert len(built) <= 3 * (CONSTANT_KERNELS_AT_MOST + 3)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "uint8", "complex64"])
def test_numbers_of_every_dtype(dtype, built):
    data = np.arange(5).astype(dtype)
    for i in range(2, 12):
        value = (dtype == "complex64" and i * (1 + 2j)) or i
        np.testing.assert_array_equal(np.asarray(la.asarray(data) * value), data * np.dtype(dtype).type(value))
    assert len(built) <= CONSTANT_KERNELS_AT_MOST + 2


def test_numbers_in_reductions_and_several_results(built):
    for i in range(10):
        x = la.asarray(X)
        total, scaled = la.sum(la.abs(x - i)), x * (i + 0.5)
        la.compute(total, scaled)
        assert float(total) == pytest.approx(float(np.sum(np.abs(X - np.float32(i)), dtype="f8")), rel=1e-5)
        np.testing.assert_array_equal(np.asarray(scaled), X * np.float32(i + 0.5))
    assert len(built) <= 2 * (CONSTANT_KERNELS_AT_MOST + 2)


def test_special_values(built):
    for value in (0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, 2.0, -0.0):
        found, expected = np.asarray(la.asarray(X) * value), X * np.float32(value)
        np.testing.assert_array_equal(found, expected)
        np.testing.assert_array_equal(np.signbit(found), np.signbit(expected) | np.isnan(expected) & np.signbit(found))


def test_numbers_among_the_arguments_of_a_jitted_function(built):
    @lift.jit
    def step(x, dt, n):
        return la.sum(x * dt) if n > 3 else x * dt + n

    for i in range(3):
        for dt in np.linspace(0.1, 1.0, 6).tolist():
            np.testing.assert_allclose(
                np.asarray(step(la.asarray(X), dt, i)), X * np.float32(dt) + i, rtol=1e-6, atol=1e-6
            )
    assert len(built) <= CONSTANT_KERNELS_AT_MOST + 3
