"""Keys: what stands between the brackets of `x[key]`, taken apart into slices and arrays of indices.

A key is an integer, a slice, `...`, None, an array of integers or of bools (an `Array`, a NumPy array, nested lists),
or a tuple of those, in which a further tuple is what a list is. A mask is as many arrays of indices as it has
dimensions: where it is true is asked at once, since the shape of the result depends on it.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from lazyarr.array import Array
from lazyarr.array.operators import is_arraylike
from lazyarr.dtypes import int32, int64
from lazyarr.graph.leaves import Input, host_memory, looks
from lazyarr.graph.recorded_calls import RecordedCall
from lazyarr.graph.tracing import refuse
from lazyarr.memory.masked import refuse_masked
from lazyarr.recording.apply import together
from lazyarr.recording.conversion import astype, where
from lazyarr.recording.creation import as_value, asarray
from lazyarr.recording.placing import Cut
from lazyarr.recording.replay import plain

__all__ = ["Apart", "Index", "Key", "has_dots", "host_values", "in_range", "mask_of", "parse"]

Index = np.ndarray[Any, Any] | Array
"""Positions along a dimension: a NumPy array of int64 within range, or an `Array` whose values are not known here."""

_NAMES = "expected integers, slices, `...`, None, and arrays or lists of integers or bools"


@plain
class Apart(NamedTuple):
    """A key apart from its arrays of indices, and the dimensions that these choose from."""

    cuts: tuple[Cut, ...]
    kept: tuple[int | None, ...]
    before: int
    by: tuple[int | None, ...]

    def key(self, indices: Sequence[Index] = ()) -> Key:
        """The key with those arrays."""
        return Key(self.cuts, self.kept, tuple(zip(self.by, indices, strict=True)), self.before)


class Key(NamedTuple):
    """A key for arrays of one shape.

    Attributes:
        cuts: start, step and count along each dimension of the array; whole where an array of indices chooses
        kept: the dimensions that slices choose from, in order; None for one of extent one that is new
        arrays: the dimension that each array of indices chooses from (None for none, where a lone bool stood)
        before: how many of `kept` stand before the dimensions of the arrays of indices
    """

    cuts: tuple[Cut, ...]
    kept: tuple[int | None, ...]
    arrays: tuple[tuple[int | None, Index], ...] = ()
    before: int = 0

    @property
    def apart(self) -> Apart:
        """What is left without the arrays of indices."""
        return Apart(self.cuts, self.kept, self.before, tuple([axis for axis, _ in self.arrays]))

    @property
    def common(self) -> tuple[int, ...]:
        """The shape of the arrays of indices, broadcast together."""
        found = together(*[at.shape for _, at in self.arrays])
        if found is None:
            shapes = " ".join(str(at.shape) for _, at in self.arrays)
            raise IndexError(f"shape mismatch: indexing arrays could not be broadcast together with shapes {shapes}")
        return found

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of what the key chooses."""
        if self.arrays:
            return self.around(self.common)
        cuts = self.cuts
        return tuple([1 if axis is None else cuts[axis][2] for axis in self.kept])

    def around(self, common: tuple[int, ...]) -> tuple[int, ...]:
        """The shape of what the key chooses, where the arrays of indices have the shape `common` together."""
        kept = tuple([1 if axis is None else self.cuts[axis][2] for axis in self.kept])
        return (*kept[: self.before], *common, *kept[self.before :]) if common else kept


def has_dots(key: Any) -> bool:
    """Do dots stand in it?"""
    return key is Ellipsis or (type(key) is tuple and any(part is Ellipsis for part in key))


def parse(function: str, key: Any, shape: tuple[int, ...]) -> Key:
    """The parts of a key.

    Raises:
        IndexError: what is no key, too many indices, or one out of bounds where its value is known.
        TracingError: a mask or slice bound that is being recorded.
    """
    known = _plain(function, key, shape)
    if known is not None:
        return known
    parts = [_converted(function, part) for part in (key if isinstance(key, tuple) else (key,))]
    used = sum(_dimensions(part) for part in parts)
    if used > len(shape):
        raise IndexError(
            f"{function}: too many indices: shape {shape} has {len(shape)} dimensions, but {used} were indexed"
        )
    dots = [i for i, part in enumerate(parts) if part is Ellipsis]
    if len(dots) > 1:
        raise IndexError(f"{function}: expected at most one `...`")
    at = dots[0] if dots else len(parts)
    parts = [*parts[: at + 1], *[slice(None)] * (len(shape) - used), *parts[at + 1 :]]
    return _assembled(function, parts, shape)


def _plain(function: str, key: Any, shape: tuple[int, ...]) -> Key | None:
    """The same for Python's integers, slices and None, or one array of integers among slices and None: most keys. None
    where there are others, or too many.
    """
    cuts: list[Cut] = []
    kept: list[int | None] = []
    ndim = len(shape)
    lone = False  # is there an integer?
    array: tuple[int, Array, int] | None = None  # the axis of one, the array, and how many are kept before
    for part in key if type(key) is tuple else (key,):
        axis = len(cuts)
        if part is None:
            kept.append(None)
        elif axis == ndim:
            return None
        elif type(part) is slice:
            kept.append(axis)
            cuts.append(_slice(function, part, shape[axis]))
        elif type(part) is int:
            cuts.append((_checked(part, axis, shape[axis]), 1, 1))
            lone = True
        elif type(part) is Array and array is None and part.shape and part.dtype.kind in "iu":
            array = axis, part, len(kept)
            cuts.append((0, 1, shape[axis]))
        else:
            return None
    for axis in range(len(cuts), ndim):
        kept.append(axis)
        cuts.append((0, 1, shape[axis]))
    if array is None:
        return Key(tuple(cuts), tuple(kept))
    if lone:
        return None
    axis, at, before = array
    return Key(tuple(cuts), tuple(kept), ((axis, in_range(at, shape[axis], axis)),), before)


def _assembled(function: str, parts: list[Any], shape: tuple[int, ...]) -> Key:
    cuts: list[Cut] = []
    kept: list[int | None] = []
    arrays: list[tuple[int | None, Index]] = []
    chosen: list[tuple[bool, int]] = []  # for each part: does it count among the arrays, and how many are kept before
    nothing = any(isinstance(part, (Array, np.ndarray)) and 0 in part.shape for part in parts)
    for part in parts:
        axis = len(cuts)
        advanced = part is not None and part is not Ellipsis and not isinstance(part, slice)
        chosen.append((advanced, len(kept)))
        if part is Ellipsis:
            continue  # NumPy takes dots for something between arrays, even where they stand for no dimension
        if part is None:
            kept.append(None)
        elif isinstance(part, slice):
            kept.append(axis)
            cuts.append(_slice(function, part, shape[axis]))
        elif isinstance(part, int):
            cuts.append((_checked(part, axis, shape[axis]), 1, 1))
        elif part.dtype.kind == "b":
            arrays += _true(function, part, axis, shape)
            cuts += [(0, 1, extent) for extent in shape[axis : axis + part.ndim]]
        else:
            # where nothing is chosen NumPy does not look at indices
            at = np.zeros(part.shape, np.int64) if nothing else in_range(part, shape[axis], axis)
            arrays.append((axis, at))
            cuts.append((0, 1, shape[axis]))
    if not arrays:
        return Key(tuple(cuts), tuple(kept))
    places = [i for i, (advanced, _) in enumerate(chosen) if advanced]
    together = places[-1] - places[0] + 1 == len(places)
    return Key(tuple(cuts), tuple(kept), tuple(arrays), chosen[places[0]][1] if together else 0)


def _converted(function: str, part: Any) -> Any:
    """A part of a key as None, `...`, a slice, an int, a NumPy array or an `Array`."""
    if part is None or part is Ellipsis or isinstance(part, slice):
        return part
    if isinstance(part, (bool, np.bool_)):
        return np.asarray(part)
    if not isinstance(part, (Array, np.ndarray, list, range, tuple)):
        try:
            return operator.index(part)
        except TypeError:
            if not is_arraylike(part):
                raise IndexError(f"{function}: {_NAMES}, got {part!r}") from None
        part = asarray(part, function=function)
    if isinstance(part, (list, range, tuple)):
        part = as_value(part, function)
        part = part if part.size else part.astype(np.int64)
    refuse_masked(part, function)
    if part.dtype.kind not in "biu":
        raise IndexError(f"{function}: {_NAMES}, got an array of dtype {part.dtype}")
    if not part.shape and part.dtype.kind != "b" and not (isinstance(part, Array) and part.tracing):
        return int(part)
    return part


def _dimensions(part: Any) -> int:
    """How many dimensions a part chooses from."""
    if part is None or part is Ellipsis:
        return 0
    return int(part.ndim) if isinstance(part, (Array, np.ndarray)) and part.dtype.kind == "b" else 1


def _slice(function: str, part: slice, extent: int) -> Cut:
    for bound in (part.start, part.stop, part.step):
        if type(bound) is Array and bound.tracing:
            refuse("value", "use as a slice bound", bound)
    try:
        start, stop, step = part.indices(extent)
    except TypeError:
        raise TypeError(f"{function}: expected integers or None in a slice, got {part}") from None
    count = len(range(start, stop, step))
    return (start, step, count) if count > 1 else (start if count else 0, 1, count)


def _checked(position: int, axis: int, extent: int) -> int:
    if not -extent <= position < extent:
        raise IndexError(f"index {position} is out of bounds for axis {axis} with size {extent}")
    return position % extent


def mask_of(function: str, mask: Any) -> np.ndarray[Any, Any]:
    """The values of a mask, computed now; `TracingError` if it is being recorded."""
    if isinstance(mask, Array):
        if mask.tracing:
            refuse("mask", "a mask as an index" if function in ("getitem", "setitem") else function, mask)
        return mask.to_numpy()
    return np.asarray(mask)


def _true(function: str, mask: Any, axis: int, shape: tuple[int, ...]) -> list[tuple[int | None, Index]]:
    """Where a mask is true, dimension by dimension; a mask may end early in a dimension by having no place there."""
    for i, (extent, own) in enumerate(zip(shape[axis:], mask.shape, strict=False)):
        if own not in (extent, 0):
            message = "boolean index did not match indexed array along axis"
            raise IndexError(f"{function}: {message} {axis + i}; its size is {extent}, that of the mask {own}")
    values = mask_of(function, mask)
    if not values.ndim:
        return [(None, np.zeros(int(values), np.int64))]
    return [(axis + i, at) for i, at in enumerate(np.nonzero(values))]


_ranges: WeakKeyDictionary[Input, tuple[int, int]] = WeakKeyDictionary()
"""The least and the greatest value of arrays of indices that were used before."""


def outside(indices: np.ndarray[Any, Any] | None, extent: int) -> int | None:
    """The first of some indices that is not from 0 up to an extent; None where there is none, or nothing is known."""
    if indices is None or not indices.size or 0 <= indices.min() <= indices.max() < extent:
        return None
    return int(indices[(indices < 0) | (indices >= extent)].flat[0])


def host_values(x: Array) -> np.ndarray[Any, Any] | None:
    """The values of an array, where they lie in the host's memory already."""
    node = x.node
    if not isinstance(node, Input) or node.storage is None:
        return None
    if isinstance(node.storage, np.ndarray) or node.storage.device.zero_copy:
        return host_memory(node, x.dtype).reshape(x.shape)
    return None


def in_range(index: Any, extent: int, axis: int) -> Index:
    """Indices that may count from the end as positions from the start.

    Where their values are known one out of bounds is an `IndexError`; else it is clamped when the kernel runs.
    """
    if isinstance(index, Array):
        looks.count += 1  # whatever is found: the values may be known another time
        standing = index.standing
        node = standing.made if isinstance(standing, RecordedCall) else standing
        limits = _ranges.get(node) if type(node) is Input else None
        if limits is not None and limits[0] >= 0 and limits[1] < extent:
            return index
        values = None if node is None else host_values(index)
        if values is None:
            return _wrapped(index, extent, axis)
        if not values.size:
            return np.zeros(index.shape, np.int64)
        assert isinstance(node, Input)
        if limits is None:
            limits = _ranges[node] = int(values.min()), int(values.max())
            if limits[0] >= 0 and limits[1] < extent:
                return index
        return _host_positions(values, extent, axis)
    return _host_positions(index, extent, axis)


def _host_positions(values: np.ndarray[Any, Any], extent: int, axis: int) -> np.ndarray[Any, Any]:
    if values.dtype == np.uint64:
        values = values.astype(np.int64)  # NumPy takes the greatest ones for negative places
    if values.size:
        low, high = int(values.min()), int(values.max())
        _checked(low, axis, extent)
        _checked(high, axis, extent)
        if low < 0:
            return np.where(values < 0, values.astype(np.int64) + extent, values)
    return values.astype(np.int64)


def _wrapped(index: Array, extent: int, axis: int) -> Array:
    if not extent and index.size:
        raise IndexError(f"an index is out of bounds for axis {axis} with size 0")

    if index.dtype.kind == "u" and index.dtype.itemsize < 8:
        return astype(index, "int64") if index.dtype.itemsize > 2 else astype(index, "int32")
    if index.dtype.kind == "u":
        index = astype(index, "int64")  # as above
    if index.dtype.itemsize < 4:
        index = astype(index, "int32")
    if extent > np.iinfo(index.dtype).max:
        index = astype(index, "int64")
    return where(index < 0, index + extent, index)


def flat_positions(arrays: list[Index], extents: list[int]) -> Index:
    """Row-major positions in an array of those extents, of which each index names one coordinate."""
    if len(arrays) == 1:  # which counts along one dimension
        (only,) = arrays
        if isinstance(only, np.ndarray) or only.dtype in (int32, int64):
            return only
    strides = [prod(extents[i + 1 :]) for i in range(len(extents))]
    if all(isinstance(at, np.ndarray) for at in arrays):
        total = np.zeros((), np.int64)
        for at, stride in zip(arrays, strides, strict=True):
            total = total + np.asarray(at) * stride
        return total
    wide = prod(extents) > np.iinfo(np.int32).max
    found: Any = None
    for at, stride in zip(arrays, strides, strict=True):
        part = asarray(at)
        if wide or part.dtype.name not in ("int32", "int64"):
            part = asarray(part, "int64")
        term = part * stride if stride != 1 else part
        found = term if found is None else found + term
    assert isinstance(found, Array)
    return found
