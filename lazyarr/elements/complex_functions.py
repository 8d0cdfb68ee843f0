"""Exponentials, logarithms, roots, powers and trigonometry of complex numbers as formulas over their parts.

Signs of zeros, infinities and NaN follow C99's annex G, as the array API standard and NumPy do; branch cuts are those
of Kahan, "Branch cuts for complex elementary functions" (1987). Intermediate results overflow only where the result
does. Errors are a few units in the last place of the larger part; of a logarithm also where it is near zero.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from lazyarr.elements.complex_arithmetic import Parts, choose, divide, isinf, multiply, reciprocal, scaled
from lazyarr.elements.formulas import Number, call, where

__all__ = ["FUNCTIONS", "log_of_absolute", "power"]

_INFINITY = math.inf


def _finite(x: Number) -> Number:
    return call("isfinite", x)


def _is_float(x: Number) -> bool:
    return x.type.name == "float32"


# --- exponentials --------------------------------------------------------------------------------------------------


def _exp_times(x: Number, y: Number, half: float = 1.0) -> Parts:
    """`half` * exp(x) * (cos y, sin y); finite where that is, also if exp(x) is not, which is then made of factors."""
    limit, step = (88.0, 64.0) if _is_float(x) else (709.0, 512.0)
    large = x > limit
    scale = where(large, x.like(math.exp(step)), 1)
    size = call("exp", where(large, x - 2 * step, x)) * half
    return call("cos", y) * scale * size * scale, call("sin", y) * scale * size * scale


def exp(z: Parts) -> Parts:
    """e ** z"""
    x, y = z
    real, imaginary = _exp_times(x, y)
    lost, zero = ~_finite(y), call("copysign", y.like(0), y)
    real = where(lost & (x == -_INFINITY), 0, where(lost & (x == _INFINITY), _INFINITY, real))
    imaginary = where(lost & (x == -_INFINITY), zero, imaginary)
    return choose(y == 0, (call("exp", x), y), (real, imaginary))


def expm1(z: Parts) -> Parts:
    """e ** z - 1, precise near zero"""
    x, y = z
    real, imaginary = exp(z)
    half = call("sin", y * 0.5)
    near = call("expm1", x) * call("cos", y) - 2.0 * half * half
    real = where(abs(x) < 30.0, near, real - 1.0)
    return choose(y == 0, (call("expm1", x), y), (real, imaginary))


def exp2(z: Parts) -> Parts:
    """2 ** z"""
    return exp((z[0] * math.log(2), z[1] * math.log(2)))


def _square_and_rest(x: Number) -> Parts:
    """x * x rounded, and what rounding took away (Dekker 1971): exact where nothing overflows or vanishes."""
    split = float(2**12 + 1 if _is_float(x) else 2**27 + 1)
    c = x * split
    high = c - (c - x)
    low = x - high
    square = x * x
    return square, ((high * high - square) + 2.0 * high * low) + low * low


def _sum_and_rest(x: Number, y: Number) -> Parts:
    """x + y rounded, and what rounding took away (Knuth)."""
    total = x + y
    part = total - x
    return total, (x - (total - part)) + (y - part)


def log_of_absolute(x: Number, y: Number) -> Number:
    """log |x + iy|, precise also where that is near zero, and where the absolute value overflows or vanishes."""
    a, b = abs(x), abs(y)
    larger, smaller = where(a > b, a, b), where(a > b, b, a)
    s = scaled((x, y))
    far = call("log", s.size) + s.chosen(-s.down * math.log(2), -s.up * math.log(2), 0)
    far = where(isinf((x, y)), _INFINITY, far)
    # near one: |z|**2 - 1 in twice the digits, the largest terms first
    (p, p_rest), (q, q_rest) = _square_and_rest(larger), _square_and_rest(smaller)
    rest, lost = _sum_and_rest(p - 1.0, q)
    near = 0.5 * call("log1p", rest + (lost + (p_rest + q_rest)))
    return where((larger > 0.5) & (larger < 1.5), near, far)


def log(z: Parts) -> Parts:
    """The natural logarithm, cut along the negative numbers"""
    return log_of_absolute(*z), call("atan2", z[1], z[0])


def log2(z: Parts) -> Parts:
    """The logarithm to base two"""
    real, imaginary = log(z)
    return real * math.log2(math.e), imaginary * math.log2(math.e)


def log10(z: Parts) -> Parts:
    """The logarithm to base ten"""
    real, imaginary = log(z)
    return real * math.log10(math.e), imaginary * math.log10(math.e)


def log1p(z: Parts) -> Parts:
    """log(1 + z), precise near zero"""
    x, y = z
    one = x + 1.0
    near = 0.5 * call("log1p", x * (x + 2.0) + y * y)
    small = (abs(x) < 0.5) & (abs(y) < 0.5)
    return where(small, near, log_of_absolute(one, y)), call("atan2", y, one)


def sqrt(z: Parts) -> Parts:
    """The square root, cut along the negative numbers"""
    x, y = z
    s = scaled(z)
    a, b = s.parts
    back = s.chosen(2.0 ** (-s.down // 2), 2.0 ** (-s.up // 2), 1)
    t = call("sqrt", (abs(a) + s.size) * 0.5)
    u = abs(b) / (2.0 * t)
    right = a >= 0
    real, imaginary = where(right, t, u) * back, call("copysign", where(right, u, t) * back, y)
    # at infinity: the imaginary part decides first, then the real one
    zero = call("copysign", x.like(0), y)
    unknown = where(_finite(y), zero, y.like(math.nan))
    beside = where(_finite(y), x.like(0), math.nan)
    real = where(x == _INFINITY, x, where(x == -_INFINITY, beside, real))
    imaginary = where(x == _INFINITY, unknown, where(x == -_INFINITY, call("copysign", abs(x), y), imaginary))
    found = choose(abs(y) == _INFINITY, (abs(y), y), (real, imaginary))
    return choose((x == 0) & (y == 0), (x.like(0), y), found)


def power(z: Parts, w: Parts) -> Parts:
    """z ** w = exp(w * log z); one where w is zero, zero where z is and w is positive"""
    x, y = z
    (c, d), (size, angle) = w, log(z)
    real = d == 0
    exponent = where(real, c * size, c * size - d * angle), where(real, c * angle, c * angle + d * size)
    one, zero, nan = x.like(1), x.like(0), x.like(math.nan)
    found = choose((x == 0) & (y == 0), choose(c > 0, (zero, zero), (nan, nan)), exp(exponent))
    return choose((c == 0) & real, (one, zero), found)


def whole_power(z: Parts, exponent: int) -> Parts:
    """z ** n by repeated squaring"""
    one = z[0].like(1), z[0].like(0)
    result: Parts | None = None
    base, rest = z, abs(exponent)
    while rest:
        if rest & 1:
            result = base if result is None else multiply(result, base)
        rest >>= 1
        if rest:
            base = multiply(base, base)
    if result is None:
        return one
    return result if exponent > 0 else reciprocal(result)


# --- hyperbolic functions ------------------------------------------------------------------------------------------


def _large(x: Number) -> Number:
    """Where cosh x is exp |x| / 2 to the last digit."""
    return abs(x) > (11.0 if _is_float(x) else 22.0)


def sinh(z: Parts) -> Parts:
    """The hyperbolic sine"""
    x, y = z
    real, imaginary = _exp_times(abs(x), y, 0.5)
    found = choose(
        _large(x),
        (call("copysign", x.like(1), x) * real, imaginary),
        (call("sinh", x) * call("cos", y), call("cosh", x) * call("sin", y)),
    )
    lost = ~_finite(y)
    real = where(lost & ((x == 0) | (abs(x) == _INFINITY)), x, found[0])
    return choose(y == 0, (call("sinh", x), y), (real, found[1]))


def cosh(z: Parts) -> Parts:
    """The hyperbolic cosine"""
    x, y = z
    real, imaginary = _exp_times(abs(x), y, 0.5)
    found = choose(
        _large(x),
        (real, call("copysign", x.like(1), x) * imaginary),
        (call("cosh", x) * call("cos", y), call("sinh", x) * call("sin", y)),
    )
    lost = ~_finite(y)
    real = where(lost & (abs(x) == _INFINITY), abs(x), found[0])
    zero = call("copysign", x.like(0), x)
    imaginary = where(lost & (x == 0), call("copysign", zero, y) * call("copysign", x.like(1), x), found[1])
    return choose(y == 0, (call("cosh", x), zero * y), (real, imaginary))


def tanh(z: Parts) -> Parts:
    """The hyperbolic tangent (Kahan 1987)"""
    x, y = z
    t, s, c = call("tan", y), call("sinh", x), call("cosh", x)
    beta = 1.0 + t * t
    whole = 1.0 + beta * s * s
    real, imaginary = beta * c * s / whole, t / whole
    one = call("copysign", x.like(1), x)
    small = call("exp", -abs(x))
    waves = call("sin", y) * call("cos", y)
    real, imaginary = choose(_large(x), (one, 4.0 * waves * small * small), (real, imaginary))
    imaginary = where(abs(x) == _INFINITY, call("copysign", x.like(0), where(_finite(y), waves, y)), imaginary)
    lost = ~_finite(y) & _finite(x)
    real = where(x == 0, x, where(lost, math.nan, real))
    return real, where(y == 0, y, imaginary)


# --- turned by a quarter: f(iz) / i --------------------------------------------------------------------------------


def turned(f: Callable[[Parts], Parts], meaning: str) -> Callable[[Parts], Parts]:
    """The function f(iz) / i of an odd f whose name says what it means."""

    def function(z: Parts) -> Parts:
        a, b = f((z[1], z[0]))  # of the conjugate of iz, which exchanges the parts; so back
        return b, a

    function.__doc__ = meaning
    return function


def cos(z: Parts) -> Parts:
    """The cosine: cosh(iz)"""
    return cosh((-z[1], z[0]))


def sinc(z: Parts) -> Parts:
    """sin(pi z) / (pi z); one at zero"""
    scaled = z[0] * math.pi, z[1] * math.pi
    one = z[0].like(1), z[0].like(0)
    return choose((z[0] == 0) & (z[1] == 0), one, divide(FUNCTIONS["sin"](scaled), scaled))


FUNCTIONS: Final[dict[str, Callable[..., Parts]]] = {
    "exp": exp,
    "expm1": expm1,
    "exp2": exp2,
    "log": log,
    "log1p": log1p,
    "log2": log2,
    "log10": log10,
    "sqrt": sqrt,
    "pow": power,
    "sinh": sinh,
    "cosh": cosh,
    "tanh": tanh,
    "sin": turned(sinh, "The sine: sinh(iz) / i"),
    "cos": cos,
    "tan": turned(tanh, "The tangent: tanh(iz) / i"),
    "sinc": sinc,
}
"""Complex results, by the name of the primitive or function."""
