"""Reductions of values carried out eagerly: NumPy's, where they give what lazyarr's do.

Each takes the value of an array and the other arguments of the function that it stands for, and gives None where the
call is to be recorded: other dtypes, arguments that are rarely given, and what raises. Sums of float32 are carried in
float64 and rounded once, and long ones of float64 are formed in blocks (`ir.reference.calls`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from inspect import unwrap
from math import prod
from sys import getrefcount
from typing import Any, TypeVar

import numpy as np

from ir.cost.thresholds.eager import EAGER_ELEMENTS_AT_MOST, EAGER_ELEMENTS_IN_LOOPS
from ir.cost.thresholds.tiers import TERMS_IN_A_ROW, WIDE_SUMS_BY_PRODUCTS_FROM
from ir.reference.calls import summed, summed_wide
from lazyarr.array import Array
from lazyarr.array.eager import existing, read_eagerly
from lazyarr.config import eagerness
from lazyarr.dtypes import as_dtype, sum_dtype
from lazyarr.eager.complex_numbers import divided_by_number
from lazyarr.eager.contractions import products
from lazyarr.eager.numbers import RANGES, of_numpys
from lazyarr.eager.operations import is_numpys, is_ready, numpys_functions
from lazyarr.memory.quiet import ERRORS, quietly, run_quietly
from lazyarr.memory.snapshots import ONE_HOLDER

__all__ = ["all_of", "any_of", "greatest", "least", "mean_of", "of_value", "product_of", "sum_of"]

F = TypeVar("F", bound=Callable[..., Any])

_Value = np.ndarray[Any, Any]
_INTEGERS = {int}
_ORDERED = (np.maximum, np.minimum)
_INT64 = np.dtype(np.int64)
_FOR_PRODUCTS = frozenset({"axis", "keepdims"})


def _axes(x: _Value, axis: Any, keepdims: Any, is_plain: bool, where: Any = True) -> Any:
    """The axes, as NumPy's reductions take them; False where the call is to be recorded.

    Args:
        is_plain: were none of the other arguments given?
    """
    if not is_plain or not x.size or not x.ndim or type(keepdims) is not bool or where is not True:
        return False
    if axis is None:
        return (0,) if x.ndim == 1 else tuple(range(x.ndim))
    if type(axis) is int:
        return (axis,)
    return axis if type(axis) is tuple and axis and _INTEGERS.issuperset(map(type, axis)) else False


def _accumulated(ufunc: Any, start: int, x: _Value, axes: Any, keepdims: bool) -> _Value | None:
    dtype = x.dtype
    if dtype.kind == "c":
        if ufunc is not np.add:
            return None  # the order of products tells where parts are infinite
        if dtype.char == "D" and (x.ndim == 1 or max([x.shape[axis] for axis in axes]) <= TERMS_IN_A_ROW):
            return ufunc.reduce(x, axis=axes, keepdims=keepdims, initial=start)  # type: ignore[call-overload, no-any-return]  # an array
        real, imaginary = (_accumulated(ufunc, start, part, axes, keepdims) for part in (x.real, x.imag))
        if real is None or imaginary is None:
            return None
        found = np.empty(np.shape(real), dtype)
        found.real, found.imag = real, imaginary
        return found
    if dtype.char == "d":
        if ufunc is np.add and x.ndim > 1 and max([x.shape[axis] for axis in axes]) > TERMS_IN_A_ROW:
            places = tuple([axis % x.ndim for axis in axes])
            if len(set(places)) < len(places):
                return None  # recording raises
            found = summed(x, places) + 0.0  # the sum of negative zeros is zero
            return np.expand_dims(found, places) if keepdims else found
        return ufunc.reduce(x, axes, None, None, keepdims, start)  # type: ignore[no-any-return]  # an array
    if dtype.char == "f":
        if ufunc is np.add and x.size >= WIDE_SUMS_BY_PRODUCTS_FROM and max([x.shape[axis] for axis in axes]):
            places = tuple([axis % x.ndim for axis in axes])
            if len(set(places)) < len(places):
                return None  # as above
            wide = summed_wide(x, places) + 0.0  # as above
            return (np.expand_dims(wide, places) if keepdims else wide).astype(dtype)
        wide = ufunc.reduce(x, axis=axes, keepdims=keepdims, initial=start, dtype=np.float64)
        return wide.astype(dtype)  # type: ignore[no-any-return]  # as above
    return ufunc.reduce(x, axis=axes, keepdims=keepdims, dtype=sum_dtype(dtype))  # type: ignore[no-any-return]  # as above


def _sums(ufunc: Any, start: int) -> Callable[..., _Value | None]:
    """`sum` and `prod`."""

    def found(
        x: _Value, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False, initial: Any = None,
        where: Any = True,
    ) -> _Value | None:  # fmt: skip
        usual = dtype is None or as_dtype(dtype) is sum_dtype(x.dtype)
        axes = _axes(x, axis, keepdims, usual and out is None, where)
        if axes is False:
            return None
        made = _accumulated(ufunc, start, x, axes, keepdims)
        if initial is None or made is None:
            return made
        return ufunc(made, made.dtype.type(initial)) if _takes(made.dtype, initial) else None

    return found


sum_of, product_of = _sums(np.add, 0), _sums(np.multiply, 1)


def mean_of(
    x: _Value, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False, *, where: Any = True
) -> _Value | None:
    """`mean`"""
    axes = _axes(x, axis, keepdims, dtype is None and out is None, where)
    if axes is False:
        return None
    total = _accumulated(np.add, 0, x if x.dtype.kind in "fc" else x.astype(np.float64), axes, keepdims)
    if total is None:
        return None
    count = x.size // total.size
    if x.dtype.kind == "c":
        return divided_by_number(total, count)  # type: ignore[no-any-return]  # an array
    return total / total.dtype.type(count)  # type: ignore[no-any-return]  # as above


def _takes(dtype: Any, initial: Any) -> bool:
    """Does an array of that dtype take a number of Python's as it is?"""
    if type(initial) is int:
        least, most = RANGES[dtype] if dtype.kind in "iu" else RANGES[_INT64]
        return least <= initial <= most and dtype.kind in "iuf"
    return type(initial) is float and dtype.kind == "f"


def _extreme(ufunc: Any, x: _Value, axes: Any, keepdims: bool) -> _Value | None:
    if axes is False or (x.dtype.kind == "c" and ufunc in _ORDERED and np.isnan(x).any()):
        return None  # which one of several NaNs it is, recording says
    return ufunc.reduce(x, axis=axes, keepdims=keepdims)  # type: ignore[no-any-return]  # an array


def _extremes(ufunc: Any) -> Callable[..., _Value | None]:
    """`max` and `min`."""

    def found(
        x: _Value, axis: Any = None, out: Any = None, keepdims: Any = False, initial: Any = None, where: Any = True
    ) -> _Value | None:
        made = _extreme(ufunc, x, _axes(x, axis, keepdims, out is None, where), keepdims)
        if initial is None or made is None:
            return made
        return ufunc(made.dtype.type(initial), made) if _takes(made.dtype, initial) else None

    return found


def _truths(ufunc: Any) -> Callable[..., _Value | None]:
    """`any` and `all`."""

    def found(x: _Value, axis: Any = None, out: Any = None, keepdims: Any = False, *, where: Any = True) -> Any:
        return _extreme(ufunc, x, _axes(x, axis, keepdims, out is None, where), keepdims)

    return found


greatest, least = _extremes(np.maximum), _extremes(np.minimum)
any_of, all_of = _truths(np.logical_or), _truths(np.logical_and)


def of_value(
    given: Callable[..., _Value | None], of_product: Callable[..., _Value | None] | None = None
) -> Callable[[F], F]:
    """Decorates a replayable function of one array whose value the given function computes, for the value of the array
    and the same other arguments, or None where the call is to be recorded.

    Args:
        of_product: is given the array itself first, with axes and `keepdims` alone, where nobody but the call holds it
    """

    def decorated(replayed: F) -> F:
        numpys_functions[unwrap(replayed)] = partial(_by_value, given)

        @wraps(replayed)
        def of_one(*arguments: Any, **keywords: Any) -> Any:
            if eagerness.on and arguments and type(arguments[0]) is Array:
                value = arguments[0].value
                if of_product is not None and products.last is not None and getrefcount(arguments[0]) == ONE_HOLDER:
                    is_plain = _FOR_PRODUCTS.issuperset(keywords) and len(arguments) < 3 - ("axis" in keywords)
                    found = of_product(*arguments, **keywords) if is_plain else None
                    if found is not None:
                        return of_numpys(found)
                if type(value) is np.ndarray and value.size <= EAGER_ELEMENTS_IN_LOOPS:
                    try:
                        found = run_quietly(given, value, *arguments[1:], **keywords)
                    except ERRORS:
                        found = None
                    if found is not None:
                        return of_numpys(found)
            return replayed(*arguments, **keywords)

        return of_one  # type: ignore[return-value]  # it takes and gives what the function does

    return decorated


def _by_value(given: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Array | None:
    """The result of such a function; None where it is to be recorded."""
    x = arguments[0] if arguments else None
    if type(x) is not Array:
        return None
    value = x.host
    if value is None:
        if prod(x.extents) > EAGER_ELEMENTS_AT_MOST or not is_ready(x, arguments):
            return None
        value = existing(x)
        if value is None:
            return None
        read_eagerly(x)
    elif not is_numpys(value.size, x):
        return None
    try:
        found = quietly(partial(given, **keywords) if keywords else given, value, *arguments[1:])
    except ERRORS:
        return None
    return None if found is None else of_numpys(found)
