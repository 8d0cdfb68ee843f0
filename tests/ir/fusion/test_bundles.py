"""Which reductions one kernel computes together: those of the same rows that read the same arrays."""

from __future__ import annotations

import random

import numpy as np
import pytest

from ir.core.expr import Expr, Param, fun
from ir.core.patterns import (
    Call,
    Element,
    Gather,
    Get,
    Join,
    Literal,
    Map,
    Reduce,
    Repeat,
    Slice,
    Split,
    Transpose,
    Zip,
)
from ir.core.types import FLOAT64, INT64, TupleType, array_of
from ir.cost.thresholds.partition import RESULTS_OF_A_KERNEL_AT_MOST
from ir.fusion.partition import bundles, row_chains
from ir.fusion.partition.kernels import partition
from tests.ir.fusion.graphs import (
    INPUTS,
    XS,
    YS,
    binary,
    calls,
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
from tests.tiers import by_tier

SQUARES = binary("multiply", XS, XS)


@pytest.mark.parametrize(
    "roots",
    [
        (total(XS), total(SQUARES)),
        (total(XS), greatest(XS), total(unary("abs", XS))),
        (total(binary("multiply", XS, YS)), total(binary("add", YS, XS))),
        (rows(XS, 4), rows(XS, 4, greatest)),
        (rows(XS, 4), rows(SQUARES, 4)),
        (rows(SQUARES, 3), rows(binary("multiply", SQUARES, YS), 3, greatest)),
        (columns(XS, 4), columns(XS, 4, greatest)),
        (columns(unary("abs", XS), 4), columns(SQUARES, 4)),
        (rows(XS, 12), rows(XS, 12, greatest)),  # one row
        (rows(XS, 1), rows(SQUARES, 1)),  # rows of one element
    ],
    ids=str,
)
def test_reductions_of_the_same_rows_that_share_an_array_are_one_kernel(roots):
    parts = check(*roots)
    assert counts(parts) == [len(roots)]
    lowered(parts)


@pytest.mark.parametrize(
    "roots",
    [
        (total(XS), total(YS)),  # nothing in common
        (rows(XS, 4), rows(XS, 3)),
        (rows(XS, 4), columns(XS, 4)),
        (rows(XS, 4), columns(XS, 3)),  # three of four each, but read along and across
        (total(XS), rows(XS, 4)),
        (total(XS), total(Slice(11, -1, 12, XS))),  # read in another order
        (total(XS), Reduce(fun((FLOAT64, FLOAT64), lambda a, b: Call("subtract", a, b)), Literal(0, FLOAT64), XS)),
        (rows(XS, 4), unary("abs", XS)),
    ],
    ids=str,
)
def test_reductions_of_other_rows_or_other_arrays_are_kernels_of_their_own(roots, monkeypatch):
    monkeypatch.setattr(bundles, "is_read_within_a_launch", lambda *_: False)
    parts = check(*roots)
    assert counts(parts) == [1] * len(roots)
    lowered(parts)


@pytest.mark.parametrize(
    ("roots", "results"),
    [
        ((total(XS), total(YS)), [2]),
        ((total(XS), total(Slice(11, -1, 12, XS))), [2]),
        ((unary("abs", XS), unary("exp", YS)), [2]),
        ((unary("abs", XS), unary("exp", Slice(2, -1, 3, YS))), [1, 1]),  # of other lengths
        ((rows(XS, 4), rows(YS, 4)), [1, 1]),  # rows are as many as the elements say
        # what nothing reads waits for what is deeper
        ((unary("abs", YS), binary("subtract", XS, down(rows(XS, 4), 4))), [1, 2]),
    ],
    ids=str,
)
def test_small_results_share_a_launch_though_they_share_no_array(roots, results, monkeypatch):
    parts = check(*roots)
    assert counts(parts) == results
    lowered(parts)
    monkeypatch.setattr(bundles, "is_read_within_a_launch", lambda *_: False)
    assert max(counts(check(*roots))) == 1


def test_reductions_that_nobody_asked_for_are_computed_together_as_well():
    spread = binary("subtract", down(rows(XS, 4, greatest), 4), down(rows(XS, 4), 4))
    parts = check(spread)
    assert counts(parts) == [1, 2]
    again = binary("add", down(rows(XS, 4, greatest), 4), XS)
    assert counts(check(again, rows(XS, 4))) == [1, 2]


def test_a_reduction_that_waits_for_another_is_no_part_of_its_kernel(monkeypatch):
    monkeypatch.setattr(row_chains, "ROW_READ_AGAIN_AT_MOST", 3)
    mean = rows(XS, 4)
    distances = binary("subtract", XS, down(mean, 4))
    parts = check(mean, rows(binary("multiply", distances, distances), 4))
    assert counts(parts) == [1, 1]
    parts = check(mean, rows(distances, 4), rows(distances, 4, greatest))
    assert counts(parts) == [1, 2]


def test_reductions_that_wait_for_each_other_crosswise_make_no_circle():
    a, b = rows(XS, 4), rows(YS, 4)
    needs_a = rows(binary("add", YS, down(a, 4)), 4)
    needs_b = rows(binary("add", XS, down(b, 4)), 4)
    lowered(check(a, b, needs_a, needs_b, rows(XS, 4, greatest), rows(YS, 4, greatest)))


@pytest.mark.parametrize("reduced", [rows, columns])
def test_forces_are_one_kernel(reduced):
    """Displacements of neighbours, a strength that all need, and a sum along each row for each direction."""
    count = 3 if reduced is rows else 4
    at = Param("at", array_of(INT64, 12))
    places = [Param(name, array_of(FLOAT64, count)) for name in ("us", "vs")]
    inputs = {"at": np.arange(12)[::-1] % 3, "us": np.arange(count) * 1.5, "vs": np.arange(count) ** 2.0}
    own = [down(p, 4) if reduced is rows else Join(Repeat(3, p)) for p in places]
    dx, dy = (binary("subtract", mine, Gather(p, at)) for mine, p in zip(own, places, strict=True))
    strength = unary("negative", binary("add", binary("multiply", dx, dx), binary("multiply", dy, dy)))
    parts = check(*(reduced(binary("multiply", strength, d), 4) for d in (dx, dy)), inputs=inputs)
    assert counts(parts) == [2]
    lowered(parts, inputs)


def test_products_with_the_same_matrix_are_one_kernel():
    vectors = [Param(name, array_of(FLOAT64, 4)) for name in ("ps", "qs")]
    inputs = {**INPUTS, "ps": np.arange(4.0) + 1, "qs": np.arange(4.0) ** 2}

    def product(v: Expr) -> Expr:
        def row(r: Expr) -> Expr:
            return total(
                Map(fun(TupleType((FLOAT64, FLOAT64)), lambda p: Call("multiply", Get(0, p), Get(1, p))), Zip(r, v))
            )

        return rows(XS, 4, row)

    parts = check(*map(product, vectors), inputs=inputs)
    assert counts(parts) == [2]
    lowered(parts, inputs)


def test_the_first_elements_of_reductions_of_rows_are_bundled_like_the_reductions():
    """`lift.map(lambda row: lift.reduce(..), xss)` gives numbers."""
    parts = Split(4, XS)
    sums = [Map(fun(parts.type.element, lambda row, f=f: Element(0, f(row))), parts) for f in (total, greatest)]
    found = check(*sums)
    assert counts(found) == [2]
    lowered(found)
    lowered(check(sums[0], rows(XS, 4, greatest)))


def test_what_else_reads_the_unflattened_results_keeps_them_apart():
    parts = Split(4, XS)
    sums = Map(fun(parts.type.element, total), parts)
    turned = Join(Transpose(sums))
    lowered(check(Join(sums), turned, rows(XS, 4, greatest)))


def test_no_kernel_has_too_many_reductions():
    roots = [total(Map(fun(FLOAT64, lambda x, i=i: Call("add", x, Literal(i, FLOAT64))), XS)) for i in range(20)]
    parts = check(*roots)
    assert sum(counts(parts)) == 20
    assert max(counts(parts)) == RESULTS_OF_A_KERNEL_AT_MOST


def test_a_result_joins_those_with_which_it_shares_most(monkeypatch):
    monkeypatch.setattr(bundles, "is_read_within_a_launch", lambda *_: False)
    zs = Param("zs", array_of(FLOAT64, 12))
    inputs = {**INPUTS, "zs": np.arange(12.0) % 5}
    left, right = (binary("multiply", x, y) for x, y in ((XS, YS), (zs, zs)))
    both = binary("add", binary("add", left, XS), zs)
    parts = check(total(left), total(right), greatest(both), inputs=inputs)
    together = next(task for task in parts.tasks if len(task.results) > 1)
    assert {parts.results[0], parts.results[2]} == set(together.results)


def test_rows_of_higher_dimensions_are_seen_through_their_views():
    inputs = {"xs": np.arange(24.0) - 7}
    xs = Param("xs", array_of(FLOAT64, 24))
    turn = fun(array_of(FLOAT64, 6), lambda part: Join(Transpose(Split(3, part))))

    def middle(values: Expr, f) -> Expr:
        """The reduction along the middle dimension of (4, 2, 3)."""
        return rows(Join(Map(turn, Split(6, values))), 2, f)

    parts = check(middle(xs, total), middle(binary("multiply", xs, xs), greatest), inputs=inputs)
    assert counts(parts) == [2]
    lowered(parts, inputs)


def test_the_cut_is_the_same_every_time():
    pool = [
        rows(binary("add", XS, Map(fun(FLOAT64, lambda x, i=i: Call("multiply", x, Literal(i, FLOAT64))), YS)), 4)
        for i in range(12)
    ]
    first = partition(pool)
    assert all([task.expr for task in partition(pool).tasks] == [task.expr for task in first.tasks] for _ in range(3))


def wide(count: int) -> list[Expr]:
    """Sums and maxima at every step of a chain."""
    xs, found = XS, []
    for i in range(count):
        xs = Map(fun(FLOAT64, lambda x, i=i: Call("add", x, Literal(i % 7, FLOAT64))), xs)
        found += [total(xs), greatest(xs)]
    return found


@pytest.mark.slow
def test_many_reductions_are_cut_in_linear_time():
    few = by_tier(100, 100, 300)
    assert calls(partition, wide(10 * few))[0] <= 11 * calls(partition, wide(few))[0]


@pytest.mark.parametrize("seed", range(40))
def test_random_graphs_of_rows_keep_their_values(seed):
    rng = random.Random(seed)
    pool: list[Expr] = [XS, YS]
    roots: list[Expr] = []
    for _ in range(rng.randrange(4, 24)):
        a, b = rng.choice(pool[-6:]), rng.choice(pool)
        kind, f = rng.randrange(9), rng.choice((total, greatest))
        if kind < 3:
            pool.append(binary(rng.choice(("add", "subtract", "maximum")), a, b))
        elif kind == 3:
            pool.append(unary(rng.choice(("abs", "negative", "sin")), a))
        elif kind == 4:
            pool.append(rng.choice((Slice(11, -1, 12, a), Join(Transpose(Split(4, a))))))
        elif kind == 5:
            pool.append(down(rows(a, 4, f), 4))
        elif kind == 6:
            pool.append(Join(Repeat(3, columns(a, 4, f))))
        else:
            roots.append(rng.choice((f, lambda x, f=f: rows(x, 4, f), lambda x, f=f: columns(x, 4, f)))(a))
    roots += rng.sample(pool[2:], min(2, len(pool) - 2))
    inputs = {"xs": np.arange(12.0) - 5, "ys": np.arange(12.0) ** 2 % 7}
    lowered(check(*dict.fromkeys(roots), inputs=inputs), inputs)
