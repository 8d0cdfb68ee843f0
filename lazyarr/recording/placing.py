"""Recording: arrays put one after the other, and an array with a part of it exchanged.

An array with a slice exchanged is a `concat` of what lies before the slice, the new part and what lies after it. Along
an inner dimension the concat is one of columns: the array transposed, put together and transposed back. Transposes,
splits and joins that meet cancel when they are recorded, so that the parts of a program's assignments lie beside each
other in one concat, and none of them is copied for the next.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import accumulate
from math import prod
from weakref import WeakKeyDictionary

from ir.core.expr import Expr
from ir.core.patterns import Concat, Join
from ir.cost.thresholds.partition import CONCAT_PARTS_TAKEN_OVER_AT_MOST
from lazyarr.graph.builders import join, length, slice_, slice_dimension, split, transpose

__all__ = ["Cut", "concat_dimension", "place", "within_part"]


Cut = tuple[int, int, int]
"""Start, step and count: which elements along a dimension."""


def along(node: Expr, outer: int, extent: int) -> Expr:
    """A flat array of shape (outer, extent, inner) as an array of `extent` items; itself where outer is one."""
    if outer == 1:
        return node
    inner = length(node) // (outer * extent)
    items = node if inner == 1 else split(inner, node)
    return split(outer, items) if extent == 1 else transpose(split(extent, items))


def flattened(items: Expr, outer: int, inner: int) -> Expr:
    """The items of `along` as the flat array."""
    if outer == 1:
        return items
    rows = join(items if length(items) == 1 else transpose(items))
    return rows if inner == 1 else join(rows)


def concat(parts: list[Expr]) -> Expr:
    """One after the other; those without elements are left out, inner concats are taken apart."""
    found: list[Expr] = []
    for part in parts:
        if length(part):
            found.extend(part.operands if type(part) is Concat else (part,))
    if not found:
        return parts[0]
    return found[0] if len(found) == 1 else Concat(*found)


def concat_dimension(nodes: list[Expr], outer: int, extents: list[int]) -> Expr:
    """Flat arrays of shapes (outer, extent, inner), none of them empty, one after the other along the middle; flat."""
    inner = length(nodes[0]) // (outer * extents[0])
    if outer == 1:
        return concat(nodes)
    items = [along(node, outer, extent) for node, extent in zip(nodes, extents, strict=True)]
    return flattened(concat(items), outer, inner)


_ends: WeakKeyDictionary[Expr, list[int]] = WeakKeyDictionary()
"""Where the parts of concats end: a program may assign to one array many times, each time to a few of its parts."""


def _parts_of(xs: Expr) -> tuple[tuple[Expr, ...], list[int]]:
    """The parts of an array and where each ends; itself where it is no concat, or one of too many parts."""
    if type(xs) is not Concat or len(xs.operands) > CONCAT_PARTS_TAKEN_OVER_AT_MOST:
        return (xs,), [length(xs)]
    ends = _ends.get(xs)
    if ends is None:
        ends = _ends[xs] = list(accumulate(map(length, xs.operands)))
    return xs.operands, ends


def _joined(parts: list[Expr], ends: list[int]) -> Expr:
    if len(parts) == 1:
        return parts[0]
    made = Concat(*parts)
    _ends.setdefault(made, ends)
    return made


def _before(xs: Expr, stop: int) -> tuple[list[Expr], list[int]]:
    """The parts of the first `stop` elements of an array, and where they end."""
    if not stop:
        return [], []
    parts, ends = _parts_of(xs)
    i = bisect_left(ends, stop)
    if ends[i] == stop:
        return list(parts[: i + 1]), ends[: i + 1]
    begin = ends[i - 1] if i else 0
    return [*parts[:i], slice_(0, 1, stop - begin, parts[i])], [*ends[:i], stop]


def _behind(xs: Expr, start: int) -> tuple[list[Expr], list[int]]:
    """The parts of the elements from `start` on, and where they end in the whole array."""
    parts, ends = _parts_of(xs)
    if start == ends[-1]:
        return [], []
    i = bisect_right(ends, start)
    begin = ends[i - 1] if i else 0
    if begin == start:
        return list(parts[i:]), ends[i:]
    return [slice_(start - begin, 1, ends[i] - start, parts[i]), *parts[i + 1 :]], ends[i:]


def stretch(xs: Expr, start: int, stop: int) -> Expr:
    """Elements `start` to `stop - 1` of an array, part by part where it is a concat."""
    if stop - start == length(xs):
        return xs
    if type(xs) is not Concat:
        return slice_(start, 1, stop - start, xs)
    parts, ends = _before(xs, stop)
    if start:
        parts, ends = _behind(_joined(parts, ends), start)
    return _joined(parts, [end - start for end in ends])


def exchange(xs: Expr, start: int, new: Expr) -> Expr:
    """An array with the elements from `start` on exchanged for those of another."""
    stop = start + length(new)
    left, left_ends = _before(xs, start)
    right, right_ends = _behind(xs, stop)
    middle, middle_ends = _parts_of(new)
    return _joined([*left, *middle, *right], [*left_ends, *(start + end for end in middle_ends), *right_ends])


def exchange_along(node: Expr, outer: int, extent: int, start: int, new: Expr) -> Expr:
    """A flat array of shape (outer, extent, inner) with what lies from `start` on along the middle exchanged; flat."""
    inner = length(node) // (outer * extent)
    count = length(new) // (outer * inner)
    unit = inner if outer == 1 else 1
    made = exchange(along(node, outer, extent), start * unit, along(new, outer, count))
    return flattened(made, outer, inner)


def part_along(node: Expr, outer: int, extent: int, start: int, count: int) -> Expr:
    """Elements `start` to `start + count - 1` along the middle dimension of a flat array of shape (outer, extent,
    inner), flat; in the form in which `exchange_along` puts them back.
    """
    inner = length(node) // (outer * extent)
    unit = inner if outer == 1 else 1
    items = along(node, outer, extent)
    return flattened(stretch(items, start * unit, (start + count) * unit), outer, inner)


def within_part(node: Expr, outer: int, extent: int, start: int, count: int) -> Expr | None:
    """`part_along` of an array that was put together along that dimension, where all of it lies in one part; else None.

    What lies in several is better read from the whole, which is stored once for all who read it.
    """
    together = type(node) is Concat if outer == 1 else type(node) is Join and type(along(node, outer, extent)) is Concat
    if not together:
        return None
    inner = length(node) // (outer * extent)
    unit = inner if outer == 1 else 1
    found = stretch(along(node, outer, extent), start * unit, (start + count) * unit)
    return None if type(found) is Concat else flattened(found, outer, inner)


def exchange_strided(node: Expr, outer: int, extent: int, cut: Cut, new: Expr) -> Expr:
    """`exchange_along` for every `step`-th element along the middle dimension; step > 1.

    In rows of `step` elements, counted from the array's beginning, those are one column of as many: it is exchanged.
    What the last, shorter row holds of them is exchanged by itself.
    """
    start, step, count = cut
    begin = start // step * step
    rows = min((extent - begin) // step, count)
    if rows > 1:
        table = part_along(node, outer, extent, begin, rows * step)
        table = exchange_along(table, outer * rows, step, start - begin, part_along(new, outer, count, 0, rows))
        node = exchange_along(node, outer, extent, begin, table)
    for i in range(rows if rows > 1 else 0, count):
        node = exchange_along(node, outer, extent, start + i * step, part_along(new, outer, count, i, 1))
    return node


def place(node: Expr, shape: tuple[int, ...], cuts: list[Cut], new: Expr) -> Expr:
    """A flat array of that shape with the elements that the cuts (one for each dimension) choose exchanged; flat.

    Args:
        new: the flat array of what stands in their place, in the order of positive steps. Neither has zero extents.
    """
    axis = next((i for i, cut in enumerate(cuts) if cut != (0, 1, shape[i])), None)
    if axis is None:
        return new
    start, step, count = cuts[axis]
    outer, extent = prod(shape[:axis]), shape[axis]
    if any(cut != (0, 1, shape[axis + 1 + i]) for i, cut in enumerate(cuts[axis + 1 :])):
        if step == 1 or count == 1:
            part = part_along(node, outer, extent, start, count)
        else:
            part = slice_dimension(start, step, count, outer, extent, node)
        narrowed = (*shape[:axis], count, *shape[axis + 1 :])
        new = place(part, narrowed, [*cuts[:axis], (0, 1, count), *cuts[axis + 1 :]], new)
    if count == 1 or step == 1:
        return exchange_along(node, outer, extent, start, new)
    return exchange_strided(node, outer, extent, cuts[axis], new)
