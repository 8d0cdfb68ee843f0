"""Kernels of results of different lengths: right for every shape, a kernel and what adds up parts, clean under the
simulator.
"""

from __future__ import annotations

import pytest

from ir.core.notation.parser import parse
from ir.core.patterns import MapReduce
from ir.core.sizes import size, var
from ir.core.stored import everything_below
from ir.core.types import FLOAT32, ArrayType, array_of
from ir.core.verify import verify_low_level
from ir.opencl.generate import generate
from ir.schedules.candidates import Candidates
from lazyarr.runtime import Device, default_device
from tests import oclgrind
from tests.ir.opencl.running import check
from tests.ir.schedules.zoo import BLOCKS, CPU, GPU, Case

SHAPES = [(1, 1), (7, 5), (8, 16), (67, 19), (35, 130)]
CHOICES = [
    {
        "schedule": "blocks",
        "block": 8,
        "rows_0": 4,
        "width_0": 4,
        "ways_0": 2,
        "panel_1": 64,
        "ways_1": 4,
        "width_1": 8,
    },
    {
        "schedule": "blocks",
        "block": 16,
        "rows_0": 1,
        "width_0": 1,
        "ways_0": 1,
        "panel_1": 16,
        "ways_1": 1,
        "width_1": 1,
    },
    {"schedule": "blocks_items", "rows": 4, "local": 32, "ways_0": 1, "ways_1": 1},
    {"schedule": "blocks_items", "rows": 16, "local": 64, "ways_0": 4, "ways_1": 4},
    {"schedule": "blocks_items", "rows": 32, "local": 32, "ways_0": 8, "ways_1": 8},
]


def run(device: Device, case: Case, number: int, shapes: list[tuple[int, int]]) -> None:
    candidates = Candidates.of(case.expr)
    chosen = candidates.normalised(CHOICES[number])
    sizes = [{"n": n, "m": m} for n, m in shapes]
    low = candidates.derive(chosen).result
    program = generate(low)
    assert len(program.kernels) == 2
    check(device, case.expr, low, *sizes, exact=True)


@pytest.mark.parametrize("number", range(len(CHOICES)))
@pytest.mark.parametrize("case", BLOCKS, ids=str)
def test_results_of_any_lengths(case, number, device):
    run(device, case, number, SHAPES)


@pytest.mark.parametrize("n", [var("n", 1, 2**15), 16 * var("n", 1, 2**11), size(1000), size(9)], ids=str)
@pytest.mark.parametrize("m", [var("m", 1, 2**15), 64 * var("m", 1, 2**9), size(7), size(4096)], ids=str)
def test_every_choice_of_items_can_be_derived(n, m):
    """However many rows and columns are left over."""
    text = f"let xss = split ({m}) xs in (join (map (reduce (+) 0) xss), join (map (reduce (+) 0) (transpose xss)))"
    candidates = Candidates.of(parse(text, {"xs": array_of(FLOAT32, n * m)}))
    names = [p.name for p in candidates.schedule("blocks_items").parameters(candidates.normal)]
    for rows, local, ways in ((4, 32, 1), (8, 512, 8), (32, 64, 4)) if n.value != 9 else ((4, 32, 1), (8, 512, 8)):
        chosen = dict.fromkeys(names, ways) | {"schedule": "blocks_items", "rows": rows, "local": local}
        verify_low_level(candidates.derive(chosen).result)


def test_a_block_of_columns_is_read_once():
    """The accumulators of rows are kept in one loop with the sums of columns, and a second kernel adds up parts."""
    candidates = Candidates.of(BLOCKS[0].expr)
    low = candidates.derive(candidates.normalised(CHOICES[2])).result
    loops = [node for node in everything_below(low) if isinstance(node, MapReduce)]
    assert len(loops) == 1
    assert isinstance(loops[0].init.type, ArrayType)


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({}, None),
        ({"rows": 32, "local": 512}, "bytes of local memory"),
        ({"local": 2048}, "work-items in a work-group"),
        ({"rows": 4, "ways_1": 8}, "elements of a column in a turn"),
        ({"rows": 32, "local": 64, "ways_1": 1}, "numbers added without corrections"),
    ],
)
def test_what_a_gpu_does_not_take_is_refused(changed, reason):
    candidates, sizes = Candidates.of(BLOCKS[0].expr), {"n": 1 << 12, "m": 1 << 12}
    broken = candidates.refused(candidates.default(GPU, sizes) | changed, GPU, sizes)
    assert (broken and broken.reason) == reason


def test_groups_of_one_work_item_are_for_cpus():
    candidates, sizes = Candidates.of(BLOCKS[0].expr), {"n": 1 << 12, "m": 1 << 12}
    assert candidates.default(CPU, sizes)["schedule"] == "blocks"
    assert candidates.default(GPU, sizes)["schedule"] == "blocks_items"
    assert candidates.refused(candidates.default_of("blocks", GPU, sizes), GPU, sizes)


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
    run(device, BLOCKS[number], 2, [(9, 37)])


@pytest.mark.slow
@pytest.mark.skipif(not oclgrind.available(), reason="Oclgrind is not installed")
@pytest.mark.parametrize("number", range(len(BLOCKS)), ids=[str(case) for case in BLOCKS])
def test_a_simulator_finds_nothing_wrong(number):
    code = f"from tests.ir.opencl.test_blocks import run_under_the_simulator as run\nrun({number})"
    assert oclgrind.run(code, timeout=600) == ""
