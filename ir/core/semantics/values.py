"""The values that types stand for: NumPy arrays, as the interpreter and the tests use them.

A scalar is a NumPy scalar, `[T]n` (nested to any depth) one array, a vector `<T>w` a last axis of length w, and a tuple
a Python tuple. An array of tuples is a tuple of arrays (structure of arrays), so `zip` and projection copy nothing.
Source: the sets of ICFP 2015, figure 9, "Types", where an array is a function from sizes to elements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ir.core.sizes import Size
from ir.core.types import ArrayType, ScalarType, TupleType, Type, VectorType
from ir.errors import TypeMismatch

__all__ = [
    "Layout", "Leaf", "Value", "conform", "evaluate_type", "leaves", "map_leaves", "random_factors", "random_on_grid",
    "random_value",
]  # fmt: skip

Value: TypeAlias = "NDArray[Any] | tuple[Value, ...]"


@dataclass(frozen=True)
class Leaf:
    """Shape and dtype of one array; a vector's lanes are its last axis."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    def __str__(self) -> str:
        return f"{self.dtype} of shape {self.shape}"


Layout: TypeAlias = "Leaf | tuple[Layout, ...]"


def evaluate_type(t: Type, sizes: Mapping[str, int] | Callable[[Size], int]) -> Layout:
    """Shape and dtype of the values of a type at those sizes; a tuple of layouts for (arrays of) tuples."""
    extent = sizes if callable(sizes) else lambda length: length.evaluate(sizes)
    shape: list[int] = []
    while isinstance(t, ArrayType):
        shape.append(extent(t.length))
        t = t.element
    return _layout(t, tuple(shape), extent)


def _layout(t: Type, outer: tuple[int, ...], extent: Callable[[Size], int]) -> Layout:
    if isinstance(t, ArrayType):
        return _layout(t.element, (*outer, extent(t.length)), extent)
    if isinstance(t, TupleType):
        return tuple(_layout(part, outer, extent) for part in t.elements)
    if isinstance(t, VectorType):
        return Leaf((*outer, t.width), np.dtype(t.element.name))
    if isinstance(t, ScalarType):
        return Leaf(outer, np.dtype(t.name))
    raise TypeMismatch("value", "a scalar, vector, tuple or array type", t)


def map_leaves(f: Callable[[NDArray[Any]], NDArray[Any]], value: Value) -> Value:
    """The value with f applied to each of its arrays; a tuple of a class of its own stays one of that class."""
    if isinstance(value, tuple):
        return type(value)(map_leaves(f, part) for part in value)
    return f(value)


def leaves(value: Value) -> Iterator[NDArray[Any]]:
    """The arrays of a value, from left to right."""
    if isinstance(value, tuple):
        for part in value:
            yield from leaves(part)
    else:
        yield value


def conform(what: str, value: Any, layout: Layout) -> Value:
    """The value as arrays of that layout, not copied; `TypeMismatch` where shape or dtype differ.

    Python numbers and lists take the dtype; NumPy arrays and scalars must have it already.
    """
    if isinstance(layout, tuple):
        if not isinstance(value, tuple) or len(value) != len(layout):
            raise TypeMismatch(what, f"a tuple of {len(layout)} values", type(value).__name__)
        return tuple(conform(f"{what}.{i}", part, of) for i, (part, of) in enumerate(zip(value, layout, strict=True)))
    if isinstance(value, np.ndarray | np.generic):
        array = np.asarray(value)
    else:
        array = np.asarray(value, dtype=layout.dtype)
        if array.size == 0 and 0 in layout.shape:
            array = array.reshape(layout.shape)  # a list cannot say what lies inside an empty dimension
    if array.dtype != layout.dtype or array.shape != layout.shape:
        raise TypeMismatch(what, layout, f"{array.dtype} of shape {array.shape}")
    return array


def random_on_grid(t: Type, sizes: Mapping[str, int], rng: np.random.Generator, digits: int) -> Value:
    """A `random_value` whose floats are multiples of `2**-digits` in [-2, 2]: sums of them can be exact."""
    value = _random(evaluate_type(t, sizes), rng)
    return map_leaves(lambda a: _on_grid(a, 2.0**digits) if a.dtype.kind == "f" else a, value)


def _on_grid(a: NDArray[Any], scale: float) -> NDArray[Any]:
    found: NDArray[Any] = (np.rint(a.astype(np.float64) * scale) / scale).astype(a.dtype)
    return found


def random_factors(t: Type, sizes: Mapping[str, int], rng: np.random.Generator) -> Value:
    """A `random_value` whose floats are 1, and here and there 2 or a half, of either sign. Products are exact, and
    no part of one leaves the range.
    """
    value = _random(evaluate_type(t, sizes), rng)

    def factors(a: NDArray[Any]) -> NDArray[Any]:
        powers = np.where(rng.random(a.shape) < min(1 / 16, 64 / max(a.size, 1)), rng.choice([-1, 1], a.shape), 0)
        found: NDArray[Any] = (rng.choice([-1.0, 1.0], a.shape) * 2.0**powers).astype(a.dtype)
        return found

    return map_leaves(lambda a: factors(a) if a.dtype.kind == "f" else a, value)


def random_value(t: Type, sizes: Mapping[str, int], rng: np.random.Generator) -> Value:
    """A value of the type whose elements differ from each other as far as the dtype allows, in random order.

    Floats lie in (-2, 2), of both signs, and are not round numbers, so that a changed order of additions shows.
    """
    return _random(evaluate_type(t, sizes), rng)


def _random(layout: Layout, rng: np.random.Generator) -> Value:
    if isinstance(layout, tuple):
        return tuple(_random(part, rng) for part in layout)
    count, dtype = int(np.prod(layout.shape, dtype=np.int64)), layout.dtype
    if dtype.kind == "b":
        return rng.integers(0, 2, count).astype(np.bool_).reshape(layout.shape)
    order = rng.permutation(count)
    if dtype.kind == "f":
        return ((order + rng.uniform(0.25, 0.75)) * (4 / max(count, 1)) - 2).astype(dtype).reshape(layout.shape)
    offset = count // 2 if dtype.kind == "i" else 0
    if count <= 64:
        order = rng.choice(127, count, replace=False)  # not the indices themselves
        offset = 63 if dtype.kind == "i" else 0
    return (order - offset).astype(dtype).reshape(layout.shape)
