"""Small graphs to cut, and what cutting them must keep."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from ir.core.expr import Expr, Param, fun, postorder
from ir.core.patterns import Call, Get, Join, Literal, Map, Reduce, Repeat, Split, Transpose, Zip
from ir.core.semantics.interpreter import interpret
from ir.core.types import FLOAT64, ScalarType, TupleType, array_of
from ir.fusion.checks import Checks
from ir.fusion.partition import kernels as module
from ir.fusion.partition.kernels import KernelTask, Partition, partition
from ir.fusion.symbols.symbolise import symbolise
from ir.schedules.candidates import Candidates

XS, YS = Param("xs", array_of(FLOAT64, 12)), Param("ys", array_of(FLOAT64, 12))
INPUTS = {"xs": np.arange(12) * 0.5 - 2, "ys": np.arange(12, dtype=np.float64)[::-1] + 1}


def unary(op: str, xs: Expr) -> Expr:
    return Map(fun(FLOAT64, lambda x: Call(op, x)), xs)


def binary(op: str, xs: Expr, ys: Expr) -> Expr:
    pair = TupleType((FLOAT64, FLOAT64))
    return Map(fun(pair, lambda p: Call(op, Get(0, p), Get(1, p))), Zip(xs, ys))


def total(xs: Expr) -> Expr:
    return Reduce(fun((FLOAT64, FLOAT64), lambda a, b: Call("add", a, b)), Literal(0, FLOAT64), xs)


def run(parts: Partition, inputs: dict) -> list[np.ndarray]:
    """The results, kernel by kernel: each reads inputs and what kernels before it stored."""
    known = {Param(name, array_of(ScalarType(a.dtype.name), a.size)): a for name, a in inputs.items()}
    for task in parts.tasks:
        for node in postorder(task.expr):
            assert not isinstance(node, Param) or node.binder or node in known, "a kernel reads what is not there yet"
        values = interpret(task.expr, known)
        several = values if len(task.results) > 1 else (values,)
        known.update(zip(task.results, several, strict=True))
    return [known[p] for p in parts.results]


def check(*roots: Expr, inputs: dict = INPUTS, by_items: bool = False) -> Partition:
    parts = partition(roots, checks=Checks(), by_items=by_items)
    for actual, root in zip(run(parts, inputs), roots, strict=True):
        np.testing.assert_array_equal(actual, interpret(root, inputs))
    return parts


def applications(parts: Partition, op: str) -> int:
    """In how many kernels an operation stands."""
    return sum(any(isinstance(e, Call) and e.op == op for e in postorder(task.expr)) for task in parts.tasks)


def calls(f, *arguments) -> tuple[int, object]:
    """How many functions of the partitioning are called, and the result."""
    count, folder = 0, str(Path(module.__file__).parent)

    def note(frame, event, _):
        nonlocal count
        count += event == "call" and frame.f_code.co_filename.startswith(folder)

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


def rows(xs: Expr, length: int, f=total) -> Expr:
    """A reduction of each row of that length, flat."""
    parts = Split(length, xs)
    return Join(Map(fun(parts.type.element, f), parts))


def columns(xs: Expr, length: int, f=total) -> Expr:
    """A reduction of each column of rows of that length, flat."""
    parts = Transpose(Split(length, xs))
    return Join(Map(fun(parts.type.element, f), parts))


def greatest(xs: Expr) -> Expr:
    return Reduce(fun((FLOAT64, FLOAT64), lambda a, b: Call("maximum", a, b)), Literal(-np.inf, FLOAT64), xs)


def down(values: Expr, length: int) -> Expr:
    """A value for each row, repeated along rows of that length; flat."""
    return Join(Transpose(Repeat(length, values)))


def counts(parts: Partition) -> list[int]:
    """How many results the kernels have, in ascending order."""
    return sorted(len(task.results) for task in parts.tasks)


def lowered(parts: Partition, inputs: dict = INPUTS) -> None:
    """Every kernel has a schedule; what schedules start from means the same and has no reductions side by side."""
    normal = []
    for task in parts.tasks:
        assert not isinstance(Candidates.of(symbolise(task.expr, {}).expr).normal, Zip)
        normal.append(KernelTask(Candidates.of(task.expr).normal, task.results))
    for actual, expected in zip(run(Partition(tuple(normal), parts.results), inputs), run(parts, inputs), strict=True):
        np.testing.assert_allclose(actual, expected, rtol=1e-13, atol=1e-13)  # sums may be done in another order
