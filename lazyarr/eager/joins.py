"""Joins of small arrays carried out eagerly, by NumPy's functions, which promote dtypes as lazyarr does."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from inspect import unwrap
from math import prod
from types import NoneType
from typing import Any, Final, TypeVar

import numpy as np

from ir.cost.thresholds.tiers import EAGER_FUNCTION_ELEMENTS_AT_MOST
from lazyarr.array import Array
from lazyarr.array.eager import existing
from lazyarr.eager.numbers import of_numpys
from lazyarr.eager.operations import is_ready, numpys_functions
from lazyarr.memory.quiet import ERRORS

__all__ = ["joined_by"]

F = TypeVar("F", bound=Callable[..., Any])

_AXES: Final = (int, NoneType)


def joined_by(numpys: Callable[..., Any]) -> Callable[[F], F]:
    """Decorates a replayable function that joins a sequence of arrays, and may be given an axis: on small values that
    exist NumPy's function is called.
    """

    def decorated(replayed: F) -> F:
        numpys_functions[unwrap(replayed)] = partial(_joined, numpys)
        return replayed

    return decorated


def _joined(numpys: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Array | None:
    """The result of NumPy's function; None where the call is to be recorded."""
    arrays, *axes = arguments or (None,)
    if type(arrays) not in (list, tuple) or not all(type(axis) in _AXES for axis in (*axes, *keywords.values())):
        return None
    values: list[np.ndarray[Any, Any]] = []
    count = 0
    for x in arrays:
        if type(x) is not Array:
            return None
        count += prod(x.extents)
        if count > EAGER_FUNCTION_ELEMENTS_AT_MOST or not is_ready(x, arrays):
            return None
        value = existing(x)
        if value is None:
            return None
        values.append(value)
    try:
        return of_numpys(numpys(values, *axes, **keywords))
    except ERRORS:
        return None  # recording raises lazyarr's own error
