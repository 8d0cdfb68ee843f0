"""Arrays that follow from the positions of their elements: identity and triangular matrices, diagonals and grids.

All are maps of row and column indices, which are computed where they are used; nothing is stored but what is asked for.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ir.core.patterns import Gather
from ir.cost.thresholds.eager import EAGER_ELEMENTS_AT_MOST
from lazyarr.aliasing import viewing
from lazyarr.api.create.ranges import arange, index_array
from lazyarr.api.elementwise.standard import add, equal, greater_equal, multiply, power
from lazyarr.array import Array, array_of
from lazyarr.dtypes import DType, as_dtype, float64, int64, promote
from lazyarr.eager.functions import small_by
from lazyarr.eager.transforms import is_among_transforms
from lazyarr.graph import builders as record
from lazyarr.memory.orders import as_order
from lazyarr.recording.conversion import astype, where
from lazyarr.recording.creation import as_shape, asarray
from lazyarr.recording.filled import ones, zeros
from lazyarr.recording.movement import broadcast_arrays, broadcast_to, ravel, reshape, whole_number
from lazyarr.recording.replay import replayable

__all__ = [
    "diag", "diagflat", "eye", "fromfunction", "identity", "indices", "meshgrid", "tri", "tril", "triu", "vander",
]  # fmt: skip


def _extent(function: str, name: str, value: Any) -> int:
    return max(whole_number(function, name, value, None), 0)


def _diagonal(function: str, k: Any, rows: int, columns: int) -> int:
    """The offset of a diagonal, no further outside of the matrix than where nothing of it is left."""
    return min(max(whole_number(function, "k", k, None), -rows), columns)


def _positions(rows: int, columns: int, k: int, device: Any = None) -> tuple[Any, Array]:
    """The row indices plus k as a column, and the column indices: they agree on diagonal k."""
    at = index_array(rows, (rows, 1), device)
    return (add(at, k) if k else at), index_array(columns, (columns,), device)


def _eye(N: Any, M: Any = None, k: Any = 0, dtype: Any = None, order: str = "C") -> Any:
    """NumPy's function, of integers."""
    whole = type(N) is type(k) is int and (M is None or type(M) is int)
    few = whole and order == "C" and N * (N if M is None else M) <= EAGER_ELEMENTS_AT_MOST
    return np.eye(N, M, k, np.float64 if dtype is None else dtype) if few else None


@small_by(_eye)
def eye(N: int, M: int | None = None, k: int = 0, dtype: Any = None, order: str = "C", *, device: Any = None) -> Array:
    """Ones on diagonal k (above the main one for k > 0) and zeros elsewhere, float64 by default."""
    as_order(order, "eye", ("C", "F"))
    rows = _extent("eye", "N", N)
    columns = rows if M is None else _extent("eye", "M", M)
    if N < 0 or (M is not None and M < 0):
        raise ValueError(f"eye: expected extents that are not negative, got {N} and {M}")
    target = as_dtype(float64 if dtype is None else dtype, "eye")
    if not rows * columns:
        return zeros((rows, columns), dtype=target, device=device)
    at, columns_ = _positions(rows, columns, _diagonal("eye", k, rows, columns), device)
    return astype(equal(at, columns_), target)


def identity(n: int, dtype: Any = None, *, device: Any = None) -> Array:
    """The square matrix with ones on its main diagonal."""
    return eye(n, dtype=dtype, device=device)


def _tri(N: Any, M: Any = None, k: Any = 0, dtype: Any = None) -> Any:
    """NumPy's function, of integers."""
    whole = type(N) is type(k) is int and (M is None or type(M) is int)
    few = whole and N * (N if M is None else M) <= EAGER_ELEMENTS_AT_MOST
    return np.tri(N, M, k, np.float64 if dtype is None else dtype) if few else None


@small_by(_tri)
def tri(N: int, M: int | None = None, k: int = 0, dtype: Any = None, *, device: Any = None) -> Array:
    """Ones on and below diagonal k and zeros above, float64 by default."""
    rows = _extent("tri", "N", N)
    columns = rows if M is None else _extent("tri", "M", M)
    target = as_dtype(float64 if dtype is None else dtype, "tri")
    if not rows * columns:
        return zeros((rows, columns), dtype=target, device=device)
    return astype(_lower(rows, columns, _diagonal("tri", k, rows, columns), device), target)


def _lower(rows: int, columns: int, k: int, device: Any) -> Array:
    at, columns_ = _positions(rows, columns, k, device)
    return greater_equal(at, columns_)


@replayable
def tril(m: Any, k: int = 0) -> Array:
    """The matrices in the last two dimensions with zeros above diagonal k."""
    return _triangle("tril", m, k, 0)


@replayable
def triu(m: Any, k: int = 0) -> Array:
    """The matrices in the last two dimensions with zeros below diagonal k."""
    return _triangle("triu", m, k, -1)


def _triangle(function: str, m: Any, k: int, shift: int) -> Array:
    x = asarray(m, function=function)
    if not x.shape:
        raise ValueError(f"{function}: expected an array of one or more dimensions, got a number")
    if x.ndim == 1:  # as NumPy has it: each row of a square matrix
        x = broadcast_to(x, (x.size, x.size))
    if not x.size:
        return x.copy()
    rows, columns = x.shape[-2:]
    lower = _lower(rows, columns, _diagonal(function, operator.index(k) + shift, rows, columns), x.placed)
    zero = x.dtype.type(0)
    return where(lower, x, zero) if function == "tril" else where(lower, zero, x)


def _diag(v: Any, k: int = 0) -> Any:
    """NumPy's function of a vector: the diagonal of a matrix is a view."""
    few = np.ndim(v) == 1 and (np.size(v) + abs(k)) ** 2 <= EAGER_ELEMENTS_AT_MOST
    return np.diag(v, k) if few else None


@small_by(_diag)
def diag(v: Any, k: int = 0) -> Array:
    """The matrix with a 1-dimensional array on diagonal k and zeros elsewhere; or the diagonal k of a matrix, of an
    `Array` as a read-only view.
    """
    if type(v) is Array and v.ndim == 2:
        return viewing.diagonal(v, k)
    v = asarray(v, function="diag")
    if v.ndim == 1:
        n = v.size + abs(operator.index(k))
        if not v.size:
            return zeros((n, n), dtype=v.dtype, device=v.placed)
        at, columns = _positions(n, n, _diagonal("diag", k, n, n), v.placed)
        # beyond the end the last element again, which is not used
        inside = Gather(v.node, record.indices(n, record.index_type(n))) if k else v.node
        elements = array_of(inside, (n, 1) if k >= 0 else (n,), v.dtype, v.placed, v.traced_in)
        found: Array = where(equal(at, columns), elements, v.dtype.type(0))
        return found
    if v.ndim != 2:
        raise ValueError(f"diag: expected an array of one or two dimensions, got shape {v.shape}")
    rows, columns_ = v.shape
    k = _diagonal("diag", k, rows, columns_)
    count = min(rows, columns_ - k) if k >= 0 else min(rows + k, columns_)
    first = k if k >= 0 else -k * columns_
    node = record.slice_(first, columns_ + 1, count, v.node) if count else record.empty(v.dtype)
    return array_of(node, (count,), v.dtype, v.placed, v.traced_in)


def diagflat(v: Any, k: int = 0) -> Array:
    """The matrix with the elements of the flattened array on diagonal k and zeros elsewhere."""
    return diag(ravel(asarray(v, function="diagflat")), k)


def _meshgrid(*xi: Any, copy: bool = True, sparse: bool = False, indexing: str = "xy") -> Any:
    """NumPy's function, where it copies and the results are small, or as large as eager ones of transforms."""
    count = prod(map(np.size, xi))
    few = copy is True and len(xi) > 0 and (count <= EAGER_ELEMENTS_AT_MOST or is_among_transforms(count))
    numpys: Any = np.meshgrid  # whose overloads ask for a literal name
    return numpys(*xi, copy=True, sparse=sparse, indexing=indexing) if few else None


@small_by(_meshgrid)
def meshgrid(*xi: Any, copy: bool = True, sparse: bool = False, indexing: str = "xy") -> tuple[Array, ...]:
    """For each of some arrays, which count as 1-dimensional, its values over the grid that all of them span.

    Args:
        sparse: with extents of one along the dimensions of the others
        indexing: `"xy"` for the first array along the second dimension and the second along the first, `"ij"` for array
            i along dimension i
        copy: False for views of the arrays, read-only where they were broadcast
    """
    if indexing not in ("xy", "ij"):
        raise ValueError(f"meshgrid: expected indexing to be 'xy' or 'ij', got {indexing!r}")
    arrays = [asarray(x, function="meshgrid") for x in xi]
    found = []
    for i, x in enumerate(arrays):
        at = 1 - i if indexing == "xy" and i < 2 and len(arrays) > 1 else i
        extents = tuple(x.size if j == at else 1 for j in range(len(arrays)))
        found.append(reshape(x, extents) if copy else viewing.reshape(x, extents))
    if sparse or not found:
        return tuple(found)
    return broadcast_arrays(*found) if copy else viewing.broadcast_arrays(*found)


def _small_indices(dimensions: Any, dtype: Any = None, sparse: bool = False) -> Any:
    """NumPy's function, where the result is small, of the default dtype."""
    if type(dimensions) is not tuple or not all(type(extent) is int and extent >= 0 for extent in dimensions):
        return None
    few = dtype is None and len(dimensions) * prod(dimensions) <= EAGER_ELEMENTS_AT_MOST
    numpys: Any = np.indices  # whose overloads ask for a literal `sparse`
    return numpys(dimensions, np.int64, sparse) if few else None


@small_by(_small_indices)
def indices(dimensions: Any, dtype: Any = None, sparse: bool = False, *, device: Any = None) -> Any:
    """The positions in an array of that shape: `indices(shape)[d]` holds each element's index along dimension d.

    Args:
        sparse: a tuple of arrays instead, with extents of one along the other dimensions
    """
    shape = as_shape(dimensions, "indices")
    target = as_dtype(int64 if dtype is None else dtype, "indices")
    if target.kind == "b" and any(extent > 2 for extent in shape):
        raise TypeError(f"indices: bools have the positions 0 and 1 alone, got shape {shape}")
    parts = _indices(shape, target, device)
    if sparse:
        return parts
    whole = (len(shape), *shape)
    if not prod(whole):
        return zeros(whole, dtype=target, device=device)
    which = index_array(len(shape), (len(shape), *(1,) * len(shape)), device)
    found = broadcast_to(parts[-1], whole)
    for d in range(len(shape) - 1):
        found = where(equal(which, d), parts[d], found)
    return found


def _indices(shape: tuple[int, ...], dtype: DType, device: Any) -> tuple[Array, ...]:
    ndim = len(shape)
    lines = [tuple(extent if j == d else 1 for j in range(ndim)) for d, extent in enumerate(shape)]
    return tuple(astype(index_array(extent, line, device), dtype) for extent, line in zip(shape, lines, strict=True))


def fromfunction(
    function: Callable[..., Any], shape: Any, *, dtype: Any = None, device: Any = None, **kwargs: Any
) -> Any:
    """What a function gives for the positions in an array of that shape: an array of indices for each dimension.

    Args:
        dtype: of the indices, float64 by default
        kwargs: handed on to the function
    """
    extents = as_shape(shape, "fromfunction")
    parts = _indices(extents, as_dtype(float64 if dtype is None else dtype, "fromfunction"), device)
    return function(*(broadcast_to(part, extents) for part in parts), **kwargs)


def vander(x: Any, N: int | None = None, increasing: bool = False) -> Array:
    """The powers of the elements of a 1-dimensional array in columns, N - 1 to 0, or 0 to N - 1 if `increasing`."""
    x = asarray(x, function="vander")
    if x.ndim != 1:
        raise ValueError(f"vander: expected a 1-dimensional array, got shape {x.shape}")
    columns = x.size if N is None else _extent("vander", "N", N)
    target = promote(x.dtype, int64)
    if not x.size * columns:
        return zeros((x.size, columns), dtype=target, device=x.placed)
    if increasing:
        exponents = arange(columns, device=x.placed)
    else:
        exponents = arange(columns - 1, -1, -1, device=x.placed)
    base = astype(reshape(x, (x.size, 1)), target)
    if target.kind == "c":
        return _whole_powers(base, np.arange(columns) if increasing else np.arange(columns)[::-1])
    return power(base, exponents if target.kind in "iu" else astype(exponents, target))


def _whole_powers(base: Array, exponents: NDArray[Any]) -> Array:
    """Complex numbers to the power of whole ones, multiplied as NumPy's are: squares for each bit of the exponents."""
    found: Array = ones((), dtype=base.dtype, device=base.placed)
    known = 1
    while True:
        factor = where(exponents & (2 * known - 1) == known, base, multiply(found, base))  # nothing is multiplied by 1
        found = where(exponents & known != 0, factor, found)
        known *= 2
        if known > exponents.max():
            return found
        base = multiply(base, base)
