"""Kernels that read several rows at once, or panels of them: right for every shape, and clean under the simulator."""

from __future__ import annotations

import itertools

import pytest

from lazyarr.runtime import Device, default_device
from tests import oclgrind
from tests.ir.opencl.running import check
from tests.ir.schedules.test_rows import PANELED, ROWS, case_of, derived
from tests.ir.schedules.zoo import Case

COUNTS = (1, 2, 3, 5, 7, 13, 64, 67)
LENGTHS = (1, 3, 16, 17, 100, 1031)
CHOICES = [
    {"rows": 4, "turns": 16, "width": 16, "ways": 2, "prefetch": 256},
    {"rows": 2, "turns": 4, "width": 4, "ways": 1, "prefetch": 0},
    {"rows": 8, "turns": 1, "width": 8, "ways": 2, "prefetch": 0},
    {"rows": 1, "turns": 4, "width": 2, "ways": 4, "prefetch": 256},
]
PANELS = [
    {"panel": 128, "parts": 1, "ways": 4, "width": 8},
    {"panel": 48, "parts": 4, "ways": 1, "width": 16},
    {"panel": 256, "parts": 16, "ways": 2, "width": 1},
]
GRIDS = [
    {"local": 32, "parts": 1, "ways": 4},
    {"local": 64, "parts": 4, "ways": 1},
    {"local": 32, "parts": 128, "ways": 2},
]
SIMULATED = ["gemv", "sum_and_max", "neighbours", "in_order"]


def run(
    device: Device,
    case: Case,
    choices: dict[str, int],
    shapes: list[tuple[int, int]],
    schedule: str = "row_streams",
) -> None:
    low = derived(case, schedule, **choices)
    sizes = [{"n": n, "m": m} for n, m in shapes]
    check(device, case.expr, low, *sizes, exact=case.exact)


@pytest.mark.parametrize("choices", CHOICES, ids=str)
@pytest.mark.parametrize("count", COUNTS)
def test_a_matrix_of_any_shape_times_a_vector(count, choices, device):
    run(device, case_of("gemv"), choices, [(count, length) for length in LENGTHS])


@pytest.mark.parametrize("number", range(len(ROWS)), ids=[str(case) for case in ROWS])
def test_other_reductions_of_rows(number, device):
    choices = {**CHOICES[number % 3], "turns": 1}
    run(device, ROWS[number], choices, [(1, 1), (3, 17), (13, 100), (67, 67)])


@pytest.mark.parametrize("number", range(len(PANELED)), ids=[str(case) for case in PANELED])
def test_panels(number, device):
    """Large ones, one small one, and rows that are left; elements in blocks, and those that are left."""
    shapes = [(1, 1), (128, 4), (67, 67), (200, 13), (330, 200)]
    run(device, PANELED[number], PANELS[number % 3], [*shapes, *((m, n) for n, m in shapes)], "row_panels")


@pytest.mark.parametrize("number", range(len(PANELED)), ids=[str(case) for case in PANELED])
def test_neighbouring_rows_by_neighbouring_work_items(number, device):
    shapes = [(1, 1), (64, 4), (67, 67), (200, 13)]
    run(device, PANELED[number], GRIDS[number % 3], [*shapes, *((m, n) for n, m in shapes)], "row_grid")


def run_under_the_simulator(name: str, number: int) -> None:
    """One expression in one way, on the default device; called in a process of its own."""
    device = default_device()
    assert device.simulator
    if name in map(str, PANELED):
        run(device, case_of(name), PANELS[number], [(3, 1), (67, 19), (195, 5), (19, 67)], "row_panels")
        run(device, case_of(name), GRIDS[number], [(3, 1), (67, 19), (19, 67)], "row_grid")
    run(device, case_of(name), {**CHOICES[number], "turns": 1 if number == 0 else 4}, [(3, 1), (19, 67)])


@pytest.mark.sweep
@pytest.mark.skipif(not oclgrind.available(), reason="Oclgrind is not installed")
@pytest.mark.parametrize(("name", "number"), list(itertools.product(SIMULATED, range(2))))
def test_a_simulator_finds_nothing_wrong(name, number):
    code = f"from tests.ir.opencl.test_rows_together import run_under_the_simulator as run\nrun({name!r}, {number})"
    assert oclgrind.run(code, timeout=600) == ""
