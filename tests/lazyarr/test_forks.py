"""Processes forked while other threads are busy: these do not come along, nor does what they held or counted."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

import lazyarr as la
from lazyarr import config
from lazyarr.aliasing import assignment
from lazyarr.eager.operations import recording_only
from lazyarr.graph.bounded_table import BoundedTable
from tests.lazyarr.evaluation import ON_DEVICE

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")

BEGINNING = """
import faulthandler, os, sys, threading, time
import numpy as np, lazyarr as la
from lazyarr import lift
from lazyarr.config import eagerness
from lazyarr.graph.tracing import recordings

def in_child(work):
    child = os.fork()
    if child == 0:
        faulthandler.dump_traceback_later(10, exit=True)
        try:
            work()
        except BaseException as error:
            print(type(error), error, file=sys.stderr, flush=True)
            os._exit(3)
        os._exit(0)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status == 0, status
"""


def run(code: str) -> None:
    given = {k: v for k, v in os.environ.items() if k != "LAZYARR_TIER"}
    command = [sys.executable, "-c", BEGINNING + code]
    done = subprocess.run(command, env=given, capture_output=True, text=True, check=False, timeout=100)
    assert done.returncode == 0, done.stderr


@needs_fork
@pytest.mark.slow
def test_a_child_writes_to_arrays_while_other_threads_of_its_parent_do():
    run("""
import ir.cost.count, ir.fusion.partition.graph  # here: a fork while a thread imports leaves the import's lock held

began = threading.Barrier(4)  # what else computes is imported by then

def write():
    for turn in range(1 << 30):
        z = la.asarray(np.zeros(200000))
        for i in range(20):
            z[i : i + 150000] = 1.0
        if not turn:
            began.wait()

def work():
    x = la.asarray(np.arange(200000.0))
    x[5:150000] = 1.0
    assert float(la.sum(x)) == 149995 + np.arange(200000.0)[:5].sum() + np.arange(200000.0)[150000:].sum()

for _ in range(3):
    threading.Thread(target=write, daemon=True).start()
began.wait()
for _ in range(10):
    time.sleep(0.02)
    in_child(work)
os._exit(0)
""")


@needs_fork
@pytest.mark.slow
def test_a_child_is_eager_though_another_thread_of_its_parent_records():
    run("""
begun, ends = threading.Event(), threading.Event()

def recorded(x):
    begun.set()
    assert ends.wait(60)
    assert not eagerness.on and recordings.count == 1
    return x + 1

def work():
    x = la.asarray(np.arange(5.0))
    x[0] = 1.0
    x[1] = x[0] * 2
    assert (x * 2).value is not None
    assert eagerness.on and not recordings.count
    assert type(eagerness).__name__ == "_Eagerness" and type(recordings).__name__ == "_Recordings"  # the fast ones
    assert np.asarray(lift.jit(lambda x: x * 2)(x)).tolist() == [2, 4, 4, 6, 8]
    assert eagerness.on and not recordings.count

x = la.asarray(np.arange(5.0))
found = []
thread = threading.Thread(target=lambda: found.append(np.asarray(lift.jit(recorded)(x)).tolist()), daemon=True)
thread.start()
assert begun.wait(60)
in_child(work)
e = la.asarray(np.arange(5.0))
e[0] = 1.0
assert (e * 2).value is not None and eagerness.on and not recordings.count  # as in a thread that does not record
ends.set()
thread.join()
assert found == [[1, 2, 3, 4, 5]]
assert type(eagerness).__name__ == "_Eagerness" and type(recordings).__name__ == "_Recordings"
""")


@needs_fork
@pytest.mark.slow
def test_a_child_goes_on_with_what_its_own_thread_records():
    run("""
def work(x):
    assert not eagerness.on and recordings.count == 1
    assert type((x + 1).traced_in) is not type(None)

def recorded(x):
    in_child(lambda: work(x))
    return x + 1

assert np.asarray(lift.jit(recorded)(la.asarray(np.arange(3.0)))).tolist() == [1, 2, 3]
""")


@needs_fork
@pytest.mark.slow
def test_a_child_ends_at_once_though_a_kernel_was_being_made():
    run("""
from lazyarr.tiers import making

begun, ends = threading.Event(), threading.Event()

def make(between):
    begun.set()
    ends.wait(60)

made = making.Making(make)
assert begun.wait(60)
started = time.monotonic()
child = os.fork()
if child == 0:
    assert "forked" in made.wait()
    done = making.Making(lambda between: None)
    assert not done.wait()  # by a thread of its own
    sys.exit(0)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
assert time.monotonic() - started < 4, "it waited for a thread that it does not have"
ends.set()
""")


@needs_fork
@pytest.mark.slow
@pytest.mark.skipif(not ON_DEVICE, reason="needs a device")
def test_a_device_that_was_being_opened_is_lost_in_a_child():
    run("""
from lazyarr.runtime import DeviceError, find_device, is_lost

device = find_device(None)
assert device._state is None
inside, done = threading.Event(), threading.Event()

def open_slowly():
    with device._lock:
        inside.set()
        done.wait(60)

def work():
    assert is_lost()
    try:
        device.context
    except DeviceError as error:
        assert "spawn" in str(error)
    else:
        raise AssertionError("it was opened")
    x = la.asarray(np.arange(200000.0))
    assert float(la.sum(x * 2)) == 199999 * 200000

thread = threading.Thread(target=open_slowly, daemon=True)
thread.start()
assert inside.wait(60)
in_child(work)
done.set()
thread.join()
assert not is_lost()
""")


@needs_fork
def test_a_table_that_was_being_changed_is_empty_in_a_child():
    table: BoundedTable[int, str] = BoundedTable(10)
    for i in range(3):
        table.put(i, str(i))
    inside, done = threading.Event(), threading.Event()

    def change() -> None:
        with table._lock:
            del table._cells[0]  # but not what `_order` says of it
            inside.set()
            done.wait(30)

    thread = threading.Thread(target=change)
    thread.start()
    assert inside.wait(10)
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        try:
            for i in range(30):
                table.put(i, str(i))
            os._exit(0 if table.get(29) == "29" and len(table) == 10 else 1)
        finally:
            os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    done.set()
    thread.join()


# --- threads that write to arrays of their own ------------------------------------------------------------------------


@pytest.fixture
def eagerly():
    old = config.settings()
    la.config(tier="auto")
    yield
    la.config(**vars(old))


def on_six(function):
    """What is recorded of a function of six numbers; nothing is computed."""
    with recording_only:
        return function(la.asarray(np.arange(6.0)))


def element(x):
    x[2] = 5.0


def masked(x):
    mask = la.asarray(np.arange(6) > 2)
    mask[0] = True  # so it is eager
    x[mask] = 5.0


def in_place(x):
    x[0] = 7.0
    given = on_six(lambda y: y * 2)
    with recording_only:
        x += given


@pytest.mark.parametrize(("write", "lazy"), [(element, True), (masked, True), (in_place, False)])
def test_a_thread_that_computes_for_a_write_does_not_keep_others_from_writing(eagerly, monkeypatch, write, lazy):
    """What an assignment has to compute first is computed while no lock is held."""
    x = on_six(lambda y: y * 3) if lazy else la.asarray(np.arange(6.0) * 3)
    other = la.asarray(np.arange(200000.0))
    finished, compute = [], assignment.compute_deep

    def write_elsewhere() -> None:
        other[5:150000] = 1.0

    def compute_meanwhile(given):
        thread = threading.Thread(target=write_elsewhere)
        thread.start()
        thread.join(10)
        finished.append(not thread.is_alive())
        compute(given)

    monkeypatch.setattr(assignment, "compute_deep", compute_meanwhile)
    write(x)
    assert finished == [True]
    wanted = np.arange(6.0) * 3
    if write is element:
        wanted[2] = 5
    elif write is masked:
        wanted[[0, 3, 4, 5]] = 5
    else:
        wanted[0] = 7
        wanted += np.arange(6.0) * 2
    np.testing.assert_array_equal(np.asarray(x), wanted)
    np.testing.assert_array_equal(np.asarray(other)[[4, 5, 149999, 150000]], [4, 1, 1, 150000])


def test_what_another_thread_has_let_be_eager_is_written_to_eagerly(eagerly, monkeypatch):
    """One that found it recorded, and then waited for the lock, loses no element that is written meanwhile."""
    x = on_six(lambda y: y * 3)
    own = assignment.becomes_eager

    def late(given, *arguments):
        monkeypatch.setattr(assignment, "becomes_eager", own)
        given[1] = 7.0  # as another thread does it
        assert given.value is not None
        return False

    monkeypatch.setattr(assignment, "becomes_eager", late)
    monkeypatch.setattr(assignment, "set_key", None)
    x[2] = 5.0
    np.testing.assert_array_equal(np.asarray(x), [0, 7, 5, 9, 12, 15])
