"""Element-wise functions that NumPy has beyond the array API standard, by NumPy's names."""

from __future__ import annotations

import builtins
import math
from typing import Any

import numpy as np

from lazyarr.aliasing.assignment import rebind
from lazyarr.aliasing.outputs import with_outs_at
from lazyarr.api.elementwise.standard import (
    binary,
    equal,
    floor_divide,
    isfinite,
    isnan,
    less_equal,
    logical_and,
    logical_or,
    multiply,
    not_equal,
    remainder,
    trunc,
    unary,
)
from lazyarr.array import Array, array_of
from lazyarr.array.scalar import Scalar
from lazyarr.dtypes import WEAK, float64
from lazyarr.eager.functions import small_by
from lazyarr.recording.apply import answered, apply
from lazyarr.recording.conversion import astype, imag, real, where
from lazyarr.recording.creation import asarray
from lazyarr.recording.movement import broadcast_to
from lazyarr.recording.replay import replayable

__all__ = [
    "angle", "cbrt", "deg2rad", "degrees", "divmod", "exp2", "fabs", "fix", "float_power",
    "fmax", "fmin", "fmod", "frexp", "gcd", "heaviside", "isclose", "iscomplex", "isneginf", "isposinf", "isreal",
    "lcm", "ldexp", "logaddexp2", "modf", "nan_to_num", "rad2deg", "radians", "rint", "sinc", "spacing",
]  # fmt: skip

cbrt = unary("cbrt", "The cube root, of real numbers")
deg2rad = radians = unary("deg2rad", "Degrees as radians")
exp2 = unary("exp2", "2 ** x")
fabs = unary("fabs", "|x| of real numbers, as a float")
fix = unary("trunc", "The nearest integer towards zero; integers stay as they are")
float_power = binary("float_power", "x1 ** x2 in float64, or complex128")
fmax = binary("fmax", "The greater; if one is NaN, the other")
fmin = binary("fmin", "The lesser; if one is NaN, the other")
fmod = binary("fmod", "The remainder of x1 / x2 with the sign of x1; zero for integers where x2 is")
gcd = binary("gcd", "The greatest common divisor of integers, not negative")
heaviside = binary("heaviside", "0 below zero, 1 above, x2 at zero")
isneginf = unary("isneginf", "Is it negative infinity? Of real numbers")
isposinf = unary("isposinf", "Is it positive infinity? Of real numbers")
lcm = binary("lcm", "The least common multiple of integers, not negative")
ldexp = binary("ldexp", "x1 * 2**x2, of a float and an integer")
logaddexp2 = binary("logaddexp2", "log2(2**x1 + 2**x2), without overflow")
rad2deg = degrees = unary("rad2deg", "Radians as degrees")
rint = unary("rint", "The nearest integer, the even one of two, as a float")
sinc = unary("sinc", "sin(pi x) / (pi x), one at zero")
spacing = unary("spacing", "The distance to the next number away from zero")
_exponent = unary("exponent", "The exponent of x = m * 2**e with 0.5 <= |m| < 1")
_mantissa = unary("frexp", "The mantissa of x = m * 2**e with 0.5 <= |m| < 1")
_fraction = unary("modf", "The part behind the point")


@with_outs_at(2)
def divmod(x1: Any, x2: Any, /) -> tuple[Array, Array]:
    """`(x1 // x2, x1 % x2)`, element by element."""
    return floor_divide(x1, x2), remainder(x1, x2)


@with_outs_at(1)
@small_by(np.frexp)
def frexp(x: Any, /) -> tuple[Array, Array]:
    """Mantissa and exponent, element by element: x = m * 2**e with 0.5 <= |m| < 1; the exponents are int32."""
    found = answered("frexp", (x,))
    return (_mantissa(x), _exponent(x)) if found is NotImplemented else found


@with_outs_at(1)
@small_by(np.modf)
def modf(x: Any, /) -> tuple[Array, Array]:
    """The parts behind and before the point, element by element, both with the sign of x, as floats."""
    found = answered("modf", (x,))
    if found is not NotImplemented:
        return found  # type: ignore[no-any-return]  # of two, which another library makes
    behind = _fraction(x)
    return behind, trunc(astype(x, behind.dtype))


@replayable
def angle(z: Any, deg: bool = False) -> Array:
    """The angle of complex numbers in (-pi, pi], in radians or degrees; 0 or pi for real ones."""
    found: Array = apply("angle", z)
    return multiply(found, 180 / math.pi) if deg else found


@replayable
def isreal(x: Any) -> Array:
    """Is the imaginary part zero?"""
    return equal(imag(x), 0)


@replayable
def iscomplex(x: Any) -> Array:
    """Is the imaginary part other than zero?"""
    return not_equal(imag(x), 0)


@replayable
def nan_to_num(
    x: Any, copy: bool = True, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None
) -> Array:
    """Numbers in place of NaN and the infinities (by default zero and the largest of the dtype), element by element.

    Complex numbers: each part. Integers stay as they are.

    Args:
        copy: False puts them into the array itself
        nan, posinf, neginf: numbers, or arrays that broadcast to the shape of `x`; they become of its dtype

    Raises:
        TypeError: numbers that do not convert by NumPy's same-kind rule.
        ValueError: arrays that do not broadcast.
    """
    if not copy and type(x) is Array:
        if x.dtype.kind in "fc":
            rebind(x, nan_to_num(x, nan=nan, posinf=posinf, neginf=neginf))
        return x
    x = x if type(x) is Scalar else asarray(x, function="nan_to_num")
    if x.dtype.kind == "c":
        parts = (nan_to_num(part, nan=nan, posinf=posinf, neginf=neginf) for part in (real(x), imag(x)))
        return apply("complex", *parts)  # type: ignore[no-any-return]  # a Scalar inside lambdas
    if x.dtype.kind != "f":
        return x if type(x) is Scalar else array_of(x.standing, x.shape, x.dtype, x.placed, x.traced_in)  # type: ignore[return-value]  # as above
    largest = float(np.finfo(x.dtype).max)
    high, low = largest if posinf is None else posinf, -largest if neginf is None else neginf
    nan, high, low = (_fitting(x, value) for value in (nan, high, low))
    return where(isnan(x), nan, where(equal(x, math.inf), high, where(equal(x, -math.inf), low, x)))


def _fitting(x: Any, value: Any) -> Any:
    """What takes the place of elements of an array, in its dtype and, if it is no number of Python's, in its shape."""
    if type(x) is Scalar or type(value) in (int, float):
        return value
    given = asarray(value, function="nan_to_num")
    if not np.can_cast(given.dtype, x.dtype, "same_kind"):
        raise TypeError(f"nan_to_num: cannot put {given.dtype.name} into an array of {x.dtype.name}")
    while given.ndim > x.ndim and given.shape[0] == 1:
        given = given.reshape(given.shape[1:])
    return broadcast_to(astype(given, x.dtype), x.shape)


def compared(function: str, a: Any, b: Any) -> tuple[Any, Any]:
    """Two operands that are to be compared, as arrays; Python's numbers, and those of a lambda, as they are.

    Raises:
        ValueError: shapes that do not broadcast together; the function's name stands in it.
    """
    a, b = (x if type(x) is Scalar or type(x) in WEAK else asarray(x, function=function) for x in (a, b))
    shapes = [x.shape for x in (a, b) if isinstance(x, Array)]
    try:
        np.broadcast_shapes(*shapes)
    except ValueError:
        listed = ", ".join(map(str, shapes))
        raise ValueError(f"{function}: expected operands whose shapes broadcast together, got {listed}") from None
    return a, b


@replayable
def isclose(a: Any, b: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Array:
    """`|a - b| <= atol + rtol * |b|`, element by element; infinities are close to themselves, NaN if `equal_nan`.

    Python's numbers are weak, as in operators.

    Raises:
        ValueError: shapes that do not broadcast together.
    """
    if type(a) in WEAK and type(b) in WEAK:
        a = asarray(a)
    a, b = compared("isclose", a, b)
    if type(b) in (bool, int):
        b = float(b)
    elif type(b) not in WEAK and b.dtype.kind not in "fc":
        b = astype(b, float64)
    absolute, relative = (x if type(x) in WEAK else asarray(x, function="isclose") for x in (atol, rtol))
    near = less_equal(builtins.abs(a - b), absolute + relative * builtins.abs(b))
    close = logical_or(logical_and(near, isfinite(b)), equal(a, b))
    return logical_or(close, logical_and(isnan(a), isnan(b))) if equal_nan else close
