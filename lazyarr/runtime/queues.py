"""The queue of a device, the events of its commands, and what keeps their memory alive.

A kernel does not retain the buffers that it uses: releasing one while the kernel runs crashes some runtimes. The queue
therefore remembers, for each command, the Python objects that own its memory, until the command is known to be done.

Memory of the pool needs no such care: commands run in the order in which they were enqueued, so what a dying buffer
gives back may go to the next command at once. Only where a block leaves the pool, or the host writes to it, somebody
has to wait: `Queue.hold`, `Queue.finish`.
"""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import os
from collections import deque
from collections.abc import Iterator
from time import perf_counter
from typing import TYPE_CHECKING, Any

from ir.cost.thresholds.tiers import LONG_WAIT_SECONDS, WATCHED_SECONDS
from ir.locks import make_lock
from lazyarr.runtime.errors import LaunchError

if TYPE_CHECKING:
    import pyopencl as cl

# CL_EVENT_COMMAND_EXECUTION_STATUS; as a plain number it is read twice as fast as through the enumeration.
_EXECUTION_STATUS = 0x11D3
# Entries after which finished ones are looked for: asking for the state of a command in flight costs as much as one.
_PRUNE_EVERY = 16
# Commands in flight before the host waits: bounds the memory that is kept alive for them.
_WAIT_ABOVE = 1024
# Gives way to the threads that run the kernels, which are on the host's own processors.
_give_way = getattr(os, "sched_yield", None)

Entry = list[Any]  # [event or None, its number, objects to keep alive ...]


class Event:
    """The completion of one command on a device.

    An event keeps no buffer alive; the queue does. `None` as the command makes an event that is already done.
    """

    __slots__ = ("_command", "_queue")

    def __init__(self, command: cl.Event | None, queue: Queue | None) -> None:
        self._command = command
        self._queue = queue

    def wait(self) -> None:
        """Block until the command is done.

        Raises:
            LaunchError: the command failed while it ran.
        """
        command, queue = self._command, self._queue
        if command is None or queue is None:
            return
        try:
            command.wait()
        except Exception as error:
            raise queue.failure(error, "a command failed") from error
        pending = queue._pending
        if len(pending) == 1 and pending[0][0] is command:
            # The usual case, at half the cost: nothing else was enqueued.
            with queue.lock:
                last = pending.popleft() if len(pending) == 1 and pending[0][0] is command else None
            del last
        else:
            queue.retire()

    @property
    def done(self) -> bool:
        """Whether the command has ended, well or not."""
        return self._command is None or int(self._command.get_info(_EXECUTION_STATUS)) <= 0  # type: ignore[arg-type, call-overload]  # numbers are accepted

    @property
    def seconds(self) -> float | None:
        """How long the command ran, in seconds by the device's clock; None where the device does not say. Waits."""
        span = self.span
        return None if span is None else (span[1] - span[0]) * 1e-9

    @property
    def span(self) -> tuple[int, int] | None:
        """(start, end) in nanoseconds by the device's clock; None where the device does not say. Waits."""
        if self._command is None:
            return None
        self.wait()
        try:
            profile = self._command.profile
            return int(profile.start), int(profile.end)
        except Exception:
            # A device may refuse profiling information for a command or altogether: that is no failure of the command.
            return None


DONE = Event(None, None)
"""In place of the event of a command that was not needed."""


class Queue:
    """The in-order command queue of a device. Safe to use from several threads.

    Where recording times slows launches down, it is done only within `profiling`.

    Attributes:
        handle: the pyopencl queue that commands go to now.
        pointer: the queue as functions of the OpenCL library take it.
        name: the device's name, for messages.
        lock: held while a command is enqueued and remembered.
        launches: number of kernels enqueued so far.
        watched: is it worth an event to the last of some launches, for `finish` to see it end?
    """

    def __init__(self, plain: cl.CommandQueue, profiled: cl.CommandQueue, name: str, *, on_host: bool = False) -> None:
        """on_host: do the host's processors run the kernels?"""
        self.watched = on_host and _give_way is not None
        self._use(plain)
        self._plain = plain
        self._profiled = profiled
        self._profilers = 0
        self.name = name
        self.lock = make_lock()
        self.launches = 0
        self._pending: deque[Entry] = deque()
        self._numbers = itertools.count()
        self._abandoned = ""
        self._waits_are_short = True

    def _use(self, handle: cl.CommandQueue) -> None:
        self.handle = handle
        self.pointer = ctypes.c_void_p(handle.int_ptr)

    def abandon(self, reason: str) -> None:
        """Make every further command fail with `reason`; for the child of a fork, where the queue is dead."""
        self.handle = None  # type: ignore[assignment]  # the calls that follow fail on purpose
        self._abandoned = reason

    def failure(self, error: Exception | str, what: str) -> LaunchError:
        """The error to raise when a command failed."""
        return LaunchError(f"{what} on {self.name}: {self._abandoned or error}")

    @contextlib.contextmanager
    def profiling(self) -> Iterator[None]:
        """Within it, events know their times. Holds for all threads; may be nested; may wait for pending work."""
        self._count_profilers(1)
        try:
            yield
        finally:
            self._count_profilers(-1)

    def _count_profilers(self, change: int) -> None:
        with self.lock:
            self._profilers += change
            wanted = self._profiled if self._profilers else self._plain
            if wanted is not self.handle and not self._abandoned:
                # Commands on different queues have no order: one must be empty before the other is used.
                self.handle.finish()
                self._use(wanted)

    @property
    def pending(self) -> int:
        """Number of commands whose objects are still kept alive."""
        return len(self._pending)

    def enqueue(self, function: Any, keep: Any, *arguments: Any) -> Event:
        """Call `function(queue, *arguments)`, which enqueues one command, and keep `keep` alive until that is done.

        Raises:
            LaunchError: the command was refused.
        """
        with self.lock:
            entry: Entry = [None, 0, keep]
            self.begin(entry)
            try:
                entry[0] = function(self.handle, *arguments)
            except Exception as error:
                self.cancel(entry)
                if isinstance(error, LaunchError):
                    raise
                raise self.failure(error, "a command was refused") from error
        if entry[1] % _PRUNE_EVERY == 0:
            self.retire()
        return Event(entry[0], self)

    def begin(self, entry: Entry) -> bool:
        """Note that a command is about to be enqueued; its event becomes the first item. The lock is held.

        Before it runs: an interrupt must not leave a running command without owner. Returns whether it should have an
        event, after which `retire` is called. Most need none: now and then one tells that all before it are done.

        Raises:
            LaunchError: the queue was abandoned.
        """
        if self._abandoned:
            raise self.failure(self._abandoned, "nothing can be enqueued")
        number = entry[1] = next(self._numbers)
        self._pending.append(entry)
        return number % _PRUNE_EVERY == 0

    def refused(self, entry: Entry) -> None:
        """A command of those begun last was refused: what was enqueued before it may still run. The lock is held."""
        assert self._pending[-1] is entry
        with contextlib.suppress(Exception):  # the refusal is what the caller is told
            self.handle.finish()
        self._pending.pop()

    def cancel(self, entry: Entry) -> None:
        """Forget the command begun last: it was refused. The lock is held."""
        assert self._pending[-1] is entry
        self._pending.pop()

    def hold(self, owner: object) -> None:
        """Keep an object alive until all commands enqueued so far are done. Takes no lock: finalisers call it."""
        with contextlib.suppress(IndexError):  # nothing is in flight
            self._pending[-1].append(owner)

    def retire(self) -> None:
        """Forget the commands that are done, oldest first; wait for some if too many are in flight."""
        dropped: list[Entry] = []  # the objects are released after the lock: releasing them runs other code
        with self.lock:
            pending = self._pending
            done = 0
            for number, entry in enumerate(pending, 1):
                if entry[0] is None:
                    continue  # the next one with an event tells: the queue is in order
                if entry[0].get_info(_EXECUTION_STATUS) > 0:
                    break
                done = number
            dropped.extend(pending.popleft() for _ in range(done))
            remaining = len(pending)
            later = itertools.islice(pending, remaining // 2, None) if remaining > _WAIT_ABOVE else ()
            middle = next((entry[0] for entry in later if entry[0] is not None), None)
        if remaining <= _WAIT_ABOVE:
            return
        if middle is None:
            self.finish()
        else:
            middle.wait()

    def make_room(self) -> None:
        """Forget commands that are done, and wait if many are not, so that nobody waits after the next one."""
        if len(self._pending) >= _PRUNE_EVERY:
            self.retire()
        if len(self._pending) >= _WAIT_ABOVE:
            self.finish()

    def require(self) -> None:
        """Raise `LaunchError` if the queue was abandoned."""
        if self._abandoned:
            raise self.failure(self._abandoned, "nothing can be enqueued")

    def drain(self) -> None:
        """Wait for what is in flight, if anything is known to be.

        Raises:
            LaunchError: a command failed, or the queue was abandoned.
        """
        self.require()
        if self._pending:
            self.finish()

    def finish(self) -> None:
        """Block until every command enqueued so far is done, and forget them.

        Raises:
            LaunchError: a command failed.
        """
        with self.lock:
            # What other threads enqueue from here on is not known to be done when this returns.
            newest = self._pending[-1] if self._pending else (None, -1)
            last = newest[1]
        if self._abandoned and newest[0] is None:
            return
        began = perf_counter()
        try:
            if self.watched and self._waits_are_short and newest[0] is not None:
                self.handle.flush()
                _watch(newest[0])
            self.handle.finish()
            if newest[0] is not None:  # a wait for nothing says nothing
                self._waits_are_short = perf_counter() - began < LONG_WAIT_SECONDS
        except Exception as error:
            raise self.failure(error, "a command failed") from error
        dropped = []
        with self.lock:
            pending = self._pending
            while pending and pending[0][1] <= last:
                dropped.append(pending.popleft())


def _watch(event: cl.Event) -> None:
    """Return when a command is done, or has taken long."""
    assert _give_way is not None
    until = perf_counter() + WATCHED_SECONDS
    while event.get_info(_EXECUTION_STATUS) > 0 and perf_counter() < until:  # type: ignore[arg-type, operator]  # numbers are accepted
        _give_way()
