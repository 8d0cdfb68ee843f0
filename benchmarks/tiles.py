"""The programs of the suite "tiles": what a kernel has to share through tiles, on float32.

Products of matrices and transpositions (`benchmarks.products`) are written in NumPy's style.
Stencils (`benchmarks.stencils`) are written in NumPy's style and with `lift.iterate`. Peers are NumPy, numba in loops
that write into ready outputs, and JAX.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from math import prod
from typing import Any

import numpy as np

from benchmarks import fusion
from benchmarks.harness import Reference, Tolerance
from benchmarks.lazy import FrontEnd, front_end
from benchmarks.peers.peer import Array
from benchmarks.products import operations_of, products
from benchmarks.programs import Program, Workload
from benchmarks.report import Comparison, FusionRow
from benchmarks.stencils import AROUND, KEPT, STEPS, conv2d, repeated

Rows = tuple[Workload, ...]


def _in_style(step: Any, steps: int, front: FrontEnd) -> Callable[..., object]:
    return lambda u: repeated(step, front.la, u, steps)


def _iterated(step: Any, steps: int, front: FrontEnd) -> Callable[..., object]:
    return lambda u: front.lift.iterate(steps, partial(step, front.la), u)


def _reference(step: Any, steps: int, u: Array) -> Reference:
    values = repeated(step, np, u.astype(np.float64), steps)
    magnitude = np.full(values.shape, np.abs(u).max(), np.float64)
    return Reference(values, magnitude, Tolerance.elementwise(u.dtype, operations=10 * steps))


def _stencil(name: str, title: str, steps: int, *shape: int, calls: int = 1) -> Workload:
    """A row: so many steps on an array of that shape, which is read and written once."""
    step = {**KEPT, **AROUND}[name]
    n = 4 * prod(shape)
    program = Program(f"{name} x {steps}", partial(_iterated, step, steps), partial(_in_style, step, steps))
    make = partial(_random, shape)
    return Workload(title, program, "copy", 2 * n, n, make, partial(_reference, step, steps), calls)


def _random(shape: tuple[int, ...], rng: np.random.Generator) -> tuple[Array, ...]:
    return (rng.random(shape, dtype=np.float32),)


def _conv2d_inputs(rng: np.random.Generator) -> tuple[Array, ...]:
    return rng.random((8, 64, 64, 3), dtype=np.float32), rng.random((5, 5, 3, 8), dtype=np.float32)


def _conv2d_reference(x: Array, weights: Array) -> Reference:
    values = conv2d(x.astype(np.float64), weights.astype(np.float64))
    return Reference(values, values, Tolerance.reduction(x.dtype, 75))


def stencils(side: int = 4096, length: int = 1 << 24, cube: int = 256) -> Rows:
    """The stencils on arrays of that length, side and edge."""
    around = (_stencil(name, f"2-D 5-point {name}", 1, side, side) for name in AROUND)
    images = 4 * 8 * 64 * 64 * 3
    return (
        _stencil("line", "1-D Jacobi 2**15 + 2 by 4 steps", STEPS, (1 << 15) + 2, calls=20),
        _stencil("line", "1-D Jacobi 2**24 by 4 steps", STEPS, length),
        _stencil("plane", "2-D 5-point by 1 step", 1, side, side),
        _stencil("plane", "2-D 5-point by 4 steps", STEPS, side, side),
        _stencil("space", "3-D 7-point by 1 step", 1, cube, cube, cube),
        *around,
        Workload(
            "conv2d", Program("conv2d", None, lambda front: conv2d), "copy", images + 4 * 8 * 60 * 60 * 8, images,
            _conv2d_inputs, _conv2d_reference, 5,
        ),
    )  # fmt: skip


SIDES = {"small": (37, 53, 11), "usual": (4096, 1 << 24, 256), "large": (16384, 1 << 24, 256)}
"""Of the stencils: side of a matrix, length of a line, edge of a cube."""


def workloads(sizes: str = "usual") -> Rows:
    """The suite at one of `benchmarks.fusion.SIZES`."""
    return (*products(sizes), *stencils(*SIDES[sizes]))


def described(workload: Workload, row: Comparison) -> FusionRow:
    """The row with kernels and passes, and of products with the operations in a second."""
    found = fusion.described(workload, row)
    operations, ours = operations_of(workload), row.ours
    if not operations or not ours:
        return found
    speed = f"{operations / ours / 1e6:.4g} Gflop/s"
    by = "by the host's library" if _is_by_library(workload) else ""
    return replace(found, note="; ".join(filter(None, (speed, by, found.note))))


def _is_by_library(workload: Workload) -> bool:
    """Does the host's library compute one of its kernels?"""
    front = front_end()
    (arrays,) = workload.inputs(1)
    explanation = front.lift.explain(workload.program.numpy_style(front), *map(front.la.asarray, arrays))
    return any(kernel.by_library for kernel in explanation.kernels)
