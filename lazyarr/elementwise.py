"""Element-wise functions: recording one is a `map` of a scalar function over its operands, zipped.

`apply` does all of it; which dtypes a function accepts and what it computes stand in `lazyarr.scalar_functions`.
The scalar functions are made once for each function, dtypes and constants, so recording builds two nodes and no lambda.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np

from ir.core.expr import Expr, Lambda, fun
from ir.core.patterns import Cast, Get, Literal, Map, Repeat, Zip
from ir.core.types import TupleType
from lazyarr.array import Array, combine
from lazyarr.creation import asarray
from lazyarr.dtypes import DType, Weak, as_dtype, bool_, from_ir, to_ir
from lazyarr.record import broadcast, constant, empty, first
from lazyarr.scalar_functions import COMPARISONS, loop_of
from lazyarr.tracing import Scalar

__all__ = [
    "abs", "absolute", "acos", "acosh", "add", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh", "asin",
    "asinh", "astype", "atan", "atan2", "atanh", "bitwise_and", "bitwise_invert", "bitwise_not", "bitwise_or", "bitwise_xor",
    "ceil", "clip", "copysign", "cos", "cosh", "divide", "equal", "exp", "exp2", "expm1", "floor", "floor_divide", "greater",
    "greater_equal", "hypot", "invert", "isfinite", "isinf", "isnan", "less", "less_equal", "log", "log10", "log1p", "log2",
    "logical_and", "logical_not", "logical_or", "logical_xor", "maximum", "minimum", "mod", "multiply", "negative", "not_equal",
    "positive", "pow", "power", "reciprocal", "remainder", "rint", "round", "sign", "sin", "sinh", "sqrt", "square", "subtract",
    "tan", "tanh", "true_divide", "trunc", "where",
]  # fmt: skip

_WEAK: tuple[type, ...] = (bool, int, float)
_Slot = int | bytes  # a function's operand: the position of an array among the zipped ones, or the bits of a constant


def apply(name: str, *operands: Any) -> Any:
    """Record the element-wise function of that name: an `Array`, or a `Scalar` if all operands are numbers of a lambda.

    Operands are arrays, traced scalars, NumPy's arrays and scalars, Python numbers, and nested lists of numbers. Raises
    `TypeError` for dtypes that the function does not take, `ValueError` for shapes that do not broadcast, `OverflowError`
    for a Python integer that its dtype cannot hold.
    """
    arrays: list[Array | Scalar] = []
    kinds: list[DType | Weak] = []
    shape: tuple[int, ...] | None = None
    same_shape = True
    values = operands
    for i, operand in enumerate(operands):
        kind = type(operand)
        if kind is Array or kind is Scalar:
            arrays.append(operand)
            kinds.append(operand.dtype)
            same_shape = same_shape and (shape is None or operand.shape == shape)
            shape = operand.shape
        elif kind in _WEAK:
            kinds.append(kind)
        elif isinstance(operand, np.generic):
            kinds.append(as_dtype(operand.dtype, name))
        else:
            return apply(name, *values[:i], asarray(operand, function=name), *values[i + 1 :])
    if shape is None:
        return apply(name, asarray(operands[0], function=name), *operands[1:])
    loop = loop_of(name, tuple(kinds))
    if name == "pow" and loop.result.kind == "i" and type(operands[1]) not in (Array, Scalar) and operands[1] < 0:
        raise ValueError("pow: integers to negative integer powers are not allowed; convert the base to a float")
    if name in COMPARISONS and any(kind is int for kind in kinds):
        decided = _compare_beyond(name, operands, loop.operands)
        if decided is not None:
            return decided
    if len(arrays) == 1:
        device, trace = arrays[0].device, arrays[0].trace
    else:
        device, trace = combine(name, tuple(arrays))
        if not same_shape:
            shape = _common_shape(name, tuple(arrays))
    if not shape and any(type(array) is Scalar for array in arrays):
        return Scalar(loop.build(*map(_scalar_operand, operands, loop.operands)), trace)
    nodes: list[Expr] = []
    slots: list[_Slot] = []
    count = prod(shape)
    for operand, target in zip(operands, loop.operands, strict=True):
        if type(operand) is Array:
            node = operand.node
            if operand.shape != shape and count:
                node = broadcast(node, operand.shape, shape)
        elif type(operand) is Scalar:
            node = Repeat(count, operand.expr)
        else:
            slots.append(_bits(name, operand, target))
            continue
        if node in nodes:
            slots.append(nodes.index(node))
        else:
            slots.append(len(nodes))
            nodes.append(node)
    f = scalar_lambda(name, tuple(kinds), tuple(slots))
    dtype = loop.result
    if not count:
        return Array(empty(dtype), shape, dtype, device, trace)
    return Array(Map(f, nodes[0] if len(nodes) == 1 else Zip(*nodes)), shape, dtype, device, trace)


@lru_cache(maxsize=4096)
def scalar_lambda(name: str, kinds: tuple[DType | Weak, ...], slots: tuple[_Slot, ...]) -> Lambda:
    """The function that a `map` applies: of a scalar, or of a tuple of scalars where two or more arrays are zipped."""
    loop = loop_of(name, kinds)
    types = {slot: to_ir(kind) for slot, kind in zip(slots, kinds, strict=True) if isinstance(slot, int)}  # type: ignore[arg-type]

    def body(parameter: Expr) -> Expr:
        exprs: list[Expr] = []
        for slot, target in zip(slots, loop.operands, strict=True):
            if isinstance(slot, int):
                exprs.append(cast(parameter if len(types) == 1 else Get(slot, parameter), target))
            else:
                exprs.append(Literal._make((), (to_ir(target), slot)))
        return loop.build(*exprs)

    return fun(types[0] if len(types) == 1 else TupleType(tuple(types[i] for i in range(len(types)))), body)


def cast(expr: Expr, dtype: DType) -> Expr:
    """The scalar converted to that dtype, itself if it has it."""
    return expr if expr.type is to_ir(dtype) else Cast(expr, to_ir(dtype))


def as_scalar(value: Any) -> Scalar:
    """A number as a traced scalar: a `Scalar`, a 0-dimensional array, a Python or NumPy number."""
    if type(value) is Scalar:
        return value
    array = asarray(value)
    if array.shape:
        raise ValueError(f"expected a number, got an array of shape {array.shape}")
    return Scalar(first(array.node), array.trace)


def _scalar_operand(operand: Any, target: DType) -> Expr:
    if type(operand) in (Scalar, Array):
        return cast(as_scalar(operand).expr, target)
    return Literal._make((), (to_ir(target), _bits("scalar", operand, target)))


def _bits(name: str, value: Any, dtype: DType) -> bytes:
    """The bits of a Python or NumPy number as a constant of that dtype."""
    if type(value) is int and dtype.kind in "iu":
        limits = np.iinfo(dtype)
        if not limits.min <= value <= limits.max:
            raise OverflowError(f"{name}: Python integer {value} is out of bounds for {dtype.name}")
    found: bytes = dtype.type(value).tobytes()
    return found


def _common_shape(name: str, arrays: tuple[Array | Scalar, ...]) -> tuple[int, ...]:
    try:
        return np.broadcast_shapes(*(array.shape for array in arrays))
    except ValueError:
        shapes = ", ".join(str(array.shape) for array in arrays)
        raise ValueError(f"{name}: expected operands whose shapes broadcast together, got {shapes}") from None


def _compare_beyond(name: str, operands: tuple[Any, ...], targets: tuple[DType, ...]) -> Any:
    """The result of comparing an integer array with a Python integer that its dtype cannot hold; None if it can."""
    a, b = operands
    target = targets[0]
    if target.kind not in "iu":
        return None
    limits = np.iinfo(target)
    for value, array in ((a, b), (b, a)):
        if type(value) is int and not limits.min <= value <= limits.max:
            sign = 1 if value > 0 else -1  # the array's elements count as zero beside it
            answer = COMPARISONS[name](sign, 0) if value is a else COMPARISONS[name](0, sign)
            if type(array) is Scalar:
                return Scalar(Literal(answer, to_ir(bool_)), array.trace)
            return Array(constant(array.size, answer, bool_), array.shape, bool_, array.device, array.trace)
    return None


def _unary(name: str, meaning: str) -> Callable[[Any], Array]:
    def function(x: Any, /) -> Array:
        return apply(name, x)  # type: ignore[no-any-return]  # a Scalar inside lambdas, which has the same operators

    return _named(function, name, meaning)


def _binary(name: str, meaning: str) -> Callable[[Any, Any], Array]:
    def function(x1: Any, x2: Any, /) -> Array:
        return apply(name, x1, x2)  # type: ignore[no-any-return]  # as above

    return _named(function, name, meaning)


def _named(function: Any, name: str, meaning: str) -> Any:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{meaning}, element by element.\n\nBroadcasting, dtypes and errors: see `lazyarr.elementwise.apply`."
    return function


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
    """Round to that many decimals, halves to even; integers stay as they are (`decimals` must not be negative for them)."""
    if decimals == 0:
        return apply("round", x)  # type: ignore[no-any-return]  # a Scalar inside lambdas
    x = x if type(x) is Scalar else asarray(x, function="round")
    if x.dtype.kind != "f":
        if decimals < 0:
            raise ValueError(f"round: decimals must not be negative for dtype {x.dtype.name}, got {decimals}")
        return x  # type: ignore[no-any-return]  # unchanged
    scale = 10.0 ** np.abs(decimals)
    return rint(x * scale) / scale if decimals > 0 else rint(x / scale) * scale


def astype(x: Any, dtype: Any, /, *, copy: bool = True) -> Array:
    """The array converted to another dtype: floats to integers truncate, anything to bool is `!= 0`.

    Arrays are immutable, so `copy` changes nothing.
    """
    target = as_dtype(dtype, "astype")
    if type(x) is Scalar:
        return x.astype(target)  # type: ignore[return-value]  # a Scalar inside lambdas
    array = asarray(x, function="astype")
    if array.dtype is target:
        return array
    if not array.size:
        return Array(empty(target), array.shape, target, array.device, array.trace)
    return Array(Map(_converter(array.dtype, target), array.node), array.shape, target, array.device, array.trace)


@lru_cache(maxsize=None)
def _converter(source: DType, target: DType) -> Lambda:
    return fun(to_ir(source), lambda x: cast(x, target))


def map_scalar(x: Array, build: Callable[[Expr], Expr]) -> Array:
    """`map` of a scalar function that is given as an expression, for the functions that are not element-wise themselves."""
    f = fun(to_ir(x.dtype), build)
    dtype = from_ir(f.result)
    return Array(Map(f, x.node) if x.size else empty(dtype), x.shape, dtype, x.device, x.trace)
