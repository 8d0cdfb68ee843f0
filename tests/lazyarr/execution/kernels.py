"""Kernels of recorded arrays, as the engine would hand them to the compiler."""

from __future__ import annotations

import numpy as np

import lazyarr as la
from ir.core.expr import postorder
from ir.fusion.partition.kernels import partition
from ir.fusion.symbols.symbolise import SymbolicKernel, symbolise
from lazyarr.graph.leaves import Input, buffer_of
from lazyarr.runtime import Buffer, Device, default_device

X = np.random.default_rng(1).uniform(-1, 2, 30011).astype(np.float32)


def kernel_of(array: la.Array) -> tuple[Device, SymbolicKernel, list[Buffer]]:
    """The only kernel of an array over inputs."""
    device = default_device()
    (task,) = partition([array.node]).tasks
    general = symbolise(task.expr, {node: node.shape for node in postorder(task.expr) if isinstance(node, Input)})
    return device, general, [buffer_of(p, device) for p in general.inputs]


def asum() -> la.Array:
    """A reduction."""
    return la.sum(la.abs(la.asarray(X)))


def scal() -> la.Array:
    """An element-wise kernel."""
    return la.asarray(X) * 3
