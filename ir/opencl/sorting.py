"""Writes `rankSeq`: a loop over values that counts, for each key, how many there were."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ir.core.expr import Lambda
from ir.core.patterns import RankSeq
from ir.core.sizes import var
from ir.core.types import ArrayType, ScalarType, TupleType
from ir.opencl.reading import length_of
from ir.opencl.spelling import c_type, literal
from ir.opencl.tree import Declare
from ir.opencl.views import Index, Load, Target, TupleView, component_of, element_at, target_at

if TYPE_CHECKING:
    from ir.opencl.kernel import KernelWriter

__all__ = ["write_ranks"]


def write_ranks(writer: KernelWriter, e: RankSeq, target: Target) -> None:
    """Fill a target with pairs of a place and a value; the next place of each key stands in private memory."""
    assert isinstance(e.key, Lambda)
    assert isinstance(e.starts.type, ArrayType)
    assert isinstance(e.type, ArrayType)
    counters, xs = writer.private_copy(e.starts), writer.read(e.xs)
    (x,), pair = e.key.open()
    assert isinstance(pair.type, TupleType)
    key_type = pair.type.elements[0]
    assert isinstance(key_type, ScalarType)
    index_type = writer.spelling.index_type
    mask = literal((1 << e.bits) - 1, key_type)
    with writer.loop(e.name, length_of(e.xs)) as i:
        writer.scope.bindings[x] = element_at(xs, i)
        keyed = writer.read(pair)
        key = writer.loaded(component_of(keyed, 0), key_type)
        digit = var(writer.name_for("key"), 0, (1 << e.bits) - 1)
        writer.loop_sizes.add(digit)
        writer.emit(Declare(f"const {index_type}", digit.name, f"({index_type})({key} & {mask})"))
        place = var(writer.name_for("place"), 0)
        writer.loop_sizes.add(place)
        counted = writer.loaded(Load(counters, digit), e.starts.type.element)
        cast = "" if c_type(e.starts.type.element) == index_type else f"({index_type})"
        writer.emit(Declare(f"const {index_type}", place.name, f"{cast}{counted}"))
        writer.store_text(counters, digit, f"{place.name} + 1")
        named = TupleView((Index(place), component_of(keyed, 1)))
        writer.store(named, target_at(target, i), e.type.element)
