"""Evaluation: what is computed already is read, for as long as a vertex lives; leaves and their names."""

from __future__ import annotations

import gc
import threading

import numpy as np
import pytest

import lazyarr as la
from lazyarr.evaluate import engine
from lazyarr.graph import vertices
from lazyarr.graph.leaves import leaf
from tests.lazyarr.support import check

pytestmark = pytest.mark.device

X = np.linspace(-3, 5, 11, dtype=np.float32)


def known():
    """Vertices whose values are kept, those that other tests left among them, which may go at any time."""
    return {id(entry): entry for entry in vertices.VERTICES.values() if entry.leaf is not None}


def launches(array):
    return engine.device_of([array]).queue.launches


@pytest.mark.parametrize("dtype", ["float32", "complex64"])
def test_a_vertex_that_was_computed_is_read(dtype):
    for attempt in range(2):  # the first compiles, for which kernels run
        values = X.astype(dtype) + attempt
        x = la.asarray(values)
        y = la.cumulative_sum(x * 3)
        later = y + 1
        la.compute(y)
        before = launches(x)
        check(later, np.cumsum(values * 3) + 1)
    assert launches(x) == before + 1  # the sum of two numbers alone


def test_values_are_forgotten_with_their_vertices():
    gc.collect()
    before = known()  # keeps these entries, so that no other has their address
    x = la.asarray(X)
    y = x * 3.25
    later = y + 1
    assert later.node is not y.node  # there are vertices: recorded calls need none
    la.compute(y)
    assert len(known().keys() - before) == 1
    check(later, X * np.float32(3.25) + 1)
    del later
    gc.collect()
    assert not known().keys() - before
    for number in range(50):  # addresses are used again
        check(x * number + 0.75, X * number + np.float32(0.75))
    del y
    gc.collect()
    assert not known().keys() - before


def test_leaves_have_names_of_their_own():
    leaves = [leaf((3,), np.dtype("float32"), None) for _ in range(200)]
    found = []
    threads = [threading.Thread(target=lambda: found.append([each.identifier for each in leaves])) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(names == found[0] for names in found)
    assert len(set(found[0])) == len(leaves)


def test_reading_an_array_undoes_no_assignment_of_another_thread():
    for _ in range(3):
        x, done = la.asarray(np.zeros(30)), threading.Event()
        wrong: list[Exception] = []

        def read(x=x, done=done, wrong=wrong):
            try:
                while not done.is_set():
                    np.asarray(x)
            except Exception as error:
                wrong.append(error)

        reader = threading.Thread(target=read)
        reader.start()
        for i in range(30):
            x[i] = 1
        done.set()
        reader.join()
        assert not wrong
        np.testing.assert_array_equal(np.asarray(x), np.ones(30))


def test_several_threads_compute_the_same_arrays():
    for _ in range(5):
        base = la.asarray(np.arange(10.0))
        a, b, start, wrong = base + 1, base * 2, threading.Barrier(3), []

        def compute(a=a, b=b, start=start, wrong=wrong):
            start.wait()
            try:
                la.compute(a, b)
            except Exception as error:
                wrong.append(error)

        threads = [threading.Thread(target=compute) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not wrong
        np.testing.assert_array_equal(np.asarray(a) + np.asarray(b), np.arange(10.0) * 3 + 1)


def test_what_is_assigned_while_a_value_is_computed_stays(monkeypatch):
    from lazyarr.tiers.programs import Program

    x, z = la.asarray(np.zeros(5)) + 1, la.asarray(np.zeros(3, np.complex64)) * 2
    run, assigned = Program.run, []

    def interrupted(self, *given):
        made = run(self, *given)
        if not assigned:
            assigned.append(True)
            x[0] = 7
            z[1] = 1j
        return made

    monkeypatch.setattr(Program, "run", interrupted)
    la.compute(x, z)
    np.testing.assert_array_equal(np.asarray(x), [7, 1, 1, 1, 1])
    np.testing.assert_array_equal(np.asarray(z), [0, 1j, 0])
