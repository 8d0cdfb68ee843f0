"""Element-wise functions carried out eagerly: NumPy's own, where they give what lazyarr's do.

Operators of loops come here first, thousands of times a second: two operands, of which one is an eager array and the
other one, too, or a number of Python's. What is not as simple is looked at more closely, or recorded.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, Final

import numpy as np

from ir.cost.thresholds.tiers import EAGER_ELEMENTS_AT_MOST, EAGER_ELEMENTS_IN_LOOPS
from lazyarr import config
from lazyarr.array import Array, eager
from lazyarr.array.eager import existing
from lazyarr.dtypes import SUPPORTED, as_dtype
from lazyarr.elements.scalar_functions import loop_of
from lazyarr.graph.tracing import recordings
from lazyarr.memory.quiet import quiet, quietly
from lazyarr.recording.eagerly import allowed, is_numpys, is_ready, recording_only
from lazyarr.recording.numbers import of_number, of_two_numbers

__all__ = ["in_row_major_order", "of_one", "of_two", "ufunc_eagerly"]

_UNKNOWN: Final[Any] = object()
_WEAK: Final = frozenset({bool, int, float, complex})
_ufuncs: dict[tuple[Any, ...], Any] = {}
"""NumPy's function for each name and kinds of operands; None where it gives another dtype."""


_OTHER_ZEROS: Final = frozenset({"fmin", "fmax"})
"""Functions of which NumPy's may give a zero of the other sign."""

_OF_COMPLEX: Final = frozenset(
    {"add", "subtract", "multiply", "square", "negative", "positive", "equal", "not_equal", "abs"}
    | {"exp", "log", "sqrt", "tanh"}
)
"""Functions that NumPy computes of complex numbers as lazyarr does, infinities and signs of zeros included."""


def _divided_by_number(z: Any, n: Any) -> np.ndarray[Any, Any]:
    """Complex numbers divided by one of Python's: both parts are. NumPy's function makes a complex number of n."""
    if not n:
        raise ArithmeticError("division by zero is recorded")
    found = np.empty(z.shape, z.dtype)
    np.divide(z.real, n, out=found.real)
    np.divide(z.imag, n, out=found.imag)
    return found


def _squared(z: Any, n: Any) -> Any:
    """Complex numbers to the power of two; other powers of theirs are not as exact in NumPy."""
    if n != 2:
        raise ArithmeticError("other powers are recorded")
    return np.square(z)


_OF_COMPLEX_AND_NUMBER: Final = {"divide": _divided_by_number, "pow": _squared}
"""What stands for NumPy's functions of complex numbers and an integer or float of Python's."""


def of_two(name: str, a: Any, b: Any) -> Array | None:
    """A function of two operands; None where these are not as simple, or its calls are recorded."""
    if (recordings.count or recording_only.depth or not config.eager) and not allowed():
        return None
    if type(a) is Array:
        x = a.host
        if x is None:
            return None
        size, has_axes, code = x.size, a.extents, x.dtype.char
        if type(b) is Array:
            y: Any = b.host
            if y is None:
                return None
            if has_axes != b.extents:
                if x.size > 1 and y.size > 1 and size * y.size > EAGER_ELEMENTS_IN_LOOPS:
                    return None  # the result may be larger than both
                size = size * y.size
                has_axes = has_axes or b.extents
            kinds = (name, code, y.dtype.char)
            if not has_axes and kinds[1] == kinds[2]:
                number = of_two_numbers(name, code, x.item(), y.item())
                if number is not None:
                    return eager(number)
        else:
            y, kinds = b, (name, code, type(b))
            if not has_axes:
                number = of_two_numbers(name, code, x.item(), b)
                if number is not None:
                    return eager(number)
    elif type(b) is Array and b.host is not None:
        x, y = a, b.host
        size, code = y.size, y.dtype.char
        kinds = (name, type(a), code)
        if not b.extents:
            number = of_two_numbers(name, code, a, y.item())
            if number is not None:
                return eager(number)
    else:
        return None
    function = _ufuncs.get(kinds)
    if function is None or (size > EAGER_ELEMENTS_IN_LOOPS and not is_numpys(size)):
        return None
    try:
        found = quiet.run(function, x, y)
    except (ArithmeticError, RuntimeError, TypeError, ValueError):
        return None  # recording raises lazyarr's own error
    return eager(found if type(found) is np.ndarray and found.ndim < 2 else in_row_major_order(found))


def of_one(name: str, a: Any) -> Array | None:
    """The same of one operand."""
    if (recordings.count or recording_only.depth or not config.eager) and not allowed():
        return None
    x = a.host if type(a) is Array else None
    if x is None:
        return None
    if not x.ndim:
        number = of_number(name, x.dtype.char, x.item())
        if number is not None:
            return eager(number)
    function = _ufuncs.get((name, x.dtype.char))
    if function is None or (x.size > EAGER_ELEMENTS_IN_LOOPS and not is_numpys(x.size)):
        return None
    try:
        found = quiet.run(function, x)
    except (ArithmeticError, RuntimeError, TypeError, ValueError):
        return None  # as above
    return eager(found if type(found) is np.ndarray and found.ndim < 2 else in_row_major_order(found))


def ufunc_eagerly(name: str, operands: Sequence[Any]) -> Array | None:
    """The result of an element-wise function; None where it is to be recorded."""
    if (recordings.count or recording_only.depth or not config.eager) and not allowed():
        return None
    if len(operands) == 2:
        found = of_two(name, *operands)
    else:
        found = of_one(name, *operands) if len(operands) == 1 else None
    if found is not None:
        return found
    if not _is_few(operands):
        return None
    key: list[Any] = [name]
    values: list[Any] = []
    for x in operands:
        kind = type(x)
        if kind is Array:
            value = x.host
            if value is None:
                if not is_ready(x, operands):
                    return None
                value = existing(x)
                if value is None:
                    return None
            key.append(value.dtype.char)
            values.append(value)
        elif kind in _WEAK:
            key.append(kind)
            values.append(x)
        elif isinstance(x, np.generic) and x.dtype in SUPPORTED:
            key.append(x.dtype.char)
            values.append(x)
        else:
            return None
    function = _ufuncs.get(tuple(key), _UNKNOWN)
    if function is _UNKNOWN:
        function = _ufuncs[tuple(key)] = _ufunc_of(name, values)
    if function is None:
        return None
    try:
        found = quietly(function, *values)
    except (ArithmeticError, TypeError, ValueError):
        return None  # recording raises lazyarr's own error
    return eager(in_row_major_order(found))


def in_row_major_order(found: Any) -> np.ndarray[Any, Any]:
    """A result of NumPy's, as lazyarr has all results: NumPy's follow the order of their operands."""
    if type(found) is not np.ndarray:
        return np.asarray(found)
    return found if found.ndim < 2 or found.flags.c_contiguous else np.ascontiguousarray(found)


def _is_few(operands: Sequence[Any]) -> bool:
    """Are the results few enough, or as many as an eager operand has?"""
    shape: tuple[int, ...] | None = None
    size = largest = eager_ones = 0  # elements of the result at most, of the largest operand, and of the eager ones
    for x in operands:
        if type(x) is not Array:
            continue
        own = prod(x.extents)
        size = own if shape is None or x.extents == shape else size * own
        shape = x.extents
        largest = max(largest, own)
        if x.host is not None:
            eager_ones = max(eager_ones, own)
    if shape is None:
        return False
    at_most = EAGER_ELEMENTS_IN_LOOPS if eager_ones else EAGER_ELEMENTS_AT_MOST
    if size > at_most and size != largest:
        try:
            size = prod(np.broadcast_shapes(*[x.extents for x in operands if type(x) is Array]))
        except ValueError:
            return False  # recording raises lazyarr's own error
    return size <= at_most or (size == eager_ones and is_numpys(size))


def _ufunc_of(name: str, values: Sequence[Any]) -> Any:
    """NumPy's function of that name, if it takes operands of these kinds to the dtype that lazyarr's does."""
    function: Any = np.where if name == "where" else getattr(np, name, None)
    if function is not np.where:
        if not isinstance(function, np.ufunc) or (function.nin, function.nout) != (len(values), 1):
            return None
        is_complex = any(type(x) is complex or getattr(x, "dtype", np.dtype(bool)).kind == "c" for x in values)
        if is_complex and type(values[-1]) in (int, float) and name in _OF_COMPLEX_AND_NUMBER:
            function = _OF_COMPLEX_AND_NUMBER[name]
        elif name in _OTHER_ZEROS or (is_complex and name not in _OF_COMPLEX):
            return None
    try:
        kinds = tuple([type(x) if type(x) in _WEAK else as_dtype(x.dtype, name) for x in values])
        wanted = loop_of(name, kinds).result
        found = quietly(function, *[type(x)(2) if type(x) in _WEAK else np.ones(1, x.dtype) for x in values])
    except (ArithmeticError, TypeError, ValueError):
        return None
    return function if found.dtype == wanted else None
