"""A program bound to a device: what a call launches, with nothing left to decide."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cachetools import LRUCache

from ir.core.sizes import LIMIT_32
from ir.locks import make_lock
from ir.opencl.generate import ARRIVED, START
from lazyarr.compile.plan import Plan
from lazyarr.runtime import Batch, Buffer, Device, Event, Launch, LaunchError, Program
from lazyarr.runtime.library import LibraryProgram

__all__ = ["Bound", "Executable", "Sizes"]

Sizes = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Bound:
    """The launches of an executable for given sizes. Slots number the buffers of the inputs, then what is written.

    Attributes:
        written: bytes of each buffer that the launches write, in the order of their slots
        slots: those of the results, inputs where they lie in the memory of these; the others are intermediate
    """

    launches: tuple[Launch, ...]
    inputs: int
    written: tuple[int, ...]
    slots: tuple[int, ...]


class Executable:
    """The kernels of one plan, built for one device.

    Inputs are given as one list of buffers, one for each component of each input; results come back the same way.
    """

    def __init__(
        self, device: Device, program: Program | LibraryProgram, plan: Plan, inputs: Sequence[tuple[str, int]]
    ) -> None:
        self.device = device
        self.program = program
        self.plan = plan
        self.inputs = tuple(inputs)
        self._countable = LIMIT_32 if plan.index_type == "int" else 2**63 - 1
        index = "int32" if plan.index_type == "int" else "int64"
        self._kernels = [
            program.kernel(
                k.name,
                [index if is_size else "counter" if name == ARRIVED else "buffer" for name, _, is_size in k.arguments],
            )
            for k in plan.kernels
        ]
        self._batches: LRUCache[Sizes, Batch] = LRUCache(16)
        self._lock = make_lock(self._forget)

    def bind(self, sizes: Sizes, start: int = 0) -> Bound:
        """The launches for given sizes, which come in the order of `plan.sizes`.

        Args:
            start: the first element that is written, where the result is a part of larger memory
        """
        values = {**dict(zip(self.plan.sizes, sizes, strict=True)), START: start}
        position: dict[tuple[str, int], int] = {place: i for i, place in enumerate(self.inputs)}
        launches = []
        written: list[int] = []
        for kernel, plan in zip(self._kernels, self.plan.kernels, strict=True):
            in_place = {(plan.result, i): position[name, c] for i, name, c in plan.in_place}
            position.update(in_place)
            for name, lengths, widths in (*plan.scratch, (plan.result, plan.elements, plan.result_bytes)):
                for component, (length, width) in enumerate(zip(lengths, widths, strict=True)):
                    if (name, component) in in_place:
                        continue
                    position[name, component] = len(self.inputs) + len(written)
                    elements = length.evaluate(values)
                    if elements > self._countable:
                        raise LaunchError(
                            f"{plan.name} writes {elements} elements to {name}, which its indices of 32 bits do not "
                            "count: its schedule is not for arrays of these sizes"
                        )
                    written.append(elements * width)
            global_size, local_size = tuple([extent.evaluate(values) for extent in plan.global_size]), plan.local_size
            if local_size is None:
                global_size, local_size = self.device.grid(global_size)
            launches.append(
                Launch(
                    kernel,
                    global_size,
                    local_size,
                    tuple(
                        [
                            values[name] if is_size else position[name, c]
                            for name, c, is_size in plan.arguments
                            if name != ARRIVED
                        ]
                        + [number.evaluate(values) for number in plan.numbers]
                    ),
                )
            )
        slots = tuple([position[place] for place in self.plan.results])
        return Bound(tuple(launches), len(self.inputs), tuple(written), slots)

    def launch(self, inputs: list[Buffer], sizes: Sizes) -> list[Buffer]:
        """Enqueue all kernels and return the buffers of the result at once; they are ready when the device is done."""
        return self._batch(sizes).enqueue(inputs)

    def launch_into(self, memory: Buffer, start: int, inputs: list[Buffer], sizes: Sizes) -> None:
        """Enqueue all kernels, whose result is put into memory that is there, from an element on."""
        bound = self.bind(sizes, start)
        assert bound.slots == (bound.inputs + len(bound.written) - 1,)
        place = [*range(bound.inputs), *range(bound.inputs + 1, bound.inputs + len(bound.written)), bound.inputs]
        launches = [launch.over(place) for launch in bound.launches]
        Batch(self.device, launches, bound.inputs + 1, bound.written[:-1], ()).enqueue([*inputs, memory])

    def enqueue(
        self, inputs: list[Buffer], sizes: Sizes, poison: int | None = None
    ) -> tuple[list[Buffer], list[Event]]:
        """`launch`, with the events; `poison` fills fresh memory with that byte first."""
        return self._batch(sizes).traced(inputs, poison)

    def _forget(self) -> None:
        self._batches = LRUCache(16)

    def _batch(self, sizes: Sizes) -> Batch:
        with self._lock:
            found = self._batches.get(sizes)
            if found is None:
                bound = self.bind(sizes)
                found = Batch(self.device, bound.launches, bound.inputs, bound.written, bound.slots)
                self._batches[sizes] = found
        return found
