"""Trees of scans: what they keep in local memory fits, by the constraints and by default."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from ir.core.expr import postorder
from ir.core.notation.parser import parse
from ir.core.patterns import Map, Reverse
from ir.core.semantics.interpreter import interpret
from ir.core.types import BOOL, FLOAT32, FLOAT64, array_of
from ir.cost.thresholds.scans import SCAN_TREE_FOLDED_SUMS
from ir.opencl.generate import generate
from ir.opencl.write import lanes as lane_writer
from ir.schedules.candidates import Candidates
from ir.schedules.schedule import Machine
from lazyarr.runtime import Device, default_device
from tests import oclgrind
from tests.ir import values
from tests.ir.opencl.running import check, compute
from tests.ir.schedules.zoo import COMPACTS, FINISHED_SCANS, SCANS, K, M, N

CASES = {case.name: case for case in (*SCANS, *FINISHED_SCANS, *COMPACTS)}
SIZES = {str(name): 1 << 20 for name in (N, M, K)}


def machine(local_memory: int) -> Machine:
    return Machine(1024, local_memory, 132, 1, False, warp_size=32, device_fence=True)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["scan", "scan_double", "scan_pairs", "running_mean", "compacted_by_scan"])
def test_what_is_not_refused_fits_local_memory(name):
    candidates, tried = Candidates.of(CASES[name].expr), 0
    for local, each, memory, lanes in product((64, 256, 1024), (3, 17), (8 << 10, 48 << 10), (0, 32)):
        choices = {"schedule": "tree", "local": local, "each": each, "levels": 1, "sums": 0, "lanes": lanes}
        configuration = candidates.normalised(choices)
        if candidates.refused(configuration, machine(memory), SIZES) is None:
            kernels = generate(candidates.derive(configuration).result).kernels
            assert max(kernel.local_bytes for kernel in kernels) <= memory
            tried += 1
    assert tried >= 6


@pytest.mark.parametrize(
    ("name", "schedule"), [(n, "tree") for n in ("scan", "scan_double", "scan_pairs")] + [("scan_rows", "row_tree")]
)
@pytest.mark.parametrize("memory", [4 << 10, 8 << 10, 16 << 10, 48 << 10])
def test_a_default_is_not_refused(name, schedule, memory):
    candidates = Candidates.of(CASES[name].expr)
    for n in (1 << 12, 1 << 20, 1 << 24):
        sizes = {**SIZES, "n": n, "m": min(n, 1 << 18)}
        default = candidates.default_of(schedule, machine(memory), sizes)
        assert candidates.refused(default, machine(memory), sizes) is None
        assert default["local"] <= 256


@pytest.mark.parametrize("memory", [16 << 10, 32 << 10, 48 << 10, 64 << 10])
@pytest.mark.parametrize(("kind", "flags"), [(FLOAT32, 1), (FLOAT32, 3), (FLOAT64, 1), (FLOAT64, 6)])
def test_a_default_is_not_refused_whatever_the_bytes_of_an_element(kind, flags, memory):
    inputs = {"xs": array_of(kind, N), "bs": array_of(BOOL, N)}
    either = "".join(f", p.{i} | q.{i}" for i in range(1, flags + 1))
    scan = f"scan (λ(p, q). (maximum p.0 q.0{either})) (-inf:{kind}{', false' * flags}) (zip(xs{', bs' * flags}))"
    candidates = Candidates.of(parse(scan, inputs))
    found = {}
    for n in sorted(k << p for p in range(17, 26) for k in (2, 3)):
        found[n] = default = candidates.default_of("tree", machine(memory), {**SIZES, "n": n})
        assert candidates.refused(default, machine(memory), {**SIZES, "n": n}) is None
    ends = [(found[n]["levels"], found[n]["sums"]) for n in (1 << 18, 1 << 26)]
    assert ends == [(1, 0), (2, 0)]  # between them one group may scan the sums


def test_many_sums_are_scanned_in_blocks_and_few_folded_by_each_group():
    candidates, gpu = Candidates.of(CASES["scan"].expr), machine(48 << 10)
    for warp, of_16mi in ((1, (1, 1024)), (32, (1, 0))):
        device = replace(gpu, warp_size=warp)
        found = [candidates.default_of("tree", device, {**SIZES, "n": 1 << n}) for n in (17, 23, 24, 25, 28)]
        assert [(each["levels"], each["sums"]) for each in found] == [(1, 0), (1, 0), of_16mi, (1, 1024), (2, 0)]


def test_lanes_hand_on_where_warps_have_32():
    for name, schedule in (("scan", "tree"), ("scan_rows", "row_tree")):
        candidates, sizes = Candidates.of(CASES[name].expr), {**SIZES, "n": 1 << 20, "m": 1 << 10}
        for warp, lanes in ((1, 0), (32, 32), (64, 0)):
            default = candidates.default_of(schedule, replace(machine(48 << 10), warp_size=warp), sizes)
            assert default["lanes"] == lanes
        by_lanes = candidates.normalised({**default, "schedule": schedule, "lanes": 32})
        refused = candidates.refused(by_lanes, replace(machine(48 << 10), warp_size=1), sizes)
        assert "work-items in a warp" in str(refused)


def test_a_group_does_not_fold_many_sums():
    candidates = Candidates.of(CASES["scan_max"].expr)
    for levels, blocks in ((1, 96), (2, 96 * 96)):
        choices = candidates.normalised({"schedule": "tree", "local": 32, "each": 3, "levels": levels, "sums": 0})
        at_most = {"n": blocks * (SCAN_TREE_FOLDED_SUMS + 1) - 1}
        assert candidates.refused(choices, machine(48 << 10), at_most) is None
        refused = candidates.refused(choices, machine(48 << 10), {"n": at_most["n"] + 1})
        assert "each group folds" in str(refused)


def test_nobody_waits_for_another_group():
    """What each group folds itself takes two kernels, and no fence."""
    candidates = Candidates.of(CASES["scan"].expr)
    unfenced = replace(machine(48 << 10), device_fence=False)
    chosen = candidates.default_of("tree", unfenced, {**SIZES, "n": 1 << 20})
    assert chosen == candidates.default_of("tree", machine(48 << 10), {**SIZES, "n": 1 << 20})
    program = generate(candidates.derive(chosen).result)
    assert len(program.kernels) == 2
    assert "atomic" not in program.source


@pytest.mark.parametrize(
    ("name", "schedule", "sizes", "why"),
    [
        ("scan", "tree", {"n": 95}, "elements in a block"),
        ("scan", "tree", {"n": 96}, None),
        ("scan", "tree", {"n": 96 * 160 * 4096}, None),
        ("scan", "tree", {"n": 96 * 160 * 4097}, "roundings"),
        ("scan_max", "tree", {"n": 96 * 160 * 4097}, None),
        ("scan_rows", "row_tree", {"n": 2, "m": 96 * 4096}, None),
        ("scan_rows", "row_tree", {"n": 2, "m": 96 * 4097}, "roundings"),
    ],
)
def test_what_a_small_group_scans(name, schedule, sizes, why):
    candidates = Candidates.of(CASES[name].expr)
    choices = candidates.normalised({"schedule": schedule, "local": 32, "each": 3, "levels": 1, "sums": 32})
    refused = candidates.refused(choices, machine(48 << 10), sizes)
    assert refused is None if why is None else why in str(refused)


@pytest.mark.parametrize(("levels", "sums", "blocks"), [(1, 32, 160), (1, 1024, 5120), (2, 32, 160 * 4352)])
def test_a_carry_goes_past_what_the_group_takes_that_scans_the_sums(levels, sums, blocks):
    candidates = Candidates.of(CASES["scan"].expr)
    choices = {"schedule": "tree", "local": 256, "each": 17, "levels": levels, "sums": sums, "lanes": 0}
    found = [candidates.refused(choices, machine(48 << 10), {"n": 4352 * blocks * most}) for most in (4096, 4097)]
    assert found[0] is None
    assert "roundings" in str(found[1])


@pytest.mark.parametrize("name", ["scan", "running_mean", "compacted_by_scan", "counted_by_scan"])
@pytest.mark.parametrize(("levels", "sums"), [(1, 0), (1, 32), (2, 0), (2, 32)])
def test_the_last_kernel_begins_at_the_end(name, levels, sums):
    """What the first one has read last; a single group is where it is."""
    candidates = Candidates.of(CASES[name].expr)
    choices = {"schedule": "tree", "local": 32, "each": 3, "levels": levels, "sums": sums, "lanes": 0}
    low = candidates.derive(choices).result
    (turned,) = [node for node in postorder(low) if isinstance(node, Reverse) and isinstance(node.xs, Map)]
    assert turned.xs.how.name == "mapWorkgroup"
    assert isinstance(turned.xs.xs, Reverse)
    *others, last = generate(low).source.split("__kernel ")[1:]
    assert "- 96 * group0 - 96" in last
    assert not any("- 96 * group0" in other for other in others)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["scan", "scan_max", "scan_double", "scan_pairs"])
def test_a_group_has_room_for_what_comes_before(name):
    candidates, sizes = Candidates.of(CASES[name].expr), {**SIZES, "n": 1 << 17}
    for each, sums, lanes in ((3, 0, 0), (17, 0, 0), (3, 32, 0), (3, 0, 32), (17, 32, 32)):
        choices = {"schedule": "tree", "local": 32, "each": each, "levels": 1, "sums": sums, "lanes": lanes}
        needed = max(kernel.local_bytes for kernel in generate(candidates.derive(choices).result).kernels)
        least = next(m for m in range(1 << 13) if candidates.refused(choices, machine(m), sizes) is None)
        assert least >= needed


def summed(name, schedule, sizes, numbers, **chosen):
    """Cumulative sums of those numbers as a GPU's default forms them, or with what is chosen, and as they are."""
    case, few_units = CASES[name], replace(machine(48 << 10), compute_units=4)
    candidates = Candidates.of(case.expr)
    choices = candidates.default_of(schedule, few_units, {**SIZES, **sizes}) | chosen
    low = candidates.derive({"schedule": schedule, **choices}).result
    (xs,) = values.free_variables(case.expr)
    x = numbers(sizes.get("m", sizes["n"])).astype(np.float32)
    found = np.asarray(interpret(low, {xs: x if name == "scan" else x[None]}, {**SIZES, **sizes})).reshape(-1)
    return found, np.cumsum(x.astype(np.float64))


NUMBERS = {
    "tenths": lambda n: np.full(n, 0.1),
    "seven tenths": lambda n: np.full(n, 0.7),
    "random": lambda n: np.random.default_rng(5).random(n),
}


@pytest.mark.parametrize("numbers", NUMBERS)
@pytest.mark.parametrize(
    ("name", "schedule", "sizes"),
    [
        ("scan", "tree", {"n": 20_000}),
        ("scan", "tree", {"n": 100_003}),
        ("scan", "tree", {"n": 1_000_003}),
        ("scan_rows", "row_tree", {"n": 1, "m": 4096}),
        ("scan_rows", "row_tree", {"n": 1, "m": 9001}),
        ("scan_rows", "row_parts", {"n": 1, "m": 100_003}),
    ],
)
def test_sums_are_as_exact_as_the_page_on_accuracy_says(name, schedule, sizes, numbers):
    found, wanted = summed(name, schedule, sizes, NUMBERS[numbers])
    assert np.all(np.abs(found - wanted) <= 5 * 2.0**-24 * wanted)


@pytest.mark.parametrize(
    ("name", "schedule", "sizes", "number", "chosen"),
    [
        ("scan", "tree", {"n": 100_003}, 1.7777796, {}),  # 17 of them, one after the other, are off by 4.8 units
        ("scan", "tree", {"n": 100_003}, 1.7777796 * 16 / 17, {"local": 32, "each": 17}),  # sums of blocks are
        ("scan_rows", "row_parts", {"n": 1, "m": 1 << 16}, 0.1, {"parts": 4}),
    ],
)
def test_what_comes_before_a_block_is_summed_with_corrections(name, schedule, sizes, number, chosen):
    found, wanted = summed(name, schedule, sizes, lambda n: np.full(n, number), **chosen)
    assert abs(found[-1] - wanted[-1]) <= 2 * 2.0**-24 * wanted[-1]


def run_parting(mask: str, device: Device) -> None:
    """What a mask of the elements is true at, and behind it the others, on a device; the last block is filled up."""
    high = parse(
        f"""let bs = map (λx. {mask}) xs in compact n (map (λ(b, s, i, x).
        (select(b, s - 1, fromSize int32 n - 1:int32 - (i - s)), x))
        (zip(bs, scan (+) 0 (map (λb. int32 b) bs), generate int32 n (λi. i), xs)))""",
        {"xs": array_of(FLOAT32, N)},
    )
    choices = {"schedule": "tree", "local": 32, "each": 3, "levels": 1, "sums": 32, "lanes": 0}
    low = Candidates.of(high).derive(choices)
    check(device, high, low.result, *({"n": n} for n in (96, 97, 250)), exact=True)


def run_counting(device: Device) -> None:
    """What a mask is true at, and how often it is, by the scan's kernels on a device."""
    high = CASES["counted_by_scan"].expr
    for sums, lanes in ((0, 0), (32, 0), (0, 32)):
        choices = {"schedule": "tree", "local": 32, "each": 3, "levels": 1, "sums": sums, "lanes": lanes}
        low = Candidates.of(high).derive(choices)
        assert len(generate(low.result).kernels) == (3 if sums else 2)
        check(device, high, low.result, *({"n": n} for n in (96, 97, 250)), exact=True)


def run_by_lanes(device: Device) -> None:
    """Blocks of one warp and of several, one block, several and some elements more; by one group, and row by row."""
    for name, local, levels, sums in (("scan", 64, 1, 0), ("scan_double", 32, 1, 32), ("scan_pairs", 96, 1, 0)):
        choices = {"schedule": "tree", "local": local, "each": 3, "levels": levels, "sums": sums, "lanes": 32}
        low = Candidates.of(CASES[name].expr).derive(choices)
        low.verify()
        check(device, CASES[name].expr, low.result, *({"n": n} for n in (3 * local, 6 * local + 5)), exact=True)
    rows = CASES["scan_rows"].expr
    low = Candidates.of(rows).derive({"schedule": "row_tree", "local": 64, "each": 3, "lanes": 32}).result
    check(device, rows, low, *({"n": 2, "m": m} for m in (192, 389)), exact=True)


@pytest.mark.device
def test_lanes_scan_what_they_mean():
    run_by_lanes(default_device())


@pytest.mark.slow
@pytest.mark.skipif(not oclgrind.available(), reason="no Oclgrind")
def test_what_lanes_scan_has_no_races():
    code = """
from lazyarr.runtime import default_device
from tests.ir.schedules.test_scan_trees import run_by_lanes
run_by_lanes(default_device())
"""
    assert oclgrind.run(code, timeout=300) == ""


def run_without_barriers_of_lanes(device: Device, *, others: bool) -> None:
    """Scans whose lanes hand nothing on, as no barrier stands between the lanes of a GPU that do: values are wrong, and
    places are right. others: are there the other barriers?
    """
    lane_writer.LANE_UP = "#define LANE_UP_4(to, from, distance, kept) to = from\n#define LANE_UP_8 LANE_UP_4"
    for name, sums in (("scan_pairs", 0), ("scan_of_pairs_used", 64)):
        high = CASES[name].expr
        choices = {"schedule": "tree", "local": 64, "each": 3, "levels": 1, "sums": sums, "lanes": 32}
        program, sizes = generate(Candidates.of(high).derive(choices).result), {"n": 400}
        if not others:
            program = replace(program, source=re.sub(r"barrier\(.*?\);", "", program.source))
        compute(device, program, high, (values.random_inputs(high, sizes, whole=True), sizes))


@pytest.mark.slow
@pytest.mark.skipif(not oclgrind.available(), reason="no Oclgrind")
@pytest.mark.parametrize("others", [True, False])
def test_no_barrier_is_missing_where_lanes_hand_on_without_any(others):
    code = f"""
from lazyarr.runtime import default_device
from tests.ir.schedules.test_scan_trees import run_without_barriers_of_lanes as run
run(default_device(), others={others})
"""
    assert ("data race" in oclgrind.run(code, timeout=300)) == (not others)


@pytest.mark.slow
def test_the_scan_of_a_filter_counts():
    run_counting(default_device())


@pytest.mark.slow
@pytest.mark.skipif(not oclgrind.available(), reason="no Oclgrind")
def test_a_scan_that_counts_has_no_races():
    code = """
from lazyarr.runtime import default_device
from tests.ir.schedules.test_scan_trees import run_counting
run_counting(default_device())
"""
    assert oclgrind.run(code, timeout=300) == ""


@pytest.mark.slow
@pytest.mark.skipif(not oclgrind.available(), reason="no Oclgrind")
def test_what_fills_up_the_last_block_goes_nowhere():
    code = """
from lazyarr.runtime import default_device
from tests.ir.schedules.test_scan_trees import run_parting
for mask in ("x < x", "x > 0", "x <= x"):
    run_parting(mask, default_device())
"""
    assert oclgrind.run(code) == ""
