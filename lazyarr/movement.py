"""Shape and order: all of these are views, which move no data.

`reshape`, `squeeze` and `expand_dims` do not even record anything.
"""

from __future__ import annotations

import operator
from math import prod
from types import EllipsisType
from typing import Any

import numpy as np
from numpy.exceptions import AxisError

from ir.core.expr import Expr
from lazyarr.array import Array
from lazyarr.creation import as_shape, asarray
from lazyarr.record import broadcast, empty, permute, slice_dimension
from lazyarr.tracing import refuse

__all__ = [
    "broadcast_arrays", "broadcast_to", "expand_dims", "flip", "index", "matrix_transpose", "moveaxis", "newaxis",
    "permute_dims", "ravel", "reshape", "squeeze", "swapaxes", "transpose",
]  # fmt: skip

newaxis = None


def view(x: Array, node: Expr | None, shape: tuple[int, ...]) -> Array:
    """An array of that shape over another node (None: the same) on the device of `x`; empty if the shape says so."""
    if not prod(shape):
        node = empty(x.dtype)
    return Array(x.node if node is None else node, shape, x.dtype, x.device, x.trace)


def normalise_axis(function: str, axis: Any, ndim: int) -> int:
    """An axis counted from the front; `AxisError` if there is no such, `TypeError` if it is not an integer."""
    try:
        found = operator.index(axis)
    except TypeError:
        raise TypeError(f"{function}: expected an integer axis, got {axis!r}") from None
    if not -ndim <= found < ndim:
        raise AxisError(found, ndim, function)
    return found % ndim


def normalise_axes(function: str, axes: Any, ndim: int) -> tuple[int, ...]:
    """One axis or several counted from the front, none of them twice (`ValueError`)."""
    given = axes if isinstance(axes, (tuple, list)) else (axes,)
    found = tuple(normalise_axis(function, axis, ndim) for axis in given)
    if len(set(found)) < len(found):
        raise ValueError(f"{function}: duplicate value in axis {axes}")
    return found


def reshape(x: Any, /, shape: Any) -> Array:
    """The same elements, in row-major order, in another shape; one extent may be -1 and is then what is left.

    Raises `ValueError` if the number of elements differs.
    """
    x = asarray(x, function="reshape")
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
    return Array(x.node, extents, x.dtype, x.device, x.trace)


def ravel(x: Any, /) -> Array:
    """All elements in one dimension, row-major."""
    return reshape(x, -1)


def permute_dims(x: Any, /, axes: Any) -> Array:
    """The array with its dimensions in another order: dimension i of the result is dimension `axes[i]` of `x`."""
    x = asarray(x, function="permute_dims")
    order = normalise_axes("permute_dims", tuple(axes), x.ndim)
    if len(order) != x.ndim:
        raise ValueError(f"permute_dims: expected {x.ndim} axes, one for each dimension, got {tuple(axes)}")
    shape = tuple(x.shape[axis] for axis in order)
    if not x.size:
        return view(x, None, shape)
    return view(x, permute(x.node, x.shape, order), shape)


def transpose(x: Any, /, axes: Any = None) -> Array:
    """The array with its dimensions reversed, or in the order `axes`."""
    x = asarray(x, function="transpose")
    return permute_dims(x, range(x.ndim)[::-1] if axes is None else axes)


def matrix_transpose(x: Any, /) -> Array:
    """The array with its last two dimensions exchanged; `ValueError` if it has fewer."""
    x = asarray(x, function="matrix_transpose")
    if x.ndim < 2:
        raise ValueError(f"matrix_transpose: expected two or more dimensions, got shape {x.shape}")
    return swapaxes(x, -1, -2)


def swapaxes(x: Any, axis1: int, axis2: int, /) -> Array:
    """The array with two dimensions exchanged."""
    x = asarray(x, function="swapaxes")
    order = list(range(x.ndim))
    a, b = normalise_axis("swapaxes", axis1, x.ndim), normalise_axis("swapaxes", axis2, x.ndim)
    order[a], order[b] = b, a
    return permute_dims(x, order)


def moveaxis(x: Any, source: Any, destination: Any, /) -> Array:
    """The array with the dimensions `source` moved to the places `destination`, the others in order around them."""
    x = asarray(x, function="moveaxis")
    sources = normalise_axes("moveaxis", source, x.ndim)
    targets = normalise_axes("moveaxis", destination, x.ndim)
    if len(sources) != len(targets):
        raise ValueError(f"moveaxis: expected as many sources as destinations, got {source} and {destination}")
    order = [axis for axis in range(x.ndim) if axis not in sources]
    for target, axis in sorted(zip(targets, sources, strict=True)):
        order.insert(target, axis)
    return permute_dims(x, order)


def expand_dims(x: Any, /, axis: Any = 0) -> Array:
    """The array with new dimensions of extent one at the places `axis` of the result."""
    x = asarray(x, function="expand_dims")
    count = len(axis) if isinstance(axis, (tuple, list)) else 1
    places = normalise_axes("expand_dims", axis, x.ndim + count)
    rest = iter(x.shape)
    shape = tuple(1 if place in places else next(rest) for place in range(x.ndim + count))
    return view(x, None, shape)


def squeeze(x: Any, /, axis: Any = None) -> Array:
    """The array without its dimensions of extent one, or without those of them that `axis` names."""
    x = asarray(x, function="squeeze")
    axes = (
        [a for a, extent in enumerate(x.shape) if extent == 1]
        if axis is None
        else normalise_axes("squeeze", axis, x.ndim)
    )
    for a in axes:
        if x.shape[a] != 1:
            raise ValueError(f"squeeze: expected a dimension of extent one, got axis {a} of shape {x.shape}")
    return view(x, None, tuple(extent for a, extent in enumerate(x.shape) if a not in axes))


def broadcast_to(x: Any, /, shape: Any) -> Array:
    """The array repeated along new leading dimensions and dimensions of extent one, up to that shape.

    Raises `ValueError` if it does not broadcast to it.
    """
    x = asarray(x, function="broadcast_to")
    target = as_shape(shape, "broadcast_to")
    padded = (1,) * (len(target) - x.ndim) + x.shape
    if len(padded) != len(target) or any(have not in (1, want) for have, want in zip(padded, target, strict=True)):
        raise ValueError(f"broadcast_to: shape {x.shape} does not broadcast to {target}")
    if padded == target or not prod(target):
        return view(x, None, target)
    return view(x, broadcast(x.node, x.shape, target), target)


def broadcast_arrays(*arrays: Any) -> list[Array]:
    """The arrays repeated to their common shape; `ValueError` if there is none."""
    found = [asarray(x, function="broadcast_arrays") for x in arrays]
    try:
        shape = np.broadcast_shapes(*(x.shape for x in found))
    except ValueError:
        shapes = ", ".join(str(x.shape) for x in found)
        raise ValueError(f"broadcast_arrays: expected shapes that broadcast together, got {shapes}") from None
    return [broadcast_to(x, shape) for x in found]


def flip(x: Any, /, axis: Any = None) -> Array:
    """The array with the order of the elements along `axis` (None: along all) reversed."""
    x = asarray(x, function="flip")
    axes = range(x.ndim) if axis is None else normalise_axes("flip", axis, x.ndim)
    return index(x, tuple(slice(None, None, -1) if a in axes else slice(None) for a in range(x.ndim)))


def index(x: Array, key: Any) -> Array:
    """`x[key]` with integers, slices of any step, `...` and `None`; `IndexError` for other keys and out of bounds."""
    parts = key if isinstance(key, tuple) else (key,)
    used = sum(part is not None and part is not Ellipsis for part in parts)
    if used > x.ndim:
        raise IndexError(f"index: too many indices: shape {x.shape} has {x.ndim} dimensions, but {used} were indexed")
    dots = [i for i, part in enumerate(parts) if part is Ellipsis]
    if len(dots) > 1:
        raise IndexError("index: expected at most one `...`")
    at = dots[0] if dots else len(parts)
    filling = (slice(None),) * (x.ndim - used)
    parts = (*parts[:at], *filling, *parts[at + 1 :])

    shape: list[int] = []  # of the result
    cuts: list[tuple[int, int, int]] = []  # start, step, count for each dimension of x
    for part in parts:
        if part is None:
            shape.append(1)
            continue
        axis = len(cuts)
        extent = x.shape[axis]
        if isinstance(part, slice):
            start, stop, step = _slice(part, extent)
            count = len(range(start, stop, step))
            shape.append(count)
            cuts.append((start, step, count))
        else:
            cuts.append((_integer(part, axis, extent), 1, 1))
    if not prod(shape) or not x.size:
        return view(x, None, tuple(shape))
    node, outer = x.node, 1
    for extent, (start, step, count) in zip(x.shape, cuts, strict=True):
        node = slice_dimension(start, step, count, outer, extent, node)
        outer *= count
    return view(x, node, tuple(shape))


def _slice(part: slice, extent: int) -> tuple[int, int, int]:
    for bound in (part.start, part.stop, part.step):
        if isinstance(bound, Array) and bound.tracing:
            refuse("value", "use as a slice bound", bound)
    try:
        return part.indices(extent)
    except TypeError:
        raise TypeError(f"index: expected integers or None in a slice, got {part}") from None


def _integer(part: Any, axis: int, extent: int) -> int:
    if isinstance(part, (bool, np.bool_, list, np.ndarray, str, EllipsisType)) or (
        isinstance(part, Array) and part.shape
    ):
        kind = "a boolean" if isinstance(part, (bool, np.bool_)) else type(part).__name__
        message = f"index: expected integers, slices, `...` and None, got {kind}; choose elements with la.where instead"
        raise IndexError(message)
    try:
        position = operator.index(part)
    except TypeError as error:
        if isinstance(part, Array):
            raise
        raise IndexError(f"index: expected integers, slices, `...` and None, got {part!r}") from error
    if not -extent <= position < extent:
        raise IndexError(f"index {position} is out of bounds for axis {axis} with size {extent}")
    return position % extent
