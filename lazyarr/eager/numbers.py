"""What Python's own operators and functions do for eager numbers, at a tenth of the cost of a call of NumPy's.

Python's floats are float64, its complex numbers complex128, and its integers are exact: what fits the dtype is what
NumPy gives, without a warning. All else is left to NumPy.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Iterable
from math import prod, sqrt
from typing import Any, Final

import numpy as np

from ir.cost.thresholds.eager import EAGER_ELEMENTS_AT_MOST
from lazyarr.array import Array, array_of, eager, number, over
from lazyarr.dtypes import SUPPORTED, WEAK, DType, bool_, complex128, float32, float64
from lazyarr.eager.complex_numbers import quotient_of_numbers
from lazyarr.graph.leaves import leaf

__all__ = [
    "CLOSED", "COMPARISONS", "EXACT", "HOLDING", "OF_BOOLS", "OF_COMPLEX", "OF_COMPLEX_ALONE", "OF_FLOATS",
    "OF_INTEGERS", "RANGES", "SHIFTS", "WHOLE", "as_complex", "as_pythons", "as_value", "broadcast_size",
    "in_own_memory", "of_any_size", "of_numpys", "of_one_kind", "of_scalar",
]  # fmt: skip

COMPARISONS: Final[dict[str, Callable[..., Any]]] = {
    "less": operator.lt, "less_equal": operator.le, "greater": operator.gt, "greater_equal": operator.ge,
    "equal": operator.eq, "not_equal": operator.ne,
}  # fmt: skip
_ARITHMETIC: Final[dict[str, Callable[..., Any]]] = {
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul,
}  # fmt: skip
_OF_BITS: Final[dict[str, Callable[..., Any]]] = {
    "bitwise_and": operator.and_, "bitwise_or": operator.or_, "bitwise_xor": operator.xor,
}  # fmt: skip
_OF_REAL: Final[dict[str, Callable[..., Any]]] = {**_ARITHMETIC, "negative": operator.neg, "abs": abs, **COMPARISONS}

OF_FLOATS: Final[dict[str, Callable[..., Any]]] = {**_OF_REAL, "divide": operator.truediv, "sqrt": sqrt}
OF_INTEGERS: Final[dict[str, Callable[..., Any]]] = {
    **_OF_REAL, **_OF_BITS, "floor_divide": operator.floordiv, "remainder": operator.mod,
    "bitwise_left_shift": operator.lshift, "bitwise_right_shift": operator.rshift, "bitwise_invert": operator.invert,
}  # fmt: skip
OF_BOOLS: Final[dict[str, Callable[..., Any]]] = {**_OF_BITS, "bitwise_invert": operator.not_, **COMPARISONS}


def _product(p: complex, q: complex) -> complex | None:
    """The textbook's product; None where Python, from 3.14 on, may have another one: of infinite numbers."""
    found = p * q
    return found if found - found == 0 else None


OF_COMPLEX: Final[dict[str, Callable[..., Any]]] = {
    **_ARITHMETIC, "divide": quotient_of_numbers, "equal": operator.eq, "not_equal": operator.ne,
}  # fmt: skip
"""Those of two complex numbers; what is no operator of Python's gives None where NumPy has the result."""

if sys.version_info >= (3, 14):
    OF_COMPLEX["multiply"] = _product

OF_COMPLEX_ALONE: Final[dict[str, tuple[Callable[[complex], Any], DType]]] = {
    "negative": (operator.neg, complex128), "conj": (complex.conjugate, complex128), "abs": (abs, float64),
}  # fmt: skip
"""Those of one, and the dtype of the result."""

SHIFTS: Final = {"bitwise_left_shift", "bitwise_right_shift"}

CLOSED: Final = {"bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_right_shift", "remainder"}
"""Functions whose results fit the dtype of the integers that they are of."""

EXACT: Final = 1 << 53
"""Below it all integers are float64 numbers, too."""

RANGES: Final = {np.dtype(code): (int(np.iinfo(code).min), int(np.iinfo(code).max)) for code in "bhilBHIL"}

_PYTHONS: Final[dict[type, tuple[type, DType]]] = {
    np.bool: (bool, bool_),
    np.float64: (float, np.dtype(np.float64)),
    np.complex128: (complex, np.dtype(np.complex128)),
    **{dtype.type: (int, dtype) for dtype in RANGES},
}
"""NumPy's numbers that Python's do for."""


def of_numpys(found: Any) -> Array:
    """An eager array of what a function of NumPy's gave, in row-major order as lazyarr has all results: NumPy's follow
    the order of their operands.
    """
    kind = type(found)
    if kind is np.float64:
        return number(float(found), float64)  # most of them are
    if kind is np.ndarray:
        extents = found.shape
        if len(extents) > 1 and not found.flags.c_contiguous:
            found = np.ascontiguousarray(found)
        if extents and found.dtype.char not in "qQ":
            return over(found, extents, found.dtype)
        return eager(found)
    if kind is np.float32:
        return over(np.asarray(found), (), float32)
    made = of_scalar(found)
    return eager(np.asarray(found)) if made is None else made


HOLDING: Final = frozenset({list, tuple})
WHOLE: Final = frozenset({int, bool})
"""Python's numbers that stand for elements of all dtypes that they are elements of."""


def of_one_kind(x: Any) -> np.ndarray[Any, Any] | None:
    """A list of Python's numbers of one kind as NumPy's array, whatever its dtype; None of others."""
    kinds = set(map(type, x))
    return np.asarray(x) if len(kinds) == 1 and kinds <= WEAK else None


def as_value(x: Any) -> Any:
    """A small array of NumPy's, one of its numbers, or a list of Python's numbers of one kind, as NumPy's; None of
    others, and of what has a dtype that lazyarr has not.
    """
    kind = type(x)
    if kind in HOLDING:
        x = of_one_kind(x) if len(x) <= EAGER_ELEMENTS_AT_MOST else None
        if x is None:
            return None
    elif kind is np.ndarray:
        if x.size > EAGER_ELEMENTS_AT_MOST:
            return None
    elif not isinstance(x, np.generic):
        return None
    return x if x.dtype in SUPPORTED else None


def broadcast_size(values: Iterable[Any]) -> int:
    """How many elements the result of an element-wise function of arrays, lists and numbers has; `ValueError` where
    they do not fit.
    """
    shapes = {np.shape(x) for x in values if type(x) not in WEAK}
    return prod(shapes.pop() if len(shapes) == 1 else np.broadcast_shapes(*shapes)) if shapes else 1


def of_any_size(found: Any, eager_at_most: int) -> Array:
    """An array of what a function of NumPy gave in memory of its own: an eager one of so many elements at most."""
    if found.size <= eager_at_most:
        return of_numpys(found)
    found = np.ascontiguousarray(found)
    found.setflags(write=False)
    return array_of(leaf(found.shape, found.dtype, found.reshape(-1)), found.shape, found.dtype)


def in_own_memory(found: Any, given: Iterable[np.ndarray[Any, Any]]) -> Array:
    """An eager array of what a function of NumPy gave, which may be, or show, what it was given: that is copied,
    and what lies with gaps.
    """
    if type(found) is np.ndarray:
        own = found.flags.writeable and found.flags.c_contiguous
        for x in given:
            if found is x or (found.base is not None and np.may_share_memory(found, x)):
                own = False
        if not own:
            return eager(np.array(found, order="C"))
    return of_numpys(found)


def of_scalar(found: Any) -> Array | None:
    """A number of NumPy's as an eager number; None of others, and of those that are no Python's."""
    known = _PYTHONS.get(type(found))
    return None if known is None else number(known[0](found), known[1])


def as_complex(x: Any) -> complex | None:
    """A number of Python's, or a float64 or complex128 of NumPy's, as a complex number; None of all else, and of
    integers that would be rounded.
    """
    kind = type(x)
    if kind is float or kind is complex or (kind is int and -EXACT < x < EXACT) or kind in _WIDE:
        return complex(x)
    return None


_WIDE: Final = (np.float64, np.complex128)


def as_pythons(x: Any) -> Any:
    """What an element of an array of int64 or float64 has as its value as Python's number; all else as it is."""
    return x.item() if type(x) is np.ndarray and not x.ndim and x.dtype in _AS_PYTHONS else x


_AS_PYTHONS: Final = (np.dtype(np.int64), np.dtype(np.float64))
"""Dtypes of Python's numbers."""
