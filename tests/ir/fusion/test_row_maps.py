"""Maps that need reductions of their rows, in one kernel with these; and what is not."""

from __future__ import annotations

import random

import numpy as np
import pytest

from ir.core.expr import Expr, Param
from ir.core.patterns import Join, Repeat, Slice
from ir.core.types import FLOAT64, array_of
from ir.fusion.partition import bundles, repeated_rows, row_maps
from ir.schedules.candidates import Candidates
from ir.schedules.rows.mapped import reductions_of_row
from tests.ir.fusion.graphs import XS, YS, binary, check, counts, down, greatest, lowered, rows, unary
from tests.ir.fusion.test_dependent import LARGEST, MEAN, SUM, VARIANCE, distances
from tests.ir.fusion.test_results import WITH_ZS, ZS

WS = Param("ws", array_of(FLOAT64, 4))
WITH = {**WITH_ZS, "ws": np.arange(4) + 0.5}
EXPONENTIALS = unary("exp", distances(XS, LARGEST))
SOFTMAX = binary("divide", EXPONENTIALS, down(SUM, 4))
NORM = binary("multiply", binary("divide", distances(XS, MEAN), down(unary("sqrt", VARIANCE), 4)), Join(Repeat(3, WS)))


@pytest.fixture(autouse=True)
def few_rows(monkeypatch):
    """Rows as few and as short as the graphs have."""
    monkeypatch.setattr(repeated_rows, "ROWS_READ_AGAIN_AT_LEAST", 1)
    monkeypatch.setattr(row_maps, "MAPPED_ROW_FROM", 1)


@pytest.mark.parametrize(
    ("root", "reductions"),
    [
        (SOFTMAX, 2),
        (NORM, 2),
        (binary("divide", distances(XS, MEAN), down(unary("sqrt", VARIANCE), 4)), 2),
        (distances(XS, LARGEST), 1),
        (unary("sqrt", binary("multiply", distances(XS, LARGEST), distances(YS, LARGEST))), 1),
        (distances(distances(XS, MEAN), rows(distances(XS, MEAN), 4, greatest)), 2),
    ],
    ids=str,
)
def test_a_map_takes_over_the_reductions_of_its_rows(root, reductions):
    parts = check(root, inputs=WITH)
    assert counts(parts) == [1]
    assert parts.mapped
    lowered(parts, WITH)
    assert len(reductions_of_row(Candidates.of(parts.tasks[0].expr).normal)) == reductions


@pytest.mark.parametrize(
    ("roots", "kernels"),
    [
        ([SOFTMAX, LARGEST], 2),  # what the map needs is asked for, too
        ([SOFTMAX, unary("exp", down(LARGEST, 4))], 3),  # another map needs it
        ([distances(XS, rows(YS, 4))], 2),  # of other rows: nothing is read twice
        ([binary("subtract", XS, Join(Repeat(4, rows(XS, 4))))], 2),  # numbers in another order
        ([binary("subtract", XS, down(Slice(2, -1, 3, LARGEST), 4))], 2),  # of another row
        ([Slice(11, -1, 12, distances(XS, LARGEST))], 2),
        ([binary("add", distances(XS, LARGEST), Slice(11, -1, 12, distances(XS, LARGEST)))], 2),
        ([binary("subtract", XS, down(rows(XS, 3), 3)), rows(XS, 4)], 2),  # rows of its own length it does
    ],
    ids=str,
)
def test_what_it_does_not_take_over(roots, kernels, monkeypatch):
    monkeypatch.setattr(bundles, "SHARED_LAUNCH_UP_TO", 0)
    parts = check(*roots, inputs=WITH)
    assert len(parts.tasks) == kernels
    lowered(parts, WITH)


def test_few_or_long_or_short_rows_are_reduced_before(monkeypatch):
    monkeypatch.setattr(row_maps, "MAPPED_ROW_FROM", 8)
    assert not check(distances(XS, LARGEST)).mapped
    monkeypatch.setattr(row_maps, "MAPPED_ROW_FROM", 4)
    monkeypatch.setattr(repeated_rows, "ROWS_READ_AGAIN_AT_LEAST", 4)
    assert not check(distances(XS, LARGEST)).mapped
    monkeypatch.setattr(repeated_rows, "ROWS_READ_AGAIN_AT_LEAST", 3)
    assert check(distances(XS, LARGEST)).mapped
    monkeypatch.setattr(repeated_rows, "ROW_READ_AGAIN_AT_MOST", 3)
    assert not check(distances(XS, LARGEST)).mapped


@pytest.mark.parametrize("seed", range(60))
def test_random_graphs_keep_their_values(seed):
    rng = random.Random(seed)
    long: list[Expr] = [XS, YS]
    for _ in range(rng.randrange(1, 5)):
        centre = rows(rng.choice(long[-2:]), 4, greatest)
        x = distances(rng.choice(long), rng.choice((centre, ZS)))
        long.append(rng.choice((x, unary("abs", x), binary("maximum", x, rng.choice(long)))))
    roots = [x for x in dict.fromkeys(rng.sample(long, rng.randrange(1, 3)) + long[-1:]) if not isinstance(x, Param)]
    with np.errstate(all="ignore"):
        lowered(check(*roots, inputs=WITH), WITH)
