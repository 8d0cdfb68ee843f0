"""Element-wise functions whose results are put into eager arrays: in-place operators, and `out=`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from math import prod
from typing import Any

import numpy as np
from numpy import ndarray

from ir.cost.thresholds.eager import EAGER_ELEMENTS_AT_MOST, EAGER_ELEMENTS_IN_LOOPS, EAGER_THREADS_FROM_BYTES
from lazyarr.array import Array
from lazyarr.array.eager import end_loan, existing, written
from lazyarr.dtypes import WEAK
from lazyarr.eager.numbers import COMPARISONS, RANGES, as_value
from lazyarr.eager.numpys_ufuncs import beside, known_ufunc, numpys_ufuncs
from lazyarr.eager.operations import is_numpys, is_ready
from lazyarr.eager.shared_out import put_by_threads
from lazyarr.memory.quiet import ERRORS, quietly, run_quietly

__all__ = ["is_small", "put_into", "put_two"]


@cache
def put_two(name: str) -> Callable[[Any, Any], Any]:
    """A function of an eager array with dimensions and a second operand like it, whose result is put into the first:
    that is given back, or None where nothing was done.
    """
    known, raises = numpys_ufuncs[name], name == "pow"

    def function(a: Any, b: Any) -> Array | None:
        x: Any = a.value
        if type(x) is not ndarray or not a.extents or (x.size > EAGER_ELEMENTS_IN_LOOPS and not is_numpys(x.size)):
            return None
        dtype = a.dtype
        if raises and dtype.kind not in "fc":
            return None  # NumPy may raise when it has written some elements
        if type(b) is Array:
            y: Any = b.value
            ufunc = known.get(dtype) if y is not None and dtype is b.dtype else None
        else:
            y, ufunc = b, beside(known, dtype, type(b))
        if ufunc is None:
            return None
        shared = a.shared
        if shared is not None and shared.loan is not None:
            end_loan(shared)
        try:
            if x.nbytes < EAGER_THREADS_FROM_BYTES:
                run_quietly(ufunc[0], x, y, x)
            else:
                put_by_threads(run_quietly, ufunc[0], (x, y), x)
        except ERRORS:
            return None  # before anything was written
        except BaseException:
            written(a)  # an interrupt between two parts
            raise
        shared = a.shared
        if shared is not None and (shared.leaves or shared.recorded):
            written(a)
        return a  # type: ignore[no-any-return]  # an Array

    return function


@cache
def put_into(name: str) -> Callable[[Sequence[Any], Any, Any], bool]:
    """A function of operands, an array and a mask, whether their result was put into that array, where the mask holds:
    where all of them are eager or small, or numbers of Python's. Else nothing was done.
    """
    raises, compares = name == "pow", name in COMPARISONS

    def function(operands: Sequence[Any], out: Any, where: Any = True) -> bool:
        host: Any = out.value if type(out) is Array else None
        if type(host) is not ndarray or not out.extents or not is_numpys(host.size):
            return False
        if raises and out.dtype.kind not in "fc":
            return False  # NumPy may raise when it has written some elements
        kinds: list[Any] = []
        values: list[Any] = []
        for x in operands:
            kind = type(x)
            if kind is Array:
                value: Any = x.value
                if value is None:
                    value = small_value(x, out)
                    if value is None:
                        return False
                kinds.append(x.dtype)
                values.append(value if type(value) is ndarray else x.host)
            elif kind in WEAK:
                kinds.append(kind)
                values.append(x)
            else:
                value = as_value(x)
                if value is None:
                    return False
                kinds.append(value.dtype)
                values.append(value)
        ufunc = known_ufunc(name, kinds, values)
        if ufunc is None or ufunc[1] is not out.dtype:
            return False
        if not isinstance(ufunc[0], np.ufunc) and (where is not True or max(map(np.ndim, values)) > host.ndim):
            return False  # an assignment drops leading dimensions of extent one
        if where is not True and compares and _is_beyond(values):
            return False
        if out.shared is not None and out.shared.loan is not None:
            end_loan(out.shared)
        try:  # in a context of this thread's: others may write to their own elements of the same memory meanwhile
            if where is True:
                put_by_threads(quietly, ufunc[0], values, host)
            else:
                quietly(partial(ufunc[0], out=host, where=where), *values)
        except ERRORS:
            return False  # before anything was written
        except BaseException:
            written(out)  # as above
            raise
        written(out)
        return True

    return function


def _is_beyond(values: Sequence[Any]) -> bool:
    """Is an integer of Python's compared with integers whose dtype does not hold it? NumPy 2.4 crashes there where it
    has a mask.
    """
    limits = [RANGES[x.dtype] for x in values if type(x) not in WEAK and x.dtype.kind in "iu"]
    return any(type(x) is int and not low <= x <= high for x in values for low, high in limits)


def is_small(x: Array) -> bool:
    """Has an array few elements?"""
    return prod(x.extents) <= EAGER_ELEMENTS_AT_MOST


def small_value(x: Array, beside: Array) -> Any:
    """The value of a small array that exists, or is worth computing beside an eager one; None of others."""
    return existing(x) if is_small(x) and is_ready(x, (beside,)) else None
