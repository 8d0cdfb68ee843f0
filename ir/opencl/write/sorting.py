"""Writes `rankSeq`: a loop over values that counts, for each key, how many there were."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ir.core.expr import Lambda
from ir.core.patterns import RankRunsSeq, RankSeq, length_of
from ir.core.sizes import Size, size, var
from ir.core.types import ArrayType, ScalarType, TupleType
from ir.errors import GenerationError
from ir.opencl.read.views import (
    Index,
    Load,
    Storage,
    Target,
    TupleView,
    Value,
    component_of,
    element_at,
    memory_target,
    memory_view,
    target_at,
)
from ir.opencl.tree import Block, Declare, If
from ir.opencl.write.spelling import c_type, literal
from ir.opencl.write.writers import writes

if TYPE_CHECKING:
    from ir.opencl.write.kernel import KernelWriter

__all__ = ["write_ranks"]


@writes(RankSeq, RankRunsSeq)
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
    runs = _Runs(writer, e, target) if isinstance(e, RankRunsSeq) else None
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
        if runs is None:
            writer.store(named, target_at(target, i), e.type.element)
        else:
            runs.take(digit, place, component_of(keyed, 1))
    if runs is not None:
        runs.finish(counters)


class _Runs:
    """The values of each key that are not written yet: a run of neighbours, each where its place says, modulo r."""

    def __init__(self, writer: KernelWriter, e: RankRunsSeq, target: Target) -> None:
        assert isinstance(e.type, ArrayType)
        assert isinstance(e.type.element, TupleType)
        self.target = target_at(target, size(0))
        if self.target.named is None:
            raise GenerationError("rankRunsSeq: its runs are written to the places that they name: below a permute")
        self.writer, self.run, self.pair = writer, e.run, e.type.element
        self.keys = size(1 << e.bits)
        self.kept = ArrayType(self.pair.elements[1], self.keys * e.run)
        self.starts = writer.read(e.starts)
        self.storages: list[Storage] = writer.allocate_private(self.kept)

    def take(self, digit: Size, place: Size, value: Value) -> None:
        """Keep a value; where its run is full, write it."""
        slot = self._declared("slot", f"{place.name} & {self.run - 1}")
        kept = memory_target(self.kept, self.storages, size(0))
        self.writer.store(value, target_at(kept, digit * self.run + slot), self.kept.element)
        full = Block()
        with self.writer.block(full):
            self._write(digit, place - slot, size(self.run))
        self.writer.emit(If(f"{slot.name} == {self.run - 1}", full))

    def finish(self, counters: Storage) -> None:
        """Write what is left of each key's last run."""
        assert isinstance(self.pair.elements[0], ScalarType)
        index_type = self.writer.spelling.index_type
        with self.writer.loop("", self.keys) as digit:
            end = var(self.writer.name_for("end"), 0)
            self.writer.loop_sizes.add(end)
            text = self.writer.loaded(Load(counters, digit), self.pair.elements[0])
            self.writer.emit(Declare(f"const {index_type}", end.name, f"({index_type}){text}"))
            slot = self._declared("slot", f"{end.name} & {self.run - 1}")
            self._write(digit, end - slot, slot)

    def _write(self, digit: Size, first: Size, stop: Size) -> None:
        """Write the values of a run that begins at the place `first`: those from the key's own start on."""
        writer = self.writer
        start = writer.loaded(element_at(self.starts, digit), self.pair.elements[0])
        own = f"({writer.spelling.index_type}){start} - ({writer.spelling.bare_size(first)})"
        skipped = self._declared("skipped", f"max({own}, ({writer.spelling.index_type})0)")
        kept = memory_view(self.kept, self.storages, size(0))
        with writer.loop("", stop - skipped) as j:
            value = element_at(kept, digit * self.run + skipped + j)
            writer.store(TupleView((Index(first + skipped + j), value)), self.target, self.pair)

    def _declared(self, name: str, text: str) -> Size:
        """A variable of that value, which is less than a run is long."""
        found = var(self.writer.name_for(name), 0, self.run - 1)
        self.writer.loop_sizes.add(found)
        self.writer.emit(Declare(f"const {self.writer.spelling.index_type}", found.name, text))
        return found
