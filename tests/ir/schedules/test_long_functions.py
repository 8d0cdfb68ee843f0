"""What the normal form of long element-wise graphs costs, counted in calls: functions are closed once."""

from __future__ import annotations

import sys
from functools import reduce

import pytest

from ir.core.expr import Expr, Param, fun, postorder
from ir.core.patterns import Call, Get, Map, Slice, Zip
from ir.core.types import FLOAT64, TupleType, array_of
from ir.schedules.normal_form.normalise import normalise

XS = Param("xs", array_of(FLOAT64, 1000))
PAIR = TupleType((FLOAT64, FLOAT64))


def combined(op: str, a: Expr, b: Expr) -> Expr:
    return Map(fun(PAIR, lambda p: Call(op, Get(0, p), Get(1, p))), Zip(a, b))


def neighbours(steps: int) -> Expr:
    """`x = x[1:] * x[:-1] + x[1:]`: each step reads the one before it in two places."""
    x: Expr = XS
    for length in range(999, 999 - steps, -1):
        last = Slice(1, 1, length, x)
        x = combined("add", combined("multiply", last, Slice(0, 1, length, x)), last)
    return x


def shared(steps: int) -> Expr:
    """Each value made of the two before it."""
    before, x = XS, combined("multiply", XS, XS)
    for _ in range(steps):
        before, x = x, combined("add", combined("multiply", before, x), x)
    return x


def beside(count: int) -> Expr:
    """A sum of as many arrays, each made of another one."""
    arrays = [Map(fun(FLOAT64, lambda x: Call("abs", x)), Param(f"x{i}", XS.type)) for i in range(count)]
    parts = TupleType((FLOAT64,) * count)
    return Map(
        fun(parts, lambda p: reduce(lambda a, i: Call("add", a, Get(i, p)), range(1, count), Get(0, p))), Zip(*arrays)
    )


def calls(e: Expr) -> tuple[int, int]:
    """How many functions are called for a normal form, and how many vertices that has."""
    count = 0

    def note(frame, event, _):
        nonlocal count
        count += event == "call" and frame.f_globals.get("__name__", "").startswith("ir.")

    sys.setprofile(note)
    try:
        done = normalise(e, ())
    finally:
        sys.setprofile(None)
    return count, sum(1 for _ in postorder(done.expr))


@pytest.mark.parametrize(
    ("graph", "steps"), [(neighbours, 7), (shared, 20), (beside, 200)], ids=["neighbours", "shared", "beside"]
)
def test_a_normal_form_takes_calls_in_proportion_to_its_size(graph, steps):
    calls(graph(2))
    (few, small), (many, large) = calls(graph(steps)), calls(graph(2 * steps))
    assert large > 1.8 * small
    assert many < 1.3 * few * large / small
