"""Evaluation: the recorded graph is cut into kernels, each is compiled (once) and launched."""

from __future__ import annotations

from collections.abc import Sequence
from weakref import WeakKeyDictionary

import numpy as np

from ir.core.expr import Expr, Param, postorder
from ir.fusion.generalise import General, generalise
from ir.fusion.partition import Partition, partition
from lazyarr.array import Array
from lazyarr.config import settings
from lazyarr.execution.compiler import compiler_for
from lazyarr.inputs import Input, KnownValues
from lazyarr.runtime import Buffer, Device, find_device

_computed: WeakKeyDictionary[Expr, Input] = WeakKeyDictionary()
"""Vertices whose values exist: expressions recorded before that moment read the value instead of computing it again."""

__all__ = ["buffer_of", "compute", "device_of"]


class _Known:
    """The computed vertices whose values are on one device, looked up one by one: there may be many."""

    def __init__(self, device: Device) -> None:
        self.device = device

    def __contains__(self, node: object) -> bool:
        leaf = _computed.get(node)  # type: ignore[call-overload]  # whatever is no vertex is not there
        return leaf is not None and leaf.storage.device is self.device

    def __getitem__(self, node: Expr) -> Param:
        return _computed[node]


def device_of(arrays: Sequence[Array]) -> Device:
    """The device the arrays were put on, else the default device."""
    for array in arrays:
        if array.device is not None:
            return find_device(array.device)
    return find_device(settings().device or None)


def granule(device: Device) -> int:
    """What extents are factored by where they are its multiples, so that kernels read aligned vectors."""
    return 1 if device.alignment == 1 else 16


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
    by_device: dict[Device, list[Array]] = {}
    for array in arrays:
        by_device.setdefault(device_of([array]), []).append(array)
    for device, group in by_device.items():
        _compute_on(device, group)


def _compute_on(device: Device, arrays: list[Array]) -> None:
    roots = list(dict.fromkeys(array.node for array in arrays))
    parts = partition(roots, known=_Known(device), constants=KnownValues())
    compiler = compiler_for(device)
    buffers: dict[Param, list[Buffer]] = {}
    keep = set(parts.results)
    last = _last_uses(parts)
    for number, task in enumerate(parts.tasks):
        general = _general(parts, number, device)
        inputs = _inputs(general, buffers, device)
        compiled = compiler.compile(general, inputs)
        found = compiled.executable.launch(inputs, tuple(general.sizes.values()))
        if len(task.results) == 1:
            buffers[task.results[0]] = found
        else:
            buffers.update((name, [buffer]) for name, buffer in zip(task.results, found, strict=True))
        for p in last[number]:
            if p not in keep:
                del buffers[p]
    places = dict(zip(roots, parts.results, strict=True))
    for array in arrays:
        node, result = array.node, places[array.node]
        if isinstance(result, Input):
            array.node = result
            continue
        (storage,) = buffers[result]
        array._realise(storage)
        assert isinstance(array.node, Input)
        _computed[node] = array.node


def _inputs(general: General, buffers: dict[Param, list[Buffer]], device: Device) -> list[Buffer]:
    """The buffers a kernel reads: leaves, and the components of earlier results."""
    found: list[Buffer] = []
    for p in general.inputs:
        found.extend([buffer_of(p, device)] if isinstance(p, Input) else buffers[p])
    return found


def _general(parts: Partition, number: int, device: Device) -> General:
    e = parts.tasks[number].expr
    shapes: dict[Param, tuple[int, ...]] = {node: node.shape for node in postorder(e) if isinstance(node, Input)}
    return generalise(e, shapes, granule(device))


def _last_uses(parts: Partition) -> list[list[Param]]:
    """For each kernel the intermediate results that nothing reads after it."""
    last: dict[Param, int] = {}
    for number, task in enumerate(parts.tasks):
        for node in postorder(task.expr):
            if isinstance(node, Param) and not isinstance(node, Input):
                last[node] = number
    ends: list[list[Param]] = [[] for _ in parts.tasks]
    for p, number in last.items():
        ends[number].append(p)
    return ends
