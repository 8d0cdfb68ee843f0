"""A program bound to a device: what a call launches, with nothing left to decide."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cachetools import LRUCache

from ir.core.sizes import LIMIT_32
from ir.fusion.symbols.symbolise import SymbolicKernel
from ir.locks import make_lock
from ir.opencl.generate import ARRIVED, START
from lazyarr.compile.in_thread import OneCore
from lazyarr.compile.plan import Plan
from lazyarr.runtime import Batch, BoundKernel, Buffer, Device, Event, Launch, LaunchError, Program
from lazyarr.runtime.library import LibraryKernel, LibraryProgram

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

    Attributes:
        program: what was built of it, for the calling thread or for the device's own; a program that runs it elsewhere
            has it built once more
        one_core: what it takes on one core; None: long
    """

    def __init__(
        self,
        device: Device,
        program: Program | LibraryProgram,
        plan: Plan,
        inputs: Sequence[tuple[str, int]],
        one_core: OneCore | None = None,
    ) -> None:
        self.device = device
        self.program = program
        self.plan = plan
        self.inputs = tuple(inputs)
        self.one_core = one_core
        self._countable = LIMIT_32 if plan.index_type == "int" else 2**63 - 1
        self._kernels = self._kernels_of(program)
        self._elsewhere: list[BoundKernel | LibraryKernel] | None = None
        self._batches: LRUCache[tuple[Sizes, bool | None], Batch] = LRUCache(16)
        self._lock = make_lock(self._forget)
        self._building = make_lock()

    def seconds_on_one_core(self, general: SymbolicKernel) -> float | None:
        """What it takes on one core at those sizes, beside what the host's library computes; None: long."""
        if isinstance(self.program, LibraryProgram):
            return 0.0
        return None if self.one_core is None else self.one_core.at(general)

    def _kernels_of(self, program: Program | LibraryProgram) -> list[BoundKernel | LibraryKernel]:
        index = "int32" if self.plan.index_type == "int" else "int64"
        return [
            program.kernel(
                k.name,
                [index if is_size else "counter" if name == ARRIVED else "buffer" for name, _, is_size in k.arguments],
            )
            for k in self.plan.kernels
        ]

    def _kernels_for(self, in_thread: bool | None) -> list[BoundKernel | LibraryKernel]:
        program = self.program
        if isinstance(program, LibraryProgram) or in_thread is None or in_thread == program.in_thread:
            return self._kernels
        with self._building:
            if self._elsewhere is None:
                built = self.device.build(program.source, declarations=program.declarations, in_thread=in_thread)
                self._elsewhere = self._kernels_of(built)
            return self._elsewhere

    def bind(self, sizes: Sizes, start: int = 0, in_thread: bool | None = None) -> Bound:
        """The launches for given sizes, which come in the order of `plan.sizes`.

        Args:
            start: the first element that is written, where the result is a part of larger memory
            in_thread: do they run in the calling thread, where the device has that? None: where it was built for
        """
        values = {**dict(zip(self.plan.sizes, sizes, strict=True)), START: start}
        position: dict[tuple[str, int], int] = {place: i for i, place in enumerate(self.inputs)}
        launches = []
        written: list[int] = []
        for kernel, plan in zip(self._kernels_for(in_thread), self.plan.kernels, strict=True):
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
        """`launch`, with the events, never in the calling thread: one that hangs can be given up, and all are measured
        alike. `poison` fills fresh memory with that byte first.
        """
        return self._batch(sizes, in_thread=False).traced(inputs, poison)

    def _forget(self) -> None:
        self._batches = LRUCache(16)

    def _batch(self, sizes: Sizes, in_thread: bool | None = None) -> Batch:
        key = sizes, in_thread
        with self._lock:
            found = self._batches.get(key)
            if found is None:
                bound = self.bind(sizes, in_thread=in_thread)
                found = Batch(self.device, bound.launches, bound.inputs, bound.written, bound.slots)
                self._batches[key] = found
        return found
