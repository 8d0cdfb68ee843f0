"""Launches that always go together: everything about them is decided once, a call only exchanges the buffers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lazyarr.runtime.bare import BareLaunch
from lazyarr.runtime.memory import Buffer
from lazyarr.runtime.programs import BoundKernel
from lazyarr.runtime.queues import DONE, Event

if TYPE_CHECKING:
    import pyopencl as cl

    from lazyarr.runtime.devices import Device

__all__ = ["Batch", "Launch"]


@dataclass(frozen=True, slots=True)
class Launch:
    """One launch of a batch.

    arguments : for each value that the kernel takes a number: the slot of a buffer, the value of a scalar
    """

    kernel: BoundKernel
    global_size: tuple[int, ...]
    local_size: tuple[int, ...] | None
    arguments: tuple[int, ...]

    @property
    def slots(self) -> list[int]:
        """The slots of its buffers."""
        return [self.arguments[index] for index, _ in self.kernel.buffers]

    def over(self, slots: Sequence[int]) -> Launch:
        """The same launch with its slots numbered differently: slot i becomes `slots[i]`."""
        arguments = list(self.arguments)
        for index, _ in self.kernel.buffers:
            arguments[index] = slots[arguments[index]]
        return Launch(self.kernel, self.global_size, self.local_size, tuple(arguments))


class Batch:
    """Kernel launches of one device that are enqueued together, in order. Safe to use from several threads.

    Buffers are numbered by slots: first the inputs, then what the launches write. Of the latter, results come from the
    pool in each call and are handed out; the rest is scratch memory, planned here: slots that are not in use at the
    same time share it, and it goes back to the pool as soon as all launches are enqueued, since the queue keeps them in
    order.

    Arguments:
        device: of all kernels and buffers.
        launches: in order; launches over nothing are left out.
        inputs: the number of buffers that a call passes.
        written: the size in bytes of each further slot.
        results: the slots that a call returns, in that order.
    """

    def __init__(
        self, device: Device, launches: Sequence[Launch], inputs: int, written: Sequence[int], results: Sequence[int]
    ) -> None:
        self.device = device
        self._queue = device.queue
        self._memory = device.memory
        capacities = {slot: self._memory.capacity(nbytes) for slot, nbytes in enumerate(written, inputs)}
        self._results = [(written[slot - inputs], capacities[slot]) for slot in results]
        self._scratch, shared = _plan(launches, capacities, frozenset(results))
        place = {slot: slot for slot in range(inputs)}
        place.update((slot, inputs + number) for slot, number in shared.items())
        place.update((slot, inputs + len(self._scratch) + number) for number, slot in enumerate(results))
        self._launches = [_Bound(launch, place) for launch in launches if 0 not in launch.global_size]

    def enqueue(self, inputs: Sequence[Buffer]) -> list[Buffer]:
        """Enqueue all launches and return the results at once; they are ready when the device is done.

        The inputs must be buffers of this device; they are kept alive as long as they are in use.

        Raises:
            AllocationError: no memory for the results.
            LaunchError: the device refuses a launch.
        """
        memory, queue = self._memory, self._queue
        results = [memory.buffer(nbytes, capacity) for nbytes, capacity in self._results]
        if not self._launches:
            return results
        scratch = [memory.borrow(capacity) for capacity in self._scratch]
        slots: list[Any] = [*inputs, *scratch, *results]
        keep = slots if self.device.simulator else [buffer for buffer in inputs if buffer.pool is None]
        event = None
        try:
            with queue.lock:
                entry = queue.begin(keep)
                try:
                    handle = queue.handle
                    for launch in self._launches[:-1]:
                        launch.enqueue_bare(handle, slots)
                    if queue.asks_event(entry):
                        event = self._launches[-1].enqueue(handle, slots)
                    else:
                        self._launches[-1].enqueue_bare(handle, slots)
                except Exception:
                    queue.refused(entry)
                    raise
                entry[0] = event  # of the last: the queue is in order
        finally:
            if scratch:
                memory.give_back(scratch)
        queue.tidy(entry)
        return results

    def traced(self, inputs: Sequence[Buffer], poison: int | None = None) -> tuple[list[Buffer], list[Event]]:
        """The same launch by launch, with their events; `poison` fills what they write with that byte first."""
        launches, written = self.listed(inputs)
        if poison is not None:
            for buffer in written:
                buffer.fill(poison)
        events = [
            kernel.launch(global_size, local_size, arguments) for kernel, global_size, local_size, arguments in launches
        ]
        return written[len(self._scratch) :], events or [DONE]

    def listed(
        self, inputs: Sequence[Buffer]
    ) -> tuple[list[tuple[BoundKernel, tuple[int, ...], tuple[int, ...] | None, list[Any]]], list[Buffer]]:
        """What a call would launch: each kernel with its global size, local size and arguments; and what they write:
        scratch memory, then the results.
        """
        written = [self._memory.allocate(nbytes) for nbytes in self._scratch]
        written += [self._memory.buffer(nbytes, capacity) for nbytes, capacity in self._results]
        slots = [*inputs, *written]
        launches = [(each.kernel, each.global_size, each.local_size, each.arguments(slots)) for each in self._launches]
        return launches, written


class _Bound:
    """A launch with all that a call needs at hand."""

    __slots__ = ("_bare", "_buffers", "_state", "_values", "global_size", "kernel", "local_size")

    def __init__(self, launch: Launch, place: Mapping[int, int]) -> None:
        kernel = launch.kernel
        kernel.check_count(launch.arguments)
        self.kernel = kernel
        self.global_size = launch.global_size
        self.local_size = launch.local_size
        self._state = kernel.state
        self._values = launch.arguments
        self._bare = BareLaunch(launch.global_size, launch.local_size)
        # index among the values, position in the kernel, slot
        self._buffers = [(i, position, place[launch.arguments[i]]) for i, position in kernel.buffers]

    def arguments(self, slots: Sequence[Any]) -> list[Any]:
        """The values to pass, buffers among them."""
        found: list[Any] = list(self._values)
        for index, _, slot in self._buffers:
            found[index] = slots[slot]
        return found

    def enqueue(self, queue: cl.CommandQueue, slots: Sequence[Any]) -> cl.Event:
        """Enqueue the kernel over the buffers (or blocks) in those slots, setting what changed."""
        return self.kernel.enqueue(queue, self._set(slots), self.global_size, self.local_size)

    def enqueue_bare(self, queue: cl.CommandQueue, slots: Sequence[Any]) -> None:
        """The same without an event."""
        self.kernel.enqueue_bare(queue, self._set(slots), self.global_size, self.local_size, self._bare)

    def _set(self, slots: Sequence[Any]) -> cl.Kernel:
        """This thread's kernel object with the arguments set."""
        kernel, state = self.kernel, self._state
        handle: cl.Kernel | None = state.kernel
        if handle is None:
            handle = kernel.bind()
        last = state.arguments
        if state.owner is not self:
            kernel.set_scalars(handle, last, self._values)
            state.owner = self
        for index, position, slot in self._buffers:
            buffer = slots[slot]
            if last[index] != buffer.key:
                handle.set_arg(position, buffer.handle)
                last[index] = buffer.key
        return handle


def _plan(
    launches: Sequence[Launch], capacities: Mapping[int, int], results: frozenset[int]
) -> tuple[list[int], dict[int, int]]:
    """Which slots share scratch memory: the capacity of each piece, in bytes, and the number of the piece of each slot.

    Pieces are taken by slots of the same capacity only: the pool has them in these sizes.
    """
    last = {slot: number for number, launch in enumerate(launches) for slot in launch.slots}
    pieces: list[int] = []
    taken: dict[int, int] = {}
    free: dict[int, list[int]] = {}
    for number, launch in enumerate(launches):
        for slot in launch.slots:
            if slot in capacities and slot not in results and slot not in taken:
                unused = free.setdefault(capacities[slot], [])
                if not unused:
                    unused.append(len(pieces))
                    pieces.append(capacities[slot])
                taken[slot] = unused.pop()
        for slot in dict.fromkeys(launch.slots):
            if slot in taken and last[slot] == number:
                free[capacities[slot]].append(taken[slot])
    return pieces, taken
