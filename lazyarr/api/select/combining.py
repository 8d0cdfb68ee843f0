"""Values combined into the places that indices name: `add.at(x, i, v)` and its like, and `bincount`.

All are scatters (`ir.core.nodes.scatters`): a place that is named several times takes all the values in their order.
"""

from __future__ import annotations

import operator
from collections.abc import Hashable
from functools import cache, partial
from typing import Any

import numpy as np

from ir.core.expr import Lambda, fun
from ir.core.patterns import Call, Get, Tuple
from ir.reference.calls import scatter_with
from lazyarr.aliasing.assignment import rebind
from lazyarr.api.reduce.reductions import max as max_
from lazyarr.api.reduce.reductions import min as min_
from lazyarr.api.select.eager_combining import combined_in_place
from lazyarr.array import Array, array_of, combine, compute
from lazyarr.array.eager import changing, existing
from lazyarr.dtypes import DType, int64, to_ir
from lazyarr.eager.functions import on_host, small_by
from lazyarr.eager.operations import allowed
from lazyarr.elements.scalar_functions import loop_of
from lazyarr.elements.scalars import cast
from lazyarr.graph.tracing import refuse
from lazyarr.recording.conversion import astype
from lazyarr.recording.creation import asarray
from lazyarr.recording.filled import full, zeros
from lazyarr.recording.keys import parse
from lazyarr.recording.replacing import destinations, in_shape, scattered

__all__ = ["bincount", "combine_at", "counted"]


def combine_at(name: str, a: Array, indices: Any, b: Any) -> None:
    """`a[indices] = f(a[indices], b)` for one index after the other.

    A result of another dtype is converted to a's each time, as NumPy does: `add.at(x, [0, 0], 1.5)` adds 1 twice to
    an array of integers.

    Raises:
        TypeError: complex results would become real.
        ValueError: values that do not broadcast to what the indices choose, or have more dimensions.
    """
    function = f"{name}.at"
    if not isinstance(a, Array):
        raise TypeError(f"{function}: expected a lazyarr array to change, got {type(a).__name__}")
    was_eager = a.value is not None
    if allowed() and combined_in_place(name, a, indices, b):
        return
    key = parse(function, indices, a.shape)
    weak = type(b) in (float, bool) or (type(b) is int and _holds(a.dtype, b))
    kind: Any = type(b) if weak else asarray(b, function=function).dtype
    f, operand = _combiner(name, a.dtype, kind)
    given = asarray(b, operand)
    if given.ndim > len(key.shape):  # NumPy drops dimensions in front where it assigns, but not here
        message = "array is not broadcastable to correct shape"
        raise ValueError(f"{function}: {message}: expected one that fits {key.shape}, got shape {given.shape}")
    values = in_shape(function, given, key.shape)
    if not values.size:
        return
    at = destinations(a, key)
    with changing:  # or what another thread combines meanwhile is lost
        if a.value is not None and not was_eager and allowed() and combined_in_place(name, a, indices, b):
            return  # another thread has let it become eager
        _record(name, f, a, at, values)


def _record(name: str, f: Lambda, a: Array, at: Array, values: Array) -> None:
    """Let an array stand for itself with values combined into the places of its flattened elements."""
    if not _is_primitive(f) or (values.dtype is a.dtype and existing(a) is not None and existing(values) is not None):
        made = on_host(partial(_combined_at, name), a, at, values)
        if made is not None:
            rebind(a, made)
            return
    device, trace = combine(f"{name}.at", (a, at, values))
    rebind(a, array_of(scattered(f, a, at, values), a.shape, a.dtype, device, trace))


def _is_primitive(f: Lambda) -> bool:
    """Is a function of two numbers, or of two complex ones, a primitive of each part? The reference tier has calls for
    scatters by these.
    """
    body = f.body
    if isinstance(body, Call):
        of_integers = np.dtype(body.type.name).kind in "iu"  # type: ignore[attr-defined]  # a scalar's
        return body.operands == tuple(f.variables) and not (body.op == "pow" and of_integers)
    first, second = f.variables
    return isinstance(body, Tuple) and all(
        isinstance(part, Call) and part.operands == (Get(i, first), Get(i, second))
        for i, part in enumerate(body.operands)
    )


def _combined_at(
    name: str, x: np.ndarray[Any, Any], at: np.ndarray[Any, Any], values: np.ndarray[Any, Any]
) -> np.ndarray[Any, Any] | None:
    """The elements with values combined by NumPy's function of that name; None where it has none, or would not do it.

    Args:
        at: places in the flattened array
    """
    numpys = getattr(np, name, None)
    if not isinstance(numpys, np.ufunc) or (at < 0).any():
        return None
    places, given = at.reshape(-1), values.reshape(-1)
    if given.dtype == x.dtype:
        return scatter_with(numpys, x.reshape(-1), places, given, np.empty).reshape(x.shape)
    found = x.flatten()
    numpys.at(found, places, given)
    return found.reshape(x.shape)


def _holds(dtype: DType, number: int) -> bool:
    """Does a dtype hold a whole number? Others are of int64 here, so that `maximum.at(unsigned, i, -1)` compares."""
    return dtype.kind not in "iu" or np.iinfo(dtype).min <= number <= np.iinfo(dtype).max


@cache
def _combiner(name: str, own: DType, other: Hashable) -> tuple[Lambda, DType]:
    """`λ(a, b). f(a, b)` from and to the array's dtype, and the dtype of b."""
    loop = loop_of(name, (own, other))
    if loop.result.kind == "c" and own.kind != "c":
        raise TypeError(f"{name}.at: cannot put {loop.result.name} into an array of dtype {own.name}")
    first, second = loop.operands
    f = fun((to_ir(own), to_ir(second)), lambda a, b: cast(loop.build(cast(a, first), b), own))
    return f, second


@small_by(np.bincount)
def bincount(x: Any, /, weights: Any = None, minlength: int = 0) -> Array:
    """How often each number from zero on occurs in a vector of whole numbers, or the sums of the weights beside them.

    The result is as long as the greatest number asks, and at least `minlength`: that number is computed now. Counts are
    int64, sums float64.
    """
    at = asarray(x, function="bincount")
    if at.ndim != 1:
        raise ValueError(f"bincount: expected a vector, got shape {at.shape}")
    if at.dtype.kind not in "biu" and (at.size or isinstance(x, (Array, np.ndarray))):  # an empty list has none
        raise TypeError(f"bincount: expected whole numbers, got dtype {at.dtype.name}")
    length = operator.index(minlength)
    if length < 0:
        raise ValueError(f"bincount: expected minlength not to be negative, got {minlength}")
    if at.dtype.kind in "iu":
        own = () if weights is None else (asarray(weights, function="bincount"),)
        made = on_host(partial(np.bincount, minlength=length), at, *own)
        if made is not None:
            return made
    at = astype(at, "int64")
    if at.size:
        low, high = min_(at), max_(at)
        if at.tracing:
            refuse("value", "bincount", at)
        compute(low, high)
        if int(low) < 0:
            raise ValueError(f"bincount: expected numbers that are not negative, got {int(low)}")
        length = max(length, int(high) + 1)
    return counted("bincount", at, weights, length)


def counted(function: str, at: Array, weights: Any, length: int) -> Array:
    """The sums of weights (None: ones) by place, for places below a length."""
    if weights is None:
        values, dtype = None, int64
    else:
        given = asarray(weights, function=function)
        if given.dtype.kind == "c":
            raise TypeError(f"{function}: expected weights that are real numbers, got {given.dtype.name}")
        values = asarray(given, "float64", function=function)
        dtype = values.dtype
        if values.shape != at.shape:
            raise ValueError(f"{function}: expected weights of shape {at.shape}, got shape {values.shape}")
    start = zeros(length, dtype=dtype, device=at.placed)
    if not at.size or not length:
        return start

    values = full(at.shape, 1, dtype=dtype) if values is None else values
    f, _ = _combiner("add", dtype, dtype)
    device, trace = combine(function, (at, values))
    return array_of(scattered(f, start, at, values), (length,), dtype, device, trace)
