"""An array reduced along axes by an associative function with a neutral element."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any

import numpy as np

from ir.core.expr import Expr, Lambda, fun
from ir.core.patterns import Map, Reduce
from ir.core.types import ArrayType
from lazyarr.api.reduce.reduced import reduced
from lazyarr.array import Array, array_of
from lazyarr.dtypes import DType, bool_, to_ir
from lazyarr.elements.scalar_functions import loop_of
from lazyarr.elements.scalars import literal, operation
from lazyarr.graph.builders import constant, empty, join, permute, permuted_rows
from lazyarr.recording.movement import axes_of_reduction, is_axis_of_number

__all__ = ["combiner", "extreme", "reduce_axes"]


@cache
def combiner(op: str, dtype: DType) -> Lambda:
    """`λ(a, b). op a b`, of a primitive or of one of the formulas that are associative."""
    t = to_ir(dtype)
    if op in ("fmax", "fmin", "lcm", "logaddexp", "logaddexp2"):
        return fun((t, t), loop_of(op, (dtype, dtype)).build)
    return fun((t, t), lambda a, b: operation(op, a, b))


@lru_cache(maxsize=1024)
def _row_reduction(op: str, init: Any, dtype: DType, count: int) -> Lambda:
    return fun(ArrayType(to_ir(dtype), count), lambda row: Reduce(combiner(op, dtype), literal(init, dtype), row))


def reduce_axes(function: str, op: str, init: Any, x: Array, axis: Any, keepdims: bool) -> Array:
    """The reduction of an array along axes by an associative primitive with a neutral element.

    Args:
        axis: None for all, one axis or a tuple of them; the empty tuple reduces nothing
    """
    if not x.ndim and is_axis_of_number(axis):
        axis = None  # NumPy's reductions find these axes in a single number
    axes = None if axis is None else axes_of_reduction(function, axis, x.ndim)
    if axes == ():
        return x.copy()
    order, shape, results, each = reduced(x.shape, axes, bool(keepdims))
    node: Expr
    if not results:
        node = empty(x.dtype)
    elif not each:
        node = constant(results, init, x.dtype)
    else:
        if results == 1:
            node = x.node if order is None else permute(x.node, x.shape, order)
            node = Reduce(combiner(op, x.dtype), literal(init, x.dtype), node)
        else:
            assert order is not None  # some dimension stays
            parts = permuted_rows(x.node, x.shape, order, results)
            node = join(Map(_row_reduction(op, init, x.dtype, each), parts))
    return array_of(node, shape, x.dtype, x.placed, x.traced_in)


@cache
def extreme(op: str, dtype: DType) -> tuple[str, Any]:
    """The operation by which "maximum" or "minimum" combines elements of a dtype, and its neutral element."""
    lowest = op == "maximum"
    if dtype is bool_:
        return ("bitwise_or", False) if lowest else ("bitwise_and", True)
    if dtype.kind == "c":
        return op, complex(-np.inf, -np.inf) if lowest else complex(np.inf, np.inf)
    if dtype.kind == "f":
        return op, -np.inf if lowest else np.inf
    return op, int(np.iinfo(dtype).min if lowest else np.iinfo(dtype).max)
