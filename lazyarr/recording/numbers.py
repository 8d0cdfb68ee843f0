"""Operations on eager numbers by Python's own, which cost a tenth of a call of NumPy's.

Python's floats are float64, and its integers are exact: what fits the dtype is what NumPy gives, without a warning. All
else is left to NumPy.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from math import sqrt
from typing import Any, Final

import numpy as np

__all__ = ["of_number", "of_two_numbers"]

_COMPARISONS: Final[dict[str, Callable[..., Any]]] = {
    "less": operator.lt, "less_equal": operator.le, "greater": operator.gt, "greater_equal": operator.ge,
    "equal": operator.eq, "not_equal": operator.ne,
}  # fmt: skip
_OF_FLOATS: Final[dict[str, Callable[..., Any]]] = {
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "divide": operator.truediv,
    "negative": operator.neg, "abs": abs, "sqrt": sqrt, **_COMPARISONS,
}  # fmt: skip
_OF_INTEGERS: Final[dict[str, Callable[..., Any]]] = {
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "floor_divide": operator.floordiv,
    "remainder": operator.mod, "negative": operator.neg, "abs": abs, "bitwise_and": operator.and_,
    "bitwise_or": operator.or_, "bitwise_xor": operator.xor, "bitwise_left_shift": operator.lshift,
    "bitwise_right_shift": operator.rshift, **_COMPARISONS,
}  # fmt: skip

_SHIFTS: Final = {"bitwise_left_shift", "bitwise_right_shift"}

_EXACT: Final = 1 << 53
"""Below it all integers are float64 numbers, too."""

_RANGES: Final = {code: (int(np.iinfo(code).min), int(np.iinfo(code).max), np.dtype(code)) for code in "bhilBHIL"}


def of_two_numbers(name: str, code: str, p: Any, q: Any) -> np.ndarray[Any, Any] | None:
    """An element-wise function of two numbers; None where it is left to NumPy.

    Args:
        code: of the dtype that both are taken as
        p, q: numbers of Python's, as one or both operands have them as their value
    """
    if code == "d":
        function = _OF_FLOATS.get(name)
        if function is None:
            return None
        if not (type(p) is float and type(q) is float):
            for x in (p, q):
                if type(x) is not float and (type(x) is not int or not -_EXACT < x < _EXACT):
                    return None
        try:
            return np.array(function(p, q))
        except ZeroDivisionError:
            return None
    limits = _RANGES.get(code)
    function = _OF_INTEGERS.get(name)
    if limits is None or function is None or type(p) is not int or type(q) is not int:
        return None
    least, most, dtype = limits
    if not (least <= p <= most and least <= q <= most) or (name in _SHIFTS and q >= 8 * dtype.itemsize):
        return None
    try:
        found = function(p, q)
    except (ValueError, ZeroDivisionError):
        return None
    if type(found) is bool:
        return np.array(found)
    return np.array(found, dtype) if least <= found <= most else None


def of_number(name: str, code: str, p: Any) -> np.ndarray[Any, Any] | None:
    """The same of one number, the value of an array of that dtype."""
    if code == "d":
        function = _OF_FLOATS.get(name)
        try:
            return None if function is None else np.array(function(p))
        except ValueError:
            return None
    limits = _RANGES.get(code)
    function = _OF_INTEGERS.get(name)
    if limits is None or function is None:
        return None
    least, most, dtype = limits
    found = function(p)
    return np.array(found, dtype) if least <= found <= most else None
