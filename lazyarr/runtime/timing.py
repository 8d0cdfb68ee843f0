"""Measuring launches."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from lazyarr.runtime.queues import Event

if TYPE_CHECKING:
    from lazyarr.runtime.queues import Queue

Clock = Literal["device", "host"]

# Below this many seconds what the host spends on a launch is part of what users wait for, and device clocks are coarse;
# above, it is about 1 %, so that candidates on both sides remain comparable.
_SHORT = 1e-3
# The median is stable when its standard error, estimated from the spread, is below this part of it.
_STABLE = 0.01
_ENOUGH = 7


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
    launch: Callable[[], Event | Sequence[Event]],
    budget_seconds: float,
    minimum_repetitions: int,
    maximum_repetitions: int,
    clock: Clock | None = None,
) -> Timing:
    """Run `launch` until its median is stable or the budget is spent.

    Long launches are timed by the device's clock, short ones (and those that enqueue more kernels than they return
    events for) by the host's, from before the launch until the wait is over. One launch, not counted, warms up.

    Arguments:
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
    _events(launch())[-1].wait()
    launches = queue.launches
    host, events = _once(launch)
    told = queue.launches - launches == len(events) and _device_seconds(events) is not None
    # The shorter of two: one alone may have been disturbed.
    use_device = told and clock != "host" and (clock == "device" or min(host, _once(launch)[0]) >= _SHORT)
    samples: list[float] = []
    while len(samples) < maximum_repetitions:
        host, events = _once(launch)
        device = _device_seconds(events) if use_device else None
        if use_device and device is None:
            use_device, samples = False, []  # a device that stops telling: start again with the other clock
        samples.append(host if device is None else device)
        count = len(samples)
        if count < minimum_repetitions:
            continue
        if time.perf_counter() - began >= budget_seconds or (count >= _ENOUGH and _is_stable(samples)):
            break
    return Timing(statistics.median(samples), min(samples), len(samples), "device" if use_device else "host")


def _events(result: Event | Sequence[Event]) -> Sequence[Event]:
    return (result,) if isinstance(result, Event) else result


def _once(launch: Callable[[], Event | Sequence[Event]]) -> tuple[float, Sequence[Event]]:
    start = time.perf_counter()
    events = _events(launch())
    events[-1].wait()
    return time.perf_counter() - start, events


def _device_seconds(events: Sequence[Event]) -> float | None:
    first, last = events[0].span, events[-1].span
    if first is None or last is None or last[1] <= first[0]:
        return None
    return (last[1] - first[0]) * 1e-9


def _is_stable(samples: list[float]) -> bool:
    """Whether the standard error of the median, estimated robustly, is small."""
    median = statistics.median(samples)
    spread = statistics.median(abs(sample - median) for sample in samples)
    # 1.4826: from median deviation to standard deviation; 1.2533: from the mean's standard error to the median's.
    return 1.4826 * 1.2533 * spread / math.sqrt(len(samples)) <= _STABLE * median
