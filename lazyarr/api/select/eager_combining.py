"""`f.at(x, i, v)` in the memory of an eager array, by NumPy."""

from __future__ import annotations

from functools import partial
from math import prod
from typing import Any, Final

import numpy as np
from numpy import ndarray

from ir.cost.thresholds.sorts import (
    CARRIED_FROM_INDICES,
    CARRIED_PLACES_AN_INDEX,
    COMBINED_BY_ROWS_FROM,
    COMBINED_ROWS_AT_ONCE,
)
from ir.reference.calls import CARRIED
from lazyarr.aliasing.assignment import becomes_eager
from lazyarr.aliasing.eager_writes import changed_by_numpy
from lazyarr.aliasing.numpys_keys import PLAIN_KEYS, numpys_key
from lazyarr.aliasing.views import is_writeable
from lazyarr.array import Array, compute_deep
from lazyarr.array.eager import changing, existing
from lazyarr.config import settings
from lazyarr.dtypes import SUPPORTED, DType, complex128, float64
from lazyarr.eager.numpys_ufuncs import known_ufunc
from lazyarr.memory.quiet import quietly
from lazyarr.memory.snapshots import pooled
from lazyarr.recording.keys import parse
from lazyarr.runtime import computes_on_cpu

__all__ = ["combined_in_place"]

_TAKEN_ON: Final = {int: "iuf", float: "f"}
"""Python's numbers, and the kinds of the arrays whose dtype they take on."""

_ZERO: Final = np.zeros(())


def combined_in_place(name: str, a: Array, indices: Any, b: Any) -> bool:
    """`f.at(a, indices, b)` by NumPy's function of that name, if a is eager or becomes so, and lazyarr means the same;
    else nothing is done.
    """
    if not is_writeable(a) or a.tracing or a.placed is not None or a.is_number:
        return False
    if a.value is None and not computes_on_cpu(settings().device):
        return False  # kernels go on with what is recorded
    ufunc = _ufunc(name, a.dtype)
    key = _key(indices)
    if ufunc is None or key is False:
        return False
    values = _values(a, b)
    if values is None:
        return False
    if a.value is None:
        try:
            count = prod(parse(f"{name}.at", indices, a.extents).shape)
        except (IndexError, TypeError, ValueError):
            return False  # recording raises lazyarr's own error
        if not becomes_eager(a, count, True) and a.value is None:  # else another thread has let it become eager
            return False
    host, named = a.memory(), _named(key)
    # so many may meet in one place that they are carried in float64
    is_carried = a.dtype.char in "fF" and ufunc in CARRIED and named >= CARRIED_FROM_INDICES
    if is_carried and host.size > named * CARRIED_PLACES_AN_INDEX:
        return False
    values = _in_shape(host, key, values)
    how = partial(_carried if is_carried else _combined, ufunc)
    return values is not None and changed_by_numpy(how, a, key, values)


def _carried(ufunc: Any, host: ndarray[Any, Any], key: Any, values: Any) -> None:
    with changing:  # or what another thread combines so meanwhile is lost
        wide = _widened(host)
        _combined(ufunc, wide, key, _widened(np.asarray(values)))
        np.copyto(host, wide, "same_kind")


def _widened(x: ndarray[Any, Any]) -> ndarray[Any, Any]:
    found = pooled(x.shape, complex128 if x.dtype.kind == "c" else float64, shifted=True)
    np.copyto(found, x)
    return found


def _combined(ufunc: Any, host: ndarray[Any, Any], key: Any, values: Any) -> None:
    if not _by_rows(ufunc, host, key, values):
        ufunc.at(host, key, values)


def _ufunc(name: str, dtype: DType) -> Any:
    """NumPy's function of two numbers of a dtype that gives one, if it is lazyarr's."""
    if name == "pow" and dtype.kind not in "fc":
        return None  # it may raise when it has written some elements
    known = known_ufunc(name, (dtype, dtype), (np.ones(1, dtype), np.ones(1, dtype)))
    return known[0] if known is not None and known[1] is dtype and isinstance(known[0], np.ufunc) else None


def _key(indices: Any) -> Any:
    """The key as NumPy's; False where it is none, or the values of an array in it are not there."""
    parts = indices if type(indices) is tuple else (indices,)
    if not all(type(part) in PLAIN_KEYS or isinstance(part, (Array, ndarray, list, np.integer)) for part in parts):
        return False
    return numpys_key(indices)


def _values(a: Array, b: Any) -> Any:
    """The second operand as NumPy's, where it is of the array's dtype; None of others. It is computed: on the host's
    processor kernels are no faster at this than NumPy.
    """
    kind = type(b)
    if kind is Array:
        if b.dtype is not a.dtype or b.tracing or b.placed is not None:
            return None
        found = existing(b)
        if found is None:
            compute_deep(b)
            found = existing(b)
        return found
    if kind is ndarray:
        return b if b.dtype == a.dtype and b.dtype in SUPPORTED else None
    if a.dtype.kind not in _TAKEN_ON.get(kind, ""):
        return None
    try:  # NumPy's `at` would take it as float64 or int64, and compute with that
        return quietly(np.asarray, b, a.dtype)
    except OverflowError:
        return None


def _named(key: Any) -> int:
    """How many indices arrays in a key hold at most, which may name one place again and again."""
    parts = key if type(key) is tuple else (key,)
    return max([part.size for part in parts if type(part) is ndarray and part.dtype.kind != "b"], default=0)


def _in_shape(host: ndarray[Any, Any], key: Any, values: Any) -> Any:
    """Values in the shape of what the key chooses, or one number: where others are to be broadcast NumPy 2.4 may read
    what lies behind them. None where they do not fit, or the key does not.
    """
    if type(values) is not ndarray:
        return values
    if not values.ndim:
        return values
    if type(key) is ndarray and key.dtype.kind != "b":
        shape = key.shape + host.shape[1:]
    else:
        try:
            shape = np.broadcast_to(_ZERO, host.shape)[key].shape
        except (IndexError, TypeError, ValueError):
            return None
    if values.size == 1 and values.ndim <= len(shape):
        return values.reshape(())
    if values.shape == shape:
        return values
    try:
        return np.ascontiguousarray(np.broadcast_to(values, shape))
    except ValueError:
        return None


def _by_rows(ufunc: Any, host: ndarray[Any, Any], key: Any, values: Any) -> bool:
    """Rows combined element by element, as NumPy does it much faster; is that done? It takes an array of indices of
    rows, of which there are many.
    """
    if type(key) is not ndarray or key.dtype.kind not in "iu" or host.ndim < 2 or not host.flags.c_contiguous:
        return False
    rows, each = len(host), host[0].size if len(host) else 0
    if key.size * each < COMBINED_BY_ROWS_FROM or ufunc.nin != 2:
        return False
    low, high = int(key.min()), int(key.max())
    if low < -rows or high >= rows:
        return False
    flat, at = host.reshape(-1), key.reshape(-1)
    shown = np.broadcast_to(values, key.shape + host.shape[1:]).reshape(-1, each)
    columns = np.arange(each)
    step = max(1, COMBINED_ROWS_AT_ONCE // each)
    for start in range(0, len(at), step):
        some = at[start : start + step].astype(np.int64)
        if low < 0:
            some[some < 0] += rows
        places = (some[:, None] * each + columns).reshape(-1)
        ufunc.at(flat, places, shown[start : start + step].reshape(-1))
    return True
