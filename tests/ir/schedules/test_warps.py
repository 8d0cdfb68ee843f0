"""Rows reduced by warps: what the schedule asks of a machine, what it derives, and that it runs without lockstep."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ir.core.expr import postorder
from ir.core.patterns import Map, Memory
from ir.core.size_variables import sizes_in
from ir.core.types import FLOAT32, INT32, array_of
from ir.opencl.generate import generate
from ir.schedules.candidates import Candidates
from lazyarr.compile.trials import machine_of
from lazyarr.runtime import Device, DeviceError, default_device
from tests import oclgrind
from tests.ir.opencl.running import check
from tests.ir.schedules.zoo import CPU, GPU, NESTED, Case, M, N, _case

WARPS = replace(GPU, warp_size=32)
GEMV = next(case for case in NESTED if case.name == "gemv")
WHOLE = _case("whole_rows", "join (map (λr. reduce (+) 0 (map abs r)) xss)", xss=array_of(FLOAT32, N, 256))
SIX = _case("six_rows", "join (map (λr. reduce maximum (-2147483648) r) xss)", xss=array_of(INT32, 6, N))
SUM_AND_MAX = "reduce (λ(a, b). (a.0 + b.0, maximum a.1 b.1)) (0:float32, -inf:float32)"
PAIRS = _case("pairs", f"join (map (λr. {SUM_AND_MAX} (map (λx. (x, x)) r)) xss)", xss=array_of(FLOAT32, N, M))
CASES = [*(case for case in NESTED if case.name in ("rows", "columns", "gemv", "rows_max")), WHOLE, SIX, PAIRS]


def configured(**choices: int) -> dict[str, int | str]:
    return {"schedule": "row_warp", "lanes": 32, "warps": 4, "width": 1, "ways": 1, "stages": 2, **choices}


# --- constraints ------------------------------------------------------------------------------------------------------


def test_only_machines_with_warps_are_given_any():
    candidates, sizes = Candidates.of(GEMV.expr), {"n": 1000, "m": 1000}
    for machine in (CPU, GPU):  # no warps, or none that is known of
        assert candidates.refused(configured(), machine, sizes).reason == "work-items in a warp"
        assert candidates.default(machine, sizes)["schedule"] != "row_warp"
    assert candidates.refused(configured(), WARPS, sizes) is None
    assert candidates.refused(configured(lanes=64), WARPS, sizes).reason == "work-items in a warp"
    assert candidates.refused(configured(lanes=64), replace(WARPS, warp_size=64), sizes) is None


def test_groups_and_rows_have_to_fit():
    candidates = Candidates.of(GEMV.expr)
    small = replace(WARPS, max_work_group_size=100)
    assert candidates.refused(configured(), small, {"n": 9, "m": 999}).reason == "work-items in a work-group"
    tight = replace(WARPS, local_memory_bytes=2000)  # of sums with their corrections
    assert candidates.refused(configured(), tight, {"n": 9, "m": 999}).reason == "bytes of local memory"
    assert candidates.refused(configured(warps=2), tight, {"n": 9, "m": 999}) is None
    assert "in one turn" in candidates.refused(configured(), WARPS, {"n": 9, "m": 31}).reason
    assert "in one turn" in candidates.refused(configured(width=2, ways=2), WARPS, {"n": 9, "m": 127}).reason
    long = candidates.refused(configured(), WARPS, {"n": 1, "m": 1 << 30})
    assert long.reason == "roundings in one accumulator"


@pytest.mark.parametrize(
    ("warp_size", "most", "lanes", "warps"), [(32, 1024, 32, 8), (64, 1024, 64, 8), (32, 100, 32, 2)]
)
def test_the_default_is_what_the_machine_has(warp_size, most, lanes, warps):
    machine = replace(WARPS, warp_size=warp_size, max_work_group_size=most)
    candidates = Candidates.of(GEMV.expr)
    chosen = candidates.schedule("row_warp").default(candidates.normal, machine, 1 << 20)
    assert (chosen["lanes"], chosen["warps"]) == (lanes, warps)
    assert candidates.refused({"schedule": "row_warp", **chosen}, machine, {"n": 99, "m": 1000}) is None


def test_the_device_at_hand_says_whether_it_has_warps():
    device = the_device()
    refused = Candidates.of(GEMV.expr).refused(configured(), machine_of(device), {"n": 1000, "m": 1000})
    assert machine_of(device).warp_size == device.limits.warp_size
    assert (refused is None) == (device.limits.warp_size >= 32)


# --- derivations ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stages", [1, 2])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_rows_are_given_to_warps_and_elements_to_lanes(case, stages):
    derivation = Candidates.of(case.expr).derive(configured(stages=stages))
    derivation.verify()
    low = derivation.result
    maps = [node for node in postorder(low) if isinstance(node, Map) and node.how.parallel]
    assert {node.how.name for node in maps} == {"mapWorkgroup", "mapWarp", "mapLane"}
    kept = [node for node in postorder(low) if isinstance(node, Memory) and node.space == "local"]
    bodies = len([node for node in maps if node.how.name == "mapWorkgroup"])
    assert len(kept) == bodies * stages  # one array of partial results before each stage
    (kernel,) = generate(low).kernels
    assert kernel.launch.local == (4 * 32,)


@pytest.mark.slow
def test_each_lane_has_at_most_one_element_of_the_rest_of_a_row():
    for case, partials in ((GEMV, 64), (WHOLE, 32)):
        program = generate(Candidates.of(case.expr).derive(configured(warps=2, stages=1)).result)
        assert f"__local float shared0[{2 * partials}] __attribute__((aligned(16)));" in program.source
    for warps, left_over in ((2, False), (4, True)):  # of six rows
        source = generate(Candidates.of(SIX.expr).derive(configured(warps=warps)).result).source
        assert ("group1" in source) == left_over


def test_barriers_stay_between_the_stages():
    """Nothing says that a warp's work-items see each other's writes without one."""
    for stages in (1, 2):
        source = generate(Candidates.of(WHOLE.expr).derive(configured(warps=1, stages=stages)).result).source
        assert source.count("barrier(") == stages


# --- results ----------------------------------------------------------------------------------------------------------


def the_device() -> Device:
    try:
        return default_device()
    except DeviceError as error:
        pytest.skip(str(error))


CONFIGURATIONS = [
    configured(),
    configured(lanes=64, warps=2, stages=1),
    configured(warps=1, width=2, ways=2),
    configured(warps=8, width=4, stages=1),
    configured(lanes=64, warps=16, ways=4),
]


def run_all(device: Device, case: Case, configuration: dict[str, int | str], extents: list[tuple[int, int]]) -> None:
    """A machine of warps is made believe; the device needs none, since barriers stand between the stages."""
    low = Candidates.of(case.expr).derive(configuration).result
    names = {v.name for v in sizes_in(case.expr)}
    sizes = [{name: value for name, value in {"n": n, "m": m}.items() if name in names} for n, m in extents]
    check(device, case.expr, low, *sizes, exact=case.exact)


@pytest.mark.slow
@pytest.mark.parametrize("configuration", CONFIGURATIONS, ids=str)
def test_warps_compute_what_rows_mean(configuration):
    run_all(the_device(), GEMV, configuration, [(7, 31), (9, 1031)])


@pytest.mark.device
@pytest.mark.parametrize("number", range(len(CASES)), ids=[str(case) for case in CASES])
def test_warps_reduce_all_kinds_of_rows(number):
    run_all(the_device(), CASES[number], CONFIGURATIONS[number % len(CONFIGURATIONS)], [(1, 1), (5, 256)])


def run_under_the_simulator() -> None:
    device = default_device()
    assert device.simulator
    run_all(device, GEMV, configured(warps=2), [(5, 67)])
    run_all(device, PAIRS, configured(warps=2, width=2, stages=1), [(5, 67)])


@pytest.mark.sweep
@pytest.mark.skipif(not oclgrind.available(), reason="Oclgrind is not installed")
def test_a_simulator_finds_no_race_between_warps_nor_within_one():
    code = "from tests.ir.schedules.test_warps import run_under_the_simulator as run\nrun()"
    assert oclgrind.run(code, timeout=300) == ""
