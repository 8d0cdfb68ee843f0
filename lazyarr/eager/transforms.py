"""Fourier transforms carried out eagerly: NumPy's, of small arrays whose values exist.

A transform is recorded as the butterflies that it is made of, one by one for each new length, which takes milliseconds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial, wraps
from inspect import signature
from math import prod
from typing import Any, TypeVar

import numpy as np

from ir.cost.thresholds.eager import EAGER_ELEMENTS_AT_MOST
from lazyarr.array import Array
from lazyarr.array.eager import existing
from lazyarr.config import eagerness
from lazyarr.dtypes import SUPPORTED
from lazyarr.eager.numbers import in_own_memory
from lazyarr.eager.operations import allowed, is_ready
from lazyarr.memory.quiet import ERRORS, quietly

__all__ = ["small_by_numpy"]

F = TypeVar("F", bound=Callable[..., Any])


def small_by_numpy(function: F) -> F:
    """A transform of an array, an extent or several, an axis or several, and a norm, that is NumPy's of that name where
    the array is small and has a value.
    """
    numpys = getattr(np.fft, function.__name__)
    usual = list(signature(function).parameters.values())[2].default  # the axis, or axes

    @wraps(function)
    def on_values(a: Any, *options: Any, **named: Any) -> Any:
        if type(a) is Array and (eagerness.on or allowed()):
            value = _small(a)
            if value is not None and _is_small(value, usual, options, named):
                try:
                    found = quietly(partial(numpys, **named) if named else numpys, value, *options)
                except ERRORS:
                    pass  # recording raises lazyarr's own error
                else:
                    if found.dtype in SUPPORTED:
                        return in_own_memory(found, [value])
        return function(a, *options, **named)

    return on_values  # type: ignore[return-value]  # it takes and gives what the function does


def _small(x: Array) -> np.ndarray[Any, Any] | None:
    """The value of a small array, where it exists."""
    value: Any = x.value
    if value is None and 0 < prod(x.extents) <= EAGER_ELEMENTS_AT_MOST and is_ready(x, (x,)):
        value = existing(x)
    if type(value) is not np.ndarray or not 0 < value.size <= EAGER_ELEMENTS_AT_MOST:
        return None
    return value


def _is_small(x: np.ndarray[Any, Any], usual: Any, options: Sequence[Any], named: Mapping[str, Any]) -> bool:
    """Has the result few elements? With extents that NumPy takes otherwise than lazyarr, or with a warning, it counts
    as large.

    Args:
        usual: the axis or axes where none are given
    """
    axis = options[1] if len(options) > 1 else named.get("axis", named.get("axes", usual))
    if not x.ndim or (type(axis) in (tuple, list) and not axis):
        return False  # NumPy gives what is transformed along no axis
    n = options[0] if options else named.get("n", named.get("s"))
    if n is None:
        return True
    several = type(n) is tuple
    extents = n if several else (n,)
    if axis is None or not all(type(each) is int and each > 0 for each in extents):
        return False
    known = not several and type(axis) is int and -x.ndim <= axis < x.ndim
    before = [x.shape[axis]] if known else sorted(x.shape)[: len(extents)]  # at least so many are transformed
    return bool(x.size // prod(before) * prod(extents) <= EAGER_ELEMENTS_AT_MOST)
