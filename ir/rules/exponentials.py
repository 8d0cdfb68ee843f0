"""Sums of exponentials beside the maximum, in one reading: what the rules and `is_monoid` know about them.

The sum of exp(x - m) over numbers x with the maximum m needs m first, and so reads the numbers twice; it can also be
formed beside the maximum, if what is added up is scaled as the maximum grows (Milakov and Gimelshein, "Online
normalizer calculation for softmax", 2018). Here the scale does not follow the maximum closely: a number's scale r is
the multiple of 16 that is nearest to it, and an accumulator is (m, r, s), the greatest number, its scale, and the sum
of all exp(x - r). It is the same for powers of two.

This keeps the roundings few. x - r is exact for a number's own scale, as is the difference of two scales. Numbers that
are added up together share the scale of the greatest of them. There x - r is rounded, by half a unit in the last place
of 8 for those that just need the scale below. A sum is multiplied only where the scale grows, by exp(-16) at most. From
the second time on the roundings of that count for nothing, however the numbers are ordered, unless there are more than
exp(16) of them; of powers of two 2**16.

Special values are those of the two readings. The scale of a NaN or of positive infinity is that number, and then s
is NaN. That of negative infinity is the least finite number, so that its exponential is 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

import numpy as np

from ir.core.expr import Expr, Lambda, fun
from ir.core.patterns import Call, Get, Literal, Splat, Tuple
from ir.core.types import ScalarType, TupleType, Type, VectorType
from ir.cost.thresholds.reductions import SCALE_STEP

__all__ = [
    "EXPONENTIALS", "added", "adds", "combined_in_pairs", "exponential", "is_float", "no_exponentials", "number_of",
    "of_block", "total",
]  # fmt: skip

EXPONENTIALS: Final = ("exp", "exp2")
"""The functions f with f(x + y) = f(x) f(y)."""


def is_float(t: Type) -> bool:
    """Is it the type of floating-point numbers?"""
    return isinstance(t, ScalarType) and t.is_float


def _scalar(t: Type) -> Type:
    return t.element if isinstance(t, VectorType) else t


def _constant(value: float, t: Type) -> Expr:
    if isinstance(t, VectorType):
        return Splat(_constant(value, t.element), t.width)
    assert isinstance(t, ScalarType)
    return Literal(value, t)


def _least(t: Type) -> Expr:
    part = _scalar(t)
    assert isinstance(part, ScalarType)
    return _constant(float(np.finfo(part.name).min), t)


def _scale(x: Expr) -> Expr:
    near = Call("round", Call("multiply", x, _constant(1 / SCALE_STEP, x.type)))
    near = Call("multiply", near, _constant(SCALE_STEP, x.type))
    return Call("maximum", Call("add", near, _constant(0, x.type)), _least(x.type))  # a zero has no sign


def _scaled(op: str, x: Expr, scale: Expr) -> Expr:
    return Call(op, Call("subtract", x, scale))


def exponential(op: str, x: Expr) -> Tuple:
    """The accumulator of one number: itself, its scale r, and exp(x - r)."""
    scale = _scale(x)
    return Tuple(x, scale, _scaled(op, x, scale))


def number_of(op: str, e: Expr) -> Expr | None:
    """The number of which something is the accumulator; None where it is that of more, or something else."""
    if not isinstance(e, Tuple) or len(e.operands) != 3 or not is_float(_scalar(e.operands[0].type)):
        return None
    return e.operands[0] if exponential(op, e.operands[0]) is e else None


def no_exponentials(t: ScalarType) -> Tuple:
    """The accumulator of no numbers."""
    return Tuple(Literal(-np.inf, t), _least(t), Literal(0, t))


def added(op: str, a: Expr, b: Expr) -> Tuple:
    """The accumulator of the numbers of two: the sum of the lesser scale is brought to the greater one."""
    (m, r, s), (n, q, t) = (tuple([Get(i, x) for i in range(3)]) for x in (a, b))
    factor = Call(op, Call("negative", Call("abs", Call("subtract", r, q))))
    first = Call("greater_equal", r, q)
    left = Call("select", first, s, Call("multiply", s, factor))
    right = Call("select", first, Call("multiply", t, factor), t)
    return Tuple(Call("maximum", m, n), Call("maximum", r, q), Call("add", left, right))


def adds(body: Expr, a: Expr, b: Expr) -> str | None:
    """The function f for which a body is `added f a b`, on scalars or vectors; None if there is none."""
    t = a.type
    if not isinstance(body, Tuple) or not isinstance(t, TupleType) or len(t.elements) != 3 or b.type is not t:
        return None
    if not is_float(_scalar(t.elements[0])) or any(x is not t.elements[0] for x in t.elements):
        return None
    return next((op for op in EXPONENTIALS if added(op, a, b) is body), None)


def total(op: str, t: TupleType) -> Lambda:
    """The sum of exp(x - m) over the numbers of an accumulator: λ(m, r, s). s * exp(r - m)."""
    return fun(t, lambda p: Call("multiply", Get(2, p), _scaled(op, Get(1, p), Get(0, p))))


def of_block(op: str, numbers: Sequence[Expr]) -> Tuple:
    """The accumulator of a few numbers: their maximum is found first, so that each takes one exponential."""
    greatest = _in_pairs("maximum", numbers)
    scale = _scale(greatest)
    return Tuple(greatest, scale, _in_pairs("add", [_scaled(op, x, scale) for x in numbers]))


def _in_pairs(op: str, values: Sequence[Expr]) -> Expr:
    return combined_in_pairs(partial(Call, op), values)


def combined_in_pairs(combine: Callable[[Expr, Expr], Expr], values: Sequence[Expr]) -> Expr:
    """Values combined in pairs, the pairs in pairs, and so on."""
    while len(values) > 1:
        odd = values[len(values) // 2 * 2 :]
        values = [*map(combine, values[::2], values[1::2]), *odd]
    return values[0]
