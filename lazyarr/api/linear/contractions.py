"""Sums of products over chosen dimensions, and products of all pairs: what NumPy has beside `dot` and `matmul`.

A contraction becomes transposes, reshapes and one matrix product, so that there is one way to contract.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ir.cost.thresholds.eager import EAGER_ELEMENTS_IN_LOOPS
from lazyarr.aliasing.outputs import with_out_at
from lazyarr.api.elementwise.standard import conj, multiply, subtract
from lazyarr.api.linear.products import matmul
from lazyarr.api.reduce.reductions import sum as sum_
from lazyarr.api.shape.joining import stack
from lazyarr.array import Array, giving_arrays
from lazyarr.dtypes import bool_
from lazyarr.eager.functions import small_by
from lazyarr.eager.products import TERMS_AT_MOST, as_in_numpy, summed_products
from lazyarr.eager.reductions import sum_of
from lazyarr.recording.creation import asarray
from lazyarr.recording.filled import zeros_like
from lazyarr.recording.indexing import index
from lazyarr.recording.movement import moveaxis, normalise_axes, normalise_axis, permute_dims, reshape, whole_number
from lazyarr.recording.positional import diagonal_for
from lazyarr.recording.replay import replayable, warn

__all__ = ["cross", "inner", "kron", "outer", "tensordot", "trace", "vdot"]


@giving_arrays
@replayable
def tensordot(a: Any, b: Any, axes: Any = 2) -> Array:
    """The sums of products over pairs of dimensions; what is left of `a` comes first in the result, then of `b`.

    Args:
        axes: a number n: the last n dimensions of `a` with the first n of `b`; or a pair: the dimensions of `a`, and
            the dimensions of `b` that go with them

    Raises:
        ValueError: dimensions of different extents.
    """
    a, b = asarray(a, function="tensordot"), asarray(b, function="tensordot")
    if not isinstance(axes, (tuple, list)) and not np.ndim(axes):
        axes = whole_number("tensordot", "axes", axes, None)
        if not 0 <= axes <= min(a.ndim, b.ndim):
            raise ValueError(f"tensordot: expected 0 to {min(a.ndim, b.ndim)} axes, got {axes}")
        left, right = tuple(range(a.ndim - axes, a.ndim)), tuple(range(axes))
    else:
        first, second = axes
        left, right = normalise_axes("tensordot", first, a.ndim), normalise_axes("tensordot", second, b.ndim)
        if len(left) != len(right):
            raise ValueError(f"tensordot: expected as many axes of the first array as of the second, got {axes}")
    extents = [a.shape[axis] for axis in left]
    if extents != [b.shape[axis] for axis in right]:
        raise ValueError(f"tensordot: axes {left} of shape {a.shape} do not fit axes {right} of shape {b.shape}")
    rows = [axis for axis in range(a.ndim) if axis not in left]
    columns = [axis for axis in range(b.ndim) if axis not in right]
    k, shape = prod(extents), (*(a.shape[axis] for axis in rows), *(b.shape[axis] for axis in columns))
    m, n = prod(a.shape[axis] for axis in rows), prod(b.shape[axis] for axis in columns)
    product = matmul(
        reshape(permute_dims(a, (*rows, *left)), (m, k)), reshape(permute_dims(b, (*right, *columns)), (k, n))
    )
    return reshape(product, shape)


def _outer(a: Any, b: Any) -> Any:
    """NumPy's function, where loops of as many elements are NumPy's."""
    return np.outer(a, b) if np.size(a) * np.size(b) <= EAGER_ELEMENTS_IN_LOOPS else None


@with_out_at(2, broadcasts=True)
@small_by(_outer)
@replayable
def outer(a: Any, b: Any) -> Array:
    """The products of each element of `a` with each of `b`, both taken as vectors: shape (size of a, size of b)."""
    a, b = asarray(a, function="outer"), asarray(b, function="outer")
    return multiply(reshape(a, (a.size, 1)), reshape(b, (1, b.size)))


@as_in_numpy(np.inner)
@replayable
def inner(a: Any, b: Any, /) -> Array:
    """The sums of products along the last dimensions of both; with a number the multiple."""
    a, b = asarray(a, function="inner"), asarray(b, function="inner")
    if not a.shape or not b.shape:
        return multiply(a, b)
    if a.shape[-1] != b.shape[-1]:
        raise ValueError(f"inner: expected last dimensions of one extent, got shapes {a.shape} and {b.shape}")
    return matmul(a, b) if a.ndim == b.ndim == 1 else tensordot(a, b, axes=((-1,), (-1,)))


def _vdot(a: Any, b: Any) -> Any:
    """NumPy's function, of arrays of one dtype and so few terms that it adds them as accurately as `matmul`; of more
    floats the sum of their products.
    """
    if type(a) is not np.ndarray or type(b) is not np.ndarray or a.dtype != b.dtype or not a.size:
        return None
    if a.size <= TERMS_AT_MOST.get(a.dtype, 0):
        return np.vdot(a, b)
    if a.dtype.kind not in "fc" or a.size != b.size:
        return None
    return summed_products(a.conj().reshape(-1) if a.dtype.kind == "c" else a.reshape(-1), b.reshape(-1))


@small_by(_vdot)
@replayable
def vdot(a: Any, b: Any, /) -> Array:
    """The dot product of all elements of both as vectors, those of `a` conjugated."""
    a, b = asarray(a, function="vdot"), asarray(b, function="vdot")
    if a.size != b.size:
        raise ValueError(f"vdot: expected as many elements in both, got shapes {a.shape} and {b.shape}")
    return matmul(reshape(conj(a) if a.dtype.kind == "c" else a, -1), reshape(b, -1))


@replayable
def kron(a: Any, b: Any) -> Array:
    """The Kronecker product: the block of `b` scaled by each element of `a`."""
    a, b = asarray(a, function="kron"), asarray(b, function="kron")
    ndim = max(a.ndim, b.ndim)
    left, right = ((1,) * (ndim - x.ndim) + x.shape for x in (a, b))
    apart = [extent for pair in zip(left, (1,) * ndim, strict=True) for extent in pair]
    between = [extent for pair in zip((1,) * ndim, right, strict=True) for extent in pair]
    product = multiply(reshape(a, tuple(apart)), reshape(b, tuple(between)))
    return reshape(product, tuple(m * n for m, n in zip(left, right, strict=True)))


def _trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None) -> Any:
    """The sums along NumPy's diagonals; of numbers, which are no matrices, recording raises."""
    return sum_of(np.diagonal(a, offset, axis1, axis2), -1, dtype)


@with_out_at(5, sums=True)
@small_by(_trace)
@replayable
def trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None) -> Array:
    """The sums along the diagonals of the matrices that two dimensions hold; dtypes as in `sum`.

    Args:
        offset: how far right of (negative: below) the main diagonal
    """
    return sum_(diagonal_for("trace", a, offset, axis1, axis2), -1, dtype=dtype)


@giving_arrays
@replayable
def cross(a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None) -> Array:
    """The cross products of vectors of three elements; the other dimensions broadcast.

    Vectors of two elements lie in the plane where the third one is zero, with a `DeprecationWarning`; where all do, the
    result has no dimension for its elements, and is the third one of the product.

    Args:
        axisa, axisb, axisc: the dimensions of the vectors in the operands and in the result
        axis: all three

    Raises:
        ValueError: vectors that have neither two nor three elements.
    """
    a, b = asarray(a, function="cross"), asarray(b, function="cross")
    if axis is not None:
        axisa = axisb = axisc = axis
    if not a.ndim or not b.ndim:
        raise ValueError(f"cross: expected vectors, got shapes {a.shape} and {b.shape}")
    x = moveaxis(a, normalise_axis("cross", axisa, a.ndim), -1)
    y = moveaxis(b, normalise_axis("cross", axisb, b.ndim), -1)
    if not {x.shape[-1], y.shape[-1]} <= {2, 3}:
        raise ValueError(f"cross: expected vectors of two or three elements, got shapes {a.shape} and {b.shape}")
    if a.dtype == b.dtype == bool_:
        raise TypeError("cross: expected numbers, got bools, which cannot be subtracted")
    if 2 in (x.shape[-1], y.shape[-1]):
        warn("cross: vectors of two elements are deprecated in NumPy: give three", DeprecationWarning)
    flat = x.shape[-1] == y.shape[-1] == 2
    (a0, a1, *above), (b0, b1, *below) = ([index(z, (..., i)) for i in range(z.shape[-1])] for z in (x, y))
    if flat:
        return subtract(multiply(a0, b1), multiply(a1, b0))
    a2, b2 = above[0] if above else zeros_like(a0), below[0] if below else zeros_like(b0)
    parts = [subtract(multiply(p, q), multiply(r, s)) for p, q, r, s in (
        (a1, b2, a2, b1), (a2, b0, a0, b2), (a0, b1, a1, b0)
    )]  # fmt: skip
    found = stack(parts, axis=-1)
    return moveaxis(found, -1, normalise_axis("cross", axisc, found.ndim))
