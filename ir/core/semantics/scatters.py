"""The denotation of `scatter` on NumPy arrays with batch axes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ir.core.semantics.values import Value, leaves, map_leaves

__all__ = ["scatter"]

_Array: TypeAlias = NDArray[Any]


def scatter(
    f: Callable[[Value, Value], Value],
    xs: Value,
    indices: _Array,
    values: Value,
    axis: int,
    last: bool = False,
    ufunc: np.ufunc | None = None,
) -> Value:
    """Each value combined by f into the element that its index names along an axis, in the order of the indices.

    All have `axis` batch axes in front. f is applied to many elements at once, which lie along that axis: in each round
    to those whose turn has come, which have different indices. So there are as many rounds as the most frequent index
    has values.

    Args:
        last: f gives its second argument, so that only the last value of each index counts
        ufunc: f is this function of scalars; sums and products of float32 are carried in float64 and rounded once
    """
    batch = np.broadcast_shapes(*(a.shape[:axis] for a in (*leaves(xs), indices, *leaves(values))))
    xs = map_leaves(lambda a: np.array(np.broadcast_to(a, batch + a.shape[axis:])), xs)
    values = map_leaves(lambda a: np.broadcast_to(a, batch + a.shape[axis:]), values)
    indices = np.broadcast_to(indices, batch + indices.shape[axis:])
    length = next(leaves(xs)).shape[axis]
    if ufunc is not None and not axis:
        assert isinstance(xs, np.ndarray)
        assert isinstance(values, np.ndarray)
        return _accumulated(ufunc, xs, indices, values)
    for places, sources, valid in _rounds(indices, length, last):
        before = map_leaves(partial(_taken, at=places, axis=axis), xs)
        after = f(before, map_leaves(partial(_taken, at=sources, axis=axis), values))
        _store(xs, places, valid, after)
    return xs


def _accumulated(ufunc: np.ufunc, xs: _Array, indices: _Array, values: _Array) -> _Array:
    used = (indices >= 0) & (indices < len(xs))
    wide = np.float64 if xs.dtype == np.float32 and ufunc in (np.add, np.multiply) else xs.dtype
    total = xs.astype(wide)
    ufunc.at(total, indices[used], values[used].astype(wide, copy=False))
    return total.astype(xs.dtype, copy=False)


def _rounds(indices: _Array, length: int, last: bool) -> list[tuple[_Array, _Array, _Array]]:
    """For each round and each batch: places in the result, the values' positions, and which of these are meant.

    Batches have different numbers of them; what is missing is filled up by zeros that are not meant.
    """
    used = (indices >= 0) & (indices < length)
    own = np.where(used, indices.astype(np.int64, copy=False), length)  # what names no element comes last
    order = np.argsort(own, axis=-1, kind="stable")
    targets = np.take_along_axis(own, order, -1)
    changes = targets[..., 1:] != targets[..., :-1]
    at = np.arange(targets.shape[-1])
    if last:
        is_end = np.ones(targets.shape, bool)
        is_end[..., :-1] = changes
        meant = np.flatnonzero(is_end & (targets < length))
        by_turn = [meant] if meant.size else []
    else:
        is_start = np.ones(targets.shape, bool)
        is_start[..., 1:] = changes
        turns = at - np.maximum.accumulate(np.where(is_start, at, 0), axis=-1)
        meant = np.flatnonzero(targets < length)
        turns = turns.reshape(-1)[meant]
        meant = meant[np.argsort(turns, kind="stable")]
        by_turn = np.split(meant, np.cumsum(np.bincount(turns))[:-1]) if meant.size else []
    batch = indices.shape[:-1]
    found = []
    for members in by_turn:
        counts = np.bincount(members // at.size, minlength=prod(batch)).reshape(batch)
        valid = np.arange(int(counts.max())) < counts[..., np.newaxis]
        places, sources = np.zeros(valid.shape, np.int64), np.zeros(valid.shape, np.int64)
        places[valid], sources[valid] = targets.reshape(-1)[members], order.reshape(-1)[members]
        found.append((places, sources, valid))
    return found


def _taken(a: _Array, at: _Array, axis: int) -> _Array:
    return np.take_along_axis(a, at.reshape(at.shape + (1,) * (a.ndim - axis - 1)), axis)


def _store(xs: Value, places: _Array, valid: _Array, made: Value) -> None:
    if isinstance(xs, tuple):
        for part, own in zip(xs, made, strict=True):
            _store(part, places, valid, own)
        return
    assert isinstance(made, np.ndarray)
    meant = np.nonzero(valid)
    xs[(*meant[:-1], places[meant])] = np.broadcast_to(made, places.shape + made.shape[places.ndim :])[meant]
