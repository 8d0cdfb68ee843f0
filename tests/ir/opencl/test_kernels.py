"""Generated kernels of all schedules on ragged sizes: their results on a device, and what a simulator reports."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import pytest

from ir.core.size_variables import sizes_in
from ir.schedules.candidates import Candidates
from lazyarr.runtime import Device, default_device
from tests import oclgrind
from tests.ir.generation import generated
from tests.ir.opencl.running import check, is_mixed_up
from tests.ir.schedules.zoo import SCANS, ZOO, Case
from tests.optimised import takes_minutes
from tests.tiers import by_tier, tier

# Prime and ragged; the small trees, chunks and grids below have a body and a tail in each.
SIZES = {"n": 1125, "m": 3, "k": 2}
MATRIX = {"n": 7, "m": 67, "k": 3}
SMALL = {
    "tree": {"groups": 8, "local": 32, "levels": 1},
    "grid": {"local": 16},
    "chunks": {"groups": 4},
    "row_streams": {"turns": 1},
    "row_warp": {"warps": 2},
    "row_panels": {"panel": 64},
    "row_chunks": {"parts": 2},
    "row_trees": {"parts": 2, "local": 32, "width": 1, "ways": 1},
}


def chosen(case: Case, fences: bool = True) -> list[dict[str, int | str]]:
    """One candidate of each schedule, its vectors and its accumulators in use where it has them.

    fences : may a work-group go on with what others wrote? The simulator calls any such reading a race, and PoCL
        computes scans so wrongly (`is_mixed_up`).
    """
    candidates = Candidates.of(case.expr)
    found = []
    for number, schedule in enumerate(s for s in candidates.schedules if not s.by_library):
        choices = {
            p.name: p.values[min(len(p.values) - 1, 2 - number % 2)] for p in schedule.parameters(candidates.normal)
        }
        small = {k: v for k, v in SMALL.get(schedule.name, {}).items() if k in choices}
        configuration = {"schedule": schedule.name, **choices, **small}
        if "one_kernel" in choices and (not fences or is_mixed_up(candidates.derive(configuration).result)):
            configuration["one_kernel"] = 0
        found.append(candidates.normalised(configuration))
    return found


@cache
def at_the_ends() -> dict[str, list[Case]]:
    """For each schedule the first and the last expression that have it."""
    found: dict[str, list[Case]] = {}
    for case in ZOO:
        for schedule in Candidates.of(case.expr).schedules:
            found[schedule.name] = [*found.get(schedule.name, [])[:1], case]
    return found


def run_all(device: Device, case: Case, sizes: dict[str, int], only: int | None = None) -> None:
    """Check each candidate, or only one of them."""
    names = {v.name for v in sizes_in(case.expr)}
    configurations_ = chosen(case, not device.simulator)
    for configuration in configurations_ if only is None else [configurations_[only % len(configurations_)]]:
        low = Candidates.of(case.expr).derive(configuration).result
        known = {k: v for k, v in sizes.items() if k in names}
        # one of each schedule at least, and others as `tests.optimised` says
        optimised = tier() == "all" and case in at_the_ends()[str(configuration["schedule"])]
        optimised = (optimised and not takes_minutes(generated(low).source)) or None
        check(device, case.expr, low, known, exact=case.exact, optimised=optimised)


@pytest.mark.parametrize(("number", "case"), list(enumerate(ZOO)), ids=[str(case) for case in ZOO])
def test_a_generated_kernel_computes_what_the_expression_means(number, case, device):
    is_matrix = any(name in ("xss", "yss") for name in case.inputs)
    # Building takes half a second: of the same reduction in another dtype one candidate, the simulator runs them all.
    every = by_tier(False, False, not case.name.endswith(("float64", "int32", "int64")))
    run_all(device, case, MATRIX if is_matrix else SIZES, None if every else number)


@pytest.mark.parametrize("case", ZOO[:: len(ZOO) // 8], ids=str)
def test_one_element(case, device):
    run_all(device, case, {"n": 1, "m": 1, "k": 1})


def scan_in_blocks_of_blocks(device: Device, case: Case, each: int, staged: int = 0) -> None:
    """Whole blocks of blocks with one element beside them, with some of all, and with none."""
    candidates = Candidates.of(case.expr)
    choices = {
        "schedule": "tree",
        "local": 32,
        "each": each,
        "width": 1 if staged else each,
        "levels": 2,
        "staged": staged,
    }
    low = candidates.derive(candidates.normalised(choices)).result
    block = 32 * (each + staged)
    lengths = (block * block + 1, block * block + 40 * block + 45, 2 * block * block)
    check(device, case.expr, low, *({"n": n} for n in lengths), exact=case.exact and case.name != "scan_products")


@pytest.mark.parametrize("each", [1, 2])
@pytest.mark.parametrize("case", SCANS[:5], ids=str)
@pytest.mark.parametrize("staged", [0, 1])
def test_sums_of_a_scan_are_scanned_in_blocks(case, each, staged, device):
    scan_in_blocks_of_blocks(device, case, each, staged)


@pytest.mark.sweep
@pytest.mark.skipif(not oclgrind.available(), reason="Oclgrind is not installed")
def test_a_simulator_finds_nothing_wrong_with_them():
    code = (
        "from lazyarr.runtime import default_device as device\nfrom tests.ir.opencl.test_kernels import *\n"
        "scan_in_blocks_of_blocks(device(), SCANS[0], 1)"
    )
    assert oclgrind.run(code, timeout=600) == ""


PARTS = 4


def run_under_the_simulator(part: int) -> None:
    """A part of the expressions, on the default device; called in a process of its own."""
    device, log = default_device(), Path(os.environ["OCLGRIND_LOG"])
    assert device.simulator
    for case in ZOO[part::PARTS]:
        # Of arrays of rows each work-group has one: 293 of them take minutes, and show nothing that a few do not.
        has_rows = any(name.endswith("ss") for name in case.inputs) or case.name == "windows_of_any_length"
        run_all(device, case, {"n": 5, "m": 19, "k": 3} if has_rows else {"n": 293, "m": 3, "k": 2})
        assert not log.exists() or not log.stat().st_size, f"{case}: {log.read_text()[:2000]}"


@pytest.mark.sweep
@pytest.mark.skipif(not oclgrind.available(), reason="Oclgrind is not installed")
@pytest.mark.parametrize("part", range(PARTS))
def test_a_simulator_finds_no_race_no_wild_access_and_no_uninitialised_read(part):
    code = f"from tests.ir.opencl.test_kernels import run_under_the_simulator as run\nrun({part})"
    assert oclgrind.run(code, timeout=600) == ""
