"""Stencils on a ring, with corners: what is rolled along one dimension and then another; and what a first run holds."""

from __future__ import annotations

import numpy as np
import pytest

import lazyarr as la
from lazyarr import lift
from lazyarr.runtime import default_device
from tests.lazyarr.support import values
from tests.lazyarr.test_stencils import periodic, steps


def neighbours(xp, u):
    """A sum of all neighbours, corners too, of an array of two dimensions on a ring in each."""
    shifts = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j]
    return sum(xp.roll(xp.roll(u, i, 0), j, 1) for i, j in shifts) - u * 7


def corners(xp, u):
    return u * 2 - xp.roll(u, 2, 0) + xp.roll(u, (1, -1), (0, 1))


@pytest.mark.device
@pytest.mark.parametrize("step", [neighbours, corners])
def test_a_step_with_corners_is_one_kernel(compiled, step):
    """What is rolled along the first dimension and then the second is no array of its own, nor in later steps."""
    x = values((17, 13), "float32", 6)
    for count in (1, 2, 4):
        program = lift.jit(lambda u, count=count: steps(step, la, u, count))
        np.testing.assert_allclose(np.asarray(program(la.asarray(x))), steps(step, np, x, count), rtol=1e-4, atol=1e-3)
        assert len(lift.explain(program, la.asarray(x)).kernels) == count


@pytest.mark.device
def test_a_first_run_holds_no_more_than_later_ones(compiled):
    """Kernels run one by one while they are made: what none of the others reads is let go."""
    x, device = la.asarray(values((613, 617), "float32", 6)), default_device()
    program = lift.jit(lambda u: steps(periodic, la, u, 12))
    device.finish()
    device.pool.trim()
    before = device.pool.statistics()
    la.compute(program(x))
    device.finish()
    after = device.pool.statistics()
    assert after.allocations - before.allocations <= 5
    assert len(lift.explain(program, x).kernels) == 12
