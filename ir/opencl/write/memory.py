"""Writes loads and stores: of scalars, of vectors where lanes are neighbours, and of lanes one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from ir.core.sizes import Size, is_le, is_multiple, size, var
from ir.core.types import BOOL, ScalarType, TupleType, Type, VectorType
from ir.errors import GenerationError
from ir.opencl.passes.accesses import AccessLog
from ir.opencl.read.views import (
    Choice,
    Index,
    Lanes,
    Load,
    Storage,
    Target,
    Text,
    TupleView,
    Value,
    are_neighbours,
    component_of,
    guarded,
    is_symbolic_lane,
    lane_step,
    target_at,
)
from ir.opencl.scope import Scope
from ir.opencl.tree import Block, Declare, If, Node, Statement
from ir.opencl.write.gathering import gathered, is_gathered_at_once
from ir.opencl.write.spelling import Spelling, c_type

__all__ = ["MemoryWriter"]


class MemoryWriter:
    """The part of the kernel writer that deals with places in memory and variables."""

    scope: Scope

    def __init__(self, spelling: Spelling) -> None:
        self.spelling = spelling
        self._names: dict[str, int] = {}
        self.taken: set[str] = set()  # the names of arguments
        self.loop_sizes = self.spelling.declared
        self.parts: dict[str, dict[str, Size]] = {}
        self.accesses = AccessLog()
        self.local_arrays: dict[str, Declare] = {}
        self.positions: set[Size] = set()  # variables that hold indices which come from data

    def name_for(self, stem: str) -> str:
        """A name not used before in this kernel."""
        number = self._names.get(stem, 0)
        while f"{stem}{number}" in self.taken:
            number += 1
        self._names[stem] = number + 1
        return f"{stem}{number}"

    def _emit(self, node: Node) -> None:
        match node:
            case Statement(text, writes=()) | Declare(value=str() as text) | If(condition=text):
                node.reads = self.accesses.reads(text)
        self.scope.block.body.append(node)

    def _emit_store(self, storage: Storage, index: Size, value: str, width: int = 1) -> None:
        """Store a scalar, or a vector into scalars that are neighbours."""
        if width > 1:
            place = self._pointer(storage.name, index)
            space = "" if storage.space == "private" else f"__{storage.space} "
            statement = Statement(f"*({space}{self._vector_at(storage, width, index)}*)({place}) = {value}")
        else:
            place = storage.place(self.spelling.bare_size(index))
            statement = Statement(f"{place} = {value}")
        written = self.accesses.note(storage, place, index, width)
        statement.stored = written
        if written.name in self.accesses.arrays:
            statement.reads, statement.writes = self.accesses.reads(value), (written,)
        self._emit(statement)

    def _variable(self, t: Type, text: str, stem: str, constant: bool = True, mask: int = 1) -> Text:
        name = self.name_for(stem)
        self.spelling.note_type(t)
        self._emit(Declare(("const " if constant else "") + c_type(t, mask=mask), name, text))
        return Text(name, mask)

    def loaded(self, value: Value, t: Type, test: str = "") -> str:
        """The C expression that a value of scalar or vector type is read by.

        Args:
            test: where it does not hold, the first place of the memory that the value lies in is read
        """
        match value:
            case Text():
                return (
                    self.spelling.as_mask(value, t) if isinstance(t, VectorType) and t.element is BOOL else value.text
                )
            case Load(storage, index):
                text = storage.place(self._place(index, test))
                self.accesses.note(storage, text, index)
                return f"({text} != 0)" if storage.element is BOOL else text
            case Index(value=index):
                return self.spelling.index(index, t)
            case Choice(index, limit, below, above, masked):
                if masked:
                    return self._masked(value, t)
                # What is masked further inside is loaded under this test: its place may be nowhere where that fails.
                both = (self.loaded(_plain(part), t) for part in (below, above))
                return f"({self._test(((index, limit),))} ? {next(both)} : {next(both)})"
            case Lanes(width, lane):
                return self._gathered(width, lane, t, test)
        raise GenerationError(f"a value of type {t} is used as a number")

    def _place(self, index: Size, test: str) -> str:
        """An index; the first one where a test does not hold."""
        text = self.spelling.bare_size(index)
        return f"{test} ? {text} : 0" if test else text

    def _masked(self, value: Choice, t: Type) -> str:
        """What may be a number in place of one in memory: that is loaded whatever the tests say."""
        choices: list[Choice] = []
        inner: Value = value
        while isinstance(inner, Choice) and inner.masked:
            choices.append(inner)
            inner = inner.below
            if isinstance(inner, Lanes) and isinstance(first := inner.lane(size(0)), Choice):
                inner = self._as_choice(first, inner, t) or inner
        with self._probing():
            parts = [inner.lane(size(k)) for k in range(inner.width)] if isinstance(inner, Lanes) else [inner]
        # Else there are other tests, which those may be needed for, or others may write the first number meanwhile.
        if all(isinstance(part, Load) and part.storage.space == "global" for part in parts):
            test = self._test(tuple([(each.index, each.limit) for each in choices]))
            inner = self._variable(t, self.loaded(inner, t, test), "masked")
        for each in reversed(choices):
            inner = replace(each, below=inner, masked=False)
        return self.loaded(inner, t)

    def _as_choice(self, first: Choice, value: Lanes, t: Type) -> Choice | None:
        """A vector whose lanes are all below their limit, as the first one, or all not, as a choice of two vectors."""
        width, lane = value.width, value.lane
        with self._probing():
            together = _on_one_side([lane(size(k)) for k in range(width)])
        if not together or (isinstance(t, VectorType) and t.element is BOOL):
            return None
        below, above = Lanes(width, lambda k: _below(lane(k))), Lanes(width, lambda k: _above(lane(k)))
        return replace(first, below=below, above=above)

    def _gathered(self, width: int, lane: Callable[[Size], Value], t: Type, test: str) -> str:
        assert isinstance(t, VectorType)
        first = lane(size(0))
        if isinstance(first, Load):

            def index_of(k: Size) -> Size:
                value = lane(k)
                return value.index if isinstance(value, Load) else size(-1)

            with self._probing():
                together = are_neighbours(first.index, index_of, width)
            if together:
                return self._vector_load(width, first, t, test)
        if isinstance(first, Index):

            def number_of(k: Size) -> Size:
                value = lane(k)
                return value.value if isinstance(value, Index) else size(-1)

            with self._probing():
                step = lane_step(first.value, number_of, width)
            if step is not None:
                return self.spelling.indices(first.value, step, t)
        if isinstance(first, Choice) and (choice := self._as_choice(first, Lanes(width, lane), t)) is not None:
            return self.loaded(choice, t)
        lanes, texts = [lane(size(k)) for k in range(width)], []
        last = lanes[-1]
        by_last = isinstance(last, Choice) and self._are_below_with(last, lanes, lane)
        for each in lanes:
            text = self.loaded(_plain(each) if by_last else each, t.element, test)
            texts.append(f"({text} ? -1 : 0)" if t.element is BOOL else text)
        if not test and is_gathered_at_once(t) and (array := self._one_array(lanes)) is not None:
            return gathered(self.spelling, array.name, texts, t)
        apart = f"({c_type(t)})({', '.join(texts)})"
        if not by_last:
            return apart
        assert isinstance(last, Choice)
        return self.loaded(Choice(last.index, last.limit, Lanes(width, lambda k: _below(lane(k))), Text(apart)), t)

    def _one_array(self, lanes: Sequence[Value]) -> Storage | None:
        """The array in global memory that all lanes are elements of, at places that come from data; else None."""
        loads = [x for x in lanes if isinstance(x, Load)]
        storage = loads[0].storage if len(loads) == len(lanes) else None
        if storage is None or storage.space != "global":
            return None
        same = all(x.storage is storage and x.index.variables & self.positions for x in loads)
        return storage if same else None

    def _are_below_with(self, last: Choice, lanes: Sequence[Value], lane: Callable[[Size], Value]) -> bool:
        """Are the lanes of a vector neighbours in memory, all of them, where the last one is below its limit?"""

        def index_of(k: Size) -> Size:
            value = _below(lane(k))
            return value.index if isinstance(value, Load) else size(-1)

        choices = [x for x in lanes if isinstance(x, Choice)]
        if not all(x.limit is last.limit and is_le(x.index, last.index) for x in choices):
            return False
        with self._probing():
            return are_neighbours(index_of(size(0)), index_of, len(lanes))

    @contextmanager
    def _probing(self) -> Iterator[None]:
        """Look at a view with a symbolic lane: what reading it would emit (the index of a gather) is dropped."""
        scope, variables = self.scope, set(self.spelling.variables)
        self.scope = Scope(scope, {}, Block())
        try:
            yield
        finally:
            self.scope, self.spelling.variables = scope, variables

    def _vector_at(self, storage: Storage, width: int, start: Size) -> str:
        """The type through which the vector that begins at an element is read or written."""
        assert isinstance(storage.element, ScalarType)
        bytes_, array = width * storage.element.bytes, self.local_arrays.get(storage.name)
        fits = array is not None or (storage.space == "global" and bytes_ <= self.spelling.alignment)
        if fits and (start % width).value == 0:
            if array is not None:
                array.aligned = max(array.aligned, bytes_)
            return f"{c_type(storage.element, memory=True)}{width}"
        return self.spelling.unaligned(storage.element, width)

    def _vector_load(self, width: int, first: Load, t: VectorType, test: str) -> str:
        assert isinstance(first.storage.element, ScalarType)
        start = first.index
        qualifier = {"global": "__global ", "local": "__local ", "private": ""}[first.storage.space]
        vector = self._vector_at(first.storage, width, start)
        name, offset = first.storage.name, self._place(start, test)
        place = f"{name} + ({offset})" if test else self._pointer(name, start)
        self.accesses.note(first.storage, place, start, width)
        text = f"*({qualifier}const {vector}*)({place})"
        return f"convert_char{width}({text} != (uchar)0)" if t.element is BOOL else text

    def _pointer(self, name: str, start: Size) -> str:
        offset = self.spelling.bare_size(start)
        if offset == "0":
            return name
        return f"{name} + ({offset})"  # one index, added once: compilers widen each term of a sum of pointers

    def lane(self, value: Value, k: Size, t: Type) -> Value:
        """One lane of a vector value (of each component of a tuple of vectors)."""
        if isinstance(t, TupleType):
            assert isinstance(value, TupleView)
            return TupleView(tuple(self.lane(part, k, p) for part, p in zip(value.parts, t.elements, strict=True)))
        if isinstance(value, Lanes):
            lane: Value = value.lane(k)
            return lane
        if k.value is None:
            raise GenerationError("a lane of a vector register is chosen by a variable: the loop must be unrolled")
        assert isinstance(t, VectorType)
        whole = value.text if isinstance(value, Text) else self.loaded(value, t)
        text = f"{whole}.s{k.value:x}"
        return Text(f"({text} != 0)" if t.element is BOOL else text)

    def store(self, value: Value, target: Target, t: Type) -> None:
        """Emit the store of a scalar, vector or tuple."""
        if target.named is not None:
            assert isinstance(t, TupleType)
            assert isinstance(value, TupleView)
            index, stored = value.parts
            self.store(stored, self.named_place(index, t.elements[0], target), t.elements[1])
            return
        if isinstance(t, TupleType):
            if not isinstance(value, (Choice, TupleView)):
                raise GenerationError(f"a value of type {t} is read at a place where its parts are not told apart")
            assert target.parts is not None
            for i, (place, p) in enumerate(zip(target.parts, t.elements, strict=True)):
                self.store(component_of(value, i), place, p)
            return
        text = self.loaded(value, t)
        if target.storage is not None:
            assert target.index is not None
            with self._guarded(target):
                self._emit_store(target.storage, target.index, text)
            return
        if target.lanes is None:
            raise GenerationError(f"a value of type {t} is written to a target of another shape")
        self._scatter(text, target, t)

    @contextmanager
    def _guarded(self, target: Target) -> Iterator[None]:
        """What is emitted meanwhile happens where the guards of a target let it be written."""
        if not target.guards:
            yield
            return
        block = Block()
        with self._within(block):
            yield
        self._emit(If(self._test(target.guards), block))

    def _test(self, guards: tuple[tuple[Size, Size], ...]) -> str:
        size = self.spelling.bare_size
        return " && ".join(f"{size(i)} < {size(count)}" for i, count in guards)

    def named_place(self, index: Value, t: Type, target: Target) -> Target:
        """Where the value of a pair goes whose index is that, if the pair is written at all."""
        assert target.named is not None
        assert target.extent is not None
        at = index.value if isinstance(index, Index) else self.size_variable(self.loaded(index, t), t, target.extent)
        return guarded(target_at(target.named, at), target.guards)

    def size_variable(self, text: str, t: Type, extent: Size) -> Size:
        """A variable for an integer that is known to be an index of that many elements."""
        found = var(self.name_for("at"), 0, extent - 1)
        self.loop_sizes.add(found)
        own = self.spelling.index_type
        self._emit(Declare(f"const {own}", found.name, text if c_type(t) == own else f"({own}){text}"))
        return found

    def _scatter(self, text: str, target: Target, t: Type) -> None:
        lanes = target.lanes
        assert lanes is not None
        assert isinstance(t, VectorType)
        first = lanes(size(0))
        if first.storage is None:
            raise GenerationError("vectors are stored into scalar memory only")

        def index_of(k: Size) -> Size:
            index = lanes(k).index
            assert index is not None
            return index

        if t.element is BOOL:
            text = f"{text} & (char)1"
        start = index_of(size(0))
        together = are_neighbours(start, index_of, t.width)
        if together and _all_or_none(first.guards, lanes(var("lane_", 0, t.width - 1)).guards, t.width):
            with self._guarded(first):
                self._emit_store(first.storage, start, _in_bytes(text, t), t.width)
            return
        kept = self._variable(t, text, "v")
        whole = self._whole_test(lanes, t.width) if together else ""
        if whole:
            block = Block()
            with self._within(block):
                self._emit_store(first.storage, start, _in_bytes(kept.text, t), t.width)
            self._emit(If(whole, block))
        apart = Block()
        with self._within(apart):
            for k in range(t.width):
                with self._guarded(lanes(size(k))):
                    self._emit_store(first.storage, index_of(size(k)), f"{kept.text}.s{k:x}")
        self._emit(If(f"!({whole})", apart, otherwise=True) if whole else apart)

    @contextmanager
    def _within(self, block: Block) -> Iterator[None]:
        outer, self.scope = self.scope, Scope(self.scope, {}, block)
        try:
            yield
        finally:
            self.scope = outer

    def _whole_test(self, lanes: Callable[[Size], Target], width: int) -> str:
        """The test that all lanes are written: that the last one is, where the guards ask more of each than of the one
        before; an empty text elsewhere.
        """
        last, k = lanes(size(width - 1)).guards, var("lane_", 0, width - 1)
        every = lanes(k).guards
        for (i, count), (greatest, same) in zip(every, last, strict=False):
            if count is not same or not is_le(i, greatest):
                return ""
        return self._test(last) if len(every) == len(last) else ""


def _all_or_none(first: tuple[tuple[Size, Size], ...], of_lane: tuple[tuple[Size, Size], ...], width: int) -> bool:
    """Do the guards of the first of so many lanes say whether all are written, or none? They do where they ask nothing
    of the lane, or neighbours are below a multiple of their number.

    Args:
        of_lane: the guards of a lane, whose number is a variable
    """
    if not any(map(is_symbolic_lane, _asked(of_lane))):
        return True
    lane = var("lane_", 0, width - 1)
    below_multiples = (
        count is same and i is start + lane and is_multiple(start, width) and is_multiple(count, width)
        for (i, count), (start, same) in zip(of_lane, first, strict=False)
    )
    return len(of_lane) == len(first) and all(below_multiples)


def _asked(guards: tuple[tuple[Size, Size], ...]) -> Iterator[Size]:
    """The variables that guards ask for."""
    return (v for guard in guards for part in guard for v in part.variables)


def _in_bytes(text: str, t: VectorType) -> str:
    """A vector as memory holds it: truth values are unsigned bytes there."""
    return f"convert_uchar{t.width}({text})" if t.element is BOOL else text


def _on_one_side(lanes: Sequence[Value]) -> bool:
    """Are the lanes of a vector all below their limit, or all not? They are where they ask one thing, or are neighbours
    and no multiple of their number lies between the first one and the limit.
    """
    first, count = lanes[0], len(lanes)
    assert isinstance(first, Choice)
    if not all(isinstance(x, Choice) and x.limit is first.limit for x in lanes):
        return False
    steps = [(x.index - first.index).value for x in lanes if isinstance(x, Choice)]
    whole = is_multiple(first.index, count) and is_multiple(first.limit, count)
    return steps == [0] * count or (whole and steps == list(range(count)))


def _plain(value: Value) -> Value:
    """A value of which nothing is masked."""
    match value:
        case Choice():
            return replace(value.each(_plain), masked=False)
        case Lanes(width, lane):
            return Lanes(width, lambda k: _plain(lane(k)))
    return value


def _below(value: Value) -> Value:
    """A value where it is below its limit, if it has one."""
    return value.below if isinstance(value, Choice) else value


def _above(value: Value) -> Value:
    """A value from its limit on."""
    assert isinstance(value, Choice)
    return value.above
