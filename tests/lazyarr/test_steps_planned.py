"""Several steps of a stencil as one kernel, planned for CPUs and GPUs that need not be there."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from operator import attrgetter

import numpy as np
import pytest

import lazyarr as la
from ir.core.expr import Expr, Param, fun, postorder
from ir.core.patterns import Call, Concat, Get, Map, Slice, Zip
from ir.core.types import FLOAT32, array_of
from ir.fusion.program import ProgramPlan, plan_program
from ir.fusion.symbols.structure_key import structure_key
from ir.rules.common import element
from ir.rules.stencils import form_of
from ir.schedules.candidates import Candidates
from ir.schedules.schedule import Machine
from lazyarr import lift
from tests.ir.schedules.zoo import CPU, GPU
from tests.lazyarr.test_stencils import STEPS, steps

_shape = attrgetter("shape")


def planned(
    machine: Machine, name: str, shape: tuple[int, ...], count: int, dtype: str = "float32"
) -> tuple[ProgramPlan, list[Param]]:
    """The plan of so many steps, and the leaves of its program."""
    recording, _ = lift.jit(partial(steps, STEPS[name], la, count=count)).recording(la.asarray(np.ones(shape, dtype)))
    roots = recording.program._roots
    key = structure_key(roots, _shape)
    return plan_program(roots, key, _shape, 16, alone=machine.is_cpu, machine=machine), list(key.leaves)


def schedules(machine: Machine, name: str, shape: tuple[int, ...], count: int, dtype: str = "float32") -> list[str]:
    """The default of each kernel of so many steps."""
    made, _ = planned(machine, name, shape, count, dtype)
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


@pytest.mark.parametrize("name", ["kept", "periodic", "reflect"])
@pytest.mark.parametrize("shape", [(2050, 3074), (2_000_003,)])
def test_a_plan_mentions_no_leaf(name, shape):
    """It is kept for other programs, and so would be the memory of a leaf."""
    made, leaves = planned(CPU, name, shape, 4)
    examples = [rewriting.derivation for rewriting in made.rewritings]
    assert {"border_of_step_before", "step_told_apart"} & {step.rule for each in examples for step in each.steps}
    mentioned = {x for each in examples for e in (each.start, each.result) for x in postorder(e)}
    assert mentioned.isdisjoint(leaves)


def step_times(x: Param, number: Expr) -> Expr:
    """`(x[2:] + x[:-2]) * number` with a kept border, of 100 elements"""
    pairs = Zip(Slice(2, 1, 98, x), Slice(0, 1, 98, x))
    inner = Map(fun(element(pairs), lambda p: Call("multiply", Call("add", Get(0, p), Get(1, p)), number)), pairs)
    return Map(fun(FLOAT32, lambda a: a), Concat(Slice(0, 1, 1, x), inner, Slice(99, 1, 1, x)))


def test_steps_of_other_numbers_are_of_other_forms():
    x, y = (Param(name, array_of(FLOAT32, 100)) for name in "xy")
    k, m = (Param(name, FLOAT32) for name in "km")
    form = form_of(step_times(x, k), x, x)
    assert form is not None
    assert k in postorder(form.function)
    assert form_of(step_times(y, k), y, y) == form
    assert form_of(step_times(x, m), x, x) != form
