"""Reductions of values carried out eagerly: NumPy's, where they give what lazyarr's do.

Each takes the value of an array and the other arguments of the function that it stands for, and gives None where the
call is to be recorded: other dtypes, arguments that are rarely given, and what raises. Sums of float32 are carried in
float64 and rounded once, and long ones of float64 are formed in blocks (`ir.reference.calls`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ir.cost.thresholds.tiers import TERMS_IN_A_ROW
from ir.reference.calls import summed
from lazyarr.dtypes import sum_dtype

__all__ = ["all_of", "any_of", "greatest", "least", "mean_of", "product_of", "sum_of"]

_Value = np.ndarray[Any, Any]
_INTEGERS = {int}


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
    if dtype.kind not in "biuf":
        return None
    if dtype.char == "d":
        if ufunc is np.add and x.ndim > 1 and max([x.shape[axis] for axis in axes]) > TERMS_IN_A_ROW:
            places = tuple([axis % x.ndim for axis in axes])
            if len(set(places)) < len(places):
                return None  # recording raises
            found = summed(x, places) + 0.0  # the sum of negative zeros is zero
            return np.expand_dims(found, places) if keepdims else found
        return ufunc.reduce(x, axes, None, None, keepdims, start)  # type: ignore[no-any-return]  # an array
    if dtype.char == "f":
        wide = ufunc.reduce(x, axis=axes, keepdims=keepdims, initial=start, dtype=np.float64)
        return wide.astype(dtype)  # type: ignore[no-any-return]  # as above
    return ufunc.reduce(x, axis=axes, keepdims=keepdims, dtype=sum_dtype(dtype))  # type: ignore[no-any-return]  # as above


def sum_of(
    x: _Value, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False, initial: Any = None,
    where: Any = True,
) -> _Value | None:  # fmt: skip
    """`sum`"""
    axes = _axes(x, axis, keepdims, dtype is None and out is None and initial is None, where)
    return None if axes is False else _accumulated(np.add, 0, x, axes, keepdims)


def product_of(
    x: _Value, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False, initial: Any = None,
    where: Any = True,
) -> _Value | None:  # fmt: skip
    """`prod`"""
    axes = _axes(x, axis, keepdims, dtype is None and out is None and initial is None, where)
    return None if axes is False else _accumulated(np.multiply, 1, x, axes, keepdims)


def mean_of(
    x: _Value, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False, *, where: Any = True
) -> _Value | None:
    """`mean`"""
    axes = _axes(x, axis, keepdims, dtype is None and out is None, where)
    if axes is False:
        return None
    total = _accumulated(np.add, 0, x if x.dtype.kind in "fc" else x.astype(np.float64), axes, keepdims)
    return None if total is None else total / total.dtype.type(x.size // total.size)


def _extreme(ufunc: Any, x: _Value, axes: Any, keepdims: bool) -> _Value | None:
    if axes is False or x.dtype.kind not in "biuf":
        return None
    return ufunc.reduce(x, axis=axes, keepdims=keepdims)  # type: ignore[no-any-return]  # an array


def greatest(
    x: _Value, axis: Any = None, out: Any = None, keepdims: Any = False, initial: Any = None, where: Any = True
) -> _Value | None:
    """`max`"""
    return _extreme(np.maximum, x, _axes(x, axis, keepdims, out is None and initial is None, where), keepdims)


def least(
    x: _Value, axis: Any = None, out: Any = None, keepdims: Any = False, initial: Any = None, where: Any = True
) -> _Value | None:
    """`min`"""
    return _extreme(np.minimum, x, _axes(x, axis, keepdims, out is None and initial is None, where), keepdims)


def any_of(x: _Value, axis: Any = None, out: Any = None, keepdims: Any = False, *, where: Any = True) -> _Value | None:
    """`any`"""
    return _extreme(np.logical_or, x, _axes(x, axis, keepdims, out is None, where), keepdims)


def all_of(x: _Value, axis: Any = None, out: Any = None, keepdims: Any = False, *, where: Any = True) -> _Value | None:
    """`all`"""
    return _extreme(np.logical_and, x, _axes(x, axis, keepdims, out is None, where), keepdims)
