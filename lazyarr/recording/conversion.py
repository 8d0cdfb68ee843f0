"""Elements converted: to other dtypes, to their parts, to one of two. Other functions are made of these."""

from __future__ import annotations

from functools import cache
from math import prod
from typing import Any

import numpy as np
from numpy.exceptions import ComplexWarning

from ir.core.expr import Lambda, fun
from ir.core.patterns import Map, Zip
from ir.cost.thresholds.eager import EAGER_ELEMENTS_IN_LOOPS
from lazyarr.array import Array, array_of, arrayed, combine, eager, same_device
from lazyarr.array.lent import is_lent
from lazyarr.array.scalar import Scalar
from lazyarr.dtypes import DType, as_dtype, check_cast, complex64, complex128, component_of, float32, to_ir
from lazyarr.eager.operations import allowed
from lazyarr.elements.scalars import cast
from lazyarr.graph.builders import constant, empty
from lazyarr.graph.recorded_calls import RecordedCall
from lazyarr.graph.tracing import refuse
from lazyarr.memory.quiet import quietly
from lazyarr.recording.apply import apply
from lazyarr.recording.creation import asarray
from lazyarr.recording.replay import replayable, warn

__all__ = ["astype", "converted", "imag", "native_dtype", "of_parts", "real", "viewed_as", "where"]


def _is_large_and_lent(x: Array) -> bool:
    return prod(x.extents) > EAGER_ELEMENTS_IN_LOOPS and is_lent(x)


def astype(x: Any, dtype: Any, /, *, copy: bool = True, device: Any = None) -> Array:
    """The array converted to another dtype, or put on another device.

    Floats to integers truncate, anything to bool is `!= 0`. An array that has the dtype is returned itself with `copy`
    False, else another of the same elements.

    Raises:
        TypeError: complex numbers that should become real: take `real`, `imag` or `abs` of them.
    """
    is_whole = type(x) is Array and (not _is_large_and_lent(x) if x.value is not None else x.dtype.kind != "c")
    if is_whole and device is None and allowed():  # the parts of complex numbers lie apart
        target = as_dtype(dtype, "astype")
        if target is x.dtype:
            return x.copy() if copy else x  # type: ignore[no-any-return]  # an Array
    else:
        target = None
    if target is not None and x.value is not None:
        check_cast("astype", x.dtype, target)
        found = eager(quietly(x.host.astype, target, "C"))
        return found if x.extents or x.is_number else arrayed(found)
    found = _of_dtype(x, dtype, copy) if device is None else _of_dtype(x, dtype, copy, device=device)
    return arrayed(found) if type(x) is Array and not x.extents and not x.is_number else found


@replayable
def _of_dtype(x: Any, dtype: Any, copy: bool, *, device: Any = None) -> Array:
    target = as_dtype(dtype, "astype")
    if type(x) is Scalar:
        return x.astype(target)  # type: ignore[return-value]  # a Scalar inside lambdas
    array = asarray(x, function="astype")
    if array.dtype is not target:
        check_cast("astype", array.dtype, target)
        node = Map(_converter(array.dtype, target), array.node) if array.size else empty(target)
        array = array_of(node, array.shape, target, array.placed, array.traced_in)
    elif copy and array is x:
        array = array.copy()
    if device is not None and (array.placed is None or not same_device(device, array.placed)):
        array = asarray(array if array.placed is None else array.to_numpy(), device=device)
    return array


def converted(function: str, x: Array, dtype: DType, copy: bool = True) -> Array:
    """The array in another dtype as NumPy's `x.astype` and the `dtype` of sums convert it: complex becomes real.

    Warns, with `numpy.exceptions.ComplexWarning`, where the imaginary parts are dropped.
    """
    if x.dtype.kind == "c" and dtype.kind not in "cb":
        warn(f"{function}: {x.dtype.name} to {dtype.name} drops the imaginary parts", ComplexWarning)
        parts = astype(real(x), dtype, copy=False)
        return parts if x.is_number else arrayed(parts)
    return astype(x, dtype, copy=copy)


@cache
def _converter(source: DType, target: DType) -> Lambda:
    return fun(to_ir(source), lambda x: cast(x, target))


def real(val: Any) -> Array:
    """The real parts; real arrays are their own."""
    return _part("real", val)


def imag(val: Any) -> Array:
    """The imaginary parts; zeros for real arrays."""
    return _part("imag", val)


def _part(name: str, x: Any) -> Array:
    if type(x) is not Scalar:
        x = asarray(x, function=name)
        if x.dtype.kind != "c":
            node = x.node if name == "real" else constant(x.size, 0, x.dtype)
            return array_of(node, x.shape, x.dtype, x.placed, x.traced_in)
        if type(x.expr) is RecordedCall and x.expr.made is None:  # what it is made of is not looked at for this
            return _recorded_part(name, x)
    return _part_of_complex(name, x)


def _part_of_complex(name: str, x: Any) -> Array:
    if type(x) is Array and type(x.node) is Zip:  # of two arrays, one of which is asked for
        node = x.node.operands[0 if name == "real" else 1]
        return array_of(node, x.shape, component_of(x.dtype), x.placed, x.traced_in)
    return apply(name, x)  # type: ignore[no-any-return]  # a Scalar inside lambdas


_recorded_part = replayable(_part_of_complex)


def of_parts(re: Array, im: Array) -> Array:
    """The complex numbers of those parts, of one shape and float dtype: infinities and NaNs stay in theirs."""
    dtype = complex64 if re.dtype is float32 else complex128
    device, trace = combine("complex", (re, im))
    node = Zip(re.node, im.node) if re.size else empty(dtype)
    return array_of(node, re.shape, dtype, device, trace)


def where(condition: Any, x1: Any, x2: Any, /) -> Array:
    """`lazyarr.where`, for functions whose results without dimensions are numbers."""
    return apply("where", condition, x1, x2)  # type: ignore[no-any-return]  # a Scalar inside lambdas


def mask_given(function: str, where: Any) -> Any:
    """What the keyword `where` was given, as NumPy takes it: of arrays those of bools alone, while numbers and lists
    say what is true; `TypeError` for others.
    """
    if isinstance(where, (Array, np.ndarray)) and where.dtype.kind != "b" and not getattr(where, "is_number", False):
        raise TypeError(f"{function}: expected where to be a mask, an array of bools, got dtype {where.dtype.name}")
    if isinstance(where, (str, bytes)):
        raise TypeError(f"{function}: expected where to be a mask, an array of bools, got {where!r}")
    return where


def native_dtype(dtype: Any) -> DType:
    """The dtype of a view; `TypeError` for a byte order that arrays here do not have."""
    target = as_dtype(dtype, "view")
    if not np.dtype(dtype).isnative:
        native, given = target.name, np.dtype(dtype).str
        raise TypeError(
            f"view: dtype {given!r} is of another byte order than arrays here have; "
            f"view({native!r}).byteswap() gives its numbers"
        )
    return target


def viewed_as(x: Array, dtype: Any) -> Array:
    """What another dtype makes of the array's bytes, row by row; another array, which does not change with it.

    Integers, and floats as integers of their size, are compiled; for the rest the value is computed and its memory
    read. `ValueError` where the last dimension does not divide into elements of the new size; `TypeError` for a byte
    order that arrays here do not have.
    """
    target = native_dtype(dtype)
    if target.itemsize == x.dtype.itemsize and target.kind in "iu":
        if x.dtype.kind in "iu":
            return x.astype(target)
        if x.dtype.kind == "f":
            return apply("bits", x).astype(target)  # type: ignore[no-any-return]  # an array's
    if x.tracing:
        refuse("value", f"view({target.name}) of {x.dtype.name}", x)
    return asarray(np.asarray(x.to_numpy(), order="C").view(target), device=x.placed)
