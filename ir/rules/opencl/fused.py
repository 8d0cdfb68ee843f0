"""Products and sums that are rounded once."""

from __future__ import annotations

from ir.core.expr import Expr
from ir.core.patterns import Call
from ir.core.types import ScalarType, VectorType
from ir.rewrite.rule import Label, rule

__all__: list[str] = []


@rule(Label.REASSOCIATING, "IEEE 754-2008, fusedMultiplyAdd")
def fuse_multiply_add(e: Call) -> Expr | None:
    """a + b * c  ->  fma b c a      for floating-point numbers"""
    match e:
        case Call(op="add", operands=(a, Call(op="multiply", operands=(b, c)))) if _is_float(e):
            return Call("fma", b, c, a)
    return None


def _is_float(e: Expr) -> bool:
    t = e.type.element if isinstance(e.type, VectorType) else e.type
    return isinstance(t, ScalarType) and t.is_float
