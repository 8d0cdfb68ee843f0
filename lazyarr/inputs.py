"""Leaves of the recorded graph: arrays that exist already, and placeholders for a traced function's arguments."""

from __future__ import annotations

import itertools
from math import prod
from typing import Any

import numpy as np

from ir.core.expr import Expr, Param
from ir.core.types import ArrayType, Type
from lazyarr.dtypes import DType, to_ir

__all__ = ["Input"]

_numbers = itertools.count()


class Input(Param):
    """A free variable of the graph, which owns the memory behind it.

    Attributes:
        type: `[T]N`, flat, of constant length
        storage: a flat `numpy.ndarray` of N elements, not wrapped yet; a runtime `Buffer`; or None for a placeholder
        shape: the shape of the array that was given (its elements in row-major order)
    """

    __slots__ = ("number", "shape", "storage")
    parameter_names = ()  # type: ignore[assignment]  # none is stored
    number: int
    shape: tuple[int, ...]
    storage: Any

    def __new__(cls, shape: tuple[int, ...], dtype: DType, storage: Any) -> Input:
        """A new leaf, told apart from every other by its number."""
        return cls.over(shape, ArrayType(to_ir(dtype), prod(shape)), storage)

    @classmethod
    def over(cls, shape: tuple[int, ...], t: ArrayType, storage: Any) -> Input:
        """The same for a known flat type.

        No node is equal to a new leaf, so none is looked for. Every evaluation makes one for each result: this is on
        the path that must cost little, and what is the same for all leaves or follows from the rest is not stored.
        """
        node = object.__new__(cls)
        _put_type(node, t)
        _put_number(node, next(_numbers))
        _put_shape(node, shape)
        _put_storage(node, storage)
        return node

    operands = ()
    level = 0
    loose = patterned = binder = False

    @property
    def identifier(self) -> str:  # type: ignore[override]  # not stored
        """A name that no other leaf has."""
        return f"a{self.number}"

    @property
    def declared(self) -> Type:  # type: ignore[override]  # not stored
        """The type."""
        return self.type

    @property
    def parameters(self) -> tuple[Any, ...]:  # type: ignore[override]  # not stored
        """What identifies the leaf."""
        return self.identifier, self.type, False

    def store(self, storage: Any) -> None:
        """Exchange the memory behind the leaf: the device's buffer for the NumPy array that it wraps or copied."""
        _put_storage(self, storage)

    @property
    def name(self) -> str:
        """Printed as the `Param` it is."""
        return "param"


_put_type = Expr.__dict__["type"].__set__
_put_number = Input.__dict__["number"].__set__
_put_shape = Input.__dict__["shape"].__set__
_put_storage = Input.__dict__["storage"].__set__


def host_memory(node: Input, dtype: DType) -> np.ndarray[Any, Any]:
    """The leaf's elements as a flat, read-only NumPy array; waits for the device, copies only where the device must."""
    storage = node.storage
    size = node.type.length.value  # type: ignore[attr-defined]  # an Input's type is an ArrayType of constant length
    found: np.ndarray[Any, Any] = (
        storage.reshape(size) if isinstance(storage, np.ndarray) else storage.to_numpy(dtype, (size,))
    ).view()
    found.flags.writeable = False
    return found
