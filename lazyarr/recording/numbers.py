"""Operations on eager numbers by Python's own, which cost a tenth of a call of NumPy's.

Python's floats are float64, and its integers are exact: what fits the dtype is what NumPy gives, without a warning. All
else is left to NumPy.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from math import sqrt
from typing import Any, Final

import numpy as np

__all__ = ["of_numbers", "of_two_numbers"]

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


def of_two_numbers(name: str, x: np.ndarray[Any, Any], y: Any) -> np.ndarray[Any, Any] | None:
    """The same of two: an array without dimensions, and another one of its dtype or a number of Python's."""
    code = x.dtype.char
    if type(y) is np.ndarray:
        if y.ndim or y.dtype.char != code:
            return None
        y = y.item()
    if code != "d" or type(y) is not float:
        return of_numbers(name, (x, y))
    function = _OF_FLOATS.get(name)
    if function is None:
        return None
    try:
        return np.array(function(x.item(), y))
    except ZeroDivisionError:
        return None


def of_numbers(name: str, operands: Sequence[Any]) -> np.ndarray[Any, Any] | None:
    """An element-wise function of one or two numbers; None where it is left to NumPy.

    Args:
        operands: arrays without dimensions and NumPy's numbers, of one dtype, and numbers of Python's
    """
    code = ""
    given: list[Any] = []
    for x in operands:
        if isinstance(x, (np.ndarray, np.generic)):
            if x.ndim or (code and x.dtype.char != code):
                return None
            code = x.dtype.char
            given.append(x.item())
        else:
            given.append(x)
    if code == "d":
        function = _OF_FLOATS.get(name)
        if function is None:
            return None
        for p in given:
            if type(p) is not float and (type(p) is not int or not -_EXACT < p < _EXACT):
                return None
        try:
            return np.array(function(*given))
        except (ValueError, ZeroDivisionError):
            return None
    limits = _RANGES.get(code)
    function = _OF_INTEGERS.get(name)
    if limits is None or function is None:
        return None
    least, most, dtype = limits
    for p in given:
        if type(p) is not int or not least <= p <= most:
            return None
    if name in _SHIFTS and given[1] >= 8 * dtype.itemsize:
        return None
    try:
        found = function(*given)
    except (ValueError, ZeroDivisionError):
        return None
    if type(found) is bool:
        return np.array(found)
    return np.array(found, dtype) if least <= found <= most else None
