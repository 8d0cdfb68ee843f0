"""Threads that carry out NumPy's calls beside the one that waits for them; NumPy lets go of the interpreter's lock."""

from __future__ import annotations

import atexit
import contextlib
import contextvars
import os
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from queue import SimpleQueue
from typing import Any, TypeAlias, TypeVar

from ir.cost.thresholds.tiers import THREADS_AT_MOST
from ir.locks import make_lock

__all__ = ["is_worker", "threads_at_most", "together"]

T = TypeVar("T")
_Work: TypeAlias = Callable[[Iterator[Any]], None]


def threads_at_most() -> int:
    """How many threads work together: one for each processor that this process may use, but not many."""
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(processors, THREADS_AT_MOST)


def together(work: Callable[[Iterator[T]], None], items: Sequence[T], threads: int) -> None:
    """Calls `work` on so many threads, this one among them. Each item goes to one of them; all are done in the end.

    Raises:
        BaseException: what `work` raised first; no further items are handed out then.
    """
    helpers = min(threads, len(items)) - 1
    if helpers < 1:
        work(iter(items))
    else:
        task = _Task(work, items)
        _workers.hand_out(task, helpers)
        task.carry_out()


class _Task:
    """What threads do together, in copies of the context of the one that asked (NumPy keeps there what errors do)."""

    def __init__(self, work: _Work, items: Sequence[Any]) -> None:
        self._work = work
        self._left = deque(items)
        self._context = contextvars.copy_context()
        self._changed = threading.Condition()
        self._running = 0
        self._over = False
        self._problem: BaseException | None = None

    def _taken(self) -> Iterator[Any]:
        with contextlib.suppress(IndexError):  # nothing is left
            while True:
                yield self._left.popleft()

    def help(self) -> None:
        """Take a part; a thread that comes too late takes none."""
        with self._changed:
            if self._over:
                return
            self._running += 1
        try:
            self._context.copy().run(self._work, self._taken())
        except BaseException as problem:  # for the thread that waits
            self._problem = self._problem or problem
            self._left.clear()
        finally:
            with self._changed:
                self._running -= 1
                self._changed.notify()

    def carry_out(self) -> None:
        """Take a part, and wait for the others'."""
        try:
            self._work(self._taken())
        finally:
            self._left.clear()
            with self._changed:
                self._over = True
                while self._running:
                    self._changed.wait()
            del self._work  # and what it holds: threads that come too late may still hold the task
        problem, self._problem = self._problem, None
        if problem is not None:
            raise problem


class _Workers:
    """The threads, which start when they are first wanted."""

    def __init__(self) -> None:
        self._tasks: SimpleQueue[_Task | None] = SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._lock = make_lock()
        self._ended = False

    def hand_out(self, task: _Task, helpers: int) -> None:
        """Ask so many threads for help. There may be fewer: at the end of the process there are none."""
        if len(self._threads) < helpers:
            with self._lock, contextlib.suppress(RuntimeError):
                while len(self._threads) < helpers and not self._ended:
                    made = threading.Thread(target=self._work, name="lazyarr-blocks", daemon=True)
                    made.start()
                    self._threads.append(made)
        for _ in range(min(helpers, len(self._threads))):
            self._tasks.put(task)

    def has(self, number: int) -> bool:
        """Is it the number of one of the threads?"""
        return any(thread.ident == number for thread in self._threads)

    def _work(self) -> None:
        while (task := self._tasks.get()) is not None:
            task.help()
            del task  # and what it holds, while the thread waits

    def end(self) -> None:
        """Let all threads end, once they are done."""
        with self._lock:
            self._ended = True
            ending, self._threads = self._threads, []
            for _ in ending:
                self._tasks.put(None)
        for thread in ending:
            thread.join(1.0)


_workers = _Workers()


def is_worker(number: int) -> bool:
    """Is the thread of that number one of these? Between two tasks it holds nothing."""
    return _workers.has(number)


@atexit.register
def _end() -> None:
    _workers.end()


def _after_fork() -> None:
    global _workers
    _workers = _Workers()  # the threads did not come along


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
