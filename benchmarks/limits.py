"""The machine's limits, measured: how fast memory can be read, and how fast it can be copied.

Several honest ways are tried on all cores, and the fastest is the limit. Bandwidth counts the bytes that a program
moves: a read of n bytes counts n, a copy of n bytes counts 2 n (n read, n written), whatever the caches do underneath.
Bytes per second are decimal: 1 GB/s is 1e9 bytes a second.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import Thunk, Timing, interleave
from benchmarks.peers import threads

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Limit:
    """A bandwidth: ``bytes_moved`` in the median time of the fastest way of moving them."""

    kind: str
    way: str
    bytes_moved: int
    timing: Timing

    @property
    def bytes_per_second(self) -> float:
        """The bandwidth in bytes per second."""
        return self.bytes_moved / self.timing.median

    def seconds(self, nbytes: int) -> float:
        """The shortest time in which ``nbytes`` can be moved, in seconds."""
        return nbytes / self.bytes_per_second


def _halves(size: int) -> list[slice]:
    """One contiguous part for each thread."""
    edges = np.linspace(0, size, threads() + 1).astype(int)
    return [slice(int(a), int(b)) for a, b in pairwise(edges)]


def _numba_ways() -> tuple[Callable[[Floats], object], Mapping[str, Callable[[Floats, Floats], object]]]:
    numba: Any = importlib.import_module("numba")
    numba.set_num_threads(min(threads(), numba.config.NUMBA_NUM_THREADS))
    parallel = numba.njit(parallel=True, fastmath=True)

    @parallel  # type: ignore[untyped-decorator]  # numba has no types
    def read(x: Any) -> Any:
        total = np.float32(0)
        for i in numba.prange(x.size):
            total += x[i]
        return total

    @parallel  # type: ignore[untyped-decorator]
    def copy_elements(x: Any, out: Any) -> None:
        for i in numba.prange(x.size):
            out[i] = x[i]

    @parallel  # type: ignore[untyped-decorator]
    def copy_blocks(x: Any, out: Any) -> None:
        parts = numba.get_num_threads()
        for part in numba.prange(parts):
            begin, end = part * x.size // parts, (part + 1) * x.size // parts
            out[begin:end] = x[begin:end]

    return read, {"numba elements": copy_elements, "numba blocks": copy_blocks}


class Ways:
    """The ways of reading and copying ``arrays`` (equal in size), as contestants for `interleave`.

    Copies go into one ready output. Call `close` when done.
    """

    def __init__(self, arrays: Sequence[Floats]) -> None:
        self.arrays = tuple(arrays)
        self.nbytes = self.arrays[0].nbytes
        self.output = np.full_like(self.arrays[0], np.nan)
        self._pool = ThreadPoolExecutor(threads())
        self._parts = _halves(self.arrays[0].size)
        self._read: dict[str, Callable[[Floats], object]] = {"numpy sum, threads": self._numpy_sum}
        self._copy: dict[str, Callable[[Floats, Floats], object]] = {"numpy copyto, threads": self._numpy_copy}
        try:
            read, copies = _numba_ways()
        except ImportError:
            return  # the peers report that numba is missing
        self._read["numba sum"] = read
        self._copy.update(copies)

    def _numpy_sum(self, x: Floats) -> object:
        return list(self._pool.map(lambda part: x[part].sum(), self._parts))

    def _numpy_copy(self, x: Floats, out: Floats) -> object:
        return list(self._pool.map(lambda part: np.copyto(out[part], x[part]), self._parts))

    def read(self) -> dict[str, list[Thunk]]:
        """Ways of reading an array."""

        def bind(way: Callable[[Floats], object], x: Floats) -> Thunk:
            return lambda: way(x)

        return {name: [bind(way, x) for x in self.arrays] for name, way in self._read.items()}

    def copy(self) -> dict[str, list[Thunk]]:
        """Ways of copying an array into a ready output."""

        def bind(way: Callable[[Floats, Floats], object], x: Floats) -> Thunk:
            return lambda: way(x, self.output)

        return {name: [bind(way, x) for x in self.arrays] for name, way in self._copy.items()}

    def close(self) -> None:
        """Stop the threads."""
        self._pool.shutdown()


def fastest(kind: str, timings: Mapping[str, Timing], nbytes: int) -> Limit:
    """The limit that the fastest of ``timings`` shows; ``nbytes`` is the size of the array (``kind`` read or copy)."""
    way = min(timings, key=lambda name: timings[name].median)
    return Limit(kind, way, nbytes * (2 if kind == "copy" else 1), timings[way])


def measure(arrays: Sequence[Floats], rounds: int) -> dict[str, Limit]:
    """Both limits, ``{"read": ..., "copy": ...}``, over ``arrays``."""
    ways = Ways(arrays)
    try:
        return {
            "read": fastest("read", interleave(ways.read(), rounds=rounds), ways.nbytes),
            "copy": fastest("copy", interleave(ways.copy(), rounds=rounds), ways.nbytes),
        }
    finally:
        ways.close()
