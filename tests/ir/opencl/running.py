"""Run a low-level expression on a device, through lazyarr's own plan and launches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ir.core.expr import Expr, postorder
from ir.core.patterns import Memory, Scan
from ir.opencl.generate import Program
from ir.opencl.read.views import leaf_types, lengths_of
from lazyarr.compile.executable import Executable
from lazyarr.compile.plan import Plan
from lazyarr.runtime import Buffer, Device, default_device
from tests.ir import values
from tests.ir.generation import generated
from tests.optimised import is_optimised

POISON = 0xA5

_kept: list[Buffer] = []


def compute(
    device: Device,
    program: Program,
    e: Expr,
    *instances: tuple[Mapping[Any, Any], Mapping[str, int]],
    optimised: bool | None = None,
) -> list[Any]:
    """The arrays that the program of an expression computes, flat, one for each component of its type; built once for
    all instances, which are inputs and sizes. For `optimised` see `check`.
    """
    executable = _built(device, program, e, instances[0][1], optimised)
    return [array for inputs, sizes in instances for array in _run(executable, device, e, inputs, sizes)]


def _built(device: Device, program: Program, e: Expr, sizes: Mapping[str, int], optimised: bool | None) -> Executable:
    variables = values.free_variables(e)
    places = [(p.identifier, i) for p in variables for i in range(len(leaf_types(p.type)))]
    optimised = is_optimised(program.source) if optimised is None else optimised
    options = () if optimised or device.simulator else ("-cl-opt-disable",)
    return Executable(device, device.build(program.source, options=options), Plan.of(program, tuple(sizes)), places)


def _run(
    executable: Executable, device: Device, e: Expr, inputs: Mapping[Any, Any], sizes: Mapping[str, int]
) -> list[Any]:
    arrays = [array for p in values.free_variables(e) for array in values.flat(inputs[p])]
    buffers = [device.wrap(np.ascontiguousarray(array).reshape(-1), copy=True) for array in arrays]
    # The simulator finds reads of memory nobody wrote by itself, and wrongly reports what the host has written or read
    # once and kernels write and read later: its buffers are neither poisoned nor used again.
    poison = None if device.simulator else POISON
    outputs, events = executable.enqueue(buffers, tuple(sizes.values()), poison=poison)
    if device.simulator:
        _kept.extend([*buffers, *outputs])
    events[-1].wait()
    counts = [n.evaluate(sizes) for n in lengths_of(e.type)]
    return [b.to_numpy(str(t), (n,)) for b, t, n in zip(outputs, leaf_types(e.type), counts, strict=True)]


def is_mixed_up(low: Expr) -> bool:
    """Does the last work-group go on with a scan? PoCL 3.0 mixes up the parts between its barriers, and writes out of
    bounds (`ir.opencl.passes.workarounds`). There no schedule hands anything over: the device has no fence.
    """
    nodes = list(postorder(low))
    handed = any(isinstance(node, Memory) and node.space == "lastGroup" for node in nodes)
    return handed and any(isinstance(node, Scan) for node in nodes)


def check(
    device: Device,
    high: Expr,
    low: Expr,
    *instances: Mapping[str, int],
    exact: bool,
    seed: int = 5,
    optimised: bool | None = None,
) -> None:
    """The generated kernels of `low` compute what `high` means, built once for all its instances.

    instances : sizes, of the same names each
    exact : whole numbers are computed without rounding, so results on them agree bit for bit; a simulator, where each
        run takes long, computes these alone
    optimised : does the device's compiler optimise? None: see `tests.optimised`
    """
    program = generated(low)
    executable = _built(device, program, high, instances[0], optimised)
    kinds = ((True,) if device.simulator else (True, False)) if exact else (False,)
    for sizes in instances:
        for whole in kinds:
            which = high, tuple(sizes.items()), seed, whole
            inputs, meaning = values.meaning(*which)
            expected = [a.reshape(-1) for a in values.flat(meaning)]
            actual = _run(executable, device, high, inputs, sizes)
            if whole:
                for a, b in zip(actual, expected, strict=True):
                    np.testing.assert_array_equal(a, b)
            else:
                terms, scale = values.rounded(*which)
                # 16 units in the last place: what OpenCL allows its functions at most, division and roots less
                values.assert_close(tuple(actual), tuple(expected), terms + 32, scale)


def check_shapes(high: Expr, low: Expr, shapes: Sequence[tuple[int, int, int]], *, exact: bool = True) -> None:
    """The same on the default device, of one kernel at so many sizes n, m and k."""
    instances = [dict(zip("nmk", shape, strict=True)) for shape in shapes]
    check(default_device(), high, low, *instances, exact=exact)
