"""NumPy's `emath`: functions whose results are complex numbers where a real one does not exist.

Which dtype that makes follows from the values: these are computed when a function is called, so that no jitted function
records it. What is left is recorded and compiled.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lazyarr.api.elementwise import standard as elementwise
from lazyarr.api.elementwise.standard import abs, divide, greater, less, pow
from lazyarr.api.reduce.reductions import any
from lazyarr.array import Array
from lazyarr.recording.conversion import astype
from lazyarr.recording.creation import asarray

__all__ = ["arccos", "arcsin", "arctanh", "log", "log2", "log10", "logn", "power", "sqrt"]


def __dir__() -> list[str]:
    return sorted(__all__)


def _holds(found: Array) -> bool:
    return bool(any(found))


def _complex_where(function: str, x: Any, outside: Callable[[Array], Array]) -> Array:
    """The array, as complex numbers if elements are outside of what the function takes."""
    array = asarray(x, function=f"emath.{function}")
    if array.dtype.kind == "c" or not _holds(outside(array)):
        return array
    return astype(array, np.complex64 if array.dtype.char in "fbhBH" else np.complex128)


def _negative(x: Array) -> Array:
    return less(x, 0)


def _beyond_one(x: Array) -> Array:
    return greater(abs(x), 1)


def sqrt(x: Any) -> Array:
    """The square root; complex if an element is negative."""
    return elementwise.sqrt(_complex_where("sqrt", x, _negative))


def log(x: Any) -> Array:
    """The natural logarithm; complex if an element is negative."""
    return elementwise.log(_complex_where("log", x, _negative))


def log2(x: Any) -> Array:
    """The logarithm to base 2; complex if an element is negative."""
    return elementwise.log2(_complex_where("log2", x, _negative))


def log10(x: Any) -> Array:
    """The logarithm to base 10; complex if an element is negative."""
    return elementwise.log10(_complex_where("log10", x, _negative))


def logn(n: Any, x: Any) -> Array:
    """The logarithm of x to base n; complex if an element of either is negative."""
    return divide(log(x), log(n))


def power(x: Any, p: Any) -> Array:
    """`x**p`; complex if an element of x is negative, floating-point if one of p is."""
    base = _complex_where("power", x, _negative)
    exponent = asarray(p, function="emath.power")
    if exponent.dtype.kind in "iu" and _holds(_negative(exponent)):
        exponent = astype(exponent, np.float64)
    found: Array = pow(base, exponent)
    return found


def arccos(x: Any) -> Array:
    """The angle whose cosine it is; complex if an element is beyond -1 or 1."""
    return elementwise.acos(_complex_where("arccos", x, _beyond_one))


def arcsin(x: Any) -> Array:
    """The angle whose sine it is; complex if an element is beyond -1 or 1."""
    return elementwise.asin(_complex_where("arcsin", x, _beyond_one))


def arctanh(x: Any) -> Array:
    """What has it as hyperbolic tangent; complex if an element is beyond -1 or 1."""
    return elementwise.atanh(_complex_where("arctanh", x, _beyond_one))
