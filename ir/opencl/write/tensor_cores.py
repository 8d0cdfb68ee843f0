"""Writes `mma`, by which the lanes of a warp add products to the matrices that they hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ir.core.nodes.tensor_cores import MMA_COLUMNS, MMA_HELD, MMA_NEIGHBOURS, MMA_ROWS, MMA_TERMS
from ir.core.patterns import Mma, length_of, map_local, row_length
from ir.core.signature import LANES
from ir.core.sizes import Size, size
from ir.core.types import FLOAT32
from ir.errors import GenerationError
from ir.opencl.read.views import Target, Value, element_at, target_at
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

        def read(xs: Value, term: int, of_row: int, stem: str) -> str:
            """The factor that this lane hands over, in a variable."""
            value = element_at(element_at(xs, group + size(term)), row + size(of_row))
            return writer.loaded(writer.variables_of(FLOAT32, stem, value), FLOAT32)

        for first in range(0, steps * MMA_TERMS, MMA_TERMS):
            terms = (first, first + MMA_NEIGHBOURS)
            left = [
                [read(rows, term, MMA_ROWS * i + half, "row") for term in terms for half in (0, MMA_ROWS // 2)]
                for i in range(down)
            ]
            right = [[read(columns, term, MMA_COLUMNS * j, "column") for term in terms] for j in range(across)]
            for i, a in enumerate(left):
                for j, b in enumerate(right):
                    places = [target_at(target_at(target_at(held, size(i)), size(j)), size(k)) for k in range(MMA_HELD)]
                    _add(writer, places, [*a, *b])

    writer.each(map_local(0), size(LANES), turn)


def _add(writer: KernelWriter, places: list[Target], factors: list[str]) -> None:
    """One instruction, which changes its places."""
    sums = [writer.loaded(stored(place, FLOAT32), FLOAT32) for place in places]
    text = f"MMA({', '.join((*sums, *factors))})"
    writer.emit(Statement(text, writer.accesses.reads(text), writer.accesses.reads(", ".join(sums))))
