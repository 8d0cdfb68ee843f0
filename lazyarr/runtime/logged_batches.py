"""Launches that are logged with their times, for the debug ladder (`lazyarr.debugging`)."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

from lazyarr.runtime.batches import Batch, Launch
from lazyarr.runtime.library import LibraryKernel
from lazyarr.runtime.memory import Buffer

if TYPE_CHECKING:
    from lazyarr.runtime.devices import Device

__all__ = ["LoggedBatch"]

logger = logging.getLogger("lazyarr.runtime")


class LoggedBatch(Batch):
    """A batch that waits for each of its launches and logs the time that it took by the device's clock.

    Args:
        labels: what each launch computes, in words. All others as of `Batch`.
    """

    def __init__(
        self,
        device: Device,
        launches: Sequence[Launch],
        inputs: int,
        written: Sequence[int],
        results: Sequence[int],
        labels: Sequence[str],
    ) -> None:
        super().__init__(device, launches, inputs, written, results)
        pairs = zip(launches, labels, strict=True)
        self._labels = [(launch, label) for launch, label in pairs if 0 not in launch.global_size]

    def enqueue(self, inputs: Sequence[Buffer]) -> list[Buffer]:
        """As of `Batch`, but the results are ready when it returns."""
        with self.device.queue.profiling():
            results, events = self.traced(inputs)
            for event in events:
                event.wait()
            for number, ((launch, label), event) in enumerate(zip(self._labels, events, strict=False), 1):
                seconds = event.seconds
                time = "an unknown time" if seconds is None else f"{seconds * 1e6:.1f} us"
                if launch.kernel.program.in_thread:
                    time += " in the calling thread"
                logger.info("launch %d of %d took %s: %s: %s", number, len(self._labels), time, _shape(launch), label)
        return results


def _shape(launch: Launch) -> str:
    """The work-items of a launch, in all and in a group; or what the host's library is called for."""
    if isinstance(launch.kernel, LibraryKernel):
        return f"call of {launch.kernel.name}"
    items = " x ".join(map(str, launch.global_size))
    group = "that the runtime chooses" if launch.local_size is None else f"of {' x '.join(map(str, launch.local_size))}"
    return f"{launch.kernel.name}, work-items {items} in groups {group}"
