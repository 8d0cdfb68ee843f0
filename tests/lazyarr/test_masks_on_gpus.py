"""Filters as GPUs have them: how their programs are cut into kernels, simulated on the device at hand."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter
from types import FrameType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from ir.core.expr import Expr, postorder
from ir.core.patterns import Call, Compact, Scan, Tuple
from ir.fusion.partition.graph import Graph
from ir.fusion.partition.kernels import partition
from ir.fusion.prepare.count_by_scans import masks_of_filters
from ir.fusion.program import ProgramPlan, plan_program
from ir.fusion.symbols.structure_key import structure_key
from ir.schedules.candidates import Candidates
from ir.schedules.schedule import Machine
from lazyarr.array import array_of
from lazyarr.compile.program import CompiledProgram, CompiledPrograms
from lazyarr.config import configure
from lazyarr.graph.leaves import leaf
from lazyarr.recording import filtering
from tests.ir.schedules.zoo import GPU


@pytest.fixture(autouse=True)
def by_kernels() -> Iterator[None]:
    """Nothing but kernels computes."""
    before = configure(tier="compiled", tune="off")
    yield
    configure(tier=before.tier, tune=before.tune)


def same(found: la.Array, expected: np.ndarray) -> None:
    """Values, shape and dtype are NumPy's."""
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found.to_numpy(), expected, strict=True)


@pytest.fixture
def planned(monkeypatch: pytest.MonkeyPatch) -> list[ProgramPlan]:
    """The plans that a GPU would have of programs that are recorded as on one."""
    machine = Machine(1024, 48 << 10, 132, 1, False, warp_size=32, device_fence=True)
    shape, of, found = attrgetter("shape"), CompiledPrograms.of, []

    def noted(self: CompiledPrograms, roots: Sequence[Expr]) -> CompiledProgram:
        found.append(plan_program(roots, structure_key(roots, shape), shape, 1, machine=machine))
        return of(self, roots)

    monkeypatch.setattr(CompiledPrograms, "of", noted)
    monkeypatch.setattr(filtering, "_device_of", lambda x: SimpleNamespace(kind="gpu"))
    return found


@pytest.mark.device
@pytest.mark.parametrize("places", [False, True])
def test_on_gpus_one_scan_makes_the_mask_counts_and_writes(planned: list[ProgramPlan], places: bool) -> None:
    for shape in ((2011,), (100_003,), (3, 5, 700)):
        a = np.random.default_rng(shape[0]).normal(size=shape).astype(np.float32)
        x = la.asarray(a)
        if places:
            same(la.flatnonzero(x * 2 > 1), np.flatnonzero(a * 2 > 1))
        else:
            same(x[x * 2 > 1], a[a * 2 > 1])
    assert len(planned) == 3
    for plan in planned:
        (step,) = plan.steps
        e = step.general.expr
        assert isinstance(e, Tuple)
        assert all(isinstance(part, Compact) for part in e.operands)
        assert "greater" in operations(e)
        assert sum(isinstance(node, Scan) for node in postorder(e)) == 1
        assert len(plan.results) == 2


@pytest.mark.device
def test_on_gpus_a_mask_is_stored_where_kernels_might_disagree(planned: list[ProgramPlan]) -> None:
    """Exponentials may differ by the last bit; and views may be slow to read twice."""
    a = np.random.default_rng(9).normal(size=(33, 61)).astype(np.float32)
    x = la.asarray(a)
    same(x[la.exp(x) > 2], a[np.exp(a) > 2])
    same(x[x.T.reshape(33, 61) > 0.5], a[a.T.reshape(33, 61) > 0.5])
    assert len(planned) == 2
    for plan in planned:
        mask, writing = (step.general.expr for step in plan.steps)
        assert "greater" in operations(mask) - operations(writing)
        assert not any(isinstance(node, Scan) for node in postorder(mask))
        assert isinstance(writing, Tuple)
        assert len(plan.results) == 2


@pytest.mark.device
def test_on_gpus_a_mask_that_is_used_again_is_kept(planned: list[ProgramPlan]) -> None:
    a = np.random.default_rng(10).normal(size=70_001).astype(np.float32)
    x = la.asarray(a)
    mask, known = x > 0.5, a > 0.5
    same(x[mask], a[known])
    same((x * 2)[mask], (a * 2)[known])
    same(la.flatnonzero(mask), np.flatnonzero(known))
    made = [sum("greater" in operations(step.general.expr) for step in plan.steps) for plan in planned]
    assert made == [1, 1, 0]


def chosen_by_one(n: int, count: int, counted: bool = False) -> list[Expr]:
    """What some arrays have where the first is large, and how many that are."""
    t = np.dtype(np.float32)
    numbers = [array_of(leaf((n,), t, None), (n,), t, None) for _ in range(count)]
    mask = numbers[0] > 0.5
    total = [filtering._total(mask, True).node] if counted else []
    return [*total, *(filtering._put_apart(values, mask, n).node for values in numbers)]


@pytest.mark.parametrize("turned", [False, True])
def test_a_mask_is_made_again_if_that_is_little_work_for_all_filters(turned: bool) -> None:
    """One that writes what its mask is made of reads nothing more."""
    first, second = chosen_by_one(1 << 26, 2)
    assert list(masks_of_filters(Graph([first], {})).values()) == [True]
    both = [second, first] if turned else [first, second]
    assert list(masks_of_filters(Graph(both, {})).values()) == [False]


def lowered(e: Expr, sizes: Mapping[str, int]) -> Expr:
    """The kernel that a GPU has first."""
    candidates = Candidates.of(e)
    return candidates.derive(candidates.default(GPU, sizes)).result


@pytest.mark.device
def test_on_gpus_numbers_of_two_parts_are_written_by_a_kernel_of_their_own(planned: list[ProgramPlan]) -> None:
    a = np.random.default_rng(12).normal(size=(2, 3001)).astype(np.float32)
    c = a[0] + 1j * a[1]
    same(la.asarray(c)[la.asarray(a[0]) > 0.5], c[a[0] > 0.5])
    (plan,) = planned
    for step in plan.steps:
        lowered(step.general.expr, step.general.sizes)


@pytest.mark.parametrize("filters", [1, 2])
def test_two_results_of_a_scan_are_of_one_kernel_and_three_are_not(filters: int) -> None:
    tasks = partition(chosen_by_one(2011, filters, counted=True), by_items=True).tasks
    assert any(isinstance(task.expr, Tuple) for task in tasks) is (filters == 1)
    for task in tasks:
        lowered(task.expr, {})


def test_kernels_that_are_apart_from_the_scan_read_a_mask() -> None:
    roots = chosen_by_one(2011, 1)
    for scans, tasks in ((True, 1), (False, 3)):
        made = partition(roots, by_items=True, scans=scans).tasks
        assert len(made) == tasks
        assert sum("greater" in operations(task.expr) for task in made) == 1


@pytest.mark.device
def test_on_gpus_another_thread_may_compute_the_mask_meanwhile(planned: list[ProgramPlan]) -> None:
    """Before any line of what records a mask anew."""
    a = np.random.default_rng(11).normal(size=5003).astype(np.float32)
    x, passed = la.asarray(a), filtering._passed.__code__
    lines = sorted({line for *_, line in passed.co_lines() if line is not None and line > passed.co_firstlineno})
    for chosen in lines:
        mask = x > 0.5

        def before_line(frame: FrameType, event: str, _: Any, chosen: int = chosen, mask: la.Array = mask) -> Any:
            if frame.f_code is not passed:
                return None
            if event == "line" and frame.f_lineno == chosen:
                other = threading.Thread(target=la.compute, args=(mask,))
                other.start()
                other.join()
            return before_line

        former = sys.gettrace()
        sys.settrace(before_line)
        try:
            found = x[mask]
        finally:
            sys.settrace(former)
        same(found, a[a > 0.5])


def operations(e: Expr) -> set[str]:
    """The functions that are called in an expression."""
    return {node.op for node in postorder(e) if isinstance(node, Call)}
