"""Reductions that leave NaNs out, by NumPy's names; where nothing is left they give NumPy's result, without a warning.

Integers and bools have no NaNs: for them the functions are those without "nan".
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lazyarr import reductions, searching
from lazyarr.array import Array
from lazyarr.creation import asarray
from lazyarr.dtypes import float64
from lazyarr.elementwise import astype, conj, divide, isnan, logical_not, multiply, real, sqrt, subtract, where
from lazyarr.outputs import with_out
from lazyarr.universal import finished

__all__ = ["nanargmax", "nanargmin", "nanmax", "nanmean", "nanmin", "nanprod", "nanstd", "nansum", "nanvar"]


def _filled(function: str, x: Any, value: Any) -> Array:
    """The array with a number in the place of NaNs."""
    array = asarray(x, function=function)
    return where(isnan(array), array.dtype.type(value), array) if array.dtype.kind in "fc" else array


def nansum(a: Any, /, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False) -> Array:
    """The sum of the numbers that are not NaN; zero where there are none."""
    return reductions.sum(_filled("nansum", a, 0), axis, dtype, out, keepdims)


def nanprod(a: Any, /, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False) -> Array:
    """The product of the numbers that are not NaN; one where there are none."""
    return reductions.prod(_filled("nanprod", a, 1), axis, dtype, out, keepdims)


def _extreme(function: str, name: str, a: Any, axis: Any, out: Any, keepdims: bool) -> Array:
    array = asarray(a, function=function)
    reduction = getattr(reductions, name)
    if array.dtype.kind != "f":
        return reduction(array, axis, out, keepdims)  # type: ignore[no-any-return]  # an Array
    found = reduction(_filled(function, array, np.inf if name == "min" else -np.inf), axis, keepdims=keepdims)
    nothing = reductions.all(isnan(array), axis, keepdims=keepdims)
    return finished(function, where(nothing, array.dtype.type(np.nan), found), out)


def nanmin(a: Any, /, axis: Any = None, out: Any = None, keepdims: bool = False) -> Array:
    """The least of the numbers that are not NaN; NaN where there are none."""
    return _extreme("nanmin", "min", a, axis, out, keepdims)


def nanmax(a: Any, /, axis: Any = None, out: Any = None, keepdims: bool = False) -> Array:
    """The greatest of the numbers that are not NaN; NaN where there are none."""
    return _extreme("nanmax", "max", a, axis, out, keepdims)


@with_out
def nanargmin(a: Any, /, axis: int | None = None, *, keepdims: bool = False) -> Array:
    """The index of the least number that is not NaN (of NaNs alone: 0, where NumPy raises)."""
    return searching.argmin(_filled("nanargmin", a, np.inf), axis, keepdims=keepdims)


@with_out
def nanargmax(a: Any, /, axis: int | None = None, *, keepdims: bool = False) -> Array:
    """The index of the greatest number that is not NaN (of NaNs alone: 0, where NumPy raises)."""
    return searching.argmax(_filled("nanargmax", a, -np.inf), axis, keepdims=keepdims)


def _count(array: Array, axis: Any, keepdims: bool) -> Array:
    """How many numbers are not NaN."""
    return reductions.sum(logical_not(isnan(array)), axis, keepdims=keepdims)


def nanmean(a: Any, /, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False) -> Array:
    """The mean of the numbers that are not NaN; NaN where there are none."""
    array = asarray(a, function="nanmean")
    if array.dtype.kind not in "fc":
        return reductions.mean(array, axis, dtype, out, keepdims)
    total = reductions.sum(_filled("nanmean", array, 0), axis, dtype, keepdims=keepdims)
    return finished("nanmean", _over(total, _count(array, axis, keepdims)), out)


def _over(total: Array, count: Array) -> Array:
    """The quotient, in the dtype of the total."""
    part = np.dtype(total.dtype.char.lower()) if total.dtype.kind == "c" else total.dtype
    return divide(total, astype(count, part))


def nanvar(
    a: Any, /, axis: Any = None, dtype: Any = None, out: Any = None, ddof: float = 0, keepdims: bool = False
) -> Array:
    """The variance of the numbers that are not NaN; NaN where `ddof` leaves no degree of freedom."""
    array = asarray(a, function="nanvar")
    if array.dtype.kind not in "fc":
        return reductions.var(array, axis, dtype, out, ddof, keepdims)
    array = array if dtype is None else astype(array, dtype)
    distance = subtract(array, nanmean(array, axis, keepdims=True))
    distance = where(isnan(array), array.dtype.type(0), distance)  # of infinities it is NaN, and stays
    squares = real(multiply(distance, conj(distance)))
    freedom = subtract(astype(_count(array, axis, keepdims), float64), ddof)
    freedom = where(freedom > 0, freedom, np.nan)
    return finished("nanvar", _over(reductions.sum(squares, axis, keepdims=keepdims), freedom), out)


def nanstd(
    a: Any, /, axis: Any = None, dtype: Any = None, out: Any = None, ddof: float = 0, keepdims: bool = False
) -> Array:
    """The standard deviation of the numbers that are not NaN: the square root of `nanvar`."""
    return finished("nanstd", sqrt(nanvar(a, axis, dtype, None, ddof, keepdims)), out)
