"""NumPy's names of bit generators and their seeds: `Generator(PCG64(42))`, `rng.bit_generator.state`.

All are one, Philox 4x32, since each element has to be a function of its position: the names differ in the stream that
they draw from, of the key that the seed gives.
"""

from __future__ import annotations

import operator
import secrets
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.random import SeedSequence

from lazyarr.errors import TracingError

if TYPE_CHECKING:
    from lazyarr.random.generator import Generator

__all__ = ["MT19937", "PCG64", "PCG64DXSM", "SFC64", "BitGenerator", "Philox", "SeedSequence", "key_of", "known"]


def key_of(seed: Any) -> int:
    """The key that a seed gives: a whole number below 2**64 itself, of others and of several NumPy's mixture.

    Raises `TypeError` for what is no whole numbers, `ValueError` for negative ones.
    """
    if seed is None:
        return secrets.randbits(64)
    if not isinstance(seed, SeedSequence):
        if not isinstance(seed, (Sequence, np.ndarray)) or isinstance(seed, (str, bytes)):
            number = operator.index(seed)  # type: ignore[arg-type]  # raises for others
            if number < 2**64:
                return number
        seed = SeedSequence(np.asarray(seed).ravel().tolist() if isinstance(seed, np.ndarray) else seed)
    return int(seed.generate_state(1, np.uint64)[0])


class BitGenerator:
    """Where a generator's random words come from: a key, a stream and a position in it.

    seed : a whole number, several of them, a `SeedSequence`; None: from the operating system
    """

    _stream: ClassVar[int] = 0

    def __init__(self, seed: Any = None) -> None:
        self.seed_seq = seed if isinstance(seed, SeedSequence) else None
        self._start = key_of(seed), self._stream, 0
        self._generator: Generator | None = None

    def __repr__(self) -> str:
        return f"{type(self).__name__}(state={self.state['state']})"

    @property
    def state(self) -> dict[str, Any]:
        """Key, stream and position of the next number, to be kept and assigned again."""
        names = ("key", "stream", "position")
        return {"bit_generator": type(self).__name__, "state": dict(zip(names, self.at(), strict=True))}

    @state.setter
    def state(self, state: dict[str, Any]) -> None:
        try:
            found = state["state"]
            key, stream, position = (operator.index(found[name]) for name in ("key", "stream", "position"))
        except (KeyError, TypeError):
            raise ValueError("state: expected what a bit generator of lazyarr had as its state") from None
        self._start = key, stream, position
        if self._generator is not None:
            self._generator.restart(key, stream, position)

    def at(self) -> tuple[int, int, int]:
        """Key, stream and position."""
        return self._start if self._generator is None else self._generator.at()

    def belong_to(self, generator: Generator) -> None:
        """From now on its state is that generator's."""
        self._generator = generator

    def jumped(self, jumps: int = 1) -> BitGenerator:
        """Another one of the same key that is as many streams further."""
        key, stream, _ = self.at()
        made = type(self)(key)
        made._start = key, stream + 16 * operator.index(jumps), 0
        return made

    def spawn(self, n_children: int) -> list[BitGenerator]:
        """As many others, independent of this one and of each other."""
        if self.seed_seq is None:
            self.seed_seq = SeedSequence(self.at()[0])
        return [type(self)(child) for child in self.seed_seq.spawn(operator.index(n_children))]


class Philox(BitGenerator):
    """Of the first stream, as `default_rng` draws from it."""


class PCG64(BitGenerator):
    """By NumPy's default's name: of the first stream, as `default_rng`."""


class PCG64DXSM(BitGenerator):
    """Of a stream of its own."""

    _stream = 1


class MT19937(BitGenerator):
    """Of a stream of its own."""

    _stream = 2


class SFC64(BitGenerator):
    """Of a stream of its own."""

    _stream = 3


def known(words: Sequence[Any]) -> tuple[int, ...]:
    """Key and stream as numbers; `TracingError` where they belong to a function being recorded."""
    for word in words:
        if word.tracing:
            raise TracingError("bit_generator: a generator of a seed that is an argument has no known state")
    return tuple(int(word) for word in words)
