"""Eager arrays that jitted functions take, change and capture."""

from __future__ import annotations

import numpy as np
import pytest

import lazyarr as la
from lazyarr import lift
from tests.lazyarr.eager.support import array, eager


def test_jitted_functions_take_change_and_capture_them():
    x, w = eager(5), eager(5)

    @lift.jit
    def f(a):
        a[0] = 10
        return a * w

    for k in range(3):
        w[1] = k
        view = x[:2]
        np.testing.assert_array_equal(np.asarray(f(x)), np.asarray(x) * np.asarray(w))
        assert float(x[0]) == float(view[0]) == 10
        x[0] = 1


@pytest.mark.parametrize("dtype", ["float32", "complex64"])
def test_a_captured_array_among_the_results_is_read_at_each_call(dtype):
    x = eager(4, dtype=dtype)

    @lift.jit
    def f(a):
        return x, a + 1, (x, x)

    for k in range(3):
        x[1] = k
        first, _, (second, third) = f(la.asarray(np.ones(2)))
        want = np.asarray(x).copy()
        assert want[1] == k
        first[0] = 100  # an array of its own
        for found in (x, second, third):
            np.testing.assert_array_equal(np.asarray(found), want)


def test_assigning_what_is_traced_to_a_captured_array_is_an_error_and_undone():
    x = eager(4)
    view = x[1:]

    @lift.jit
    def f(a):
        x[1] = a[0]
        return a

    with pytest.raises(la.TracingError, match="assigns what depends on its arguments"):
        f(la.asarray(np.ones(2)))
    np.testing.assert_array_equal(np.asarray(x), array(4))
    x[1] = 77
    assert float(view[0]) == 77


@pytest.mark.parametrize("make", [lambda: eager(4), lambda: la.asarray(array(4)) + 0], ids=["eager", "recorded"])
def test_a_recording_that_raises_undoes_what_it_assigned_to_captured_arrays(make):
    x = make()
    view = x[1:]

    @lift.jit
    def f(a):
        x[1] = a[0]
        raise KeyError("the user's own")

    with pytest.raises(KeyError, match="own"):
        f(la.asarray(np.ones(2)))
    np.testing.assert_array_equal(np.asarray(x), array(4))
    x[1] = 77
    assert float(view[0]) == 77


def test_assigning_a_constant_to_a_captured_array_is_recorded_once():
    x, calls = eager(4), []

    @lift.jit
    def f(a):
        calls.append(1)
        x[1] = 50
        return a + x

    for _ in range(3):
        np.testing.assert_array_equal(np.asarray(f(la.asarray(np.ones(4)))), 1 + np.asarray(x))
    assert len(calls) == 1
    assert float(x[1]) == 50


def test_views_that_jitted_functions_made_of_it_are_remembered_once():
    x = eager(8)

    @lift.jit
    def f(a):
        for _ in range(300):
            a = a + x[1:3]
        return a

    np.testing.assert_array_equal(np.asarray(f(la.asarray(np.ones(2)))), 1 + 300 * np.asarray(x)[1:3])
    assert len(x.shared.recorded) == 1
