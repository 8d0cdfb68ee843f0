"""The NumPy program of a recorded graph: the vertices in order, functions of maps carried out on all elements at once.

The interpreter (`ir.core.semantics`) says what each pattern means; this writes the same down once as calls of NumPy, so
that carrying a program out again costs those calls alone. Maps add a dimension in front of what their functions see.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from math import prod
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ir.core.expr import Expr, Lambda, Param
from ir.core.patterns import (
    REDUCE_SEQ,
    SCAN,
    Call,
    Cast,
    Concat,
    Element,
    FromSize,
    Gather,
    Generate,
    Get,
    Id,
    Join,
    Literal,
    Map,
    Prefetch,
    Reduce,
    Reorder,
    Repeat,
    Scan,
    Scatter,
    Slice,
    Slide,
    Sort,
    Split,
    Transpose,
    Tuple,
    Zip,
)
from ir.core.selection import chooses
from ir.core.sizes import Size
from ir.core.sort_keys import order_of_numbers
from ir.core.types import ArrayType, FunctionType, ScalarType, TupleType, Type
from ir.cost.thresholds.tiers import FOLDED_BY_HALVES_UP_TO, TURNS_WRITTEN_UP_TO
from ir.reference.axes import Factor, absent, common_extents, cut_at, extent_of
from ir.reference.elementwise import absolute, called, clipped, converted
from ir.reference.folds import chosen, folded, is_last, primitive_of, primitives_of, reduced, scanned, scanned_by
from ir.reference.layout import Operand, Term, lifted, merged, refined, seconds_to_copy, whole
from ir.reference.library import Transform, is_absolute
from ir.reference.lookups import gathered, in_order, ordered, scattered
from ir.reference.parts import at_element, at_slice, at_windows, joined, map_operands
from ir.reference.source import Source, UnwrittenError, Variable
from ir.reference.transforms import transformed

__all__ = ["NumPyProgram", "UnwrittenError", "write"]


class NumPyProgram(NamedTuple):
    """A graph as a Python function.

    Attributes:
        call: takes the inputs, flat arrays in order, and gives the roots' values, flat arrays in order; none of them is
            to be written to, nor the inputs as long as results live
        text: its source
        seconds: what a call is predicted to take
        products: the part of them that products of matrices take
        kernels: how many kernels the graph is predicted to be where it is compiled
    """

    call: Callable[..., tuple[np.ndarray[Any, Any], ...]]
    text: str
    seconds: float
    products: float
    kernels: int


def write(
    roots: Sequence[Expr], inputs: Sequence[Param], noted: Mapping[Expr, Transform] | None = None
) -> NumPyProgram:
    """The program that computes these vertices, each a flat array of scalars of constant length.

    Args:
        noted: vertices that are known to be results of NumPy's functions (`ir.reference.library`)

    Raises `UnwrittenError` for what has none.
    """
    source = Source()
    values: dict[Expr, Term] = {}
    for number, leaf in enumerate(inputs):
        values[leaf] = _input(source, number, leaf)
    writer = _Writer(source, values, noted or {})
    found = []
    for root in roots:
        value = writer.value(root, _Scope({}, ()))
        assert isinstance(value, Operand)
        found.append(_result(source, value, int(root not in inputs)))
    return NumPyProgram(*source.function(found, len(inputs)))


def _result(source: Source, x: Operand, kernels: int) -> Variable:
    """The value of a root as a flat array."""
    x = whole(source, x, range(len(x.dimensions)))
    variable, shape = x.variable, x.shape
    text, seconds = f"own({x.text}, {shape})", 0.0
    if variable is not None and variable.root is None and variable.own:  # in memory of its own, of no other shape
        text = "single({})" if not shape else "ascontiguousarray({})" if len(shape) == 1 else "{}.reshape(-1)"
        text = text.format(x.text)
    else:
        seconds = seconds_to_copy(shape, x.dtype)
    return source.assign(
        "", (text,), x.reads, (prod(shape),), x.dtype, seconds=seconds, kernels=kernels, view_of=variable
    )


def _input(source: Source, number: int, leaf: Param) -> Term:
    t = leaf.type
    assert isinstance(t, ArrayType)
    if not isinstance(t.element, ScalarType):
        raise UnwrittenError(f"an input of type {t}")
    length = _extent(t.length)
    dtype = np.dtype(t.element.name)
    variable = source.input(number, length, dtype)
    if length == 1:
        one = source.assign("", (f"{variable}[0]",), (variable,), (), dtype)
        return Operand(one.name, one, ((),), dtype)
    return Operand(variable.name, variable, ((Factor(length, 0),),), dtype)


def _extent(n: Size) -> int:
    if not n.value:
        raise UnwrittenError(f"a length of {n}")
    return n.value


def _length(t: Type) -> int:
    assert isinstance(t, ArrayType)
    return _extent(t.length)


def _rows(t: Type) -> list[int]:
    """How many elements a row of each dimension but the last has in an array of arrays."""
    found: list[int] = []
    while isinstance(t, ArrayType) and isinstance(t.element, ArrayType):
        t = t.element
        found = [rows * _length(t) for rows in found] + [_length(t)]
    return found


class _Scope(NamedTuple):
    """What is known inside of functions.

    Attributes:
        values: those of the vertices that depend on variables
        batch: the extents of the maps around, the outermost first
    """

    values: dict[Expr, Term]
    batch: tuple[int, ...]


class _Writer:
    """Writes vertices, each once. A vertex that depends on no variable is written as seen from outside of all maps."""

    def __init__(self, source: Source, values: dict[Expr, Term], noted: Mapping[Expr, Transform]) -> None:
        self.source = source
        self._values = values
        self._noted = noted

    def value(self, root: Expr, scope: _Scope) -> Term:
        """The value of an expression in a scope. Graphs are walked iteratively, functions in functions are not deep."""
        outside = _Scope({}, ()) if scope.batch else scope
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

    def _result_of(self, call: Transform, node: Expr) -> Term:
        """The result of one of NumPy's functions, in the rows of the vertex that it stands for."""
        found = transformed(self.source, call, self._values[call.operand], node.type)
        for depth, rest in enumerate(_rows(node.type)):
            found = map_operands(partial(_cut, self.source, depth=depth, inner=rest), found)
        return found

    def seen(self, x: Expr, scope: _Scope) -> Term:
        """The value of an operand, as it is seen in a scope."""
        if x.loose:
            return scope.values[x]
        return map_operands(lambda part: lifted(part, 0, scope.batch), self._values[x])

    def one(self, x: Expr, scope: _Scope) -> Operand:
        """The operand that holds the value of what is no tuple."""
        found = self.seen(x, scope)
        if isinstance(found, tuple):
            raise UnwrittenError(f"tuples for {x.type}")
        return found

    def apply(self, f: Expr, arguments: Sequence[Term], scope: _Scope, extent: int | None) -> Term:
        """The value of a function for arguments that lie within one map more than the scope, of that extent (None: in
        no further one).
        """
        if not isinstance(f, Lambda):
            raise UnwrittenError(f.name)
        params, body = f.open()
        depth = len(scope.batch)
        if extent is None:
            inner = _Scope(dict(scope.values), scope.batch)
        else:
            values = {
                x: map_operands(lambda part: _deeper(part, depth, extent), value) for x, value in scope.values.items()
            }
            inner = _Scope(values, (*scope.batch, extent))
        inner.values.update(zip(params, arguments, strict=True))
        return self.value(body, inner)


def _deeper(x: Operand, depth: int, extent: int) -> Operand:
    """A value of a scope as it is seen within a further map."""
    return x.over((*x.dimensions[:depth], absent(extent), *x.dimensions[depth:]))


def _operands(node: Expr) -> Iterator[Expr]:
    """What a node reads: its operands; functions are written where they are applied."""
    for operand in node.operands:
        if not isinstance(operand.type, FunctionType):
            yield operand


def _extents(t: Type) -> None:
    """`UnwrittenError` for a type with a dimension that has no elements, or is not known."""
    while isinstance(t, ArrayType):
        _extent(t.length)
        t = t.element
    if isinstance(t, TupleType):
        for part in t.elements:
            _extents(part)


# --- what each pattern becomes ----------------------------------------------------------------------------------------

_Write: TypeAlias = Callable[[_Writer, Any, _Scope], Term]
_WRITERS: dict[type[Expr], _Write] = {}


def _writes(*patterns: type[Expr]) -> Callable[[_Write], _Write]:
    """The function writes those patterns."""

    def register(function: _Write) -> _Write:
        _WRITERS.update(dict.fromkeys(patterns, function))
        return function

    return register


def _dtype(t: Type) -> np.dtype[Any]:
    if not isinstance(t, ScalarType):
        raise UnwrittenError(f"numbers of type {t}")
    return np.dtype(t.name)


def _number(name: str, dtype: np.dtype[Any], scope: _Scope) -> Operand:
    return Operand(name, None, tuple(map(absent, scope.batch)), dtype)


@_writes(Literal)
def _literal(run: _Writer, node: Literal, scope: _Scope) -> Term:
    return _number(run.source.constant(node.value), _dtype(node.dtype), scope)


@_writes(FromSize)
def _from_size(run: _Writer, node: FromSize, scope: _Scope) -> Term:
    if node.value.value is None:
        raise UnwrittenError(f"a size of {node.value}")
    dtype = _dtype(node.dtype)
    return _number(run.source.number(node.value.value, dtype), dtype, scope)


@_writes(Call)
def _call(run: _Writer, node: Call, scope: _Scope) -> Term:
    operands = [run.one(x, scope) for x in node.operands]
    found = _clipped(run, node, operands, scope) if node.op == "minimum" else None
    return called(run.source, node.op, operands, _dtype(node.type)) if found is None else found


def _clipped(run: _Writer, node: Call, operands: Sequence[Operand], scope: _Scope) -> Operand | None:
    """The least of a number and the greatest of another number and a value, which NumPy has a faster call for."""
    for inner, highest in ((node.operands[0], operands[1]), (node.operands[1], operands[0])):
        if isinstance(inner, Call) and inner.op == "maximum" and run.source.value(highest.text) is not None:
            a, b = (run.one(x, scope) for x in inner.operands)
            x, lowest = (a, b) if run.source.value(b.text) is not None else (b, a)
            if run.source.value(lowest.text) is not None and x.variable is not None and x.dtype.kind != "b":
                return clipped(run.source, x, lowest, highest)
    return None


@_writes(Cast)
def _cast(run: _Writer, node: Cast, scope: _Scope) -> Term:
    return converted(run.source, run.one(node.operand, scope), _dtype(node.type))


@_writes(Tuple, Zip)
def _tuple(run: _Writer, node: Expr, scope: _Scope) -> Term:
    return tuple([run.seen(x, scope) for x in node.operands])


@_writes(Get)
def _get(run: _Writer, node: Get, scope: _Scope) -> Term:
    value = run.seen(node.operand, scope)
    assert isinstance(value, tuple)
    return value[node.index]


@_writes(Id, Prefetch, Reorder)
def _identity(run: _Writer, node: Expr, scope: _Scope) -> Term:
    return run.seen(node.operands[0], scope)


@_writes(Map)
def _map(run: _Writer, node: Map, scope: _Scope) -> Term:
    xs, length = run.seen(node.xs, scope), _length(node.type)
    if isinstance(xs, tuple) and is_absolute(node.f):
        return absolute(run.source, [part for part in xs if isinstance(part, Operand)])
    return run.apply(node.f, [xs], scope, length)


@_writes(Generate)
def _generate(run: _Writer, node: Generate, scope: _Scope) -> Term:
    count, dtype = _extent(node.count), _dtype(node.index)
    outer = tuple(map(absent, scope.batch))
    if count == 1:
        return run.apply(node.f, [Operand(run.source.constant(dtype.type(0)), None, (*outer, ()), dtype)], scope, 1)
    made = run.source.assign(
        "arange", (str(count), f'dtype="{dtype.str}"'), (), (count,), dtype, seconds=seconds_to_copy((count,), dtype)
    )
    return run.apply(node.f, [Operand(made.name, made, (*outer, (Factor(count, 0),)), dtype)], scope, count)


@_writes(Repeat)
def _repeat(run: _Writer, node: Repeat, scope: _Scope) -> Term:
    depth, count = len(scope.batch), _extent(node.count)
    return map_operands(lambda x: _deeper(x, depth, count), run.seen(node.x, scope))


@_writes(Split)
def _split(run: _Writer, node: Split, scope: _Scope) -> Term:
    depth, chunk = len(scope.batch), _extent(node.chunk)
    return map_operands(lambda x: _cut(run.source, x, depth, chunk), run.seen(node.xs, scope))


def _cut(source: Source, x: Operand, depth: int, inner: int) -> Operand:
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


@_writes(Join)
def _join(run: _Writer, node: Join, scope: _Scope) -> Term:
    d = len(scope.batch)

    def joined_(x: Operand) -> Operand:
        return x.over((*x.dimensions[:d], x.dimensions[d] + x.dimensions[d + 1], *x.dimensions[d + 2 :]))

    return map_operands(joined_, run.seen(node.xs, scope))


@_writes(Transpose)
def _transpose(run: _Writer, node: Transpose, scope: _Scope) -> Term:
    d = len(scope.batch)

    def transposed(x: Operand) -> Operand:
        return x.over((*x.dimensions[:d], x.dimensions[d + 1], x.dimensions[d], *x.dimensions[d + 2 :]))

    return map_operands(transposed, run.seen(node.xs, scope))


@_writes(Slice)
def _slice(run: _Writer, node: Slice, scope: _Scope) -> Term:
    start = node.start.value
    if start is None:
        raise UnwrittenError(f"a slice from {node.start}")
    xs = run.seen(node.xs, scope)
    return at_slice(run.source, xs, len(scope.batch), start, node.step, _extent(node.count))


@_writes(Element)
def _element(run: _Writer, node: Element, scope: _Scope) -> Term:
    if node.index.value is None:
        raise UnwrittenError(f"an element at {node.index}")
    return at_element(run.source, run.seen(node.xs, scope), len(scope.batch), node.index.value)


@_writes(Slide)
def _slide(run: _Writer, node: Slide, scope: _Scope) -> Term:
    depth, window, step = len(scope.batch), _extent(node.window), _extent(node.step)
    return map_operands(lambda x: at_windows(run.source, x, depth, window, step), run.seen(node.xs, scope))


@_writes(Concat)
def _concat(run: _Writer, node: Concat, scope: _Scope) -> Term:
    return joined(run.source, [run.seen(x, scope) for x in node.operands], len(scope.batch))


@_writes(Gather)
def _gather(run: _Writer, node: Gather, scope: _Scope) -> Term:
    indices, depth = run.one(node.indices, scope), len(scope.batch)
    return map_operands(lambda x: gathered(run.source, x, indices, depth), run.seen(node.xs, scope))


def _by_component(
    write_: Callable[[str, Operand, Operand], Operand], names: str | tuple[str, ...], init: Term, xs: Term
) -> Term:
    """A fold by a primitive, or the fold of each component by its own."""
    if isinstance(names, tuple):
        assert isinstance(init, tuple)
        assert isinstance(xs, tuple)
        return tuple([_by_component(write_, *each) for each in zip(names, init, xs, strict=True)])
    assert isinstance(init, Operand)
    assert isinstance(xs, Operand)
    return write_(names, init, xs)


def _extreme(node: Reduce) -> str | None:
    """`maximum` or `minimum` where a reduction chooses the first such number of an array, with its place; else None."""
    f, pairs, init = node.f, node.xs, node.init
    if not isinstance(f, Lambda) or not isinstance(pairs, Zip) or not isinstance(init, Tuple):
        return None
    op = chooses(f.body, *f.variables)
    if op is None:
        return None
    places, (number, last) = pairs.operands[1], init.operands
    if not isinstance(places, Generate) or places.f.body not in places.f.variables:
        return None
    if not (isinstance(number, Literal) and isinstance(last, Literal) and last.value == np.iinfo(last.dtype.name).max):
        return None
    return op if is_last(op, number.value) else None


@_writes(Reduce)
def _reduce(run: _Writer, node: Reduce, scope: _Scope) -> Term:
    depth, length = len(scope.batch), _length(node.xs.type)
    in_turns = node.how == REDUCE_SEQ and length <= TURNS_WRITTEN_UP_TO
    if not (in_turns or node.how.name == "reduce") or not isinstance(node.f, Lambda):
        raise UnwrittenError(node.name)
    init, xs = run.seen(node.init, scope), run.seen(node.xs, scope)
    if in_turns:
        value = init
        for turn in range(length):
            value = run.apply(node.f, [value, at_element(run.source, xs, depth, turn)], scope, None)
        return map_operands(lambda x: _deeper(x, depth, 1), value)
    extreme, names = _extreme(node), primitives_of(node.f)
    if extreme is not None and length > 1:
        assert isinstance(xs, tuple)
        numbers, places = xs
        assert isinstance(numbers, Operand)
        assert isinstance(places, Operand)
        found: Term = chosen(run.source, extreme, numbers, places.dtype, depth)
    elif isinstance(names, str) or (names is not None and length > FOLDED_BY_HALVES_UP_TO):
        found = _by_component(lambda name, i, x: reduced(run.source, name, i, x, depth), names, init, xs)
    else:

        def combine(a: Term, b: Term, extent: int | None) -> Term:
            return run.apply(node.f, [a, b], scope, extent)

        found = folded(run.source, combine, init, xs, depth, length)
    return map_operands(lambda x: _deeper(x, depth, 1), found)


@_writes(Scan)
def _scan(run: _Writer, node: Scan, scope: _Scope) -> Term:
    if node.how != SCAN or not isinstance(node.f, Lambda):
        raise UnwrittenError(node.name)
    depth, length = len(scope.batch), _length(node.xs.type)
    init, xs = run.seen(node.init, scope), run.seen(node.xs, scope)
    names = primitives_of(node.f)
    if length > 1 and names is not None:

        def written(name: str, start: Operand, x: Operand) -> Operand:
            return scanned(run.source, name, start, merged(run.source, whole(run.source, x, [depth]), [depth]), depth)

        return _by_component(written, names, init, xs)

    def combine(a: Term, b: Term, extent: int | None) -> Term:
        return run.apply(node.f, [a, b], scope, extent)

    found = scanned_by(run.source, combine, xs, depth, length)
    return combine(map_operands(lambda x: _deeper(x, depth, length), init), found, length)


@_writes(Sort)
def _sort(run: _Writer, node: Sort, scope: _Scope) -> Term:
    depth, length = len(scope.batch), _length(node.xs.type)
    order = order_of_numbers(node)
    if order is not None and length > 1:
        return in_order(run.source, run.one(node.xs, scope), order == "descending", depth)
    pair = run.apply(node.key, [run.seen(node.xs, scope)], scope, length)
    assert isinstance(pair, tuple)
    keys, values = pair
    if not isinstance(keys, Operand):
        raise UnwrittenError("keys that are tuples")
    if length == 1:
        return values
    places = ordered(run.source, keys, node.bits, depth)
    return map_operands(lambda x: gathered(run.source, x, places, depth, inside=True), values)


@_writes(Scatter)
def _scatter(run: _Writer, node: Scatter, scope: _Scope) -> Term:
    f = node.f
    if scope.batch or not isinstance(f, Lambda):
        raise UnwrittenError("a scatter within a map")
    pair = run.apply(node.key, [run.seen(node.ys, scope)], scope, _length(node.ys.type))
    assert isinstance(pair, tuple)
    indices, values = pair
    name = "" if f.body is f.variables[1] else primitive_of(f)
    if name is None or not isinstance(indices, Operand):
        raise UnwrittenError("a scatter by this function")
    return _scattered(run.source, name, run.seen(node.xs, scope), indices, values)


def _scattered(source: Source, name: str, xs: Term, indices: Operand, values: Term) -> Term:
    """The same for each component, where the last value wins."""
    if isinstance(xs, Operand) and isinstance(values, Operand):
        if len(xs.dimensions) > 1:
            raise UnwrittenError("a scatter of rows")
        return scattered(source, name, xs, indices, values)
    assert isinstance(xs, tuple) and isinstance(values, tuple)
    return tuple([_scattered(source, name, x, indices, y) for x, y in zip(xs, values, strict=True)])
