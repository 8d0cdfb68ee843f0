"""Scatters that add up integers in local memory: what they choose, what they refuse, and what they compute."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ir.core.notation.parser import parse
from ir.core.sizes import var
from ir.core.types import INT32, INT64, array_of
from ir.opencl.generate import generate
from ir.schedules.candidates import Candidates
from lazyarr.runtime import Device, default_device
from tests import oclgrind
from tests.ir.opencl.running import check
from tests.ir.schedules.zoo import CPU, GPU, SCATTERS

N, M = var("n", 1), var("m", 1)
H200 = replace(GPU, compute_units=132, warp_size=32, device_fence=True)
COUNTS = next(case.expr for case in SCATTERS if case.name == "counts_of_numbers")
SUMS = parse(
    "scatter (+) (λ(i, x). (i - 2, x * 1234567890123456)) (repeat m 5:int64) (zip(is, xs))",
    {"is": array_of(INT32, N), "xs": array_of(INT64, N)},
    {"m": M},
)


@pytest.mark.parametrize(
    ("values", "places", "wanted"),
    [
        (10_000_000, 10, (1056, 256, 256)),
        (10_000_000, 257, (264, 1024, 1024)),
        (10_000_000, 4096, (264, 1024, 4096)),
        (100_000, 100, (16, 256, 256)),
    ],
)
def test_a_gpu_has_an_item_for_each_place_and_as_many_as_run_at_once(values, places, wanted):
    default = Candidates.of(COUNTS).default(H200, {"n": values, "m": places})
    assert default["schedule"] == "groups"
    assert tuple(default[name] for name in ("shares", "local", "kept")) == wanted


@pytest.mark.parametrize(
    ("machine", "sizes", "why"),
    [
        (H200, {"n": 10_000_000, "m": 8193}, "ranges of places"),
        (replace(H200, local_memory_bytes=8191), {"n": 10_000_000, "m": 1000}, "bytes of local memory"),
        (replace(H200, max_work_group_size=64), {"n": 10_000_000, "m": 10}, "work-items in a work-group"),
        (H200, {"n": 15_999, "m": 1000}, "places of all groups"),
        (H200, {"n": 16_000, "m": 1000}, None),
    ],
)
def test_what_does_not_fit_is_refused(machine, sizes, why):
    choices = {"schedule": "groups", "shares": 16, "local": 256, "kept": 1024 if sizes["m"] < 8000 else 4096}
    refused = Candidates.of(COUNTS).refused(choices, machine, sizes)
    assert refused is None if why is None else why in str(refused)


def test_floats_and_other_functions_are_scattered_otherwise():
    for case in SCATTERS:
        names = [schedule.name for schedule in Candidates.of(case.expr).schedules]
        assert ("groups" in names) == (case.name in ("counts", "counts_of_numbers"))


def test_a_cpu_keeps_its_own_way():
    for n in (1 << 10, 1 << 17, 1 << 24):
        assert Candidates.of(COUNTS).default(CPU, {"n": n, "m": 100})["schedule"] != "groups"


def run_all(device: Device) -> None:
    """One range of places and several, whole and not; values for all groups alike, and some more."""
    choices = {"schedule": "groups", "shares": 4, "local": 16, "kept": 64}
    for high in (COUNTS, SUMS):
        low = Candidates.of(high).derive(choices)
        low.verify()
        sizes = ((256, 3), (257, 64), (263, 65)) if device.simulator else ((400, 3), (403, 64), (1601, 131))
        check(device, high, low.result, *({"n": n, "m": m} for n, m in sizes), exact=True)


def test_it_computes_what_the_scatter_means():
    run_all(default_device())


def test_sums_are_not_written_by_two_groups():
    choices = {"schedule": "groups", "shares": 4, "local": 16, "kept": 64}
    source = generate(Candidates.of(COUNTS).derive(choices).result).source
    assert "add_local_8((volatile __local uint *)&shared0[" in source
    assert "atomic_add(&stage" not in source


@pytest.mark.slow
@pytest.mark.skipif(not oclgrind.available(), reason="no Oclgrind")
def test_it_has_no_races():
    code = """
from lazyarr.runtime import default_device
from tests.ir.schedules.test_scatters_by_groups import run_all
run_all(default_device())
"""
    assert oclgrind.run(code, timeout=300) == ""
