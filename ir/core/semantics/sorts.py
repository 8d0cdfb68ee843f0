"""The denotations of `sort`, `rankSeq` and `permute` on NumPy arrays with batch axes."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ir.core.semantics.batch import gather
from ir.core.semantics.values import Value
from ir.errors import IRError

__all__ = ["permuted", "ranked", "runs_sorted_by", "sorted_by"]

_Array: TypeAlias = NDArray[Any]


def _low(keys: _Array, bits: int) -> _Array:
    """The lowest bits of the keys."""
    low: _Array = keys & keys.dtype.type((1 << bits) - 1)
    return low


def sorted_by(keys: _Array, values: Value, bits: int, axis: int) -> Value:
    """The values in the order of their keys along an axis, which is the keys' last; equal keys keep their order."""
    return gather(values, np.argsort(_low(keys, bits), axis=axis, kind="stable"), axis)


def runs_sorted_by(keys: _Array, values: Value, bits: int, run: int, axis: int) -> Value:
    """The same within each run of so many elements."""
    order = np.argsort(_low(keys, bits), axis=axis, kind="stable")
    return gather(values, np.take_along_axis(order, np.argsort(order // run, axis=axis, kind="stable"), axis), axis)


def ranked(keys: _Array, starts: _Array, bits: int) -> _Array:
    """`starts[k]`, and one more for each earlier key that is the same, along the last axis of both."""
    keys = _low(keys, bits).astype(np.int64)
    order = np.argsort(keys, axis=-1, kind="stable")
    inverse = np.argsort(order, axis=-1, kind="stable")
    sorted_keys = np.take_along_axis(keys, order, -1)
    at = np.broadcast_to(np.arange(keys.shape[-1]), keys.shape)
    first = np.ones(keys.shape, bool)
    first[..., 1:] = sorted_keys[..., 1:] != sorted_keys[..., :-1]
    begins = np.maximum.accumulate(np.where(first, at, 0), axis=-1)
    earlier = np.take_along_axis(at - begins, inverse, -1)
    ranks: _Array = np.take_along_axis(starts, keys, -1) + earlier.astype(starts.dtype)
    return ranks


def permuted(indices: _Array, values: Value, axis: int) -> Value:
    """The values at the places that the indices name along an axis, which is their last.

    Raises:
        IRError: indices that are no permutation of 0, 1, ...
    """
    order = np.argsort(indices, axis=-1, kind="stable")
    count = indices.shape[-1]
    if (np.take_along_axis(indices, order, -1) != np.arange(count)).any():
        raise IRError(f"permute: the indices are no permutation of 0 to {count - 1}")
    return gather(values, order, axis)


def compacted(indices: _Array, values: Value, count: int, axis: int) -> Value:
    """The values whose indices, along an axis which is their last, are less than a count, each where its index says.

    Raises:
        IRError: indices beyond that count, or less than 0; a place that is named twice or not at all.
    """
    order = np.argsort(indices, axis=-1, kind="stable")
    found = np.take_along_axis(indices, order, -1)
    if found.shape[-1] < count or (found[..., :count] != np.arange(count)).any() or (found[..., count:] != count).any():
        raise IRError(f"compact: the indices below {count} are no permutation of 0 to {count - 1}, or others are given")
    return gather(values, order[..., :count], axis)
