"""Fair timing: contestants take turns round by round, and a result is checked before its time counts.

All durations are seconds. A *contestant* is a sequence of zero-argument callables, one for each set of inputs; each
returns a result that is complete (whatever runs asynchronously has been waited for). Round ``r`` uses input set
``r % len(sets)``, so that what one call leaves in the caches is not what the next call reads.
"""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

Thunk = Callable[[], object]
Contestants = Mapping[str, Sequence[Thunk]]
Clock = Callable[[], float]
BLOCK = 1 << 22
"""Elements that are checked at a time."""


class WrongResultError(Exception):
    """A contestant's result differs from the reference: a bug, never a data point."""


class UnavailableError(Exception):
    """Something cannot be measured here; the message says why."""


@dataclass(frozen=True)
class Tolerance:
    """How far a result may be from its float64 reference: ``|result - reference| <= relative * magnitude``."""

    relative: float

    @staticmethod
    def elementwise(dtype: np.dtype[Any], operations: int = 1) -> Tolerance:
        """For a chain of correctly rounded operations on each element: half a unit in the last place for each."""
        return Tolerance(operations * float(np.finfo(dtype).eps) / 2)

    @staticmethod
    def reduction(dtype: np.dtype[Any], length: int) -> Tolerance:
        """For a sum of ``length`` terms in any order: rounding errors walk at random (eps * sqrt(length))."""
        return Tolerance(float(np.finfo(dtype).eps) * max(1.0, float(length) ** 0.5))


class Check(Protocol):
    """What tells a right result from a wrong one."""

    def check(self, name: str, result: object) -> None:
        """Raise WrongResultError unless ``result`` is right."""


@dataclass(frozen=True)
class Reference:
    """What a workload should give: float64 values, and the magnitude that errors are relative to.

    The magnitude is ``|values|`` for element-wise work and the sum of the terms' absolute values for a reduction.
    """

    values: NDArray[np.float64]
    magnitude: NDArray[np.float64]
    tolerance: Tolerance

    def check(self, name: str, result: object) -> None:
        """Raise WrongResultError unless ``result`` has the reference's shape and agrees within the tolerance."""
        got = np.asarray(result)
        if got.shape != self.values.shape:
            raise WrongResultError(f"{name}: expected shape {self.values.shape}, got {got.shape}")
        flat, values, magnitudes = got.reshape(-1), self.values.reshape(-1), self.magnitude.reshape(-1)
        count, place = 0, -1
        for begin in range(0, flat.size, BLOCK):  # a large result needs no large temporaries
            part = slice(begin, begin + BLOCK)
            error = np.abs(flat[part].astype(np.float64) - values[part])
            wrong = ~(error <= self.tolerance.relative * magnitudes[part])  # a NaN is wrong too
            if np.any(wrong):
                place = begin + int(np.argmax(wrong)) if place < 0 else place
                count += int(np.count_nonzero(wrong))
        if count:
            where = tuple(int(i) for i in np.unravel_index(place, got.shape))
            bound = self.tolerance.relative * float(magnitudes[place])
            raise WrongResultError(
                f"{name}: {count} of {got.size} values are wrong, first at {where}: "
                f"expected {float(values[place])} within {bound:.3g}, got {float(flat[place])}"
            )


@dataclass(frozen=True)
class TupleReference:
    """What a workload with several results should give, one after the other."""

    parts: Sequence[Check]

    def check(self, name: str, result: object) -> None:
        """Raise WrongResultError unless ``result`` is a tuple or list whose parts agree."""
        if not isinstance(result, (tuple, list)) or len(result) != len(self.parts):
            found = len(result) if isinstance(result, (tuple, list)) else type(result).__name__
            raise WrongResultError(f"{name}: expected {len(self.parts)} results, got {found}")
        for index, (part, value) in enumerate(zip(self.parts, result, strict=True)):
            part.check(f"{name}, result {index}", value)


@dataclass(frozen=True)
class Fetched:
    """A check of results that NumPy cannot read: ``to_numpy`` reads each array."""

    inner: Check
    to_numpy: Callable[[Any], object]

    def check(self, name: str, result: object) -> None:
        """Raise WrongResultError unless the arrays of ``result`` agree."""
        several = isinstance(result, (tuple, list))
        self.inner.check(name, tuple(map(self.to_numpy, cast(Any, result))) if several else self.to_numpy(result))


@dataclass(frozen=True)
class Timing:
    """All samples of one contestant in seconds, in the order of the rounds."""

    samples: tuple[float, ...]

    @property
    def median(self) -> float:
        """The middle sample."""
        return median(self.samples)

    @property
    def minimum(self) -> float:
        """The fastest sample."""
        return min(self.samples)

    @property
    def quartiles(self) -> tuple[float, float]:
        """The first and the third quartile (both the one sample, if there is only one)."""
        if len(self.samples) == 1:
            return self.samples[0], self.samples[0]
        first, _, third = quantiles(self.samples, n=4, method="inclusive")
        return first, third


def slower(timing: Timing, other: Timing) -> bool:
    """Whether ``timing`` is slower than ``other`` beyond the noise of the machine.

    Both must come from one call of `interleave`. Samples are paired by round; "slower" means slower in three rounds
    of four. At the memory's limit two equally good kernels differ by chance, and comparing medians would toss a coin.
    """
    ratios = Timing(tuple(a / b for a, b in zip(timing.samples, other.samples, strict=True)))
    return ratios.quartiles[0] > 1.0


class Neighbours:
    """How many cores other processes keep busy, from creation until it is asked (Linux only).

    Times taken beside a busy neighbour are worthless, the limits among them, and nothing else in a report shows it.
    """

    def __init__(
        self,
        statistics: Path = Path("/proc/stat"),
        clock: Clock = time.perf_counter,
        own: Clock = lambda: sum(os.times()[:4]),
    ) -> None:
        self._statistics, self._clock, self._own = statistics, clock, own
        self._begin = self._read()

    def _read(self) -> tuple[float, float] | None:
        """Wall-clock seconds, and the seconds that all processes but this one and its children have run."""
        try:
            first = self._statistics.read_text(encoding="ascii").splitlines()[0].split()
        except OSError:
            return None
        user, nice, system, _idle, _waiting, interrupts, soft, stolen = (int(ticks) for ticks in first[1:9])
        busy = (user + nice + system + interrupts + soft + stolen) / os.sysconf("SC_CLK_TCK")
        return self._clock(), busy - self._own()

    def cores(self) -> float | None:
        """The mean number of cores that others used, or None where that cannot be known."""
        end = self._read()
        if self._begin is None or end is None or end[0] <= self._begin[0]:
            return None
        return max(0.0, (end[1] - self._begin[1]) / (end[0] - self._begin[0]))


def batched(
    launch: Callable[..., object], finish: Callable[[Any], object], sets: Sequence[tuple[Any, ...]], count: int = 1
) -> list[Thunk]:
    """For each set of inputs, ``count`` calls of ``launch`` and one ``finish`` of the last result, which is returned.

    The last call has the set's inputs; those before it have the sets before it, in turns. Many calls before one wait
    show what the kernels take on a device where launching takes as long.
    """
    if count < 1:
        raise ValueError(f"count: expected at least 1, got {count}")

    def bind(last: int) -> Thunk:
        turns = [sets[(last - before) % len(sets)] for before in reversed(range(count))]

        def run() -> object:
            result: object = None
            for inputs in turns:
                result = launch(*inputs)
            return finish(result)

        return run

    return [bind(index) for index in range(len(sets))]


def interleave(
    contestants: Contestants,
    references: Mapping[str, Sequence[Check]] | None = None,
    *,
    rounds: int,
    warm_up: int = 2,
    checked: bool = False,
    clock: Clock = time.perf_counter,
    rest: float = 0.0,
    sleep: Callable[[float], object] = time.sleep,
    primers: Contestants | None = None,
) -> dict[str, Timing]:
    """Time contestants in turns.

    Before timing, each contestant runs on each set of inputs, its results are checked against its ``references`` (by
    the contestant's name, one for each set; those not named are not checked, which is for limits only; ``checked`` says
    that the caller has done so), then it warms up ``warm_up`` times more. In each round every contestant runs once, and
    who begins changes from round to round. The result of the last round is checked again, since a kernel may go wrong
    only when its output memory is used a second time. Dropping a result is not timed. Python's garbage collector rests
    meanwhile.

    ``rest`` seconds pass before each timed run: the threads of OpenMP's runtime, which numba uses, go on spinning for
    milliseconds after their work, and would take a core from whoever comes next.

    ``primers`` run, untimed, right before each run of the contestant of that name: a GPU that several libraries take
    turns on changes its context at the first call of each, which costs more than a kernel.

    Raises:
        WrongResultError: a contestant's result is not the reference's.
        ValueError: no rounds, or a contestant without one callable and one reference for each set of inputs.
    """
    if rounds < 1:
        raise ValueError(f"rounds: expected at least 1, got {rounds}")
    references = references or {}
    sets = len(next(iter(contestants.values()), ()))
    for name, thunks in contestants.items():
        expected = references.get(name)
        if not thunks or len(thunks) != sets or (expected is not None and len(expected) != sets):
            raise ValueError(f"{name}: expected a callable and a reference for each of the {sets} sets of inputs")
        for index, thunk in enumerate(thunks):
            result = thunk()
            if expected is not None and not checked:
                expected[index].check(name, result)
            del result
        for turn in range(warm_up):
            thunks[turn % sets]()

    names = list(contestants)
    samples: dict[str, list[float]] = {name: [] for name in names}
    collecting = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        for turn in range(rounds):
            first = turn % len(names) if names else 0
            for name in names[first:] + names[:first]:
                thunk = contestants[name][turn % sets]
                if rest:
                    sleep(rest)
                if primers and name in primers:
                    primers[name][turn % sets]()
                begin = clock()
                result = thunk()
                end = clock()
                samples[name].append(end - begin)
                if turn == rounds - 1 and name in references:
                    references[name][turn % sets].check(name, result)
                del result
    finally:
        if collecting:
            gc.enable()
    return {name: Timing(tuple(values)) for name, values in samples.items()}
