"""The nodes on scalars and tuples: constants, primitives, conversions, projections."""

from __future__ import annotations

from typing import Any

import numpy as np

from ir.core.expr import Expr
from ir.core.scalars import Operation, operation
from ir.core.sizes import Size, SizeLike, size
from ir.core.traits import Traits
from ir.core.types import ScalarType, TupleType, Type, VectorType, widen
from ir.errors import TypeMismatch

__all__ = ["Call", "Cast", "FromSize", "Get", "Literal", "Splat", "Tuple"]


class Literal(Expr):
    """A constant; told apart by dtype and bits, so NaN equals itself and -0.0 differs from 0.0."""

    traits = Traits(creates=True)
    dtype: ScalarType
    bits: bytes

    def __new__(cls, value: Any, dtype: ScalarType) -> Literal:
        return cls._make((), (dtype, np.dtype(dtype.name).type(value).tobytes()))

    def _infer(self) -> Type:
        return self.dtype

    @property
    def value(self) -> Any:
        """The constant as a NumPy scalar."""
        return np.frombuffer(self.bits, dtype=self.dtype.name)[0]


class FromSize(Expr):
    """A size as a number of that dtype."""

    traits = Traits(creates=True)
    value: Size
    dtype: ScalarType

    def __new__(cls, value: SizeLike, dtype: ScalarType) -> FromSize:
        return cls._make((), (size(value), dtype))

    def _infer(self) -> Type:
        return self.dtype


class Call(Expr):
    """A scalar primitive applied to scalars, or to vectors element by element."""

    traits = Traits(creates=True)
    types_decide = True
    op: str

    def __new__(cls, op: str, *operands: Expr) -> Call:
        return cls._make(operands, (op,))

    def _infer(self) -> Type:
        return operation(self.op).infer(tuple(operand.type for operand in self.operands))

    @property
    def operation(self) -> Operation:
        """The primitive's entry in the table."""
        return operation(self.op)


class Cast(Expr):
    """A number converted to another dtype, by the rules of C (floats to integers truncate; anything to bool is `!=
    0`).
    """

    traits = Traits(creates=True)
    operand: Expr
    dtype: ScalarType

    def __new__(cls, operand: Expr, dtype: ScalarType) -> Cast:
        return cls._make((operand,), (dtype,))

    def _infer(self) -> Type:
        t = self.operand.type
        if isinstance(t, VectorType):
            return VectorType(self.dtype, t.width)
        if not isinstance(t, ScalarType):
            raise TypeMismatch("cast", "a scalar or vector", t)
        return self.dtype


class Splat(Expr):
    """A scalar repeated in every lane of a vector (for tuples: in each component)."""

    traits = Traits(creates=True)
    types_decide = True
    operand: Expr
    width: int

    def __new__(cls, operand: Expr, width: int) -> Splat:
        return cls._make((operand,), (width,))

    def _infer(self) -> Type:
        return widen(self.operand.type, self.width)


class Tuple(Expr):
    """`(a, b, ...)`."""

    traits = Traits(passes_destination=True)

    def __new__(cls, *operands: Expr) -> Tuple:
        return cls._make(operands)

    def _infer(self) -> Type:
        return TupleType(tuple(operand.type for operand in self.operands))


class Get(Expr):
    """Component i of a tuple, counted from zero."""

    traits = Traits()
    __match_args__ = ("index", "operand")
    operand: Expr
    index: int

    def __new__(cls, index: int, operand: Expr) -> Get:
        return cls._make((operand,), (index,))

    def _rebuilt(self, operands: tuple[Expr, ...]) -> Expr:
        # beta reduction puts tuples where variables were: `(a, b).0` is `a`
        known = operands[0]
        return known.operands[self.index] if isinstance(known, Tuple) else self._make(operands, self.parameters)

    def _infer(self) -> Type:
        t = self.operand.type
        if not isinstance(t, TupleType) or not 0 <= self.index < len(t.elements):
            raise TypeMismatch("get", f"a tuple with a component {self.index}", t)
        return t.elements[self.index]
