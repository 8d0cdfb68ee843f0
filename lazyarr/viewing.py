"""The functions of `lazyarr.movement` and `lazyarr.indexing` as users call them: their results are views of the array.

Within lazyarr the bare functions are used, whose results nobody else sees.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import numpy as np

from lazyarr import movement
from lazyarr.array import Array
from lazyarr.indexing import chosen
from lazyarr.keys import parse
from lazyarr.movement import normalise_axes
from lazyarr.views import Chosen, Layout, Permuted, Reversed, Shaped, as_view

__all__ = [
    "atleast_1d", "atleast_2d", "atleast_3d", "expand_dims", "flip", "fliplr", "flipud", "matrix_transpose", "moveaxis",
    "permute_dims", "ravel", "reshape", "rollaxis", "squeeze", "swapaxes", "transpose",
]  # fmt: skip

F = TypeVar("F", bound=Callable[..., Any])


def element(x: Array, key: Any) -> Array:
    """`x[key]`, a view where slices choose; a single element is a value of its own, as NumPy's scalars are."""
    parsed = parse("index", key, x.shape)
    made = chosen("index", x, parsed)
    return as_view(x, made, Chosen(parsed)) if made.shape and not parsed.arrays else made


def row_view(x: Array, i: int, made: Array) -> Array:
    """The array, which holds the elements of `x[i]`, as a view of x; a single element stays a value of its own."""
    return as_view(x, made, Chosen(parse("index", i, x.shape))) if made.shape else made


def _reshaping(function: F) -> F:
    """A function that gives the elements of its array in another shape, as one that gives a view where NumPy's does."""

    @wraps(function)
    def viewing(x: Any, /, *arguments: Any, **keywords: Any) -> Any:
        made = function(x, *arguments, **keywords)
        if type(x) is not Array or type(made) is not Array or keywords.get("copy") or made.node is not x.node:
            return made
        if x.origin is not None and not _fits(x.origin.layout(), made.shape, function.__name__):
            return made  # NumPy copies
        return as_view(x, made, Shaped(made.shape))

    return viewing  # type: ignore[return-value]  # it takes and gives what the function does


def _fits(layout: Layout, shape: tuple[int, ...], name: str) -> bool:
    """Does what lies so show its elements in another shape without a copy?"""
    if name == "ravel":
        return bool(layout.flags.c_contiguous)
    try:
        layout.reshape(shape, copy=False)
    except ValueError:
        return False
    return True


def reversed_dimensions(x: Array) -> Array:
    """`transpose(x)`"""
    made, axes = movement.reverse(x)
    return as_view(x, made, Permuted(axes)) if axes else made


def _permuting(function: F) -> F:
    """A function that gives its array with the dimensions in another order, as one that gives a view."""
    in_numpy = getattr(np, function.__name__)
    reverses = function is movement.transpose

    @wraps(function)
    def viewing(x: Any, /, *arguments: Any, **keywords: Any) -> Any:
        if reverses and type(x) is Array and (not arguments or arguments[0] is None) and not keywords:
            return reversed_dimensions(x)
        made = function(x, *arguments, **keywords)
        if type(x) is not Array or not x.shape:
            return made
        named = np.broadcast_to(np.zeros(()), range(x.ndim))  # whose extents name the dimensions
        return as_view(x, made, Permuted(in_numpy(named, *arguments, **keywords).shape))

    return viewing  # type: ignore[return-value]  # as above


def _flipping(function: F) -> F:
    """A function that reverses dimensions of its array, as one that gives a view."""

    @wraps(function)
    def viewing(m: Any, /, *arguments: Any, **keywords: Any) -> Any:
        made = function(m, *arguments, **keywords)
        if type(m) is not Array:
            return made
        axis = {"fliplr": 1, "flipud": 0}.get(function.__name__, *arguments[:1] or (keywords.get("axis"),))
        axes = range(m.ndim) if axis is None else normalise_axes("flip", axis, m.ndim)
        return as_view(m, made, Reversed(tuple(axes)))

    return viewing  # type: ignore[return-value]  # as above


ravel, reshape = _reshaping(movement.ravel), _reshaping(movement.reshape)
expand_dims, squeeze = _reshaping(movement.expand_dims), _reshaping(movement.squeeze)
moveaxis, rollaxis = _permuting(movement.moveaxis), _permuting(movement.rollaxis)
permute_dims, swapaxes = _permuting(movement.permute_dims), _permuting(movement.swapaxes)
matrix_transpose, transpose = _permuting(movement.matrix_transpose), _permuting(movement.transpose)
flip, fliplr, flipud = _flipping(movement.flip), _flipping(movement.fliplr), _flipping(movement.flipud)
atleast_1d, atleast_2d = _reshaping(movement.atleast_1d), _reshaping(movement.atleast_2d)
atleast_3d = _reshaping(movement.atleast_3d)
