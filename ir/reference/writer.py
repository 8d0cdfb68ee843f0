"""Writes the vertices of a recorded graph one after the other, each as one that its pattern has registered for says.

`ir.reference.generate` has what each pattern becomes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeAlias

from ir.core.expr import Expr, Lambda
from ir.core.sizes import Size
from ir.core.types import ArrayType, FunctionType, TupleType, Type
from ir.reference.axes import Factor, absent, common_extents, cut_at, extent_of
from ir.reference.layout import Operand, Term, lifted, merged, refined
from ir.reference.library import Correlation, Interpolation, LibraryCall
from ir.reference.parts import map_operands
from ir.reference.source import Source, UnwrittenError
from ir.reference.transforms import correlated, interpolated, transformed

__all__ = ["Scope", "Writer", "cut", "deeper", "extent_at", "length_of", "writes"]


class Scope(NamedTuple):
    """What is known inside of functions.

    Attributes:
        values: those of the vertices that depend on variables
        batch: the extents of the maps around, the outermost first
    """

    values: dict[Expr, Term]
    batch: tuple[int, ...]


class Writer:
    """Writes vertices, each once. A vertex that depends on no variable is written as seen from outside of all maps."""

    def __init__(
        self,
        source: Source,
        values: dict[Expr, Term],
        noted: Mapping[Expr, LibraryCall],
        selections: Mapping[Expr, tuple[int, ...]],
    ) -> None:
        """`selections` are sorts of which few places are read (`ir.reference.selections`)."""
        self.source = source
        self.selections = selections
        self._values = values
        self._noted = noted

    def value(self, root: Expr, scope: Scope) -> Term:
        """The value of an expression in a scope. Graphs are walked iteratively, functions in functions are not deep."""
        outside = Scope({}, ()) if scope.batch else scope
        stack = [root]
        while stack:
            node = stack[-1]
            known = scope.values if node.loose else self._values
            if node in known:
                stack.pop()
                continue
            call = self._noted.get(node)
            needed = _operands(node) if call is None else (call.operand,)
            missing = [x for x in needed if x not in (scope.values if x.loose else self._values)]
            if missing:
                stack += missing
                continue
            if call is not None:
                known[node] = self._result_of(call, node)
                stack.pop()
                continue
            own = scope if node.loose else outside
            write_ = _WRITERS.get(type(node))
            if write_ is None:
                raise UnwrittenError(node.name)
            _extents(node.type)
            known[node] = write_(self, node, own)
            stack.pop()
        return self.seen(root, scope)

    def _result_of(self, call: LibraryCall, node: Expr) -> Term:
        """The result of one of NumPy's functions, in the rows of the vertex that it stands for."""
        operand = self._values[call.operand]
        if isinstance(call, Interpolation):
            return interpolated(self.source, call, operand)
        if isinstance(call, Correlation):
            found: Term = correlated(self.source, call, operand)
        else:
            found = transformed(self.source, call, operand, node.type)
        for depth, rest in enumerate(_rows(node.type)):
            found = map_operands(partial(cut, self.source, depth=depth, inner=rest), found)
        return found

    def seen(self, x: Expr, scope: Scope) -> Term:
        """The value of an operand, as it is seen in a scope."""
        if x.loose:
            return scope.values[x]
        return map_operands(lambda part: lifted(part, 0, scope.batch), self._values[x])

    def one(self, x: Expr, scope: Scope) -> Operand:
        """The operand that holds the value of what is no tuple."""
        found = self.seen(x, scope)
        if isinstance(found, tuple):
            raise UnwrittenError(f"tuples for {x.type}")
        return found

    def apply(self, f: Expr, arguments: Sequence[Term], scope: Scope, extent: int | None) -> Term:
        """The value of a function for arguments that lie within one map more than the scope, of that extent (None: in
        no further one).
        """
        if not isinstance(f, Lambda):
            raise UnwrittenError(f.name)
        params, body = f.open()
        depth = len(scope.batch)
        if extent is None:
            inner = Scope(dict(scope.values), scope.batch)
        else:
            values = {
                x: map_operands(lambda part: deeper(part, depth, extent), value) for x, value in scope.values.items()
            }
            inner = Scope(values, (*scope.batch, extent))
        inner.values.update(zip(params, arguments, strict=True))
        return self.value(body, inner)

    def combining(self, f: Expr, scope: Scope) -> Callable[[Term, Term, int | None], Term]:
        """`apply` of a function of two values."""
        return lambda a, b, extent: self.apply(f, [a, b], scope, extent)


_Write: TypeAlias = Callable[[Writer, Any, Scope], Term]
_WRITERS: dict[type[Expr], _Write] = {}


def writes(*patterns: type[Expr]) -> Callable[[_Write], _Write]:
    """The function writes those patterns."""

    def register(function: _Write) -> _Write:
        _WRITERS.update(dict.fromkeys(patterns, function))
        return function

    return register


def deeper(x: Operand, depth: int, extent: int) -> Operand:
    """A value of a scope as it is seen within a further map."""
    return x.over((*x.dimensions[:depth], absent(extent), *x.dimensions[depth:]))


def cut(source: Source, x: Operand, depth: int, inner: int) -> Operand:
    """A dimension as two, the second one of `inner` elements."""
    found = cut_at(x.dimensions[depth], inner)
    if found is None:
        total = extent_of(x.dimensions[depth])
        others = [tuple([f.extent for f in dimension]) for dimension in x.dimensions]
        common = common_extents([x.dimensions[depth], (Factor(total // inner, None), Factor(inner, None))])
        if common is None:
            x = merged(source, x, [depth])
            others = [tuple([f.extent for f in dimension]) for dimension in x.dimensions]
            common = total // inner, inner
        others[depth] = common
        x = refined(source, x, others)
        found = cut_at(x.dimensions[depth], inner)
        assert found is not None  # cut so
    return x.over((*x.dimensions[:depth], *found, *x.dimensions[depth + 1 :]))


def extent_at(n: Size) -> int:
    """A length as a number; `UnwrittenError` where it is none, or zero."""
    if not n.value:
        raise UnwrittenError(f"a length of {n}")
    return n.value


def length_of(t: Type) -> int:
    """The same of an array type."""
    assert isinstance(t, ArrayType)
    return extent_at(t.length)


def _rows(t: Type) -> list[int]:
    """How many elements a row of each dimension but the last has in an array of arrays."""
    found: list[int] = []
    while isinstance(t, ArrayType) and isinstance(t.element, ArrayType):
        t = t.element
        found = [rows * length_of(t) for rows in found] + [length_of(t)]
    return found


def _operands(node: Expr) -> Iterator[Expr]:
    """What a node reads: its operands; functions are written where they are applied."""
    for operand in node.operands:
        if not isinstance(operand.type, FunctionType):
            yield operand


def _extents(t: Type) -> None:
    """`UnwrittenError` for a type with a dimension that has no elements, or is not known."""
    while isinstance(t, ArrayType):
        extent_at(t.length)
        t = t.element
    if isinstance(t, TupleType):
        for part in t.elements:
            _extents(part)
