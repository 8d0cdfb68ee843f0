"""Warnings that values decide: of rows without a number. They are given where values are there; what is recorded or
compiled is silent, as it does not look at them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any, TypeVar

import numpy as np

from ir.cost.thresholds.eager import EAGER_FUNCTION_ELEMENTS_AT_MOST
from lazyarr.array import Array
from lazyarr.array.eager import existing
from lazyarr.config import eagerness
from lazyarr.recording.replay import warn

__all__ = ["warns_of_empty_slices"]

F = TypeVar("F", bound=Callable[..., Any])


def warns_of_empty_slices(message: str, skips_nan: bool = True) -> Callable[[F], F]:
    """Decorates a reduction that gives NaN where too few elements count: it warns with NumPy's `RuntimeWarning`, where
    its result is eager, or its operand small and eager. Where the result is there, only one with a NaN is looked into.

    Args:
        message: NumPy's
        skips_nan: do NaNs not count? Else all elements do but those that the mask `where` leaves out
    """

    def decorated(function: F) -> F:
        given = signature(function)

        @wraps(function)
        def warning(*arguments: Any, **keywords: Any) -> Any:
            made = function(*arguments, **keywords)
            if not eagerness.on or type(made) is not Array or not (skips_nan or "where" in keywords):
                return made
            value = made.value
            x = arguments[0] if arguments else keywords["a"]
            if made.dtype.kind in "fc" and (_is_small(x) if value is None else _holds_nan(value)):
                call = given.bind(*arguments, **keywords)
                if _has_empty_slices(skips_nan, **call.arguments):
                    warn(message, RuntimeWarning)
            return made

        return warning  # type: ignore[return-value]  # it takes and gives what the function does

    return decorated


def _holds_nan(value: Any) -> bool:
    """Is one of the numbers NaN? Then the greatest is, which takes less time to find out than `isnan`."""
    if type(value) is np.ndarray:
        if not value.size:
            return False
        value = np.maximum.reduce(value, None)
    return bool(value != value)


def _is_small(x: Any) -> bool:
    """Are the operand's values there, and so few that looking at them costs less than recording did?"""
    return type(x) is Array and x.size <= EAGER_FUNCTION_ELEMENTS_AT_MOST and existing(x) is not None


def _has_empty_slices(
    skips_nan: bool, a: Any, axis: Any = None, where: Any = True, ddof: float = 0, correction: float | None = None,
    initial: Any = None, **_: Any,
) -> bool:  # fmt: skip
    """Do no more elements count in a slice than are subtracted from their number, and do shapes not say so, of which
    the function itself warns?
    """
    x, mask = (existing(each) if type(each) is Array else np.asarray(each) for each in (a, where))
    if initial is not None:  # it counts in each slice
        start = existing(initial) if type(initial) is Array else np.asarray(initial)
        if start is None or not _holds_nan(start):
            return False
    if x is None or mask is None or not x.size or (x.dtype.kind not in "fc" and where is True):
        return False
    if axis is not None and not isinstance(axis, int):
        axis = tuple(axis)
    counts = np.count_nonzero(mask & ~np.isnan(x) if skips_nan else np.broadcast_to(mask, x.shape), axis=axis)
    taken = ddof if correction is None else correction
    return bool(np.any(counts <= taken)) and x.size > taken * np.size(counts)
