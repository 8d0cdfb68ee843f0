"""Joins carried out eagerly, by NumPy's functions, which promote dtypes as lazyarr does: of small arrays, and of many
that exist, as loops collect them in a list.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, wraps
from inspect import unwrap
from math import prod
from types import NoneType
from typing import Any, Final, TypeVar

import numpy as np

from ir.cost.thresholds.eager import (
    EAGER_ELEMENTS_AT_MOST,
    EAGER_ELEMENTS_IN_LOOPS,
    EAGER_ELEMENTS_ON_CPUS,
    EAGER_FUNCTION_ELEMENTS_AT_MOST,
    JOINED_EAGERLY_FROM,
)
from lazyarr.array import Array
from lazyarr.array.eager import existing, read_eagerly
from lazyarr.config import eagerness, settings
from lazyarr.eager.numbers import as_value, of_any_size, of_numpys
from lazyarr.eager.operations import is_ready, numpys_functions
from lazyarr.memory.quiet import ERRORS
from lazyarr.runtime import computes_on_cpu

__all__ = ["as_joined", "joined_by", "values_together"]

F = TypeVar("F", bound=Callable[..., Any])

_AXES: Final = (int, NoneType)
_OF_HOST: Final = frozenset({list, tuple, np.ndarray})


def joined_by(numpys: Callable[..., Any], small_alone: bool = False) -> Callable[[F], F]:
    """Decorates a replayable function that joins a sequence of arrays, and may be given an axis: on small values that
    exist NumPy's function is called, and on those of eager arrays, and of many arrays.

    Args:
        small_alone: on small ones alone
    """

    def decorated(replayed: F) -> F:
        numpys_functions[unwrap(replayed)] = partial(_joined, numpys)
        if small_alone:
            return replayed

        @wraps(replayed)
        def joined(*arguments: Any, **keywords: Any) -> Any:
            if eagerness.on and arguments:
                found = _of_many(numpys, arguments, keywords)
                if found is not None:
                    return found
            return replayed(*arguments, **keywords)

        return joined  # type: ignore[return-value]  # it takes and gives what the function does

    return decorated


def _of_many(numpys: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Array | None:
    """The result of NumPy's function for eager arrays, or many that exist; None where the call is to be recorded."""
    arrays, *axes = arguments
    if type(arrays) not in (list, tuple) or not all(type(axis) in _AXES for axis in (*axes, *keywords.values())):
        return None
    values = values_together(arrays)
    if values is None:
        return None
    try:
        return as_joined(numpys(values, *axes, **keywords))
    except ERRORS:
        return None  # recording raises lazyarr's own error


def values_together(arrays: Sequence[Any]) -> list[np.ndarray[Any, Any]] | None:
    """The values of arrays that are to be put together at once: of eager ones, and of so many that to record each takes
    longer, if they exist. None of others, and of large ones, with which more may fuse.
    """
    are_many = len(arrays) >= JOINED_EAGERLY_FROM
    values: list[np.ndarray[Any, Any]] = []
    count = 0
    for x in arrays:
        if type(x) is not Array:
            beside = as_value(x) if type(x) in _OF_HOST and Array in map(type, arrays) else None
            if beside is None:
                return None
            values.append(beside)
            continue
        value: Any = x.value
        if type(value) is not np.ndarray or x.placed is not None:
            if x.placed is not None:
                return None
            is_large = prod(x.extents) > EAGER_FUNCTION_ELEMENTS_AT_MOST
            if value is None and not are_many and is_large and (x.dtype.kind == "c" or not _is_together(x)):
                return None
            value = existing(x)
            if value is None:
                return None
            if not is_large:
                read_eagerly(x)
        count += value.size
        values.append(value)
    if not values or count <= EAGER_ELEMENTS_IN_LOOPS:
        return values or None
    if count > min(EAGER_FUNCTION_ELEMENTS_AT_MOST * len(values), EAGER_ELEMENTS_ON_CPUS):
        return None
    return values if computes_on_cpu(settings().device) else None


def _is_together(x: Array) -> bool:
    """Is an array put together with others at once where that is done by the host's processor anyway?"""
    return prod(x.extents) <= EAGER_ELEMENTS_AT_MOST and computes_on_cpu(settings().device)


def as_joined(found: np.ndarray[Any, Any]) -> Array:
    """An array of what NumPy put together in memory of its own: an eager one if it is not large."""
    return of_any_size(found, EAGER_ELEMENTS_IN_LOOPS)


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
