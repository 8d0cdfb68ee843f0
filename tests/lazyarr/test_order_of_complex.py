"""Complex numbers in an order, and their extremes, as NumPy has them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from tests.lazyarr.corners import as_numpy_does

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


def same_parts(calls: Sequence[Callable[..., Any]], *arrays: np.ndarray) -> None:
    """Do calls with these arrays give NumPy's numbers, each part of them? What reads the same ones is one kernel."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        wanted = [np.asarray(call(np, *arrays)) for call in calls]
        given = [la.asarray(x) for x in arrays]
        results = [call(la, *given) for call in calls]
        la.compute(*results)
    for result, expected in zip(results, wanted, strict=True):
        found = np.asarray(result)
        assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
        np.testing.assert_array_equal([found.real, found.imag], [expected.real, expected.imag])


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_complex_numbers_are_compared_by_their_real_parts_first(dtype, seed):
    z, w = complex_numbers((4, 30), dtype, seed), complex_numbers((30,), dtype, seed + 2)
    calls = [lambda m, z, w, x: z >= w, lambda m, z, w, x: m.clip(z, -1, 1 + 1j), lambda m, z, w, x: m.clip(z, None, 1)]
    for name in ORDERED:
        calls += [
            lambda m, z, w, x, name=name: getattr(m, name)(z, w),
            lambda m, z, w, x, name=name: getattr(m, name)(z, 1),
            lambda m, z, w, x, name=name: getattr(m, name)(x, z),
        ]
    same_parts(calls, z, w, w.real.copy())


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_extremes_of_complex_numbers(dtype, seed):
    z = complex_numbers((3, 4, 5), dtype, seed)
    calls = [
        lambda m, z, mask: m.max(z, axis=0, initial=1 + 1j, where=mask),
        lambda m, z, mask: m.min(z, axis=0, initial=1 + 1j, where=mask),
        lambda m, z, mask: z[0, 0, 0].max(),
    ]
    calls += [
        lambda m, z, mask, name=name, axis=axis: getattr(m, name)(z, axis=axis, keepdims=True)
        for name in EXTREMES
        for axis in ((None, 0, -1) if name.startswith("arg") else (None, 1, (0, 2)))
    ]
    for name in ("maximum", "minimum", "fmax", "fmin"):
        calls.append(lambda m, z, mask, name=name: getattr(m, name).reduce(z, axis=1, initial=2 + 1j))
        if name.startswith("m"):
            calls.append(lambda m, z, mask, name=name: getattr(m, name).accumulate(z, axis=1))
    same_parts(calls, z, z.real > 0)


def test_extremes_of_no_complex_numbers():
    for name in ("max", "min", "argmax", "nanmin"):
        as_numpy_does(lambda m, name=name: getattr(m, name)(m.zeros((0, 3), dtype="complex64")))
        as_numpy_does(lambda m, name=name: getattr(m, name)(m.zeros((0, 3), dtype="complex64"), axis=1))
    as_numpy_does(lambda m: m.max(m.zeros((2, 0), dtype="complex64"), axis=1, initial=1 + 2j))
