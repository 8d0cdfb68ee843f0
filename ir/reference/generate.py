"""The NumPy program of a recorded graph: the vertices in order, functions of maps carried out on all elements at once.

The interpreter (`ir.core.semantics`) says what each pattern means; this writes the same down once as calls of NumPy, so
that carrying a program out again costs those calls alone. Maps add a dimension in front of what their functions see.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from ir.core.expr import Expr, Lambda, Param
from ir.core.patterns import (
    REDUCE_SEQ,
    SCAN,
    Call,
    Cast,
    Compact,
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
    Masked,
    Prefetch,
    PrefetchAgain,
    PrefetchCopies,
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
from ir.core.sort_keys import order_of_numbers
from ir.core.types import ArrayType, ScalarType, Type
from ir.cost.thresholds.tiers import FOLDED_BY_HALVES_UP_TO, TURNS_WRITTEN_UP_TO
from ir.reference.axes import Factor, absent
from ir.reference.complex_products import (
    is_complex_product,
    is_complex_product_of_rows,
    is_one,
    multiplied,
    multiplied_up_to_each,
)
from ir.reference.elementwise import absolute, called, clipped, converted, counted
from ir.reference.folds import (
    chosen,
    folded,
    is_last,
    primitives_of,
    primitives_of_rows,
    reduced,
    scanned,
    scanned_by,
    steps_of,
)
from ir.reference.layout import Operand, Term, merged, seconds_to_copy, whole
from ir.reference.library import LibraryCall, is_absolute
from ir.reference.lookups import compacted, gathered, in_order, ordered, scattered
from ir.reference.parts import at_element, at_slice, at_windows, joined, map_operands
from ir.reference.selections import selections, sorted_rows
from ir.reference.source import NumPyProgram, Source, UnwrittenError, Variable
from ir.reference.writer import Scope, Writer, cut, deeper, extent_at, length_of, writes

__all__ = ["NumPyProgram", "UnwrittenError", "write"]


def write(
    roots: Sequence[Expr],
    inputs: Sequence[Param],
    noted: Mapping[Expr, LibraryCall] | None = None,
    empty: Callable[..., np.ndarray[Any, Any]] = np.empty,
) -> NumPyProgram:
    """The program that computes these vertices, each a flat array of scalars of constant length.

    Args:
        noted: vertices that are known to be results of NumPy's functions (`ir.reference.library`)
        empty: gives memory, of a shape and dtype, for large results

    Raises:
        UnwrittenError: there is none.
    """
    source = Source(empty)
    values: dict[Expr, Term] = {}
    for number, leaf in enumerate(inputs):
        values[leaf] = _input(source, number, leaf)
    writer = Writer(source, values, noted or {}, selections(roots, noted or {}))
    found = []
    for root in roots:
        value = writer.value(root, Scope({}, ()))
        assert isinstance(value, Operand)
        found.append(_result(source, value, int(root not in inputs and not source.ends_a_kernel(value.variable))))
    return source.function(found, len(inputs))


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
    length = extent_at(t.length)
    dtype = np.dtype(t.element.name)
    variable = source.input(number, length, dtype)
    if length == 1:
        one = source.assign("", (f"{variable}[0]",), (variable,), (), dtype)
        return Operand(one.name, one, ((),), dtype)
    return Operand(variable.name, variable, ((Factor(length, 0),),), dtype)


# --- what each pattern becomes ----------------------------------------------------------------------------------------


def _dtype(t: Type) -> np.dtype[Any]:
    if not isinstance(t, ScalarType):
        raise UnwrittenError(f"numbers of type {t}")
    return np.dtype(t.name)


def _number(name: str, dtype: np.dtype[Any], scope: Scope) -> Operand:
    return Operand(name, None, tuple(map(absent, scope.batch)), dtype)


@writes(Literal)
def _literal(run: Writer, node: Literal, scope: Scope) -> Term:
    return _number(run.source.constant(node.value), _dtype(node.dtype), scope)


@writes(FromSize)
def _from_size(run: Writer, node: FromSize, scope: Scope) -> Term:
    if node.value.value is None:
        raise UnwrittenError(f"a size of {node.value}")
    dtype = _dtype(node.dtype)
    return _number(run.source.number(node.value.value, dtype), dtype, scope)


@writes(Call)
def _call(run: Writer, node: Call, scope: Scope) -> Term:
    operands = [run.one(x, scope) for x in node.operands]
    found = _clipped(run, node, operands, scope) if node.op == "minimum" else None
    return called(run.source, node.op, operands, _dtype(node.type)) if found is None else found


def _clipped(run: Writer, node: Call, operands: Sequence[Operand], scope: Scope) -> Operand | None:
    """The least of a number and the greatest of another number and a value, which NumPy has a faster call for."""
    for inner, highest in ((node.operands[0], operands[1]), (node.operands[1], operands[0])):
        if isinstance(inner, Call) and inner.op == "maximum" and run.source.value(highest.text) is not None:
            a, b = (run.one(x, scope) for x in inner.operands)
            x, lowest = (a, b) if run.source.value(b.text) is not None else (b, a)
            if run.source.value(lowest.text) is not None and x.variable is not None and x.dtype.kind != "b":
                return clipped(run.source, x, lowest, highest)
    return None


@writes(Cast)
def _cast(run: Writer, node: Cast, scope: Scope) -> Term:
    return converted(run.source, run.one(node.operand, scope), _dtype(node.type))


@writes(Tuple, Zip)
def _tuple(run: Writer, node: Expr, scope: Scope) -> Term:
    return tuple([run.seen(x, scope) for x in node.operands])


@writes(Get)
def _get(run: Writer, node: Get, scope: Scope) -> Term:
    value = run.seen(node.operand, scope)
    assert isinstance(value, tuple)
    return value[node.index]


@writes(Id, Masked, Prefetch, PrefetchAgain, PrefetchCopies, Reorder)
def _identity(run: Writer, node: Expr, scope: Scope) -> Term:
    return run.seen(node.operands[0], scope)


@writes(Map)
def _map(run: Writer, node: Map, scope: Scope) -> Term:
    places = run.selections.get(node)
    rows = None if places is None else sorted_rows(node)
    if rows is not None:
        order = order_of_numbers(rows)
        return in_order(run.source, run.one(node.xs, scope), order == "descending", len(scope.batch) + 1, places)
    xs, length = run.seen(node.xs, scope), length_of(node.type)
    if isinstance(xs, tuple) and is_absolute(node.f):
        return absolute(run.source, [part for part in xs if isinstance(part, Operand)])
    return run.apply(node.f, [xs], scope, length)


@writes(Generate)
def _generate(run: Writer, node: Generate, scope: Scope) -> Term:
    count, dtype = extent_at(node.count), _dtype(node.index)
    outer = tuple(map(absent, scope.batch))
    if count == 1:
        return run.apply(node.f, [Operand(run.source.constant(dtype.type(0)), None, (*outer, ()), dtype)], scope, 1)
    made = counted(run.source, count, dtype)
    return run.apply(node.f, [Operand(made.name, made, (*outer, (Factor(count, 0),)), dtype)], scope, count)


@writes(Repeat)
def _repeat(run: Writer, node: Repeat, scope: Scope) -> Term:
    depth, count = len(scope.batch), extent_at(node.count)
    return map_operands(lambda x: deeper(x, depth, count), run.seen(node.x, scope))


@writes(Split)
def _split(run: Writer, node: Split, scope: Scope) -> Term:
    depth, chunk = len(scope.batch), extent_at(node.chunk)
    return map_operands(lambda x: cut(run.source, x, depth, chunk), run.seen(node.xs, scope))


@writes(Join)
def _join(run: Writer, node: Join, scope: Scope) -> Term:
    d = len(scope.batch)

    def joined_(x: Operand) -> Operand:
        return x.over((*x.dimensions[:d], x.dimensions[d] + x.dimensions[d + 1], *x.dimensions[d + 2 :]))

    return map_operands(joined_, run.seen(node.xs, scope))


@writes(Transpose)
def _transpose(run: Writer, node: Transpose, scope: Scope) -> Term:
    d = len(scope.batch)

    def transposed(x: Operand) -> Operand:
        return x.over((*x.dimensions[:d], x.dimensions[d + 1], x.dimensions[d], *x.dimensions[d + 2 :]))

    return map_operands(transposed, run.seen(node.xs, scope))


@writes(Slice)
def _slice(run: Writer, node: Slice, scope: Scope) -> Term:
    start = node.start.value
    if start is None:
        raise UnwrittenError(f"a slice from {node.start}")
    xs = run.seen(node.xs, scope)
    return at_slice(run.source, xs, len(scope.batch), start, node.step, extent_at(node.count))


@writes(Element)
def _element(run: Writer, node: Element, scope: Scope) -> Term:
    if node.index.value is None:
        raise UnwrittenError(f"an element at {node.index}")
    return at_element(run.source, run.seen(node.xs, scope), len(scope.batch), node.index.value)


@writes(Slide)
def _slide(run: Writer, node: Slide, scope: Scope) -> Term:
    depth, window, step = len(scope.batch), extent_at(node.window), extent_at(node.step)
    return map_operands(lambda x: at_windows(run.source, x, depth, window, step), run.seen(node.xs, scope))


@writes(Concat)
def _concat(run: Writer, node: Concat, scope: Scope) -> Term:
    return joined(run.source, [run.seen(x, scope) for x in node.operands], len(scope.batch))


@writes(Gather)
def _gather(run: Writer, node: Gather, scope: Scope) -> Term:
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


@writes(Reduce)
def _reduce(run: Writer, node: Reduce, scope: Scope) -> Term:
    depth, length = len(scope.batch), length_of(node.xs.type)
    in_turns = node.how == REDUCE_SEQ and length <= TURNS_WRITTEN_UP_TO
    if not (in_turns or node.how.name == "reduce") or not isinstance(node.f, Lambda):
        raise UnwrittenError(node.name)
    init, xs = run.seen(node.init, scope), run.seen(node.xs, scope)
    if in_turns:
        value = init
        for turn in range(length):
            value = run.apply(node.f, [value, at_element(run.source, xs, depth, turn)], scope, None)
        return map_operands(lambda x: deeper(x, depth, 1), value)
    extreme, names = _extreme(node), primitives_of(node.f)
    if extreme is not None and length > 1:
        assert isinstance(xs, tuple)
        numbers, places = xs
        assert isinstance(numbers, Operand)
        assert isinstance(places, Operand)
        found: Term = chosen(run.source, extreme, numbers, places.dtype, depth)
    elif length > 1 and is_complex_product(node.f):
        found = multiplied(run.source, xs, depth)
        found = found if is_one(run.source, init) else run.combining(node.f, scope)(found, init, None)
    elif isinstance(names, str) or (names is not None and length > FOLDED_BY_HALVES_UP_TO):
        found = _by_component(lambda name, i, x: reduced(run.source, name, i, x, depth), names, init, xs)
    else:
        found = folded(run.source, run.combining(node.f, scope), init, xs, depth, length)
    return map_operands(lambda x: deeper(x, depth, 1), found)


@writes(Scan)
def _scan(run: Writer, node: Scan, scope: Scope) -> Term:
    if node.how != SCAN or not isinstance(node.f, Lambda):
        raise UnwrittenError(node.name)
    depth, length = len(scope.batch), length_of(node.xs.type)
    init, xs = run.seen(node.init, scope), run.seen(node.xs, scope)
    names = primitives_of_rows(node.f)
    if length > 1 and names is not None:

        def written(name: str, start: Operand, x: Operand) -> Operand:
            return scanned(run.source, name, start, merged(run.source, whole(run.source, x, [depth]), [depth]), depth)

        return _by_component(written, names, init, xs)

    combine = run.combining(node.f, scope)
    if length > 1 and is_complex_product_of_rows(node.f):
        found = multiplied_up_to_each(run.source, xs, depth)
        if is_one(run.source, init):
            return found
    else:
        found = scanned_by(run.source, combine, xs, depth, length)
    return combine(map_operands(lambda x: deeper(x, depth, length), init), found, length)


@writes(Sort)
def _sort(run: Writer, node: Sort, scope: Scope) -> Term:
    depth, length = len(scope.batch), length_of(node.xs.type)
    order = order_of_numbers(node)
    if order is not None and length > 1:
        few = run.selections.get(node)
        return in_order(run.source, run.one(node.xs, scope), order == "descending", depth, few)
    pair = run.apply(node.key, [run.seen(node.xs, scope)], scope, length)
    assert isinstance(pair, tuple)
    keys, values = pair
    if not isinstance(keys, Operand):
        raise UnwrittenError("keys that are tuples")
    if length == 1:
        return values
    places = ordered(run.source, keys, node.bits, depth)
    return map_operands(lambda x: gathered(run.source, x, places, depth, inside=True), values)


@writes(Scatter)
def _scatter(run: Writer, node: Scatter, scope: Scope) -> Term:
    f = node.f
    if scope.batch or not isinstance(f, Lambda):
        raise UnwrittenError("a scatter within a map")
    pair = run.apply(node.key, [run.seen(node.ys, scope)], scope, length_of(node.ys.type))
    assert isinstance(pair, tuple)
    indices, values = pair
    name = "" if f.body is f.variables[1] else steps_of(f)
    if name is None or not isinstance(indices, Operand):
        raise UnwrittenError("a scatter by this function")
    return _scattered(run.source, name, run.seen(node.xs, scope), indices, values)


@writes(Compact)
def _compact(run: Writer, node: Compact, scope: Scope) -> Term:
    if scope.batch:
        raise UnwrittenError("a compact within a map")
    pair = run.seen(node.xs, scope)
    assert isinstance(pair, tuple)
    indices, values = pair
    assert isinstance(indices, Operand)
    count = length_of(node.type)
    return map_operands(lambda x: compacted(run.source, indices, x, count), values)


def _scattered(source: Source, name: str | tuple[str, ...], xs: Term, indices: Operand, values: Term) -> Term:
    """The same for each component, by its own primitive; by the empty one the last value wins."""
    if isinstance(xs, Operand) and isinstance(values, Operand):
        if len(xs.dimensions) > 1:
            raise UnwrittenError("a scatter of rows")
        assert isinstance(name, str)
        return scattered(source, name, xs, indices, values)
    assert isinstance(xs, tuple) and isinstance(values, tuple)
    names = (name,) * len(xs) if isinstance(name, str) else name
    return tuple([_scattered(source, each, x, indices, y) for each, x, y in zip(names, xs, values, strict=True)])
