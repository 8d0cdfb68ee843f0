"""Writes scalar and vector values: primitives, loads, stores and the temporaries that keep sharing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ir.core.expr import Expr, Lambda, Param, postorder
from ir.core.patterns import Call, Cast, FromSize, Get, Literal, Splat, Tuple
from ir.core.sizes import Size, is_le, size, var
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
    lane_step,
    target_at,
)
from ir.opencl.scope import Scope
from ir.opencl.tree import Block, Declare, If, Node, Statement
from ir.opencl.write.spelling import Spelling, by_lanes, c_type, is_opaque, literal

__all__ = ["ScalarWriter"]


_DEEP = 32
"""Levels of scalar operations that are written as one C expression at most."""


class ScalarWriter:
    """The part of the kernel writer that deals with single values."""

    scope: Scope

    def __init__(self, spelling: Spelling) -> None:
        self.spelling = spelling
        self._uses: dict[Expr, int] = {}
        self._counted: set[Expr] = set()
        self._depths: dict[Expr, int] = {}
        self._names: dict[str, int] = {}
        self.taken: set[str] = set()  # the names of arguments
        self.loop_sizes = self.spelling.declared
        self.accesses = AccessLog()
        self.local_arrays: dict[str, Declare] = {}
        self._symbolic: dict[tuple[Size, Size], tuple[Size, Size]] = {}  # divisions of indices of a symbolic lane
        self.divisions: dict[tuple[Size, Size], tuple[Size, Size]] = {}  # (quotient, remainder): (index, divisor)

    def name_for(self, stem: str) -> str:
        """A name not used before in this kernel."""
        number = self._names.get(stem, 0)
        while f"{stem}{number}" in self.taken:
            number += 1
        self._names[stem] = number + 1
        return f"{stem}{number}"

    def count_uses(self, root: Expr) -> None:
        """Count how often each node below `root` is used, lambda bodies (opened) included."""
        stack = [root]
        while stack:
            node = stack.pop()
            if node in self._counted:
                continue
            self._counted.add(node)
            operands = (node.open()[1],) if isinstance(node, Lambda) else node.operands
            for operand in operands:
                self._uses[operand] = self._uses.get(operand, 0) + 1
                stack.append(operand)

    def _emit(self, node: Node) -> None:
        match node:
            case Statement(text, writes=()) | Declare(value=str() as text) | If(condition=text):
                node.reads = self.accesses.reads(text)
        self.scope.block.body.append(node)

    def _emit_store(self, storage: Storage, index: Size, value: str, width: int = 1) -> None:
        """Store a scalar, or a vector into scalars that are neighbours."""
        if width > 1:
            place = self._pointer(storage.name, index)
            vector = self._vector_at(storage, width, index)
            aligned = not vector.startswith("unaligned")
            space = f"__{storage.space}"  # private memory is never aligned
            text = f"*({space} {vector}*)({place}) = {value}" if aligned else f"vstore{width}({value}, 0, {place})"
            statement = Statement(text)
        else:
            place = storage.place(self.spelling.bare_size(index))
            statement = Statement(f"{place} = {value}")
        written = self.accesses.note(storage, place, index, width)
        statement.stored = written
        if written.name in self.accesses.arrays:
            statement.reads, statement.writes = self.accesses.reads(value), (written,)
        self._emit(statement)

    def read(self, e: Expr) -> Value:
        """The value of any expression."""
        raise AssertionError  # the kernel writer's part

    def scalar(self, e: Expr) -> Value:
        """The value of a scalar, vector or tuple expression."""
        match e:
            case Literal():
                self.spelling.note_type(e.dtype)
                return Text(literal(e.value, e.dtype))
            case FromSize():
                return self.spelling.cast(Text(self.spelling.size(e.value)), ScalarType("int32"), e.dtype)
            case Tuple():
                return TupleView(tuple(self.read(operand) for operand in e.operands))
            case Splat():
                return self._splat(self.read(e.operand), e.type)
            case Cast():
                self._shallow(e)
                return self._keep(e, self.spelling.cast(self.operand(e.operand), e.operand.type, e.type))
            case Call():
                self._shallow(e)
                negated = _negated(e)
                if negated is not None:
                    return self._keep(e, self.spelling.call("negative", [self.operand(negated)], [e.type], e.type))
                operands = [self.operand(operand) for operand in e.operands]
                types = [operand.type for operand in e.operands]
                if by_lanes(e.op, types[-1] if e.op == "select" else types[0]):
                    operands = [Text(self.named(o.text, t)) for o, t in zip(operands, types, strict=True)]
                return self._keep(e, self.spelling.call(e.op, operands, types, e.type))
        raise GenerationError(f"{e.name} has no value that a kernel can compute")

    def named(self, text: str, t: Type) -> str:
        """A variable for a value that is about to be written once for each lane."""
        return text if text.isidentifier() else self._variable(t, text, "v").text

    def _shallow(self, e: Expr) -> None:
        """Compute the inside of a deep expression first, in pieces: writing it then recurses to a bounded depth."""

        def known(node: Expr) -> bool:
            return node in self._depths or not isinstance(node, (Call, Cast))

        for node in postorder(e, prune=known):
            self._depths[node] = 1 + max((self._depths.get(operand, 0) for operand in node.operands), default=0)
        if self._depths[e] <= _DEEP:
            return
        for node in postorder(e, prune=lambda n: not isinstance(n, (Call, Cast)) or self.scope.find(n) is not None):
            if node is not e and self._depths[node] % _DEEP == 0:
                value = self.scalar(node)
                if isinstance(value, Text) and self.scope.find(node) is None:
                    self.scope.remember(node, self._variable(node.type, value.text, "t", mask=value.mask))

    def _splat(self, value: Value, t: Type) -> Value:
        if isinstance(t, TupleType):
            assert isinstance(value, TupleView)
            return TupleView(tuple(self._splat(part, p) for part, p in zip(value.parts, t.elements, strict=True)))
        assert isinstance(t, VectorType)
        text = self.loaded(value, t.element)
        if t.element is BOOL:
            text = f"({text} ? -1 : 0)"
        return Text(f"({c_type(t)})({text})")

    def _keep(self, e: Expr, value: Text) -> Value:
        """Put a value that is used more than once, or has grown long, into a variable of its own."""
        if self._uses.get(e, 0) > 1 or len(value.text) > 100:
            return self.scope.remember(e, self._variable(e.type, value.text, "t", mask=value.mask))
        return value

    def _variable(self, t: Type, text: str, stem: str, constant: bool = True, mask: int = 1) -> Text:
        name = self.name_for(stem)
        self.spelling.note_type(t)
        self._emit(Declare(("const " if constant else "") + c_type(t, mask=mask), name, text))
        return Text(name, mask)

    def operand(self, e: Expr) -> Text:
        """The C expression of what is computed with: truth values in vectors may stay as wide as they are."""
        value = self.read(e)
        return value if isinstance(value, Text) else Text(self._text(e, value))

    def text(self, e: Expr) -> str:
        """The C expression of a scalar or vector; a value in memory that is used more than once is read once."""
        return self._text(e, self.read(e))

    def _text(self, e: Expr, value: Value) -> str:
        text = self.loaded(value, e.type)
        if isinstance(value, Index) and text.isidentifier():
            return text
        if not isinstance(value, Text) and self._uses.get(e, 0) > 1 and _is_variable(e):
            kept = self._variable(e.type, text, "e")
            self.scope.remember(e, kept)
            return kept.text
        return text

    # --- memory ----------------------------------------------------------------------------------------------------

    def loaded(self, value: Value, t: Type) -> str:
        """The C expression that a value of scalar or vector type is read by."""
        match value:
            case Text():
                return (
                    self.spelling.as_mask(value, t) if isinstance(t, VectorType) and t.element is BOOL else value.text
                )
            case Load(storage, index):
                text = storage.place(self.spelling.bare_size(index))
                self.accesses.note(storage, text, index)
                return f"({text} != 0)" if storage.element is BOOL else text
            case Index(value=index):
                return self.spelling.index(index, t)
            case Choice(index, limit, below, above):
                test = f"{self.spelling.bare_size(index)} < {self.spelling.bare_size(limit)}"
                return f"({test} ? {self.loaded(below, t)} : {self.loaded(above, t)})"
            case Lanes(width, lane):
                return self._gathered(width, lane, t)
        raise GenerationError(f"a value of type {t} is used as a number")

    def _gathered(self, width: int, lane: Callable[[Size], Value], t: Type) -> str:
        assert isinstance(t, VectorType)
        first = lane(size(0))
        if isinstance(first, Load):

            def index_of(k: Size) -> Size:
                value = lane(k)
                return value.index if isinstance(value, Load) else size(-1)

            with self._probing():
                together = are_neighbours(first.index, index_of, width)
            if together:
                return self._vector_load(width, first, t)
        if isinstance(first, Index):

            def number_of(k: Size) -> Size:
                value = lane(k)
                return value.value if isinstance(value, Index) else size(-1)

            with self._probing():
                step = lane_step(first.value, number_of, width)
            if step is not None:
                return self.spelling.indices(first.value, step, t)
        if isinstance(first, Choice) and t.element is not BOOL:
            with self._probing():
                together = _on_one_side([lane(size(k)) for k in range(width)])
            if together:
                below, above = Lanes(width, lambda k: _below(lane(k))), Lanes(width, lambda k: _above(lane(k)))
                return self.loaded(Choice(first.index, first.limit, below, above), t)
        texts, lanes = [], []
        for k in range(width):
            lanes.append(lane(size(k)))
            text = self.loaded(lanes[k], t.element)
            texts.append(f"({text} ? -1 : 0)" if t.element is BOOL else text)
        apart, last = f"({c_type(t)})({', '.join(texts)})", lanes[-1]
        if not isinstance(last, Choice) or not self._are_below_with(last, lanes, lane):
            return apart
        return self.loaded(Choice(last.index, last.limit, Lanes(width, lambda k: _below(lane(k))), Text(apart)), t)

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

    def _vector_load(self, width: int, first: Load, t: VectorType) -> str:
        assert isinstance(first.storage.element, ScalarType)
        start = first.index
        qualifier = {"global": "__global ", "local": "__local ", "private": ""}[first.storage.space]
        vector = self._vector_at(first.storage, width, start)
        place = self._pointer(first.storage.name, start)
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
        """Where the value of a pair goes whose index is that."""
        assert target.named is not None
        assert target.extent is not None
        at = index.value if isinstance(index, Index) else self.size_variable(self.loaded(index, t), t, target.extent)
        return target_at(target.named, at)

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
        if together and not lanes(var("lane_", 0, t.width - 1)).guards:
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

    # --- accumulators ----------------------------------------------------------------------------------------------

    def variables_of(self, t: Type, stem: str, initial: Value) -> Value:
        """Fresh variables that hold a value of that type, set to `initial`."""
        if isinstance(t, TupleType):
            assert isinstance(initial, TupleView)
            parts = zip(t.elements, initial.parts, strict=True)
            return TupleView(tuple(self.variables_of(p, stem, part) for p, part in parts))
        return self._variable(t, self.loaded(initial, t), stem, constant=False)

    def assign(self, accumulator: Value, value: Value, body: Expr) -> None:
        """Emit the assignment of new values to an accumulator, all at once where one depends on another's old value."""
        names, texts = _flatten(accumulator), [self.loaded(v, t) for v, t in _typed(value, body.type)]
        types = [t for _, t in _typed(value, body.type)]
        crossing = len(names) > 1 and any(
            name != own and _mentions(text, name) for own, text in zip(names, texts, strict=True) for name in names
        )
        if crossing:
            texts = [self._variable(t, text, "next").text for t, text in zip(types, texts, strict=True)]
        for name, text in zip(names, texts, strict=True):
            self._emit(Statement(f"{name} = {text}"))


def _is_variable(e: Expr) -> bool:
    while isinstance(e, Get):
        e = e.operand
    return isinstance(e, Param)


def _flatten(value: Value) -> list[str]:
    if isinstance(value, TupleView):
        return [name for part in value.parts for name in _flatten(part)]
    assert isinstance(value, Text)
    return [value.text]


def _typed(value: Value, t: Type) -> list[tuple[Value, Type]]:
    if isinstance(t, TupleType):
        assert isinstance(value, TupleView)
        return [pair for part, p in zip(value.parts, t.elements, strict=True) for pair in _typed(part, p)]
    return [(value, t)]


def _in_bytes(text: str, t: VectorType) -> str:
    """A vector as memory holds it: truth values are unsigned bytes there."""
    return f"convert_uchar{t.width}({text})" if t.element is BOOL else text


def _mentions(text: str, name: str) -> bool:
    start = text.find(name)
    while start >= 0:
        before, after = text[start - 1 : start], text[start + len(name) : start + len(name) + 1]
        if not (before.isalnum() or before == "_" or after.isalnum() or after == "_"):
            return True
        start = text.find(name, start + 1)
    return False


def _negated(e: Call) -> Expr | None:
    """What a difference from zero, or a product with -1, negates; None of any other operation.

    Of integers whose negations compilers mistake (`ir.opencl.write.helpers.OPAQUE`), so that these are spelled alike.
    """
    element = e.type.element if isinstance(e.type, VectorType) else e.type
    if e.op not in ("subtract", "multiply") or not isinstance(element, ScalarType) or not is_opaque(element):
        return None
    first, second = e.operands
    if e.op == "subtract":
        return second if _number(first) == 0 else None
    return second if _number(first) == -1 else first if _number(second) == -1 else None


def _on_one_side(lanes: Sequence[Value]) -> bool:
    """Are the lanes of a vector all below their limit, or all not? They are where they ask one thing, or are neighbours
    and no multiple of their number lies between the first one and the limit.
    """
    first, count = lanes[0], len(lanes)
    assert isinstance(first, Choice)
    if not all(isinstance(x, Choice) and x.limit is first.limit for x in lanes):
        return False
    steps = [(x.index - first.index).value for x in lanes if isinstance(x, Choice)]
    whole = (first.index % count).value == 0 and (first.limit % count).value == 0
    return steps == [0] * count or (whole and steps == list(range(count)))


def _below(value: Value) -> Value:
    """A value where it is below its limit, if it has one."""
    return value.below if isinstance(value, Choice) else value


def _above(value: Value) -> Value:
    """A value from its limit on."""
    assert isinstance(value, Choice)
    return value.above


def _number(e: Expr) -> Any:
    e = e.operand if isinstance(e, Splat) else e
    return e.value if isinstance(e, Literal) else None
