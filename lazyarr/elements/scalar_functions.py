"""What each element-wise function computes: for operands of given dtypes, their common dtype and the scalar expression.

The dtypes are NumPy's, with one exception: where NumPy computes in float16 (real functions of bool and 8-bit integers),
float32 is used. Complex numbers are taken by the functions that the array API standard defines for them, and by NumPy's
with an obvious meaning. They are ordered as NumPy orders them: by their real parts, then by their imaginary ones.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from ir.core.expr import Expr
from ir.core.patterns import Call, Cast, Literal
from ir.core.types import BOOL, ScalarType
from lazyarr.dtypes import DType, bool_, complex128, float64, floating, from_ir, int8, promote, to_ir, uint64
from lazyarr.elements import real_functions
from lazyarr.elements.complex_functions import whole_power
from lazyarr.elements.formulas import Number, call, formula
from lazyarr.elements.loops import (
    Build,
    Choice,
    Chosen,
    Kinds,
    about_floats,
    about_signs,
    applying,
    in_floats,
    in_own,
    in_real_floats,
    integral,
    is_negative,
    itself,
    logical,
    never,
    of_bits,
    of_integers,
    of_reals,
    parts,
    real_dtype,
    refused,
    same,
)
from lazyarr.elements.scalars import constant_value, imaginary, literal, operation, pair, real

__all__ = ["COMPARISONS", "Loop", "loop_of"]


@dataclass(frozen=True, slots=True)
class Loop:
    """One function over operands of certain dtypes: what they are converted to, the expression, the result's dtype."""

    operands: tuple[DType, ...]
    build: Build
    result: DType


@lru_cache(maxsize=4096)
def loop_of(name: str, kinds: Kinds) -> Loop:
    """The loop of a function for operands of those dtypes (or Python number types); `TypeError` if it takes no such."""
    operands, build = _LOOPS[name](name, kinds)
    params = [literal(0, dtype) for dtype in operands]
    return Loop(operands, build, from_ir(build(*params).type))


def _power(name: str, kinds: Kinds) -> Chosen:
    t = promote(*kinds)
    if t.kind == "c":
        return (t, t), _complex_power
    operands, build = same("pow", int8)(name, kinds)
    return operands, lambda x, y: _known_power(x, constant_value(y)) or build(x, y)


def _known_power(x: Expr, exponent: Any) -> Expr | None:
    """The power by an exponent that is known to be 1 to 4, -1 or a half, in one or two instructions: whole numbers stay
    whole, which a device's `pow` does not promise (9.0 ** 3 is 729.00006 by NVIDIA's). The root differs from the power
    at -inf and -0.0, as it does in NumPy's powers of arrays by a half.
    """
    if from_ir(x.type).kind == "f":
        if exponent == -1:
            return Call("divide", literal(1, from_ir(x.type)), x)
        if exponent == 0.5:
            return operation("sqrt", x)
    if exponent not in (1, 2, 3, 4):
        return None
    square = Call("multiply", x, x)
    return (x, square, Call("multiply", square, x), Call("multiply", square, square))[int(exponent) - 1]


def _complex_power(z: Expr, w: Expr) -> Expr:
    """Small whole exponents that are known multiply, as NumPy's do; a half is the root."""
    exponent = constant_value(w)
    if exponent is not None and exponent.imag == 0:
        if exponent.real == 0.5:
            return operation("sqrt", z)
        if exponent.real.is_integer() and abs(exponent.real) <= _MULTIPLIED:
            found = whole_power((Number(real(z)), Number(imaginary(z))), int(exponent.real))
            return pair(found[0].expr, found[1].expr)
    return operation("pow", z, w)


_MULTIPLIED = 100
"""The greatest exponent of a complex power that is computed by multiplication."""


def _float_power(name: str, kinds: Kinds) -> Chosen:
    t = complex128 if promote(*kinds).kind == "c" else float64
    return (t, t), _complex_power if t is complex128 else applying("pow")


def _divide(name: str, kinds: Kinds) -> Chosen:
    t = promote(*kinds)
    return (t if t.kind in "fc" else float64,) * 2, applying("divide")


def _reciprocal(name: str, kinds: Kinds) -> Chosen:
    t = promote(*kinds)
    if t.kind in "fc":
        return (t,), applying("reciprocal") if t.kind == "c" else lambda x: Call("divide", Literal(1, x.type), x)
    return (int8 if t is bool_ else t,), _whole_reciprocal


def _whole_reciprocal(x: Expr) -> Expr:
    """1 / x of an integer, rounded towards zero; zero for zero, where what NumPy gives depends on the dtype."""
    assert isinstance(x.type, ScalarType)
    is_unit: Expr = Call("equal", x, Literal(1, x.type))
    if from_ir(x.type).kind == "i":
        is_unit = Call("bitwise_or", is_unit, Call("equal", x, Literal(-1, x.type)))
    return Call("select", is_unit, x, Literal(0, x.type))


def _compare(op: str) -> Choice:
    def loop(name: str, kinds: Kinds) -> Chosen:
        mixed = [kind for kind in kinds if not isinstance(kind, type) and kind.kind in "iu"]
        if len(mixed) == 2 and promote(*kinds) is float64:
            # int64 beside uint64: no dtype holds both, so a negative number is decided by its sign alone
            return (mixed[0], mixed[1]), lambda a, b: _compare_signs(op, a, b)
        return (promote(*kinds),) * 2, applying(op)

    return loop


def _bits(name: str, kinds: Kinds) -> Chosen:
    t = real_dtype(name, kinds)
    if t.kind != "f":
        raise refused(name, kinds, "floats")
    return (t,), applying("bits")


def _compare_signs(op: str, a: Expr, b: Expr) -> Expr:
    wide = to_ir(uint64)
    assert isinstance(wide, ScalarType)
    if a.type is wide:
        return Call("select", is_negative(b), Literal(COMPARISONS[op](0, -1), BOOL), Call(op, a, Cast(b, wide)))
    return Call("select", is_negative(a), Literal(COMPARISONS[op](-1, 0), BOOL), Call(op, Cast(a, wide), b))


def _where(name: str, kinds: Kinds) -> Chosen:
    t = promote(*kinds[1:])
    return (bool_, t, t), applying("select")


def _clip(name: str, kinds: Kinds) -> Chosen:
    t = promote(*kinds)
    low, high = ("bitwise_or", "bitwise_and") if t is bool_ else ("maximum", "minimum")
    return (t, t, t), lambda x, lo, hi: operation(high, operation(low, x, lo), hi)


def _square(name: str, kinds: Kinds) -> Chosen:
    t = promote(*kinds)
    return (int8 if t is bool_ else t,), lambda x: operation("multiply", x, x)


def _conjugate(name: str, kinds: Kinds) -> Chosen:
    t = promote(*kinds)
    return (int8 if t is bool_ else t,), applying("conj") if t.kind == "c" else itself


def _angle(name: str, kinds: Kinds) -> Chosen:
    t = promote(*kinds)
    t = float64 if t is bool_ else floating(t)
    return (t,), lambda z: Call("atan2", imaginary(z), real(z))


def _sinc(name: str, kinds: Kinds) -> Chosen:
    t = promote(*kinds)
    t = t if t.kind in "fc" else float64
    return (t,), applying("sinc") if t.kind == "c" else formula(real_functions.sinc)


def _fmod(name: str, kinds: Kinds) -> Chosen:
    t = real_dtype(name, kinds)
    t = int8 if t is bool_ else t
    return (t, t), applying("fmod") if t.kind == "f" else formula(real_functions.truncated_remainder)


def _ldexp(name: str, kinds: Kinds) -> Chosen:
    base, exponent = real_dtype(name, kinds[:1]), promote(kinds[1])
    if exponent.kind not in "iub":
        raise refused(name, kinds, "an integer exponent")
    return (floating(base), exponent), formula(real_functions.ldexp)


def _complex_of(name: str, kinds: Kinds) -> Chosen:
    t = floating(real_dtype(name, kinds))
    return (t, t), pair


COMPARISONS: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "equal": operator.eq,
    "not_equal": operator.ne,
    "less": operator.lt,
    "less_equal": operator.le,
    "greater": operator.gt,
    "greater_equal": operator.ge,
}

_OF_COMPLEX: Final = (
    "sqrt", "exp", "expm1", "exp2", "log", "log1p", "log2", "log10", "sin", "cos", "tan", "asin", "acos", "atan",
    "sinh", "cosh", "tanh", "asinh", "acosh", "atanh",
)  # fmt: skip
_OF_REAL: Final[dict[str, str | Callable[..., Number]]] = {
    **{name: name for name in ("hypot", "atan2", "copysign", "nextafter", "cbrt")},
    "fabs": "abs",
    "logaddexp": real_functions.logaddexp,
    "logaddexp2": real_functions.logaddexp2,
    "heaviside": real_functions.heaviside,
    "spacing": real_functions.spacing,
    "deg2rad": lambda x: x * (math.pi / 180),
    "rad2deg": lambda x: x * (180 / math.pi),
}

_LOOPS: Final[dict[str, Choice]] = {
    "add": same("add", "bitwise_or"),
    "subtract": same("subtract", None),
    "multiply": same("multiply", "bitwise_and"),
    "divide": _divide,
    "floor_divide": of_reals(same("floor_divide", int8)),
    "remainder": of_reals(same("remainder", int8)),
    "fmod": _fmod,
    "pow": _power,
    "float_power": _float_power,
    "negative": same("negative", None),
    "abs": same("abs", ""),
    "sign": same("sign", None),
    "square": _square,
    "reciprocal": _reciprocal,
    "minimum": same("minimum", "bitwise_and"),
    "maximum": same("maximum", "bitwise_or"),
    "fmin": in_own("minimum", real_functions.fmin, "bitwise_and"),
    "fmax": in_own("maximum", real_functions.fmax, "bitwise_or"),
    "clip": _clip,
    "where": _where,
    **{name: _compare(name) for name in COMPARISONS},
    **{name: in_floats(applying(name)) for name in _OF_COMPLEX},
    **{name: in_real_floats(f) for name, f in _OF_REAL.items()},
    "sinc": _sinc,
    "rint": in_floats(applying("round")),
    "round": integral("round"),
    **{name: of_reals(integral(name)) for name in ("floor", "ceil", "trunc")},
    "bitwise_and": of_bits("bitwise_and"),
    "bitwise_or": of_bits("bitwise_or"),
    "bitwise_xor": of_bits("bitwise_xor"),
    "bitwise_invert": of_bits("bitwise_invert"),
    "bitwise_left_shift": of_bits("left_shift", int8),
    "bitwise_right_shift": of_bits("right_shift", int8),
    "gcd": of_integers(applying("gcd")),
    "lcm": of_integers(formula(real_functions.lcm)),
    "logical_and": logical("bitwise_and"),
    "logical_or": logical("bitwise_or"),
    "logical_xor": logical("bitwise_xor"),
    "logical_not": logical("bitwise_invert"),
    "isnan": about_floats("isnan", False),
    "isinf": about_floats("isinf", False),
    "isfinite": about_floats("isfinite", True),
    "signbit": about_signs(real_functions.signbit, is_negative),
    "isposinf": about_signs(real_functions.isposinf, never),
    "isneginf": about_signs(real_functions.isneginf, never),
    "real": parts(real, itself),
    "imag": parts(imaginary, imaginary),
    "conj": _conjugate,
    "angle": _angle,
    "complex": _complex_of,
    "ldexp": _ldexp,
    # the two results of frexp and of modf
    "frexp": in_real_floats(real_functions.mantissa),
    "bits": _bits,
    "exponent": in_real_floats(lambda x: call("exponent", x)),
    "modf": in_real_floats(real_functions.fraction),
}
