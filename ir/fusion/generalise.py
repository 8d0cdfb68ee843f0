"""From a kernel over concrete lengths to one over symbols: what is compiled, tuned and cached once for all lengths.

The recorded graph has constant sizes. Here each extent becomes a symbol, equal extents the same one, and the rebuilt
expression is type-checked: where the program needs a relation between extents that symbols do not have, lengths become
products as the program cuts them (a reshape), and where that is not enough either (two reshapes that cut one length in
different ways), the constants stay. Inputs are renamed in order of appearance, so that equal programs are the same
object.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import prod

from ir.core.expr import Expr, Lambda, Param, postorder, transform
from ir.core.patterns import Concat, Element, FromSize, Generate, Join, Map, Reduce, Repeat, Slice, Split, Zip
from ir.core.sizes import Size, divide_exactly, size, var
from ir.core.types import ArrayType, TupleType, Type
from ir.errors import TypeMismatch
from ir.opencl.hints import HEADROOM

__all__ = ["SMALL_EXTENT", "General", "generalise"]

SMALL_EXTENT = 4
"""Extents of multi-dimensional arrays up to this stay constants (colour channels, pairs): loops over them unroll."""

LIMIT_32 = 2**31 - 1 - HEADROOM
"""The greatest index that 32 bits are used for; addresses of prefetched elements lie somewhat beyond the end."""


@dataclass(frozen=True)
class General:
    """A kernel over symbols.

    expr : the expression over inputs `x0, x1, ...` and sizes `n0, n1, ...`
    inputs : which original variable each input stands for
    sizes : the value of each size symbol in the program that it came from
    wide : do indices need 64 bits?
    extents : which number of that program each size symbol stands for; a multiple of its value where it was factored
    fixed : do the constants stay, because the program needs a relation between extents that symbols do not have?
    part : is the result put into memory that other kernels write too, from an element on that each launch names?
    """

    expr: Expr
    inputs: tuple[Param, ...]
    sizes: dict[str, int]
    wide: bool
    extents: dict[str, int] = field(default_factory=dict)
    fixed: bool = False
    part: bool = False


def generalise(e: Expr, shapes: Mapping[Param, tuple[int, ...]], granule: int = 1, whole: int = 0) -> General:
    """Replace constant extents by symbols and inputs by canonical names.

    shapes : the logical shape of inputs that have one; any other counts as flat
    granule : an extent that is a multiple of this is written as the multiple of a symbol, which proves that vectors are
        aligned
    whole : the elements of the array that the result is a part of, where it is put into one that others write too
    """
    inputs = _in_order(e)
    hints = [shapes.get(p) or _flat_shape(p.type) for p in inputs]
    lengths = [prod(hint) for hint in hints]
    wide = max([*lengths, whole, _largest(e)]) > LIMIT_32
    for symbols in _attempts(e, hints, wide, granule):
        try:
            general = _rebuild(e, inputs, symbols)
            if len(set(_reduced_lengths(e))) > 1 or len(set(_reduced_lengths(general))) <= 1:
                break  # else reductions side by side lost their one length
        except TypeMismatch:
            continue
    used = {v.name for v in _sizes_in(general)}
    sizes = {k: v for k, v in symbols.values.items() if k in used}
    extents = {k: symbols.extents[k] for k in sizes}
    return General(general, tuple(inputs), sizes, wide, extents, symbols.constant, whole > 0)


def _attempts(e: Expr, hints: list[tuple[int, ...]], wide: bool, granule: int) -> Iterator[_Symbols]:
    """Symbols to be tried one after the other, until a program is well typed over them; the last keep all numbers."""
    if any(isinstance(node, Concat) for node in postorder(e)):
        yield _Symbols(hints, wide, granule, relations=_relations(e))
    yield _Symbols(hints, wide, granule)
    yield _Symbols([*hints, *_nested(e)], wide, granule)
    yield _Symbols([], wide, 1, constant=True)


def _in_order(e: Expr) -> list[Param]:
    """Free variables in order of appearance, those inside functions included."""
    return [node for node in postorder(e) if isinstance(node, Param) and not node.binder]


def _flat_shape(t: Type) -> tuple[int, ...]:
    shape = []
    while isinstance(t, ArrayType):
        assert t.length.value is not None
        shape.append(t.length.value)
        t = t.element
    return tuple(shape)


def _nested(e: Expr) -> list[tuple[int, ...]]:
    """The shapes to which the program nests arrays: what a reshape of a flat array cuts its length into."""
    found: dict[tuple[int, ...], None] = {}
    for node in postorder(e):
        if isinstance(node, Split):
            found[_flat_shape(node.type)] = None
    return list(found)


def _largest(e: Expr) -> int:
    """The largest element count of any array in an expression, intermediate ones included, and the largest size."""
    known: dict[Type, int] = {}
    largest = 0
    for node in postorder(e):
        numbers = [_elements(node.type, known)]
        numbers += [abs(p.value or 0) for p in node.parameters if isinstance(p, Size)]
        largest = max(largest, *numbers)
    return largest


def _elements(t: Type, known: dict[Type, int]) -> int:
    """The element count of the largest array in a type; symbolic lengths count as one."""
    found = known.get(t)
    if found is None:
        if isinstance(t, ArrayType):
            length = 1 if t.length.value is None else t.length.value
            found = length * _elements(t.element, known)
        elif isinstance(t, TupleType):
            found = max((_elements(part, known) for part in t.elements), default=1)
        else:
            found = 1
        known[t] = found
    return found


def _reduced_lengths(e: Expr) -> list[Size]:
    """The lengths that reductions run over whose results are zipped or mapped to the kernel's: to become one reduction
    they have to stay equal, which no type of theirs says.
    """
    found: list[Size] = []
    seen, pending = {e}, [e]
    while pending:
        node = pending.pop()
        inner = node.xs if isinstance(node, Join) else node
        if isinstance(inner, Map) and isinstance(inner.f, Lambda) and inner.f.patterned:
            inner = inner.f.open()[1]
            inner = inner.xs if isinstance(inner, Element) else inner
        if isinstance(inner, Reduce):
            assert isinstance(inner.xs.type, ArrayType)
            found.append(inner.xs.type.length)
            continue
        below = [x for x in (node.operands if isinstance(node, (Zip, Map)) else ()) if x not in seen]
        seen.update(below)
        pending.extend(x for x in below if not isinstance(x, Lambda))
    return found


@dataclass(frozen=True)
class _Relation:
    """Numbers whose sum (the parts of a concat), or whose product (the extents of nested arrays), is a number too."""

    terms: tuple[int, ...]
    is_sum: bool


def _relations(e: Expr) -> list[_Relation]:
    """How lengths in an expression are made of others, those of parts before those of wholes."""
    found: dict[_Relation, None] = {}
    for node in postorder(e):
        shape = _flat_shape(node.type)
        extents = tuple(extent for extent in shape if extent != 1)
        if len(extents) > 1:
            found[_Relation(extents, False)] = None
        if isinstance(node, Slice) and isinstance(node.xs, Join):  # of whole rows, perhaps
            row = _flat_shape(node.xs.xs.type)[1]
            for value in (node.start.value or 0, node.count.value or 0):
                if row > 1 and value > row and value % row == 0:
                    found[_Relation((value // row, row), False)] = None
        if isinstance(node, Concat):
            parts = tuple(n for n in (_flat_shape(part.type)[0] for part in node.operands) if n)
            if len(parts) > 1:
                found[_Relation(parts, True)] = None
    return list(found)


class _Symbols:
    """Which symbol stands for which number.

    shapes : of the inputs
    relations : where given, numbers are written by these as sums and products of others, as far as they go
    constant : every number stays
    """

    def __init__(
        self,
        shapes: list[tuple[int, ...]],
        wide: bool,
        granule: int,
        constant: bool = False,
        relations: list[_Relation] | None = None,
    ) -> None:
        self.values: dict[str, int] = {}
        self.extents: dict[str, int] = {}
        self.constant = constant
        self._granule = granule
        self._limit = None if wide else LIMIT_32
        self._known: dict[int, Size] = {0: size(0), 1: size(1)}
        if relations is not None:
            cut = [_Relation(tuple(e for e in shape if e != 1), False) for shape in shapes]
            relations = [*relations, *(r for r in cut if len(r.terms) > 1)]
        for shape in [*shapes, *(r.terms for r in relations or [] if not r.is_sum)]:
            for extent in shape:
                if extent <= SMALL_EXTENT and len(shape) > 1:
                    self._known.setdefault(extent, size(extent))
        if relations is not None:
            self._relate(relations)
        for shape in shapes:
            if len(shape) > 1:
                for extent in shape:
                    self._of(extent)
        for shape in shapes:
            for start in range(len(shape)):
                for stop in range(start + 2, len(shape) + 1):
                    run = shape[start:stop]
                    self._known.setdefault(prod(run), prod((self._of(x) for x in run), start=size(1)))

    def _relate(self, relations: list[_Relation]) -> None:
        """Write numbers as sums of others, or else as quotients or products of them, as far as the relations say."""
        sums = {sum(r.terms): r.terms for r in reversed(relations) if r.is_sum}
        products = {prod(r.terms): r.terms for r in reversed(relations) if not r.is_sum}

        def define(number: int) -> Size:
            found = self._known.get(number)
            if found is None and number in sums:
                found = sum(map(define, sums[number]), size(0))
            elif found is None and number in products:
                found = prod(map(define, products[number]), start=size(1))
            if found is None:
                found = self._of(number)
            return self._known.setdefault(number, found)

        for number in sums:
            define(number)
        for terms in (r.terms for r in relations if not r.is_sum):
            whole = self._known.get(prod(terms))
            unknown = [term for term in terms if term not in self._known and term not in products]
            if whole is not None and len(unknown) == 1:
                rest = divide_exactly(whole, prod((self._known[t] for t in terms if t != unknown[0]), start=size(1)))
                if rest is not None:
                    self._known[unknown[0]] = rest
            for start in range(len(terms)):
                for stop in range(start + 2, len(terms) + 1):
                    run = terms[start:stop]
                    self._known.setdefault(prod(run), prod(map(define, run), start=size(1)))
        for terms in sums.values():
            for stop in range(2, len(terms)):  # where a part begins, slices of the whole begin and end too
                self._known.setdefault(sum(terms[:stop]), sum(map(define, terms[:stop]), size(0)))

    def _of(self, number: int) -> Size:
        found = self._known.get(number)
        if found is None:
            name = f"n{len(self.values)}"
            factor = self._granule if number % self._granule == 0 else 1
            self.values[name] = number // factor
            self.extents[name] = number
            limit = None if self._limit is None else self._limit // factor
            found = self._known[number] = var(name, 1, limit) * factor
        return found

    def __call__(self, number: Size) -> Size:
        if self.constant or number.value is None or number.value < 0:
            return number
        return self._of(number.value)

    def in_type(self, t: Type) -> Type:
        """The type with symbols for its lengths."""
        if isinstance(t, ArrayType):
            return ArrayType(self.in_type(t.element), self(t.length))
        if isinstance(t, TupleType):
            return TupleType(tuple(map(self.in_type, t.elements)))
        return t


def _rebuild(e: Expr, inputs: list[Param], symbols: _Symbols) -> Expr:
    renamed = {p: Param(f"x{i}", symbols.in_type(p.type)) for i, p in enumerate(inputs)}

    def visit(node: Expr, operands: tuple[Expr, ...]) -> Expr:
        if isinstance(node, Param):
            return renamed.get(node, node)
        if isinstance(node, Lambda):
            types = tuple(symbols.in_type(t) for t in node.types)
            return Lambda._make(operands, (types, node.own_level))
        match node:
            case Split():
                return Split(symbols(node.chunk), operands[0])
            case Slice():
                return Slice(symbols(node.start), node.step, symbols(node.count), operands[0])
            case Repeat():
                return Repeat(symbols(node.count), operands[0])
            case Generate():
                return Generate(symbols(node.count), operands[0])
            case Element():
                return Element(symbols(node.index), operands[0])
            case FromSize():
                return FromSize(symbols(node.value), node.dtype)
        if not operands:
            return node._make((), tuple(symbols.in_type(p) if isinstance(p, Type) else p for p in node.parameters))
        return node._rebuilt(operands) if operands != node.operands else node

    return transform(e, visit, lambda node: False)


def _sizes_in(e: Expr) -> set[Size]:
    found: set[Size] = set()

    def in_type(t: Type) -> None:
        if isinstance(t, ArrayType):
            found.update(t.length.variables)
            in_type(t.element)
        elif isinstance(t, TupleType):
            for part in t.elements:
                in_type(part)

    for node in postorder(e):
        in_type(node.type)
        for parameter in node.parameters:
            if isinstance(parameter, Size):
                found.update(parameter.variables)
    return found
