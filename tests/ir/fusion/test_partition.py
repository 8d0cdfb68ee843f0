"""Cutting the recorded graph into kernels: what is fused, what is stored, and that nothing is computed twice."""

from __future__ import annotations

import random
import sys

import numpy as np
import pytest

from ir.core.expr import Expr, Param, fun, postorder
from ir.core.interpreter import interpret
from ir.core.patterns import (
    Call,
    Cast,
    Element,
    Generate,
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
from ir.core.types import FLOAT64, INT64, ArrayType, TupleType, array_of
from ir.fusion import partition as module
from ir.fusion.partition import OPERATIONS_LIMIT, Partition, partition

XS, YS = Param("xs", array_of(FLOAT64, 12)), Param("ys", array_of(FLOAT64, 12))
INPUTS = {"xs": np.arange(12) * 0.5 - 2, "ys": np.arange(12, dtype=np.float64)[::-1] + 1}


def unary(op: str, xs: Expr) -> Expr:
    return Map(fun(FLOAT64, lambda x: Call(op, x)), xs)


def binary(op: str, xs: Expr, ys: Expr) -> Expr:
    pair = TupleType((FLOAT64, FLOAT64))
    from ir.core.patterns import Get

    return Map(fun(pair, lambda p: Call(op, Get(0, p), Get(1, p))), Zip(xs, ys))


def total(xs: Expr) -> Expr:
    return Reduce(fun((FLOAT64, FLOAT64), lambda a, b: Call("add", a, b)), Literal(0, FLOAT64), xs)


def run(parts: Partition, inputs: dict) -> list[np.ndarray]:
    """The results, kernel by kernel: each reads inputs and what kernels before it stored."""
    known = {**{Param(name, array_of(FLOAT64, a.size)): a for name, a in inputs.items()}}
    for task in parts.tasks:
        for node in postorder(task.expr):
            assert not isinstance(node, Param) or node.binder or node in known, "a kernel reads what is not there yet"
        values = interpret(task.expr, known)
        several = values if len(task.results) > 1 else (values,)
        known.update(zip(task.results, several, strict=True))
    return [known[p] for p in parts.results]


def check(*roots: Expr, inputs: dict = INPUTS) -> Partition:
    parts = partition(roots)
    for actual, root in zip(run(parts, inputs), roots, strict=True):
        np.testing.assert_array_equal(actual, interpret(root, inputs))
    return parts


def test_a_chain_of_maps_is_one_kernel():
    assert len(check(unary("sqrt", unary("abs", binary("add", XS, YS)))).tasks) == 1


def test_a_reduction_takes_its_maps_with_it_and_ends_a_kernel():
    s = total(binary("multiply", XS, YS))
    assert len(check(s).tasks) == 1
    scaled = binary("divide", XS, Join(Repeat(12, s)))
    parts = check(scaled)
    assert [type(task.expr).__name__ for task in parts.tasks] == ["Reduce", "Map"]  # there is no barrier across groups


def test_a_shared_value_is_computed_once():
    t = unary("exp", XS)
    parts = check(unary("abs", t), total(t))
    assert len(parts.tasks) == 3
    assert (
        sum(
            node is t or (isinstance(node, Call) and node.op == "exp")
            for task in parts.tasks
            for node in postorder(task.expr)
            if isinstance(node, Call)
        )
        == 1
    )


def test_a_value_used_twice_in_one_kernel_stays_in_it():
    t = unary("exp", XS)
    parts = check(binary("add", t, unary("abs", t)))
    assert len(parts.tasks) == 1
    assert t in set(postorder(parts.tasks[0].expr))


def test_what_is_asked_for_is_stored_and_read_by_the_others():
    t = unary("exp", XS)
    parts = check(t, unary("abs", t))
    assert len(parts.tasks) == 2
    assert parts.results[0] in set(postorder(parts.tasks[1].expr))


def test_the_same_root_twice_is_one_kernel():
    t = unary("exp", XS)
    parts = partition([t, t])
    assert len(parts.tasks) == 1
    assert parts.results[0] is parts.results[1]


def test_an_input_alone_is_copied():
    (copied,) = run(partition([Slice(11, -1, 12, XS)]), INPUTS)
    np.testing.assert_array_equal(copied, INPUTS["xs"][::-1])


def test_a_computed_value_that_is_broadcast_is_stored():
    column = unary("exp", XS)
    spread = Join(Map(fun(FLOAT64, lambda x: Repeat(3, x)), column))
    parts = check(unary("abs", spread))
    assert len(parts.tasks) == 2  # else exp would be computed three times for each element


def test_a_captured_reduction_is_a_kernel_of_its_own():
    s = total(YS)
    parts = check(Map(fun(FLOAT64, lambda x: Call("divide", x, Element(0, s))), XS))
    assert len(parts.tasks) == 2
    assert parts.tasks[0].results[0] in set(postorder(parts.tasks[1].expr))


def test_rows_are_reduced_in_one_kernel():
    rows = Split(4, unary("abs", XS))
    sums = Join(Map(fun(rows.type.element, total), rows))
    parts = check(unary("sqrt", sums))
    assert len(parts.tasks) == 2
    assert isinstance(parts.tasks[0].expr, Join)  # flat, as it is stored


def test_kernels_do_not_grow_beyond_the_limit():
    xs: Expr = XS
    for _ in range(3 * OPERATIONS_LIMIT):
        xs = unary("abs", xs)
    parts = check(xs)
    assert 3 <= len(parts.tasks) <= 4
    for task in parts.tasks:
        assert sum(isinstance(node, Map) for node in postorder(task.expr)) <= OPERATIONS_LIMIT + 1


def calls(f, *arguments) -> tuple[int, object]:
    """How many functions of the partitioning are called, and the result."""
    count = 0

    def note(frame, event, _):
        nonlocal count
        count += event == "call" and frame.f_code.co_filename == module.__file__

    sys.setprofile(note)
    try:
        result = f(*arguments)
    finally:
        sys.setprofile(None)
    return count, result


def chain(length: int) -> Expr:
    increment = fun(FLOAT64, lambda x: Call("add", x, Literal(1, FLOAT64)))
    xs: Expr = XS
    for _ in range(length):
        xs = Map(increment, xs)
    return xs


def test_a_chain_of_100_000_operations_is_cut_in_linear_time():
    parts = partition([chain(100_000)])
    assert 100_000 // (OPERATIONS_LIMIT + 1) <= len(parts.tasks) <= 100_000 // OPERATIONS_LIMIT + 1
    assert calls(partition, [chain(20_000)])[0] <= 21 * calls(partition, [chain(1_000)])[0]


def test_a_doubling_chain_has_64_vertices():
    """`for _ in range(64): x = x + x` is 64 additions, not 2**64."""
    xs: Expr = XS
    for _ in range(64):
        xs = binary("add", xs, xs)
    parts = check(xs)
    maps = {node for task in parts.tasks for node in postorder(task.expr) if isinstance(node, Map)}
    assert len(maps) == 64
    np.testing.assert_array_equal(run(parts, INPUTS)[0], INPUTS["xs"] * 2.0**64)


@pytest.mark.parametrize("seed", range(60))
def test_random_graphs_keep_their_values(seed):
    """Kernels run in their order, read only what is there, and together compute what the graph means."""
    rng = random.Random(seed)
    pool: list[Expr] = [XS, YS]
    for _ in range(rng.randrange(3, 30)):
        a, b = rng.choice(pool[-6:]), rng.choice(pool)
        kind = rng.randrange(8)
        if kind < 3:
            pool.append(binary(rng.choice(("add", "subtract", "maximum")), a, b))
        elif kind < 5:
            pool.append(unary(rng.choice(("abs", "negative", "floor")), a))
        elif kind == 5:
            pool.append(Join(Repeat(12, total(a))))
        elif kind == 6:
            s = total(b)
            pool.append(Map(fun(FLOAT64, lambda x, s=s: Call("minimum", x, Element(0, s))), a))
        else:
            pool.append(rng.choice((Slice(11, -1, 12, a), Join(Transpose(Split(4, a))), Join(Split(3, a)))))
    roots = [rng.choice(pool[2:]) for _ in range(rng.randrange(1, 4))]
    inputs = {"xs": np.arange(12.0) - 5, "ys": np.arange(12.0) ** 2 % 7}
    parts = check(*roots, inputs=inputs)
    again = partition(roots)
    assert [task.expr for task in again.tasks] == [task.expr for task in parts.tasks]


def test_sharing_is_kept_in_random_graphs():
    """No application of exp stands in two kernels."""
    for seed in range(40):
        rng = random.Random(seed)
        pool: list[Expr] = [XS]
        for i in range(12):
            mark = fun(FLOAT64, lambda x, i=i: Call("add", x, Literal(i, FLOAT64)))
            pool.append(Map(mark, binary("add", rng.choice(pool), rng.choice(pool))))
        parts = partition([total(pool[-1]), total(pool[-2])])
        marks = [
            node.f
            for task in parts.tasks
            for node in postorder(task.expr)
            if isinstance(node, Map) and isinstance(node.xs, Map)
        ]
        assert len(marks) == len(set(marks))


def test_results_have_the_types_of_the_roots():
    rows = Split(4, XS)
    parts = partition([rows, total(XS)])
    assert [p.type for p in parts.results] == [rows.type, ArrayType(FLOAT64, 1)]


def test_results_that_read_the_same_arrays_are_one_kernel():
    t = unary("exp", XS)
    parts = check(unary("abs", t), unary("sqrt", t), binary("add", XS, YS))
    assert len(parts.tasks) == 1
    assert len(parts.tasks[0].results) == 3


def test_results_that_share_nothing_are_kernels_of_their_own():
    assert [len(task.results) for task in check(unary("abs", XS), unary("abs", YS)).tasks] == [1, 1]


def test_a_result_that_needs_another_one_is_no_part_of_its_kernel():
    t = unary("exp", XS)
    spread = Join(Repeat(12, total(t)))
    parts = check(t, binary("divide", XS, spread), unary("abs", XS))
    together = [task for task in parts.tasks if len(task.results) > 1]
    assert [len(task.results) for task in together] == [2]  # exp and abs; the quotient waits for the sum


def test_results_that_wait_for_each_other_crosswise_make_no_circle():
    a, b = unary("exp", XS), unary("abs", YS)
    needs_a = binary("add", YS, Join(Repeat(12, total(a))))
    needs_b = binary("add", XS, Join(Repeat(12, total(b))))
    check(a, b, needs_a, needs_b)


def test_no_kernel_has_too_many_results():
    roots = [Map(fun(FLOAT64, lambda x, i=i: Call("add", x, Literal(i, FLOAT64))), XS) for i in range(30)]
    parts = check(*roots)
    assert sum(len(task.results) for task in parts.tasks) == 30
    assert max(len(task.results) for task in parts.tasks) == module.OUTPUTS_LIMIT


@pytest.mark.parametrize("seed", range(20))
def test_random_graphs_with_many_results_keep_their_values(seed: int):
    rng = random.Random(seed)
    pool: list[Expr] = [XS, YS]
    for _ in range(25):
        kind = rng.randrange(4)
        if kind == 0:
            pool.append(Join(Repeat(12, unary("abs", total(rng.choice(pool))))))
        elif kind == 1:
            pool.append(unary(rng.choice(("abs", "negative")), rng.choice(pool)))
        else:
            pool.append(binary(rng.choice(("add", "maximum")), rng.choice(pool), rng.choice(pool)))
    check(*[e for e in rng.sample(pool[2:], 12) if isinstance(e, Map)])


def ramp(n: int) -> Expr:
    return Generate(n, fun(INT64, lambda i: Cast(i, FLOAT64)))


def test_a_generated_array_is_never_stored_for_others():
    at = ramp(12)
    parts = check(binary("multiply", XS, at), total(binary("add", at, YS)), total(at))
    assert len(parts.tasks) == 3
    assert all(any(isinstance(node, Generate) for node in postorder(task.expr)) for task in parts.tasks)
    assert len(check(binary("add", Join(Repeat(3, ramp(4))), XS)).tasks) == 1  # not for copies either


def test_a_generated_array_is_stored_where_it_is_the_result():
    parts = check(ramp(7))
    assert isinstance(parts.tasks[0].expr, Map)
    assert len(parts.tasks) == 1


def test_a_full_kernel_still_generates():
    e = binary("add", XS, ramp(12))
    for _ in range(20):
        e = binary("add", unary("abs", e), ramp(12))
    for limit in (2, 3, 5, 8):
        parts = partition([e], limit=limit)
        assert not any(isinstance(task.expr, Map) and isinstance(task.expr.xs, Generate) for task in parts.tasks)
        np.testing.assert_array_equal(run(parts, INPUTS)[0], interpret(e, INPUTS))


def test_what_a_generated_array_reads_is_computed_once():
    doubled = unary("sqrt", unary("abs", XS))
    e = Generate(24, fun(INT64, lambda i: Element(0, doubled)))
    parts = check(Map(fun(FLOAT64, lambda x: Call("negative", x)), e))
    assert len(parts.tasks) == 2
