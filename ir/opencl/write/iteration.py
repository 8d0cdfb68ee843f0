"""Writes `iterate`: a loop whose turns read one local array and write another."""

from __future__ import annotations

from abc import abstractmethod

from ir.core.expr import Expr, Lambda
from ir.core.patterns import Iterate, Memory, length_of
from ir.core.size_variables import substitute_sizes
from ir.core.sizes import Size, is_le, size, var
from ir.core.types import ArrayType, Type
from ir.errors import GenerationError
from ir.opencl.read.views import ArrayView, Load, Storage, Target, TupleView, Value, memory_target, memory_view
from ir.opencl.tree import Barrier, Block, Declare, Loop, Statement, Turns
from ir.opencl.write.hints import HintWriter
from ir.opencl.write.spelling import c_type

__all__ = ["IterateWriter"]


class IterateWriter(HintWriter):
    """The part of the kernel writer that repeats a step."""

    @abstractmethod
    def write(self, e: Expr, target: Target) -> None:
        """Emit the code that fills a target with the value of an expression."""

    @abstractmethod
    def _own_part(self) -> Size:
        """Which part of an array in local memory is filled here."""

    @abstractmethod
    def _allocate(self, space: str, t: Type) -> list[Storage]:
        """Memory of that address space for the components of a value."""

    def iterate(self, e: Iterate) -> Value:
        """Two buffers that change roles at each turn; the length is a variable of the loop."""
        if not isinstance(e.xs, Memory) or e.xs.space != "local" or e.xs.apart:
            raise GenerationError("iterate works on an array in local memory: its input must be a toLocal")
        count, start = e.count, e.xs
        self.read(start)
        is_read_again = self._uses.get(start, 0) > 1 or not self.scope.binds(start)
        source, first = self._places_of(start)
        half = ArrayType(start.type.element, length_of(start) // e.factor)  # type: ignore[attr-defined]  # an array
        spare, rest = self._allocate("local", half), self._own_part() * (length_of(start) // e.factor)
        # What others read stays as it is: then the second turn writes to a third buffer, not to the source.
        third = self._allocate("local", half) if is_read_again else source
        turn = var(self.name_for("turn"), 0, count - 1)
        length = var(self.name_for("length"), 1, length_of(start) // e.factor)
        self.loop_sizes |= {turn, length}
        index = self.spelling.index_type
        self._emit(Barrier(before=tuple(storage.name for storage in (spare + third if is_read_again else spare))))
        reading, writing, swaps = [], [], Block()
        for a, b, c in zip(source, spare, third, strict=True):
            r, w, n = self.name_for("from"), self.name_for("into"), self.name_for("swap")
            kind = f"__local {c_type(a.element, memory=True)}*"
            here = self.scope.block.body
            here.extend([Declare(kind, r, self._from(a, first)), Declare(kind, w, self._from(b, rest))])
            for pointer in (r, w, n):
                self.accesses.declare(pointer, a.name, b.name, c.name)
            if (first, rest) != (size(0), size(0)):
                starts = {c.name: rest, b.name: rest, a.name: first}
                self.parts.update(dict.fromkeys((r, w, n), starts))
            if is_read_again:
                here.append(Declare(kind, n, self._from(c, rest)))
                swaps.body += [Statement(f"{r} = {w}"), Statement(f"{w} = {n}"), Statement(f"{n} = {r}")]
            else:
                swaps.body += [Declare(kind, n, r), Statement(f"{r} = {w}"), Statement(f"{w} = {n}")]
            reading.append(Storage(r, "local", a.element))
            writing.append(Storage(w, "local", a.element))
        self._emit(Declare(index, length.name, self.spelling.bare_size(length_of(start) // e.factor)))
        body = Block(turns=Turns(turn, size(1) * count))
        step = substitute_sizes(e.f, {e.size_variable: length})
        assert isinstance(step, Lambda)
        (variable,), step_body = step.open()
        self.count_uses(step_body)
        with self._block(body, {variable: memory_view(variable.type, reading, size(0))}):
            self.write(step_body, memory_target(step_body.type, writing, size(0)))
            self._emit(Barrier())
            self._emit(swaps)
            self._emit(Statement(f"{length.name} = {length.name} / {self.spelling.size(e.factor)}"))
        self._emit(Loop(index, turn.name, "0", self.spelling.bare_size(count), "1", body, runs=is_le(1, count)))
        return memory_view(e.type, reading, size(0))

    def _from(self, storage: Storage, start: Size) -> str:
        """A pointer to that element of an array."""
        return storage.name if start.value == 0 else f"{storage.name} + {self.spelling.size(start)}"

    def _places_of(self, e: Expr) -> tuple[list[Storage], Size]:
        """The storages behind a materialised expression, and where in each of them it begins."""
        found: list[Storage] = []
        start = size(0)

        def collect(value: Value) -> None:
            nonlocal start
            if isinstance(value, TupleView):
                for part in value.parts:
                    collect(part)
            elif isinstance(value, ArrayView):
                collect(value.at(size(0)))
            else:
                assert isinstance(value, Load) and (not found or value.index is start)
                found.append(value.storage)
                start = value.index

        collect(self.read(e))
        return found, start
