"""Elements and parts of eager arrays, by NumPy: what loops consist of. What is not as simple is left to recording."""

from __future__ import annotations

from math import prod
from typing import Any, Final

import numpy as np
from numpy import ndarray

from ir.cost.thresholds.eager import CHOSEN_EAGERLY_AT_MOST, EAGER_ELEMENTS_AT_MOST, EAGER_FUNCTION_ELEMENTS_AT_MOST
from ir.reference.masks import masked
from lazyarr.aliasing.alias_groups import root_of
from lazyarr.aliasing.numpys_keys import PLAIN_KEYS, numpys_key
from lazyarr.aliasing.views import become_eager
from lazyarr.array import Array, compute_deep, eager, number, view_of
from lazyarr.array.eager import existing, read_eagerly
from lazyarr.config import eagerness, settings
from lazyarr.dtypes import complex128, float64
from lazyarr.eager.numbers import WHOLE, of_numpys
from lazyarr.eager.operations import allowed, is_used_enough
from lazyarr.runtime import computes_on_cpu

__all__ = [
    "chosen_by_mask", "element_eagerly", "holds_values", "is_eager", "is_small_or_eager", "names_one",
    "part",
]  # fmt: skip

_ZERO: Final = np.zeros(())
_ONLY_INTEGERS: Final = {int}
_OF_HOST: Final = frozenset({list, range, np.ndarray, bool, np.bool})


def part(x: Array, host: np.ndarray[Any, Any], key: Any) -> Any:
    """`x[key]` of an eager array with dimensions, for a key without arrays that have some: NumPy's, or a number; None
    where that is to be recorded. Raises what NumPy does for a key out of range.
    """
    kind = type(key)
    if kind is tuple:
        parts, is_element = [], True
        for i in key:
            kind = type(i)
            if kind is not int:
                if kind is Array:
                    i = i.value
                    if type(i) is not int:
                        return None
                else:
                    is_element = False
                    if kind not in PLAIN_KEYS:
                        return None
            parts.append(i)
        key = tuple(parts)
        if is_element and len(key) == len(x.extents):
            found, dtype = host.item(*key), x.dtype
            if dtype is float64 or type(found) in WHOLE or dtype is complex128:
                return number(found, dtype)
        return host[key]
    return host[key] if kind in PLAIN_KEYS else None


def element_eagerly(x: Array, key: Any, plain: bool) -> Array | None:
    """`x[key]` of an eager array, as NumPy does it; None where that is to be recorded.

    Args:
        plain: does the key hold nothing but slices, Python's integers and such?
    """
    if x.value is None and plain and prod(x.extents) > EAGER_ELEMENTS_AT_MOST:
        is_number = len(x.extents) == 1 if type(key) is int else names_one(x, key)
        if is_number and x.dtype.kind != "c" and not is_eager(x):  # complex parts lie apart: all would be put together
            return _read(x, key)
        if not is_number and not _takes_few(x, key):
            return None
    elif x.value is None and not plain and x.dtype.kind != "c":
        gathered = _gathered(x, key)
        if gathered is not None or not holds_values(key, eager_alone=True):
            return gathered
    if not is_eager(x):
        return None
    host, chosen_by = x.host, key
    assert host is not None
    if not plain:
        chosen_by = numpys_key(key)
        if chosen_by is False:
            return None
    try:
        is_mask = type(chosen_by) is ndarray and chosen_by.dtype.kind == "b" and chosen_by.ndim
        found = masked(host, chosen_by) if is_mask else host[chosen_by]
    except (IndexError, TypeError, ValueError):
        return None  # recording raises lazyarr's own error
    if type(found) is not np.ndarray:
        return of_numpys(found)
    if plain or not _holds_arrays(key):
        return view_of(x, found)
    return eager(found.copy()) if np.may_share_memory(found, host) else of_numpys(found)


def _read(x: Array, key: Any) -> Array | None:
    """An element of a large array, where it lies: only who writes, or takes slices, needs a copy of all."""
    value = existing(x)
    try:
        return None if value is None else of_numpys(value[key])
    except IndexError:
        return None  # as above


def _gathered(x: Array, key: Any) -> Array | None:
    """The elements that few indices of a list or an array name, from where they lie."""
    chosen_by = numpys_key(key)
    if type(chosen_by) is not ndarray or chosen_by.dtype.kind not in "iu":
        return None
    if chosen_by.size * prod(x.extents[1:]) > EAGER_FUNCTION_ELEMENTS_AT_MOST:
        return None
    if prod(x.extents) > EAGER_ELEMENTS_AT_MOST and not computes_on_cpu(settings().device):
        return None
    value = existing(x)
    if value is None:
        return None
    for each in (x, key):
        if type(each) is Array:
            read_eagerly(each)
    try:
        return of_numpys(value[chosen_by])
    except IndexError:
        return None  # as above


def _takes_few(x: Array, key: Any) -> bool:
    """Does a key without arrays take few elements of a large array?"""
    try:
        return bool(np.broadcast_to(_ZERO, x.extents)[key].size <= EAGER_ELEMENTS_AT_MOST)
    except (IndexError, TypeError, ValueError):
        return False  # recording raises lazyarr's own error


def chosen_by_mask(x: Array, mask: Array) -> Array | None:
    """The elements where a mask is true, whose number is known with its value alone: in a loop there is another one in
    each turn, and a program for each is not worth writing. None where that is to be recorded.
    """
    if not allowed() or max(prod(x.extents), prod(mask.extents)) > CHOSEN_EAGERLY_AT_MOST:
        return None
    if x.tracing or mask.tracing or x.placed is not None or mask.placed is not None:
        return None
    for each in (x, mask):
        if existing(each) is None:
            compute_deep(each)
    if x.dtype.kind == "c" and is_used_enough(x, passes=True):
        become_eager(x)  # whose parts lie apart: they were put together each time
    value, chosen_by = existing(x), existing(mask)
    if value is None or chosen_by is None:
        return None
    try:
        return of_numpys(masked(value, chosen_by))
    except IndexError:
        return None  # recording raises lazyarr's own error


def holds_values(key: Any, eager_alone: bool = False) -> bool:
    """Is one of its parts an eager array, a list, a range, NumPy's array or a truth, or an array of few indices that
    exist?

    Args:
        eager_alone: do these not count if they are not eager?
    """
    parts = key if type(key) is tuple else (key,)
    for part in parts:
        if type(part) is Array:
            if part.value is not None or (not eager_alone and _is_small_and_there(part)):
                return True
        elif type(part) in _OF_HOST:
            return True
    return False


def _is_small_and_there(indices: Array) -> bool:
    is_small = indices.dtype.kind in "iu" and prod(indices.extents) <= EAGER_FUNCTION_ELEMENTS_AT_MOST
    return is_small and existing(indices) is not None


def _holds_arrays(key: Any) -> bool:
    """Is one of its parts an array, a list, a range or a truth, which is a mask?"""
    parts = key if type(key) is tuple else (key,)
    return any(isinstance(part, (Array, np.ndarray, list, range, bool, np.bool)) for part in parts)


def is_eager(x: Array) -> bool:
    """Is an array eager, or does it become so since parts of it are looked at often? A large one is not copied."""
    if x.value is not None:
        return True
    base = root_of(x)
    lent = base.dtype.kind != "c" and prod(base.extents) > EAGER_ELEMENTS_AT_MOST
    return is_used_enough(x, lent=lent) and existing(base) is not None and become_eager(x, lent)


def is_small_or_eager(x: Array) -> bool:
    """Is an array eager, or does it become so since it is small and its value exists?"""
    if not (eagerness.on or allowed()):
        return False
    return x.value is not None or (prod(x.extents) <= EAGER_ELEMENTS_AT_MOST and is_eager(x))


def names_one(x: Array, key: Any) -> bool:
    """Is it an integer for each dimension, of which there are some?"""
    return type(key) is tuple and len(key) == len(x.extents) > 0 and _ONLY_INTEGERS.issuperset(map(type, key))
