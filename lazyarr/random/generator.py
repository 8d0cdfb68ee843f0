"""`Generator`: arrays of random numbers, each element a function of the generator's key and of the element's position.

Element i of an array drawn at position p comes from block p + i of the generator's stream (`lazyarr.random.philox`),
whatever the device and however the kernel was tuned. Whole numbers and uniform ones are the same to the last bit
everywhere; distributions made with functions such as `log` are as exact as the device's.

Key, stream, position and the distribution's parameters are inputs of the kernel: one kernel serves all seeds and calls.
"""

from __future__ import annotations

import operator
import secrets
from collections.abc import Callable
from functools import cache
from math import prod
from typing import Any

import numpy as np

from ir.core.expr import Expr, Lambda, fun
from ir.core.patterns import Element, Get, Map, Repeat, Zip
from ir.core.types import ScalarType, TupleType
from lazyarr.api.create.ranges import arange
from lazyarr.api.shape.joining import stack
from lazyarr.array import Array, array_of, combine, compute, eager, known_device
from lazyarr.array.scalar import Scalar
from lazyarr.config import eagerness
from lazyarr.dtypes import DType, scalar_type
from lazyarr.eager.operations import allowed
from lazyarr.elements.formulas import Number
from lazyarr.errors import TracingError
from lazyarr.graph import builders as record
from lazyarr.graph import tracing
from lazyarr.random.ahead import Ahead, kind_of
from lazyarr.random.bit_generators import ADVICE, SPAWNING, BitGenerator, Philox, key_of, word
from lazyarr.random.distributions import BLOCKS, DISTRIBUTIONS, integer
from lazyarr.random.methods import Methods
from lazyarr.random.parameters import size_of
from lazyarr.random.philox import UINT64, block, philox4x32
from lazyarr.recording.creation import asarray
from lazyarr.recording.movement import broadcast_arrays
from lazyarr.recording.replay import replayable

__all__ = ["Generator", "default_rng"]


def default_rng(seed: Any = None, *, device: Any = None) -> Generator:
    """A generator for a seed: the same numbers for the same seed, everywhere.

    Args:
        seed: a whole number, or several of them; None: one from the operating system; a `Generator`: itself; a bit
            generator or a `SeedSequence`; a lazyarr array of one whole number below 2**64, also an argument of a
            function that is being recorded
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

    def __reduce__(self) -> tuple[Any, ...]:
        return Generator, self._bits.at()

    def spawn(self, n_children: int) -> list[Generator]:
        """As many new generators, independent of this one and of each other; what this one draws does not change.

        Spawning again gives others: the position moves on.
        """
        count = operator.index(n_children)
        if count < 0:
            raise ValueError(f"spawn: expected a number of generators that is not negative, got {count}")
        start, (key, family) = self._bits.advance("spawn", count), self._bits.words
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

    def _draw(self, function: str, size: Any, dtype: DType, parameters: tuple[Array, ...] = ()) -> Array:
        """An array of that distribution: a map over indices and what is the same for all of them."""
        shape = size_of(function, size, parameters)
        count = prod(shape)
        start = self._bits.advance(function, count * BLOCKS.get(function, 1))
        words = self._bits.words
        key = words[0]
        device, trace = self.device, key.traced_in
        if parameters:
            device, trace = combine(function, (key, *parameters))
            device = self.device if device is None else device
        if not count:
            return array_of(record.empty(dtype), shape, dtype, device, trace)
        if (eagerness.on or allowed()) and device is None and trace is None:
            numbers = self._drawn_ahead(function, dtype, words, start, count, parameters)
            if numbers is not None:
                return eager(numbers.reshape(shape))
        made = _drawn(function, shape, dtype, *words, word(start), *parameters)
        if device is not None or trace is not None:
            made.placed, made.traced_in = device, trace
        return made

    def _drawn_ahead(
        self, function: str, dtype: DType, words: tuple[Array, Array], start: int, count: int, by: tuple[Array, ...]
    ) -> np.ndarray[Any, Any] | None:
        """The numbers of a small array, where they can be drawn with others."""
        if not self._bits.fixed or function in BLOCKS:
            return None
        kind = kind_of(function, dtype, by)
        if kind is None:
            return None
        singles = tuple([x.reshape(()) if x.extents else x for x in by])
        return self._ahead.numbers(
            kind, words, start, count,
            lambda n: _drawn(function, (n,), dtype, *words, word(start), *singles).to_numpy(),
        )  # fmt: skip


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
    formula: Callable[..., Number] = integer if name == "integers" else DISTRIBUTIONS[name]

    def body(x: Any) -> Expr:
        i, key, stream, start, *rest = (Number(Get(k, x)) for k in range(4 + len(parameters)))
        first, count = i.cast(UINT64), BLOCKS.get(name, 1)
        first = start + (first if count == 1 else first * count)
        words: tuple[Number, ...] = block(first, stream, key.cast(UINT64))
        for later in range(1, count):
            words += block(first + later, stream, key.cast(UINT64))
        return formula(words, _computed_in(t, parameters), *rest).cast(t).expr

    return fun(TupleType((index, key_type, UINT64, UINT64, *parameters)), body)


def _computed_in(t: ScalarType, parameters: list[ScalarType]) -> ScalarType:
    """Counts that follow from floats are computed in their type."""
    return parameters[0] if parameters and parameters[0].is_float else t


def _columns(*words: Array) -> Array:
    """The lower and upper halves of uint64 numbers, which broadcast, side by side."""
    halves = [half for word in broadcast_arrays(*words) for half in (word, word >> np.uint64(32))]
    return stack([half.astype("uint32") for half in halves], axis=-1)
