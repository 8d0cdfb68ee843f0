"""The methods of operators, each written out for the kinds of operands that loops have: numbers, and arrays alike.

    def __add__(self, other):               # of two eager numbers: Python's own operator, and a result
        if eagerness.on:
            p = self.value
            ...
                    found = p + q

A loop over elements calls nothing but these, so nothing in them is called or looked up that can be written down. Their
text is the same for all operators but for the operator itself: it is put together here, as `dataclasses` does it, and
each has code of its own, which the interpreter adapts to the types that it meets (PEP 659). To compile one takes about
half a millisecond, so that it is done when the operator is used first.
"""

from __future__ import annotations

from collections.abc import Callable
from textwrap import indent
from typing import Any, Final

import numpy as np
from numpy import ndarray

from ir.cost.thresholds.tiers import COPIES_POOLED_FROM
from lazyarr.array import Array, blank
from lazyarr.array.eager import end_loan, written
from lazyarr.config import eagerness
from lazyarr.dtypes import bool_, complex128, float64
from lazyarr.eager.numbers import (
    CLOSED,
    COMPARISONS,
    EXACT,
    OF_BOOLS,
    OF_COMPLEX,
    OF_FLOATS,
    OF_INTEGERS,
    RANGES,
    SHIFTS,
    as_complex,
    of_numpys,
)
from lazyarr.eager.numpys_ufuncs import numpys_ufuncs
from lazyarr.memory.quiet import ERRORS, run_quietly

__all__ = ["ALONE", "Operator", "operator"]

Operator = Callable[[Any, Any], Any]

ALONE: Final = COPIES_POOLED_FROM // 8
"""Elements of a result up to which NumPy finds memory for it."""

_SYMBOLS: Final = {
    "add": "+", "subtract": "-", "multiply": "*", "divide": "/", "floor_divide": "//", "remainder": "%",
    "bitwise_and": "&", "bitwise_or": "|", "bitwise_xor": "^", "bitwise_left_shift": "<<", "bitwise_right_shift": ">>",
    "less": "<", "less_equal": "<=", "greater": ">", "greater_equal": ">=", "equal": "==", "not_equal": "!=",
}  # fmt: skip

_FUNCTION: Final = """
def made(known, of_floats, result, of_complex, of_arrays, otherwise):
    def {name}(self, other):
        if eagerness.on:
            p = self.value
            kind = type(p)
{parts}            found = of_arrays({operands})
            if found is not None:
                return found
        return otherwise(self, other)
    return {name}
"""

_IN_PLACE: Final = """
if kind is ndarray:
    dtype = self.dtype
    extents = self.extents
    if extents and (extents[0] if len(extents) == 1 else p.size) <= ALONE:
        kind = type(other)
        if kind is Array:
            q = other.value
            fits = other.dtype is dtype and q is not None
        else:
            q = other
            fits = dtype is float64 and (kind is float or kind is np_float64 or (kind is int and -EXACT < q < EXACT))
        if fits:
{function}
            if of_arrays_alike is not None:
                shared = self.shared
                if shared is not None and shared.loan is not None:
                    end_loan(shared)
                try:
                    run_quietly(of_arrays_alike, p, q, p)
                except ERRORS:
                    return otherwise(self, other)  # before anything was written
                except BaseException:  # an interrupt, when it may be
                    written(self)
                    raise
                shared = self.shared
                if shared is not None and (shared.leaves or shared.recorded):
                    written(self)
                return self
    return otherwise(self, other) if of_arrays(self, other) is None else self
"""

_LEFT_IN_PLACE: Final = """
if kind is ndarray:
    return otherwise(self, other) if of_arrays(self, other) is None else self
"""

_FLOATS: Final = """
if kind is float:
    kind = type(other)
    try:
        if kind is Array:
            q = other.value
            if type(q) is float:
                found = {left} {symbol} {right}
{number_found_here}
            if type(q) is ndarray and other.dtype is float64:
                dtype = result
                extents = other.extents
                if extents and (extents[0] if len(extents) == 1 else q.size) <= ALONE:
{array_found}
        elif kind is float or (kind is int and -EXACT < other < EXACT):
            q = other
            found = {left} {symbol} {right}
{number_found}
        elif kind is np_float64:
            q = float(other)
            found = {left} {symbol} {right}
{number_found}
        else:
            q = other
{beside_complex}
    except ZeroDivisionError:
        pass  # NumPy has a result
"""

_INTEGERS: Final = """
if kind is int:
    dtype = self.dtype
    kind = type(other)
    fits = False
    if kind is Array:
        q = other.value
        fits = type(q) is int and other.dtype is dtype
    elif kind is int:
        q = other
        fits = 0 <= q <= 127
        if not fits:
            least, most = RANGES[dtype]
            fits = least <= q <= most
    else:
        q = other
    if fits{not_too_far}:
        try:
            found = {left} {symbol} {right}
        except (ArithmeticError, ValueError):
            pass  # NumPy has a result
        else:
{number_found}
"""

_FLOATS_BESIDE_COMPLEX: Final = """
if type(q) is complex:
    p = complex(p)
{complex_found}
"""

_INTEGERS_BESIDE_COMPLEX: Final = """
elif type(q) is complex and -EXACT < p < EXACT:
    p = complex(p)
{complex_found}
"""

_COMPLEX: Final = """
if kind is complex:
    q = other.value if type(other) is Array else other
    if type(q) is not complex:
        q = as_complex(q)
    if q is not None:
{complex_found}
"""

_COMPLEX_FOUND: Final = """
found = {of_complex}
if found is not None:
{number_found}
"""

_NOT_TOO_FAR: Final = " and {right} < 8 * dtype.itemsize"

_NUMBER_FOUND: Final = """
made = blank(Array)
made.expr = made.placed = made.traced_in = made.origin = made.family = made.shared = None
made.value = found
made.extents = ()
made.dtype = {dtype}
return made
"""

_NUMBER_FOUND_IN_RANGE: Final = """
fits = 0 <= found <= 127
if not fits:
    least, most = RANGES[dtype]
    fits = least <= found <= most
if fits:
    made = blank(Array)
    made.expr = made.placed = made.traced_in = made.origin = made.family = made.shared = None
    made.value = found
    made.extents = ()
    made.dtype = dtype
    return made
"""

_BOOLS: Final = """
if kind is bool:
    q = other.value if type(other) is Array else other
    if type(q) is bool:
        made = blank(Array)
        made.expr = made.placed = made.traced_in = made.origin = made.family = made.shared = None
        made.value, made.extents, made.dtype = {left} {symbol} {right}, (), bool_
        return made
"""

_ARRAYS: Final = """
if kind is ndarray:
    kind = type(other)
    dtype = self.dtype
    extents = self.extents
    if kind is Array:
        q = other.value
        if type(q) is ndarray:
            fits = other.dtype is dtype and extents == other.extents
        else:
            fits = (dtype is float64 and type(q) is float) or (dtype is complex128 and type(q) is complex)
    else:
        q = other
        fits = dtype is float64 and (kind is float or kind is np_float64 or (kind is int and -EXACT < q < EXACT))
    if fits and extents and (extents[0] if len(extents) == 1 else p.size) <= ALONE:
{function}
        if of_arrays_alike is not None:
{array_found}
"""

_ARRAY_FOUND: Final = """
try:
    found = run_quietly({function}, {left}, {right})
except ERRORS:
    pass  # NumPy has a result elsewhere, or what comes next raises
else:
    if len(extents) > 1 and not found.flags.c_contiguous:
        return of_numpys(found)
    made = blank(Array)
    made.expr = made.placed = made.traced_in = made.origin = made.family = made.shared = None
    made.value = found
    made.extents = extents
    made.dtype = dtype
    return made
"""

_OF_FLOATS: Final = """
if dtype is float64:
    of_arrays_alike = of_floats
    dtype = result
else:
    of_arrays_alike, dtype = known.get(dtype) or nothing
"""
_KNOWN: Final = "of_arrays_alike, dtype = known.get(dtype) or nothing"


_NAMES: Final[dict[str, Any]] = {
    "Array": Array, "blank": blank, "eagerness": eagerness, "ndarray": ndarray, "np_float64": np.float64,
    "float64": float64, "complex128": complex128, "bool_": bool_, "EXACT": EXACT, "RANGES": RANGES, "ALONE": ALONE,
    "ERRORS": ERRORS, "as_complex": as_complex, "of_numpys": of_numpys, "run_quietly": run_quietly,
    "end_loan": end_loan, "written": written, "nothing": (None, None), "__name__": __name__,
}  # fmt: skip
"""What the methods' text speaks of."""


def operator(
    name: str, of_arrays: Operator, otherwise: Operator, is_reflected: bool = False, is_in_place: bool = False
) -> Operator:
    """A method of an array with another operand: of eager numbers, and of those beside Python's, by Python's own
    operators; of eager arrays that are alike by NumPy's function.

    Args:
        of_arrays: what carries it out otherwise, given both operands in their order; it gives None where it does not
        otherwise: what comes next, given the array first, also where nothing is carried out eagerly
        is_reflected: is the array the second operand?
        is_in_place: do arrays with dimensions get the result, so that `of_arrays` alone is for them?
    """
    result = bool_ if name in COMPARISONS else float64
    known, of_floats = numpys_ufuncs[name], None
    if name in OF_FLOATS:
        of_floats = getattr(np, name)
        known[float64] = of_floats, result
    # its file is none, but beside this one: it is lazyarr's in what is said of where an error comes from
    code = compile(_text(name, is_reflected, is_in_place), __file__.removesuffix(".py") + f" of {name}", "exec")
    scope: dict[str, Any] = {}
    exec(code, _NAMES, scope)
    made: Operator = scope["made"](known, of_floats, result, OF_COMPLEX.get(name), of_arrays, otherwise)
    return made


def _text(name: str, is_reflected: bool, is_in_place: bool) -> str:
    """The method's text."""
    left, right = ("q", "p") if is_reflected else ("p", "q")
    is_comparison, of_floats = name in COMPARISONS, name in OF_FLOATS
    names = {"symbol": _SYMBOLS.get(name, ""), "left": left, "right": right, "dtype": "dtype"}

    def part(text: str, depth: int = 3, **more: str) -> str:
        return indent(text.strip("\n").format(**names | more), " " * 4 * depth) + "\n"

    def complex_found(depth: int) -> str:
        has_symbol = OF_COMPLEX[name].__module__ == "_operator"
        found = "{left} {symbol} {right}" if has_symbol else "of_complex({left}, {right})"
        number = part(_NUMBER_FOUND, 1, dtype="bool_" if is_comparison else "complex128").rstrip()
        return part(_COMPLEX_FOUND, depth, of_complex=found.format(**names), number_found=number).rstrip()

    of_complex = name in OF_COMPLEX
    function = _OF_FLOATS if of_floats else _KNOWN
    if not is_in_place:
        found = part(_ARRAY_FOUND, 3, function="of_arrays_alike").rstrip()
        of_arrays = part(_ARRAYS, function=part(function, 2).rstrip(), array_found=found)
    elif name == "pow":  # NumPy's may raise when it has written some elements
        of_arrays = part(_LEFT_IN_PLACE)
    else:
        of_arrays = part(_IN_PLACE, function=part(function, 3).rstrip())
    parts = [of_arrays]
    if of_floats:
        beside = part(_FLOATS_BESIDE_COMPLEX, 2, complex_found=complex_found(1)) if of_complex else ""
        of_numbers = part(
            _FLOATS,
            beside_complex=beside.rstrip(),
            number_found_here=part(_NUMBER_FOUND, 4, dtype="result").rstrip(),
            number_found=part(_NUMBER_FOUND, 3, dtype="result").rstrip(),
            array_found=part(_ARRAY_FOUND, 5, function="of_floats").rstrip(),
        )
        parts.insert(0, of_numbers)
    if name in OF_INTEGERS:
        in_range = is_comparison or name in CLOSED
        found = part(
            _NUMBER_FOUND if in_range else _NUMBER_FOUND_IN_RANGE, 3, dtype="bool_" if is_comparison else "dtype"
        )
        far = _NOT_TOO_FAR.format(**names) if name in SHIFTS else ""
        beside = part(_INTEGERS_BESIDE_COMPLEX, 1, complex_found=complex_found(1)) if of_complex else ""
        parts.append(part(_INTEGERS + beside, number_found=found.rstrip(), not_too_far=far))
    if of_complex:
        parts.append(part(_COMPLEX, complex_found=complex_found(2)))
    if name in OF_BOOLS:
        parts.append(part(_BOOLS))
    first, *others = parts
    text = first + "".join([other.replace("if kind is", "elif kind is", 1) for other in others])
    operands = "other, self" if is_reflected else "self, other"
    return _FUNCTION.format(name=name, parts=text, operands=operands)
