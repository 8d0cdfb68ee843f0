"""Bits of integers: packed into bytes, taken out of them, counted; and what other dtypes make of an array's bytes."""

from __future__ import annotations

from typing import Any

import numpy as np

from lazyarr.aliasing.outputs import finished
from lazyarr.api.elementwise.standard import abs as abs_
from lazyarr.api.elementwise.standard import bitwise_and, bitwise_right_shift, not_equal
from lazyarr.api.reduce.reductions import sum as sum_
from lazyarr.api.shape.joining import concatenate
from lazyarr.array import Array
from lazyarr.dtypes import bool_
from lazyarr.eager.functions import small_by
from lazyarr.recording.conversion import where
from lazyarr.recording.creation import asarray
from lazyarr.recording.filled import zeros
from lazyarr.recording.movement import moveaxis, normalise_axis, ravel, reshape

__all__ = ["bitwise_count", "packbits", "unpackbits"]


def _weights(function: str, bitorder: str) -> np.ndarray[Any, Any]:
    """The place of each bit of a byte."""
    if bitorder not in ("big", "little"):
        raise ValueError(f"{function}: expected bitorder to be 'big' or 'little', got {bitorder!r}")
    places = np.arange(8, dtype=np.uint8)
    return places[::-1].copy() if bitorder == "big" else places


@small_by(np.packbits)
def packbits(a: Any, /, axis: int | None = None, bitorder: str = "big") -> Array:
    """Eight elements along an axis (None: of all), zero or not, as the bits of a byte; zeros where some are missing.

    Raises:
        TypeError: what is neither bool nor of integers.
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

    eights = reshape(bits, (*bits.shape[:-1], bits.shape[-1] // 8, 8))
    weights = asarray(np.left_shift(np.uint8(1), places))
    return moveaxis(sum_(where(eights, weights, np.uint8(0)), axis=-1, dtype=np.uint8), -1, along)


@small_by(np.unpackbits)
def unpackbits(a: Any, /, axis: int | None = None, count: int | None = None, bitorder: str = "big") -> Array:
    """The bits of bytes along an axis (None: of all), as uint8 of zero and one.

    Args:
        count: how many to keep, or if negative leave out at the end; zeros where there are fewer

    Raises:
        TypeError: another dtype than uint8.
        ValueError: more are left out than there are.
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
        wanted = count if count >= 0 else length + count
        if wanted < 0:
            raise ValueError(f"unpackbits: expected count to leave out at most {length} bits, got {count}")
        if wanted > length:
            found = concatenate([found, zeros((*found.shape[:-1], wanted - length), dtype=np.uint8)], axis=-1)
        found = found[..., :wanted]
    return moveaxis(found, -1, along)


def bitwise_count(x: Any, /, out: Any = None, *, where: Any = True) -> Array:
    """How many bits of the absolute values of integers are one, as uint8; bools count themselves."""
    return finished("bitwise_count", _bitwise_count(x), out, where)


@small_by(np.bitwise_count)
def _bitwise_count(x: Any, /) -> Array:
    given = asarray(x, function="bitwise_count")
    if given.dtype.kind not in "biu":
        raise TypeError(f"bitwise_count: expected bools or integers, got {given.dtype.name}")
    if given.dtype is bool_:
        return given.astype(np.uint8)

    wide = abs_(given).astype(f"uint{8 * given.itemsize}").astype(np.uint64)
    # neighbours are added up: bits to pairs, pairs to fours, fours to bytes, and these by one multiplication
    pairs = wide - ((wide >> np.uint64(1)) & np.uint64(0x5555555555555555))
    fours = (pairs & np.uint64(0x3333333333333333)) + ((pairs >> np.uint64(2)) & np.uint64(0x3333333333333333))
    eights = (fours + (fours >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return ((eights * np.uint64(0x0101010101010101)) >> np.uint64(56)).astype(np.uint8)  # type: ignore[no-any-return]  # operators give Any
