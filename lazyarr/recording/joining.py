"""Arrays one after the other: concats, whose parts a kernel writes one by one (`lazyarr.recording.placing`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import compress
from math import prod
from typing import Any

import numpy as np

from lazyarr.array import Array, array_of, combine
from lazyarr.dtypes import as_dtype, promote
from lazyarr.recording.creation import asarray
from lazyarr.recording.movement import normalise_axis, ravel, view
from lazyarr.recording.placing import concat_dimension

__all__ = ["beside", "concat_arrays", "stack_arrays"]


def concat_arrays(function: str, arrays: Any, axis: Any, dtype: Any = None, casting: str = "same_kind") -> Array:
    """The arrays one after the other along an axis, converted to a dtype; errors name the function."""
    found = [asarray(x, function=function) for x in arrays]
    if not found:
        raise ValueError(f"{function}: expected at least one array")
    if axis is None:
        found, axis = [ravel(x) for x in found], 0
    first = found[0]
    if not first.ndim:
        raise ValueError(f"{function}: expected arrays of one or more dimensions, got a 0-dimensional one")
    along = normalise_axis(function, axis, first.ndim)
    before, behind = first.shape[:along], first.shape[along + 1 :]
    for x in found:
        if len(x.shape) != len(first.shape) or x.shape[:along] != before or x.shape[along + 1 :] != behind:
            shapes = ", ".join(str(x.shape) for x in found)
            raise ValueError(f"{function}: expected shapes that differ along axis {axis} only, got {shapes}")
    given_dtypes = {x.dtype: None for x in found}
    target = promote(*given_dtypes) if dtype is None else as_dtype(dtype, function)
    for given in given_dtypes:
        if (given is not target or casting != "same_kind") and not np.can_cast(given, target, casting):  # type: ignore[arg-type]  # NumPy checks the rule's name
            raise TypeError(f"{function}: cannot convert {given.name} to {target.name} by the rule {casting!r}")
    if len(given_dtypes) > 1 or given is not target:
        found = [x if x.dtype is target else asarray(x, target) for x in found]
    shape = (*before, sum([x.shape[along] for x in found]), *behind)
    device, trace = combine(function, found)
    if 0 in shape:
        made = view(found[0], None, shape)
        return array_of(made.node, shape, target, device, trace)
    parts = [x for x in found if x.shape[along]]  # the other extents are not zero
    node = concat_dimension([x.node for x in parts], prod(before), [x.shape[along] for x in parts])
    return array_of(node, shape, target, device, trace)


def as_sequence(function: str, arrays: Any) -> Any:
    """What is to be joined, in an order: `TypeError` for generators, dictionaries and the like."""
    if hasattr(arrays, "__getitem__") and not isinstance(arrays, Mapping):
        return arrays
    raise TypeError(f"{function}: expected a sequence of arrays, a list or a tuple, got {type(arrays).__name__}")


def beside(function: str, parts: Iterable[Any]) -> list[Array]:
    """Arrays of what is to stand in one: Python numbers take on the dtype of the others, where there are others."""
    given = list(parts)
    weak = [type(x) in (int, float, complex) for x in given]
    found = [None if number else asarray(x, function=function) for x, number in zip(given, weak, strict=True)]
    others = [x.dtype for x in found if x is not None]
    target = np.result_type(*others, *compress(given, weak)) if others and any(weak) else None
    return [asarray(x, target, function=function) if y is None else y for x, y in zip(given, found, strict=True)]


def stack_arrays(
    function: str, arrays: Sequence[Any], axis: int = 0, dtype: Any = None, casting: str = "same_kind"
) -> Array:
    """The arrays, of one shape, along a new dimension; errors name the function."""
    found = [asarray(x, function=function) for x in arrays]
    if len({x.shape for x in found}) > 1:
        raise ValueError(f"{function}: expected arrays of one shape, got {', '.join(str(x.shape) for x in found)}")
    if not found:
        raise ValueError(f"{function}: expected at least one array")
    place = normalise_axis(function, axis, found[0].ndim + 1)
    shape = (*found[0].shape[:place], 1, *found[0].shape[place:])
    parts = [array_of(x.node, shape, x.dtype, x.placed, x.traced_in) for x in found]
    return concat_arrays(function, parts, place, dtype, casting)
