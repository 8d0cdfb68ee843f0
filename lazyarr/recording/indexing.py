"""`x[key]`: slices are views, arrays of indices gather.

Where an array of indices stands, the dimensions that it (or several, broadcast together) chooses from are brought to
the front as one, their elements gathered, and the result's dimensions put where NumPy has them: in the place of the
first array where all stand together (integers among them), else in front.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ir.core.expr import Expr, identity
from ir.core.patterns import Concat, Gather, Join, Map
from lazyarr.array import Array, array_of, combine
from lazyarr.dtypes import to_ir
from lazyarr.graph.builders import join, permute, slice_, slice_dimension, split
from lazyarr.recording.creation import asarray
from lazyarr.recording.keys import Apart, Index, Key, flat_positions, parse
from lazyarr.recording.movement import broadcast_to, view
from lazyarr.recording.placing import Cut, within_part
from lazyarr.recording.replay import replayable

__all__ = ["by_slices", "chosen", "gathered", "index", "part_along", "sliced"]


def index(x: Array, key: Any) -> Array:
    """`x[key]`; see `lazyarr.recording.keys` for keys and errors."""
    return chosen("index", x, parse("index", key, x.extents))


def part_along(x: Array, axis: int, start: int, stop: int) -> Array:
    """The elements from `start` to before `stop` along an axis."""
    return index(x, (*(slice(None),) * axis, slice(start, stop)))


def chosen(function: str, x: Array, key: Key) -> Array:
    """What a key chooses."""
    if not key.arrays:
        return _by_slices(x, key.apart)
    return _by_arrays(function, x, key.apart, *[at for _, at in key.arrays])


def by_slices(x: Array, key: Key) -> Array:
    """`chosen` for a key without arrays of indices, recorded at once."""
    shape = key.shape
    # a result without elements is seen by `view`; any other means that x has some
    return view(x, sliced(x.node, x.extents, key.cuts) if 0 not in shape else None, shape)


@replayable
def _by_slices(x: Array, apart: Apart) -> Array:
    return by_slices(x, apart.key())


@replayable
def _by_arrays(function: str, x: Array, apart: Apart, *indices: Index) -> Array:
    key = apart.key(indices)
    common = key.common
    shape = key.around(common)
    if 0 in shape:
        return view(x, None, shape)
    counts = tuple([count for _, _, count in key.cuts])
    rows = counts == x.extents and key.kept == _LATER[: len(counts) - 1]
    if rows and len(key.arrays) == 1 and key.arrays[0][0] == 0:
        at = flat_positions([key.arrays[0][1]], [counts[0]])  # of whole rows
        node = sliced(x.node, counts, key.cuts) if len(counts) > 1 else x.node
        found = gathered(function, view(x, node, (counts[0], prod(counts[1:]))), at, common)
        return array_of(found.node, shape, x.dtype, found.placed, found.traced_in)
    axes = [axis for axis, _ in key.arrays if axis is not None]
    rest = [axis for axis in key.kept if axis is not None]
    dropped = [axis for axis in range(x.ndim) if axis not in axes and axis not in rest]
    node = sliced(x.node, x.extents, key.cuts)
    node = permute(node, counts, (*axes, *dropped, *rest))
    at = flat_positions([at for axis, at in key.arrays if axis is not None], [counts[axis] for axis in axes])
    row = prod([counts[axis] for axis in rest])
    found = gathered(function, view(x, node, (prod(counts) // row, row)), at, common)
    ahead = prod([1 if axis is None else counts[axis] for axis in key.kept[: key.before]])
    flat = permute(found.node, (prod(common), ahead, row // ahead), (1, 0, 2)) if ahead > 1 else found.node
    return array_of(flat, shape, x.dtype, found.placed, found.traced_in)


def sliced(node: Expr, shape: tuple[int, ...], cuts: tuple[Cut, ...]) -> Expr:
    """A flat array of that shape with some of its elements along each dimension; flat. None of the extents is zero."""
    if type(node) is not Concat and type(node) is not Join:  # whose parts are looked at dimension by dimension
        found = _progression(shape, cuts)
        if found is not None:
            return slice_(*found, node)
    outer = 1
    for extent, (start, step, count) in zip(shape, cuts, strict=True):
        if count == extent and step == 1:  # all of them
            outer *= count
            continue
        parts = within_part(node, outer, extent, start, count) if step == 1 else None
        node = slice_dimension(start, step, count, outer, extent, node) if parts is None else parts
        outer *= count
    return node


def _progression(shape: tuple[int, ...], cuts: tuple[Cut, ...]) -> Cut | None:
    """The chosen elements of a flat array of that shape as one slice of it; None where they do not lie evenly."""
    first, gap, number, stride = 0, 1, 1, 1
    for axis in range(len(shape) - 1, -1, -1):
        start, step, count = cuts[axis]
        first += start * stride
        if count > 1:
            step *= stride
            if number == 1:
                gap = step
            elif step != gap * number:
                return None
            number *= count
        stride *= shape[axis]
    return first, gap, number


_LATER = tuple(range(1, 65))
"""All dimensions but the first."""


def gathered(function: str, rows: Array, at: Index, common: tuple[int, ...]) -> Array:
    """The rows of a matrix that positions name, broadcast to the shape `common`; of shape (size of common, row)."""
    count, row = prod(common), rows.shape[1]
    if isinstance(at, np.ndarray) and not at.ndim:
        at = at.reshape(1)  # a constant: every array of indices was a lone bool
    where = asarray(at)
    if where.shape != common:
        where = broadcast_to(where, common)
    device, trace = combine(function, (rows, where))
    items = rows.node if row == 1 else split(row, rows.node)
    node: Expr = Gather(items, where.node)
    if row > 1:
        node = join(node)
    if isinstance(where.node, Map):  # computed positions become a part of an index function: a map copies it
        node = Map(identity(to_ir(rows.dtype)), node)
    return array_of(node, (count, row), rows.dtype, device, trace)
