"""`x[key]`: slices are views, arrays of indices gather.

Where an array of indices stands, the dimensions that it (or several, broadcast together) chooses from are brought to
the front as one, their elements gathered, and the result's dimensions put where NumPy has them: in the place of the
first array where all stand together (integers among them), else in front.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ir.core.expr import Expr
from ir.core.patterns import Gather, Map
from ir.rules.common import identity
from lazyarr.array import Array, combine
from lazyarr.creation import asarray
from lazyarr.dtypes import to_ir
from lazyarr.keys import Index, Key, flat_positions, parse
from lazyarr.movement import view
from lazyarr.placing import Cut, within_part
from lazyarr.record import join, permute, slice_dimension, split

__all__ = ["chosen", "gathered", "index", "sliced"]


def index(x: Array, key: Any) -> Array:
    """`x[key]`; see `lazyarr.keys` for keys and errors."""
    return chosen("index", x, parse("index", key, x.shape))


def chosen(function: str, x: Array, key: Key) -> Array:
    """What a key chooses."""
    if not key.arrays:
        shape = key.shape
        # a result without elements is seen by `view`; any other means that x has some
        return view(x, sliced(x.node, x.extents, key.cuts) if 0 not in shape else None, shape)
    counts = tuple(count for _, _, count in key.cuts)
    if not prod(key.shape):
        return view(x, None, key.shape)
    axes = [axis for axis, _ in key.arrays if axis is not None]
    rest = [axis for axis in key.kept if axis is not None]
    dropped = [axis for axis in range(x.ndim) if axis not in axes and axis not in rest]
    node = sliced(x.node, x.shape, key.cuts)
    node = permute(node, counts, (*axes, *dropped, *rest))
    at = flat_positions([at for axis, at in key.arrays if axis is not None], [counts[axis] for axis in axes])
    common = key.common
    row = prod(counts[axis] for axis in rest)
    found = gathered(function, view(x, node, (prod(counts) // row, row)), at, common)
    before = prod(1 if axis is None else counts[axis] for axis in key.kept[: key.before])
    flat = permute(found.node, (prod(common), before, row // before), (1, 0, 2)) if before > 1 else found.node
    return Array(flat, key.shape, x.dtype, found.device, found.trace)


def sliced(node: Expr, shape: tuple[int, ...], cuts: tuple[Cut, ...]) -> Expr:
    """A flat array of that shape with some of its elements along each dimension; flat. None of the extents is zero."""
    outer = 1
    for extent, (start, step, count) in zip(shape, cuts, strict=True):
        parts = within_part(node, outer, extent, start, count) if step == 1 and count < extent else None
        node = slice_dimension(start, step, count, outer, extent, node) if parts is None else parts
        outer *= count
    return node


def gathered(function: str, rows: Array, at: Index, common: tuple[int, ...]) -> Array:
    """The rows of a matrix that positions name, broadcast to the shape `common`; of shape (size of common, row)."""
    from lazyarr.movement import broadcast_to

    count, row = prod(common), rows.shape[1]
    if isinstance(at, np.ndarray) and not at.ndim:
        at = at.reshape(1)  # a constant: every array of indices was a lone bool
    where = broadcast_to(asarray(at), common) if at.shape != common else asarray(at)
    device, trace = combine(function, (rows, where))
    items = rows.node if row == 1 else split(row, rows.node)
    node: Expr = Gather(items, where.node)
    if row > 1:
        node = join(node)
    if isinstance(where.node, Map):  # computed positions become a part of an index function: a map copies it
        node = Map(identity(to_ir(rows.dtype)), node)
    return Array(node, (count, row), rows.dtype, device, trace)
