"""Windows in the recorded graph: views that kernels read through, of which each element may be asked for many times."""

from __future__ import annotations

import random

import numpy as np
import pytest

from ir.core.expr import Expr, Param, fun
from ir.core.patterns import Concat, Join, Map, Slide, Split
from ir.core.types import FLOAT64, array_of
from ir.fusion.partition.kernels import partition
from tests.ir.fusion.graphs import (
    INPUTS,
    XS,
    YS,
    applications,
    binary,
    check,
    counts,
    greatest,
    lowered,
    run,
    total,
    unary,
)

LONG = Param("long", array_of(FLOAT64, 400))
MORE = {**INPUTS, "long": np.arange(400) % 7 - 3.0}


def windows(xs: Expr, window: int, step: int = 1, f=total) -> Expr:
    """What a function makes of each window, flat."""
    made = Slide(window, step, xs)
    return Join(Map(fun(made.type.element, f), made))


def test_windows_alone_are_copied():
    (copied,) = run(partition([Join(Slide(5, 3, XS))]), INPUTS)
    np.testing.assert_array_equal(copied, np.lib.stride_tricks.sliding_window_view(INPUTS["xs"], 5)[::3].ravel())


def test_a_kernel_computes_what_small_windows_hold_and_reads_what_large_ones_do():
    """An element in up to eight windows is computed for each of them, one in more is stored."""
    for window, kernels in ((3, 1), (8, 1), (20, 2)):
        parts = check(windows(unary("sin", LONG), window), inputs=MORE)
        assert len(parts.tasks) == kernels
        assert applications(parts, "sin") == 1
    parts = check(windows(unary("sin", LONG), 20, 10), inputs=MORE)  # each element is in two of them
    assert len(parts.tasks) == 1


def test_elements_are_counted_through_windows_of_rows():
    slid = fun(array_of(FLOAT64, 100), lambda r: Join(Slide(40, 1, r)))
    for xs, kernels in ((unary("sin", LONG), 2), (LONG, 1)):
        assert len(check(unary("abs", Join(Map(slid, Split(100, xs)))), inputs=MORE).tasks) == kernels


def test_reductions_of_the_same_windows_share_a_kernel():
    for window in (3, 20):
        spread = partition([windows(LONG, window, f=greatest), windows(LONG, window)])
        assert counts(spread) == [2]
        lowered(spread, MORE)
    for other in (windows(LONG, 4), windows(LONG, 3, 2)):
        assert counts(partition([windows(LONG, 3, f=greatest), other])) == [1, 1]


def test_windows_of_what_is_put_together_read_it_stored():
    parts = check(windows(Concat(XS, unary("abs", YS)), 3))
    assert len(parts.tasks) == 2
    lowered(parts)


@pytest.mark.parametrize("seed", range(40))
def test_random_graphs_of_windows(seed):
    rng = random.Random(seed)
    pool: list[Expr] = [XS, YS]
    for _ in range(rng.randrange(2, 8)):
        a = rng.choice(pool)
        length = a.type.length.value
        window, step = rng.randrange(1, length + 1), rng.choice((1, 1, 2, 3))
        alike = [x for x in pool if x.type is a.type]
        made = (
            unary("abs", a),
            binary("add", a, rng.choice(alike)),
            windows(a, window, step, rng.choice((total, greatest))),
            Join(Slide(min(window, 3), step, a)),
            Concat(a, rng.choice(pool)),
        )
        pool.append(rng.choice([*made, made[2]]))
    parts = check(*rng.sample(pool[2:], min(2, len(pool) - 2)))
    lowered(parts)
