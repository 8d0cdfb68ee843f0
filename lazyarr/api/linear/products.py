"""Vector and matrix products in the papers' form: `reduce (+) 0 (map (*) (zip row column))` of rows and columns."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from math import prod
from typing import Any

import numpy as np

from ir.core.expr import Bound, Expr, Lambda, closed, fun
from ir.core.patterns import Call, Get, Map, Reduce, Zip
from ir.core.types import ArrayType, TupleType
from lazyarr.aliasing.outputs import put_out, with_out_at
from lazyarr.api.elementwise.standard import conj, multiply
from lazyarr.api.reduce.folding import combiner
from lazyarr.api.reduce.reductions import sum as sum_
from lazyarr.array import Array, array_of, combine
from lazyarr.dtypes import DType, as_dtype, bool_, float32, promote, to_ir
from lazyarr.eager.products import as_in_numpy
from lazyarr.elements.scalars import cast, operation
from lazyarr.graph.builders import broadcast, constant, empty, join, length, literal, split, transpose
from lazyarr.recording.apply import together
from lazyarr.recording.conversion import converted
from lazyarr.recording.creation import asarray
from lazyarr.recording.movement import expand_dims, moveaxis, normalise_axis, reshape
from lazyarr.recording.precision import precision
from lazyarr.recording.replay import replayable

__all__ = ["dot", "matmul", "matvec", "vecdot", "vecmat"]


@cache
def _product(a: DType, b: DType, result: DType, rounded: bool) -> Lambda:
    op = "bitwise_and" if result is bool_ else "multiply"
    pair = TupleType((to_ir(a), to_ir(b)))

    def factor(i: int, p: Expr) -> Expr:
        given = cast(Get(i, p), result)
        return Call("round_to_tf32", given) if rounded else given

    return fun(pair, lambda p: operation(op, factor(0, p), factor(1, p)))


def _dot(a: Expr, b: Expr, dtypes: tuple[DType, DType], rounded: bool = False) -> Expr:
    """`reduce (+) 0 (map (*) (zip a b))`, of length one; rounded: factors are rounded to TF32."""
    result = promote(*dtypes)
    add = "bitwise_or" if result is bool_ else "add"
    return Reduce(combiner(add, result), literal(0, result), Map(_product(*dtypes, result, rounded), Zip(a, b)))


@lru_cache(maxsize=256)
def _variable(level: int, t: ArrayType) -> Bound:
    """The variable of a function of that level; kept, since the next product of such arrays asks for it again."""
    return Bound(level, 0, t)


def _times(fixed: Expr, k: int, dtypes: tuple[DType, DType], fixed_first: bool, rounded: bool = False) -> Lambda:
    """`λx. dot fixed x` or `λx. dot x fixed`, for x of k elements."""
    pair = _product(*dtypes, promote(*dtypes), rounded)  # beside the reduction's function, which is no deeper
    t = ArrayType(to_ir(dtypes[fixed_first]), k)
    x = _variable(max(fixed.level, pair.level) + 1, t)
    return closed((t,), _dot(fixed, x, dtypes, rounded) if fixed_first else _dot(x, fixed, dtypes, rounded))


@lru_cache(maxsize=256)
def _by_column(level: int, k: int, dtypes: tuple[DType, DType], rounded: bool) -> Lambda:
    """`λcolumn. dot row column`, where row is the variable of a function of that level, further out."""
    return _times(_variable(level, ArrayType(to_ir(dtypes[0]), k)), k, dtypes, True, rounded)


_INNER = 2
"""The level of `_by_column`'s functions: those in it are one deep."""


def _rows_by_columns(a: Expr, b: Expr, k: int, n: int, dtypes: tuple[DType, DType]) -> Expr:
    """`map (λrow. map (λcolumn. dot row column) (transpose b)) a` of flat (m, k) and (k, n), flat; where both are
    matrices of float32, in the precision that is wanted.
    """
    if n == 1:  # a matrix times a vector needs no columns
        return join(Map(_times(b, k, dtypes, False), split(k, a)))
    columns = transpose(split(n, b))
    if length(a) == k:
        return join(Map(_times(a, k, dtypes, True), columns))
    level = max(_INNER, columns.level) + 1
    rounded = promote(*dtypes) is float32 and precision() == "tf32"
    each = join(Map(_by_column(level, k, dtypes, rounded), columns))
    return join(Map(closed((ArrayType(to_ir(dtypes[0]), k),), each), split(k, a)))


def _on_axes(
    function: str, product: Callable[..., Array], operands: tuple[Array, ...], axes: Any, core: tuple[int, ...]
) -> Array:
    """A product of arrays whose last dimensions, as many as `core` says, stand elsewhere.

    Args:
        axes: where, for each operand and the result; an integer for one dimension. That of the result may be left out
            where it has none
        core: of each operand, and of the result
    """
    if not isinstance(axes, list):
        raise TypeError(f"{function}: expected axes to be a list, got {type(axes).__name__}")
    given = [(each,) if isinstance(each, (int, np.integer)) else tuple(each) for each in axes]
    if len(given) == len(operands) and not core[-1]:
        given.append(())
    if tuple(map(len, given)) != core:
        raise ValueError(
            f"{function}: expected axes to name {', '.join(map(str, core))} dimensions of operands and result, "
            f"got {axes}"
        )
    lasts = [tuple(range(-count, 0)) for count in core]
    made = product(*[moveaxis(x, at, last) for x, at, last in zip(operands, given, lasts, strict=False)])
    return moveaxis(made, lasts[-1], given[-1])


def _of_dtype(function: str, x: Any, dtype: Any, casting: str) -> Array:
    """An operand, in a dtype that is asked for: `TypeError` where it does not convert by NumPy's rule of that name."""
    found = asarray(x, function=function)
    if dtype is None:
        return found
    target = as_dtype(dtype, function)
    if not np.can_cast(found.dtype, target, casting):  # type: ignore[arg-type]  # NumPy checks the rule's name
        raise TypeError(f"{function}: cannot convert {found.dtype.name} to {target.name} by the rule {casting!r}")
    return converted(function, found, target)


@as_in_numpy(np.matmul)
@replayable
def matmul(
    a: Any, b: Any, /, out: Any = None, *, axes: Any = None, dtype: Any = None, casting: str = "same_kind"
) -> Array:
    """The matrix product `a @ b`, as NumPy's: the last two dimensions are matrices, the ones before broadcast.

    A 1-dimensional operand counts as a row (first) or a column (second), and its dimension is dropped from the result.
    Dtypes promote; the sum is taken in the promoted dtype.

    Args:
        out: an array to put the result into, which is returned
        axes: where the matrices stand, if not in the last dimensions: a list of pairs, of both operands and the result
        dtype: convert the operands to it, by NumPy's rule `casting`

    Raises:
        ValueError: 0-dimensional operands, or shapes that do not fit.
    """
    if out is not None:
        made = matmul(a, b, axes=axes, dtype=dtype, casting=casting)
        return put_out("matmul", out, made)  # type: ignore[no-any-return]  # an Array or a NumPy array
    a, b = (_of_dtype("matmul", x, dtype, casting) for x in (a, b))
    if axes is not None:
        core = (min(a.ndim, 2), min(b.ndim, 2))
        return _on_axes("matmul", matmul, (a, b), axes, (*core, max(sum(core) - 2, 0)))
    if not a.shape or not b.shape:
        raise ValueError(f"matmul: expected arrays of one or more dimensions, got shapes {a.shape} and {b.shape}")
    left = a.shape if len(a.shape) > 1 else (1, *a.shape)
    right = b.shape if len(b.shape) > 1 else (*b.shape, 1)
    m, k, n = left[-2], left[-1], right[-1]
    if right[-2] != k:
        raise ValueError(
            f"matmul: expected as many columns in the first operand as rows in the second, "
            f"got shapes {a.shape} and {b.shape}"
        )
    batch = together(left[:-2], right[:-2])
    if batch is None:
        raise ValueError(f"matmul: the leading dimensions of {a.shape} and {b.shape} do not broadcast")
    device, trace = combine("matmul", (a, b))
    dtypes = (a.dtype, b.dtype)
    result = promote(*dtypes)
    shape = (*batch, *((m,) if a.ndim > 1 else ()), *((n,) if b.ndim > 1 else ()))
    count = prod(batch)
    node: Expr
    if not count * m * n:
        node = empty(result)
    elif not k:
        node = constant(count * m * n, 0, result)
    elif m == n == count == 1:
        node = _dot(a.node, b.node, dtypes)
    elif count == 1:
        node = _rows_by_columns(a.node, b.node, k, n, dtypes)
    elif not prod(right[:-2]) > 1:
        # the same right operand for all: one product with all rows
        node = _rows_by_columns(a.node, b.node, k, n, dtypes)
    else:
        lefts = broadcast(a.node, left, (*batch, m, k))
        rights = broadcast(b.node, right, (*batch, k, n))
        pairs = Zip(split(m * k, lefts), split(k * n, rights))
        assert isinstance(pairs.type, ArrayType)
        f = fun(pairs.type.element, lambda pair: _rows_by_columns(Get(0, pair), Get(1, pair), k, n, dtypes))
        node = join(Map(f, pairs))
    return array_of(node, shape, result, device, trace)


@as_in_numpy(np.vecdot)
@with_out_at(2, broadcasts=True)
@replayable
def vecdot(
    a: Any,
    b: Any,
    /,
    *,
    axis: int = -1,
    axes: Any = None,
    keepdims: bool = False,
    dtype: Any = None,
    casting: str = "same_kind",
) -> Array:
    """The sums of the products along one dimension, whose extents must agree; the others broadcast.

    Args:
        axis: counted from the back where the shapes differ; it is dropped from the result
        axes: where the vectors stand in each operand, a list; in place of `axis`
        keepdims: keep the dimension, with extent one
        dtype: convert the operands to it, by NumPy's rule `casting`

    Of complex arrays the first operand is conjugated.

    Raises:
        ValueError: shapes that do not fit.
    """
    a, b = (_of_dtype("vecdot", x, dtype, casting) for x in (a, b))
    if keepdims:
        where = axis if axes is None else axes[2] if len(axes) > 2 else -1
        found = vecdot(a, b, axis=axis, axes=None if axes is None else axes[:2])
        return expand_dims(found, where)
    if axes is not None:
        if axis != -1:
            raise TypeError("vecdot: got axis and axes, which say the same")
        return _on_axes("vecdot", vecdot, (a, b), axes, (1, 1, 0))
    first, second = normalise_axis("vecdot", axis, a.ndim), normalise_axis("vecdot", axis, b.ndim)
    if a.shape[first] != b.shape[second]:
        raise ValueError(f"vecdot: expected one extent along axis {axis}, got shapes {a.shape} and {b.shape}")
    a = conj(a) if a.dtype.kind == "c" else a
    products = multiply(moveaxis(a, first, -1), moveaxis(b, second, -1))
    return sum_(products, -1, dtype=products.dtype)


@as_in_numpy(np.matvec)
@with_out_at(2, broadcasts=True)
@replayable
def matvec(x1: Any, x2: Any, /, *, axes: Any = None, dtype: Any = None, casting: str = "same_kind") -> Array:
    """The products of matrices, in the last two dimensions, and vectors, in the last one; those before broadcast.
    `axes` and `dtype` as in `matmul`.

    Raises:
        ValueError: shapes that do not fit.
    """
    a, b = (_of_dtype("matvec", x, dtype, casting) for x in (x1, x2))
    if axes is not None:
        return _on_axes("matvec", matvec, (a, b), axes, (2, 1, 1))
    if a.ndim < 2 or not b.ndim or a.shape[-1] != b.shape[-1]:
        raise ValueError(f"matvec: expected matrices (..., m, n) and vectors (..., n), got shapes {a.shape}, {b.shape}")
    if b.ndim == 1:
        return matmul(a, b)
    found = matmul(a, reshape(b, (*b.shape, 1)))
    return reshape(found, found.shape[:-1])


@as_in_numpy(np.vecmat)
@with_out_at(2, broadcasts=True)
@replayable
def vecmat(x1: Any, x2: Any, /, *, axes: Any = None, dtype: Any = None, casting: str = "same_kind") -> Array:
    """The products of vectors, in the last dimension, conjugated, and matrices, in the last two; the rest broadcasts.
    `axes` and `dtype` as in `matmul`.

    Raises:
        ValueError: shapes that do not fit.
    """
    a, b = (_of_dtype("vecmat", x, dtype, casting) for x in (x1, x2))
    if axes is not None:
        return _on_axes("vecmat", vecmat, (a, b), axes, (1, 2, 1))
    if not a.ndim or b.ndim < 2 or a.shape[-1] != b.shape[-2]:
        raise ValueError(f"vecmat: expected vectors (..., n) and matrices (..., n, m), got shapes {a.shape}, {b.shape}")
    a = conj(a) if a.dtype.kind == "c" else a
    if a.ndim == 1:
        return matmul(a, b)
    found = matmul(reshape(a, (*a.shape[:-1], 1, a.shape[-1])), b)
    return reshape(found, (*found.shape[:-2], found.shape[-1]))


@as_in_numpy(np.dot)
@with_out_at(2, casting="no")
@replayable
def dot(a: Any, b: Any) -> Array:
    """The dot product as NumPy's: of vectors their inner product, of matrices `matmul`, with a number the multiple.

    The sum is taken over the last dimension of `a` and the second to last of `b` (its only one where it is a vector);
    what is left of `a` comes first in the shape of the result.

    Raises:
        ValueError: shapes that do not fit.
    """
    a, b = asarray(a, function="dot"), asarray(b, function="dot")
    if not a.shape or not b.shape:
        return multiply(a, b)
    along = max(b.ndim - 2, 0)
    k = a.shape[-1]
    if k != b.shape[along]:
        raise ValueError(f"dot: expected the last dimension of {a.shape} to fit dimension {along} of {b.shape}")
    if b.ndim <= 2:
        return matmul(a, b)
    rest = (*b.shape[:along], b.shape[-1])
    product = matmul(reshape(a, (prod(a.shape[:-1]), k)), reshape(moveaxis(b, along, 0), (k, prod(rest))))
    return reshape(product, (*a.shape[:-1], *rest))
