"""Kernels are made in the background while NumPy answers, and are waited for at a count."""

from __future__ import annotations

import atexit
import gc
import os
import subprocess
import sys
import threading
import time
import weakref

import numpy as np
import pytest

import lazyarr as la
from ir.schedules.candidates import Candidates
from lazyarr import config, lift
from lazyarr.compile.compiler import Compiler
from lazyarr.compile.program import CompiledProgram
from lazyarr.errors import CandidateWarning
from lazyarr.tiers import making, programs
from tests.lazyarr.evaluation import ON_DEVICE
from tests.lazyarr.tiers.support import X, assume, expected, program_of, run, work

pytestmark = [pytest.mark.skipif(not ON_DEVICE, reason="needs a device"), pytest.mark.usefixtures("restored")]


@pytest.fixture
def f(own_programs, monkeypatch):
    """A function whose kernels begin to be made in its 4th call and are waited for in its 11th, if they are unknown."""
    assume(monkeypatch, asking=np.inf, saved=1.0, unknown=True)
    made = lift.jit(work)
    made(la.asarray(X))
    written = program_of(made, X).reference.program
    assume(monkeypatch, asking=0.0, compiling=6.5 * written.seconds / max(written.kernels, 1))
    return made


def calls(f, count):
    """Call it; after each call: its tier."""
    found = []
    for _ in range(count):
        np.testing.assert_allclose(np.asarray(f(la.asarray(X))), expected(X), rtol=1e-5)
        found.append(program_of(f, X).tier.partition(":")[0])
    return found


def test_numpy_answers_while_they_are_made(f, monkeypatch):
    goes_on, threads = threading.Event(), []
    own = CompiledProgram.make

    def make(self, inputs, between):
        threads.append(threading.current_thread())
        assert goes_on.wait(30)
        own(self, inputs, between)

    monkeypatch.setattr(CompiledProgram, "make", make)
    compiled = []
    monkeypatch.setattr(Compiler, "_find", _noting(compiled, Compiler._find))
    assert calls(f, 9) == ["reference"] * 9  # the tenth in all
    deadline = time.monotonic() + 60
    while not threads and time.monotonic() < deadline:  # it is planned there, too
        time.sleep(0.01)
    assert len(threads) == 1
    assert threads[0] is not threading.main_thread()
    assert not compiled
    threading.Timer(0.2, goes_on.set).start()
    assert calls(f, 3) == ["compiled"] * 3
    assert compiled
    assert set(compiled) == {threads[0]}  # none of them while the user waited
    assert ("compiled", "it has cost as much as compiling does") in config.tier_statistics()


def test_other_programs_choose_alike_whenever_the_thread_starts(f, monkeypatch):
    monkeypatch.setattr(making, "Making", lambda make: None)  # which never starts
    monkeypatch.setattr(programs, "_compiles", False)
    program_of(f, X)._begin([])
    assert programs._compiles


def test_a_thread_that_is_done_sooner_changes_nothing(f, monkeypatch):
    spending = program_of(f, X)._spending
    monkeypatch.setattr(CompiledProgram, "is_known", lambda self: spending.awaited is not None)
    assert calls(f, 12) == ["reference"] * 9 + ["compiled"] * 3


def _noting(threads, function):
    def noted(*arguments):
        threads.append(threading.current_thread())
        return function(*arguments)

    return noted


@pytest.mark.parametrize("error", [RuntimeError("made to fail"), MemoryError()])
def test_what_cannot_be_made_costs_nothing_but_its_time(f, monkeypatch, error):
    def make(self, inputs, between):
        raise error

    monkeypatch.setattr(CompiledProgram, "make", make)
    assert calls(f, 9) == ["reference"] * 9
    with pytest.warns(CandidateWarning, match=f"NumPy goes on: {type(error).__name__}") as caught:
        assert calls(f, 5) == ["reference"] * 5
    assert len(caught) == 1
    assert ("reference", "its kernels could not be made") in config.tier_statistics()


def test_what_hangs_is_not_waited_for_for_ever(f, monkeypatch):
    released = threading.Event()
    monkeypatch.setattr(making, "MAKING_SECONDS_AT_MOST", 0.1)
    monkeypatch.setattr(CompiledProgram, "make", lambda self, inputs, between: released.wait(60))
    calls(f, 9)
    with pytest.warns(CandidateWarning, match=r"takes more than 0\.1 s"):
        assert calls(f, 2) == ["reference"] * 2
    released.set()


@pytest.mark.parametrize("long", [False, True])
def test_kernels_are_not_made_beside_a_first_run_that_is_not_long(f, monkeypatch, long):
    assume(monkeypatch, compiling=1e-9)
    monkeypatch.setattr(programs, "MAKING_BESIDE_A_FIRST_RUN", 0.0 if long else np.inf)
    la.config(tune="first-call", tune_seconds=100.0)  # else a run takes as long
    spending = program_of(f, X)._spending
    spending.seconds = 0.0
    begun = []
    for _ in range(2):
        f(la.asarray(X))
        begun.append(spending.awaited is not None)
    assert begun == [long, True]


def test_searches_wait_for_later_calls(f, monkeypatch):
    la.config(tune="first-call", tune_above=1)
    found = calls(f, 13)
    assert "compiled" in found
    assert program_of(f, X).compiled.searches_later


@pytest.mark.parametrize(("factor", "ran"), [(2.5, "reference"), (1.5, "compiled")])
def test_kernels_that_are_predicted_to_take_far_longer_are_not_made(f, monkeypatch, recwarn, factor, ran):
    program = f.recording(la.asarray(X))[0].program
    monkeypatch.setattr(programs, "PREDICTED_FROM_SECONDS", 0.0)
    seconds = factor * program.reference.program.seconds
    monkeypatch.setattr(CompiledProgram, "seconds_of_a_run", lambda self, between: seconds)
    assert calls(f, 14)[-3:] == [ran] * 3
    assert (program.tier == "reference: kernels would not be faster") == (ran == "reference")
    assert not [warning for warning in recwarn if warning.category is CandidateWarning]


def test_other_settings_are_asked_again(f, monkeypatch):
    """What the host's library computes depends on them, so that what was found before settles nothing."""
    program = program_of(f, X)
    monkeypatch.setattr(programs, "PREDICTED_FROM_SECONDS", 0.0)

    def seconds(self, between):
        return np.inf if config.settings().library == "on" else 0.0

    monkeypatch.setattr(CompiledProgram, "seconds_of_a_run", seconds)
    assert calls(f, 12)[-1] == "reference"
    la.config(library="off")
    assert calls(f, 2) == ["compiled"] * 2
    la.config(library="on")
    assert calls(f, 2) == ["reference"] * 2
    assert program.tier == "reference: kernels would not be faster"
    la.config(tier="compiled")
    assert calls(f, 1) == ["compiled"]


def test_data_in_a_devices_memory_are_not_brought_back_where_numpy_is_faster(f, monkeypatch):
    monkeypatch.setattr(programs, "PREDICTED_FROM_SECONDS", 0.0)
    monkeypatch.setattr(CompiledProgram, "seconds_of_a_run", lambda self, between: np.inf)
    monkeypatch.setattr(programs, "may_compute_elsewhere", lambda place: True)
    monkeypatch.setattr(programs, "TRANSFER_SECONDS_PER_BYTE", 1e3)
    assert calls(f, 14)[-1] == "reference"
    monkeypatch.setattr(programs, "is_on_host", lambda storage: False)
    assert calls(f, 1) == ["compiled"]


def test_what_no_schedule_is_for_is_made_of_smaller_kernels_all_the_same(f, monkeypatch):
    """The model says nothing of such a kernel, and what makes kernels takes it apart."""
    monkeypatch.setattr(programs, "PREDICTED_FROM_SECONDS", 0.0)
    monkeypatch.setattr(Compiler, "_first", lambda self, general: None)
    assert calls(f, 14)[-1] == "compiled"


def test_what_is_predicted_is_a_default_that_breaks_no_constraint(f, monkeypatch):
    found = program_of(f, X).compiled
    general, own, refused = found._cut.steps[0].general, Candidates.defaults, Candidates.refused
    seconds = found._compiler.seconds_of_a_run(general)

    broken = {"schedule": "one that breaks a constraint"}
    monkeypatch.setattr(Candidates, "defaults", lambda *given: iter([broken, *own(*given)]))
    monkeypatch.setattr(Candidates, "refused", lambda self, c, *given: c is broken or refused(self, c, *given))
    assert found._compiler.seconds_of_a_run(general) == seconds > 0.0


def test_short_runs_are_not_predicted_by_the_device(f, monkeypatch):
    monkeypatch.setattr(CompiledProgram, "seconds_of_a_run", None)  # which would raise
    assert calls(f, 14)[-1] == "compiled"


def test_a_long_run_is_compiled_at_once(f, monkeypatch):
    assume(monkeypatch, compiling=0.0)
    monkeypatch.setattr(making, "Making", None)
    assert calls(f, 2) == ["compiled"] * 2


def test_it_holds_no_memory_when_it_has_ended(f):
    given = X.copy()
    given.setflags(write=False)
    x = la.asarray(given)
    seen = weakref.ref(x.node)
    for _ in range(13):
        f(x)
    f.clear()
    del x
    gc.collect()
    assert seen() is None


SCRIPT = """
import os, sys, time, numpy as np, lazyarr as la
from lazyarr import lift, config
from lazyarr.compile.program import CompiledProgram
from lazyarr.eager import operations
from lazyarr.tiers import programs
programs.Program._saved = lambda *given: 1.0
programs.ASKING_SECONDS = programs.FIRST_ASKING_SECONDS = 0.0
CompiledProgram.is_known = lambda self: False
la.config(tune="off")
x = la.asarray(np.ones((300, 40), np.float32))
f = lift.jit(lambda x: la.exp(x - la.max(x, axis=1, keepdims=True)))
f(x)
written = f.recording(x)[0].program.reference.program
programs.seconds_to_compile_program = lambda kernels, calls, first: 6.5 * written.seconds
program = f.recording(x)[0].program
for _ in range(4):
    f(x)
assert program._making is not None
"""


@pytest.mark.slow
@pytest.mark.parametrize("seconds", [0.0, 0.05, 0.2, 0.4])
def test_a_process_ends_while_kernels_are_made(seconds):
    began = time.monotonic()
    run(f"{SCRIPT}\ntime.sleep({seconds})\nsys.exit(0)")
    assert time.monotonic() - began < 30


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_stays_with_numpy():
    code = """
import warnings
child = os.fork()
if child == 0:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(10):
            assert (np.asarray(f(x)) == 1).all()
    assert program.tier == "reference: OpenCL does not come along into a forked process", program.tier
    assert [str(each.message) for each in caught if "forked" in str(each.message)], caught
    os._exit(0)
_, status = os.waitpid(child, 0)
assert status == 0, status
for _ in range(10):
    f(x)
assert program.tier.startswith("compiled"), program.tier
"""
    run(SCRIPT + code)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_process_forked_after_kernels_ran_goes_on_with_numpy():
    """What was computed is there, also what was being computed; kernels that are asked for raise."""
    code = """
import warnings
y = la.asarray(np.ones((200, 200), np.float32))
product = lift.jit(lambda a: a @ a)
for _ in range(60):
    f(x), product(y)
pending = f(x) + 1
assert program.tier.startswith("compiled"), program.tier
assert product.recording(y)[0].program.tier.startswith("compiled")
child = os.fork()
if child == 0:
    caught = warnings.catch_warnings(record=True).__enter__()
    assert (np.asarray(pending) == 2).all()
    for _ in range(3):
        assert (np.asarray(f(x)) == 1).all()
        assert (np.asarray(product(y)) == 200).all()
        assert float(la.sum(y * 2 + y)) == 3 * 200 * 200
    assert program.tier == "reference: OpenCL does not come along into a forked process", program.tier
    assert [str(each.message) for each in caught if "spawn" in str(each.message)], caught
    la.config(tier="compiled")
    try:
        np.asarray(f(x))
    except Exception as error:
        os._exit(0 if "spawn" in str(error) else 2)
    os._exit(3)
_, status = os.waitpid(child, 0)
assert status == 0, status
assert (np.asarray(f(x)) == 1).all()
assert program.tier.startswith("compiled"), program.tier
"""
    run(SCRIPT + code)


def test_an_exception_of_the_interpreter_ends_the_thread_alone():
    """Work that was to be done after another that broke is done."""
    first = making.Making(lambda between: sys.exit(3))
    done = []
    second = making.Making(lambda between: done.append(between()))
    assert first.wait() == "SystemExit: 3"
    assert not second.wait()
    assert done == [None]


# --- the end of the process -------------------------------------------------------------------------------------------

BUILDING = """
import sys, time
from lazyarr.runtime import find_device
from lazyarr.tiers import making
import pyopencl as cl
making.ENDING_SECONDS = 0.3
context = find_device(None).context
begun = []

def make(between):
    while True:  # a build that takes until the process is gone: each call is one of C++ that takes Python's lock again
        cl.Program(context, "__kernel void f(__global float* a) { a[get_global_id(0)] = 1; }").build()
        begun.append(0)

making.Making(make)
making.Making(lambda between: print("begun"))
while not begun:
    time.sleep(0.01)
print("ends")
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="of the GNU libraries")
@pytest.mark.parametrize(
    ("ending", "status"),
    [("", 0), ("sys.exit(7)", 7), ("raise ValueError('of the script')", 1), ("sys.exit('said')", 1)],
)
def test_a_build_that_does_not_end_leaves_the_process_its_status(ending, status):
    began = time.monotonic()
    done = subprocess.run([sys.executable, "-c", BUILDING + ending], capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stderr
    assert done.stdout == "ends\n"
    assert "terminate" not in done.stderr
    assert ("of the script" in done.stderr) == ("ValueError" in ending)
    assert time.monotonic() - began < 30


@pytest.fixture
def maker(monkeypatch):
    """A thread of its own, which the test ends."""
    found = making._Maker()
    monkeypatch.setattr(making, "_maker", found)
    monkeypatch.setattr(making, "let_threads_be", lambda: left.append(True))
    left: list[bool] = []
    yield found, left
    atexit.unregister(found._end)


def test_nothing_is_begun_when_the_process_ends(maker):
    found, left = maker
    inside, goes_on, made = threading.Event(), threading.Event(), []

    def make(between):
        inside.set()
        assert goes_on.wait(30)
        between()
        made.append("after the end")

    first, second = making.Making(make), making.Making(lambda between: made.append("second"))
    assert inside.wait(30)
    threading.Timer(0.2, goes_on.set).start()
    found._end()
    third = making.Making(lambda between: made.append("third"))
    assert not found._thread.is_alive()
    assert not left
    assert first.wait() == "SystemExit: the process ends"
    assert second.wait() == third.wait() == "the process ends"
    assert not made


def test_what_takes_longer_than_the_end_waits_is_left_alone(maker, monkeypatch):
    found, left = maker
    monkeypatch.setattr(making, "ENDING_SECONDS", 0.05)
    goes_on = threading.Event()
    waiting = making.Making(lambda between: goes_on.wait(30))
    began = time.monotonic()
    found._end()
    assert left == [True]
    assert time.monotonic() - began < 10
    goes_on.set()
    assert not waiting.wait()


def test_a_maker_that_made_nothing_ends_at_once(maker):
    found, left = maker
    found._end()
    assert not left
    assert making.Making(lambda between: None).wait() == "the process ends"
