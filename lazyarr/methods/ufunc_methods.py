"""Elements along an axis combined by an element-wise function of two operands: `add.reduce`, `maximum.accumulate`.

Associative functions with a neutral element are a `reduce` or a `scan`; the others go from the first element to the
last, which is a scatter of all elements into one place (`lazyarr.api.select.combining`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np

from lazyarr.aliasing.outputs import dtype_with, put_reduced
from lazyarr.api.elementwise.ufunc import Binary
from lazyarr.api.reduce import reductions, scans
from lazyarr.api.reduce.folding import extreme, reduce_axes
from lazyarr.api.reduce.lexicographic import extreme_of_complex
from lazyarr.api.reduce.reduced import reduced
from lazyarr.api.reduce.scans import scan_axis
from lazyarr.api.select.combining import combine_at
from lazyarr.api.select.taking import take
from lazyarr.api.shape.joining import concat
from lazyarr.array import Array
from lazyarr.config import eagerness
from lazyarr.dtypes import DType, bool_
from lazyarr.eager.functions import on_host, small_by
from lazyarr.elements.scalar_functions import COMPARISONS, loop_of
from lazyarr.memory.quiet import quietly
from lazyarr.recording.conversion import astype, mask_given
from lazyarr.recording.conversion import where as choose
from lazyarr.recording.creation import asarray
from lazyarr.recording.host import host_apply
from lazyarr.recording.indexing import index
from lazyarr.recording.keys import outside
from lazyarr.recording.movement import (
    axes_of_reduction,
    broadcast_to,
    expand_dims,
    is_axis_of_number,
    moveaxis,
    normalise_axis,
    reshape,
)
from lazyarr.recording.replacing import as_initial

__all__ = ["Combining"]

_MISSING: Final[Any] = object()


class Combining:
    """The methods of universal functions of two operands that combine elements. They are bound to `Binary`."""

    __slots__ = ()

    def at(self: Any, a: Array, indices: Any, b: Any, /) -> None:
        """`a[indices] = f(a[indices], b)` for one index after the other, however often it occurs; a changes."""
        combine_at(self.loop, a, indices, b)

    def reduce(
        self: Any,
        array: Any,
        axis: Any = 0,
        dtype: Any = None,
        out: Any = None,
        keepdims: bool = False,
        initial: Any = _MISSING,
        where: Any = True,
    ) -> Array:
        """The elements along an axis (None: all) combined by the function; as `sum` is by `add`.

        Args:
            initial: combined with the result; None: the neutral element does not count where there are no elements
            where: a mask of the elements to combine

        Functions that are not associative go from the first element to the last, along one axis.

        Raises:
            TypeError: functions whose result is no operand.
            ValueError: no elements where none is neutral.
        """
        is_plain = dtype is None and out is None and where is True and initial is _MISSING
        if is_plain and type(array) is Array and array.extents and self.loop in _AT_ONCE and eagerness.on:
            made: Array = _AT_ONCE[self.loop](array, axis, keepdims=bool(keepdims))
            return made
        name = f"{self.__name__}.reduce"
        x = asarray(array, function=name)
        if self.loop in ("add", "multiply"):
            dtype = dtype_with(x, out, dtype)
        if dtype is not None:
            x = x.astype(dtype)
        if initial is _MISSING:
            initial = None
        elif initial is None and 0 in x.shape:  # in words: no neutral element
            axes = None if axis is None else axes_of_reduction(name, axis, x.ndim)
            if not reduced(x.shape, axes).each:
                raise ValueError(f"{name}: zero-size array (shape {x.shape}) to reduction operation without identity")
        made = reduced_by(name, self, x, axis, dtype, bool(keepdims), initial, where)
        return put_reduced(name, out, made)

    def reduceat(self: Any, array: Any, indices: Any, axis: int = 0, dtype: Any = None, out: Any = None) -> Array:
        """The elements from each index up to the next one (of the last up to the end) combined by the function; where
        the next index is not greater, the element itself.

        Raises:
            IndexError: an index that is out of bounds.
            TypeError: functions whose result is no operand; a 0-dimensional array.
            ValueError: no axis of an array of several dimensions.
        """
        name = f"{self.__name__}.reduceat"
        if out is None and self.loop in _AS_NUMPY:
            found = _AS_NUMPY[self.loop]["reduceat"](array, indices, axis, dtype)
            if found is not None:
                return found
        x = asarray(array, function=name)
        along = _one_axis(name, axis, x.ndim)
        x = x if dtype is None else x.astype(dtype)
        starts = np.asarray(indices)
        if type(indices) in (list, tuple) and not starts.size:
            starts = starts.astype(np.int64)
        if starts.ndim != 1 or starts.dtype.kind not in "iu":
            raise TypeError(f"{name}: expected a vector of integers as indices, got {starts.dtype} of {starts.shape}")
        wrong = outside(starts, x.shape[along])
        if wrong is not None:
            raise IndexError(f"{name}: index {wrong} is out of bounds for axis {axis} with size {x.shape[along]}")
        starts = starts.astype(np.int64)
        if self.loop in _BY_ONE_CALL:
            own = None if dtype is None else x.dtype
            made = on_host(partial(_from_index_to_index, self.loop, starts, along, own), x)
            if made is not None:
                return put_reduced(name, out, made)
        x = moveaxis(x, along, 0)
        if self.loop not in ("add", "multiply"):
            x = _as_result(name, self.loop, x)
        places, rest = _behind(starts, x.shape[0])
        found = take(x, starts, axis=0)
        if dtype is None and self.loop in ("add", "multiply"):
            found = self.reduce(found[None], axis=0)  # in the dtype of sums
        if places.size:
            self.at(found, places, take(x, rest, axis=0))
        return put_reduced(name, out, moveaxis(found, 0, along))

    def accumulate(self: Any, array: Any, axis: int = 0, dtype: Any = None, out: Any = None) -> Array:
        """The elements up to each along an axis combined by the function; as `cumsum` is by `add`.

        Raises:
            TypeError: a function without one; a 0-dimensional array.
            ValueError: no axis of an array of several dimensions.
        """
        name = f"{self.__name__}.accumulate"
        if out is None and (self.loop in _EXACT or _in_numpys_order(self.loop, array, dtype)):
            found = _AS_NUMPY[self.loop]["accumulate"](array, axis, dtype)
            if found is not None:
                return found
        x = asarray(array, function=name)
        if self.loop in ("add", "multiply"):
            dtype = dtype_with(x, out, dtype)
        made = accumulated_by(name, self, x, axis, dtype)
        if made is x:
            made = x.copy()
        return put_reduced(name, out, made)


_AT_ONCE: Final[dict[str, Callable[..., Array]]] = {
    "add": reductions.sum, "multiply": reductions.prod, "maximum": reductions.max, "minimum": reductions.min,
    "logical_and": reductions.all, "logical_or": reductions.any,
}  # fmt: skip
"""The reductions that functions are, by their loops."""


for _method in (Combining.at, Combining.reduce, Combining.reduceat, Combining.accumulate):
    _method.__qualname__ = f"ufunc.{_method.__name__}"  # what Python's errors of arguments say

_EXACT: Final = frozenset({"maximum", "minimum", "bitwise_and", "bitwise_or", "bitwise_xor"})
"""Functions that round nothing, so that NumPy's scans are as good. Those of `fmax` take zeros for equal."""


def _in_numpys_order(loop: str, array: Any, dtype: Any) -> bool:
    """Are running sums or products of an array NumPy's, in its own dtype? Sums of floats are more exact than those."""
    return type(array) is Array and dtype is None and array.dtype in _NUMPYS.get(loop, ())


_NUMPYS: Final = {"add": (np.dtype(np.int64),), "multiply": (np.dtype(np.float64), np.dtype(np.int64))}


def _by_numpy(loop: str, method: str) -> Callable[..., Array | None]:
    """A method of NumPy's function on a small array whose value exists; else it gives None."""
    return small_by(getattr(getattr(np, loop), method))(lambda *_: None)


_AS_NUMPY: Final = {
    loop: {method: _by_numpy(loop, method) for method in ("accumulate", "reduceat")}
    for loop in ("add", "multiply", *sorted(_EXACT))
}


_BY_ONE_CALL: Final = frozenset({"add", "subtract", "multiply", "divide", *_EXACT})
"""Functions whose elements from index to index one call of NumPy's combines, however many there are."""


def _from_index_to_index(
    loop: str, starts: np.ndarray[Any, Any], axis: int, dtype: DType | None, x: np.ndarray[Any, Any]
) -> np.ndarray[Any, Any]:
    """NumPy's `reduceat` along an axis; sums and products of float32 are carried in float64, as kernels do.

    Args:
        starts: the indices, int64
        dtype: of the result; None: the function's
    """
    wide = _WIDE.get(x.dtype.name) if loop in ("add", "multiply") else None
    found: np.ndarray[Any, Any] = getattr(np, loop).reduceat(x, starts, axis, dtype if wide is None else wide)
    return found if wide is None else found.astype(x.dtype)


_WIDE: Final = {"float32": np.dtype("float64"), "complex64": np.dtype("complex128")}


def _behind(starts: np.ndarray[Any, Any], extent: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """The elements behind the first one of each part, from an index up to the next one: the numbers of the parts that
    they belong to, and their indices, both int64.

    Args:
        starts: the indices, int64
        extent: how many elements there are
    """
    ends = np.append(starts[1:], extent)[: starts.size]
    counts = np.maximum(ends - starts - 1, 0)
    before = np.cumsum(counts) - counts
    return np.repeat(np.arange(starts.size), counts), np.arange(counts.sum()) + np.repeat(starts + 1 - before, counts)


def _as_result(name: str, loop: str, x: Array) -> Array:
    """The elements in the dtype of what the function makes of two of them."""
    result = loop_of(loop, (x.dtype, x.dtype)).result
    if loop in COMPARISONS and x.dtype is not bool_:
        raise TypeError(f"{name}: the result of {loop} is no operand of it: nothing can be combined")
    return x if result is x.dtype else x.astype(result)


def reduced_by(
    name: str, function: Binary, x: Array, axis: Any, dtype: Any, keepdims: bool, initial: Any, where: Any
) -> Array:
    """The elements along axes combined by a function, those for which the mask `where` holds.

    Args:
        initial: combined with the result, in front of it; None: nothing is

    Raises:
        TypeError: the function's result is no operand of it.
        ValueError: no elements, or a mask, where there is no neutral element, or several axes where the order
            matters.
    """
    loop = function.loop
    known = _REDUCTIONS.get(loop)
    if not x.ndim and is_axis_of_number(axis):
        x, keepdims = reshape(x, 1), False  # NumPy's reductions find these axes in a single number
    where = mask_given(name, where)
    if known is None:
        return _folded(name, function, x, axis, keepdims, initial, where)
    if loop in ("gcd", "hypot") and initial is None and axis is not None and not axes_of_reduction(name, axis, x.ndim):
        initial = 0  # of one element each these make what is positive, too
    if initial is not None and loop in ("maximum", "minimum"):
        return known(x, axis, keepdims, dtype, initial=as_initial(name, initial, x.dtype), where=where)
    if where is not True:
        if initial is None and loop in _WITHOUT_IDENTITY:
            raise ValueError(f"{name}: where needs a neutral element, which {loop} has not: give initial too")
        x = choose(where, x, _neutral(loop, loop_of(loop, (x.dtype, x.dtype)).result if loop in _FORMULAS else x.dtype))
    if loop in _FORMULAS and initial is not None:
        found = known(x, axis, keepdims, dtype, needed=False)
    else:
        found = known(x, axis, keepdims, dtype)
    return found if initial is None else function(as_initial(name, initial, found.dtype), found)


def accumulated_by(name: str, function: Binary, x: Array, axis: int | None, dtype: Any) -> Array:
    """The elements up to each along an axis combined by a function; by one that is not associative on the host.

    Raises:
        TypeError: a 0-dimensional array.
        ValueError: no axis of an array of several dimensions.
    """
    along = _one_axis(name, axis, x.ndim)
    scan = _SCANS.get(function.loop)
    if scan is not None:
        return scan(x, along, dtype)
    accumulate = partial(quietly, getattr(np, function.__name__).accumulate)
    return host_apply("ufunc.accumulate", accumulate, x, along, dtype)  # type: ignore[no-any-return]  # an Array


def _one_axis(name: str, axis: int | None, ndim: int) -> int:
    """The axis; that of a vector where there is None."""
    if not ndim:
        raise TypeError(f"{name}: expected one or more dimensions, got a 0-dimensional array")
    if axis is None and ndim > 1:
        raise ValueError(f"{name}: expected one axis of the {ndim} dimensions, got None")
    return normalise_axis(name, 0 if axis is None else axis, ndim)


# --- neutral elements -------------------------------------------------------------------------------------------------


def _neutral(loop: str, dtype: DType) -> Any:
    """What changes nothing when it is combined with an element of the dtype."""
    if loop in ("fmax", "fmin"):
        # not an infinity: where all are NaN the result is NaN
        if dtype.kind == "c":
            return dtype.type(complex(np.nan, np.nan))
        return np.nan if dtype.kind == "f" else extreme({"fmax": "maximum", "fmin": "minimum"}[loop], dtype)[1]
    if loop in ("add", "gcd", "hypot", "logical_or", "logical_xor", "bitwise_or", "bitwise_xor"):
        return dtype.type(0)
    if loop in ("multiply", "lcm", "logical_and"):
        return dtype.type(1)
    if loop == "bitwise_and":
        return dtype.type(True) if dtype is bool_ else dtype.type(-1 if dtype.kind == "i" else np.iinfo(dtype).max)
    assert loop in ("logaddexp", "logaddexp2"), f"{loop} has no neutral element"
    return dtype.type(-np.inf)


_WITHOUT_IDENTITY: Final = frozenset({"maximum", "minimum", "fmax", "fmin", "lcm"})
"""Functions whose reduction of no elements NumPy refuses."""


# --- reductions -------------------------------------------------------------------------------------------------------


def _reduced(name: str) -> Callable[..., Array]:
    def reduction(x: Array, axis: Any, keepdims: bool, dtype: Any, **options: Any) -> Array:
        if name in ("sum", "prod"):
            options["dtype"] = dtype
        return getattr(reductions, name)(x, axis, keepdims=keepdims, **options)  # type: ignore[no-any-return]

    return reduction


def _of_bits(op: str) -> Callable[..., Array]:
    def reduction(x: Array, axis: Any, keepdims: bool, dtype: Any) -> Array:
        if x.dtype.kind not in "biu":
            raise TypeError(f"{op}.reduce: expected bools or integers, got {x.dtype.name}")
        return reduce_axes(f"{op}.reduce", op, _neutral(op, x.dtype), x, axis, keepdims)

    return reduction


def _parity(x: Array, axis: Any, keepdims: bool, dtype: Any) -> Array:
    return reduce_axes("logical_xor.reduce", "bitwise_xor", False, x.astype(bool_), axis, keepdims)


def _by_formula(loop: str) -> Callable[..., Array]:
    """By a function whose loop is associative, in the dtype of its results; `needed`: are there to be elements?"""

    def reduction(x: Array, axis: Any, keepdims: bool, dtype: Any, needed: bool = True) -> Array:
        name = f"{loop}.reduce"
        x = astype(x, loop_of(loop, (x.dtype, x.dtype)).result)
        count = reduced(x.shape, None if axis is None else axes_of_reduction(name, axis, x.ndim)).each
        if needed and not count and loop in _WITHOUT_IDENTITY:
            raise ValueError(
                f"{name}: zero-size array (shape {x.shape}) to reduction operation {loop} without identity"
            )
        if x.dtype.kind == "c":
            return extreme_of_complex(name, loop, x, axis, keepdims)
        if count == 1 and loop == "lcm":  # lcm(1, x) is never negative, and x may be
            return reduce_axes(name, "add", 0, x, axis, keepdims)
        return reduce_axes(name, loop, _neutral(loop, x.dtype), x, axis, keepdims)

    return reduction


_FORMULAS: Final = ("gcd", "lcm", "hypot", "logaddexp", "logaddexp2", "fmax", "fmin")

_REDUCTIONS: Final[dict[str, Callable[..., Array]]] = {
    "add": _reduced("sum"),
    "multiply": _reduced("prod"),
    "maximum": _reduced("max"),
    "minimum": _reduced("min"),
    "logical_and": _reduced("all"),
    "logical_or": _reduced("any"),
    "logical_xor": _parity,
    **{op: _of_bits(op) for op in ("bitwise_and", "bitwise_or", "bitwise_xor")},
    **{loop: _by_formula(loop) for loop in _FORMULAS},
}


def _folded(name: str, function: Binary, x: Array, axis: Any, keepdims: bool, initial: Any, where: Any) -> Array:
    """From the first element along one axis to the last."""
    loop = function.loop
    if loop in COMPARISONS and x.dtype is not bool_:
        raise TypeError(f"{name}: the result of {function.__name__} is no operand of it: nothing can be combined")
    axes = tuple(range(x.ndim)) if axis is None else axes_of_reduction(name, axis, x.ndim)
    if len(axes) > 1:
        raise ValueError(f"{name}: the function is not reorderable: give one axis, got {axis} for {x.ndim} dimensions")
    if where is not True and initial is None:
        raise ValueError(f"{name}: where needs a neutral element, which {function.__name__} has not: give initial")
    chosen = loop_of(loop, (x.dtype, x.dtype))
    if not axes:
        found = astype(x, chosen.result)
        if initial is None:
            return found.copy()
        start = as_initial(name, initial, chosen.result)
        return choose(where, function(start, found), start) if where is not True else function(start, found)
    rows = moveaxis(astype(x, chosen.result), axes[0], 0)
    if initial is not None:
        start = broadcast_to(as_initial(name, initial, chosen.result), rows.shape[1:])
        total, rest = expand_dims(start, 0).copy(), rows
    elif x.shape[axes[0]]:
        total, rest = index(rows, slice(0, 1)).copy(), index(rows, slice(1, None))
    else:
        raise ValueError(f"{name}: zero-size array (shape {x.shape}) to reduction operation {loop} without identity")
    if where is not True and rest.size:
        mask = np.asarray(moveaxis(broadcast_to(asarray(where), x.shape), axes[0], 0), bool)
        places = np.broadcast_to(np.arange(total.size).reshape(total.shape), rest.shape)[mask]
        flat = reshape(total, -1)
        function.at(flat, places, index(rest, mask))
        total = reshape(flat, total.shape)
    elif rest.shape[0] and total.size:
        function.at(total, np.zeros(rest.shape[0], np.int64), rest)
    return moveaxis(total, 0, axes[0]) if keepdims else index(total, 0)


# --- scans ------------------------------------------------------------------------------------------------------------


def _scanned(name: str) -> Callable[..., Array]:
    def scan(x: Array, axis: int, dtype: Any) -> Array:
        if name in ("cummax", "cummin"):
            return getattr(scans, name)(x if dtype is None else x.astype(dtype), axis)  # type: ignore[no-any-return]
        return getattr(scans, name)(x, axis, dtype)  # type: ignore[no-any-return]

    return scan


def _scan_by_loop(loop: str) -> Callable[..., Array]:
    """By a function whose loop is associative; the first element stays as it is."""

    def scan(x: Array, axis: int, dtype: Any) -> Array:
        name = f"{loop}.accumulate"
        x = x if dtype is None else astype(x, dtype)
        target = loop_of(loop, (x.dtype, x.dtype)).result
        x, along = astype(x, target), normalise_axis(name, axis, x.ndim)
        op = {"logical_and": "bitwise_and", "logical_or": "bitwise_or", "logical_xor": "bitwise_xor"}.get(loop, loop)
        found = scan_axis(op, _neutral(loop, target), x, along)
        if loop in ("gcd", "lcm", "hypot") and x.size:  # these make it positive
            first = (slice(None),) * along
            found = concat([index(x, (*first, slice(0, 1))), index(found, (*first, slice(1, None)))], axis=along)
        return found

    return scan


_SCANS: Final[dict[str, Callable[..., Array]]] = {
    "add": _scanned("cumsum"),
    "multiply": _scanned("cumprod"),
    "maximum": _scanned("cummax"),
    "minimum": _scanned("cummin"),
    **{loop: _scan_by_loop(loop) for loop in _FORMULAS},
    **{f"{kind}_{op}": _scan_by_loop(f"{kind}_{op}") for kind in ("logical", "bitwise") for op in ("and", "or", "xor")},
}
