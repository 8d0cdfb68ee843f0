"""What can be reached from the tables that lazyarr keeps: for the test that no array's data is among it.

Everything starts at the global names of lazyarr's modules and at what is given beside them. Weak references lead
nowhere, as they keep nothing alive; nor do functions of others, which hold what their authors had them hold, and
sources of random numbers, whose state is an array: that of the namespace lives as long as its functions.
"""

from __future__ import annotations

import gc
import reprlib
import sys
from collections.abc import Callable, Iterable, Iterator
from types import BuiltinFunctionType, CodeType, FrameType, FunctionType, GeneratorType, ModuleType
from typing import Any

import numpy as np

from ir.reference.blocks import Scratch
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


NOT_FOLLOWED = (
    str,
    bytes,
    int,
    float,
    ModuleType,
    FrameType,
    BuiltinFunctionType,
    CodeType,
    BitGenerator,
    HostBlock,
    Block,
    Scratch,
)
"""What leads to no data. Memory of the pool, free or in use, and of snapshots: who uses it is met as a `Buffer`, or an
array over it. Memory that a thread computes blocks in: nothing else is made of it.
"""

LOOKED_AT = (Array, Input, Buffer, np.ndarray)


def reachable(roots: Iterable[Any]) -> Iterator[Any]:
    """Every object of `LOOKED_AT` that the roots lead to, once.

    Step by step from all that the step before found: a process that has run many tests remembers millions of objects.
    """
    follows: dict[type, bool] = {}
    seen: set[int] = set()
    step = list(roots)
    while step:
        followed = []
        for each in step:
            if id(each) in seen:
                continue
            seen.add(id(each))
            kind = type(each)
            if kind not in follows:
                follows[kind] = not issubclass(kind, NOT_FOLLOWED)
            if follows[kind] and (kind is not FunctionType or not is_foreign(each)):
                followed.append(each)
                if isinstance(each, LOOKED_AT):
                    yield each
        step = gc.get_referents(*followed)


def is_foreign(function: FunctionType) -> bool:
    """Is it none of lazyarr's?"""
    return function.__module__.split(".")[0] not in PACKAGES


def data_among(roots: Iterable[Any], is_data: Callable[[np.ndarray[Any, Any]], bool]) -> Iterator[str]:
    """What there is of arrays: arrays, buffers, leaves with memory, and NumPy arrays for which `is_data` holds.

    A leaf that an operation made of numbers among its arguments is a part of a program: it is looked into.
    """
    for found in reachable(roots):
        if isinstance(found, Array):
            yield f"an Array, {described(found)}"
        elif isinstance(found, Input) and found.storage is not None and is_data(memory(found.storage)):
            yield f"a leaf, {described(found)}"
        elif isinstance(found, Buffer) and is_data(memory(found)):
            yield f"a buffer of {found.nbytes} bytes, {described(found)}"
        elif isinstance(found, np.ndarray) and is_data(found):
            yield f"a NumPy array {found.dtype}{found.shape}, {described(found)}"


def memory(storage: Any) -> np.ndarray[Any, Any]:
    """The bytes of a leaf's memory, or of a buffer."""
    if isinstance(storage, np.ndarray):
        return storage
    return storage.to_numpy(np.dtype(np.uint8), (storage.nbytes,))  # type: ignore[no-any-return]  # an array


def described(found: Any) -> str:
    """Who refers to something, in a few words; the walk itself does, too."""
    gc.unfreeze()  # else those that are frozen are not found
    by = [each for each in gc.get_referrers(found) if not isinstance(each, (FrameType, GeneratorType))]
    return "by " + ", ".join(f"{type(each).__module__}.{type(each).__name__}: {reprlib.repr(each)}" for each in by)
