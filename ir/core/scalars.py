"""The scalar primitives: name, arity, typing rule and meaning of each operation on numbers.

Everything else hangs off this table: typing, the interpreter, the printer, vectorisation (every primitive works
element by element on vectors) and the OpenCL spelling in `ir.opencl`.
Names follow the Python array API standard where it names the operation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from ir.core.fused import fused_multiply_add
from ir.core.tf32 import cut_to_tf32, rounded_to_tf32
from ir.core.types import BOOL, FLOAT32, INT32, ScalarType, Type, VectorType
from ir.errors import TypeMismatch

__all__ = ["BY_CONSTANT", "OPERATIONS", "Operation", "is_one_test", "operation"]

BY_CONSTANT = ("pow", "hypot", "atan2")
"""Functions that a compiler may do in another way, with other last bits, where it knows an operand: what a result is
must not depend on what ran before.
"""


@dataclass(frozen=True)
class Operation:
    """One scalar primitive.

    `rule` is `same` (T, ..., T -> T), `float` (the same, floating point only), `single` (the same, float32 only),
    `compare` (T, T -> bool), `test` (float -> bool), `bits` (bool or integer T, ..., T -> T), `integer` (integer T,
    ..., T -> T), `scale` (float T, int32 -> T), `exponent` (float -> int32), `pattern` (float -> unsigned integer of as
    many bits) or `select` (bool, T, T -> T; between vectors of numbers also one truth value for all lanes). `domain` is
    the interval of first operands outside of which it gives NaN.
    """

    name: str
    arity: int
    rule: str
    numpy: Callable[..., Any]
    symbol: str = ""
    associative: bool = False
    exact: bool = False  # associative without rounding, whatever the dtype
    domain: tuple[float, float] = (-inf, inf)

    def infer(self, types: tuple[Type, ...]) -> Type:
        """The result type over scalar or vector operands of those types.

        Raises:
            TypeMismatch: it takes others.
        """
        if len(types) != self.arity:
            raise TypeMismatch(self.name, f"{self.arity} operands", len(types))
        if is_one_test(self.name, types):
            assert isinstance(types[-1], VectorType)
            return self.infer((VectorType(BOOL, types[-1].width), *types[1:]))
        widths = {t.width for t in types if isinstance(t, VectorType)}
        if len(widths) > 1 or (widths and not all(isinstance(t, VectorType) for t in types)):
            raise TypeMismatch(self.name, "operands of one vector width", ", ".join(map(str, types)))
        scalars = [t.element if isinstance(t, VectorType) else t for t in types]
        result = self._infer_scalar(scalars)
        return VectorType(result, widths.pop()) if widths else result

    def _infer_scalar(self, types: list[Any]) -> ScalarType:
        if not all(isinstance(t, ScalarType) for t in types):
            raise TypeMismatch(self.name, "scalar operands", ", ".join(map(str, types)))
        if self.rule == "select":
            if types[0] is not BOOL or types[1] is not types[2]:
                raise TypeMismatch("select", "(bool, T, T)", ", ".join(map(str, types)))
            return types[1]  # type: ignore[no-any-return]  # checked to be a ScalarType above
        first: ScalarType = types[0]
        if self.rule == "scale":
            if not first.is_float or types[1] is not INT32:
                raise TypeMismatch(self.name, "(float T, int32)", ", ".join(map(str, types)))
            return first
        if any(t is not first for t in types):
            raise TypeMismatch(self.name, "operands of one type", ", ".join(map(str, types)))
        if self.rule in ("float", "test", "exponent", "pattern") and not first.is_float:
            raise TypeMismatch(self.name, "floating-point operands", first)
        if self.rule == "single" and first is not FLOAT32:
            raise TypeMismatch(self.name, FLOAT32, first)
        if self.rule == "bits" and first.is_float:
            raise TypeMismatch(self.name, "bool or integer operands", first)
        if self.rule == "integer" and not first.is_integer:
            raise TypeMismatch(self.name, "integer operands", first)
        if self.rule == "same" and first is BOOL:
            raise TypeMismatch(self.name, "numeric operands", first)
        if self.rule == "pattern":
            return ScalarType(f"uint{8 * first.bytes}")
        return BOOL if self.rule in ("compare", "test") else INT32 if self.rule == "exponent" else first


def is_one_test(op: str, types: Sequence[Type]) -> bool:
    """Is it a choice between vectors of numbers by one truth value, for all lanes alike?"""
    return op == "select" and types[0] is BOOL and isinstance(types[-1], VectorType) and types[-1].element is not BOOL


def _divide(a: Any, b: Any) -> Any:
    return np.true_divide(a, b).astype(np.result_type(a, b), copy=False)


def _power(a: Any, b: Any) -> Any:
    """NumPy's power, total on integers too: a negative exponent gives the reciprocal, truncated (0 for 0)."""
    if np.result_type(a).kind != "i":
        return np.power(a, b)
    a, b = np.broadcast_arrays(a, b)
    signs = np.where(b % 2 == 0, 1, -1).astype(a.dtype)
    reciprocal = np.where(a == 1, 1, np.where(a == -1, signs, 0)).astype(a.dtype)
    return np.where(b < 0, reciprocal, np.power(a, np.maximum(b, 0)))


def _exponent(a: Any) -> Any:
    """e with a = m * 2**e and 0.5 <= |m| < 1; zero of zeros, infinities and NaN."""
    return np.frexp(a)[1].astype(np.int32, copy=False)


def _bits(a: Any) -> Any:
    """The bits of floating-point numbers as unsigned integers."""
    return np.asarray(a).view(f"uint{8 * np.asarray(a).itemsize}")


_DOMAINS = {
    **dict.fromkeys(("sqrt", "log", "log2", "log10"), (0, inf)), **dict.fromkeys(("asin", "acos", "atanh"), (-1, 1)),
    "log1p": (-1, inf), "acosh": (1, inf),
}  # fmt: skip

_TABLE = [
    Operation("add", 2, "same", np.add, "+", associative=True),
    Operation("subtract", 2, "same", np.subtract, "-"),
    Operation("multiply", 2, "same", np.multiply, "*", associative=True),
    Operation("divide", 2, "float", _divide, "/"),
    Operation("floor_divide", 2, "same", np.floor_divide, "//"),
    Operation("remainder", 2, "same", np.remainder, "%"),
    Operation("pow", 2, "same", _power, "**"),
    Operation("negative", 1, "same", np.negative),
    Operation("abs", 1, "same", np.abs),
    Operation("sign", 1, "same", np.sign),
    Operation("minimum", 2, "same", np.minimum, associative=True, exact=True),
    Operation("maximum", 2, "same", np.maximum, associative=True, exact=True),
    Operation("equal", 2, "compare", np.equal, "=="),
    Operation("not_equal", 2, "compare", np.not_equal, "!="),
    Operation("less", 2, "compare", np.less, "<"),
    Operation("less_equal", 2, "compare", np.less_equal, "<="),
    Operation("greater", 2, "compare", np.greater, ">"),
    Operation("greater_equal", 2, "compare", np.greater_equal, ">="),
    Operation("bitwise_and", 2, "bits", np.bitwise_and, "&", associative=True, exact=True),
    Operation("bitwise_or", 2, "bits", np.bitwise_or, "|", associative=True, exact=True),
    Operation("bitwise_xor", 2, "bits", np.bitwise_xor, "^", associative=True, exact=True),
    Operation("bitwise_invert", 1, "bits", np.invert),
    Operation("left_shift", 2, "integer", np.left_shift),
    Operation("right_shift", 2, "integer", np.right_shift),
    Operation("gcd", 2, "integer", np.gcd),
    Operation("select", 3, "select", np.where),
    Operation("isnan", 1, "test", np.isnan),
    Operation("isinf", 1, "test", np.isinf),
    Operation("isfinite", 1, "test", np.isfinite),
    Operation("hypot", 2, "float", np.hypot),
    Operation("atan2", 2, "float", np.arctan2),
    Operation("copysign", 2, "float", np.copysign),
    Operation("nextafter", 2, "float", np.nextafter),
    Operation("fmod", 2, "float", np.fmod),
    Operation("ldexp", 2, "scale", np.ldexp),
    Operation("fma", 3, "float", fused_multiply_add),
    Operation("exponent", 1, "exponent", _exponent),
    Operation("bits", 1, "pattern", _bits),
    Operation("round_to_tf32", 1, "single", rounded_to_tf32),
    Operation("cut_to_tf32", 1, "single", cut_to_tf32),
    *(
        Operation(name, 1, "float", getattr(np, numpy_name), domain=_DOMAINS.get(name, (-inf, inf)))
        for name, numpy_name in {
            "sqrt": "sqrt", "cbrt": "cbrt", "exp": "exp", "expm1": "expm1", "exp2": "exp2",
            "log": "log", "log1p": "log1p",
            "log2": "log2", "log10": "log10", "sin": "sin", "cos": "cos", "tan": "tan", "asin": "arcsin",
            "acos": "arccos",
            "atan": "arctan",
            "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "asinh": "arcsinh", "acosh": "arccosh", "atanh": "arctanh",
            "floor": "floor", "ceil": "ceil", "trunc": "trunc", "round": "rint",
        }.items()
    ),
]  # fmt: skip

OPERATIONS: dict[str, Operation] = {op.name: op for op in _TABLE}


def operation(name: str) -> Operation:
    """The primitive of that name.

    Raises:
        TypeMismatch: there is none.
    """
    try:
        return OPERATIONS[name]
    except KeyError:
        raise TypeMismatch("scalar operation", "one of " + ", ".join(OPERATIONS), name) from None
