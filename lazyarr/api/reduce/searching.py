"""Searching by reduction: where the extremes lie, and how many elements are not zero.

An arg-reduction reduces pairs of a value and its index; the indices are generated where they are read. The order of the
pairs is total (`ir.core.selection`), so every derivation finds the same index, on every run.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from ir.core.expr import Expr, Lambda, fun
from ir.core.patterns import Cast, Get, Map, Reduce, Tuple, Zip
from ir.core.selection import first_extreme
from ir.core.types import INT64, ArrayType, ScalarType, TupleType
from lazyarr.aliasing.outputs import OUT_TO_RESULT, with_out_at
from lazyarr.api.reduce.lexicographic import position_of_complex
from lazyarr.api.reduce.reduced import reduced
from lazyarr.api.reduce.reductions import sum as sum_
from lazyarr.array import Array, array_of
from lazyarr.dtypes import DType, bool_, int64, to_ir
from lazyarr.eager.functions import small_by
from lazyarr.graph.builders import empty, index_type, indices, join, literal, permute, rows
from lazyarr.recording.conversion import astype
from lazyarr.recording.creation import asarray
from lazyarr.recording.movement import normalise_axis
from lazyarr.recording.replay import replayable

__all__ = ["argmax", "argmin", "count_nonzero"]


@with_out_at(2, casting=OUT_TO_RESULT)
@small_by(np.argmax)
@replayable
def argmax(a: Any, axis: int | None = None, *, keepdims: bool = False) -> Array:
    """The index of the greatest element along an axis (None: of all, counted in row-major order), an int64.

    Of several equal ones the first. A NaN is greater than every number. Complex numbers are ordered by
    their real parts, then by their imaginary ones. `ValueError` where there are no elements.
    """
    return _position("argmax", "maximum", a, axis, keepdims)


@with_out_at(2, casting=OUT_TO_RESULT)
@small_by(np.argmin)
@replayable
def argmin(a: Any, axis: int | None = None, *, keepdims: bool = False) -> Array:
    """The index of the least element along an axis (None: of all, counted in row-major order), an int64.

    Of several equal ones the first. A NaN is less than every number. Complex numbers are ordered by their
    real parts, then by their imaginary ones. `ValueError` where there are no elements.
    """
    return _position("argmin", "minimum", a, axis, keepdims)


def _position(function: str, op: str, x: Any, axis: Any, keepdims: bool) -> Array:
    array = asarray(x, function=function)
    along = None if axis is None else normalise_axis(function, axis, max(array.ndim, 1))
    axes = (along,) if along is not None and array.shape else None
    order, shape, results, count = reduced(array.shape, axes, bool(keepdims))
    if not count:
        raise ValueError(f"{function}: expected elements to choose from, got shape {array.shape} and axis {axis}")
    if array.dtype.kind == "c" and results:
        return position_of_complex(op, array, axes, bool(keepdims))
    node: Expr
    if not results:
        node = empty(int64)
    else:
        node = array.node if order is None else permute(array.node, array.shape, order)
        if results == 1:
            node = _choice(op, array.dtype, node, count)
        else:
            node = join(Map(_row_choice(op, array.dtype, count), rows(node, results)))
        node = Map(_index_of(array.dtype, index_type(count)), node)
    return array_of(node, shape, int64, array.placed, array.traced_in)


def _choice(op: str, dtype: DType, row: Expr, count: int) -> Expr:
    """`reduce` over the pairs of the elements and their indices."""
    index = index_type(count)
    f, last = _chooser(op, dtype, index)
    return Reduce(f, last, Zip(row, indices(count, index)))


@cache
def _chooser(op: str, dtype: DType, index: ScalarType) -> tuple[Lambda, Expr]:
    """The function that chooses one of two pairs, and the pair that is never chosen."""
    t = TupleType((to_ir(dtype), index))
    limits = np.iinfo(str(index))
    last = Tuple(literal(_last(op, dtype), dtype), literal(limits.max, np.dtype(str(index))))
    return fun((t, t), lambda a, b: first_extreme(op, a, b)), last


def _last(op: str, dtype: DType) -> Any:
    """The number that comes after all others."""
    if dtype is bool_:
        return op == "minimum"
    if dtype.kind == "f":
        return np.inf if op == "minimum" else -np.inf
    return np.iinfo(dtype).max if op == "minimum" else np.iinfo(dtype).min


@cache
def _row_choice(op: str, dtype: DType, count: int) -> Lambda:
    return fun(ArrayType(to_ir(dtype), count), lambda row: _choice(op, dtype, row, count))


@cache
def _index_of(dtype: DType, index: ScalarType) -> Lambda:
    """The index of a pair, as an int64."""

    def body(pair: Expr) -> Expr:
        found = Get(1, pair)
        return found if index is INT64 else Cast(found, INT64)

    return fun(TupleType((to_ir(dtype), index)), body)


@small_by(np.count_nonzero)
@replayable
def count_nonzero(a: Any, axis: Any = None, *, keepdims: bool = False) -> Array:
    """How many elements along axes (None: of all) are not zero (for bools: are true), an int64; a NaN is not zero."""
    return sum_(astype(asarray(a, function="count_nonzero"), bool_), axis, keepdims=keepdims)
