"""What each pattern means: the equations of ICFP 2015, figure 9 and section 5.2, as functions of NumPy arrays.

A denotation gets the interpreter (to apply functions and evaluate sizes), the node, and the scope that holds the values
of its operands. Those have `scope.depth` batch axes in front; "the array's axis" is the one after them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ir.core.expr import Expr, Lambda, Param
from ir.core.patterns import (
    SCAN,
    AsScalar,
    AsVector,
    Call,
    Cast,
    Compact,
    CompactBeside,
    Concat,
    Element,
    FromSize,
    Gather,
    Generate,
    Get,
    Head,
    Id,
    Iterate,
    Join,
    Literal,
    Map,
    MapReduce,
    Masked,
    Memory,
    Mma,
    Overlap,
    Pad,
    Permute,
    Prefetch,
    PrefetchAgain,
    PrefetchCopies,
    RankRunsSeq,
    RankSeq,
    Reduce,
    ReducePart,
    Reorder,
    ReorderStride,
    Repeat,
    Reverse,
    Scan,
    ScanLane,
    Scatter,
    Slice,
    Slide,
    Sort,
    SortRuns,
    Splat,
    Split,
    Transpose,
    Tuple,
    Vect,
    Zip,
)
from ir.core.scalars import is_one_test
from ir.core.semantics.batch import at, concatenate, gather, length_of, lift, reshape, spread, windows
from ir.core.semantics.lanes import doubling_scan, scan_lane
from ir.core.semantics.scatters import scatter
from ir.core.semantics.sorts import compacted, permuted, ranked, runs_sorted_by, sorted_by
from ir.core.semantics.tensor_cores import mma
from ir.core.semantics.values import Layout, Value, conform, evaluate_type, map_leaves
from ir.core.types import ArrayType
from ir.errors import IRError, TypeMismatch

if TYPE_CHECKING:
    from ir.core.semantics.interpreter import Interpreter, Scope

__all__ = ["DENOTATIONS", "Denotation", "denotes", "fold_any_order", "operands_of"]

Denotation: TypeAlias = Callable[["Interpreter", Any, "Scope"], Value]
DENOTATIONS: dict[type[Expr], Denotation] = {Mma: mma, ScanLane: scan_lane}


def _array(node: Expr) -> ArrayType:
    assert isinstance(node.type, ArrayType)
    return node.type


def denotes(
    *patterns: type[Expr], among: dict[type[Expr], Denotation] = DENOTATIONS
) -> Callable[[Denotation], Denotation]:
    """The function is what those patterns mean, among the denotations of one interpreter."""

    def register(function: Denotation) -> Denotation:
        among.update(dict.fromkeys(patterns, function))
        return function

    return register


@denotes(Param)
def _param(run: Interpreter, node: Param, scope: Scope) -> Value:
    for key in (node, node.identifier):
        if key in run.inputs:
            return conform(f"input {node.identifier}", run.inputs[key], evaluate_type(node.type, run.extent))
    raise TypeMismatch("interpret", f"a value for the parameter {node.identifier} : {node.type}", "none")


@denotes(Literal)
def _literal(run: Interpreter, node: Literal, scope: Scope) -> Value:
    return np.asarray(node.value).reshape((1,) * scope.depth)


@denotes(FromSize)
def _from_size(run: Interpreter, node: FromSize, scope: Scope) -> Value:
    return np.asarray(run.extent(node.value)).astype(node.dtype.name).reshape((1,) * scope.depth)


@denotes(Call)
def _call(run: Interpreter, node: Call, scope: Scope) -> Value:
    return np.asarray(node.operation.numpy(*operands_of(node, scope)))


def operands_of(node: Call, scope: Scope) -> list[Value]:
    """The values of a call's operands; of one truth value for all lanes of vectors, with an axis for these."""
    values = [scope.values[e] for e in node.operands]
    if is_one_test(node.op, [e.type for e in node.operands]):
        values[0] = at(values[0], scope.depth, None)
    return values


@denotes(Cast)
def _cast(run: Interpreter, node: Cast, scope: Scope) -> Value:
    return map_leaves(lambda a: a.astype(node.dtype.name, copy=False), scope.values[node.operand])


@denotes(Splat)
def _splat(run: Interpreter, node: Splat, scope: Scope) -> Value:
    return spread(at(scope.values[node.operand], scope.depth, None), scope.depth, node.width)


@denotes(Tuple, Zip)
def _tuple(run: Interpreter, node: Expr, scope: Scope) -> Value:
    """`zip x y i = (x i, y i)`; an array of tuples is kept as a tuple of arrays."""
    return tuple(scope.values[e] for e in node.operands)


@denotes(Get)
def _get(run: Interpreter, node: Get, scope: Scope) -> Value:
    value = scope.values[node.operand]
    assert isinstance(value, tuple)
    return value[node.index]


@denotes(Id, Masked, Prefetch, PrefetchAgain, PrefetchCopies, Reorder, Memory)
def _identity(run: Interpreter, node: Expr, scope: Scope) -> Value:
    return scope.values[node.operands[0]]


@denotes(Map)
def _map(run: Interpreter, node: Map, scope: Scope) -> Value:
    """`map f x i = f (x i)`: the array's axis becomes a batch axis."""
    result = run.call(node.f, [scope.values[node.xs]], scope, scope.depth + 1)
    return spread(result, scope.depth, run.extent(_array(node).length))


@denotes(Reduce)
def _reduce(run: Interpreter, node: Reduce, scope: Scope) -> Value:
    """`reduce f e x = x0 f (x1 f (... f e))` in any order; `reduceSeq` strictly from the left, starting with e."""
    init, xs, depth = scope.values[node.init], scope.values[node.xs], scope.depth
    if node.how.name == "reduce":
        return at(fold_any_order(run, node.f, init, xs, scope, depth), depth, None)
    for i in range(length_of(xs, depth)):
        init = run.call(node.f, [init, at(xs, depth, i)], scope, depth)
    return at(init, depth, None)


@denotes(Scan)
def _scan(run: Interpreter, node: Scan, scope: Scope) -> Value:
    """`scan f e x i = f e (x0 f (x1 f (... f xi)))` in any grouping; `scanSeq` strictly from the left, from e on."""
    init, xs, depth = scope.values[node.init], scope.values[node.xs], scope.depth
    if node.gives_results:
        return _scan_map(run, node, init, xs, scope)
    ufunc = _primitive(node.f)
    if ufunc is not None:
        assert isinstance(xs, np.ndarray)
        whole = concatenate([at(init, depth, None), xs], depth)
        assert isinstance(whole, np.ndarray)
        dtype = _carried(ufunc, xs.dtype) if node.how == SCAN and ufunc is np.add else xs.dtype
        found = ufunc.accumulate(whole, axis=depth, dtype=dtype)  # from the left, one by one
        return at(found.astype(xs.dtype, copy=False), depth, slice(1, None))
    if node.how == SCAN:
        scanned, lifted = doubling_scan(run, node.f, xs, scope, depth), lift(init, depth, depth + 1)
        return spread(run.call(node.f, [lifted, scanned], scope, depth + 1), depth, length_of(xs, depth))
    results = [at(init, depth, None)]
    for i in range(length_of(xs, depth)):
        init = run.call(node.f, [init, at(xs, depth, i)], scope, depth)
        results.append(at(init, depth, None))
    return at(run.joined(results, depth), depth, slice(1, None))


def _scan_map(run: Interpreter, node: Scan, carried: Value, xs: Value, scope: Scope) -> Value:
    """`scanMapSeq f e x i = r_i` where `(a_i, r_i) = f a_(i-1) (x i)` and `a_(-1) = e`."""
    return _carried_along(run, node, carried, xs, scope, evaluate_type(node.type, run.extent))[1]


@denotes(MapReduce)
def _map_reduce(run: Interpreter, node: MapReduce, scope: Scope) -> Value:
    """`mapReduceSeq f e x = ([a_n], r)` where `(a_(i+1), r_i) = f a_i (x i)` and `a_0 = e`."""
    layout = evaluate_type(node.type, run.extent)
    assert isinstance(layout, tuple)
    last, results = _carried_along(run, node, scope.values[node.init], scope.values[node.xs], scope, layout[1])
    return at(last, scope.depth, None), results


def _carried_along(
    run: Interpreter, node: Scan | MapReduce, carried: Value, xs: Value, scope: Scope, layout: Layout
) -> tuple[Value, Value]:
    """What is carried along in the end, and the results beside it, of that layout."""
    axis, results = scope.depth, list[Value]()
    for i in range(length_of(xs, axis)):
        both = run.call(node.f, [carried, at(xs, axis, i)], scope, axis)
        assert isinstance(both, tuple)
        carried = both[0]
        results.append(at(both[1], axis, None))
    return carried, run.joined(results, axis) if results else _nothing(layout, axis)


def _nothing(layout: Layout, depth: int) -> Value:
    """A value without elements, the same in every batch."""
    if isinstance(layout, tuple):
        return tuple(_nothing(part, depth) for part in layout)
    return np.empty((1,) * depth + layout.shape, layout.dtype)


@denotes(ReducePart)
def _reduce_part(run: Interpreter, node: ReducePart, scope: Scope) -> Value:
    """`reducePart f e n x i`: the reduction of elements i*I to i*I + I - 1."""
    xs, depth, parts = scope.values[node.xs], scope.depth, run.extent(node.parts)
    if parts == 0:
        return xs  # of length I*0
    chunks = reshape(xs, depth, 1, (parts, length_of(xs, depth) // parts))
    init = lift(scope.values[node.init], depth, depth + 1)
    return spread(fold_any_order(run, node.f, init, chunks, scope, depth + 1), depth, parts)


def fold_any_order(run: Interpreter, f: Expr, init: Value, xs: Value, scope: Scope, axis: int) -> Value:
    """All elements along an axis and the initial value combined by an associative function, the axis dropped."""
    length = length_of(xs, axis)
    if length == 0:
        return init
    ufunc = _primitive(f)
    if ufunc is not None:
        assert isinstance(xs, np.ndarray) and not isinstance(init, tuple)  # which may be a NumPy scalar
        dtype = _carried(ufunc, xs.dtype)
        total = ufunc(ufunc.reduce(xs, axis=axis, dtype=dtype), init.astype(dtype, copy=False))
        return np.asarray(total).astype(xs.dtype, copy=False)
    rests: list[Value] = []
    while length > 1:  # neighbours are combined, so that the order of the elements is kept
        if length % 2:
            rests.append(at(xs, axis, length - 1))
        half = length // 2
        pairs = [at(xs, axis, slice(k, 2 * half, 2)) for k in (0, 1)]
        xs, length = spread(run.call(f, pairs, scope, axis + 1), axis, half), half
    result = at(xs, axis, 0)
    for rest in [*reversed(rests), init]:
        result = run.call(f, [result, rest], scope, axis)
    return result


def _carried(ufunc: np.ufunc, dtype: np.dtype[Any]) -> np.dtype[Any]:
    """This is the reference: sums and products of float32 are carried in float64, and rounded once for each result."""
    return np.dtype(np.float64) if dtype == np.float32 and ufunc in (np.add, np.multiply) else dtype


def _primitive(f: Expr) -> np.ufunc | None:
    """The ufunc a function is, if it is an associative primitive."""
    f = f.f if isinstance(f, Vect) else f
    assert isinstance(f, Lambda)
    if isinstance(f.body, Call) and f.body.operation.associative and set(f.body.operands) == set(f.variables):
        found: Any = f.body.operation.numpy
        return found if isinstance(found, np.ufunc) else None
    return None


@denotes(Iterate)
def _iterate(run: Interpreter, node: Iterate, scope: Scope) -> Value:
    """`iterate k f = f i_k . ... . f i_1`."""
    value = scope.values[node.xs]
    for f in run.instances(node):
        value = run.call(f, [value], scope, scope.depth)
    return value


@denotes(Split)
def _split(run: Interpreter, node: Split, scope: Scope) -> Value:
    """`split n x i j = x (i*n + j)`; the type knows how many chunks there are, also of length zero."""
    outer = run.extent(_array(node).length)
    return reshape(scope.values[node.xs], scope.depth, 1, (outer, run.extent(node.chunk)))


@denotes(Join, AsScalar)
def _join(run: Interpreter, node: Join | AsScalar, scope: Scope) -> Value:
    """`join x i = x (i / I) (i % I)`."""
    xs, depth = scope.values[node.xs], scope.depth
    return reshape(xs, depth, 2, (length_of(xs, depth) * length_of(xs, depth + 1),))


@denotes(Transpose)
def _transpose(run: Interpreter, node: Transpose, scope: Scope) -> Value:
    return map_leaves(lambda a: a.swapaxes(scope.depth, scope.depth + 1), scope.values[node.xs])


@denotes(Head)
def _head(run: Interpreter, node: Head, scope: Scope) -> Value:
    count, length = run.extent(node.count), length_of(scope.values[node.xs], scope.depth)
    if not 0 <= count <= length:
        raise IRError(f"head: an array of {length} elements has no first {count}")
    return at(scope.values[node.xs], scope.depth, slice(0, count))


@denotes(Slice)
def _slice(run: Interpreter, node: Slice, scope: Scope) -> Value:
    xs, depth, step = scope.values[node.xs], scope.depth, node.step
    start, count, length = run.extent(node.start), run.extent(node.count), length_of(scope.values[node.xs], scope.depth)
    last = start + step * (count - 1)
    if count < 0 or (count > 0 and not (0 <= start < length and 0 <= last < length)):
        raise IRError(f"slice: {count} elements from {start} by {step} are not all within 0 to {length - 1}")
    if count == 0:
        return at(xs, depth, slice(0, 0))
    if step == 0:
        return spread(at(xs, depth, slice(start, start + 1)), depth, count)
    stop = last + (1 if step > 0 else -1)
    return at(xs, depth, slice(start, None if stop < 0 else stop, step))


@denotes(Slide)
def _slide(run: Interpreter, node: Slide, scope: Scope) -> Value:
    """`slide s d x i j = x (i*d + j)` for `i <= (n - s) / d`."""
    window, step, length = run.extent(node.window), run.extent(node.step), length_of(scope.values[node.xs], scope.depth)
    if window < 1 or step < 1 or length < window:
        raise IRError(f"slide: no windows of {window} elements, {step} apart, in an array of {length}")
    return windows(scope.values[node.xs], scope.depth, window, step)


@denotes(Pad)
def _pad(run: Interpreter, node: Pad, scope: Scope) -> Value:
    """`pad b c x i = x (min(max(i - b, 0), n - 1))`, n the length of x, which is not zero."""
    xs, before, behind = scope.values[node.xs], run.extent(node.before), run.extent(node.behind)
    length = length_of(xs, scope.depth)
    if before < 0 or behind < 0 or length < 1:
        raise IRError(f"pad: no {before} elements before and {behind} behind an array of {length}")
    return at(xs, scope.depth, np.clip(np.arange(-before, length + behind), 0, length - 1))


@denotes(Repeat)
def _repeat(run: Interpreter, node: Repeat, scope: Scope) -> Value:
    return spread(at(scope.values[node.x], scope.depth, None), scope.depth, run.extent(node.count))


@denotes(Concat)
def _concat(run: Interpreter, node: Concat, scope: Scope) -> Value:
    return run.joined([scope.values[e] for e in node.operands], scope.depth)


@denotes(Overlap)
def _overlap(run: Interpreter, node: Overlap, scope: Scope) -> Value:
    """`overlap n x y i = x i if i < n - m else y (i - n + m)`, m the length of y."""
    first, last, count, depth = scope.values[node.first], scope.values[node.last], run.extent(node.count), scope.depth
    before, start = length_of(first, depth), count - length_of(last, depth)
    if not 0 <= start <= before <= count:
        raise IRError(f"overlap: {count} elements are not the first {before} and those from {start} on")
    return run.joined([at(first, depth, slice(0, start)), last], depth)


@denotes(Element)
def _element(run: Interpreter, node: Element, scope: Scope) -> Value:
    xs, index = scope.values[node.xs], run.extent(node.index)
    if not 0 <= index < length_of(xs, scope.depth):
        raise IRError(f"element: index {index} is not within 0 to {length_of(xs, scope.depth) - 1}")
    return at(xs, scope.depth, index)


@denotes(Gather)
def _gather(run: Interpreter, node: Gather, scope: Scope) -> Value:
    """`gather x is i = x (min(max(is i, 0), n - 1))`, n the length of x, which is not zero if there is an i."""
    indices = scope.values[node.indices]
    assert isinstance(indices, np.ndarray)
    return gather(scope.values[node.xs], indices, scope.depth)


@denotes(Generate)
def _generate(run: Interpreter, node: Generate, scope: Scope) -> Value:
    """`generate n f i = f i`: all indices at once, along a new batch axis."""
    count = run.extent(node.count)
    indices = np.arange(count).astype(str(node.index)).reshape((1,) * scope.depth + (count,))
    return spread(run.call(node.f, [indices], scope, scope.depth + 1), scope.depth, count)


@denotes(Scatter)
def _scatter(run: Interpreter, node: Scatter, scope: Scope) -> Value:
    """`scatter f k x y j = f (... (f (x j) v0) ...) vm` for all i with `k (y i) = (j, vi)`, in ascending order."""
    xs, ys, depth = scope.values[node.xs], scope.values[node.ys], scope.depth
    indices, values = _beside(spread(run.call(node.key, [ys], scope, depth + 1), depth, length_of(ys, depth)))
    last = isinstance(node.f, Lambda) and node.f.body is node.f.variables[1]
    f, ufunc = (lambda a, b: run.call(node.f, [a, b], scope, depth + 1)), _primitive(node.f)
    return scatter(f, xs, indices, values, depth, last, ufunc)


def _keyed(run: Interpreter, node: Any, scope: Scope) -> tuple[np.ndarray[Any, Any], Value]:
    """The keys and the values of all elements."""
    xs, depth = scope.values[node.xs], scope.depth
    return _beside(spread(run.call(node.key, [xs], scope, depth + 1), depth, length_of(xs, depth)))


def _beside(pairs: Value) -> tuple[np.ndarray[Any, Any], Value]:
    """Keys or indices, and the values beside them."""
    assert isinstance(pairs, tuple)
    keys, values = pairs
    assert isinstance(keys, np.ndarray)
    return keys, values


@denotes(Sort)
def _sort(run: Interpreter, node: Sort, scope: Scope) -> Value:
    """`sort b k x i = v (p i)`, p the only permutation that orders the pairs of keys and indices."""
    return sorted_by(*_keyed(run, node, scope), node.bits, scope.depth)


@denotes(SortRuns)
def _sort_runs(run: Interpreter, node: SortRuns, scope: Scope) -> Value:
    """`sortRuns b r k x i = sort b k (slice s 1 r x) (i - s)` where s = i // r * r."""
    return runs_sorted_by(*_keyed(run, node, scope), node.bits, node.run, scope.depth)


@denotes(RankSeq, RankRunsSeq)
def _rank(run: Interpreter, node: RankSeq, scope: Scope) -> Value:
    """`rankSeq b k s x i = (s (k i) + |{j < i, k j = k i}|, v i)`."""
    keys, values = _keyed(run, node, scope)
    starts = scope.values[node.starts]
    assert isinstance(starts, np.ndarray)
    batch = np.broadcast_shapes(keys.shape[:-1], starts.shape[:-1])
    starts = np.broadcast_to(starts, (*batch, starts.shape[-1]))
    return ranked(np.broadcast_to(keys, (*batch, keys.shape[-1])), starts, node.bits), values


@denotes(Permute)
def _permute(run: Interpreter, node: Permute, scope: Scope) -> Value:
    """`permute x i = v` where `(i, v)` is in x."""
    return permuted(*_beside(scope.values[node.xs]), scope.depth)


@denotes(Compact)
def _compact(run: Interpreter, node: Compact, scope: Scope) -> Value:
    """`compact n x i = v` where `(i, v)` is in x."""
    return compacted(*_beside(scope.values[node.xs]), run.extent(node.count), scope.depth)


@denotes(CompactBeside)
def _compact_beside(run: Interpreter, node: CompactBeside, scope: Scope) -> Value:
    """`(compactBeside n k x).0 i = v` where `((i, v), p)` is in x; so are the others where `(p, (i, v))` is."""
    pairs = scope.values[node.xs]
    assert isinstance(pairs, tuple)
    counts = map(run.extent, (node.count, node.other))
    return tuple([compacted(*_beside(x), n, scope.depth) for x, n in zip(pairs, counts, strict=True)])


@denotes(Reverse)
def _reverse(run: Interpreter, node: Reverse, scope: Scope) -> Value:
    """`reverse x i = x (n - 1 - i)`."""
    return at(scope.values[node.xs], scope.depth, slice(None, None, -1))


@denotes(ReorderStride)
def _reorder_stride(run: Interpreter, node: ReorderStride, scope: Scope) -> Value:
    """`reorderStride n x i = x (i / I + n * (i % I))`."""
    xs, depth, stride = scope.values[node.xs], scope.depth, run.extent(node.stride)
    length = length_of(xs, depth)
    if length == 0:
        return xs
    columns = reshape(xs, depth, 1, (length // stride, stride))
    return reshape(map_leaves(lambda a: a.swapaxes(depth, depth + 1), columns), depth, 2, (length,))


@denotes(AsVector)
def _as_vector(run: Interpreter, node: AsVector, scope: Scope) -> Value:
    xs, depth = scope.values[node.xs], scope.depth
    return reshape(xs, depth, 1, (length_of(xs, depth) // node.width, node.width))
