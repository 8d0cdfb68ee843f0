"""Leaves of the recorded graph: arrays that exist already, and placeholders for a traced function's arguments.

The leaf of a real array is an `Input`. That of a complex one is the zip of two, its real and its imaginary parts: the
device keeps them apart, and NumPy's pairs are taken apart and put together again on the way in and out.
"""

from __future__ import annotations

import itertools
from math import prod
from typing import Any

import numpy as np

from ir.core.expr import Expr, Param
from ir.core.patterns import Zip
from ir.core.types import ArrayType
from lazyarr.dtypes import DType, component_of, scalar_type

__all__ = ["Input", "host_memory", "inputs_of", "leaf", "leaf_over"]

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
        flat = ArrayType(scalar_type(dtype), prod(shape))
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


def leaf(shape: tuple[int, ...], dtype: DType, storage: Any) -> Expr:
    """A new leaf for an array of any dtype.

    storage : of a real dtype an `Input`'s; of a complex one a flat NumPy array, which is taken apart, a pair of
        storages, or None
    """
    if dtype.kind != "c":
        return Input(shape, dtype, storage)
    part = component_of(dtype)
    if isinstance(storage, np.ndarray):
        storage = (np.ascontiguousarray(storage.real), np.ascontiguousarray(storage.imag))
    re, im = (None, None) if storage is None else storage
    return Zip(Input(shape, part, re), Input(shape, part, im))


def leaf_over(shape: tuple[int, ...], t: ArrayType, storages: Any) -> Expr:
    """The same for a known flat type, over one storage for each component, without looking for equal nodes."""
    if len(storages) == 1:
        return Input.over(shape, t, storages[0])
    parts = t.element.elements  # type: ignore[attr-defined]  # a pair
    return Zip(*(Input.over(shape, ArrayType(p, t.length), s) for p, s in zip(parts, storages, strict=True)))


def inputs_of(node: Expr) -> tuple[Input, ...]:
    """The inputs that a leaf is made of, one for each component; none if the node is no leaf."""
    if type(node) is Input:
        return (node,)
    if type(node) is Zip:
        operands = node.operands
        if len(operands) == 2 and type(operands[0]) is Input and type(operands[1]) is Input:
            return operands  # type: ignore[return-value]  # both are inputs
    return ()


def host_memory(node: Expr, dtype: DType) -> np.ndarray[Any, Any]:
    """A leaf's elements as a flat, read-only NumPy array; waits for the device, copies only where the device must.

    Complex numbers are copied: their parts lie apart.
    """
    parts = [_memory(part, component_of(dtype)) for part in inputs_of(node)]
    found = parts[0].view()
    if dtype.kind == "c":
        found = np.empty(parts[0].shape, dtype)
        found.real, found.imag = parts
    found.flags.writeable = False
    return found


def _memory(node: Input, dtype: DType) -> np.ndarray[Any, Any]:
    storage = node.storage
    size = node.type.length.value  # type: ignore[attr-defined]  # an Input's type is an ArrayType of constant length
    if isinstance(storage, np.ndarray):
        return storage.reshape(size)
    found: np.ndarray[Any, Any] = storage.to_numpy(dtype, (size,))
    return found
