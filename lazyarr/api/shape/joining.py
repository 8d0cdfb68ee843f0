"""Arrays put together: one after the other along a dimension, or along a new one.

All are concats, whose parts a kernel writes one by one (`lazyarr.recording.placing`). The dtype is what the arrays'
promote to.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ir.cost.thresholds.eager import EAGER_ELEMENTS_IN_LOOPS
from lazyarr.aliasing.outputs import with_out_at
from lazyarr.array import Array
from lazyarr.eager.functions import small_by
from lazyarr.eager.joins import joined_by
from lazyarr.recording.creation import asarray
from lazyarr.recording.indexing import part_along
from lazyarr.recording.joining import as_sequence, beside, concat_arrays, stack_arrays
from lazyarr.recording.movement import (
    atleast_1d,
    atleast_2d,
    atleast_3d,
    broadcast_to,
    moveaxis,
    normalise_axis,
    ravel,
    view,
)
from lazyarr.recording.replay import replayable

__all__ = [
    "append", "column_stack", "concat", "concatenate", "delete", "dstack", "hstack", "insert", "row_stack", "stack",
    "vstack",
]  # fmt: skip


@with_out_at(2)
@joined_by(np.concatenate)
@replayable
def concat(arrays: Sequence[Any], /, axis: int | None = 0, *, dtype: Any = None, casting: str = "same_kind") -> Array:
    """The arrays one after the other along an existing dimension; None: flattened.

    Args:
        dtype: of the result; None: what the arrays promote to
        casting: NumPy's rule by which they may be converted to it

    Raises:
        ValueError: other dimensions differ, or there are no arrays.
    """
    given = as_sequence("concat", arrays)
    return concat_arrays("concat", beside("concat", given) if dtype is None else given, axis, dtype, casting)


@with_out_at(2)
@joined_by(np.concatenate)
@replayable
def concatenate(
    arrays: Sequence[Any], /, axis: int | None = 0, *, dtype: Any = None, casting: str = "same_kind"
) -> Array:
    """NumPy's name of `concat`."""
    given = as_sequence("concatenate", arrays)
    parts = beside("concatenate", given) if dtype is None else given
    return concat_arrays("concatenate", parts, axis, dtype, casting)


@with_out_at(2)
@joined_by(np.stack)
@replayable
def stack(arrays: Sequence[Any], axis: int = 0, *, dtype: Any = None, casting: str = "same_kind") -> Array:
    """The arrays, of one shape, along a new dimension."""
    return stack_arrays("stack", as_sequence("stack", arrays), axis, dtype, casting)


def _at_least(function: str, arrays: Any, shaped: Any) -> list[Array]:
    return [shaped(asarray(x, function=function)) for x in as_sequence(function, arrays)]


@joined_by(np.vstack)
@replayable
def vstack(tup: Sequence[Any], *, dtype: Any = None, casting: str = "same_kind") -> Array:
    """The arrays one below the other: along the first dimension, vectors as rows."""
    return concat_arrays("vstack", _at_least("vstack", tup, atleast_2d), 0, dtype, casting)


row_stack = vstack


@joined_by(np.hstack)
@replayable
def hstack(tup: Sequence[Any], *, dtype: Any = None, casting: str = "same_kind") -> Array:
    """The arrays side by side: along the second dimension, vectors one after the other."""
    found = _at_least("hstack", tup, atleast_1d)
    return concat_arrays("hstack", found, 0 if found and found[0].ndim == 1 else 1, dtype, casting)


@joined_by(np.dstack)
@replayable
def dstack(tup: Sequence[Any]) -> Array:
    """The arrays one behind the other: along the third dimension."""
    return concat_arrays("dstack", _at_least("dstack", tup, atleast_3d), 2)


@joined_by(np.column_stack)
@replayable
def column_stack(tup: Sequence[Any]) -> Array:
    """The arrays side by side, vectors as columns."""
    found = [asarray(x, function="column_stack") for x in as_sequence("column_stack", tup)]
    columns = [view(x, None, (x.size, 1)) if x.ndim < 2 else x for x in found]
    return concat_arrays("column_stack", columns, 1)


@small_by(np.append, EAGER_ELEMENTS_IN_LOOPS)
@replayable
def append(arr: Any, values: Any, axis: int | None = None) -> Array:
    """The array with values at the end of a dimension; None: both flattened."""
    return concat_arrays("append", (arr, values), axis)


@small_by(np.insert, EAGER_ELEMENTS_IN_LOOPS)
def insert(arr: Any, obj: Any, values: Any, axis: int | None = None) -> Array:
    """The array with values put before the positions `obj` along a dimension; None: flattened.

    Args:
        obj: an integer, a slice, or integers or bools whose values the host knows; values are broadcast to them and
            converted to the array's dtype

    Raises:
        IndexError: a position out of bounds.
    """
    x = asarray(arr, function="insert")
    if axis is None:
        x, axis = ravel(x), 0
    along = normalise_axis("insert", axis, x.ndim)
    extent = x.shape[along]
    positions, single = _positions("insert", obj, extent, extent + 1)
    new = asarray(values, x.dtype, function="insert")
    if len(positions) == 1:  # as many as there are values: these stand in the first dimension for a lone integer
        new = view(new, None, (1,) * (x.ndim - new.ndim) + new.shape)
        new = moveaxis(new, 0, along) if single else new
        positions = positions * new.shape[along]
    shape = (*x.shape[:along], len(positions), *x.shape[along + 1 :])
    try:
        new = broadcast_to(new, shape)
    except ValueError:
        raise ValueError(f"insert: values of shape {new.shape} do not broadcast to shape {shape}") from None
    order = np.argsort(positions, kind="stable")
    parts: list[Array] = []
    begin = 0
    for i in order:
        stop = positions[i]
        parts += [part_along(x, along, begin, stop), part_along(new, along, int(i), int(i) + 1)]
        begin = stop
    parts.append(part_along(x, along, begin, extent))
    return concat_arrays("insert", parts, along)


@small_by(np.delete, EAGER_ELEMENTS_IN_LOOPS)
def delete(arr: Any, obj: Any, axis: int | None = None) -> Array:
    """The array without the positions `obj` along a dimension; None: flattened.

    Args:
        obj: an integer, a slice, or integers or bools whose values the host knows

    Raises:
        IndexError: a position out of bounds.
    """
    x = asarray(arr, function="delete")
    if axis is None:
        x, axis = ravel(x), 0
    along = normalise_axis("delete", axis, x.ndim)
    extent = x.shape[along]
    gone = set(_positions("delete", obj, extent, extent)[0])
    parts: list[Array] = []
    begin = 0
    for stop in [*sorted(gone), extent]:
        if begin < stop:
            parts.append(part_along(x, along, begin, stop))
        begin = stop + 1
    return concat_arrays("delete", parts, along) if parts else part_along(x, along, 0, 0)


def _positions(function: str, obj: Any, extent: int, limit: int) -> tuple[list[int], bool]:
    """Positions below a limit, counted from the front, and whether it was a single integer."""
    if isinstance(obj, slice):
        return list(range(*obj.indices(extent))), False
    known = np.asarray(obj)
    if known.dtype.kind == "b":
        if known.shape != (extent,) and limit == extent:
            raise ValueError(f"{function}: expected a mask of shape ({extent},), got shape {known.shape}")
        known = np.flatnonzero(known)
    elif known.dtype.kind not in "iu" and (known.size or not isinstance(obj, (list, tuple))):
        raise IndexError(f"{function}: expected integers or bools as positions, got dtype {known.dtype}")
    if known.ndim > 1 and limit > extent:
        raise ValueError(f"{function}: expected positions in one dimension, got shape {known.shape}")
    found = []
    for position in known.reshape(-1).tolist():
        if not -extent <= position < limit:
            raise IndexError(f"{function}: index {position} is out of bounds for an axis of extent {extent}")
        found.append(int(position + extent if position < 0 else position))
    return found, not known.ndim
