"""Fourier transforms carried out eagerly: NumPy's, of small arrays whose values exist, and of large ones on a CPU.

A transform is recorded as the butterflies that it is made of, one by one for each new length, which takes milliseconds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial, wraps
from inspect import signature
from math import prod
from typing import Any, Final, TypeVar

import numpy as np

from ir.cost.thresholds.eager import EAGER_ELEMENTS_AT_MOST, EAGER_ELEMENTS_IN_LOOPS, EAGER_ELEMENTS_ON_CPUS
from lazyarr.array import Array
from lazyarr.array.eager import existing
from lazyarr.config import eagerness, settings
from lazyarr.dtypes import SUPPORTED
from lazyarr.eager.functions import on_host
from lazyarr.eager.numbers import in_own_memory
from lazyarr.eager.operations import allowed, is_ready
from lazyarr.memory.quiet import ERRORS, quietly
from lazyarr.runtime import computes_on_cpu

__all__ = ["is_among_transforms", "small_by_numpy"]

F = TypeVar("F", bound=Callable[..., Any])


_SIZES_KNOWN: Final = 256
_sizes: set[int] = set()
"""Elements of large results that are eager: other arrays as large are part of the same loop, or of its next run."""


def _note(count: int) -> None:
    if len(_sizes) >= _SIZES_KNOWN:
        _sizes.clear()
    _sizes.add(count)


def is_among_transforms(count: int) -> bool:
    """Are arrays of so many elements beside transforms of as many that are eager, so that what is made of both is
    carried out eagerly if these are, too?
    """
    return count in _sizes and computes_on_cpu(settings().device)


def small_by_numpy(function: F) -> F:
    """A transform of an array, an extent or several, an axis or several, and a norm, that is NumPy's of that name.

    So it is where the array is small and has a value, and, whatever its size, where kernels would run on the host's
    own processor. There they are several times slower, and writing all butterflies down takes longer than NumPy.
    """
    numpys = getattr(np.fft, function.__name__)
    usual = list(signature(function).parameters.values())[2].default  # the axis, or axes

    @wraps(function)
    def on_values(a: Any, *options: Any, **named: Any) -> Any:
        if type(a) is Array and (eagerness.on or allowed()):
            count = _results(a.extents, usual, options, named)
            value = _small(a) if 0 < count <= EAGER_ELEMENTS_AT_MOST else None
            call = partial(numpys, **named) if named else numpys
            if value is not None:
                try:
                    found = quietly(call, value, *options)
                except ERRORS:
                    pass  # recording raises lazyarr's own error
                else:
                    if found.dtype in SUPPORTED:
                        return in_own_memory(found, [value])
            elif EAGER_ELEMENTS_AT_MOST < max(count, prod(a.extents)) <= EAGER_ELEMENTS_ON_CPUS and count:
                made = on_host(lambda x: call(x, *options), a, most=EAGER_ELEMENTS_IN_LOOPS)
                if made is not None:
                    if made.value is not None:
                        _note(prod(made.extents))
                    return made
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


def _results(shape: tuple[int, ...], usual: Any, options: Sequence[Any], named: Mapping[str, Any]) -> int:
    """How many elements the result has at most; 0 with extents that NumPy takes otherwise than lazyarr, or with a
    warning.

    Args:
        usual: the axis or axes where none are given
    """
    axis = options[1] if len(options) > 1 else named.get("axis", named.get("axes", usual))
    if not shape or (type(axis) in (tuple, list) and not axis):
        return 0  # NumPy gives what is transformed along no axis
    n = options[0] if options else named.get("n", named.get("s"))
    size = prod(shape)
    if n is None or not size:
        return size
    several = type(n) is tuple
    extents = n if several else (n,)
    if axis is None or not all(type(each) is int and each > 0 for each in extents):
        return 0
    known = not several and type(axis) is int and -len(shape) <= axis < len(shape)
    before = [shape[axis]] if known else sorted(shape)[: len(extents)]  # at least so many are transformed
    return int(size // prod(before) * prod(extents))
