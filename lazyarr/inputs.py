"""Leaves of the recorded graph: arrays that exist already, and placeholders for a traced function's arguments."""

from __future__ import annotations

import itertools
from math import prod
from typing import Any

import numpy as np

from ir.core.expr import Expr, Param
from ir.core.types import ArrayType, ScalarType
from lazyarr.dtypes import DType, from_ir, to_ir

__all__ = ["Input", "KnownValues", "host_memory"]

_numbers = itertools.count()


class Input(Param):
    """A free variable of the graph, which owns the memory behind it.

    Attributes:
        type: `[T]N`, flat, of constant length
        storage: a flat `numpy.ndarray` of N elements, not wrapped yet; a runtime `Buffer`; or None for a placeholder
        shape: the shape of the array that was given (its elements in row-major order)
    """

    __slots__ = ("shape", "storage")
    shape: tuple[int, ...]
    storage: Any

    def __new__(cls, shape: tuple[int, ...], dtype: DType, storage: Any) -> Input:
        """A new leaf, told apart from every other by its identifier."""
        flat = ArrayType(to_ir(dtype), prod(shape))
        node: Input = cls._make((), (f"a{next(_numbers)}", flat, False))
        object.__setattr__(node, "shape", shape)
        node.store(storage)
        return node

    @classmethod
    def over(cls, shape: tuple[int, ...], t: ArrayType, storage: Any) -> Input:
        """The same for a known flat type, without looking for an equal node: no other has its identifier.

        A jitted call makes one for each result, so this is on the path that must cost little.
        """
        node = object.__new__(cls)
        put = object.__setattr__
        identifier = f"a{next(_numbers)}"
        put(node, "operands", ())
        put(node, "parameters", (identifier, t, False))
        put(node, "identifier", identifier)
        put(node, "declared", t)
        put(node, "binder", False)
        put(node, "type", t)
        put(node, "level", 0)
        put(node, "loose", False)
        put(node, "patterned", False)
        put(node, "shape", shape)
        put(node, "storage", storage)
        return node

    def store(self, storage: Any) -> None:
        """Exchange the memory behind the leaf: the device's buffer for the NumPy array that it wraps or copied."""
        object.__setattr__(self, "storage", storage)

    @property
    def name(self) -> str:
        """Printed as the `Param` it is."""
        return "param"


class KnownValues:
    """Arrays of values that the host knows, as leaves (see `ir.fusion.alike`)."""

    @staticmethod
    def leaf(values: np.ndarray[Any, Any], t: ScalarType) -> Expr:
        """A leaf over values of that type."""
        return Input(values.shape, from_ir(t), values)

    @staticmethod
    def values(e: Expr) -> np.ndarray[Any, Any] | None:
        """The values of a leaf over a NumPy array that no device has wrapped yet."""
        known = isinstance(e, Input) and isinstance(e.storage, np.ndarray)
        return e.storage if known else None  # type: ignore[attr-defined]  # an Input


def host_memory(node: Input, dtype: DType) -> np.ndarray[Any, Any]:
    """The leaf's elements as a flat, read-only NumPy array; waits for the device, copies only where the device must."""
    storage = node.storage
    size = node.type.length.value  # type: ignore[attr-defined]  # an Input's type is an ArrayType of constant length
    found: np.ndarray[Any, Any] = (
        storage.reshape(size) if isinstance(storage, np.ndarray) else storage.to_numpy(dtype, (size,))
    ).view()
    found.flags.writeable = False
    return found
