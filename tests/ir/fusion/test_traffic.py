"""What is computed again instead of being stored: cheap values of several kernels, where that moves fewer bytes."""

from __future__ import annotations

import numpy as np
import pytest

from ir.core.expr import Expr, Param, fun, postorder
from ir.core.patterns import Call, Gather, Join, Literal, Map, Repeat
from ir.core.types import FLOAT64, INT64, array_of
from ir.cost.thresholds.partition import FUSED_OPERATIONS_AT_MOST
from ir.fusion.partition import row_chains
from ir.fusion.partition.kernels import partition
from ir.fusion.partition.traffic import Costs, Kernel
from tests.ir.fusion.graphs import INPUTS, XS, YS, applications, binary, calls, check, columns, down, rows, total, unary
from tests.tiers import by_tier


def add(xs: Expr, number: float) -> Expr:
    return Map(fun(FLOAT64, lambda x: Call("add", x, Literal(number, FLOAT64))), xs)


def times(parts, op: str) -> int:
    """How often an operation is applied, in all kernels: each function of a kernel once."""
    return sum(
        isinstance(e, Call) and e.op == op
        for task in parts.tasks
        for node in postorder(task.expr)
        if isinstance(node, Map)
        for e in postorder(node.f)
    )


def test_arithmetic_on_what_is_read_anyway_is_not_stored(monkeypatch):
    """Standardising: the distances from the mean are needed by the variance and by the result."""
    monkeypatch.setattr(row_chains, "ROW_READ_AGAIN_AT_MOST", 3)
    distances = binary("subtract", XS, down(rows(XS, 4), 4))
    variance = rows(binary("multiply", distances, distances), 4)
    parts = check(binary("divide", distances, down(variance, 4)))
    assert len(parts.tasks) == 3
    assert applications(parts, "subtract") == 2


def test_a_gather_is_done_again():
    table, at = Param("table", array_of(FLOAT64, 5)), Param("at", array_of(INT64, 12))
    inputs = {**INPUTS, "table": np.arange(5) ** 2.0, "at": np.arange(12) * 7 % 5}
    moved = binary("subtract", YS, Gather(table, at))
    assert len(check(rows(moved, 4), columns(moved, 4), inputs=inputs).tasks) == 2


@pytest.mark.parametrize("op", ["sin", "log", "tanh", "atan"])
def test_what_takes_long_is_stored(op):
    t = unary(op, binary("add", unary("abs", XS), YS))
    parts = check(rows(t, 4), columns(t, 4))
    assert len(parts.tasks) == 3
    assert applications(parts, op) == 1


@pytest.mark.parametrize("op", ["exp", "sqrt", "abs"])
def test_what_takes_less_time_than_moving_it_is_done_again(op):
    t = unary(op, unary("abs", XS))
    assert len(check(rows(t, 4), columns(t, 4)).tasks) == 2


def test_a_value_of_many_arrays_is_stored():
    """Reading five arrays twice moves more than one more array, written once and read twice."""
    arrays = [Param(f"x{i}", array_of(FLOAT64, 12)) for i in range(5)]
    inputs = {f"x{i}": INPUTS["xs"] + i for i in range(5)}
    t = arrays[0]
    for x in arrays[1:]:
        t = binary("add", t, x)
    assert len(check(rows(t, 4), columns(t, 4), inputs=inputs).tasks) == 3
    # ... but not where the kernels read those arrays anyway
    both = [binary("multiply", t, x) for x in arrays]
    sums = binary("add", binary("add", binary("add", both[0], both[1]), binary("add", both[2], both[3])), both[4])
    assert len(check(rows(sums, 4), columns(binary("maximum", sums, t), 4), inputs=inputs).tasks) <= 3


def test_what_is_asked_for_is_stored_and_not_done_again():
    t = add(XS, 1)
    parts = check(t, rows(t, 4), columns(t, 4))
    assert times(parts, "add") == 1 + 2  # t once, and each sum


def test_a_broadcast_value_is_stored_however_cheap_it_is():
    t = add(XS, 1)
    spread = Join(Repeat(100, t))
    assert len(check(total(spread)).tasks) == 2


def test_a_value_used_twice_in_a_kernel_is_computed_once_there():
    t = add(XS, 1)
    parts = check(rows(binary("multiply", t, t), 4), columns(binary("subtract", unary("abs", t), t), 4))
    assert len(parts.tasks) == 2
    assert [sum(node is t for node in postorder(task.expr)) for task in parts.tasks] == [1, 1]


def test_a_chain_read_at_every_step_is_not_computed_from_its_beginning_at_every_step():
    """Work stays within a constant of that of storing all: a value that many would compute again is stored."""
    xs, found = XS, []
    for i in range(60):
        xs = add(xs, i)
        found.append((rows if i % 2 else columns)(xs, 4))
    parts = check(*found)
    assert times(parts, "add") <= 10 * 60


def test_kernels_stay_within_the_limit():
    xs: Expr = XS
    for _ in range(FUSED_OPERATIONS_AT_MOST - 10):
        xs = unary("abs", xs)
    shared = unary("negative", xs)
    y, z = shared, shared
    for _ in range(20):
        y, z = unary("floor", y), unary("ceil", z)
    parts = check(rows(y, 4), columns(z, 4))
    for task in parts.tasks:
        assert sum(isinstance(node, Map) for node in postorder(task.expr)) <= FUSED_OPERATIONS_AT_MOST + 1


def ladder(steps: int) -> list[Expr]:
    """Each step is read by the next one and by a sum that no other step can share a kernel with."""
    xs, found = XS, []
    for _ in range(steps):
        xs = binary("add", xs, down(rows(xs, 4), 4))
        found.append(columns(xs, 3))
    return found


@pytest.mark.slow
def test_a_large_graph_is_cut_in_linear_time():
    roots = ladder(by_tier(1_000, 1_000, 8_400))  # of twelve vertices each
    parts = partition(roots)
    assert len(parts.results) == len(roots)
    assert len(parts.tasks) <= 3 * len(roots)
    few = by_tier(40, 40, 100)
    assert calls(partition, ladder(10 * few))[0] <= 11 * calls(partition, ladder(few))[0]


def test_costs_of_functions_and_kernels():
    costs = Costs()
    value = unary("sin", XS)
    cheap = add(XS, 1)
    maker, readers = Kernel([value], {XS: None}), [Kernel(reads={value: None}), Kernel(reads={value: None})]
    assert not costs.saves_by_recomputing(value, maker, readers)
    maker, readers = Kernel([cheap], {XS: None}), [Kernel(reads={cheap: None}), Kernel(reads={cheap: None})]
    assert costs.saves_by_recomputing(cheap, maker, readers)
    # as good as ever where more arrays are read, if the readers have them
    more = dict.fromkeys((XS, YS, *(Param(f"p{i}", XS.type) for i in range(6))))
    assert not costs.saves_by_recomputing(cheap, Kernel([cheap], more), readers)
    assert costs.saves_by_recomputing(cheap, Kernel([cheap], more), [Kernel(reads=dict(more)) for _ in range(2)])
