"""`x[key] = value` and in-place operators: the array *object* changes, its graph does not.

What is recorded is a new expression, which the object stands for from then on. So every name of the object sees the
change, and what was computed from the old value before keeps that. Views are brought up to date
(`lazyarr.aliasing.views`): `y = x[1:]`, then `x[1] = 3`, changes y, and `y[0] = 3` changes x, as in NumPy.

A slice becomes a concat of what lies around it and the value, a mask with one value a `where`, arrays of indices a
scatter: in it the last value for a place wins, as in NumPy.
"""

from __future__ import annotations

from math import prod
from typing import Any, Final

import numpy as np
from numpy import ndarray

from ir.cost.thresholds.eager import (
    CHOSEN_EAGERLY_AT_MOST,
    EAGER_ELEMENTS_AT_MOST,
    EAGER_ELEMENTS_IN_LOOPS,
    EAGER_THREADS_FROM_BYTES,
)
from lazyarr.aliasing.numpys_keys import PLAIN_KEYS, numpys_key
from lazyarr.aliasing.view_steps import Chosen
from lazyarr.aliasing.views import (
    assigned,
    become_eager,
    check_writeable,
    is_element_of,
    is_writeable,
    stand_for,
    written_through,
)
from lazyarr.array import Array, compute_deep
from lazyarr.array.eager import changing, end_loan, existing, written
from lazyarr.config import eagerness
from lazyarr.dtypes import SUPPORTED, DType, bool_, float32, float64
from lazyarr.eager.operations import allowed, is_numpys, is_used_enough
from lazyarr.eager.shared_out import copied_by_threads
from lazyarr.memory.quiet import quietly
from lazyarr.recording.apply import apply
from lazyarr.recording.conversion import astype, where
from lazyarr.recording.filtering import counted, filters_by_kernels, with_kept
from lazyarr.recording.keys import Key, has_dots, parse
from lazyarr.recording.movement import reshape
from lazyarr.recording.replacing import as_array, as_assigned, as_number, in_shape, numbers_in, updated

__all__ = ["becomes_eager", "check_number", "in_place", "put_result", "rebind", "set_item", "set_key"]

_TAKEN: Final = {bool: "?", int: "?bhilBHILfD", float: "fD", complex: "D"}
"""Python's numbers, and the dtypes in whose arrays NumPy puts them as lazyarr does, or raises; float32 may warn."""
_LEAST_FLOAT32: Final = 1e-37
_GREATEST_FLOAT32: Final = 1e38
"""Sizes of numbers between which NumPy never warns as these become float32."""


def rebind(x: Array, new: Array) -> None:
    """Let an array object stand for the value of another, in its base and views too; what was computed from it before
    keeps the old one. `ValueError` for a read-only view.
    """
    if x.value is not None and new.value is None and new.traced_in is None:
        check_writeable(x)
        compute_deep(new)  # threads that write to other arrays do not wait for it
    with changing:
        check_writeable(x)
        stand_for(x, new)
        if x.origin is not None or x.family is not None:
            assigned(x)


def set_item(x: Array, key: Any, value: Any) -> None:
    """`x[key] = value`: the value is converted to x's dtype, whatever its own, and broadcast.

    Raises:
        ValueError: a value that does not broadcast.
        IndexError: a key that reading refuses, too.
        TracingError: a mask with several values while a function is recorded.
    """
    host: Any = x.value
    if type(host) is ndarray and eagerness.on:  # what loops consist of
        if type(value) is Array:
            given: Any = value.value
            fits = value.dtype is x.dtype and given is not None
        else:
            given, dtype, kind = value, x.dtype, type(value)
            fits = (dtype is float64 and (kind is float or kind is int)) or (
                dtype.char in _TAKEN.get(kind, "")
                and (dtype is not float32 or not given or _LEAST_FLOAT32 < abs(given) < _GREATEST_FLOAT32)
            )
        if fits:
            kind = type(key)
            if kind is tuple:
                if len(key) == 2:
                    i, j = key
                    fits = (type(i) is int or type(i) in PLAIN_KEYS) and (type(j) is int or type(j) in PLAIN_KEYS)
                else:
                    fits = PLAIN_KEYS.issuperset(map(type, key))
            elif kind is not int:
                fits = kind in PLAIN_KEYS
        if fits:
            shared = x.shared
            if shared is not None and shared.loan is not None:
                end_loan(shared)
            try:
                if type(given) is ndarray and given.nbytes >= EAGER_THREADS_FROM_BYTES:
                    copied_by_threads(host, key, given)
                else:
                    host[key] = given
            except (ArithmeticError, IndexError, TypeError, ValueError):
                pass  # recording raises lazyarr's own error
            except BaseException:
                written(x)  # an interrupt between two parts
                raise
            else:
                shared = x.shared
                if shared is not None and (shared.leaves or shared.recorded):
                    written(x)
                return
    if x.value is not None and (eagerness.on or allowed()) and _put_eagerly(x, key, value):
        return
    check_writeable(x)
    if type(key) is tuple and len(key) == 1 and type(key[0]) in _ALONE:
        (key,) = key
    if x.origin is not None and x.origin.overlaps:
        with changing:
            written_through(x, key, value)
        return
    # What is computed is computed before the lock is taken: threads that write to other arrays do not wait for it.
    was_eager, mask, places = x.value is not None, _mask_alone(x, key), None
    if mask is not None and 0 < mask.ndim == x.ndim and type(key) is not tuple and np.ndim(value) > 1:
        raise TypeError(f"setitem: expected values of at most 1 dimension for a mask, got {np.ndim(value)}")
    if mask is not None and _fits_beside(x, mask, value):
        is_like, parsed = mask.value is not None and mask.extents == x.extents, None
        is_small = prod(x.extents) <= EAGER_ELEMENTS_IN_LOOPS and existing(x) is not None and existing(mask) is not None
        gets_eager = (is_like or is_small) and becomes_eager(x, prod(x.extents), False, is_like)
    elif mask is not None and mask.extents == x.extents and filters_by_kernels(x, mask):
        parsed, gets_eager, places = None, False, counted(mask)
    else:
        parsed = parse("setitem", key, x.extents)
        if not parsed.kept and not parsed.arrays:
            value = check_number("setitem", x, key, value)
        gets_eager = becomes_eager(x, prod(parsed.shape), bool(parsed.arrays))
    if gets_eager and _put_eagerly(x, key, value):
        return
    with changing:
        if x.value is not None and not (was_eager or gets_eager) and allowed() and _put_eagerly(x, key, value):
            return  # another thread has let it become eager
        if parsed is None:
            rebind(x, _where(x, mask, value) if places is None else with_kept(x, places, value))
            return
        if type(value) is Array and value.origin is not None and is_element_of(value, x, Chosen(parsed)):
            return  # `x[key] += y` has changed x already
        set_key("setitem", x, parsed, value)


def becomes_eager(x: Array, count: int, scattered: bool, beside_eager: bool = False) -> bool:
    """Does an array become eager, to which so many elements are written, one by one or side by side?

    Args:
        beside_eager: is an eager array of as many elements part of it, so that a loop is running?
    """
    if (
        x.value is not None
        or not (count <= CHOSEN_EAGERLY_AT_MOST if scattered else is_numpys(count))
        or x.placed is not None
        or x.tracing
        or not allowed()
    ):
        return False
    # a small part is written to what was computed since the last time: each time that makes another array of all
    is_large = count > EAGER_ELEMENTS_AT_MOST
    passes = scattered or (not is_large and existing(x) is not None)
    if not (beside_eager or is_used_enough(x, EAGER_ELEMENTS_IN_LOOPS, passes, is_large=is_large)):
        return False
    if existing(x) is None:
        compute_deep(x)  # what earlier writes made of it
    return become_eager(x)


def check_number(function: str, x: Array, key: Any, value: Any) -> Any:
    """The value of one element; NumPy's error for a list or an array: a `ValueError` for floats, and for an array that
    is put among integers, else a `TypeError`. Of bools a list is its truth. With dots in the key an array of one
    element is put, and a list is no value of bools either.
    """
    is_list, dots, kind = isinstance(value, (list, tuple, range)), has_dots(key), x.dtype.kind
    has_dimensions = isinstance(value, (Array, np.ndarray)) and value.ndim and not dots
    if kind == "b" and is_list and not dots:
        return bool(value)
    if is_list or (has_dimensions and (kind != "b" or value.size != 1)):
        shown = f"an array of shape {value.shape}" if has_dimensions else repr(value)[:60]
        error = TypeError if not dots and (kind == "c" or (kind in "iu" and is_list)) else ValueError
        raise error(f"{function}: expected a number as the value of one element, got {shown}")
    return value


def _put_eagerly(x: Array, key: Any, value: Any) -> bool:
    """Write to an eager array as NumPy does it, if lazyarr means the same; else nothing is done."""
    is_plain = PLAIN_KEYS.issuperset(map(type, key)) if type(key) is tuple else type(key) in PLAIN_KEYS
    if not is_plain:
        key = numpys_key(key)
    if key is False:
        return False
    host: Any = x.value
    if type(host) is not np.ndarray or (not host.flags.writeable and is_writeable(x)):
        host = x.memory()
    dtype, kind = x.dtype, type(value)
    is_list = kind is list or kind is tuple or kind is range
    if is_list:
        value = _put_together(value, dtype)
        kind = type(value)
    if kind is Array:
        if value.traced_in is not None or value.placed is not None:
            return False
        given = value.value
        if given is None:
            given = value.to_numpy()
        is_like = value.dtype is dtype
        if not is_like:
            if not np.can_cast(value.dtype, dtype, "same_kind"):
                return False
            if type(given) is not np.ndarray:
                given = value.host
    elif kind is float and dtype is float64:
        given, is_like = value, True
    elif kind is np.ndarray or isinstance(value, np.generic):
        given, is_like = value, value.dtype is dtype
        if not is_like and not (value.dtype in SUPPORTED and np.can_cast(value.dtype, dtype, "same_kind")):
            return False
    else:
        given, is_like = value, dtype is float64 or dtype.kind in "biu"
        if kind not in _NUMBERS.get(dtype.kind, ()):
            if kind is not int and kind is not float:
                return False
            try:
                given = as_number("setitem", value, dtype)  # truncated, or its truth
            except (OverflowError, ValueError):
                return False  # recording raises it, too
    shared = x.shared
    if shared is not None and shared.loan is not None:
        end_loan(shared)
    try:
        if is_list and is_plain:
            dimensions = np.ndim(host[key])
            if np.ndim(given) > dimensions or (not dimensions and has_dots(key)):
                return False  # recording raises lazyarr's own error
        if is_like:  # nothing that NumPy warns of
            if is_plain and type(given) is np.ndarray and given.nbytes >= EAGER_THREADS_FROM_BYTES:
                copied_by_threads(host, key, given)
            else:
                host[key] = given
        else:
            quietly(host.__setitem__, key, given)
    except (ArithmeticError, IndexError, TypeError, ValueError):
        return False  # recording raises lazyarr's own error
    finally:
        written(x)
    return True


def _put_together(value: Any, dtype: DType) -> Any:
    """The elements of a list, converted one by one, as an array; None where recording raises an error."""
    try:
        return numbers_in("setitem", value, dtype)
    except (ArithmeticError, TypeError, ValueError):
        return None


_ALONE: Final = {Array, ndarray, list}
"""Parts of keys that mean the same where they stand alone."""

_NUMBERS: Final = {
    "b": (bool,), "i": (bool, int), "u": (bool, int), "f": (bool, int, float), "c": (bool, int, float, complex),
}  # fmt: skip
"""Python's numbers that an array of a kind of dtype takes as they are."""


def set_key(function: str, x: Array, key: Key, value: Any) -> None:
    """`set_item` for a key that is taken apart already."""
    if isinstance(value, np.generic) and value.dtype.kind in "iuf" and x.dtype.kind in "iu" and not key.arrays:
        value = np.asarray([value], x.dtype)[0]  # an error if it does not hold that; with indices NumPy casts
    new = as_assigned(function, value, x.dtype)
    if not key.arrays and new.ndim > len(key.shape) and isinstance(value, (list, tuple)):
        raise ValueError(f"{function}: expected lists of at most {len(key.shape)} dimensions, got {new.ndim}")
    if prod(key.shape):
        rebind(x, updated(function, x, key, in_shape(function, new, key.shape)))
        return
    if key.arrays and not new.size and new.ndim > len(key.shape):  # NumPy looks at the last dimensions alone
        new = as_array(function, np.broadcast_to(np.zeros((), x.dtype), new.extents[-len(key.shape) :]))
    in_shape(function, new, key.shape)  # for its errors


# --- masks ------------------------------------------------------------------------------------------------------------


def _mask_alone(x: Array, key: Any) -> Any:
    """The mask, where a key is one (with `...` or whole slices behind it at most); None for other keys."""
    parts = key if isinstance(key, tuple) else (key,)
    if not parts:
        return None
    mask, *rest = parts
    whole = [part for part in rest if part is not Ellipsis]
    if len(rest) - len(whole) > 1 or not all(isinstance(part, slice) and part == slice(None) for part in whole):
        return None
    if isinstance(mask, list) and mask:
        mask = np.asarray(mask)
    if not isinstance(mask, (Array, np.ndarray, np.bool_, bool)):
        return None
    mask = as_array("setitem", mask)
    if mask.dtype is not bool_ or mask.shape != x.shape[: mask.ndim] or mask.ndim + len(whole) > x.ndim:
        return None
    return mask


def _fits_beside(x: Array, mask: Array, value: Any) -> bool:
    """Is the same value meant for each place where the mask is true, whatever their number?"""
    shape = np.shape(value) if not isinstance(value, Array) else value.shape
    rest = x.ndim - mask.ndim
    return len(shape) <= rest or (len(shape) == rest + 1 and shape[0] == 1)


def _where(x: Array, mask: Array, value: Any) -> Array:
    behind = x.shape[mask.ndim :]
    shape = behind if np.ndim(value) <= len(behind) else (1, *behind)
    new = in_shape("setitem", as_assigned("setitem", value, x.dtype), shape)
    return where(reshape(mask, mask.shape + (1,) * len(behind)), reshape(new, behind), x)


# --- in place ---------------------------------------------------------------------------------------------------------


def in_place(name: str, x: Array, other: Any) -> None:
    """`x op= other`: x keeps its dtype and shape.

    Raises:
        TypeError: the result's dtype does not convert to x's by NumPy's same-kind rule.
        ValueError: its shape is another.
    """
    put_result(name, x, apply(name, x, other))


def put_result(name: str, x: Array, made: Array) -> None:
    """Put the result of an operator into the array; raises as `in_place` does."""
    if not np.can_cast(made.dtype, x.dtype, "same_kind"):
        raise TypeError(
            f"{name}: cannot put the result, of dtype {made.dtype.name}, into an array of dtype {x.dtype.name} in place"
        )
    if made.extents != x.extents:
        raise ValueError(f"{name}: the result has shape {made.shape}, which does not fit an array of shape {x.shape}")
    if made.value is not None and (x.value is not None or becomes_eager(x, prod(x.extents), False)) and allowed():
        check_writeable(x)
        quietly(np.copyto, x.memory(), made.host, "same_kind")
        written(x)
        return
    rebind(x, astype(made, x.dtype))
