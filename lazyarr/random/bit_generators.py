"""NumPy's names of bit generators and their seeds: `Generator(PCG64(42))`, `rng.bit_generator.state`.

All are one, Philox 4x32, since each element has to be a function of its position: the names differ in the stream that
they draw from, of the key that the seed gives.
"""

from __future__ import annotations

import operator
import secrets
from collections.abc import Sequence
from typing import Any, ClassVar, Final, Self

import numpy as np
from numpy.random import SeedSequence

from ir.core.types import ArrayType
from ir.locks import make_lock
from lazyarr.array import Array, array_of
from lazyarr.dtypes import uint64
from lazyarr.errors import TracingError
from lazyarr.graph import tracing
from lazyarr.graph.leaves import Input
from lazyarr.random.philox import UINT64

__all__ = [
    "ADVICE", "MT19937", "PCG64", "PCG64DXSM", "SFC64", "SPAWNING", "BitGenerator", "Philox", "SeedSequence", "key_of",
    "word",
]  # fmt: skip

SPAWNING: Final = 1 << 63
"""The bit of a stream that numbers are never drawn from: its blocks are the keys and streams of spawned generators."""

ADVICE: Final = (
    "while a function is being recorded {what} would become a constant, so that each call gives the same numbers. "
    "Instead: let the function make its own, la.random.default_rng(seed), with a seed that is an array argument of it"
)

_WORD: Final = 2**64
_ONE_WORD: Final = ArrayType(UINT64, 1)
_advancing = make_lock()


def key_of(seed: Any) -> int:
    """The key that a seed gives: a whole number below 2**64 itself, of others and of several NumPy's mixture.

    One of NumPy's generators gives random words as the seed, and so moves on.

    Raises:
        TypeError: what is no whole number.
        ValueError: a negative number.
    """
    if seed is None:
        return secrets.randbits(64)
    if isinstance(seed, (np.random.Generator, np.random.RandomState)):
        seed = seed._bit_generator if isinstance(seed, np.random.RandomState) else seed.bit_generator
    if isinstance(seed, np.random.BitGenerator):
        seed = seed.random_raw(4)
    if not isinstance(seed, SeedSequence):
        if not isinstance(seed, (Sequence, np.ndarray)) or isinstance(seed, (str, bytes)):
            number = operator.index(seed)  # type: ignore[arg-type]  # raises for others
            if number < 0:
                raise ValueError(f"seed: expected a key from 0 on, got {number}")
            if number < _WORD:
                return number
        seed = SeedSequence(np.asarray(seed).ravel().tolist() if isinstance(seed, np.ndarray) else seed)
    return int(seed.generate_state(1, np.uint64)[0])


class BitGenerator:
    """Where generators' random words come from: a key, a stream and a position in it, shared by all its generators.

    Attributes:
        seed: a whole number, several of them, a `SeedSequence`; None: from the operating system, which raises
            `TracingError` while a function is being recorded
        numbers: key and stream; None where one of them is an array, which somebody may assign to. After each
            `restart` they are another object
    """

    _stream: ClassVar[int] = 0

    def __init__(self, seed: Any = None) -> None:
        if seed is None and tracing.current() is not None:
            raise TracingError(f"{type(self).__name__}: {ADVICE.format(what='a seed from the operating system')}")
        self.seed_seq = seed if isinstance(seed, SeedSequence) else None
        self.restart(key_of(seed), self._stream)

    @classmethod
    def starting(cls, key: Any, stream: Any = 0, position: int = 0) -> Self:
        """One at a position of a stream of a key: whole numbers, of the first two also lazy arrays of one."""
        made = cls.__new__(cls)
        made.seed_seq = None
        made.restart(key, stream, position)
        return made

    def restart(self, key: Any, stream: Any = 0, position: int = 0) -> None:
        """Go on from a position of a stream of a key, as a new one of these begins: with all of its generators."""
        if not 0 <= position < _WORD:
            raise ValueError(f"restart: expected a position from 0 to 2**64 - 1, got {position}")
        _check("key", key, _WORD)
        _check("stream", stream, SPAWNING)
        numbers = None if isinstance(key, Array) or isinstance(stream, Array) else (int(key), int(stream))
        words = None if numbers else (_word(key), _word(stream))
        with _advancing:
            self.numbers = numbers
            self._words = words
            self.position = position
            self._trace = tracing.current()

    @property
    def words(self) -> tuple[Array, Array]:
        """Key and stream as arrays of one number each."""
        found = self._words
        if found is not None:
            return found
        with _advancing:
            numbers, found = self.numbers, self._words
        if found is None:
            assert numbers is not None
            found = word(numbers[0]), word(numbers[1])
            with _advancing:
                if self.numbers is numbers:  # or it was restarted meanwhile
                    self._words = found
        return found

    def __repr__(self) -> str:
        key, stream = ("traced" if x.tracing else hex(np.asarray(x).item()) for x in self.words)
        return f"{type(self).__name__}(key={key}, stream={stream}, position={self.position})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (type(self), self.seed_seq, self.at())

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
        self.restart(key, stream, position)

    def at(self) -> tuple[int, int, int]:
        """Key, stream and position; `TracingError` where they belong to a function being recorded."""
        if any(word.tracing for word in self.words):
            raise TracingError("bit_generator: a generator of a seed that is an argument has no known state")
        key, stream = (np.asarray(word).item() for word in self.words)
        return key, stream, self.position

    def taken(self, function: str, count: int) -> int:
        """The position, behind which the next draw begins by that many blocks."""
        return self.taken_known(function, count)[0]

    def taken_known(self, function: str, count: int) -> tuple[int, tuple[int, int] | None]:
        """The same, and key and stream of that position, where they are numbers."""
        if tracing.current() is not self._trace:
            raise TracingError(f"{function}: {ADVICE.format(what='the position of a generator made elsewhere')}")
        with _advancing:
            start, self.position = self.position, (self.position + count) % _WORD
            return start, self.numbers

    def jumped(self, jumps: int = 1) -> BitGenerator:
        """Another one of the same key that is as many streams further."""
        key, stream, _ = self.at()
        return self.starting(key, stream + 16 * operator.index(jumps))

    def spawn(self, n_children: int) -> list[BitGenerator]:
        """As many others, independent of this one and of each other."""
        if self.seed_seq is None:
            self.seed_seq = SeedSequence(self.at()[0])
        return [type(self)(child) for child in self.seed_seq.spawn(operator.index(n_children))]


class _Advancing(BitGenerator):
    """One that NumPy's can skip numbers of, too."""

    def advance(self, delta: int) -> Self:
        """Go on as if so many numbers had been drawn, back by a negative number; the bit generator is given back."""
        self.taken("advance", operator.index(delta))
        return self


class Philox(_Advancing):
    """Of the first stream, as `default_rng` draws from it."""

    def __init__(self, seed: Any = None, counter: Any = None, key: Any = None) -> None:
        """Of a seed; or of a key, which is taken as one, from the block on that the counter says.

        Raises:
            ValueError: a seed and a key; a counter that is not a whole number from 0 to 2**64 - 1.
        """
        if seed is not None and key is not None:
            raise ValueError("Philox: expected a seed or a key, got both")
        super().__init__(seed if key is None else key)
        if counter is not None:
            self.restart(*self.at()[:2], operator.index(counter))


class PCG64(_Advancing):
    """By NumPy's default's name: of the first stream, as `default_rng`."""


class PCG64DXSM(_Advancing):
    """Of a stream of its own."""

    _stream = 1


class MT19937(BitGenerator):
    """Of a stream of its own."""

    _stream = 2


class SFC64(BitGenerator):
    """Of a stream of its own."""

    _stream = 3


def _again(cls: type[BitGenerator], seed_seq: Any, at: tuple[int, int, int]) -> BitGenerator:
    """A bit generator as it was pickled."""
    made = cls.starting(*at)
    made.seed_seq = seed_seq
    return made


def _check(name: str, value: Any, end: int) -> None:
    """`ValueError` for a whole number that is not below a limit."""
    if not isinstance(value, Array) and not 0 <= value < end:
        raise ValueError(f"default_rng: expected a {name} from 0 to 2**{end.bit_length() - 1} - 1, got {value}")


def _word(value: Any) -> Array:
    """A whole number as an array of one uint64."""
    return value if isinstance(value, Array) else word(value)


def word(value: int) -> Array:
    """A whole number from 0 to 2**64 - 1 as an array of one, of uint64."""
    return array_of(Input.over((), _ONE_WORD, np.array([value], np.uint64)), (), uint64)
