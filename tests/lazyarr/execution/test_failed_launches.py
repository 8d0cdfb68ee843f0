"""Launches that fail, are interrupted or run beside other threads lose no value whose memory they take."""

from __future__ import annotations

import subprocess
import sys
import threading
from contextlib import contextmanager

import numpy as np
import pytest

import lazyarr as la
from lazyarr import lift
from lazyarr.compile import in_place as module
from lazyarr.config import configure
from lazyarr.evaluate import dying as evaluated
from lazyarr.runtime import Batch, LaunchError
from tests.lazyarr.execution.dying import TWO, at_once, doubled, fresh, warm  # noqa: F401  # a fixture that each test uses

pytestmark = pytest.mark.optimised  # compilers conclude from the names of memory that it is not the same


@contextmanager
def raising(monkeypatch, error):
    """Launches fail meanwhile."""
    with monkeypatch.context() as patched:

        def enqueue(*_):
            raise error

        for way in ("_enqueue", "_run"):  # to the device's own threads, and in the calling one
            patched.setattr(Batch, way, enqueue)
        yield


@pytest.mark.parametrize("way", ["operator", "jit"])
def test_a_failed_launch_loses_nothing(monkeypatch, way):
    @lift.jit
    def step(u):
        u *= TWO

    def change(x):
        if way == "jit":
            step(x)
        else:
            x *= TWO
        la.compute(x)

    x, values = fresh()
    for _ in range(3):
        change(x)
        values = values * 2
    with raising(monkeypatch, LaunchError("refused")), pytest.raises(LaunchError, match="refused"):
        change(x)
    if way == "jit":
        np.testing.assert_array_equal(x, values)
        change(x)
    np.testing.assert_array_equal(x, values * 2)


def test_an_interrupted_launch_gives_no_wrong_value(monkeypatch):
    @lift.jit
    def step(u):
        u *= TWO

    x, _ = fresh()
    for _ in range(3):
        step(x)
    with raising(monkeypatch, KeyboardInterrupt()), pytest.raises(KeyboardInterrupt):
        step(x)
    for ask in (np.asarray, lambda x: np.asarray(x + 1), step):
        with pytest.raises(LaunchError, match="interrupted"):
            ask(x)
    y, values = fresh()
    step(y)
    np.testing.assert_array_equal(y, values * 2)


def test_exceptions_in_between_keep_what_frames_hold():
    assert warm()

    def fails(x):
        y = x.copy()
        raise ValueError(y)

    x, values = fresh()
    try:
        fails(x)
    except ValueError as error:
        kept = error
    x *= TWO
    la.compute(x)
    np.testing.assert_array_equal(kept.args[0], values)


def test_threads_of_blocks_keep_nothing():
    code = """
import threading
from ir.reference import workers
from lazyarr.evaluate.dying import is_alone
workers.together(list, [1, 2, 3], 2)
assert [thread.name for thread in threading.enumerate()] == ["MainThread", "lazyarr-blocks"]
assert is_alone()
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_other_threads_keep_everything_where_it_is(monkeypatch):
    monkeypatch.undo()
    monkeypatch.setattr(module, "IN_PLACE_FROM_BYTES", 1)
    monkeypatch.setattr(module, "IN_PLACE_MADE_AFTER_BYTES", 0)
    configure(tier="compiled", tune="off")
    done = threading.Event()
    thread = threading.Thread(target=done.wait)
    thread.start()
    try:
        assert not evaluated.is_alone()
        x, values = fresh()
        for _ in range(4):
            assert not doubled(x)
        np.testing.assert_array_equal(x, values * 16)
    finally:
        done.set()
        thread.join()
