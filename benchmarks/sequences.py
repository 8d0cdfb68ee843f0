"""The programs of the suites "fusion" and "tiles" (but for stencils), once for every library with NumPy's functions.

``m`` is the module whose functions are called: NumPy, `lazyarr`, `jax.numpy`, CuPy, or torch's by NumPy's names. The
first eleven are the BLAS sequences of paper 003 (table 2), by its names.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.formulas import ALPHA, BETA
from benchmarks.idioms import softmax, transpose

EPSILON = 1e-5
"""What a layer norm adds to the variance."""
OPERATIONS = 30
"""Of the chain of element-wise operations."""


def axpydot(m: Any, w: Any, v: Any, u: Any) -> tuple[Any, Any]:
    """z = w - alpha v, and z . u."""
    z = w - ALPHA * v
    return z, m.sum(z * u)


def atax(m: Any, a: Any, x: Any) -> Any:
    """A^T (A x)."""
    return a.T @ (a @ x)


def bicgk(m: Any, a: Any, p: Any, r: Any) -> tuple[Any, Any]:
    """A p and A^T r."""
    return a @ p, a.T @ r


def sgemv(m: Any, a: Any, x: Any, y: Any) -> Any:
    """alpha A x + beta y."""
    return ALPHA * (a @ x) + BETA * y


def sgemvt(m: Any, a: Any, y: Any, z: Any) -> tuple[Any, Any]:
    """x = beta A^T y + z, and alpha A x."""
    x = BETA * (a.T @ y) + z
    return x, ALPHA * (a @ x)


def sscal(m: Any, x: Any) -> Any:
    """alpha x."""
    return ALPHA * x


def gemver(m: Any, a: Any, u1: Any, v1: Any, u2: Any, v2: Any, y: Any, z: Any) -> tuple[Any, Any, Any]:
    """B = A + u1 v1^T + u2 v2^T, x = beta B^T y + z, and alpha B x."""
    b = a + u1[:, None] * v1[None, :] + u2[:, None] * v2[None, :]
    x = BETA * (b.T @ y) + z
    return b, x, ALPHA * (b @ x)


def gesummv(m: Any, a: Any, b: Any, x: Any) -> Any:
    """alpha A x + beta B x."""
    return ALPHA * (a @ x) + BETA * (b @ x)


def madd(m: Any, a: Any, b: Any) -> Any:
    """A + B."""
    return a + b


def vadd(m: Any, w: Any, y: Any, z: Any) -> Any:
    """w + y + z."""
    return w + y + z


def waxpby(m: Any, x: Any, y: Any) -> Any:
    """alpha x + beta y."""
    return ALPHA * x + BETA * y


def softmax_columns(m: Any, x: Any) -> Any:
    """The softmax of each column."""
    e = m.exp(x - m.max(x, axis=0, keepdims=True))
    return e / m.sum(e, axis=0, keepdims=True)


def _norm(m: Any, x: Any, axis: int) -> Any:
    centred = x - m.mean(x, axis=axis, keepdims=True)
    return centred / m.sqrt(m.mean(centred * centred, axis=axis, keepdims=True) + EPSILON)


def norm_rows(m: Any, x: Any) -> Any:
    """Each row less its mean, over its standard deviation."""
    return _norm(m, x, 1)


def norm_columns(m: Any, x: Any) -> Any:
    """The same of each column."""
    return _norm(m, x, 0)


def moments_rows(m: Any, x: Any) -> tuple[Any, Any]:
    """The mean and the variance of each row."""
    return m.mean(x, axis=1), m.var(x, axis=1)


def moments_columns(m: Any, x: Any) -> tuple[Any, Any]:
    """The mean and the variance of each column."""
    return m.mean(x, axis=0), m.var(x, axis=0)


def conjugate_gradient(m: Any, a: Any, x: Any, r: Any, p: Any) -> tuple[Any, Any, Any]:
    """One step of the conjugate-gradient method."""
    q, squared = a @ p, m.sum(r * r)
    alpha = squared / m.sum(p * q)
    residual = r - alpha * q
    return x + alpha * p, residual, residual + m.sum(residual * residual) / squared * p


def operations(m: Any, x: Any, y: Any) -> Any:
    """Thirty element-wise operations, of which none is expensive."""
    for i in range(OPERATIONS // 3):
        x = m.abs(x - y) * (0.5 + i / OPERATIONS)
    return x


def product(m: Any, a: Any, b: Any) -> Any:
    """A B, of each pair where there are several."""
    return a @ b


def transposed_product(m: Any, a: Any, b: Any) -> Any:
    """A^T B."""
    return a.T @ b


def relu(m: Any, x: Any, w: Any, b: Any) -> Any:
    """A layer: x W + b, and zero where that is negative."""
    made = x @ w + b
    return m.where(made > 0, made, 0.0)


def mask(m: Any, x: Any) -> Any:
    """The elements above a half."""
    return x[x > 0.5]


def sort(m: Any, x: Any) -> Any:
    """The elements in ascending order."""
    return m.sort(x)


def median_columns(m: Any, x: Any) -> Any:
    """The median of each column."""
    return m.median(x, axis=0)


def cumulative_sum(m: Any, x: Any) -> Any:
    """Up to each element, along the last axis."""
    return m.cumsum(x, axis=x.ndim - 1)


FUSED: dict[str, Callable[..., Any]] = {
    "axpydot": axpydot, "atax": atax, "bicgk": bicgk, "sgemv": sgemv, "sgemvt": sgemvt, "sscal": sscal,
    "gemver": gemver, "gesummv": gesummv, "madd": madd, "vadd": vadd, "waxpby": waxpby,
    "softmax rows": softmax, "softmax columns": softmax_columns, "layer norm rows": norm_rows,
    "layer norm columns": norm_columns, "moments rows": moments_rows, "moments columns": moments_columns,
    "conjugate gradient": conjugate_gradient, "30 operations": operations, "mask": mask, "sort 1e5": sort,
    "median columns": median_columns, "cumulative sum": cumulative_sum, "cumulative sum rows": cumulative_sum,
}  # fmt: skip
"""By the names of the suite's programs."""
PRODUCTS: dict[str, Callable[..., Any]] = {
    "product": product, "transposed product": transposed_product, "relu": relu, "transpose": transpose,
}  # fmt: skip
"""The products of the suite "tiles", and its transposition."""
SIZE_FOLLOWS = ("mask",)
"""Those whose results' sizes follow from values: no library compiles them as a whole."""
