"""Bits of integers: packed into bytes, taken out of them, counted; and what other dtypes make of an array's bytes."""

from __future__ import annotations

from typing import Any

import numpy as np

from lazyarr.array import Array
from lazyarr.dtypes import DType, as_dtype, bool_
from lazyarr.graph.tracing import refuse
from lazyarr.recording.apply import apply
from lazyarr.recording.creation import asarray, zeros
from lazyarr.recording.elementwise import bitwise_and, bitwise_right_shift, not_equal, where
from lazyarr.recording.joining import concatenate
from lazyarr.recording.movement import moveaxis, normalise_axis, ravel, reshape

__all__ = ["bitwise_count", "packbits", "unpackbits", "viewed_as"]


def _weights(function: str, bitorder: str) -> np.ndarray[Any, Any]:
    """The place of each bit of a byte."""
    if bitorder not in ("big", "little"):
        raise ValueError(f"{function}: expected bitorder to be 'big' or 'little', got {bitorder!r}")
    places = np.arange(8, dtype=np.uint8)
    return places[::-1].copy() if bitorder == "big" else places


def packbits(a: Any, /, axis: int | None = None, bitorder: str = "big") -> Array:
    """Eight elements along an axis (None: of all), zero or not, as the bits of a byte; zeros where some are missing.

    Raises `TypeError` for what is neither bool nor of integers.
    """
    x = asarray(a, function="packbits")
    if x.dtype.kind not in "biu":
        raise TypeError(f"packbits: expected bools or integers, got {x.dtype.name}")
    places = _weights("packbits", bitorder)
    x = ravel(x) if axis is None else x
    along = normalise_axis("packbits", -1 if axis is None else axis, x.ndim)
    last = moveaxis(x, along, -1)
    missing = -last.shape[-1] % 8
    bits = not_equal(last, 0)
    if missing:
        bits = concatenate([bits, zeros((*last.shape[:-1], missing), dtype=bool_)], axis=-1)
    from lazyarr.api.reduce.reductions import sum as sum_

    eights = reshape(bits, (*bits.shape[:-1], bits.shape[-1] // 8, 8))
    weights = asarray(np.left_shift(np.uint8(1), places))
    return moveaxis(sum_(where(eights, weights, np.uint8(0)), axis=-1, dtype=np.uint8), -1, along)


def unpackbits(a: Any, /, axis: int | None = None, count: int | None = None, bitorder: str = "big") -> Array:
    """The bits of bytes along an axis (None: of all), as uint8 of zero and one.

    count : how many to keep, or if negative leave out at the end; zeros where there are fewer

    Raises `TypeError` for another dtype than uint8.
    """
    x = asarray(a, function="unpackbits")
    if x.dtype != np.uint8:
        raise TypeError(f"unpackbits: expected uint8, got {x.dtype.name}")
    places = asarray(_weights("unpackbits", bitorder))
    x = ravel(x) if axis is None else x
    along = normalise_axis("unpackbits", -1 if axis is None else axis, x.ndim)
    last = moveaxis(x, along, -1)
    bits = bitwise_and(bitwise_right_shift(reshape(last, (*last.shape, 1)), places), np.uint8(1))
    found = reshape(bits, (*last.shape[:-1], last.shape[-1] * 8))
    if count is not None:
        length = found.shape[-1]
        wanted = count if count >= 0 else max(length + count, 0)
        if wanted > length:
            found = concatenate([found, zeros((*found.shape[:-1], wanted - length), dtype=np.uint8)], axis=-1)
        found = found[..., :wanted]
    return moveaxis(found, -1, along)


def bitwise_count(x: Any, /) -> Array:
    """How many bits of the absolute values of integers are one, as uint8; bools count themselves."""
    given = asarray(x, function="bitwise_count")
    if given.dtype.kind not in "biu":
        raise TypeError(f"bitwise_count: expected bools or integers, got {given.dtype.name}")
    if given.dtype is bool_:
        return given.astype(np.uint8)
    from lazyarr.recording.elementwise import abs as abs_

    wide = abs_(given).astype(f"uint{8 * given.itemsize}").astype(np.uint64)
    # neighbours are added up: bits to pairs, pairs to fours, fours to bytes, and these by one multiplication
    pairs = wide - ((wide >> np.uint64(1)) & np.uint64(0x5555555555555555))
    fours = (pairs & np.uint64(0x3333333333333333)) + ((pairs >> np.uint64(2)) & np.uint64(0x3333333333333333))
    eights = (fours + (fours >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return ((eights * np.uint64(0x0101010101010101)) >> np.uint64(56)).astype(np.uint8)  # type: ignore[no-any-return]  # operators give Any


def viewed_as(x: Array, dtype: Any) -> Array:
    """What another dtype makes of the array's bytes, row by row; another array, which does not change with it.

    Integers, and floats as integers of their size, are compiled; for the rest the value is computed and its memory
    read. `ValueError` where the last dimension does not divide into elements of the new size.
    """
    target = as_dtype(dtype, "view")
    if target.itemsize == x.dtype.itemsize and target.kind in "iu":
        if x.dtype.kind in "iu":
            return x.astype(target)
        if x.dtype.kind == "f":
            return apply("bits", x).astype(target)  # type: ignore[no-any-return]  # an array's
    if x.tracing:
        refuse("value", f"view({target.name}) of {x.dtype.name}", x)
    return asarray(_reread(x, target), device=x.placed)


def _reread(x: Array, target: DType) -> np.ndarray[Any, Any]:
    return np.ascontiguousarray(x.to_numpy()).view(target)
