"""Sorting along an axis: `sort`, `argsort` and what follows from them.

All of it is the pattern `sort` over keys that are unsigned integers: the bits of a number, changed so that their order is
that of the numbers. NaNs come last, as in NumPy, the zeros are equal; complex numbers are ordered by their real parts,
then by their imaginary ones. Equal elements keep their order, in every derivation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from math import prod
from typing import Any

import numpy as np

from ir.core.expr import Expr, Lambda, fun
from ir.core.patterns import Call, Cast, Get, Literal, Map, Sort, Tuple, Zip
from ir.core.types import INT64, ArrayType, ScalarType, TupleType, Type
from lazyarr.array import Array
from lazyarr.creation import asarray
from lazyarr.dtypes import DType, component_of, int64, scalar_type, to_ir
from lazyarr.indexing import index
from lazyarr.movement import flip, moveaxis, normalise_axis, ravel
from lazyarr.record import empty, index_type, indices, join, rows
from lazyarr.scalars import imaginary, real

__all__ = [
    "argpartition", "argsort", "lexsort", "partition", "sort", "sort_complex", "top_k",
]  # fmt: skip

_KINDS = (None, "quicksort", "mergesort", "heapsort", "stable")


def sort(
    x: Any,
    /,
    axis: int | None = -1,
    kind: str | None = None,
    order: None = None,
    *,
    descending: bool = False,
    stable: bool | None = True,
) -> Array:
    """The elements in ascending order along an axis (None: of the flattened array); NaNs come last.

    descending : greatest first, NaNs before them. Equal elements keep their order either way, whatever kind and stable
        say.

    Raises `AxisError` for a 0-dimensional array, `ValueError` for an unknown kind.
    """
    x, along = _prepared("sort", x, axis, kind, order)
    return _along(x, along, lambda flat: _sorted(flat, descending, positions=False))


def argsort(
    x: Any,
    /,
    axis: int | None = -1,
    kind: str | None = None,
    order: None = None,
    *,
    descending: bool = False,
    stable: bool | None = True,
) -> Array:
    """The indices, as int64, that would sort the array along an axis (None: the flattened array); otherwise as `sort`.

    Of equal elements the one that stands first has its index first.
    """
    x, along = _prepared("argsort", x, axis, kind, order)
    return _along(x, along, lambda flat: _sorted(flat, descending, positions=True))


def _prepared(function: str, x: Any, axis: int | None, kind: Any = None, order: Any = None) -> tuple[Array, int]:
    """The array, flattened where there is no axis, and the axis from the front."""
    if kind not in _KINDS:
        raise ValueError(f"{function}: expected a kind of {', '.join(map(repr, _KINDS[1:]))}, got {kind!r}")
    if order is not None:
        raise ValueError(f"{function}: arrays have no fields, so expected no order, got {order!r}")
    array = asarray(x, function=function)
    if axis is None:
        return ravel(array), 0
    return array, normalise_axis(function, axis, array.ndim)


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
        return Array(empty(dtype), x.shape, dtype, x.device, x.trace)
    if extent == 1:
        if positions:
            from lazyarr.creation import zeros

            return zeros(x.shape, dtype=int64, device=x.device)
        return x.copy()
    if count == 1:
        node = _sorts(x.dtype, descending, positions, extent)(x.node)
    else:
        node = join(Map(_row_sort(x.dtype, descending, positions, extent), rows(x.node, count)))
    return Array(node, x.shape, dtype, x.device, x.trace)


@lru_cache(maxsize=1024)
def _row_sort(dtype: DType, descending: bool, positions: bool, extent: int) -> Lambda:
    return fun(ArrayType(to_ir(dtype), extent), _sorts(dtype, descending, positions, extent))


def _sorts(dtype: DType, descending: bool, positions: bool, extent: int) -> Callable[[Expr], Expr]:
    """The sort of one row; of complex numbers three, by the least significant key first."""
    keys = keys_of(dtype, descending)
    t: Type = to_ir(dtype)

    def run(row: Expr) -> Expr:
        xs, index = row, index_type(extent)
        element = t if not positions else TupleType((t, index))
        if positions:
            xs = Zip(row, indices(extent, index))
        for number, (bits, key) in enumerate(keys):
            last = number == len(keys) - 1
            xs = Sort(bits, _pairs(key, element, positions, last), xs)
        return xs

    return run


@cache
def _pairs(key: Callable[[Expr], Expr], t: Type, positions: bool, last: bool) -> Lambda:
    """`λx. (key, x)`; where the element has its index beside it and is sorted for the last time, the index alone."""
    if not positions:
        return fun(t, lambda x: Tuple(key(x), x))

    def body(pair: Expr) -> Expr:
        at = Get(1, pair)
        kept = (at if at.type is INT64 else Cast(at, INT64)) if last else pair
        return Tuple(key(Get(0, pair)), kept)

    return fun(t, body)


# --- keys -------------------------------------------------------------------------------------------------------------


@cache
def keys_of(dtype: DType, descending: bool = False) -> tuple[tuple[int, Callable[[Expr], Expr]], ...]:
    """For each sort that a dtype takes, the least significant first, how many bits its key has and the key."""
    if dtype.kind != "c":
        bits, key = _key(dtype)
        return ((bits, _complemented(key) if descending else key),)
    bits, key = _key(component_of(dtype))
    found = ((bits, lambda z: key(imaginary(z))), (bits, lambda z: key(real(z))), (2, _missing))
    return tuple((b, _complemented(k) if descending else k) for b, k in found)


def _complemented(key: Callable[[Expr], Expr]) -> Callable[[Expr], Expr]:
    return lambda x: Call("bitwise_invert", key(x))


def _missing(z: Expr) -> Expr:
    """Which parts of a complex number are NaN: numbers without come first, then those whose real part is none."""
    t = ScalarType("uint8")
    re, im = (Cast(Call("isnan", part), t) for part in (real(z), imaginary(z)))
    return Call("bitwise_or", Call("add", re, re), im)


def _key(dtype: DType) -> tuple[int, Callable[[Expr], Expr]]:
    """How many bits the key of a real dtype has, and the key: an unsigned integer, in the order of the numbers."""
    bits = 1 if dtype.kind == "b" else 8 * dtype.itemsize
    t = ScalarType(f"uint{max(bits, 8)}")
    sign = Literal(1 << (bits - 1), t)
    if dtype.kind in "bu":
        return bits, lambda x: x if x.type is t else Cast(x, t)
    if dtype.kind == "i":
        return bits, lambda x: Call("bitwise_xor", Cast(x, t), sign)
    own = scalar_type(dtype)

    def key(x: Expr) -> Expr:
        """The sign turned; the other bits too for negative numbers. All bits set for NaN, and one zero for both."""
        zero = Literal(0, own)
        pattern = Call("bits", Call("select", Call("equal", x, zero), zero, x))
        negative = Call("greater_equal", pattern, sign)
        turned = Call("select", negative, Call("bitwise_invert", pattern), Call("bitwise_or", pattern, sign))
        return Call("select", Call("isnan", x), Literal((1 << bits) - 1, t), turned)

    return bits, key


# --- what follows from it ---------------------------------------------------------------------------------------------


def partition(a: Any, kth: Any, axis: int | None = -1, kind: str = "introselect", order: None = None) -> Array:
    """The elements with the k-th ones in their sorted places, smaller ones before, others behind: all are sorted."""
    x, along = _prepared("partition", a, axis, order=order)
    _check_kth("partition", kth, x.shape[along], kind)
    return sort(x, along)


def argpartition(a: Any, kth: Any, axis: int | None = -1, kind: str = "introselect", order: None = None) -> Array:
    """The indices that would partition the array: those of `argsort`."""
    x, along = _prepared("argpartition", a, axis, order=order)
    _check_kth("argpartition", kth, x.shape[along], kind)
    return argsort(x, along)


def _check_kth(function: str, kth: Any, extent: int, kind: str) -> None:
    if kind != "introselect":
        raise ValueError(f"{function}: expected the kind 'introselect', got {kind!r}")
    places = np.asarray(kth)
    if places.dtype.kind not in "iu":
        raise TypeError(f"{function}: expected kth to be integers, got dtype {places.dtype}")
    outside = places[(places < -extent) | (places >= extent)]
    if outside.size:
        raise ValueError(f"{function}: kth {int(outside.reshape(-1)[0])} is out of bounds for {extent} elements")


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


def lexsort(keys: Sequence[Any], axis: int = -1) -> Array:
    """The indices that sort by several keys, the last of which counts most; all of one shape."""
    arrays = [asarray(key, function="lexsort") for key in keys]
    if not arrays:
        raise TypeError("lexsort: expected one or more keys")
    shape = arrays[0].shape
    for key in arrays:
        if key.shape != shape:
            raise ValueError(f"lexsort: expected keys of one shape, got {shape} and {key.shape}")
    if not shape:
        return asarray(np.int64(0))
    along = normalise_axis("lexsort", axis, len(shape))
    from lazyarr.taking import take_along_axis

    found = argsort(arrays[0], along)
    for key in arrays[1:]:
        found = take_along_axis(found, argsort(take_along_axis(key, found, axis=along), along), axis=along)
    return found


def sort_complex(a: Any) -> Array:
    """The elements sorted along the last axis, as complex numbers."""
    from lazyarr.elementwise import astype

    x = asarray(a, function="sort_complex")
    small = x.dtype.kind in "iu" and x.dtype.itemsize <= 2
    target = x.dtype if x.dtype.kind == "c" else np.dtype(np.complex64 if small or x.dtype == np.float32 else complex)
    return astype(sort(x), target)


def sort_in_place(x: Array, axis: int | None = -1, kind: str | None = None) -> None:
    """`x.sort()`: the array object stands for the sorted array from then on."""
    from lazyarr.updating import adopt

    if axis is None:
        raise TypeError("sort: an array is sorted in place along an axis, got None")
    adopt(x, sort(x, axis, kind))


