"""`block`: arrays put together from nested lists of blocks."""

from __future__ import annotations

from typing import Any

from lazyarr.api.shape.joining import concat
from lazyarr.array import Array, giving_arrays
from lazyarr.recording.creation import asarray
from lazyarr.recording.movement import view

__all__ = ["block"]


@giving_arrays
def block(arrays: Any) -> Array:
    """The arrays of nested lists put together: those of the innermost lists side by side along the last dimension,
    these along the one before, and so on. Arrays of fewer dimensions get new ones in front.

    Raises:
        ValueError: lists of different depths, or an empty one.
        TypeError: a tuple.
    """
    depth = _depth(arrays, ())
    leaves = _leaves(arrays)
    return _put_together(arrays, max(depth, max(x.ndim for x in leaves)), depth)


def _depth(blocks: Any, place: tuple[int, ...]) -> int:
    """How deep the lists are nested, everywhere the same."""
    where = "".join(f"[{i}]" for i in place)
    if isinstance(blocks, tuple):
        raise TypeError(f"block: expected nested lists of arrays, got a tuple at arrays{where}")
    if not isinstance(blocks, list):
        return 0
    if not blocks:
        raise ValueError(f"block: expected lists of one or more arrays, got an empty one at arrays{where}")
    depths = [_depth(part, (*place, i)) for i, part in enumerate(blocks)]
    if len(set(depths)) > 1:
        raise ValueError(f"block: expected lists of one depth, got depths {depths} below arrays{where}")
    return 1 + depths[0]


def _leaves(blocks: Any) -> list[Array]:
    if not isinstance(blocks, list):
        return [asarray(blocks, function="block")]
    return [x for part in blocks for x in _leaves(part)]


def _put_together(blocks: Any, ndim: int, depth: int) -> Array:
    if not isinstance(blocks, list):
        x = asarray(blocks, function="block")
        return view(x, None, (1,) * (ndim - x.ndim) + x.shape)
    return concat([_put_together(part, ndim, depth - 1) for part in blocks], axis=-depth)
