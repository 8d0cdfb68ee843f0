"""Kernels of results of different lengths: right for every shape, a kernel and what adds up parts, clean under the
simulator.
"""

from __future__ import annotations

import pytest

from ir.opencl.generate import generate
from ir.schedules.candidates import Candidates
from lazyarr.runtime import Device, default_device
from tests import oclgrind
from tests.ir.opencl.running import check
from tests.ir.schedules.zoo import BLOCKS, Case

SHAPES = [(1, 1), (7, 5), (8, 16), (67, 19), (35, 130)]
CHOICES = [
    {"block": 8, "rows_0": 4, "width_0": 4, "ways_0": 2, "panel_1": 64, "ways_1": 4, "width_1": 8},
    {"block": 16, "rows_0": 1, "width_0": 1, "ways_0": 1, "panel_1": 16, "ways_1": 1, "width_1": 1},
]


def run(device: Device, case: Case, number: int, shapes: list[tuple[int, int]]) -> None:
    candidates = Candidates.of(case.expr)
    chosen = candidates.normalised({"schedule": "blocks", **CHOICES[number]})
    sizes = [{"n": n, "m": m} for n, m in shapes]
    low = candidates.derive(chosen).result
    program = generate(low)
    assert len(program.kernels) == 2
    check(device, case.expr, low, *sizes, exact=True)


@pytest.mark.parametrize("number", range(len(CHOICES)))
@pytest.mark.parametrize("case", BLOCKS, ids=str)
def test_results_of_any_lengths(case, number, device):
    run(device, case, number, SHAPES)


def test_results_of_one_kernel_lie_where_that_has_written_them():
    candidates = Candidates.of(BLOCKS[0].expr)
    program = generate(candidates.derive(candidates.normalised({"schedule": "blocks"})).result)
    first, second = program.kernels
    (rows, _), (columns, _) = program.results
    assert (rows, columns) == (first.result, second.result)


def run_under_the_simulator(number: int) -> None:
    """One expression, on the default device; called in a process of its own."""
    device = default_device()
    assert device.simulator
    run(device, BLOCKS[number], 0, [(3, 1), (19, 67)] if number < 2 else [(1, 1)])


@pytest.mark.slow
@pytest.mark.skipif(not oclgrind.available(), reason="Oclgrind is not installed")
@pytest.mark.parametrize("number", range(len(BLOCKS)), ids=[str(case) for case in BLOCKS])
def test_a_simulator_finds_nothing_wrong(number):
    code = f"from tests.ir.opencl.test_blocks import run_under_the_simulator as run\nrun({number})"
    assert oclgrind.run(code, timeout=600) == ""
