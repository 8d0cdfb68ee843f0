"""Writes `scanLane`, in which the lanes of a warp hand their values on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ir.core.patterns import ScanLane, length_of, map_local
from ir.core.signature import LANES
from ir.core.sizes import Size
from ir.core.types import ScalarType, TupleType, Type
from ir.errors import GenerationError
from ir.opencl.read.views import Target, Text, TupleView, Value, element_at, target_at
from ir.opencl.tree import Block, Declare, If, Statement
from ir.opencl.write.helpers import LANE_UP
from ir.opencl.write.spelling import c_type
from ir.opencl.write.writers import writes

if TYPE_CHECKING:
    from ir.opencl.write.kernel import KernelWriter

__all__ = ["write_scan_lane"]


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
