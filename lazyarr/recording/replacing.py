"""Arrays with some elements replaced: a slice by a concat of what lies around it and the value, others by a scatter.

In a scatter the last value for a place wins, as in NumPy. `lazyarr.aliasing.assignment` lets arrays stand for them.
"""

from __future__ import annotations

import operator
from math import prod
from typing import Any

import numpy as np

from ir.core.expr import Expr, Lambda, fun
from ir.core.patterns import Scatter, Zip
from ir.core.types import TupleType, Type
from ir.cost.thresholds.partition import POSITIONS_ASSIGNED_SINGLY_AT_MOST
from lazyarr.array import Array, array_of, combine
from lazyarr.array.scalar import Scalar
from lazyarr.dtypes import WEAK, DType, check_cast, complex128, float64, to_ir
from lazyarr.memory.quiet import quietly
from lazyarr.recording.creation import asarray
from lazyarr.recording.filled import full
from lazyarr.recording.keys import Apart, Index, Key
from lazyarr.recording.movement import broadcast_to, flip, reshape
from lazyarr.recording.placing import place
from lazyarr.recording.replay import replayable

__all__ = [
    "as_array", "as_assigned", "as_initial", "as_number", "destinations", "in_shape", "numbers_in", "scattered",
    "updated", "with_key",
]  # fmt: skip


def with_key(function: str, x: Array, key: Key, value: Any) -> Array:
    """The array with a value in the place of what a key chooses, which is something."""
    return updated(function, x, key, in_shape(function, as_assigned(function, value, x.dtype), key.shape))


def as_assigned(function: str, value: Any, dtype: DType) -> Array:
    """A value as an array of that dtype, as an assignment converts: floats to integers truncate."""
    if type(value) in (int, float, bool):
        number = as_number(function, value, dtype)
        # a constant of the kernel where it is one of a few, else what differs from call to call would be compiled anew
        return full((), number, dtype=dtype) if number in (0, 1, -1) else asarray(number)
    return as_array(function, value, dtype)


def as_initial(function: str, value: Any, dtype: DType) -> Array:
    """What a reduction begins with, as an array of that dtype; `ValueError` for what is no single number."""
    if isinstance(value, np.generic) and dtype.kind in "iu" and value.dtype.kind in "iuf":
        number = np.empty((), dtype)
        number[()] = value  # as NumPy assigns it: signed integers hold it, or raise
        value = number[()]
    found = as_assigned(function, value, dtype)
    if found.shape:
        raise ValueError(f"{function}: expected initial to be a number, got an array of shape {found.shape}")
    return found


def as_array(function: str, value: Any, dtype: DType | None = None) -> Array:
    """The value as an array."""
    if dtype is None:
        return asarray(value, function=function)
    return asarray(asarray(numbers_in(function, value, dtype), function=function), dtype, function=function)


def numbers_in(function: str, value: Any, dtype: DType) -> Any:
    """A list, a range, text or another object as an array of that dtype, a number of Python's as one that it holds,
    arrays of numbers as they are. NumPy assigns what is none number by number: what an integer dtype cannot hold is an
    error, where arrays are cast, text is read, and None is NaN.
    """
    if type(value) is float and dtype.kind in "fc":
        return value
    if isinstance(value, (int, float, complex)) and not isinstance(value, np.generic):
        return as_number(function, value, dtype).item()
    if isinstance(value, (Array, Scalar, np.ndarray, np.generic)) and value.dtype.kind not in "USO":
        return value
    if isinstance(value, (list, tuple, range)) and WEAK.issuperset(map(type, value)):
        try:  # without an array of lazyarr's in between
            warns = dtype is not float64 and dtype.kind in "fc"  # of what becomes infinite
            return quietly(np.asarray, value, dtype) if warns else np.asarray(value, dtype)
        except (ArithmeticError, TypeError, ValueError):
            pass  # lazyarr's own error is raised
    return asarray(value, dtype, function=function)


def as_number(function: str, value: Any, dtype: DType) -> Any:
    """A Python number as one of that dtype; `OverflowError` for one that an integer dtype cannot hold, `ValueError` for
    NaN there, `TypeError` for a complex number that should become real.
    """
    if isinstance(value, complex):
        check_cast(function, complex128, dtype)
    if isinstance(value, (int, float)) and dtype.kind in "iu":
        value = int(value)  # raises what NumPy raises for NaN and infinities
        try:
            return np.asarray(value, dtype)
        except OverflowError:
            raise OverflowError(f"{function}: Python integer {value} is out of bounds for {dtype.name}") from None
    return quietly(np.asarray(value).astype, dtype)


def in_shape(function: str, value: Array, shape: tuple[int, ...]) -> Array:
    """The value in that shape; dimensions of extent one in front of too many are dropped, as NumPy does."""
    own = value.shape
    while len(own) > len(shape) and own[0] == 1:
        own = own[1:]
    try:
        return broadcast_to(reshape(value, own), shape)
    except ValueError:
        message = f"{function}: could not broadcast input array from shape {value.shape} into shape {shape}"
        raise ValueError(message) from None


def updated(function: str, x: Array, key: Key, new: Array) -> Array:
    """The array with what a key chooses exchanged for an array of its shape."""
    return _exchanged(function, x, new, key.apart, *[at for _, at in key.arrays])


@replayable
def _exchanged(function: str, x: Array, new: Array, apart: Apart, *indices: Index) -> Array:
    key = apart.key(indices)
    device, trace = combine(function, (x, new, *(at for at in indices if isinstance(at, Array))))
    if not key.arrays:
        node = _placed(x, key, new)
    else:
        single = _one_by_one(key)
        node = _scattered(x, key, new) if single is None else _placed_singly(x, key, new, single)
    return array_of(node, x.extents, x.dtype, device, trace)


def _placed(x: Array, key: Key, new: Array) -> Expr:
    """Slices: turned so that all steps are positive."""
    counts = tuple(count for _, _, count in key.cuts)
    new = reshape(new, counts)
    backwards = tuple(axis for axis, (_, step, _) in enumerate(key.cuts) if step < 0)
    if backwards:
        new = flip(new, backwards)
    cuts = [(a + (n - 1) * s, -s, n) if s < 0 else (a, s, n) for a, s, n in key.cuts]
    return place(x.node, x.extents, cuts, new.node)


def _one_by_one(key: Key) -> tuple[int, list[int]] | None:
    """The dimension and the few positions of the only array of indices, where they are known."""
    if len(key.arrays) != 1:
        return None
    axis, at = key.arrays[0]
    if axis is None or not isinstance(at, np.ndarray) or at.ndim != 1 or at.size > POSITIONS_ASSIGNED_SINGLY_AT_MOST:
        return None
    return axis, [operator.index(i) for i in at]


def _placed_singly(x: Array, key: Key, new: Array, single: tuple[int, list[int]]) -> Expr:
    axis, positions = single
    found = array_of(x.node, x.shape, x.dtype, x.placed, x.traced_in)
    order = (slice(None),) * key.before
    for i, position in enumerate(positions):
        cuts = (*key.cuts[:axis], (position, 1, 1), *key.cuts[axis + 1 :])
        found.expr = _placed(found, Key(cuts, key.kept), new[(*order, i)])
    return found.node


def _scattered(x: Array, key: Key, new: Array) -> Expr:
    """Arrays of indices: each element of the value goes to the place that its indices and slices name."""
    return scattered(_last(to_ir(x.dtype)), x, destinations(x, key), new)


def destinations(x: Array, key: Key) -> Array:
    """The row-major position in x of each element that a key chooses, in the shape of what it chooses."""
    strides = [prod(x.shape[axis + 1 :]) for axis in range(x.ndim)]
    common, behind = key.common, len(key.kept) - key.before
    wide = np.int64 if x.size > np.iinfo(np.int32).max else np.int32
    known = np.zeros((1,) * (len(key.kept) + len(common)), np.int64)
    lazy: Any = None
    for axis, at in key.arrays:
        stride = 0 if axis is None else strides[axis]
        shape = (1,) * key.before + (1,) * (len(common) - at.ndim) + at.shape + (1,) * behind
        if isinstance(at, np.ndarray):
            known = known + at.reshape(shape) * stride
        else:
            term = reshape(asarray(at, wide), shape) * stride
            lazy = term if lazy is None else lazy + term
    used = {axis for axis, _ in key.arrays}
    for axis, (start, step, count) in enumerate(key.cuts):
        if axis in used:
            continue
        steps = (start + step * np.arange(count)) * strides[axis]
        if axis not in key.kept:
            known = known + steps[0]
            continue
        i = key.kept.index(axis)
        place = i if i < key.before else i + len(common)
        shape = tuple(count if d == place else 1 for d in range(len(key.kept) + len(common)))
        term = asarray(steps.astype(wide).reshape(shape))
        lazy = term if lazy is None else lazy + term
    if lazy is None:
        return broadcast_to(asarray(known.astype(wide)), key.shape)
    return broadcast_to(lazy + asarray(known.astype(wide)) if known.any() else lazy, key.shape)


def _last(t: Type) -> Lambda:
    """`λ(a, b). b`: the last value wins."""
    return fun((t, t), lambda a, b: b)


def scattered(f: Lambda, x: Array, at: Array, values: Array) -> Expr:
    """The flat array x with values combined into the places `at` by f, in order.

    Args:
        at, values: arrays of one shape; indices of int32 or int64, those outside of x are left out
    """
    pairs = Zip(at.node, values.node)
    pair = TupleType((to_ir(at.dtype), to_ir(values.dtype)))
    return Scatter(f, fun(pair, lambda p: p), x.node, pairs)
