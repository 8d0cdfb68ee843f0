"""What is made of reductions' results in their kernel, and what is not."""

from __future__ import annotations

import random

import numpy as np
import pytest

from ir.core.expr import Expr, Param, fun, identity, postorder
from ir.core.patterns import Call, Cast, Element, Gather, Generate, Join, Literal, Map, Reduce, Repeat, Slice, Transpose
from ir.core.types import FLOAT64, INT64, array_of
from ir.cost.thresholds.partition import RESULTS_OF_A_KERNEL_AT_MOST
from ir.fusion.partition import row_chains, traffic
from ir.fusion.partition.kernels import partition
from tests.ir.fusion.graphs import (
    INPUTS,
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

ZS = Param("zs", array_of(FLOAT64, 3))
WITH_ZS = {**INPUTS, "zs": np.arange(3.0) * 2 - 1}


def scaled(xs: Expr, factor: float) -> Expr:
    return Map(fun(FLOAT64, lambda x: Call("multiply", x, Literal(factor, FLOAT64))), xs)


@pytest.mark.parametrize(
    ("roots", "results"),
    [
        ([scaled(total(XS), 0.5)], 1),
        ([scaled(rows(XS, 4), 0.5)], 1),
        ([scaled(columns(XS, 4), 0.5), columns(XS, 4)], 2),
        ([unary("abs", scaled(rows(XS, 4), 0.5)), scaled(rows(XS, 4), 0.5)], 2),
        ([binary("subtract", rows(XS, 4, greatest), rows(XS, 4))], 1),
        ([binary("add", scaled(rows(XS, 4), 3), scaled(ZS, 2))], 1),
        ([binary("multiply", rows(XS, 4), ZS), rows(XS, 4, greatest), scaled(rows(XS, 4), 2)], 3),
        ([binary("multiply", binary("add", ZS, rows(XS, 4)), rows(XS, 4))], 1),
        ([binary("subtract", scaled(total(XS), 2), total(binary("multiply", XS, XS)))], 1),
        ([binary("add", rows(XS, 4), scaled(rows(YS, 4, greatest), 2))], 1),
        ([binary("add", columns(XS, 4), columns(YS, 4)), columns(YS, 4)], 2),
        ([binary("multiply", total(unary("abs", XS)), total(YS))], 1),
        ([binary("add", binary("add", rows(XS, 4), rows(YS, 4)), rows(unary("abs", YS), 4))], 1),
    ],
    ids=str,
)
def test_maps_of_results_are_done_by_the_kernel_of_the_reductions(roots, results):
    parts = check(*roots, inputs=WITH_ZS)
    assert counts(parts) == [results]
    lowered(parts, WITH_ZS)


@pytest.mark.parametrize(
    ("roots", "kernels"),
    [
        ([Slice(2, -1, 3, rows(XS, 4)), binary("add", rows(XS, 4), Slice(2, -1, 3, rows(XS, 4)))], 3),  # another order
        ([binary("add", XS, down(rows(XS, 4), 4))], 2),  # of another length
        ([Map(fun(FLOAT64, lambda x: Call("add", x, Element(0, total(XS)))), total(YS))], 2),  # as a whole
        ([Map(fun(FLOAT64, lambda x: Call("add", x, Element(1, rows(XS, 4)))), rows(XS, 4))], 2),  # one of another row
        ([binary("add", rows(XS, 4), Gather(rows(XS, 4), Param("at", array_of(INT64, 3))))], 2),
        ([binary("add", rows(XS, 4), columns(YS, 3))], 3),  # of kernels that share out other rows
        ([binary("add", total(XS), Reduce(fun((FLOAT64, FLOAT64), lambda a, b: a), Literal(0, FLOAT64), YS))], 3),
        ([unary("sin", rows(XS, 4))], 2),  # slow for one row at a time
    ],
    ids=str,
)
def test_what_needs_more_than_its_own_row_is_a_kernel_of_its_own(roots, kernels):
    inputs = {**INPUTS, "at": np.array([2, 0, 0])}
    parts = check(*roots, inputs=inputs)
    assert len(parts.tasks) == kernels
    lowered(parts, inputs)


def test_kernels_that_need_each_other_are_not_finished_crosswise():
    """Each sum could take what is made of both over: but then each would wait for the other."""
    a, b = rows(XS, 4), rows(YS, 4)
    parts = check(binary("add", a, b), binary("subtract", b, a))
    lowered(parts)
    mean = scaled(a, 0.25)
    spread = rows(binary("subtract", YS, down(mean, 4)), 4)
    lowered(check(mean, binary("multiply", spread, mean), binary("add", spread, a)))


def test_a_mean_that_others_need_is_stored_by_the_kernel_of_its_sum(monkeypatch):
    monkeypatch.setattr(row_chains, "ROW_READ_AGAIN_AT_MOST", 3)
    mean = scaled(rows(XS, 4), 0.25)
    distances = binary("subtract", XS, down(mean, 4))
    parts = check(scaled(rows(binary("multiply", distances, distances), 4), 0.25))
    assert len(parts.tasks) == 2
    assert not any(isinstance(task.expr, Map) and isinstance(task.expr.xs, Param) for task in parts.tasks)
    parts = check(binary("divide", distances, down(unary("sqrt", rows(unary("abs", distances), 4)), 4)))
    assert len(parts.tasks) == 3


def test_results_that_only_the_finished_kernel_needed_are_not_stored():
    low, high = rows(unary("negative", XS), 4, greatest), rows(XS, 4, greatest)
    parts = check(binary("add", low, high))
    assert counts(parts) == [1]
    kept = check(binary("add", low, high), low)
    assert counts(kept) == [2]


def test_a_kernel_of_reductions_may_be_joined_before_its_last_one_is_met():
    """One of them is asked for after the map of the others' results."""
    parts = check(binary("add", rows(XS, 4), rows(YS, 4)), rows(unary("abs", YS), 4))
    assert counts(parts) == [2]


def test_kernels_of_reductions_are_joined_only_where_one_is_made_of_all():
    assert counts(check(rows(XS, 4), rows(YS, 4))) == [1, 1]
    waits = rows(binary("add", YS, down(rows(XS, 4), 4)), 4)
    assert len(check(binary("add", rows(XS, 4), waits)).tasks) == 2  # one is made of the other's results


def test_no_kernel_gets_too_many_results():
    s = rows(XS, 4)
    parts = check(*(scaled(s, i + 2) for i in range(20)))
    assert max(counts(parts)) <= RESULTS_OF_A_KERNEL_AT_MOST
    assert sum(counts(parts)) >= 20
    lowered(parts)


def test_the_parameters_of_one_work_item_do_not_pay_for_long_maps_of_short_rows():
    """Roots of many results are better done for vectors of them."""
    expensive = rows(XS, 1)
    for _ in range(4):
        expensive = unary("sqrt", expensive)
    assert len(check(expensive, inputs={**INPUTS, "xs": np.arange(12.0)}).tasks) == 2


@pytest.mark.parametrize("seed", range(60))
def test_random_graphs_of_results_keep_their_values(seed):
    rng = random.Random(seed)
    long: list[Expr] = [XS, YS]
    short: list[Expr] = [ZS]
    single: list[Expr] = [total(XS)]
    for _ in range(rng.randrange(5, 26)):
        kind = rng.randrange(10)
        f = rng.choice((total, greatest))
        if kind < 2:
            long.append(binary(rng.choice(("add", "subtract", "maximum")), rng.choice(long), rng.choice(long)))
        elif kind < 4:
            short.append(rows(rng.choice(long), 4, f))
        elif kind < 7:
            short.append(binary(rng.choice(("add", "subtract", "maximum")), rng.choice(short[-4:]), rng.choice(short)))
        elif kind == 7:
            short.append(rng.choice((unary("abs", rng.choice(short)), Slice(2, -1, 3, rng.choice(short)))))
        elif kind == 8:
            long.append(rng.choice((down(rng.choice(short), 4), Join(Transpose(Repeat(4, rng.choice(short)))))))
        else:
            values = rng.choice((f(rng.choice(long)), f(rng.choice(short)), scaled(rng.choice(single), 2)))
            single.append(binary("add", values, rng.choice(single)))
    pool = [*short[1:], *single[1:], *long[2:]]
    roots = list(dict.fromkeys(rng.sample(pool, min(len(pool), rng.randrange(1, 6)))))
    inputs = {"xs": np.arange(12.0) - 5, "ys": np.arange(12.0) ** 2 % 7, "zs": np.arange(3.0) - 1}
    parts = check(*roots, inputs=inputs)
    lowered(parts, inputs)
    assert [task.expr for task in partition(roots).tasks] == [task.expr for task in parts.tasks]
    for task in parts.tasks:  # each reduction is done by one kernel
        assert sum(isinstance(node, Reduce) for node in postorder(task.expr)) <= 2 * RESULTS_OF_A_KERNEL_AT_MOST


def test_a_number_made_of_numbers_is_made_again_where_it_is_read(monkeypatch):
    quotient = binary("divide", Param("v", array_of(FLOAT64, 1)), Param("w", array_of(FLOAT64, 1)))
    scaled = [binary("multiply", xs, Join(Repeat(12, quotient))) for xs in (XS, unary("exp", YS))]
    inputs = {**INPUTS, "v": np.array([3.0]), "w": np.array([7.0])}
    parts = check(scaled[0], total(scaled[1]), inputs=inputs)
    assert counts(parts) == [1, 1]
    lowered(parts, inputs)
    assert counts(check(scaled[0], total(scaled[1]), quotient, inputs=inputs)) == [1, 1, 1]  # it is asked for
    places = {**inputs, "at": np.zeros(12, np.int64)}
    gathered = binary("multiply", XS, Gather(quotient, Param("at", array_of(INT64, 12))))
    parts = check(gathered, inputs=places)
    assert counts(parts) == [1, 1]  # it is read in another way
    lowered(parts, places)
    monkeypatch.setattr(traffic, "FREE_OPERATIONS", 0)
    assert counts(check(scaled[0], total(scaled[1]), inputs=inputs)) == [1, 1, 1]


def test_what_is_made_of_a_sum_of_generated_numbers_is_no_number_made_of_numbers(monkeypatch):
    """Its kernel reads no array of more numbers, but it reduces."""
    monkeypatch.setattr(row_chains, "ONE_ROW_AT_MOST", 1)
    numbers = Map(fun(INT64, lambda i: Cast(i, FLOAT64)), Generate(7, identity(INT64)))
    away = binary("subtract", numbers, Join(Repeat(7, unary("negative", total(numbers)))))
    parts = check(total(binary("multiply", away, away)), inputs={})
    assert counts(parts) == [1, 1]
    lowered(parts, {})
