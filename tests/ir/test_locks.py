"""Locks in a forked process: free, unless the thread that forked holds them."""

from __future__ import annotations

import gc
import os
import signal
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from ir import locks
from ir.locks import cached_property, make_lock, make_rlock

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


def child_finds(question: Callable[[], bool]) -> bool:
    """Is the answer yes in a child?"""
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        try:
            os._exit(0 if question() else 1)
        finally:
            os._exit(2)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@contextmanager
def held_by_another_thread(*held: threading.Lock | threading.RLock) -> Iterator[None]:
    ready, done = threading.Event(), threading.Event()

    def hold() -> None:
        for lock in held:
            lock.acquire()
        ready.set()
        done.wait(30)
        for lock in held:
            lock.release()

    thread = threading.Thread(target=hold)
    thread.start()
    assert ready.wait(10)
    yield
    done.set()
    thread.join()


def is_free(lock: threading.Lock | threading.RLock) -> bool:
    """May another thread take it?"""
    found = []
    thread = threading.Thread(target=lambda: found.append(lock.acquire(timeout=0.2) and lock.release() is None))
    thread.start()
    thread.join()
    return found == [True]


@pytest.mark.parametrize("make", [make_lock, make_rlock])
def test_what_another_thread_holds_is_free_in_a_child(make):
    lock = make()
    with held_by_another_thread(lock):
        assert not is_free(lock)
        assert child_finds(lambda: is_free(lock))
        assert not is_free(lock)  # here it is held
    assert is_free(lock)


def test_what_the_thread_that_forks_holds_is_held_in_a_child():
    lock = make_rlock()

    def released_once_each() -> bool:
        inside = is_free(lock)
        lock.release()
        half = is_free(lock)
        lock.release()
        return (inside, half, is_free(lock)) == (False, False, True)

    with lock, lock:
        assert child_finds(released_once_each)


def test_a_child_mends_what_was_being_changed():
    class Table:
        def __init__(self) -> None:
            self.lock = make_lock(self.clear)
            self.content = ["half"]

        def clear(self) -> None:
            with self.lock:
                self.content = []

    tables, called = [Table(), Table()], []
    own = make_lock(lambda: called.append(1))
    with held_by_another_thread(tables[0].lock, own):
        assert child_finds(lambda: ([x.content for x in tables], called) == ([[], ["half"]], [1]))
    assert tables[0].content == ["half"]
    seen = weakref.ref(tables[0])
    tables.clear()
    gc.collect()
    assert seen() is None


def test_locks_that_are_gone_are_forgotten():
    gc.collect()
    before = len(locks._locks)
    kept = [make_lock() for _ in range(10)] + [make_rlock() for _ in range(10)]
    assert len(locks._locks) == before + 20
    del kept
    gc.collect()
    assert len(locks._locks) == before


def test_a_property_is_computed_once_and_without_a_lock():
    class Thing:
        def __init__(self) -> None:
            self.calls = 0

        @cached_property
        def value(self) -> int:
            self.calls += 1
            if self.calls == 1:
                other = Thing()
                other.calls = 1
                thread = threading.Thread(target=lambda: other.value)
                thread.start()
                thread.join(10)
                assert other.calls == 2, "it waits for this one"
            return self.calls

    x = Thing()
    assert (x.value, x.value, x.calls) == (1, 1, 1)
    assert isinstance(Thing.value, cached_property)
