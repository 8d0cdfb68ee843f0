"""Which sorts the host's library carries out, and which kernels do."""

from __future__ import annotations

import pytest

from ir.cost.sorting import library_sorts

FAST, SLOW, BY_COMPARISONS = 3e-9, 11e-9, 50e-9


@pytest.mark.parametrize("speed", [FAST, SLOW])
@pytest.mark.parametrize(
    ("itemsize", "rows", "length"), [(4, 1, 20_000), (4, 1000, 100), (8, 1000, 1000), (2, 1, 1 << 20), (1, 1, 1000)]
)
def test_the_library_sorts_short_rows_and_narrow_numbers(itemsize, rows, length, speed):
    assert library_sorts(itemsize, rows, length, 2, speed)


@pytest.mark.parametrize(("itemsize", "rows", "length"), [(4, 1, 1 << 20), (8, 1, 1 << 20), (4, 2, 500_000)])
def test_kernels_sort_long_rows_by_digits_where_the_library_is_not_fast(itemsize, rows, length):
    assert not library_sorts(itemsize, rows, length, 2, SLOW)
    assert not library_sorts(itemsize, rows, length, 2, BY_COMPARISONS)


def test_a_fast_library_sorts_long_rows_too():
    assert library_sorts(4, 1, 1 << 20, 2, FAST)
    assert not library_sorts(4, 1, 1 << 20, 64, FAST), "but not where many units share them"


def test_what_is_compared_number_by_number_is_sorted_by_kernels_from_fewer_elements_on():
    assert library_sorts(4, 1, 10_000, 2, SLOW)
    assert not library_sorts(4, 1, 10_000, 2, BY_COMPARISONS)


@pytest.mark.parametrize("units", [1, 2, 16, 64])
@pytest.mark.parametrize("speed", [FAST, SLOW, BY_COMPARISONS])
def test_the_longer_a_row_the_sooner_kernels_sort_it(units, speed):
    chosen = [library_sorts(4, 1, 1 << log, units, speed) for log in range(25)]
    assert chosen[0]
    assert chosen == sorted(chosen, reverse=True)
