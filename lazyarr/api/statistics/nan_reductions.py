"""Reductions that leave NaNs out, by NumPy's names; where nothing is left they give NumPy's result. They warn, as NumPy
does, where shapes say so; what values say is known later, or never.

Integers and bools have no NaNs: for them the functions are those without "nan".
"""

from __future__ import annotations

from inspect import unwrap
from typing import Any

import numpy as np

from ir.cost.thresholds.eager import EAGER_ELEMENTS_IN_LOOPS
from lazyarr.aliasing.outputs import OUT_TO_RESULT, put_reduced, with_out_at
from lazyarr.api.elementwise import ufuncs
from lazyarr.api.elementwise.standard import conj, divide, isnan, logical_and, logical_not, multiply, sqrt, subtract
from lazyarr.api.reduce import reductions, searching
from lazyarr.array import Array, compute
from lazyarr.dtypes import as_dtype, bool_, float64
from lazyarr.eager.functions import small_by
from lazyarr.graph.tracing import recordings
from lazyarr.recording.conversion import astype, mask_given, real
from lazyarr.recording.conversion import where as choose
from lazyarr.recording.creation import asarray
from lazyarr.recording.empty_slices import warns_of_empty_slices
from lazyarr.recording.movement import broadcast_to
from lazyarr.recording.replay import replayable, warn

__all__ = ["nanargmax", "nanargmin", "nanmax", "nanmean", "nanmin", "nanprod", "nanstd", "nansum", "nanvar"]


def _filled(function: str, x: Any, value: Any) -> Array:
    """The array with a number in the place of NaNs."""
    array = asarray(x, function=function)
    return choose(isnan(array), array.dtype.type(value), array) if array.dtype.kind in "fc" else array


@replayable
def nansum(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = True,
) -> Array:
    """The sum of the numbers that are not NaN; zero where there are none."""
    return reductions.sum(_filled("nansum", a, 0), axis, dtype, out, keepdims, initial, where)


@replayable
def nanprod(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = True,
) -> Array:
    """The product of the numbers that are not NaN; one where there are none."""
    return reductions.prod(_filled("nanprod", a, 1), axis, dtype, out, keepdims, initial, where)


def _extreme(function: str, name: str, a: Any, axis: Any, out: Any, keepdims: bool, initial: Any, where: Any) -> Array:
    array = asarray(a, function=function)
    reduction = getattr(reductions, name)
    if array.dtype.kind not in "fc":
        return reduction(array, axis, out, keepdims, initial, where)  # type: ignore[no-any-return]  # an Array
    if initial is not None or array.dtype.kind == "c":  # it may be NaN itself, and counts then as the elements do
        return getattr(ufuncs, f"f{name}").reduce(array, axis, None, out, keepdims, initial, where)  # type: ignore[no-any-return]  # an Array
    filled = _filled(function, array, np.inf if name == "min" else -np.inf)
    found = reduction(filled, axis, keepdims=keepdims, where=where)
    nothing = reductions.all(isnan(array), axis, keepdims=keepdims)
    made = choose(nothing, array.dtype.type(np.nan), found)
    return put_reduced(function, out, made)


def _of_few(numpys: np.ufunc, last: float) -> Any:
    """`nanmax` or `nanmin` of real numbers by NumPy's function of two.

    Args:
        last: what comes before all numbers, or after them
    """

    def function(a: Any, axis: Any = None, out: None = None, keepdims: bool = False) -> Any:
        x = np.asarray(a)
        if x.dtype.kind not in "fiu" or not x.size or out is not None:
            return None
        found = numpys.reduce(x, axis=axis, keepdims=keepdims)
        if x.dtype.kind != "f" or not np.isnan(found).any():
            return found
        no_number = np.isnan(x)
        found = numpys.reduce(np.where(no_number, x.dtype.type(last), x), axis=axis, keepdims=keepdims)
        return np.where(no_number.all(axis=axis, keepdims=keepdims), x.dtype.type(np.nan), found)

    return function


@warns_of_empty_slices("All-NaN slice encountered")
@small_by(_of_few(np.minimum, np.inf), EAGER_ELEMENTS_IN_LOOPS)
@replayable
def nanmin(
    a: Any, axis: Any = None, out: Any = None, keepdims: bool = False, initial: Any = None, where: Any = True
) -> Array:
    """The least of the numbers that are not NaN; NaN where there are none. `initial` and `where` as in `min`."""
    return _extreme("nanmin", "min", a, axis, out, keepdims, initial, where)


@warns_of_empty_slices("All-NaN slice encountered")
@small_by(_of_few(np.maximum, -np.inf), EAGER_ELEMENTS_IN_LOOPS)
@replayable
def nanmax(
    a: Any, axis: Any = None, out: Any = None, keepdims: bool = False, initial: Any = None, where: Any = True
) -> Array:
    """The greatest of the numbers that are not NaN; NaN where there are none. `initial` and `where` as in `max`."""
    return _extreme("nanmax", "max", a, axis, out, keepdims, initial, where)


def _last(x: Array, greatest: bool) -> Any:
    """The number that comes after all others, or before them."""
    end = np.inf if greatest else -np.inf
    return complex(end, end) if x.dtype.kind == "c" else end


@with_out_at(2, casting=OUT_TO_RESULT)
def nanargmin(a: Any, axis: int | None = None, *, keepdims: bool = False) -> Array:
    """The index of the least number that is not NaN, as int64; computed at once where it is not recorded by `lift.jit`.

    Raises:
        ValueError: a slice is of NaNs alone; in functions that `lift.jit` records its index is 0.
    """
    array = asarray(a, function="nanargmin")
    return _found_in(array, _index(array, axis, keepdims, False), axis)


@with_out_at(2, casting=OUT_TO_RESULT)
def nanargmax(a: Any, axis: int | None = None, *, keepdims: bool = False) -> Array:
    """The index of the greatest number that is not NaN, as int64; computed at once as that of `nanargmin`.

    Raises:
        ValueError: as `nanargmin`.
    """
    array = asarray(a, function="nanargmax")
    return _found_in(array, _index(array, axis, keepdims, True), axis)


@replayable
def _index(array: Array, axis: int | None, keepdims: bool, greatest: bool) -> Array:
    """That of the least number that is not NaN, or the greatest; 0 where there is none."""
    name = "nanargmax" if greatest else "nanargmin"
    search = searching.argmax if greatest else searching.argmin
    return search(_filled(name, array, _last(array, not greatest)), axis, keepdims=keepdims)


@replayable
def _nothing(array: Array, axis: int | None) -> Array:
    """Is any slice of NaNs alone?"""
    return reductions.any(reductions.all(isnan(array), axis))


def _found_in(array: Array, indices: Array, axis: int | None) -> Array:
    """The indices that were found. They are computed with the answer to whether there was a number in each slice."""
    if array.dtype.kind in "fc" and not recordings.count:
        nothing = _nothing(array, axis)
        compute(indices, nothing)
        if nothing:
            raise ValueError("All-NaN slice encountered")
    return indices


def _numbers(function: str, array: Array, where: Any) -> Array:
    """Where the elements are no NaNs, and the mask holds."""
    found = logical_not(isnan(array))
    if where is True:
        return found
    mask = astype(asarray(mask_given(function, where), function=function), bool_)
    return logical_and(found, broadcast_to(mask, array.shape))


def _check_inexact(function: str, dtype: Any) -> None:
    """`TypeError` for a dtype that does not hold NaN."""
    target = float64 if dtype is None else as_dtype(dtype, function)
    if target.kind not in "fc":
        raise TypeError(f"{function}: expected dtype to be one of floats or complex numbers, got {target.name}")


@warns_of_empty_slices("Mean of empty slice")
@replayable
def nanmean(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False, *, where: Any = True
) -> Array:
    """The mean of the numbers that are not NaN; NaN where there are none.

    Args:
        where: a mask of the elements that count. The other parameters are those of `mean`
    """
    array = asarray(a, function="nanmean")
    if array.dtype.kind not in "fc":
        return reductions.mean(array, axis, dtype, out, keepdims, where=where)
    _check_inexact("nanmean", dtype)
    numbers = _numbers("nanmean", array, where)
    total = reductions.sum(array, axis, dtype, keepdims=keepdims, where=numbers)
    if total.size and not array.size:
        warn("Mean of empty slice", RuntimeWarning)
    return put_reduced("nanmean", out, _over(total, reductions.sum(numbers, axis, keepdims=keepdims)), "same_kind")


_nanmean = unwrap(nanmean)
"""As the functions below take it, which say themselves what is to be said."""


def _over(total: Array, count: Array) -> Array:
    """The quotient, in the dtype of the total."""
    part = np.dtype(total.dtype.char.lower()) if total.dtype.kind == "c" else total.dtype
    return divide(total, astype(count, part))


@warns_of_empty_slices("Degrees of freedom <= 0 for slice.")
@replayable
def nanvar(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    where: Any = True,
    mean: Any = None,
    correction: float | None = None,
) -> Array:
    """The variance of the numbers that are not NaN; NaN where `ddof` leaves no degree of freedom. See `var`."""
    array = asarray(a, function="nanvar")
    if array.dtype.kind not in "fc":
        return reductions.var(array, axis, dtype, out, ddof, keepdims, where=where, mean=mean, correction=correction)
    _check_inexact("nanvar", dtype)
    target = array.dtype if dtype is None else as_dtype(dtype, "nanvar")
    is_real = array.dtype.kind == "c" and target.kind == "f"  # as in `var`
    array = array if is_real else astype(array, target)
    numbers = _numbers("nanvar", array, where)
    if mean is not None:
        centre = asarray(mean, function="nanvar")
    else:  # of nothing there is none, and a warning
        centre = (
            _nanmean(array, axis, target, keepdims=True, where=where) if array.size else asarray(target.type(np.nan))
        )
    distance = subtract(array, centre)
    squares = real(multiply(distance, conj(distance)))  # of infinities it is NaN, and stays
    squares = astype(squares, target) if is_real else squares
    freedom = astype(reductions.sum(numbers, axis, keepdims=keepdims), float64)
    correction = reductions.correction_of("nanvar", ddof, correction)
    if freedom.size and array.size <= correction * freedom.size:
        warn("Degrees of freedom <= 0 for slice.", RuntimeWarning)
    freedom = subtract(freedom, correction)
    freedom = choose(freedom > 0, freedom, np.nan)
    total = reductions.sum(squares, axis, keepdims=keepdims, where=numbers)
    return put_reduced("nanvar", out, reductions.in_complex(_over(total, freedom), dtype), "same_kind")


_nanvar = unwrap(nanvar)


@warns_of_empty_slices("Degrees of freedom <= 0 for slice.")
@replayable
def nanstd(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    where: Any = True,
    mean: Any = None,
    correction: float | None = None,
) -> Array:
    """The standard deviation of the numbers that are not NaN: the square root of `nanvar`."""
    found = _nanvar(a, axis, dtype, None, ddof, keepdims, where=where, mean=mean, correction=correction)
    return put_reduced("nanstd", out, sqrt(found), "same_kind")
