"""Functions of complex numbers: the standard's special cases, symmetries, and precision against wider arithmetic."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

import lazyarr as la
from lazyarr import config
from tests.lazyarr.support import COMPLEX, agree, special, values

inf, nan, pi = math.inf, math.nan, math.pi
NUMPY = {
    "asin": "arcsin", "acos": "arccos", "atan": "arctan", "asinh": "arcsinh", "acosh": "arccosh", "atanh": "arctanh"
}  # fmt: skip
FUNCTIONS = (
    "exp", "exp2", "expm1", "log", "log1p", "log2", "log10", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh",
    "asin", "acos", "atan", "asinh", "acosh", "atanh",
)  # fmt: skip


@pytest.fixture(autouse=True, scope="module")
def untuned():
    old = config.configure(tune="off")
    yield
    config.configure(**vars(old))


def cis(size: float, angle: float) -> tuple[float, float]:
    return size * math.cos(angle), size * math.sin(angle)


# real and imaginary part of the operand, then of the result; a part given as text is right with either sign
CASES = {
    "exp": [
        (0.0, 0.0, 1, 0), (-0.0, 0.0, 1, 0), (2, inf, nan, nan), (2, nan, nan, nan), (inf, 0.0, inf, 0),
        (-inf, 2, *cis(0, 2)), (inf, 2, *cis(inf, 2)), (-inf, inf, "0", "0"), (inf, inf, "inf", nan),
        (-inf, nan, "0", "0"), (inf, nan, "inf", nan), (nan, 0.0, nan, 0), (nan, 1, nan, nan),
        (nan, nan, nan, nan),
    ],
    "expm1": [
        (0.0, 0.0, 0, 0), (-0.0, 0.0, "0", 0), (2, inf, nan, nan), (2, nan, nan, nan), (inf, 0.0, inf, 0),
        (-inf, 2, -1, 0), (inf, 2, *cis(inf, 2)), (-inf, inf, -1, "0"), (inf, inf, "inf", nan),
        (-inf, nan, -1, "0"), (inf, nan, "inf", nan), (nan, 0.0, nan, 0), (nan, 1, nan, nan),
        (nan, nan, nan, nan),
    ],
    "log": [
        (-0.0, 0.0, -inf, pi), (0.0, 0.0, -inf, 0), (2, inf, inf, pi / 2), (2, nan, nan, nan),
        (-inf, 1, inf, pi), (inf, 1, inf, 0), (-inf, inf, inf, 3 * pi / 4), (inf, inf, inf, pi / 4),
        (inf, nan, inf, nan), (-inf, nan, inf, nan), (nan, 1, nan, nan), (nan, inf, inf, nan),
        (nan, nan, nan, nan),
    ],
    "log1p": [
        (-1, 0.0, -inf, 0), (2, inf, inf, pi / 2), (2, nan, nan, nan), (-inf, 1, inf, pi), (inf, 1, inf, 0),
        (-inf, inf, inf, 3 * pi / 4), (inf, inf, inf, pi / 4), (inf, nan, inf, nan), (nan, 1, nan, nan),
        (nan, inf, inf, nan), (nan, nan, nan, nan),
    ],
    "sqrt": [
        (0.0, 0.0, 0, 0), (-0.0, 0.0, 0, 0), (2, inf, inf, inf), (nan, inf, inf, inf), (2, nan, nan, nan),
        (-inf, 2, 0, inf), (inf, 2, inf, 0), (-inf, nan, nan, "inf"), (inf, nan, inf, nan), (nan, 1, nan, nan),
        (nan, nan, nan, nan), (-4, 0.0, 0, 2), (-4, -0.0, 0, -2), (inf, inf, inf, inf),
    ],
    "sinh": [
        (0.0, 0.0, 0, 0), (0.0, inf, "0", nan), (0.0, nan, "0", nan), (2, inf, nan, nan), (2, nan, nan, nan),
        (inf, 0.0, inf, 0), (inf, 2, *cis(inf, 2)), (inf, inf, "inf", nan), (inf, nan, "inf", nan),
        (nan, 0.0, nan, 0), (nan, 1, nan, nan), (nan, nan, nan, nan),
    ],
    "cosh": [
        (0.0, 0.0, 1, 0), (0.0, inf, nan, "0"), (0.0, nan, nan, "0"), (2, inf, nan, nan), (2, nan, nan, nan),
        (inf, 0.0, inf, 0), (inf, 2, *cis(inf, 2)), (inf, inf, "inf", nan), (inf, nan, inf, nan),
        (nan, 0.0, nan, "0"), (nan, 1, nan, nan), (nan, nan, nan, nan),
    ],
    "tanh": [
        (0.0, 0.0, 0, 0), (2, inf, nan, nan), (2, nan, nan, nan), (30, inf, nan, nan), (0.0, inf, 0, nan),
        (0.0, nan, 0, nan), (inf, 2, 1, "0"), (inf, 0.0, 1, 0), (inf, inf, 1, "0"), (inf, nan, 1, "0"),
        (nan, 0.0, nan, 0), (nan, 1, nan, nan), (nan, nan, nan, nan),
    ],
    "acos": [
        (0.0, 0.0, pi / 2, -0.0), (-0.0, 0.0, pi / 2, -0.0), (0.0, nan, pi / 2, nan), (2, inf, pi / 2, -inf),
        (2, nan, nan, nan), (-inf, 2, pi, -inf), (inf, 2, 0, -inf), (-inf, inf, 3 * pi / 4, -inf),
        (inf, inf, pi / 4, -inf), (inf, nan, nan, "inf"), (nan, 2, nan, nan), (nan, inf, nan, -inf),
        (nan, nan, nan, nan), (1, 0.0, 0, -0.0),
    ],
    "acosh": [
        (0.0, 0.0, 0, pi / 2), (-0.0, 0.0, 0, pi / 2), (2, inf, inf, pi / 2), (2, nan, nan, nan),
        (0.0, nan, nan, str(pi / 2)), (-inf, 2, inf, pi), (inf, 2, inf, 0), (-inf, inf, inf, 3 * pi / 4),
        (inf, inf, inf, pi / 4), (inf, nan, inf, nan), (-inf, nan, inf, nan), (nan, 2, nan, nan),
        (nan, inf, inf, nan), (nan, nan, nan, nan),
    ],
    "asinh": [
        (0.0, 0.0, 0, 0), (2, inf, inf, pi / 2), (2, nan, nan, nan), (inf, 2, inf, 0), (inf, inf, inf, pi / 4),
        (nan, 0.0, nan, 0), (nan, 1, nan, nan), (nan, inf, "inf", nan), (nan, nan, nan, nan),
        (inf, nan, inf, nan),
    ],
    "atanh": [
        (0.0, 0.0, 0, 0), (0.0, nan, 0, nan), (1, 0.0, inf, 0), (2, inf, 0, pi / 2), (2, nan, nan, nan),
        (inf, 2, 0, pi / 2), (inf, inf, 0, pi / 2), (inf, nan, 0, nan), (nan, 1, nan, nan),
        (nan, inf, "0", pi / 2), (nan, nan, nan, nan),
    ],
}  # fmt: skip


def numbers(pairs: list, dtype: str) -> np.ndarray:
    found = np.empty(len(pairs), dtype)
    found.real, found.imag = zip(*pairs, strict=True)
    return found


def right(part: float, expected: float | str) -> bool:
    """Is a part what it must be? A text: but for the sign."""
    if isinstance(expected, str):
        return right(abs(part), float(expected))
    if math.isnan(expected):
        return math.isnan(part)
    if math.copysign(1, part) != math.copysign(1, expected):
        return False
    return part == expected or abs(part - expected) <= 1e-6 * abs(expected)


@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("name", CASES)
def test_special_cases(name, dtype):
    z = numbers([case[:2] for case in CASES[name]], dtype)
    found = np.asarray(getattr(la, name)(la.asarray(z)))
    for (a, b, *expected), value in zip(CASES[name], found.tolist(), strict=True):
        assert all(map(right, (value.real, value.imag), expected)), f"{name}({a}, {b}) = {value}, expected {expected}"


@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_symmetries(name, dtype):
    """f(conj z) = conj f(z) everywhere, f(-z) = -f(z) or f(z) for odd and even functions.

    Where a part of z is NaN its sign is no number's: the sign of what is made of it is anybody's (C99, annex G).
    """
    z = special(dtype, 997, 5)
    z = z[~np.isnan(z)]
    f = getattr(la, name)
    here, mirrored, turned = (np.asarray(f(la.asarray(w))) for w in (z, z.conj(), -z))
    agree(la.asarray(mirrored), here.conj(), 0, z)
    if name in ("sin", "tan", "sinh", "tanh", "asin", "atan", "asinh", "atanh"):
        agree(la.asarray(turned), -here, 0, z)
    if name in ("cos", "cosh"):
        agree(la.asarray(turned), here, 0, z)


QUARTERS = {"asin": "asinh", "atan": "atanh", "sin": "sinh", "tan": "tanh"}


@pytest.mark.parametrize("name", QUARTERS)
def test_quarter_turns(name):
    """f(z) = -i g(iz), as the standard defines the special cases of these; multiplied by i part by part."""
    z = special("complex128", 997, 6)
    turned = numbers(list(zip(-z.imag, z.real, strict=True)), "complex128")
    g = np.asarray(getattr(la, QUARTERS[name])(la.asarray(turned)))
    agree(getattr(la, name)(la.asarray(z)), numbers(list(zip(g.imag, -g.real, strict=True)), "complex128"), 0, z)


@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_precision(name, dtype):
    parts = [values((500,), dtype, seed, -scale, scale) for seed, scale in enumerate((1e-4, 0.1, 1, 2, 20, 300))]
    circle = np.exp(1j * values((500,), "float64", 9, -pi, pi)).astype(dtype)
    z = np.concatenate([*parts, circle, circle - 1, circle * 1j + 1e-3])
    with np.errstate(all="ignore"):
        exact = getattr(np, NUMPY.get(name, name))(z.astype("clongdouble"))
        expected = exact.astype(dtype)
    near = np.ones(len(z), bool)
    if name in ("log1p", "expm1"):  # NumPy's lose digits near zero, also wide ones
        near = np.abs(z) > 1e-2
    # exp2 and the periodic functions: an argument's rounding counts by its size
    ulps = 8 + (float(np.max(np.abs(z))) if name == "exp2" else 0)
    found = np.asarray(getattr(la, name)(la.asarray(z)))
    keep = near & np.isfinite(expected.real) & np.isfinite(expected.imag)
    agree(la.asarray(found[keep]), expected[keep], ulps, z[keep])


@pytest.mark.parametrize("name", ["log", "log2", "log10"])
def test_logarithms_near_zero_keep_their_digits(name):
    t = values((500,), "float64", 1, -pi, pi)
    z = (np.cos(t) + 1j * np.sin(t)) * (1 + values((500,), "float64", 2, -1e-7, 1e-7))
    squares = [Fraction(x) ** 2 + Fraction(y) ** 2 - 1 for x, y in zip(z.real.tolist(), z.imag.tolist(), strict=True)]
    scale = {"log": 1, "log2": math.log2(math.e), "log10": math.log10(math.e)}[name]
    exact = 0.5 * np.log1p(np.array(list(map(float, squares)))) * scale
    agree(getattr(la, name)(la.asarray(z)).real, exact, 16, z)


@pytest.mark.parametrize("dtype", COMPLEX)
def test_nothing_overflows_early(dtype):
    info = np.finfo(dtype)
    top, low = float(info.max), float(info.smallest_subnormal)
    z = numbers([(top, top), (-top, top / 2), (low, low), (top, low), (low, 3 * low), (0.0, top)], dtype)
    wide = z.astype("clongdouble")
    with np.errstate(over="ignore"):
        for name in ("log", "sqrt", "asinh", "acosh", "sign"):
            expected = wide / np.abs(wide) if name == "sign" else getattr(np, NUMPY.get(name, name))(wide)
            agree(getattr(la, name)(la.asarray(z)), expected.astype(dtype), 8, z)
        agree(la.abs(la.asarray(z)), np.abs(wide).astype(info.dtype), 4, z)
        agree(la.atanh(la.asarray(z)).imag, np.arctanh(wide).imag.astype(info.dtype), 8, z)
    large = numbers([(math.log(top) + 1, 1.55), (math.log(top) + 1, 3.0e-1)], dtype)
    half = np.exp(large.astype("clongdouble"))
    assert np.isfinite(complex(la.exp(la.asarray(large))[0]).real)
    agree(la.exp(la.asarray(large)).real[:1], half.real[:1].astype(info.dtype), 32)


def test_sign():
    z = numbers(
        [(3, 4), (0.0, 0.0), (-0.0, 0.0), (-2, 0.0), (inf, 1), (1, -inf), (inf, inf), (nan, 1), (inf, nan)],
        "complex128",
    )
    found = np.asarray(la.sign(la.asarray(z)))
    agree(la.asarray(found[:6]), np.array([0.6 + 0.8j, 0, 0, -1, 1, complex(0, -1)]), 2, z[:6])
    assert np.all(np.isnan(found[6:].real) & np.isnan(found[6:].imag))
