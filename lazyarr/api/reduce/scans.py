"""Scans: running sums, products and extremes along an axis, and the differences that undo a running sum.

A scan along the last axis is one of each row; along another axis rows are combined element by element, so that no data
is moved. Sums of floats are regrouped: no chain of additions is longer than 65,536, whatever the length (NumPy's is as
long as the array). Products of floats are computed in order, one after the other.
"""

from __future__ import annotations

from functools import cache, lru_cache
from math import prod
from typing import Any

import numpy as np

from ir.core.expr import Expr, Lambda, fun
from ir.core.patterns import Concat, Get, Map, Repeat, Scan, Zip
from ir.core.types import ArrayType, TupleType
from ir.reference.cumulative import accumulated
from lazyarr.aliasing.outputs import with_out_at, with_out_of_sums
from lazyarr.api.elementwise.standard import add, divide, isnan, multiply, not_equal, subtract
from lazyarr.api.reduce.folding import combiner, extreme
from lazyarr.api.reduce.reductions import sum as sum_
from lazyarr.array import Array, array_of, combine
from lazyarr.dtypes import DType, as_dtype, bool_, promote, sum_dtype, to_ir
from lazyarr.eager.functions import small_by
from lazyarr.graph.builders import constant, empty, flat, join, literal, map_rows, nest, split, transpose
from lazyarr.recording.conversion import astype, converted, where
from lazyarr.recording.creation import asarray
from lazyarr.recording.indexing import index
from lazyarr.recording.movement import broadcast_to, normalise_axis, ravel, reshape
from lazyarr.recording.replay import replayable

__all__ = [
    "cummax", "cummin", "cumprod", "cumsum", "cumulative_prod", "cumulative_sum", "diff", "nancumprod", "nancumsum",
    "trapezoid",
]  # fmt: skip


@with_out_of_sums
@replayable
def cumulative_sum(x: Any, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False) -> Array:
    """The sums of the elements up to each along an axis, that one included (the array API's name).

    Args:
        axis: may be left out for one dimension only (`ValueError`); a 0-dimensional array counts as a vector of one
        dtype: in which it is computed; by default as in `sum`
        include_initial: put a zero in front, so that the axis is longer by one
    """
    x = _vector_at_least(asarray(x, function="cumulative_sum"))
    return _cumulative("cumulative_sum", "add", x, _axis("cumulative_sum", x, axis), dtype, include_initial)


@with_out_of_sums
@replayable
def cumulative_prod(x: Any, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False) -> Array:
    """The products of the elements up to each along an axis, that one included; otherwise as `cumulative_sum`."""
    x = _vector_at_least(asarray(x, function="cumulative_prod"))
    return _cumulative("cumulative_prod", "multiply", x, _axis("cumulative_prod", x, axis), dtype, include_initial)


_IN_THEIR_DTYPE = "?bhilqBHILQd"
"""The dtypes whose running sums and products NumPy carries in that dtype in which recorded ones are."""


def _sums(a: Any, axis: int | None = None, dtype: Any = None) -> Any:
    """Running sums; of floats those of the reference tier, as NumPy's roundings add up."""
    x = np.asarray(a)
    code = x.dtype.char
    if dtype is not None:
        return None
    if code in "?bhilqBHILQ":
        return np.cumsum(x, axis)
    if axis is None:
        x, axis = x.reshape(-1), 0
    if type(axis) is not int or not x.size or not -x.ndim <= axis < x.ndim:
        return None
    if code in "fd":
        return accumulated(x, axis % x.ndim)
    found = np.empty(x.shape, x.dtype)
    found.real, found.imag = (accumulated(part, axis % x.ndim) for part in (x.real, x.imag))
    return found


def _products(a: Any, axis: int | None = None) -> Any:
    """Running products, which are in order in both tiers."""
    x = np.asarray(a)
    return np.cumprod(x, axis) if x.dtype.char in _IN_THEIR_DTYPE else None


@with_out_at(3, sums=True)
@small_by(_sums)
@replayable
def cumsum(a: Any, axis: int | None = None, dtype: Any = None) -> Array:
    """`cumulative_sum` by NumPy's name; without an axis, of all elements in row-major order."""
    return _flattened("cumsum", "add", asarray(a, function="cumsum"), axis, dtype)


@with_out_at(3, sums=True)
@small_by(_products)
@replayable
def cumprod(a: Any, axis: int | None = None, dtype: Any = None) -> Array:
    """`cumulative_prod` by NumPy's name; without an axis, of all elements in row-major order."""
    return _flattened("cumprod", "multiply", asarray(a, function="cumprod"), axis, dtype)


def _sums_without_nan(a: Any, axis: int | None = None, dtype: Any = None) -> Any:
    """Running sums with zeros in place of NaNs."""
    x = np.asarray(a)
    return _sums(np.where(np.isnan(x), x.dtype.type(0), x) if x.dtype.kind in "fc" else x, axis, dtype)


@with_out_at(3, sums=True)
@small_by(_sums_without_nan)
@replayable
def nancumsum(a: Any, axis: int | None = None, dtype: Any = None) -> Array:
    """`cumsum` with zeros in place of NaNs."""
    return _flattened("nancumsum", "add", _without_nan(asarray(a, function="nancumsum"), 0), axis, dtype)


@with_out_at(3, sums=True)
@replayable
def nancumprod(a: Any, axis: int | None = None, dtype: Any = None) -> Array:
    """`cumprod` with ones in place of NaNs."""
    return _flattened("nancumprod", "multiply", _without_nan(asarray(a, function="nancumprod"), 1), axis, dtype)


def cummax(x: Any, /, axis: int = -1) -> Array:
    """The greatest element up to each along an axis (`numpy.maximum.accumulate`); NaN from the first NaN on."""
    return _extreme("cummax", "maximum", x, axis)


def cummin(x: Any, /, axis: int = -1) -> Array:
    """The least element up to each along an axis (`numpy.minimum.accumulate`); NaN from the first NaN on."""
    return _extreme("cummin", "minimum", x, axis)


@replayable
def diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Array:
    """The differences of neighbours along an axis, `n` times; of bools: are they different?

    Args:
        prepend, append: put in front of and behind `a` along the axis first; numbers, or arrays with the other extents
            of `a`

    Raises:
        ValueError: a 0-dimensional array, or a negative n.
    """
    found: Array = asarray(a, function="diff")
    if not found.ndim:
        raise ValueError("diff: expected an array of one or more dimensions, got a 0-dimensional one")
    if n < 0:
        raise ValueError(f"diff: expected n not to be negative, got {n}")
    if n == 0:
        return found
    axis = normalise_axis("diff", axis, found.ndim)
    if prepend is not None or append is not None:
        found = _joined([_end(part, found, axis) for part in (prepend, found, append) if part is not None], axis)
    for _ in range(n):
        after, before = (index(found, (slice(None),) * axis + (cut,)) for cut in (slice(1, None), slice(None, -1)))
        found = not_equal(after, before) if found.dtype is bool_ else subtract(after, before)
    return found


@replayable
def trapezoid(y: Any, x: Any = None, dx: float = 1.0, axis: int = -1) -> Array:
    """The integral along an axis by the trapezoidal rule.

    Args:
        x: where the samples `y` lie, one number for each along the axis or an array that broadcasts to `y`; None: they
            are `dx` apart
    """
    y = asarray(y, function="trapezoid")
    if not y.ndim:
        raise ValueError("trapezoid: expected an array of one or more dimensions, got a 0-dimensional one")
    axis = normalise_axis("trapezoid", axis, y.ndim)
    width: Any = dx
    if x is not None:
        places = asarray(x, function="trapezoid")
        if places.ndim == 1:
            places = reshape(places, (-1, *(1,) * (y.ndim - axis - 1)))
        width = diff(places, axis=axis - y.ndim)
    after, before = (index(y, (slice(None),) * axis + (cut,)) for cut in (slice(1, None), slice(None, -1)))
    return sum_(divide(multiply(width, add(after, before)), 2.0), axis - y.ndim)


# --- along an axis ----------------------------------------------------------------------------------------------------


def scan_axis(op: str, init: Any, x: Array, axis: int) -> Array:
    """The scan of an array along an axis by an associative primitive with a neutral element; of its shape and dtype."""
    outer, extent, inner = prod(x.shape[:axis]), x.shape[axis], prod(x.shape[axis + 1 :])
    if not x.size or extent == 1:
        return x
    if outer == 1:
        node = _scanned(op, init, x.dtype, inner, x.node)
    else:
        node = map_rows(_row_scan(op, init, x.dtype, extent, inner), x.node, outer)
    return array_of(node, x.shape, x.dtype, x.placed, x.traced_in)


def _scanned(op: str, init: Any, dtype: DType, inner: int, row: Expr) -> Expr:
    """The scan of the columns of a matrix with rows of `inner` elements, which is flat: its rows are combined."""
    first = literal(init, dtype)
    if inner == 1:
        return Scan(combiner(op, dtype), first, row)
    return join(Scan(_row_by_row(op, dtype, inner), Repeat(inner, first), split(inner, row)))


@lru_cache(maxsize=1024)
def _row_scan(op: str, init: Any, dtype: DType, extent: int, inner: int) -> Lambda:
    """The same as a function, of matrices of `extent` rows."""
    return fun(ArrayType(to_ir(dtype), extent * inner), lambda flat: _scanned(op, init, dtype, inner, flat))


@lru_cache(maxsize=1024)
def _row_by_row(op: str, dtype: DType, inner: int) -> Lambda:
    """`λ(a, b). map op (zip a b)`"""
    row = ArrayType(to_ir(dtype), inner)
    return fun((row, row), lambda a, b: Map(_pairwise(op, dtype), Zip(a, b)))


@cache
def _pairwise(op: str, dtype: DType) -> Lambda:
    """`λ(a, b). op a b` of one argument, which is a pair."""
    t = to_ir(dtype)
    return fun(TupleType((t, t)), lambda pair: combiner(op, dtype)(Get(0, pair), Get(1, pair)))


def _vector_at_least(x: Array) -> Array:
    """A 0-dimensional array as a vector of one element, as NumPy takes it."""
    return x if x.ndim else ravel(x)


def _axis(function: str, x: Array, axis: int | None) -> int:
    if not x.ndim:
        raise ValueError(f"{function}: expected an array of one or more dimensions, got a 0-dimensional one")
    if axis is None and x.ndim > 1:
        raise ValueError(f"{function}: axis must be given for an array of {x.ndim} dimensions")
    return normalise_axis(function, 0 if axis is None else axis, x.ndim)


def _flattened(function: str, op: str, x: Array, axis: int | None, dtype: Any) -> Array:
    if axis is None or (not x.ndim and axis in (0, -1)):
        x, axis = x if x.ndim == 1 else ravel(x), 0
    return _cumulative(function, op, x, normalise_axis(function, axis, x.ndim), dtype, False)


def _cumulative(function: str, op: str, x: Array, axis: int, dtype: Any, include_initial: bool) -> Array:
    target = sum_dtype(x.dtype) if dtype is None else as_dtype(dtype, function)
    first = 0 if op == "add" else 1
    # minus zero is the neutral element: with zero, the sum of minus zeros would be zero
    init: Any = first
    if op == "add" and target.kind in "fc":
        init = -0.0 if target.kind == "f" else complex(-0.0, -0.0)
    if target is bool_:
        op = {"add": "bitwise_or", "multiply": "bitwise_and"}[op]
    found = scan_axis(op, init, converted(function, x, target), axis)
    return _joined([_constant_slice(first, found, axis), found], axis) if include_initial else found


def _extreme(function: str, op: str, x: Any, axis: int) -> Array:
    x = asarray(x, function=function)
    if not x.ndim:
        raise ValueError(f"{function}: expected an array of one or more dimensions, got a 0-dimensional one")
    axis = normalise_axis(function, axis, x.ndim)
    combine, init = extreme(op, x.dtype)
    return scan_axis(combine, init, x, axis)


def _without_nan(x: Array, value: int) -> Array:
    if x.dtype.kind not in "fc":
        return x
    return where(isnan(x), value, x)


# --- arrays side by side along an axis --------------------------------------------------------------------------------


def _constant_slice(value: Any, x: Array, axis: int) -> Array:
    """An array of the shape and dtype of another but with extent one along the axis, all of one value."""
    shape = (*x.shape[:axis], 1, *x.shape[axis + 1 :])
    return array_of(constant(prod(shape), value, x.dtype), shape, x.dtype, x.placed, x.traced_in)


def _end(part: Any, a: Array, axis: int) -> Array:
    """What is put in front of or behind `a`; a number along the whole of it."""
    found = asarray(part, function="diff")
    if found.ndim == 0:
        found = broadcast_to(found, (*a.shape[:axis], 1, *a.shape[axis + 1 :]))
    expected = (*a.shape[:axis], *a.shape[axis + 1 :])
    if found.ndim != a.ndim or (*found.shape[:axis], *found.shape[axis + 1 :]) != expected:
        raise ValueError(
            f"diff: expected prepend and append to have the shape of a, {a.shape}, but for axis {axis}, "
            f"got shape {found.shape}"
        )
    return found


def _joined(parts: list[Array], axis: int) -> Array:
    """Arrays one after the other along an axis, their other extents being the same; dtypes promote."""
    device, trace = combine("concat", tuple(parts))
    dtype = promote(*(part.dtype for part in parts))
    shape = (*parts[0].shape[:axis], sum(part.shape[axis] for part in parts), *parts[0].shape[axis + 1 :])
    kept = [(astype(part, dtype).node, part.shape[axis]) for part in parts if part.size]
    outer, inner = prod(shape[:axis]), prod(shape[axis + 1 :])
    if not kept:
        node: Expr = empty(dtype)
    elif len(kept) == 1:
        node = kept[0][0]
    elif outer == 1:
        node = Concat(*(part for part, _ in kept))
    else:  # what lies beside each other is put one after the other in the transposed arrays
        items = Concat(*(transpose(nest(part, (outer, extent, inner))) for part, extent in kept))
        node = flat(transpose(items))
    return array_of(node, shape, dtype, device, trace)
