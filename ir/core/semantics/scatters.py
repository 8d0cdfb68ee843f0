"""The denotation of `scatter` on NumPy arrays with batch axes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
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
    batch = indices.shape[:-1]
    turns: list[dict[tuple[int, ...], tuple[_Array, _Array]]] = []
    for at in np.ndindex(*batch):
        own = indices[at]
        used = np.flatnonzero((own >= 0) & (own < length))
        order = used[np.argsort(own[used], kind="stable")]
        targets = own[order]
        ends = np.flatnonzero(np.r_[targets[1:] != targets[:-1], True]) if targets.size else targets
        counts = np.diff(np.r_[-1, ends])
        for turn in range(min(1, counts.size) if last else int(counts.max(initial=0))):
            now = ends if last else (ends - counts + 1)[counts > turn] + turn
            if turn == len(turns):
                turns.append({})
            turns[turn][at] = targets[now], order[now]
    found = []
    for members in turns:
        most = max(places.size for places, _ in members.values())
        places, sources = np.zeros((*batch, most), np.int64), np.zeros((*batch, most), np.int64)
        valid = np.zeros((*batch, most), bool)
        for at, (own_places, own_sources) in members.items():
            places[at][: own_places.size], sources[at][: own_places.size] = own_places, own_sources
            valid[at][: own_places.size] = True
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
