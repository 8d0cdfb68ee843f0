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

__all__ = ["as_input", "changing_number"]

_NUMBERS: Final = (float, int, np.floating)

_PASSED_ON: Final = {
    __name__, "lazyarr.recording.apply", "lazyarr.array.operators", "lazyarr.eager.operator_methods",
    "lazyarr.api.elementwise.ufunc", "lazyarr.api.elementwise.ufuncs", "lazyarr.aliasing.assignment",
    "lazyarr.methods.eager_operators",
}  # fmt: skip
"""Modules that pass operands of the user's on."""


class _Met:
    """The numbers that an operand of a call was, up to a few."""

    __slots__ = ("code", "numbers")

    def __init__(self, code: CodeType) -> None:
        self.code = code  # as long as it is known by its identity, no other has that
        self.numbers: set[float] = set()


_met: BoundedTable[tuple[int, int, str, int], _Met] = BoundedTable(4096)


def changing_number(name: str, operands: Sequence[Any]) -> int | None:
    """Which operand of an element-wise function is a number that was another one before, several times, on that line
    of the user's; None if none is.

    Exponents and the like stay what they are: a function may be computed in another way, with other last bits, where
    an operand is known.
    """
    at = None
    for i, x in enumerate(operands):
        if type(x) is Array:
            if x.traced_in is not None:
                return None
        elif at is None and isinstance(x, _NUMBERS) and type(x) is not bool:
            at = i
        else:
            return None
    if at is None or name in BY_CONSTANT:
        return None
    line = _line()
    if line is None:
        return None
    code, place = line
    key = id(code), place, name, at
    met = _met.get(key) or _met.put(key, _Met(code))
    number = operands[at]
    if number in met.numbers:
        return None
    if len(met.numbers) >= CONSTANT_NUMBERS_AT_MOST:
        return at
    met.numbers.add(number)
    return None


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
