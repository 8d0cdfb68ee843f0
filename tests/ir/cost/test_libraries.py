"""Which products the host's library computes, and which kernels do."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ir.cost.libraries import library_multiplies
from tests.ir.schedules.zoo import CPU


@pytest.mark.parametrize(
    ("count", "rows", "terms", "columns"), [(1, 32, 100_000, 32), (1, 48, 100_000, 48), (10_000, 8, 8, 8)]
)
def test_kernels_compute_what_the_library_gives_to_one_unit(count, rows, terms, columns):
    assert not library_multiplies(count, rows, terms, columns, 4, replace(CPU, compute_units=2))


@pytest.mark.parametrize(
    ("count", "rows", "terms", "columns"),
    [(1, 1000, 1000, 1000), (1, 20, 20, 20), (1, 64, 20_000, 64), (1000, 32, 32, 32), (5000, 16, 16, 16)],
)
def test_the_library_computes_all_other_products(count, rows, terms, columns):
    assert library_multiplies(count, rows, terms, columns, 4, replace(CPU, compute_units=2))


def test_more_units_are_worth_more_to_kernels_where_the_library_uses_one():
    two, many = (replace(CPU, compute_units=units) for units in (2, 32))
    assert library_multiplies(1, 8, 100_000, 8, 4, two)
    assert not library_multiplies(1, 8, 100_000, 8, 4, many)
