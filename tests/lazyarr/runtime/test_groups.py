"""Work-groups for kernels that work with any."""

from __future__ import annotations

import itertools
from math import prod

import pytest

from lazyarr.runtime.groups import few_groups, whole_groups

SIDES = (1024, 1024, 64)


@pytest.mark.parametrize("most", [1, 3, 8, 64, 100, 256, 1024])
def test_groups_divide_what_is_launched_and_add_little(most):
    numbers = [*range(1, 70), 127, 255, 256, 257, 1000, 1023, 4099, 16_777_213, 2**31 - 2**20]
    shapes = [*((n,) for n in numbers), *itertools.product(numbers[::9], numbers[::7]), (3, 5, 1000), (1, 1, 4099)]
    for items in shapes:
        launched, group = whole_groups(items, most, SIDES)
        assert len(launched) == len(group) == len(items)
        assert prod(group) <= (most if max(items[1:], default=0) > 256 * 65535 else min(most, 256))
        assert all(size <= side for size, side in zip(group, SIDES, strict=False))
        for total, size, n in zip(launched, group, items, strict=True):
            assert total % size == 0
            assert n <= total <= n + n // 8


def test_groups_of_prime_numbers_are_full():
    assert whole_groups((16_777_213,), 1024, SIDES) == ((16_777_216,), (256,))
    assert whole_groups((1031, 4099), 1024, SIDES) == ((1152, 4100), (128, 2))
    assert whole_groups((5, 4099), 1024, SIDES) == ((5, 4128), (5, 32))
    assert whole_groups((1, 1), 1024, SIDES) == ((1, 1), (1, 1))


def test_the_second_and_third_dimension_have_as_many_groups_as_are_launched():
    for items in ((256, 100_003), (1000, 4_000_037), (3, 70_001, 200), (7, 5, 70_001)):
        launched, group = whole_groups(items, 1024, SIDES)
        assert prod(group) <= 256
        assert all(n // size <= 65535 for n, size in zip(launched[1:], group[1:], strict=True))


def test_groups_of_very_tall_grids_are_larger():
    for items in ((3, 20_000_000), (3, 60_000_000), (2, 3, 3_000_000)):
        launched, group = whole_groups(items, 1024, SIDES)
        assert prod(group) <= 1024
        assert all(n // size <= 65535 for n, size in zip(launched[1:], group[1:], strict=True))


def test_grids_without_an_element_stay_so():
    for items in ((0,), (0, 5), (5, 0), (3, 0, 2), (70_001, 70_001, 0)):
        for launched, group in (whole_groups(items, 1024, SIDES), few_groups(items, 4096)):
            assert [n == 0 for n in launched] == [n == 0 for n in items]
            assert all(size >= 1 for size in group)


def test_a_runtime_that_compiles_for_each_size_sees_few():
    sizes = {few_groups((n, 3), 4096)[1] for n in range(1, 3000)}
    assert sizes == {(1 << k, 1) for k in range(7)}
    for n in range(1, 3000):
        launched, group = few_groups((n, 3), 4096)
        assert launched[0] % group[0] == 0
        assert n <= launched[0] < n + 64
        assert launched[1] == 3
