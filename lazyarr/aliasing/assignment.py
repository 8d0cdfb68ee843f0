"""`x[key] = value` and in-place operators: the array *object* changes, its graph does not.

What is recorded is a new expression, which the object stands for from then on. So every name of the object sees the
change, and what was computed from the old value before keeps that. Views are brought up to date
(`lazyarr.aliasing.views`): `y = x[1:]`, then `x[1] = 3`, changes y, and `y[0] = 3` changes x, as in NumPy.

A slice becomes a concat of what lies around it and the value, a mask with one value a `where`, arrays of indices a
scatter: in it the last value for a place wins, as in NumPy.
"""

from __future__ import annotations

import operator
from math import prod
from typing import Any

import numpy as np

from ir.core.expr import Expr, Lambda, fun
from ir.core.patterns import Scatter, Zip
from ir.core.types import TupleType, Type
from lazyarr.aliasing.view_steps import Chosen
from lazyarr.aliasing.views import assigned, changing, check_writeable, is_element_of, stand_for, written_through
from lazyarr.array import Array, combine
from lazyarr.dtypes import DType, bool_, check_cast, to_ir
from lazyarr.recording.creation import asarray, full
from lazyarr.recording.keys import Apart, Index, Key, parse
from lazyarr.recording.movement import broadcast_to, flip, reshape
from lazyarr.recording.placing import place
from lazyarr.recording.replay import deferring

__all__ = [
    "adopt", "as_assigned", "destinations", "in_place", "in_shape", "put_result", "scattered", "set_item", "set_key",
    "with_key",
]  # fmt: skip

MOST_SINGLE = 8
"""Positions along one dimension that are assigned to one by one, as slices; more of them are scattered."""


def adopt(x: Array, new: Array) -> None:
    """Let an array object stand for the value of another, in its base and views too; what was computed from it before
    keeps the old one. `ValueError` for a read-only view.
    """
    with changing:
        if x.origin is not None:
            check_writeable(x)
        stand_for(x, new)
        if x.origin is not None or x.family is not None:
            assigned(x)


def set_item(x: Array, key: Any, value: Any) -> None:
    """`x[key] = value`: the value is converted to x's dtype, whatever its own, and broadcast.

    Raises `ValueError` for a value that does not broadcast, `IndexError` as reading does, `TracingError` for a mask
    with several values while a function is recorded.
    """
    with changing:
        if x.origin is not None:
            check_writeable(x)
            if x.origin.overlaps:
                written_through(x, key, value)
                return
        mask = _mask_alone(x, key)
        if mask is not None and _fits_beside(x, mask, value):
            adopt(x, _where(x, mask, value))
            return
        parsed = parse("setitem", key, x.extents)
        if type(value) is Array and value.origin is not None and is_element_of(value, x, Chosen(parsed)):
            return  # `x[key] += y` has changed x already
        set_key("setitem", x, parsed, value)


def set_key(function: str, x: Array, key: Key, value: Any) -> None:
    """The same for a key taken apart."""
    if prod(key.shape):
        new = in_shape(function, as_assigned(function, value, x.dtype), key.shape)
        adopt(x, _updated(function, x, key, new))
        return
    new = as_assigned(function, value, x.dtype)
    if new.size or not key.arrays or new.ndim <= len(key.shape):  # else NumPy does not look at the shapes
        in_shape(function, new, key.shape)  # for its errors


def with_key(function: str, x: Array, key: Key, value: Any) -> Array:
    """The array with a value in the place of what a key chooses, which is something."""
    return _updated(function, x, key, in_shape(function, as_assigned(function, value, x.dtype), key.shape))


def as_assigned(function: str, value: Any, dtype: DType) -> Array:
    """A value as an array of that dtype, as an assignment converts: floats to integers truncate."""
    if type(value) in (int, float, bool):
        number = _number(function, value, dtype)
        # a constant of the kernel where it is one of a few, else what differs from call to call would be compiled anew
        return full((), number, dtype=dtype) if number in (0, 1, -1) else asarray(number)
    return _kept(function, value, dtype)


def _kept(function: str, value: Any, dtype: DType | None = None) -> Array:
    """The value as an array."""
    made = asarray(value, function=function)
    if dtype is None:
        return made
    if isinstance(value, (complex, list, tuple)) and not isinstance(value, np.generic):
        check_cast(function, made.dtype, dtype)  # numbers of Python's; arrays become real with a warning
    return asarray(made, dtype, function=function)


def _number(function: str, value: Any, dtype: DType) -> Any:
    """A Python number as one of that dtype; `OverflowError` for an integer that it cannot hold."""
    if type(value) is int and dtype.kind in "iu":
        limits = np.iinfo(dtype)
        if not limits.min <= value <= limits.max:
            raise OverflowError(f"{function}: Python integer {value} is out of bounds for {dtype.name}")
    if type(value) is float and dtype.kind in "iu":
        value = int(value)  # raises what NumPy raises for NaN and infinities
    return np.asarray(value).astype(dtype)


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


# --- masks ------------------------------------------------------------------------------------------------------------


def _mask_alone(x: Array, key: Any) -> Any:
    """The mask, where a key is one (with `...` or whole slices behind it at most); None for other keys."""
    parts = key if isinstance(key, tuple) else (key,)
    if not parts:
        return None
    mask, *rest = parts
    if any(part is not Ellipsis and part != slice(None) for part in rest if isinstance(part, (slice, type(...)))):
        return None
    if not all(part is Ellipsis or isinstance(part, slice) for part in rest):
        return None
    if isinstance(mask, list) and mask:
        mask = np.asarray(mask)
    if not isinstance(mask, (Array, np.ndarray, np.bool_, bool)):
        return None
    mask = _kept("setitem", mask)
    if mask.dtype is not bool_ or mask.ndim > x.ndim or mask.shape != x.shape[: mask.ndim] or len(rest) > x.ndim:
        return None
    return mask


def _fits_beside(x: Array, mask: Array, value: Any) -> bool:
    """Is the same value meant for each place where the mask is true, whatever their number?"""
    shape = np.shape(value) if not isinstance(value, Array) else value.shape
    rest = x.ndim - mask.ndim
    return len(shape) <= rest or (len(shape) == rest + 1 and shape[0] == 1)


def _where(x: Array, mask: Array, value: Any) -> Array:
    from lazyarr.recording.elementwise import where

    behind = x.shape[mask.ndim :]
    shape = behind if np.ndim(value) <= len(behind) else (1, *behind)
    new = in_shape("setitem", as_assigned("setitem", value, x.dtype), shape)
    return where(reshape(mask, mask.shape + (1,) * len(behind)), reshape(new, behind), x)


# --- slices and indices -----------------------------------------------------------------------------------------------


def _updated(function: str, x: Array, key: Key, new: Array) -> Array:
    """The array with what a key chooses exchanged for an array of its shape."""
    return _exchanged(function, x, new, key.apart, *[at for _, at in key.arrays])


@deferring
def _exchanged(function: str, x: Array, new: Array, apart: Apart, *indices: Index) -> Array:
    key = apart.key(indices)
    device, trace = combine(function, (x, new, *(at for at in indices if isinstance(at, Array))))
    if not key.arrays:
        node = _placed(x, key, new)
    else:
        single = _one_by_one(key)
        node = _scattered(x, key, new) if single is None else _placed_singly(x, key, new, single)
    return Array(node, x.extents, x.dtype, device, trace)


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
    if axis is None or not isinstance(at, np.ndarray) or at.ndim != 1 or at.size > MOST_SINGLE:
        return None
    return axis, [operator.index(i) for i in at]


def _placed_singly(x: Array, key: Key, new: Array, single: tuple[int, list[int]]) -> Expr:
    axis, positions = single
    found = Array(x.node, x.shape, x.dtype, x.placed, x.traced_in)
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

    at, values : arrays of one shape; indices of int32 or int64, those outside of x are left out
    """
    pairs = Zip(at.node, values.node)
    pair = TupleType((to_ir(at.dtype), to_ir(values.dtype)))
    return Scatter(f, fun(pair, lambda p: p), x.node, pairs)


# --- in place ---------------------------------------------------------------------------------------------------------


def in_place(name: str, x: Array, other: Any) -> None:
    """`x op= other`: x keeps its dtype and shape.

    Raises `TypeError` where the result's dtype does not convert to x's by NumPy's same-kind rule, `ValueError` where
    its shape is another.
    """
    from lazyarr.recording.apply import apply

    put_result(name, x, apply(name, x, other))


def put_result(name: str, x: Array, made: Array) -> None:
    """Put the result of an operator into the array; raises as `in_place` does."""
    from lazyarr.recording.elementwise import astype

    if not np.can_cast(made.dtype, x.dtype, "same_kind"):
        raise TypeError(
            f"{name}: cannot put the result, of dtype {made.dtype.name}, into an array of dtype {x.dtype.name} in place"
        )
    if made.extents != x.extents:
        raise ValueError(f"{name}: the result has shape {made.shape}, which does not fit an array of shape {x.shape}")
    adopt(x, astype(made, x.dtype))
