"""What the front end's tests share: arrays of any shape, dtype and memory layout, and comparison with NumPy."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st

import lazyarr as la


def _series(version: str) -> str:
    return ".".join(version.split(".")[:2])


def _locked(package: str) -> str:
    """The series (major and minor number) of a package that the lock file names."""
    lines = (Path(__file__).parents[2] / "requirements.lock").read_text(encoding="utf-8").splitlines()
    return _series(next(line.split("==")[1].split()[0] for line in lines if line.startswith(f"{package}==")))


OTHER_NUMPY = _series(np.__version__) != _locked("numpy")
"""Is it another NumPy than the one whose names, parameters and errors lazyarr has?"""

REQUIRED = ("bool", "int32", "int64", "float32", "float64")
DTYPES = (*REQUIRED, "int8", "int16", "uint8", "uint16", "uint32", "uint64")
COMPLEX = ("complex64", "complex128")
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

DTYPE_PAIRS = [
    ("float64", "float32"), ("complex64", "float32"), ("int32", "uint8"), ("bool", "bool"), ("float32", "float32"),
    ("complex128", "complex64"), ("uint64", "uint16"), ("int8", "float64"), ("int64", "complex128"), ("int16", "int8"),
]  # fmt: skip
"""For tests of which each pair of dtypes builds a kernel: the cases take them in turn."""

shapes = st.sampled_from(SHAPES)
dtypes = st.sampled_from(DTYPES)
layouts = st.sampled_from(["plain", "reversed", "strided", "transposed"])
seeds = st.integers(0, 2**32 - 1)


def in_turn(cases: list[Any]) -> list[tuple[Any, tuple[str, str]]]:
    """Each case with the next pair of dtypes."""
    return [(case, DTYPE_PAIRS[i % len(DTYPE_PAIRS)]) for i, case in enumerate(cases)]


def values(shape: tuple[int, ...], dtype: str, seed: int, low: float = -9, high: float = 9) -> np.ndarray:
    """Random numbers in [low, high), of unsigned dtypes from zero on; none is zero (False) if `low` is positive.

    Of complex dtypes both parts.
    """
    rng = np.random.default_rng(seed)
    if dtype == "bool":
        return np.logical_or(rng.random(shape) < 0.5, low > 0)
    if np.dtype(dtype).kind == "u":
        low = max(low, 0)
    if np.dtype(dtype).kind in "iu":
        return rng.integers(int(low), int(high), shape).astype(dtype)
    if dtype in COMPLEX:
        return np.asarray(rng.uniform(low, high, shape) + 1j * rng.uniform(low, high, shape)).astype(dtype)
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
    if expected.dtype.kind not in "fc":
        np.testing.assert_array_equal(value, expected)
        return
    eps = np.finfo(expected.dtype).eps * ulps * max(terms, 1)
    np.testing.assert_allclose(value, expected, rtol=eps, atol=0 if scale is None else eps * scale)


def together(ours: Sequence[la.Array], theirs: Sequence[Any], **how: Any) -> None:
    """The same values (`check`), computed in few kernels: what reads the same arrays is one. A kernel takes the
    device's compiler long, each further result of it a tenth of that.
    """
    la.compute(*ours)
    for found, expected in zip(ours, theirs, strict=True):
        check(found, expected, **how)


def special_values(dtype: str) -> list[Any]:
    """The numbers at which functions differ: zeros of both signs, ends of the range, infinities, NaN, halves."""
    kind = np.dtype(dtype).kind
    if kind == "b":
        return [False, True]
    if kind in "iu":
        info = np.iinfo(dtype)
        near = [info.max, info.max - 1, info.max // 2, info.min, 0, 1, 2, 3, 7, 10, info.bits - 1, info.bits]
        return near + ([-1, -2, -3, -7, info.min + 1] if info.min else [])
    f = np.finfo(dtype)
    halves = [0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 10.0, 100.25, float(f.eps), 1 + float(f.eps), 1 - float(f.epsneg)]
    ends = [float(f.max), float(f.tiny), float(f.smallest_subnormal), 1e5, 1e20, 1e-10, 1e-20, 88.9, 709.9, np.inf]
    return [sign * x for x in halves + ends for sign in (1.0, -1.0)] + [np.nan]


def special(dtype: str, count: int, seed: int) -> np.ndarray:
    """`count` numbers, special ones and others mixed; of a complex dtype parts of both kinds."""
    rng = np.random.default_rng(seed)
    if dtype in COMPLEX:
        part = "float32" if dtype == "complex64" else "float64"
        found = np.empty(count, dtype)
        found.real, found.imag = special(part, count, seed), special(part, count, seed + 1)
        return found
    chosen = rng.choice(np.array(special_values(dtype), dtype), count)
    return np.where(rng.random(count) < 0.6, chosen, values((count,), dtype, seed, -9, 100))


def agree(actual: Any, expected: Any, ulps: float = 16, what: Any = None, scale: Any = 0, zeros: bool = True) -> None:
    """The value is NumPy's, with the same NaN, infinities and signs of zeros, and else within rounding.

    ulps : the rounding error allowed, in units in the last place; of a complex number of the larger part
    what : the operands, shown where elements differ
    scale : what cancels in the result, if it is larger
    zeros : do the signs of zeros matter?
    """
    expected = np.asarray(expected)
    assert isinstance(actual, la.Array)
    kinds = (actual.dtype, actual.shape), (expected.dtype, expected.shape)
    assert kinds[0] == kinds[1], f"got {kinds[0]}, expected {kinds[1]}"
    value = np.asarray(actual)
    if expected.dtype.kind not in "fc":
        bad = value != expected
    else:
        info = np.finfo(expected.dtype)
        pairs = [(value.real, expected.real), (value.imag, expected.imag)]
        sizes = [np.where(np.isfinite(e), np.abs(e), 0) for _, e in pairs]
        bound = ulps * float(info.eps) * np.maximum(np.maximum(*sizes), np.maximum(float(info.tiny), scale))
        bad = np.zeros(expected.shape, bool)
        with np.errstate(all="ignore"):
            for a, e in pairs:
                near = np.isfinite(e) & (np.abs(a - e) <= bound) & ((e != 0) | (a != 0))
                same = (a == e) & ((np.signbit(a) == np.signbit(e)) | (not zeros))
                bad |= ~(same | near | (np.isnan(a) & np.isnan(e)))
    if bad.any():
        at = np.flatnonzero(bad)[:5]
        shown = [np.broadcast_to(x, expected.shape).ravel()[at] for x in (what if isinstance(what, tuple) else (what,))]
        message = (
            f"{bad.sum()} of {bad.size} differ: of {shown} got {value.ravel()[at]}, expected {expected.ravel()[at]}"
        )
        raise AssertionError(message)
