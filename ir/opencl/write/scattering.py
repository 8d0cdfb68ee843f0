"""Writes `scatterSeq`, a loop over values that reads and writes the result in the places they name, and reductions
whose accumulator is an array that each turn scatters into.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ir.core.expr import Expr, Lambda, Param, postorder
from ir.core.patterns import Element, Reduce, Scatter, length_of
from ir.core.sizes import Size, size, var
from ir.core.stored import changed_elements
from ir.core.types import INT64, ArrayType, TupleType, Type
from ir.errors import GenerationError
from ir.opencl.read.views import ArrayView, Load, Target, TupleView, Value, component_of, element_at, target_at
from ir.opencl.tree import Block, Declare, If
from ir.opencl.write.writers import writes

if TYPE_CHECKING:
    from ir.opencl.write.kernel import KernelWriter

__all__ = ["accumulate_array", "write_scatter"]


@writes(Scatter)
def write_scatter(writer: KernelWriter, e: Scatter, target: Target) -> None:
    """Fill a target with the array, then combine the values into it one after the other."""
    writer.write(e.xs, target)
    _combine(writer, e, target)


def accumulate_array(writer: KernelWriter, e: Reduce, target: Target) -> None:
    """Fill a target with the first accumulator of a reduction of arrays, and let each turn change it there: it scatters
    into it, or computes each element of the next one from the same element.
    """
    assert isinstance(e.f, Lambda)
    (accumulator, element), body = e.f.open()
    scatters = isinstance(body, Scatter) and body.xs is accumulator
    if not scatters and changed_elements(body, accumulator) is None:
        raise GenerationError(
            f"{e.name} with an array as its accumulator, which no scatter changes, nor a map of it zipped first: use a"
            " tuple"
        )
    match e.init:
        case Element(at, Reduce() as before) if at.value == 0 and isinstance(before.init.type, ArrayType):
            accumulate_array(writer, before, target)
        case init:
            writer.write(init, target)
    xs = writer.read(e.xs)
    with writer.loop(e.how.name, length_of(e.xs)) as i:
        writer.scope.bindings[element] = element_at(xs, i)
        if isinstance(body, Scatter):
            _combine(writer, body, target)
        else:
            _change(writer, body, accumulator, target)


def _change(writer: KernelWriter, e: Expr, accumulator: Param, target: Target) -> None:
    """Change each element of the accumulator that stands in a target."""
    inner = changed_elements(e, accumulator)
    assert inner is not None
    assert isinstance(inner.f, Lambda)
    assert isinstance(accumulator.type, ArrayType)
    before = accumulator.type.element
    writer.scope.bindings[accumulator] = ArrayView(lambda j: _stored(target_at(target, j), before))
    xs, (pair,) = writer.read(inner.xs), inner.f.open()[0]
    body = inner.f.open()[1]
    assert isinstance(pair.type, TupleType)
    with writer.loop(inner.how.name, length_of(inner.xs)) as j:
        read = element_at(xs, j)
        kept = writer.variables_of(pair.type.elements[0], "old", component_of(read, 0))  # before its parts are stored
        others = [component_of(read, i) for i in range(1, len(pair.type.elements))]
        writer.scope.bindings[pair] = TupleView((kept, *others))
        writer.write(body, target_at(writer.target_behind(e, target) if inner is not e else target, j))


def _combine(writer: KernelWriter, e: Scatter, target: Target) -> None:
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
                writer.scope.bindings[before] = writer.variables_of(before.type, "old", _stored(goal, before.type))
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


def _stored(target: Target, t: Type) -> Value:
    """What stands in the places of a target."""
    if isinstance(t, TupleType) and target.parts is not None:
        return TupleView(tuple(_stored(part, p) for part, p in zip(target.parts, t.elements, strict=True)))
    if target.storage is None or target.index is None:
        raise GenerationError(f"scatter: elements of type {t} are not combined in place")
    return Load(target.storage, size(target.index))
