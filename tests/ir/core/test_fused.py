"""Products and sums rounded once, against exact arithmetic."""

from __future__ import annotations

from fractions import Fraction
from math import copysign, inf, isfinite, isnan, nan

import numpy as np
import pytest

from ir.core.scalars import OPERATIONS

fma = OPERATIONS["fma"].numpy
KINDS = [np.float32, np.float64]


def rounded(exact: Fraction, dtype: type) -> float:
    """The number of that type nearest to an exact one, that of two whose last bit is 0; not 0."""
    info = np.finfo(dtype)
    size, bits = abs(exact), info.nmant + 1
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    if size < Fraction(2) ** exponent:
        exponent -= 1
    unit = Fraction(2) ** max(exponent - bits + 1, int(info.minexp) - int(info.nmant))
    nearest = round(size / unit) * unit  # Python rounds fractions half to even
    number = inf if nearest > Fraction(float(info.max)) else float(nearest)
    return number if exact > 0 else -number


def expected(a: float, b: float, c: float, dtype: type) -> float:
    """What IEEE 754 says."""
    if not (isfinite(a) and isfinite(b)):
        return float(np.float64(a) * np.float64(b) + np.float64(c))
    if not isfinite(c):
        return c
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if exact:
        return rounded(exact, dtype)
    signs = {copysign(1, a) * copysign(1, b), copysign(1, c)}
    return -0.0 if signs == {-1.0} else 0.0


def check(a, b, c, dtype) -> None:
    a, b, c = (np.asarray(x, dtype) for x in (a, b, c))
    with np.errstate(all="ignore"):
        found = fma(a, b, c)
        wanted = np.array([expected(*map(float, each), dtype) for each in zip(a, b, c, strict=True)], dtype)
    assert found.dtype == dtype
    equal = (found == wanted) & (np.signbit(found) == np.signbit(wanted)) | (np.isnan(found) & np.isnan(wanted))
    wrong = np.flatnonzero(~equal)
    assert not len(wrong), [(float(x[i]).hex() for x in (a, b, c, found, wanted)) for i in wrong[:3]]


def of_any_size(rng, dtype, count):
    """Numbers of every exponent, subnormal ones among them, some of few bits."""
    kind = np.uint32 if dtype is np.float32 else np.uint64
    bits = rng.integers(0, np.iinfo(kind).max, count, kind, endpoint=True)
    few = kind(np.iinfo(kind).max - (1 << (np.finfo(dtype).nmant - 2)) + 1)
    numbers = np.where(rng.random(count) < 0.3, bits & few, bits).view(dtype)
    return np.where(np.isfinite(numbers), numbers, dtype(1.5))


def beside(product, rng, dtype):
    """Numbers a few units away from such, of any sign, or at the same place many bits below or above."""
    steps, near = rng.integers(-3, 4, len(product)), np.asarray(product, dtype)
    for _ in range(3):
        near = np.where(steps > 0, np.nextafter(near, dtype(inf)), near)
        near = np.where(steps < 0, np.nextafter(near, dtype(-inf)), near)
        steps -= np.sign(steps)
    info = np.finfo(dtype)
    scale = np.where(
        rng.random(len(product)) < 0.5, 0, rng.integers(-2 * info.nmant - 6, 2 * info.nmant + 7, len(product))
    )
    return np.where(rng.random(len(product)) < 0.8, -1, 1).astype(dtype) * np.ldexp(near, scale.astype(np.int32))


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("spread", ["one", "any"])
def test_of_numbers_at_random(dtype, spread):
    rng = np.random.default_rng(5)
    a, b, c = (
        rng.standard_normal(2000).astype(dtype) if spread == "one" else of_any_size(rng, dtype, 2000) for _ in range(3)
    )
    check(a, b, c, dtype)


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("spread", ["one", "any"])
def test_what_nearly_cancels(dtype, spread):
    rng = np.random.default_rng(6)
    count = 3000
    a, b = (rng.uniform(1, 2, count).astype(dtype) if spread == "one" else of_any_size(rng, dtype, count) for _ in "ab")
    with np.errstate(all="ignore"):
        c = beside(a * b, rng, dtype)
        check(a, b, np.where(np.isfinite(c), c, dtype(-1)), dtype)


@pytest.mark.parametrize("dtype", KINDS)
def test_sums_half_way_between_two_numbers_and_what_lies_just_beside(dtype):
    """A tie, made by a product far below a number, and what bits at the very end decide."""
    info = np.finfo(dtype)
    tiny, rng = float(info.eps), np.random.default_rng(7)
    half = (1 + rng.integers(-2, 3, 500) * tiny) * (1 + rng.integers(-2, 3, 500) * tiny / 2)
    c = (1 + rng.integers(0, 9, 500) * tiny) * 2.0 ** rng.integers(-3, 4, 500)
    for b in (tiny / 2, tiny / 4, tiny, -tiny / 2, tiny**2, -(tiny**2) / 2):
        for scale in (1.0, 2.0 ** (info.maxexp // 2), 2.0 ** (info.minexp // 2)):
            check(half * scale, np.full(500, b), c * scale, dtype)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", KINDS)
def test_results_at_the_ends_of_the_range(dtype):
    """Subnormal results and those that just overflow are rounded once, too."""
    info, rng = np.finfo(dtype), np.random.default_rng(8)
    a = rng.uniform(1, 2, 2000).astype(dtype)
    b = rng.uniform(1, 2, 2000).astype(dtype)
    for end in (info.minexp - 2, info.minexp - 1, info.minexp, info.minexp - info.nmant, info.minexp - info.nmant - 2):
        split = rng.integers(end - 40, end + 40, 2000) // 2
        c = rng.integers(-4, 5, 2000) * float(info.smallest_subnormal)
        check(np.ldexp(a, split), np.ldexp(b, end - split), c, dtype)
        check(np.ldexp(a, split), np.ldexp(b, end - split), np.ldexp(b, end), dtype)
    top = float(info.max)
    with np.errstate(over="ignore"):
        for c in (-top, top, -top / 2, top / 2, float(np.ldexp(top, -info.nmant - 2)), -1.0):
            check(
                np.ldexp(a, info.maxexp // 2), np.ldexp(b, info.maxexp - info.maxexp // 2 - 1), np.full(2000, c), dtype
            )
            check(np.full(2000, top), b, np.full(2000, c), dtype)
            check(np.full(9, top), np.full(9, 1.0), np.full(9, c), dtype)


@pytest.mark.parametrize("dtype", KINDS)
def test_infinities_nan_and_signed_zeros(dtype):
    info = np.finfo(dtype)
    numbers = [0.0, 1.0, 1.5, inf, float(info.max), float(info.tiny), float(info.smallest_subnormal), 3.0]
    numbers = np.array([*numbers, *(-x for x in numbers), nan], dtype)
    a, b, c = (x.ravel() for x in np.meshgrid(numbers, numbers, numbers))
    check(a, b, c, dtype)


@pytest.mark.parametrize("dtype", KINDS)
def test_numbers_and_shapes(dtype):
    one = fma(dtype(3), dtype(4), dtype(5))
    assert one == 17
    assert one.dtype == dtype
    assert fma(np.ones((3, 1), dtype), np.ones(4, dtype), dtype(1)).shape == (3, 4)
    assert fma(np.ones((0, 2), dtype), dtype(2), dtype(1)).shape == (0, 2)
    top = np.finfo(dtype).max
    assert fma(top, dtype(2), -top) == top
    assert isnan(fma(dtype(inf), dtype(0), dtype(1)))
