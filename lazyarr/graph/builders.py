"""Recording: how the front end builds expressions.

Every array is a flat `[T]N`; its shape is known to Python alone. An operation that needs dimensions nests its operand
(`split` chains), works at the right depth and flattens the result (`join` chains). A `join` that meets a `split` of the
same chunk cancels here, so that reshaping and nesting leave no trace in the graph.

Arrays without elements never reach a pattern: each is `empty`, and what reduces one is a constant.
"""

from __future__ import annotations

from functools import cache, lru_cache
from math import prod
from typing import Any

from ir.core.expr import Expr, Lambda, fun, postorder
from ir.core.patterns import Element, Generate, Get, Join, Map, Reduce, Repeat, Slice, Split, Transpose, Zip
from ir.core.sizes import LIMIT_32, size
from ir.core.types import INT32, INT64, ArrayType, ScalarType, Type
from lazyarr.dtypes import DType
from lazyarr.elements.scalars import literal

__all__ = [
    "broadcast", "components", "constant", "element", "empty", "first", "flat", "generated", "index_type", "indices",
    "join", "length", "literal", "map_rows", "nest", "permute", "permuted_rows", "rows", "slice_", "split", "transpose",
]  # fmt: skip


def constant(count: int, value: Any, dtype: DType) -> Expr:
    """`[T]count`, every element the same constant."""
    return Repeat(count, literal(value, dtype))


@cache
def empty(dtype: DType) -> Expr:
    """`[T]0`."""
    return constant(0, 0, dtype)


def index_type(count: int) -> ScalarType:
    """The type in which the indices of that many elements are computed."""
    return INT32 if count <= LIMIT_32 else INT64


def generated(f: Lambda, count: int) -> Expr:
    """`generate count f`, or a map of f over the indices where f computes arrays or is inside of another function."""
    computes = f.body.patterned and any(isinstance(node, (Map, Reduce)) for node in postorder(f.body))
    if f.loose or computes or isinstance(f.result, ArrayType):
        return Map(f, indices(count, f.types[0]))
    return Generate(count, f)


@lru_cache(maxsize=1024)
def indices(count: int, t: Type) -> Expr:
    """`generate count id`: 0, 1, ...; kept, since it depends on no data and programs ask for it again."""
    return Generate(count, _identity(t))


@cache
def _identity(t: Type) -> Lambda:
    return fun(t, lambda i: i)


def length(node: Expr) -> int:
    """The number of elements of an array's outermost dimension."""
    t = node.type
    assert isinstance(t, ArrayType)
    value = t.length.value
    assert value is not None  # shapes are concrete in a recorded graph
    return value


def split(chunk: int, xs: Expr) -> Expr:
    """`split chunk xs`, or what was joined, if `xs` is a join of such chunks."""
    if type(xs) is Join:
        t = xs.xs.type
        if isinstance(t, ArrayType) and isinstance(t.element, ArrayType) and t.element.length is size(chunk):
            return xs.xs
    return Split._make((xs,), (size(chunk),))


def join(xs: Expr) -> Expr:
    """`join xs`, or what was split."""
    return xs.xs if type(xs) is Split else Join._make((xs,))


def transpose(xs: Expr) -> Expr:
    """`transpose xs`, or what was transposed."""
    return xs.xs if type(xs) is Transpose else Transpose._make((xs,))


def nest(node: Expr, shape: tuple[int, ...]) -> Expr:
    """A flat array as nested arrays of that shape (of one or more dimensions, none of them zero)."""
    for extent in reversed(shape[1:]):
        node = split(extent, node)
    return node


def flat(node: Expr) -> Expr:
    """A nested array flattened, in row-major order."""
    while isinstance(node.type, ArrayType) and isinstance(node.type.element, ArrayType):
        node = join(node)
    return node


def rows(node: Expr, count: int) -> Expr:
    """A flat array as `count` rows."""
    return split(length(node) // count, node)


def map_rows(f: Lambda, node: Expr, count: int) -> Expr:
    """A function from flat array to flat array on each of `count` equal parts of a flat array, more than one; flat
    again.
    """
    return join(Map(f, rows(node, count)))


def first(node: Expr) -> Expr:
    """The only element of an array of length one."""
    if type(node) is Repeat:
        return node.x
    return Element(0, node)


@cache
def component(t: Any, index: int) -> Lambda:
    """`λt. get index t` over tuples of type t."""
    return fun(t, lambda pair: Get(index, pair))


def components(node: Expr) -> tuple[Expr, ...]:
    """The real arrays of the parts of a complex array."""
    if type(node) is Zip:
        return node.operands
    assert isinstance(node.type, ArrayType)
    return tuple([Map(component(node.type.element, i), node) for i in (0, 1)])


def element(index: int, outer: int, extent: int, node: Expr) -> Expr:
    """Element `index` along the middle dimension of a flat array of shape (outer, extent, inner), flat."""
    if extent == 1:
        return node
    inner = length(node) // (outer * extent)
    if outer == 1:
        return slice_(index * inner, 1, inner, node)
    # the elements looked for lie `extent` apart: no map over the outer dimension is needed
    picked = slice_(index, extent, outer, node if inner == 1 else split(inner, node))
    return picked if inner == 1 else join(picked)


def slice_(start: int, step: int, count: int, xs: Expr) -> Expr:
    """`slice start step count xs`; a slice of a slice or of a constant is one, and the whole array is itself."""
    if count == 1:
        step = 1
    if start == 0 and step == 1 and count == length(xs):
        return xs
    if type(xs) is Repeat:
        return Repeat(count, xs.x)
    if type(xs) is Slice and xs.start.value is not None:
        return slice_(xs.start.value + start * xs.step, xs.step * step, count, xs.xs)
    return Slice(start, step, count, xs)


def slice_dimension(start: int, step: int, count: int, outer: int, extent: int, node: Expr) -> Expr:
    """The slice along the middle dimension of a flat array of shape (outer, extent, inner); flat."""
    if start == 0 and step == 1 and count == extent:
        return node
    inner = length(node) // (outer * extent)
    if count == 1:
        return element(start, outer, extent, node)

    if outer == 1:
        return _slice_items(start, step, count, inner, node)
    return map_rows(_slice_rows(start, step, count, inner, extent, node.type.element), node, outer)  # type: ignore[attr-defined]  # a flat array


def _slice_items(start: int, step: int, count: int, inner: int, row: Expr) -> Expr:
    """The slice of the items of that many elements each that a flat array holds."""
    if step == 1 or inner == 1:
        return slice_(start * inner, step, count * inner, row)
    return join(slice_(start, step, count, split(inner, row)))


@lru_cache(maxsize=1024)
def _slice_rows(start: int, step: int, count: int, inner: int, extent: int, t: Type) -> Lambda:
    """The same as a function, of rows of `extent` items; kept, since it depends on no data."""
    return fun(ArrayType(t, extent * inner), lambda row: _slice_items(start, step, count, inner, row))


def permute(node: Expr, shape: tuple[int, ...], axes: tuple[int, ...]) -> Expr:
    """A flat array of that shape with its dimensions in the order `axes`, flat again.

    Dimensions of extent one move for nothing and neighbours that stay neighbours move as one; what is left is done by
    exchanging neighbouring blocks, each exchange one `transpose`.
    """
    for outer, a, b in _exchanges(shape, axes):
        node = exchange(node, outer, a, b)
    return node


def permuted_rows(node: Expr, shape: tuple[int, ...], axes: tuple[int, ...], count: int) -> Expr:
    """`rows (permute node shape axes) count`"""
    found = _exchanges(shape, axes)
    if len(found) == 1:
        outer, a, b = found[0]
        if outer == 1 and b == count and a * b == length(node):  # a matrix by its columns
            return transpose(split(b, node))
    return rows(permute(node, shape, axes), count)


@lru_cache(maxsize=4096)
def _exchanges(shape: tuple[int, ...], axes: tuple[int, ...]) -> tuple[tuple[int, int, int], ...]:
    """How `permute` exchanges neighbours: how many times, and the extents of the two."""
    blocks: list[list[int]] = []
    for axis in (axis for axis in axes if shape[axis] != 1):
        last = blocks[-1][-1] if blocks else None
        if last is not None and last < axis and all(shape[between] == 1 for between in range(last + 1, axis)):
            blocks[-1].append(axis)
        else:
            blocks.append([axis])
    order = sorted(range(len(blocks)), key=lambda b: blocks[b][0])  # as they lie in memory now
    extents = [prod(shape[axis] for axis in block) for block in blocks]
    found = []
    for target in range(len(blocks)):
        at = order.index(target)
        if at > target:
            # move the block over all of its misplaced predecessors at once
            before = [extents[b] for b in order[target:at]]
            found.append((prod(extents[b] for b in order[:target]), prod(before), extents[target]))
            order = [*order[:target], target, *order[target:at], *order[at + 1 :]]
    return tuple(found)


def exchange(node: Expr, outer: int, a: int, b: int) -> Expr:
    """A flat array of shape (outer, a, b, inner) with its two middle dimensions exchanged, flat."""
    inner = length(node) // (outer * a * b)
    if outer == 1:
        return _exchanged(b, inner, node)
    return map_rows(_exchange_rows(a, b, inner, node.type.element), node, outer)  # type: ignore[attr-defined]  # a flat array


def _exchanged(b: int, inner: int, row: Expr) -> Expr:
    """The same where `outer` is one."""
    if inner == 1:
        return join(transpose(split(b, row)))
    return join(join(transpose(split(b, split(inner, row)))))


@lru_cache(maxsize=1024)
def _exchange_rows(a: int, b: int, inner: int, t: Type) -> Lambda:
    """The same as a function, of what lies beside each other; kept, since it depends on no data."""
    return fun(ArrayType(t, a * b * inner), lambda row: _exchanged(b, inner, row))


def broadcast(node: Expr, shape: tuple[int, ...], target: tuple[int, ...]) -> Expr:
    """A flat array of that shape repeated along its dimensions of extent one up to the target shape, flat.

    `shape` must be broadcastable to `target`, and neither may have a zero extent.
    """
    if type(node) is Repeat and not isinstance(node.x.type, ArrayType):
        return Repeat(prod(target), node.x)
    for outer, count, inner in _repeats(shape, target):
        node = _repeat(node, outer, count, inner)
    return node


@lru_cache(maxsize=4096)
def _repeats(shape: tuple[int, ...], target: tuple[int, ...]) -> tuple[tuple[int, int, int], ...]:
    """What `broadcast` repeats: the extents before, how often, and the extents behind."""
    shape = (1,) * (len(target) - len(shape)) + shape
    found = []
    axis = len(target)
    while axis > 0:
        axis -= 1
        if shape[axis] == target[axis]:
            continue
        end = axis + 1
        while axis > 0 and shape[axis - 1] == 1:  # neighbours, and dimensions that stay one, are repeated as one
            axis -= 1
        found.append((prod(shape[:axis]), prod(target[axis:end]), prod(target[end:])))
    return tuple(found)


def _repeat(node: Expr, outer: int, count: int, inner: int) -> Expr:
    """A flat array of shape (outer, inner) as one of shape (outer, count, inner), flat."""
    if outer == 1:
        return Join._make((Repeat(count, node),))
    if inner == 1:
        return Join._make((Transpose._make((Repeat(count, node),)),))
    return join(join(transpose(Repeat(count, split(inner, node)))))
