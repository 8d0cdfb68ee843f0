"""Parts of stored concats are read in these: one kernel a step of a stencil with kept borders, and no circle."""

from __future__ import annotations

import time

import numpy as np
import pytest

from ir.core.expr import Expr, fun
from ir.core.patterns import Concat, Join, Map, Slice, Split, Transpose
from ir.core.semantics.interpreter import interpret
from ir.fusion.partition.graph import Graph
from ir.fusion.prepare.stored_parts import read_in_whole
from tests.ir.fusion.graphs import INPUTS, XS, YS, applications, binary, check, total, unary


def step(xs: Expr, n: int, interior: Expr | None = None) -> tuple[Expr, Expr]:
    """The sum of an element's neighbours and itself, the ends kept; beside that the interior alone.

    Args:
        interior: what a program assigned to the interior of `xs` before, which it reads there.
    """
    middle = Slice(1, 1, n - 2, xs) if interior is None else interior
    made = binary("add", binary("subtract", Slice(0, 1, n - 2, xs), middle), Slice(2, 1, n - 2, xs))
    return Concat(Slice(0, 1, 1, XS), made, Slice(n - 1, 1, 1, XS)), made


def steps(count: int) -> Expr:
    made, interior = XS, None
    for _ in range(count):
        made, interior = step(made, 12, interior)
    return made


@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_a_step_with_kept_ends_is_one_kernel(count):
    parts = check(steps(count))
    assert len(parts.tasks) == count
    assert applications(parts, "subtract") == count


def rows(count: int, n: int = 3, m: int = 4) -> Expr:
    """Steps over the inner elements of rows, in both directions."""
    made: Expr = XS
    inner: Expr | None = None
    for _ in range(count):
        body = Split(m, Slice(m, 1, (n - 2) * m, made))
        middle = Join(Map(_slice(1, m - 2, body), body)) if inner is None else inner
        right = Join(Map(_slice(2, m - 2, body), body))
        lower = Split(m, Slice(2 * m, 1, (n - 2) * m, made))
        below = Join(Map(_slice(1, m - 2, lower), lower))
        inner = binary("add", binary("subtract", middle, right), below)
        columns = Transpose(Split(m, Slice(m, 1, (n - 2) * m, XS)))
        beside = Concat(Slice(0, 1, 1, columns), Transpose(Split(m - 2, inner)), Slice(m - 1, 1, 1, columns))
        made = Concat(Slice(0, 1, m, XS), Join(Transpose(beside)), Slice((n - 1) * m, 1, m, XS))
    return made


def _slice(start: int, count: int, xss: Expr) -> Expr:
    return fun(xss.type.element, lambda row: Slice(start, 1, count, row))


@pytest.mark.parametrize("count", [1, 2, 4])
def test_a_step_with_kept_sides_is_one_kernel(count):
    assert len(check(rows(count)).tasks) == count


def test_what_the_concat_needs_itself_is_not_read_there():
    first = unary("sin", XS)
    both = Concat(first, unary("cos", first))
    read = binary("add", Slice(0, 1, 23, both), Slice(1, 1, 23, both))
    check(read, unary("abs", first))


def test_two_concats_do_not_wait_for_each_other():
    p, q = unary("sin", XS), unary("cos", YS)
    one, other = Concat(p, unary("abs", q)), Concat(q, unary("exp", p))
    roots = [binary("add", Slice(0, 1, 23, c), Slice(1, 1, 23, c)) for c in (one, other)]
    check(*roots)
    check(*reversed(roots))


def test_a_wanted_part_is_stored_for_itself():
    whole, interior = step(XS, 12)
    parts = check(step(whole, 12, interior)[0], interior)
    assert len(parts.tasks) == 3


def test_nothing_is_read_elsewhere_where_no_slice_reads_across():
    p = unary("sin", XS)
    roots = [unary("abs", Concat(p, YS)), total(p)]
    assert read_in_whole(roots, Graph(roots, {}), []) is roots


@pytest.mark.slow
def test_long_programs_are_walked_in_linear_time():

    def took(count: int) -> float:
        root = steps(count)
        graph = Graph([root], {})
        concats = dict.fromkeys(node for node in graph.order if isinstance(node, Concat))
        begin = time.perf_counter()
        (made,) = read_in_whole([root], graph, concats)
        spent = time.perf_counter() - begin
        assert made is not root
        return spent

    took(10)
    assert took(4000) < 40 * max(took(400), 1e-3)


def test_values_stay():
    root = steps(4)
    graph = Graph([root], {})
    (made,) = read_in_whole([root], graph, dict.fromkeys(x for x in graph.order if isinstance(x, Concat)))
    np.testing.assert_array_equal(interpret(made, INPUTS), interpret(root, INPUTS))
