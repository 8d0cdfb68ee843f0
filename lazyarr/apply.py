"""Recording an element-wise function: a `map` of a scalar function over its operands, zipped.

Which dtypes a function accepts and what it computes stand in `lazyarr.scalar_functions`. The scalar functions are made
once for each function, dtypes and constants, so that recording builds two nodes and no lambda.
"""

from __future__ import annotations

from functools import lru_cache
from math import prod
from typing import Any

import numpy as np

from ir.core.expr import Expr, Lambda, fun
from ir.core.patterns import Get, Literal, Map, Repeat, Zip
from ir.core.types import BOOL, TupleType
from lazyarr.array import Array, combine
from lazyarr.creation import asarray
from lazyarr.dtypes import DType, Weak, as_dtype, bool_, to_ir
from lazyarr.record import broadcast, constant, empty, first
from lazyarr.scalar_functions import COMPARISONS, loop_of
from lazyarr.scalars import cast, literal_of
from lazyarr.tracing import Scalar

__all__ = ["apply", "as_scalar", "scalar_lambda"]

_WEAK: tuple[type, ...] = (bool, int, float, complex)
_Slot = int | bytes  # a function's operand: the position of an array among the zipped ones, or the bits of a constant


def apply(name: str, *operands: Any) -> Any:
    """Record the element-wise function of that name: an `Array`, or a `Scalar` if all operands are numbers of a lambda.

    Operands are arrays, traced scalars, NumPy's arrays and scalars, Python numbers, and nested lists of numbers. Raises
    `TypeError` for dtypes that the function does not take, `ValueError` for shapes that do not broadcast,
    `OverflowError` for a Python integer that its dtype cannot hold.
    """
    arrays: list[Array | Scalar] = []
    kinds: list[DType | Weak] = []
    shape: tuple[int, ...] | None = None
    same_shape = True
    values = operands
    for i, operand in enumerate(operands):
        kind = type(operand)
        if kind is Array or kind is Scalar:
            arrays.append(operand)
            kinds.append(operand.dtype)
            same_shape = same_shape and (shape is None or operand.shape == shape)
            shape = operand.shape
        elif kind in _WEAK:
            kinds.append(kind)
        elif isinstance(operand, np.generic):
            kinds.append(as_dtype(operand.dtype, name))
        else:
            return apply(name, *values[:i], asarray(operand, function=name), *values[i + 1 :])
    if shape is None:
        return apply(name, asarray(operands[0], function=name), *operands[1:])
    loop = loop_of(name, tuple(kinds))
    if name == "pow" and loop.result.kind == "i" and type(operands[1]) not in (Array, Scalar) and operands[1] < 0:
        raise ValueError("pow: integers to negative integer powers are not allowed; convert the base to a float")
    if name in COMPARISONS and any(kind is int for kind in kinds):
        decided = _compare_beyond(name, operands, loop.operands)
        if decided is not None:
            return decided
    if len(arrays) == 1:
        device, trace = arrays[0].device, arrays[0].trace
    else:
        device, trace = combine(name, tuple(arrays))
        if not same_shape:
            shape = _common_shape(name, tuple(arrays))
    if not shape and any(type(array) is Scalar for array in arrays):
        return Scalar(loop.build(*map(_scalar_operand, operands, loop.operands)), trace)
    nodes: list[Expr] = []
    slots: list[_Slot] = []
    count = prod(shape)
    for operand, target in zip(operands, loop.operands, strict=True):
        if type(operand) is Array:
            node = operand.node
            if operand.shape != shape and count:
                node = broadcast(node, operand.shape, shape)
        elif type(operand) is Scalar:
            node = Repeat(count, operand.expr)
        else:
            slots.append(_bits(name, operand, target))
            continue
        if node in nodes:
            slots.append(nodes.index(node))
        else:
            slots.append(len(nodes))
            nodes.append(node)
    f = scalar_lambda(name, tuple(kinds), tuple(slots))
    dtype = loop.result
    if not count:
        return Array(empty(dtype), shape, dtype, device, trace)
    return Array(Map(f, nodes[0] if len(nodes) == 1 else Zip(*nodes)), shape, dtype, device, trace)


@lru_cache(maxsize=4096)
def scalar_lambda(name: str, kinds: tuple[DType | Weak, ...], slots: tuple[_Slot, ...]) -> Lambda:
    """The function that a `map` applies: of a scalar, or of a tuple of scalars where two or more arrays are zipped."""
    loop = loop_of(name, kinds)
    types = {slot: to_ir(kind) for slot, kind in zip(slots, kinds, strict=True) if isinstance(slot, int)}  # type: ignore[arg-type]

    def body(parameter: Expr) -> Expr:
        exprs: list[Expr] = []
        for slot, target in zip(slots, loop.operands, strict=True):
            if isinstance(slot, int):
                exprs.append(cast(parameter if len(types) == 1 else Get(slot, parameter), target))
            else:
                exprs.append(literal_of(slot, target))
        return loop.build(*exprs)

    return fun(types[0] if len(types) == 1 else TupleType(tuple(types[i] for i in range(len(types)))), body)


def as_scalar(value: Any) -> Scalar:
    """A number as a traced scalar: a `Scalar`, a 0-dimensional array, a Python or NumPy number."""
    if type(value) is Scalar:
        return value
    array = asarray(value)
    if array.shape:
        raise ValueError(f"expected a number, got an array of shape {array.shape}")
    return Scalar(first(array.node), array.trace)


def _scalar_operand(operand: Any, target: DType) -> Expr:
    if type(operand) in (Scalar, Array):
        return cast(as_scalar(operand).expr, target)
    return literal_of(_bits("scalar", operand, target), target)


def _bits(name: str, value: Any, dtype: DType) -> bytes:
    """The bits of a Python or NumPy number as a constant of that dtype."""
    if type(value) is int and dtype.kind in "iu":
        limits = np.iinfo(dtype)
        if not limits.min <= value <= limits.max:
            raise OverflowError(f"{name}: Python integer {value} is out of bounds for {dtype.name}")
    found: bytes = dtype.type(value).tobytes()
    return found


def _common_shape(name: str, arrays: tuple[Array | Scalar, ...]) -> tuple[int, ...]:
    try:
        return np.broadcast_shapes(*(array.shape for array in arrays))
    except ValueError:
        shapes = ", ".join(str(array.shape) for array in arrays)
        raise ValueError(f"{name}: expected operands whose shapes broadcast together, got {shapes}") from None


def _compare_beyond(name: str, operands: tuple[Any, ...], targets: tuple[DType, ...]) -> Any:
    """The result of comparing an integer array with a Python integer that its dtype cannot hold; None if it can."""
    a, b = operands
    target = targets[0]
    if target.kind not in "iu":
        return None
    limits = np.iinfo(target)
    for value, array in ((a, b), (b, a)):
        if type(value) is int and not limits.min <= value <= limits.max:
            sign = 1 if value > 0 else -1  # the array's elements count as zero beside it
            answer = COMPARISONS[name](sign, 0) if value is a else COMPARISONS[name](0, sign)
            if type(array) is Scalar:
                return Scalar(Literal(answer, BOOL), array.trace)
            return Array(constant(array.size, answer, bool_), array.shape, bool_, array.device, array.trace)
    return None
