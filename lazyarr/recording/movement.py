"""Shape and order: all of these are views, which move no data.

`reshape`, `squeeze` and `expand_dims` do not even record anything.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.exceptions import AxisError

from ir.core.expr import Expr
from lazyarr.array import Array, array_of
from lazyarr.graph.builders import broadcast, empty, permute, slice_dimension
from lazyarr.graph.recorded_calls import RecordedCall
from lazyarr.memory.orders import as_order
from lazyarr.recording.creation import as_shape, asarray
from lazyarr.recording.replay import replayable

__all__ = [
    "atleast_1d", "atleast_2d", "atleast_3d", "broadcast_arrays", "broadcast_shapes", "broadcast_to", "expand_dims",
    "flip", "fliplr", "flipud", "matrix_transpose", "moveaxis", "newaxis", "permute_dims", "ravel", "reshape",
    "rollaxis", "squeeze", "swapaxes", "transpose",
]  # fmt: skip

newaxis = None


def view(x: Array, node: Expr | RecordedCall | None, shape: tuple[int, ...]) -> Array:
    """An array of that shape over another node (None: the same) on the device of `x`; empty if the shape says so."""
    if 0 in shape:
        node = empty(x.dtype)
    return array_of(x.standing if node is None else node, shape, x.dtype, x.placed, x.traced_in)


def whole_number(function: str, name: str, value: Any, least: int | None = 0) -> int:
    """An argument that is to be a whole number, and not below `least`.

    Raises:
        TypeError: it is none.
        ValueError: it is too small.
    """
    try:
        found = operator.index(value)
    except TypeError:
        raise TypeError(f"{function}: expected {name} to be a whole number, got {value!r}") from None
    if least is not None and found < least:
        wanted = f"to be {least} or more" if least else "not to be negative"
        raise ValueError(f"{function}: expected {name} {wanted}, got {found}")
    return found


def normalise_axis(function: str, axis: Any, ndim: int) -> int:
    """An axis counted from the front; `AxisError` if there is no such, `TypeError` if it is not an integer."""
    try:
        found = operator.index(axis)
    except TypeError:
        raise TypeError(f"{function}: expected an integer axis, got {axis!r}") from None
    if not -ndim <= found < ndim:
        raise AxisError(found, ndim, function)
    return found % ndim


def is_axis_of_number(axis: Any) -> bool:
    """Is it an axis that NumPy's reductions find in a single number, 0 or -1?"""
    try:
        return not isinstance(axis, bool) and operator.index(axis) in (0, -1)
    except TypeError:
        return False


def one_or_several(axes: Any) -> tuple[Any, ...]:
    """An axis alone, or those that something iterable gives."""
    if isinstance(axes, (tuple, list)):
        return tuple(axes)
    try:
        return (operator.index(axes),)
    except TypeError:
        return tuple(axes) if isinstance(axes, Iterable) else (axes,)


def axes_of_reduction(function: str, axes: Any, ndim: int) -> tuple[int, ...]:
    """The same of what NumPy takes for reductions: one axis, or a tuple of some (`TypeError` for others, and bools)."""
    given = axes if isinstance(axes, tuple) else (axes,)
    for axis in given:
        if isinstance(axis, bool):
            raise TypeError(f"{function}: expected an integer axis, got {axis}")
    return normalise_axes(function, given, ndim)


def sequence_of_axes(function: str, axes: Any) -> tuple[Any, ...]:
    """The axes in a list, a tuple, a range or an array; `TypeError` for sets, dictionaries and generators."""
    if isinstance(axes, (Sequence, np.ndarray, Array)) and not isinstance(axes, str):
        return tuple(axes)
    raise TypeError(f"{function}: expected a sequence of axes, got {type(axes).__name__}")


def normalise_axes(function: str, axes: Any, ndim: int) -> tuple[int, ...]:
    """One axis, or those that something iterable gives, counted from the front, none of them twice (`ValueError`)."""
    found = tuple([normalise_axis(function, axis, ndim) for axis in one_or_several(axes)])
    if len(set(found)) < len(found):
        raise ValueError(f"{function}: duplicate value in axis {axes}")
    return found


def reshape(x: Any, /, shape: Any, order: str | None = "C", *, copy: bool | None = None) -> Array:
    """The same elements in another shape; one extent may be -1 and is then what is left.

    Args:
        order: "C": row-major; "F": the first dimension varies fastest, on both sides; "A" and None: as "C"
        copy: with True no view is given (`lazyarr.aliasing.viewing`)

    Raises:
        ValueError: the number of elements differs.
    """
    x = asarray(x, function="reshape")
    if type(copy) is str:  # type: ignore[comparison-overlap]  # which NumPy refuses, too
        raise ValueError(f"reshape: expected copy to be True, False or None, got {copy!r}")
    if as_order(order, "reshape", ("C", "F", "A")) == "F":
        backwards = shape[::-1] if isinstance(shape, (tuple, list)) else shape
        return transpose(reshape(transpose(x), backwards))
    extents = as_shape(shape, "reshape")
    unknown = [axis for axis, extent in enumerate(extents) if extent < 0]
    known = prod(extent for extent in extents if extent >= 0)
    if unknown:
        if len(unknown) > 1 or extents[unknown[0]] != -1:
            raise ValueError(f"reshape: expected at most one unknown extent, -1, got shape {extents}")
        if known == 0 or x.size % known:
            raise ValueError(f"reshape: cannot reshape an array of {x.size} elements into shape {extents}")
        known = x.size
        extents = tuple(x.size // prod(e for e in extents if e >= 0) if e < 0 else e for e in extents)
    if known != x.size:
        raise ValueError(f"reshape: cannot reshape an array of {x.size} elements into shape {extents}")
    return array_of(x.standing, extents, x.dtype, x.placed, x.traced_in)


def ravel(a: Any, order: str = "C") -> Array:
    """All elements in one dimension, row-major; with order "F" the first dimension varies fastest."""
    return reshape(a, -1, "F" if as_order(order, "ravel") == "F" else "C")


def permute_dims(a: Any, axes: Any) -> Array:
    """The array with its dimensions in another order: dimension i of the result is dimension `axes[i]` of
    `a`.
    """
    return _in_order("permute_dims", asarray(a, function="permute_dims"), axes)


def _in_order(function: str, x: Array, axes: Any) -> Array:
    given = tuple(axes) if isinstance(axes, (tuple, list)) or np.ndim(axes) else (axes,)
    order = normalise_axes(function, given, x.ndim)
    if len(order) != x.ndim:
        raise ValueError(f"{function}: expected {x.ndim} axes, one for each dimension, got {given}")
    return _permuted(x, order)


@replayable
def _permuted(x: Array, order: tuple[int, ...]) -> Array:
    shape = tuple([x.extents[axis] for axis in order])
    return view(x, None if 0 in shape else permute(x.node, x.extents, order), shape)


def transpose(a: Any, axes: Any = None) -> Array:
    """The array with its dimensions reversed, or in the order `axes`."""
    x = asarray(a, function="transpose")
    return reverse(x)[0] if axes is None else _in_order("transpose", x, axes)


def reverse(x: Array) -> tuple[Array, tuple[int, ...]]:
    """The array with its dimensions reversed, and these."""
    axes = tuple(range(len(x.extents) - 1, -1, -1))
    return _permuted(x, axes), axes


def matrix_transpose(x: Any, /) -> Array:
    """The array with its last two dimensions exchanged; `ValueError` if it has fewer."""
    x = asarray(x, function="matrix_transpose")
    if x.ndim < 2:
        raise ValueError(f"matrix_transpose: expected two or more dimensions, got shape {x.extents}")
    return swapaxes(x, -1, -2)


def swapaxes(a: Any, axis1: int, axis2: int) -> Array:
    """The array with two dimensions exchanged."""
    x = asarray(a, function="swapaxes")
    order = list(range(x.ndim))
    a, b = normalise_axis("swapaxes", axis1, x.ndim), normalise_axis("swapaxes", axis2, x.ndim)
    order[a], order[b] = b, a
    return permute_dims(x, order)


def moveaxis(a: Any, source: Any, destination: Any) -> Array:
    """The array with the dimensions `source` moved to the places `destination`, the others in order around them."""
    x = asarray(a, function="moveaxis")
    sources = normalise_axes("moveaxis", source, x.ndim)
    targets = normalise_axes("moveaxis", destination, x.ndim)
    if len(sources) != len(targets):
        raise ValueError(f"moveaxis: expected as many sources as destinations, got {source} and {destination}")
    order = [axis for axis in range(x.ndim) if axis not in sources]
    for target, axis in sorted(zip(targets, sources, strict=True)):
        order.insert(target, axis)
    return permute_dims(x, order)


def expand_dims(a: Any, axis: Any = 0) -> Array:
    """The array with new dimensions of extent one at the places `axis` of the result."""
    x = asarray(a, function="expand_dims")
    given = axis if isinstance(axis, (tuple, list)) else (axis,)
    places = normalise_axes("expand_dims", given, x.ndim + len(given))
    rest = iter(x.extents)
    shape = tuple(1 if place in places else next(rest) for place in range(x.ndim + len(given)))
    return view(x, None, as_shape(shape, "expand_dims"))


def squeeze(a: Any, axis: Any = None) -> Array:
    """The array without its dimensions of extent one, or without those of them that `axis` names."""
    x = asarray(a, function="squeeze")
    axes = (
        [a for a, extent in enumerate(x.extents) if extent == 1]
        if axis is None
        else axes_of_reduction("squeeze", axis, x.ndim or int(is_axis_of_number(axis)))
    )
    if not x.ndim:
        return view(x, None, ())
    for a in axes:
        if x.extents[a] != 1:
            raise ValueError(f"squeeze: expected a dimension of extent one, got axis {a} of shape {x.extents}")
    return view(x, None, tuple(extent for a, extent in enumerate(x.extents) if a not in axes))


def broadcast_to(array: Any, shape: Any, subok: bool = False) -> Array:
    """The array repeated along new leading dimensions and dimensions of extent one, up to that shape.

    Raises:
        ValueError: it does not broadcast to it.
    """
    x = asarray(array, function="broadcast_to")
    target = as_shape(shape, "broadcast_to")
    padded = (1,) * (len(target) - x.ndim) + x.extents
    fits = len(padded) == len(target) and min(target, default=0) >= 0
    if not fits or any(have not in (1, want) for have, want in zip(padded, target, strict=True)):
        raise ValueError(f"broadcast_to: shape {x.extents} does not broadcast to {target}")
    if padded == target or not prod(target):
        return view(x, None, target)
    return _repeated(x, target)


@replayable
def _repeated(x: Array, target: tuple[int, ...]) -> Array:
    return view(x, broadcast(x.node, x.extents, target), target)


def broadcast_arrays(*arrays: Any, subok: bool = False) -> tuple[Array, ...]:
    """The arrays repeated to their common shape; `ValueError` if there is none. There are no subclasses (`subok`)."""
    found = [asarray(x, function="broadcast_arrays") for x in arrays]
    shape = common_shape("broadcast_arrays", [x.extents for x in found])
    return tuple(broadcast_to(x, shape) for x in found)


def broadcast_shapes(*shapes: Any) -> tuple[int, ...]:
    """The shape that arrays of those shapes broadcast to; `ValueError` if they do not."""
    return common_shape("broadcast_shapes", [as_shape(shape, "broadcast_shapes") for shape in shapes])


def array_or_numpys(function: str, x: Any) -> Any:
    """An operand as an array; as NumPy's where no lazy array is made of it."""
    try:
        return asarray(x, function=function)
    except TypeError:
        return np.asarray(x)


def common_shape(function: str, shapes: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """See `broadcast_shapes`."""
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        text = ", ".join(map(str, shapes))
        raise ValueError(f"{function}: expected shapes that broadcast together, got {text}") from None


def flip(m: Any, axis: Any = None) -> Array:
    """The array with the order of the elements along `axis` (None: along all) reversed."""
    x = asarray(m, function="flip")
    return _flipped(x, tuple(range(x.ndim)) if axis is None else normalise_axes("flip", axis, x.ndim))


@replayable
def _flipped(x: Array, axes: tuple[int, ...]) -> Array:
    node, outer = x.node, 1
    for a, extent in enumerate(x.extents):
        if a in axes and x.size:
            node = slice_dimension(extent - 1, -1, extent, outer, extent, node)
        outer *= extent
    return view(x, node, x.extents)


def fliplr(m: Any) -> Array:
    """The array with its second dimension reversed; `ValueError` if it has fewer than two."""
    x = asarray(m, function="fliplr")
    if x.ndim < 2:
        raise ValueError(f"fliplr: expected two or more dimensions, got shape {x.extents}")
    return flip(x, 1)


def flipud(m: Any) -> Array:
    """The array with its first dimension reversed; `ValueError` if it has none."""
    x = asarray(m, function="flipud")
    if x.ndim < 1:
        raise ValueError("flipud: expected one or more dimensions, got a 0-dimensional array")
    return flip(x, 0)


def rollaxis(a: Any, axis: int, start: int = 0) -> Array:
    """The array with the dimension `axis` moved to stand before the dimension `start`."""
    x = asarray(a, function="rollaxis")
    moved = normalise_axis("rollaxis", axis, x.ndim)
    target = x.ndim if start == x.ndim else normalise_axis("rollaxis", start, x.ndim)
    return moveaxis(x, moved, target - 1 if moved < target else target)


def _at_least(function: str, arrays: tuple[Any, ...], shape_of: Callable[[tuple[int, ...]], tuple[int, ...]]) -> Any:
    found = []
    for array in arrays:
        x = asarray(array, function=function)
        found.append(view(x, None, shape_of(x.extents)))
    return found[0] if len(found) == 1 else tuple(found)


def atleast_1d(*arrays: Any) -> Any:
    """The array with one dimension where it has none; a tuple for several arrays."""
    return _at_least("atleast_1d", arrays, lambda shape: shape or (1,))


def atleast_2d(*arrays: Any) -> Any:
    """The array with new dimensions in front, up to two; a tuple for several arrays."""
    return _at_least("atleast_2d", arrays, lambda shape: (1,) * (2 - len(shape)) + shape)


def atleast_3d(*arrays: Any) -> Any:
    """The array with new dimensions, up to three, around one and behind two; a tuple for several arrays."""

    def shape_of(shape: tuple[int, ...]) -> tuple[int, ...]:
        return ((1, 1, 1), (1, *shape, 1), (*shape, 1), shape)[min(len(shape), 3)]

    return _at_least("atleast_3d", arrays, shape_of)
