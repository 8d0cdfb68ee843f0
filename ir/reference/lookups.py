"""Gathers, scatters and the order of keys."""

from __future__ import annotations

from collections.abc import Sequence
from math import log2, prod

import numpy as np

from ir.cost.thresholds.tiers import NUMPY_ELEMENT_SECONDS
from ir.reference.axes import Dimension, Factor, common_extents, extent_of, present
from ir.reference.elementwise import called
from ir.reference.layout import Operand, indexed, merged, refined, whole
from ir.reference.source import Source, Variable

__all__ = ["gathered", "in_order", "ordered", "scattered"]


def gathered(source: Source, x: Operand, indices: Operand, depth: int, inside: bool = False) -> Operand:
    """The elements along a dimension that indices name, clamped into it; they lie within `depth` maps, as x does.

    Args:
        inside: is no index outside?
    """
    if not present(x.dimensions[depth]):
        return x.over((*x.dimensions[:depth], _like(indices.dimensions[depth]), *x.dimensions[depth + 1 :]))
    if any(map(present, x.dimensions[:depth])):
        return _gathered_in_rows(source, x, indices, depth, inside)
    x = merged(source, x, [depth])
    ((_, axis),) = x.dimensions[depth]
    assert axis is not None
    shape = (*x.shape[:axis], *indices.shape, *x.shape[axis + 1 :])
    made = source.assign(
        "take", (x.text, indices.text, f"axis={axis}", 'mode="clip"'), (*x.reads, *indices.reads), shape, x.dtype,
        seconds=prod(shape) * NUMPY_ELEMENT_SECONDS["gather"],
    )  # fmt: skip
    more = len(indices.shape) - 1
    own = [_moved(d, {a: a + axis for a in range(len(indices.shape))}) for d in indices.dimensions]
    rest = {a: a if a < axis else a + more for a in range(len(x.shape))}
    return x.of(made, (*own, *[_moved(d, rest) for d in x.dimensions[depth + 1 :]]))


def _like(dimension: Dimension) -> Dimension:
    """As long, and the same all along."""
    n = extent_of(dimension)
    return (Factor(n, None),) if n > 1 else ()


def _moved(dimension: Dimension, place: dict[int, int]) -> Dimension:
    return tuple([Factor(n, None if a is None else place[a]) for n, a in dimension])


def _gathered_in_rows(source: Source, x: Operand, indices: Operand, depth: int, inside: bool) -> Operand:
    """The same where x has other elements in each of the maps around."""
    x, indices = merged(source, x, [depth]), merged(source, indices, [depth])
    for number in range(depth):
        common = common_extents([x.dimensions[number], indices.dimensions[number]])
        if common is None:
            x, indices = (merged(source, y, [number]) if present(y.dimensions[number]) else y for y in (x, indices))
            common = common_extents([x.dimensions[number], indices.dimensions[number]])
            assert common is not None  # one factor each
        x, indices = (refined(source, y, _with(y, number, common)) for y in (x, indices))
    columns = [  # the axes of the maps
        (number, place)
        for number in range(depth)
        for place in range(len(x.dimensions[number]))
        if any(y.dimensions[number][place].axis is not None for y in (x, indices))
    ]
    named = [*columns, *[(depth, i) for i in range(len(indices.dimensions[depth]))]]
    shown = [(n, p) for n, p in named if n < depth or indices.dimensions[n][p].axis is not None]
    at = indexed(indices, [indices.dimensions[n][p].axis for n, p in shown])
    own = [(n, p) for n, p in columns if x.dimensions[n][p].axis is not None]
    grids = []
    for n, p in own:
        behind = len(shown) - shown.index((n, p)) - 1
        grids.append(f"arange({x.dimensions[n][p].extent})" + (f"[:{', None' * behind}]" if behind else ""))
    length = extent_of(x.dimensions[depth])
    inner = [f.axis for d in x.dimensions[depth:] for f in d if f.axis is not None]
    table = indexed(x, [*[x.dimensions[n][p].axis for n, p in own], *inner])
    extents = {(n, p): x.dimensions[n][p].extent for n, p in columns}
    extents.update({(depth, i): f.extent for i, f in enumerate(indices.dimensions[depth])})
    rest = [x.shape[a] for a in inner[1:]]
    shape = (*[extents[place] for place in shown], *rest)
    made = source.assign(
        "", (f"{table}[{', '.join([*grids, at if inside else f'clipped({at}, {length})'])}]",),
        (*x.reads, *indices.reads), shape, x.dtype,
        seconds=2 * prod(shape) * NUMPY_ELEMENT_SECONDS["gather"],
    )  # fmt: skip
    axis = {place: i for i, place in enumerate(shown)}
    dimensions = [
        tuple([Factor(f.extent, axis.get((number, i))) for i, f in enumerate(y.dimensions[number])])
        for number, y in [*[(n, x) for n in range(depth)], (depth, indices)]
    ]
    moved = {a: len(shown) + i for i, a in enumerate(inner[1:])}
    return x.of(made, (*dimensions, *[_moved(d, moved) for d in x.dimensions[depth + 1 :]]))


def _with(x: Operand, number: int, extents: tuple[int, ...]) -> Sequence[tuple[int, ...]]:
    found = [tuple([f.extent for f in dimension]) for dimension in x.dimensions]
    found[number] = extents
    return found


def ordered(source: Source, keys: Operand, bits: int, depth: int) -> Operand:
    """The indices that bring keys along a dimension, 2 or more, into the order of their lowest bits."""
    if bits < 8 * keys.dtype.itemsize:
        mask = source.constant(keys.dtype.type((1 << bits) - 1))
        keys = called(
            source,
            "bitwise_and",
            [keys, Operand(mask, None, tuple(map(_like, keys.dimensions)), keys.dtype)],
            keys.dtype,
        )
    keys = merged(source, whole(source, keys, [depth]), [depth])
    ((length, axis),) = keys.dimensions[depth]
    seconds = prod(keys.shape) * max(1.0, log2(length)) * NUMPY_ELEMENT_SECONDS["sort"]
    made = source.assign(
        "ordered", (keys.text, str(axis)), keys.reads, keys.shape, np.dtype(np.int64),
        seconds=seconds, kernels=4,
    )  # fmt: skip
    return keys.of(made, keys.dimensions)


def in_order(
    source: Source, x: Operand, descending: bool, depth: int, places: tuple[int, ...] | None = None
) -> Operand:
    """The numbers along a dimension, 2 or more, in order.

    Args:
        places: those alone that will be read, where that is known: the numbers there are selected, which is faster
    """
    x = merged(source, whole(source, x, [depth]), [depth])
    ((length, axis),) = x.dimensions[depth]
    if places is not None:
        selected = source.assign(
            "selected_numbers", (x.text, str(axis), str(descending), str(places)), x.reads, x.shape, x.dtype,
            seconds=prod(x.shape) * NUMPY_ELEMENT_SECONDS["selected number"], kernels=4, work="library selection",
        )  # fmt: skip
        return x.of(selected, x.dimensions)
    made = source.assign(
        "sorted_numbers", (x.text, str(axis), str(descending)), x.reads, x.shape, x.dtype,
        seconds=prod(x.shape) * max(1.0, log2(length)) * NUMPY_ELEMENT_SECONDS["sort numbers"], kernels=4,
        work="library sort",
    )  # fmt: skip
    made.sorted = length
    return x.of(made, x.dimensions)


def scattered(source: Source, name: str, xs: Operand, indices: Operand, values: Operand) -> Operand:
    """Values combined into the elements of a vector that indices name, in order.

    Args:
        name: the primitive that combines them; empty where the last value wins
    """
    given = [whole(source, y, [0]) for y in (xs, indices, values)]
    texts = [f"flat({y.text}, {y.shape})" for y in given]
    if len(given[0].shape) == 1:  # it is copied: a number need not be repeated first
        texts[0] = f"broadcast_to({given[0].text}, {given[0].shape})"
    if name == "add" and len(given[2].shape) == 1:  # equal ones are counted
        texts[2] = f"broadcast_to({given[2].text}, {given[2].shape})"
    texts.append("empty")
    length = extent_of(xs.dimensions[0])
    reads = [v for y in given for v in y.reads]
    function, arguments = ("scatter_with", [f"op_{name}", *texts]) if name else ("scatter_last", texts)
    seconds = prod(given[1].shape) * 5 * NUMPY_ELEMENT_SECONDS["gather"]
    made = source.assign(function, arguments, reads, (length,), xs.dtype, seconds=seconds, kernels=1)
    return _vector(source, xs, made, length)


def compacted(source: Source, indices: Operand, values: Operand, count: int) -> Operand:
    """The values at the places of a vector of that length that indices name; those whose index is it are left out."""
    given = [whole(source, y, [0]) for y in (indices, values)]
    arguments = [*[f"flat({y.text}, {y.shape})" for y in given], str(count)]
    seconds = prod(given[0].shape) * 2 * NUMPY_ELEMENT_SECONDS["gather"]
    reads = [v for y in given for v in y.reads]
    made = source.assign("compact", arguments, reads, (count,), values.dtype, seconds=seconds, kernels=1)
    return _vector(source, values, made, count)


def _vector(source: Source, like: Operand, made: Variable, length: int) -> Operand:
    """A vector of that length that was computed, with elements as another's."""
    if length > 1:
        return like.of(made, ((Factor(length, 0),),))
    one = source.assign("", (f"{made}[0]",), (made,), (), like.dtype)
    return like.of(one, ((),))
