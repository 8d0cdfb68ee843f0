"""Python functions applied along arrays.

The function is called for every row or element with its value, on the host: what is to be compiled is written with the
array functions, or with `lift.map`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lazyarr.array import Array
from lazyarr.creation import asarray
from lazyarr.host import host_apply
from lazyarr.movement import normalise_axes, normalise_axis

__all__ = ["apply_along_axis", "apply_over_axes", "frompyfunc", "vectorize"]


def apply_along_axis(func1d: Callable[..., Any], axis: int, arr: Any, *args: Any, **kwargs: Any) -> Array:
    """The function of each row along an axis, a lazy array, its results in place of the rows; computes the value.

    Raises `ValueError` where there is no row.
    """
    x = asarray(arr, function="apply_along_axis")
    along = normalise_axis("apply_along_axis", axis, x.ndim)
    rows = np.moveaxis(np.asarray(x), along, -1)
    if not rows[..., :1].size:
        raise ValueError(f"apply_along_axis: expected one or more rows, got an array of shape {x.shape}")
    made = [np.asarray(func1d(asarray(rows[i].copy()), *args, **kwargs)) for i in np.ndindex(rows.shape[:-1])]
    found = np.stack(made).reshape(rows.shape[:-1] + made[0].shape)
    for inner in range(made[0].ndim):  # the dimensions of a result stand where the axis stood
        found = np.moveaxis(found, rows.ndim - 1 + inner, along + inner)
    return asarray(np.ascontiguousarray(found), device=x.device)


def apply_over_axes(func: Callable[[Any, int], Any], a: Any, axes: Any) -> Array:
    """`func(a, axis)` for one axis after the other; a result with a dimension less gets it back with extent one."""
    x = asarray(a, function="apply_over_axes")
    for axis in normalise_axes("apply_over_axes", axes, x.ndim):
        made = asarray(func(x, axis))
        if made.ndim == x.ndim - 1:
            from lazyarr.movement import expand_dims

            made = expand_dims(made, axis)
        if made.ndim != x.ndim:
            raise ValueError(f"apply_over_axes: the function made shape {made.shape} of {x.shape}")
        x = made
    return x


class vectorize:  # noqa: N801  # NumPy's name
    """A Python function of numbers as one of arrays: called for all elements, broadcast together, on the host.

    The parameters are those of `numpy.vectorize`, which runs it.
    """

    def __init__(self, pyfunc: Callable[..., Any], *arguments: Any, **keywords: Any) -> None:
        self.pyfunc = pyfunc
        self.__doc__ = pyfunc.__doc__
        self._function = np.vectorize(pyfunc, *arguments, **keywords)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The function's results, as arrays."""
        made = host_apply("vectorize", self._function, *args, **kwargs)
        return tuple(map(asarray, made)) if isinstance(made, tuple) else asarray(made)


def frompyfunc(func: Callable[..., Any], /, nin: int, nout: int) -> Callable[..., Any]:
    """A Python function of `nin` numbers with `nout` results as one of arrays, broadcast together; on the host.

    The results' dtype is that of their numbers: there are no arrays of objects.
    """
    function = np.frompyfunc(func, nin, nout)

    def numbers(made: Any) -> Any:
        return np.asarray(made.tolist()) if isinstance(made, np.ndarray) else np.asarray(made)

    def of_values(*values: Any) -> Any:
        made = function(*values)
        return tuple(map(numbers, made)) if isinstance(made, tuple) else numbers(made)

    def called(*arrays: Any) -> Any:
        if len(arrays) != nin:
            raise TypeError(f"{called.__name__}: expected {nin} arguments, got {len(arrays)}")
        return host_apply("frompyfunc", of_values, *arrays)

    called.__name__ = called.__qualname__ = f"{getattr(func, '__name__', '?')} (frompyfunc)"
    return called
