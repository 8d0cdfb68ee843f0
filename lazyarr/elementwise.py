"""Element-wise functions, by the array API's names and NumPy's.

Each records through `lazyarr.apply.apply`, where broadcasting, dtypes and errors are described.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from functools import cache
from typing import Any

from ir.core.expr import Lambda, fun
from ir.core.patterns import Map
from lazyarr.apply import apply, cast
from lazyarr.array import Array
from lazyarr.creation import asarray
from lazyarr.dtypes import DType, as_dtype, to_ir
from lazyarr.record import empty
from lazyarr.tracing import Scalar

__all__ = [
    "abs", "absolute", "acos", "acosh", "add", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh",
    "asin", "asinh", "astype", "atan", "atan2", "atanh", "bitwise_and", "bitwise_invert", "bitwise_not", "bitwise_or",
    "bitwise_xor", "ceil", "clip", "copysign", "cos", "cosh", "divide", "equal", "exp", "exp2", "expm1", "floor",
    "floor_divide", "greater", "greater_equal", "hypot", "invert", "isfinite", "isinf", "isnan", "less", "less_equal",
    "log", "log1p", "log2", "log10", "logical_and", "logical_not", "logical_or", "logical_xor", "maximum", "minimum",
    "mod", "multiply", "negative", "not_equal", "positive", "pow", "power", "reciprocal", "remainder", "rint", "round",
    "sign", "sin", "sinh", "sqrt", "square", "subtract", "tan", "tanh", "true_divide", "trunc", "where",
]  # fmt: skip


def _unary(name: str, meaning: str) -> Callable[[Any], Array]:
    def function(x: Any, /) -> Array:
        return apply(name, x)  # type: ignore[no-any-return]  # a Scalar inside lambdas, which has the same operators

    _name(function, name, meaning)
    return function


def _binary(name: str, meaning: str) -> Callable[[Any, Any], Array]:
    def function(x1: Any, x2: Any, /) -> Array:
        return apply(name, x1, x2)  # type: ignore[no-any-return]  # as above

    _name(function, name, meaning)
    return function


def _name(function: Any, name: str, meaning: str) -> None:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{meaning}, element by element.\n\nBroadcasting, dtypes and errors: see `lazyarr.apply.apply`."


abs = absolute = _unary("abs", "|x|")
acos = arccos = _unary("acos", "The inverse cosine")
acosh = arccosh = _unary("acosh", "The inverse hyperbolic cosine")
add = _binary("add", "x1 + x2 (for bool: or)")
asin = arcsin = _unary("asin", "The inverse sine")
asinh = arcsinh = _unary("asinh", "The inverse hyperbolic sine")
atan = arctan = _unary("atan", "The inverse tangent")
atan2 = arctan2 = _binary("atan2", "The angle of the point (x2, x1)")
atanh = arctanh = _unary("atanh", "The inverse hyperbolic tangent")
bitwise_and = _binary("bitwise_and", "x1 & x2, of bools or integers")
bitwise_invert = bitwise_not = invert = _unary("bitwise_invert", "~x, of bools or integers")
bitwise_or = _binary("bitwise_or", "x1 | x2, of bools or integers")
bitwise_xor = _binary("bitwise_xor", "x1 ^ x2, of bools or integers")
ceil = _unary("ceil", "The least integer that is not less; integers stay as they are")
copysign = _binary("copysign", "The magnitude of x1 with the sign of x2")
cos = _unary("cos", "The cosine")
cosh = _unary("cosh", "The hyperbolic cosine")
divide = true_divide = _binary("divide", "x1 / x2; float64 for integers")
equal = _binary("equal", "x1 == x2")
exp = _unary("exp", "e ** x")
exp2 = _unary("exp2", "2 ** x")
expm1 = _unary("expm1", "e ** x - 1, precise near zero")
floor = _unary("floor", "The greatest integer that is not greater; integers stay as they are")
floor_divide = _binary("floor_divide", "x1 // x2, rounded towards minus infinity")
greater = _binary("greater", "x1 > x2")
greater_equal = _binary("greater_equal", "x1 >= x2")
hypot = _binary("hypot", "sqrt(x1*x1 + x2*x2)")
isfinite = _unary("isfinite", "Is it neither infinite nor NaN?")
isinf = _unary("isinf", "Is it infinite?")
isnan = _unary("isnan", "Is it NaN?")
less = _binary("less", "x1 < x2")
less_equal = _binary("less_equal", "x1 <= x2")
log = _unary("log", "The natural logarithm")
log10 = _unary("log10", "The logarithm to base ten")
log1p = _unary("log1p", "log(1 + x), precise near zero")
log2 = _unary("log2", "The logarithm to base two")
logical_and = _binary("logical_and", "Are both true (not zero)?")
logical_not = _unary("logical_not", "Is it false (zero)?")
logical_or = _binary("logical_or", "Is one of them true (not zero)?")
logical_xor = _binary("logical_xor", "Is exactly one of them true (not zero)?")
maximum = _binary("maximum", "The greater; NaN if one is")
minimum = _binary("minimum", "The lesser; NaN if one is")
multiply = _binary("multiply", "x1 * x2 (for bool: and)")
negative = _unary("negative", "-x")
not_equal = _binary("not_equal", "x1 != x2")
positive = _unary("positive", "+x")
pow = power = _binary("pow", "x1 ** x2")
reciprocal = _unary("reciprocal", "1 / x, of floats")
remainder = mod = _binary("remainder", "x1 % x2, with the sign of x2")
rint = _unary("rint", "The nearest integer, the even one of two, as a float")
sign = _unary("sign", "-1, 0 or 1 by the sign; NaN of NaN")
sin = _unary("sin", "The sine")
sinh = _unary("sinh", "The hyperbolic sine")
sqrt = _unary("sqrt", "The square root")
square = _unary("square", "x * x")
subtract = _binary("subtract", "x1 - x2")
tan = _unary("tan", "The tangent")
tanh = _unary("tanh", "The hyperbolic tangent")
trunc = _unary("trunc", "The nearest integer towards zero; integers stay as they are")


def where(condition: Any, x1: Any, x2: Any, /) -> Array:
    """`x1` where the condition holds (is not zero), else `x2`; both are computed.

    The three broadcast together; the result's dtype is what `x1` and `x2` promote to.
    """
    return apply("where", condition, x1, x2)  # type: ignore[no-any-return]  # a Scalar inside lambdas


def clip(x: Any, /, min: Any = None, max: Any = None) -> Array:
    """`minimum(maximum(x, min), max)`, in one pass; a bound that is None is none."""
    if min is None and max is None:
        return positive(x)
    if max is None:
        return maximum(x, min)
    if min is None:
        return minimum(x, max)
    return apply("clip", x, min, max)  # type: ignore[no-any-return]  # a Scalar inside lambdas


def round(x: Any, /, decimals: int = 0) -> Array:
    """Round to that many decimals, halves to even; integers stay as they are (and take no negative `decimals`)."""
    if decimals == 0:
        return apply("round", x)  # type: ignore[no-any-return]  # a Scalar inside lambdas
    x = x if type(x) is Scalar else asarray(x, function="round")
    if x.dtype.kind != "f":
        if decimals < 0:
            raise ValueError(f"round: decimals must not be negative for dtype {x.dtype.name}, got {decimals}")
        return positive(x)
    scale = 10.0 ** builtins.abs(decimals)  # a Python number, which takes the array's dtype
    if decimals > 0:
        return divide(rint(multiply(x, scale)), scale)
    return multiply(rint(divide(x, scale)), scale)


def astype(x: Any, dtype: Any, /, *, copy: bool = True) -> Array:
    """The array converted to another dtype: floats to integers truncate, anything to bool is `!= 0`.

    Arrays are immutable, so `copy` changes nothing.
    """
    target = as_dtype(dtype, "astype")
    if type(x) is Scalar:
        return x.astype(target)  # type: ignore[return-value]  # a Scalar inside lambdas
    array = asarray(x, function="astype")
    if array.dtype is target:
        return array.copy() if copy and array is x else array
    if not array.size:
        return Array(empty(target), array.shape, target, array.device, array.trace)
    return Array(Map(_converter(array.dtype, target), array.node), array.shape, target, array.device, array.trace)


@cache
def _converter(source: DType, target: DType) -> Lambda:
    return fun(to_ir(source), lambda x: cast(x, target))
