"""What is made of a scan's elements is made by the scan's kernel, where one condition or another does not forbid it."""

from __future__ import annotations

import numpy as np
import pytest

from ir.core.expr import Expr, fun
from ir.core.patterns import (
    Call,
    Cast,
    Compact,
    Concat,
    FromSize,
    Gather,
    Generate,
    Get,
    Join,
    Literal,
    Map,
    Reduce,
    Scan,
    Slice,
    Split,
    Transpose,
    Tuple,
    Zip,
)
from ir.core.types import FLOAT64, INT32
from ir.fusion.partition.kernels import partition
from ir.fusion.partition.reasons import Condition, Reasons
from tests.ir.fusion.graphs import INPUTS, XS, YS, binary, check, total, unary


def sums(xs: Expr) -> Scan:
    return Scan(fun((FLOAT64, FLOAT64), lambda a, b: Call("add", a, b)), Literal(0, FLOAT64), xs)


def rows(xs: Expr) -> Expr:
    matrix = Split(4, xs)
    return Join(Map(fun(matrix.type.element, sums), matrix))


SUMS = sums(unary("abs", XS))


@pytest.mark.parametrize(
    "made",
    [
        unary("sqrt", SUMS),
        binary("subtract", XS, SUMS),
        binary("divide", SUMS, Map(fun(INT32, lambda i: Cast(i, FLOAT64)), Generate(12, fun(INT32, lambda i: i)))),
        binary("add", unary("negative", SUMS), SUMS),
        binary("multiply", binary("maximum", SUMS, unary("exp", YS)), YS),
        unary("negative", rows(XS)),
        binary("subtract", rows(XS), XS),
    ],
    ids=["alone", "with_its_array", "with_indices", "twice", "long", "rows", "rows_with_their_array"],
)
def test_one_kernel_scans_and_does_the_rest(made):
    parts = check(made, by_items=True)
    assert len(parts.tasks) == 1
    assert "scans" in parts.used


def test_functions_that_take_long_have_kernels_of_their_own_on_a_cpu():
    reasons = Reasons()
    assert len(partition([unary("exp", SUMS)], reasons=reasons).tasks) == 2
    assert list(reasons._apart.values()) == [Condition.MUCH_WORK]
    assert len(partition([unary("exp", SUMS)], by_items=True).tasks) == 1
    assert len(partition([unary("sqrt", SUMS)]).tasks) == 1


def test_it_may_read_what_was_stored_before():
    mean = total(YS)
    spread = Generate(12, fun(INT32, lambda i: Literal(0, INT32)))
    parts = check(binary("subtract", SUMS, Gather(mean, spread)))
    assert len(parts.tasks) == 2


def test_what_a_filter_keeps_is_one_kernel():
    positive = Map(fun(FLOAT64, lambda x: Call("greater", x, Literal(0, FLOAT64))), XS)
    ends = Scan(
        fun((INT32, INT32), lambda a, b: Call("add", a, b)),
        Literal(0, INT32),
        Map(fun(FLOAT64, lambda x: Cast(Call("greater", x, Literal(0, FLOAT64)), INT32)), XS),
    )
    count = int((INPUTS["xs"] > 0).sum())
    together = Zip(positive, ends, XS)

    def placed(t: Expr) -> Expr:
        place = Call("subtract", Get(1, t), Literal(1, INT32))
        return Tuple(Call("select", Get(0, t), place, FromSize(count, INT32)), Get(2, t))

    parts = check(Compact(count, Map(fun(together.type.element, placed), together)))
    assert len(parts.tasks) == 1
    assert "scans" in parts.used


def apart(*roots: Expr) -> list[Condition]:
    """Check that no kernel does what is done with a scan's elements; why."""
    parts = check(*roots)
    assert "scans" not in parts.used
    reasons = Reasons()
    partition(roots, reasons=reasons)
    return list(reasons._apart.values())


OTHER = sums(YS)

REFUSED = {
    "asked_for": (Condition.NEEDED, (SUMS, unary("sqrt", SUMS))),
    "read_by_others": (Condition.NEEDED, (unary("sqrt", SUMS), total(SUMS))),
    "reversed": (Condition.NOT_ALIGNED, (binary("add", SUMS, Slice(11, -1, 12, SUMS)),)),
    "shifted": (Condition.NOT_ALIGNED, (unary("sqrt", Slice(1, 1, 11, SUMS)),)),
    "transposed": (Condition.NOT_ALIGNED, (unary("sqrt", Join(Transpose(Split(4, SUMS)))),)),
    "two_scans": (Condition.SEVERAL_REDUCTIONS, (binary("add", SUMS, OTHER),)),
    "parts": (Condition.PARTS, (unary("sqrt", Concat(SUMS, XS)),)),
}


@pytest.mark.parametrize("name", REFUSED)
def test_two_kernels_where_a_condition_does_not_hold(name):
    condition, roots = REFUSED[name]
    assert condition in apart(*roots)


def test_no_kernel_waits_for_itself():
    """The map reads a scan, and what is made of another reading of that scan."""
    later = total(SUMS)
    spread = Generate(12, fun(INT32, lambda i: Literal(0, INT32)))
    assert Condition.NEEDED in apart(binary("subtract", SUMS, Gather(later, spread)))


def test_a_kernel_of_several_results_may_wait_for_the_scan():
    """One kernel reduces the rows twice, the second time with the scan; its first result is read beside the scan."""
    least = Reduce(fun((FLOAT64, FLOAT64), lambda a, b: Call("minimum", a, b)), Literal(0, FLOAT64), XS)
    spread = Generate(12, fun(INT32, lambda i: Literal(0, INT32)))
    both = total(binary("multiply", binary("subtract", XS, Gather(least, spread)), SUMS))
    check(binary("subtract", SUMS, Gather(least, spread)), both)


def test_a_kernel_has_so_many_vertices_at_most():
    assert len(partition([unary("sqrt", SUMS)], limit=4).tasks) == 1
    assert len(partition([unary("sqrt", SUMS)], limit=3).tasks) == 2


def test_long_chains_of_scans_are_a_kernel_a_step():
    def steps(count: int) -> int:
        e: Expr = XS
        for _ in range(count):
            e = binary("multiply", unary("sin", sums(e)), unary("exp", e))
        return len(check(e, by_items=True).tasks)

    assert steps(100) == 100


def test_a_partition_may_be_told_not_to():
    assert len(partition([unary("sqrt", SUMS)], scans=False).tasks) == 2


@pytest.mark.slow
def test_random_graphs_keep_their_values():
    rng = np.random.default_rng(7)
    for _ in range(150):
        pool: list[Expr] = [XS, YS, unary("abs", XS)]
        for _ in range(int(rng.integers(2, 9))):
            x, y = (pool[int(i)] for i in rng.integers(0, len(pool), 2))
            made = [sums(x), rows(x), unary("negative", x), binary("add", x, y), binary("maximum", x, y)]
            pool.append([*made, Slice(11, -1, 12, x)][int(rng.integers(0, 6))])
        check(*dict.fromkeys(pool[-int(rng.integers(1, 3)) :]), by_items=bool(rng.integers(0, 2)))
