"""What planning long programs costs, counted in calls: it grows as they do, and what is alike is looked at once."""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Callable
from functools import partial
from operator import attrgetter
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from ir.fusion import program as module
from ir.fusion.partition import graph
from ir.fusion.program import ProgramPlan, plan_program
from ir.fusion.symbols import symbolise
from ir.fusion.symbols.literal_inputs import numbers_apart
from ir.fusion.symbols.structure_key import structure_key
from ir.rules import stencils
from ir.schedules.schedule import Machine
from lazyarr import lift
from lazyarr.check import reference
from lazyarr.compile.literal_history import Numbers
from tests.ir.schedules.zoo import CPU, GPU

_shape = attrgetter("shape")


def products(x: Any, length: int) -> list[Any]:
    """Products of matrices with vectors, sums, rolls and choices, of a few shapes, each made of late ones."""
    draw = random.Random(length)
    matrices, rows, columns = [x], [x[0]], [x[:, 0]]

    def late(xs: list[Any]) -> Any:
        return xs[-draw.randint(1, min(4, len(xs)))]

    for i in range(length // 3):
        match i % 6:
            case 0:
                matrices.append(la.roll(late(matrices), 1 + draw.randrange(3), axis=draw.randrange(2)))
            case 1:
                rows.append(late(columns) @ late(matrices) * 0.01)
            case 2:
                columns.append(late(matrices) @ late(rows) * 0.01)
            case 3:
                matrices.append(late(matrices) * 0.5 + late(rows))
            case 4:
                columns.append(la.sum(la.where(late(matrices) > 0, late(matrices), 0.5), axis=1) * 0.01)
            case 5:
                rows.append(abs(late(rows)) - la.roll(late(rows), 2))
    return [matrices[-1], rows[-1], columns[-1]]


def rolled(x: Any, length: int) -> list[Any]:
    """Rolled rows, sums of them, and what needs these: what a first cut allows cannot all be made."""
    x = y = x.reshape(-1)[:2000]
    found = []
    for i in range(length // 4):
        y = la.roll(y, 1 + i % 3) * 0.5 + x
        if i % 3 == 2:
            found.append(la.sum(y * y))
        if i % 5 == 4:
            y = y - la.sum(y) / 2000
    return [y, *found]


def steps(x: Any, length: int) -> list[Any]:
    """Steps of a stencil with a kept border."""
    for _ in range(length // 12):
        inner = (x[1:-1, 1:-1] + x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:]) * 0.2
        x = la.concatenate([x[:1], la.concatenate([x[1:-1, :1], inner, x[1:-1, -1:]], axis=1), x[-1:]])
    return [x]


def planned(program: Callable[[Any, int], list[Any]], length: int, machine: Machine = CPU) -> tuple[int, ProgramPlan]:
    """How many functions of ours are called to plan a program, generators resumed among them, and its plan."""
    recording, _ = lift.jit(partial(program, length=length)).recording(la.asarray(np.ones((300, 200), np.float32)))
    roots = recording.program._roots
    found = structure_key(roots, _shape)
    count = 0

    def note(frame: Any, event: str, _: Any) -> None:
        nonlocal count
        count += event == "call" and frame.f_globals.get("__name__", "").startswith("ir.")

    sys.setprofile(note)
    try:
        made = plan_program(roots, found, _shape, 16, alone=machine.is_cpu, machine=machine)
    finally:
        sys.setprofile(None)
    return count, made


@pytest.mark.slow
@pytest.mark.parametrize("machine", [CPU, GPU], ids=["cpu", "gpu"])
@pytest.mark.parametrize("program", [products, rolled, steps])
def test_planning_is_linear_in_the_length_of_a_program(program, machine):
    planned(program, 60, machine)  # what is made once
    few, _ = planned(program, 240, machine)
    many, made = planned(program, 960, machine)
    assert len(made.steps) > 50
    assert many < 5.5 * few


@pytest.mark.slow
def test_a_program_is_prepared_once_whatever_its_cuts(monkeypatch):
    calls = Counter[str]()

    def counted(inner, *arguments, **keywords):
        calls[inner.__name__] += 1
        return inner(*arguments, **keywords)

    for name in ("prepare", "cut_prepared"):
        monkeypatch.setattr(module, name, partial(counted, getattr(module, name)))
    planned(rolled, 500)
    assert calls["prepare"] == 1 < calls["cut_prepared"]


@pytest.mark.slow
def test_kernels_that_are_alike_are_symbolised_once():
    symbolise._symbolised.cache_clear()
    _, made = planned(rolled, 480)
    assert symbolise._symbolised.cache_info().misses < len(made.steps) // 2


def test_work_of_kernels_that_are_alike_is_counted_once():
    """It decides for each of them whether a program runs in the calling thread."""
    _, made = planned(rolled, 480)
    reference._work.cache_clear()
    for step in made.steps:
        reference.work(step.general.expr, step.general.sizes)
    distinct = {(step.general.expr, *step.general.sizes.items()) for step in made.steps}
    assert reference._work.cache_info().misses == len(distinct) < len(made.steps) // 2


def test_a_cut_finds_out_once_of_each_vertex_whether_it_is_stored_first(monkeypatch):
    asked, found_out = Counter[Any](), 0
    reduces, is_barrier = graph.reduces, graph.Graph.is_barrier
    asks = False

    def noted(self: graph.Graph, node: Any) -> bool:
        nonlocal asks
        asked[self, node] += 1
        asks = True
        made = is_barrier(self, node)
        asks = False
        return made

    def counted(f: Any) -> bool:
        nonlocal found_out
        found_out += asks
        return reduces(f)

    monkeypatch.setattr(graph.Graph, "is_barrier", noted)
    monkeypatch.setattr(graph, "reduces", counted)
    planned(rolled, 480)
    assert 0 < found_out <= len(asked) < sum(asked.values()) // 4


def test_numbers_of_kernels_that_are_alike_are_looked_for_once():
    _, made = planned(rolled, 480)
    numbers_apart.cache_clear()
    Numbers().read(made)
    distinct = {step.general.expr for step in made.steps}
    assert numbers_apart.cache_info().misses == len(distinct) < len(made.steps) // 2


@pytest.mark.slow
def test_steps_that_are_alike_are_recognised_once():
    stencils._form_of.cache_clear()
    _, made = planned(steps, 480)
    assert len(made.steps) == 40
    assert stencils._form_of.cache_info().misses < 5
