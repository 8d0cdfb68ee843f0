"""Functions as users call them whose results are views of the array: those of `lazyarr.recording.movement`, indexing
and others.

Within lazyarr the bare functions are used, whose results nobody else sees.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from typing import Any, Final, TypeVar

import numpy as np
from numpy import ndarray

from ir.core.expr import Expr
from ir.reference.masks import masked
from lazyarr.aliasing.eager_parts import (
    chosen_by_mask,
    element_eagerly,
    holds_values,
    is_eager,
    is_small_or_eager,
    names_one,
    part,
)
from lazyarr.aliasing.numpys_keys import PLAIN_KEYS
from lazyarr.aliasing.view_chains import fits
from lazyarr.aliasing.view_steps import Chosen, Diagonal, Layout, Part, Repeated, Shaped, permuted, reversed_along
from lazyarr.aliasing.views import as_view, lies_backwards, view_layout
from lazyarr.array import Array, arrayed, blank, number, over, part_of, view_of
from lazyarr.array.eager import shared_by
from lazyarr.config import eagerness
from lazyarr.dtypes import bool_, complex128, float32, float64
from lazyarr.eager.numbers import WHOLE, of_numpys
from lazyarr.eager.operations import allowed
from lazyarr.eager.operator_methods import ALONE
from lazyarr.graph.leaves import Input
from lazyarr.graph.recorded_calls import RecordedCall
from lazyarr.memory.orders import as_order
from lazyarr.recording import conversion, movement, positional
from lazyarr.recording.creation import asarray
from lazyarr.recording.filtering import filters_by_kernels, kept
from lazyarr.recording.indexing import by_slices, chosen
from lazyarr.recording.keys import has_dots, parse
from lazyarr.recording.movement import normalise_axes, normalise_axis
from lazyarr.recording.replay import replayable

__all__ = [
    "atleast_1d", "atleast_2d", "atleast_3d", "broadcast_arrays", "broadcast_to", "diagonal", "expand_dims",
    "flip", "fliplr", "flipud", "imag", "matrix_transpose", "moveaxis", "permute_dims", "ravel", "real", "reshape",
    "rollaxis", "rot90", "squeeze", "swapaxes", "transpose",
]  # fmt: skip

F = TypeVar("F", bound=Callable[..., Any])
_MISSING: Final[Any] = object()


def _described_as(function: Callable[..., Any]) -> Callable[[F], F]:
    """`wraps`, for type checkers that are to see the parameters of what is decorated."""
    return wraps(function)  # type: ignore[return-value]  # its own type is another


def element(x: Array, key: Any) -> Array:
    """`x[key]`, a view where slices choose; a single element is a value of its own, as NumPy's scalars are, unless
    dots stand in the key.
    """
    host: Any = x.value
    if type(host) is ndarray and eagerness.on:  # what loops consist of; each step of the interpreter counts
        found: Any = None
        kind = type(key)
        try:
            if kind is tuple:
                if len(key) == 2:
                    i, j = key
                    kind = type(j)
                    if type(i) is int:
                        if kind is int:
                            if len(x.extents) == 2:
                                dtype = x.dtype
                                if dtype is float32:
                                    return over(np.asarray(host[key]), (), dtype)
                                found = host.item(i, j)
                                if dtype is float64 or type(found) in WHOLE or dtype is complex128:
                                    made = blank(Array)  # as `number` does, without a call
                                    made.expr = made.placed = made.traced_in = made.origin = made.family = None
                                    made.shared = None
                                    made.value = found
                                    made.extents = ()
                                    made.dtype = dtype
                                    return made
                            found = host[key]
                        elif kind is slice:
                            found = host[key]
                    elif type(i) is slice and (kind is int or kind is slice):
                        found = host[key]
                elif len(key) > 2:
                    is_element = True
                    for each in key:
                        kind = type(each)
                        if kind is not int:
                            is_element = False
                            if kind is not slice:
                                break  # what `part` looks at
                    else:
                        if is_element and len(key) == len(x.extents):
                            found = host.item(*key)
                            dtype = x.dtype
                            if dtype is float64 or type(found) in WHOLE or dtype is complex128:
                                return number(found, dtype)
                        found = host[key]
            elif kind is int:
                if len(x.extents) == 1:
                    dtype = x.dtype
                    if dtype is float32:
                        return over(np.asarray(host[key]), (), dtype)
                    found = host.item(key)
                    if dtype is float64 or type(found) in WHOLE or dtype is complex128:
                        made = blank(Array)  # as above
                        made.expr = made.placed = made.traced_in = made.origin = made.family = made.shared = None
                        made.value = found
                        made.extents = ()
                        made.dtype = dtype
                        return made
                found = host[key]
            elif kind is slice:
                found = host[key]
            elif kind is Array:
                at: Any = key.value
                if type(at) is int:
                    return element(x, at)
                if type(at) is ndarray and key.extents and key.dtype.kind in "biu":
                    return of_numpys(masked(host, at) if key.dtype is bool_ else host[at])
            if found is None and x.extents:
                found = part(x, host, key)
        except (IndexError, OverflowError, TypeError, ValueError):
            pass  # recording raises lazyarr's own error
        else:
            if type(found) is ndarray:
                shared = x.shared
                if shared is None:
                    shared = shared_by(x)
                extents = found.shape
                if extents and (shared.lent is None or found.flags.writeable):  # else `part_of` does more
                    made = blank(Array)
                    made.expr = made.placed = made.traced_in = made.origin = made.family = None
                    made.value = found
                    made.extents = extents
                    made.dtype = x.dtype
                    made.shared = shared
                    if (extents[0] if len(extents) == 1 else found.size) > ALONE:
                        frame = sys._getframe(1)
                        made.made_by = frame.f_code, frame.f_lasti
                    return made
                return part_of(x, found)
            if found is not None:
                return found if type(found) is Array else of_numpys(found)
    plain = type(key) in PLAIN_KEYS or (type(key) is tuple and PLAIN_KEYS.issuperset(map(type, key)))
    if (plain or x.value is not None or holds_values(key)) and allowed():
        found = element_eagerly(x, key, plain)
        if found is not None:
            return found  # type: ignore[no-any-return]  # an Array
    if type(key) is tuple and len(key) == 1 and type(key[0]) is Array:
        key = key[0]
    if type(key) is Array and key.dtype is bool_ and key.extents:
        if filters_by_kernels(x, key):
            return kept(x, key)
        found = chosen_by_mask(x, key)
        if found is not None:
            return found  # type: ignore[no-any-return]  # as above
    before = x.standing
    if type(before) is Input and (len(x.extents) == 1 if type(key) is int else names_one(x, key)):
        return by_slices(x, parse("index", key, x.extents))  # it is read where it lies, and there are many of them
    if plain:
        made = _taken(x, key)
        standing = made.expr
        # of an operation that leaves the array as it is, what that stands for is another operation's
        operation = standing.operation if type(standing) is RecordedCall and standing is not before else None
        if operation is None:
            step = _step(x, key, made)
        else:
            step = operation.step
            if step is None:
                step = operation.step = _step(x, key, made)
        return as_view(x, made, step, before) if step else made
    parsed = parse("index", key, x.extents)
    made = chosen("index", x, parsed)
    if parsed.arrays or not (made.extents or has_dots(key)):
        return made
    return as_view(x, made, Chosen(parsed), before)


@replayable
def _taken(x: Array, key: Any) -> Array:
    """`x[key]` for integers, slices and such."""
    return by_slices(x, parse("index", key, x.extents))


def _step(x: Array, key: Any, made: Array) -> Any:
    """The step that leads to `x[key]`; False where that is no view."""
    return Chosen(parse("index", key, x.extents)) if made.extents or has_dots(key) else False


def row_view(x: Array, i: int, made: Array, before: Any) -> Array:
    """The array, which holds the elements of `x[i]`, as a view of x; a single element stays a value of its own. In a
    loop over many rows x becomes eager.

    Args:
        before: what x stood for when that was made
    """
    if allowed() and is_eager(x):
        return element(x, i)
    return as_view(x, made, Chosen(parse("index", i, x.extents)), before) if made.extents else made


def _of_eager(function: F, numpys: Callable[..., Any], read_only: bool = False) -> F:
    """A function that gives NumPy's view of an eager array, and of any other what it gave before."""

    @wraps(function)
    def viewing(*arguments: Any, **keywords: Any) -> Any:
        x = arguments[0] if arguments else None
        if type(x) is not Array or not x.extents or not is_small_or_eager(x):
            return function(*arguments, **keywords)
        try:
            found: np.ndarray[Any, Any] = numpys(x.host, *arguments[1:], **keywords)
        except (TypeError, ValueError):
            return function(*arguments, **keywords)  # which raises lazyarr's own error
        if found is x.value:
            found = found.view()
        elif not read_only and found.base is not None and (found.base is x.value or found.base is x.value.base):  # type: ignore[union-attr]  # an array
            return part_of(x, found)
        return view_of(x, found, read_only)

    return viewing  # type: ignore[return-value]  # it takes and gives what the function does


# --- shapes -----------------------------------------------------------------------------------------------------------


def _viewing(function: F, shown: Callable[..., Array], alone: Callable[[Array], Array] | None = None) -> F:
    """A function of an array as one that gives a view.

    Args:
        shown: from the array, what the function made, what the array stood for before, and what else it was given
        alone: the view, where nothing else was given
    """

    @wraps(function)
    def viewing(x: Any = _MISSING, /, *arguments: Any, **keywords: Any) -> Any:
        if x is _MISSING:
            x = _by_name(function, keywords)
        if alone is not None and type(x) is Array and (not arguments or arguments[0] is None) and not keywords:
            return alone(x)
        before = x.standing if type(x) is Array else None
        made = function(x, *arguments, **keywords)
        return made if before is None else shown(x, made, before, *arguments, **keywords)

    return viewing  # type: ignore[return-value]  # it takes and gives what the function does


def _reshaping(function: F) -> F:
    """A function that gives the elements of its array in another shape, as one that gives a view where NumPy's does."""
    return _viewing(function, lambda x, made, before, *_, **__: _shown(x, made, before))


def _by_name(function: Callable[..., Any], keywords: dict[str, Any]) -> Any:
    """The first operand of a function, taken from the keywords that it was given with."""
    name = function.__code__.co_varnames[0]
    if name not in keywords:
        raise TypeError(f"{function.__name__}: expected an array as its first argument, {name}")
    return keywords.pop(name)


def _shown(
    x: Array, made: Array, before: Expr | RecordedCall, fit: Callable[..., bool] = fits, copy: bool | None = None
) -> Array:
    """The elements of an array in another shape as a view of it, where NumPy copies as they are.

    Args:
        before: what it stood for when they were taken
    """
    if made.expr is not before and 0 not in made.extents:
        return made
    layout = view_layout(x)
    if layout is not None and not fit(layout, made.extents):
        if copy is False:
            raise ValueError("reshape: cannot avoid a copy, as NumPy cannot: leave out copy=False")
        return made
    return as_view(x, made, Shaped(made.extents), before)


expand_dims, squeeze = _reshaping(movement.expand_dims), _reshaping(movement.squeeze)


@_described_as(movement.reshape)
def reshape(x: Any, /, shape: Any, order: str | None = "C", *, copy: bool | None = None) -> Array:
    """See `lazyarr.recording.movement.reshape`; a view where NumPy's is one."""
    if type(x) is not Array or copy:
        return movement.reshape(x, shape, order, copy=copy)
    order = as_order(order, "reshape", ("C", "F", "A"))
    if order == "F" or (order == "A" and lies_backwards(x)):
        backwards = shape[::-1] if isinstance(shape, (tuple, list)) else shape
        return transpose(reshape(transpose(x), backwards, copy=copy))
    before = x.standing
    return _shown(x, movement.reshape(x, shape, order), before, copy=copy)


@_described_as(movement.ravel)
def ravel(a: Any, order: str = "C") -> Array:
    """See `lazyarr.recording.movement.ravel`; a view where NumPy's is one."""
    x = a
    if type(x) is not Array:
        return movement.ravel(x, order)
    order = as_order(order, "ravel")
    if order == "F" or (order == "A" and lies_backwards(x)):
        return ravel(transpose(x))
    layout = view_layout(x)
    if order == "K" and layout is not None:  # as the elements lie
        strides = [abs(stride) for stride in layout.strides]
        axes = sorted(range(x.ndim), key=lambda axis: -strides[axis])
        return ravel(x if axes == list(range(x.ndim)) else permute_dims(x, axes))
    before = x.standing
    return _shown(x, movement.ravel(x, order), before, _lies_in_order)


def _lies_in_order(layout: Layout, shape: tuple[int, ...]) -> bool:
    return bool(layout.flags.c_contiguous)


def _at_least(function: F, dimensions: int) -> F:
    view = _of_eager(_reshaping(function), getattr(np, function.__name__))

    @wraps(function)
    def viewing(*arrays: Any) -> Any:
        found = [x if type(x) is Array and len(x.extents) >= dimensions else view(x) for x in arrays]
        return found[0] if len(found) == 1 else tuple(found)

    return viewing  # type: ignore[return-value]  # as above


atleast_1d, atleast_2d = _at_least(movement.atleast_1d, 1), _at_least(movement.atleast_2d, 2)
atleast_3d = _at_least(movement.atleast_3d, 3)


# --- order ------------------------------------------------------------------------------------------------------------


def reversed_dimensions(x: Array) -> Array:
    """`transpose(x)`"""
    if x.extents and is_small_or_eager(x):
        return part_of(x, x.value.T)  # type: ignore[union-attr]  # it is eager and has dimensions, so it is an array
    before = x.standing
    made, axes = movement.reverse(x)
    return as_view(x, made, permuted(x.extents, axes) if axes else Shaped(()), before)


def _permuting(function: F, alone: Callable[[Array], Array] | None = None) -> F:
    """A function that gives its array with the dimensions in another order, as one that gives a view."""
    in_numpy = getattr(np, function.__name__)

    def shown(x: Array, made: Array, before: Expr | RecordedCall, *arguments: Any, **keywords: Any) -> Array:
        if not x.extents:
            return as_view(x, made, Shaped(()), before)
        # Its strides name the dimensions. Extents cannot: NumPy refuses (0, 1, .., 20), whose product is too large.
        named = np.ndarray((1,) * x.ndim, np.int8, b"\0", 0, range(x.ndim))
        return as_view(x, made, permuted(x.extents, in_numpy(named, *arguments, **keywords).strides), before)

    return _viewing(function, shown, alone)


def _flipping(function: F) -> F:
    """A function that reverses dimensions of its array, as one that gives a view."""

    def shown(x: Array, made: Array, before: Expr | RecordedCall, *arguments: Any, **keywords: Any) -> Array:
        if not x.extents:  # a number is copied, as NumPy's is
            return made
        axis = {"fliplr": 1, "flipud": 0}.get(function.__name__, *arguments[:1] or (keywords.get("axis"),))
        axes = tuple(range(x.ndim)) if axis is None else normalise_axes("flip", axis, x.ndim)
        return as_view(x, made, reversed_along(x.extents, axes), before)

    return _viewing(function, shown)


moveaxis, rollaxis = _permuting(movement.moveaxis), _permuting(movement.rollaxis)
permute_dims, swapaxes = _permuting(movement.permute_dims), _permuting(movement.swapaxes)
matrix_transpose, transpose = _permuting(movement.matrix_transpose), _permuting(movement.transpose, reversed_dimensions)
flip, fliplr, flipud = _flipping(movement.flip), _flipping(movement.fliplr), _flipping(movement.flipud)


def rot90(m: Any, k: int = 1, axes: Any = (0, 1)) -> Array:
    """The array turned by k right angles in the plane of two dimensions, from the first towards the second."""
    x = asarray(m, function="rot90")
    plane = tuple(axes)
    if len(plane) != 2:
        raise ValueError(f"rot90: expected two axes, got {axes}")
    first, second = normalise_axes("rot90", plane, x.ndim)
    k %= 4
    if k == 0:
        return reshape(x, x.extents)
    if k == 2:
        return flip(x, (first, second))
    return swapaxes(flip(x, second), first, second) if k == 1 else flip(swapaxes(x, first, second), second)


# --- parts of arrays and of elements ----------------------------------------------------------------------------------


def real(val: Any) -> Array:
    """The real parts; real arrays are their own."""
    x = val
    if type(x) is not Array:
        return conversion.real(x)
    if type(x.value) is complex and eagerness.on:
        return number(x.value.real, float64)
    if x.dtype.kind != "c":
        return x
    if is_small_or_eager(x):
        return view_of(x, x.host.real)  # type: ignore[union-attr]  # it is eager
    before = x.standing
    return as_view(x, conversion.real(x), Part("real"), before)


def imag(val: Any) -> Array:
    """The imaginary parts; of real arrays zeros, which are read-only."""
    x = val
    if type(x) is not Array:
        return conversion.imag(x)
    if type(x.value) is complex and eagerness.on:
        return number(x.value.imag, float64)
    if x.dtype.kind != "c":
        found = conversion.imag(x)
        if x.is_number:
            return found
        found = arrayed(found)
        return as_view(found, found.copy(), Shaped(found.extents), found.standing, read_only=True)
    if is_small_or_eager(x):
        return view_of(x, x.host.imag)  # type: ignore[union-attr]  # it is eager
    before = x.standing
    return as_view(x, conversion.imag(x), Part("imag"), before)


@_described_as(positional.diagonal)
def diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
    """See `lazyarr.recording.positional.diagonal`; a read-only view."""
    return diagonal_view(asarray(a, function="diagonal"), offset, axis1, axis2, read_only=True)


def diagonal_view(x: Array, offset: int, axis1: int, axis2: int, read_only: bool = False) -> Array:
    """The diagonals as a view that may be assigned to, unless it is said to be read-only."""
    if x.ndim > 1 and (eagerness.on or allowed()) and is_eager(x):
        assert x.host is not None
        try:
            found = np.diagonal(x.host, offset, axis1, axis2)
        except (TypeError, ValueError):
            pass  # recording raises lazyarr's own error
        else:
            found.setflags(write=not read_only and x.host.flags.writeable)
            return view_of(x, found, read_only)
    before = x.standing
    made = positional.diagonal(x, offset, axis1, axis2)
    axes = normalise_axis("diagonal", axis1, x.ndim), normalise_axis("diagonal", axis2, x.ndim)
    return as_view(x, made, Diagonal(offset, *axes), before, read_only)


@_described_as(movement.broadcast_to)
def broadcast_to(array: Any, shape: Any, subok: bool = False) -> Array:
    """See `lazyarr.recording.movement.broadcast_to`; a read-only view."""
    x = asarray(array, function="broadcast_to")
    before = x.standing
    made = movement.broadcast_to(x, shape)
    return as_view(x, made, Repeated(made.extents), before, read_only=True)


@_described_as(movement.broadcast_arrays)
def broadcast_arrays(*arrays: Any, subok: bool = False) -> tuple[Any, ...]:
    """See `lazyarr.recording.movement.broadcast_arrays`; arrays of that shape are given back, of others read-only
    views. What no lazy array is made of, as text and None, becomes NumPy's arrays.
    """
    given = [movement.array_or_numpys("broadcast_arrays", x) for x in arrays]
    shape = movement.common_shape("broadcast_arrays", [x.shape for x in given])
    by = [broadcast_to if isinstance(x, Array) else np.broadcast_to for x in given]
    return tuple([x if x.shape == shape else each(x, shape) for x, each in zip(given, by, strict=True)])


# --- of eager arrays --------------------------------------------------------------------------------------------------

expand_dims, squeeze = _of_eager(expand_dims, np.expand_dims), _of_eager(squeeze, np.squeeze)
reshape, ravel = _of_eager(reshape, np.reshape), _of_eager(ravel, np.ravel)
moveaxis, rollaxis = _of_eager(moveaxis, np.moveaxis), _of_eager(rollaxis, np.rollaxis)
permute_dims, swapaxes = _of_eager(permute_dims, np.permute_dims), _of_eager(swapaxes, np.swapaxes)
matrix_transpose, transpose = _of_eager(matrix_transpose, np.matrix_transpose), _of_eager(transpose, np.transpose)
flip, fliplr, flipud = _of_eager(flip, np.flip), _of_eager(fliplr, np.fliplr), _of_eager(flipud, np.flipud)
rot90, broadcast_to = _of_eager(rot90, np.rot90), _of_eager(broadcast_to, np.broadcast_to, read_only=True)
