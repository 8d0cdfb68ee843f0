"""`lift.iterate` against the loop in Python that it stands for."""

from __future__ import annotations

import numpy as np
import pytest

import lazyarr as la
from lazyarr import lift
from lazyarr.errors import TracingError
from tests.lazyarr.support import check, values


def jacobi(u, xp=la):
    v = xp.asarray(u, copy=True)
    v[1:-1] = (u[:-2] + u[1:-1] + u[2:]) / 3
    return v


def looped(n, step, x):
    for _ in range(n):
        x = step(x)
    return x


@pytest.mark.parametrize("n", [0, 1, 2, 5, 200])
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64"])
def test_it_gives_what_a_loop_gives(n, dtype):
    x = values((17,), dtype, 1)
    want = looped(n, lambda u: jacobi(u, np), x)
    got = lift.iterate(n, jacobi, la.asarray(x))
    assert got.shape == want.shape
    assert np.asarray(got).dtype == want.dtype
    np.testing.assert_allclose(np.asarray(got), want, rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(np.asarray(got), np.asarray(looped(n, jacobi, la.asarray(x))))


@pytest.mark.device
@pytest.mark.parametrize("shape", [(3,), (2, 3), (5, 7), (3, 4, 5), (0,), (3, 0)])
@pytest.mark.parametrize("n", [1, 3])
def test_jitted_and_not_in_both_tiers(shape, n):
    x = values(shape, "float32", 2)

    def step(u):
        return la.roll(u, 1, 0) + 2 * u

    want = looped(n, lambda u: np.roll(u, 1, 0) + 2 * u, x)
    for tier in ("reference", "compiled"):
        before = la.config(tier=tier)
        try:
            check(lift.iterate(n, step)(la.asarray(x)), want)
            check(lift.jit(lambda u: lift.iterate(n, step, u))(la.asarray(x)), want)
        finally:
            la.config(tier=before.tier)


def test_the_step_is_traced_once():
    calls = []

    def step(u):
        calls.append(u.shape)
        return u + 1

    check(lift.iterate(7, step, la.asarray(np.zeros(3))), np.full(3, 7.0))
    assert calls == [(3,)]


def test_several_arrays_and_arrays_from_outside():
    factor = la.asarray(np.array([2.0, 3.0, 5.0]))
    a, b = values((3,), "float64", 3), values((2, 2), "float64", 4)

    def step(state):
        return {"b": state["b"] + la.sum(state["a"]), "a": state["a"] * factor}  # in any order

    got = lift.iterate(3, step, {"a": la.asarray(a), "b": la.asarray(b)})
    for _ in range(3):
        a, b = a * np.array([2.0, 3.0, 5.0]), b + a.sum()
    np.testing.assert_allclose(np.asarray(got["a"]), a)
    np.testing.assert_allclose(np.asarray(got["b"]), b)


def test_values_may_change_places():
    a, b = la.asarray(np.array([1.0, 2.0])), la.asarray(np.array([3.0, 4.0]))
    x, y = lift.iterate(3, lambda s: (s[1], s[0] + s[1]), (a, b))
    check(x, np.array([7.0, 10.0]))
    check(y, np.array([11.0, 16.0]))


def test_numbers_without_dimensions_and_numpy_arrays():
    check(lift.iterate(4, lambda u: u * 2, np.array([1, 3])), np.array([16, 48]))
    check(lift.iterate(4, lambda u: u * 2, la.asarray(3.0)), np.array(48.0))


def test_what_the_step_assigns_to_its_argument_is_its_own():
    x = la.asarray(np.arange(5.0))

    def step(u):
        u[1:-1] = (u[:-2] + u[2:]) / 2
        return u

    want = np.arange(5.0)
    want[1:-1] = (want[:-2] + want[2:]) / 2
    check(lift.iterate(1, step, x), want)
    check(x, np.arange(5.0))


@pytest.mark.parametrize(
    ("n", "step", "error", "words"),
    [
        (1.5, lambda u: u, TypeError, "expected n to be a whole number"),
        ("2", lambda u: u, TypeError, "expected n to be a whole number"),
        (-1, lambda u: u, ValueError, "expected n not to be negative"),
        (2, lambda u: u[1:], TypeError, "of shape .4,. and dtype float64, as x is, got shape .3,."),
        (2, lambda u: u.astype("float32"), TypeError, "got shape .4,. and dtype float32"),
        (2, lambda u: (u, u), TypeError, "a step that gives what it is given"),
        (2, lambda u: None, TypeError, "a step that gives what it is given"),
        (2, lambda u: u if u[0] > 0 else -u, TracingError, "needs the value"),
    ],
)
def test_errors_name_the_argument(n, step, error, words):
    with pytest.raises(error, match=words):
        lift.iterate(n, step, la.asarray(np.arange(4.0)))


def test_assigning_to_an_array_from_outside_is_refused():
    outside = la.asarray(np.zeros(4))

    def step(u):
        outside[:2] = u[:2]
        return u + 1

    with pytest.raises(TracingError, match="assigns what depends on its argument"):
        lift.iterate(2, step, la.asarray(np.arange(4.0)))
    check(outside, np.zeros(4))


def _returned(outside, x):
    def step(u):
        outside[:] = outside + u
        return outside

    return step, TracingError


def _its_own(outside, x):
    def step(u):
        x[:] = u + 1
        return x

    return step, TracingError


def _part_returned(outside, x):
    def step(u):
        outside[:] = u
        return outside[1:]

    return step, TracingError


def _raised(outside, x):
    def step(u):
        outside[:] = u
        raise KeyError("no")

    return step, KeyError


@pytest.mark.parametrize("make", [_returned, _its_own, _part_returned, _raised])
@pytest.mark.parametrize("run", [lambda step, x: lift.iterate(3, step, x), lambda step, x: lift.jit(step)(x)])
def test_arrays_from_outside_keep_their_values_whatever_a_step_does(make, run):
    outside, x = la.asarray(np.full(3, 4.0)), la.asarray(np.ones(3))
    step, error = make(outside, x)
    with pytest.raises(error):
        run(step, x)
    check(outside, np.full(3, 4.0))
    check(x, np.ones(3))


@pytest.mark.parametrize("make", [_returned, _its_own, _part_returned, _raised])
def test_arrays_of_the_recording_around_keep_what_they_stand_for(make):
    @lift.jit
    def function(a):
        local, x = a * 2, a * 3
        step, error = make(local, x)
        with pytest.raises(error):
            lift.iterate(2, step, x)
        return local, x

    local, x = function(la.asarray(np.ones(3)))
    check(local, np.full(3, 2.0))
    check(x, np.full(3, 3.0))


def test_a_step_may_assign_to_its_argument_and_to_what_it_makes():
    def step(u):
        made = la.zeros(4)
        made[1:][:] = u
        u += 1
        return made[1:] + u

    x = la.asarray(np.ones(3))
    for found in (lift.iterate(2, step, x), lift.jit(lambda q: lift.iterate(2, step, q))(x)):
        check(found, np.full(3, 7.0))
    check(x, np.ones(3))


def test_a_long_loop_ends():
    got = lift.iterate(5000, lambda u: u + 1, la.asarray(np.zeros(3)))
    check(got, np.full(3, 5000.0))
