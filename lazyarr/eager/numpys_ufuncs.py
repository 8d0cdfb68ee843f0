"""NumPy's element-wise functions that give what lazyarr's do, by the kinds of their operands."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any, Final

import numpy as np

from lazyarr.dtypes import WEAK, as_dtype, float64
from lazyarr.eager.complex_numbers import divided_by_number, power, quotient, sign
from lazyarr.elements.scalar_functions import loop_of
from lazyarr.memory.quiet import ERRORS, quietly

__all__ = ["beside", "chosen", "known_ufunc", "numpys_ufuncs"]

_UNKNOWN: Final[Any] = object()
numpys_ufuncs: defaultdict[str, dict[Any, Any]] = defaultdict(dict)
"""NumPy's function for each name, and the dtype of its result, by the kinds of operands: their dtypes, or types of
Python's numbers; by the dtype where there is one. None where lazyarr's gives another dtype.
"""


_OF_FLOATS: Final = frozenset({"ldexp", "reciprocal"})
"""Functions of which NumPy's gives of integers what is not lazyarr's: the reciprocal of zero, and `ldexp` of a number,
which stands for an array without dimensions, and is a float16 to NumPy.
"""

_OF_COMPLEX: Final = frozenset(
    {"add", "subtract", "multiply", "square", "negative", "positive", "equal", "not_equal", "abs"}
    | {"less", "less_equal", "greater", "greater_equal", "maximum", "minimum"}
    | {"isnan", "isinf", "isfinite", "logical_and", "logical_or", "logical_xor", "logical_not", "rint", "conj"}
    | {"exp", "exp2", "log", "log2", "log10", "sqrt", "tan", "tanh"}
    | {"acos", "acosh", "asin", "asinh", "atan", "atanh"}
)
"""Functions that NumPy computes of complex numbers as lazyarr does, infinities and signs of zeros included."""


def chosen(condition: Any, x1: Any, x2: Any) -> Any:
    """NumPy's `where`, which takes the lowest bits of an integer of Python's that does not fit: that is an error."""
    found = np.where(condition, x1, x2)
    if found.dtype.kind in "iu":
        for x in (x1, x2):
            if type(x) is int:
                found.dtype.type(x)  # raises OverflowError
    return found


def _of_ties(numpys: np.ufunc) -> Callable[..., Any]:
    """`fmax` or `fmin`, which give the first one of equal numbers; NumPy's may give a zero of the other sign."""

    def function(x: Any, y: Any, out: Any = None) -> Any:
        if out is not None and np.may_share_memory(x, out):
            x = x.copy()
        found = numpys(x, y, out=out)
        if not isinstance(found, np.ndarray):
            return found.dtype.type(x) if found == 0 and x == y else found
        zeros = found == 0
        if np.count_nonzero(zeros):
            np.copyto(found, x, where=zeros & (x == y), casting="same_kind")
        return found

    return function


def clipped(x: Any, least: Any, most: Any, out: Any = None) -> Any:
    """What lies between bounds; `out` may be one of the operands."""
    return np.minimum(np.maximum(x, least), most, out=out)  # by position NumPy warns of it


_BY_SEVERAL: Final = {"where": chosen, "clip": clipped}
"""What stands for NumPy's functions that are no ufuncs."""

_OTHER_ZEROS: Final[dict[str, tuple[Any, Any]]] = {
    "fmax": (np.maximum, _of_ties(np.fmax)), "fmin": (np.minimum, _of_ties(np.fmin)),
}  # fmt: skip
"""What stands for NumPy's functions that may give a zero of the other sign: of integers and bools, and of floats."""

_OF_COMPLEX_AND_NUMBER: Final = {"divide": divided_by_number, "pow": power}
"""What stands for NumPy's functions of complex numbers and an integer or float of Python's."""

_OF_COMPLEX_ALONE: Final = {"divide": quotient, "pow": power, "sign": sign}
"""The same of other operands of which one is complex."""


def beside(known: dict[Any, Any], dtype: Any, kind: type) -> Any:
    """NumPy's function, as in `numpys_ufuncs`, for an array of a dtype and a number of a type; None where none is known
    so far.
    """
    if dtype is float64 and (kind is float or kind is np.float64):
        ufunc = known.get(dtype)
        if ufunc is not None:
            return ufunc
    return known.get((dtype, kind))


def known_ufunc(name: str, kinds: Sequence[Any], values: Sequence[Any]) -> Any:
    """NumPy's function, as in `numpys_ufuncs`, for operands of these kinds; None where there is none."""
    known = numpys_ufuncs[name]
    key = kinds[0] if len(set(kinds)) == 1 else tuple(kinds)
    function = known.get(key, _UNKNOWN)
    if function is _UNKNOWN:
        function = known[key] = _ufunc_of(name, values)
    return function


def _ufunc_of(name: str, values: Sequence[Any]) -> Any:
    """NumPy's function of that name and its result's dtype for operands of these kinds, if that is lazyarr's, too."""
    function: Any = _BY_SEVERAL.get(name)
    if function is None:
        function = getattr(np, name, None)
        if not isinstance(function, np.ufunc) or (function.nin, function.nout) != (len(values), 1):
            return None
        letters = {np.dtype(getattr(x, "dtype", type(x))).kind for x in values}
        is_complex = "c" in letters
        if is_complex and name in _OF_COMPLEX_ALONE:
            beside_number = type(values[-1]) in (int, float)
            function = (_OF_COMPLEX_AND_NUMBER if beside_number else _OF_COMPLEX_ALONE)[name]
        elif (is_complex and name not in _OF_COMPLEX) or (name in _OF_FLOATS and not letters & {"f", "c"}):
            return None
        elif name in _OTHER_ZEROS:
            function = _OTHER_ZEROS[name]["f" in letters]
    try:
        kinds = tuple([type(x) if type(x) in WEAK else as_dtype(x.dtype, name) for x in values])
        wanted = loop_of(name, kinds).result
        probe = [type(x)(2) if type(x) in WEAK else np.ones(1, x.dtype) for x in values]
        own = isinstance(function, FunctionType) and name not in _BY_SEVERAL
        found = np.result_type(*probe) if own else quietly(function, *probe).dtype
    except ERRORS:
        return None
    return (function, wanted) if found == wanted else None
