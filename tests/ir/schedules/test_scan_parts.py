"""Scans of columns and rows in parts, and parts of arrays of three dimensions: work for all units of a GPU."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ir.core.expr import Expr, Param, fun
from ir.core.patterns import Call, Concat, Join, Map, Slice, Split
from ir.core.sizes import LIMIT_32, var
from ir.core.types import FLOAT32, INT32, array_of
from ir.opencl.generate import generate
from ir.rules.common import element
from ir.schedules.candidates import Candidates
from lazyarr.runtime import default_device
from tests import oclgrind
from tests.ir.opencl.running import check
from tests.ir.schedules.zoo import CPU, GPU, ZOO

H200 = replace(GPU, compute_units=132, warp_size=32, device_fence=True)
SHAPES = {"scan_columns": ((4, 3), (5, 1), (13, 7), (64, 5), (129, 33)), "scan_rows": ((5, 4), (3, 64), (2, 1037))}
NAMES = {"scan_columns": "column_parts", "scan_rows": "row_parts"}


def derived(name: str, parts: int):
    (case,) = (case for case in ZOO if case.name == name)
    candidates = Candidates.of(case.expr)
    low = candidates.schedule(NAMES[name]).derive(candidates.start, {"parts": parts})
    low.verify()
    return case.expr, low.result


@pytest.mark.device
@pytest.mark.parametrize("parts", [4, 8])
@pytest.mark.parametrize("name", NAMES)
def test_kernels_scan_in_parts(name, parts):
    shapes = [{"n": n, "m": m} for n, m in SHAPES[name] if (n if name == "scan_columns" else m) >= parts]
    check(default_device(), *derived(name, parts), *shapes, exact=False)


def test_where_parts_are_the_default():
    def chosen(name: str, machine, n: int, m: int) -> dict[str, int | str]:
        (case,) = (case for case in ZOO if case.name == name)
        return Candidates.of(case.expr).default(machine, {"n": n, "m": m})

    assert chosen("scan_columns", H200, 100_003, 127) == {"schedule": "column_parts", "parts": 512}
    assert chosen("scan_columns", H200, 4096, 4096) == {"schedule": "column_parts", "parts": 64}
    assert chosen("scan_columns", H200, 300, 7000)["schedule"] == "columns"  # short ones
    assert chosen("scan_columns", H200, 5000, 500_000)["schedule"] == "columns"  # enough of them
    assert chosen("scan_columns", CPU, 100_003, 127)["schedule"] == "columns"
    assert chosen("scan_rows", H200, 131, 100_003) == {"schedule": "row_parts", "parts": 256}
    assert chosen("scan_rows", H200, 4096, 4096)["schedule"] == "row_tree"
    assert chosen("scan_rows", CPU, 131, 100_003)["schedule"] not in NAMES.values()


def test_gpus_launch_a_group_for_each_row():
    (case,) = (case for case in ZOO if case.name == "scan_rows")
    candidates = Candidates.of(case.expr)
    parts = {"schedule": "row_parts", "parts": 64}
    assert candidates.refused(parts, H200, {"n": 65_535, "m": 10_000}) is None
    assert candidates.refused(parts, H200, {"n": 65_536, "m": 10_000}).reason == "work-groups over the rows"
    assert candidates.default(H200, {"n": 70_000, "m": 10_000})["schedule"] != "row_parts"


N, M, K = (var(name, 3, LIMIT_32) for name in "nmk")


def box(t=FLOAT32) -> Expr:
    """The planes of a box, the first and last of which, and whose first and last rows and elements, are copied, with
    all others negated.
    """
    xs = Param("xs", array_of(t, N * M * K))
    planes = Split(M * K, xs)

    def negated(row: Expr) -> Expr:
        inner = Slice(1, 1, K - 2, row)
        return Concat(Slice(0, 1, 1, row), Map(fun(t, lambda x: Call("negative", x)), inner), Slice(K - 1, 1, 1, row))

    def plane(e: Expr) -> Expr:
        rows = Slice(1, 1, M - 2, Split(K, e))
        return Concat(Slice(0, 1, K, e), Join(Map(fun(element(rows), negated), rows)), Slice((M - 1) * K, 1, K, e))

    inner = Slice(1, 1, N - 2, planes)
    made = Join(Map(fun(element(inner), plane), inner))
    return Concat(Slice(0, 1, M * K, xs), made, Slice((N - 1) * M * K, 1, M * K, xs))


@pytest.mark.device
@pytest.mark.parametrize("width", [1, 4])
@pytest.mark.parametrize("t", [FLOAT32, INT32], ids=str)
def test_each_dimension_of_a_box_has_one_of_the_grid(t, width):
    candidates = Candidates.of(box(t))
    low = candidates.schedule("part_grid").derive(candidates.start, {"width": width})
    low.verify()
    source = generate(low.result).source
    assert "get_global_id(2)" in source
    assert "for (" not in source  # a plane that is copied is shared out by its rows
    check(
        default_device(),
        box(t),
        low.result,
        *({"n": n, "m": m, "k": k} for n, m, k in ((3, 3, 3), (5, 7, 11))),
        exact=True,
    )


@pytest.mark.slow
@pytest.mark.skipif(not oclgrind.available(), reason="no Oclgrind")
@pytest.mark.sweep
def test_no_kernel_races_or_leaves_its_arrays():
    code = """
from lazyarr.runtime import default_device
from ir.schedules.candidates import Candidates
from tests.ir.opencl.running import check
from tests.ir.schedules.test_scan_parts import box, derived
check(default_device(), *derived("scan_columns", 4), {"n": 13, "m": 7}, {"n": 16, "m": 3}, exact=False)
check(default_device(), *derived("scan_rows", 4), {"n": 2, "m": 533}, exact=False)
candidates = Candidates.of(box())
low = candidates.schedule("part_grid").derive(candidates.start, {"width": 4})
check(default_device(), box(), low.result, {"n": 4, "m": 5, "k": 11}, exact=True)
"""
    assert oclgrind.run(code) == ""
