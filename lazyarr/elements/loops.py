"""How element-wise functions choose: the dtypes their operands are converted to, and what builds the expression.

A `Choice` is made for each function from these parts; the functions themselves stand in
`lazyarr.elements.scalar_functions`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

from ir.core.expr import Expr
from ir.core.patterns import Call, Literal
from ir.core.types import BOOL
from lazyarr.dtypes import DType, Weak, bool_, float64, floating, from_ir, promote
from lazyarr.elements.formulas import Number, formula
from lazyarr.elements.scalars import literal, operation

__all__ = [
    "Build", "Choice", "Chosen", "Kinds", "about_floats", "about_signs", "applying", "in_floats", "in_own",
    "in_real_floats", "integral", "is_negative", "itself", "logical", "never", "of_bits", "of_integers", "of_reals",
    "parts", "real_dtype", "refused", "same",
]  # fmt: skip

Kinds: TypeAlias = tuple[DType | Weak, ...]
Build: TypeAlias = Callable[..., Expr]
Chosen: TypeAlias = tuple[tuple[DType, ...], Build]
Choice: TypeAlias = Callable[[str, Kinds], Chosen]
"""A function's choice for operands of some kinds: the dtypes they are converted to, and what builds the expression."""


def refused(name: str, kinds: Kinds, expected: str) -> TypeError:
    """The error for operands that a function does not take."""
    came = ", ".join(kind.__name__ if isinstance(kind, type) else kind.name for kind in kinds)
    return TypeError(f"{name}: expected {expected}, got {came}")


def real_dtype(name: str, kinds: Kinds) -> DType:
    """What the operands promote to, which must be a real dtype."""
    t = promote(*kinds)
    if t.kind == "c":
        raise refused(name, kinds, "real numbers (a complex number has parts: la.real, la.imag, la.abs)")
    return t


def applying(op: str) -> Build:
    """An operation of `lazyarr.elements.scalars` as what builds the expression."""
    return partial(operation, op)


def itself(x: Expr) -> Expr:
    """The operand as it is."""
    return x


def same(op: str, for_bool: str | DType | None) -> Choice:
    """Operands promoted together; for bool another primitive, another dtype, or None: not at all."""

    def loop(name: str, kinds: Kinds) -> Chosen:
        t = promote(*kinds)
        if t is not bool_:
            return (t,) * len(kinds), applying(op)
        if for_bool is None:
            raise refused(name, kinds, "numbers (for bool use the logical_ or bitwise_ functions)")
        if isinstance(for_bool, str):
            return (t,) * len(kinds), applying(for_bool) if for_bool else itself
        return (for_bool,) * len(kinds), applying(op)

    return loop


def of_reals(choice: Choice) -> Choice:
    """A choice that takes real operands alone."""

    def loop(name: str, kinds: Kinds) -> Chosen:
        real_dtype(name, kinds)
        return choice(name, kinds)

    return loop


def in_floats(build: Build) -> Choice:
    """A function of real or complex numbers: integers become floats."""

    def loop(name: str, kinds: Kinds) -> Chosen:
        return (floating(promote(*kinds)),) * len(kinds), build

    return loop


def in_real_floats(f: Callable[..., Number] | str) -> Choice:
    """A function of real numbers, a primitive or a formula: integers become floats."""
    build = applying(f) if isinstance(f, str) else formula(f)

    def loop(name: str, kinds: Kinds) -> Chosen:
        t = floating(real_dtype(name, kinds))
        if t is float64 and not any(isinstance(kind, type) for kind in kinds):
            # NumPy takes the first float that holds each operand: of int16 beside uint16 that is float32
            t = promote(*[floating(kind) for kind in kinds if not isinstance(kind, type)])
        return (t,) * len(kinds), build

    return loop


def of_bits(op: str, for_bool: DType = bool_) -> Choice:
    """A function of the bits of integers, and of bool or what it becomes."""

    def loop(name: str, kinds: Kinds) -> Chosen:
        t = promote(*kinds)
        if t.kind in "fc":
            raise refused(name, kinds, "bools or integers")
        return (for_bool if t is bool_ else t,) * len(kinds), applying(op)

    return loop


def of_integers(build: Build) -> Choice:
    """A function of integers alone."""

    def loop(name: str, kinds: Kinds) -> Chosen:
        t = promote(*kinds)
        if t.kind not in "iu":
            raise refused(name, kinds, "integers")
        return (t,) * len(kinds), build

    return loop


def logical(op: str) -> Choice:
    """A primitive of truth values, to which numbers are converted."""

    def loop(name: str, kinds: Kinds) -> Chosen:
        return (bool_,) * len(kinds), applying(op)

    return loop


def integral(op: str) -> Choice:
    """A function that leaves integers and bools as they are."""

    def loop(name: str, kinds: Kinds) -> Chosen:
        t = promote(*kinds)
        if op == "round" and t is bool_:  # NumPy's oddity: floor and the others leave bool as it is
            t = floating(t)
        return (t,), applying(op) if t.kind in "fc" else itself

    return loop


def in_own(op: str, of_floats: Callable[..., Number], for_bool: str) -> Choice:
    """A primitive of integers, another of bool, a formula of floats; of complex numbers the operation by its name."""
    build = formula(of_floats)

    def loop(name: str, kinds: Kinds) -> Chosen:
        t = promote(*kinds)
        if t.kind in "fc":
            return (t,) * len(kinds), build if t.kind == "f" else applying(name)
        return (t,) * len(kinds), applying(for_bool if t is bool_ else op)

    return loop


def about_floats(op: str, of_integers: bool) -> Choice:
    """A question about floats, whose answer is known for integers."""

    def loop(name: str, kinds: Kinds) -> Chosen:
        t = promote(*kinds)
        return (t,), applying(op) if t.kind in "fc" else lambda x: Literal(of_integers, BOOL)

    return loop


def about_signs(f: Callable[[Number], Number], of_integers: Build) -> Choice:
    """A question about signs or infinities of real numbers."""

    def loop(name: str, kinds: Kinds) -> Chosen:
        t = real_dtype(name, kinds)
        return (t,), formula(f) if t.kind == "f" else of_integers

    return loop


def never(x: Expr) -> Expr:
    """No, whatever the operand."""
    return Literal(False, BOOL)


def is_negative(x: Expr) -> Expr:
    """Is an integer or truth value below zero?"""
    return never(x) if x.type is BOOL else Call("less", x, literal(0, from_ir(x.type)))


def parts(of_complex: Build, of_real: Build) -> Choice:
    """A part of complex numbers, and what it is for real ones."""

    def loop(name: str, kinds: Kinds) -> Chosen:
        t = promote(*kinds)
        return (t,), of_complex if t.kind == "c" else of_real

    return loop
