"""What can be reached from the tables that lazyarr keeps: for the test that no array's data is among it.

Everything starts at the global names of lazyarr's modules and at what is given beside them. Weak references lead
nowhere, as they keep nothing alive; nor do functions of others, which hold what their authors had them hold, and
sources of random numbers, whose state is an array: that of the namespace lives as long as its functions.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterable, Iterator
from types import BuiltinFunctionType, FrameType, FunctionType, ModuleType
from typing import Any

import numpy as np

from lazyarr.array import Array
from lazyarr.graph.leaves import Input
from lazyarr.memory.pool import Block
from lazyarr.memory.snapshots import HostBlock
from lazyarr.random.bit_generators import BitGenerator
from lazyarr.runtime.memory import Buffer

PACKAGES = ("lazyarr", "ir", "tuner", "kernel_cache")


def tables() -> list[Any]:
    """The global names of all modules that are imported of lazyarr's packages."""
    return [vars(module) for name, module in sorted(sys.modules.items()) if name.split(".")[0] in PACKAGES]


def reachable(roots: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
    """Every object that the roots lead to, once, with one that refers to it."""
    seen: set[int] = set()
    stack: list[tuple[Any, Any]] = [(root, None) for root in roots]
    while stack:
        found, by = stack.pop()
        if id(found) in seen or isinstance(found, (ModuleType, FrameType, BuiltinFunctionType)) or is_foreign(found):
            continue
        seen.add(id(found))
        if isinstance(found, HostBlock):  # as below: who uses it is met as an array over it
            continue
        yield found, by
        if isinstance(found, Block):  # memory of the pool, free or in use: who uses it is met as a Buffer
            continue
        stack += [(each, found) for each in gc.get_referents(found) if not isinstance(each, (str, bytes, int, float))]


def is_foreign(found: Any) -> bool:
    """Is it a function that is none of lazyarr's, or a source of random numbers?"""
    if isinstance(found, BitGenerator):
        return True
    return isinstance(found, FunctionType) and found.__module__.split(".")[0] not in PACKAGES


def data_among(roots: Iterable[Any], is_data: Any) -> list[str]:
    """What there is of arrays: arrays, buffers, leaves with memory, and NumPy arrays for which `is_data` holds.

    A leaf that an operation made of numbers among its arguments is a part of a program: it is looked into.
    """
    wrong: list[str] = []
    for found, by in reachable(roots):
        if isinstance(found, Array):
            wrong.append(f"an Array, by {describe(by)}")
        elif isinstance(found, Input) and found.storage is not None and is_data(memory(found.storage)):
            wrong.append(f"a leaf, by {describe(by)}")
        elif isinstance(found, Buffer) and is_data(memory(found)):
            wrong.append(f"a buffer of {found.nbytes} bytes, by {describe(by)}")
        elif isinstance(found, np.ndarray) and is_data(found):
            wrong.append(f"a NumPy array {found.dtype}{found.shape}, by {describe(by)}")
    return wrong


def memory(storage: Any) -> np.ndarray[Any, Any]:
    """The bytes of a leaf's memory, or of a buffer."""
    if isinstance(storage, np.ndarray):
        return storage
    return storage.to_numpy(np.dtype(np.uint8), (storage.nbytes,))  # type: ignore[no-any-return]  # an array


def describe(by: Any) -> str:
    """Who refers to something, in a few words."""
    return f"{type(by).__module__}.{type(by).__name__}: {str(by)[:200]}"
