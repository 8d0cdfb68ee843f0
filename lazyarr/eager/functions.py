"""Functions of several operations that NumPy carries out eagerly, as one call, on small operands whose values exist.

A function such as `interp` is tens of operations, each of which costs a microsecond or more also where it is carried
out eagerly. On operands as small as those NumPy's function of the same name computes the same, but for rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from inspect import signature
from math import prod
from types import NoneType
from typing import Any, Final, TypeVar

import numpy as np
from numpy import ndarray

from ir.cost.thresholds.eager import EAGER_ELEMENTS_AT_MOST, EAGER_FUNCTION_ELEMENTS_AT_MOST
from lazyarr.array import Array, compute, over
from lazyarr.array.eager import existing, read_eagerly
from lazyarr.config import eagerness, settings
from lazyarr.dtypes import SUPPORTED, WEAK, DType
from lazyarr.eager.numbers import HOLDING, in_own_memory, of_any_size, of_scalar
from lazyarr.eager.operations import allowed, is_ready
from lazyarr.memory.quiet import ERRORS, quietly, run_quietly
from lazyarr.runtime import computes_on_cpu

__all__ = ["on_host", "small_by"]

F = TypeVar("F", bound=Callable[..., Any])

_OPTIONS: Final = frozenset({*WEAK, NoneType, str})
_OPTIONS_AND_DTYPES: Final = _OPTIONS | {type, *map(type, SUPPORTED)}
_HELD_AT_MOST: Final = 64
_CHARS: Final = frozenset("?bhilBHILfdFD")
"""Dtypes of lazyarr's arrays, but for other names of these and other orders of bytes."""
_FROM_NUMPY: Final[Any] = object()
"""What stands for a value that NumPy's function is not to be given."""


def small_by(numpys: Callable[..., Any], most: int = EAGER_FUNCTION_ELEMENTS_AT_MOST) -> Callable[[F], F]:
    """Decorates a function of arrays that gives arrays as NumPy's does, of the same shapes and dtypes: that one is
    called where each operand is small and has a value.

    Args:
        numpys: takes the same arguments, to read, warns of nothing, and gives an array, a number or a tuple of these;
            None where the function is to be called
        most: elements of an operand, at most. More than by default are for functions that look at few of them, or that
            kernels gain nothing by; where kernels run on another processor it is the default
    """

    def decorated(function: F) -> F:
        options = _OPTIONS_AND_DTYPES if "dtype" in signature(function).parameters else _OPTIONS

        @wraps(function)
        def on_values(*arguments: Any, **keywords: Any) -> Any:
            found = _of_eager(numpys, options, most, arguments, keywords) if eagerness.on else _FROM_NUMPY
            if found is _FROM_NUMPY:
                is_tried = eagerness.on or allowed()
                found = _carried_out(numpys, options, most, arguments, keywords) if is_tried else None
            if found is not None:
                return found
            return function(*arguments, **keywords)

        return on_values  # type: ignore[return-value]  # it takes and gives what the function does

    return decorated


def _of_eager(
    numpys: Callable[..., Any],
    options: frozenset[type],
    most: int,
    arguments: tuple[Any, ...],
    keywords: dict[str, Any],
) -> Any:
    """As `_carried_out`, of eager arrays and options alone, as loops have them; `_FROM_NUMPY` of others."""
    given: list[Any] = []
    for x in arguments:
        if type(x) is Array:
            x = x.value
            if type(x) is not ndarray or (x.size > EAGER_FUNCTION_ELEMENTS_AT_MOST and not _may_be(x, most)):
                return _FROM_NUMPY
        elif type(x) not in options:
            return _FROM_NUMPY
        given.append(x)
    if keywords and ("device" in keywords or not options.issuperset(map(type, keywords.values()))):
        return _FROM_NUMPY
    try:
        found = run_quietly(numpys, *given, **keywords)
    except ERRORS:
        return _FROM_NUMPY
    return _as_arrays(found, [x for x in given if type(x) is ndarray])


def _as_arrays(found: Any, memory: list[np.ndarray[Any, Any]]) -> Any:
    """Arrays of what NumPy's function gave, or a tuple of them; None where that has a dtype that lazyarr has not.

    Args:
        memory: what it was given
    """
    if type(found) is tuple:
        made = tuple([_as_array(each, memory) for each in found])
        return None if any(x is None for x in made) else made
    return _as_array(found, memory)


def _as_array(found: Any, memory: list[np.ndarray[Any, Any]]) -> Array | None:
    if type(found) is not ndarray:
        made = of_scalar(found)
        if made is not None:
            return made
    elif found.base is None and found.ndim and found.flags.carray and _is_supported(found.dtype):
        for x in memory:
            if found is x:
                break
        else:
            return over(found, found.shape, found.dtype)
    return in_own_memory(found, memory) if _has_dtype(found) else None


def _may_be(x: Any, most: int) -> bool:
    """May an operand with many elements, an array or its value, be of a function of so many at most?"""
    return prod(x.shape) <= most and computes_on_cpu(settings().device)


def _carried_out(
    numpys: Callable[..., Any],
    options: frozenset[type],
    most: int,
    arguments: tuple[Any, ...],
    keywords: dict[str, Any],
) -> Any:
    """What NumPy's function gives; None where lazyarr's is to be called, which records, or raises its own error."""
    given: list[Any] = []
    memory: list[np.ndarray[Any, Any]] = []
    for x in arguments:
        value = x if type(x) in options else _value(x, arguments, memory, most)
        if value is _FROM_NUMPY:
            return None
        given.append(value)
    if keywords:
        named = {}
        for name, x in keywords.items():
            if name == "device" and x is None:
                continue  # the default one
            value = x if type(x) in options else _value(x, arguments, memory, most)
            if value is _FROM_NUMPY:
                return None
            named[name] = value
        numpys = partial(numpys, **named)
    try:
        found = quietly(numpys, *given)
    except ERRORS:
        return None
    return _as_arrays(found, memory)


def _is_supported(dtype: DType) -> bool:
    return dtype.char in _CHARS and dtype.isnative


def _has_dtype(found: Any) -> bool:
    """Is it an array or a number of NumPy's of a dtype that lazyarr has? Functions of huge integers give Python's."""
    return isinstance(found, (ndarray, np.generic)) and found.dtype in SUPPORTED


def _value(
    x: Any, others: tuple[Any, ...], memory: list[np.ndarray[Any, Any]], most: int = EAGER_FUNCTION_ELEMENTS_AT_MOST
) -> Any:
    """The value of an argument for NumPy's function, noted among the memory that results must not share; `_FROM_NUMPY`
    of what is large, has no value yet or is no array, number or list of numbers.
    """
    kind = type(x)
    if kind is Array:
        value = x.value
        if type(value) is np.ndarray and eagerness.on:
            if value.size > EAGER_FUNCTION_ELEMENTS_AT_MOST and not _may_be(value, most):
                return _FROM_NUMPY
        else:
            is_large = prod(x.extents) > EAGER_FUNCTION_ELEMENTS_AT_MOST
            # the parts of complex numbers would be put together each time
            if (is_large and (x.dtype.kind == "c" or not _may_be(x, most))) or not is_ready(x, others):
                return _FROM_NUMPY
            value = existing(x)
            if value is None:
                return _FROM_NUMPY
            read_eagerly(x)
    elif kind is np.ndarray and x.size <= EAGER_FUNCTION_ELEMENTS_AT_MOST and x.dtype in SUPPORTED:
        value = x
    elif kind in HOLDING and len(x) <= EAGER_FUNCTION_ELEMENTS_AT_MOST:
        return x if WEAK.issuperset(map(type, x)) else _held(x, others, memory)
    else:
        return _FROM_NUMPY
    memory.append(value)
    return value


def _held(x: Any, others: tuple[Any, ...], memory: list[np.ndarray[Any, Any]]) -> Any:
    """The values of a few arrays and numbers in a list, as a list; `_FROM_NUMPY` where one is no such array."""
    if len(x) > _HELD_AT_MOST:
        return _FROM_NUMPY
    found = []
    for each in x:
        value = each if type(each) in WEAK else _FROM_NUMPY
        if isinstance(each, (Array, np.ndarray)):
            value = _value(each, (*others, *x), memory)
        if value is _FROM_NUMPY:
            return _FROM_NUMPY
        found.append(value)
    return type(x)(found)


def on_host(numpys: Callable[..., Any], *operands: Array, most: int = EAGER_ELEMENTS_AT_MOST) -> Array | None:
    """What a function of NumPy gives for the values of arrays of any size, which are computed where they are not there.

    It is for functions that one call of NumPy's carries out faster than all that could be recorded for them.

    Args:
        numpys: takes the values, which it must not write to, and gives a number or an array of memory of its own; None
            where the call is to be recorded
        most: elements of the result up to which it is eager

    Returns:
        An array of the result's shape and dtype. None where the call is to be recorded: the settings ask for kernels or
        for deterministic results, a function is being recorded, the device is no CPU, an operand was put on one, NumPy
        raises an error, or the result has a dtype that lazyarr has not.
    """
    if not allowed() or any(x.tracing or x.placed is not None for x in operands):
        return None
    if not computes_on_cpu(settings().device):
        return None
    waiting = [x for x in operands if existing(x) is None]
    if waiting:
        compute(*waiting)
    values = [existing(x) for x in operands]
    if any(value is None for value in values):
        return None
    try:
        given = quietly(numpys, *values)
    except ERRORS:
        return None
    found = np.asarray(given)
    if given is None or found.dtype not in SUPPORTED:
        return None
    return of_any_size(found, most)
