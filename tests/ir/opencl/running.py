"""Run a low-level expression on a device, through lazyarr's own plan and launches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ir.core.expr import Expr
from ir.core.semantics.interpreter import interpret
from ir.core.semantics.values import evaluate_type
from ir.core.types import TupleType, Type
from ir.opencl.generate import Program, generate
from ir.opencl.read.views import leaf_types
from lazyarr.compile.executable import Executable
from lazyarr.compile.plan import Plan
from lazyarr.runtime import Buffer, Device
from tests.ir import values

POISON = 0xA5
_kept: list[Buffer] = []


def compute(
    device: Device, program: Program, e: Expr, inputs: Mapping[Any, Any], sizes: Mapping[str, int]
) -> list[Any]:
    """The arrays that the program of an expression computes, flat, one for each component of its type."""
    variables = values.free_variables(e)
    plan = Plan.of(program, tuple(sizes))
    places, buffers = [], []
    for p in variables:
        for component, array in enumerate(values.flat(inputs[p])):
            places.append((p.identifier, component))
            buffers.append(device.wrap(np.ascontiguousarray(array).reshape(-1), copy=True))
    executable = Executable(device, device.build(program.source), plan, places)
    # The simulator finds reads of memory nobody wrote by itself, and wrongly reports what the host has written or read
    # once and kernels write and read later: its buffers are neither poisoned nor used again.
    poison = None if device.simulator else POISON
    outputs, events = executable.enqueue(buffers, tuple(sizes.values()), poison=poison)
    if device.simulator:
        _kept.extend([*buffers, *outputs])
    events[-1].wait()
    count = _elements(e.type, sizes)
    return [b.to_numpy(str(t), (count,)) for b, t in zip(outputs, leaf_types(e.type), strict=True)]


def _elements(t: Type, sizes: Mapping[str, int]) -> int:
    layout = evaluate_type(t, sizes)
    while isinstance(layout, tuple):
        layout = layout[0]
    assert not isinstance(t, TupleType)  # results are arrays (of tuples)
    return int(np.prod(layout.shape, dtype=np.int64))


def check(device: Device, high: Expr, low: Expr, sizes: Mapping[str, int], *, exact: bool, seed: int = 5) -> None:
    """The generated kernels of `low` compute what `high` means.

    exact : whole numbers are computed without rounding, so results on them agree bit for bit
    """
    program = generate(low)
    for whole in (True, False) if exact else (False,):
        inputs = values.random_inputs(high, sizes, seed, whole=whole)
        with np.errstate(all="ignore"):
            expected = [a.reshape(-1) for a in values.flat(interpret(high, inputs, sizes))]
        actual = compute(device, program, high, inputs, sizes)
        if whole:
            for a, b in zip(actual, expected, strict=True):
                np.testing.assert_array_equal(a, b)
        else:
            terms, scale = values.magnitude(high, inputs, sizes)
            # 16 units in the last place: what OpenCL allows its mathematical functions at most, division and roots less
            values.assert_close(
                tuple(actual),
                tuple(expected),
                terms + 32,
                scale + values.inner_magnitude(high, inputs, sizes),
            )
