"""Kernels cut into smaller ones: the same results, whichever step of a cut it is."""

from __future__ import annotations

import numpy as np
import pytest

from ir.core.expr import Expr, Param, fun, postorder
from ir.core.patterns import Call, Concat, Join, Map, Reduce, Repeat, Scan, Slice, Split, Transpose
from ir.core.semantics.interpreter import interpret
from ir.core.types import FLOAT64, array_of, shape_of
from ir.fusion.partition.one_by_one import smaller
from ir.fusion.program import ProgramPlan, plan_program
from ir.fusion.symbols.structure_key import structure_key
from ir.fusion.symbols.symbolise import numbered
from tests.ir.fusion.graphs import binary, total, unary

XS, YS = Param("xs", array_of(FLOAT64, 35)), Param("ys", array_of(FLOAT64, 7))
VALUES = {XS: np.arange(35) * 0.5 - 2.25, YS: np.arange(7)[::-1] * 0.75}


def rows(xs: Expr) -> Expr:
    return Split(7, xs)


def repeated(ys: Expr) -> Expr:
    return Join(Repeat(5, ys))


def columns(xs: Expr) -> Expr:
    return Join(Transpose(rows(xs)))


def of_rows(f) -> Expr:
    return Join(Map(fun(array_of(FLOAT64, 7), f), rows(XS)))


def running(xs: Expr) -> Expr:
    add = fun((FLOAT64, FLOAT64), lambda a, b: Call("add", a, b))
    return Scan(add, total(xs).init, xs)  # type: ignore[attr-defined]


CENTRED = binary("subtract", XS, repeated(YS))
SQUARES = binary("multiply", CENTRED, CENTRED)
GRAPHS = {
    "a chain": [unary("abs", unary("negative", unary("sin", XS)))],
    "a chain through views": [unary("abs", columns(binary("add", columns(unary("sin", XS)), XS)))],
    "a reduction of products": [Join(Map(fun(array_of(FLOAT64, 7), total), rows(SQUARES)))],
    "reductions together": [total(unary("abs", XS)), total(unary("sin", XS)), total(XS)],
    "results together": [unary("abs", CENTRED), unary("sin", CENTRED), CENTRED],
    "a matrix within a function": [of_rows(lambda r: binary("subtract", running(unary("abs", r)), r))],
    "a function of several results": [of_rows(lambda r: binary("add", Join(Repeat(7, total(r))), running(r)))],
    "parts": [Concat(unary("abs", unary("sin", YS)), unary("negative", Slice(1, 2, 5, unary("sin", XS))), YS)],
    "many parts": [Concat(*(unary("abs", unary("sin", Slice(i, 1, 2, XS))) for i in range(0, 34, 2)))],
    "one operation": [unary("abs", XS)],
}


def cut_of(roots: list[Expr]) -> tuple[ProgramPlan, list[Expr]]:
    def shape(p: Param) -> tuple[int, ...]:
        return tuple(extent.value for extent in shape_of(p.type))

    found = structure_key(roots, shape)
    return plan_program(roots, found, shape, 1), found.leaves


def values_of(made: ProgramPlan, leaves: list[Expr]) -> list[np.ndarray]:
    """The results of the steps, one after the other, in slots."""
    slots: list[np.ndarray] = [VALUES[leaf] for leaf in leaves] + list(made.constants)
    for step in made.steps:
        inputs = {}
        for p, slot in zip(numbered(step.general.expr), step.reads, strict=True):
            extents = [extent.evaluate(step.general.sizes) for extent in shape_of(p.type)]
            inputs[p.identifier] = slots[slot].reshape(extents)
        value = interpret(step.general.expr, inputs, step.general.sizes)
        stored = [np.ravel(part) for part in (value if isinstance(value, tuple) else (value,))]
        if step.into is None:
            assert len(stored) == step.fills
            slots += stored
            continue
        if step.fills:
            slots.append(np.full(step.into.nbytes // stored[0].itemsize, np.nan))
        slots[step.into.slot][step.into.start : step.into.start + stored[0].size] = stored[0]
    return [slots[slot] for slot in made.results]


@pytest.mark.parametrize("name", GRAPHS)
def test_each_step_cut_into_its_operations_gives_the_same_results(name):
    roots = GRAPHS[name]
    made, leaves = cut_of(roots)
    expected = [np.ravel(interpret(root, VALUES)) for root in roots]
    cuts = 0
    for number in range(len(made.steps)):
        parts = smaller(made, number, 1, "no schedule")
        if parts is None:
            continue
        cuts += 1
        assert len(parts.steps) > len(made.steps)
        assert sum(step.apart == "no schedule" for step in parts.steps) == len(parts.steps) - len(made.steps) + 1
        for actual, value in zip(values_of(parts, leaves), expected, strict=True):
            np.testing.assert_allclose(actual, value, rtol=1e-14)
    assert (cuts == 0) == (name == "one operation")


def test_what_was_cut_already_is_not_cut_again():
    made, _ = cut_of(GRAPHS["a chain"])
    parts = smaller(made, 0, 1, "no schedule")
    assert parts is not None
    assert [smaller(parts, i, 1, "no schedule") for i in range(len(parts.steps))] == [None] * len(parts.steps)


def test_no_operation_is_fused_with_another():
    made, _ = cut_of(GRAPHS["a chain through views"])
    parts = smaller(made, 0, 1, "no schedule")
    assert parts is not None
    for step in parts.steps:
        assert sum(isinstance(node, (Call, Reduce)) for node in postorder(step.general.expr)) == 1
