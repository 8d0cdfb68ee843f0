"""The array API's `linalg` extension, with NumPy's functions of that name beside it.

Products, diagonals and norms over elements are recorded and compiled. Factorisations, and what is made of them, run on
the host through numpy.linalg (see `lazyarr.host`). All functions take stacks of matrices: the last two dimensions.
"""

from __future__ import annotations

from math import inf
from typing import Any, NamedTuple

import numpy as np

from lazyarr import elementwise, reductions
from lazyarr.array import Array
from lazyarr.contractions import diagonal, outer, tensordot, trace
from lazyarr.creation import asarray
from lazyarr.grids import eye
from lazyarr.host import call_host
from lazyarr.joining import stack
from lazyarr.movement import (
    broadcast_arrays,
    broadcast_to,
    matrix_transpose,
    moveaxis,
    normalise_axes,
    normalise_axis,
    reshape,
)
from lazyarr.products import matmul, vecdot

__all__ = [
    "cholesky", "cond", "cross", "det", "diagonal", "eig", "eigh", "eigvals", "eigvalsh", "inv", "lstsq", "matmul",
    "matrix_norm", "matrix_power", "matrix_rank", "matrix_transpose", "multi_dot", "norm", "outer", "pinv", "qr",
    "slogdet", "solve", "svd", "svdvals", "tensordot", "trace", "vecdot", "vector_norm",
]  # fmt: skip

LinAlgError = np.linalg.LinAlgError


class EigResult(NamedTuple):
    """Eigenvalues (..., n) and the eigenvectors that belong to them as columns (..., n, n)."""

    eigenvalues: Array
    eigenvectors: Array


class EighResult(NamedTuple):
    """Eigenvalues (..., n) in ascending order and orthonormal eigenvectors as columns (..., n, n)."""

    eigenvalues: Array
    eigenvectors: Array


class QRResult(NamedTuple):
    """An orthonormal factor and an upper triangular one."""

    Q: Array
    R: Array


class SlogdetResult(NamedTuple):
    """The sign of determinants, and the logarithm of their absolute values."""

    sign: Array
    logabsdet: Array


class SVDResult(NamedTuple):
    """Left singular vectors, singular values in descending order, and adjoint right singular vectors."""

    U: Array
    S: Array
    Vh: Array


# --- on the host ----------------------------------------------------------------------------------------------------


def _host(name: str, *arrays: Any, **options: Any) -> Any:
    operands = [asarray(x, function=name) for x in arrays]
    if name != "lstsq":
        for operand in operands[:1]:
            if operand.ndim < 2:
                raise ValueError(f"{name}: expected matrices in the last two dimensions, got shape {operand.shape}")
    return call_host(f"linalg.{name}", getattr(np.linalg, name), *operands, **options)


def cholesky(x: Any, /, *, upper: bool = False) -> Array:
    """The lower (or upper) triangular L with `L @ L.mT.conj() == x` of positive definite matrices; host."""
    found: Array = _host("cholesky", x)
    if not upper:
        return found
    return elementwise.conj(matrix_transpose(found)) if found.dtype.kind == "c" else matrix_transpose(found)


def qr(x: Any, /, *, mode: str = "reduced") -> QRResult:
    """The factors Q and R of matrices (m, n), of min(m, n) columns, or of m for mode "complete"; host."""
    if mode not in ("reduced", "complete"):
        raise ValueError(f"qr: expected mode to be 'reduced' or 'complete', got {mode!r}")
    return QRResult(*_host("qr", x, mode=mode))


def solve(a: Any, b: Any, /) -> Array:
    """The x with `a @ x == b`; `b` is a vector or a stack of matrices; `LinAlgError` for singular matrices; host."""
    found: Array = _host("solve", a, b)
    return found


def inv(x: Any, /) -> Array:
    """The inverses; `LinAlgError` for singular matrices; host."""
    found: Array = _host("inv", x)
    return found


def det(x: Any, /) -> Array:
    """The determinants; host."""
    found: Array = _host("det", x)
    return found


def slogdet(x: Any, /) -> SlogdetResult:
    """Signs and logarithms of the absolute values of determinants; host."""
    return SlogdetResult(*_host("slogdet", x))


def eig(x: Any, /) -> EigResult:
    """Eigenvalues and eigenvectors, complex; host."""
    values, vectors = _host("eig", x)
    return EigResult(_complex(values), _complex(vectors))


def eigvals(x: Any, /) -> Array:
    """Eigenvalues, complex; host."""
    return _complex(_host("eigvals", x))


def _complex(x: Array) -> Array:
    if x.dtype.kind == "c":
        return x
    return elementwise.astype(x, np.complex64 if x.dtype == np.float32 else np.complex128)


def eigh(x: Any, /) -> EighResult:
    """Eigenvalues and eigenvectors of symmetric or Hermitian matrices, of which the lower triangle is read; host."""
    return EighResult(*_host("eigh", x))


def eigvalsh(x: Any, /) -> Array:
    """Eigenvalues of symmetric or Hermitian matrices; host."""
    found: Array = _host("eigvalsh", x)
    return found


def svd(x: Any, /, *, full_matrices: bool = True) -> SVDResult:
    """The singular value decomposition; host."""
    return SVDResult(*_host("svd", x, full_matrices=full_matrices))


def svdvals(x: Any, /) -> Array:
    """The singular values, in descending order; host."""
    found: Array = _host("svdvals", x)
    return found


def pinv(x: Any, /, *, rtol: Any = None) -> Array:
    """The Moore-Penrose pseudo-inverses; singular values below `rtol` of the largest count as zero; host."""
    x = asarray(x, function="pinv")
    if rtol is None:
        rtol = max(x.shape[-2:], default=0) * np.finfo(x.dtype).eps
    found: Array = _host("pinv", x, rcond=np.asarray(rtol))
    return found


def matrix_rank(x: Any, /, *, rtol: Any = None) -> Array:
    """The number of singular values above `rtol` of the largest; host."""
    found: Array = _host("matrix_rank", x, rtol=None if rtol is None else np.asarray(rtol))
    return found


def cond(x: Any, /, p: Any = None) -> Array:
    """The condition numbers, as NumPy's; host."""
    found: Array = _host("cond", x, p=p)
    return found


def lstsq(a: Any, b: Any, /, rcond: Any = None) -> tuple[Array, Array, int, Array]:
    """The least squares solution, the residuals, the rank and the singular values, as NumPy's; host."""
    x, residuals, rank, values = _host("lstsq", a, b, rcond=rcond)
    return x, residuals, int(rank), values


# --- compiled -------------------------------------------------------------------------------------------------------


def cross(a: Any, b: Any, /, *, axis: int = -1) -> Array:
    """The cross products of vectors of three elements along an axis; the other dimensions broadcast."""
    a, b = asarray(a, function="cross"), asarray(b, function="cross")
    if not -min(a.ndim, b.ndim) <= axis < 0:
        a, b = broadcast_arrays(a, b)
    first, second = normalise_axis("cross", axis, a.ndim), normalise_axis("cross", axis, b.ndim)
    if a.shape[first] != 3 or b.shape[second] != 3:
        raise ValueError(f"cross: expected three elements along axis {axis}, got shapes {a.shape} and {b.shape}")
    x, y = moveaxis(a, first, -1), moveaxis(b, second, -1)
    (a0, a1, a2), (b0, b1, b2) = ([z[..., i] for i in range(3)] for z in (x, y))
    parts = [a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0]
    return moveaxis(stack(parts, axis=-1), -1, axis)


def matrix_power(x: Any, n: int, /) -> Array:
    """`n` factors `x` multiplied, by repeated squaring; the inverse's powers for negative `n` (host)."""
    x = asarray(x, function="matrix_power")
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise ValueError(f"matrix_power: expected square matrices, got shape {x.shape}")
    if n < 0:
        x, n = inv(x), -n
    if n == 0:
        return broadcast_to(eye(x.shape[-1], dtype=x.dtype), x.shape)
    found: Array | None = None
    while n:
        if n & 1:
            found = x if found is None else matmul(found, x)
        n >>= 1
        if n:
            x = matmul(x, x)
    assert found is not None
    return found


def multi_dot(arrays: Any, /) -> Array:
    """The product of several matrices in the order of the fewest multiplications."""
    operands = [asarray(x, function="multi_dot") for x in arrays]
    if len(operands) < 2:
        raise ValueError(f"multi_dot: expected two or more arrays, got {len(operands)}")
    first, last = operands[0].ndim == 1, operands[-1].ndim == 1
    if first:
        operands[0] = reshape(operands[0], (1, -1))
    if last:
        operands[-1] = reshape(operands[-1], (-1, 1))
    if any(x.ndim != 2 for x in operands):
        raise ValueError("multi_dot: expected matrices, and vectors at the ends only")
    found = _product(operands, _splits([x.shape[0] for x in operands] + [operands[-1].shape[1]]), 0, len(operands) - 1)
    shape = found.shape[1 if first else 0 : 1 if last else 2]
    return reshape(found, shape)


def _splits(extents: list[int]) -> dict[tuple[int, int], int]:
    """Where to split each part of a chain of products (the classical dynamic programme)."""
    n = len(extents) - 1
    cost = {(i, i): 0 for i in range(n)}
    split: dict[tuple[int, int], int] = {}
    for width in range(1, n):
        for i in range(n - width):
            j = i + width
            costs = {
                k: cost[i, k] + cost[k + 1, j] + extents[i] * extents[k + 1] * extents[j + 1] for k in range(i, j)
            }
            split[i, j] = min(costs, key=costs.__getitem__)
            cost[i, j] = costs[split[i, j]]
    return split


def _product(operands: list[Array], split: dict[tuple[int, int], int], i: int, j: int) -> Array:
    if i == j:
        return operands[i]
    return matmul(_product(operands, split, i, split[i, j]), _product(operands, split, split[i, j] + 1, j))


def _float(function: str, x: Any) -> Array:
    x = asarray(x, function=function)
    return x if x.dtype.kind in "fc" else elementwise.astype(x, np.float64)


def vector_norm(x: Any, /, *, axis: Any = None, keepdims: bool = False, ord: float = 2) -> Array:
    """The norms along one or several axes (None: of all elements); `ord` is any number, inf or -inf."""
    x = _float("vector_norm", x)
    axes = tuple(range(x.ndim)) if axis is None else normalise_axes("vector_norm", axis, x.ndim)
    size = elementwise.abs(x)
    if ord == inf:
        return reductions.max(size, axes, keepdims=keepdims)
    if ord == -inf:
        return reductions.min(size, axes, keepdims=keepdims)
    if ord == 0:
        nonzero = elementwise.astype(size != 0, size.dtype)
        return reductions.sum(nonzero, axes, keepdims=keepdims)
    if ord == 1:
        return reductions.sum(size, axes, keepdims=keepdims)
    if ord == 2:
        return elementwise.sqrt(reductions.sum(size * size, axes, keepdims=keepdims))
    return reductions.sum(size**ord, axes, keepdims=keepdims) ** (1.0 / ord)


def matrix_norm(x: Any, /, *, keepdims: bool = False, ord: Any = "fro") -> Array:
    """The norms of matrices: "fro", 1, -1, inf, -inf; and by singular values (host) "nuc", 2, -2."""
    x = _float("matrix_norm", x)
    if x.ndim < 2:
        raise ValueError(f"matrix_norm: expected matrices in the last two dimensions, got shape {x.shape}")
    size = elementwise.abs(x)
    if ord == "fro":
        found = elementwise.sqrt(reductions.sum(size * size, (-2, -1)))
    elif ord in (1, -1, inf, -inf):
        sums = reductions.sum(size, -2 if abs(ord) == 1 else -1)
        found = (reductions.max if ord > 0 else reductions.min)(sums, -1)
    elif ord in ("nuc", 2, -2):
        values = svdvals(x)
        found = reductions.sum(values, -1) if ord == "nuc" else (values[..., 0] if ord == 2 else values[..., -1])
    else:
        raise ValueError(f"matrix_norm: expected ord to be 'fro', 'nuc', 1, -1, 2, -2, inf or -inf, got {ord!r}")
    return reshape(found, (*found.shape, 1, 1)) if keepdims else found


def norm(x: Any, /, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Array:
    """NumPy's `norm`: of all elements, of vectors along one axis, or of matrices along two."""
    x = _float("norm", x)
    if axis is None and (ord is None or x.ndim == 1):
        return vector_norm(x, keepdims=keepdims, ord=2 if ord is None else ord)
    axes = tuple(range(x.ndim)) if axis is None else normalise_axes("norm", axis, x.ndim)
    if len(axes) == 1:
        return vector_norm(x, axis=axes, keepdims=keepdims, ord=2 if ord is None else ord)
    if len(axes) != 2:
        raise ValueError(f"norm: expected one or two axes, got {axis} for shape {x.shape}")
    found = matrix_norm(moveaxis(x, axes, (-2, -1)), ord="fro" if ord is None else ord)
    if not keepdims:
        return found
    return reshape(found, tuple(1 if a in axes else extent for a, extent in enumerate(x.shape)))
