"""Values of the graph as NumPy variables, and how they are brought to dimensions and axes that an operation wants."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, TypeAlias

import numpy as np

from ir.reference.axes import Dimension, Factor, absent, common_extents, extent_of, present, tidied
from ir.reference.regions import seconds_to_move
from ir.reference.source import Source, Variable

__all__ = [
    "Operand", "Term", "aligned", "indexed", "lifted", "merged", "refined", "seconds_to_copy", "whole",
]  # fmt: skip


class Operand:
    """An array, or a number of no axes.

    Attributes:
        text: the variable's or number's name
        variable: None of a number that the program knows
        dimensions: what the axes of the variable mean, the outermost first: those of the maps around it, then its own
    """

    __slots__ = ("dimensions", "dtype", "text", "variable")

    def __init__(
        self, text: str, variable: Variable | None, dimensions: tuple[Dimension, ...], dtype: np.dtype[Any]
    ) -> None:
        self.text = text
        self.variable = variable
        self.dimensions = dimensions
        self.dtype = dtype

    @property
    def reads(self) -> tuple[Variable, ...]:
        """The variable, if there is one."""
        return () if self.variable is None else (self.variable,)

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents of the variable's axes."""
        return () if self.variable is None else self.variable.shape

    def over(self, dimensions: Sequence[Dimension]) -> Operand:
        """The same variable, whose axes mean something else."""
        return Operand(self.text, self.variable, tuple(map(tidied, dimensions)), self.dtype)

    def of(self, variable: Variable, dimensions: Sequence[Dimension]) -> Operand:
        """Another variable."""
        return Operand(variable.name, variable, tuple(map(tidied, dimensions)), variable.dtype)


Term: TypeAlias = "Operand | tuple[Term, ...]"
"""A value: of an array of tuples one array for each component."""


def seconds_to_copy(shape: Sequence[int], dtype: np.dtype[Any]) -> float:
    """What copying as many elements takes NumPy."""
    return seconds_to_move(2 * prod(shape) * dtype.itemsize)


def lifted(x: Operand, depth: int, batch: Sequence[int]) -> Operand:
    """A value of a scope within that many maps, inside of further ones of those extents: it is the same in each.

    Args:
        batch: the extents of all maps
    """
    if depth == len(batch):
        return x
    return x.over((*x.dimensions[:depth], *map(absent, batch[depth:]), *x.dimensions[depth:]))


def indexed(x: Operand, axes: Sequence[int | None], leading: bool = True) -> str:
    """The variable as text with its axes in that order, all of them, and new axes of length 1 where None stands.

    Args:
        leading: are new axes in front needed? NumPy broadcasts without them
    """
    order = [axis for axis in axes if axis is not None]
    text = x.text
    if order != sorted(order):
        text = f"{text}.transpose({', '.join(map(str, order))})"
    places = list(axes)
    if not leading:
        while places and places[0] is None:
            places.pop(0)
    if None not in places:
        return text
    return f"{text}[{', '.join(['None' if axis is None else ':' for axis in places])}]"


def refined(source: Source, x: Operand, extents: Sequence[tuple[int, ...]]) -> Operand:
    """The same value with each dimension cut into factors of those extents, into which its own can be cut."""
    if [[extent for extent, _ in dimension] for dimension in x.dimensions] == list(map(list, extents)):
        return x
    pieces: dict[int, list[int]] = {}
    found: list[list[Factor]] = []
    for dimension, wanted in zip(x.dimensions, extents, strict=True):
        rest = iter(wanted)
        factors: list[Factor] = []
        for factor in dimension:
            own: list[int] = []
            while prod(own) < factor.extent:
                own.append(next(rest))
            if factor.axis is not None:
                pieces[factor.axis] = own
            factors += [Factor(extent, factor.axis) for extent in own]
        found.append(factors)
    if x.variable is None or all(len(own) == 1 for own in pieces.values()):
        return Operand(x.text, x.variable, tuple(map(tuple, found)), x.dtype)
    first: dict[int, int] = {}  # of each axis the first of those that it becomes
    shape: list[int] = []
    for axis in range(len(x.shape)):
        first[axis] = len(shape)
        shape += pieces.get(axis, [x.shape[axis]])
    met: dict[int, int] = {}
    dimensions = []
    for factors in found:
        own_factors = []
        for factor in factors:
            if factor.axis is not None:
                met[factor.axis] = met.get(factor.axis, -1) + 1
                factor = Factor(factor.extent, first[factor.axis] + met[factor.axis])
            own_factors.append(factor)
        dimensions.append(tuple(own_factors))
    made = source.assign("", [f"{x.text}.reshape({_tuple(shape)})"], x.reads, tuple(shape), x.dtype, view_of=x.variable)
    return Operand(made.name, made, tuple(dimensions), x.dtype)


def _tuple(numbers: Sequence[int]) -> str:
    return f"({', '.join(map(str, numbers))},)" if numbers else "()"


def whole(source: Source, x: Operand, at: Sequence[int]) -> Operand:
    """The same value with axes, in order, for all factors that some array has, and for those of the dimensions `at`."""
    axes: list[int | None] = []
    shape: list[int] = []
    dimensions: list[list[Factor]] = []
    for number, dimension in enumerate(x.dimensions):
        factors = []
        for extent, axis in dimension:
            if axis is not None or number in at:
                factors.append(Factor(extent, len(axes)))
                axes.append(axis)
                shape.append(extent)
            else:
                factors.append(Factor(extent, None))
        dimensions.append(factors)
    if axes == list(range(len(axes))):
        return x
    text = indexed(x, axes, leading=False)
    if None in axes:
        made = source.assign("broadcast_to", (text, _tuple(shape)), x.reads, tuple(shape), x.dtype, view_of=x.variable)
    else:
        made = source.assign("", (text,), x.reads, tuple(shape), x.dtype, view_of=x.variable)
    return x.of(made, [tuple(factors) for factors in dimensions])


def merged(source: Source, x: Operand, at: Sequence[int]) -> Operand:
    """The same value with one axis for each of the dimensions `at` that is longer than 1."""
    if all(len(x.dimensions[d]) == 0 or (len(x.dimensions[d]) == 1 and present(x.dimensions[d])) for d in at):
        return x
    x = whole(source, x, at)
    shape: list[int] = []
    dimensions: list[Dimension] = []
    copies = False
    for number, dimension in enumerate(x.dimensions):
        if number in at and len(dimension) > 1:
            dimensions.append((Factor(extent_of(dimension), len(shape)),))
            shape.append(extent_of(dimension))
            copies = True
            continue
        factors = []
        for extent, axis in dimension:
            if axis is None:
                factors.append(Factor(extent, None))
            else:
                factors.append(Factor(extent, len(shape)))
                shape.append(extent)
        dimensions.append(tuple(factors))
    if not copies:
        return x
    made = source.assign(
        "", [f"{x.text}.reshape({_tuple(shape)})"], x.reads, tuple(shape), x.dtype,
        view_of=x.variable, seconds=seconds_to_copy(shape, x.dtype),
    )  # fmt: skip
    return x.of(made, dimensions)


def aligned(
    source: Source, operands: Sequence[Operand], apart: int = -1
) -> tuple[list[Operand], list[tuple[int, ...]]]:
    """Values of the same extents with all dimensions cut into the same factors; and the extents of these.

    Args:
        apart: a dimension that stays as it is in each, and whose extents may differ
    """
    extents: list[tuple[int, ...]] = []
    found = list(operands)
    for number in range(len(operands[0].dimensions)):
        if number == apart:
            extents.append(())
            continue
        common = common_extents([x.dimensions[number] for x in found])
        if common is None:
            found = [merged(source, x, [number]) if present(x.dimensions[number]) else x for x in found]
            common = common_extents([x.dimensions[number] for x in found])
            assert common is not None  # one factor each
        extents.append(common)
    for i, x in enumerate(found):
        if apart >= 0:
            extents[apart] = tuple([factor.extent for factor in x.dimensions[apart]])
        found[i] = refined(source, x, extents)
    return found, extents
