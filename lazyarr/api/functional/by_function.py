"""Python functions applied along arrays.

The function is called for every row or element with its value, on the host: what is to be compiled is written with the
array functions, or with `lift.map`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ir.cost.thresholds.eager import EAGER_ELEMENTS_AT_MOST
from lazyarr.api.elementwise.ufunc import ufunc
from lazyarr.array import Array, eager
from lazyarr.config import eagerness
from lazyarr.memory.masked import refuse_masked
from lazyarr.recording.creation import asarray
from lazyarr.recording.host import host_apply
from lazyarr.recording.movement import expand_dims, normalise_axis, sequence_of_axes

__all__ = ["apply_along_axis", "apply_over_axes", "frompyfunc", "vectorize"]


def apply_along_axis(func1d: Callable[..., Any], axis: int, arr: Any, *args: Any, **kwargs: Any) -> Array:
    """The function of each row along an axis, a lazy array, its results in place of the rows; computes the value.

    Raises:
        ValueError: there is no row.
    """
    if not callable(func1d):
        raise TypeError(f"apply_along_axis: expected func1d to be a function, got {func1d!r}")
    x = asarray(arr, function="apply_along_axis")
    along = normalise_axis("apply_along_axis", axis, x.ndim)
    rows = np.moveaxis(np.asarray(x), along, -1)
    if 0 in rows.shape[:-1]:
        raise ValueError(f"apply_along_axis: expected one or more rows, got an array of shape {x.shape}")
    made = [_value(func1d(_copied(rows[i]), *args, **kwargs)) for i in np.ndindex(rows.shape[:-1])]
    found = np.stack(made).reshape(rows.shape[:-1] + made[0].shape)
    for inner in range(made[0].ndim):  # the dimensions of a result stand where the axis stood
        found = np.moveaxis(found, rows.ndim - 1 + inner, along + inner)
    return asarray(np.require(found, requirements="C"), device=x.placed)


def _copied(row: np.ndarray[Any, Any]) -> Array:
    """A row as an array of its own: an eager one where operations on so few elements are carried out eagerly."""
    if eagerness.on and 0 < row.size <= EAGER_ELEMENTS_AT_MOST:
        return eager(row.copy())
    return asarray(row.copy())


def _value(made: Any) -> np.ndarray[Any, Any]:
    """What a function gave, as it is now: it may give the same array again, changed."""
    if type(made) is Array and made.value is not None and eagerness.on:
        return np.array(made.value, made.dtype)
    return np.asarray(made)


def apply_over_axes(func: Callable[[Any, int], Any], a: Any, axes: Any) -> Array:
    """`func(a, axis)` for one axis after the other; a result with a dimension less gets it back with extent one."""
    x = asarray(a, function="apply_over_axes")
    is_one = not np.ndim(axes) and hasattr(axes, "__index__")
    given = (axes,) if is_one else sequence_of_axes("apply_over_axes", axes)
    for axis in [normalise_axis("apply_over_axes", each, x.ndim) for each in given]:
        made = asarray(func(x, axis))
        if made.ndim == x.ndim - 1:
            made = expand_dims(made, axis)
        if made.ndim != x.ndim:
            raise ValueError(f"apply_over_axes: the function made shape {made.shape} of {x.shape}")
        x = made
    return x


class vectorize(np.vectorize):  # noqa: N801  # NumPy's name
    """A Python function of numbers as one of arrays: called for all elements, broadcast together, on the host.

    The parameters are those of `numpy.vectorize`, which runs it.
    """

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The function's results, as arrays; `self` where it decorates a function that comes now."""
        pyfunc: Any = self.pyfunc
        if not callable(pyfunc):
            return super().__call__(*args, **kwargs)
        refuse_masked([*args, *kwargs.values()], "vectorize")
        made = host_apply("vectorize", super().__call__, *args, **kwargs)
        return tuple(map(asarray, made)) if isinstance(made, tuple) else asarray(made)


def frompyfunc(func: Callable[..., Any], /, nin: int, nout: int, *, identity: Any = None) -> ufunc:
    """A Python function of `nin` numbers with `nout` results as one of arrays, broadcast together; on the host.

    The results' dtype is that of their numbers: there are no arrays of objects. Of two numbers with one result it has
    `reduce`, `accumulate` and `outer`, which go from the first element to the last.

    Args:
        identity: what reducing no elements gives
    """
    return _OfNumbers(func, nin, nout, identity)


class _OfNumbers(ufunc):
    """What `frompyfunc` makes."""

    def __init__(self, func: Callable[..., Any], nin: int, nout: int, identity: Any) -> None:
        super().__init__(f"{getattr(func, '__name__', '?')} (frompyfunc)", func.__doc__ or "A Python function", "")
        self.nin, self.nout = nin, nout
        self._function = np.frompyfunc(func, nin, nout, identity=identity)

    def __call__(self, *arrays: Any) -> Any:
        """The results of all elements."""
        if len(arrays) != self.nin:
            raise TypeError(f"{self.__name__}: expected {self.nin} arguments, got {len(arrays)}")
        return self._applied(self._function, *arrays)

    def reduce(self, array: Any, axis: Any = 0, *arguments: Any, **keywords: Any) -> Any:
        """The elements along an axis combined."""
        return self._applied(self._function.reduce, array, axis, *arguments, **keywords)

    def accumulate(self, array: Any, axis: int = 0, *arguments: Any, **keywords: Any) -> Any:
        """The elements up to each along an axis combined."""
        return self._applied(self._function.accumulate, array, axis, *arguments, **keywords)

    def outer(self, a: Any, b: Any, /, **keywords: Any) -> Any:
        """The results of every element of one with every element of the other."""
        return self._applied(self._function.outer, a, b, **keywords)

    def _applied(self, function: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
        def numbers(*values: Any, **options: Any) -> Any:
            made = function(*values, **options)
            return tuple(map(_as_numbers, made)) if isinstance(made, tuple) else _as_numbers(made)

        return host_apply("frompyfunc", numbers, *arguments, **keywords)


def _as_numbers(made: Any) -> Any:
    """NumPy's array of objects as one of the dtype of its numbers."""
    return np.asarray(made.tolist()) if isinstance(made, np.ndarray) else np.asarray(made)
