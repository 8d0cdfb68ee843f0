"""Kernels that go on in their last work-group: one launch, its counter back at 0, whoever launches."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import lazyarr as la
from ir.schedules.candidates import Candidates
from lazyarr import lift
from lazyarr.compile import compiler, program
from lazyarr.compile.compiled import build
from lazyarr.compile.plan import Plan
from lazyarr.compile.trials import machine_of
from lazyarr.config import configure
from lazyarr.runtime import default_device
from lazyarr.tiers import programs as tiers
from tests.lazyarr.execution.kernels import asum, kernel_of
from tests.threads import in_threads
from tests.tiers import by_tier

SHAPES = [(8, 32, 1, 1), (16, 64, 4, 2), (132, 32, 2, 1)][:: by_tier(2, 2, 1)]  # compilers take long for the second


def configured(shape, one_kernel=1):
    groups, local, width, ways = shape
    return {
        "schedule": "tree",
        "groups": groups,
        "local": local,
        "width": width,
        "ways": ways,
        "one_kernel": one_kernel,
    }


@pytest.fixture
def device():
    device = default_device()
    if device.simulator:
        pytest.skip("a simulator calls what the last work-group reads a race")
    return device


@pytest.fixture
def counted(device):
    """The device's counter of work-groups, read after all launches."""
    return lambda: int(device.memory.counter.to_numpy("u4", (1,))[0])


def data(n: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(-50, 50, n).astype(np.float32)  # sums of these are exact


def test_one_launch_computes_what_two_do_and_leaves_the_counter_at_0(device, counted):
    _, general, _ = kernel_of(asum())
    for shape in SHAPES:
        one, two = (build(device, general, configured(shape, number)) for number in (1, 0))
        assert (len(one.plan.kernels), len(two.plan.kernels)) == (1, 2)
        for n in (16897, 33792, 50021):
            xs = data(n, n)
            buffer = device.wrap(xs, copy=False)
            for result in [each.launch([buffer], (n,))[0] for _ in range(20) for each in (one, two)]:
                assert result.to_numpy("f4", (1,))[0] == np.abs(xs).sum()
            assert counted() == 0


def test_kernels_of_several_threads_share_the_counter(device, counted):
    _, general, _ = kernel_of(asum())
    kernels = [build(device, general, configured(shape)) for shape in SHAPES]
    wrong = []

    def work(seed: int) -> None:
        xs = data(17001 + seed, seed)
        buffer, expected = device.wrap(xs, copy=False), np.abs(xs).sum()
        for turn in range(60):
            (result,) = kernels[(turn + seed) % len(kernels)].launch([buffer], (xs.size,))
            if result.to_numpy("f4", (1,))[0] != expected:
                wrong.append((seed, turn))

    in_threads(work, range(3))
    assert not wrong
    assert counted() == 0


def test_scratch_memory_is_part_of_the_plan(device):
    _, general, _ = kernel_of(asum())
    plan = build(device, general, configured(SHAPES[0])).plan
    ((name, elements, widths),) = plan.kernels[0].scratch
    assert name == "stage0"
    assert [n.evaluate({"n0": 1001}) for n in elements] == [16, 16]
    assert widths == (4, 4)  # sums and their corrections
    assert Plan.from_json(plan.to_json()) == plan


def test_only_devices_with_a_fence_for_all_work_groups_get_them(device):
    _, general, _ = kernel_of(asum())
    candidates, sizes = Candidates.of(general.expr), {"n0": 1 << 20}
    (tree,) = (s for s in candidates.schedules if s.name == "tree")
    machine = replace(machine_of(device), is_cpu=False, max_work_group_size=1024, local_memory_bytes=1 << 15)
    for fence in (False, True):
        with_it = replace(machine, device_fence=fence)
        assert tree.default(candidates.normal, with_it, 1 << 20)["one_kernel"] == fence
        assert (candidates.refused(configured(SHAPES[0]), with_it, sizes) is None) == fence
        assert candidates.refused(configured(SHAPES[0], 0), with_it, sizes) is None


def test_lowered_launches_tell_the_counter_of_work_groups(device, monkeypatch):
    gpu = replace(machine_of(device), is_cpu=False, device_fence=True)
    monkeypatch.setattr(compiler, "machine_of", lambda device: gpu)
    monkeypatch.setattr(compiler, "_compilers", {})
    monkeypatch.setattr(program, "_programs", {})
    monkeypatch.setattr(tiers, "_programs", {})
    old = configure(tune="off", cache="off")
    try:
        (launch,) = lift.lowered(lift.jit(lambda v: la.sum(la.abs(v))), la.asarray(data(1009, 1))).launches
    finally:
        configure(**vars(old))
    at = launch.argument_types.index("counter")
    assert launch.arguments[at] is device.memory.counter
    assert len(launch.arguments) == len(launch.argument_types)
