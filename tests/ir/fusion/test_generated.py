"""Generated arrays in the partition: computed by whoever reads them."""

from __future__ import annotations

import numpy as np

from ir.core.expr import Expr, fun, postorder
from ir.core.patterns import Call, Cast, Element, Generate, Join, Map, Repeat
from ir.core.semantics.interpreter import interpret
from ir.core.types import FLOAT64, INT64
from ir.fusion.partition.kernels import partition
from tests.ir.fusion.graphs import INPUTS, XS, YS, binary, check, run, total, unary


def ramp(n: int) -> Expr:
    return Generate(n, fun(INT64, lambda i: Cast(i, FLOAT64)))


def test_a_generated_array_is_never_stored_for_others():
    at = ramp(12)
    parts = check(binary("multiply", XS, at), total(binary("add", at, YS)), total(at))
    assert len(parts.tasks) == 2  # both sums are one kernel
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
