"""What the front end's tests share: arrays of any shape, dtype and memory layout, and comparison with NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

import lazyarr as la

REQUIRED = ("bool", "int32", "int64", "float32", "float64")
DTYPES = (*REQUIRED, "int8", "int16", "uint8", "uint16", "uint32", "uint64")
INTEGERS = tuple(name for name in DTYPES if name[0] in "iu")
SHAPES = [
    (), (1,), (7,), (64,), (0,), (1, 1), (3, 5), (5, 1), (1, 7), (0, 3), (3, 0), (2, 3, 5), (1, 3, 1),
    (7, 1, 2), (2, 0, 3),
    (4, 1, 1),
]  # fmt: skip
# pairs (and more) that broadcast together
PAIRS = [
    ((), (5,)), ((5,), (5,)), ((1,), (7,)), ((3, 1), (1, 5)), ((3, 5), (5,)), ((3, 5), (3, 1)), ((5,), (3, 1)),
    ((2, 3, 5), (3, 1)), ((2, 1, 5), (3, 1)), ((2, 3, 5), (2, 1, 1)), ((1, 3, 1), (2, 1, 5)),
    ((2, 3, 5), ()), ((0,), (1,)),
    ((3, 0), (1, 1)), ((2, 0, 3), (1, 3)), ((1, 1), (1,)), ((4, 1, 3, 1), (2, 1, 5)),
]  # fmt: skip

shapes = st.sampled_from(SHAPES)
dtypes = st.sampled_from(DTYPES)
layouts = st.sampled_from(["plain", "reversed", "strided", "transposed"])
seeds = st.integers(0, 2**32 - 1)


def values(shape: tuple[int, ...], dtype: str, seed: int, low: float = -9, high: float = 9) -> np.ndarray:
    """Random numbers in [low, high), of unsigned dtypes from zero on; none is zero (False) if `low` is positive."""
    rng = np.random.default_rng(seed)
    if dtype == "bool":
        return np.logical_or(rng.random(shape) < 0.5, low > 0)
    if np.dtype(dtype).kind == "u":
        low = max(low, 0)
    if np.dtype(dtype).kind in "iu":
        return rng.integers(int(low), int(high), shape).astype(dtype)
    return np.asarray(rng.uniform(low, high, shape)).astype(dtype)


@st.composite
def operands(draw: Any, shape: tuple[int, ...] | None = None, dtype: str | None = None, **limits: Any) -> np.ndarray:
    """A NumPy array, of any memory layout."""
    shape = draw(shapes) if shape is None else shape
    dtype = draw(dtypes) if dtype is None else dtype
    layout = draw(layouts)
    seed = draw(seeds)
    if layout == "reversed":
        return values(shape, dtype, seed, **limits)[tuple(slice(None, None, -1) for _ in shape)]
    if layout == "strided":
        return values(tuple(2 * e for e in shape), dtype, seed, **limits)[tuple(slice(None, None, 2) for _ in shape)]
    if layout == "transposed":
        return values(shape[::-1], dtype, seed, **limits).T
    return values(shape, dtype, seed, **limits)


def check(actual: la.Array, expected: Any, terms: int = 1, scale: float | None = None, ulps: int = 16) -> None:
    """The value is NumPy's: same shape and dtype, equal for integers, within rounding for floats.

    terms : how many numbers were added for one result, each addition rounding once
    scale : the size of what was added, where it can cancel; by default the size of each result
    ulps : the rounding error of one operation; OpenCL allows 16 for the functions tested here
    """
    expected = np.asarray(expected)
    assert isinstance(actual, la.Array)
    assert actual.dtype == expected.dtype
    assert actual.shape == expected.shape
    value = np.asarray(actual)
    assert value.dtype == expected.dtype
    assert value.shape == expected.shape
    if expected.dtype.kind != "f":
        np.testing.assert_array_equal(value, expected)
        return
    eps = np.finfo(expected.dtype).eps * ulps * max(terms, 1)
    np.testing.assert_allclose(value, expected, rtol=eps, atol=0 if scale is None else eps * scale)
