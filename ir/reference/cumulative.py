"""Sums of floats up to each element, whose errors grow with the logarithm of the index (docs/accuracy.md).

Blocks that the cache holds are summed by fours: the sums up to each element of four, then those of the fours before.
What is added for each binary digit of an index is rounded twice at most. The sums of whole blocks are carried in two
numbers. Few are summed one after the other in wider numbers, where processors have these: 2^11 roundings of them are
one of float64. Sums of float32 are carried in float64.

An overflow is NumPy's: what follows it stays infinite, although wider numbers would come back from it.
"""

from __future__ import annotations

from math import prod
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from ir.cost.thresholds.scans import (
    CUMULATIVE_BLOCK,
    CUMULATIVE_COLUMNS_TURNED,
    CUMULATIVE_PAIRS_UP_TO,
    CUMULATIVE_WIDE_UP_TO,
)

__all__ = ["accumulated"]

_IN_TURN: Final = 16
"""Elements up to which sums up to each of them are formed one after the other."""

_HAS_WIDE: Final = np.finfo(np.longdouble).nmant == 63
"""Have processors numbers of 64 bits before rounding? Then so few of them are as good as those in pairs."""

_Floats = NDArray[np.float64]
_Of = TypeVar("_Of", bound=np.floating[Any])


def accumulated(x: NDArray[_Of], axis: int) -> NDArray[_Of]:
    """Sums of float32 or float64 up to each element along an axis; of x's shape and dtype, in row-major order."""
    found: NDArray[_Of]
    try:
        with np.errstate(over="raise"):
            found = _carried(x, axis)
        return found
    except FloatingPointError:
        with np.errstate(over="ignore", invalid="ignore"):
            found, in_turn = _carried(x, axis), np.add.accumulate(x, axis)
            return np.where(np.isfinite(found) & np.isfinite(in_turn), found, in_turn)


def _carried(x: Any, axis: int) -> Any:
    """The same where no sum overflows, of which the processor keeps account."""
    if x.dtype == np.float32:
        return np.add.accumulate(x, axis, np.float64).astype(np.float32, order="C")
    shape = x.shape
    if _IN_TURN < x.size <= CUMULATIVE_WIDE_UP_TO and _HAS_WIDE:
        return np.add.accumulate(x, axis, np.longdouble).astype(np.float64, order="C")
    before, extent, after = prod(shape[:axis]), shape[axis], prod(shape[axis + 1 :])
    rows = np.ascontiguousarray(x).reshape(before, extent, after)
    found = np.empty_like(rows)
    if x.size <= CUMULATIVE_PAIRS_UP_TO:
        _by_pairs(rows, found)
        return found.reshape(shape)
    length = max(CUMULATIVE_BLOCK // after, 4 * _IN_TURN)
    if extent <= length:
        many = max(1, CUMULATIVE_BLOCK // (extent * after))
        for row in range(0, before, many):
            _in_a_block(rows[row : row + many], found[row : row + many])
    else:
        for row in range(before):
            _one_by_one(rows[row], found[row], length)
    return found.reshape(shape)


def _one_by_one(x: _Floats, found: _Floats, length: int) -> None:
    """The sums along the first axis, a block of that length after the other."""
    high, low = np.zeros((2, x.shape[1]))
    for start in range(0, len(x), length):
        block = found[start : start + length]
        _in_a_block(x[None, start : start + length], block[None])
        last = block[-1].copy()
        if not start:
            high = last
            continue
        block += high
        total = high + last  # and what rounding takes from it: Knuth's TwoSum
        part = total - high
        low += (high - (total - part)) + (last - part)
        low[~np.isfinite(low)] = 0.0
        high = np.add(total, low, out=total.copy(), where=low != 0.0)  # a negative zero stays one
        low -= high - total
        low[~np.isfinite(low)] = 0.0


def _in_a_block(x: _Floats, found: _Floats) -> None:
    """The sums along the second of three axes; few columns are turned, so that neighbours are added side by side."""
    if not 1 < x.shape[2] <= CUMULATIVE_COLUMNS_TURNED or x.shape[1] <= _IN_TURN:
        _by_fours(x, found)
        return
    turned = np.ascontiguousarray(x.swapaxes(1, 2))
    sums = np.empty_like(turned)
    flat = (-1, x.shape[1], 1)
    _by_fours(turned.reshape(flat), sums.reshape(flat))
    found[...] = sums.swapaxes(1, 2)


def _by_fours(x: _Floats, found: _Floats) -> None:
    """The same in one go: those of four elements, and what is before them."""
    extent = x.shape[1]
    if extent <= _IN_TURN or x.size <= CUMULATIVE_PAIRS_UP_TO:
        _by_pairs(x, found)
        return
    whole = extent - extent % 4
    given = [x[:, i:whole:4] for i in range(4)]
    sums = [found[:, i:whole:4] for i in range(4)]
    sums[0][...] = given[0]
    np.add(given[0], given[1], out=sums[1])
    np.add(sums[1], given[2], out=sums[2])
    fours = sums[2] + given[3]
    _by_fours(fours, sums[3])
    for each in sums[:3]:
        each[:, 1:] += sums[3][:, :-1]
    for i in range(whole, extent):
        np.add(found[:, i - 1], x[:, i], out=found[:, i])


def _by_pairs(x: _Floats, found: _Floats) -> None:
    """The same of few elements, by two, which is fewer calls."""
    extent = x.shape[1]
    if extent <= _IN_TURN:
        np.add.accumulate(x, axis=1, out=found)
        return
    _by_pairs(x[:, : extent - 1 : 2] + x[:, 1::2], found[:, 1::2])
    found[:, ::2] = x[:, ::2]
    rest = found[:, 2::2]
    rest += found[:, 1:-1:2] if extent % 2 else found[:, 1:-2:2]
