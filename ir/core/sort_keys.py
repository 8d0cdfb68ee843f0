"""The keys by which numbers are sorted: unsigned integers in the order of the numbers, NaN last, both zeros equal."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from ir.core.expr import Expr, Lambda, fun
from ir.core.patterns import Call, Cast, Literal, Sort, Tuple
from ir.core.types import ArrayType, ScalarType

__all__ = ["Key", "complemented", "key_of", "order_of_numbers"]

Key = Callable[[Expr], Expr]
"""Gives the key of a number."""


@cache
def key_of(t: ScalarType) -> tuple[int, Key]:
    """How many bits the key of a real number has, and the key."""
    bits = 1 if t.name == "bool" else 8 * t.bytes
    unsigned = ScalarType(f"uint{max(bits, 8)}")
    sign = Literal(1 << (bits - 1), unsigned)
    if t.is_signed:
        return bits, lambda x: Call("bitwise_xor", Cast(x, unsigned), sign)
    if not t.is_float:
        return bits, lambda x: x if x.type is unsigned else Cast(x, unsigned)

    def key(x: Expr) -> Expr:
        """The sign turned; the other bits too for negative numbers. All bits set for NaN, and one zero for both."""
        zero = Literal(0, t)
        pattern = Call("bits", Call("select", Call("equal", x, zero), zero, x))
        negative = Call("greater_equal", pattern, sign)
        turned = Call("select", negative, Call("bitwise_invert", pattern), Call("bitwise_or", pattern, sign))
        return Call("select", Call("isnan", x), Literal((1 << bits) - 1, unsigned), turned)

    return bits, key


def complemented(key: Key) -> Key:
    """The key of the opposite order."""
    return lambda x: Call("bitwise_invert", key(x))


@cache
def _ordering(t: ScalarType, descending: bool) -> tuple[int, Lambda]:
    bits, key = key_of(t)
    if descending:
        key = complemented(key)
    return bits, fun(t, lambda x: Tuple(key(x), x))


def order_of_numbers(node: Sort) -> str | None:
    """`ascending` or `descending` where a sort brings numbers into that order by these keys; None for other sorts."""
    key, xs = node.key, node.xs.type
    t = xs.element if isinstance(xs, ArrayType) else None
    if isinstance(key, Lambda) and isinstance(t, ScalarType):
        for order in ("ascending", "descending"):
            if (node.bits, key) == _ordering(t, order == "descending"):
                return order
    return None
