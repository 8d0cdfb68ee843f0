"""A program bound to a device: what a call launches, with nothing left to decide."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cachetools import LRUCache

from lazyarr.execution.plan import Plan
from lazyarr.runtime import BoundKernel, Buffer, Device, Event, Program

__all__ = ["Executable"]

Sizes = tuple[int, ...]


@dataclass(slots=True)
class _Call:
    """One launch for given sizes. Arguments are slot numbers; negative ones count from the end of `constants`."""

    kernel: BoundKernel
    global_size: tuple[int, ...]
    local_size: tuple[int, ...] | None
    slots: tuple[int, ...]
    allocations: tuple[int, ...]  # bytes of each buffer of its result


class Executable:
    """The kernels of one plan, built for one device.

    Inputs are given as one list of buffers, one for each component of each input; results come back the same way.
    """

    def __init__(self, device: Device, program: Program, plan: Plan, inputs: Sequence[tuple[str, int]]) -> None:
        self.device = device
        self.program = program
        self.plan = plan
        self.inputs = tuple(inputs)
        index = "int32" if plan.index_type == "int" else "int64"
        self._kernels = [
            program.kernel(k.name, [index if is_size else "buffer" for _, _, is_size in k.arguments])
            for k in plan.kernels
        ]
        self._bound: LRUCache[Sizes, tuple[list[_Call], Sizes]] = LRUCache(256)
        self._lock = threading.Lock()

    def bind(self, sizes: Sizes) -> tuple[list[_Call], Sizes]:
        """The launches for given sizes (in the order of `plan.sizes`), and the constants they pass; remembered."""
        with self._lock:
            found = self._bound.get(sizes)
            if found is None:
                found = self._bound[sizes] = self._bind(sizes)
        return found

    def _bind(self, sizes: Sizes) -> tuple[list[_Call], Sizes]:
        values = dict(zip(self.plan.sizes, sizes, strict=True))
        position: dict[tuple[str, int], int] = {place: i for i, place in enumerate(self.inputs)}
        next_slot = len(self.inputs)
        constants = {name: -1 - i for i, name in enumerate(self.plan.sizes)}
        calls = []
        for kernel, plan in zip(self._kernels, self.plan.kernels, strict=True):
            elements = plan.elements.evaluate(values)
            for component in range(len(plan.result_bytes)):
                position[plan.result, component] = next_slot
                next_slot += 1
            calls.append(
                _Call(
                    kernel,
                    tuple(extent.evaluate(values) for extent in plan.global_size),
                    plan.local_size,
                    tuple(constants[name] if is_size else position[name, c] for name, c, is_size in plan.arguments),
                    tuple(elements * width for width in plan.result_bytes),
                )
            )
        return calls, sizes[::-1]

    def launch(self, inputs: list[Buffer], sizes: Sizes) -> list[Buffer]:
        """Enqueue all kernels and return the buffers of the result at once; they are ready when the device is done."""
        return self.enqueue(inputs, sizes)[0]

    def enqueue(
        self, inputs: list[Buffer], sizes: Sizes, poison: int | None = None
    ) -> tuple[list[Buffer], list[Event]]:
        """The same, with the events; `poison` fills fresh result memory with that byte first."""
        calls, constants = self.bind(sizes)
        # constants[-1 - i] is size i: slot -1 - i of the list below
        slots: list[Any] = [*inputs]
        events = []
        fresh: list[Buffer] = []
        allocate = self.device.allocate
        for call in calls:
            fresh = [allocate(nbytes) for nbytes in call.allocations]
            if poison is not None:
                for buffer in fresh:
                    buffer.fill(poison)
            slots += fresh
            arguments = [slots[s] if s >= 0 else constants[s] for s in call.slots]
            events.append(call.kernel.launch(call.global_size, call.local_size, arguments))
        return fresh, events
