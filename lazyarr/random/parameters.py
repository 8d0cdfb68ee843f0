"""Parameters of distributions: the shape that they give, and checks of those whose values are known.

Arrays are checked where their values exist; others would have to be computed for it.
"""

from __future__ import annotations

import math
import operator
from typing import Any, Final

import numpy as np

from lazyarr.array import Array
from lazyarr.array.eager import existing
from lazyarr.array.scalar import Scalar
from lazyarr.dtypes import DType
from lazyarr.recording.creation import as_shape, asarray

__all__ = [
    "GREATEST", "LEAST", "at_hand", "bound_of", "check_bounds", "check_not_negative", "check_positive",
    "check_probability", "check_range", "known_bound", "known_value", "size_of", "truncated_values", "whole_values",
]  # fmt: skip


_REAL: Final = (float, int)
"""Python's numbers that have an order."""

LEAST, GREATEST = -(2**63), 2**63 - 1
"""Of int64."""


def size_of(function: str, size: Any, parameters: tuple[Array, ...]) -> tuple[int, ...]:
    """The shape of what is drawn; `ValueError` where the parameters do not broadcast to it."""
    common: tuple[int, ...] = ()
    for p in parameters:
        if p.shape != common:
            common = np.broadcast_shapes(common, p.shape) if common else p.shape
    if size is None:
        return common
    shape = as_shape(size, function)
    if shape and min(shape) < 0:
        raise ValueError(f"{function}: expected extents that are not negative, got {shape}")
    if not common:
        return shape
    fits = len(common) <= len(shape) and all(c in (1, s) for c, s in zip(common[::-1], shape[::-1], strict=False))
    if not fits:
        raise ValueError(f"{function}: parameters of shape {common} do not broadcast to size {shape}")
    return shape


def known_value(value: Any) -> Any:
    """The value of a parameter that is no lazy array; None for a lazy one."""
    return None if isinstance(value, (Array, Scalar)) else np.asarray(value)


def at_hand(value: Any) -> Any:
    """The value of a parameter for a check of it; None for what is still to be computed.

    It says nothing about how numbers are drawn: these are the same ones whether values exist or not.
    """
    return existing(value) if isinstance(value, Array) else known_value(value)


def check_not_negative(function: str, **parameters: Any) -> None:
    """Raise `ValueError` for a parameter that is below zero somewhere."""
    for name, value in parameters.items():
        if type(value) in _REAL and value > 0:
            continue
        known = at_hand(value)
        if known is None:
            continue
        negative = np.signbit(known) & (known == known) if known.dtype.kind == "f" else known < 0
        if np.any(negative):
            raise ValueError(f"{function}: expected {name} not to be negative, got {value!r}")


def check_positive(function: str, **parameters: Any) -> None:
    """Raise `ValueError` for a parameter that is zero or below somewhere. Of NaN, which is neither, NaN is drawn."""
    for name, value in parameters.items():
        if type(value) in _REAL and value > 0:
            continue
        known = at_hand(value)
        if known is not None and np.any(known <= 0):
            raise ValueError(f"{function}: expected {name} to be positive, got {value!r}")


def check_probability(function: str, p: Any, zero: bool = True) -> None:
    """Raise `ValueError` for what is no probability, or without `zero` for one of zero."""
    known = at_hand(p)
    if known is not None and not np.all((known >= 0 if zero else known > 0) & (known <= 1)):
        raise ValueError(f"{function}: expected p to be a probability, got {p!r}")


def check_range(function: str, low: Any, high: Any, backwards: bool = False) -> None:
    """Raise `OverflowError` for limits whose difference is not finite, `ValueError` for a high one below the low one,
    unless limits `backwards` are taken.
    """
    if type(low) in _REAL and type(high) in _REAL and 0 <= high - low < math.inf:
        return
    first, last = at_hand(low), at_hand(high)
    if first is None or last is None:
        return
    with np.errstate(all="ignore"):
        difference = np.subtract(last, first, dtype=np.float64)
    if not np.isfinite(difference).all():
        raise OverflowError(f"{function}: expected limits of a finite difference, got {low!r} and {high!r}")
    if not backwards and (difference < 0).any():
        raise ValueError(f"{function}: expected low not to be above high, got {low!r} and {high!r}")


def bound_of(name: str, value: Any, less: int) -> Any:
    """A bound of whole numbers, less one for one that is left out: a NumPy array, or a lazy one of 64 bits.

    Floats are cut off at the point, as NumPy does.
    """
    if isinstance(value, (Array, Scalar)):
        array = asarray(value)
        if array.dtype.kind not in "iubf":
            raise TypeError(f"integers: expected {name} to be whole numbers, got dtype {array.dtype.name}")
        wide = array.astype("uint64" if array.dtype.kind == "u" else "int64")
        return wide - less if less else wide
    if type(value) is int and LEAST <= value - less <= GREATEST:
        return np.array(value - less, np.int64)
    given = np.asarray(value, dtype=object if isinstance(value, int) else None)
    if given.dtype.kind not in "iubfO":
        raise TypeError(f"integers: expected {name} to be whole numbers, got {value!r}")
    whole = int if given.dtype.kind == "f" else operator.index
    numbers = [whole(x) - less for x in given.astype(object).flat]  # Python's do not wrap around
    found = np.array(numbers, object).reshape(given.shape)
    try:
        return found.astype("int64")
    except OverflowError:
        try:
            return found.astype("uint64")
        except OverflowError:
            raise ValueError(f"integers: {name} is out of bounds for 64 bits: {value!r}") from None


def known_bound(bound: Any, name: str, value: Any, less: int) -> Any:
    """What `bound_of` gave for such a value as a NumPy array; None for a lazy one that is still to be computed."""
    if not isinstance(bound, Array):
        return bound
    known = at_hand(value)
    return None if known is None else bound_of(name, known, less)


def check_bounds(least: Any, greatest: Any, dtype: DType) -> None:
    """Raise `ValueError` where no whole number is left between bounds, None for one not known, or they are beyond the
    dtype.
    """
    first, last = (0, 1) if dtype.kind == "b" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    for name, bound in (("low", least), ("high", greatest)):
        if bound is not None and bound.size and not first <= int(bound.min()) <= int(bound.max()) <= last:
            raise ValueError(f"integers: {name} is out of bounds for {dtype.name}")
    if least is not None and greatest is not None and np.any(least > greatest):
        raise ValueError("integers: expected low to be less than high")


def whole_values(function: str, name: str, parameter: Any) -> np.ndarray[Any, Any]:
    """The values of whole numbers, computed; `TypeError` for others."""
    found = np.asarray(parameter)
    if found.dtype.kind == "f" and found.ndim and (found == np.floor(found)).all():
        found = found.astype(np.int64)  # as NumPy takes them
    if found.dtype.kind not in "iub" and found.size:
        raise TypeError(f"{function}: expected {name} to be whole numbers, got {parameter!r}")
    return found.astype(np.int64)


def truncated_values(function: str, name: str, parameter: Any) -> np.ndarray[Any, Any]:
    """`whole_values` of floats, cut off at the point as NumPy does; `ValueError` for what no int64 holds."""
    found = np.asarray(parameter)
    if found.dtype.kind != "f":
        return whole_values(function, name, parameter)
    if not (np.abs(found) < 2.0**63).all():
        raise ValueError(f"{function}: expected {name} to be numbers of the range of int64, got {parameter!r}")
    return found.astype(np.int64)
