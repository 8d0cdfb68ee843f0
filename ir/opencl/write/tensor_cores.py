"""Writes `mma`, by which the lanes of a warp add products to the matrices that they hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ir.core.nodes.tensor_cores import MMA_COLUMNS, MMA_HELD, MMA_NEIGHBOURS, MMA_ROWS, MMA_TERMS
from ir.core.patterns import Mma, length_of, map_local, row_length
from ir.core.signature import LANES
from ir.core.sizes import Size, size
from ir.core.types import FLOAT32, VectorType
from ir.errors import GenerationError
from ir.opencl.read.views import Lanes, Load, Target, Value, element_at, target_at
from ir.opencl.tree import Statement
from ir.opencl.write.helpers import MMA
from ir.opencl.write.scattering import stored

if TYPE_CHECKING:
    from ir.opencl.write.kernel import KernelWriter

__all__ = ["multiply_by_warp"]


def multiply_by_warp(writer: KernelWriter, e: Mma, target: Target) -> None:
    """Change the matrices that stand in a target, of which each lane holds its own elements."""
    rows, columns = writer.read(e.rows), writer.read(e.columns)
    extents = (row_length(e.rows) // MMA_ROWS, row_length(e.columns) // MMA_COLUMNS, length_of(e.rows) // MMA_TERMS)
    down, across, steps = (n.value for n in extents)
    if down is None or across is None or steps is None:
        raise GenerationError(f"{e.name}: the matrices and the chunk have constant extents")
    writer.spelling.helpers["mma"] = MMA

    def turn(lane: Size) -> None:
        held = target_at(target, lane)
        row, group = lane // MMA_NEIGHBOURS, lane % MMA_NEIGHBOURS

        def read(xs: Value, places: Sequence[tuple[int, int]], stem: str) -> list[str]:
            """The factors that this lane hands over, in variables: those of terms and rows, counted from its own."""
            values = [element_at(element_at(xs, group + size(term)), row + size(of_row)) for term, of_row in places]
            whole = _together(values)
            if whole is None:
                return [writer.loaded(writer.variables_of(FLOAT32, stem, value), FLOAT32) for value in values]
            t = VectorType(FLOAT32, len(values))
            vector = writer.loaded(writer.variables_of(t, stem, whole), t)
            return [f"{vector}.s{k}" for k in range(len(values))]

        pair = 2 if across % 2 == 0 else 1
        for first in range(0, steps * MMA_TERMS, MMA_TERMS):
            terms = (first, first + MMA_NEIGHBOURS)
            left, right = list[list[str]](), list[list[str]]()
            for i in range(down):
                halves = (MMA_ROWS * i, MMA_ROWS * i + MMA_ROWS // 2)
                left.append(read(rows, [(term, half) for term in terms for half in halves], "row"))
            for j in range(0, across, pair):
                found = read(columns, [(t, MMA_COLUMNS * (j + h)) for h in range(pair) for t in terms], "column")
                right += [found[2 * h : 2 * h + 2] for h in range(pair)]
            for i, a in enumerate(left):
                for j, b in enumerate(right):
                    places = [target_at(target_at(target_at(held, size(i)), size(j)), size(k)) for k in range(MMA_HELD)]
                    _add(writer, places, [*a, *b])

    writer.each(map_local(0), size(LANES), turn)


def _together(values: Sequence[Value]) -> Lanes | None:
    """Numbers that lie together in memory as one vector; None of others."""
    first = values[0]
    if not isinstance(first, Load):
        return None
    for k, value in enumerate(values):
        if not isinstance(value, Load) or value.storage is not first.storage or value.index is not first.index + k:
            return None
    return Lanes(len(values), lambda k: Load(first.storage, first.index + k))


def _add(writer: KernelWriter, places: list[Target], factors: list[str]) -> None:
    """One instruction, which changes its places."""
    sums = [writer.loaded(stored(place, FLOAT32), FLOAT32) for place in places]
    text = f"MMA({', '.join((*sums, *factors))})"
    writer.emit(Statement(text, writer.accesses.reads(text), writer.accesses.reads(", ".join(sums))))
