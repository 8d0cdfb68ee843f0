"""Columns that need a number of each row: right for every shape, a matrix that one kernel reads, no races."""

from __future__ import annotations

import pytest

from ir.core.notation.parser import parse
from ir.core.size_variables import substitute_sizes
from ir.core.sizes import size, var
from ir.core.types import FLOAT32, FLOAT64, array_of
from ir.core.verify import verify_low_level
from ir.opencl.generate import generate
from ir.schedules.candidates import Candidates
from lazyarr.runtime import Device, default_device
from tests import oclgrind
from tests.ir.opencl.running import check
from tests.ir.schedules.zoo import CPU, CROSSED, GPU, Case, M

SHAPES = [(1, 1), (7, 5), (16, 64), (67, 19), (35, 130)]
CHOICES = [
    {"block": 16, "panel": 64, "width": 8, "ways": 4, "prefetch": 256},
    {"block": 32, "panel": 16, "width": 1, "ways": 1, "prefetch": 0},
]
BY_ITEMS = [
    {"block": 16, "turn": 1, "local": 32},
    {"block": 16, "turn": 4, "local": 64},
    {"block": 32, "turn": 2, "local": 256},
]
"""Of the schedule for columns whose number is known."""


def run(device: Device, case: Case, number: int, shapes: list[tuple[int, int]]) -> None:
    candidates = Candidates.of(case.expr)
    low = candidates.derive(candidates.normalised({"schedule": "row_blocks", **CHOICES[number]})).result
    program = generate(low)
    assert len(program.kernels) == 2
    assert "xs" not in program.source[program.source.rindex("__kernel") :]  # the matrix is read by the first
    check(device, case.expr, low, *({"n": n, "m": m} for n, m in shapes), exact=case is not CROSSED[0])


@pytest.mark.parametrize("number", range(len(CHOICES)))
@pytest.mark.parametrize("case", CROSSED, ids=str)
def test_results_of_any_shape(case, number, device):
    run(device, case, number, SHAPES)


def run_by_items(device: Device, number: int, choices: dict[str, int], m: int, *rows: int) -> None:
    high = substitute_sizes(CROSSED[number].expr, {M: size(m)})
    low = Candidates.of(high).derive({"schedule": "row_blocks_items", **choices}).result
    verify_low_level(low)
    program = generate(low)
    assert len(program.kernels) == 2
    assert "xs" not in program.source[program.source.rindex("__kernel") :]  # the matrix is read by the first
    check(device, high, low, *({"n": n} for n in rows), exact=number > 0)


@pytest.mark.parametrize("choices", BY_ITEMS, ids=str)
@pytest.mark.parametrize("m", [1, 32, 67, 256, 300])
@pytest.mark.parametrize("number", range(len(CROSSED)))
def test_work_items_keep_accumulators_of_so_many_columns(number, m, choices, device):
    run_by_items(device, number, choices, m, 1, 16, 35)


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({}, None),
        ({"block": 32, "turn": 1}, "numbers added without corrections"),
        ({"local": 64}, "elements of a work-item in a turn"),
        ({"local": 2048}, "work-items in a work-group"),
        ({"turn": 4, "local": 512}, None),
    ],
)
def test_what_a_gpu_does_not_take_is_refused(changed, reason):
    candidates, sizes = Candidates.of(substitute_sizes(CROSSED[0].expr, {M: size(1 << 12)})), {"n": 1 << 12}
    default = candidates.default(GPU, sizes)
    assert default["schedule"] == "row_blocks_items"
    broken = candidates.refused(default | changed, GPU, sizes)
    assert (broken and broken.reason) == reason
    assert candidates.default(CPU, sizes)["schedule"] == "row_blocks"
    assert set(candidates.searched(CPU, sizes)) == {"row_blocks"}


@pytest.mark.parametrize(("t", "taken"), [(FLOAT32, True), (FLOAT64, False)], ids=str)
def test_accumulators_of_two_registers_count_twice(t, taken):
    n = var("n", 1, 2**15)
    m = size(20_000)
    inputs = {"xs": array_of(t, n * m), "ys": array_of(t, m)}
    candidates = Candidates.of(parse(CROSSED[0].text, inputs, {"n": n, "m": m}))
    broken = candidates.refused(candidates.default(GPU, {"n": 1 << 12}), GPU, {"n": 1 << 12})
    assert (broken is None) == taken
    assert taken or broken.reason == "registers of a group for elements of a turn"


@pytest.mark.parametrize("case", CROSSED, ids=str)
def test_nothing_else_lowers_them(case):
    """Any other schedule would reduce all rows for each column; work-items do not know how many columns they have."""
    candidates, sizes = Candidates.of(case.expr), {"n": 1 << 12, "m": 1 << 12}
    assert [s.name for s in candidates.schedules] == ["row_blocks"]
    assert candidates.refused(candidates.default(CPU, sizes), CPU, sizes) is None
    assert candidates.refused(candidates.default(GPU, sizes), GPU, sizes).reason.startswith("work-items in lockstep")


def test_numbers_of_rows_are_reduced_of_them():
    numbers = "join (map (λr. repeat 1 (element 0 r)) xss)"
    text = f"let xss = split 37 xs in join (map (λr. reduce (+) 0 (map (*) (zip(r, {numbers})))) (transpose xss))"
    n = var("n", 1)
    candidates = Candidates.of(parse(text, {"xs": array_of(FLOAT32, n * 37)}, {"n": n}))
    assert not {"row_blocks", "row_blocks_items"} & {schedule.name for schedule in candidates.schedules}


@pytest.mark.slow
@pytest.mark.parametrize("n", [var("n", 1, 2**15), 16 * var("n", 1, 2**11), size(1000), size(64)], ids=str)
@pytest.mark.parametrize("m", [var("m", 1, 2**15), 64 * var("m", 1, 2**9), size(7), size(4096)], ids=str)
def test_every_choice_can_be_derived(n, m):
    """However many rows and columns are left over."""
    product = "reduce (+) 0 (map (*) (zip(r, {})))"
    rows, xss = f"join (map (λr. {product.format('ys')}) xss)", f"let xss = split ({m}) xs in "
    text = f"{xss}join (map (λr. {product.format(rows)}) (transpose xss))"
    candidates = Candidates.of(parse(text, {"xs": array_of(FLOAT32, n * m), "ys": array_of(FLOAT32, m)}))
    for choices in CHOICES:
        verify_low_level(candidates.derive({"schedule": "row_blocks", **choices}).result)


def run_under_the_simulator(number: int) -> None:
    """One expression, on the default device; called in a process of its own."""
    device = default_device()
    assert device.simulator
    run(device, CROSSED[number], 0, [(17, 5)])
    run_by_items(device, number, BY_ITEMS[number], 37, 17)


@pytest.mark.slow
@pytest.mark.skipif(not oclgrind.available(), reason="Oclgrind is not installed")
@pytest.mark.parametrize("number", range(len(CROSSED)), ids=[str(case) for case in CROSSED])
def test_a_simulator_finds_nothing_wrong(number):
    code = f"from tests.ir.opencl.test_row_blocks import run_under_the_simulator as run\nrun({number})"
    assert oclgrind.run(code, timeout=600) == ""
