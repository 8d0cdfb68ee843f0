"""Factorisations of matrices and what is made of them. They run on the host through numpy.linalg (see
`lazyarr.recording.host`).

All take stacks of matrices, in the last two dimensions, of any dtype: integers and bools become float64. What the
library says of values (a singular matrix) is its `LinAlgError`, and so are shapes that do not fit.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.linalg import LinAlgError

from lazyarr.api.elementwise.standard import greater, multiply
from lazyarr.api.reduce.reductions import max as max_
from lazyarr.api.reduce.reductions import sum as sum_
from lazyarr.array import Array
from lazyarr.dtypes import float64
from lazyarr.recording.conversion import astype
from lazyarr.recording.creation import asarray
from lazyarr.recording.host import call_host
from lazyarr.recording.movement import expand_dims

__all__ = [
    "EigResult", "EighResult", "QRResult", "SVDResult", "SlogdetResult", "cholesky", "cond", "det", "eig", "eigh",
    "eigvals", "eigvalsh", "inv", "lstsq", "matrix_rank", "pinv", "qr", "slogdet", "solve", "svd", "svdvals",
]  # fmt: skip


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


def _matrices(function: str, x: Any, *, square: bool = False) -> Array:
    """The operand; `LinAlgError` unless it holds matrices, square ones if need be."""
    if type(x) is not Array:
        x = asarray(x, function=function)
    shape = x.shape
    if len(shape) < 2:
        raise LinAlgError(f"{function}: expected matrices in the last two dimensions, got shape {shape}")
    if square and shape[-1] != shape[-2]:
        raise LinAlgError(f"{function}: expected square matrices in the last two dimensions, got shape {shape}")
    return x if x.dtype.kind in "fc" else astype(x, float64)


def _host(name: str, *operands: Any, **options: Any) -> Any:
    return call_host(f"linalg.{name}", getattr(np.linalg, name), *operands, **options)


def cholesky(x: Any, /, *, upper: bool = False) -> Array:
    """The triangular factor of Hermitian positive definite matrices, of which that triangle is read.

    The lower one, L with `L @ conj(L.mT) == x`, or the `upper` one, U with `conj(U.mT) @ U == x`, of the shape of x.

    Raises:
        LinAlgError: a matrix that is not positive definite, or not square.
    """
    found: Array = _host("cholesky", _matrices("cholesky", x, square=True), upper=bool(upper))
    return found


def qr(a: Any, mode: str = "reduced") -> Any:
    """The factors Q and R of matrices (m, n): Q of min(m, n) columns, or of m for mode "complete".

    Args:
        mode: "reduced", "complete", or NumPy's: "r" gives R alone, "raw" LAPACK's reflectors (n, m) and their factors
    """
    x = _matrices("qr", a)
    if mode not in ("reduced", "complete", "r", "raw"):
        raise ValueError(f"qr: expected mode to be 'reduced', 'complete', 'r' or 'raw', got {mode!r}")
    found = _host("qr", x, mode=mode)
    return found if mode in ("r", "raw") else QRResult(*found)


def solve(a: Any, b: Any) -> Array:
    """The x with `a @ x == b`.

    Args:
        a: square matrices (.., n, n)
        b: a vector (n,), or matrices (.., n, k) that broadcast with a; x has its shape

    Raises:
        LinAlgError: a singular matrix, or one that is not square.
        ValueError: another number of rows in b.
    """
    a, b = _matrices("solve", a, square=True), b if type(b) is Array else asarray(b, function="solve")
    rows = b.shape[-1 if b.ndim == 1 else -2] if b.shape else 0
    if rows != a.shape[-1]:
        raise ValueError(f"solve: expected b to have {a.shape[-1]} rows, as a has, got shapes {a.shape} and {b.shape}")
    found: Array = _host("solve", a, b)
    return found


def inv(a: Any) -> Array:
    """The inverses of square matrices (.., n, n), in their shape; `LinAlgError` for singular ones."""
    found: Array = _host("inv", _matrices("inv", a, square=True))
    return found


def det(a: Any) -> Array:
    """The determinants of square matrices (.., n, n): an array of shape (..); `LinAlgError` for others."""
    found: Array = _host("det", _matrices("det", a, square=True))
    return found


def slogdet(a: Any) -> SlogdetResult:
    """The signs of the determinants of square matrices (.., n, n), and the logarithms of their absolute values.

    Both have the shape (..). Of a singular matrix the sign is 0 and the logarithm -inf.
    """
    return SlogdetResult(*_host("slogdet", _matrices("slogdet", a, square=True)))


def eig(a: Any) -> EigResult:
    """The eigenvalues (.., n) and eigenvectors of square matrices (.., n, n): the columns of an array of their shape.

    Both are complex, also where NumPy finds that all are real: the array API standard asks for it, and so dtypes follow
    from dtypes, not from values. `eigh` gives real ones of Hermitian matrices.

    Raises:
        LinAlgError: matrices that are not square, or an iteration that does not converge.
    """
    values, vectors = _host("eig", _matrices("eig", a, square=True))
    return EigResult(_complex(values), _complex(vectors))


def eigvals(a: Any) -> Array:
    """The eigenvalues (.., n) of square matrices (.., n, n), complex as those of `eig`, whose errors it has."""
    return _complex(_host("eigvals", _matrices("eigvals", a, square=True)))


def _complex(x: Array) -> Array:
    return x if x.dtype.kind == "c" else astype(x, np.complex64 if x.dtype == np.float32 else np.complex128)


def eigh(a: Any, UPLO: str = "L") -> EighResult:  # noqa: N803  # NumPy's name
    """The eigenvalues (.., n) of Hermitian matrices (.., n, n), real and ascending, and their eigenvectors: the columns
    of an array of the shape of a.

    Args:
        UPLO: "L": the lower triangle is read; "U": the upper one

    Raises:
        LinAlgError: matrices that are not square, or an iteration that does not converge.
    """
    return EighResult(*_host("eigh", _matrices("eigh", a, square=True), UPLO=UPLO))


def eigvalsh(a: Any, UPLO: str = "L") -> Array:  # noqa: N803  # NumPy's name
    """The eigenvalues (.., n) of Hermitian matrices (.., n, n), as those of `eigh`, whose errors it has."""
    found: Array = _host("eigvalsh", _matrices("eigvalsh", a, square=True), UPLO=UPLO)
    return found


def svd(a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Any:
    """The singular value decomposition `U @ diag(S) @ Vh` of matrices (.., m, n): U (.., m, m), S (.., min(m, n)) in
    descending order and real, Vh (.., n, n).

    Args:
        full_matrices: U and Vh are square; False: they have min(m, n) columns and rows
        compute_uv: NumPy's; False gives the singular values alone, as `svdvals`
        hermitian: the matrices are, so that eigenvalues will do

    Raises:
        LinAlgError: an iteration that does not converge.
    """
    x = _matrices("svd", a)
    if not compute_uv:
        return _singular("svd", x, hermitian)
    return SVDResult(*_host("svd", x, full_matrices=full_matrices, hermitian=hermitian))


def svdvals(x: Any, /) -> Array:
    """The singular values (.., min(m, n)) of matrices (.., m, n), real, in descending order."""
    return _singular("svdvals", _matrices("svdvals", x))


def _singular(name: str, x: Array, hermitian: bool = False) -> Array:
    found: Array = call_host(f"linalg.{name}", np.linalg.svd, x, compute_uv=False, hermitian=hermitian)
    return found


def pinv(a: Any, rcond: Any = None, hermitian: bool = False, *, rtol: Any = None) -> Array:
    """The Moore-Penrose pseudo-inverses (.., n, m) of matrices (.., m, n).

    Singular values up to `rtol` times the largest count as zero.

    Args:
        rtol: one number or one for each matrix; None: the larger extent times the dtype's epsilon.
        rcond: its older name
        hermitian: the matrices are, so that eigenvalues will do

    Raises:
        ValueError: `rcond` and `rtol` together.
    """
    if rcond is not None and rtol is not None:
        raise ValueError("pinv: expected rtol or rcond, not both")
    x = _matrices("pinv", a)
    limit = rcond if rtol is None else rtol
    limit = asarray(_tolerance(x) if limit is None else limit, function="pinv")
    found: Array = _host("pinv", x, limit, hermitian=hermitian)
    return found


def matrix_rank(A: Any, tol: Any = None, hermitian: bool = False, *, rtol: Any = None) -> Array:
    """How many singular values are above `rtol` times the largest, or above `tol`; of a number or vector: is it zero?

    Args:
        rtol: one number or one for each matrix; None: the larger extent times the dtype's epsilon
        hermitian: the matrices are, so that eigenvalues will do
    """
    x = asarray(A, function="matrix_rank")
    if x.ndim < 2:
        return astype(max_(astype(x != 0, "int64")), "int64")
    if tol is not None and rtol is not None:
        raise ValueError("matrix_rank: expected tol or rtol, not both")
    x = _matrices("matrix_rank", x)
    values = _singular("matrix_rank", x, hermitian)
    if not values.shape[-1]:
        return sum_(astype(values, "int64"), -1)
    if tol is None:
        relative = asarray(_tolerance(x) if rtol is None else rtol, function="matrix_rank")
        limit = multiply(max_(values, -1, keepdims=True), astype(expand_dims(relative, -1), values.dtype))
    else:
        limit = expand_dims(asarray(tol, function="matrix_rank"), -1)
    return sum_(astype(greater(values, limit), "int64"), -1)


def _tolerance(x: Array) -> float:
    return float(max(x.shape[-2:]) * np.finfo(x.dtype).eps)


def cond(x: Any, p: Any = None) -> Array:
    """The condition numbers: the norm of x times that of its inverse; p is an order of `matrix_norm`, None is 2."""
    x = _matrices("cond", x)
    if not x.size:
        raise LinAlgError(f"cond: expected matrices that have elements, got shape {x.shape}")
    found: Array = _host("cond", x, p=p)
    return found


def lstsq(a: Any, b: Any, rcond: Any = None) -> tuple[Array, Array, Array, Array]:
    """The least squares solution x (n, k) of `a @ x == b`, the sums of squared residuals (k,), the rank of the matrix
    and its singular values. There are no residuals, (0,), where the rank is below n or m is at most n.

    Args:
        a: a matrix (m, n)
        b: a vector (m,), of which x is one, too, or a matrix (m, k)
        rcond: singular values up to so much of the largest count as zero; None: the larger extent times epsilon

    Raises:
        LinAlgError: an iteration that does not converge, or other shapes.
    """
    x, residuals, rank, values = _host("lstsq", _matrices("lstsq", a), b, rcond=rcond)
    return x, residuals, rank, values
