"""Leaves of the recorded graph: arrays that exist already, and placeholders for a traced function's arguments.

The leaf of a real array is an `Input`. That of a complex one is the zip of two, its real and its imaginary parts: the
device keeps them apart, and NumPy's pairs are taken apart and put together again on the way in and out.
"""

from __future__ import annotations

import ctypes
import itertools
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import lru_cache
from math import prod
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from ir.core.expr import Expr, Param
from ir.core.nodes.views import Slice
from ir.core.patterns import Zip
from ir.core.types import ArrayType, Type
from ir.locks import make_lock, make_rlock
from lazyarr.dtypes import DType, component_of, scalar_type
from lazyarr.memory.snapshots import snapshot
from lazyarr.runtime import Buffer, Device

__all__ = [
    "Input", "buffer_of", "element_in_memory", "front", "give_copy", "host_memory", "inputs_of", "is_borrowed",
    "is_on_host", "leaf", "leaf_over", "looks", "made_by", "note_made_by", "number_in_memory", "on_host",
    "over_borrowed", "reading",
]  # fmt: skip

_numbers = itertools.count()
_naming = make_lock()
_allocate = object.__new__


class _Looks(threading.local):
    """How often a thread asked for values of arrays: what it records meanwhile may depend on them."""

    count = 0


looks = _Looks()


class Input(Param):
    """A free variable of the graph, which owns the memory behind it.

    Attributes:
        type: `[T]N`, flat, of constant length
        storage: a flat `numpy.ndarray` of N elements, not wrapped yet; a runtime `Buffer` of so many or more, of which
            these are the first; or None for a placeholder
        shape: the shape of the array that was given (its elements in row-major order)
        number: what its name is made of; few leaves are ever asked for it
        made: by what it was made at once (`lazyarr.eager.at_once`); few were
    """

    __slots__ = ("made", "number", "shape", "storage")
    traits = Param.traits
    parameter_names = ()  # none is stored
    number: int
    shape: tuple[int, ...]
    storage: Any

    def __new__(cls, shape: tuple[int, ...], dtype: DType, storage: Any) -> Input:
        """A new leaf, told apart from every other by its identity."""
        return cls.over(shape, _flat_type(dtype, prod(shape)), storage)

    @classmethod
    def over(cls, shape: tuple[int, ...], t: ArrayType, storage: Any) -> Input:
        """A leaf over memory, of a known flat type.

        No node is equal to a new leaf, so none is looked for. Every evaluation makes one for each result: this is on
        the path that must cost little, and what is the same for all leaves or follows from the rest is not stored.
        """
        node = _allocate(cls)
        _put_type(node, t)
        _put_shape(node, shape)
        _put_storage(node, storage)
        return node

    operands = ()
    level = 0
    loose = patterned = binder = False

    @property
    def identifier(self) -> str:  # type: ignore[override]  # not stored
        """A name that no other leaf has, made when it is first asked for."""
        with _naming:
            try:
                number = self.number
            except AttributeError:
                number = next(_numbers)
                _put_number(self, number)
        return f"a{number}"

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


@lru_cache(maxsize=1024)
def _flat_type(dtype: DType, count: int) -> ArrayType:
    return ArrayType(scalar_type(dtype), count)


_put_type = Expr.__dict__["type"].__set__
_put_number = Input.__dict__["number"].__set__
_put_made = Input.__dict__["made"].__set__
_put_shape = Input.__dict__["shape"].__set__
_put_storage = Input.__dict__["storage"].__set__


def made_by(node: Input) -> Any:
    """By what a leaf was made at once, if it was."""
    return getattr(node, "made", None)


def note_made_by(node: Input, made: Any) -> None:
    """A leaf was made at once by that, or it does not matter any more."""
    _put_made(node, made)


def leaf(shape: tuple[int, ...], dtype: DType, storage: Any) -> Expr:
    """A new leaf for an array of any dtype.

    Args:
        storage: of a real dtype an `Input`'s; of a complex one a flat NumPy array, which is taken apart, a pair of
            storages, or None
    """
    if dtype.kind != "c":
        return Input(shape, dtype, storage)
    part = component_of(dtype)
    if isinstance(storage, np.ndarray):
        storage = (snapshot(storage.real), snapshot(storage.imag))
    re, im = (None, None) if storage is None else storage
    return Zip(Input(shape, part, re), Input(shape, part, im))


_borrowed: WeakKeyDictionary[Input, Any] = WeakKeyDictionary()
"""Leaves over memory that others will write to, and what is held while somebody reads that."""

_lends = False
"""Was there ever one? Most programs have none, and all that reads values asks."""


def over_borrowed(shape: tuple[int, ...], dtype: DType, memory: np.ndarray[Any, Any]) -> Input:
    """A new leaf over memory that others will write to: who made it gives it a copy before that."""
    global _lends
    node = Input(shape, dtype, memory)
    _borrowed[node] = make_rlock()
    _lends = True  # before anybody has the leaf
    return node


def is_borrowed(node: Input) -> bool:
    """Is it a leaf over memory that others will write to?"""
    return _lends and node in _borrowed


@contextmanager
def reading(leaves: Sequence[Input]) -> Iterator[None]:
    """Nobody writes to the memory of those of the leaves that are borrowed, meanwhile."""
    locks = {id(lock): lock for lock in map(_borrowed.get, leaves) if lock is not None}
    with ExitStack() as held:
        for number in sorted(locks):  # two threads that read the same take them in the same order
            held.enter_context(locks[number])
        yield


def give_copy(node: Input) -> None:
    """Give a borrowed leaf memory of its own; when this returns nobody reads the other's any more."""
    lock = _borrowed.get(node)
    if lock is not None:
        with lock:
            if is_borrowed(node):
                node.store(snapshot(on_host(node)))  # which waits for kernels that read it
                del _borrowed[node]


def leaf_over(shape: tuple[int, ...], t: ArrayType, storages: Any) -> Expr:
    """`leaf` for a known flat type, over one storage for each component."""
    if len(storages) == 1:
        return Input.over(shape, t, storages[0])
    parts = t.element.elements  # type: ignore[attr-defined]  # a pair
    return Zip(*(Input.over(shape, ArrayType(p, t.length), s) for p, s in zip(parts, storages, strict=True)))


def front(node: Expr, count: int, copies: bool) -> Expr:
    """A new leaf for the first elements of another one: over its memory, or over a copy of them. To copy where the host
    sees them it waits for the device.
    """
    parts = [_front(part, count, copies) for part in inputs_of(node)]
    return parts[0] if len(parts) == 1 else Zip(*parts)


def _front(part: Input, count: int, copies: bool) -> Input:
    storage, element = part.storage, part.type.element  # type: ignore[attr-defined]  # an array of scalars
    if copies:
        seen = is_on_host(storage)
        storage = snapshot(on_host(part)[:count]) if seen else storage.front(count * element.bytes)
    elif isinstance(storage, np.ndarray):
        storage = storage.reshape(-1)[:count]
    return Input.over((count,), ArrayType(element, count), storage)


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
    found.setflags(write=False)
    return found


def element_in_memory(node: Expr, dtype: DType) -> np.ndarray[Any, Any] | None:
    """A copy, flat, of the one element that a slice takes of a leaf; None for other nodes. Waits for the device."""
    if type(node) is not Slice or node.count.value != 1:
        return None
    parts = inputs_of(node.xs)
    at = node.start.value
    if not parts or at is None or any(part.storage is None for part in parts):
        return None
    found = [_element(part, component_of(dtype), at) for part in parts]
    element = np.array(found[0], dtype)
    if dtype.kind == "c":
        element.imag = found[1]
    element.setflags(write=False)
    return element


_NUMBERS = {
    "bool": ctypes.c_bool, "int8": ctypes.c_int8, "int16": ctypes.c_int16, "int32": ctypes.c_int32,
    "int64": ctypes.c_int64, "uint8": ctypes.c_uint8, "uint16": ctypes.c_uint16, "uint32": ctypes.c_uint32,
    "uint64": ctypes.c_uint64, "float32": ctypes.c_float, "float64": ctypes.c_double,
}  # fmt: skip


def number_in_memory(node: Input) -> bool | int | float:
    """The number of a leaf of one element. Waits for the device, and is copied where that has memory of its own."""
    looks.count += 1
    storage = node.storage
    if isinstance(storage, np.ndarray):
        return storage.item()  # type: ignore[no-any-return]  # a number
    address = storage.address
    if not address:
        name = node.type.element.name  # type: ignore[attr-defined]  # an array of scalars
        return storage.element(name, 0).item()  # type: ignore[no-any-return]  # as above
    queue = storage.device.queue
    if queue.pending:
        queue.finish()
    return _NUMBERS[node.type.element.name].from_address(address).value  # type: ignore[attr-defined, no-any-return]  # an array of scalars


def buffer_of(leaf: Input, device: Device) -> Buffer:
    """The memory of a leaf on that device; a NumPy array is wrapped at its first use, without a copy where that is
    possible.
    """
    storage = leaf.storage
    if isinstance(storage, np.ndarray):
        storage = device.wrap(storage)
        leaf.store(storage)
    elif storage.device is not device:
        raise ValueError(
            f"the array is on {storage.device}, not on {device}: move it with asarray(np.asarray(x), device=...)"
        )
    found: Buffer = storage
    return found


def on_host(leaf: Input) -> np.ndarray[Any, Any]:
    """The elements of a leaf as a flat NumPy array, after all pending work of its device; not to be written to."""
    storage = leaf.storage
    if isinstance(storage, np.ndarray):
        return storage if storage.ndim == 1 else storage.reshape(-1)
    t: Any = leaf.type
    found: np.ndarray[Any, Any] = storage.to_numpy(t.element.name, (t.length.value,))
    return found


def is_on_host(storage: Any) -> bool:
    """Does the host see that memory, a NumPy array's or a buffer's?"""
    return isinstance(storage, np.ndarray) or bool(storage is not None and storage.address)


def _element(node: Input, dtype: DType, at: int) -> np.ndarray[Any, Any]:
    if isinstance(node.storage, np.ndarray):
        return _memory(node, dtype)[at : at + 1]
    looks.count += 1
    found: np.ndarray[Any, Any] = node.storage.element(dtype, at)
    return found


def _memory(node: Input, dtype: DType) -> np.ndarray[Any, Any]:
    looks.count += 1
    storage = node.storage
    size = node.type.length.value  # type: ignore[attr-defined]  # an Input's type is an ArrayType of constant length
    if is_borrowed(node):
        give_copy(node)  # what is handed out does not change
        storage = node.storage
    if isinstance(storage, np.ndarray):
        return storage.reshape(size)
    found: np.ndarray[Any, Any] = storage.to_numpy(dtype, (size,))
    found.setflags(write=False)  # so that no view of it can be made writeable again
    return found
