"""Maps that need reductions of their rows, and such reductions, in one kernel; rows of a matrix, and vectors of one
row; and what is not.
"""

from __future__ import annotations

import random

import numpy as np
import pytest

from ir.core.expr import Expr, Param, fun
from ir.core.patterns import Call, Join, Literal, Repeat, Scan, Slice
from ir.core.semantics.interpreter import interpret
from ir.core.types import FLOAT64, array_of
from ir.fusion.checks import Checks
from ir.fusion.partition import blocks, bundles, row_chains
from ir.fusion.partition.kernels import partition
from ir.schedules.candidates import Candidates
from ir.schedules.rows.mapped import reductions_of_row
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
    run,
    total,
    unary,
)
from tests.ir.fusion.test_dependent import LARGEST, MEAN, SUM, VARIANCE, distances, scaled
from tests.ir.fusion.test_results import WITH_ZS, ZS

WS = Param("ws", array_of(FLOAT64, 4))
ADD = fun((FLOAT64, FLOAT64), lambda a, b: Call("add", a, b))
WITH = {**WITH_ZS, "ws": np.arange(4) + 0.5}
EXPONENTIALS = unary("exp", distances(XS, LARGEST))
SOFTMAX = binary("divide", EXPONENTIALS, down(SUM, 4))
NORM = binary("multiply", binary("divide", distances(XS, MEAN), down(unary("sqrt", VARIANCE), 4)), Join(Repeat(3, WS)))


@pytest.fixture(autouse=True)
def short_rows(monkeypatch):
    """Rows as short as the graphs have."""
    monkeypatch.setattr(row_chains, "MAPPED_ROW_FROM", 1)


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
    assert "rows" in parts.used
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
    monkeypatch.setattr(bundles, "is_read_within_a_launch", lambda *_: False)
    parts = check(*roots, inputs=WITH)
    assert len(parts.tasks) == kernels
    lowered(parts, WITH)


def test_work_items_of_a_group_take_shorter_rows(monkeypatch):
    monkeypatch.setattr(row_chains, "MAPPED_ROW_FROM", 8)
    assert "rows" not in check(SOFTMAX).used
    parts = check(SOFTMAX, by_items=True)
    assert counts(parts) == [1]
    assert "rows" in parts.used


def test_few_or_long_or_short_rows_are_reduced_before(monkeypatch):
    monkeypatch.setattr(row_chains, "MAPPED_ROW_FROM", 8)
    assert "rows" not in check(distances(XS, LARGEST)).used
    monkeypatch.setattr(row_chains, "MAPPED_ROW_FROM", 4)
    few = [distances(XS, LARGEST)]
    assert "rows" not in partition(few, units=4).used
    assert "rows" not in partition(few, units=3).used  # as two rows would be
    assert "rows" in partition(few, units=2).used
    assert "rows" in partition(few, units=4, by_items=True).used
    monkeypatch.setattr(row_chains, "ROW_READ_AGAIN_AT_MOST", 3)
    assert "rows" not in check(distances(XS, LARGEST)).used


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


def spread(number: Expr, length: int = 12) -> Expr:
    """A number for each element."""
    return Join(Repeat(length, number))


def centred(xs: Expr) -> Expr:
    return binary("subtract", xs, spread(scaled(total(xs), 1 / 12)))


def squares(xs: Expr) -> Expr:
    return total(binary("multiply", xs, xs))


NORMED = binary("divide", XS, spread(unary("sqrt", squares(XS))))
ALPHA = binary("divide", squares(XS), total(binary("multiply", XS, YS)))
RESIDUAL = binary("subtract", XS, binary("multiply", spread(ALPHA), YS))
BETA = binary("divide", squares(RESIDUAL), squares(XS))
NEXT = binary("add", RESIDUAL, binary("multiply", spread(BETA), YS))
TURNED = Slice(11, -1, 12, centred(XS))


@pytest.mark.parametrize(
    ("roots", "results"),
    [
        ([NORMED], 1),
        ([binary("subtract", XS, spread(total(YS)))], 1),  # a launch is saved, though nothing is read twice
        ([binary("divide", centred(XS), spread(unary("sqrt", squares(centred(XS)))))], 1),
        ([RESIDUAL, NEXT], 2),
        ([squares(centred(XS))], 1),  # a number
        ([centred(XS), centred(YS)], 2),
    ],
    ids=str,
)
def test_a_short_vector_is_one_row(roots, results):
    parts = check(*roots)
    assert counts(parts) == [results]
    lowered(parts)


def test_rows_are_reduced_again_of_what_was_made_of_them():
    """A step of the conjugate-gradient method for each row."""

    def of_rows(x: Expr) -> Expr:
        return rows(binary("multiply", x, x), 4)

    alpha = binary("divide", of_rows(XS), rows(binary("multiply", XS, YS), 4))
    residual = binary("subtract", XS, binary("multiply", down(alpha, 4), YS))
    after = binary("add", residual, binary("multiply", down(binary("divide", of_rows(residual), of_rows(XS)), 4), YS))
    parts = check(residual, after)
    assert counts(parts) == [2]
    lowered(parts)


@pytest.mark.parametrize(
    ("roots", "kernels"),
    [
        ([NORMED, squares(XS)], 2),  # a number is asked for, too
        ([TURNED], 2),  # elements of other places
        ([binary("add", centred(XS), TURNED)], 2),
        ([binary("add", centred(XS), Scan(ADD, Literal(0.0, FLOAT64), centred(XS)))], 2),  # a scan stands between
        ([centred(XS), binary("add", centred(XS), Scan(ADD, Literal(0.0, FLOAT64), centred(XS)))], 2),
        ([binary("subtract", XS, down(rows(centred(XS), 4), 4))], 2),  # rows of its own length
    ],
    ids=str,
)
def test_what_is_not_done_with_it(roots, kernels, monkeypatch):
    monkeypatch.setattr(bundles, "is_read_within_a_launch", lambda *_: False)
    parts = check(*roots)
    assert len(parts.tasks) == kernels
    lowered(parts)


def test_longer_vectors_are_reduced_before(monkeypatch):
    monkeypatch.setattr(row_chains, "ONE_ROW_AT_MOST", 11)
    assert len(check(NORMED).tasks) == 2
    monkeypatch.setattr(row_chains, "ONE_ROW_AT_MOST", 12)
    assert len(check(NORMED).tasks) == 1


def test_little_work_is_done_again():
    """Elements that need one sum after the other would be made again for each: a kernel has a few of them."""
    x: Expr = XS
    for _ in range(12):
        x = unary("exp", binary("divide", x, spread(squares(x))))
    parts = check(x)
    assert 4 <= len(parts.tasks) <= 12
    lowered(parts)


@pytest.mark.parametrize("start", [centred(XS), distances(XS, MEAN)], ids=["vector", "rows"])
@pytest.mark.parametrize(("steps", "kernels"), [(3, 1), (12, 2)])
def test_what_would_be_derived_on_many_ways_is_stored(start, steps, kernels):
    """Each step uses the one before twice, and so the mean 2^steps times."""
    x = start
    for _ in range(steps):
        x = binary("subtract", x, unary("abs", unary("exp", x)))
    parts = check(x)
    assert len(parts.tasks) == kernels
    lowered(parts)


@pytest.mark.parametrize("turned", [False, True])
def test_kernels_of_chains_do_not_wait_for_each_other(turned, monkeypatch):
    """Of two chains each would need the other one's results."""
    monkeypatch.setattr(row_chains, "ROW_WORK_REPEATED_AT_MOST", 9)
    monkeypatch.setattr(bundles, "is_read_within_a_launch", lambda *_: False)
    near, other = distances(XS, LARGEST), centred(YS)  # of rows of 4, and of one row
    deeper = total(binary("subtract", other, spread(greatest(other))))
    mixed = binary("add", distances(other, rows(near, 4)), near), binary("add", near, spread(deeper))
    parts = check(*((*mixed, near, other)[:: -1 if turned else 1]))
    lowered(parts)


def test_a_kernel_of_rows_and_columns_is_in_no_chain(monkeypatch):
    """Its results have lengths of their own."""
    monkeypatch.setattr(blocks, "is_worth_blocks", lambda *_: True)
    roots = [distances(XS, rows(XS, 4)), columns(XS, 4)]
    parts = partition(roots, loops=True, checks=Checks())
    for actual, root in zip(run(parts, INPUTS), roots, strict=True):
        np.testing.assert_array_equal(actual, interpret(root, INPUTS))


@pytest.mark.parametrize("seed", range(80))
def test_random_graphs_of_rows_of_several_lengths_keep_their_values(seed):
    rng = random.Random(seed)
    long: list[Expr] = [XS, YS]
    numbers: list[Expr] = []
    for _ in range(rng.randrange(2, 8)):
        x = rng.choice(long[-3:])
        match rng.randrange(6):
            case 0:
                x = distances(x, rows(rng.choice(long), 4, greatest))
            case 1:
                x = binary("subtract", x, down(rows(rng.choice(long), 3), 3))
            case 2 | 3:
                numbers.append(greatest(rng.choice(long)))
                x = binary("maximum", x, spread(rng.choice(numbers)))
            case 4:
                x = Slice(11, -1, 12, x)
            case _:
                x = binary("subtract", rng.choice(long), x)
        long.append(x)
    asked = rng.sample(long, rng.randrange(1, 4)) + rng.sample(numbers, min(len(numbers), rng.randrange(2))) + long[-1:]
    roots = [x for x in dict.fromkeys(asked) if not isinstance(x, Param)]
    with np.errstate(all="ignore"):
        lowered(check(*roots))
