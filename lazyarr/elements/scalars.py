"""Scalar expressions of any dtype: constants, conversions, parts of complex numbers, operations by name.

A real number is an expression of scalar type, a complex one an expression of the pair of its parts. `operation` is what
patterns over elements of any dtype apply: `operation("add", a, b)` adds numbers of either kind.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

import numpy as np

from ir.core.expr import Expr
from ir.core.patterns import Call, Cast, Get, Literal, Tuple
from ir.core.types import BOOL, TupleType
from lazyarr.dtypes import DType, component_of, from_ir, scalar_type
from lazyarr.elements.complex_arithmetic import ARITHMETIC, TESTS, Parts, choose
from lazyarr.elements.complex_functions import FUNCTIONS
from lazyarr.elements.complex_inverses import INVERSES
from lazyarr.elements.formulas import Number

__all__ = ["cast", "constant_value", "imaginary", "is_complex", "literal", "literal_of", "operation", "pair", "real"]

_COMPLEX: Final[dict[str, Callable[..., Parts]]] = {**ARITHMETIC, **FUNCTIONS, **INVERSES}


def is_complex(e: Expr) -> bool:
    """Is it a complex number, a pair of parts?"""
    return isinstance(e.type, TupleType)


def real(e: Expr) -> Expr:
    """The real part of a complex number; a real one itself."""
    return _part(e, 0) if is_complex(e) else e


def imaginary(e: Expr) -> Expr:
    """The imaginary part of a complex number; zero of a real one."""
    return _part(e, 1) if is_complex(e) else literal(0, from_ir(e.type))


def _part(e: Expr, index: int) -> Expr:
    return e.operands[index] if isinstance(e, Tuple) else Get(index, e)


def pair(re: Expr, im: Expr) -> Expr:
    """The complex number of two parts; a pair that was taken apart is put together again as it was."""
    if isinstance(re, Get) and isinstance(im, Get) and re.operand is im.operand and (re.index, im.index) == (0, 1):
        t = re.operand.type
        if isinstance(t, TupleType) and len(t.elements) == 2:
            return re.operand
    return Tuple(re, im)


@lru_cache(maxsize=1024)
def literal_of(bits: bytes, dtype: DType) -> Expr:
    """The constant of that dtype with those bits."""
    if dtype.kind == "c":
        half, part = dtype.itemsize // 2, component_of(dtype)
        return Tuple(literal_of(bits[:half], part), literal_of(bits[half:], part))
    # `_make` and not `Literal(...)`: the bits are the constant already
    return Literal._make((), (scalar_type(dtype), bits))


def literal(value: Any, dtype: DType) -> Expr:
    """The constant of that dtype."""
    if type(value) is int:  # what reductions begin with
        return _whole(value, dtype)
    return literal_of(dtype.type(value).tobytes(), dtype)


@lru_cache(maxsize=1024)
def _whole(value: int, dtype: DType) -> Expr:
    return literal_of(dtype.type(value).tobytes(), dtype)


def constant_value(e: Expr) -> Any:
    """The value of a constant as a NumPy scalar; None for any other expression."""
    if type(e) is Literal:
        return e.value
    if type(e) is Tuple and len(e.operands) == 2 and all(type(part) is Literal for part in e.operands):
        parts = np.array([part.value for part in e.operands])  # type: ignore[attr-defined]  # literals
        return parts.view(np.result_type(parts.dtype, np.complex64))[0]
    return None


def cast(e: Expr, dtype: DType) -> Expr:
    """The number converted to that dtype, itself if it has it; a complex number becomes bool or complex alone."""
    if from_ir(e.type) is dtype:
        return e
    if dtype.kind == "c":
        part = component_of(dtype)
        return pair(cast(real(e), part), cast(imaginary(e), part))
    target = scalar_type(dtype)
    if is_complex(e):
        assert target is BOOL, f"a complex number has no value of dtype {dtype}"
        return Call("bitwise_or", Cast(real(e), BOOL), Cast(imaginary(e), BOOL))
    return Cast(e, target)


def operation(op: str, *operands: Expr) -> Expr:
    """The primitive or complex function of that name applied to numbers of one dtype (of `select`, after a bool)."""
    if not is_complex(operands[-1]):
        return Call(op, *operands)
    if op == "select":
        condition, *values = operands
        return _joined(choose(Number(condition), *map(_parts, values)))
    parts = [_parts(operand) for operand in operands]
    if op in TESTS:
        return TESTS[op](*parts).expr
    return _joined(_COMPLEX[op](*parts))


def _parts(e: Expr) -> Parts:
    return Number(real(e)), Number(imaginary(e))


def _joined(parts: Parts) -> Expr:
    return pair(parts[0].expr, parts[1].expr)
