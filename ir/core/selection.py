"""Choosing one of two pairs (value, index): the function that arg-reductions reduce by.

The order of the pairs is total, so the function is associative and commutative and rounds nothing: whatever the
order of a reduction, it chooses the same pair.
"""

from __future__ import annotations

from ir.core.expr import Expr
from ir.core.patterns import Call, Get, Tuple
from ir.core.types import ScalarType, TupleType, Type, VectorType

__all__ = ["chooses", "first_extreme"]

_BEFORE = {"minimum": ("less", "less_equal"), "maximum": ("greater", "greater_equal")}


def first_extreme(op: str, a: Expr, b: Expr) -> Expr:
    """Of two pairs (value, index) the one with the lesser (`minimum`) or greater (`maximum`) value.

    A NaN counts as beyond every number; among equal values, and among NaNs, the pair with the lesser index is chosen.
    """
    first, second = (Get(0, a), Get(1, a)), (Get(0, b), Get(1, b))
    less, not_greater = _BEFORE[op]
    not_behind = Call(not_greater, second[0], first[0])
    if _is_float(first[0].type):
        nan, number = Call("isnan", second[0]), Call("bitwise_invert", Call("isnan", first[0]))
        # with a NaN no comparison holds: "not before or equal" is "behind, or either is a NaN"
        before = Call("bitwise_and", Call("bitwise_invert", Call(not_greater, first[0], second[0])), number)
        not_behind = Call("bitwise_or", not_behind, nan)
    else:
        before = Call(less, second[0], first[0])
    chosen = Call("bitwise_or", before, Call("bitwise_and", not_behind, Call("less", second[1], first[1])))
    return Tuple(*(Call("select", chosen, y, x) for x, y in zip(first, second, strict=True)))


def chooses(body: Expr, a: Expr, b: Expr) -> str | None:
    """The `op` for which a body is `first_extreme op a b`, on scalars or vectors; None if there is none."""
    t = a.type
    if not isinstance(body, Tuple) or not isinstance(t, TupleType) or len(t.elements) != 2 or b.type is not t:
        return None
    if not _are_alike(*t.elements) or body.type is not t:
        return None
    return next((op for op in _BEFORE if first_extreme(op, a, b) is body), None)


def _are_alike(value: Type, index: Type) -> bool:
    """Two scalars, or two vectors of one width?"""
    if isinstance(value, VectorType) and isinstance(index, VectorType):
        return value.width == index.width
    return isinstance(value, ScalarType) and isinstance(index, ScalarType)


def _is_float(t: Type) -> bool:
    return getattr(t.element if isinstance(t, VectorType) else t, "is_float", False)
