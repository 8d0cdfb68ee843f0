"""Numbers that change from call to call, as in the steps of a loop, are inputs of what is recorded, not parts of it.

A program with another number in it is another program: it is recorded, planned and written as if nothing like it had
been met. So where a line of the user's met a few different numbers as an operand, all further ones are arrays of one
number, whose value no program depends on: as a call site that met many types looks them up (Hölzle, Chambers and
Ungar, "Optimizing dynamically-typed object-oriented languages with polymorphic inline caches", ECOOP 1991).
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from types import CodeType
from typing import Any, Final

import numpy as np

from ir.core.scalars import BY_CONSTANT
from ir.cost.thresholds.tiers import CONSTANT_NUMBERS_AT_MOST
from lazyarr.array import Array
from lazyarr.eager.numbers import of_numpys
from lazyarr.graph.bounded_table import BoundedTable

__all__ = ["as_input", "changing_numbers"]

_NUMBERS: Final = (float, int, np.floating, np.integer)

_PASSED_ON: Final = {
    __name__, "lazyarr.recording.apply", "lazyarr.array.operators", "lazyarr.eager.operator_methods",
    "lazyarr.api.elementwise.ufunc", "lazyarr.api.elementwise.ufuncs", "lazyarr.api.elementwise.standard",
    "lazyarr.api.select.taking", "lazyarr.aliasing.assignment", "lazyarr.methods.eager_operators",
    "lazyarr.array.making", "lazyarr.recording.conversion",
}  # fmt: skip
"""Modules that pass operands of the user's on."""


class _Met:
    """The numbers that an operand of a call was, up to a few."""

    __slots__ = ("code", "numbers")

    def __init__(self, code: CodeType) -> None:
        self.code = code  # as long as it is known by its identity, no other has that
        self.numbers: set[float] = set()


_met: BoundedTable[tuple[int, int, str, int], _Met] = BoundedTable(4096)


def changing_numbers(name: str, operands: Sequence[Any]) -> tuple[int, ...]:
    """Which operands of an element-wise function are numbers that were others before, several times, on that line of
    the user's.

    Exponents and the like stay what they are: a function may be computed in another way, with other last bits, where
    an operand is known.
    """
    places = []
    for i, x in enumerate(operands):
        if type(x) is Array:
            if x.traced_in is not None:
                return ()
        elif type(x) is np.timedelta64:  # one of NumPy's integers, perhaps without a hash
            return ()
        elif isinstance(x, _NUMBERS):
            if type(x) is not bool:
                places.append(i)
        else:
            return ()
    if not places or len(places) == len(operands) or name in BY_CONSTANT:
        return ()
    line = _line()
    if line is None:
        return ()
    code, place = line
    return tuple([at for at in places if _changes((id(code), place, name, at), operands[at], code)])


def _changes(key: tuple[int, int, str, int], number: Any, code: CodeType) -> bool:
    """Is a number another one than several that were met there? Notes it."""
    met = _met.get(key) or _met.put(key, _Met(code))
    if number in met.numbers:
        return False
    if len(met.numbers) >= CONSTANT_NUMBERS_AT_MOST:
        return True
    met.numbers.add(number)
    return False


def as_input(number: bytes, dtype: np.dtype[Any]) -> Array:
    """An array of a number with those bits."""
    return of_numpys(np.frombuffer(number, dtype)[0])


def _line() -> tuple[CodeType, int] | None:
    """Where the user called, as code and a place in it; None where lazyarr itself did."""
    frame: Any = sys._getframe(2)
    while frame is not None:
        module = frame.f_globals.get("__name__", "")
        if module not in _PASSED_ON:
            return None if module.partition(".")[0] == "lazyarr" else (frame.f_code, frame.f_lasti)
        frame = frame.f_back
    return None
