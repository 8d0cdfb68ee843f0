"""What each element-wise function computes: for operands of given dtypes, their common dtype and the scalar expression.

The dtypes are NumPy's, with one exception: where NumPy computes in float16 (real functions of bool and 8-bit integers),
float32 is used.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, Final

from ir.core.expr import Expr
from ir.core.patterns import Call, Literal
from ir.core.types import BOOL, ScalarType
from lazyarr.dtypes import DType, Weak, bool_, float64, floating, from_ir, int8, promote, to_ir, uint64

__all__ = ["COMPARISONS", "Loop", "loop_of"]

Kinds = tuple[DType | Weak, ...]
Build = Callable[..., Expr]


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
    params = [Literal(0, to_ir(dtype)) for dtype in operands]
    return Loop(operands, build, from_ir(build(*params).type))


def _refuse(name: str, kinds: Kinds, expected: str) -> TypeError:
    came = ", ".join(kind.name if hasattr(kind, "name") else f"Python {kind.__name__}" for kind in kinds)
    return TypeError(f"{name}: expected {expected}, got {came}")


def _call(op: str) -> Build:
    return partial(Call, op)


def _same(op: str, for_bool: str | DType | None) -> Any:
    """Operands promoted together; for bool another primitive, another dtype, or None: not at all."""

    def loop(name: str, kinds: Kinds) -> tuple[tuple[DType, ...], Build]:
        t = promote(*kinds)
        if t is not bool_:
            return (t,) * len(kinds), _call(op)
        if for_bool is None:
            raise _refuse(name, kinds, "numbers (for bool use the logical_ or bitwise_ functions)")
        if isinstance(for_bool, str):
            return (t,) * len(kinds), _call(for_bool) if for_bool else _itself
        return (for_bool,) * len(kinds), _call(op)

    return loop


def _power(name: str, kinds: Kinds) -> tuple[tuple[DType, ...], Build]:
    result: tuple[tuple[DType, ...], Build] = _same("pow", int8)(name, kinds)
    return result


def _real(op: str) -> Any:
    """A function of real numbers: integers become floats."""

    def loop(name: str, kinds: Kinds) -> tuple[tuple[DType, ...], Build]:
        return (floating(promote(*kinds)),) * len(kinds), _call(op)

    return loop


def _divide(name: str, kinds: Kinds) -> tuple[tuple[DType, ...], Build]:
    t = promote(*kinds)
    return (t if t.kind == "f" else float64,) * 2, _call("divide")


def _reciprocal(name: str, kinds: Kinds) -> tuple[tuple[DType, ...], Build]:
    t = promote(*kinds)
    if t.kind != "f":
        raise _refuse(name, kinds, "floats")
    return (t,), lambda x: Call("divide", Literal(1, x.type), x)


def _bits(op: str) -> Any:
    def loop(name: str, kinds: Kinds) -> tuple[tuple[DType, ...], Build]:
        t = promote(*kinds)
        if t.kind == "f":
            raise _refuse(name, kinds, "bools or integers")
        return (t,) * len(kinds), _call(op)

    return loop


def _logical(op: str) -> Any:
    def loop(name: str, kinds: Kinds) -> tuple[tuple[DType, ...], Build]:
        return (bool_,) * len(kinds), _call(op)

    return loop


def _itself(x: Expr) -> Expr:
    return x


def _integral(op: str) -> Any:
    """A function that leaves integers and bools as they are."""

    def loop(name: str, kinds: Kinds) -> tuple[tuple[DType, ...], Build]:
        t = promote(*kinds)
        if op == "round" and t is bool_:  # NumPy's oddity: floor and the others leave bool as it is
            t = floating(t)
        return (t,), _call(op) if t.kind == "f" else _itself

    return loop


def _test(op: str, of_integers: bool) -> Any:
    """A question about floats, whose answer is known for integers."""

    def loop(name: str, kinds: Kinds) -> tuple[tuple[DType, ...], Build]:
        t = promote(*kinds)
        return (t,), _call(op) if t.kind == "f" else lambda x: Literal(of_integers, BOOL)

    return loop


def _compare(op: str) -> Any:
    def loop(name: str, kinds: Kinds) -> tuple[tuple[DType, ...], Build]:
        mixed = [kind for kind in kinds if not isinstance(kind, type) and kind.kind in "iu"]
        if len(mixed) == 2 and promote(*kinds) is float64:
            # int64 beside uint64: no dtype holds both, so a negative number is decided by its sign alone
            return (mixed[0], mixed[1]), lambda a, b: _compare_signs(op, a, b)
        t = promote(*kinds)
        return (t, t), _call(op)

    return loop


def _compare_signs(op: str, a: Expr, b: Expr) -> Expr:
    from ir.core.patterns import Cast

    def negative(x: Expr) -> Expr:
        assert isinstance(x.type, ScalarType)
        return Call("less", x, Literal(0, x.type))

    wide = to_ir(uint64)
    if a.type is wide:
        return Call("select", negative(b), Literal(COMPARISONS[op](0, -1), BOOL), Call(op, a, Cast(b, wide)))
    return Call("select", negative(a), Literal(COMPARISONS[op](-1, 0), BOOL), Call(op, Cast(a, wide), b))


def _where(name: str, kinds: Kinds) -> tuple[tuple[DType, ...], Build]:
    t = promote(*kinds[1:])
    return (bool_, t, t), _call("select")


def _clip(name: str, kinds: Kinds) -> tuple[tuple[DType, ...], Build]:
    t = promote(*kinds)
    low, high = ("bitwise_or", "bitwise_and") if t is bool_ else ("maximum", "minimum")
    return (t, t, t), lambda x, lo, hi: Call(high, Call(low, x, lo), hi)


def _square(name: str, kinds: Kinds) -> tuple[tuple[DType, ...], Build]:
    t = promote(*kinds)
    if t is bool_:
        t = int8
    return (t,), lambda x: Call("multiply", x, x)


def _positive(name: str, kinds: Kinds) -> tuple[tuple[DType, ...], Build]:
    return (promote(*kinds),), _itself


COMPARISONS: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "equal": operator.eq,
    "not_equal": operator.ne,
    "less": operator.lt,
    "less_equal": operator.le,
    "greater": operator.gt,
    "greater_equal": operator.ge,
}

_REAL = [
    "sqrt",
    "exp",
    "expm1",
    "exp2",
    "log",
    "log1p",
    "log2",
    "log10",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "sinh",
    "cosh",
    "tanh",
    "asinh",
    "acosh",
    "atanh",
    "hypot",
    "atan2",
    "copysign",
]

_LOOPS: Final[dict[str, Callable[[str, Kinds], tuple[tuple[DType, ...], Build]]]] = {
    "add": _same("add", "bitwise_or"),
    "subtract": _same("subtract", None),
    "multiply": _same("multiply", "bitwise_and"),
    "divide": _divide,
    "floor_divide": _same("floor_divide", int8),
    "remainder": _same("remainder", int8),
    "pow": _power,
    "negative": _same("negative", None),
    "positive": _positive,
    "abs": _same("abs", ""),
    "sign": _same("sign", None),
    "square": _square,
    "reciprocal": _reciprocal,
    "minimum": _same("minimum", "bitwise_and"),
    "maximum": _same("maximum", "bitwise_or"),
    "clip": _clip,
    "where": _where,
    **{name: _compare(name) for name in COMPARISONS},
    **{name: _real(name) for name in _REAL},
    "rint": _real("round"),
    **{name: _integral(name) for name in ("floor", "ceil", "trunc", "round")},
    "bitwise_and": _bits("bitwise_and"),
    "bitwise_or": _bits("bitwise_or"),
    "bitwise_xor": _bits("bitwise_xor"),
    "bitwise_invert": _bits("bitwise_invert"),
    "logical_and": _logical("bitwise_and"),
    "logical_or": _logical("bitwise_or"),
    "logical_xor": _logical("bitwise_xor"),
    "logical_not": _logical("bitwise_invert"),
    "isnan": _test("isnan", False),
    "isinf": _test("isinf", False),
    "isfinite": _test("isfinite", True),
}
