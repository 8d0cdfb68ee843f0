"""Arrays that jitted functions read from outside are as they are at the call."""

from __future__ import annotations

import numpy as np
import pytest

import lazyarr as la
from lazyarr import lift
from tests.lazyarr.jitted import X, Y, counted
from tests.lazyarr.support import check

pytestmark = pytest.mark.device


def test_captured_arrays():
    captured = [la.asarray(Y.copy()), la.asarray(Y) * 2]
    f, calls = counted(lambda x: x * captured[0] + captured[1])
    for _ in range(3):
        check(f(la.asarray(X)), X * Y + Y * 2)
    assert len(calls) == 1
    captured[0][1:3] = 5  # it is read at each call
    new = Y.copy()
    new[1:3] = 5
    for _ in range(2):
        check(f(la.asarray(X)), X * new + Y * 2)
    assert len(calls) == 1
    captured[1] = la.asarray(X)  # another array in its place
    for _ in range(3):
        check(f(la.asarray(Y)), Y * new + X)
    assert len(calls) == 2
    captured.clear()
    with pytest.raises(IndexError):
        f(la.asarray(Y))


def test_captured_arrays_among_the_results():
    captured = la.asarray(Y.copy())
    f, calls = counted(lambda x: (captured, x + 1, la.asarray([1.0, 2.0])))
    for value in (Y[0], 7, 8):
        captured[0] = value
        result, _, made = f(la.asarray(X))
        check(result[0], np.float32(value))
        check(made, np.array([1.0, 2.0]))
        result[1] = 100  # an array of its own
        check(captured[1], Y[1])
    assert len(calls) == 1


@pytest.mark.parametrize("captured", [la.zeros(X.shape, dtype=X.dtype), la.asarray(X.copy()), la.asarray(X) * 1])
def test_a_function_that_looked_at_a_captured_value_is_recorded_anew_with_another(captured):
    f, calls = counted(lambda x: x + 1 if float(captured[0]) > 2 else x - captured)
    before = np.asarray(captured).copy()
    for _ in range(2):
        check(f(la.asarray(Y)), Y - before)
    captured[0] = 3
    check(f(la.asarray(Y)), Y + 1)
    captured[0] = 1
    before[0] = 1
    check(f(la.asarray(Y)), Y - before)
    assert len(calls) == 3


CAPTURES = {
    "a constant": lambda x, c: x + c[0],
    "a condition": lambda x, c: x + 1 if float(c[1][0]) > 0 else x - 1,
    "a number": lambda x, c: x * float(c[1].sum()),
    "a shape": lambda x, c: x * c[1].shape[0] + len(c[1]),
    "a result": lambda x, c: (x + 1, c[1])[1],
    "two of one value": lambda x, c: x + c[1] * 10 + c[2],
    "through another": lambda x, c: x + lift.jit(lambda w: w * 2)(c[1]),
    "of another": lambda x, c: x + lift.jit(lambda: c[1] * 2)(),
}


@pytest.mark.parametrize("how", CAPTURES)
def test_captured_arrays_are_as_they_are_now(how):
    """Constants, values and shapes that were looked at, results, functions in functions: called often, then changed."""
    captured = [la.full(3, 2.0), la.asarray(np.ones(3))]
    captured.append(captured[1].copy())  # nothing else holds them: what is put in their places is found
    f = lift.jit(lambda x: CAPTURES[how](x, captured))
    x = np.arange(3.0)
    given = la.asarray(x)  # the same each time, so that calls are like the one before

    def expected():
        found = CAPTURES[how](x, [np.asarray(each) for each in captured])
        return np.array(found, copy=True)

    changes = [
        lambda: None,
        lambda: captured[0].__setitem__(slice(None), 5.0),
        lambda: captured[1].__setitem__(0, -4.0),
        lambda: captured.__setitem__(1, la.asarray(np.full(3, 7.0))),
        lambda: captured.__setitem__(0, la.full(3, 9.0)),
    ]
    if how == "a shape":
        changes.append(lambda: captured.__setitem__(1, la.asarray(np.ones(5))))
    for change in changes:
        change()
        for _ in range(4):
            np.testing.assert_array_equal(np.asarray(f(given)), expected())


def test_two_captured_arrays_of_one_value_part():
    first = la.asarray(Y.copy())
    second = first.copy()
    f = lift.jit(lambda x: x * first - second)
    check(f(la.asarray(X)), X * Y - Y)
    first[:] = 2
    check(f(la.asarray(X)), X * np.float32(2) - Y)


def test_captured_arrays_that_a_recording_sees_through():
    """Elements that are all one element of something else: what was recorded takes that, and not the array's value."""
    for make in (
        lambda xp, one: xp.stack([xp.broadcast_to(one, (2, 1))] * 2, axis=-1), lambda xp, one: xp.zeros((2, 2)) + one,
        lambda xp, one: xp.concatenate([one, one]), lambda xp, one: xp.full((3,), 5.0),
    ):  # fmt: skip
        got = []
        for xp, jit in ((np, lambda f: f), (la, lift.jit)):
            one = xp.asarray(np.array([1.0]))
            captured = make(xp, one)
            f = jit(lambda a, captured=captured: a - captured)
            found = [f(one)]
            captured[...] = 7
            found.append(f(one))
            captured -= 2
            found.append(f(one))
            got.append([np.asarray(x).tolist() for x in found])
        assert got[0] == got[1]
