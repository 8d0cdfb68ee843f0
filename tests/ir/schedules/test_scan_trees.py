"""Trees of scans: what they keep in local memory fits, by the constraints and by default."""

from __future__ import annotations

from itertools import product

import pytest

from ir.opencl.generate import generate
from ir.schedules.candidates import Candidates
from ir.schedules.schedule import Machine
from tests.ir.schedules.zoo import COMPACTS, FINISHED_SCANS, SCANS, K, M, N

CASES = {case.name: case for case in (*SCANS, *FINISHED_SCANS, *COMPACTS)}
SIZES = {str(name): 1 << 20 for name in (N, M, K)}


def machine(local_memory: int) -> Machine:
    return Machine(1024, local_memory, 132, 1, False, device_fence=True)


@pytest.mark.parametrize("name", ["scan", "scan_double", "scan_pairs", "running_mean", "compacted_by_scan"])
def test_what_is_not_refused_fits_local_memory(name):
    candidates, tried = Candidates.of(CASES[name].expr), 0
    for local, each, memory in product((64, 256, 1024), (3, 17), (8 << 10, 48 << 10)):
        choices = {"schedule": "tree", "local": local, "each": each, "levels": 1, "one_kernel": 1}
        configuration = candidates.normalised(choices)
        if candidates.refused(configuration, machine(memory), SIZES) is None:
            kernels = generate(candidates.derive(configuration).result).kernels
            assert max(kernel.local_bytes for kernel in kernels) <= memory
            tried += 1
    assert tried >= 3


@pytest.mark.parametrize("name", ["scan", "scan_double", "scan_pairs"])
@pytest.mark.parametrize("memory", [8 << 10, 16 << 10, 48 << 10])
def test_a_default_is_not_refused(name, memory):
    candidates = Candidates.of(CASES[name].expr)
    for n in (1 << 12, 1 << 20, 1 << 24):  # longer ones would round too often in such small blocks
        sizes = {**SIZES, "n": n}
        default = candidates.default_of("tree", machine(memory), sizes)
        assert candidates.refused(default, machine(memory), sizes) is None


def test_many_sums_are_scanned_in_blocks_and_fewer_by_the_last_group():
    candidates = Candidates.of(CASES["scan"].expr)
    few, many = ({**SIZES, "n": n} for n in (1 << 24, 1 << 28))
    found = [candidates.default_of("tree", machine(48 << 10), sizes) for sizes in (few, many)]
    assert [(each["levels"], each["one_kernel"]) for each in found] == [(1, 1), (2, 0)]
