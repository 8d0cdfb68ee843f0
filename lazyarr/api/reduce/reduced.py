"""What becomes of a shape along whose axes an array is reduced."""

from __future__ import annotations

from functools import lru_cache
from math import prod
from typing import NamedTuple

__all__ = ["Reduced", "reduced"]


class Reduced(NamedTuple):
    """A shape without some of its dimensions.

    Attributes:
        order: the dimensions that stay, then those that are reduced; None where all are
        shape: of the result
        results, each: how many there are, and of how many elements each is
    """

    order: tuple[int, ...] | None
    shape: tuple[int, ...]
    results: int
    each: int


@lru_cache(maxsize=4096)
def reduced(shape: tuple[int, ...], axes: tuple[int, ...] | None, keepdims: bool = False) -> Reduced:
    """The shape reduced along axes.

    Args:
        axes: counted from the front; None for all
        keepdims: do reduced dimensions stay, with an extent of one?
    """
    ndim = len(shape)
    gone = range(ndim) if axes is None else axes
    kept = [a for a in range(ndim) if a not in gone]
    order = (*kept, *[a for a in range(ndim) if a in gone]) if kept else None
    result = tuple([1 if a in gone else extent for a, extent in enumerate(shape) if keepdims or a not in gone])
    return Reduced(order, result, prod(result), prod([shape[a] for a in gone]))
