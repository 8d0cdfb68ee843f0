"""Evaluation: the recorded graph becomes a program, which is found again or compiled, and launched."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from weakref import ref

import numpy as np

from ir.core.expr import Expr
from lazyarr.array import Array
from lazyarr.config import Settings, settings
from lazyarr.deferred import Deferred, expression
from lazyarr.execution.memo import Memo
from lazyarr.execution.program import programs_for
from lazyarr.inputs import Input, inputs_of
from lazyarr.recall import Recalled, recalled_by, signature
from lazyarr.record import components
from lazyarr.runtime import Buffer, Device, find_device
from lazyarr.tracing import Trace


class _Computed(ref[Expr]):
    """A vertex whose value exists, not kept alive; its number; and the leaf that stands for it, which is."""

    __slots__ = ("leaf", "number")
    leaf: Expr
    number: int


_computed: dict[int, _Computed] = {}
"""Vertices whose values exist, by the address of each: expressions recorded before that moment read the value instead
of computing it again. A plain dictionary, since every vertex of every evaluation is looked for in it.
"""


def _forget(entry: _Computed) -> None:
    """The vertex died: its address may become another's."""
    if _computed.get(entry.number) is entry:
        del _computed[entry.number]


def _remember(node: Expr, leaf: Expr) -> None:
    """The value of a vertex exists from now on."""
    entry = _Computed(node, _forget)
    entry.leaf = leaf
    entry.number = id(node)
    _computed[entry.number] = entry


_default: tuple[Settings, Device] | None = None
"""The default device under the settings in force: looking for it by name costs more than a launch."""

__all__ = ["buffer_of", "compute", "device_of", "roots_of"]


def device_of(arrays: Sequence[Array | Trace]) -> Device:
    """The device the arrays were put on (of a recording: its arguments), else the default device."""
    for array in arrays:
        if array.placed is not None:
            return find_device(array.placed)
    global _default
    wanted = settings()
    if _default is None or _default[0] is not wanted:
        _default = wanted, find_device(wanted.device or None)
    return _default[1]


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


def compute(arrays: Sequence[Array]) -> None:
    """Give each array its value; what they share is computed once. Returns when the kernels are enqueued."""
    if len(arrays) == 1:
        _compute_on(device_of(arrays), arrays)
        return
    by_device: dict[Device, list[Array]] = {}
    for array in arrays:
        by_device.setdefault(device_of([array]), []).append(array)
    for device, group in by_device.items():
        _compute_on(device, list({id(array): array for array in group}.values()))  # each once: it changes


_recalled: dict[Device, Memo[Any, Recalled]] = {}
"""The programs that ran last on each device, by the signatures of what arrays stood for."""

_CAPACITY = 1 << 17
_WEIGHT = 64
"""What a table of them may hold, and what one weighs beside its key, in items of a key."""


def _compute_on(device: Device, arrays: Sequence[Array]) -> None:
    def value(node: Expr) -> Expr | None:
        """The leaf that stands for a vertex."""
        entry = _computed.get(id(node))
        if entry is None or entry() is not node:
            return None
        return entry.leaf if inputs_of(entry.leaf)[0].storage.device is device else None

    # what they stand for now: another thread may compute or change them meanwhile
    standing = [x.standing for x in arrays]
    taken = signature(standing, value, _computed)
    programs = _recalled.get(device) or _recalled.setdefault(device, Memo(_CAPACITY))
    found = programs.get(taken.key)
    if found is None:
        roots, numbers = _roots(arrays, standing)
        program, apart = programs_for(device).of(roots, value, _computed)
        found = recalled_by(program, apart.leaves, numbers, taken.leaves)  # type: ignore[arg-type]  # a recorded graph's leaves
        # What was computed before, or by another thread since then, may be computed of something else another time.
        brings = any(type(leaf) is not int for leaf in found.order)
        if not (taken.deferred and apart.known) and (not brings or taken == signature(standing, value, _computed)):
            programs.put(taken.key, found, _WEIGHT + len(taken.key))
    made = found.program.run([buffer_of(leaf, device) for leaf in found.leaves(taken.leaves)])
    nodes = [before.made if type(before) is Deferred else before for before in standing]  # some stand for the same
    for x, before, node, numbers_ in zip(arrays, standing, nodes, found.results, strict=True):
        leaf = x._realise(before, made[numbers_[0]] if len(numbers_) == 1 else [made[i] for i in numbers_])
        if node is not None:
            _remember(node, leaf)  # type: ignore[arg-type]  # an expression
            if len(numbers_) > 1:
                for part, own in zip(components(node), inputs_of(leaf), strict=True):  # type: ignore[arg-type]  # as above
                    _remember(part, own)


def _roots(arrays: Sequence[Array], standing: Sequence[Expr | Deferred]) -> tuple[list[Expr], list[list[int]]]:
    """The vertices that give arrays their values, each once, and the numbers of those of each array."""
    numbers: dict[Expr, int] = {}
    found = []
    for x, before in zip(arrays, standing, strict=True):
        node = (before.made or expression(before)) if type(before) is Deferred else before
        parts = components(node) if x.dtype.kind == "c" else (node,)  # type: ignore[arg-type]  # an expression
        found.append([numbers.setdefault(part, len(numbers)) for part in parts])  # type: ignore[arg-type]  # as above
    return list(numbers), found


def roots_of(arrays: Sequence[Array]) -> list[Expr]:
    """The vertices that give arrays their values: their own, of a complex array those of its parts."""
    roots: list[Expr] = []
    for array in arrays:
        if array.dtype.kind == "c":
            roots += components(array.node)
        else:
            roots.append(array.node)
    return roots
