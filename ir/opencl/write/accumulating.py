"""Writes reductions whose accumulator is an array: each turn changes it where it lies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ir.core.expr import Expr, Lambda
from ir.core.patterns import (
    Element,
    Get,
    MapReduce,
    Mma,
    Prefetch,
    PrefetchAgain,
    PrefetchCopies,
    Reduce,
    Scatter,
    Tuple,
    length_of,
)
from ir.core.sizes import Size
from ir.core.stored import changed_elements, changes
from ir.core.types import ArrayType, TupleType, Type
from ir.errors import GenerationError
from ir.opencl.read.views import ArrayView, Target, TupleView, Value, component_of, element_at, target_at
from ir.opencl.write.ahead import NOT_STAGED, NOT_THE_NEXT, load_ahead
from ir.opencl.write.copies_ahead import NOT_COPIED, copy_ahead
from ir.opencl.write.lanes import multiply_by_warp
from ir.opencl.write.scattering import combine, stored

if TYPE_CHECKING:
    from ir.opencl.write.kernel import KernelWriter

__all__ = ["accumulate_array", "accumulate_beside"]


def accumulate_array(writer: KernelWriter, e: Reduce, target: Target) -> None:
    """Fill a target with the first accumulator of a reduction of arrays, and let each turn change it there: it scatters
    into it, or computes each element of the next one from the same element.
    """
    _begin(writer, e.init, target)
    _go_on(writer, e, target)


def _begin(writer: KernelWriter, init: Expr, target: Target) -> None:
    """Fill a target with the first accumulator, which another reduction of arrays may give."""
    match init:
        case Element(at, Reduce() as before) if at.value == 0 and isinstance(before.init.type, ArrayType):
            accumulate_array(writer, before, target)
        case _:
            writer.write(init, target)


def accumulate_beside(writer: KernelWriter, e: MapReduce, accumulated: Target, results: Target) -> Value:
    """The same for a loop that has a result beside each turn, which may use the accumulator as it was before; how the
    accumulator is read when the loop has run.
    """
    assert isinstance(e.f, Lambda)
    (accumulator, element), body = e.f.open()
    assert isinstance(accumulator.type, ArrayType)
    if not isinstance(body, Tuple) or not changes(body.operands[0], accumulator):
        raise GenerationError(f"{e.name} with an array as its accumulator, which no map of it zipped first changes")
    following, result = body.operands
    _begin(writer, e.init, accumulated)
    xs = writer.read(e.xs)

    def turn(i: Size) -> None:
        writer.hint_reads(e.xs, xs, i)
        writer.scope.bindings[element] = element_at(xs, i)
        writer.scope.bindings[accumulator] = _standing(accumulated, accumulator.type)
        writer.write(result, target_at(results, i))
        _change(writer, following, accumulator, accumulated)

    writer.each(e.how, length_of(e.xs), turn)
    return _standing(accumulated, accumulator.type)


def _go_on(writer: KernelWriter, e: Reduce, target: Target) -> None:
    """Let the turns of a reduction of arrays change the accumulator that stands in a target."""
    assert isinstance(e.f, Lambda)
    (accumulator, element), body = e.f.open()
    scatters = isinstance(body, Scatter) and body.xs is accumulator
    if not scatters and not changes(body, accumulator):
        raise GenerationError(
            f"{e.name} with an array as its accumulator, which no scatter changes, nor a map of it zipped first: use a"
            " tuple"
        )
    xs = writer.read(e.xs)

    def turn(i: Size) -> None:
        writer.scope.bindings[element] = element_at(xs, i)
        if isinstance(body, Scatter):
            combine(writer, body, target)
        else:
            _change(writer, body, accumulator, target)

    writer.each(e.how, length_of(e.xs), turn)
    if isinstance(e.xs, Prefetch):
        if isinstance(e.xs, PrefetchCopies):
            turns = e.xs.distance.value
            if turns is None or turns < 1 or not copy_ahead(writer, turns):
                writer.unheeded[NOT_COPIED] = None
        elif e.xs.distance.value != 1:
            writer.unheeded[NOT_THE_NEXT] = None
        elif not load_ahead(writer, again=isinstance(e.xs, PrefetchAgain)):
            writer.unheeded[NOT_STAGED] = None


def _change(writer: KernelWriter, e: Expr, accumulator: Expr, target: Target) -> None:
    """Change each element of the accumulator that stands in a target."""
    assert isinstance(accumulator.type, ArrayType)
    before = accumulator.type.element
    writer.scope.bindings[accumulator] = _standing(target, accumulator.type)
    if isinstance(e, Mma):
        multiply_by_warp(writer, e, target)
        return
    inner = changed_elements(e, accumulator)
    if inner is None:
        assert isinstance(e, Element)
        assert isinstance(e.xs, Reduce)
        _go_on(writer, e.xs, target)
        return
    assert isinstance(inner.f, Lambda)
    xs, ((pair,), body) = writer.read(inner.xs), inner.f.open()
    assert isinstance(pair.type, TupleType)
    t, places = pair.type.elements[0], target if inner is e else writer.target_behind(e, target)

    def turn(j: Size) -> None:
        read = element_at(xs, j)
        own = component_of(read, 0)
        if not isinstance(before, ArrayType):  # kept apart before its parts are stored
            own = writer.variables_of(t, "old", own)
        others = [component_of(read, i) for i in range(1, len(pair.type.elements))]  # type: ignore[attr-defined]
        writer.scope.bindings[pair] = TupleView((own, *others))
        if isinstance(before, ArrayType):
            _change(writer, body, Get(0, pair), target_at(places, j))
        else:
            writer.write(body, target_at(places, j))

    writer.each(inner.how, length_of(inner.xs), turn)


def _standing(target: Target, t: Type) -> Value:
    """What stands in a target."""
    if isinstance(t, ArrayType):
        element = t.element
        return ArrayView(lambda i: _standing(target_at(target, i), element))
    return stored(target, t)
