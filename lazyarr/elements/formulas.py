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


def _forward(op: str) -> Callable[[Number, Number | float], Number]:
    return lambda self, other: call(op, self, other)


def _reflected(op: str) -> Callable[[Number, float], Number]:
    return lambda self, other: call(op, self.like(other), self)


def _alone(op: str) -> Callable[[Number], Number]:
    return lambda self: call(op, self)


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

    __add__, __radd__ = _forward("add"), _reflected("add")
    __sub__, __rsub__ = _forward("subtract"), _reflected("subtract")
    __mul__, __rmul__ = _forward("multiply"), _reflected("multiply")
    __truediv__, __rtruediv__ = _forward("divide"), _reflected("divide")
    __neg__, __abs__, __invert__ = _alone("negative"), _alone("abs"), _alone("bitwise_invert")
    __and__, __or__ = _forward("bitwise_and"), _forward("bitwise_or")
    __eq__, __ne__ = _forward("equal"), _forward("not_equal")  # type: ignore[assignment]  # expressions, not answers
    __lt__, __le__ = _forward("less"), _forward("less_equal")
    __gt__, __ge__ = _forward("greater"), _forward("greater_equal")


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
