"""Reductions that leave NaNs out, by NumPy's names. Of dtypes without NaN they are the plain ones."""

from __future__ import annotations

from math import inf, nan
from typing import Any

from lazyarr import reductions
from lazyarr.array import Array
from lazyarr.creation import asarray
from lazyarr.dtypes import component_of
from lazyarr.elementwise import (
    add,
    astype,
    divide,
    greater,
    imag,
    isnan,
    logical_not,
    real,
    sqrt,
    square,
    subtract,
    where,
)

__all__ = ["nanmax", "nanmean", "nanmin", "nanprod", "nanstd", "nansum", "nanvar"]


def _filled(x: Array, value: float) -> Array:
    return where(isnan(x), asarray(value, x.dtype), x) if x.dtype.kind in "fc" else x


def _counts(x: Array, axis: Any, keepdims: bool) -> Array:
    """How many elements along axes are no NaN, in the dtype of the array's parts."""
    there = astype(logical_not(isnan(x)), "int64")
    return astype(reductions.sum(there, axis, keepdims=keepdims), component_of(x.dtype))


def nansum(x: Any, /, axis: Any = None, *, dtype: Any = None, keepdims: bool = False) -> Array:
    """`sum` of what is no NaN; zero where there is nothing else."""
    return reductions.sum(_filled(asarray(x, function="nansum"), 0), axis, dtype=dtype, keepdims=keepdims)


def nanprod(x: Any, /, axis: Any = None, *, dtype: Any = None, keepdims: bool = False) -> Array:
    """`prod` of what is no NaN; one where there is nothing else."""
    return reductions.prod(_filled(asarray(x, function="nanprod"), 1), axis, dtype=dtype, keepdims=keepdims)


def nanmax(x: Any, /, axis: Any = None, *, keepdims: bool = False) -> Array:
    """`max` of what is no NaN; NaN where there is nothing else."""
    return _extreme(asarray(x, function="nanmax"), reductions.max, -inf, axis, keepdims)


def nanmin(x: Any, /, axis: Any = None, *, keepdims: bool = False) -> Array:
    """`min` of what is no NaN; NaN where there is nothing else."""
    return _extreme(asarray(x, function="nanmin"), reductions.min, inf, axis, keepdims)


def _extreme(x: Array, reduce: Any, least: float, axis: Any, keepdims: bool) -> Array:
    if x.dtype.kind != "f":
        found: Array = reduce(x, axis, keepdims=keepdims)
        return found
    nothing = reductions.all(isnan(x), axis, keepdims=keepdims)
    return where(nothing, asarray(nan, x.dtype), reduce(_filled(x, least), axis, keepdims=keepdims))


def nanmean(x: Any, /, axis: Any = None, *, dtype: Any = None, keepdims: bool = False) -> Array:
    """`mean` of what is no NaN; NaN where there is nothing else."""
    x = asarray(x, function="nanmean")
    if x.dtype.kind not in "fc":
        return reductions.mean(x, axis, dtype=dtype, keepdims=keepdims)
    x = x if dtype is None else astype(x, dtype)
    total = reductions.sum(_filled(x, 0), axis, keepdims=keepdims)
    return divide(total, _counts(x, axis, keepdims))


def nanvar(x: Any, /, axis: Any = None, *, dtype: Any = None, ddof: float = 0, keepdims: bool = False) -> Array:
    """`var` of what is no NaN; NaN where there are no more than `ddof` such elements."""
    x = asarray(x, function="nanvar")
    if x.dtype.kind not in "fc":
        return reductions.var(x, axis, dtype=dtype, ddof=ddof, keepdims=keepdims)
    x = x if dtype is None else astype(x, dtype)
    distance = where(isnan(x), asarray(0, x.dtype), subtract(x, nanmean(x, axis, keepdims=True)))
    squares = square(distance) if x.dtype.kind == "f" else add(square(real(distance)), square(imag(distance)))
    freedom = subtract(_counts(x, axis, keepdims), float(ddof))
    found = divide(reductions.sum(squares, axis, keepdims=keepdims), freedom)
    return where(greater(freedom, 0), found, asarray(nan, found.dtype))


def nanstd(x: Any, /, axis: Any = None, *, dtype: Any = None, ddof: float = 0, keepdims: bool = False) -> Array:
    """`std` of what is no NaN: the square root of `nanvar`."""
    x = asarray(x, function="nanstd")
    return sqrt(nanvar(x, axis, dtype=dtype, ddof=ddof, keepdims=keepdims))
