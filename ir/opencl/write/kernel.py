"""Writes the body of one kernel."""

from __future__ import annotations

from typing import Any

import ir.opencl.write.lanes  # registers how lanes scan
import ir.opencl.write.sorting  # noqa: F401  # registers how ranks are written
from ir.core.expr import Expr, Lambda, Param, postorder
from ir.core.patterns import (
    MAP,
    MAP_SEQ_HEAD,
    AsScalar,
    Compact,
    CompactBeside,
    Concat,
    Get,
    Head,
    IndexView,
    Iterate,
    Map,
    MapReduce,
    Memory,
    Overlap,
    Permute,
    Prefetch,
    Reduce,
    Scan,
    Tuple,
    Zip,
    length_of,
    moves_elements,
    narrow,
)
from ir.core.sizes import Size, size
from ir.core.types import ArrayType, ScalarType, TupleType, Type, VectorType
from ir.errors import GenerationError
from ir.opencl.read.shared_out import Owners, own_type, shared_dimensions, shared_target, shared_view
from ir.opencl.read.views import (
    ArrayView,
    Storage,
    Target,
    Value,
    array_target,
    compacted_target,
    component_target,
    element_at,
    elements_of,
    headed,
    leaf_types,
    memory_target,
    memory_view,
    permuted_target,
    scatter_target,
    shifted,
    target_at,
    turns_written,
)
from ir.opencl.scope import Scope
from ir.opencl.stages import Launch
from ir.opencl.tree import Barrier, Block, Declare, Function, If, Loop, Statement
from ir.opencl.write.accumulating import accumulate_array, accumulate_beside
from ir.opencl.write.helpers import DEVICE_FENCE
from ir.opencl.write.hints import NO_LOOP
from ir.opencl.write.loops import LoopWriter
from ir.opencl.write.parts import write_loop, write_parts
from ir.opencl.write.spelling import Spelling, c_type
from ir.opencl.write.writers import WRITERS

__all__ = ["KernelWriter"]

_LOCAL_ALIGNMENT = 16
"""Bytes at a multiple of which arrays in local memory begin that have as many: so neighbours are read together."""


class KernelWriter(LoopWriter):
    """Writes one kernel: `bind` its inputs, `write_result`, take the `function`."""

    def __init__(self, launch: Launch, index_type: str, alignment: int = 1) -> None:
        super().__init__(Spelling(index_type, alignment), launch)
        self.arguments: list[str] = []
        self.declarations = Block()
        self._whole = Block()
        self._shares_out = False
        self.scope = Scope(None, {}, self._whole)

    # --- the kernel's frame ----------------------------------------------------------------------------------------

    def bind(self, parameter: Param, storages: list[Storage]) -> None:
        """Let an input be read from those buffers."""
        self.scope.bindings[parameter] = memory_view(parameter.type, storages, size(0))

    def argument(self, text: str, storage: Storage) -> None:
        """Declare one buffer argument."""
        self.spelling.note_type(storage.element)
        self.taken.add(storage.name)
        self.arguments.append(text)

    def hand_over(self, e: Expr, result: Param, storages: list[Storage], counter: str) -> None:
        """Let all work-groups write a part of the kernel to those buffers. What is written from here on is done by the
        work-group that is done last, which may read them.

        Args:
            counter: the name of a `uint` in global memory, which is 0 before the kernel and afterwards
        """
        self.write_result(e, storages, size(0))
        self.taken.add(counter)
        self.arguments.append(f"volatile __global uint* {counter}")
        self.spelling.helpers["device_fence"] = DEVICE_FENCE
        dims = range(len(self.launch.groups))
        place = self.name_for("place")
        self.declarations.body.append(Declare("uint", place, length=1, space="__local", element_bytes=4))
        first = " && ".join(f"get_local_id({d}) == 0" for d in dims)
        groups = " * ".join(f"get_num_groups({d})" for d in dims)
        # Statements, not barriers of the tree: these order global memory, and are never left out.
        self._emit(Statement("barrier(CLK_GLOBAL_MEM_FENCE)"))
        count = Block([Statement("DEVICE_FENCE()"), Statement(f"{place}[0] = atomic_inc({counter})")])
        self._emit(If(first, count))
        self._emit(Statement("barrier(CLK_LOCAL_MEM_FENCE)"))
        last, is_last = Block(), f"{place}[0] == {groups} - 1"
        self._emit(If(is_last, last, loop=Loop("uint", self.name_for("turn"), "0", f"({is_last})", "1", last)))
        self.scope = Scope(self.scope, {}, last)
        self.is_last_group = True
        self._emit(Statement("DEVICE_FENCE()"))
        self._emit(If(first, Block([Statement(f"{counter}[0] = 0")])))
        self.bind(result, storages)

    def write_result(self, e: Expr, storages: list[Storage], start: Size) -> None:
        """Write the kernel's result to those buffers, from an element on."""
        self.count_uses(e)
        self.taken |= _size_names(e) | {v.name for v in start.variables}
        self.write(e, memory_target(e.type, storages, start))

    def sizes_used(self) -> list[Size]:
        """The size variables the code mentions, which the launch must supply."""
        return sorted(self.spelling.variables - self.loop_sizes, key=lambda v: v.name)

    def function(self) -> Function:
        """The finished kernel, without a name."""
        sizes = [f"{self.spelling.index_type} {v.name}" for v in self.sizes_used()]
        return Function(
            "",
            [*self.arguments, *sizes],
            Block([self.declarations, self._whole]),
            group=self.launch.local,
            items=self.items,
            arrays=self.accesses.arrays,
            shares_out=self._shares_out,
            parts=self.parts,
        )

    # --- storing intermediate results ------------------------------------------------------------------------------

    def compute(self, e: Expr) -> Value:
        """Emit the code that computes an intermediate result into memory, and return its view."""
        if isinstance(e, Iterate):
            return self.iterate(e)
        assert isinstance(e, Memory)
        return self._materialise(e.space, e.xs, e.apart)

    def _materialise(self, space: str, xs: Expr, apart: int = 0) -> Value:
        if space in ("global", "lastGroup"):
            raise GenerationError("toGlobal inside a kernel: there is no barrier across work-groups")
        if space == "private" and isinstance(xs, Reduce) and not isinstance(xs.init.type, ArrayType):
            accumulator = self._fold(xs)
            return ArrayView(lambda i: accumulator)
        if space == "local" or elements_of(xs.type).value != 1:
            self._compute_operands(xs)
        dims = shared_dimensions(xs) if space == "private" else ()
        if dims:
            return self._shared_out(xs, tuple((dim, self._extent("mapLocal", dim)) for dim in dims))
        storages, start = self._allocate(space, xs.type, apart), size(0)
        if space == "local":
            start = self._own_part() * elements_of(xs.type, apart)
            self._emit(Barrier(before=tuple(storage.name for storage in storages)))
        self.write(xs, memory_target(xs.type, storages, start, apart))
        if space == "local":
            self._emit(Barrier())
        return memory_view(xs.type, storages, start, apart)

    def _shared_out(self, xs: Expr, owners: Owners) -> Value:
        """An accumulator that work-items share out among them, or rows of which each computes one."""
        self._shares_out = True
        if isinstance(xs, Map):
            storages = self._allocate("private", own_type(xs.type, owners))
            self.write(xs, shared_target(xs.type, owners, storages, self.items))
            return shared_view(xs.type, owners, storages, self.items)
        assert isinstance(xs, Reduce)
        storages = self._allocate("private", own_type(xs.init.type, owners))
        accumulate_array(self, xs, shared_target(xs.init.type, owners, storages, self.items))
        whole = shared_view(xs.init.type, owners, storages, self.items)
        return ArrayView(lambda i: whole)

    def _kept_apart(self, init: Expr) -> Target:
        """Where an array that is accumulated is kept in private memory, shared out among work-items that compute it."""
        owners = tuple((dim, self._extent("mapLocal", dim)) for dim in shared_dimensions(init))
        storages = self._allocate("private", own_type(init.type, owners))
        return shared_target(init.type, owners, storages, self.items)

    def _compute_operands(self, xs: Expr) -> None:
        """Compute intermediate results that a value is made of before its own memory comes into use."""
        outside = set(postorder(xs, prune=lambda node: isinstance(node, Lambda)))
        for node in postorder(xs):
            if node.traits.materialised and (node in outside or not node.loose):
                self.read(node)

    def _own_part(self) -> Size:
        """Which part of an array in local memory is filled here: inside mapLocals each of their turns has its own."""
        number = size(0)
        for turns in self.scope.mapped_by_local():
            number = number * turns.trip + turns.index
        return number

    def _allocate(self, space: str, t: Type, apart: int = 0) -> list[Storage]:
        count = elements_of(t, apart).value
        if count is None:
            raise GenerationError(f"{space} memory needs a constant size; {t} has none")
        if space == "local":
            for turns in self.scope.mapped_by_local():
                if turns.trip is not self._extent("mapLocal", turns.dim):
                    raise GenerationError(f"a work-item takes one turn of a mapLocal{turns.dim} around a toLocal")
                assert turns.trip.value is not None  # it is the group's
                count *= turns.trip.value
        storages = []
        for leaf in leaf_types(t):
            self.spelling.note_type(leaf)
            name = self.name_for("shared" if space == "local" else "kept")
            single = space == "private" and count == 1
            if not single:
                self.accesses.declare(name)
            if space == "local":
                kind = c_type(leaf, memory=True)
                aligned = _LOCAL_ALIGNMENT if count * _bytes(leaf) >= _LOCAL_ALIGNMENT else 0
                array = Declare(kind, name, length=count, space="__local", element_bytes=_bytes(leaf), aligned=aligned)
                self.declarations.body.append(array)
                self.local_arrays[name] = array
            else:
                self._emit(Declare(c_type(leaf, memory=True), name, length=None if single else count))
            storages.append(Storage(name, space, leaf, single=single))
        return storages

    def allocate_private(self, t: Type) -> list[Storage]:
        """Private arrays for the components of an array's elements, which the kernel may change."""
        return self._allocate("private", t)

    def private_copy(self, e: Expr) -> Storage:
        """A private array of the elements of an array of scalars, which the kernel may change."""
        assert isinstance(e.type, ArrayType)
        xs, (storage,) = self.read(e), self._allocate("private", e.type)
        with self.loop("", length_of(e)) as i:
            self.store(element_at(xs, i), memory_target(e.type.element, [storage], i), e.type.element)
        return storage

    def store_text(self, storage: Storage, index: Size, text: str) -> None:
        """Store a scalar that is written already."""
        self._emit_store(storage, index, text)

    # --- writing: expressions to targets ---------------------------------------------------------------------------

    def write(self, e: Expr, target: Target) -> None:
        """Emit the code that fills a target with the value of an expression."""
        match e:
            case Map(_, xs, how) if how != MAP:
                self._write_map(e, target)
            case Reduce(init=init) if isinstance(init.type, ArrayType):
                accumulate_array(self, e, target_at(target, size(0)))
            case Reduce():
                self.store(self._fold(e), target_at(target, size(0)), e.init.type)
            case MapReduce():
                write_loop(self, e, {i: component_target(target, i) for i in (0, 1)})
            case Scan():
                self._fold(e, target)
            case _ if type(e) in WRITERS:
                WRITERS[type(e)](self, e, target)
            case Concat():
                start = size(0)
                for operand in e.operands:
                    self.write(operand, shifted(target, start))
                    start = start + length_of(operand)
            case Overlap(first=first, last=last):
                self.write(first, target)
                self.write(last, shifted(target, e.start))
            case Zip():
                for i, operand in enumerate(e.operands):
                    self.write(operand, component_target(target, i))
            case Memory("global", xs):  # in the function of a map that is written to global memory already
                self.write(xs, target)
            case Prefetch(distance, Map() as xs):
                self._write_map(xs, target, distance)
            case Prefetch(distance, Scan() as xs):
                self._fold(xs, target, distance)
            case Prefetch(_, xs):
                self.unheeded[NO_LOOP] = None
                self.write(xs, target)
            case _ if e.traits.moves or moves_elements(e):
                self.write(e.operands[-1], self.target_behind(e, target))
            case _ if isinstance(e.type, ArrayType):
                if e.traits.collective:
                    raise GenerationError(
                        f"nothing says how the result of {e.name} is written (ir.opencl.write.writers)"
                    )
                raise GenerationError(f"{e.name} is a view: no rule said which map copies it")
            case Tuple(operands=(index, value)) if target.named is not None:
                self.write(value, self.named_place(self.read(index), index.type, target))
            case Tuple():
                write_parts(self, e, target)
            case _:
                self.store(self.read(e), target, e.type)

    def target_behind(self, e: Expr, target: Target) -> Target:
        """Where the operand of a pattern goes that moves each element to one place of the target."""
        match e:
            case Head(count, xs):
                return headed(target, count, length_of(xs))
            case IndexView():
                return e.array(e.destination, self, target, array_target, target_at)
            case Permute(xs):
                return permuted_target(target, length_of(xs))
            case Compact(count):
                return compacted_target(target, count)
            case CompactBeside(count, other):
                assert target.parts is not None
                both = [compacted_target(part, n) for part, n in zip(target.parts, (count, other), strict=True)]
                return array_target(lambda i: Target(parts=tuple(target_at(part, i) for part in both)))
            case AsScalar(xs):
                assert isinstance(xs.type, ArrayType)
                element = xs.type.element
                width = narrow(element)[1]
                return array_target(lambda i: scatter_target(element, lambda k: target_at(target, i * width + k)))
            case Map(Lambda() as f):
                (variable,), body = f.open()
                return array_target(lambda i: self._target_of(variable, body, target_at(target, i)))
        raise GenerationError(f"nothing says where {e.name} has its operand written")

    def _target_of(self, variable: Expr, body: Expr, target: Target) -> Target:
        """Where a variable goes that is moved on to a target."""
        while body is not variable:
            target, body = self.target_behind(body, target), body.operands[-1]
        return target

    def _write_map(self, e: Map, target: Target, ahead: Size | None = None) -> None:
        assert isinstance(e.f, Lambda)
        xs = self.read(e.xs)
        (variable,), body = e.f.open()
        trip = length_of(e.xs)
        if e.how.name.endswith("Unroll"):
            self._no_hints(e.xs, ahead)
            for number in range(_constant(trip)):
                with self._block(Block(), {variable: element_at(xs, size(number))}) as block:
                    self.write(body, target_at(target, size(number)))
                self._emit(block)
            return
        if e.how is MAP_SEQ_HEAD:
            trip = turns_written(target, trip, body.type)
        with self._loop(e.how.name, e.how.dim, trip) as index:
            self.hint_reads(e.xs, xs, index)
            if ahead is not None:
                self.hint_writes(target, index, ahead, body.type)
            self.scope.bindings[variable] = element_at(xs, index)
            self.write(body, target_at(target, index))

    def fold_beside(self, e: MapReduce, target: Target, place: Target | None = None) -> Value:
        """The accumulator of a loop that writes a result to the target each turn; whoever reads it finds it here.

        Args:
            place: where an array that is accumulated is written; without it, it is kept in private memory
        """
        if isinstance(e.init.type, ArrayType):
            accumulator = accumulate_beside(self, e, place or self._kept_apart(e.init), target)
        else:
            accumulator = self._fold(e, target)
        self.scope.remember(Get(0, e), ArrayView(lambda i: accumulator))
        return accumulator

    def _fold(self, e: Any, target: Target | None = None, ahead: Size | None = None) -> Value:
        """The accumulator of what folds in order, when its loop has run; a scan's, or what a turn gives beside it, goes
        to the target each turn.
        """
        assert isinstance(e.f, Lambda)
        xs = self.read(e.xs)
        (acc, element), body = e.f.open()
        if isinstance(acc.type, ArrayType):
            raise GenerationError(f"{e.name} with an array as its accumulator: use a tuple")
        accumulator = self.variables_of(acc.type, "acc", self.read(e.init))
        trip = length_of(e.xs)
        if e.how.name.endswith("Unroll"):
            self._no_hints(e.xs, ahead)
            for number in range(_constant(trip)):
                with self._block(Block(), {acc: accumulator, element: element_at(xs, size(number))}) as block:
                    self._turn(accumulator, acc.type, body, None if target is None else target_at(target, size(number)))
                self._emit(block)
            return accumulator
        with self._loop(e.how.name, 0, trip) as index:
            self.hint_reads(e.xs, xs, index)
            if ahead is not None and target is not None:
                written = e.type.elements[1] if isinstance(e.type, TupleType) else e.type
                assert isinstance(written, ArrayType)
                self.hint_writes(target, index, ahead, written.element)
            self.scope.bindings.update({acc: accumulator, element: element_at(xs, index)})
            self._turn(accumulator, acc.type, body, None if target is None else target_at(target, index))
        return accumulator

    def _no_hints(self, xs: Expr, ahead: Size | None) -> None:
        """Note what an unrolled loop over `xs`, or the output of which is to be asked for ahead, leaves out."""
        if isinstance(xs, Prefetch) or ahead is not None:
            self.unheeded[NO_LOOP] = None

    def _turn(self, accumulator: Value, t: Type, body: Expr, target: Target | None) -> None:
        """One turn of a reduction or scan: the accumulator's new value, and what goes to the target, if there is one.

        A body of the accumulator's type is that value and that result; any other is a pair of the two.
        """
        if body.type is t:
            self.assign(accumulator, self.read(body), body)
            if target is not None:
                self.store(accumulator, target, t)
            return
        assert target is not None
        carried, result = body.operands if isinstance(body, Tuple) else (Get(0, body), Get(1, body))
        following = self.read(carried)  # where the result uses it too, it is computed here, once
        self.write(result, target)  # before the accumulator changes, which it may use
        self.assign(accumulator, following, carried)


def _size_names(e: Expr) -> set[str]:
    """The names of the size variables that lengths and parameters mention."""
    found: set[Size] = set()
    for node in postorder(e):
        lengths = [node.type.length] if isinstance(node.type, ArrayType) else []
        for value in (*lengths, *node.parameters):
            if isinstance(value, Size):
                found |= value.variables
    return {v.name for v in found}


def _constant(trip: Size) -> int:
    if trip.value is None:
        raise GenerationError(f"an unrolled loop needs a constant length, got {trip}")
    return trip.value


def _bytes(t: Type) -> int:
    if isinstance(t, VectorType):
        return t.element.bytes * t.width
    assert isinstance(t, ScalarType)
    return t.bytes
