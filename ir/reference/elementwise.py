"""Scalar functions on whole arrays: one NumPy call for each primitive."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from ir.core.scalars import OPERATIONS
from ir.cost.operations import kind_of
from ir.cost.thresholds.tiers import NUMPY_ELEMENT_SECONDS, NUMPY_ROW_SECONDS
from ir.reference.axes import Dimension, Factor, tidied
from ir.reference.layout import Operand, aligned, indexed, seconds_to_copy
from ir.reference.source import Source, Variable

__all__ = ["absolute", "called", "clipped", "converted", "counted", "paired"]


def called(source: Source, name: str, operands: Sequence[Operand], dtype: np.dtype[Any]) -> Operand:
    """A primitive applied to values of the same extents, element by element."""
    if len(operands) == 1:
        return _at_once(source, name, operands[0], dtype)
    if name == "select":
        found = _replaced(source, operands, dtype)
        if found is not None:
            return found
    made = _called(source, f"op_{name}", name, operands, dtype)
    if name == "equal" and made.variable is not None:
        made.variable.place = _place(source, operands)
    return made


def counted(source: Source, count: int, dtype: np.dtype[Any]) -> Variable:
    """The numbers 0, 1, .. of which there are so many."""
    text = f'dtype="{dtype.str}"'
    made = source.assign("arange", (str(count), text), (), (count,), dtype, seconds=seconds_to_copy((count,), dtype))
    made.counts = True
    return made


def _place(source: Source, operands: Sequence[Operand]) -> int | None:
    """Where numbers that count from zero equal one that the program knows; None where that is nowhere, or not known."""
    for x, other in (operands, operands[::-1]):
        number: Any = source.value(other.text)
        if x.variable is not None and x.variable.counts and number is not None and 0 <= number < x.shape[0]:
            return int(number) if number == int(number) else None
    return None


def _replaced(source: Source, operands: Sequence[Operand], dtype: np.dtype[Any]) -> Operand | None:
    """Numbers of which one at a place that the program knows is another; None for other choices."""
    test, number, x = operands
    if test.variable is None or test.variable.place is None or x.shape != test.shape or number.shape:
        return None
    if x.dimensions != test.dimensions or x.dtype != dtype or number.dtype != dtype:
        return None
    made = source.assign(
        "replaced", (x.text, str(test.variable.place), number.text), [*x.reads, *number.reads], x.shape, dtype,
        seconds=seconds_to_copy(x.shape, dtype), is_ufunc=True,
    )  # fmt: skip
    return Operand(made.name, made, x.dimensions, dtype)


def absolute(source: Source, parts: Sequence[Operand]) -> Operand:
    """The absolute values of complex numbers of those parts."""
    return _called(source, "absolute", "sqrt", parts, parts[0].dtype)


def paired(source: Source, parts: Sequence[Operand]) -> Operand:
    """The complex numbers of those parts."""
    return _called(source, "paired", "select", parts, np.result_type(parts[0].dtype, np.complex64))


def _called(source: Source, function: str, name: str, operands: Sequence[Operand], dtype: np.dtype[Any]) -> Operand:
    """A function of several operands, predicted to take as long as the primitive of that name."""
    given, extents = aligned(source, operands)
    dimensions, columns = _together(given, extents)
    shape = tuple([extent for _, extent in columns])
    texts = [indexed(x, [x.dimensions[n][i].axis for (n, i), _ in columns], leading=False) for x in given]
    reads = [variable for x in given for variable in x.reads]
    made = source.assign(
        function, texts, reads, shape, dtype,
        seconds=_seconds(name, shape, dtype) + _seconds_of_rows(given, shape), moved=_moved(given, shape, dtype),
        is_ufunc=function == f"op_{name}" and _is_ufunc(name),
    )  # fmt: skip
    if function == "op_multiply":
        made.factors[tuple(map(tidied, dimensions))] = tuple(given)
    return Operand(made.name, made, dimensions, dtype)


def _at_once(source: Source, name: str, x: Operand, dtype: np.dtype[Any]) -> Operand:
    """A primitive of one operand, whose axes stay as they are."""
    is_ufunc = _is_ufunc(name)
    made = source.assign(
        f"op_{name}", (x.text,), x.reads, x.shape, dtype,
        seconds=_seconds(name, x.shape, dtype), moved=_moved([x], x.shape, dtype), is_ufunc=is_ufunc,
        view_of=None if is_ufunc else x.variable,  # the bits of numbers are a view of these
    )  # fmt: skip
    return Operand(made.name, made, x.dimensions, dtype)


def clipped(source: Source, x: Operand, lowest: Operand, highest: Operand) -> Operand:
    """The nearest numbers between two that the program knows: NaN stays, and of limits in the wrong order the upper one
    holds, as with the least of one and the greatest of the other.
    """
    made = source.assign(
        "clip", (x.text, lowest.text, highest.text), x.reads, x.shape, x.dtype,
        seconds=_seconds("minimum", x.shape, x.dtype), moved=_moved([x], x.shape, x.dtype), is_ufunc=True,
    )  # fmt: skip
    return Operand(made.name, made, x.dimensions, x.dtype)


def _is_ufunc(name: str) -> bool:
    return isinstance(OPERATIONS[name].numpy, np.ufunc) or name == "divide"


def converted(source: Source, x: Operand, dtype: np.dtype[Any]) -> Operand:
    """The values converted by the rules of C."""
    if x.dtype == dtype:
        return x
    value = source.value(x.text)
    if value is not None:
        with np.errstate(all="ignore"):
            number: Any = np.asarray(value).astype(dtype)[()]
        return Operand(source.constant(number), None, x.dimensions, dtype)
    if x.variable is not None and x.variable.counts and x.shape[0] <= _counted_up_to(dtype):
        return x.of(counted(source, x.shape[0], dtype), x.dimensions)
    made = source.assign(
        ".astype", [x.text, f'"{dtype.str}"'], x.reads, x.shape, dtype, moved=_moved([x], x.shape, dtype)
    )
    if x.dtype.kind == "b":
        made.truth = x.variable
    return Operand(made.name, made, x.dimensions, dtype)


def _counted_up_to(dtype: np.dtype[Any]) -> int:
    """How many whole numbers from zero on a dtype holds."""
    if dtype.kind in "iu":
        return int(np.iinfo(dtype).max)
    return 1 << (np.finfo(dtype).nmant + 1) if dtype.kind == "f" else 0


Column = tuple[tuple[int, int], int]
"""An axis of a result: the number of its dimension and of the factor in that, and its extent."""


def _together(
    given: Sequence[Operand], extents: Sequence[tuple[int, ...]]
) -> tuple[tuple[Dimension, ...], list[Column]]:
    """The dimensions of what is computed from all of these, and its axes: the factors that one of them has."""
    dimensions: list[Dimension] = []
    columns: list[Column] = []
    for number, parts in enumerate(extents):
        factors: list[Factor] = []
        for place, extent in enumerate(parts):
            if any(x.dimensions[number][place].axis is not None for x in given):
                factors.append(Factor(extent, len(columns)))
                columns.append(((number, place), extent))
            elif factors and factors[-1].axis is None:
                factors[-1] = Factor(factors[-1].extent * extent, None)
            else:
                factors.append(Factor(extent, None))
        dimensions.append(tuple(factors))
    return tuple(dimensions), columns


def _seconds_of_rows(given: Sequence[Operand], shape: Sequence[int]) -> float:
    """What it takes to go through the rows one by one, where operands have different shapes."""
    if all(not x.shape or x.shape == tuple(shape) for x in given):
        return 0.0
    return prod(shape[:-1]) * NUMPY_ROW_SECONDS["map"]


def _seconds(name: str, shape: Sequence[int], dtype: np.dtype[Any]) -> float:
    """What a primitive takes beside the call itself and moving what it reads and writes."""
    kind = name if name == "select" else kind_of(name)
    return prod(shape) * NUMPY_ELEMENT_SECONDS.get(f"{kind} of {dtype}", NUMPY_ELEMENT_SECONDS.get(kind, 0.0))


def _moved(given: Sequence[Operand], shape: Sequence[int], dtype: np.dtype[Any]) -> int:
    """Bytes that a call reads and writes."""
    return prod(shape) * dtype.itemsize + sum([prod(x.shape) * x.dtype.itemsize for x in given])
