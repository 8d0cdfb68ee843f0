"""Launches that always go together: everything about them is decided once, a call only exchanges the buffers."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from lazyarr.memory.pool import Block
from lazyarr.runtime import bare
from lazyarr.runtime.errors import LaunchError
from lazyarr.runtime.library import LibraryKernel
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

    kernel: BoundKernel | LibraryKernel
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

    Where the host's library computes something in between, or a kernel runs in the calling thread, what was enqueued
    before is waited for.

    Args:
        device: of all kernels and buffers.
        launches: in order; launches over nothing are left out.
        inputs: the number of buffers that a call passes.
        written: the size in bytes of each further slot.
        results: the slots that a call returns, in that order; an input among them is one that the launches write to.
    """

    def __init__(
        self, device: Device, launches: Sequence[Launch], inputs: int, written: Sequence[int], results: Sequence[int]
    ) -> None:
        self.device = device
        self._queue = device.queue
        self._memory = device.memory
        capacities = {slot: self._memory.capacity(nbytes) for slot, nbytes in enumerate(written, inputs)}
        made = [slot for slot in results if slot >= inputs]
        self._results = [(written[slot - inputs], capacities[slot]) for slot in made]
        self._returned: list[int] | None = None
        if len(made) < len(results):
            self._returned = [slot if slot < inputs else ~made.index(slot) for slot in results]
        self._scratch, shared = _plan(launches, capacities, frozenset(made))
        place = {slot: slot for slot in range(inputs)}
        place.update((slot, inputs + number) for number, slot in enumerate(made))
        place.update((slot, inputs + len(made) + number) for slot, number in shared.items())
        self._launches = [
            _Bound(launch.kernel, launch, place) if isinstance(launch.kernel, BoundKernel) else _Call(launch, place)
            for launch in launches
            if 0 not in launch.global_size
        ]
        self._function = bare.function()
        parts = [list(part) for _, part in groupby(self._launches, lambda each: (type(each), each.in_thread))]
        self._parts = [self._part(part) for part in parts]

    def _part(self, launches: Sequence[_Bound | _Call]) -> _Part:
        """Launches that are enqueued together, or calls of the library.

        Where an event is wanted, the last launch makes it; all do where there is no launch without.
        """
        bound = [each for each in launches if isinstance(each, _Bound)]
        silent = 0 if self._function is None else len(bound) - 1
        calls = [each for each in launches if isinstance(each, _Call)]
        return _Part(bound, bound[:silent], bound[silent:], calls, launches[0].in_thread)

    def enqueue(self, inputs: Sequence[Buffer]) -> list[Buffer]:
        """Enqueue all launches and return the results at once; they are ready when the device is done.

        The inputs must be buffers of this device; they are kept alive as long as they are in use.

        Raises:
            AllocationError: no memory for the results.
            LaunchError: the device refuses a launch.
        """
        device, queue, borrow = self.device, self._queue, self._memory.borrow
        entry: Entry = [None, 0]  # what a launch keeps alive comes behind
        retires = False
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
            return self._handed_back(inputs, results)
        lasting = len(slots)
        try:
            slots.extend(map(borrow, self._scratch))
            if device.simulator:
                entry += slots  # which come from no pool
            for part in self._parts:
                for call in part.calls:  # which wait for what others have enqueued, too: their memory may be ours now
                    call.kernel.launch(call.global_size, None, call.arguments(slots))
                if part.in_thread:
                    self._run(slots, part)
                elif part.launches:
                    own = entry if part is self._parts[-1] else entry.copy()
                    retires |= self._enqueue(queue, slots, own, part)
        finally:
            if self._scratch:
                # the last one first, so that the next call finds each where it was, and has nothing to set
                self._memory.give_back(slots[lasting:][::-1])
        if retires and self._returned is None:  # else room was made before
            queue.retire()
        return self._handed_back(inputs, results)

    def _handed_back(self, inputs: Sequence[Buffer], made: list[Buffer]) -> list[Buffer]:
        """The results: what was made, and the inputs that were written to."""
        if self._returned is None:
            return made
        return [inputs[slot] if slot >= 0 else made[~slot] for slot in self._returned]

    def _enqueue(self, queue: Queue, slots: Sequence[Block], entry: Entry, part: _Part) -> bool:
        """Enqueue launches; is what is done to be forgotten now?"""
        with queue.lock:
            retires = queue.begin(entry) or self._function is None
            try:
                self._launch(queue, slots, entry, part, retires or queue.watched)
            except Exception:
                queue.refused(entry)
                raise
        return retires

    def _launch(self, queue: Queue, slots: Sequence[Block], entry: Entry, part: _Part, telling: bool) -> None:
        """Enqueue launches; `telling`: the last one's event becomes the entry's. The queue's lock is held."""
        self._launch_silently(queue.pointer, slots, part.silent if telling else part.launches)
        if telling:
            handle = queue.handle
            for launch in part.telling:
                own = launch.set(slots)
                entry[0] = launch.kernel.enqueue(handle, own.kernel, launch.global_size, launch.local_size)

    def _launch_silently(self, pointer: ctypes.c_void_p, slots: Sequence[Block], launches: Sequence[_Bound]) -> None:
        """Enqueue launches to the queue of that pointer, without events."""
        enqueue = self._function
        for launch in launches:
            own = launch.set(slots)
            code = enqueue(pointer, own.pointer, launch.dimensions, None, launch.items, launch.group, 0, None, None)  # type: ignore[misc]  # else none is silent
            if code:
                raise launch.refused(bare.message(code))
            self._queue.launches += 1

    def _run(self, slots: Sequence[Block], part: _Part) -> None:
        """Run launches in this thread, after what was enqueued before: their memory may have been others'."""
        turn = self.device.calling_thread
        assert turn is not None
        with turn:
            if self._function is not None:
                self._launch_silently(turn.pointer, slots, part.launches)
                return
            for launch in part.launches:
                own = launch.set(slots)
                launch.kernel.enqueue(turn.handle, own.kernel, launch.global_size, launch.local_size)

    def traced(self, inputs: Sequence[Buffer], poison: int | None = None) -> tuple[list[Buffer], list[Event]]:
        """Run the batch launch by launch; with the events. `poison` fills what they write with that byte first."""
        launches, written = self.listed(inputs)
        if poison is not None:
            for buffer in written:
                buffer.fill(poison)
        events = [
            kernel.launch(global_size, local_size, arguments) for kernel, global_size, local_size, arguments in launches
        ]
        return self._handed_back(inputs, written[len(self._scratch) :]), events or [DONE]

    def listed(
        self, inputs: Sequence[Buffer]
    ) -> tuple[
        list[tuple[BoundKernel | LibraryKernel, tuple[int, ...], tuple[int, ...] | None, list[Any]]], list[Buffer]
    ]:
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
        "_buffers", "_state", "_values", "dimensions", "global_size", "group", "in_thread", "items", "kernel",
        "local_size",
    )  # fmt: skip

    def __init__(self, kernel: BoundKernel, launch: Launch, place: Mapping[int, int]) -> None:
        kernel.check_count(launch.arguments)
        self.kernel = kernel
        self.global_size = launch.global_size
        self.local_size = launch.local_size
        # the extents as a launch without event takes them
        self.dimensions = len(launch.global_size)
        self.items = bare.extents(launch.global_size)
        self.group = bare.extents(launch.local_size)
        self.in_thread = kernel.program.in_thread
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


class _Call:
    """A call of the host's library among launches."""

    __slots__ = ("_places", "_values", "global_size", "kernel", "local_size")
    in_thread = False

    def __init__(self, launch: Launch, place: Mapping[int, int]) -> None:
        assert isinstance(launch.kernel, LibraryKernel)
        self.kernel = launch.kernel
        self.kernel.check_count(launch.arguments)
        self.global_size = launch.global_size
        self.local_size = launch.local_size
        self._values = launch.arguments[len(self.kernel.buffers) :]
        self._places = [place[slot] for slot in launch.slots]

    def arguments(self, slots: Sequence[Any]) -> list[Any]:
        """The values to pass, buffers among them."""
        return [*[slots[place] for place in self._places], *self._values]


class _Part(NamedTuple):
    """What of a batch goes together: launches, of which the first ones need no event, or calls of the library.

    in_thread: do the launches run in the calling thread?
    """

    launches: Sequence[_Bound]
    silent: Sequence[_Bound]
    telling: Sequence[_Bound]
    calls: Sequence[_Call]
    in_thread: bool


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
