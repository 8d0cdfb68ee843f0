"""Blocks of random words on the host: what `lazyarr.random.philox` says, for positions that follow each other.

Few blocks lie side by side in one Python integer, 64 bits for each: a product of words of 32 bits fits there, so that
an operation on all of them costs what one costs. Many are NumPy's.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import numpy as np

from ir.cost.thresholds.drawing import WORDS_IN_AN_INTEGER_AT_MOST
from lazyarr.random.philox import MULTIPLIERS, ROUNDS, WEYL

__all__ = ["words_at"]

_Words = np.ndarray[Any, Any]

_LOW: Final = 2**32 - 1
_HALF: Final = np.uint64(32)
_LOWER: Final = np.uint64(_LOW)
_FACTORS: Final = np.array(MULTIPLIERS, np.uint64).reshape(2, 1)


def words_at(key: int, stream: int, first: int, count: int) -> tuple[_Words, _Words, _Words, _Words]:
    """The four words of each of so many blocks from a position on, not to be written to.

    Args:
        key, stream, first: whole numbers below 2**64; behind the last position comes the first
    """
    if count <= WORDS_IN_AN_INTEGER_AT_MOST and (first & _LOW) + count <= _LOW:
        return _in_an_integer(key, stream, first, count)
    return _in_arrays(key, stream, first, count)


@cache
def _lanes(count: int) -> tuple[int, int, int]:
    """Integers of so many parts of 64 bits: of ones, of lower halves that are set, and of 0, 1, 2, ..."""
    ones = sum([1 << (64 * i) for i in range(count)])
    return ones, ones * _LOW, sum([i << (64 * i) for i in range(count)])


def _in_an_integer(key: int, stream: int, first: int, count: int) -> tuple[_Words, _Words, _Words, _Words]:
    """The same where no position has another upper half than the first."""
    ones, lower, steps = _lanes(count)
    (m0, m1), (w0, w1) = MULTIPLIERS, WEYL
    k0, k1 = key & _LOW, key >> 32
    c0, c1 = steps + ones * (first & _LOW), ones * (first >> 32)
    c2, c3 = ones * (stream & _LOW), ones * (stream >> 32)
    for _ in range(ROUNDS):
        p0, p1 = c0 * m0, c2 * m1
        c0, c2 = (p1 >> 32 & lower) ^ c1 ^ ones * k0, (p0 >> 32 & lower) ^ c3 ^ ones * k1
        c1, c3 = p1 & lower, p0 & lower
        k0, k1 = k0 + w0 & _LOW, k1 + w1 & _LOW
    found = [np.frombuffer((x | y << 32).to_bytes(8 * count, "little"), "<u4") for x, y in ((c0, c1), (c2, c3))]
    return found[0][::2], found[0][1::2], found[1][::2], found[1][1::2]


def _in_arrays(key: int, stream: int, first: int, count: int) -> tuple[_Words, _Words, _Words, _Words]:
    """The same of any positions: rows of words that are multiplied, and of the others."""
    positions = np.arange(count, dtype=np.uint64) + np.uint64(first)
    multiplied, others = np.empty((2, 2, count), np.uint64)
    multiplied[0], others[0] = positions & _LOWER, positions >> _HALF
    multiplied[1], others[1] = stream & _LOW, stream >> 32
    k0, k1 = key & _LOW, key >> 32
    products, upper = np.empty((2, 2, count), np.uint64)
    for _ in range(ROUNDS):
        np.multiply(multiplied, _FACTORS, products)
        np.right_shift(products, _HALF, upper)
        np.bitwise_xor(upper[::-1], others, multiplied)
        np.bitwise_xor(multiplied, np.array([[k0], [k1]], np.uint64), multiplied)
        np.bitwise_and(products[::-1], _LOWER, others)
        k0, k1 = k0 + WEYL[0] & _LOW, k1 + WEYL[1] & _LOW
    c0, c2 = multiplied.astype(np.uint32)
    c1, c3 = others.astype(np.uint32)
    return c0, c1, c2, c3
