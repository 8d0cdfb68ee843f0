"""The functions that NumPy programs call: NumPy's, the scalar primitives', and those that NumPy has not got.

Sums and products of float32 are carried in float64 and rounded once, as the interpreter does it. Sums of float64 are
formed in pairs or blocks, so that their errors grow with the logarithm of the length (docs/accuracy.md).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import prod
from typing import Any, Final

import numpy as np
from numpy import (
    arange,
    argmax,
    argmin,
    ascontiguousarray,
    broadcast_to,
    clip,
    concatenate,
    count_nonzero,
    matmul,
    take,
)
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from ir.core.scalars import OPERATIONS
from ir.cost.thresholds.eager import EAGER_THREADS_FROM_BYTES
from ir.cost.thresholds.sorts import COUNTED_AT_ONCE, LIBRARY_SORT_PART
from ir.cost.thresholds.tiers import (
    COLUMNS_OF_A_PRODUCT,
    COPIED_APART_BYTES,
    CORRELATED_AT_ONCE,
    CORRELATED_UP_TO,
    ROWS_OF_A_PRODUCT,
    TERMS_IN_A_ROW,
    TERMS_OF_A_PRODUCT,
    TERMS_OF_COLUMNS,
    WIDE_SUMS_BLOCK,
    WIDE_SUMS_BY_PRODUCTS_FROM,
    WIDE_SUMS_BY_PRODUCTS_UP_TO,
)
from ir.reference.blocks import in_blocks
from ir.reference.cumulative import accumulated
from ir.reference.workers import threads_at_most, together

__all__ = [
    "CARRIED", "accumulated", "arange", "argmax", "argmin", "as_strided", "ascontiguousarray", "broadcast_to", "clip",
    "concatenate", "count_nonzero", "in_blocks", "matmul", "take",
]  # fmt: skip

globals().update({f"op_{name}": operation.numpy for name, operation in OPERATIONS.items()})
op_divide, op_power = np.true_divide, np.power  # floats alone


def flat(x: Any, shape: tuple[int, ...]) -> NDArray[Any]:
    """The elements in row-major order, one after the other, in memory of their own or of the input itself."""
    found: NDArray[Any] = np.broadcast_to(x, shape)
    few = found.ndim > 1 and 0 < shape[-1] * found.itemsize <= COPIED_APART_BYTES < found.nbytes
    if few and not found.flags.c_contiguous:
        made = np.empty(shape, found.dtype)
        for i in range(shape[-1]):  # long loops over the others, not a short one for each of their elements
            made[..., i] = found[..., i]
        found = made
    return np.ascontiguousarray(found).reshape(-1)


def own(x: Any, shape: tuple[int, ...]) -> NDArray[Any]:
    """The elements as `flat` has them; a copy where these would keep a larger array in memory."""
    found = flat(x, shape)
    base = found.base
    return found.copy() if isinstance(base, np.ndarray) and base.nbytes > found.nbytes else found


def transformed(name: str, shape: tuple[int, ...], n: int, axis: int, norm: str, *planes: Any) -> NDArray[Any]:
    """One of NumPy's Fourier transforms of an array of that shape, given by its elements or by the real and imaginary
    parts of these; without the axes of extent 1.
    """
    x = np.reshape(planes[0], shape)
    if len(planes) == 2:
        both = np.empty(shape, np.result_type(x.dtype, np.complex64))
        both.real, both.imag = x, np.reshape(planes[1], shape)
        x = both
    elif x.dtype == np.float16:  # which NumPy transforms in float32
        x = x.astype(np.float64)
    found: NDArray[Any] = getattr(np.fft, name)(x, n, axis, norm)
    return found.reshape([extent for extent in found.shape if extent > 1])


def interpolated(x: Any, places: Any, samples: Any, before: Any, behind: Any) -> NDArray[Any]:
    """The values at x of the function that is linear between samples, and those on either side of these."""
    left, right = np.ravel(before)[0], np.ravel(behind)[0]
    return np.interp(np.ravel(x), np.ravel(places), np.ravel(samples), left, right)  # type: ignore[no-any-return]  # float64


def paired(real: Any, imaginary: Any) -> NDArray[Any]:
    """The complex numbers of those parts."""
    both: NDArray[Any] = np.empty(
        np.broadcast_shapes(np.shape(real), np.shape(imaginary)), np.result_type(real, np.complex64)
    )
    both.real, both.imag = real, imaginary
    return both


def absolute(real: Any, imaginary: Any) -> NDArray[Any]:
    """Absolute values of complex numbers, which NumPy's `hypot` takes ten times as long for."""
    found: NDArray[Any] = np.abs(paired(real, imaginary))
    return found


def select_into(out: NDArray[Any], test: Any, a: Any, b: Any) -> None:
    """`where(test, a, b)`, in memory that neither a nor the test lies in."""
    out[...] = np.where(test, a, b)  # copying where a mask says so takes longer than both


def replaced(x: NDArray[Any], place: int, number: Any, out: NDArray[Any] | None = None) -> NDArray[Any]:
    """The elements with a number at one place; `out` may be x itself."""
    if out is None:
        out = x.copy()
    elif out is not x:
        out[...] = x
    out[place] = number
    return out


def single(x: Any) -> NDArray[Any]:
    """A number as an array of one element."""
    return np.array([x])


def summed(x: NDArray[Any], axes: tuple[int, ...]) -> NDArray[Any]:
    """Sums of float64 along axes, in blocks; NumPy adds in pairs along the axis that lies densest alone."""
    if x.flags.forc and len(axes) == x.ndim:
        return np.add.reduce(x, axis=axes)  # type: ignore[no-any-return]  # one axis, to NumPy
    for axis in sorted(axes, reverse=True):
        x = _summed_along(x, axis)
    return x


def summed_wide(x: NDArray[Any], axes: tuple[int, ...]) -> NDArray[Any]:
    """Sums of float32 along axes, which differ and are not negative, carried in float64.

    NumPy adds up what lies side by side in one go; where that is short, the library's product with ones is faster.
    """
    first, last = min(axes), max(axes)
    before, after = x.shape[:first], x.shape[last + 1 :]
    side_by_side = prod(after) if prod(after) != 1 else prod(x.shape[first : last + 1])
    if (
        x.size < max(WIDE_SUMS_BY_PRODUCTS_FROM, 1)
        or side_by_side > WIDE_SUMS_BY_PRODUCTS_UP_TO
        or len(axes) == x.ndim
        or last - first >= len(axes)
        or not x.flags.c_contiguous
    ):
        return np.add.reduce(x, axis=axes, dtype=np.float64)  # type: ignore[no-any-return]  # an array
    return _summed_by_products(x.reshape(prod(before), -1, prod(after))).reshape(*before, *after)


def _summed_by_products(x: NDArray[Any]) -> NDArray[Any]:
    """Sums of float32 along the middle one of three axes: of blocks that caches hold when they are converted."""
    count, terms, after = x.shape
    each = min(terms, max(1, WIDE_SUMS_BLOCK // after))
    many = max(1, WIDE_SUMS_BLOCK // (each * after))
    ones, found = np.ones(each), np.zeros((count, after))
    for row in range(0, count, many):
        for term in range(0, terms, each):
            wide = x[row : row + many, term : term + each].astype(np.float64)
            own = ones[: wide.shape[1]]
            found[row : row + many] += np.matmul(own, wide) if after > 1 else np.matmul(wide[..., 0], own)[:, None]
    return found


def _summed_along(x: NDArray[Any], axis: int) -> NDArray[Any]:
    n = x.shape[axis]
    densest = min([abs(stride) for stride, extent in zip(x.strides, x.shape, strict=True) if extent > 1], default=0)
    if n <= TERMS_IN_A_ROW or abs(x.strides[axis]) == densest:
        return np.add.reduce(x, axis=axis)  # type: ignore[no-any-return]  # an array
    count = n // TERMS_IN_A_ROW
    whole = count * TERMS_IN_A_ROW
    before = (slice(None),) * axis
    blocks = x[(*before, slice(whole))].reshape(*x.shape[:axis], count, TERMS_IN_A_ROW, *x.shape[axis + 1 :])
    found = _summed_along(np.add.reduce(blocks, axis=axis + 1), axis)
    return found if whole == n else found + np.add.reduce(x[(*before, slice(whole, None))], axis=axis)


_WIDENED_UP_TO: Final = 1 << 15
"""Elements up to which numbers of float32 are converted, which takes less time than further calls."""

_EVEN: Final = 8
"""Rows and terms come in multiples of so many, where there are more: as wide as vectors of processors are."""


def dotted(a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
    """`matmul` where a or b is a vector, or has one row or column: of few float32 numbers in float64, of others in
    parts of the terms, which are added as sums are. NumPy's library carries such products in a few numbers of their
    dtype, however many terms there are.
    """
    if a.dtype != np.float64 and a.size + b.size <= _WIDENED_UP_TO:
        return np.matmul(a.astype(np.float64), b.astype(np.float64)).astype(a.dtype)  # type: ignore[no-any-return]  # an array
    rows = a if a.ndim > 1 else a[None]
    columns = b if b.ndim > 1 else b[:, None]
    found = _times_vector(columns.mT, rows.mT).mT if columns.shape[-1] > 1 else _times_vector(rows, columns)
    if a.ndim == 1:
        found = found[..., 0, :]
    return found[..., 0] if b.ndim == 1 else found


def _times_vector(rows: NDArray[Any], vector: NDArray[Any]) -> NDArray[Any]:
    """The products of rows with a vector, which is a column, in parts of their terms."""
    narrow, terms = rows.dtype != np.float64, rows.shape[-1]
    many = rows.ndim == vector.ndim == 2 and len(rows) * TERMS_OF_A_PRODUCT >= terms
    by_columns = many and abs(rows.strides[0]) < abs(rows.strides[1])
    each = TERMS_OF_COLUMNS if by_columns else TERMS_OF_A_PRODUCT if many or not narrow else TERMS_IN_A_ROW
    if terms <= each:
        return np.matmul(rows, vector)  # type: ignore[no-any-return]  # an array
    each = -(-terms // (-(-terms // each) * _EVEN)) * _EVEN  # parts that are as long as each other, if that divides
    if many and rows.size >= EAGER_THREADS_FROM_BYTES // 4:  # so that half of it, as float64, is worth a thread
        found = _parts_by_threads(rows, np.ascontiguousarray(vector[:, 0]), each, by_columns)
    else:
        parts, whole = terms // each, terms // each * each
        left = rows[..., :whole].reshape(*rows.shape[:-1], parts, each).swapaxes(-3, -2)
        right = vector[..., :whole, :].reshape(*vector.shape[:-2], parts, each, 1)
        found = np.matmul(left, right)
        if whole < terms:
            rest = np.matmul(rows[..., whole:], vector[..., whole:, :])
            found = np.concatenate([found, rest[..., None, :, :]], -3)
    if narrow:
        return np.add.reduce(found, axis=-3, dtype=np.float64).astype(rows.dtype)  # type: ignore[no-any-return]  # as above
    if found.shape[-3] <= TERMS_IN_A_ROW:
        return np.add.reduce(found, axis=-3)  # type: ignore[no-any-return]  # as above
    return summed(found, (found.ndim - 3,))


def _parts_by_threads(rows: NDArray[Any], vector: NDArray[Any], each: int, by_columns: bool) -> NDArray[Any]:
    """The products of parts of rows, of so many terms, with those of a vector, which several threads share.

    A thread takes some rows with all parts; of rows that lie column by column one part, so that it reads memory as
    that lies. How they are cut does not depend on the number of threads, as it decides bits.
    """
    count = len(rows)
    parts = [slice(start, start + each) for start in range(0, rows.shape[1], each)]
    found = np.empty((len(parts), count, 1), rows.dtype)
    blocks = -(-count // COLUMNS_OF_A_PRODUCT) if by_columns else 2 * -(-count // (2 * ROWS_OF_A_PRODUCT))
    size = -(-count // (blocks * _EVEN)) * _EVEN
    shared = [
        (slice(start, start + size), some)
        for start in range(0, count, size)
        for some in ([[number] for number in range(len(parts))] if by_columns else [list(range(len(parts)))])
    ]

    def multiply(pieces: Iterator[tuple[slice, list[int]]]) -> None:
        for block, some in pieces:
            for number in some:
                np.matmul(rows[block, parts[number]], vector[parts[number]], out=found[number, block, 0])

    together(multiply, shared, threads_at_most())
    return found


def correlated(
    x: NDArray[Any], y: NDArray[Any], before: int, behind: int, empty: Callable[..., NDArray[Any]]
) -> NDArray[Any]:
    """The sums of products of a vector and another one, which is not longer, moved along it; numbers are vectors, too.

    Args:
        before, behind: how many places there are where it begins before the first element, or ends behind the last
        empty: gives memory of a shape and dtype
    """
    x, y = np.atleast_1d(x, y)
    m = len(y)
    inner = len(x) - m + 1
    found = empty((before + inner + behind,), x.dtype)
    for start in range(0, inner, CORRELATED_AT_ONCE):
        count = min(inner - start, CORRELATED_AT_ONCE)
        found[before + start : before + start + count] = np.correlate(x[start : start + count + m - 1], y)
    if before:
        found[:before] = np.correlate(x[: m - 1], y, "full")[m - 1 - before : m - 1]
    if behind:
        found[before + inner :] = np.correlate(x[inner:], y, "full")[m - 1 : m - 1 + behind]
    return found


def of_windows(rows: NDArray[Any], vector: NDArray[Any], empty: Callable[..., NDArray[Any]]) -> NDArray[Any]:
    """`matmul` of the windows of a vector, each one element behind the last, and another vector. NumPy's library takes
    no such matrix; short windows are NumPy's `correlate`, which has loops for them.
    """
    (stride, other), count, size = rows.strides, len(rows), len(vector)
    if not 0 < size <= CORRELATED_UP_TO or stride != other or not count:
        return np.matmul(rows, vector)  # type: ignore[no-any-return]  # an array
    return correlated(as_strided(rows, (count + size - 1,), (stride,), writeable=False), vector, 0, 0, empty)


def windows(x: NDArray[Any], axis: int, window: int, step: int) -> NDArray[Any]:
    """The windows along an axis, and their elements along the next one; a view that is not to be written to."""
    count = (x.shape[axis] - window) // step + 1
    stride = x.strides[axis]
    shape = (*x.shape[:axis], count, window, *x.shape[axis + 1 :])
    strides = (*x.strides[:axis], stride * step, stride, *x.strides[axis + 1 :])
    return as_strided(x, shape, strides, writeable=False)


def scatter_last(
    xs: NDArray[Any], indices: NDArray[Any], values: NDArray[Any], empty: Callable[..., NDArray[Any]]
) -> NDArray[Any]:
    """`scatter (λ(a, b). b)`: the last value for a place wins; an index outside is left out.

    Args:
        empty: gives memory of a shape and dtype
    """
    found = empty(xs.shape, xs.dtype)
    found[...] = xs
    inside = (indices >= 0) & (indices < len(xs))
    if not inside.all():
        indices, values = indices[inside], values[inside]
    found[indices] = values  # in their order
    return found


def compact(indices: NDArray[Any], values: NDArray[Any], count: int) -> NDArray[Any]:
    """`compact count`: each value where its index says; those whose index is the count are left out."""
    kept = indices < count
    places, chosen = indices[kept], values[kept]
    if (places[1:] > places[:-1]).all():  # in their order, as most that is kept
        return chosen
    found = np.empty(count, values.dtype)
    found[places] = chosen
    return found


def scatter_with(
    ufunc: Any, xs: NDArray[Any], indices: NDArray[Any], values: NDArray[Any], empty: Callable[..., NDArray[Any]]
) -> NDArray[Any]:
    """`scatter f` for a primitive f, of which NumPy has a universal function; an index outside is left out.

    Args:
        values: of `add` they may be one that is repeated
        empty: gives memory of a shape and dtype
    """
    if ufunc is np.add and values.strides == (0,) and xs.dtype.kind in "iu" and len(values):
        return _counted(xs, indices, values[0], empty)
    values = np.ascontiguousarray(values)
    inside = (indices >= 0) & (indices < len(xs))
    if not inside.all():
        indices, values = indices[inside], values[inside]
    wide = np.dtype(np.float64) if xs.dtype == np.float32 and ufunc in CARRIED else xs.dtype
    total = empty(xs.shape, wide)
    total[...] = xs
    ufunc.at(total, indices, values.astype(wide, copy=False))
    return total.astype(xs.dtype, copy=False)


def _counted(xs: NDArray[Any], indices: NDArray[Any], value: Any, empty: Callable[..., NDArray[Any]]) -> NDArray[Any]:
    """An integer added to the elements that indices name, as often as they do: how often is counted in blocks."""
    total = empty(xs.shape, xs.dtype)
    total[...] = xs
    block = max(COUNTED_AT_ONCE, 4 * len(xs))
    for start in range(0, len(indices), block):
        at = indices[start : start + block]
        inside = (at >= 0) & (at < len(xs))
        counts = np.bincount(at if inside.all() else at[inside], minlength=len(xs))
        total += counts.astype(xs.dtype) * value
    return total


CARRIED: Final = (np.add, np.subtract, np.multiply)
"""Functions of float32 numbers that many of are carried in float64."""


def ordered(keys: NDArray[Any], axis: int) -> NDArray[np.int64]:
    """The indices that bring unsigned keys along an axis into order, equal ones as they were."""
    extent = keys.shape[axis]
    digits = (extent - 1).bit_length()
    least: Any = 0
    if keys.itemsize == 8:
        least = keys.min()
        if (int(keys.max()) - int(least)) >> (64 - digits):
            if not _is_random(keys):
                return np.argsort(keys, axis=axis, kind="stable")
            return _in_stable_order(keys, np.argsort(keys, axis=axis), axis, digits)
    # keys with their places behind them are all different: NumPy sorts numbers faster than it finds their order
    both = keys - least if keys.itemsize == 8 else keys.astype(np.uint64)
    both <<= np.uint64(digits)
    both |= np.arange(extent, dtype=np.uint64).reshape(-1, *(1,) * (keys.ndim - axis - 1))
    both.sort(axis=axis)
    both &= np.uint64((1 << digits) - 1)
    return both.view(np.int64)


def _is_random(keys: NDArray[Any]) -> bool:
    """Do keys look as if few were equal, and as many fell as rose? NumPy's stable sort is fast on all others."""
    probe = keys.reshape(-1)[:: keys.size // 256 + 1]
    falls = np.count_nonzero(probe[1:] < probe[:-1])
    few_equal = len(np.unique(probe)) > 0.9 * len(probe)
    return keys.size >= 4096 and few_equal and bool(0.3 < falls / len(probe) < 0.7)


def _in_stable_order(keys: NDArray[Any], order: NDArray[np.int64], axis: int, digits: int) -> NDArray[np.int64]:
    """An order of keys along an axis with equal ones as they were: for random keys this and NumPy's fastest sort take a
    third of the time of its stable one.

    Args:
        digits: bits that hold every index
    """
    if keys.ndim == 1 and _all_different(keys, order):
        return order
    found = np.moveaxis(np.take_along_axis(keys, order, axis), axis, -1)
    different = found[..., 1:] != found[..., :-1]
    if different.all():
        return order
    both = np.moveaxis(order, axis, -1).astype(np.int64)
    both[..., 1:] |= np.cumsum(different, axis=-1) << digits  # equal ones are numbered alike
    both.sort(axis=-1)
    both &= (1 << digits) - 1
    return np.moveaxis(both, -1, axis)


def _all_different(keys: NDArray[Any], order: NDArray[np.int64]) -> bool:
    """Are keys different from each other, which an order brings side by side? Looked at in blocks."""
    for start in range(0, len(order) - 1, COUNTED_AT_ONCE):
        part = keys[order[start : start + COUNTED_AT_ONCE + 1]]
        if (part[1:] == part[:-1]).any():
            return False
    return True


def sorted_numbers(x: NDArray[Any], axis: int, descending: bool) -> NDArray[Any]:
    """The numbers along an axis in order, NaN as the greatest; equal ones, such as zeros of two signs, as they were."""
    found = np.empty_like(x)
    sort_rows_together(np.moveaxis(found, axis, -1), np.moveaxis(x, axis, -1), descending)
    return found


def sort_rows_together(found: NDArray[Any], x: NDArray[Any], descending: bool) -> None:
    """`sort_rows_into`, where several threads share long first axes."""
    _rows_together(lambda part: sort_rows_into(found[part], x[part], descending), x)


def _rows_together(do: Callable[[Any], None], x: NDArray[Any]) -> None:
    """Do that for all parts of an array along its first axis, several threads where it has many rows along its last."""

    def work(parts: Iterator[slice]) -> None:
        for part in parts:
            do(part)

    if x.ndim < 2 or x.size < 2 * LIBRARY_SORT_PART:
        do(...)
        return
    many = max(1, LIBRARY_SORT_PART * len(x) // x.size)
    together(work, [slice(i, i + many) for i in range(0, len(x), many)], threads_at_most())


def selected_numbers(x: NDArray[Any], axis: int, descending: bool, places: tuple[int, ...]) -> NDArray[Any]:
    """The numbers along an axis, those at some places as `sorted_numbers` has them, all others in any order."""
    extent = x.shape[axis]
    places = tuple([extent - 1 - place for place in places]) if descending else places
    rows = np.moveaxis(x, axis, -1)
    found = np.empty(rows.shape, x.dtype)

    def select(part: Any) -> None:
        found[part] = rows[part]
        found[part].partition(places, axis=-1)

    _rows_together(select, rows)
    if x.dtype.kind == "f" and (found[..., places] == 0).any():  # which have two signs, in their order
        bits = np.iinfo(f"i{x.itemsize}")
        if (x.view(bits.dtype) == bits.min).any():
            return sorted_numbers(x, axis, descending)
    return np.moveaxis(found[..., ::-1] if descending else found, -1, axis)


def sort_rows_into(found: NDArray[Any], x: NDArray[Any], descending: bool) -> None:
    """Put the numbers of each row, along the last axis, into another array of that shape in order, NaN as the greatest;
    equal ones, such as zeros of two signs, as they were.
    """
    found[...] = x
    rising = found[..., ::-1] if descending else found
    if x.dtype.kind != "f":
        rising.sort(axis=-1, kind="stable" if x.itemsize <= 2 else None)  # which goes by digits, of few bits
        return
    rising.sort(axis=-1)
    bits = np.iinfo(f"i{x.itemsize}")
    if _has_zeros(rising) and (x.view(bits.dtype) == bits.min).any():  # -0.0: a sort may write 0.0 in its place
        found[found == 0] = x[x == 0]  # of which each row has as many in both, so that they come in order
    if x.size and np.isnan(rising[..., -1]).any():
        found[np.isnan(found)] = x[np.isnan(x)]


def _has_zeros(rising: NDArray[Any]) -> bool:
    """May one of the numbers, of which each row is in order, be zero? A single row is asked where they would lie."""
    if rising.size > rising.shape[-1]:
        return True
    row, zero = rising.reshape(-1), rising.dtype.type(0)
    return bool(row.searchsorted(zero) < row.searchsorted(zero, "right"))


def clipped(indices: NDArray[Any], length: int) -> NDArray[Any]:
    """The indices, each the nearest one that an array of that length has."""
    return np.minimum(np.maximum(indices, 0), length - 1)  # type: ignore[no-any-return]  # an array
