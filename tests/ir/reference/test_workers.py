"""Threads that help: every item goes to one, errors are handed over, and they end with the process."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
import weakref

import numpy as np
import pytest

from ir.reference import workers
from ir.reference.workers import threads_at_most, together


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_each_item_goes_to_one_thread(threads):
    for count in (0, 1, 2, 1000):
        done: list[int] = []
        together(done.extend, range(count), threads)
        assert sorted(done) == list(range(count))


def test_items_are_done_by_several_threads_at_once():
    barrier = threading.Barrier(3)

    def work(items):
        for _ in items:
            barrier.wait(30)

    together(work, range(3), 3)


def test_the_first_error_is_raised_and_ends_the_work():
    for where in ("helper", "caller"):
        main = threading.current_thread()
        done = []

        def work(items, where=where, main=main, done=done):
            for item in items:
                is_caller = threading.current_thread() is main
                if is_caller == (where == "caller"):
                    raise KeyError(where)
                done.append(item)
                time.sleep(0.001)

        with pytest.raises(KeyError, match=where):
            together(work, range(3000), 3)
        assert len(done) < 2000  # nobody went on
    done = []
    together(done.extend, range(50), 3)  # the threads are still there
    assert sorted(done) == list(range(50))


def test_nobody_works_after_it_returned():
    running = []

    def work(items):
        for _ in items:
            running.append(1)
            time.sleep(0.002)
            running.pop()

    for _ in range(20):
        together(work, range(5), 4)
        assert not running


def test_nothing_is_held_afterwards(monkeypatch):
    """Not even by a thread that has not come to it yet."""
    handed = []
    monkeypatch.setattr(workers._workers, "hand_out", lambda task, helpers: handed.append((task, helpers)))
    held = np.zeros(3)
    gone = weakref.ref(held)
    done = []
    together(lambda items, held=held: done.extend(items), range(5), 3)
    del held
    ((task, helpers),) = handed
    assert gone() is None and helpers == 2
    task.help()
    assert done == [0, 1, 2, 3, 4]


def test_settings_of_errors_are_those_of_the_caller():
    found = set()

    def work(items):
        for _ in items:
            found.add((threading.get_ident(), np.geterr()["divide"]))
            time.sleep(0.001)

    for wanted in ("ignore", "raise"):
        found.clear()
        with np.errstate(divide=wanted):
            together(work, range(50), 3)
        assert {divide for _, divide in found} == {wanted}


def test_callers_on_several_threads_do_not_wait_for_ever():
    results = []

    def caller(k):
        for _ in range(20):
            done = []
            together(done.extend, [(k, i) for i in range(40)], 3)
            results.append(sorted(done) == [(k, i) for i in range(40)])

    callers = [threading.Thread(target=caller, args=(k,)) for k in range(4)]
    for each in callers:
        each.start()
    for each in callers:
        each.join(60)
    assert results == [True] * 80


def test_as_many_threads_as_processors(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0}, raising=False)
    assert threads_at_most() == 1
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(1000)), raising=False)
    assert threads_at_most() == workers.THREADS_AT_MOST


SCRIPT = """
import atexit, os, sys, threading
import numpy as np
from ir.reference.blocks import in_blocks

def work():
    x = np.arange(10000.0)
    (found,) = in_blocks(lambda x, r: np.sqrt(x, out=r), np.empty, x.shape, (x,), ("<f8",), (), 100, 3)
    assert (found == np.sqrt(x)).all()

atexit.register(work)  # when the threads are gone: they end after this, being registered before
work()
assert threading.active_count() == 3
if hasattr(os, "fork"):
    child = os.fork()
    if not child:
        assert threading.active_count() == 1
        work()
        assert threading.active_count() == 3
        sys.exit(7)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
work()
def last():
    work()
    assert threading.active_count() == 1
from ir.reference import workers
workers._end()
last()
print("done")
"""


@pytest.mark.slow
def test_a_process_ends_and_forks_with_threads():
    found = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=120, check=False)
    assert (found.returncode, found.stdout.strip()) == (0, "done"), found.stderr
