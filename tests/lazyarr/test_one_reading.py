"""A softmax, its logarithm, and logarithms of sums of exponentials whose maximum and sum come from one reading."""

from __future__ import annotations

import math

import numpy as np
import pytest

import lazyarr as la
from ir.fusion.prepare import one_reading
from lazyarr import lift
from lazyarr.runtime import default_device
from lazyarr.tiers import programs

SHAPES = [
    ((20_011,), 0), ((300, 129), 0), ((129, 1), 0), ((3, 9001), 1), ((64, 10, 13), 0), ((6, 70, 9), 1),
    ((3, 5, 8300), 2),
]  # fmt: skip


def softmax(xp, x, axis: int):
    e = xp.exp(x - xp.max(x, axis=axis, keepdims=True))
    return e / xp.sum(e, axis=axis, keepdims=True)


def logarithm_of_sum(xp, x, axis: int):
    largest = xp.max(x, axis=axis, keepdims=True)
    return xp.squeeze(largest, axis=axis) + xp.log(xp.sum(xp.exp(x - largest), axis=axis))


def log_softmax(xp, x, axis: int):
    less = x - xp.max(x, axis=axis, keepdims=True)
    return less - xp.log(xp.sum(xp.exp(less), axis=axis, keepdims=True))


def sum_of_powers(xp, x, axis: int):
    return xp.sum(xp.exp2(3 * x - xp.max(3 * x, axis=axis, keepdims=True)), axis=axis)


FUNCTIONS = [softmax, logarithm_of_sum, log_softmax, sum_of_powers]


@pytest.fixture
def in_one_reading(monkeypatch, compiled):
    """On all devices, and no program is known from before."""
    monkeypatch.setattr(one_reading, "seconds_of_instructions", lambda *_: 0.0)
    monkeypatch.setattr(programs, "_programs", {})


def numbers(shape: tuple[int, ...], dtype: str, scale: float = 1.0) -> np.ndarray:
    return (np.random.default_rng(7).standard_normal(shape) * scale).astype(dtype)


def special(shape: tuple[int, ...], dtype: str) -> np.ndarray:
    """Numbers of which some rows, along any axis, hold infinities or NaN, or nothing but negative infinities."""
    x = numbers(shape, dtype, 30)
    flat = x.reshape(-1)
    flat[::5] = -np.inf
    flat[7], flat[len(flat) // 2] = np.inf, np.nan
    if x.ndim > 1:
        x[..., 0] = -np.inf
        x[:, 1 % x.shape[1]] = -np.inf
    return x


def compare(f, x: np.ndarray, axis: int) -> None:
    with np.errstate(all="ignore"):
        expected = f(np, x.astype(np.float64), axis)
    found = np.asarray(f(la, la.asarray(x), axis))
    assert found.dtype == x.dtype
    rounding = 40 * np.finfo(x.dtype).eps
    size = np.abs(x[np.isfinite(x)]).max(initial=1.0) if f is not softmax else 0
    np.testing.assert_allclose(found, expected, rtol=rounding, atol=rounding * (size + 1e-30))


@pytest.mark.device
@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
@pytest.mark.parametrize(("shape", "axis"), SHAPES, ids=str)
def test_along_every_axis(in_one_reading, shape, axis, f):
    for dtype in ("float32", "float64"):
        for x in (numbers(shape, dtype), numbers(shape, dtype, 100), special(shape, dtype)):
            if f is not sum_of_powers or np.all(np.isfinite(x)):
                compare(f, x, axis)


@pytest.mark.device
def test_large_numbers_that_lie_close_together(in_one_reading):
    for offset in (-3e4, 1e9, -1e20, 3e38):
        x = np.full((70, 3), offset, np.float32)
        x[::3, 1] = np.nextafter(np.float32(offset), np.float32(0))
        x[5:, 2] = -x[5:, 2] if offset < 0 else x[5:, 2]
        compare(softmax, x, 0)


@pytest.mark.device
@pytest.mark.parametrize(
    "of",
    [
        lambda n: np.zeros(n),
        lambda n: np.linspace(0, 1, n),
        lambda n: np.linspace(0, 300, n),
        lambda n: np.linspace(300, 0, n),
        lambda n: np.repeat([0.0, 7.9, 8.1, 24.5], n // 4),
        lambda n: np.random.default_rng(1).standard_normal(n) * 10,
    ],
    ids=["equal", "close", "ascending", "descending", "steps", "random"],
)
@pytest.mark.parametrize("shape", [(100_000, 1), (33_000, 3)], ids=["array", "columns"])
def test_sums_are_as_exact_as_the_page_on_accuracy_says(in_one_reading, shape, of):
    for dtype in ("float32", "float64"):
        x = np.broadcast_to(of(shape[0])[:, None], shape).astype(dtype)
        x = x.reshape(-1) if shape[1] == 1 else x
        largest = float(x.max())
        column = x if x.ndim == 1 else x[:, 1]
        expected = math.fsum(math.exp(float(v) - largest) for v in column)
        y = la.asarray(x)
        found = np.asarray(la.sum(la.exp(y - la.max(y, axis=0, keepdims=True)), axis=0)).reshape(-1)
        assert np.all(np.abs(found - expected) <= 4 * np.finfo(dtype).eps * expected)


@pytest.mark.device
@pytest.mark.parametrize("shape", [(100_000, 1), (33_000, 3)], ids=["array", "columns"])
def test_sums_of_numbers_that_need_two_scales_are_nearly_as_exact(in_one_reading, shape):
    """Most lie just below 8, and share the scale of what is just above."""
    for dtype, below in (("float32", 8 - 15 * 2.0**-21), ("float64", 8 - 15 * 2.0**-50)):
        x = np.full(shape, below, dtype)
        x[::4] = 8.1
        x = x.reshape(-1) if shape[1] == 1 else x
        column = x if x.ndim == 1 else x[:, 1]
        expected = math.fsum(math.exp(float(v) - float(x.max())) for v in column)
        y = la.asarray(x)
        found = np.asarray(la.sum(la.exp(y - la.max(y, axis=0, keepdims=True)), axis=0)).reshape(-1)
        assert np.all(np.abs(found - expected) <= 8 * np.finfo(dtype).eps * expected)


@pytest.mark.device
@pytest.mark.parametrize(
    "f",
    [
        lambda xp, y: xp.sum(xp.exp(y - xp.max(y, axis=0).T), axis=0),
        lambda xp, y: xp.sum(xp.exp(y.reshape(64, 256) - xp.max(y, axis=0).T.reshape(256)), axis=0),
        lambda xp, y: xp.sum(xp.exp(y - xp.max(y[::-1], axis=0)[::-1]), axis=0),
    ],
    ids=["turned", "flat", "reversed"],
)
def test_maxima_of_others_are_no_scale(in_one_reading, f):
    """A square of maxima fits as well if it is turned."""
    y = numbers((64, 16, 16), "float32", 10.0)
    np.testing.assert_allclose(np.asarray(f(la, la.asarray(y))), f(np, y.astype("float64")), rtol=1e-5)


@pytest.mark.device
def test_explain_shows_the_rules(in_one_reading):
    x = la.asarray(numbers((200, 30), "float32"))
    shown = str(lift.explain(lambda x: softmax(la, x, 0), x))
    assert "normaliser_in_one_reading" in shown
    assert "maximum_with_exponentials" in shown
    assert "kernel 1 of 2" in shown


@pytest.mark.device
def test_processors_read_twice(compiled):
    x = la.asarray(numbers((200, 30), "float32"))
    shown = str(lift.explain(lambda x: softmax(la, 1.75 * x, 0), x))  # no program of the tests above
    assert ("normaliser_in_one_reading" in shown) is (default_device().kind != "cpu")


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_nothing_to_reduce_is_refused(f):
    with pytest.raises(ValueError, match=r"zero-size|empty|no identity"):
        f(la, la.zeros((0, 3)), 0)
    assert f(la, la.zeros((3, 0)), 0).size == 0
