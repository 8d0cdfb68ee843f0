"""Reductions that need others of the same rows, in one kernel with them; and what is not."""

from __future__ import annotations

import random

import pytest

from ir.core.expr import Expr, Param, fun
from ir.core.patterns import Join, Map, Repeat, Slice, Split, Transpose
from ir.core.types import FLOAT64, array_of
from ir.cost.thresholds.partition import RESULTS_OF_A_KERNEL_AT_MOST
from ir.fusion.partition import row_chains as dependent
from ir.fusion.partition.kernels import partition
from ir.schedules.candidates import Candidates
from ir.schedules.rows.dependent import needs_others
from tests.ir.fusion.graphs import (
    XS,
    YS,
    binary,
    check,
    columns,
    counts,
    down,
    greatest,
    lowered,
    rows,
    total,
    unary,
)
from tests.ir.fusion.test_results import WITH_ZS, ZS, scaled


def distances(xs: Expr, centre: Expr) -> Expr:
    return binary("subtract", xs, down(centre, 4))


def squared(xs: Expr) -> Expr:
    return binary("multiply", xs, xs)


MEAN = scaled(rows(XS, 4), 0.25)
VARIANCE = scaled(rows(squared(distances(XS, MEAN)), 4), 0.25)
LARGEST = rows(XS, 4, greatest)
SUM = rows(unary("exp", distances(XS, LARGEST)), 4)


@pytest.mark.parametrize(
    ("roots", "results"),
    [
        ([VARIANCE], 1),
        ([MEAN, VARIANCE], 2),
        ([LARGEST, SUM], 2),
        ([SUM], 1),
        ([unary("sqrt", VARIANCE), MEAN], 2),
        ([rows(distances(XS, rows(distances(XS, LARGEST), 4)), 4)], 1),  # three, one after the other
        ([MEAN, LARGEST, SUM], 3),
        ([VARIANCE, SUM, MEAN, LARGEST], 4),
        ([rows(binary("multiply", distances(XS, MEAN), YS), 4), MEAN], 2),  # reads more than the mean does
        ([rows(binary("maximum", XS, down(rows(binary("maximum", XS, down(ZS, 4)), 4, greatest), 4)), 4)], 1),
        ([rows(binary("add", YS, down(rows(binary("maximum", YS, XS), 4), 4)), 4)], 1),  # the first reads more
    ],
    ids=str,
)
def test_reductions_that_need_others_of_their_rows_share_a_kernel_with_those(roots, results, monkeypatch):
    monkeypatch.setattr(dependent, "ROW_WAYS_AT_MOST", 256)
    parts = check(*roots, inputs=WITH_ZS)
    assert counts(parts) == [results]
    assert "dependent" in parts.used
    lowered(parts, WITH_ZS)
    start = Candidates.of(parts.tasks[0].expr).normal
    row = _row(start)
    assert needs_others(row)


def _row(e: Expr) -> Expr:
    while isinstance(e, (Map, Join)):
        e = e.xs if isinstance(e, Join) or isinstance(e.xs, (Join, Map)) else e.f.open()[1]
    return e


@pytest.mark.parametrize(
    ("roots", "kernels"),
    [
        ([columns(distances(XS, MEAN), 4)], 2),  # of columns
        ([rows(distances(XS, rows(YS, 4)), 4)], 2),  # of other rows: nothing is read twice
        ([rows(binary("subtract", XS, Join(Repeat(4, LARGEST))), 4)], 2),  # of another order
        ([rows(binary("subtract", XS, down(Slice(2, -1, 3, LARGEST), 4)), 4)], 2),  # of another row
        ([rows(binary("subtract", XS, down(rows(XS, 3), 3)), 4)], 2),  # of rows of another length
        ([rows(Slice(11, -1, 12, distances(XS, LARGEST)), 4)], 2),  # the rows from the last to the first
        ([rows(squared(Slice(11, -1, 12, distances(XS, LARGEST))), 4)], 2),
        ([rows(binary("add", distances(XS, LARGEST), Slice(11, -1, 12, distances(XS, LARGEST))), 4)], 2),
        ([rows(Join(Transpose(Split(4, distances(XS, LARGEST)))), 4)], 2),
        ([Join(Map(fun(array_of(FLOAT64, 4), total), Slice(2, -1, 3, Split(4, distances(XS, LARGEST)))))], 2),
    ],
    ids=str,
)
def test_what_needs_more_than_its_own_row_has_a_kernel_of_its_own(roots, kernels):
    parts = check(*roots)
    assert len(parts.tasks) == kernels
    lowered(parts)


def test_few_or_long_rows_are_reduced_in_parts(monkeypatch):
    assert len(partition([VARIANCE], units=4).tasks) == 2
    assert len(partition([VARIANCE], units=2).tasks) == 1
    monkeypatch.setattr(dependent, "ROW_READ_AGAIN_AT_MOST", 3)
    assert len(check(VARIANCE).tasks) == 2


def test_lengths_of_one_magnitude_are_cut_alike():
    from ir.cost.thresholds.partition import ROW_READ_AGAIN_AT_MOST

    assert (ROW_READ_AGAIN_AT_MOST + 1).bit_count() == 1


@pytest.mark.parametrize(
    ("also", "kernels"),
    [
        (down(rows(distances(YS, Slice(2, -1, 3, MEAN)), 4), 4), 3),
        (Join(Repeat(3, columns(distances(XS, MEAN), 4))), 3),
    ],
    ids=str,
)
def test_kernels_never_wait_for_each_other(also, kernels):
    """What the second reduction needs besides is made of the first one's result, in another kernel."""
    parts = check(rows(binary("add", distances(XS, MEAN), also), 4), MEAN)
    assert len(parts.tasks) == kernels
    lowered(parts)


def test_no_kernel_gets_too_many_results():
    parts = check(*(rows(unary("exp", distances(XS, scaled(LARGEST, i + 2))), 4) for i in range(12)), LARGEST)
    assert max(counts(parts)) <= RESULTS_OF_A_KERNEL_AT_MOST
    lowered(parts)


@pytest.mark.parametrize("seed", range(60))
def test_random_graphs_keep_their_values(seed):
    rng = random.Random(seed)
    long: list[Expr] = [XS, YS]
    short: list[Expr] = [ZS, LARGEST]
    for _ in range(rng.randrange(4, 22)):
        kind = rng.randrange(6)
        if kind < 3:
            centre = rng.choice(short[-3:])
            long.append(
                rng.choice((distances, lambda a, b: binary("maximum", a, down(b, 4))))(rng.choice(long), centre)
            )
        elif kind < 5:
            short.append(rows(rng.choice(long[-3:]), 4, rng.choice((greatest, total))))
        else:
            short.append(binary(rng.choice(("add", "subtract")), rng.choice(short), rng.choice(short[-2:])))
    roots = list(dict.fromkeys(rng.sample(short[2:] or short[1:], 1) + short[-2:]))
    lowered(check(*[x for x in roots if not isinstance(x, Param)], inputs=WITH_ZS), WITH_ZS)
