"""Writes `mma`, by which the lanes of a warp add products to the matrices that they hold."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from ir.core.nodes.tensor_cores import MMA_COLUMNS, MMA_HELD, MMA_NEIGHBOURS, MMA_ROWS, MMA_TERMS
from ir.core.patterns import Mma, length_of, map_local, row_length
from ir.core.signature import LANES
from ir.core.sizes import Size, size
from ir.core.types import FLOAT32, VectorType
from ir.errors import GenerationError
from ir.opencl.read.views import Lanes, Target, Value, element_at, target_at
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

        def read(count: int, stem: str, at: Callable[[Size], Value]) -> list[str]:
            """Factors that this lane hands over, in variables."""
            if e.width.value == 1:
                return [writer.loaded(writer.variables_of(FLOAT32, stem, at(size(k))), FLOAT32) for k in range(count)]
            t = VectorType(FLOAT32, count)
            vector = writer.loaded(writer.variables_of(t, stem, Lanes(count, at)), t)
            return [f"{vector}.s{k}" for k in range(count)]

        def of_rows(term: int, first: int, k: Size) -> Value:
            """The factors of a matrix from a term and a row on: (term, row), each of two halves."""
            at, half = group + MMA_NEIGHBOURS * (k // 2) + term, MMA_ROWS // 2 * (k % 2)
            return element_at(element_at(rows, at), row + half + first)

        def of_columns(term: int, first: int, k: Size) -> Value:
            """The same of one or two matrices of columns: (matrix, term)."""
            at = group + MMA_NEIGHBOURS * (k % 2) + term
            return element_at(element_at(columns, at), row + MMA_COLUMNS * (k // 2) + first)

        pair = 1 if e.width.value == 1 else 2
        for term in range(0, steps * MMA_TERMS, MMA_TERMS):
            left, right = list[list[str]](), list[list[str]]()
            for i in range(0, down * MMA_ROWS, MMA_ROWS):
                left.append(read(MMA_HELD, "row", partial(of_rows, term, i)))
            for j in range(0, across * MMA_COLUMNS, pair * MMA_COLUMNS):
                found = read(2 * pair, "column", partial(of_columns, term, j))
                right += [found[2 * h : 2 * h + 2] for h in range(pair)]
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
