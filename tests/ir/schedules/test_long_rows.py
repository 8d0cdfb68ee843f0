"""Reductions of long rows: whatever their length, some schedule has few enough roundings in each accumulator.

Asked of the constraints, with sizes that no test could run.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from math import prod

import numpy as np
import pytest

from ir.core.notation.parser import parse
from ir.core.semantics.interpreter import interpret
from ir.core.sizes import var
from ir.core.types import FLOAT32, array_of
from ir.fusion.symbols.symbolise import sizes_in
from ir.schedules.candidates import Candidates
from tests.ir import values
from tests.ir.schedules.zoo import CPU, GPU, ZOO, N

WIDE = replace(CPU, compute_units=64, native_vector_width=16)
WARPS = replace(GPU, warp_size=32)
SMALL = replace(GPU, max_work_group_size=256)
MACHINES = {"cpu": CPU, "wide": WIDE, "gpu": GPU, "warps": WARPS, "small": SMALL}
ROWS = ("rows", "gemv", "columns", "row_means", "gemv_of_blas", "rows_sum_and_max", "several_of_rows")
LENGTHS = (100, 70_000, 5_000_000, 9_000_000, 68_000_000, 10**9)


def candidates_of(name: str) -> Candidates:
    return Candidates.of(next(case for case in ZOO if case.name == name).expr)


def extents(name: str, rows: int, length: int) -> dict[str, int]:
    return {"n": length, "m": rows} if name == "columns" else {"n": rows, "m": length}


@pytest.mark.slow
@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("name", ROWS)
def test_rows_of_any_length_have_a_default(name, machine):
    candidates = candidates_of(name)
    for length in LENGTHS:
        for rows in (1, 2, 1000):
            sizes = extents(name, rows, length)
            chosen = candidates.default(MACHINES[machine], sizes)
            assert candidates.refused(chosen, MACHINES[machine], sizes) is None, (sizes, chosen)
            assert candidates.normalised(chosen) == chosen


def default(machine, rows: int, length: int, name: str = "row_means"):
    return candidates_of(name).default(machine, extents(name, rows, length))


def test_a_cpu_reduces_rows_one_by_one_as_far_as_accumulators_go():
    assert default(CPU, 2, 520_000)["schedule"] == "row_group"
    assert default(CPU, 2, 530_000)["schedule"] == "row_chunks"
    assert default(CPU, 2, 68_000_000)["schedule"] == "row_chunks"
    assert default(CPU, 2, 10**9)["schedule"] == "row_chunks"
    assert default(CPU, 1000, 4096)["schedule"] == "row_streams"


@pytest.mark.slow
def test_rows_too_few_for_all_units_are_reduced_in_parts():
    assert default(WIDE, 2, 5_000_000)["schedule"] == "row_chunks"
    assert default(WIDE, 63, 1 << 20)["schedule"] == "row_chunks"
    assert default(WIDE, 64, 1 << 19)["schedule"] != "row_chunks"
    assert default(WIDE, 2, 1 << 17)["schedule"] != "row_chunks"
    assert default(GPU, 2, 68_000_000) == {"schedule": "row_trees", "parts": 128, "local": 256, "width": 4, "ways": 4}
    assert default(GPU, 1000, 10_000_000)["schedule"] == "row_tree"
    assert default(GPU, 40, 1 << 20)["parts"] == 8


def test_rows_of_a_gpu_that_are_much_to_read_are_reduced_in_parts_where_its_units_have_one_each():
    assert default(GPU, 80, 1 << 17)["schedule"] == "row_trees"
    assert default(GPU, 81, 1 << 17)["schedule"] == "row_tree"  # more than units
    assert default(GPU, 40, 1 << 17)["schedule"] == "row_tree"  # less to read than another launch takes
    assert default(GPU, 80, 1 << 14)["schedule"] == "row_tree"


def long_rows(rows: int, length: int) -> dict[str, int | str]:
    m = 4 * var("k", 1)
    e = parse("join (map (λr. reduce (+) 0 r) (split m xs))", {"xs": array_of(FLOAT32, N * m)}, {"m": m})
    return Candidates.of(e).default(GPU, {"n": rows, "k": length // 4})


@pytest.mark.slow
def test_work_items_of_a_gpu_have_more_of_few_long_rows_in_flight():
    assert long_rows(320, 1 << 15) == {"schedule": "row_tree", "local": 256, "width": 4, "ways": 4}
    assert long_rows(321, 1 << 15) == {"schedule": "row_tree", "local": 256, "width": 2, "ways": 1}
    assert default(GPU, 320, 1 << 15)["width"] == 2  # vectors that are perhaps not aligned


def test_short_rows_are_not_cut_into_parts():
    for configuration, machine in (
        ({"schedule": "row_chunks", "parts": 4, "width": 4, "ways": 1}, CPU),
        ({"schedule": "row_trees", "parts": 4, "local": 64, "width": 4, "ways": 1}, GPU),
    ):
        candidates = candidates_of("gemv")
        assert candidates.refused(configuration, machine, {"n": 2, "m": 1 << 16}) is None
        refused = candidates.refused(configuration, machine, {"n": 2, "m": (1 << 16) - 1})
        assert refused is not None
        assert refused.reason == "elements in the parts of a row"


def test_the_nearest_configuration_that_breaks_no_constraint():
    candidates, sizes = candidates_of("gemv"), {"n": 1, "m": 500_000}
    near = candidates.nearest({"schedule": "row_group", "width": 8, "ways": 1}, CPU, sizes)
    assert near is not None
    assert candidates.refused(near, CPU, sizes) is None
    assert int(near["width"]) * int(near["ways"]) == 128  # only the most accumulators take so long a row
    assert candidates.nearest({"schedule": "row_group"}, CPU, {"n": 1, "m": 10**9}) is None


def test_the_defaults_that_break_no_constraint_come_before_the_others():
    candidates, sizes = candidates_of("gemv"), {"n": 1, "m": 10**9}
    found = list(candidates.defaults(CPU, sizes))
    assert sorted(str(c["schedule"]) for c in found) == sorted(s.name for s in candidates.schedules)
    refused = [candidates.refused(c, CPU, sizes) is not None for c in found]
    assert refused == sorted(refused)
    assert refused[0] is False
    assert refused[-1] is True


@pytest.mark.parametrize("name", ["gemv_of_blas", "rows_max", "rows_sum_and_max"])
@pytest.mark.parametrize("length", [1, 7, 64, 257, 1031])
@pytest.mark.parametrize(
    "choices",
    [
        {"schedule": "row_chunks", "parts": 2, "width": 4, "ways": 2},
        {"schedule": "row_chunks", "parts": 16, "width": 1, "ways": 1},
        {"schedule": "row_trees", "parts": 2, "local": 32, "width": 2, "ways": 1},
    ],
    ids=lambda c: f"{c['schedule']}{c['parts']}",
)
def test_rows_in_parts_have_the_value_of_rows_in_one(name, length, choices):
    candidates = candidates_of(name)
    derivation = candidates.derive(candidates.normalised(choices))
    sizes = {"n": 3, "m": length}
    inputs = values.random_inputs(candidates.start.start, sizes, seed=length)
    inputs = {p: values.integral(value, limit=32) for p, value in inputs.items()}  # sums of products without rounding
    with np.errstate(all="ignore"):
        expected = interpret(candidates.start.start, inputs, sizes)
        values.assert_identical(interpret(derivation.result, inputs, sizes), expected)


@pytest.mark.slow
@pytest.mark.parametrize("columns", [129, 600, 1000, 1023])
def test_short_rows_whose_reductions_need_each_other_are_shared_out_on_a_gpu(columns):
    candidates = Candidates.of(next(case.expr for case in ZOO if case.name == "row_moments"))
    assert candidates.default(GPU, {"n": 4096, "m": columns})["schedule"] == "row_tree"
    assert candidates.default(GPU, {"n": 4096, "m": 40})["schedule"] != "row_tree"


@pytest.mark.slow
def test_no_configuration_is_tried_that_one_constraint_excludes_alone(monkeypatch):
    """And what is found is what trying all of them finds."""
    tried = []
    asked = Candidates.refused
    monkeypatch.setattr(Candidates, "refused", lambda self, *a: tried.append(a) or asked(self, *a))
    for case in ZOO:
        candidates = Candidates.of(case.expr)
        for schedule, parameters in candidates.parameters().items():
            if prod(len(p.values) for p in parameters) > 500:
                continue
            names = [p.name for p in parameters]
            every = [dict(zip(names, at, strict=True)) for at in product(*(p.values for p in parameters))]
            for n in (1, 100):
                sizes = {v.name: n for v in sizes_in(case.expr)}
                fits = [c for c in every if asked(candidates, {"schedule": schedule, **c}, CPU, sizes) is None]
                near = candidates.nearest({"schedule": schedule}, CPU, sizes)
                assert (near is not None) == bool(fits)
                if near is not None:
                    steps = [sum(p.values.index(int(c[p.name])) for p in parameters) for c in (near, *fits)]
                    assert steps[0] == min(steps[1:])
    tried.clear()
    assert candidates_of("gemv").nearest({"schedule": "row_group"}, CPU, {"n": 1, "m": 10**9}) is None
    assert not tried
