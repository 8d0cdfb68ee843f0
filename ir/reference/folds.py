"""Reductions and scans on whole arrays: NumPy's for primitives, by halves for other functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import prod
from typing import Any

import numpy as np

from ir.core.expr import Expr, Lambda
from ir.core.nodes.arrangements import Zip
from ir.core.nodes.maps import Map
from ir.core.nodes.primitives import Call, Get, Tuple
from ir.core.scalars import OPERATIONS
from ir.cost.thresholds.products import LIBRARY_EXTENT_AT_LEAST
from ir.cost.thresholds.scans import CUMULATIVE_BLOCK
from ir.cost.thresholds.tiers import (
    CORRELATED_UP_TO,
    NUMPY_CALL_SECONDS,
    NUMPY_ELEMENT_SECONDS,
    NUMPY_ROW_SECONDS,
    TERMS_IN_A_ROW,
    TERMS_OF_A_PRODUCT,
)
from ir.reference.axes import Dimension, Factor, absent, extent_of, tidied
from ir.reference.elementwise import called, converted
from ir.reference.layout import Operand, Term, indexed, merged, seconds_to_copy, whole
from ir.reference.parts import at_element, at_slice, joined
from ir.reference.regions import seconds_to_move
from ir.reference.source import Source, Variable

__all__ = [
    "chosen", "folded", "is_last", "primitive_of", "primitives_of", "reduced", "scanned", "scanned_by", "steps_of",
]  # fmt: skip

Combine = Callable[[Term, Term, int | None], Term]
"""Combines two values by a function; given how many elements they have along the dimension that is folded, None where
that is gone."""


def primitive_of(f: Lambda) -> str | None:
    """The name of the primitive that a function is, if it is associative and NumPy folds by it."""
    body = f.body
    if isinstance(body, Call) and body.operation.associative and set(body.operands) == set(f.variables):
        return body.op if isinstance(body.operation.numpy, np.ufunc) else None
    return None


def primitives_of(f: Lambda) -> str | tuple[str, ...] | None:
    """The same, or for a function of tuples the primitives that it applies to each component apart."""
    body = f.body
    if not isinstance(body, Tuple) or len(f.types) != 2:
        return primitive_of(f)
    found = []
    for i, part in enumerate(body.operands):
        if not (isinstance(part, Call) and part.operation.associative):
            return None
        if set(part.operands) != {Get(i, v) for v in f.variables} or not isinstance(part.operation.numpy, np.ufunc):
            return None
        found.append(part.op)
    return tuple(found)


def primitives_of_rows(f: Lambda) -> str | tuple[str, ...] | None:
    """`primitives_of`, or the primitive that a function applies to the elements of two rows, at each place."""
    body = f.body
    if not isinstance(body, Map) or len(f.types) != 2:
        return primitives_of(f)
    pairs, inner = body.xs, body.f
    if not isinstance(pairs, Zip) or set(pairs.operands) != set(f.variables) or not isinstance(inner, Lambda):
        return None
    of = inner.body
    if not isinstance(of, Call) or set(of.operands) != {Get(0, inner.variables[0]), Get(1, inner.variables[0])}:
        return None
    return of.op if of.operation.associative and isinstance(of.operation.numpy, np.ufunc) else None


def steps_of(f: Lambda) -> str | tuple[str, ...] | None:
    """The name of the primitive by which a function makes a number of one and a further one, in this order, where NumPy
    has a universal function for it; for a function of tuples that of each component.
    """
    body = f.body
    if len(f.types) != 2:
        return None
    if not isinstance(body, Tuple):
        return _step(body, tuple(f.variables)) or primitive_of(f)
    found = [_step(part, (Get(i, f.variables[0]), Get(i, f.variables[1]))) for i, part in enumerate(body.operands)]
    return None if None in found else tuple([name for name in found if name is not None])


def _step(body: Expr, operands: tuple[Expr, ...]) -> str | None:
    """The same of an expression of these operands."""
    if not isinstance(body, Call) or body.operands != operands or {x.type for x in operands} != {body.type}:
        return None
    if body.op in _OF_FLOATS and np.dtype(body.type.name).kind == "f":  # type: ignore[attr-defined]  # a scalar's
        return _OF_FLOATS[body.op]
    return body.op if isinstance(body.operation.numpy, np.ufunc) else None


_OF_FLOATS = {"divide": "divide", "pow": "power"}
"""Primitives that are NumPy's functions of these names on floats, and on integers mean something else."""


def _carried(name: str, dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Sums and products of float32 are carried in float64, and rounded once."""
    return np.dtype(np.float64) if dtype == np.float32 and name in ("add", "multiply") else dtype


def reduced(source: Source, name: str, init: Operand, x: Operand, depth: int) -> Operand:
    """All elements along a dimension combined by a primitive, which drops the dimension."""
    product = _product(source, x, depth) if name == "add" else None
    if product is not None:
        return called(source, name, [product, init], x.dtype)
    wide = _carried(name, x.dtype)
    dimension = x.dimensions[depth]
    total = x if not any(f.axis is None for f in dimension) else _repeated(source, name, x, depth, wide)
    neutral = None
    # of the total: a new array's axes lie in the order of the dimensions, those of x may lie in another
    axes = sorted([f.axis for f in total.dimensions[depth] if f.axis is not None])
    if axes:
        shape = tuple([n for axis, n in enumerate(total.shape) if axis not in axes])
        truth = None if total.variable is None else total.variable.truth
        reads: Sequence[Variable] = total.reads
        if name == "add" and truth is not None and not shape and wide == np.int64:
            function, arguments, reads = "count_nonzero", [truth.name], (truth,)
        elif name == "add" and (_is_long(total, axes) or (shape and total.dtype == np.float32)):
            function = "summed" if total.dtype == np.float64 else "summed_wide"
            arguments = [total.text, f"({', '.join(map(str, axes))},)"]
        else:
            function, arguments = (
                f"op_{name}.reduce",
                [total.text, f"axis={axes[0] if len(axes) == 1 else tuple(axes)}"],
            )
            if wide != total.dtype or wide.kind in "iu":  # NumPy sums small integers in larger ones
                arguments.append(f'dtype="{wide.str}"')
            neutral = _neutral(source, name, init, wide)
            if neutral:
                arguments.append(f"initial={neutral}")
        made = source.assign(
            function, arguments, reads, shape, wide,
            kernels=1, seconds=_seconds(total, axes, wide),
        )  # fmt: skip
        moved = {axis: i for i, axis in enumerate([a for a in range(len(total.shape)) if a not in axes])}
        rest = [_renumbered(d, moved) for i, d in enumerate(total.dimensions) if i != depth]
        total = total.of(made, rest)
    else:
        total = converted(source, total, wide).over([d for i, d in enumerate(total.dimensions) if i != depth])
    if neutral is not None:
        return converted(source, total, x.dtype)
    return converted(source, called(source, name, [total, converted(source, init, wide)], wide), x.dtype)


def _seconds(x: Operand, axes: Sequence[int], wide: np.dtype[Any]) -> float:
    """What NumPy takes to fold along axes, in numbers of that dtype."""
    seconds = seconds_to_copy(x.shape, x.dtype)
    if wide != x.dtype:
        seconds += seconds_to_move(prod(x.shape) * (x.dtype.itemsize + wide.itemsize))
    first = len(x.shape)
    while first - 1 in axes:  # these are one to it
        first -= 1
    return seconds + (prod(x.shape[:first]) * NUMPY_ROW_SECONDS["fold"] if first < len(x.shape) else 0.0)


def _neutral(source: Source, name: str, init: Operand, wide: np.dtype[Any]) -> str | None:
    """The start of a fold where it changes nothing but a zero's sign, as a number of the dtype that carries the fold;
    empty where it changes nothing at all; None where it does.
    """
    value = source.value(init.text)
    if value is None or wide.kind == "b":
        return None
    if name in ("maximum", "minimum"):
        return "" if is_last(name, value) else None
    identity = getattr(OPERATIONS[name].numpy, "identity", None)
    return source.constant(wide.type(value)) if identity is not None and value == identity else None


def is_last(name: str, value: np.generic) -> bool:
    """Is a number the last one that the greatest or the least of some would be?"""
    if value.dtype.kind == "b":
        return bool(value) == (name == "minimum")
    limits = (
        (-np.inf, np.inf)
        if value.dtype.kind == "f"
        else (np.iinfo(value.dtype.name).min, np.iinfo(value.dtype.name).max)
    )
    return bool(value == limits[name == "minimum"])


def chosen(source: Source, name: str, x: Operand, index: np.dtype[Any], depth: int) -> Term:
    """The first greatest or least number along a dimension, and its place as a number of that dtype."""
    x = merged(source, whole(source, x, [depth]), [depth])
    ((_, axis),) = x.dimensions[depth]
    assert axis is not None
    shape = (*x.shape[:axis], *x.shape[axis + 1 :])
    rest = [_renumbered(d, {a: a - (a > axis) for a in range(len(x.shape))}) for d in x.dimensions]
    del rest[depth]
    seconds = _seconds(x, [axis], x.dtype)
    moved = 0.0
    if axis < len(x.shape) - 1:
        moved = prod(shape) * NUMPY_ROW_SECONDS["fold"] + prod(x.shape) * NUMPY_ROW_SECONDS["moved"]
    function = "argmax" if name == "maximum" else "argmin"
    place = source.assign(
        function, (x.text, f"axis={axis}"), x.reads, shape, np.dtype(np.int64), kernels=1, seconds=seconds + moved
    )
    number = source.assign(f"op_{name}.reduce", (x.text, f"axis={axis}"), x.reads, shape, x.dtype, seconds=seconds)
    return x.of(number, rest), converted(source, x.of(place, rest), index)


def _is_long(x: Operand, axes: Sequence[int]) -> bool:
    """Are many numbers of float64 added along axes of several, which NumPy may do one after the other?"""
    return x.dtype == np.float64 and len(x.shape) > 1 and max([x.shape[axis] for axis in axes]) > TERMS_IN_A_ROW


def _renumbered(dimension: Dimension, moved: dict[int, int]) -> Dimension:
    return tuple([Factor(f.extent, None if f.axis is None else moved[f.axis]) for f in dimension])


def _repeated(source: Source, name: str, x: Operand, depth: int, wide: np.dtype[Any]) -> Operand:
    """A value that is combined with itself as often as factors along a dimension are absent, which leaves those."""
    count = prod([f.extent for f in x.dimensions[depth] if f.axis is None])
    rest = tuple([f for f in x.dimensions[depth] if f.axis is not None])
    x = x.over((*x.dimensions[:depth], rest, *x.dimensions[depth + 1 :]))
    if name in ("add", "multiply", "bitwise_xor"):
        number = source.number(count, wide)
        if name == "bitwise_xor":
            return x if count % 2 else called(source, name, [x, x], x.dtype)
        times = Operand(number, None, tuple([absent(extent_of(d)) for d in x.dimensions]), wide)
        again = "multiply" if name == "add" else "pow"
        return called(source, again, [converted(source, x, wide), times], wide)
    return x  # of equal ones each is the least, the greatest, and all of their bits


def _product(source: Source, x: Operand, depth: int) -> Operand | None:
    """A sum of products as a product of matrices; None where the sum is another one."""
    variable = x.variable
    factors = None if variable is None else variable.factors.get(tuple(map(tidied, x.dimensions)))
    if factors is None or x.dtype.kind != "f":
        return None
    a, b = factors
    places = [(n, i) for n, d in enumerate(a.dimensions) for i in range(len(d))]
    own = {place: (a.dimensions[place[0]][place[1]].axis, b.dimensions[place[0]][place[1]].axis) for place in places}
    summed = [p for p in places if p[0] == depth]
    if not summed or any(None in own[p] for p in summed):
        return None
    rest = [p for p in places if p[0] != depth]
    batch = [p for p in rest if None not in own[p]]
    rows = [p for p in rest if own[p][1] is None and own[p][0] is not None]
    columns = [p for p in rest if own[p][0] is None and own[p][1] is not None]
    extent = {p: a.dimensions[p[0]][p[1]].extent for p in places}
    k = prod([extent[p] for p in summed])
    if batch and not (rows or columns):
        return None

    def matrix(y: Operand, which: int, order: Sequence[Sequence[tuple[int, int]]]) -> str:
        text = indexed(y, [own[p][which] for group in order for p in group])
        shape = [extent[p] for p in order[0]] + [prod([extent[p] for p in group]) for group in order[1:]]
        return text if all(len(group) == 1 for group in order[1:]) else f"{text}.reshape({', '.join(map(str, shape))})"

    if columns and not (rows or batch) and _overlaps(b):
        a, b, rows, columns, own = b, a, columns, rows, {p: (of_b, of_a) for p, (of_a, of_b) in own.items()}
    # of vectors NumPy's own products: a matrix of one row or column would be copied
    first = matrix(a, 0, [batch, rows, summed] if rows else [batch, summed])
    second = matrix(b, 1, [batch, summed, columns] if columns else [batch, summed])
    if batch and not (rows and columns):
        first = first if rows else f"{first}[..., None, :]"
        second = second if columns else f"{second}[..., None]"
    shape = tuple([extent[p] for group in (batch, rows, columns) for p in group])
    flat = [extent[p] for p in batch] + [prod([extent[p] for p in g]) for g in (rows, columns) if g]
    plain_up_to = TERMS_OF_A_PRODUCT if x.dtype == np.float64 else TERMS_IN_A_ROW
    function = "matmul" if k <= plain_up_to or (rows and columns) else "dotted"
    if function == "matmul" and len(rows) == len(summed) == 1 and not (batch or columns) and _overlaps(a):
        function = "of_windows"
    text = f"{function}({first}, {second}{', empty' if function == 'of_windows' else ''})"
    if batch and not (rows and columns):
        text = f"{text}[..., 0, :]" if columns else f"{text}[..., 0]"
    if tuple(flat) != shape:
        text = f"{text}.reshape({', '.join(map(str, shape))})"
    sides = ((batch, rows, summed), (batch, summed, columns))
    plain = all(_are_neighbours([own[p][i] for p in group]) for i, groups in enumerate(sides) for group in groups)
    multiplied = prod(shape) * k
    work, seconds = "product with vectors", seconds_to_move(multiplied * x.dtype.itemsize)
    if function == "of_windows":
        kind = "correlation" if k <= CORRELATED_UP_TO else "windows"
        work, seconds = "", seconds_to_move(prod(shape) * x.dtype.itemsize) + multiplied * NUMPY_ELEMENT_SECONDS[kind]
    if function == "dotted":
        work = "product with long vectors"
        seconds += multiplied / TERMS_OF_A_PRODUCT * NUMPY_ROW_SECONDS["map"]
    if rows and columns:
        seconds = multiplied * NUMPY_ELEMENT_SECONDS["product"]
        large = all(prod([extent[p] for p in group]) >= LIBRARY_EXTENT_AT_LEAST for group in (rows, columns))
        work = "library product" if plain and large else f"product of {x.dtype}"
        if (
            large
            and not batch
            and a.variable is b.variable
            and _is_with_itself([own[p] for p in rows + columns + summed])
        ):
            work, seconds = "product with itself", seconds / 2
    made = source.assign(
        "",
        (text,),
        (*a.reads, *b.reads),
        shape,
        x.dtype,
        kernels=1,
        seconds=seconds,
        work=work if x.dtype in (np.float32, np.float64) else "",
    )
    axis = {p: i for i, p in enumerate([p for group in (batch, rows, columns) for p in group])}
    dimensions = []
    for number, dimension in enumerate(a.dimensions):
        if number != depth:
            dimensions.append(tuple([Factor(f.extent, axis.get((number, i))) for i, f in enumerate(dimension)]))
    return x.of(made, dimensions)


def _overlaps(x: Operand) -> bool:
    return x.variable is not None and x.variable.overlaps


def _is_with_itself(axes: Sequence[tuple[int | None, int | None]]) -> bool:
    """Is a matrix multiplied with its own transpose, so that NumPy computes one half of the result and copies it?

    Args:
        axes: of both factors, for the rows, the columns and the terms
    """
    if len(axes) != 3:
        return False
    (row, _), (_, column), (term, other) = axes
    return row == column and term == other


def _are_neighbours(axes: Sequence[int | None]) -> bool:
    """Do axes follow each other, so that they are one in memory?"""
    return all(a is not None and b == a + 1 for a, b in pairwise(axes))


def folded(source: Source, combine: Combine, init: Term, xs: Term, depth: int, length: int) -> Term:
    """All elements along a dimension combined by an associative function, in their order: neighbours at each step."""
    rests: list[Term] = []
    while length > 1:
        if length % 2:
            rests.append(at_element(source, xs, depth, length - 1))
        half = length // 2
        pairs = [at_slice(source, xs, depth, k, 2, half) for k in (0, 1)]
        xs, length = combine(pairs[0], pairs[1], half), half
    result = at_element(source, xs, depth, 0)
    for rest in [*reversed(rests), init]:
        result = combine(result, rest, None)
    _end_a_kernel(source, result)
    return result


def _end_a_kernel(source: Source, result: Term) -> None:
    """What several calls give, a number or a tuple of some, is a kernel's."""
    found: list[Term] = [result]
    for each in found:
        if isinstance(each, tuple):
            found += each
    source.end_a_kernel([x.variable for x in found if isinstance(x, Operand) and x.variable is not None])


def scanned(source: Source, name: str, init: Operand, x: Operand, depth: int) -> Operand:
    """All elements along a dimension, which is one axis, up to each, combined by a primitive."""
    wide = _carried(name, x.dtype)
    (factor,) = x.dimensions[depth]
    seconds = prod(x.shape) * NUMPY_ELEMENT_SECONDS["scan"]
    function, arguments = f"op_{name}.accumulate", [x.text, f"axis={factor.axis}", f'dtype="{wide.str}"']
    starts_anew = _changes_nothing(name, source.value(init.text))
    if name == "add" and (x.dtype == np.float64 or (x.dtype == np.float32 and starts_anew)):
        wide, function, arguments = x.dtype, "accumulated", [x.text, str(factor.axis)]
    if name == "add" and x.dtype == np.float64:
        blocks = 1 + prod(x.shape) // CUMULATIVE_BLOCK
        seconds += 4 * blocks * min(factor.extent, CUMULATIVE_BLOCK).bit_length() * NUMPY_CALL_SECONDS
    made = source.assign(function, arguments, x.reads, x.shape, wide, kernels=1, seconds=seconds)
    found = x.of(made, x.dimensions)
    if starts_anew:
        return converted(source, found, x.dtype)
    start = converted(source, init, wide)
    start = start.over((*start.dimensions[:depth], (Factor(factor.extent, None),), *start.dimensions[depth:]))
    return converted(source, called(source, name, [found, start], wide), x.dtype)


def _changes_nothing(name: str, start: np.generic | None) -> bool:
    """Does a fold that starts with that number give the same bits as one without a start?"""
    if start is None:
        return False
    if name == "add":
        return bool(start == 0 and (start.dtype.kind != "f" or np.signbit(start)))
    if name == "multiply":
        return bool(start == 1)
    return name in ("maximum", "minimum") and start.dtype.kind != "f" and is_last(name, start)


def scanned_by(source: Source, combine: Combine, xs: Term, depth: int, length: int) -> Term:
    """All elements along a dimension up to each, combined by an associative function: distances double at each step."""
    distance = 1
    while distance < length:
        rest = length - distance
        before, after = at_slice(source, xs, depth, 0, 1, rest), at_slice(source, xs, depth, distance, 1, rest)
        xs = joined(source, [at_slice(source, xs, depth, 0, 1, distance), combine(before, after, rest)], depth)
        distance *= 2
    _end_a_kernel(source, xs)
    return xs
