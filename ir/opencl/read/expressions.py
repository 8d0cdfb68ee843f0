"""Reads expressions: views become index functions, and what must be computed first is computed once."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ir.core.expr import Expr, Lambda, Param, postorder
from ir.core.patterns import (
    MAP,
    AsScalar,
    AsVector,
    Concat,
    Gather,
    Generate,
    Get,
    IndexView,
    Map,
    Masked,
    Overlap,
    Repeat,
    Zip,
    length_of,
    narrow,
)
from ir.core.sizes import Size, is_le, is_lt, maximum, minimum, size, var
from ir.core.types import INT64, ArrayType, TupleType, Type, VectorType
from ir.errors import GenerationError
from ir.opencl.read.indices import IndexWriter
from ir.opencl.read.views import (
    ArrayView,
    Choice,
    Index,
    Load,
    Text,
    TupleView,
    Value,
    component_of,
    element_at,
    elements_of,
    vectors_of,
)
from ir.opencl.scope import Scope
from ir.opencl.tree import Block, Declare

__all__ = ["ViewReader"]


class ViewReader(IndexWriter):
    """The part of the kernel writer that reads arrays."""

    @abstractmethod
    def compute(self, e: Expr) -> Value:
        """Emit the code that computes an intermediate result into memory, and return its view."""

    def _computed_once(self, e: Expr) -> Value:
        """An intermediate result, computed in the outermost block that has all it needs: once for all its readers."""
        variables = [node for node in postorder(e, prune=lambda node: not node.loose) if isinstance(node, Param)]
        here = self.scope
        while here.parent is not None and not any(here.binds(v) for v in variables):
            here = here.parent
        inner, self.scope = self.scope, here
        try:
            return here.remember(e, self.compute(e))
        finally:
            self.scope = inner

    @contextmanager
    def _block(self, block: Block, bindings: dict[Expr, Value]) -> Iterator[Block]:
        """What is emitted meanwhile goes into that block, where those values are known."""
        outer = self.scope
        self.scope = Scope(outer, bindings, block)
        try:
            yield block
        finally:
            self.scope = outer

    def read(self, e: Expr) -> Value:
        """The view of an array or tuple expression, the value of a scalar one."""
        known = self.scope.find(e)
        if known is not None:
            return known
        if not e.is_pattern:  # most are: a scalar function's primitives
            return component_of(self.read(e.operand), e.index) if isinstance(e, Get) else self.scalar(e)
        match e:
            case Zip():
                arrays = [self.read(operand) for operand in e.operands]
                return ArrayView(lambda i: TupleView(_Elements(self, arrays, i)))
            case Repeat(_, x) if isinstance(x.type, VectorType):
                repeated = Text(self.named(self.text(x), x.type))  # read once, not lane by lane
                return ArrayView(lambda i: repeated)
            case Masked(Concat(operands=(first, *_)) as xs) if is_le(size(1), elements_of(first.type)):
                return self._concatenated(xs, [(self.read(x), length_of(x)) for x in xs.operands], masked=True)
            case IndexView():
                return e.array(e.source, self, self.read(e.operands[0]), ArrayView, element_at)
            case AsVector(width, xs):
                inner = self.read(xs)
                return ArrayView(lambda i: vectors_of(inner, i, width, e.type))
            case AsScalar(xs):
                return self._scalars_of(xs)
            case Concat():
                return self._concatenated(e, [(self.read(operand), length_of(operand)) for operand in e.operands])
            case Overlap(first=first, last=last):
                return self._concatenated(e, [(self.read(first), e.start), (self.read(last), length_of(last))])
            case Gather(xs, indices):
                inner, where = self.read(xs), self.read(indices)
                return ArrayView(lambda i: element_at(inner, self._gathered_at(e, where, i)))
            case _ if e.traits.materialised:
                return self._computed_once(e)
            case Map(Lambda() as f, xs, how) if how == MAP:
                inner, scope, bounded = self.read(xs), self.scope, _bounded(f, length_of(xs))
                return ArrayView(lambda i: self._view_of_body(f, element_at(inner, bounded(i)), scope))
            case Generate(n, f):
                scope, bounded = self.scope, _bounded(f, n)
                return ArrayView(lambda i: self._view_of_body(f, Index(bounded(i)), scope))
        if e.traits.computes:
            raise GenerationError(
                f"the result of {e.name} is read but no rule said where it is kept (toPrivate, toLocal, toGlobal)"
            )
        return self.scalar(e)

    def _view_of_body(self, f: Lambda, argument: Value, scope: Scope) -> Value:
        (variable,), body = f.open()
        outer = self.scope
        self.scope = Scope(scope, {variable: argument}, outer.block, outer)
        try:
            return self.read(body)
        finally:
            self.scope = outer

    def _scalars_of(self, xs: Expr) -> Value:
        inner = self.read(xs)
        assert isinstance(xs.type, ArrayType)
        element = xs.type.element
        width, vectors = size(narrow(element)[1]), length_of(xs)

        def at(i: Size) -> Value:
            vector, lane = self.divided(i, width, vectors)
            return self.lane(element_at(inner, vector), lane, element)

        return ArrayView(at)

    def _gathered_at(self, e: Gather, indices: Value, i: Size) -> Size:
        """A variable that holds index i of a gather, clamped into the array; an index is read once in each block."""
        count, n = length_of(e), length_of(e.xs)
        value = element_at(indices, i)
        key = (value.storage.name, value.index, n) if isinstance(value, Load) else None
        known = None if key is None else self.scope.position(key)
        if known is not None:
            return known
        assert isinstance(e.indices.type, ArrayType)
        t, index_type = e.indices.type.element, self.spelling.index_type
        wide = "long" if t is INT64 or index_type == "long" else "int"
        text, last = self.loaded(value, t), self.spelling.bare_size(n - 1)
        text = self.spelling.limited(text, last, wide)
        # An element that is not there may be asked for where it is not used: the other side of a `Choice`, a prefetch.
        tests = [] if is_le(size(0), i) else [f"0 <= {self.spelling.bare_size(i)}"]
        tests += [] if is_lt(i, count) else [f"{self.spelling.bare_size(i)} < {self.spelling.bare_size(count)}"]
        text = f"({' && '.join(tests)} ? {text} : 0)" if tests else text
        found = var(self.name_for("at"), 0, n - 1)
        self.loop_sizes.add(found)
        self.positions.add(found)
        cast = "" if wide == index_type else f"({index_type})"
        self._emit(Declare(f"const {index_type}", found.name, cast + text))
        if key is not None:
            self.scope.remember_position(key, found)
        return found

    def _concatenated(self, e: Expr, parts: Sequence[tuple[Value, Size]], masked: bool = False) -> Value:
        """So many elements of some arrays, one after the other."""
        assert isinstance(e.type, ArrayType)
        element = e.type.element

        def at(i: Size, which: int = 0) -> Value:
            view, length = parts[which]
            if which == len(parts) - 1 or is_lt(i, length):
                return element_at(view, i)
            if is_le(length, i):
                return at(i - length, which + 1)
            return _chosen(Choice(i, length, element_at(view, i), at(i - length, which + 1), masked), element)

        return ArrayView(at)


class _Elements(Sequence[Value]):
    """An element of each of several arrays, found when it is asked for: who needs one of many reads no index of the
    others. In one block it is found once, as what it needs may be declared there.
    """

    def __init__(self, reader: ViewReader, arrays: Sequence[Value], i: Size) -> None:
        self._reader = reader
        self._arrays = arrays
        self._at = i
        self._found: dict[int, tuple[Block, Value]] = {}

    def __len__(self) -> int:
        return len(self._arrays)

    def __getitem__(self, k: Any) -> Any:
        block = self._reader.scope.block
        found = self._found.get(k)
        if found is None or found[0] is not block:
            found = self._found[k] = block, element_at(self._arrays[k], self._at)
        return found[1]


def _chosen(choice: Value, t: Type) -> Value:
    """A choice of that type; of a tuple each component by itself."""
    if isinstance(t, TupleType):
        return TupleView(tuple(_chosen(component_of(choice, k), part) for k, part in enumerate(t.elements)))
    return choice


def _bounded(f: Lambda, n: Size) -> Callable[[Size], Size]:
    """The index at which a function of the elements of an array of length n is applied.

    An element that is not there may be asked for where it is not used (the other side of a `Choice`, a prefetch), and
    the index of a gather is read at once: for functions that gather it is clamped.
    """
    if any(isinstance(node, Gather) for node in postorder(f.body)):
        return lambda i: _within(i, n)
    return lambda i: i


def _within(i: Size, n: Size) -> Size:
    """The index, clamped to [0, n - 1] unless it is known to lie there."""
    below = i if is_lt(i, n) else minimum(i, n - 1)
    return below if is_le(size(0), i) else maximum(below, 0)
