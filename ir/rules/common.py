"""Named side conditions and small builders that rules share."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np

from ir.core.expr import Bound, Expr, Lambda, fun, postorder
from ir.core.patterns import MAP, Call, Concat, Get, Join, Literal, Map, Splat, Tuple, Vect, Zip, is_view_map
from ir.core.patterns import length_of as length
from ir.core.patterns import row_length as length_of_row
from ir.core.selection import chooses
from ir.core.size_variables import sizes_in
from ir.core.sizes import Size, divide_exactly, is_le, size, var
from ir.core.types import ArrayType, ScalarType, TupleType, Type, VectorType
from ir.rules import exponentials
from ir.rules.compensation import plain_part, tuple_of

__all__ = [
    "arrays_of", "components", "compose", "divides", "fresh_size", "has_rows", "is_bound", "is_complex_product",
    "is_exact_monoid", "is_monoid", "is_open_map", "is_scalar_like", "length", "length_of_row", "neutral", "parts_of",
    "rows_of", "tuple_of", "where", "within", "zip_of",
]  # fmt: skip


def element(e: Expr) -> Type:
    """The element type of an array expression."""
    assert isinstance(e.type, ArrayType)
    return e.type.element


def has_rows(t: Type) -> bool:
    """Is it an array of arrays?"""
    return isinstance(t, ArrayType) and isinstance(t.element, ArrayType)


def is_open_map(e: Expr) -> bool:
    """A map that computes something, not yet given to any level of the machine."""
    return isinstance(e, Map) and e.how == MAP and isinstance(e.f, Lambda) and not is_view_map(e)


def is_bound(e: Expr) -> bool:
    """Does it need a variable of a function around it that is not opened?"""
    inner = postorder(e, lambda node: not node.loose)
    return any(isinstance(node, Bound) and node.binder_level > e.level for node in inner)


def rows_of(e: Expr) -> tuple[Expr, Expr | None] | None:
    """The rows that an array puts one after the other, and what comes after them, if anything does; None for others."""
    match e:
        case Join(xss):
            return xss, None
        case Concat(operands=(Join(xss), rest)):
            return xss, rest
    return None


def compose(f: Lambda, g: Lambda) -> Lambda:
    """`f ∘ g`: first g, then f."""
    return fun(g.types, lambda *x: f(g(*x)))


def divides(n: Size | int, total: Size) -> bool:
    """Is `n` a size, and `total` a multiple of it, whatever the sizes?"""
    return is_le(size(0), size(n)) and divide_exactly(total, size(n)) is not None


def within(n: Size | int, total: Size) -> bool:
    """Does 0 <= n <= total hold, whatever the sizes?"""
    return is_le(size(0), size(n)) and is_le(size(n), total)


def fresh_size(e: Expr, number: int) -> Size:
    """A size variable, of one or more, that does not occur in an expression: `m` and the first number that is free."""
    taken = {v.name for v in sizes_in(e)}
    while f"m{number}" in taken:
        number += 1
    return var(f"m{number}", 1, None)


def is_scalar_like(t: Type) -> bool:
    """A scalar, or a tuple of such: what a vector lane can hold."""
    if isinstance(t, TupleType):
        return all(map(is_scalar_like, t.elements))
    return isinstance(t, ScalarType)


def _neutral(op: str, t: ScalarType) -> Literal | None:
    """The neutral element of a primitive, where it has one: z with `op z x` the same bits as x."""
    dtype = np.dtype(t.name)
    low, high = (-np.inf, np.inf) if t.is_float else (False, True) if t.name == "bool" else _limits(dtype)
    value = {
        "add": -0.0 if t.is_float else 0, "multiply": 1, "minimum": high, "maximum": low,
        "bitwise_or": 0, "bitwise_xor": 0, "bitwise_and": True if t.name == "bool" else -1 if t.is_signed else high,
    }.get(op)  # fmt: skip
    return None if value is None else Literal(value, t)


def _is_neutral(z: Literal, op: str, t: ScalarType) -> bool:
    """Is it the neutral element of a primitive? Zero is one of floating-point addition too: 0 + -0 is equal to -0."""
    found = _neutral(op, t)
    return z is found or (op == "add" and t.is_float and z is Literal(0, t))


def _limits(dtype: np.dtype[Any]) -> tuple[int, int]:
    info = np.iinfo(dtype)
    return int(info.min), int(info.max)


@lru_cache(maxsize=4096)
def _monoid(f: Expr, z: Expr, exact: bool) -> bool:
    if isinstance(f, Vect):  # lane by lane
        return isinstance(z, Splat) and z.width == f.width and _monoid(f.f, z.operand, exact)
    if not isinstance(f, Lambda) or len(f.types) != 2 or f.types[0] is not f.types[1]:
        return False
    (a, b), body = f.open()
    return _component(body, (a, b), z, exact)


def _component(body: Expr, variables: tuple[Expr, Expr], z: Expr, exact: bool) -> bool:
    if isinstance(z, Splat):
        z = Tuple(*(Splat(part, z.width) for part in z.operand.operands)) if isinstance(z.operand, Tuple) else z.operand
    op = chooses(body, *variables)
    if op is not None:
        return isinstance(z, Tuple) and _is_last(op, z)
    if exponentials.adds(body, *variables) is not None:
        return not exact and isinstance(z, Tuple) and _is_of_no_exponentials(z)
    if isinstance(body, Tuple) and isinstance(z, Tuple):
        plain = plain_part(body, *variables)
        if plain is not None:
            (a, b), (start, corrections) = variables, z.operands
            return not exact and _component(plain, (Get(0, a), Get(0, b)), start, exact) and _is_nothing(corrections)
        if is_complex_product(body, variables):
            return not exact and _is_one(z)
        return all(
            _component(part, (Get(i, variables[0]), Get(i, variables[1])), z.operands[i], exact)
            for i, part in enumerate(body.operands)
        )
    if not isinstance(body, Call) or not body.operation.associative or set(body.operands) != set(variables):
        return False
    t = body.type.element if isinstance(body.type, VectorType) else body.type
    if not isinstance(t, ScalarType) or not isinstance(z, Literal) or not _is_neutral(z, body.op, t):
        return False
    return not exact or body.operation.exact or not t.is_float


def _is_nothing(corrections: Expr) -> bool:
    """Are all corrections beside a sum zero?"""
    corrections = corrections.operand if isinstance(corrections, Splat) else corrections
    if isinstance(corrections, Tuple):
        return all(map(_is_nothing, corrections.operands))
    return isinstance(corrections, Literal) and _is_neutral(corrections, "add", corrections.dtype)


def _is_last(op: str, pair: Tuple) -> bool:
    """Is a pair (value, index) chosen by `first_extreme op` only where both are the same?"""
    value, index = (part.operand if isinstance(part, Splat) else part for part in pair.operands)
    if not isinstance(value, Literal) or not isinstance(index, Literal):
        return False
    return _is_neutral(value, op, value.dtype) and _is_neutral(index, "minimum", index.dtype)


def _is_of_no_exponentials(z: Tuple) -> bool:
    """Is it the accumulator of no numbers?"""
    parts = [part.operand if isinstance(part, Splat) else part for part in z.operands]
    return isinstance(parts[0], Literal) and tuple(parts) == exponentials.no_exponentials(parts[0].dtype).operands


def is_complex_product(body: Expr, variables: tuple[Expr, Expr]) -> bool:
    """Is it the product of two complex numbers, pairs of their parts? It is associative and commutative as a whole."""
    t = variables[0].type
    if not isinstance(t, TupleType) or len(t.elements) != 2 or t.elements[0] is not t.elements[1]:
        return False
    part = t.elements[0].element if isinstance(t.elements[0], VectorType) else t.elements[0]
    if variables[1].type is not t or not isinstance(part, ScalarType) or not part.is_float:
        return False
    (x, y), (u, v) = ((Get(0, z), Get(1, z)) for z in variables)
    real = Call("subtract", Call("multiply", x, u), Call("multiply", y, v))
    return body is Tuple(real, Call("add", Call("multiply", x, v), Call("multiply", y, u)))


def _is_one(pair: Tuple) -> bool:
    """Is it the complex number 1?"""
    real, imaginary = (part.operand if isinstance(part, Splat) else part for part in pair.operands)
    return isinstance(real, Literal) and real is Literal(1, real.dtype) and imaginary is Literal(0, real.dtype)


def is_monoid(f: Expr, z: Expr) -> bool:
    """Is f an associative, commutative primitive (component by component for tuples) and z its neutral element?

    So is the sum of pairs that carry corrections along (`ir.rules.compensation`), rounding apart, as all sums are. The
    product of complex numbers is one too, as a whole. Products of floats are taken in any order, as sums are: what
    they are where a part of them overflows depends on it, and so it does in NumPy, whose order is not stated. In a
    scan the order is part of the meaning, and its products are not regrouped.

    This is what figure 6d of ICFP 2015 asks of `reduce`; whatever cannot be shown to have it is reduced in order.
    """
    return _monoid(f, z, exact=False)


def neutral(f: Expr) -> Expr | None:
    """The neutral element of an associative, commutative primitive on scalars (component by component for tuples)."""
    if not isinstance(f, Lambda) or len(f.types) != 2 or f.types[0] is not f.types[1]:
        return None
    z = _neutral_of(f.open()[1])
    return z if z is not None and is_monoid(f, z) else None


def _neutral_of(body: Expr) -> Expr | None:
    if isinstance(body, Tuple):
        parts = [_neutral_of(part) for part in body.operands]
        found = [part for part in parts if part is not None]
        return Tuple(*found) if len(found) == len(parts) else None
    if not isinstance(body, Call) or not isinstance(body.type, ScalarType):
        return None
    return _neutral(body.op, body.type)


def is_exact_monoid(f: Expr, z: Expr) -> bool:
    """Is (f, z) a commutative monoid without rounding, so that any order gives the same bits?"""
    return _monoid(f, z, exact=True)


def components(xs: Expr) -> tuple[Expr, ...]:
    """The arrays that a zip pairs up; the array itself otherwise."""
    return xs.operands if isinstance(xs, Zip) else (xs,)


def arrays_of(e: Expr) -> Iterator[Expr]:
    """The arrays that a zip or a tuple holds, those of inner ones among them, in the order of their storages."""
    pending = [e]
    while pending:
        array = pending.pop()
        if isinstance(array, (Zip, Tuple)):
            pending += reversed(array.operands)
        else:
            yield array


def zip_of(arrays: tuple[Expr, ...]) -> Expr:
    """Their zip; the array itself if there is one."""
    return arrays[0] if len(arrays) == 1 else Zip(*arrays)


def parts_of(variable: Expr, count: int) -> tuple[Expr, ...]:
    """The components of a variable that stands for `count` values."""
    return (variable,) if count == 1 else tuple(Get(i, variable) for i in range(count))


def where(b: Expr, x: Expr, y: Expr) -> Expr:
    """One value or the other, component by component."""
    if isinstance(x.type, TupleType):
        return Tuple(*(where(b, Get(i, x), Get(i, y)) for i in range(len(x.type.elements))))
    return Call("select", b, x, y)
