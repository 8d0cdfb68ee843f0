"""The executable semantics over numbers that carry how far they may be off (`ir.core.semantics.rounding`).

The denotations are the interpreter's but for those that compute: float32 is computed in float64, and each value comes
with a bound on what rounding can make of it on any machine and in any order of additions. The bound follows the numbers
at hand: where large terms cancel, or nearly equal values are compared, it is large, elsewhere small. Views and maps
know nothing of it: they move values and errors alike. For high-level expressions.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ir.core.expr import Expr, Lambda, postorder
from ir.core.patterns import Call, Cast, Gather, Get, Iterate, MapReduce, Reduce, Scan, Scatter, Sort, Tuple
from ir.core.scalars import OPERATIONS
from ir.core.semantics.batch import at, concatenate, gather, length_of, spread
from ir.core.semantics.denotations import DENOTATIONS, Denotation, denotes, fold_any_order, operands_of
from ir.core.semantics.interpreter import Interpreter, Scope
from ir.core.semantics.rounding import Bounded, apart, called, cast, made, parts, units_of_sum
from ir.core.semantics.scatters import scatter
from ir.core.semantics.sorts import sorted_by
from ir.core.semantics.values import Value
from ir.core.types import ArrayType, ScalarType, TupleType, Type, VectorType
from ir.errors import IRError

__all__ = ["BOUNDS", "interpret_bounded"]

_Array: TypeAlias = NDArray[Any]

BOUNDS: dict[type[Expr], Denotation] = {Iterate: DENOTATIONS[Iterate]}
"""What patterns that compare or combine numbers mean; all others, which pass errors on, mean what they always do."""


def interpret_bounded(
    e: Expr, inputs: Mapping[Any, Any], sizes: Mapping[str, int] | None = None
) -> list[tuple[_Array, _Array]]:
    """The components of a closed high-level expression's value, each with how far it may be off: flat arrays, in the
    order of the leaves of its type.

    Float components are float64. Errors are absolute, of whole numbers and truth values too; zero: exact, infinity:
    nothing is known. inputs, sizes and what is raised are as in `ir.core.semantics.interpreter.interpret`.
    """
    for node in postorder(e):
        if node.traits.collective and type(node) not in BOUNDS:
            raise IRError(f"{node.name}: nothing says how errors spread through it (ir.core.semantics.error_bounds)")
    with np.errstate(all="ignore"):
        pairs = [_numbers(leaf) for leaf in _leaves(_Bounding(inputs, dict(sizes or {})).program(e))]
    return [(value.reshape(-1), error.reshape(-1)) for value, error in pairs]


def _is_tuple(value: Value) -> bool:
    return isinstance(value, tuple) and not isinstance(value, Bounded)


def _leaves(value: Value) -> Iterator[Value]:
    """The components of a value, exact or not."""
    if _is_tuple(value):
        for part in value:
            yield from _leaves(part)
    else:
        yield value


def _numbers(leaf: Value) -> tuple[_Array, _Array]:
    value, error = parts(leaf)
    return value, np.broadcast_to(0.0 if error is None else error, value.shape)


def _with_errors(value: Value, lost: Any = False) -> Value:
    """The value with an error for each number, infinite where something is lost.

    Args:
        lost: an array over the batch axes, or the first ones of them, and that of the elements
    """
    if _is_tuple(value):
        return tuple(_with_errors(part, lost) for part in value)
    numbers, error = _numbers(value)
    lost = np.asarray(lost)
    error = np.where(lost.reshape(lost.shape + (1,) * (numbers.ndim - lost.ndim)), np.inf, error)
    return Bounded((np.broadcast_to(numbers, error.shape), error))


def _alike(values: Sequence[Value]) -> list[Value]:
    """Values of one type, each number with an error where one of them has one."""
    if any(isinstance(value, Bounded) for value in values):
        return [_with_errors(value) for value in values]
    if not _is_tuple(values[0]):
        return list(values)
    columns = [_alike(column) for column in zip(*values, strict=True)]
    return [tuple(row) for row in zip(*columns, strict=True)]


class _Bounding(Interpreter):
    """A run over such numbers.

    Attributes:
        units: how many times its own error each operation may err: more inside of a fold whose order is free
    """

    denotations: ClassVar[Mapping[type[Expr], Denotation]] = ChainMap(BOUNDS, DENOTATIONS)
    units = 1.0

    def joined(self, values: Sequence[Value], axis: int) -> Value:
        return concatenate(_alike(values), axis)

    @contextmanager
    def in_any_order(self, count: int) -> Iterator[None]:
        """While so many elements are combined by a function that is no primitive."""
        before, self.units = self.units, self.units * units_of_sum(count)
        yield
        self.units = before


@denotes(Call, among=BOUNDS)
def _call(run: Any, node: Call, scope: Scope) -> Value:
    return called(node.operation, _dtype(node.type), operands_of(node, scope), run.units)


def _dtype(t: Type) -> np.dtype[Any]:
    t = t.element if isinstance(t, VectorType) else t
    assert isinstance(t, ScalarType)
    return np.dtype(t.name)


@denotes(Cast, among=BOUNDS)
def _cast(run: Any, node: Cast, scope: Scope) -> Value:
    return cast(scope.values[node.operand], np.dtype(node.dtype.name))


@denotes(Gather, among=BOUNDS)
def _gather(run: Any, node: Gather, scope: Scope) -> Value:
    indices, doubt = parts(scope.values[node.indices])
    found = gather(scope.values[node.xs], indices, scope.depth)
    return found if doubt is None else _with_errors(found, doubt > 0)


def _keyed(run: Any, key: Expr, xs: Value, scope: Scope) -> tuple[Value, Value]:
    """What a function gives of all elements: keys or indices, and values."""
    found = spread(run.call(key, [xs], scope, scope.depth + 1), scope.depth, length_of(xs, scope.depth))
    return found[0], found[1]


@denotes(Sort, among=BOUNDS)
def _sort(run: Any, node: Sort, scope: Scope) -> Value:
    """Where the order of two elements is in doubt, no element is known."""
    xs, depth = scope.values[node.xs], scope.depth
    keys, values = _keyed(run, node.key, xs, scope)
    numbers, doubt = parts(keys)
    found = sorted_by(numbers, values, node.bits, depth)
    return found if doubt is None else _with_errors(found, (doubt > 0).any(axis=-1, keepdims=True))


@denotes(Scatter, among=BOUNDS)
def _scatter(run: Any, node: Scatter, scope: Scope) -> Value:
    """Where the place of a value is in doubt, no element is known."""
    xs, ys, depth = scope.values[node.xs], scope.values[node.ys], scope.depth
    keys, values = _keyed(run, node.key, ys, scope)
    indices, doubt = parts(keys)
    f, length = node.f, length_of(ys, depth)
    last = isinstance(f, Lambda) and f.body is f.variables[1]

    def placed(ufunc: np.ufunc, first: _Array, others: _Array) -> _Array:
        def call(a: Value, b: Value) -> Value:
            return np.asarray(ufunc(a, b))

        made = scatter(call, first, indices, others, depth, False, ufunc)
        assert isinstance(made, np.ndarray)
        return made

    def any_order() -> Value:
        def combine(a: Value, b: Value) -> Value:
            return _with_errors(run.call(f, [a, b], scope, depth + 1))

        return scatter(combine, _with_errors(xs), indices, _with_errors(values), depth, last)

    assert isinstance(node.type, ArrayType)
    found = _combined(run, f, node.type.element, xs, values, length, placed, any_order)
    return found if doubt is None else _with_errors(found, (doubt > 0).any(axis=-1, keepdims=True))


@denotes(Reduce, among=BOUNDS)
def _reduce(run: Any, node: Reduce, scope: Scope) -> Value:
    init, xs, axis = scope.values[node.init], scope.values[node.xs], scope.depth
    if length_of(xs, axis) == 0:
        return DENOTATIONS[Reduce](run, node, scope)

    def folded(ufunc: np.ufunc, first: _Array, values: _Array) -> _Array:
        return np.asarray(ufunc(ufunc.reduce(values, axis=axis, dtype=values.dtype), first))

    def any_order() -> Value:
        return fold_any_order(run, node.f, init, xs, scope, axis)

    if node.how.name != "reduce":
        return DENOTATIONS[Reduce](run, node, scope)
    found = _combined(run, node.f, node.init.type, init, xs, length_of(xs, axis), folded, any_order)
    return at(found, axis, None)


@denotes(Scan, among=BOUNDS)
def _scan(run: Any, node: Scan, scope: Scope) -> Value:
    init, xs, axis = scope.values[node.init], scope.values[node.xs], scope.depth
    if node.gives_results or length_of(xs, axis) == 0:
        return DENOTATIONS[Scan](run, node, scope)

    def scanned(ufunc: np.ufunc, first: _Array, values: _Array) -> _Array:
        found = ufunc.accumulate(values, axis=axis, dtype=values.dtype)
        return np.asarray(ufunc(found, np.expand_dims(first, axis)))

    def any_order() -> Value:
        return DENOTATIONS[Scan](run, node, scope)

    return _combined(run, node.f, node.init.type, init, xs, np.arange(1, length_of(xs, axis) + 1), scanned, any_order)


@denotes(MapReduce, among=BOUNDS)
def _map_reduce(run: Any, node: MapReduce, scope: Scope) -> Value:
    return DENOTATIONS[MapReduce](run, node, scope)


# --- what folds do ----------------------------------------------------------------------------------------------------

_Fold: TypeAlias = Callable[[Any, _Array, _Array], _Array]
"""Combines a start and terms by a ufunc, the way a pattern does."""


def _combined(
    run: _Bounding, f: Expr, t: Type, init: Value, terms: Value, count: Any, fold: _Fold, any_order: Callable[[], Value]
) -> Value:
    """The result of folding `count` terms (an array: so many up to each) into accumulators of a type: `fold` combines
    the components for which a primitive does, `any_order` applies the function for the others.
    """
    types = t.elements if isinstance(t, TupleType) else (t,)
    starts, others = (init, terms) if isinstance(t, TupleType) else ((init,), (terms,))
    found: list[Any] = [None] * len(types)
    for i, way in enumerate(_ways(f, len(types))):
        if way is not None:
            found[i] = _component(fold, way, starts[i], others[i], count, _dtype(types[i]))
    if any(part is None for part in found):
        with run.in_any_order(np.max(count)):
            rest = any_order()
        found = [
            new if own is None else own for own, new in zip(found, rest if len(types) > 1 else (rest,), strict=True)
        ]
    return tuple(found) if isinstance(t, TupleType) else found[0]


def _ways(f: Expr, count: int) -> list[str | None]:
    """The primitive by which each component of an accumulator is combined with that of an element; None: none."""
    if not isinstance(f, Lambda) or len(f.types) != 2 or f.types[0] is not f.types[1]:
        return [None] * count
    (a, b), body = f.open()
    tuples = isinstance(body, Tuple)
    if not tuples and count > 1:
        return [None] * count
    found: list[str | None] = []
    for i, part in enumerate(body.operands if tuples else (body,)):
        operands = {Get(i, a), Get(i, b)} if tuples else {a, b}
        fits = isinstance(part, Call) and part.operation.associative and set(part.operands) == operands
        found.append(part.op if fits else None)  # type: ignore[attr-defined]  # a call
    return found


def _component(fold: _Fold, way: str, start: Value, terms: Value, count: Any, dtype: np.dtype[Any]) -> Value:
    """Terms combined by a primitive, in any order."""
    operation = OPERATIONS[way]
    if not (isinstance(start, Bounded) or isinstance(terms, Bounded)) and (dtype.kind != "f" or operation.exact):
        return fold(operation.numpy, np.asarray(start), np.asarray(terms)).astype(dtype, copy=False)
    (first, its_error), (values, errors) = _numbers(start), _numbers(terms)
    total = fold(operation.numpy, first, values)
    if dtype == np.float64 and way == "add":  # the reference should not be the party that is off
        wide = np.longdouble
        total = fold(operation.numpy, first.astype(wide), values.astype(wide)).astype(np.float64)
    most = fold(np.maximum, its_error, errors)
    if way == "add":
        error = fold(np.add, its_error, errors)
        if dtype.kind == "f":
            error = _of_sum(total, error, fold(np.add, np.abs(first), np.abs(values)), count, dtype)
    elif way == "multiply" and dtype.kind == "f":
        error = _of_product(fold, (np.abs(first), its_error), (np.abs(values), errors), count, dtype)
    elif way in ("minimum", "maximum"):  # no further than all elements together, up or down
        up, down = (fold(operation.numpy, first + sign * its_error, values + sign * errors) for sign in (1, -1))
        error = np.where(np.isinf(most), np.inf, np.maximum(apart(up, total), apart(down, total)))
    else:
        error = np.where(most > 0, 1.0 if dtype.kind == "b" else np.inf, 0.0)
    return made(total, error, dtype)


def _of_sum(total: _Array, error: _Array, size: _Array, count: Any, dtype: np.dtype[Any]) -> _Array:
    """The error of a sum.

    Args:
        error: that of the terms.
        size: the sum of their absolute values
    """
    info = np.finfo(dtype)
    finite = np.where(np.isfinite(error), 0.0, np.inf)  # of infinities and NaN, in whatever order
    error = np.where(np.isfinite(total), error + units_of_sum(count) * float(info.eps) * size, finite)
    overflows = np.isfinite(size) & (size + error > float(info.max))  # some partial sum may
    return np.where(overflows, np.inf, error)


def _of_product(
    fold: _Fold, start: tuple[_Array, _Array], terms: tuple[_Array, _Array], count: Any, dtype: np.dtype[Any]
) -> _Array:
    """The error of a product, given absolute values and their errors; unknown where some part may leave the range."""
    info, (first, its_error), (sizes, errors) = np.finfo(dtype), start, terms
    least, most = (fold(np.multiply, first + w * its_error, sizes + w * errors) for w in (0, 1))
    error = most - least + units_of_sum(count) * float(info.eps) * most
    large = fold(np.multiply, np.maximum(first, 1.0), np.maximum(sizes, 1.0))
    small = fold(np.multiply, _at_most_one(first), _at_most_one(sizes))
    return np.where((large > float(info.max)) | (small < float(info.tiny)), np.inf, error)


def _at_most_one(sizes: _Array) -> _Array:
    return np.where(sizes == 0, 1.0, np.minimum(sizes, 1.0))
