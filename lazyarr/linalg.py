"""The array API's `linalg` extension, with NumPy's functions of that name beside it.

Products, diagonals and norms over elements are recorded and compiled (`lazyarr.api.linear.products`, `.contractions`,
`.norms`). Factorisations, and what is made of them, run on the host (`lazyarr.api.linear.factorisations`). All
functions take stacks of
matrices: the last two dimensions.
"""

from __future__ import annotations

from math import prod
from typing import Any

from numpy.linalg import LinAlgError

from lazyarr.aliasing import viewing
from lazyarr.aliasing.outputs import with_out
from lazyarr.aliasing.viewing import matrix_transpose
from lazyarr.api.create.grids import eye
from lazyarr.api.linear import contractions
from lazyarr.api.linear.contractions import tensordot
from lazyarr.api.linear.factorisations import (
    cholesky,
    cond,
    det,
    eig,
    eigh,
    eigvals,
    eigvalsh,
    inv,
    lstsq,
    matrix_rank,
    pinv,
    qr,
    slogdet,
    solve,
    svd,
    svdvals,
)
from lazyarr.api.linear.norms import matrix_norm, norm, vector_norm
from lazyarr.api.linear.products import matmul, vecdot
from lazyarr.array import Array
from lazyarr.recording.creation import asarray
from lazyarr.recording.movement import broadcast_to, moveaxis, normalise_axis, reshape, whole_number

__all__ = [
    "LinAlgError", "cholesky", "cond", "cross", "det", "diagonal", "eig", "eigh", "eigvals", "eigvalsh", "inv", "lstsq",
    "matmul", "matrix_norm", "matrix_power", "matrix_rank", "matrix_transpose", "multi_dot", "norm", "outer", "pinv",
    "qr", "slogdet", "solve", "svd", "svdvals", "tensordot", "tensorinv", "tensorsolve", "trace", "vecdot",
    "vector_norm",
]  # fmt: skip


def __dir__() -> list[str]:
    return sorted(__all__)


def cross(a: Any, b: Any, /, *, axis: int = -1) -> Array:
    """The cross products of vectors of three elements along an axis; the other dimensions broadcast.

    Raises:
        ValueError: vectors of another length.
    """
    first, second = asarray(a, function="cross"), asarray(b, function="cross")
    for x in (first, second):
        if x.shape[normalise_axis("cross", axis, x.ndim)] != 3:
            raise ValueError(f"cross: expected vectors of three elements, got shapes {first.shape} and {second.shape}")
    return contractions.cross(first, second, axis=axis)


def diagonal(x: Any, /, *, offset: int = 0) -> Array:
    """The diagonals of matrices as the last dimension; `offset` is how far right of (negative: below) the main one."""
    return viewing.diagonal(x, offset, -2, -1)


def trace(x: Any, /, *, offset: int = 0, dtype: Any = None) -> Array:
    """The sums of the diagonals of matrices; dtypes as in `sum`."""
    return contractions.trace(x, offset, -2, -1, dtype)


def outer(a: Any, b: Any, /) -> Array:
    """The products of each element of a vector with each of another; `ValueError` for other shapes than vectors'."""
    a, b = asarray(a, function="outer"), asarray(b, function="outer")
    if a.ndim != 1 or b.ndim != 1:
        raise ValueError(f"linalg.outer: expected vectors, got shapes {a.shape} and {b.shape}")
    return contractions.outer(a, b)


def matrix_power(a: Any, n: int) -> Array:
    """`n` factors `a` multiplied, by repeated squaring; for negative `n` those of the inverse, found on the host.

    Raises:
        LinAlgError: matrices that are not square.
    """
    x = asarray(a, function="matrix_power")
    n = whole_number("matrix_power", "n", n, None)
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise LinAlgError(f"matrix_power: expected square matrices in the last two dimensions, got shape {x.shape}")
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
    assert found is not None  # the highest digit of n is one
    return found


@with_out
def multi_dot(arrays: Any) -> Array:
    """The product of two or more matrices, multiplied in the order that takes the fewest multiplications.

    The first may be a vector, which counts as a row, and the last one, which counts as a column.
    """
    operands = [asarray(x, function="multi_dot") for x in arrays]
    if len(operands) < 2:
        raise ValueError(f"multi_dot: expected two or more arrays, got {len(operands)}")
    row, column = operands[0].ndim == 1, operands[-1].ndim == 1
    if row:
        operands[0] = reshape(operands[0], (1, -1))
    if column:
        operands[-1] = reshape(operands[-1], (-1, 1))
    if any(x.ndim != 2 for x in operands):
        raise LinAlgError(f"multi_dot: expected matrices, got shapes {', '.join(str(x.shape) for x in operands)}")
    found = _chain(operands, _splits([x.shape[0] for x in operands] + [operands[-1].shape[1]]))
    return reshape(found, found.shape[1 if row else 0 : 1 if column else 2])


def _splits(extents: list[int]) -> dict[tuple[int, int], int]:
    """Where to split each part (first, last) of a chain of matrices with those extents: the dynamic programme."""
    n = len(extents) - 1
    cost = {(i, i): 0 for i in range(n)}
    split: dict[tuple[int, int], int] = {}
    for width in range(1, n):
        for i in range(n - width):
            j = i + width
            costs = {k: cost[i, k] + cost[k + 1, j] + extents[i] * extents[k + 1] * extents[j + 1] for k in range(i, j)}
            split[i, j] = min(costs, key=costs.__getitem__)
            cost[i, j] = costs[split[i, j]]
    return split


def _chain(operands: list[Array], split: dict[tuple[int, int], int]) -> Array:
    """The product of all, shorter parts first."""
    product = {(i, i): x for i, x in enumerate(operands)}
    needed = [(0, len(operands) - 1)]
    for i, j in needed:  # grows: parts after the wholes that need them
        if i < j:
            needed += [(i, split[i, j]), (split[i, j] + 1, j)]
    for i, j in reversed(needed):
        if i < j:
            product[i, j] = matmul(product[i, split[i, j]], product[split[i, j] + 1, j])
    return product[0, len(operands) - 1]


def tensorinv(a: Any, ind: int = 2) -> Array:
    """The inverse for `tensordot(a, b, ind)`: of the array as a matrix whose rows are its first `ind` dimensions.

    Raises:
        ValueError: an `ind` that is not positive.
        LinAlgError: that matrix is not square, or singular.
    """
    x = asarray(a, function="tensorinv")
    if ind <= 0:
        raise ValueError(f"tensorinv: expected ind to be positive, got {ind}")
    rows, columns = x.shape[:ind], x.shape[ind:]
    return reshape(inv(reshape(x, (prod(rows), prod(columns)))), (*columns, *rows))


def tensorsolve(a: Any, b: Any, axes: Any = None) -> Array:
    """The x with `tensordot(a, x, x.ndim) == b`.

    Args:
        axes: dimensions of `a` to move behind the others first

    Raises:
        LinAlgError: the dimensions of `a` behind those of `b` have not as many elements as these, or the matrix is
            singular.
    """
    x, y = asarray(a, function="tensorsolve"), asarray(b, function="tensorsolve")
    if axes is not None:
        x = moveaxis(x, tuple(axes), tuple(range(x.ndim - len(axes), x.ndim)))
    unknown = x.shape[y.ndim - x.ndim :] if x.ndim > y.ndim else ()
    if prod(x.shape) != prod(unknown) ** 2:
        raise LinAlgError(f"tensorsolve: a of shape {x.shape} is no square matrix for b of shape {y.shape}")
    count = prod(unknown)
    return reshape(solve(reshape(x, (count, count)), reshape(y, -1)), unknown)
