"""Kernels made in the background, by one thread, while the reference tier answers.

Builds and first launches leave Python's lock to others; deriving and generating take turns with them. The thread is
started when there is something to make, and does not come along into a forked process. When the process ends, nothing
new is begun; what is being made is waited for, for some seconds at most, and left alone if it takes longer.
"""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Final

from ir.cost.thresholds.tiers import ENDING_SECONDS, MAKING_SECONDS_AT_MOST
from ir.locks import make_lock
from lazyarr.tiers.ending import let_threads_be

__all__ = ["Making", "is_making_thread"]


class Making:
    """Something that is being made."""

    def __init__(self, make: Callable[[Callable[[], None]], object]) -> None:
        """It is made as soon as what was begun before is done.

        Args:
            make: makes it. What it is given is to be called between parts of the work, and raises where the process
                ends.
        """
        self._make = make
        self._ended = threading.Event()
        self._process = os.getpid()
        self._problem = ""
        _maker.put(self)

    def wait(self) -> str:
        """Wait until it has ended; what went wrong, empty where it is made."""
        if self._process != os.getpid():
            return "this process was forked meanwhile"
        if not self._ended.wait(MAKING_SECONDS_AT_MOST):
            return f"it takes more than {MAKING_SECONDS_AT_MOST:g} s"
        return self._problem

    def give_up(self, problem: str) -> None:
        """It will not be made."""
        self._problem = problem
        self._ended.set()

    def carry_out(self, between: Callable[[], None]) -> None:
        """Make it, in the thread."""
        try:
            self._make(between)
        except BaseException as error:
            self._problem = f"{type(error).__name__}: {error}"  # an error would hold the memory of the call
        finally:
            del self._make
            self._ended.set()


class _Maker:
    """The thread, and what it is still to make."""

    def __init__(self) -> None:
        self._waiting: SimpleQueue[Making | None] = SimpleQueue()
        self._lock = make_lock()
        self._thread: threading.Thread | None = None
        self._ends = False

    def put(self, making: Making) -> None:
        with self._lock:
            if self._ends:
                making.give_up(_ENDS)
                return
            self._waiting.put(making)
            if self._thread is None:
                atexit.register(self._end)
                self._thread = threading.Thread(target=self._run, name="lazyarr-making", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        while (making := self._waiting.get()) is not None:
            if self._ends:
                making.give_up(_ENDS)
            else:
                making.carry_out(self._between)
            del making

    def _between(self) -> None:
        if self._ends:
            raise SystemExit(_ENDS)

    def _end(self) -> None:
        """Let what is being made come to its next part: a runtime is not left in the middle of a build, if that does
        not take too long.
        """
        with self._lock:
            self._ends = True
            self._waiting.put(None)  # behind what waits, which is given up
        thread = self._thread
        if thread is None:
            return
        try:
            thread.join(ENDING_SECONDS)
        finally:  # also where the user does not wait so long
            if thread.is_alive():
                let_threads_be()


_ENDS: Final = "the process ends"

_maker = _Maker()


def is_making_thread(number: int) -> bool:
    """Is that the identifier of the thread?"""
    thread = _maker._thread
    return thread is not None and thread.ident == number


def _after_fork() -> None:
    global _maker
    atexit.unregister(_maker._end)  # the thread did not come along, and nobody waits for it at the end
    _maker = _Maker()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
