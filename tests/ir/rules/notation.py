"""The inputs that the rules' examples are stated over."""

from __future__ import annotations

from functools import cache

from ir.core.expr import Expr
from ir.core.notation.parser import parse
from ir.core.sizes import var
from ir.core.types import BOOL, FLOAT32, FLOAT64, INT32, TupleType, Type, array_of

N, M = var("n"), var("m")

INPUTS: dict[str, Type] = {
    "xs": array_of(FLOAT32, N),
    "ys": array_of(FLOAT32, N),
    "ds": array_of(FLOAT64, N),
    "ints": array_of(INT32, N),
    "flags": array_of(BOOL, N),
    "xs4": array_of(FLOAT32, 4 * N),
    "ys4": array_of(FLOAT32, 4 * N),
    "ints4": array_of(INT32, 4 * N),
    "xs8": array_of(FLOAT32, 8 * N),
    "nm": array_of(FLOAT32, N * M),
    "xss": array_of(FLOAT32, N, M),
    "yss": array_of(FLOAT32, N, M),
    "cube": array_of(FLOAT32, N, M, 3),
    "ws": array_of(FLOAT32, N + 8),
    "ws4": array_of(FLOAT32, 4 * N + 6),
    "v8": array_of(FLOAT32, 8),
    "v128": array_of(FLOAT32, 128),
    "v1024": array_of(FLOAT32, 1024),
    "w128": array_of(FLOAT32, 128),
    "is": array_of(INT32, M),
    "iss": array_of(INT32, N, M),
    "pairs": array_of(TupleType((FLOAT32, INT32)), N),
    "c": FLOAT32,
    "i": INT32,
}

SIZES = ({"n": 0, "m": 3}, {"n": 1, "m": 1}, {"n": 3, "m": 0}, {"n": 2, "m": 5}, {"n": 7, "m": 2})


@cache
def term(text: str) -> Expr:
    """The expression that a text in the papers' notation stands for."""
    return parse(text, INPUTS, {"n": N, "m": M})
