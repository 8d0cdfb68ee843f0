"""Arrays whose elements are all one number, and what other arrays broadcast to."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from numpy.exceptions import ComplexWarning

from ir.cost.thresholds.eager import EAGER_ELEMENTS_AT_MOST, EAGER_FUNCTION_ELEMENTS_AT_MOST
from lazyarr.array import Array, array_of, box, eager, known_device
from lazyarr.array.scalar import Scalar
from lazyarr.config import eagerness
from lazyarr.dtypes import WEAK, DType, as_dtype, float64
from lazyarr.eager.operations import allowed
from lazyarr.graph.builders import constant
from lazyarr.memory.orders import as_order
from lazyarr.recording.creation import as_shape, as_value, asarray
from lazyarr.recording.replay import warn

__all__ = ["empty", "empty_like", "full", "full_like", "ones", "ones_like", "zeros", "zeros_like"]


def full(shape: Any, fill_value: Any, dtype: Any = None, order: str | None = "C", *, device: Any = None) -> Array:
    """An array of that shape whose elements are all the same number, or those of an array that broadcasts to it.

    The dtype is that of the value by default (int64, float64, complex128 or bool for Python's numbers). `order` is
    NumPy's order in memory and changes nothing.

    Raises:
        ValueError: a negative extent.
        DeviceError: a device that there is not.
    """
    return _filled("full", shape, fill_value, dtype, order, device)


def _filled(function: str, shape: Any, fill_value: Any, dtype: Any, order: Any, device: Any) -> Array:
    """`full`, for a function whose name stands in errors."""
    extents = as_shape(shape, function)
    if order != "C":
        as_order(order, function, ("C", "F"))
    known_device(device)
    if any(extent < 0 for extent in extents):
        raise ValueError(f"{function}: expected extents that are not negative, got shape {extents}")
    value = fill_value if isinstance(fill_value, (Array, Scalar)) else as_value(fill_value, function)
    if type(value) is Array and extents and device is None and eagerness.on:
        number = _number_of(value, prod(extents))
        if number is not None and (dtype is None or as_dtype(dtype, function) is value.dtype):
            return eager(np.full(extents, number, value.dtype))
    if isinstance(value, (Array, Scalar)) or value.shape:
        from lazyarr.recording.movement import broadcast_to  # which makes arrays of what it is given

        made = asarray(value, dtype, device=device, function=function)
        try:
            return broadcast_to(made, extents)
        except ValueError:
            message = f"{function}: fill_value of shape {made.shape} does not broadcast to shape {extents}"
            raise ValueError(message) from None
    target = as_dtype(value.dtype if dtype is None else dtype, function)
    if value.dtype.kind == "c" and target.kind in "iuf":
        warn(f"{function}: {value.dtype.name} to {target.name} drops the imaginary parts", ComplexWarning)
        value = value.real
    if type(fill_value) is not int and target.kind == "b":
        value = value.astype(target)
    if type(fill_value) is not int and value.dtype.kind in "iuf" and target.kind in "iu":
        if not prod(extents):
            value = value.dtype.type(0)  # which nothing is filled with
        value = _cut(function, value, target)  # of Python's integers alone NumPy checks whether the dtype holds them
    count = prod(extents)
    few = extents and device is None and count <= EAGER_ELEMENTS_AT_MOST and (eagerness.on or allowed())
    if few and value.dtype.kind in "biuf" and (target.kind in "fc" or np.isfinite(value)):
        return eager(np.full(extents, value.item(), target))  # most are written to, or meet others as small
    return box(array_of(constant(count, value.item(), target), extents, target, device))


def _cut(function: str, value: Any, target: DType) -> Any:
    """A number as one of an integer dtype, with NumPy's warning where that has none for it, as for NaN."""
    try:
        with np.errstate(invalid="raise"):
            return value.astype(target)
    except FloatingPointError:
        if np.geterr()["invalid"] != "ignore":
            warn(f"{function}: invalid value encountered in cast: {value} to {target.name}", RuntimeWarning)
        with np.errstate(invalid="ignore"):
            return value.astype(target)


def _blank(function: str, shape: Any, number: int, dtype: Any, order: Any, device: Any) -> Array:
    """`_filled` by 0 or 1, which loops ask for again and again: small ones are NumPy's, without a look at either."""
    if device is None and order == "C" and (eagerness.on or allowed()):
        extents = as_shape(shape, function)
        if extents and min(extents) >= 0 and prod(extents) <= EAGER_ELEMENTS_AT_MOST:
            target = float64 if dtype is None or dtype is float else as_dtype(dtype, function)
            return eager(np.ones(extents, target) if number else np.zeros(extents, target))
    return _filled(function, shape, number, float64 if dtype is None else dtype, order, device)


def _number_of(x: Array, count: int) -> bool | int | float | complex | None:
    """What an eager number is, if as many of it are a small array; None of other arrays."""
    is_number = type(x.value) in WEAK and count <= EAGER_FUNCTION_ELEMENTS_AT_MOST
    return x.value if is_number else None  # type: ignore[return-value]  # it is of those types


def zeros(shape: Any, dtype: Any = None, order: str | None = "C", *, device: Any = None) -> Array:
    """An array of zeros, float64 by default; raises as `full` does."""
    return _blank("zeros", shape, 0, dtype, order, device)


def ones(shape: Any, dtype: Any = None, order: str | None = "C", *, device: Any = None) -> Array:
    """An array of ones, float64 by default; raises as `full` does."""
    return _blank("ones", shape, 1, dtype, order, device)


def empty(shape: Any, dtype: Any = None, order: str | None = "C", *, device: Any = None) -> Array:
    """An array to be written to, float64 by default. Its elements are zeros: nothing is ever left uninitialised.

    Raises as `full` does.
    """
    return _blank("empty", shape, 0, dtype, order, device)


def full_like(
    a: Any,
    fill_value: Any,
    dtype: Any = None,
    order: str | None = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: Any = None,
) -> Array:
    """A constant array of the shape, and by default the dtype, of another.

    Args:
        shape: another shape, as NumPy has it; `order` and `subok` are there for NumPy's sake and change nothing
    """
    return _filled_like("full_like", a, fill_value, dtype, order, shape, device)


def _filled_like(function: str, a: Any, fill_value: Any, dtype: Any, order: Any, shape: Any, device: Any) -> Array:
    """`full_like`, for a function whose name stands in errors."""
    x = asarray(a, function=function)
    as_order(order, function)
    target, extents = x.dtype if dtype is None else dtype, x.shape if shape is None else shape
    filled = _blank if type(fill_value) is int and 0 <= fill_value <= 1 else _filled
    return filled(function, extents, fill_value, target, "C", device or x.placed)


def zeros_like(
    a: Any, dtype: Any = None, order: str | None = "K", subok: bool = True, shape: Any = None, *, device: Any = None
) -> Array:
    """Zeros in the shape, and by default the dtype, of another array; see `full_like`."""
    return _filled_like("zeros_like", a, 0, dtype, order, shape, device)


def ones_like(
    a: Any, dtype: Any = None, order: str | None = "K", subok: bool = True, shape: Any = None, *, device: Any = None
) -> Array:
    """Ones in the shape, and by default the dtype, of another array; see `full_like`."""
    return _filled_like("ones_like", a, 1, dtype, order, shape, device)


def empty_like(
    x: Any, /, dtype: Any = None, order: str | None = "K", subok: bool = True, shape: Any = None, *, device: Any = None
) -> Array:
    """An array to be written to in the shape, and by default the dtype, of another: zeros, as in `empty`."""
    return _filled_like("empty_like", x, 0, dtype, order, shape, device)
