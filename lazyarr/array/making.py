"""Arrays made for others: over a part of an eager one's memory, for an argument of a recording, as a result."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import numpy as np
from numpy.lib.stride_tricks import as_strided

from lazyarr.array.core import Array, array_of, blank, box, over
from lazyarr.array.eager import changing, shared_by
from lazyarr.graph.leaves import leaf
from lazyarr.graph.tracing import Trace

__all__ = ["arrayed", "giving_arrays", "lies_in", "part_of", "placeholder", "view_of"]

F = TypeVar("F", bound=Callable[..., Any])


def part_of(x: Array, value: np.ndarray[Any, Any]) -> Array:
    """An eager array over a part of another one's memory, by a key without arrays: `view_of` without doubts."""
    shared = x.shared
    if shared is None:
        shared = shared_by(x)
    made = blank(Array)
    made.expr = made.placed = made.traced_in = made.origin = made.family = None
    made.value, made.dtype, made.shared = value, x.dtype, shared
    extents = made.extents = value.shape
    if not extents:
        made.boxed = True
    if shared.lent is not None and not value.flags.writeable:
        return _of_lent(x, made)
    return made


def _of_lent(x: Array, made: Array, read_only: bool = False) -> Array:
    """A view of an array that shows lent memory, remembered there."""
    with changing:
        lent = made.shared.lent  # type: ignore[union-attr]  # it has one
        assert lent is not None
        lent.add(made, read_only or hasattr(x, "fixed"))
    return made


def view_of(x: Array, value: np.ndarray[Any, Any], read_only: bool = False) -> Array:
    """An eager array over what another one shows: a part of its memory, in which each sees what is written to the
    other; where the value is a copy, in memory of its own.

    Args:
        read_only: may it not be written to?
    """
    if x.is_number:
        return box(_of_number(value, read_only))
    made = over(value, value.shape, value.dtype)
    host = x.host
    if value.base is not None and host is not None:
        if np.may_share_memory(value, host):
            shared = made.shared = shared_by(x)
            if read_only:
                value.setflags(write=False)
            if shared.lent is not None and not value.flags.writeable:
                _of_lent(x, made, read_only)
        elif not value.flags.owndata:
            made.value = value.copy()
            made.value.setflags(write=value.flags.writeable and not read_only)
    if not made.extents:
        made.boxed = True
    return made


def _of_number(value: np.ndarray[Any, Any], read_only: bool) -> Array:
    """An eager array of what a view of a number shows, of a copy of that: numbers do not change, as in NumPy."""
    if value.size < 2:
        value = value.copy()
    else:
        value = as_strided(value[(0,) * value.ndim].copy(), value.shape, value.strides)
    value.setflags(write=not read_only)
    return over(value, value.shape, value.dtype)


def placeholder(x: Array, trace: Trace) -> Array:
    """An array that stands for an argument of the function that `trace` records: a leaf without storage."""
    made = array_of(leaf(x.extents, x.dtype, None), x.extents, x.dtype, x.placed, trace)
    return made if x.is_number else box(made)


def arrayed(found: Array, *given: Any) -> Array:
    """A result that NumPy gives as an array even if it has no dimensions.

    Args:
        found: the result
        given: the arguments it was made of: one of them that is the result stays a number, an array of it is made
    """
    if found.extents or not found.is_number:
        return found
    if any(found is x for x in given):
        found = array_of(found.standing, (), found.dtype, found.placed, found.traced_in)
    return box(found)


def lies_in(order: str, x: Array) -> bool:
    """Do the elements lie one after the other in an order "C" or "F"? In any, if it is another one."""
    layout = x.host if x.host is not None else None if x.origin is None else x.origin.layout()
    if order == "C":
        return bool(layout is None or layout.flags.c_contiguous)
    if order == "F":
        return sum(extent != 1 for extent in x.shape) < 2 if layout is None else bool(layout.flags.f_contiguous)
    return True


def giving_arrays(function: F) -> F:
    """A function that gives arrays even if they have no dimensions, where others give numbers."""

    @wraps(function)
    def giving(*arguments: Any, **keywords: Any) -> Any:
        found = function(*arguments, **keywords)
        return arrayed(found, *arguments, *keywords.values()) if type(found) is Array else found

    return giving  # type: ignore[return-value]  # it takes and gives what the function does
