"""Element-wise functions of the array API standard, by its names and NumPy's.

Each records through `lazyarr.recording.apply.apply`, where broadcasting, dtypes and errors are described. NumPy's
further ones stand in `lazyarr.api.elementwise.ufuncs`.
"""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from lazyarr.aliasing.outputs import finished, put_reduced
from lazyarr.api.elementwise.ufunc import Binary, Unary
from lazyarr.array import Array, array_of
from lazyarr.array.scalar import Scalar
from lazyarr.dtypes import as_dtype, bool_
from lazyarr.eager.functions import small_by
from lazyarr.recording.apply import answered, apply, is_foreign
from lazyarr.recording.conversion import astype, imag, of_parts, real
from lazyarr.recording.creation import asarray
from lazyarr.recording.movement import whole_number
from lazyarr.recording.replay import replayable

__all__ = [
    "abs", "absolute", "acos", "acosh", "add", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh",
    "asin", "asinh", "astype", "atan", "atan2", "atanh", "bitwise_and", "bitwise_invert", "bitwise_left_shift",
    "bitwise_not", "bitwise_or", "bitwise_right_shift", "bitwise_xor", "ceil", "clip", "conj", "conjugate", "copysign",
    "cos", "cosh", "divide", "equal", "exp", "expm1", "floor", "floor_divide", "greater", "greater_equal", "hypot",
    "imag", "invert", "isfinite", "isinf", "isnan", "left_shift", "less", "less_equal", "log", "log1p", "log2", "log10",
    "logaddexp", "logical_and", "logical_not", "logical_or", "logical_xor", "maximum", "minimum", "mod", "multiply",
    "negative", "nextafter", "not_equal", "positive", "pow", "power", "real", "reciprocal", "remainder", "right_shift",
    "round", "sign", "signbit", "sin", "sinh", "sqrt", "square", "subtract", "tan", "tanh", "true_divide", "trunc",
]  # fmt: skip


def unary(name: str, meaning: str, loop: str | None = None) -> Unary:
    """The element-wise function of one operand; its loop in `lazyarr.elements.scalar_functions` has its name by
    default.
    """
    return Unary(name, meaning, loop or name)


def binary(name: str, meaning: str, loop: str | None = None) -> Binary:
    """The element-wise function of two operands; its loop is found as for `unary`."""
    return Binary(name, meaning, loop or name)


abs = absolute = unary("abs", "|x|")
acos = arccos = unary("acos", "The inverse cosine")
acosh = arccosh = unary("acosh", "The inverse hyperbolic cosine")
add = binary("add", "x1 + x2 (for bool: or)")
asin = arcsin = unary("asin", "The inverse sine")
asinh = arcsinh = unary("asinh", "The inverse hyperbolic sine")
atan = arctan = unary("atan", "The inverse tangent")
atan2 = arctan2 = binary("atan2", "The angle of the point (x2, x1)")
atanh = arctanh = unary("atanh", "The inverse hyperbolic tangent")
bitwise_and = binary("bitwise_and", "x1 & x2, of bools or integers")
bitwise_invert = bitwise_not = invert = unary("bitwise_invert", "~x, of bools or integers")
bitwise_left_shift = left_shift = binary(
    "bitwise_left_shift", "x1 << x2, of integers; zero for counts that are negative or reach the width"
)
bitwise_or = binary("bitwise_or", "x1 | x2, of bools or integers")
bitwise_right_shift = right_shift = binary(
    "bitwise_right_shift", "x1 >> x2, of integers; the sign is left for counts that are negative or reach the width"
)
bitwise_xor = binary("bitwise_xor", "x1 ^ x2, of bools or integers")
ceil = unary("ceil", "The least integer that is not less; integers stay as they are")
conj = conjugate = unary("conj", "The complex conjugate; real numbers stay as they are, bools become int8")
copysign = binary("copysign", "The magnitude of x1 with the sign of x2")
cos = unary("cos", "The cosine")
cosh = unary("cosh", "The hyperbolic cosine")
divide = true_divide = binary("divide", "x1 / x2; float64 for integers")
equal = binary("equal", "x1 == x2")
exp = unary("exp", "e ** x")
expm1 = unary("expm1", "e ** x - 1, precise near zero")
floor = unary("floor", "The greatest integer that is not greater; integers stay as they are")
floor_divide = binary("floor_divide", "x1 // x2, rounded towards minus infinity; zero for integers where x2 is")
greater = binary("greater", "x1 > x2")
greater_equal = binary("greater_equal", "x1 >= x2")
hypot = binary("hypot", "sqrt(x1*x1 + x2*x2)")
isfinite = unary("isfinite", "Is it neither infinite nor NaN?")
isinf = unary("isinf", "Is it infinite?")
isnan = unary("isnan", "Is it NaN?")
less = binary("less", "x1 < x2")
less_equal = binary("less_equal", "x1 <= x2")
log = unary("log", "The natural logarithm")
log10 = unary("log10", "The logarithm to base ten")
log1p = unary("log1p", "log(1 + x), precise near zero")
log2 = unary("log2", "The logarithm to base two")
logaddexp = binary("logaddexp", "log(exp(x1) + exp(x2)), without overflow")
logical_and = binary("logical_and", "Are both true (not zero)?")
logical_not = unary("logical_not", "Is it false (zero)?")
logical_or = binary("logical_or", "Is one of them true (not zero)?")
logical_xor = binary("logical_xor", "Is exactly one of them true (not zero)?")
maximum = binary("maximum", "The greater; NaN if one is")
minimum = binary("minimum", "The lesser; NaN if one is")
multiply = binary("multiply", "x1 * x2 (for bool: and)")
negative = unary("negative", "-x")
nextafter = binary("nextafter", "The number next to x1 on the way to x2")
not_equal = binary("not_equal", "x1 != x2")
pow = power = binary("pow", "x1 ** x2")
reciprocal = unary("reciprocal", "1 / x; of integers rounded towards zero, and zero for zero")
remainder = mod = binary("remainder", "x1 % x2, with the sign of x2; zero for integers where x2 is")
sign = unary("sign", "-1, 0 or 1 by the sign; of complex numbers x / |x|; NaN of NaN")
signbit = unary("signbit", "Is the sign negative, also of zeros and NaN?")
sin = unary("sin", "The sine")
sinh = unary("sinh", "The hyperbolic sine")
sqrt = unary("sqrt", "The square root")
square = unary("square", "x * x")
subtract = binary("subtract", "x1 - x2")
tan = unary("tan", "The tangent")
tanh = unary("tanh", "The hyperbolic tangent")
trunc = unary("trunc", "The nearest integer towards zero; integers stay as they are")
_rint = unary("rint", "The nearest integer, the even one of two, as a float")


def positive(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None) -> Array:
    """+x: another array of the same elements, converted to `dtype` if that is given."""
    if type(x) is not Array or out is not None:
        answer = answered("positive", (x,), out, where=where, dtype=dtype)
        if answer is not NotImplemented:
            return answer  # type: ignore[no-any-return]  # of another library
    if dtype is not None:
        given = asarray(x, function="positive")
        if not np.can_cast(given.dtype, as_dtype(dtype, "positive"), "same_kind"):
            raise TypeError(
                f"positive: cannot convert an operand of dtype {given.dtype.name} to {np.dtype(dtype).name}"
            )
        x = astype(given, dtype)
    if out is not None or where is not True:
        return finished("positive", positive(x), out, where)
    if type(x) is Scalar:
        return x  # type: ignore[return-value]  # a Scalar inside lambdas
    x = asarray(x, function="positive")
    if x.dtype is bool_:
        raise TypeError("positive: expected numbers, got bool")
    return array_of(x.standing, x.shape, x.dtype, x.placed, x.traced_in)


def clip(
    a: Any,
    min: Any = None,
    max: Any = None,
    out: Any = None,
    *,
    a_min: Any = None,
    a_max: Any = None,
    where: Any = True,
    dtype: Any = None,
) -> Array:
    """`minimum(maximum(x, min), max)`, in one pass; a bound that is None is none.

    A Python integer at the end of the range of an integer dtype, or beyond it, is no bound either.

    Args:
        min, max: the bounds, numbers or arrays, which broadcast with `a`
        a_min, a_max: older names of the bounds
        out, where, dtype: as for other element-wise functions

    Raises:
        ValueError: a bound is given by both names.
    """
    if (a_min is not None and min is not None) or (a_max is not None and max is not None):
        raise ValueError("clip: expected each bound once: min and max, or a_min and a_max")
    min, max = a_min if min is None else min, a_max if max is None else max
    if is_foreign(a) and type(out) is not Array:
        min, max = (np.asarray(x) if type(x) is Array else x for x in (min, max))  # else it is asked again what we do
        options = {key: x for key, x, default in (("where", where, True), ("dtype", dtype, None)) if x is not default}
        return np.clip(a, min, max, out, **options)  # type: ignore[no-any-return]  # of their library
    if out is not None or where is not True or dtype is not None:
        found = clip(a, min, max)
        return finished("clip", found if dtype is None else astype(found, dtype), out, where)
    x = a if type(a) is Scalar else asarray(a, function="clip")
    if x.dtype.kind in "iu":
        limits = np.iinfo(x.dtype)
        min = None if type(min) is int and min <= limits.min else min
        max = None if type(max) is int and max >= limits.max else max
    if min is None and max is None:
        return positive(x)
    if max is None:
        return maximum(x, min)
    if min is None:
        return minimum(x, max)
    return apply("clip", x, min, max)  # type: ignore[no-any-return]  # a Scalar inside lambdas


def _rounded(a: Any, decimals: int = 0) -> Any:
    """NumPy's function of floats, and of integers that have no decimals."""
    x = np.asarray(a)
    if type(decimals) is not int or decimals < 0:
        return None
    if x.dtype.kind in "iu":
        return x
    if x.dtype.char not in "fd":
        return None
    return np.round(x, decimals) if decimals else np.rint(x)


@small_by(_rounded)
@replayable
def round(a: Any, decimals: int = 0, out: Any = None) -> Array:
    """Round to that many decimals, halves to even; integers are rounded where `decimals` is negative.

    Args:
        out: an array to put the result into, which is returned

    Raises:
        TypeError: bools, unless `decimals` is 0.
    """
    if is_foreign(a) and type(out) is not Array:
        return np.round(a, decimals, out)  # type: ignore[no-any-return]  # of their library
    if out is not None:
        return put_reduced("round", out, round(a, decimals), "same_kind")
    decimals = whole_number("round", "decimals", decimals, None)
    if decimals == 0:
        return apply("round", a)  # type: ignore[no-any-return]  # a Scalar inside lambdas
    a = a if type(a) is Scalar else asarray(a, function="round")
    if a.dtype.kind == "b":
        raise TypeError(f"round: bools have no decimals, expected decimals=0, got {decimals}")
    if type(a) is Array and a.dtype.kind == "c":
        return of_parts(round(real(a), decimals), round(imag(a), decimals))
    scale = 10.0 ** builtins.abs(decimals)  # a Python number, which takes the array's dtype
    if a.dtype.kind in "iu":
        return positive(a) if decimals > 0 else astype(multiply(_rint(divide(a, scale)), scale), a.dtype)
    if decimals > 0:
        return divide(_rint(multiply(a, scale)), scale)
    return multiply(_rint(divide(a, scale)), scale)
