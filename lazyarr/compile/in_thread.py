"""Which programs run in the thread that calls them: those that one core computes before PoCL's threads are awake.

That is predicted when a kernel is made, for one core and its sizes, and kept with it; for other sizes of its class it
grows with the work. A program's launches go together: the sum of what its kernels take decides for all of them. So it
depends on sizes alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ir.core.expr import Expr
from ir.cost.derived import estimate
from ir.cost.nests import stages_to_predict
from ir.cost.thresholds.calling_thread import (
    IN_THREAD_LOCAL_BYTES_AT_MOST,
    IN_THREAD_SECONDS_A_KERNEL,
    IN_THREAD_SECONDS_AT_MOST,
    IN_THREAD_WORK_AT_MOST,
)
from ir.errors import IRError
from ir.fusion.symbols.symbolise import SymbolicKernel
from ir.schedules.schedule import Machine
from lazyarr.check.reference import work
from lazyarr.runtime import Device

__all__ = ["NEVER", "OneCore", "is_short", "on_one_core", "seconds_allowed"]

NEVER = -1.0
"""Seconds that no kernel is as short as."""


@dataclass(frozen=True, slots=True)
class OneCore:
    """What a kernel is predicted to take on one core.

    Attributes:
        seconds: at the sizes that it was made for
        work: the elements of work there
    """

    seconds: float
    work: int

    def at(self, general: SymbolicKernel) -> float:
        """The seconds for other sizes of its class."""
        return self.seconds * work(general.expr, general.sizes) / self.work

    def to_json(self) -> list[Any]:
        """Numbers."""
        return [self.seconds, self.work]

    @classmethod
    def from_json(cls, data: Any) -> OneCore | None:
        """What `to_json` wrote, or None.

        Raises:
            ValueError, TypeError: it wrote something else.
        """
        if data is None:
            return None
        seconds, elements = data
        return cls(float(seconds), max(1, int(elements)))


def on_one_core(device: Device, general: SymbolicKernel, low: Expr) -> OneCore | None:
    """What a candidate takes on one core; None where it does not matter, since it takes long, or nobody can say.

    Args:
        low: the low-level expression
    """
    if not device.is_pocl:
        return None
    elements = work(general.expr, general.sizes)
    if elements > IN_THREAD_WORK_AT_MOST:
        return None
    limits = device.limits
    machine = Machine(
        limits.max_work_group_size, limits.local_memory_bytes, 1, limits.native_vector_width_float, is_cpu=True
    )
    try:
        if any(stage.local_bytes > IN_THREAD_LOCAL_BYTES_AT_MOST for stage in stages_to_predict(low)):
            return None
        found = estimate(low, machine, general.sizes)
    except IRError:
        return None
    return OneCore(sum(map(max, found.kernels)), max(1, elements))


def seconds_allowed(device: Device, kernels: Sequence[SymbolicKernel]) -> float:
    """The seconds on one core that a program of these kernels may take to run in the calling thread; `NEVER` where it
    cannot, as far as is known before they are made.
    """
    if sum(work(each.expr, each.sizes) for each in kernels) > IN_THREAD_WORK_AT_MOST:
        return NEVER
    return _allowed(device, len(kernels))


def is_short(device: Device, seconds: Sequence[float | None]) -> bool:
    """Does a program run in the calling thread whose kernels take that long on one core? None: longer."""
    known = [each for each in seconds if each is not None]
    return len(known) == len(seconds) and sum(known) <= _allowed(device, len(known))


def _allowed(device: Device, kernels: int) -> float:
    if device.calling_thread is None:
        return NEVER
    return IN_THREAD_SECONDS_AT_MOST + max(kernels - 1, 0) * IN_THREAD_SECONDS_A_KERNEL
