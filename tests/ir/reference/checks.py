"""Graphs' leaves with distinct values, and a program's results compared with the interpreter's."""

from __future__ import annotations

import numpy as np

from ir.core.expr import Expr, Param, fun
from ir.core.patterns import (
    Call,
    Literal,
    Reduce,
)
from ir.core.semantics.interpreter import interpret
from ir.core.types import FLOAT32, FLOAT64, ArrayType, ScalarType
from ir.reference.generate import NumPyProgram, write
from tests.ir.reference.programs import Inputs

U32 = ScalarType("uint32")


def leaf(name: str, length: int, t: ScalarType = FLOAT64) -> Param:
    return Param(name, ArrayType(t, length))


def values(*leaves: Param) -> Inputs:
    """Distinct numbers of both signs, in no order."""
    rng = np.random.default_rng(7)
    found: Inputs = {}
    for x in leaves:
        assert isinstance(x.type, ArrayType)
        numbers = rng.permutation(x.type.length.value or 0) - (x.type.length.value or 0) // 3
        found[x] = (numbers * (1.25 if x.type.element in (FLOAT32, FLOAT64) else 1)).astype(str(x.type.element))
    return found


def check(roots: list[Expr], inputs: Inputs) -> NumPyProgram:
    """The program gives what the interpreter gives, and leaves its inputs alone; it is given back."""
    made = write(roots, list(inputs))
    before = [x.copy() for x in inputs.values()]
    with np.errstate(all="ignore"):
        got = made.call(*inputs.values())
    assert all(
        np.array_equal(x, y, equal_nan=x.dtype.kind == "f") for x, y in zip(before, inputs.values(), strict=True)
    )
    for root, found in zip(roots, got, strict=True):
        wanted = np.asarray(interpret(root, inputs))
        assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype), made.text
        assert found.flags.c_contiguous
        if wanted.dtype.kind == "f":
            scale = np.abs(wanted[np.isfinite(wanted)]).max(initial=1.0)
            eps = float(np.finfo(wanted.dtype).eps) * 64 * wanted.size
            np.testing.assert_allclose(found, wanted, rtol=eps, atol=eps * scale, err_msg=made.text)
        else:
            np.testing.assert_array_equal(found, wanted, err_msg=made.text)
    return made


def add(a: Expr, b: Expr) -> Expr:
    return Call("add", a, b)


def sum_of(xs: Expr) -> Expr:
    t = xs.type.element
    return Reduce(fun((t, t), add), Literal(0, t), xs)
