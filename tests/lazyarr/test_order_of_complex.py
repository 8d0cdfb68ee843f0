"""Complex numbers in an order, and their extremes, as NumPy has them."""

from __future__ import annotations

import numpy as np
import pytest

import lazyarr as la
from tests.lazyarr.corners import Call, as_numpy_does, outcome

INF, NAN = np.inf, np.nan


ODD_PARTS = np.array([0.0, -0.0, 1, 2, -1, INF, -INF, NAN, 3])
ORDERED = ("less", "less_equal", "greater", "greater_equal", "maximum", "minimum", "fmax", "fmin")


EXTREMES = ("max", "min", "argmax", "argmin", "nanmax", "nanmin", "ptp")


def complex_numbers(shape: tuple[int, ...], dtype: str, seed: int) -> np.ndarray:
    """Numbers of which many are equal, or have one part in common."""
    rng = np.random.default_rng(seed)
    found = np.empty(shape, dtype)
    found.real, found.imag = rng.choice(ODD_PARTS[: 5 if seed % 2 else None], (2, *shape))
    return found


def same_parts(call: Call) -> None:
    """Does the call give NumPy's numbers, each part of them?"""
    expected, found = outcome(call, np), outcome(call, la)
    assert not isinstance(found, Exception), found
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    np.testing.assert_array_equal([found.real, found.imag], [expected.real, expected.imag])


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_complex_numbers_are_compared_by_their_real_parts_first(dtype, seed):
    z, w = complex_numbers((4, 30), dtype, seed), complex_numbers((30,), dtype, seed + 2)
    for name in ORDERED:
        same_parts(lambda m, name=name: getattr(m, name)(m.asarray(z), m.asarray(w)))
        same_parts(lambda m, name=name: getattr(m, name)(m.asarray(z), 1))
        same_parts(lambda m, name=name: getattr(m, name)(m.asarray(w.real.copy()), m.asarray(z)))
    same_parts(lambda m: m.asarray(z) >= m.asarray(w))
    same_parts(lambda m: m.clip(m.asarray(z), -1, 1 + 1j))
    same_parts(lambda m: m.clip(m.asarray(z), None, 1))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_extremes_of_complex_numbers(dtype, seed):
    z = complex_numbers((3, 4, 5), dtype, seed)
    for name in EXTREMES:
        for axis in (None, 0, -1) if name.startswith("arg") else (None, 1, (0, 2)):
            same_parts(lambda m, name=name, axis=axis: getattr(m, name)(m.asarray(z), axis=axis, keepdims=True))
    for name in ("maximum", "minimum", "fmax", "fmin"):
        same_parts(lambda m, name=name: getattr(m, name).reduce(m.asarray(z), axis=1, initial=2 + 1j))
        if name.startswith("m"):
            same_parts(lambda m, name=name: getattr(m, name).accumulate(m.asarray(z), axis=1))
    mask = z.real > 0
    same_parts(lambda m: m.max(m.asarray(z), axis=0, initial=1 + 1j, where=m.asarray(mask)))
    same_parts(lambda m: m.min(m.asarray(z), axis=0, initial=1 + 1j, where=m.asarray(mask)))
    same_parts(lambda m: m.asarray(z)[0, 0, 0].max())


def test_extremes_of_no_complex_numbers():
    for name in ("max", "min", "argmax", "nanmin"):
        as_numpy_does(lambda m, name=name: getattr(m, name)(m.zeros((0, 3), dtype="complex64")))
        as_numpy_does(lambda m, name=name: getattr(m, name)(m.zeros((0, 3), dtype="complex64"), axis=1))
    as_numpy_does(lambda m: m.max(m.zeros((2, 0), dtype="complex64"), axis=1, initial=1 + 2j))
