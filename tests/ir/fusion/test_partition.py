"""Cutting the recorded graph into kernels: what is fused, what is stored, and that nothing is computed twice."""

from __future__ import annotations

import random

import numpy as np
import pytest

from ir.core.expr import Expr, Param, free_inputs, fun, postorder
from ir.core.patterns import (
    Call,
    Concat,
    Element,
    Get,
    Join,
    Literal,
    Map,
    Repeat,
    Scan,
    Slice,
    Split,
    Transpose,
    Zip,
)
from ir.core.types import FLOAT64, ArrayType, TupleType, array_of
from ir.cost.thresholds.partition import FUSED_OPERATIONS_AT_MOST, RESULTS_OF_A_KERNEL_AT_MOST, VIEWS_AT_MOST
from ir.fusion.partition import bundles, row_chains
from ir.fusion.partition.graph import reads_rows_often
from ir.fusion.partition.kernels import partition
from tests.ir.fusion.graphs import INPUTS, XS, YS, applications, binary, calls, chain, check, run, total, unary
from tests.tiers import by_tier


def test_a_chain_of_maps_is_one_kernel():
    assert len(check(unary("sqrt", unary("abs", binary("add", XS, YS)))).tasks) == 1


def test_a_reduction_takes_its_maps_with_it_and_ends_a_kernel(monkeypatch):
    monkeypatch.setattr(row_chains, "ONE_ROW_AT_MOST", 1)
    s = total(binary("multiply", XS, YS))
    assert len(check(s).tasks) == 1
    scaled = binary("divide", XS, Join(Repeat(12, s)))
    parts = check(scaled)
    assert [type(task.expr).__name__ for task in parts.tasks] == ["Reduce", "Map"]  # there is no barrier across groups


def test_a_shared_value_that_is_expensive_is_computed_once():
    t = unary("sin", XS)
    parts = check(unary("abs", t), total(t))
    assert len(parts.tasks) == 3
    assert applications(parts, "sin") == 1


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
    parts = check(Slice(2, -1, 3, sums))
    assert len(parts.tasks) == 2
    assert isinstance(parts.tasks[0].expr, Join)  # flat, as it is stored


def test_a_scan_takes_in_what_it_reads_and_is_stored():
    add, zero = fun((FLOAT64, FLOAT64), lambda a, b: Call("add", a, b)), Literal(0, FLOAT64)
    scanned = Scan(add, zero, unary("sin", XS))
    parts = check(unary("sqrt", scanned), total(scanned))
    assert len(parts.tasks) == 3
    assert sum(isinstance(node, Scan) for task in parts.tasks for node in postorder(task.expr)) == 1
    assert applications(parts, "sin") == 1
    rows = Split(4, unary("sin", XS))
    each = Join(Map(fun(rows.type.element, lambda row: Scan(add, zero, row)), rows))
    parts = check(each, unary("sqrt", each))
    assert len(parts.tasks) == 2
    assert isinstance(parts.tasks[0].expr, Join)


def test_a_map_over_a_concat_of_maps_is_one_kernel():
    """Each part becomes a loop of its own, with all that is done to it."""
    parts = check(unary("abs", Concat(unary("sin", XS), YS)))
    assert len(parts.tasks) == 1


@pytest.mark.parametrize("seed", range(40))
def test_runs_of_like_parts_are_one_part(seed):
    """Slices that go on, the same part again, functions of either, constants so many times: in any order."""
    rng = random.Random(seed)

    def part() -> Expr:
        start = rng.choice((0, 3, 6, 9))
        xs = Slice(start, 1, 3, rng.choice((XS, XS, YS)))
        kind = rng.randrange(5)
        if kind == 0:
            return Repeat(rng.choice((3, 3, 5)), Literal(rng.choice((1, 2)), FLOAT64))
        if kind == 1:
            return binary("add", xs, Slice(rng.choice((0, start)), 1, 3, YS))
        return xs if kind < 4 else unary("abs", xs)

    parts = [part()]
    for _ in range(5):
        last = parts[-1]
        again = rng.randrange(4)
        if again == 0:
            parts.append(last)
        elif again == 1 and isinstance(last, Slice) and (last.start.value or 0) < 9:
            parts.append(Slice(last.start + 3, 1, 3, last.xs))
        else:
            parts.append(part())
    check(Concat(*parts))


@pytest.mark.parametrize(
    "reader",
    [
        total,
        lambda xs: Slice(23, -1, 24, unary("abs", xs)),
        lambda xs: binary("add", Slice(0, 1, 23, xs), Slice(1, 1, 23, xs)),
    ],
    ids=["by a reduction", "backwards", "out of step"],
)
def test_a_concat_that_is_not_read_part_by_part_is_stored(reader):
    parts = check(reader(Concat(unary("sin", XS), YS)))
    assert [any(isinstance(e, Concat) for e in postorder(task.expr)) for task in parts.tasks] == [True, False]


def test_rows_of_concats_side_by_side_are_reduced_from_a_flat_array():
    """The elements of a nested concat have no memory: what reduces them reads the join, which is stored."""
    side_by_side = Transpose(Concat(Transpose(Split(4, XS)), Transpose(Split(4, YS))))
    sums = Join(Map(fun(ArrayType(FLOAT64, 8), total), side_by_side))
    parts = check(sums)
    assert [any(isinstance(e, Concat) for e in postorder(task.expr)) for task in parts.tasks] == [True, False]
    assert [isinstance(task.results[0].type.element, ArrayType) for task in parts.tasks] == [False, False]


def test_kernels_do_not_grow_beyond_the_limit():
    xs: Expr = XS
    for _ in range(3 * FUSED_OPERATIONS_AT_MOST):
        xs = unary("abs", xs)
    parts = check(xs)
    assert 3 <= len(parts.tasks) <= 4
    for task in parts.tasks:
        assert sum(isinstance(node, Map) for node in postorder(task.expr)) <= FUSED_OPERATIONS_AT_MOST + 1


@pytest.mark.parametrize("turned", [False, True])
def test_a_long_chain_is_stored_and_not_the_short_branches_that_it_reads(turned):
    levels = FUSED_OPERATIONS_AT_MOST
    xs: Expr = XS
    for i in range(levels):
        branch = Map(fun(FLOAT64, lambda x, i=i: Call("add", x, Literal(i, FLOAT64))), XS)
        xs = binary("maximum", *((branch, xs) if turned else (xs, branch)))
    parts = check(xs)
    assert len(parts.tasks) == 3  # a level is two maps and a zip
    assert all(len(free_inputs(task.expr)) <= 2 for task in parts.tasks)


def test_kernels_of_a_tree_are_half_full_at_least():
    """No room is kept for the longest of what a vertex reads: one array is stored, either way."""
    xs: list[Expr] = [binary("multiply", XS, Param(f"x{i}", XS.type)) for i in range(256)]
    while len(xs) > 1:
        xs = [binary("add", a, b) for a, b in zip(xs[::2], xs[1::2], strict=True)]
    vertices = sum(isinstance(node, Map | Zip) for node in postorder(xs[0]))
    assert len(partition([xs[0]]).tasks) <= 2 * vertices / FUSED_OPERATIONS_AT_MOST


@pytest.mark.slow
def test_a_long_chain_of_operations_is_cut_in_linear_time():
    long = by_tier(20_000, 20_000, 100_000)
    parts = partition([chain(long)])
    assert long // (FUSED_OPERATIONS_AT_MOST + 1) <= len(parts.tasks) <= long // FUSED_OPERATIONS_AT_MOST + 1
    times = by_tier(5, 5, 20)
    assert calls(partition, [chain(times * 1_000)])[0] <= 1.05 * times * calls(partition, [chain(1_000)])[0]


def depth(e: Expr) -> int:
    """The most views on one way through an expression."""
    found: dict[Expr, int] = {}
    for node in postorder(e):
        inner = max((found[operand] for operand in node.operands), default=0)
        found[node] = inner + isinstance(node, (Concat, Join, Slice, Split, Transpose))
    return found[e]


def test_views_of_views_do_not_grow_beyond_the_limit():
    """None of them is computed; what is stored has its elements one after the other."""
    xs: Expr = XS
    for i in range(2 * VIEWS_AT_MOST):
        xs = Slice(11, -1, 12, Join(Transpose(Split((3, 4)[i % 2], xs))))
    parts = check(xs)
    assert len(parts.tasks) == -(-4 * 2 * VIEWS_AT_MOST // (VIEWS_AT_MOST + 1))
    assert max(depth(task.expr) for task in parts.tasks) <= VIEWS_AT_MOST + 4
    assert len(check(Join(Transpose(Split(4, unary("abs", XS))))).tasks) == 1


def test_views_of_nested_arrays_that_are_stored_are_read_as_such():
    xs: Expr = Split(3, XS)
    for i in range(3 * VIEWS_AT_MOST):
        xs = Slice((2, 3)[i % 2], -1, (3, 4)[i % 2], Transpose(xs))
    parts = check(Join(xs))
    assert len(parts.tasks) == 3
    assert all(not isinstance(name.type.element, ArrayType) for task in parts.tasks for name in task.results)


def test_a_concat_of_parts_of_a_concat_is_stored_where_ways_multiply():
    """In each of them lie the parts of all that it is made of: twice as many for each."""
    xs: Expr = Split(4, XS)
    for i in range(24):
        rows = (3, 4)[i % 2]
        xs = Transpose(Concat(Slice(1, 1, rows - 1, xs), Slice(0, 1, 1, xs)))
    parts = check(Join(xs))
    assert 5 <= len(parts.tasks) <= 8


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


def test_results_that_share_nothing_are_kernels_of_their_own(monkeypatch):
    monkeypatch.setattr(bundles, "is_read_within_a_launch", lambda *_: False)
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
    assert max(len(task.results) for task in parts.tasks) == RESULTS_OF_A_KERNEL_AT_MOST


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


def test_what_is_known_is_read_and_neither_merged_nor_computed_again():
    """Neighbouring elements of what is not there, each computed before: the parts are what they are known as."""
    taken = unary("sin", XS)
    first, second, rest = Slice(0, 1, 1, taken), Slice(1, 1, 1, taken), Slice(2, 1, 10, taken)
    known = {first: Param("first", first.type), second: Param("second", second.type)}
    inputs = {"first": np.array([7.0]), "second": np.array([8.0])}
    parts = partition([Concat(second, first, second)], known=known)
    np.testing.assert_array_equal(run(parts, inputs)[0], [8, 7, 8])
    parts = partition([Concat(first, second)], known=known)
    np.testing.assert_array_equal(run(parts, inputs)[0], [7, 8])
    both = Concat(first, second, rest)
    parts = partition([Concat(Slice(0, 1, 1, both), Slice(1, 1, 1, both), Slice(3, 1, 2, both))], known=known)
    np.testing.assert_array_equal(run(parts, {**inputs, **INPUTS})[0][:2], [7, 8])
    long = {rest: Param("rest", rest.type)}  # a slice of what is known does not go round it
    parts = partition([unary("abs", Slice(3, 1, 2, Concat(first, second, rest)))], known={**known, **long})
    np.testing.assert_array_equal(run(parts, {"rest": np.arange(10.0)})[0], [1, 2])


def _products(rows: Expr, others: Expr, *, of_matrices: bool) -> Expr:
    """The products of rows and one vector, or a vector for each."""
    pair = TupleType((FLOAT64, FLOAT64))

    def dot(row: Expr, other: Expr) -> Expr:
        return total(Map(fun(pair, lambda p: Call("multiply", Get(0, p), Get(1, p))), Zip(row, other)))

    def one(row: Expr) -> Expr:
        if not of_matrices:
            return dot(row, unary("abs", others))
        return Join(Map(fun(others.type.element, lambda other: dot(row, other)), others))

    return Join(Map(fun(rows.type.element, one), rows))


def test_a_matrix_times_a_vector_that_is_computed_is_not_stored():
    matrix = unary("abs", XS)
    product = _products(Split(4, matrix), Param("ps", array_of(FLOAT64, 4)), of_matrices=False)
    assert not reads_rows_often(product.xs.f)
    parts = check(product, inputs={**INPUTS, "ps": np.arange(4.0)})
    assert [type(task.expr).__name__ for task in parts.tasks] == ["Map", "Join"]  # the vector, and all else


def test_a_matrix_times_a_matrix_is_stored():
    matrix = unary("abs", XS)
    product = _products(Split(4, matrix), Split(4, YS), of_matrices=True)
    assert reads_rows_often(product.xs.f)
    assert len(check(product).tasks) == 2
