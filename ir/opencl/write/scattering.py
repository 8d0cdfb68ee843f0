"""Writes `scatterSeq`, a loop over values that reads and writes the result in the places they name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ir.core.expr import Lambda, postorder
from ir.core.patterns import SCATTER_LOCAL, Scatter, length_of
from ir.core.sizes import Size, size, var
from ir.core.types import INT64, ScalarType, TupleType, Type
from ir.errors import GenerationError
from ir.opencl.read.views import Load, Target, TupleView, Value, component_of, element_at, target_at
from ir.opencl.tree import Barrier, Block, Declare, If, Statement
from ir.opencl.write.helpers import ADD_LOCAL
from ir.opencl.write.writers import writes

if TYPE_CHECKING:
    from ir.opencl.write.kernel import KernelWriter

__all__ = ["combine", "stored", "write_scatter"]


@writes(Scatter)
def write_scatter(writer: KernelWriter, e: Scatter, target: Target) -> None:
    """Fill a target with the array, then combine the values into it: one after the other, or by all work-items."""
    writer.write(e.xs, target)
    if e.how is not SCATTER_LOCAL:
        combine(writer, e, target)
        return
    writer.emit(Barrier())
    with writer.loop("mapLocal", length_of(e.ys)) as i:
        _add(writer, e, i, target)


def _add(writer: KernelWriter, e: Scatter, i: Size, target: Target) -> None:
    """Add a value to what stands in its place, whoever else does so."""
    assert isinstance(e.key, Lambda)
    (y,), pair = e.key.open()
    assert isinstance(pair.type, TupleType)
    index_type, t = pair.type.elements
    assert isinstance(t, ScalarType)
    writer.scope.bindings[y] = element_at(writer.read(e.ys), i)
    named = writer.read(pair)
    guard, declared, place = _place(writer, e, component_of(named, 0), index_type)
    block = Block([] if declared is None else [declared])
    with writer.block(block):
        goal = stored(target_at(target, place), t)
        assert isinstance(goal, Load)
        element, value = writer.loaded(goal, t), writer.loaded(component_of(named, 1), t)
        writer.spelling.helpers["add_local"] = ADD_LOCAL
        text = f"add_local_{t.bytes}((volatile __local uint *)&{element}, {value})"
        writer.emit(Statement(text, writer.accesses.reads(text), writer.accesses.reads(element)))
    writer.emit(If(guard, block))


def combine(writer: KernelWriter, e: Scatter, target: Target) -> None:
    """Combine the values of a scatter into the array that stands in a target."""
    assert isinstance(e.f, Lambda)
    assert isinstance(e.key, Lambda)
    ys = writer.read(e.ys)
    (y,), pair = e.key.open()
    (before, value), body = e.f.open()
    assert isinstance(pair.type, TupleType)
    with writer.loop(e.how.name, length_of(e.ys)) as i:
        writer.scope.bindings[y] = element_at(ys, i)
        named = writer.read(pair)
        guard, declared, place = _place(writer, e, component_of(named, 0), pair.type.elements[0])
        block = Block([] if declared is None else [declared])
        with writer.block(block):
            writer.scope.bindings[value] = component_of(named, 1)
            goal = target_at(target, place)
            if before in postorder(body):  # kept apart: what is stored first may be asked for once more
                writer.scope.bindings[before] = writer.variables_of(before.type, "old", stored(goal, before.type))
            writer.write(body, goal)
        writer.emit(If(guard, block))


def _place(writer: KernelWriter, e: Scatter, index: Value, t: Type) -> tuple[str, Declare | None, Size]:
    """The test that an index lies in the array, a declaration that stands behind it, and the index."""
    n, index_type = length_of(e.xs), writer.spelling.index_type
    wide = "long" if t is INT64 or index_type == "long" else "int"
    found = var(writer.name_for("at"), 0, n - 1)
    writer.loop_sizes.add(found)
    name = found.name if wide == index_type else writer.name_for("wide")
    writer.emit(Declare(f"const {wide}", name, writer.loaded(index, t)))
    guard = f"0 <= {name} && {name} < {writer.spelling.bare_size(n)}"
    narrowed = None if name == found.name else Declare(f"const {index_type}", found.name, f"({index_type}){name}")
    return guard, narrowed, found


def stored(target: Target, t: Type) -> Value:
    """What stands in the places of a target."""
    if isinstance(t, TupleType) and target.parts is not None:
        return TupleView(tuple(stored(part, p) for part, p in zip(target.parts, t.elements, strict=True)))
    if target.storage is None or target.index is None:
        raise GenerationError(f"scatter: elements of type {t} are not combined in place")
    return Load(target.storage, size(target.index))
