"""The suite "fusion": programs of which several operations should become one pass over memory (paper 003).

In the order of paper 003 its eleven sequences; then softmax, layer norm, mean and variance along rows and columns,
cumulative sums, Black-Scholes, md, a conjugate-gradient step, thirty element-wise operations, a mask, a sort, medians.
Beside each time stand the kernels, the bytes that these move in passes over the largest array, and the reached part of
the bandwidth.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from functools import partial
from typing import Any

import numpy as np

from benchmarks.harness import Reference, Tolerance, TupleReference
from benchmarks.lazy import FrontEnd, front_end
from benchmarks.peers.peer import Array
from benchmarks.programs import Arrays, Program, Workload, md, options
from benchmarks.report import Comparison, FusionRow
from benchmarks.sequences import FUSED, OPERATIONS, SIZE_FOLLOWS

SIZES = {"small": (1 << 16, 256), "usual": (1 << 24, 4096), "large": (1 << 27, 16384)}
"""Elements of vectors, and rows and columns of matrices."""
ELEMENTWISE = {"sscal": 1, "madd": 1, "vadd": 2, "waxpby": 3, "30 operations": OPERATIONS}
"""The programs of which each element is rounded so often."""
EXACT = ("mask", "sort 1e5", "median columns")
"""Those that choose elements, or average two of them."""


def program(name: str, f: Callable[..., Any]) -> Program:
    """A function of `benchmarks.sequences`, written in NumPy's style."""

    def write(front: FrontEnd) -> Callable[..., object]:
        return partial(f, front.la)

    return Program(name, None, write, jitted=name not in SIZE_FOLLOWS)


def _reference(name: str, length: int, *arrays: Array) -> Reference | TupleReference:
    """Errors are relative to the value where elements are made one by one, else to the largest of the result."""
    wide = [array.astype(np.float64) for array in arrays]
    found = FUSED[name](np, *wide)
    dtype = arrays[0].dtype
    if name in ELEMENTWISE:
        scale = np.maximum(np.abs(found), np.max(np.abs(wide[0]))) if name == "30 operations" else np.abs(found)
        return Reference(found, scale, Tolerance.elementwise(dtype, ELEMENTWISE[name]))
    if name in EXACT:
        return Reference(found, np.abs(found), Tolerance.elementwise(dtype, 1))
    parts = [
        Reference(
            np.asarray(part),
            np.broadcast_to(np.asarray(np.max(np.abs(part))), np.shape(part)),
            Tolerance.reduction(dtype, length),
        )
        for part in (found if isinstance(found, tuple) else (found,))
    ]
    return TupleReference(parts) if isinstance(found, tuple) else parts[0]


def _made(name: str, bound: str, shapes: list[tuple[int, ...]], written: int, size: str, length: int) -> Workload:
    """A workload on arrays of these shapes.

    Args:
        written: bytes of the results
        length: terms of the longest sum
    """

    def make(rng: np.random.Generator) -> Arrays:
        found = []
        for shape in shapes:
            values = rng.random(shape, dtype=np.float32)
            values += np.float32(0.5) if name not in ("mask", "sort 1e5", "median columns") else np.float32(0)
            found.append(values)
        return tuple(found)

    read = sum(4 * int(np.prod(shape)) for shape in shapes)
    title = f"{name} {size}" if size else name
    return Workload(
        title, program(name, FUSED[name]), bound, read + written, read, make, partial(_reference, name, length)
    )


def workloads(sizes: str = "usual") -> tuple[Workload, ...]:
    """The suite at one of `SIZES`."""
    n, side = SIZES[sizes]
    v, row, matrix = (n,), (side,), (side, side)
    table = (side * 25, 8) if sizes == "small" else (100_000, 32)
    line = table[0] if sizes == "small" else 100_000
    short, long = (f"{n >> 20}Mi" if n >= 1 << 20 else str(n)), str(side)
    one, whole = 4 * side, 4 * side * side

    def of_short_rows(name: str, columns: int) -> Workload:
        rows = n // columns
        return _made(name, "copy", [(rows, columns)], 4 * rows * columns, f"{rows}x{columns}", columns)

    def of(name: str, bound: str, shapes: list[tuple[int, ...]], written: int) -> Workload:
        large = matrix in shapes
        return _made(name, bound, shapes, written, long if large else short, side if large else n)

    return (
        of("axpydot", "copy", [v, v, v], 4 * n + 4),
        of("atax", "read", [matrix, row], one),
        of("bicgk", "read", [matrix, row, row], 2 * one),
        of("sgemv", "read", [matrix, row, row], one),
        of("sgemvt", "read", [matrix, row, row], 2 * one),
        of("sscal", "copy", [v], 4 * n),
        of("gemver", "copy", [matrix, row, row, row, row, row, row], whole + 2 * one),
        of("gesummv", "read", [matrix, matrix, row], one),
        of("madd", "copy", [matrix, matrix], whole),
        of("vadd", "copy", [v, v, v], 4 * n),
        of("waxpby", "copy", [v, v], 4 * n),
        of("softmax rows", "copy", [matrix], whole),
        of("softmax columns", "copy", [matrix], whole),
        of("layer norm rows", "copy", [matrix], whole),
        of("layer norm columns", "copy", [matrix], whole),
        of_short_rows("softmax rows", 32),
        of_short_rows("softmax rows", 128),
        of_short_rows("layer norm rows", 128),
        of("moments rows", "read", [matrix], 2 * one),
        of("moments columns", "read", [matrix], 2 * one),
        of("cumulative sum", "copy", [v], 4 * n),
        of("cumulative sum rows", "copy", [matrix], whole),
        options(n if sizes != "usual" else 1 << 22),
        md(512 if sizes == "small" else 12288, 32 if sizes == "small" else 128),
        of("conjugate gradient", "read", [matrix, row, row, row], 3 * one),
        of("30 operations", "copy", [v, v], 4 * n),
        _made("mask", "copy", [table], 2 * table[0] * table[1], "", 1),
        _made("sort 1e5", "copy", [(line,)], 4 * line, "", 1),
        _made("median columns", "read", [table], 4 * table[1], "", 1),
    )


def described(workload: Workload, row: Comparison) -> FusionRow:
    """The row with what `la.visualize` says of the program: its kernels, and passes over the largest array."""
    if not workload.program.jitted or row.failed:
        return FusionRow(**_values(row))
    try:
        front = front_end()
        (arrays,) = workload.inputs(1)
        drawing = front.la.visualize(workload.program.numpy_style(front), *map(front.la.asarray, arrays))
    except Exception as error:  # the times are measured: they must not be lost
        return FusionRow(**_values(row) | {"note": "; ".join(filter(None, (row.note, f"not drawn: {error}")))})
    largest = max(array.nbytes for array in arrays)
    moved, least = drawing.bytes_moved / largest, drawing.bytes_least / largest
    return FusionRow(**_values(row), kernels=len(drawing.kernels), passes=moved, least=least)


def _values(row: Comparison) -> dict[str, Any]:
    return {field.name: getattr(row, field.name) for field in fields(Comparison)}
