"""Parts of values along a dimension: slices, elements, windows, concatenation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from ir.reference.axes import Dimension, Factor, absent, extent_of, present
from ir.reference.layout import Operand, Term, aligned, indexed, merged, seconds_to_copy
from ir.reference.source import Source

__all__ = ["at_element", "at_slice", "at_windows", "joined", "map_operands"]


def map_operands(f: Callable[[Operand], Operand], x: Term) -> Term:
    """The value with f applied to each of its arrays."""
    return tuple([map_operands(f, part) for part in x]) if isinstance(x, tuple) else f(x)


def at_slice(source: Source, x: Term, depth: int, start: int, step: int, count: int) -> Term:
    """The elements start, start + step, ... along a dimension; step 0 repeats one."""
    return map_operands(lambda part: _sliced(source, part, depth, start, step, count), x)


def at_element(source: Source, x: Term, depth: int, index: int) -> Term:
    """One element along a dimension, which drops it."""
    return map_operands(lambda part: _element(source, part, depth, index), x)


def _sliced(source: Source, x: Operand, depth: int, start: int, step: int, count: int) -> Operand:
    before, dimension, behind = x.dimensions[:depth], x.dimensions[depth], x.dimensions[depth + 1 :]
    if start == 0 and step == 1 and count == extent_of(dimension):
        return x
    if not present(dimension):
        return x.over((*before, absent(count), *behind))
    if step == 0 or count == 1:
        one = _element(source, x, depth, start)
        return one.over((*one.dimensions[:depth], absent(count), *one.dimensions[depth:]))
    for i in range(1, len(dimension)):  # rows of the inner factors
        row = extent_of(dimension[i:])
        rows = x.over((*before, dimension[:i], dimension[i:], *behind))
        (first, at), last = divmod(start, row), (start + step * (count - 1)) // row
        if first == last:
            return _sliced(source, _element(source, rows, depth, first), depth, at, step, count)
        if step % row == 0:
            return _element(source, _sliced(source, rows, depth, first, step // row, count), depth + 1, at)
        if step == 1 and at == 0 and count % row == 0:
            found = _sliced(source, rows, depth, first, 1, count // row)
            both = found.dimensions[depth] + found.dimensions[depth + 1]
            return found.over((*found.dimensions[:depth], both, *found.dimensions[depth + 2 :]))
    x = merged(source, x, [depth])
    (factor,) = x.dimensions[depth]
    assert factor.axis is not None
    stop = start + step * count
    text = f"{start}:{'' if stop < 0 else stop}:{step}" if step != 1 else f"{start}:{start + count}"
    shape = (*x.shape[: factor.axis], count, *x.shape[factor.axis + 1 :])
    index = ", ".join([*[":"] * factor.axis, text])
    made = source.assign("", [f"{x.text}[{index}]"], x.reads, shape, x.dtype, view_of=x.variable)
    left = (Factor(count, factor.axis),)
    return x.of(made, (*x.dimensions[:depth], left, *x.dimensions[depth + 1 :]))


def _element(source: Source, x: Operand, depth: int, index: int) -> Operand:
    at: dict[int, int] = {}
    for factor in reversed(x.dimensions[depth]):
        index, rest = divmod(index, factor.extent)
        if factor.axis is not None:
            at[factor.axis] = rest
    dimensions: tuple[Dimension, ...] = (*x.dimensions[:depth], *x.dimensions[depth + 1 :])
    if not at:
        return x.over(dimensions)
    left = [axis for axis in range(len(x.shape)) if axis not in at]
    place = {axis: i for i, axis in enumerate(left)}
    text = ", ".join([str(at.get(axis, ":")) for axis in range(max(at) + 1)])
    shape = tuple([x.shape[axis] for axis in left])
    made = source.assign("", [f"{x.text}[{text}]"], x.reads, shape, x.dtype, view_of=x.variable)
    moved = [tuple([Factor(n, None if a is None else place[a]) for n, a in dimension]) for dimension in dimensions]
    return x.of(made, moved)


def at_windows(source: Source, x: Operand, depth: int, window: int, step: int) -> Operand:
    """The windows along a dimension, and the elements of each along the next."""
    dimension = x.dimensions[depth]
    count = (extent_of(dimension) - window) // step + 1
    before, behind = x.dimensions[:depth], x.dimensions[depth + 1 :]
    if not present(dimension):
        return x.over((*before, absent(count), absent(window), *behind))
    x = merged(source, x, [depth])
    ((_, axis),) = x.dimensions[depth]
    assert axis is not None
    shape = (*x.shape[:axis], count, window, *x.shape[axis + 1 :])
    arguments = (x.text, str(axis), str(window), str(step))
    made = source.assign("windows", arguments, x.reads, shape, x.dtype, view_of=x.variable)
    made.overlaps = step == 1

    def moved(other: Dimension) -> Dimension:
        return tuple([Factor(n, a if a is None or a < axis else a + 1) for n, a in other])

    inner, outer = (Factor(window, axis + 1),), (Factor(count, axis),)
    dimensions = (*map(moved, x.dimensions[:depth]), outer, inner, *map(moved, x.dimensions[depth + 1 :]))
    return _without_ones(source, x.of(made, ()), dimensions)


def _without_ones(source: Source, x: Operand, dimensions: Sequence[Dimension]) -> Operand:
    """The variable over dimensions, some of whose factors may be 1 long, without the axes of these."""
    ones = {f.axis for dimension in dimensions for f in dimension if f.extent == 1 and f.axis is not None}
    if not ones:
        return x.over(dimensions)
    left = [axis for axis in range(len(x.shape)) if axis not in ones]
    place = {axis: i for i, axis in enumerate(left)}
    text = ", ".join(["0" if axis in ones else ":" for axis in range(len(x.shape))])
    made = source.assign(
        "", [f"{x.text}[{text}]"], x.reads, tuple([x.shape[a] for a in left]), x.dtype, view_of=x.variable
    )
    kept = [[f for f in dimension if f.axis not in ones or f.axis is None] for dimension in dimensions]
    return x.of(made, [tuple([Factor(n, None if a is None else place[a]) for n, a in d]) for d in kept])


def joined(source: Source, parts: Sequence[Term], depth: int) -> Term:
    """One value after the other along a dimension."""
    if isinstance(parts[0], tuple):
        return tuple([joined(source, own, depth) for own in zip(*parts, strict=True)])
    operands = [part for part in parts if isinstance(part, Operand)]
    lengths = [extent_of(x.dimensions[depth]) for x in operands]
    x = operands[0]
    others = _without(x.dimensions, depth)
    if not present(x.dimensions[depth]) and all(
        each.text == x.text and _without(each.dimensions, depth) == others for each in operands
    ):  # the same number all along: the other dimensions use all axes of the variable, in the same way
        return x.over((*x.dimensions[:depth], absent(sum(lengths)), *x.dimensions[depth + 1 :]))
    row = _rows_in_common(operands, depth)
    counts = [n // row for n in lengths]
    given, extents = aligned(source, [_cut(source, x, depth, row) for x in operands], apart=depth)
    columns: list[tuple[int, int, int]] = []  # of the result's axes: dimension, factor of it, extent
    dimensions: list[Dimension] = []
    axis = 0
    for number, parts_ in enumerate(extents):
        if number == depth:
            axis = len(columns)
            dimensions.append((Factor(sum(counts), axis),))
            columns.append((depth, 0, 0))
            continue
        factors = []
        for place, extent in enumerate(parts_):
            if any(x.dimensions[number][place].axis is not None for x in given):
                factors.append(Factor(extent, len(columns)))
                columns.append((number, place, extent))
            else:
                factors.append(Factor(extent, None))
        dimensions.append(tuple(factors))
    # axes in the order in which the first value has them in memory: what is joined then lies in it, too
    order = sorted(range(len(columns)), key=lambda i: _place(given, depth, *columns[i][:2]))
    columns, axis = [columns[i] for i in order], order.index(axis)
    dimensions = [
        tuple([Factor(f.extent, None if f.axis is None else order.index(f.axis)) for f in dimension])
        for dimension in dimensions
    ]
    texts = [_spread(x, columns, count) for x, count in zip(given, counts, strict=True)]
    shape = tuple([extent or sum(counts) for _, _, extent in columns])
    dtype = operands[0].dtype
    made = source.assign(
        "concatenate", (f"[{', '.join(texts)}]", str(axis)), [v for x in given for v in x.reads], shape, dtype,
        seconds=seconds_to_copy(shape, dtype),
    )  # fmt: skip
    return operands[0].of(
        made, (*dimensions[:depth], dimensions[depth] + dimensions[depth + 1], *dimensions[depth + 2 :])
    )


def _without(dimensions: Sequence[Dimension], depth: int) -> tuple[Dimension, ...]:
    """All dimensions but that one."""
    return (*dimensions[:depth], *dimensions[depth + 1 :])


def _place(given: Sequence[Operand], depth: int, number: int, place: int) -> float:
    """Where an axis stands in the first of the values that has it; that which is joined stands before its rows."""
    for x in given:
        factors = x.dimensions[number]
        axis = factors[place].axis if place < len(factors) else None
        if axis is not None:
            return axis
    rows = [f.axis for x in given[:1] for f in x.dimensions[depth + 1] if f.axis is not None] if number == depth else []
    return min(rows) - 0.5 if rows else -1.0


def _spread(x: Operand, columns: Sequence[tuple[int, int, int]], count: int) -> str:
    """The variable as text with all of these axes, of their extents; along the one that is joined of that many."""
    axes: list[int | None] = []
    full = True
    for number, place, extent in columns:
        factors = x.dimensions[number]
        found = factors[place].axis if place < len(factors) else None
        axes.append(found)
        full = full and (found is not None or (extent or count) == 1)
    text = indexed(x, axes)
    if full:
        return text
    shape = ", ".join([str(extent or count) for _, _, extent in columns])
    return f"broadcast_to({text}, ({shape},))"


def _rows_in_common(operands: Sequence[Operand], depth: int) -> int:
    """How many inner elements of a dimension are factors of their own in all values, which are made of such rows."""
    own = [_inner_extents(x.dimensions[depth]) for x in operands]
    found = [n for n in own[0] if all(n in other for other in own)]
    return max(found)


def _inner_extents(dimension: Dimension) -> set[int]:
    found = {1}
    for i in range(len(dimension)):
        found.add(prod([f.extent for f in dimension[i:]]))
    return found


def _cut(source: Source, x: Operand, depth: int, row: int) -> Operand:
    """The dimension as two, of rows of that many elements; that of the rows is one axis, or absent."""
    dimension = x.dimensions[depth]
    i = len(dimension)
    while extent_of(dimension[i:]) < row:
        i -= 1
    x = x.over((*x.dimensions[:depth], dimension[:i], dimension[i:], *x.dimensions[depth + 1 :]))
    return merged(source, x, [depth]) if present(x.dimensions[depth]) else x
