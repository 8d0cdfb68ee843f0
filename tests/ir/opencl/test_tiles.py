"""Kernels that read an array with its dimensions exchanged, tile by tile: right for every shape, and clean under the
simulator, which looks for races of work-items among other things.
"""

from __future__ import annotations

import itertools

import pytest

from lazyarr.runtime import Device, default_device
from tests import oclgrind
from tests.ir.opencl.running import check
from tests.ir.schedules.test_tiles import CASES, CHOICES, derived
from tests.ir.schedules.zoo import Case

SHAPES = [(1, 97, 2), (16, 32, 1), (67, 35, 3), (5, 1, 67)]
SIMULATED = [("exchanged_pairs", 0), ("exchanged_two", 2), ("inner_exchanged", 2), ("outer_exchanged", 3)]


def run(device: Device, case: Case, number: int, shapes: list[tuple[int, int, int]]) -> None:
    low = derived(case, CHOICES[number])
    assert low is not None
    sizes = [{"n": n, "m": m, "k": k} for n, m, k in shapes]
    check(device, case.expr, low, *sizes, exact=case.exact)


WAYS = [
    (case, number) for case, number in itertools.product(CASES, range(len(CHOICES))) if derived(case, CHOICES[number])
]


@pytest.mark.parametrize(("case", "number"), WAYS[::3], ids=str)
def test_an_array_of_any_shape(case, number, device):
    run(device, case, number, SHAPES)


def run_under_the_simulator(name: str, number: int) -> None:
    """One expression in one way, on the default device; called in a process of its own."""
    device = default_device()
    assert device.simulator
    run(device, next(case for case in CASES if case.name == name), number, [(1, 1, 1), (19, 37, 2)])


@pytest.mark.sweep
@pytest.mark.skipif(not oclgrind.available(), reason="Oclgrind is not installed")
@pytest.mark.parametrize(("name", "number"), SIMULATED)
def test_a_simulator_finds_nothing_wrong(name, number):
    code = f"from tests.ir.opencl.test_tiles import run_under_the_simulator as run\nrun({name!r}, {number})"
    assert oclgrind.run(code, timeout=600) == ""
