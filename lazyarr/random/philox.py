"""Philox 4x32-10: four random words for each counter and key (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as
easy as 1, 2, 3", SC'11).

The words are a pure function of integers, so that they are the same on every device and in every order of computation.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from ir.core.expr import Lambda, fun
from ir.core.patterns import Get, Map, Tuple, Zip
from ir.core.types import TupleType, scalar
from lazyarr.api.shape.joining import stack
from lazyarr.array import Array, array_of, combine
from lazyarr.elements.formulas import Number, call
from lazyarr.graph.builders import component
from lazyarr.recording.creation import asarray
from lazyarr.recording.movement import broadcast_arrays

__all__ = ["MULTIPLIERS", "ROUNDS", "WEYL", "Words", "block", "philox4x32"]

UINT32: Final = scalar("uint32")
UINT64: Final = scalar("uint64")

Words = tuple[Number, Number, Number, Number]

ROUNDS: Final = 10
MULTIPLIERS: Final = (0xD2511F53, 0xCD9E8D57)
WEYL: Final = (0x9E3779B9, 0xBB67AE85)
"""What the words of the key grow by from round to round: of the golden ratio and of sqrt(3) - 1."""


def high(x: Number) -> Number:
    """The upper word of an uint64."""
    return call("right_shift", x, 32).cast(UINT32)


def low(x: Number) -> Number:
    """The lower word of an uint64."""
    return x.cast(UINT32)


def _xor(*words: Number) -> Number:
    found = words[0]
    for word in words[1:]:
        found = call("bitwise_xor", found, word)
    return found


def _philox(counter: Words, key: tuple[Number, Number]) -> Words:
    """Ten rounds over a counter of four words, all uint32."""
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for number in range(ROUNDS):
        if number:
            k0, k1 = k0 + WEYL[0], k1 + WEYL[1]
        p0, p1 = c0.cast(UINT64) * MULTIPLIERS[0], c2.cast(UINT64) * MULTIPLIERS[1]
        c0, c1, c2, c3 = _xor(high(p1), c1, k0), c2 * MULTIPLIERS[1], _xor(high(p0), c3, k1), c0 * MULTIPLIERS[0]
    return c0, c1, c2, c3


def block(position: Number, stream: Number, key: Number) -> Words:
    """The words at a position of a stream of a key, all three uint64: the counter is the position below the stream."""
    return _philox((low(position), high(position), low(stream), high(stream)), (low(key), high(key)))


@cache
def _of_columns() -> Lambda:
    """From four words of a counter and two of a key to four random words."""

    def body(x: Any) -> Tuple:
        columns = [Number(Get(i, x)) for i in range(6)]
        words = _philox((columns[0], columns[1], columns[2], columns[3]), (columns[4], columns[5]))
        return Tuple(*(word.expr for word in words))

    return fun(TupleType((UINT32,) * 6), body)


def philox4x32(counter: Any, key: Any) -> Array:
    """The four random words, along the last dimension, for each counter of four words and key of two, all uint32.

    Args:
        counter: of shape (..., 4), the lowest word first.
        key: of shape (..., 2). What is in front broadcasts.

    Raises:
        ValueError: other shapes.
        TypeError: numbers that are not uint32 and do not become it safely.
    """
    columns: list[Array] = []
    for name, given, count in (("counter", counter, 4), ("key", key, 2)):
        words = asarray(given, "uint32", function="philox4x32")
        if words.shape[-1:] != (count,):
            raise ValueError(f"philox4x32: expected {name} of shape (..., {count}), got {words.shape}")
        columns += [words[..., i] for i in range(count)]
    columns = list(broadcast_arrays(*columns))
    shape, dtype = columns[0].shape, columns[0].dtype
    if not columns[0].size:
        return asarray([], "uint32").reshape(*shape, 4)
    device, trace = combine("philox4x32", columns)
    found = Map(_of_columns(), Zip(*(column.node for column in columns)))
    t = TupleType((UINT32,) * 4)
    parts = [array_of(Map(component(t, i), found), shape, dtype, device, trace) for i in range(4)]
    return stack(parts, axis=-1)
