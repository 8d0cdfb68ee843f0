"""PoCL's first program, which is compiled in the background: once, for the right device, and only where kernels are."""

import os
import threading
from types import SimpleNamespace

import pytest

from lazyarr.runtime import first_build
from tests.lazyarr.runtime.processes import finished, python

FORKED = """
import os, signal, sys, time
import numpy as np
import lazyarr as la
from lazyarr.runtime import LaunchError, default_device, first_build

first_build.begin(default_device(), False)
time.sleep(0.02)
child = os.fork()
if not child:
    signal.alarm(20)
    la.config(tier="auto")
    x = la.asarray(np.ones(300_000, np.float32))
    assert np.asarray(x + 1)[0] == 2
    la.config(tier="compiled", tune="off", cache="off")
    try:
        np.asarray(x + 2)
    except LaunchError:
        os._exit(0)
    os._exit(1)
sys.exit(os.waitpid(child, 0)[1] != 0)
"""
WATCHED = """
from lazyarr.runtime import first_build
import lazyarr as la, numpy as np
first_build._compile = lambda context, target: print(target.name.partition("-")[0])
la.config(tune="off", cache="off", tier={tier!r})
for n in {lengths}:
    x = la.asarray(np.arange(n, dtype=np.float32))
    assert np.asarray(x + 1)[-1] == n
"""


def a_device(**changes):
    said = {"is_pocl": True, "limits": SimpleNamespace(compute_units=2), "handle": "all", "companion": "here"}
    return SimpleNamespace(**{**said, "calling_thread": object(), "context": None, **changes})


@pytest.fixture
def begun(monkeypatch):
    """What is begun from here on, each with its thread's name."""
    found = []
    monkeypatch.setattr(first_build, "_begun", False)
    monkeypatch.setattr(
        first_build, "_compile", lambda context, target: found.append((target, threading.current_thread().name))
    )

    def begin(*given):
        first_build.begin(*given)
        for thread in threading.enumerate():
            if thread.name == "lazyarr-first-build":
                thread.join()
        return found

    return begin


def test_it_is_begun_once(begun):
    one, other = a_device(), a_device()
    assert begun(one, True) == [("here", "lazyarr-first-build")]
    assert len(begun(one, False)) == len(begun(other, False)) == 1


@pytest.mark.parametrize(
    ("device", "in_thread", "target"),
    [({}, False, "all"), ({}, True, "here"), ({"calling_thread": None, "companion": None}, True, "all")],
)
def test_it_is_for_the_device_that_runs_it(begun, device, in_thread, target):
    assert begun(a_device(**device), in_thread) == [(target, "lazyarr-first-build")]


@pytest.mark.parametrize("other", [{"is_pocl": False}, {"limits": SimpleNamespace(compute_units=1)}])
def test_it_is_not_begun_where_nothing_is_won(begun, other):
    assert begun(a_device(**other), False) == []
    assert len(begun(a_device(), False)) == 1


def test_it_is_not_begun_in_a_forked_process(begun, monkeypatch):
    monkeypatch.setattr(first_build, "is_lost", lambda: True)
    assert begun(a_device(), False) == []


@pytest.mark.parametrize(
    ("tier", "lengths", "expected"),
    [
        ("compiled", (1 << 18, 9), "pthread"), ("compiled", (1 << 10, 1 << 18), "basic"),
        ("reference", (1 << 18,), ""), ("auto", (9, 100), ""),
    ],
)  # fmt: skip
def test_programs_with_kernels_begin_it(device, tier, lengths, expected):
    if not device.is_pocl or device.limits.compute_units < 2:
        pytest.skip("nothing is begun here")
    assert python(WATCHED.format(tier=tier, lengths=lengths)) == expected


def test_it_is_in_pocls_cache_and_says_nothing(device, tmp_path):
    if not device.is_pocl or device.limits.compute_units < 2:
        pytest.skip("nothing is begun here")
    code = "from lazyarr.runtime import default_device, first_build; first_build.begin(default_device(), False)"
    done = finished(code, POCL_CACHE_DIR=str(tmp_path))
    assert (done.stdout, done.stderr) == ("", "")
    assert any(b"empty" in path.read_bytes() for path in tmp_path.rglob("program.bc"))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing forks here")
def test_a_process_forked_meanwhile_does_not_wait_for_it(device, tmp_path):
    if not device.is_pocl or device.limits.compute_units < 2:
        pytest.skip("nothing is begun here")
    finished(FORKED, POCL_CACHE_DIR=str(tmp_path))
