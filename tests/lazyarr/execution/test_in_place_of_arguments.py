"""Results of jitted functions take the memory of temporaries, and of arguments that they assign to."""

from __future__ import annotations

import numpy as np
import pytest

from lazyarr import lift
from lazyarr.config import configure
from tests.lazyarr.execution.dying import TWO, at_once, fresh, place  # noqa: F401  # a fixture that each test uses

pytestmark = pytest.mark.optimised  # compilers conclude from the names of memory that it is not the same


def test_a_function_that_assigns_to_its_argument():
    @lift.jit
    def step(u, v):
        u += TWO * v

    (x, a), (y, b) = fresh(), fresh()
    step(x, y)
    before = place(x)
    for _ in range(3):
        step(x, y)
        assert place(x) == before
    np.testing.assert_array_equal(x, a + 8 * b)
    np.testing.assert_array_equal(y, b)


def test_temporaries_are_taken_and_names_are_not():
    step = lift.jit(lambda u: u + 1)
    x, values = fresh()
    for _ in range(4):
        y = step(step(step(x)))
        np.testing.assert_array_equal(y, values + 3)
        np.testing.assert_array_equal(x, values)
    for _ in range(3):
        y = step(x)
        z = step(x)  # called twice with the same array
        np.testing.assert_array_equal(y, values + 1)
        np.testing.assert_array_equal(z, values + 1)
    for _ in range(3):
        x = step(x)
    np.testing.assert_array_equal(x, values + 3)
    several = (step(x),)
    for _ in range(3):
        np.testing.assert_array_equal(step(*several), values + 5)
    np.testing.assert_array_equal(several[0], values + 4)
    kept = [step(x)]
    for _ in range(3):
        np.testing.assert_array_equal(next(map(step, kept)), values + 5)
    np.testing.assert_array_equal(kept[0], values + 4)


def test_arguments_that_are_results_as_well():
    @lift.jit
    def swap(u, v):
        u[...], v[...] = v * TWO, u.copy()

    @lift.jit
    def both(u):
        old = u.copy()
        u *= TWO
        return old, u + 1

    for _ in range(4):
        (x, a), (y, b) = fresh(), fresh()
        y = y + 3
        swap(x, y)
        np.testing.assert_array_equal(x, (b + 3) * 2)
        np.testing.assert_array_equal(y, a)
        old, new = both(x)
        np.testing.assert_array_equal(old, (b + 3) * 2)
        np.testing.assert_array_equal(x, (b + 3) * 4)
        np.testing.assert_array_equal(new, (b + 3) * 4 + 1)


def test_captured_arrays_stay():
    c, values = fresh()
    step = lift.jit(lambda u: u * TWO + c)
    same = lift.jit(lambda u: (u + c, c))
    for _ in range(4):
        x, a = fresh()
        np.testing.assert_array_equal(step(step(x)), (a * 2 + values) * 2 + values)
        np.testing.assert_array_equal(step(c), values * 3)
        first, second = same(c)
        np.testing.assert_array_equal(first, values * 2)
        np.testing.assert_array_equal(second, values)
    np.testing.assert_array_equal(c, values)


def test_an_argument_that_is_captured_as_well():
    def results(way):
        configure(in_place=way)
        c, _ = fresh()

        @lift.jit
        def step(u):
            u *= TWO
            return c

        return [np.asarray(each) for _ in range(4) for each in (step(c), c)]

    for found, wanted in zip(results("on"), results("off"), strict=True):
        np.testing.assert_array_equal(found, wanted)
    configure(in_place="on")


def test_an_argument_whose_old_value_is_a_result():
    @lift.jit
    def old_and_new(u):
        old = u.copy()
        u *= TWO
        return old

    for _ in range(4):
        x, values = fresh()
        old = old_and_new(x)
        np.testing.assert_array_equal(x, values * 2)
        np.testing.assert_array_equal(old, values)


def test_the_same_array_twice():
    @lift.jit
    def add(u, v):
        u += v

    for _ in range(4):
        x, values = fresh()
        add(x, x)
        np.testing.assert_array_equal(x, values * 2)
        y = lift.jit(lambda u, v: u - 2 * v)(x, x)
        np.testing.assert_array_equal(y, -values * 2)
