"""Formulas over scalar expressions in Python's operators: what functions are made of that are no primitive of `ir`.

`Number` wraps an expression of a scalar type. A Python number beside one takes its type. Choices are made by `where`,
of which both sides are computed: a value that is not chosen may be NaN or infinite.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ir.core.expr import Expr
from ir.core.patterns import Call, Cast, Literal
from ir.core.types import ScalarType

__all__ = ["Number", "call", "formula", "limits", "where"]


class Number:
    """A scalar expression with operators; comparisons give numbers of type bool, which `&`, `|` and `~` combine."""

    __slots__ = ("expr",)
    __hash__ = None  # type: ignore[assignment]  # `==` is an expression

    def __init__(self, expr: Expr) -> None:
        self.expr = expr

    @property
    def type(self) -> ScalarType:
        """Its scalar type."""
        t = self.expr.type
        assert isinstance(t, ScalarType)
        return t

    def like(self, value: float) -> Number:
        """The constant of its type."""
        return Number(Literal(value, self.type))

    def cast(self, t: ScalarType) -> Number:
        """The number converted to a type."""
        return self if self.type is t else Number(Cast(self.expr, t))

    def __add__(self, other: Number | float) -> Number:
        return call("add", self, other)

    def __radd__(self, other: float) -> Number:
        return call("add", self.like(other), self)

    def __sub__(self, other: Number | float) -> Number:
        return call("subtract", self, other)

    def __rsub__(self, other: float) -> Number:
        return call("subtract", self.like(other), self)

    def __mul__(self, other: Number | float) -> Number:
        return call("multiply", self, other)

    def __rmul__(self, other: float) -> Number:
        return call("multiply", self.like(other), self)

    def __truediv__(self, other: Number | float) -> Number:
        return call("divide", self, other)

    def __rtruediv__(self, other: float) -> Number:
        return call("divide", self.like(other), self)

    def __neg__(self) -> Number:
        return call("negative", self)

    def __abs__(self) -> Number:
        return call("abs", self)

    def __and__(self, other: Number) -> Number:
        return call("bitwise_and", self, other)

    def __or__(self, other: Number) -> Number:
        return call("bitwise_or", self, other)

    def __invert__(self) -> Number:
        return call("bitwise_invert", self)

    def __eq__(self, other: Number | float) -> Number:  # type: ignore[override]  # an expression, not an answer
        return call("equal", self, other)

    def __ne__(self, other: Number | float) -> Number:  # type: ignore[override]  # as above
        return call("not_equal", self, other)

    def __lt__(self, other: Number | float) -> Number:
        return call("less", self, other)

    def __le__(self, other: Number | float) -> Number:
        return call("less_equal", self, other)

    def __gt__(self, other: Number | float) -> Number:
        return call("greater", self, other)

    def __ge__(self, other: Number | float) -> Number:
        return call("greater_equal", self, other)


def call(op: str, first: Number, *others: Number | float) -> Number:
    """A primitive of `ir` applied to numbers; Python's take the type of the first operand."""
    operands = [other if isinstance(other, Number) else first.like(other) for other in others]
    return Number(Call(op, first.expr, *(operand.expr for operand in operands)))


def where(condition: Number, chosen: Number | float, other: Number | float) -> Number:
    """`chosen` where the condition holds, `other` elsewhere; one of them is a `Number`."""
    like = chosen if isinstance(chosen, Number) else other
    assert isinstance(like, Number)
    a, b = (value if isinstance(value, Number) else like.like(value) for value in (chosen, other))
    return Number(Call("select", condition.expr, a.expr, b.expr))


def limits(x: Number) -> Any:
    """NumPy's `finfo` of the number's type."""
    return np.finfo(x.type.name)


def formula(f: Callable[..., Number]) -> Callable[..., Expr]:
    """A function of numbers as a function of expressions."""

    def build(*operands: Expr) -> Expr:
        return f(*map(Number, operands)).expr

    return build
