"""Sums of exponentials beside their maximum, by the schedules that GPUs take: of columns, long rows and arrays."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ir.schedules.candidates import Candidates
from lazyarr.runtime import Device, default_device
from tests import oclgrind
from tests.ir.opencl.running import check
from tests.ir.schedules.zoo import GPU, ZOO

H200 = replace(GPU, compute_units=132, warp_size=32, device_fence=True)
COLUMNS, WHOLE = (next(case.expr for case in ZOO if case.name == f"exponentials{of}") for of in ("_of_columns", ""))
CASES = {
    "columns": (COLUMNS, {"schedule": "row_grid", "local": 32, "parts": 4, "ways": 4}, {"n": 77, "m": 35}),
    "one part": (COLUMNS, {"schedule": "row_grid", "local": 32, "parts": 1, "ways": 8}, {"n": 77, "m": 35}),
    "tree": (WHOLE, {"schedule": "tree", "groups": 2, "local": 32, "width": 4, "ways": 4}, {"n": 2100}),
    "array": (WHOLE, {"schedule": "tree", "groups": 3, "local": 32, "width": 1, "ways": 1}, {"n": 101}),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_it_computes_what_the_expression_means(name):
    run(name, default_device())


def run(name: str, device: Device) -> None:
    """One of the cases on a device."""
    e, configuration, sizes = CASES[name]
    candidates = Candidates.of(e)
    check(device, e, candidates.derive(candidates.normalised(configuration)).result, sizes, exact=False)


@pytest.mark.slow
@pytest.mark.parametrize(("e", "sizes"), [(COLUMNS, {"n": 16384, "m": 16384}), (WHOLE, {"n": 1 << 24})])
def test_a_gpu_takes_blocks_of_one_scale(e, sizes):
    """So a number takes one exponential, and a block one more."""
    candidates = Candidates.of(e)
    chosen = candidates.default(H200, sizes)
    assert chosen["schedule"] in ("row_grid", "tree")
    assert chosen["ways"] == (8 if e is COLUMNS else 4)
    assert "exponentials_in_blocks" in [step.rule for step in candidates.derive(chosen).steps]


@pytest.mark.slow
@pytest.mark.skipif(not oclgrind.available(), reason="no Oclgrind")
def test_the_simulator_finds_nothing_wrong():
    code = """
from lazyarr.runtime import default_device
from tests.ir.schedules.test_exponentials import CASES, run
for name in CASES:
    run(name, default_device())
"""
    assert oclgrind.run(code, timeout=300) == ""
