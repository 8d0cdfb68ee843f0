"""The functions that NumPy programs call: NumPy's, the scalar primitives', and those that NumPy has not got.

Sums and products of float32 are carried in float64 and rounded once, as the interpreter does it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import (
    arange,
    ascontiguousarray,
    broadcast_to,
    concatenate,
    matmul,
    take,
)
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from ir.core.scalars import OPERATIONS

__all__ = [
    "arange", "as_strided", "ascontiguousarray", "broadcast_to", "concatenate", "matmul", "take",
]  # fmt: skip

globals().update({f"op_{name}": operation.numpy for name, operation in OPERATIONS.items()})
op_divide = np.true_divide  # floats alone


def flat(x: Any, shape: tuple[int, ...]) -> NDArray[Any]:
    """The elements in row-major order, one after the other, in memory of their own or of the input itself."""
    found: NDArray[Any] = np.ascontiguousarray(np.broadcast_to(x, shape)).reshape(-1)
    return found


def own(x: Any, shape: tuple[int, ...]) -> NDArray[Any]:
    """The same; a copy where that would show a part of a larger array, which it would keep in memory."""
    found = flat(x, shape)
    base = found.base
    return found.copy() if isinstance(base, np.ndarray) and base.nbytes > found.nbytes else found


def single(x: Any) -> NDArray[Any]:
    """A number as an array of one element."""
    return np.array((x,))


def windows(x: NDArray[Any], axis: int, window: int, step: int) -> NDArray[Any]:
    """The windows along an axis, and their elements along the next one; a view that is not to be written to."""
    count = (x.shape[axis] - window) // step + 1
    stride = x.strides[axis]
    shape = (*x.shape[:axis], count, window, *x.shape[axis + 1 :])
    strides = (*x.strides[:axis], stride * step, stride, *x.strides[axis + 1 :])
    return as_strided(x, shape, strides, writeable=False)


def scatter_last(xs: NDArray[Any], indices: NDArray[Any], values: NDArray[Any]) -> NDArray[Any]:
    """`scatter (λ(a, b). b)`: the last value for a place wins; an index outside is left out."""
    found = np.array(xs)
    inside = (indices >= 0) & (indices < len(xs))
    if not inside.all():
        indices, values = indices[inside], values[inside]
    found[indices] = values  # in their order
    return found


def scatter_with(ufunc: Any, xs: NDArray[Any], indices: NDArray[Any], values: NDArray[Any]) -> NDArray[Any]:
    """`scatter f` for a primitive f."""
    inside = (indices >= 0) & (indices < len(xs))
    if not inside.all():
        indices, values = indices[inside], values[inside]
    wide = np.float64 if xs.dtype == np.float32 and ufunc in (np.add, np.multiply) else xs.dtype
    total = xs.astype(wide)
    ufunc.at(total, indices, values.astype(wide, copy=False))
    return total.astype(xs.dtype, copy=False)


def ordered(keys: NDArray[Any], axis: int) -> NDArray[np.int64]:
    """The indices that bring unsigned keys along an axis into order, equal ones as they were."""
    if keys.itemsize > 4 or keys.shape[axis] > 1 << 32:
        return np.argsort(keys, axis=axis, kind="stable")
    # keys with their places behind them are all different: NumPy sorts numbers faster than it finds their order
    both = keys.astype(np.uint64)
    both <<= np.uint64(32)
    both |= np.arange(keys.shape[axis], dtype=np.uint64).reshape(-1, *(1,) * (keys.ndim - axis - 1))
    both.sort(axis=axis)
    both &= np.uint64((1 << 32) - 1)
    return both.view(np.int64)


def clipped(indices: NDArray[Any], length: int) -> NDArray[Any]:
    """The indices, each the nearest one that an array of that length has."""
    return np.minimum(np.maximum(indices, 0), length - 1)  # type: ignore[no-any-return]  # an array
