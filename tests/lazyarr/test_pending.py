"""Arrays that are assigned to and read in turns."""

from __future__ import annotations

import numpy as np
import pytest

import lazyarr as la
from lazyarr.inputs import Input
from tests.lazyarr.evaluation import ON_DEVICE, interpreted

on_device = pytest.mark.skipif(not ON_DEVICE, reason="records for the real engine")


@interpreted()
def test_the_second_value_computes_the_array_too():
    x = la.asarray(np.arange(5.0)) * 2
    x[0] = 7
    assert float(x.sum()) == 27
    assert not isinstance(x.node, Input)  # one value: it is fused with what was asked for
    x[1] = x[0] + 1
    assert float(x.sum()) == 33
    assert isinstance(x.node, Input)
    x[2:4] += x[0]
    assert x.tolist() == [7, 8, 11, 13, 8]


@interpreted()
def test_so_do_assignments_to_views():
    x = la.asarray(np.zeros((3, 4)))
    for i in range(3):
        row = x[i]
        row += i + 1
        assert float(x.sum()) == 4 * sum(range(1, i + 2))
        assert isinstance(x.node, Input) == (i > 0)


@on_device
def test_a_table_filled_element_by_element():
    first, second = "ki", "sit"

    def table(xp):
        d = xp.zeros((len(first) + 1, len(second) + 1), dtype=int)
        d[:, 0], d[0] = xp.arange(len(first) + 1), xp.arange(len(second) + 1)
        for i in range(1, len(first) + 1):
            for j in range(1, len(second) + 1):
                d[i, j] = min(d[i - 1, j] + 1, d[i, j - 1] + 1, d[i - 1, j - 1] + (first[i - 1] != second[j - 1]))
        return d

    np.testing.assert_array_equal(np.asarray(table(la)), table(np))
