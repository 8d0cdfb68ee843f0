"""Elements by arrays of indices and by masks, as functions: `take put choose select nonzero` and their like.

Where a mask decides how many elements there are it is computed when the function is called; while a function is being
recorded that raises a `TracingError` that names `where`.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from operator import setitem
from typing import Any, overload

import numpy as np

from ir.cost.thresholds.eager import (
    CHOSEN_EAGERLY_AT_MOST,
    EAGER_ELEMENTS_IN_LOOPS,
    EAGER_ELEMENTS_ON_CPUS,
    EAGER_FUNCTION_ELEMENTS_AT_MOST,
)
from lazyarr.aliasing.assignment import rebind, set_item, set_key
from lazyarr.aliasing.eager_writes import (
    changed_by_numpy,
    existing_values,
    is_changed_eagerly,
    place_values,
    put_values,
    putmask_values,
    values_of,
)
from lazyarr.aliasing.outputs import OUT_TO_RESULT, with_out_at
from lazyarr.aliasing.viewing import element
from lazyarr.api.elementwise.standard import clip
from lazyarr.api.shape.positions import unravel_index
from lazyarr.api.shape.repeating import resize
from lazyarr.array import Array, giving_arrays
from lazyarr.array.eager import existing
from lazyarr.dtypes import WEAK, bool_, result_type, uint64
from lazyarr.eager.functions import small_by
from lazyarr.eager.numbers import broadcast_size, of_numpys
from lazyarr.eager.operations import allowed
from lazyarr.recording.conversion import astype
from lazyarr.recording.conversion import where as where_
from lazyarr.recording.creation import asarray
from lazyarr.recording.filtering import filters_by_kernels, true_places
from lazyarr.recording.indexing import chosen, index
from lazyarr.recording.joining import stack_arrays
from lazyarr.recording.keys import Index, Key, host_values, in_range, mask_of, outside
from lazyarr.recording.movement import (
    broadcast_arrays,
    broadcast_to,
    normalise_axes,
    normalise_axis,
    ravel,
    reshape,
    view,
)
from lazyarr.recording.replacing import numbers_in

__all__ = [
    "argwhere", "choose", "compress", "extract", "flatnonzero", "nonzero", "place", "put", "put_along_axis", "putmask",
    "select", "take", "take_along_axis", "trim_zeros", "where",
]  # fmt: skip


def _take(a: Any, indices: Any, axis: int | None = None, mode: str = "raise") -> Any:
    """NumPy's function, where indices are integers and the result is small, too."""
    at = np.asarray(indices)
    if at.dtype.kind not in "iu":
        return None
    shape = np.shape(a)
    each = 1 if axis is None or not shape else prod(shape) // max(shape[axis], 1)
    small = at.size * each <= EAGER_FUNCTION_ELEMENTS_AT_MOST
    numpys: Any = np.take  # whose overloads ask for a literal mode
    return numpys(a, at, axis, mode=mode) if small else None


@overload
def where(condition: Any, /) -> tuple[Array, ...]: ...


@overload
def where(condition: Any, x1: Any, x2: Any, /) -> Array: ...


@giving_arrays
def where(condition: Any, x1: Any = None, x2: Any = None, /) -> Any:
    """`x1` where the condition holds (is not zero), else `x2`; both are computed.

    The three broadcast together; the result's dtype is what `x1` and `x2` promote to. A condition alone: its `nonzero`,
    as NumPy has it. `ValueError` for two operands.
    """
    if x1 is None or x2 is None:
        if x1 is not None or x2 is not None:
            raise ValueError("where: expected both x1 and x2, or neither")
        return nonzero(condition)
    return where_(condition, x1, x2)


@with_out_at(3, casting=OUT_TO_RESULT)
@small_by(_take, EAGER_ELEMENTS_ON_CPUS)
def take(a: Any, indices: Any, axis: int | None = None, mode: str = "raise") -> Array:
    """The elements along a dimension that indices of any shape name; None: of the flattened array.

    Args:
        mode: "raise": `IndexError` for an index out of bounds whose value the host knows, others are clamped; "wrap"
            and "clip" make every index one within bounds. Where a dimension before that one is empty any index will do
    """
    x = asarray(a, function="take")
    if axis is None:
        x, axis = x if len(x.shape) == 1 else ravel(x), 0
    elif not x.ndim:
        x = ravel(x)  # a vector of one element
    along = normalise_axis("take", axis, x.ndim)
    if not prod(x.shape[:along]):  # nothing is taken, so NumPy does not look at the indices
        at = _indices("take", indices, 1, "clip")
        return view(x, None, (*x.shape[:along], *at.shape, *x.shape[along + 1 :]))
    return index(x, (*(slice(None),) * along, _indices("take", indices, x.shape[along], mode)))


def _indices(function: str, indices: Any, extent: int, mode: str) -> Any:
    """Indices for an extent, by NumPy's three modes."""
    at = asarray(indices, function=function)
    if at.dtype.kind not in "iub" and at.size:
        raise TypeError(f"{function}: expected indices of an integer dtype, got {at.dtype.name}")
    if mode not in ("raise", "wrap", "clip"):
        raise ValueError(f"{function}: expected mode to be 'raise', 'wrap' or 'clip', got {mode!r}")
    if at.dtype.kind not in "iu":
        at = astype(at, "int64")
    if not extent and at.size:
        raise IndexError(f"{function}: cannot take from an empty dimension")
    if mode == "wrap" and at.size:
        at = astype(at, "int64") % extent
    elif mode == "clip" and at.size:
        at = clip(astype(at, "int64"), 0, extent - 1)
    return at


def _taken_along(arr: Any, indices: Any, axis: int | None = -1) -> Any:
    """NumPy's function, where the result is small: dimensions of extent one are repeated."""
    most = prod(map(max, np.shape(arr), np.shape(indices)))
    return np.take_along_axis(arr, indices, axis) if axis is None or most <= EAGER_FUNCTION_ELEMENTS_AT_MOST else None


@small_by(_taken_along)
def take_along_axis(arr: Any, indices: Any, axis: int | None = -1) -> Array:
    """For each place along the other dimensions the elements along one that the indices there name.

    Args:
        indices: as many dimensions as the array; the other ones broadcast
    """
    x = asarray(arr, function="take_along_axis")
    at = asarray(indices, function="take_along_axis")
    if axis is None:
        x, axis = ravel(x), 0
    return chosen("take_along_axis", x, _along("take_along_axis", x, at, axis))


def _along(function: str, x: Array, at: Array, axis: int) -> Key:
    """The key of arrays of indices for all dimensions, of which one is given."""
    along = normalise_axis(function, axis, x.ndim)
    if at.dtype.kind not in "iu":
        raise IndexError(f"{function}: expected indices of an integer dtype, got {at.dtype.name}")
    if at.ndim != x.ndim:
        raise ValueError(f"{function}: expected indices of {x.ndim} dimensions, got shape {at.shape}")
    arrays: list[tuple[int | None, Index]] = []
    for a, extent in enumerate(x.shape):
        if a == along:
            known = host_values(at) if not at.tracing else None
            arrays.append((a, in_range(at if known is None else np.asarray(known), extent, a)))
        else:
            shape = tuple(extent if d == a else 1 for d in range(x.ndim))
            arrays.append((a, np.arange(extent).reshape(shape)))
    return Key(tuple((0, 1, extent) for extent in x.shape), (), tuple(arrays))


def put_along_axis(arr: Array, indices: Any, values: Any, axis: int | None) -> None:
    """Put values into the places that `take_along_axis` would take from; the array object changes."""
    if not isinstance(arr, Array):
        raise TypeError(f"put_along_axis: expected a lazyarr array to change, got {type(arr).__name__}")
    values = numbers_in("put_along_axis", values, arr.dtype)
    if is_changed_eagerly(arr):
        places, new = existing_values(indices, arr), values_of(values, arr.dtype, arr)
        known = places is not None and places.dtype.kind in "iu" and new is not None
        if known and changed_by_numpy(np.put_along_axis, arr, places, new, axis):
            return
    at = asarray(indices, function="put_along_axis")
    if axis is None:
        flat = ravel(arr)
        put_along_axis(flat, at, values, 0)
        rebind(arr, reshape(flat, arr.shape))
        return
    set_key("put_along_axis", arr, _along("put_along_axis", arr, at, axis), values)


def put(a: Array, ind: Any, v: Any, mode: str = "raise") -> None:
    """Put values, again and again if there are too few, into the places of the flattened array; the object changes."""
    if not isinstance(a, Array):
        raise TypeError(f"put: expected a lazyarr array to change, got {type(a).__name__}")
    v = numbers_in("put", v, a.dtype)
    if is_changed_eagerly(a):
        places, new = existing_values(ind, a), values_of(v, a.dtype, a)
        if places is not None and new is not None and mode == "raise" and len(a.extents) == 1 == places.ndim:
            # NumPy takes the greatest uint64 numbers for negative places
            fits = np.can_cast(places.dtype, np.int64) and places.dtype.kind != "b" and places.size
            fits = fits and new.size in (1, places.size)
            if fits and changed_by_numpy(setitem, a, places, new.reshape(() if new.size == 1 else -1)):
                return  # NumPy looks at all places before it writes
        known = places is not None and new is not None and _are_within(places, a.size, mode)
        if known and changed_by_numpy(put_values, a, places, new, mode=mode):
            return
    at = ravel(_indices("put", ind, a.size, mode))
    if mode == "raise" and at.dtype is uint64:  # which NumPy takes for no places here, and elsewhere for negative ones
        numbers = existing(at)
        if numbers is not None and numbers.size and numbers.max() >= a.size:
            raise IndexError(f"put: index {numbers.max()} is out of bounds for an array of {a.size} elements")
    values = ravel(asarray(v, function="put"))
    if not at.size or not values.size:
        return
    flat = ravel(a)
    set_item(flat, at if host_values(at) is None else np.asarray(at), _again(values, at.size))
    rebind(a, reshape(flat, a.shape))


def _are_within(at: np.ndarray[Any, Any], extent: int, mode: str) -> bool:
    """Are indices integers that name elements? Else NumPy may raise when it has written some."""
    if at.dtype.kind not in "iu" or not at.size or not extent:
        return False
    return mode in ("wrap", "clip") or (mode == "raise" and -extent <= int(at.min()) and int(at.max()) < extent)


def _again(values: Array, count: int) -> Array:
    return values if values.size == count else resize(values, count)


def place(arr: Array, mask: Any, vals: Any) -> None:
    """Put the values in order, again and again if there are too few, where a mask is true; the object changes.

    Raises:
        TypeError: an array of values whose dtype arr's does not hold all values of; numbers and lists are converted.
    """
    vals = _listed("place", arr, vals)
    if _masked_by_numpy(place_values, arr, mask, vals):
        return
    _masked("place", arr, mask, vals)
    chosen_by = asarray(mask)
    found = np.flatnonzero(mask_of("place", chosen_by))
    values = ravel(asarray(vals, function="place"))
    if not found.size:
        return
    if not values.size:
        raise ValueError("place: expected values where the mask is true, got none")
    if values.size == found.size and arr.ndim and chosen_by.dtype is bool_:
        set_item(arr, chosen_by, values)
    else:
        flat = ravel(arr)
        set_item(flat, found, _again(values, found.size))
        rebind(arr, reshape(flat, arr.shape))


def putmask(a: Array, mask: Any, values: Any) -> None:
    """Put the values that stand where a mask is true there, again and again if they are too few; the object changes.

    Raises:
        TypeError: an array of values whose dtype a's does not hold all values of; numbers and lists are converted.
    """
    values = _listed("putmask", a, values)
    if _masked_by_numpy(putmask_values, a, mask, values):
        return
    _masked("putmask", a, mask, values)
    new = ravel(asarray(values, a.dtype, function="putmask"))
    if a.size and new.size:
        rebind(a, where_(asarray(mask), reshape(_again(new, a.size), a.shape), a))


def _listed(function: str, x: Any, values: Any) -> Any:
    """The values for an array, a list in its dtype; where there is no array the error comes later."""
    return numbers_in(function, values, x.dtype) if isinstance(x, Array) else values


def _is_array(values: Any) -> bool:
    """Is it an array, not a number, as sums and elements are?"""
    return isinstance(values, np.ndarray) or (isinstance(values, Array) and not values.is_number)


def _masked_by_numpy(numpys: Any, x: Any, mask: Any, values: Any) -> bool:
    """`place` or `putmask` by NumPy's, if lazyarr means the same; else nothing is done."""
    if not is_changed_eagerly(x):
        return False
    chosen_by = existing_values(mask, x)
    if chosen_by is None or chosen_by.dtype.kind != "b" or chosen_by.shape != x.extents:
        return False
    new = values_of(values, x.dtype, x, "safe" if _is_array(values) else "same_kind")
    return new is not None and changed_by_numpy(numpys, x, chosen_by, new)


def _masked(function: str, arr: Any, mask: Any, values: Any) -> None:
    if not isinstance(arr, Array):
        raise TypeError(f"{function}: expected a lazyarr array to change, got {type(arr).__name__}")
    shape = asarray(mask, function=function).shape
    if shape != arr.shape:
        raise ValueError(f"{function}: expected a mask of shape {arr.shape}, got shape {shape}")
    if _is_array(values) and not np.can_cast(values.dtype, arr.dtype, "safe"):
        raise TypeError(
            f"{function}: expected values of a dtype that {arr.dtype} holds all values of, got {values.dtype}"
        )


@with_out_at(3, casting=OUT_TO_RESULT)
@small_by(np.compress, EAGER_ELEMENTS_IN_LOOPS)
def compress(condition: Any, a: Any, axis: int | None = None) -> Array:
    """The elements along a dimension where a condition of one dimension holds; None: of the flattened array."""
    x = asarray(a, function="compress")
    if axis is None:
        x, axis = ravel(x), 0
    along = normalise_axis("compress", axis, x.ndim)
    holds = asarray(condition, function="compress")
    if holds.ndim != 1:
        raise ValueError(f"compress: expected a condition of one dimension, got shape {holds.shape}")
    if along == 0 and holds.dtype is bool_ and holds.extents == x.extents[:1] and not (x.tracing or holds.tracing):
        return element(x, holds)
    mask = mask_of("compress", holds)
    return index(x, (*(slice(None),) * along, np.flatnonzero(mask)))


@small_by(np.extract, EAGER_ELEMENTS_IN_LOOPS)
def extract(condition: Any, arr: Any) -> Array:
    """The elements of the flattened array where the flattened condition holds."""
    return compress(ravel(asarray(condition, function="extract")), ravel(asarray(arr, function="extract")))


def _with_dimensions(numpys: Any) -> Any:
    """NumPy's function, of an array that has dimensions."""
    return lambda a: numpys(a) if np.ndim(a) else None


@small_by(_with_dimensions(np.nonzero))
def nonzero(a: Any) -> tuple[Array, ...]:
    """Where the elements are not zero: an array of int64 for each dimension, in row-major order. Computed now."""
    x = asarray(a, function="nonzero")
    if not x.ndim:
        raise ValueError("nonzero: expected one or more dimensions, got a 0-dimensional array")
    return _nonzero("nonzero", x)


def _nonzero(function: str, x: Array) -> tuple[Array, ...]:
    if not filters_by_kernels(x, x):
        return tuple([_found(at, x) for at in np.nonzero(mask_of(function, x))])
    at = true_places(x if x.dtype is bool_ else x != 0)
    return (at,) if x.ndim == 1 else unravel_index(at, x.shape)


def _found(at: np.ndarray[Any, Any], x: Array) -> Array:
    """Places in an array, whose number is known with its values alone: eager, as what a mask chooses is
    (`lazyarr.aliasing.eager_parts.chosen_by_mask`).
    """
    if x.placed is None and x.size <= CHOSEN_EAGERLY_AT_MOST and allowed():
        return of_numpys(np.ascontiguousarray(at))  # NumPy's places along the axes share memory
    return asarray(at, device=x.placed)


@small_by(_with_dimensions(np.argwhere))
def argwhere(a: Any) -> Array:
    """The indices of the elements that are not zero, a row of int64 for each. Computed now."""
    x = asarray(a, function="argwhere")
    if not (x.ndim and filters_by_kernels(x, x)):
        return _found(np.argwhere(mask_of("argwhere", x)), x)
    return stack_arrays("argwhere", _nonzero("argwhere", x), 1)


@small_by(_with_dimensions(np.flatnonzero))
def flatnonzero(a: Any) -> Array:
    """Where the elements of the flattened array are not zero, as int64. Computed now."""
    return nonzero(ravel(asarray(a, function="flatnonzero")))[0]


def _choose(a: Any, choices: Any, mode: str = "raise") -> Any:
    """NumPy's function, of arrays: Python's numbers take on their dtype."""
    numpys: Any = np.choose  # whose overloads ask for a literal mode
    arrays = type(choices) in (list, tuple) and all(type(choice) is np.ndarray for choice in choices)
    if not arrays or np.asarray(a).dtype.kind not in "iu" or not _are_few(a, *choices):
        return None
    return numpys(a, choices, mode=mode)


def _are_few(*arrays: Any) -> bool:
    """Are the results of an element-wise function few enough for NumPy's?"""
    return broadcast_size(arrays) <= EAGER_FUNCTION_ELEMENTS_AT_MOST


@with_out_at(2, casting="unsafe")
@small_by(_choose)
def choose(a: Any, choices: Sequence[Any], mode: str = "raise") -> Array:
    """For each element the one of the choice that it names, all broadcast together.

    The dtype is the one that all choices promote to; Python numbers take on that of the others.
    """
    choices = list(choices)
    weak = [type(choice) in (int, float, complex) for choice in choices]
    options = [asarray(choice, function="choose") for choice in choices]
    if any(weak) and not all(weak):
        kinds = zip(choices, options, weak, strict=True)
        target = np.result_type(*(choice if number else x.dtype for choice, x, number in kinds))
        options = [x if x.dtype == target else astype(x, target) for x in options]
    if not options:
        raise ValueError("choose: expected at least one choice")
    at = _indices("choose", a, len(options), mode)
    wrong = outside(host_values(at), len(options)) if mode == "raise" else None
    if wrong is not None:
        raise ValueError(f"choose: index {wrong} is out of bounds for {len(options)} choices")
    arrays = broadcast_arrays(at, *options)
    found = arrays[-1]
    for i in range(len(options) - 2, -1, -1):
        found = where_(arrays[0] <= i, arrays[1 + i], found)
    return found


def _select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    """NumPy's function, of masks; an integer that no dtype holds may be an error."""
    if type(condlist) is not list or type(choicelist) is not list:
        return None
    masks = all(type(c) is np.ndarray and c.dtype.kind == "b" for c in condlist)
    values = (*choicelist, default)
    if not masks or any(type(x) is int and not -(1 << 63) <= x < 1 << 64 for x in values):
        return None
    return np.select(condlist, choicelist, default) if _are_few(*condlist, *values) else None


@giving_arrays
@small_by(_select)
def select(condlist: Sequence[Any], choicelist: Sequence[Any], default: Any = 0) -> Array:
    """The choice beside the first condition that holds, element by element; the default where none does."""
    if len(condlist) != len(choicelist):
        raise ValueError(f"select: expected as many choices as conditions, got {len(choicelist)} and {len(condlist)}")
    if not condlist:
        raise ValueError("select: expected at least one condition")
    conditions = [asarray(c, function="select") for c in condlist]
    for condition in conditions:
        if condition.dtype.kind != "b":
            raise TypeError(f"select: expected conditions of dtype bool, got {condition.dtype.name}")
    values = [x if type(x) in WEAK else asarray(x, function="select") for x in (default, *choicelist)]
    common = result_type(*(x if type(x) in WEAK else x.dtype for x in values))
    found: Any = astype(asarray(default, function="select"), common)
    for condition, choice in zip(reversed(conditions), reversed(list(choicelist)), strict=True):
        found = where_(condition, choice, found)
    shape = np.broadcast_shapes(*(c.shape for c in conditions), found.shape)
    return broadcast_to(found, shape)


@giving_arrays
def trim_zeros(filt: Any, trim: str = "fb", axis: Any = None) -> Array:
    """The array without the zeros at its front ("f") and back ("b") along axes (None: all). A view, found now.

    What is cut off is zero all over; of nothing but zeros nothing is left.
    """
    x = asarray(filt, function="trim_zeros")
    if trim.lower() not in ("f", "b", "fb", "bf"):
        raise ValueError(f"trim_zeros: expected trim to be 'f', 'b' or 'fb', got {trim!r}")
    axes = range(x.ndim) if axis is None else normalise_axes("trim_zeros", axis, x.ndim)
    key = [slice(None)] * x.ndim
    for along, found in enumerate(np.nonzero(mask_of("trim_zeros", x)) if x.ndim else ()):
        if along in axes:
            first, last = (int(found.min()), int(found.max()) + 1) if found.size else (0, 0)
            whole = not found.size
            key[along] = slice(first if "f" in trim.lower() else None, last if whole or "b" in trim.lower() else None)
    return element(x, tuple(key))
