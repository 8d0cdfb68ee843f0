"""Launches that always go together: everything about them is decided once, a call only exchanges the buffers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lazyarr.memory.pool import Block
from lazyarr.runtime import bare
from lazyarr.runtime.errors import LaunchError
from lazyarr.runtime.memory import Buffer
from lazyarr.runtime.programs import BoundKernel, Own
from lazyarr.runtime.queues import DONE, Entry, Event, Queue

if TYPE_CHECKING:
    from lazyarr.runtime.devices import Device

__all__ = ["Batch", "Launch"]


@dataclass(frozen=True, slots=True)
class Launch:
    """One launch of a batch.

    Attributes:
        arguments: for each value that the kernel takes a number: the slot of a buffer, the value of a scalar
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

    Args:
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
        place.update((slot, inputs + number) for number, slot in enumerate(results))
        place.update((slot, inputs + len(results) + number) for slot, number in shared.items())
        self._launches = [_Bound(launch, place) for launch in launches if 0 not in launch.global_size]
        # Where an event is wanted, the last launch makes it; all do where there is no launch without.
        self._function = bare.function()
        silent = 0 if self._function is None else len(self._launches) - 1
        self._silent, self._telling = self._launches[:silent], self._launches[silent:]

    def enqueue(self, inputs: Sequence[Buffer]) -> list[Buffer]:
        """Enqueue all launches and return the results at once; they are ready when the device is done.

        The inputs must be buffers of this device; they are kept alive as long as they are in use.

        Raises:
            AllocationError: no memory for the results.
            LaunchError: the device refuses a launch.
        """
        device, queue, borrow = self.device, self._queue, self._memory.borrow
        entry: Entry = [None, 0]
        slots: list[Block] = []  # the memory of the inputs, of the results, and scratch
        for buffer in inputs:
            block = buffer.block
            slots.append(block)
            if block.pool is None:
                entry.append(buffer)
        results: list[Buffer] = []
        for nbytes, capacity in self._results:
            block = borrow(capacity)
            slots.append(block)
            results.append(Buffer(device, nbytes, block))
        if not self._launches:
            return results
        lasting = len(slots)
        try:
            slots.extend(map(borrow, self._scratch))
            if device.simulator:
                entry += slots  # which come from no pool
            with queue.lock:
                retires = queue.begin(entry) or self._function is None
                telling = retires or queue.watched
                try:
                    self._launch(queue, slots, entry, telling)
                except Exception:
                    queue.refused(entry)
                    raise
        finally:
            if self._scratch:
                self._memory.give_back(slots[lasting:])
        if retires:
            queue.retire()
        return results

    def _launch(self, queue: Queue, slots: Sequence[Block], entry: Entry, telling: bool) -> None:
        """Enqueue all launches; `telling`: the last one's event becomes the entry's. The queue's lock is held."""
        pointer, enqueue = queue.pointer, self._function
        for launch in self._silent if telling else self._launches:
            own = launch.set(slots)
            code = enqueue(pointer, own.pointer, launch.dimensions, None, launch.items, launch.group, 0, None, None)  # type: ignore[misc]  # else none is silent
            if code:
                raise launch.refused(bare.message(code))
            queue.launches += 1
        if telling:
            handle = queue.handle
            for launch in self._telling:
                own = launch.set(slots)
                entry[0] = launch.kernel.enqueue(handle, own.kernel, launch.global_size, launch.local_size)

    def traced(self, inputs: Sequence[Buffer], poison: int | None = None) -> tuple[list[Buffer], list[Event]]:
        """Run the batch launch by launch; with the events. `poison` fills what they write with that byte first."""
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
        results = [self._memory.buffer(nbytes, capacity) for nbytes, capacity in self._results]
        scratch = [self._memory.allocate(nbytes) for nbytes in self._scratch]
        slots = [*inputs, *results, *scratch]
        launches = [(each.kernel, each.global_size, each.local_size, each.arguments(slots)) for each in self._launches]
        return launches, [*scratch, *results]


class _Bound:
    """A launch with all that a call needs at hand."""

    __slots__ = (
        "_buffers", "_state", "_values", "dimensions", "global_size", "group", "items", "kernel", "local_size",
    )  # fmt: skip

    def __init__(self, launch: Launch, place: Mapping[int, int]) -> None:
        kernel = launch.kernel
        kernel.check_count(launch.arguments)
        self.kernel = kernel
        self.global_size = launch.global_size
        self.local_size = launch.local_size
        # the extents as a launch without event takes them
        self.dimensions = len(launch.global_size)
        self.items = bare.extents(launch.global_size)
        self.group = bare.extents(launch.local_size)
        self._state = kernel.state
        self._values = launch.arguments
        # index among the values, position in the kernel, slot
        self._buffers = [(i, position, place[launch.arguments[i]]) for i, position in kernel.buffers]

    def arguments(self, slots: Sequence[Any]) -> list[Any]:
        """The values to pass, buffers among them."""
        found: list[Any] = list(self._values)
        for index, _, slot in self._buffers:
            found[index] = slots[slot]
        return found

    def set(self, slots: Sequence[Block]) -> Own:
        """This thread's kernel object, with the memory in those slots and the numbers set as far as they changed."""
        own = self._state.own
        if own is None:
            own = self.kernel.bind()
        if own.owner is not self:
            self.kernel.set_scalars(own, self._values, self)
        last = own.arguments
        for index, position, slot in self._buffers:
            block = slots[slot]
            if last[index] != block.key:
                own.kernel.set_arg(position, block.handle)
                last[index] = block.key
        return own

    def refused(self, reason: str) -> LaunchError:
        """The error to raise when the device refuses the launch."""
        return self.kernel.refused(reason, self.global_size, self.local_size)


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
