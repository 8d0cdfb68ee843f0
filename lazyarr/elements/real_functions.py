"""Functions of real numbers that are no primitives of `ir`, as formulas over scalar expressions.

Special values follow NumPy's functions of the same names.
"""

from __future__ import annotations

import math

from ir.core.types import BOOL, INT32
from lazyarr.elements.formulas import Number, call, limits, where

__all__ = [
    "fmax", "fmin", "fraction", "heaviside", "isneginf", "isposinf", "lcm", "ldexp", "logaddexp", "logaddexp2",
    "mantissa", "signbit", "sinc", "spacing", "truncated_remainder",
]  # fmt: skip


def signbit(x: Number) -> Number:
    """Is the sign negative, also of zeros and NaN?"""
    return call("copysign", x.like(1), x) < 0


def isposinf(x: Number) -> Number:
    """Is it positive infinity?"""
    return x == math.inf


def isneginf(x: Number) -> Number:
    """Is it negative infinity?"""
    return x == -math.inf


def logaddexp(x: Number, y: Number) -> Number:
    """log(exp(x) + exp(y)), without overflow"""
    return _log_of_sum(x, y, call("log1p", call("exp", -abs(x - y))), math.log(2))


def logaddexp2(x: Number, y: Number) -> Number:
    """log2(2**x + 2**y), without overflow"""
    return _log_of_sum(x, y, call("log1p", call("exp2", -abs(x - y))) * math.log2(math.e), 1.0)


def _log_of_sum(x: Number, y: Number, excess: Number, doubled: float) -> Number:
    """The larger and what the other adds to it; infinities of one sign are equal"""
    unknown = call("isnan", x) | call("isnan", y)
    return where(x == y, x + doubled, where(unknown, x + y, where(x > y, x, y) + excess))


def heaviside(x: Number, at_zero: Number) -> Number:
    """0 below zero, 1 above, the second number at zero"""
    return where(call("isnan", x), x, where(x == 0, at_zero, where(x < 0, x.like(0), 1)))


def sinc(x: Number) -> Number:
    """sin(pi x) / (pi x); one at zero"""
    scaled = x * math.pi
    return where(x == 0, 1, call("sin", scaled) / scaled)


def fmax(x: Number, y: Number) -> Number:
    """The greater; the other one if one is NaN"""
    return where((x >= y) | call("isnan", y), x, y)


def fmin(x: Number, y: Number) -> Number:
    """The lesser; the other one if one is NaN"""
    return where((x <= y) | call("isnan", y), x, y)


def truncated_remainder(x: Number, y: Number) -> Number:
    """The remainder of integer division towards zero, which has the sign of x; zero where y is zero"""
    rest = call("remainder", x, y)  # of division towards minus infinity
    if not x.type.is_signed:
        return rest
    return where((rest != 0) & call("not_equal", x < 0, y < 0), rest - y, rest)


def lcm(x: Number, y: Number) -> Number:
    """The least common multiple of the absolute values, zero of zero; it wraps as products do"""
    shared = call("gcd", x, y)
    divisor = where(shared == 0, 1, shared)
    a, b = abs(x), abs(y)  # negative only where the absolute value has wrapped; that one is not divided
    return where(a < 0, call("floor_divide", b, divisor) * a, call("floor_divide", a, divisor) * b)


def ldexp(x: Number, exponent: Number) -> Number:
    """x * 2**exponent; exponents beyond what any number of the type has are cut to those of 32 bits"""
    if exponent.type is not INT32:
        top = 2**30
        if exponent.type is BOOL or exponent.type.bytes < 4:
            exponent = exponent.cast(INT32)
        else:
            low = exponent if not exponent.type.is_signed else call("maximum", exponent, -top)
            exponent = call("minimum", low, top).cast(INT32)
    return Number(call("ldexp", x, exponent).expr)


def mantissa(x: Number) -> Number:
    """m of x = m * 2**e with 0.5 <= |m| < 1; zeros, infinities and NaN themselves"""
    return call("ldexp", x, -call("exponent", x))


def fraction(x: Number) -> Number:
    """The part behind the point, with the sign of x; zero of infinities"""
    return call("copysign", where(call("isinf", x), 0, x - call("trunc", x)), x)


def spacing(x: Number) -> Number:
    """The distance to the next number away from zero, with the sign of x but at zero; NaN of infinities"""
    beyond = call("nextafter", x, call("copysign", x.like(math.inf), x)) - x
    return where(x == 0, float(limits(x).smallest_subnormal), beyond)
