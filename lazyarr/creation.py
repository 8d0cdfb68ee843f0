"""Arrays from NumPy's, from numbers, and constant ones."""

from __future__ import annotations

import operator
from math import prod
from typing import Any

import numpy as np

from ir.core.patterns import Repeat
from lazyarr.array import Array
from lazyarr.dtypes import as_dtype, float64
from lazyarr.inputs import Input
from lazyarr.record import constant
from lazyarr.tracing import Scalar

__all__ = ["as_shape", "asarray", "full", "full_like", "ones", "ones_like", "zeros", "zeros_like"]


def asarray(
    obj: Any, /, dtype: Any = None, *, device: Any = None, copy: bool | None = None, function: str = "asarray"
) -> Array:
    """The object as an array; an `Array` of that dtype is itself.

    A NumPy array is kept, neither copied nor sent to a device until it is needed; then a CPU device reads it where it
    lies. So it must not be written to as long as the result, or anything recorded from it and not computed, is in use:
    pass `copy=True` where it will be. Only arrays that are not C-contiguous, aligned and in native byte order are
    copied at once.

    obj : an `Array`, a NumPy array or scalar, a Python number, nested lists of numbers, or what NumPy makes an array of
    dtype : convert to it
    device : the device to compute on; None: the default one
    copy : True: always copy; False: raise `ValueError` if a copy would be needed
    function : whose name stands in errors

    Raises `TypeError` for a dtype that is not supported (float16, complex, strings, objects).
    """
    if isinstance(obj, Array):
        found = _convert(obj, dtype)
        if copy and found is obj:
            found = obj.copy()
        if device is not None and found.device != device:
            if found.tracing or found.device is not None:
                raise ValueError(f"{function}: the array is on device {found.device}, expected {device}")
            found = Array(found.node, found.shape, found.dtype, device, found.trace)
        return found
    if isinstance(obj, Scalar):
        return _convert(_zero_dimensional(obj), dtype)
    source = np.asarray(obj)
    if source.dtype.kind not in "biuf":
        as_dtype(source.dtype, function)  # raises, whatever it should be converted to
    target = as_dtype(source.dtype if dtype is None else dtype, function)
    value = np.require(source, dtype=target, requirements=["C", "A"])
    if not isinstance(obj, np.ndarray) or value is not source:
        if copy is False:
            raise ValueError(f"{function}: a copy is needed and copy=False was given")
    elif copy:
        value = source.copy()
    return Array(Input(value.shape, target, value.reshape(-1)), value.shape, target, device)


def _convert(array: Array, dtype: Any) -> Array:
    if dtype is None:
        return array
    from lazyarr.elementwise import astype  # imports this module

    return astype(array, dtype, copy=False)


def _zero_dimensional(scalar: Scalar) -> Array:
    return Array(Repeat(1, scalar.expr), (), scalar.dtype, None, scalar.trace)


def as_shape(shape: Any, function: str) -> tuple[int, ...]:
    """A shape given as an integer or a sequence of integers; `TypeError` or `ValueError` if it is not one."""
    try:
        return (operator.index(shape),)
    except TypeError:
        pass
    try:
        return tuple(operator.index(extent) for extent in shape)
    except TypeError:
        raise TypeError(f"{function}: expected shape to be integers, got {shape!r}") from None


def full(shape: Any, fill_value: Any, *, dtype: Any = None, device: Any = None) -> Array:
    """An array of that shape whose elements are all the same number (Python's, NumPy's, or a 0-dimensional array).

    The dtype is the number's own by default (int64, float64 or bool for Python's).
    """
    extents = as_shape(shape, "full")
    if any(extent < 0 for extent in extents):
        raise ValueError(f"full: expected extents that are not negative, got shape {extents}")
    if isinstance(fill_value, (Array, Scalar)):
        from lazyarr.movement import broadcast_to

        return broadcast_to(asarray(fill_value, dtype, device=device), extents)
    value = np.asarray(fill_value)
    if value.shape:
        raise ValueError(f"full: expected fill_value to be a number, got an array of shape {value.shape}")
    target = as_dtype(value.dtype if dtype is None else dtype, "full")
    return Array(constant(prod(extents), value.item(), target), extents, target, device)


def zeros(shape: Any, *, dtype: Any = None, device: Any = None) -> Array:
    """An array of zeros, float64 by default."""
    return full(shape, 0, dtype=float64 if dtype is None else dtype, device=device)


def ones(shape: Any, *, dtype: Any = None, device: Any = None) -> Array:
    """An array of ones, float64 by default."""
    return full(shape, 1, dtype=float64 if dtype is None else dtype, device=device)


def full_like(x: Any, /, fill_value: Any, *, dtype: Any = None, device: Any = None) -> Array:
    """A constant array of the shape, and by default the dtype, of another."""
    x = asarray(x, function="full_like")
    return full(x.shape, fill_value, dtype=dtype or x.dtype, device=device or x.device)


def zeros_like(x: Any, /, *, dtype: Any = None, device: Any = None) -> Array:
    """Zeros in the shape, and by default the dtype, of another array."""
    return full_like(x, 0, dtype=dtype, device=device)


def ones_like(x: Any, /, *, dtype: Any = None, device: Any = None) -> Array:
    """Ones in the shape, and by default the dtype, of another array."""
    return full_like(x, 1, dtype=dtype, device=device)
