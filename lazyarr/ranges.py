"""Numbers at regular distances: `arange`, `linspace`, `logspace`, `geomspace`; each element follows from its index.

The elements are NumPy's to the last bit where NumPy adds and multiplies: they are computed in the same order and dtype.
Lengths and whole numbers from which a range starts are recorded as sizes, so that ranges of all lengths share a kernel.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from ir.core.expr import Lambda, fun, substitute_sizes
from ir.core.patterns import FromSize
from ir.core.sizes import Size, size, var
from ir.core.types import INT64, ScalarType
from ir.fusion.generalise import LIMIT_32
from lazyarr import record
from lazyarr.apply import cast
from lazyarr.array import Array
from lazyarr.creation import asarray
from lazyarr.dtypes import DType, as_dtype, bool_, int64, promote
from lazyarr.elementwise import (
    add,
    astype,
    divide,
    equal,
    floor,
    logical_not,
    multiply,
    power,
    subtract,
    where,
)
from lazyarr.movement import expand_dims, moveaxis, reshape
from lazyarr.reductions import all as all_
from lazyarr.tracing import Scalar

__all__ = ["arange", "generated", "geomspace", "index_array", "linspace", "logspace"]


def generated(count: int, f: Lambda, dtype: DType, device: Any) -> Array:
    """The 1-dimensional array of the values of a function of the index."""
    node = record.generated(f, count) if count else record.empty(dtype)
    return Array(node, (count,), dtype, device)


def index_array(count: int, shape: tuple[int, ...], device: Any = None) -> Array:
    """0, 1, ... in that shape, in the smallest dtype in which indices are computed."""
    t = record.index_type(count)
    dtype = np.dtype(str(t))
    return Array(record.indices(count, t) if count else record.empty(dtype), shape, dtype, device)


def _of_index(index: ScalarType, build: Callable[[Scalar], Any]) -> Lambda:
    """The function that a builder makes of an index of that type, which it gets as an int64."""
    return fun(index, lambda i: build(Scalar(cast(i, int64))).expr)


_START, _INTERVALS, _LAST = var("start", 0), var("intervals", 1), var("last", 0)
"""What recorded functions are remembered over: the numbers of a range are put in their places."""


def _size(value: Size, dtype: DType) -> Scalar:
    """A whole number as a size, which any other may take the place of."""
    found = Scalar(FromSize(value, INT64))
    return found.astype(dtype)


# --- arange -----------------------------------------------------------------------------------------------------------


def arange(start: Any = None, stop: Any = None, step: Any = 1, dtype: Any = None, *, device: Any = None) -> Array:
    """Numbers from `start` (0 if only one bound is given) up to, but without, `stop`, `step` apart.

    dtype : by default int64 for whole numbers and float64 for others

    There are `ceil((stop - start) / step)` elements: for a step that is no whole number rounding may add one. Element i
    is `start + i * step` in the dtype of the result, the step being the distance of its first two elements, as NumPy's.

    Raises `ZeroDivisionError` for a step of zero, `ValueError` for bounds that are not finite, `TypeError` for what is
    no real number.
    """
    if start is None and stop is None:
        raise TypeError("arange: expected a bound")
    if start is None or stop is None:
        start, stop = 0, stop if start is None else start
    if dtype is None and type(start) is type(stop) is type(step) is int and step != 0:  # most are like this
        count = max(-((start - stop) // step), 0)
        if 2 < count < 2**63 and max(abs(start), abs(start + step)) <= LIMIT_32:
            return generated(count, _whole_ramp(start, step, int64, record.index_type(count)), int64, device)
    numbers = [_number("arange", value) for value in (start, stop, 1 if step is None else step)]
    (first, last, apart), dtypes = [value for value, _ in numbers], [t for _, t in numbers]
    target = promote(int64, *dtypes) if dtype is None else as_dtype(dtype, "arange")
    count = _arange_count(first, last, apart)
    if target is bool_ and count > 2:
        raise TypeError("arange: expected another dtype than bool for more than two elements")
    with np.errstate(all="ignore"):
        head = np.array([first, first + apart][:count], dtype=target)
        if count <= 2:
            return asarray(head, device=device, function="arange")
        delta = head[1] - head[0]
        ramp = np.arange(2).astype(target) * delta + head[0]
    if target.kind in "iu":
        return generated(count, _whole_ramp(int(head[0]), int(delta), target, record.index_type(count)), target, device)
    exceptions = tuple((i, head[i].tobytes()) for i in (0, 1) if ramp[i].tobytes() != head[i].tobytes())
    f = _ramp(head[0].tobytes(), delta.tobytes(), target, exceptions, record.index_type(count))
    return generated(count, f, target, device)


def _number(function: str, value: Any) -> tuple[Any, DType]:
    """A real number as Python's, and its dtype; `TypeError` for what is none."""
    if type(value) is int:
        return value, int64 if -(2**63) <= value < 2**63 else np.dtype("uint64")  # what is beyond both raises later
    array = value if isinstance(value, Array) else np.asarray(value)
    if array.shape or array.dtype.kind not in "biuf":
        raise TypeError(f"{function}: expected a real number, got {value!r}")
    return array.item(), as_dtype(array.dtype, function)


def _arange_count(start: Any, stop: Any, step: Any) -> int:
    distance = stop - start
    try:
        steps = distance / step
    except ZeroDivisionError:
        raise ZeroDivisionError("arange: expected a step that is not zero") from None
    except OverflowError:
        steps = math.inf
    if math.isnan(steps):
        raise ValueError(f"arange: cannot compute the length from start {start}, stop {stop} and step {step}")
    if steps == 0 and distance != 0:  # it is too small for a float
        return 0 if math.copysign(1, steps) < 0 else 1
    if steps >= 2.0**63:
        raise ValueError(f"arange: start {start}, stop {stop} and step {step} ask for more elements than there can be")
    count: int = math.ceil(steps)
    return max(count, 0)


@lru_cache(maxsize=1024)
def _whole_ramp(start: int, step: int, dtype: DType, index: ScalarType) -> Lambda:
    """`start + i * step` in whole numbers, which wrap around."""
    if start == 0 or not -LIMIT_32 <= start <= LIMIT_32:
        return _whole_ramp_from(start, 0, step, dtype, index)
    f = substitute_sizes(_whole_ramp_from(0, 1 if start > 0 else -1, step, dtype, index), {_START: size(abs(start))})
    assert isinstance(f, Lambda)
    return f


@lru_cache(maxsize=1024)
def _whole_ramp_from(start: int, sign: int, step: int, dtype: DType, index: ScalarType) -> Lambda:
    """The same for a constant start, or one that is a size or, for a negative sign, below zero by a size."""

    def build(i: Scalar) -> Any:
        found: Any = i.astype(dtype)
        if step != 1:
            found = multiply(found, np.array(step).astype(dtype)[()])
        if sign:
            found = (add if sign > 0 else subtract)(found, _size(_START, dtype))
        return add(found, dtype.type(start)) if start else found

    return _of_index(index, build)


@lru_cache(maxsize=1024)
def _ramp(
    start: bytes, step: bytes, dtype: DType, exceptions: tuple[tuple[int, bytes], ...], index: ScalarType
) -> Lambda:
    """`start + i * step`, but for some indices other values: NumPy adds the second element, and copies the first."""
    first, delta = (np.frombuffer(bits, dtype)[0] for bits in (start, step))

    def build(i: Scalar) -> Any:
        found: Any = add(multiply(i.astype(dtype), delta), first)
        for at, value in exceptions:
            found = where(equal(i, at), np.frombuffer(value, dtype)[0], found)
        return found

    return _of_index(index, build)


# --- linspace ---------------------------------------------------------------------------------------------------------


def linspace(
    start: Any,
    stop: Any,
    /,
    num: Any = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    axis: int = 0,
    *,
    device: Any = None,
) -> Any:
    """`num` numbers from `start` to `stop`, which is the last one or, without `endpoint`, the one that would come next.

    start, stop : numbers, or arrays, which broadcast together: then the numbers lie along the dimension `axis`
    retstep : return the distance of neighbours too
    dtype : by default the floating-point dtype of the bounds, float64 for whole numbers; an integer dtype takes the
        floor

    Raises `ValueError` for a negative `num`, `TypeError` for one that is not a whole number.
    """
    count = _count("linspace", num)
    intervals = count - 1 if endpoint else count
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


def _count(function: str, num: Any) -> int:
    try:
        count = operator.index(num)
    except TypeError:
        raise TypeError(f"{function}: expected num to be a whole number, got {num!r}") from None
    if count < 0:
        raise ValueError(f"{function}: expected num not to be negative, got {count}")
    return count


def _between_numbers(
    start: Any, stop: Any, count: int, intervals: int, endpoint: bool, device: Any
) -> tuple[Array, Any]:
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
        intervals = _size(_INTERVALS, dtype)
        if not several:
            found = multiply(found, whole)
        elif vanishes:
            found = multiply(divide(found, intervals), whole)
        else:
            found = multiply(found, divide(whole, intervals))
        found = add(found, first)
        if stop:
            found = where(equal(i, _size(_LAST, int64)), np.frombuffer(stop, dtype)[0], found)
        return found

    return _of_index(index, build)


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
    at = index_array(count, column, first.device)
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


def logspace(
    start: Any,
    stop: Any,
    /,
    num: Any = 50,
    endpoint: bool = True,
    base: Any = 10.0,
    dtype: Any = None,
    axis: int = 0,
    *,
    device: Any = None,
) -> Array:
    """The powers of `base` whose exponents are `linspace(start, stop, num, endpoint)`.

    base : a number, or an array that broadcasts with the bounds. The other parameters are as in `linspace`
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


def geomspace(
    start: Any,
    stop: Any,
    /,
    num: Any = 50,
    endpoint: bool = True,
    dtype: Any = None,
    axis: int = 0,
    *,
    device: Any = None,
) -> Array:
    """`num` numbers from `start` to `stop`, each the same factor times the one before.

    start, stop : numbers, or arrays, which broadcast together and are computed at once. The other parameters are as in
        `linspace`

    Raises `ValueError` where a bound is zero.
    """
    count = _count("geomspace", num)
    first, last = np.asarray(start), np.asarray(stop)
    if np.any(first == 0) or np.any(last == 0):
        raise ValueError("geomspace: expected bounds that are not zero")
    t = np.result_type(first, last, float(count), np.zeros((), dtype))
    first, last = (bound.astype(t) for bound in np.broadcast_arrays(first, last))
    signs = np.sign(first)
    lower, upper = first / signs, last / signs
    found = logspace(np.log10(lower), np.log10(upper), count, endpoint, dtype=t, device=device)
    at = index_array(count, (count, *(1,) * first.ndim), device)
    if count > 0:
        found = where(equal(at, 0), lower, found)
        if count > 1 and endpoint:
            found = where(equal(at, count - 1), upper, found)
    found = moveaxis(multiply(found, signs), 0, axis)
    return found if dtype is None else astype(found, dtype)
