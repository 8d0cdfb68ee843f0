"""Numbers between two bounds: `linspace`, `logspace`, `geomspace`.

The elements of `linspace` are NumPy's to the last bit: they are computed in the same order and dtype. Lengths are
recorded as sizes, so that all share a kernel.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import numpy as np

from ir.core.expr import Lambda
from ir.core.size_variables import substitute_sizes
from ir.core.sizes import size, var
from ir.core.types import ScalarType
from ir.cost.thresholds.eager import EAGER_FUNCTION_ELEMENTS_AT_MOST
from lazyarr.api.create.ranges import generated, index_array, of_index, size_of
from lazyarr.api.elementwise.standard import add, divide, equal, floor, logical_not, multiply, power, subtract
from lazyarr.api.reduce.reductions import all as all_
from lazyarr.array import Array
from lazyarr.array.scalar import Scalar
from lazyarr.dtypes import DType, as_dtype, int64, promote
from lazyarr.eager.functions import small_by
from lazyarr.eager.numbers import as_pythons
from lazyarr.graph import builders as record
from lazyarr.memory.quiet import quietly
from lazyarr.recording.conversion import astype, where
from lazyarr.recording.creation import as_arrays, as_value, asarray
from lazyarr.recording.movement import expand_dims, moveaxis, reshape, whole_number

__all__ = ["geomspace", "linspace", "logspace"]

_INTERVALS, _LAST = var("intervals", 1), var("last", 0)
"""What recorded functions are remembered over: the numbers that follow from a length are put in their places."""


_NUMBERS: Final = {int, float}


def _linspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True, *, dtype: Any = None, axis: int = 0) -> Any:
    """NumPy's function, of numbers and of arrays of float64."""
    if type(num) is not int or num > EAGER_FUNCTION_ELEMENTS_AT_MOST:
        return None
    start, stop = as_pythons(start), as_pythons(stop)
    if not {type(start), type(stop)} <= _NUMBERS:
        many = num * np.broadcast(start, stop).size > EAGER_FUNCTION_ELEMENTS_AT_MOST
        if many or num < 2 or not all(type(x) in _NUMBERS or np.asarray(x).dtype == np.float64 for x in (start, stop)):
            return None
    return np.linspace(start, stop, num, endpoint, dtype=dtype, axis=axis)


@small_by(_linspace)
def linspace(
    start: Any,
    stop: Any,
    num: Any = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    axis: int = 0,
    *,
    device: Any = None,
) -> Any:
    """`num` numbers from `start` to `stop`, which is the last one or, without `endpoint`, the one that would come next.

    Args:
        start, stop: numbers, or arrays, which broadcast together: then the numbers lie along the dimension `axis`
        retstep: return the distance of neighbours too
        dtype: by default the floating-point dtype of the bounds, float64 for whole numbers; an integer dtype takes the
            floor

    Raises:
        ValueError: a negative `num`.
        TypeError: one that is not a whole number.
    """
    count = whole_number("linspace", "num", num)
    intervals = count - 1 if endpoint else count
    start, stop = as_arrays(start), as_arrays(stop)
    if isinstance(start, Array) or isinstance(stop, Array) or np.ndim(start) or np.ndim(stop):
        found, step = _between_arrays(start, stop, count, intervals, endpoint, device)
        found = moveaxis(found, 0, axis)
    else:
        found, step = _between_numbers(start, stop, count, intervals, endpoint, device)
        moveaxis(found, 0, axis)  # is there such an axis?
    if dtype is not None:
        target = as_dtype(dtype, "linspace")
        found = astype(floor(found) if target.kind in "iu" else found, target)
    return (found, step) if retstep else found


def _between_numbers(
    start: Any, stop: Any, count: int, intervals: int, endpoint: bool, device: Any
) -> tuple[Array, Any]:
    for name, bound in (("start", start), ("stop", stop)):
        if np.asarray(bound).dtype.kind not in "biufc":
            raise TypeError(f"linspace: expected {name} to be a number, or an array, got {bound!r}")
    dtype = as_dtype(np.result_type(start, stop, 0.0), "linspace")
    with np.errstate(all="ignore"):
        first, last = (np.asarray(bound).astype(dtype)[()] for bound in (start, stop))
        delta = np.subtract(np.asarray(stop), np.asarray(start), dtype=dtype)[()]
        step = delta / intervals if intervals > 0 else dtype.type(np.nan)
    ends = last.tobytes() if endpoint and count > 1 else b""
    vanishes = intervals > 0 and step == 0
    index = record.index_type(count)
    template = _line(first.tobytes(), delta.tobytes(), ends, dtype, index, intervals > 0, bool(vanishes))
    return generated(count, _line_of(template, max(intervals, 1), max(count - 1, 0)), dtype, device), step


@lru_cache(maxsize=1024)
def _line_of(template: Lambda, intervals: int, last: int) -> Lambda:
    f = substitute_sizes(template, {_INTERVALS: size(intervals), _LAST: size(last)})
    assert isinstance(f, Lambda)
    return f


@lru_cache(maxsize=1024)
def _line(
    start: bytes, delta: bytes, stop: bytes, dtype: DType, index: ScalarType, several: bool, vanishes: bool
) -> Lambda:
    """`i * (delta / intervals) + start`, exactly `stop` at the end; the step is divided late where it vanishes."""
    first, whole = (np.frombuffer(bits, dtype)[0] for bits in (start, delta))

    def build(i: Scalar) -> Any:
        found: Any = i.astype(dtype)
        intervals = size_of(_INTERVALS, dtype)
        if not several:
            found = multiply(found, whole)
        elif vanishes:
            found = multiply(divide(found, intervals), whole)
        else:
            found = multiply(found, divide(whole, intervals))
        found = add(found, first)
        if stop:
            found = where(equal(i, size_of(_LAST, int64)), np.frombuffer(stop, dtype)[0], found)
        return found

    return of_index(index, build)


def _between_arrays(
    start: Any, stop: Any, count: int, intervals: int, endpoint: bool, device: Any
) -> tuple[Array, Any]:
    """The same between arrays: the numbers along a new first dimension, and the steps."""
    bounds = [asarray(bound, device=device, function="linspace") for bound in (start, stop)]
    weak = (bool, int, float, complex)
    kinds = [type(x) if type(x) in weak else bound.dtype for x, bound in zip((start, stop), bounds, strict=True)]
    dtype = promote(*kinds, float)
    first, last = (astype(bound, dtype) for bound in bounds)
    delta = subtract(last, first)
    column = (count, *(1,) * delta.ndim)
    at = index_array(count, column, first.placed)
    found: Array
    step: Any
    if intervals > 0:
        step = divide(delta, float(intervals))
        late = multiply(divide(astype(at, dtype), float(intervals)), delta)
        found = where(all_(logical_not(equal(step, 0))), multiply(astype(at, dtype), step), late)
    else:
        step = np.nan
        found = multiply(astype(at, dtype), delta)
    found = add(found, first)
    if endpoint and count > 1:
        found = where(equal(at, count - 1), last, found)
    return found, step


# --- logarithmic ------------------------------------------------------------------------------------------------------


def _logspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True, base: Any = 10.0) -> Any:
    """NumPy's function, of numbers."""
    few = type(num) is int and num <= EAGER_FUNCTION_ELEMENTS_AT_MOST
    real = {type(start), type(stop), type(base)} <= _NUMBERS
    return np.logspace(start, stop, num, endpoint, base) if few and real else None


@small_by(_logspace)
def logspace(
    start: Any,
    stop: Any,
    num: Any = 50,
    endpoint: bool = True,
    base: Any = 10.0,
    dtype: Any = None,
    axis: int = 0,
    *,
    device: Any = None,
) -> Array:
    """The powers of `base` whose exponents are `linspace(start, stop, num, endpoint)`.

    Args:
        base: a number, or an array that broadcasts with the bounds. The other parameters are as in `linspace`
    """
    if isinstance(base, Array) or np.ndim(base):
        ndim = max(np.ndim(start), np.ndim(stop), np.ndim(base))
        start, stop, base = (_of_dimensions(ndim, x, device) for x in (start, stop, base))
        base = expand_dims(base, axis)
    found = power(base, linspace(start, stop, num, endpoint, axis=axis, device=device))
    return found if dtype is None else astype(found, dtype)


def _of_dimensions(ndim: int, x: Any, device: Any) -> Array:
    """The array with extents of one in front."""
    array = asarray(x, device=device, function="logspace")
    return reshape(array, (*(1,) * (ndim - array.ndim), *array.shape))


def _geomspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True) -> Any:
    """NumPy's function, of numbers."""
    few = type(num) is int and num <= EAGER_FUNCTION_ELEMENTS_AT_MOST
    return np.geomspace(start, stop, num, endpoint) if few and {type(start), type(stop)} <= _NUMBERS else None


@small_by(_geomspace)
def geomspace(
    start: Any,
    stop: Any,
    num: Any = 50,
    endpoint: bool = True,
    dtype: Any = None,
    axis: int = 0,
    *,
    device: Any = None,
) -> Array:
    """`num` numbers from `start` to `stop`, each the same factor times the one before.

    Args:
        start, stop: numbers, or arrays, which broadcast together and are computed at once. The other parameters are as
            in `linspace`

    Raises:
        ValueError: a bound is zero.
    """
    count = whole_number("geomspace", "num", num)
    first, last = (np.asarray(as_value(x, "geomspace")) for x in (start, stop))
    if np.any(first == 0) or np.any(last == 0):
        raise ValueError("geomspace: expected bounds that are not zero")
    t = np.result_type(first, last, float(count), np.zeros((), dtype))
    first, last = (bound.astype(t) for bound in np.broadcast_arrays(first, last))
    signs = np.sign(first)
    lower, upper = first / signs, last / signs
    ends = quietly(np.log10, lower), quietly(np.log10, upper)
    found = logspace(*ends, count, endpoint, dtype=t, device=device)
    at = index_array(count, (count, *(1,) * first.ndim), device)
    if count > 0:
        found = where(equal(at, 0), lower, found)
        if count > 1 and endpoint:
            found = where(equal(at, count - 1), upper, found)
    found = moveaxis(multiply(found, signs), 0, axis)
    return found if dtype is None else astype(found, dtype)
