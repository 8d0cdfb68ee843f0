"""Which sorts the host's library carries out, and which kernels do, on two processors."""

from __future__ import annotations

import pytest

from ir.cost.sorting import library_sorts


@pytest.mark.parametrize(
    ("itemsize", "rows", "length"), [(4, 1, 20_000), (4, 1000, 100), (8, 1000, 1000), (2, 1, 1000)]
)
def test_the_library_sorts_short_rows_and_narrow_numbers(itemsize, rows, length):
    assert library_sorts(itemsize, rows, length, 2, in_vectors=True)


@pytest.mark.parametrize(("itemsize", "rows", "length"), [(4, 1, 1 << 20), (8, 1, 1 << 20), (4, 2, 500_000)])
def test_kernels_sort_long_rows_by_digits(itemsize, rows, length):
    assert not library_sorts(itemsize, rows, length, 2, in_vectors=True)


def test_what_is_compared_number_by_number_is_sorted_by_kernels_from_fewer_elements_on():
    assert library_sorts(4, 1, 10_000, 2, in_vectors=True)
    assert not library_sorts(4, 1, 10_000, 2, in_vectors=False)
