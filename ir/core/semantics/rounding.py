"""How far a scalar operation's result may be off: running error analysis, one operation at a time.

A value is either exact, an array, or `Bounded`: an array of float64 (of its own dtype where that is no float) and how
far each element may be from what any machine computes that keeps to the model: an operation errs by some units in the
last place of its result (so contracted and split operations are covered), and by a smallest normal number where its
result is below that; beyond the dtype's range nothing is known. An error of infinity says that nothing is known.

Source of the model: Higham, Accuracy and Stability of Numerical Algorithms, chapters 2 and 3.3 (running error bounds).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ir.core.scalars import Operation
from ir.core.semantics.values import Value

__all__ = ["Bounded", "apart", "called", "cast", "made", "parts", "units_of_sum"]

_Array = NDArray[Any]

_EXACT = {
    "negative", "abs", "sign", "minimum", "maximum", "select", "copysign", "floor", "ceil", "trunc", "round", "ldexp",
    "fmod", "round_to_tf32", "cut_to_tf32",
}  # fmt: skip
"""Functions of floats that are right to the last bit."""

_ULPS = {"add": 1, "subtract": 1, "multiply": 1, "nextafter": 1, "divide": 4, "sqrt": 4, "pow": 32}
_FUNCTION_ULPS = 16
"""Units in the last place between two correct implementations. OpenCL C allows 2.5 for a quotient and 3 for a root of
float32, 16 for `pow` and at most 8 for the other functions; the reference's own are a few units off, too.
"""


class Bounded(tuple[_Array, _Array]):
    """Values, and how far each may be off (float64, of the same shape)."""

    __slots__ = ()


def units_of_sum(count: Any) -> Any:
    """By how many units in the last place of the sum of absolute values a sum of so many terms may be off.

    It covers what cannot be exceeded where at most 128 terms are added one after the other and the rest in pairs, and
    any order at all where rounding errors are as good as independent (they grow with the root of their number).
    """
    return 24 + 4 * np.sqrt(count)


def parts(x: Value) -> tuple[_Array, _Array | None]:
    """The values, floats as float64, and their errors; None: exact."""
    whole, error = x if isinstance(x, Bounded) else (x, None)
    value = np.asarray(whole)  # it may be a NumPy scalar
    return (value.astype(np.float64, copy=False) if value.dtype.kind == "f" else value), error


def made(value: Any, error: Any, dtype: np.dtype[Any]) -> Value:
    """A result with its error; where that is zero everywhere, the result alone, in its dtype."""
    value = np.asarray(value)
    error = np.where(np.isnan(error), np.inf, error)
    if dtype.kind == "f":
        info, size = np.finfo(dtype), np.abs(value)
        error = np.where((size < info.tiny) & (value != 0), error + float(info.tiny), error)
        error = np.where(np.isfinite(value) & (size + error > float(info.max)), np.inf, error)
    if not np.any(error):
        exact: _Array = value.astype(dtype, copy=False)
        return exact
    shape = np.broadcast_shapes(value.shape, error.shape)
    wide = value.astype(np.float64 if dtype.kind == "f" else dtype, copy=False)
    return Bounded((np.broadcast_to(wide, shape), np.broadcast_to(error, shape)))


def apart(a: Any, b: Any) -> _Array:
    """The distance of values: zero of equal infinities and of two NaNs, infinity of a NaN and a number."""
    a, b = np.asarray(a), np.asarray(b)
    if a.dtype.kind != "f":  # different whole numbers may be the same in double precision
        return np.where(a == b, 0.0, np.maximum(np.abs(a.astype(np.float64) - b.astype(np.float64)), 1.0))
    distance = np.abs(a - b)
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    found: _Array = np.where(same, 0.0, np.where(np.isnan(distance), np.inf, distance))
    return found


def called(op: Operation, dtype: np.dtype[Any], operands: Sequence[Value], units: float = 1.0) -> Value:
    """An operation's result of that dtype.

    Args:
        units: how many times its own error each operation may err: in a fold whose order is free
    """
    known = not any(isinstance(x, Bounded) for x in operands)
    if known and (dtype.kind != "f" or op.name in _EXACT):
        return np.asarray(op.numpy(*operands))
    if op.rule == "pattern" or op.rule == "exponent":
        return _of_representation(op, dtype, operands[0])
    pairs = [parts(x) for x in operands]
    values = [value for value, _ in pairs]
    errors = [0.0 if error is None else error for _, error in pairs]
    if op.rule == "select":
        return _selected(dtype, values, errors)
    value = np.asarray(op.numpy(*values))
    if op.rule in ("compare", "test"):
        return made(value, _in_doubt(op, values, errors), dtype)
    if dtype.kind != "f":
        return made(value, _of_integers(op.name, values, errors), dtype)
    error = _propagated(op, value, values, errors)
    if op.name not in _EXACT:
        own = units * _ULPS.get(op.name, _FUNCTION_ULPS) * float(np.finfo(dtype).eps) * np.abs(value)
        error = error + np.where(np.isfinite(value), own, 0.0)
    return made(value, error, dtype)


def _propagated(op: Operation, value: _Array, values: list[_Array], errors: list[Any]) -> _Array:
    """What the errors of the operands make of a result."""
    error: Any
    match op.name:
        case "add" | "subtract":
            error = errors[0] + errors[1]
        case "negative" | "abs":
            error = errors[0]
        case "multiply":
            error = errors[0] * np.abs(values[1]) + errors[1] * (np.abs(values[0]) + errors[0])
        case "divide":
            room = np.abs(values[1]) - errors[1]
            error = np.where(room > 0, (errors[0] + np.abs(value) * errors[1]) / room, np.inf)
        case "remainder" | "fmod":
            turns = np.floor_divide(values[0], values[1])
            jumps = _corners(np.floor_divide, turns, values, errors)
            error = errors[0] + np.abs(turns) * errors[1] + jumps * np.abs(values[1])
        case "sin" | "cos":
            error = np.minimum(errors[0], 2.0)
        case _:
            error = _corners(op.numpy, value, values, errors)
    if not np.isfinite(value).all():
        error = np.where(np.isfinite(value), error, _corners(op.numpy, value, values, errors))
    for own, kind in zip(errors, [v.dtype.kind for v in values], strict=True):
        lost = np.isinf(own) if kind == "f" else np.asarray(own) > 0
        error = np.where(lost, np.inf, error)
    return np.asarray(error)


def _corners(f: Callable[..., Any], value: _Array, values: list[_Array], errors: list[Any]) -> _Array:
    """How far a function's result moves when its operands go to the ends of what they may be."""
    ends = [(v,) if np.ndim(e) == 0 and not e else (v - e, v + e) for v, e in zip(values, errors, strict=True)]
    found = np.zeros(())
    for corner in product(*ends):
        found = np.maximum(found, apart(f(*corner), value))
    return found


def _selected(dtype: np.dtype[Any], values: list[_Array], errors: list[Any]) -> Value:
    """One of two values; where the choice is in doubt, both are."""
    choice, first, second = values
    error = np.where(choice, errors[1], errors[2])
    if np.any(errors[0]):
        either = apart(first, second) + np.maximum(errors[1], errors[2])
        error = np.where(np.asarray(errors[0]) > 0, either, error)
    return made(np.where(choice, first, second), error, dtype)


def _in_doubt(op: Operation, values: list[_Array], errors: list[Any]) -> _Array:
    """1 where a comparison or a test may come out the other way."""
    total = sum(errors[1:], start=errors[0])
    if op.rule == "test":
        return np.where(np.isinf(total), 1.0, 0.0)
    near = np.abs(values[0].astype(np.float64) - values[1].astype(np.float64)) <= total
    return np.where((near & (np.asarray(total) > 0)) | np.isinf(total), 1.0, 0.0)


def _of_integers(name: str, values: list[_Array], errors: list[Any]) -> _Array:
    """What the errors of whole numbers and truth values make of a result."""
    total: _Array = np.asarray(sum(errors[1:], start=errors[0]))
    match name:
        case "add" | "subtract" | "negative" | "abs":
            return total
        case "minimum" | "maximum":
            return np.asarray(np.maximum(errors[0], errors[1]))
        case "multiply":
            size = [np.abs(v.astype(np.float64)) for v in values]
            return np.asarray(errors[0] * size[1] + errors[1] * (size[0] + errors[0]))
        case "bitwise_and" | "bitwise_or" | "bitwise_xor" | "bitwise_invert" if values[0].dtype.kind == "b":
            return np.where(total > 0, 1.0, 0.0)
    return np.where(total > 0, np.inf, 0.0)


def _of_representation(op: Operation, dtype: np.dtype[Any], operand: Value) -> Value:
    """The bits or the exponent of a float that is not known exactly."""
    assert isinstance(operand, Bounded)
    wide, error = map(np.asarray, operand)
    source = np.dtype(f"f{dtype.itemsize}") if op.rule == "pattern" else np.dtype(np.float64)
    value = np.asarray(op.numpy(np.ascontiguousarray(wide.astype(source))))
    if op.rule == "pattern":
        return made(value, np.where(error > 0, np.inf, 0.0), dtype)
    moved = np.maximum(apart(op.numpy(wide - error), value), apart(op.numpy(wide + error), value))
    return made(value, np.where(np.isinf(error), np.inf, moved), dtype)


def cast(operand: Value, dtype: np.dtype[Any]) -> Value:
    """A value as one of another dtype."""
    if not isinstance(operand, Bounded):
        return np.asarray(operand).astype(dtype, copy=False)
    value, error = map(np.asarray, operand)
    if dtype.kind == "f":
        value = value.astype(np.float64)
        own = float(np.finfo(dtype).eps) * np.abs(value)
        return made(value, error + np.where(np.isfinite(value), own, 0.0), dtype)
    if dtype.kind == "b":
        near = np.abs(value.astype(np.float64)) <= error
        return made(value != 0, np.where((near | (value == 0)) & (error > 0), 1.0, 0.0), dtype)
    if value.dtype.kind == "f":
        error = _corners(np.trunc, np.trunc(value), [value], [error])
    return made(value.astype(dtype), error, dtype)
