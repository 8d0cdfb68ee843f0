"""Several steps of a stencil as one kernel, planned for CPUs and GPUs that need not be there."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from operator import attrgetter

import numpy as np
import pytest

import lazyarr as la
from ir.fusion.program import plan_program
from ir.fusion.symbols.structure_key import structure_key
from ir.schedules.candidates import Candidates
from ir.schedules.schedule import Machine
from lazyarr import lift
from tests.ir.schedules.zoo import CPU, GPU
from tests.lazyarr.test_stencils import STEPS, steps

_shape = attrgetter("shape")


def schedules(machine: Machine, name: str, shape: tuple[int, ...], count: int, dtype: str = "float32") -> list[str]:
    """The default of each kernel of so many steps."""
    recording, _ = lift.jit(partial(steps, STEPS[name], la, count=count)).recording(la.asarray(np.ones(shape, dtype)))
    roots = recording.program._roots
    key = structure_key(roots, _shape)
    made = plan_program(roots, key, _shape, 16, alone=machine.is_cpu, machine=machine)
    kernels = [(Candidates.of(step.general.expr), step.general.sizes) for step in made.steps]
    return [str(candidates.default(machine, sizes)["schedule"]) for candidates, sizes in kernels]


@pytest.mark.parametrize("name", ["kept", "periodic", "reflect"])
@pytest.mark.parametrize("machine", [CPU, GPU], ids=["cpu", "gpu"])
def test_steps_are_one_kernel_by_tiles_of_the_device(machine, name):
    tiles = "step_tiles" if machine.is_cpu else "step_tiles_items"
    assert schedules(machine, name, (2050, 3074), 4) == [tiles]
    assert schedules(machine, name, (100_001,), 6) == [tiles, tiles]
    assert len(schedules(machine, name, (100, 120), 4)) == 4  # small ones


def test_steps_are_kernels_of_their_own_where_no_tile_fits():
    assert len(schedules(replace(GPU, local_memory_bytes=2048), "kept", (2050, 3074), 4)) == 4
    assert len(schedules(replace(GPU, max_work_group_size=64), "kept", (2050, 3074), 4)) == 4
