"""Functions that write to an array, such as `place` and `put`, by NumPy's, in the memory of an eager array."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import ndarray

from ir.cost.thresholds.eager import EAGER_ELEMENTS_IN_LOOPS
from lazyarr.aliasing.assignment import becomes_eager
from lazyarr.aliasing.views import is_writeable
from lazyarr.array import Array
from lazyarr.array.eager import existing, read_eagerly, written
from lazyarr.config import eagerness
from lazyarr.dtypes import SUPPORTED, WEAK, DType
from lazyarr.eager.numbers import HOLDING, of_one_kind
from lazyarr.eager.operations import allowed, is_ready
from lazyarr.memory.quiet import ERRORS, quietly

__all__ = [
    "changed_by_numpy", "existing_values", "is_changed_eagerly", "place_values", "put_values", "putmask_values",
    "values_of",
]  # fmt: skip


def is_changed_eagerly(x: Any) -> bool:
    """Is it an array that NumPy's functions may write to now: one that is eager, or becomes so as it is small and has a
    value?
    """
    if type(x) is not Array or not (eagerness.on or allowed()):
        return False
    if x.value is None:
        if x.size > EAGER_ELEMENTS_IN_LOOPS or x.tracing or x.placed is not None or existing(x) is None:
            return False
        if not is_writeable(x) or not becomes_eager(x, x.size, True):
            return x.value is not None  # another thread may have let it become eager
    return x.traced_in is None and x.placed is None and not x.is_number and is_writeable(x)


def existing_values(x: Any, beside: Array) -> ndarray[Any, Any] | None:
    """The values of an operand, as NumPy's: of an array, a number or a list of numbers of one kind; None where there
    are none yet, or NumPy's dtype of them is not lazyarr's.
    """
    kind = type(x)
    if kind is Array:
        if x.traced_in is not None or x.placed is not None or not is_ready(x, (beside,)):
            return None
        found = existing(x)
        if found is not None:
            read_eagerly(x)
        return found
    if kind is ndarray or isinstance(x, np.generic):  # subclasses may hold masks
        return np.asarray(x) if x.dtype in SUPPORTED else None
    if kind in HOLDING:
        found = of_one_kind(x)
    else:
        found = np.asarray(x) if kind in WEAK else None
    return found if found is not None and found.dtype in SUPPORTED else None


def values_of(x: Any, dtype: DType, beside: Array, casting: str = "same_kind") -> ndarray[Any, Any] | None:
    """The same, converted to a dtype, which NumPy's rule lets it be; else None."""
    found = existing_values(x, beside)
    if found is None or found.dtype == dtype:
        return found
    if type(x) is int and dtype.kind in "iu":
        limits = np.iinfo(dtype)
        if not limits.min <= x <= limits.max:
            return None  # recording raises lazyarr's own error
    elif not np.can_cast(found.dtype, dtype, casting):  # type: ignore[arg-type]  # one of NumPy's rules
        return None
    return quietly(found.astype, dtype)


def changed_by_numpy(numpys: Callable[..., Any], x: Array, *values: Any, **options: Any) -> bool:
    """Call NumPy's function with the memory of an array that `is_changed_eagerly` and with values, which may be parts
    of that memory. It must raise before it has written anything; then nothing was done.
    """
    host = x.memory()
    try:
        quietly(_called, numpys, host, _apart(values, host), options)
    except ERRORS:
        return False  # recording raises lazyarr's own error
    finally:
        written(x)
    return True


def _called(numpys: Callable[..., Any], host: Any, values: tuple[Any, ...], options: dict[str, Any]) -> None:
    numpys(host, *values, **options)


def _apart(value: Any, host: ndarray[Any, Any]) -> Any:
    """What is read, or a tuple of it, in memory that is not written to."""
    if type(value) is tuple:
        return tuple([_apart(each, host) for each in value])
    return value.copy() if type(value) is ndarray and np.may_share_memory(value, host) else value


# --- NumPy's functions ------------------------------------------------------------------------------------------------
#
# They copy memory that does not lie in a row, and write all of it back: what other threads write meanwhile is lost.


def place_values(host: ndarray[Any, Any], mask: ndarray[Any, Any], values: ndarray[Any, Any]) -> None:
    """NumPy's `place`, which writes nothing where the mask, of the array's shape, does not hold."""
    if host.flags.c_contiguous:
        np.place(host, mask, values)
    else:
        host[mask] = _repeated(values, int(np.count_nonzero(mask)))


def putmask_values(host: ndarray[Any, Any], mask: ndarray[Any, Any], values: ndarray[Any, Any]) -> None:
    """NumPy's `putmask`, as above."""
    if host.flags.c_contiguous:
        np.putmask(host, mask, values)
    else:
        new = _repeated(values, host.size)
        np.copyto(host, new.reshape(host.shape) if new.ndim else new, where=mask)


def put_values(host: ndarray[Any, Any], at: ndarray[Any, Any], values: ndarray[Any, Any], mode: Any) -> None:
    """NumPy's `put`, which writes nothing to other places; these are integers, and in range if mode is "raise"."""
    if host.flags.c_contiguous:
        np.put(host, at, values, mode=mode)
        return
    size, places = host.size, at.reshape(-1).astype(np.intp, casting="safe")  # as NumPy's
    places = places.clip(0, size - 1) if mode == "clip" else places % size
    host[np.unravel_index(places, host.shape)] = _repeated(values, places.size)


def _repeated(values: ndarray[Any, Any], count: int) -> ndarray[Any, Any]:
    """So many values in order, again and again if there are too few; one value of no dimension if it is the only one.
    `ValueError` where there are none.
    """
    if values.size == 1:
        return values.reshape(())
    if count and not values.size:
        raise ValueError("no values")  # recording says what that means
    return np.tile(values.reshape(-1), -(-count // max(values.size, 1)))[:count]
