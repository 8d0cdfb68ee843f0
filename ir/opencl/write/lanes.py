"""Writes what the lanes of warps compute together: `scanLane`, in which they hand their values on, and `mma`, by which
they add products to the matrices that they hold.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from ir.core.nodes.tensor_cores import MMA_COLUMNS, MMA_HELD, MMA_NEIGHBOURS, MMA_ROWS, MMA_TERMS
from ir.core.patterns import Mma, ScanLane, length_of, map_local, row_length
from ir.core.signature import LANES
from ir.core.sizes import Size, size
from ir.core.types import FLOAT32, ScalarType, TupleType, Type, VectorType
from ir.errors import GenerationError
from ir.opencl.read.views import Lanes, Target, Text, TupleView, Value, element_at, target_at
from ir.opencl.tree import Block, Declare, If, Statement
from ir.opencl.write.helpers import LANE_UP, MMA
from ir.opencl.write.scattering import stored
from ir.opencl.write.spelling import c_type
from ir.opencl.write.writers import writes

if TYPE_CHECKING:
    from ir.opencl.write.kernel import KernelWriter

__all__ = ["multiply_by_warp", "write_scan_lane"]


@writes(ScanLane)
def write_scan_lane(writer: KernelWriter, e: ScanLane, target: Target) -> None:
    """Fill a target with scans of each 32 neighbours, of which each work-item has an element."""
    count, t, xs = length_of(e).value, e.init.type, writer.read(e.xs)
    if count is None or writer.launch.local is None or writer.launch.local[0] != count:
        raise GenerationError(f"{e.name}: each work-item of a group has one of its elements, which are {length_of(e)}")
    writer.spelling.helpers["lane_up"] = LANE_UP
    (before, after), body = e.f.open()

    def turn(item: Size) -> None:
        held = writer.variables_of(t, "held", element_at(xs, item))
        distance = 1
        while distance < LANES:
            handed = _handed_on(writer, t, held, distance, count)
            step = Block()
            with writer.block(step):
                writer.scope.bindings.update({before: handed, after: held})
                writer.assign(held, writer.read(body), body)
            lane = writer.spelling.size(item % LANES)
            writer.emit(If(f"{lane} >= {distance}", step))
            distance *= 2
        with writer.block(last := Block()):
            writer.scope.bindings.update({before: writer.read(e.init), after: held})
            writer.store(writer.read(body), target_at(target, item), t)
        writer.emit(last)

    writer.each(map_local(0), length_of(e), turn)


def _handed_on(writer: KernelWriter, t: Type, held: Value, distance: int, count: int) -> Value:
    """What the lane so far before this one holds, in variables."""
    if isinstance(t, TupleType):
        assert isinstance(held, TupleView)
        parts = zip(t.elements, held.parts, strict=True)
        return TupleView(tuple(_handed_on(writer, p, part, distance, count) for p, part in parts))
    assert isinstance(t, ScalarType)
    bytes_ = 8 if t.bytes == 8 else 4
    bits, same = ("ulong", t.bytes == 8) if bytes_ == 8 else ("uint", t.bytes == 4)
    kept, handed = f"lanes{bytes_}", writer.name_for("handed")
    if not any(isinstance(node, Declare) and node.name == kept for node in writer.declarations.body):
        writer.taken.add(kept)
        array = Declare(bits, kept, length=count, space="__local", element_bytes=bytes_, aligned=16)
        writer.declarations.body.append(array)
    text = writer.loaded(held, t)
    writer.emit(Declare(bits, handed))
    sent = f"as_{bits}({text})" if same else f"({bits}){text}"
    writer.emit(Statement(f"LANE_UP_{bytes_}({handed}, {sent}, {distance}, {kept})"))
    return Text(f"as_{c_type(t)}({handed})" if same else f"({c_type(t)}){handed}")


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
                    _multiply(writer, places, [*a, *b])

    writer.each(map_local(0), size(LANES), turn)


def _multiply(writer: KernelWriter, places: list[Target], factors: list[str]) -> None:
    """One instruction, which changes its places."""
    sums = [writer.loaded(stored(place, FLOAT32), FLOAT32) for place in places]
    text = f"MMA({', '.join((*sums, *factors))})"
    writer.emit(Statement(text, writer.accesses.reads(text), writer.accesses.reads(", ".join(sums))))
