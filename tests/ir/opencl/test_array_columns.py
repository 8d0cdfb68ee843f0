"""Kernels of an array and reductions of its columns: right for every shape, one loop, clean under the simulator."""

from __future__ import annotations

import pytest

from ir.core.notation.parser import parse
from ir.core.sizes import size, var
from ir.core.types import FLOAT32, array_of
from ir.core.verify import verify_low_level
from ir.cost.thresholds.reductions import WRITTEN_COLUMN_PARTS
from ir.opencl.generate import generate
from ir.schedules.candidates import Candidates
from lazyarr.runtime import Device, default_device
from tests import oclgrind
from tests.ir.opencl.running import check
from tests.ir.schedules.zoo import CPU, GPU, WRITTEN_COLUMNS, Case

SHAPES = [(1, 1), (7, 5), (8, 64), (67, 19), (300, 130)]
CHOICES = [
    {"local": 32, "parts": 2, "ways": 1},
    {"local": 32, "parts": 4, "ways": 4},
    {"local": 64, "parts": 8, "ways": 8},
    {"local": 64, "parts": 128, "ways": 2},
]


def run(device: Device, case: Case, number: int, shapes: list[tuple[int, int]]) -> None:
    low = Candidates.of(case.expr).derive({"schedule": "array_columns", **CHOICES[number]}).result
    assert len(generate(low).kernels) == 2
    check(device, case.expr, low, *[{"n": n, "m": m} for n, m in shapes], exact=True)


@pytest.mark.parametrize("number", range(len(CHOICES)))
@pytest.mark.parametrize("case", WRITTEN_COLUMNS, ids=str)
def test_an_array_and_reductions_of_its_columns(case, number, device):
    run(device, case, number, SHAPES)


@pytest.mark.parametrize("n", [var("n", 1, 2**15), 16 * var("n", 1, 2**11), size(1000), size(1024)], ids=str)
@pytest.mark.parametrize("m", [var("m", 1, 2**15), 64 * var("m", 1, 2**9), size(7), size(4096)], ids=str)
def test_every_choice_can_be_derived(n, m):
    """However many rows and columns are left over."""
    text = f"let b = map (λx. x + 1) xs in (b, join (map (reduce (+) 0) (transpose (split ({m}) b))))"
    candidates = Candidates.of(parse(text, {"xs": array_of(FLOAT32, n * m)}))
    for local, parts, ways in ((32, 2, 1), (512, 64, 8), (128, 16, 4)):
        chosen = {"schedule": "array_columns", "local": local, "parts": parts, "ways": ways}
        verify_low_level(candidates.derive(chosen).result)


@pytest.mark.parametrize("ways", [1, 4])
def test_what_is_written_is_added_up_in_the_same_loop(ways):
    text = "let b = map (λx. x + 1) xs in (b, join (map (reduce (+) 0) (transpose (split 128 b))))"
    candidates = Candidates.of(parse(text, {"xs": array_of(FLOAT32, 128 * 1024)}))
    chosen = {"schedule": "array_columns", "local": 64, "parts": 4, "ways": ways}
    source = generate(candidates.derive(chosen).result).source
    first, second = source.split("__kernel")[1:]
    assert (first.count("for ("), second.count("for (")) == (1, 1)


def test_the_default_has_many_parts_where_the_columns_are_long():
    candidates = Candidates.of(WRITTEN_COLUMNS[0].expr)
    for n, parts in ((1 << 14, WRITTEN_COLUMN_PARTS), (300, 32), (8, 2)):
        sizes = {"n": n, "m": 1 << 14}
        found = candidates.default(GPU, sizes)
        assert (found["schedule"], found["parts"]) == ("array_columns", parts)
        assert candidates.refused(found, GPU, sizes) is None
    assert candidates.default(CPU, {"n": 300, "m": 300})["schedule"] == "array_columns"  # there is no other


def run_under_the_simulator(number: int) -> None:
    """One expression, on the default device; called in a process of its own."""
    device = default_device()
    assert device.simulator
    run(device, WRITTEN_COLUMNS[number], 1, [(3, 1), (19, 67), (35, 64)])


@pytest.mark.slow
@pytest.mark.skipif(not oclgrind.available(), reason="Oclgrind is not installed")
@pytest.mark.parametrize("number", range(len(WRITTEN_COLUMNS)), ids=[str(case) for case in WRITTEN_COLUMNS])
def test_a_simulator_finds_nothing_wrong(number):
    code = f"from tests.ir.opencl.test_array_columns import run_under_the_simulator as run\nrun({number})"
    assert oclgrind.run(code, timeout=600) == ""
