"""Norms of vectors and matrices. All are reductions, but those of matrices by singular values, which need the host."""

from __future__ import annotations

from math import inf, prod
from types import NoneType
from typing import Any

import numpy as np

from ir.cost.thresholds.tiers import TERMS_OF_TWO_VECTORS
from lazyarr.api.elementwise.standard import abs as abs_
from lazyarr.api.elementwise.standard import add, not_equal, pow, sqrt, square
from lazyarr.api.linear.factorisations import svdvals
from lazyarr.api.reduce import reductions
from lazyarr.array import Array
from lazyarr.dtypes import float64
from lazyarr.eager.functions import small_by
from lazyarr.eager.reductions import sum_of
from lazyarr.recording.conversion import astype, imag, real
from lazyarr.recording.creation import asarray
from lazyarr.recording.movement import moveaxis, normalise_axes, reshape
from lazyarr.recording.replay import replayable

__all__ = ["matrix_norm", "norm", "vector_norm"]


def _float(function: str, x: Any) -> Array:
    x = asarray(x, function=function)
    return x if x.dtype.kind in "fc" else astype(x, float64)


def _squares(x: Array) -> Array:
    """|x|**2, without the roundings of |x|."""
    return square(x) if x.dtype.kind == "f" else add(square(real(x)), square(imag(x)))


def _check_order(function: str, ord: Any, dimensions: int) -> None:
    """`ValueError` for what is no order of norms of vectors (of one dimension), or of matrices (of two)."""
    if dimensions == 1 and (isinstance(ord, str) or ord is None):
        raise ValueError(f"{function}: expected ord to be a number, inf or -inf, got {ord!r}")
    if dimensions == 2 and ord not in ("fro", "nuc", None, 1, -1, 2, -2, inf, -inf):
        raise ValueError(f"{function}: expected ord to be 'fro', 'nuc', 1, -1, 2, -2, inf or -inf, got {ord!r}")


def _extreme(x: Array, ord: Any, axes: tuple[int, ...], keepdims: bool = False) -> Array:
    """The greatest along axes of numbers that are not negative, zero of none; of a negative order the least."""
    if ord > 0 and not prod([x.shape[axis] for axis in axes]):
        return reductions.sum(x, axes, keepdims=keepdims)
    return (reductions.max if ord > 0 else reductions.min)(x, axes, keepdims=keepdims)


def _axes(function: str, axis: Any, ndim: int) -> tuple[int, ...]:
    """One axis, or a tuple of some; norms take bools for axes, as NumPy's do."""
    return normalise_axes(function, axis if isinstance(axis, tuple) else (axis,), ndim)


@replayable
def vector_norm(x: Any, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Array:
    """The norms along one or several axes (None: of all elements) as one vector; real numbers.

    Args:
        ord: any number: `sum(|x|**ord) ** (1/ord)`; inf and -inf: the greatest and the least |x|; 0: how many are not
            zero

    Raises:
        ValueError: another order, or -inf where there are no elements.
    """
    x = _float("vector_norm", x)
    _check_order("vector_norm", ord, 1)
    axes = tuple(range(x.ndim)) if axis is None else _axes("vector_norm", axis, x.ndim)
    if ord == 2:
        return sqrt(reductions.sum(_squares(x), axes, keepdims=keepdims))
    size = abs_(x)
    if ord in (inf, -inf):
        return _extreme(size, ord, axes, keepdims)
    if ord == 0:
        return reductions.sum(astype(not_equal(x, 0), size.dtype), axes, keepdims=keepdims)
    if ord == 1:
        return reductions.sum(size, axes, keepdims=keepdims)
    return pow(reductions.sum(pow(size, float(ord)), axes, keepdims=keepdims), 1.0 / ord)


@replayable
def matrix_norm(x: Any, /, *, keepdims: bool = False, ord: Any = "fro") -> Array:
    """The norms of the matrices in the last two dimensions; real numbers.

    Args:
        ord: "fro" (or None): of all elements as a vector; 1, -1: the greatest, least sum of |x| of a column; inf, -inf:
            of a row; by singular values, which are computed on the host: "nuc" their sum, 2, -2 the greatest, the least

    Raises:
        ValueError: another order, or fewer than two dimensions.
    """
    x = _float("matrix_norm", x)
    if x.ndim < 2:
        raise ValueError(f"matrix_norm: expected matrices in the last two dimensions, got shape {x.shape}")
    _check_order("matrix_norm", ord, 2)
    if ord in ("fro", None):
        found = sqrt(reductions.sum(_squares(x), (-2, -1)))
    elif ord in (1, -1, inf, -inf):
        sums = reductions.sum(abs_(x), -2 if ord in (1, -1) else -1)
        found = _extreme(sums, ord, (-1,))
    else:
        values = svdvals(x)
        found = reductions.sum(values, -1) if ord == "nuc" else _extreme(values, ord, (-1,))
    return reshape(found, (*found.shape, 1, 1)) if keepdims else found


def _of_few(x: Any, ord: Any = None, axis: Any = None, keepdims: Any = False) -> Any:
    """The norm of few floats as one vector, or of vectors along an axis, by NumPy; None of others."""
    if type(x) is not np.ndarray or x.dtype.kind != "f" or type(axis) not in (int, NoneType):
        return None
    if ord is not None and (type(ord) is not int or ord != 2 or (x.ndim != 1 and axis is None)):
        return None
    if axis is None and keepdims is False and x.dtype == np.float64 and x.size <= TERMS_OF_TWO_VECTORS:
        flat = x.ravel(order="K")  # as NumPy adds the squares
        return np.sqrt(flat.dot(flat))
    squares = sum_of(np.square(x), axis, keepdims=keepdims)
    return None if squares is None else np.sqrt(squares)


@small_by(_of_few)
@replayable
def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Array:
    """NumPy's `norm`: of all elements as a vector, of vectors along one axis, or of matrices along two.

    Without an axis and an order of any array, with an order of a vector or a matrix. Orders as in `vector_norm` and
    `matrix_norm`; `ValueError` for others, and for axes that are neither one nor two.
    """
    x = _float("norm", x)
    if axis is None and (ord is None or (ord == 2 and x.ndim == 1) or (ord == "fro" and x.ndim == 2)):
        return vector_norm(x, keepdims=keepdims)
    axes = tuple(range(x.ndim)) if axis is None else _axes("norm", axis, x.ndim)
    _check_order("norm", 2 if ord is None else ord, len(axes))
    if len(axes) == 1:
        return vector_norm(x, axis=axes, keepdims=keepdims, ord=2 if ord is None else ord)
    if len(axes) != 2:
        raise ValueError(f"norm: expected one or two axes, got {axis} for shape {x.shape}")
    found = matrix_norm(moveaxis(x, axes, (-2, -1)), ord=ord)
    if not keepdims:
        return found
    return reshape(found, tuple(1 if a in axes else extent for a, extent in enumerate(x.shape)))
