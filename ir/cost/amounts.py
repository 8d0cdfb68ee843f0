"""How much of a value is meant: a number of scalars for each component, over all its array dimensions.

An amount has the shape of its type with the arrays left out: a `Size` for (arrays of) scalars or vectors, a tuple of
amounts for (arrays of) tuples.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from ir.core.sizes import Size, divide_exactly, is_le, minimum, size
from ir.core.types import ArrayType, ScalarType, TupleType, Type, VectorType, element_type
from ir.errors import TypeMismatch

__all__ = [
    "Amount", "add", "all_of", "at_most", "bytes_of", "is_none", "leaves", "none_of", "scalars_of", "scale", "turns",
]  # fmt: skip

Amount: TypeAlias = "Size | tuple[Amount, ...]"

_ZERO = size(0)


def all_of(t: Type) -> Amount:
    """The whole of a value of that type."""
    times = size(1)
    while isinstance(t, ArrayType):
        times = times * t.length
        t = t.element
    if isinstance(t, TupleType):
        return scale(times, tuple(map(all_of, t.elements)))
    if isinstance(t, VectorType):
        return times * t.width
    if isinstance(t, ScalarType):
        return times
    raise TypeMismatch("amount", "a scalar, vector, tuple or array type", t)


def none_of(t: Type) -> Amount:
    """Nothing of a value of that type."""
    return scale(_ZERO, all_of(t))


def scale(n: Size, a: Amount) -> Amount:
    """n times as much."""
    return tuple(scale(n, part) for part in a) if isinstance(a, tuple) else n * a


def add(a: Amount, b: Amount) -> Amount:
    """Both together."""
    if isinstance(a, tuple):
        assert isinstance(b, tuple)
        return tuple(map(add, a, b))
    assert isinstance(b, Size)
    return a + b


def at_most(a: Amount, b: Amount) -> Amount:
    """The smaller one, component by component."""
    if isinstance(a, tuple):
        assert isinstance(b, tuple)
        return tuple(map(at_most, a, b))
    assert isinstance(b, Size)
    return minimum(a, b)


def leaves(a: Amount) -> Iterator[Size]:
    """The numbers, from left to right."""
    if isinstance(a, tuple):
        for part in a:
            yield from leaves(part)
    else:
        yield a


def is_none(a: Amount) -> bool:
    """Is it nothing, whatever the sizes?"""
    return all(n.value == 0 for n in leaves(a))


def scalars_of(t: Type, a: Amount) -> Iterator[tuple[ScalarType, Size]]:
    """The scalar type of each component of a value, and how many of it so much of the value has."""
    t = element_type(t)
    if isinstance(t, TupleType):
        assert isinstance(a, tuple)
        for part, n in zip(t.elements, a, strict=True):
            yield from scalars_of(part, n)
    else:
        element = t.element if isinstance(t, VectorType) else t
        assert isinstance(element, ScalarType)
        assert isinstance(a, Size)
        yield element, a


def bytes_of(t: Type, a: Amount) -> Size:
    """The bytes that so much of a value of that type takes in a buffer."""
    return sum((n * element.bytes for element, n in scalars_of(t, a)), start=_ZERO)


def turns(wanted: Amount, length: Size, each: Amount) -> tuple[Size, Amount]:
    """How many of the `length` elements of an array, and how much of each, must be computed for so much of it.

    Args:
        each: the whole of one element

    Whole elements where the amount is made of such, else the same part of every element: an upper bound.
    """
    pairs = list(zip(leaves(wanted), leaves(each), strict=True))
    counts = {divide_exactly(a, b) for a, b in pairs if a.value != 0}
    count = counts.pop() if len(counts) == 1 else None
    if count is not None and is_le(count, length):
        return count, _where(wanted, each)
    return length, at_most(wanted, each)


def _where(wanted: Amount, each: Amount) -> Amount:
    """The second amount in the components in which the first is something."""
    if isinstance(wanted, tuple):
        assert isinstance(each, tuple)
        return tuple(map(_where, wanted, each))
    return _ZERO if wanted.value == 0 else each
