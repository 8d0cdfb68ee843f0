"""Which products the host's library computes, and which kernels do."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ir.cost.libraries import library_multiplies
from tests.ir.schedules.zoo import CPU


def multiplies(count, rows, terms, columns, itemsize=4, units=2):
    return library_multiplies(count, rows, terms, columns, itemsize, replace(CPU, compute_units=units))


@pytest.mark.parametrize("itemsize", [4, 8])
@pytest.mark.parametrize(
    ("rows", "terms", "columns"), [(32, 100_000, 32), (8, 1_000_000, 8), (16, 200_000, 16), (33, 70_000, 50)]
)
def test_kernels_share_out_the_terms_of_a_small_result(rows, terms, columns, itemsize):
    assert not multiplies(1, rows, terms, columns, itemsize)


@pytest.mark.parametrize(
    ("count", "rows", "terms", "columns"),
    [
        (1, 1000, 1000, 1000),
        (1, 20, 20, 20),
        (1, 8, 20_000, 8),
        (1, 64, 100_000, 64),
        (1, 32, 30_000, 300),
        (2, 32, 100_000, 32),
        (10_000, 8, 8, 8),
        (5000, 15, 15, 15),
    ],
)
def test_the_library_computes_all_other_products(count, rows, terms, columns):
    assert multiplies(count, rows, terms, columns)


def test_one_unit_has_nothing_to_share():
    assert multiplies(1, 32, 100_000, 32, units=1)


def test_more_units_are_worth_more_to_kernels():
    chosen = [multiplies(1, 8, 100_000, 8, units=units) for units in (1, 2, 4, 8, 16, 32, 64)]
    assert chosen == sorted(chosen, reverse=True)
    assert chosen[0]
    assert not chosen[-1]
