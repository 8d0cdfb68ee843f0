"""`Generator`: arrays of random numbers, each element a function of the generator's key and of the element's position.

Element i of an array drawn at position p comes from block p + i of the generator's stream (`lazyarr.random.philox`),
whatever the device and however the kernel was tuned. Whole numbers and uniform ones are the same to the last bit
everywhere; distributions made with functions such as `log` are as exact as the device's.

Key, stream, position and the distribution's parameters are inputs of the kernel: one kernel serves all seeds and calls.
"""

from __future__ import annotations

import operator
import secrets
from collections.abc import Callable, Hashable
from functools import cache
from math import prod
from typing import Any, Final

import numpy as np

from ir.core.expr import Expr, Lambda, fun
from ir.core.patterns import Element, Get, Map, Repeat, Zip
from ir.core.types import ScalarType, TupleType
from ir.cost.thresholds.drawing import (
    DRAWN_AHEAD_FOR_AT_MOST,
    DRAWN_AHEAD_FOR_LARGER_AT_MOST,
    DRAWN_AT_ONCE_AT_MOST,
)
from lazyarr.api.create.ranges import arange
from lazyarr.api.shape.joining import stack
from lazyarr.array import Array, array_of, combine, compute, eager, known_device, number
from lazyarr.array.scalar import Scalar
from lazyarr.config import eagerness, settings
from lazyarr.dtypes import DType, float32, scalar_type
from lazyarr.eager.operations import allowed
from lazyarr.elements.formulas import Number
from lazyarr.errors import TracingError
from lazyarr.graph import builders as record
from lazyarr.graph import tracing
from lazyarr.random.ahead import Ahead
from lazyarr.random.at_once import numbers_at, values_of
from lazyarr.random.bit_generators import ADVICE, SPAWNING, BitGenerator, Philox, key_of, word
from lazyarr.random.distributions import BLOCKS, number_of
from lazyarr.random.methods import Methods
from lazyarr.random.parameters import size_of
from lazyarr.random.philox import UINT64, block, philox4x32
from lazyarr.recording.creation import asarray
from lazyarr.recording.movement import broadcast_arrays
from lazyarr.recording.replay import replayable
from lazyarr.runtime import computes_on_cpu

__all__ = ["Generator", "default_rng"]

_ONE: Final[dict[type, Callable[[Any], np.ndarray[Any, Any]]]] = {
    float: lambda x: np.array([x]),
    int: lambda x: np.array([x], np.int64),
}
"""Arrays of one of Python's numbers, of the dtypes that they are given as parameters."""


def default_rng(seed: Any = None, *, device: Any = None) -> Generator:
    """A generator for a seed: the same numbers for the same seed, everywhere.

    Args:
        seed: a whole number, or several of them; None: one from the operating system; a `Generator`: itself; a bit
            generator or a `SeedSequence`; one of NumPy's generators, which draws the seed; a lazyarr array of one whole
            number below 2**64, also an argument of a function that is being recorded
        device: to draw numbers on

    Raises:
        TypeError: another seed.
        ValueError: a number out of range.
        DeviceError: a device that there is not.
    """
    if isinstance(seed, Generator):
        known_device(device)
        return seed
    if seed is None:
        if tracing.current() is not None:
            raise TracingError(f"default_rng: {ADVICE.format(what='a seed from the operating system')}")
        return Generator(secrets.randbits(64), device=device)
    if isinstance(seed, (Array, Scalar)):
        if seed.shape or seed.dtype.kind not in "iu":
            raise TypeError(f"default_rng: expected one whole number, got {seed.dtype.name} of shape {seed.shape}")
        if isinstance(seed, Scalar) or seed.tracing:
            return Generator(asarray(seed), device=device)
    if isinstance(seed, BitGenerator):
        return Generator(seed, device=device)
    try:
        number = key_of(seed)
    except TypeError:
        raise TypeError(f"default_rng: expected a whole number, None or a Generator, got {seed!r}") from None
    return Generator(number, device=device)


class Generator(Methods):
    """Draws arrays of random numbers and moves on, so that no two draws use the same random words.

    The methods are NumPy's, with `dtype` for every floating-point distribution. Numbers and arrays are taken as
    parameters; they broadcast to `size`, by default to their common shape. What is drawn is lazy as everything else.

    Attributes:
        key, stream: whole numbers from 0 to 2**64 - 1 (of the stream to 2**63 - 1), or lazy arrays of one: of uint64,
            the key of any integer dtype (taken modulo 2**64). In place of the key a bit generator, which has all three:
            all of its generators draw from it, and move it on
        position: where in the stream the next array begins
    """

    __slots__ = ("_ahead", "_bits", "device")

    def __init__(self, key: Any, stream: Any = 0, position: int = 0, *, device: Any = None) -> None:
        if isinstance(key, np.random.BitGenerator):
            key = key_of(key)
        self._bits = key if isinstance(key, BitGenerator) else Philox.starting(key, stream, position)
        self.device = known_device(device)
        self._ahead = Ahead()

    @property
    def bit_generator(self) -> BitGenerator:
        """Key, stream and position as NumPy has them: `rng.bit_generator.state`, to be kept and assigned again."""
        return self._bits

    @property
    def position(self) -> int:
        """Where in the stream the next array begins."""
        return self._bits.position

    def __repr__(self) -> str:
        key, stream = ("traced" if x.tracing else hex(np.asarray(x).item()) for x in self._bits.words)
        return f"Generator(key={key}, stream={stream}, position={self.position})"

    def __copy__(self) -> Generator:
        return Generator(self._bits, device=self.device)

    def __reduce__(self) -> tuple[Any, ...]:
        return Generator, (self._bits,)

    def spawn(self, n_children: int) -> list[Generator]:
        """As many new generators, independent of this one and of each other; what this one draws does not change.

        Spawning again gives others: the position moves on.
        """
        count = operator.index(n_children)
        if count < 0:
            raise ValueError(f"spawn: expected a number of generators that is not negative, got {count}")
        start, (key, family) = self._bits.taken("spawn", count), self._bits.words
        at = arange(count).astype("uint64") + word(start)
        stream = family | np.uint64(SPAWNING)
        words = philox4x32(_columns(at, stream), _columns(key.astype("uint64")))
        keys = words[:, 0] | words[:, 1].astype("uint64") << 32
        streams = words[:, 2] | (words[:, 3] & np.uint32(2**31 - 1)).astype("uint64") << 32
        if not keys.tracing:
            compute(keys, streams)
            pairs = zip(keys.tolist(), streams.tolist(), strict=True)
            return [Generator(*pair, device=self.device) for pair in pairs]
        return [Generator(keys[i], streams[i], device=self.device) for i in range(count)]

    def _draw(self, function: str, size: Any, dtype: DType, parameters: tuple[Any, ...] = ()) -> Array:
        """An array of that distribution: a map over indices and what is the same for all of them.

        Args:
            parameters: arrays, or Python's floats and integers of 64 bits, which all are numbers
        """
        bits = self._bits
        if eagerness.on and self.device is None and bits.numbers is not None:
            for x in parameters:
                if type(x) not in (float, int):
                    break
            else:
                shape = () if size is None else size_of(function, size, ())
                count = prod(shape)
                if count and count * BLOCKS.get(function, 1) <= DRAWN_AT_ONCE_AT_MOST:
                    return self._of_numbers(function, shape, count, dtype, parameters)
                if 0 < count <= DRAWN_AHEAD_FOR_LARGER_AT_MOST and computes_on_cpu(settings().device):
                    return self._of_larger(function, shape, count, dtype, parameters)
                size = shape  # an iterator gives its extents once
        arrays = tuple([x if type(x) is Array else asarray(x) for x in parameters])
        return self._of_arrays(function, size, dtype, arrays)

    def _of_numbers(
        self, function: str, shape: tuple[int, ...], count: int, dtype: DType, parameters: tuple[float, ...]
    ) -> Array:
        """A small array whose parameters are numbers: drawn at once, and of the smallest some ahead."""
        start, numbers = self._bits.taken_known(function, count * BLOCKS.get(function, 1))
        assert numbers is not None
        values = tuple([_ONE[type(x)](x) for x in parameters])
        kind = function, dtype, *[x or repr(x) for x in parameters]  # there are two zeros
        return self._small(function, shape, count, dtype, numbers, start, values, kind)

    def _of_larger(
        self, function: str, shape: tuple[int, ...], count: int, dtype: DType, parameters: tuple[float, ...]
    ) -> Array:
        """The same of a larger array: recorded, in a loop computed ahead."""
        blocks = BLOCKS.get(function, 1)
        start, numbers = self._bits.taken_known(function, count * blocks)

        def recorded(extents: tuple[int, ...]) -> Array:
            return _drawn(function, extents, dtype, *self._bits.words, word(start), *map(asarray, parameters))

        if blocks == 1:
            kind = function, dtype, *[x or repr(x) for x in parameters]
            found = self._ahead.of_larger(kind, numbers, start, count, lambda n: np.asarray(recorded((n,))))
            if found is not None:
                drawn, at = found
                return eager(drawn[at : at + count].reshape(shape).copy())
        return recorded(shape)

    def _small(
        self, function: str, shape: tuple[int, ...], count: int, dtype: DType, numbers: tuple[int, int], start: int,
        values: tuple[np.ndarray[Any, Any], ...], kind: Hashable | None,
    ) -> Array:  # fmt: skip
        """An eager array of so many numbers from a position on.

        Args:
            kind: what tells distributions apart; None where parameters are not numbers
        """
        if kind is None or count > DRAWN_AHEAD_FOR_AT_MOST or function in BLOCKS:
            return eager(numbers_at(function, dtype, numbers, start, count, values).reshape(shape))
        found, at = self._ahead.numbers(
            kind, numbers, start, count, lambda n: numbers_at(function, dtype, numbers, start, n, values)
        )
        if not shape and dtype is not float32:
            return number(found.item(at), dtype)
        return eager(found[at : at + count].reshape(shape).copy())

    def _of_arrays(self, function: str, size: Any, dtype: DType, parameters: tuple[Array, ...]) -> Array:
        """The same for any parameters and sizes."""
        shape = size_of(function, size, parameters)
        count = prod(shape)
        blocks = BLOCKS.get(function, 1)
        start, numbers = self._bits.taken_known(function, count * blocks)
        words = self._bits.words
        device, trace = self.device, words[0].traced_in
        if parameters:
            device, trace = combine(function, (words[0], *parameters))
            device = self.device if device is None else device
        if not count:
            return array_of(record.empty(dtype), shape, dtype, device, trace)
        if device is None and trace is None and numbers is not None and count * blocks <= DRAWN_AT_ONCE_AT_MOST:
            values = values_of(parameters, shape) if eagerness.on or allowed() else None
            if values is not None:
                is_known = all(x.size == 1 for x in values)
                kind = (function, dtype, *[(x.dtype, x.tobytes()) for x in values]) if is_known else None
                return self._small(function, shape, count, dtype, numbers, start, values, kind)
        made = _drawn(function, shape, dtype, *words, word(start), *parameters)
        if device is not None or trace is not None:
            made.placed, made.traced_in = device, trace
        return made


@replayable
def _drawn(
    function: str, shape: tuple[int, ...], dtype: DType, key: Array, stream: Array, start: Array, *parameters: Array
) -> Array:
    """The same for one key, stream and position, each an array of one number; not empty."""
    count = prod(shape)
    index = record.index_type(count)
    nodes = [record.indices(count, index), *[Repeat(count, Element(0, x.node)) for x in (key, stream, start)]]
    for x in parameters:
        one = x.size == 1
        nodes.append(Repeat(count, Element(0, x.node)) if one else record.broadcast(x.node, x.shape, shape))
    types = tuple([scalar_type(p.dtype) for p in (key, *parameters)])
    return array_of(Map(_mapped(function, index, scalar_type(dtype), types), Zip(*nodes)), shape, dtype)


@cache
def _mapped(name: str, index: ScalarType, t: ScalarType, types: tuple[ScalarType, ...]) -> Lambda:
    """`λ(index, key, stream, start, parameters...). number`, for a type of result and those of key and parameters."""
    key_type, *parameters = types

    def body(x: Any) -> Expr:
        i, key, stream, start, *rest = (Number(Get(k, x)) for k in range(4 + len(parameters)))
        first, count = i.cast(UINT64), BLOCKS.get(name, 1)
        first = start + (first if count == 1 else first * count)
        words: tuple[Number, ...] = block(first, stream, key.cast(UINT64))
        for later in range(1, count):
            words += block(first + later, stream, key.cast(UINT64))
        return number_of(name, words, t, rest).expr

    return fun(TupleType((index, key_type, UINT64, UINT64, *parameters)), body)


def _columns(*words: Array) -> Array:
    """The lower and upper halves of uint64 numbers, which broadcast, side by side."""
    halves = [half for word in broadcast_arrays(*words) for half in (word, word >> np.uint64(32))]
    return stack([half.astype("uint32") for half in halves], axis=-1)
