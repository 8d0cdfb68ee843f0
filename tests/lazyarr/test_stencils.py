"""Stencils against NumPy: kept, periodic, zero and reflecting borders in one to three dimensions, and their kernels."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import lazyarr as la
from lazyarr import lift
from tests import oclgrind
from tests.lazyarr.support import values

SHAPES = [(3,), (7,), (67,), (3, 3), (5, 7), (17, 13), (3, 4, 5), (7, 5, 11)]


def shifted(u, axis: int, by: int):
    """The interior, moved along an axis."""
    return u[tuple(slice(1 + by * (i == axis), u.shape[i] - 1 + by * (i == axis)) for i in range(u.ndim))]


def kept(xp, u):
    v = xp.asarray(u, copy=True)
    middle = (slice(1, -1),) * u.ndim
    found = u[middle] * 2
    for axis in range(u.ndim):
        found = found + shifted(u, axis, 1) - shifted(u, axis, -1)
    v[middle] = found
    return v


def periodic(xp, u):
    found = u * 2
    for axis in range(u.ndim):
        found = found + xp.roll(u, 1, axis) - xp.roll(u, -1, axis)
    return found


def padded(xp, u, mode: str):
    p = xp.pad(u, 1, mode=mode)
    found = u * 2
    for axis in range(u.ndim):
        found = found + shifted(p, axis, 1) - shifted(p, axis, -1)
    return found


STEPS = {
    "kept": kept,
    "periodic": periodic,
    **{mode: partial(padded, mode=mode) for mode in ("constant", "reflect", "symmetric", "edge")},
}


def steps(step, xp, u, count: int):
    for _ in range(count):
        u = step(xp, u)
    return u


@pytest.fixture
def compiled():
    before = la.config(tier="compiled", tune="off")
    yield
    la.config(tier=before.tier, tune=before.tune)


@pytest.mark.device
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", STEPS)
def test_steps_are_those_of_numpy(compiled, name, shape):
    x = values(shape, "float32", 5)
    for count in (1, 3):
        want = steps(STEPS[name], np, x, count)
        found = lift.jit(lambda u, count=count: steps(STEPS[name], la, u, count))(la.asarray(x))
        np.testing.assert_allclose(np.asarray(found), want, rtol=1e-5, atol=1e-4)


@pytest.mark.device
@pytest.mark.parametrize("shape", [(67,), (17, 13), (7, 5, 11)], ids=str)
@pytest.mark.parametrize("name", ["kept", "periodic"])
def test_a_step_is_one_kernel(compiled, name, shape):
    x = la.asarray(values(shape, "float32", 6))
    for count in (1, 2, 4):
        written = lift.explain(lambda u, count=count: steps(STEPS[name], la, u, count), x).kernels
        assert len(written) <= count
        iterated = lift.explain(lambda u, count=count: lift.iterate(count, partial(STEPS[name], la), u), x).kernels
        assert len(iterated) <= count


@pytest.mark.device
@pytest.mark.parametrize("name", ["constant", "edge", "reflect", "symmetric"])
def test_a_step_with_zeros_or_mirrored_is_one_kernel(compiled, name):
    for shape in ((67,), (17, 13)):
        x = la.asarray(values(shape, "float32", 6))
        assert len(lift.explain(lambda u: steps(STEPS[name], la, u, 1), x).kernels) == 1
        several = lift.explain(lambda u: steps(STEPS[name], la, u, 3), x).kernels
        assert len(several) <= (3 if name == "constant" else 6)  # others store some arrays with a border, too


@pytest.mark.device
def test_the_interior_of_a_periodic_step_asks_in_no_loop_where_an_element_lies(compiled):
    x = la.asarray(values((17, 13), "float32", 7))
    (kernel,) = lift.explain(lambda u: periodic(la, u), x).kernels
    assert "?" not in kernel.source


@pytest.mark.device
@pytest.mark.sweep
@pytest.mark.skipif(not oclgrind.available(), reason="Oclgrind is not installed")
def test_steps_in_the_simulator():
    code = """
import numpy as np
import lazyarr as la
from lazyarr import lift
from tests.lazyarr.support import values
from tests.lazyarr.test_stencils import STEPS, steps
la.config(tier="compiled", tune="off")
for name, step in STEPS.items():
    for shape in ((7,), (67,), (5, 7), (3, 4, 5)):
        x = values(shape, "float32", 8)
        found = lift.jit(lambda u: steps(step, la, u, 2))(la.asarray(x))
        np.testing.assert_allclose(np.asarray(found), steps(step, np, x, 2), rtol=1e-5, atol=1e-4)
"""
    assert oclgrind.run(code, timeout=600.0) == ""
