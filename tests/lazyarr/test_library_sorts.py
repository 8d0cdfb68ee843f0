"""Sorts by the host's library: the bits of the kernels' results, whatever lies where; settings, what is said of it."""

from __future__ import annotations

import numpy as np
import pytest

import lazyarr as la
from lazyarr import config, lift
from tests.lazyarr.library import calls_of, kernels  # noqa: F401  # a fixture that each test uses

DTYPES = ("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64")

pytestmark = pytest.mark.device


def calls() -> int:
    return calls_of("sort")


def numbers(dtype, *shape):
    """Few and many different ones, both zeros, several NaNs."""
    rng = np.random.default_rng(4)
    if np.dtype(dtype).kind != "f":
        return (
            rng.integers(0, 256, (*shape, np.dtype(dtype).itemsize), "u1").view(dtype)[..., 0]
            if dtype != "bool"
            else rng.random(shape) < 0.5
        )
    x = rng.standard_normal(shape).astype(dtype)
    bits = x.view(f"u{x.itemsize}")
    nans = np.array([np.nan, -np.nan], dtype).view(bits.dtype)
    kinds = rng.integers(0, 8, shape)
    x[kinds == 0], x[kinds == 1], x[kinds == 2] = 0.0, -0.0, np.inf
    bits[kinds == 3] = nans[0] + rng.integers(0, 9, shape).astype(bits.dtype)[kinds == 3]
    bits[kinds == 4] = nans[1] + rng.integers(0, 9, shape).astype(bits.dtype)[kinds == 4]
    return x


def bits(x):
    return np.asarray(x).view("u1")


PROGRAMS = {
    "rising": lambda x: la.sort(x),
    "falling": lambda x: la.sort(x, descending=True),
    "columns": lambda x: la.sort(x, 0),
    "falling columns": lambda x: la.sort(x, 0, descending=True),
    "flat": lambda x: la.sort(x, None),
    "part": lambda x: la.sort(x[1:, 2:]),
    "some": lambda x: la.sort(x[::2, ::3]),
    "one column": lambda x: la.sort(x[:, 1]),
    "middle": lambda x: la.sort(x.reshape((-1, 2, x.shape[1])), 1),
    "in place": lambda x: la.concat([la.sort(x[:2]), x[2:]]),
}


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_the_bits_are_those_of_kernels(name, dtype):
    f = PROGRAMS[name]
    for shape in ((6, 7), (4, 5), (130, 270)):
        x = numbers(dtype, *shape)
        found = np.asarray(f(la.asarray(x)))
        assert calls()
        la.config(tier="reference")
        assert np.array_equal(bits(found), bits(f(la.asarray(x))))
        la.config(tier="compiled")
        if shape == (6, 7):
            la.config(library="off")
            assert np.array_equal(bits(found), bits(f(la.asarray(x)))) and not calls()
            la.config(library="on")


def test_many_rows_are_shared_out():
    x = numbers("float32", 5000, 33)
    expected = np.take_along_axis(x, np.argsort(x, axis=-1, kind="stable"), -1)
    found = np.asarray(la.sort(la.asarray(x)))
    assert np.array_equal(found == 0, expected == 0) and np.array_equal(np.signbit(found), np.signbit(expected))
    assert np.array_equal(found, expected, equal_nan=True) and calls()


@pytest.mark.parametrize("shape", [(0,), (1,), (0, 3), (3, 0), (5, 1), (1, 5)])
def test_nothing_and_one(shape):
    x = numbers("float32", *shape)
    assert np.array_equal(bits(la.sort(la.asarray(x))), bits(np.sort(x, kind="stable")))


def test_among_kernels_and_of_other_lengths_of_a_class():
    f = lift.jit(lambda x: la.sort(x + 2) * 2)
    for n in (300, 301, 511, 1000, 30_000):
        x = numbers("int32", n)
        assert np.array_equal(np.asarray(f(la.asarray(x))), np.sort(x + 2) * 2)
        assert calls(), n


def test_what_stands_on_sorts():
    x = numbers("int32", 100, 9) >> 4
    a = la.asarray(x)
    assert np.array_equal(np.asarray(la.median(a)), np.median(x)) and calls()
    assert np.array_equal(np.asarray(la.percentile(a, 30)), np.percentile(x, 30)) and calls()
    assert np.array_equal(np.asarray(la.unique_values(a % 5)), np.unique(x % 5)) and calls()


def test_a_source_that_changes_afterwards_and_sorting_in_place():
    x = numbers("int64", 500)
    a = la.asarray(x)
    y, expected = la.sort(a), np.sort(x)
    x[:] = 0
    assert np.array_equal(np.asarray(y), expected)
    a.sort()
    assert np.array_equal(np.asarray(a), expected)


def test_settings():
    x = la.asarray(numbers("int32", 500))
    for off in ({"library": "off"}, {"library": "on", "deterministic": True}):
        old = config.configure(**off)
        np.asarray(la.sort(x))
        config.configure(**vars(old))
        assert not calls()
    np.asarray(la.sort(x))
    assert calls()


def test_what_explain_says():
    found = lift.explain(lambda x: la.sort(x), la.asarray(numbers("float32", 500)))
    (kernel,) = found.kernels
    assert kernel.by_library and kernel.configuration == {"schedule": "sort_library"}
    assert kernel.derivation.steps[-1].rule == "sort_to_library"
    assert kernel.source.startswith("numpy.sort(xs, axis=-1), of float32, by the host's library")
    assert "no kernel, but a call of the host's library:" in str(found)


def test_a_search_measures_it_and_it_is_kept():
    la.config(cache="on")
    x = numbers("int32", 3000)
    (result,) = lift.tune(lambda x: la.sort(x), la.asarray(x), seconds=60, trials=4)
    assert {"sort_library", "digits"} <= {str(trial.configuration["schedule"]) for trial in result.trials if trial.ok}
    assert np.array_equal(np.asarray(lift.jit(lambda x: la.sort(x))(la.asarray(x))), np.sort(x))
