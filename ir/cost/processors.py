"""What the cost model takes for the speed of a device of which nothing was measured: one table for each kind.

The figures are those of common devices, not of one: only the ratios of predictions decide which schedule comes first.
Rates that were measured replace the bandwidth of memory and the time of a launch.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Protocol

__all__ = [
    "CPU", "CPU_GROUP_AT_LEAST", "CPU_GROUP_AT_MOST", "FORESEEN", "GATHERED", "GPU", "GROUPS_OF_A_UNIT",
    "ITEMS_OF_A_UNIT", "LIBRARY_CALL", "LIBRARY_FETCHES", "LIBRARY_SHARES_FROM", "LIBRARY_TERMS", "LINES_IN_A_TICK",
    "LOADS_AHEAD", "LOADS_OF_A_LINE", "LOAD_TAKES", "PAGE", "PAGES", "QUOTIENT_BY_A_CONSTANT", "SHIFT", "STREAMS",
    "WARP", "WAYS", "Machine", "Processor",
]  # fmt: skip

WAYS: Final = 8
"""Lines of a set of a cache."""

PAGE: Final = 4096
"""Bytes of a page of memory."""

PAGES: Final = (64, 2048)
"""Pages whose addresses are known at once, and those whose addresses are found in a second table."""

FORESEEN: Final = 256
"""Bytes one after the other, or from place to place, up to which the next line is asked for ahead of time."""

GATHERED: Final = 2.0
"""Instructions of a CPU to put a number into a vector that is made of numbers from places of their own."""

STREAMS: Final = 16
"""Places from which a processor foresees the next lines at the same time, where each goes on for a page and more."""

CPU_GROUP_AT_LEAST: Final = 32
"""Work-items of a group that a runtime of a CPU makes, if there are so many, before it makes a group for each unit."""

CPU_GROUP_AT_MOST: Final = 4096
"""Work-items of a group that a runtime of a CPU makes."""

LIBRARY_CALL: Final = 15e-6
"""Seconds of a call of the host's library of linear algebra."""

LIBRARY_TERMS: Final = 4.0
"""Terms that a unit adds to each of a vector's elements in a tick there."""

LIBRARY_SHARES_FROM: Final = 64
"""The longer side of a result from which on all units have enough of one product."""

LIBRARY_FETCHES: Final = 2.5e9
"""Bytes a second that it brings a unit from memory: lines that nobody foresees."""

WARP: Final = 32
"""Work-items of a GPU in lockstep."""

ITEMS_OF_A_UNIT: Final = 2048
GROUPS_OF_A_UNIT: Final = 32
"""Work-items and groups that a unit of a GPU has at a time."""

LOAD_TAKES: Final = (350e-9, 800e-9)
"""Seconds from a load of a GPU's global memory to its value, where the second cache holds all of it, and where not."""

LOADS_AHEAD: Final = 16
"""Loads of a loop, of several turns if one has fewer, that begin before the first of them has ended."""

LOADS_OF_A_LINE: Final = 2.0
"""Lines that a work-item loads for each whose every byte it uses."""

SHIFT: Final = 1.0
QUOTIENT_BY_A_CONSTANT: Final = 4.0
"""Instructions of a division by a power of two, and by another constant: a product, of which the upper half counts."""

LINES_IN_A_TICK: Final = 4
"""Lines of its first cache that a unit of a GPU reads or writes in a tick, as long as no two words are in one bank."""


class Machine(Protocol):
    """What the model asks of a device, as `ir.schedules.schedule.Machine` says it."""

    def __hash__(self) -> int:
        """Predictions are kept by it."""

    @property
    def is_cpu(self) -> bool:
        """Does it run on the processor of the host?"""

    @property
    def compute_units(self) -> int:
        """Units that work beside each other."""

    @property
    def native_vector_width(self) -> int:
        """Numbers of 4 bytes in a vector register of a CPU."""

    @property
    def local_memory_bytes(self) -> int:
        """Local memory that a work-group may have."""


@dataclass(frozen=True)
class Processor:
    """A kind of device; times in seconds, rates in bytes a second, the rest in clock ticks of one unit.

    Attributes:
        units: units of a common device, where no machine says how many there are
        caches: bytes of each level that a unit uses, the nearest first; the last is shared by all units
        fetches: bytes a second into each of these: by one unit, into the last by all
        apart: for each cache, how much longer it takes to fetch lines that are so far apart
            (`ir.cost.footprints.Box.apart`)
        line: bytes that are fetched at once
        clock: ticks a second
        vector: bytes of a vector register
        issued: instructions in a tick
        latency: ticks from an operation to one that needs its result
        division, function: instructions that a division takes, and a function of a vector that was not measured
        scalar_function: how many times as many a function of one number takes
        quotient: ticks of an integer division, for an index
        turn: ticks of a loop's turn beside its body
        launch, next_launch: seconds to start a kernel, and one right behind another
        group, item: seconds of a unit to start a work-group and a work-item
        barrier: ticks of a barrier for a group
    """

    units: int
    caches: tuple[int, ...]
    fetches: tuple[float, ...]
    apart: tuple[tuple[float, ...], ...]
    line: int
    clock: float
    vector: int
    issued: float
    latency: float
    division: float
    function: float
    scalar_function: float
    quotient: float
    turn: float
    launch: float
    next_launch: float
    group: float
    item: float
    barrier: float


CPU: Final = Processor(
    units=2,
    caches=(1 << 15, 1 << 20, 1 << 24),
    fetches=(150e9, 50e9, 50e9),
    apart=((1.0, 1.5, 2.0, 3.0), (1.0, 3.0, 4.0, 5.0), (1.0, 2.0, 2.5, 3.0)),
    line=64,
    clock=3e9,
    vector=32,
    issued=2.5,
    latency=3.0,
    division=6.0,
    function=140.0,
    scalar_function=1.8,
    quotient=7.0,
    turn=1.0,
    launch=22e-6,
    next_launch=5e-6,
    group=10e-9,
    item=0.5e-9,
    barrier=20.0,
)
"""Two to some tens of cores with vectors of 32 bytes. Of PoCL: launches, groups and items."""

GPU: Final = Processor(
    units=132,
    caches=(1 << 17, 40 << 20),
    fetches=(100e9, 3e12),
    apart=(),
    line=32,
    clock=1.7e9,
    vector=4,
    issued=4.0,
    latency=2.0,
    division=8.0,
    function=20.0,
    scalar_function=1.0,
    quotient=20.0,
    turn=2.0,
    launch=10e-6,
    next_launch=6e-6,
    group=85e-9,
    item=0.0,
    barrier=30.0,
)
"""Of the size of an H100: a unit issues four instructions of a warp in a tick."""
