"""Ranges of numbers: each element follows from its index.

The elements are NumPy's to the last bit: they are computed in the same order and dtype. Lengths, and whole numbers from
which a range starts, are recorded as sizes, so that ranges of all lengths share a kernel.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from ir.core.expr import Lambda, fun
from ir.core.patterns import FromSize
from ir.core.size_variables import substitute_sizes
from ir.core.sizes import LIMIT_32, Size, size, var
from ir.core.types import INT64, ScalarType
from ir.cost.thresholds.eager import EAGER_FUNCTION_ELEMENTS_AT_MOST
from lazyarr.api.elementwise.standard import add, equal, multiply, subtract
from lazyarr.array import Array, array_of, known_device
from lazyarr.array.scalar import Scalar
from lazyarr.dtypes import DType, as_dtype, bool_, int64, promote
from lazyarr.eager.functions import small_by
from lazyarr.eager.numbers import as_pythons
from lazyarr.elements.scalars import cast
from lazyarr.graph import builders as record
from lazyarr.recording.conversion import where
from lazyarr.recording.creation import asarray

__all__ = ["arange", "generated", "index_array", "of_index", "size_of"]


def generated(count: int, f: Lambda, dtype: DType, device: Any) -> Array:
    """The 1-dimensional array of the values of a function of the index."""
    node = record.generated(f, count) if count else record.empty(dtype)
    return array_of(node, (count,), dtype, known_device(device))


def index_array(count: int, shape: tuple[int, ...], device: Any = None) -> Array:
    """0, 1, ... in that shape, in the smallest dtype in which indices are computed."""
    t = record.index_type(count)
    dtype = np.dtype(str(t))
    return array_of(record.indices(count, t) if count else record.empty(dtype), shape, dtype, known_device(device))


def of_index(index: ScalarType, build: Callable[[Scalar], Any]) -> Lambda:
    """The function that a builder makes of an index of that type, which it gets as an int64."""
    return fun(index, lambda i: build(Scalar(cast(i, int64))).expr)


_START = var("start", 0)
"""What a recorded function is remembered over: the number that a range starts from is put in its place."""


def size_of(value: Size, dtype: DType) -> Scalar:
    """A whole number as a size, which any other may take the place of."""
    found = Scalar(FromSize(value, INT64))
    return found.astype(dtype)


# --- arange -----------------------------------------------------------------------------------------------------------


def _arange(start: Any = None, stop: Any = None, step: Any = 1, dtype: Any = None) -> Any:
    """NumPy's function, of numbers: Python's, and what stands for these as an element of an array."""
    start, stop, step = as_pythons(start), as_pythons(stop), as_pythons(step)
    if stop is None:
        start, stop = 0, start
    real = {type(start), type(stop), type(step)} <= {int, float}
    few = real and step and abs((stop - start) / step) <= EAGER_FUNCTION_ELEMENTS_AT_MOST
    numpys: Any = np.arange  # whose overloads ask for one type of numbers
    return numpys(start, stop, step, dtype) if few else None


@small_by(_arange)
def arange(start: Any = None, stop: Any = None, step: Any = 1, dtype: Any = None, *, device: Any = None) -> Array:
    """Numbers from `start` (0 if only one bound is given) up to, but without, `stop`, `step` apart.

    Args:
        dtype: by default int64 for whole numbers and float64 for others

    There are `ceil((stop - start) / step)` elements: for a step that is no whole number rounding may add one. Element i
    is `start + i * step` in the dtype of the result, the step being the distance of its first two elements, as NumPy's.

    Raises:
        ZeroDivisionError: a step of zero.
        ValueError: bounds that are not finite.
        TypeError: what is no real number.
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
            found = (add if sign > 0 else subtract)(found, size_of(_START, dtype))
        return add(found, dtype.type(start)) if start else found

    return of_index(index, build)


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

    return of_index(index, build)
