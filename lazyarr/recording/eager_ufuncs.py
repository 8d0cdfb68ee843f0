"""Element-wise functions carried out eagerly: NumPy's own, where they give what lazyarr's do, and Python's of numbers.

Operators of loops come here first, thousands of times a second: two operands, of which one is an eager array and the
other one, too, or a number of Python's. What is not as simple is looked at more closely, or recorded.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import cache
from math import prod
from typing import Any, Final

import numpy as np
from numpy import ndarray

from ir.cost.thresholds.tiers import EAGER_ELEMENTS_AT_MOST, EAGER_ELEMENTS_IN_LOOPS
from lazyarr.array import Array, number, over
from lazyarr.array.eager import existing, read_eagerly, written
from lazyarr.config import eagerness
from lazyarr.dtypes import SUPPORTED, as_dtype, bool_, float64
from lazyarr.elements.scalar_functions import loop_of
from lazyarr.memory.quiet import quietly, run_quietly
from lazyarr.recording.eagerly import allowed, is_numpys, is_ready
from lazyarr.recording.numbers import (
    COMPARISONS,
    EXACT,
    OF_BOOLS,
    OF_FLOATS,
    OF_INTEGERS,
    RANGES,
    SHIFTS,
    of_numpys,
    of_scalar,
)

__all__ = ["by_numpy", "of_one", "of_two", "operator", "put_two", "ufunc_eagerly"]

Operator = Callable[[Any, Any], Any]

new = object.__new__
_UNKNOWN: Final[Any] = object()
_WEAK: Final = frozenset({bool, int, float, complex})
_ufuncs: defaultdict[str, dict[Any, Any]] = defaultdict(dict)
"""NumPy's function for each name, and the dtype of its result, by the kinds of operands: their dtypes, or types of
Python's numbers; by the dtype where there is one. None where lazyarr's gives another dtype.
"""

_OTHER_ZEROS: Final = frozenset({"fmin", "fmax"})
"""Functions of which NumPy's may give a zero of the other sign."""

_OF_COMPLEX: Final = frozenset(
    {"add", "subtract", "multiply", "square", "negative", "positive", "equal", "not_equal", "abs"}
    | {"exp", "log", "sqrt", "tanh"}
)
"""Functions that NumPy computes of complex numbers as lazyarr does, infinities and signs of zeros included."""

_IN_LOOPS: Final = EAGER_ELEMENTS_IN_LOOPS

_ERRORS: Final = (ArithmeticError, RuntimeError, TypeError, ValueError)
"""What NumPy's functions raise, and `run_quietly`. What comes next raises lazyarr's own error, or none."""


def _divided_by_number(z: Any, n: Any, out: Any = None) -> np.ndarray[Any, Any]:
    """Complex numbers divided by one of Python's: both parts are. NumPy's function makes a complex number of n."""
    if not n:
        raise ArithmeticError("division by zero is recorded")
    found: np.ndarray[Any, Any] = np.empty(z.shape, z.dtype) if out is None else out
    np.divide(z.real, n, out=found.real)
    np.divide(z.imag, n, out=found.imag)
    return found


def _squared(z: Any, n: Any, out: Any = None) -> Any:
    """Complex numbers to the power of two; other powers of theirs are not as exact in NumPy."""
    if n != 2:
        raise ArithmeticError("other powers are recorded")
    return np.square(z, out)


_OF_COMPLEX_AND_NUMBER: Final = {"divide": _divided_by_number, "pow": _squared}
"""What stands for NumPy's functions of complex numbers and an integer or float of Python's."""


def operator(name: str, of_arrays: Operator, otherwise: Operator, is_in_place: bool = False) -> Operator:
    """A function of two operands, of which one is an array: of eager numbers, and of those beside Python's, by Python's
    own operators; of eager arrays that are alike by NumPy's function.

    Args:
        of_arrays: what carries it out otherwise; it gives None where it does not
        otherwise: what comes next, also where nothing is carried out eagerly
        is_in_place: do arrays with dimensions get the result, so that `of_arrays` alone is for them?
    """
    known: dict[Any, Any] = {} if is_in_place else _ufuncs[name]
    of_floats, of_integers, of_bools = OF_FLOATS.get(name), OF_INTEGERS.get(name), OF_BOOLS.get(name)
    is_comparison, is_shift = name in COMPARISONS, name in SHIFTS
    result = bool_ if is_comparison else float64

    def function(a: Any, b: Any) -> Any:
        if not eagerness.on:
            return otherwise(a, b)
        p: Any = a.value if type(a) is Array else a
        q: Any = b.value if type(b) is Array else b
        kind = type(p)
        found: Any = None
        ufunc: Any = None
        dtype: Any = result
        try:
            if kind is type(q):
                if kind is float:
                    if of_floats is not None:
                        found = of_floats(p, q)
                elif kind is ndarray:
                    dtype = a.dtype
                    if dtype is b.dtype and type(a) is type(b) and p.size <= _IN_LOOPS and a.extents == b.extents:
                        extents, ufunc = a.extents, known.get(dtype)
                elif kind is int:
                    if of_integers is not None:
                        if type(b) is not Array:
                            dtype = a.dtype
                            least, most = RANGES[dtype]
                            fits = least <= q <= most
                        else:
                            dtype = b.dtype
                            least, most = RANGES[dtype]
                            fits = a.dtype is dtype if type(a) is Array else least <= p <= most
                        if fits and not (is_shift and q >= 8 * dtype.itemsize):
                            found = of_integers(p, q)
                            if is_comparison:
                                dtype = bool_
                            elif not least <= found <= most:
                                found = None
                elif kind is bool and of_bools is not None:
                    found, dtype = of_bools(p, q), bool_
            elif kind is ndarray:
                if type(q) is float and type(a) is Array and a.dtype is float64 and p.size <= _IN_LOOPS:
                    extents, ufunc = a.extents, known.get(float64)
            elif type(q) is ndarray:
                if kind is float and type(b) is Array and b.dtype is float64 and q.size <= _IN_LOOPS:
                    extents, ufunc = b.extents, known.get(float64)
            elif of_floats is not None and (
                (kind is float and type(b) is int and -EXACT < q < EXACT)
                or (type(q) is float and type(a) is int and -EXACT < p < EXACT)
            ):
                found = of_floats(p, q)
            if ufunc is not None and extents:
                made = run_quietly(ufunc[0], p, q)
                if len(extents) == 1 or made.flags.c_contiguous:
                    return over(made, extents, ufunc[1])
                return of_numpys(made)
        except _ERRORS:
            pass  # NumPy has results for these, or what comes next raises
        if found is not None:  # as `number` does, without a call
            made = new(Array)
            made.expr = made.placed = made.traced_in = made.origin = made.family = made.shared = None
            made.value, made.extents, made.dtype = found, (), dtype
            return made
        made = of_arrays(a, b)
        return otherwise(a, b) if made is None else made

    # A copy of the code for each: the interpreter adapts code to the types that it meets (PEP 659), closures share it.
    function.__code__ = function.__code__.replace(co_name=name)
    return function


def _nothing(a: Any, b: Any) -> None:
    return None


@cache
def of_two(name: str) -> Operator:
    """A function of two operands, of which one is an array; it gives None where these are not as simple."""
    return operator(name, by_numpy(name), _nothing)


@cache
def by_numpy(name: str) -> Operator:
    """A function of two operands by NumPy's function; it gives None where that is to be recorded."""
    known = _ufuncs[name]

    def function(a: Any, b: Any) -> Array | None:
        if type(a) is Array:
            x: Any = a.value
            if x is None:
                return None
            extents: tuple[int, ...] | None = a.extents
            if type(b) is Array:
                y: Any = b.value
                if y is None:
                    return None
                dtype = a.dtype
                if dtype is b.dtype:
                    if type(x) is not ndarray and type(y) is not ndarray:
                        x, y = a.host, b.host  # of their dtype; beside an array, Python's number is as good
                    ufunc = known.get(dtype)
                else:
                    x, y = a.host, b.host
                    ufunc = known.get((dtype, b.dtype))
                size = x.size if type(x) is ndarray else 1
                if extents != b.extents:
                    if type(y) is ndarray:
                        if size > 1 < y.size and size * y.size > EAGER_ELEMENTS_IN_LOOPS:
                            return None  # the result may be larger than both
                        size *= y.size
                    if b.extents:
                        extents = None if extents else b.extents
            else:
                if type(x) is not ndarray:
                    x = a.host
                y, ufunc, size = b, _beside(known, a.dtype, type(b)), x.size
        elif type(b) is Array and b.value is not None:
            y = b.value
            if type(y) is not ndarray:
                y = b.host
            x, extents, ufunc, size = a, b.extents, known.get((type(a), b.dtype)), y.size
        else:
            return None
        if ufunc is None:
            return _beside_numpys(function, a, b)  # type: ignore[no-any-return]  # an Array, or None
        if size > EAGER_ELEMENTS_IN_LOOPS and not is_numpys(size):
            return None
        try:
            found = run_quietly(ufunc[0], x, y)
        except _ERRORS:
            return None
        if extents and (len(extents) == 1 or found.flags.c_contiguous):
            return over(found, extents, ufunc[1])
        return of_numpys(found)

    return function


def _beside(known: dict[Any, Any], dtype: Any, kind: type) -> Any:
    """NumPy's function, as in `_ufuncs`, for an array of a dtype and a number of a type; None where none is known."""
    if dtype is float64 and (kind is float or kind is np.float64):
        ufunc = known.get(dtype)
        if ufunc is not None:
            return ufunc
    return known.get((dtype, kind))


def _beside_numpys(function: Operator, a: Any, b: Any) -> Any:
    """A function of an eager array and a number of NumPy's; None of others."""
    if isinstance(a, np.generic):
        made = of_scalar(a)
        return None if made is None else function(made, b)
    made = of_scalar(b) if isinstance(b, np.generic) else None
    return None if made is None else function(a, made)


@cache
def put_two(name: str) -> Operator:
    """A function of an eager array with dimensions and a second operand like it, whose result is put into the first:
    that is given back, or None where nothing was done.
    """
    known, raises = _ufuncs[name], name == "pow"

    def function(a: Any, b: Any) -> Array | None:
        x: Any = a.value
        if type(x) is not ndarray or not a.extents or (x.size > EAGER_ELEMENTS_IN_LOOPS and not is_numpys(x.size)):
            return None
        dtype = a.dtype
        if raises and dtype.kind not in "fc":
            return None  # NumPy may raise when it has written some elements
        if type(b) is Array:
            y: Any = b.value
            ufunc = known.get(dtype) if y is not None and dtype is b.dtype else None
        else:
            y, ufunc = b, _beside(known, dtype, type(b))
        if ufunc is None:
            return None
        try:
            run_quietly(ufunc[0], x, y, x)
        except _ERRORS:
            return None  # before anything was written
        if a.shared is not None:
            written(a)
        return a  # type: ignore[no-any-return]  # an Array

    return function


@cache
def of_one(name: str) -> Callable[[Any], Array | None]:
    """A function of one operand, an array; it gives None where that is to be recorded."""
    of_floats, of_integers, of_bools = OF_FLOATS.get(name), OF_INTEGERS.get(name), OF_BOOLS.get(name)
    known = _ufuncs[name]

    def function(a: Any) -> Array | None:
        p: Any = a.value
        kind = type(p)
        if kind is ndarray:
            if p.size > EAGER_ELEMENTS_IN_LOOPS and not is_numpys(p.size):
                return None
        elif kind is float:
            if of_floats is not None:
                try:
                    return number(of_floats(p), float64)
                except ValueError:
                    pass
        elif kind is int:
            if of_integers is not None:
                found, (least, most) = of_integers(p), RANGES[a.dtype]
                if least <= found <= most:
                    return number(found, a.dtype)
            p = a.host
        elif kind is bool:
            if of_bools is not None:
                return number(of_bools(p), bool_)
            p = a.host
        else:
            return None
        ufunc = known.get(a.dtype)
        if ufunc is None:
            return None
        try:
            return of_numpys(run_quietly(ufunc[0], p))
        except _ERRORS:
            return None

    return function


def ufunc_eagerly(name: str, operands: Sequence[Any]) -> Array | None:
    """The result of an element-wise function; None where it is to be recorded."""
    if not eagerness.on and not allowed():
        return None
    if len(operands) < 3 and (type(operands[0]) is Array or type(operands[-1]) is Array):
        found: Array | None = (of_two(name) if len(operands) == 2 else of_one(name))(*operands)
        if found is not None:
            return found
    if not _is_few(operands):
        return None
    key: list[Any] = []
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
                if not x.extents and any(type(other) is Array and other.value is not None for other in operands):
                    read_eagerly(x)
            key.append(value.dtype)
            values.append(value)
        elif kind in _WEAK:
            key.append(kind)
            values.append(x)
        elif isinstance(x, np.generic) and x.dtype in SUPPORTED:
            key.append(x.dtype)
            values.append(x)
        else:
            return None
    known, kinds = _ufuncs[name], key[0] if len(set(key)) == 1 else tuple(key)
    function = known.get(kinds, _UNKNOWN)
    if function is _UNKNOWN:
        function = known[kinds] = _ufunc_of(name, values)
    if function is None:
        return None
    try:
        return of_numpys(quietly(function[0], *values))
    except _ERRORS:
        return None


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
        if x.value is not None:
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
    """NumPy's function of that name and its result's dtype for operands of these kinds, if that is lazyarr's, too."""
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
    return (function, wanted) if found.dtype == wanted else None
