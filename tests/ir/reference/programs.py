"""Random programs as recorded graphs are: over flat arrays of scalars with constant lengths, flat results."""

from __future__ import annotations

import random
from math import prod
from typing import Any

import numpy as np

from ir.core.expr import Expr, Param, fun, substitute
from ir.core.patterns import Element, Get, Join, Map, Repeat, Split
from ir.core.size_variables import substitute_sizes
from ir.core.sizes import size
from ir.core.types import ArrayType, ScalarType, TupleType, shape_of
from tests.generators import M, N, parameters, random_program

Inputs = dict[Param, np.ndarray[Any, Any]]

__all__ = ["flat_program", "flat_results"]


def flat_program(seed: int, steps: int = 8) -> tuple[list[Expr], Inputs] | None:
    """Roots and inputs of a random program; None where an array has no elements, or a value no flat form."""
    program = random_program(random.Random(seed), steps=steps)
    if 0 in program.sizes.values():
        return None
    e = substitute_sizes(program.expr, {N: size(program.sizes["n"]), M: size(program.sizes["m"])})
    inputs: Inputs = {}
    replaced: dict[Any, Expr] = {}
    for p in parameters(e):
        shape = [n.value or 0 for n in shape_of(p.type)] if isinstance(p.type, ArrayType) else []
        element = p.type
        while isinstance(element, ArrayType):
            element = element.element
        if 0 in shape:
            return None
        leaf = Param(f"flat_{p.identifier}", ArrayType(element, prod(shape)))
        inputs[leaf] = np.asarray(program.inputs[p.identifier]).reshape(-1)
        made: Expr = leaf if shape else Element(0, leaf)
        for extent in reversed(shape[1:]):
            made = Split(extent, made)
        replaced[p] = made
    return flat_results(substitute(e, replaced)), inputs


def flat_results(e: Expr) -> list[Expr]:
    """The arrays of scalars that a value is made of, each flat."""
    t = e.type
    if isinstance(t, TupleType):
        return [root for i in range(len(t.elements)) for root in flat_results(Get(i, e))]
    if not isinstance(t, ArrayType):
        return [Repeat(1, e)]
    if isinstance(t.element, ArrayType):
        return flat_results(Join(e))
    if isinstance(t.element, TupleType):
        parts = range(len(t.element.elements))
        return [root for i in parts for root in flat_results(Map(fun(t.element, lambda x, i=i: Get(i, x)), e))]
    assert isinstance(t.element, ScalarType)
    return [e]
