"""Arrays that are assigned to and read in turns."""

from __future__ import annotations

import numpy as np
import pytest

import lazyarr as la
from ir.core.expr import postorder
from lazyarr import config, lift
from lazyarr.evaluate import engine
from lazyarr.graph.leaves import Input


@pytest.mark.device
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


@pytest.mark.device
def test_so_do_assignments_to_views():
    x = la.asarray(np.zeros((6, 4)))
    for i in range(6):
        row = x[i]
        row += i + 1
        assert float(x.sum()) == 4 * sum(range(1, i + 2))
        assert isinstance(x.node, Input) == (i % 2 == 1)  # what was not kept the last time is not computed a third time


@pytest.mark.device
def test_what_is_read_is_the_part_that_was_assigned_to_alone():
    programs = [
        lambda x: (x.__setitem__(slice(2, 4), x[2:4] * 1.5), x[2:4])[1],
        lambda x: (x.__setitem__(1, x[1] + x[0]), x[1:2])[1],
        lambda x: x[2:4].__imul__(1.5),
    ]
    for program in programs:
        expected, found = np.arange(6.0), la.asarray(np.arange(6.0))
        view, shown = expected[2:4], found[2:4]
        sizes = []
        for _ in range(4):
            assert float(program(found).sum()) == program(expected).sum()
            sizes.append(len(list(postorder(found.node))))
            assert float(shown.sum()) == view.sum()
        assert max(sizes[2:]) <= sizes[1]  # it does not grow with every value that is asked for
        np.testing.assert_array_equal(np.asarray(found), expected)


@pytest.mark.device
def test_an_array_computed_with_another_that_holds_the_same_part():
    x, y = la.asarray(np.arange(4.0)), la.asarray(np.arange(5.0))
    part = x[1:3] * 2
    for other in (x, y):
        other[1:3] = part
    assert float(part.sum()) == 6
    assert float(x.sum()) == 9
    y[0] = 5
    assert y.tolist() == [5, 2, 4, 3, 4]
    assert x.tolist() == [0, 2, 4, 3]


@pytest.mark.device
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


def _stacked(xp, x):
    return xp.stack([x[i] * 2 - x[0] for i in range(4)])


def _assigned(xp, x):
    y = xp.zeros((4, 16))
    for i in range(4):
        y[i] = 2 * x[i] - x[0]
    return y


def _joined(xp, x):
    flat = x.reshape(-1)
    return xp.concatenate([flat[:16] + 2 * flat[i * 16 : (i + 1) * 16] for i in range(4)])


@pytest.mark.slow
@pytest.mark.parametrize("program", [_stacked, _assigned, _joined])
def test_parts_that_share_a_slice_with_the_first_of_them(program):
    values = np.arange(64.0).reshape(4, 16)
    assert (np.asarray(program(la, la.asarray(values))) == program(np, values)).all()
    assert "kernel" in str(lift.explain(lambda x: program(la, x), la.asarray(values)))


def test_results_of_which_each_is_met_in_the_others_expression_do_not_wait_for_each_other(monkeypatch):
    asked, values = [], engine._values_or_first

    def counted(*given):
        asked.append(given)
        assert len(asked) < 100
        return values(*given)

    monkeypatch.setattr(engine, "_values_or_first", counted)
    a = np.arange(60_000, dtype="f4").reshape(300, 200)

    def program(xp, read):
        x = xp.asarray(a.copy()) + xp.asarray(a.copy())
        thin = x[::-3, ::-3].T
        column, part = thin[:, -37], thin[12:62]
        first, second = part.T, part.T
        turned = xp.flip(first)
        column[-3] = 4  # what the views stand for is made anew
        tail, again = first[38:], second.T
        read(turned)
        read(xp.diagonal(again).sum())
        for each in (x, thin, column, part, first, second, turned, tail, again):
            read(each)

    wanted, got = [], []
    program(np, lambda x: wanted.append(np.array(x)))
    old = config.settings()
    la.config(tier="auto", tune="off")
    try:
        program(la, lambda x: got.append(np.array(x)))
    finally:
        la.config(**vars(old))
    for found, expected in zip(got, wanted, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-6)
