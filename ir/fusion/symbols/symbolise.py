"""From a kernel over concrete lengths to one over symbols: what is compiled, tuned and cached once for all lengths.

The recorded graph has constant sizes. Here each extent becomes a symbol, equal extents the same one, and the rebuilt
expression is type-checked: where the program needs a relation between extents that symbols do not have, lengths become
products as the program nests arrays (a reshape, a broadcast), and where that is not enough either (two reshapes that
cut one length in different ways), the constants stay. Inputs are renamed in order of appearance, so that equal programs
are the same object.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from math import prod
from typing import Any

from ir.core.expr import Expr, Lambda, Param, free_inputs, postorder, rebuild, substitute, transform
from ir.core.patterns import Concat, Element, Join, Map, Reduce, Slice, Slide, Zip
from ir.core.size_variables import sizes_in, substitute_sizes
from ir.core.sizes import LIMIT_32, Size, size, var
from ir.core.types import ArrayType, TupleType, Type, extents_of, shape_of
from ir.cost.thresholds.partition import CONSTANT_EXTENT_UP_TO, CONSTANT_WINDOW_UP_TO
from ir.errors import TypeMismatch
from ir.fusion.partition.relations import Relation, relate, relations_of
from ir.schedules.schedule import least_of_class

__all__ = ["SymbolicKernel", "leaves_nothing", "numbered", "small_numbers", "symbolise"]


@dataclass(frozen=True)
class SymbolicKernel:
    """A kernel over symbols.

    Attributes:
        expr: the expression over inputs `x0, x1, ...` and sizes `n0, n1, ...`
        inputs: which original variable each input stands for
        sizes: the value of each size symbol in the program that it came from
        wide: do indices need 64 bits?
        extents: which number of that program each size symbol stands for; a multiple of its value where it was factored
        fixed: do numbers stay that may be others in programs of the same structure: all, because the program needs a
            relation between extents that symbols do not have, or some that a schedule has to know?
        part: is the result put into memory that other kernels write too, from an element on that each launch names?
    """

    expr: Expr
    inputs: tuple[Param, ...]
    sizes: dict[str, int]
    wide: bool
    extents: dict[str, int] = field(default_factory=dict)
    fixed: bool = False
    part: bool = False

    def at_its_sizes(self) -> SymbolicKernel:
        """The same kernel over numbers, for its own lengths alone."""
        sizes = {v: size(self.sizes[v.name]) for v in sizes_in(self.expr)}
        return replace(self, expr=substitute_sizes(self.expr, sizes), sizes={}, extents={}, fixed=True)


def symbolise(
    e: Expr,
    shapes: Mapping[Param, tuple[int, ...]],
    granule: int = 1,
    whole: int = 0,
    bounded: bool = False,
    constant: bool = False,
    kept: Collection[int] = (),
) -> SymbolicKernel:
    """Replace constant extents by symbols and inputs by canonical names.

    Args:
        shapes: the logical shape of inputs that have one; any other counts as flat
        granule: an extent that is a multiple of this is written as the multiple of a symbol, which proves that vectors
            are aligned
        whole: the elements of the array that the result is a part of, where it is put into one that others write too
        bounded: is each symbol at least the least size of the class that its value is of? (Kernels are kept by these
            classes, `ir.schedules.schedule.size_class`.) So it is known that there are several tiles
        constant: does every number stay?
        kept: numbers that stay, whatever they are the extents of
    """
    inputs = tuple(free_inputs(e))
    hints = tuple([shapes.get(p) or extents_of(p.type) for p in inputs])
    named = substitute(e, {p: Param(f"x{i}", p.type) for i, p in enumerate(inputs)})
    return replace(_symbolised(named, hints, granule, whole, bounded, constant, tuple(kept)), inputs=inputs)


@lru_cache(maxsize=1024)
def _symbolised(
    e: Expr,
    shaped: tuple[tuple[int, ...], ...],
    granule: int,
    whole: int,
    bounded: bool,
    constant: bool,
    kept: tuple[int, ...],
) -> SymbolicKernel:
    """The same, of an expression whose inputs have canonical names already: one for all kernels of a loop."""
    inputs, hints = free_inputs(e), list(shaped)
    lengths = [prod(hint) for hint in hints]
    nodes = list(postorder(e))
    wide = max([*lengths, whole, _largest(nodes)]) > LIMIT_32
    general: Expr | None = None
    slides, nested = [node for node in nodes if isinstance(node, Slide)], _nested(nodes)
    small = small_numbers(slides, nested)
    if constant:
        symbols = _Symbols([], wide, 1, constant=True)
        general = _rebuild(e, inputs, symbols)
    elif any(isinstance(node, Concat) for node in nodes):
        near = max(small, _shifts(e))
        symbols = _Symbols(
            hints,
            wide,
            granule,
            relations=relations_of(e),
            slides=slides,
            small=near,
            least=near,
            bounded=bounded,
            kept=kept,
        )
        general = _try(e, inputs, symbols)
    if general is None:
        symbols = _Symbols(hints, wide, granule, slides=slides, small=small, bounded=bounded, kept=kept)
        general = _try(e, inputs, symbols)
    rows = [hint for hint in hints if sum(extent != 1 for extent in hint) > 1]  # others say nothing of their length
    for some in (slides, ()) if slides else ((),):
        if general is None:
            symbols = _Symbols(rows, wide, granule, nested, slides=some, small=small, bounded=bounded, kept=kept)
            general = _try(e, inputs, symbols)
    if general is None:
        symbols = _Symbols([], wide, 1, constant=True)
        general = _rebuild(e, inputs, symbols)
    used = {v.name for v in sizes_in(general)}
    sizes = {k: v for k, v in symbols.values.items() if k in used}
    extents = {k: symbols.extents[k] for k in sizes}
    return SymbolicKernel(general, (), sizes, wide, extents, symbols.constant or bool(kept), whole > 0)


def _nested(nodes: Sequence[Expr]) -> list[tuple[int, ...]]:
    """The shapes to which the program of those vertices nests arrays: what it cuts lengths into (a reshape) or makes
    them of (a broadcast of another kernel's result); those of the most dimensions first, of which the others' extents
    may be products.
    """
    types = dict.fromkeys([node.type for node in nodes])
    shapes = dict.fromkeys(extents_of(t) for t in types if all(n.value is not None for n in shape_of(t)))
    return sorted([shape for shape in shapes if len(shape) > 1], key=len, reverse=True)


def _largest(nodes: Sequence[Expr]) -> int:
    """The largest element count of any array in an expression, which has those vertices, and the largest size."""
    known: dict[Type, int] = {}
    largest = 0
    for node in nodes:
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


def small_numbers(slides: Sequence[Slide], shapes: Iterable[tuple[int, ...]]) -> int:
    """The number up to which numbers stay constants: small windows and steps, and with them every place in a window,
    also in one of several dimensions.
    """
    numbers = {_number(n) for node in slides for n in (node.window, node.step)}
    found = {n for n in numbers if n <= CONSTANT_WINDOW_UP_TO}
    most = max(found, default=1)
    for shape in shapes if found else ():
        whole = 1
        for extent in reversed(shape):
            if extent not in found or whole * extent > CONSTANT_WINDOW_UP_TO**2:
                break
            whole *= extent
        most = max(most, whole)
    return most


def _shifts(e: Expr) -> int:
    """The greatest small number of elements that a slice of neighbours leaves out: it stays, so that it is known in
    which parts of a concat the slice lies. (A graph is cut for such numbers: `ir.fusion.symbols.structure_key`.)
    """
    starts = (_number(node.start) for node in postorder(e) if isinstance(node, Slice) and node.step == 1)
    return max((n for n in starts if n <= CONSTANT_EXTENT_UP_TO), default=1)


def leaves_nothing(node: Slide) -> bool:
    """Is the last element of the array in a window?"""
    length = _number(node.xs.type.length)  # type: ignore[attr-defined]  # an array
    return (length - _number(node.window)) % _number(node.step) == 0


def _last_first(slides: Sequence[Slide]) -> list[Slide]:
    """Windows of what was made of windows before these, and of one length the larger before the smaller: what the
    length is written by is then the number that is the smallest.

    The order is that of the graph, whatever its sizes are (`ir.fusion.symbols.structure_key`).
    """
    turn: dict[Size, int] = {}
    lengths = [node.xs.type.length for node in reversed(slides)]  # type: ignore[attr-defined]  # of arrays
    for length in lengths:
        turn.setdefault(length, len(turn))
    keys = [
        (turn[n], -min(_number(node.window), CONSTANT_WINDOW_UP_TO + 1))
        for n, node in zip(lengths, reversed(slides), strict=True)
    ]
    return [node for _, node in sorted(zip(keys, reversed(slides), strict=True), key=lambda pair: pair[0])]


def _number(length: Size) -> int:
    """The value of a length of a recorded program."""
    assert length.value is not None
    return length.value


class _Symbols:
    """Which symbol stands for which number.

    Attributes:
        shapes: of the inputs
        nested: shapes in the program, by which numbers are products of others
        relations: the same, and parts of concats, by which they are sums (`ir.fusion.partition.relations`)
        slides: windows, by which lengths are written by each other
        small: numbers up to this one stay
        least: what symbols stand for is no less
        constant: every number stays
        bounded: symbols stand for no less than the least size of the class of their value
        kept: other numbers that stay
    """

    def __init__(
        self,
        shapes: list[tuple[int, ...]],
        wide: bool,
        granule: int,
        nested: Sequence[tuple[int, ...]] = (),
        constant: bool = False,
        relations: Sequence[Relation] = (),
        slides: Sequence[Slide] = (),
        small: int = 1,
        least: int = 1,
        bounded: bool = False,
        kept: Collection[int] = (),
    ) -> None:
        self.values: dict[str, int] = {}
        self.extents: dict[str, int] = {}
        self.constant = constant
        self._granule = granule
        self._least = least
        self._bounded = bounded
        self._limit = None if wide else LIMIT_32
        self._known: dict[int, Size] = {number: size(number) for number in (*range(small + 1), *kept)}
        if relations:
            relations = [*relations, *(Relation.product(shape) for shape in shapes)]
        products = [relation.terms for relation in relations if not relation.is_sum]
        for shape in (*shapes, *nested, *products):
            for extent in shape:
                if extent <= CONSTANT_EXTENT_UP_TO and len(shape) > 1:
                    self._known.setdefault(extent, size(extent))
        for node in _last_first(slides):
            self._windows(node)
        relate(relations, self._known, self._of)
        for group in (shapes, *([shape] for shape in nested)):
            self._name(group)

    def _windows(self, node: Slide) -> None:
        """The length in terms of the number of windows, so that it holds these whatever their number is. Where
        something is left over, or the length is known, the number of windows in terms of the length.
        """
        windows, length = (_number(t.type.length) for t in (node, node.xs))  # type: ignore[attr-defined]  # arrays
        s, d = self._of(_number(node.window)), self._of(_number(node.step))
        if leaves_nothing(node) and length not in self._known and length != windows:
            self._known[length] = self._of(windows) * d + s - d
        else:
            self._known.setdefault(windows, (self._of(length, s.value or 1) - s) // d + 1)

    def _name(self, shapes: Sequence[tuple[int, ...]]) -> None:
        """Give symbols to the extents of shapes of several dimensions, and products of symbols to the lengths of their
        parts.
        """
        for shape in shapes:
            if len(shape) > 1:
                for extent in shape:
                    self._of(extent)
        for shape in shapes:
            for start in range(len(shape)):
                for stop in range(start + 2, len(shape) + 1):
                    run = shape[start:stop]
                    self._known.setdefault(prod(run), prod((self._of(x) for x in run), start=size(1)))

    def _of(self, number: int, least: int = 1) -> Size:
        found = self._known.get(number)
        if found is None:
            name = f"n{len(self.values)}"
            factor = self._granule if number % self._granule == 0 else 1
            self.values[name] = number // factor
            self.extents[name] = number
            limit = None if self._limit is None else self._limit // factor
            lowest = -(-max(least, self._least) // factor)
            if self._bounded:
                lowest = max(lowest, least_of_class(number // factor))
            found = self._known[number] = var(name, lowest, limit) * factor
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

    def in_parameter(self, p: Any) -> Any:
        """A size, or the lengths of a type, with symbols; anything else as it is."""
        return self(p) if isinstance(p, Size) else self.in_type(p) if isinstance(p, Type) else p


def _try(e: Expr, inputs: list[Param], symbols: _Symbols) -> Expr | None:
    """The expression over these symbols, None where it needs a relation that they do not have."""
    try:
        general = _rebuild(e, inputs, symbols)
    except TypeMismatch:
        return None
    if len(set(_reduced_lengths(e))) == 1 < len(set(_reduced_lengths(general))):
        return None  # reductions side by side lost their one length
    return general


def _rebuild(e: Expr, inputs: list[Param], symbols: _Symbols) -> Expr:
    renamed = {p: Param(f"x{i}", symbols.in_type(p.type)) for i, p in enumerate(inputs)}

    def visit(node: Expr, operands: tuple[Expr, ...]) -> Expr:
        if isinstance(node, Param):
            return renamed.get(node, node)
        if isinstance(node, Lambda):
            return Lambda._make(operands, (tuple(map(symbols.in_type, node.types)), node.own_level))
        parameters = tuple([symbols.in_parameter(p) for p in node.parameters])
        if parameters != node.parameters:
            return node._make(operands, parameters)
        return rebuild(node, operands)

    return transform(e, visit, lambda node: False)


def numbered(e: Expr) -> list[Param]:
    """The inputs `x0, x1, ...` of a kernel's expression, in that order."""
    return sorted(free_inputs(e), key=lambda p: int(p.identifier[1:]))
