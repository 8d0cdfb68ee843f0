"""What programs do that change the import alone: their idioms run at NumPy's pace from the first call on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from ir.cost.thresholds.eager import EAGER_ELEMENTS_AT_MOST, EAGER_ELEMENTS_IN_LOOPS, RUNS_BEFORE_AT_ONCE
from lazyarr import config
from lazyarr.array import Array

pytestmark = pytest.mark.recording


@pytest.fixture(autouse=True)
def _by_prediction() -> Any:
    before = config.settings().tier
    la.config(tier="auto")
    config.reset_statistics()
    yield
    la.config(tier=before)


def _random(*shape: int, seed: int = 3) -> Any:
    return np.random.default_rng(seed).normal(size=shape)


def _programs() -> int:
    """How many programs ran since the test began."""
    return sum(config.tier_statistics().values())


# --- what a mask chooses ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "choose",
    [
        lambda xp, m, x: xp.extract(m, x),
        lambda xp, m, x: xp.compress(m, x),
        lambda xp, m, x: xp.compress(m, x, axis=0),
        lambda xp, m, x: xp.nonzero(m)[0],
        lambda xp, m, x: xp.where(m)[0],
        lambda xp, m, x: xp.flatnonzero(m),
        lambda xp, m, x: xp.argwhere(m),
    ],
)
def test_what_a_mask_chooses_is_eager_whatever_its_size(choose: Callable[..., Any]) -> None:
    x = _random(EAGER_ELEMENTS_IN_LOOPS + 7)
    found = choose(la, la.asarray(x > 0.3), la.asarray(x))
    assert isinstance(found.value, np.ndarray)  # of another length in each turn: no program for each
    wanted = choose(np, x > 0.3, x)
    np.testing.assert_array_equal(np.asarray(found), wanted)
    assert found.dtype == wanted.dtype


@pytest.mark.parametrize("shape", [(40, 5), (50_000, 3)])
def test_rows_that_a_condition_holds_for(shape: tuple[int, int]) -> None:
    x = _random(*shape)
    holds = x[:, 0] > 0
    np.testing.assert_array_equal(np.asarray(la.compress(la.asarray(holds), la.asarray(x), axis=0)), x[holds])


@pytest.mark.parametrize("count", [30, 50_000, EAGER_ELEMENTS_IN_LOOPS + 5])
@pytest.mark.parametrize("few", [False, True])
def test_place_puts_what_a_mask_chose_back(count: int, few: bool) -> None:
    x = _random(count)
    mask = x > 0.5
    values = x[mask][:3] if few else x[mask] * 2
    made, wanted = la.zeros(count), np.zeros(count)
    la.place(made, la.asarray(mask), la.asarray(values))
    np.place(wanted, mask, values)
    np.testing.assert_array_equal(np.asarray(made), wanted)


def test_place_by_a_mask_of_rows_and_columns_with_no_element() -> None:
    x = _random(300, 200)
    made, wanted = la.asarray(x) * 1, x.copy()
    la.place(made, la.asarray(x > 100), la.asarray(np.ones(4)))
    np.testing.assert_array_equal(np.asarray(made), wanted)
    la.place(made, la.asarray(x > 1), la.asarray(-x[x > 1]))
    wanted[x > 1] *= -1
    np.testing.assert_array_equal(np.asarray(made), wanted)


def test_rays_that_hit_need_no_program_for_each_number_of_them() -> None:
    x = la.asarray(_random(40_000))
    for limit in range(12):
        hit = x > 0.1 * limit
        chosen = la.extract(hit, x)
        shade = la.maximum(chosen * 2 - 1, 0.0)
        color = la.zeros(x.shape)
        la.place(color, hit, shade)
        assert float(la.sum(color)) >= 0
    assert _programs() <= RUNS_BEFORE_AT_ONCE  # the mask's, found again


# --- arrays to add to -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [la.zeros, la.ones, la.empty])
def test_new_arrays_are_eager_up_to_what_operators_are(make: Callable[..., Array]) -> None:
    assert make(EAGER_ELEMENTS_AT_MOST).value is not None
    assert make(EAGER_ELEMENTS_AT_MOST + 1).value is None
    assert make((4, 0)).value is not None
    assert make(3, dtype=int).dtype == np.int64
    assert make((2, 3), dtype="complex64").dtype == np.complex64
    with pytest.raises(ValueError, match="not negative"):
        make((2, -1))
    with pytest.raises(TypeError, match="not supported"):
        make(2, dtype=object)


def test_gradients_are_added_up_without_a_program() -> None:
    w = la.asarray(_random(100, 150))
    x, y = la.asarray(_random(100, 1)), la.asarray(_random(1, 150))
    x[0, 0] = y[0, 0] = 1.0
    total = la.zeros_like(w)
    for _ in range(10):
        total += la.dot(x, y)
    np.testing.assert_allclose(np.asarray(total), 10 * np.asarray(x) @ np.asarray(y))
    assert _programs() == 0


def test_neighbours_of_a_grid_as_large_as_operators_take_eagerly() -> None:
    f = _random(128, 128)
    x, wanted = la.asarray(f), f
    x[0, 0] = f[0, 0]
    for _ in range(8):
        x = x + 0.1 * (la.roll(x, -1, axis=0) - 2 * x + la.roll(x, 1, axis=1))
        wanted = wanted + 0.1 * (np.roll(wanted, -1, axis=0) - 2 * wanted + np.roll(wanted, 1, axis=1))
    np.testing.assert_array_equal(np.asarray(x), wanted)
    assert _programs() == 0


# --- Python's numbers -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["sqrt", "exp", "log", "log2", "sin", "abs", "floor", "square", "negative", "sign", "isnan"]
)
@pytest.mark.parametrize("x", [2, 0, -3, 2.5, -0.0, -1.5, float("nan"), float("inf"), 1e300, 2**60, True])
def test_functions_of_pythons_numbers(name: str, x: Any) -> None:
    with np.errstate(all="ignore"):
        wanted = getattr(np, name)(x) if not (name in ("negative", "sign") and x is True) else None
    if wanted is None:
        with pytest.raises(TypeError):
            getattr(la, name)(x)
        return
    found = getattr(la, name)(x)
    assert found.shape == ()
    assert found.dtype == wanted.dtype or wanted.dtype == np.float16  # of bools, which NumPy takes as such
    np.testing.assert_allclose(np.asarray(found), wanted, rtol=1e-15 if wanted.dtype != np.float16 else 1e-3)
    assert np.signbit(float(found)) == np.signbit(float(wanted)) or np.isnan(wanted)


# --- transforms -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "transform",
    [
        lambda xp, x: xp.fft.fft2(x),
        lambda xp, x: xp.fft.fftn(x),
        lambda xp, x: xp.fft.fft(x, axis=0),
        lambda xp, x: xp.fft.fft(x, 100),
        lambda xp, x: xp.fft.rfft(x, n=600, axis=1),
        lambda xp, x: xp.fft.ifft2(x, s=(300, 100)),
        lambda xp, x: xp.fft.irfftn(x),
    ],
)
def test_large_transforms_are_numpys_where_kernels_run_on_its_processor(transform: Callable[..., Any]) -> None:
    x = _random(256, 512)
    found = transform(la, la.asarray(x))
    assert _programs() == 0
    wanted = transform(np, x)
    assert found.dtype == wanted.dtype
    np.testing.assert_array_equal(np.asarray(found), wanted)
    later = transform(la, la.asarray(x) * 2)  # which is computed first
    np.testing.assert_allclose(np.asarray(later), transform(np, x * 2))


def test_large_transforms_are_recorded_for_kernels() -> None:
    x = _random(2, 1 << 15)
    la.config(tier="compiled")
    assert la.fft.fft(la.asarray(x)).value is None


def test_a_transform_does_not_write_to_what_it_was_given() -> None:
    x = _random(300, 200).astype(complex)
    kept = x.copy()
    a = la.asarray(x)
    b = la.fft.fft2(a)
    b[0, 0] = 5
    b += 1
    np.testing.assert_array_equal(np.asarray(a), kept)
    np.testing.assert_array_equal(np.asarray(la.fft.fft2(a)), np.fft.fft2(kept))


def test_places_lie_in_memory_of_their_own():
    x = np.arange(220 * 200).reshape(220, 200) % 3
    for found in (*la.nonzero(la.asarray(x)), *la.where(la.asarray(x)), la.argwhere(la.asarray(x))):
        assert found.value is not None
        assert found.value.base is None
        assert found.flags.c_contiguous
    rows, columns = la.nonzero(la.asarray(x))
    np.testing.assert_array_equal(rows.view("int32"), np.nonzero(x)[0].copy().view("int32"))
    rows[...] = -1
    np.testing.assert_array_equal(columns, np.nonzero(x)[1])
