"""Sorting along an axis: `sort`, `argsort` and what follows from them.

All of it is the pattern `sort` over keys that are unsigned integers: the bits of a number, changed so that their order
is that of the numbers. NaNs come last, as in NumPy, the zeros are equal; complex numbers are ordered by their real
parts, then by their imaginary ones. Equal elements keep their order, in every derivation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from math import prod
from typing import Any

import numpy as np

from ir.core.expr import Expr, Lambda, fun
from ir.core.patterns import Call, Cast, Get, Map, Sort, Tuple, Zip
from ir.core.sort_keys import complemented, key_of
from ir.core.types import INT64, ScalarType, TupleType, Type
from ir.cost.thresholds.sorts import (
    LEXSORT_KEYS_TOGETHER,
    SELECTED_AT_ONCE_FROM,
    SELECTED_BITS_ABOVE,
    SELECTED_PLACES_AT_MOST,
    SORTED_EAGERLY_AT_MOST,
)
from lazyarr.aliasing.assignment import rebind
from lazyarr.api.select.taking import take_along_axis
from lazyarr.array import Array, array_of, combine
from lazyarr.dtypes import DType, component_of, int64, to_ir
from lazyarr.eager.functions import on_host, small_by
from lazyarr.eager.joins import joined_by
from lazyarr.elements.scalars import imaginary, real
from lazyarr.graph.builders import empty, index_type, indices, join, rows
from lazyarr.recording.conversion import astype
from lazyarr.recording.creation import asarray
from lazyarr.recording.filled import zeros
from lazyarr.recording.indexing import index
from lazyarr.recording.movement import moveaxis, normalise_axis, ravel
from lazyarr.recording.replay import replayable

__all__ = [
    "argpartition", "argsort", "lexsort", "partition", "sort", "sort_complex", "top_k",
]  # fmt: skip

_KINDS = ("quicksort", "mergesort", "heapsort", "stable")
"""By their first letters, as NumPy knows them."""


def _by_numpy(numpys: Callable[..., Any]) -> Callable[..., Any]:
    """NumPy's function of few numbers, in ascending order; None of others."""

    def of_few(
        a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, descending: Any = False, stable: Any = True
    ) -> Any:
        if type(a) is not np.ndarray or a.size > SORTED_EAGERLY_AT_MOST or not a.ndim:
            return None
        if descending is not False or order is not None or not (axis is None or type(axis) is int):
            return None
        if kind is not None and kind not in _KINDS:
            return None
        # zeros of two signs and NaNs are equal
        return numpys(a, axis, kind="stable" if numpys is np.argsort or a.dtype.kind in "fc" else None)

    return of_few


@small_by(_by_numpy(np.sort))
@replayable
def sort(
    a: Any,
    axis: int | None = -1,
    kind: str | None = None,
    order: None = None,
    *,
    descending: bool = False,
    stable: bool | None = True,
) -> Array:
    """The elements in ascending order along an axis (None: of the flattened array); NaNs come last.

    Args:
        descending: greatest first, NaNs before them. Equal elements keep their order either way, whatever kind and
            stable say.

    Raises:
        AxisError: a 0-dimensional array.
        ValueError: an unknown kind.
    """
    x, along = _prepared("sort", a, axis, kind, order)
    return _along(x, along, lambda flat: _sorted(flat, descending, positions=False))


@small_by(_by_numpy(np.argsort))
@replayable
def argsort(
    a: Any,
    axis: int | None = -1,
    kind: str | None = None,
    order: None = None,
    *,
    descending: bool = False,
    stable: bool | None = True,
) -> Array:
    """The indices, as int64, that would sort the array along an axis (None: the flattened array); otherwise as `sort`.

    Of equal elements the one that stands first has its index first. A 0-dimensional array counts as a vector of one.
    """
    x, along = _prepared("argsort", _with_a_dimension("argsort", a), axis, kind, order)
    return _along(x, along, lambda flat: _sorted(flat, descending, positions=True))


def _prepared(function: str, x: Any, axis: int | None, kind: Any = None, order: Any = None) -> tuple[Array, int]:
    """The array, flattened where there is no axis, and the axis from the front."""
    if kind is not None and not (isinstance(kind, str) and kind[:1].lower() in {known[0] for known in _KINDS}):
        raise ValueError(f"{function}: expected a kind of {', '.join(map(repr, _KINDS))}, got {kind!r}")
    if order is not None:
        raise ValueError(f"{function}: arrays have no fields, so expected no order, got {order!r}")
    array = asarray(x, function=function)
    if axis is None:
        return ravel(array), 0
    return array, normalise_axis(function, axis, array.ndim)


def _with_a_dimension(function: str, x: Any) -> Array:
    """A 0-dimensional array as a vector of one element, as NumPy's functions that give indices take it."""
    array = asarray(x, function=function)
    return array if array.ndim else ravel(array)


def _along(x: Array, axis: int, made: Callable[[Array], Array]) -> Array:
    """What is made of an array along its last axis, along another."""
    if axis == x.ndim - 1:
        return made(x)
    return moveaxis(made(moveaxis(x, axis, -1)), -1, axis)


def _sorted(x: Array, descending: bool, positions: bool) -> Array:
    """The elements of each row in order, or their indices."""
    dtype = int64 if positions else x.dtype
    extent, count = x.shape[-1], prod(x.shape[:-1])
    if not x.size:
        return array_of(empty(dtype), x.shape, dtype, x.placed, x.traced_in)
    if extent == 1:
        if positions:
            return zeros(x.shape, dtype=int64, device=x.placed)
        return x.copy()
    node = _carried_out(_steps(x.dtype, descending, positions, extent), (x.node,), extent, count, positions)
    return array_of(node, x.shape, dtype, x.placed, x.traced_in)


_Step = tuple[int, Lambda]
"""How many bits a key has, and the function that gives it and the value that is sorted."""


@lru_cache(maxsize=1024)
def _steps(dtype: DType, descending: bool, positions: bool, extent: int) -> tuple[_Step, ...]:
    """The sorts of one row; of complex numbers three, by the least significant key first."""
    t = to_ir(dtype)
    keys = keys_of(dtype, descending)
    if not positions:
        return tuple((bits, fun(t, lambda x, key=key: Tuple(key(x), x))) for bits, key in keys)
    return _with_positions([(0, bits, key) for bits, key in keys], (t,), extent)


def _with_positions(
    keys: Sequence[tuple[int, int, Callable[[Expr], Expr]]], types: tuple[Type, ...], extent: int
) -> tuple[_Step, ...]:
    """Sorts of tuples of elements and their index, by keys of one component each; the last one leaves the index alone.

    Args:
        keys: for each the component, how many bits it has, and the key
    """
    t = TupleType((*types, index_type(extent)))
    steps = []
    for number, (i, bits, key) in enumerate(keys):

        def body(p: Expr, i: int = i, key: Any = key, last: bool = number == len(keys) - 1) -> Expr:
            return Tuple(key(Get(i, p)), _wide(Get(len(types), p)) if last else p)

        steps.append((bits, fun(t, body)))
    return tuple(steps)


def _wide(index: Expr) -> Expr:
    return index if index.type is INT64 else Cast(index, INT64)


def _carried_out(steps: tuple[_Step, ...], arrays: tuple[Expr, ...], extent: int, count: int, positions: bool) -> Expr:
    """The sorts of all rows, one after the other: of an array's elements, or of those of some and their indices."""

    def beside(columns: tuple[Expr, ...]) -> Expr:
        return Zip(*columns, indices(extent, index_type(extent))) if positions else columns[0]

    if count == 1:
        xs = beside(arrays)
        for bits, key in steps:
            xs = Sort(bits, key, xs)
        return xs
    (bits, key), *others = steps
    table = rows(arrays[0], count) if len(arrays) == 1 else Zip(*(rows(array, count) for array in arrays))
    t = table.type.element  # type: ignore[attr-defined]  # an array
    many = len(arrays) > 1
    made: Expr = Map(
        fun(t, lambda r: Sort(bits, key, beside(tuple(Get(i, r) for i in range(len(arrays))) if many else (r,)))), table
    )
    for bits, key in others:
        made = Map(fun(made.type.element, lambda row, b=bits, k=key: Sort(b, k, row)), made)  # type: ignore[attr-defined]
    return join(made)


# --- keys -------------------------------------------------------------------------------------------------------------


@cache
def keys_of(dtype: DType, descending: bool = False) -> tuple[tuple[int, Callable[[Expr], Expr]], ...]:
    """For each sort that a dtype takes, the least significant first, how many bits its key has and the key."""
    if dtype.kind != "c":
        bits, key = key_of(to_ir(dtype))
        return ((bits, complemented(key) if descending else key),)
    bits, key = key_of(to_ir(component_of(dtype)))
    found = ((bits, lambda z: key(imaginary(z))), (bits, lambda z: key(real(z))), (2, _missing))
    return tuple((b, complemented(k) if descending else k) for b, k in found)


def _missing(z: Expr) -> Expr:
    """Which parts of a complex number are NaN: numbers without come first, then those whose real part is none."""
    t = ScalarType("uint8")
    re, im = (Cast(Call("isnan", part), t) for part in (real(z), imaginary(z)))
    return Call("bitwise_or", Call("add", re, re), im)


# --- what follows from it ---------------------------------------------------------------------------------------------


def partition(a: Any, kth: Any, axis: int | None = -1, kind: str = "introselect", order: None = None) -> Array:
    """The elements with the k-th ones in their sorted places, smaller ones before and others behind.

    The order before and behind is not promised: kernels sort all, NumPy leaves others as they come.

    Args:
        kth: one integer, or several; negative ones count from the end
        axis: along which (None: of the flattened array)

    Returns:
        An array of the shape (flattened where there is no axis) and dtype of `a`.

    Raises:
        AxisError: a 0-dimensional array.
        TypeError: a kth that is no integer.
        ValueError: a kth out of bounds, or another kind.
    """
    x, along = _prepared("partition", a, axis, order=order)
    places = _checked_kth("partition", kth, x, along, kind)
    is_wide = 8 * x.dtype.itemsize > SELECTED_BITS_ABOVE  # others are sorted by digits, which is faster
    made = on_host(lambda value: np.partition(value, places, along), x) if is_wide and _selects(x, places) else None
    return sort(x, along) if made is None else made


def argpartition(a: Any, kth: Any, axis: int | None = -1, kind: str = "introselect", order: None = None) -> Array:
    """The indices, as int64, that partition the array as `partition` does, of which the arguments and errors are.

    A 0-dimensional array counts as a vector of one.
    """
    x, along = _prepared("argpartition", _with_a_dimension("argpartition", a), axis, order=order)
    places = _checked_kth("argpartition", kth, x, along, kind)
    made = on_host(lambda value: np.argpartition(value, places, along), x) if _selects(x, places) else None
    return argsort(x, along) if made is None else made


def _selects(x: Array, places: np.ndarray[Any, Any]) -> bool:
    """Is NumPy's selection of those places worth a call at once, not a sort that is recorded?"""
    return x.size >= SELECTED_AT_ONCE_FROM and 0 < places.size <= SELECTED_PLACES_AT_MOST


def _checked_kth(function: str, kth: Any, x: Array, along: int, kind: str) -> np.ndarray[Any, Any]:
    """The places. Any kth will do for an array without elements, as in NumPy."""
    if kind != "introselect":
        raise ValueError(f"{function}: expected the kind 'introselect', got {kind!r}")
    places = np.asarray(kth)
    if places.dtype.kind not in "iu":
        raise TypeError(f"{function}: expected kth to be integers, got dtype {places.dtype}")
    extent = x.shape[along]
    outside = places[(places < -extent) | (places >= extent)]
    if outside.size and x.size:
        raise ValueError(f"{function}: kth {int(outside.reshape(-1)[0])} is out of bounds for {extent} elements")
    return places


def top_k(x: Any, k: int, /, *, axis: int = -1, largest: bool = True) -> tuple[Array, Array]:
    """The k greatest elements along an axis, greatest first, and their indices; the least, least first, if asked.

    NaNs count as greater than all numbers. Of equal elements the first ones are taken.
    """
    array = asarray(x, function="top_k")
    along = normalise_axis("top_k", axis, array.ndim)
    if not 0 <= k <= array.shape[along]:
        raise ValueError(f"top_k: expected k to be 0 to {array.shape[along]}, got {k}")
    cut = (*(slice(None),) * along, slice(0, k))
    values = index(sort(array, along, descending=largest), cut)
    return values, index(argsort(array, along, descending=largest), cut)


@joined_by(np.lexsort, small_alone=True)
@replayable
def lexsort(keys: Any, axis: int = -1) -> Array:
    """The indices that sort by several keys, the last of which counts most; all of one shape."""
    if not isinstance(keys, Iterable) or not (arrays := [asarray(key, function="lexsort") for key in keys]):
        raise TypeError(f"lexsort: expected a sequence of one or more keys, got {keys!r}")
    shape = arrays[0].shape
    for key in arrays:
        if key.shape != shape:
            raise ValueError(f"lexsort: expected keys of one shape, got {shape} and {key.shape}")
    if not shape:
        return asarray(np.int64(0))
    along = normalise_axis("lexsort", axis, len(shape))
    device, trace = combine("lexsort", arrays)
    if not prod(shape):
        return array_of(empty(int64), shape, int64, device, trace)
    moved = [moveaxis(key, along, -1) for key in arrays]
    order = _lexsorted(moved[:LEXSORT_KEYS_TOGETHER], device, trace)
    for begin in range(LEXSORT_KEYS_TOGETHER, len(moved), LEXSORT_KEYS_TOGETHER):
        in_order = [take_along_axis(key, order, -1) for key in moved[begin : begin + LEXSORT_KEYS_TOGETHER]]
        order = take_along_axis(order, _lexsorted(in_order, device, trace), -1)
    return moveaxis(order, -1, along)


def _lexsorted(arrays: list[Array], device: Any, trace: Any) -> Array:
    """The indices that sort rows by several keys at once: each sort moves all of them."""
    shape = arrays[0].shape
    extent, count = shape[-1], prod(shape[:-1])
    keys = [(i, bits, key) for i, array in enumerate(arrays) for bits, key in keys_of(array.dtype)]
    steps = _with_positions(keys, tuple(to_ir(array.dtype) for array in arrays), extent)
    node = _carried_out(steps, tuple(array.node for array in arrays), extent, count, positions=True)
    return array_of(node, shape, int64, device, trace)


def _sort_complex(a: Any) -> Any:
    """NumPy's function, of complex numbers."""
    return np.sort_complex(a) if np.asarray(a).dtype.kind == "c" and np.ndim(a) else None


@small_by(_sort_complex)
@replayable
def sort_complex(a: Any) -> Array:
    """The elements sorted along the last axis, as complex128; of complex64 and integers of up to 16 bits complex64."""
    x = asarray(a, function="sort_complex")
    small = x.dtype.kind in "iu" and x.dtype.itemsize <= 2
    target = x.dtype if x.dtype.kind == "c" else np.dtype(np.complex64 if small else complex)
    return astype(sort(x), target)


def sort_in_place(
    x: Array, axis: int | None = -1, kind: str | None = None, order: None = None, stable: bool | None = None
) -> None:
    """`x.sort()`: the array object stands for the sorted array from then on."""
    if axis is None:
        raise TypeError("sort: an array is sorted in place along an axis, got None")
    rebind(x, sort(x, axis, kind, order, stable=stable))
