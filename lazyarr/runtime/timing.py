"""Measuring launches."""

from __future__ import annotations

import functools
import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ir.cost.thresholds.tiers import (
    LAUNCHES_TIMED_TOGETHER_AT_MOST,
    STABLE_MEDIAN,
    TIMED_ON_THE_HOST_BELOW,
    TIMINGS_ENOUGH,
)
from lazyarr.runtime.errors import LaunchError
from lazyarr.runtime.queues import Event

if TYPE_CHECKING:
    from lazyarr.runtime.queues import Queue

Clock = Literal["device", "host"]
Launch = Callable[[], Event | Sequence[Event]]


@dataclass(frozen=True)
class Timing:
    """How long a launch took. `float(timing)` is the median.

    Attributes:
        median: seconds.
        minimum: seconds.
        repetitions: how many times it was measured.
        clock: `"device"` (from start to end of the kernels by the device's clock) or `"host"` (enqueue and wait by the
            host's clock).
    """

    median: float
    minimum: float
    repetitions: int
    clock: Clock

    def __float__(self) -> float:
        return self.median


def measure(
    queue: Queue,
    launch: Launch,
    budget_seconds: float,
    minimum_repetitions: int,
    maximum_repetitions: int,
    clock: Clock | None = None,
) -> Timing:
    """Run `launch` until its median is stable or the budget is spent.

    Long launches are timed by the device's clock, short ones (and those that enqueue more kernels than they return
    events for) by the host's, from before the launch until the wait is over. One launch warms up. It counts where it
    took all of the budget, by the host's clock: what is so long is much the same the first time.

    Args:
        queue: where the launches go.
        launch: enqueues the work; returns its event, or all its events in order.
        budget_seconds: no repetition starts later, once there are `minimum_repetitions`.
        minimum_repetitions: measured even if the budget is spent.
        maximum_repetitions: never more.
        clock: the clock to use instead of the rule above; "device" falls back to the host's where the device does not
            tell.

    Raises:
        LaunchError: a launch was refused or failed.
    """
    began = time.perf_counter()
    queue.finish()  # what was pending before is not the launch's
    first = _by_host(launch)
    if clock is None:
        # The shorter of two: one alone may have been disturbed.
        clock = "device" if min(_by_host(launch), _by_host(launch)) >= TIMED_ON_THE_HOST_BELOW else "host"
    if clock == "device":
        with queue.profiling():
            launches = queue.launches
            events = _events(launch())
            if queue.launches - launches != len(events) or _by_device(events) is None:
                clock = "host"
            else:
                sample = functools.partial(_sample_by_device, launch)
                samples = _collect(sample, began + budget_seconds, minimum_repetitions, maximum_repetitions)
    if clock == "host":
        sample = functools.partial(_by_host, launch)
        known = [first] if first >= budget_seconds else []
        samples = _collect(sample, began + budget_seconds, minimum_repetitions, maximum_repetitions, known)
    return Timing(median(samples), min(samples), len(samples), clock)


def measure_in_a_row(
    queue: Queue,
    launch: Callable[[], object],
    budget_seconds: float,
    minimum_repetitions: int,
    maximum_repetitions: int,
) -> Timing:
    """Run `launch` many times in a row, wait for all, and take the mean as one sample; until the median is stable.

    For devices that work while the host goes on. There a short launch and the wait for it say more about the host and
    the way to the device than about the kernel: 45 microseconds, give or take five, around 20 of an H200's.

    Args:
        launch: enqueues the work, with no event to wait for; what it returns may be reused by the next in the queue.
        budget_seconds, minimum_repetitions, maximum_repetitions: as of `measure`, counted in rows.

    Raises:
        LaunchError: a launch was refused or failed.
    """
    began = time.perf_counter()
    queue.finish()
    known: list[float] = []
    once = _row(queue, launch, 1)
    if once >= budget_seconds:  # as in `measure`
        known.append(once)
    else:
        once = min(_row(queue, launch, 1), _row(queue, launch, 1))
    count = min(LAUNCHES_TIMED_TOGETHER_AT_MOST, math.ceil(TIMED_ON_THE_HOST_BELOW / once))
    sample = functools.partial(_row, queue, launch, count)
    samples = _collect(sample, began + budget_seconds, minimum_repetitions, maximum_repetitions, known)
    return Timing(median(samples), min(samples), len(samples), "host")


def _row(queue: Queue, launch: Callable[[], object], count: int) -> float:
    """Seconds of each of `count` launches, one behind the other, from before the first until all have ended."""
    start = time.perf_counter()
    for _ in range(count):
        launch()
    queue.finish()
    return (time.perf_counter() - start) / count


def _collect(
    sample: Callable[[], float], deadline: float, minimum: int, maximum: int, known: Sequence[float] = ()
) -> list[float]:
    """Call `sample` until the median is stable or the deadline is over, within the bounds of repetitions.

    Args:
        known: samples that there are
    """
    samples = list(known)
    while len(samples) < max(1, maximum):
        count = len(samples)
        is_over = time.perf_counter() >= deadline or (count >= TIMINGS_ENOUGH and _is_stable(samples))
        if count >= max(1, minimum) and is_over:
            break
        samples.append(sample())
    return samples


def _by_host(launch: Launch) -> float:
    """Seconds from before the launch until the wait is over."""
    start = time.perf_counter()
    _events(launch())[-1].wait()
    return time.perf_counter() - start


def _sample_by_device(launch: Launch) -> float:
    seconds = _by_device(_events(launch()))
    if seconds is None:
        raise LaunchError("the device recorded no time for a launch, though it did before")
    return seconds


def _by_device(events: Sequence[Event]) -> float | None:
    """Seconds from the start of the first to the end of the last by the device's clock, if it tells. Waits."""
    last, first = events[-1].span, events[0].span
    if first is None or last is None or last[1] <= first[0]:
        return None
    return (last[1] - first[0]) * 1e-9


def _events(result: Event | Sequence[Event]) -> Sequence[Event]:
    return (result,) if isinstance(result, Event) else result


def median(samples: Iterable[float]) -> float:
    """The middle one in order, or the mean of the middle two: `statistics` takes long to import."""
    ordered = sorted(samples)
    return (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2


def _is_stable(samples: list[float]) -> bool:
    """Whether the standard error of the median, estimated robustly, is small."""
    middle = median(samples)
    spread = median([abs(sample - middle) for sample in samples])
    # 1.4826: from median deviation to standard deviation; 1.2533: from the mean's standard error to the median's.
    return 1.4826 * 1.2533 * spread / math.sqrt(len(samples)) <= STABLE_MEDIAN * middle
