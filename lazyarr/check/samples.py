"""Some elements of a large result, held against the interpreter's: what a whole one would take too long for.

A map's results depend on its own elements alone. So the interpreter is given a few of those, as far from each other as
possible, the last among them; views around them are views there, too. What folds all elements into one
cannot be looked at in parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import prod
from typing import Any

import numpy as np

from ir.core.expr import Expr
from ir.core.patterns import MAP, Join, Map, Slice, Tuple, Zip
from ir.core.types import ArrayType, TupleType, shape_of
from ir.cost.thresholds.tiers import SAMPLED_ELEMENTS
from ir.opencl.read.views import leaves
from lazyarr.check.reference import Mismatch, Reference, work

__all__ = ["Sample", "samples_of"]


@dataclass(frozen=True)
class Sample:
    """Elements of some components of a result.

    Attributes:
        first: the number of the first component
        places: where they lie in each of these
        reference: what they must be
    """

    first: int
    places: np.ndarray[Any, Any]
    reference: Reference

    def mismatch(self, results: Sequence[np.ndarray[Any, Any]]) -> Mismatch | None:
        """None where a whole result agrees in these elements, else where and by how much it does not."""
        own = results[self.first : self.first + len(self.reference.values)]
        found = self.reference.mismatch([each[self.places] for each in own])
        return None if found is None else replace(found, found=f"of {len(self.places)} elements looked at, {found}")


def samples_of(e: Expr, values: Callable[[], Mapping[str, Any]], sizes: Mapping[str, int]) -> Iterator[Sample]:
    """Samples of the components of an expression's value that are maps' results, as its normal form has them.

    Args:
        values: gives those of its inputs
    """
    first, given = 0, cache(values)
    for part in e.operands if isinstance(e, Tuple) else (e,):
        chosen = _chosen(part, sizes)
        if chosen is not None:
            few, places = chosen
            yield Sample(first, places, Reference.of(few, dict(given()), sizes))
        first += leaves(part.type)


def _chosen(e: Expr, sizes: Mapping[str, int]) -> tuple[Expr, np.ndarray[Any, Any]] | None:
    """An expression of few elements of another one's value, the last among them, and their places; None: of none."""
    inner = e.xs if isinstance(e, Join) else e
    if not isinstance(inner, Map) or inner.how != MAP or not isinstance(inner.type, ArrayType):
        return None
    element = inner.type.element
    if isinstance(element, TupleType) and any(isinstance(t, ArrayType) for t in element.elements):
        return None
    length = inner.type.length.evaluate(sizes)
    each = prod([extent.evaluate(sizes) for extent in shape_of(element)])
    count = min(length, max(2, SAMPLED_ELEMENTS * length // max(1, work(e, sizes))))
    if count < 2:
        return None
    step = (length - 1) // (count - 1)
    ends = length - 1 - step * (count - 1)
    few: Expr = Map(inner.f, _few(inner.xs, ends, step, count, sizes))
    if isinstance(e, Join):
        few = Join(few)
    if work(few, sizes) > 2 * SAMPLED_ELEMENTS:  # one element needs that many, or others are computed for it
        return None
    rows = ends + step * np.arange(count)
    return few, (rows[:, None] * each + np.arange(each)).reshape(-1)


def _few(e: Expr, start: int, step: int, count: int, sizes: Mapping[str, int]) -> Expr:
    """`slice start step count e`, within maps: of what they compute the rest is not."""
    if isinstance(e, Map) and e.how == MAP:
        return Map(e.f, _few(e.xs, start, step, count, sizes))
    if isinstance(e, Zip):
        return Zip(*[_few(x, start, step, count, sizes) for x in e.operands])
    if isinstance(e, Join) and isinstance(e.xs, Map) and isinstance(e.xs.type, ArrayType):
        each = e.xs.type.element
        if isinstance(each, ArrayType) and each.length.evaluate(sizes) == 1:
            return Join(_few(e.xs, start, step, count, sizes))
    return Slice(start, step, count, e)
