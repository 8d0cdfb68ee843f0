"""How the dimensions of a value lie in a NumPy array: each as factors, which are axes of the array or absent.

    split 3 ∘ join  of an array of shape (4, 6):  dimension of 24 = axes of 4 and 6 -> dimensions of 8 and 3
    repeat 5 xs:                                  a dimension of one factor of 5 that no axis has

`split`, `join`, `transpose` and `repeat` only say otherwise which factors a dimension has, so that they cost nothing. A
factor that is absent stands for values that are the same all along it: what does not depend on the variable of a `map`
is computed once, wherever it stands.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import NamedTuple, TypeAlias

__all__ = ["Dimension", "Factor", "absent", "common_extents", "cut_at", "extent_of", "present", "tidied"]


class Factor(NamedTuple):
    """A part of a dimension, 2 or more long.

    Attributes:
        extent: how many steps it has
        axis: of the NumPy array; None where the value is the same at each step
    """

    extent: int
    axis: int | None


Dimension: TypeAlias = tuple[Factor, ...]
"""Its factors, the outermost first. One of extent 1 has none."""


def extent_of(dimension: Dimension) -> int:
    """How long a dimension is."""
    return prod([extent for extent, _ in dimension])


def absent(extent: int) -> Dimension:
    """A dimension along which a value is the same."""
    return () if extent == 1 else (Factor(extent, None),)


def present(dimension: Dimension) -> bool:
    """Has the array an axis for a part of the dimension?"""
    return any(axis is not None for _, axis in dimension)


def tidied(dimension: Dimension) -> Dimension:
    """The dimension with neighbouring absent factors as one."""
    if not dimension or (len(dimension) == 1 and dimension[0].extent > 1):
        return dimension
    found: list[Factor] = []
    for factor in dimension:
        if factor.axis is None and found and found[-1].axis is None:
            found[-1] = Factor(found[-1].extent * factor.extent, None)
        elif factor.extent > 1:
            found.append(factor)
    return tuple(found)


def cut_at(dimension: Dimension, inner: int) -> tuple[Dimension, Dimension] | None:
    """The factors outside of the last `inner` elements, and those inside; None where a present factor would be cut.

    An absent factor is cut anywhere.
    """
    size = 1
    for i in range(len(dimension), 0, -1):
        if size == inner:
            return dimension[:i], dimension[i:]
        factor = dimension[i - 1]
        if inner < size * factor.extent:
            if factor.axis is not None or inner % size or factor.extent % (inner // size):
                return None
            low = inner // size
            return (*dimension[: i - 1], Factor(factor.extent // low, None)), (Factor(low, None), *dimension[i:])
        size *= factor.extent
    return ((), dimension) if size == inner else None


def common_extents(dimensions: Sequence[Dimension]) -> tuple[int, ...] | None:
    """The extents of the coarsest factors into which those of dimensions of one length can all be cut, the outermost
    first; None where the factors of some overlap.
    """
    first = dimensions[0]
    if len(first) < 2 and dimensions.count(first) == len(dimensions):
        return tuple([extent for extent, _ in first])
    inner_sizes = set()
    for dimension in dimensions:
        size = 1
        for factor in reversed(dimension):
            size *= factor.extent
            inner_sizes.add(size)
    found: list[int] = []
    before = 1
    for size in sorted(inner_sizes):
        if size % before:
            return None
        found.append(size // before)
        before = size
    return tuple(reversed(found))
