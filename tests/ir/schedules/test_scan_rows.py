"""Scans of rows on a CPU: a work-item for each of many short rows, a group for each of all others."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ir.schedules.candidates import Candidates
from tests.ir.schedules.zoo import CPU, GPU, ZOO

(ROWS,) = (case for case in ZOO if case.name == "scan_rows")


def chosen(rows: int, length: int, units: int = 2, machine=CPU) -> str:
    sizes = {"n": rows, "m": length}
    return str(Candidates.of(ROWS.expr).default(replace(machine, compute_units=units), sizes)["schedule"])


@pytest.mark.parametrize(("rows", "length"), [(100_000, 3), (100_000, 32), (10_000, 16), (1_000_000, 5)])
def test_many_short_rows_are_scanned_by_a_work_item_each(rows, length):
    assert chosen(rows, length) == "row_item"


@pytest.mark.parametrize(("rows", "length"), [(1000, 1000), (10, 1_000_000), (20_000, 1000), (100, 300)])
def test_few_or_long_rows_are_scanned_by_a_group_each(rows, length):
    assert chosen(rows, length) == "row_group"


def test_the_more_units_there_are_the_more_rows_it_takes():
    assert [chosen(20_000, 3, units) for units in (1, 2, 64)] == ["row_item", "row_item", "row_group"]


def test_nothing_is_compared_on_a_gpu():
    scan = Candidates.of(ROWS.expr).schedule("row_group")
    assert scan.rivals(ROWS.expr, GPU, {}, {"n": 100_000, "m": 3}) == ()
    assert scan.rivals(ROWS.expr, replace(CPU, compute_units=2), {}, {"n": 100_000, "m": 3})
