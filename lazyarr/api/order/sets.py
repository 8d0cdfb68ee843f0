"""Sets: the distinct elements of arrays, and which of them others have; all by sorting.

How many distinct elements there are decides a shape, so they are computed when the function is called; while a
function is being recorded that raises a `TracingError` that names `sort`. NaNs are all distinct in the functions of the
array API standard, and one in `unique` unless it is told otherwise; 0.0 and -0.0 are one.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, reduce
from math import prod
from typing import Any, NamedTuple

import numpy as np

from ir.core.expr import fun
from ir.core.patterns import Cast, Get, Sort, Tuple, Zip
from ir.core.types import ScalarType, TupleType
from ir.cost.thresholds.eager import EAGER_ELEMENTS_IN_LOOPS
from ir.cost.thresholds.sorts import COLUMNS_SORTED_BY_AT_MOST, COMPARED_ONE_BY_ONE_AT_MOST
from lazyarr.api.elementwise.standard import (
    equal,
    isnan,
    logical_and,
    logical_not,
    logical_or,
    minimum,
    not_equal,
    subtract,
)
from lazyarr.api.order.bisection import places
from lazyarr.api.order.ranks import fewer_columns
from lazyarr.api.order.sorting import argsort, lexsort, sort
from lazyarr.api.reduce.reductions import any as any_
from lazyarr.api.reduce.scans import cumsum
from lazyarr.api.select.taking import compress, flatnonzero, take
from lazyarr.api.shape.joining import concatenate
from lazyarr.array import Array, array_of, combine, compute, giving_arrays
from lazyarr.array.eager import existing
from lazyarr.dtypes import bool_, int64, result_type, to_ir
from lazyarr.eager.functions import on_host, small_by
from lazyarr.graph.tracing import refuse
from lazyarr.recording.conversion import astype
from lazyarr.recording.creation import asarray
from lazyarr.recording.filled import full, ones, zeros
from lazyarr.recording.indexing import index
from lazyarr.recording.movement import moveaxis, normalise_axis, ravel, reshape

__all__ = [
    "UniqueAllResult", "UniqueCountsResult", "UniqueInverseResult", "ediff1d", "in1d", "intersect1d", "isin",
    "setdiff1d", "setxor1d", "union1d", "unique", "unique_all", "unique_counts", "unique_inverse", "unique_values",
]  # fmt: skip


class UniqueAllResult(NamedTuple):
    """What `unique_all` gives: values, where each occurs first, which one each element is, how often each occurs."""

    values: Array
    indices: Array
    inverse_indices: Array
    counts: Array


class UniqueCountsResult(NamedTuple):
    """What `unique_counts` gives: the values, and how often each occurs."""

    values: Array
    counts: Array


class UniqueInverseResult(NamedTuple):
    """What `unique_inverse` gives: the values, and which one each element is."""

    values: Array
    inverse_indices: Array


def _unique(ar: Any, *asked: Any, axis: Any = None, sorted: bool = True, **named: Any) -> Any:
    """NumPy's function; what it finds is in order in any case."""
    if len(asked) > 3:
        return None
    x = np.asarray(ar)
    if axis is None:
        if x.dtype.kind == "c" and np.isnan(x).any():
            return None  # of NaNs, which have parts, NumPy keeps another one
        return np.unique(x, *asked, **named)
    if x.dtype.kind == "c" or (x.dtype.kind == "f" and (np.isnan(x) | (np.signbit(x) & (x == 0))).any()):
        return None  # of slices that are equal, but for their bits, NumPy keeps any, and NaNs may be equal
    return np.unique(x, *asked, axis=axis, **named)


def _of_two(numpys: Callable[..., Any]) -> Callable[..., Any]:
    """NumPy's function of two arrays of real numbers, of which it is not told that they are unique."""

    def of_real(ar1: Any, ar2: Any, assume_unique: bool = False, **named: Any) -> Any:
        if assume_unique or np.iscomplexobj(ar1) or np.iscomplexobj(ar2):
            return None
        return numpys(ar1, ar2, **named)

    return of_real


def _isin(
    element: Any, test_elements: Any, assume_unique: bool = False, invert: bool = False, *, kind: Any = None
) -> Any:
    """NumPy's function, which is wrong where elements are not as unique as it is told."""
    return np.isin(element, test_elements, invert=invert, kind=kind)


def unique_values(x: Any) -> Array:
    """The distinct elements, in ascending order. Computed now."""
    return _values("unique_values", asarray(x, function="unique_values"), equal_nan=False)


def unique_counts(x: Any) -> UniqueCountsResult:
    """The distinct elements in ascending order, and how often each occurs, as int64. Computed now."""
    found = _Groups("unique_counts", asarray(x, function="unique_counts"), equal_nan=False, places=False)
    return UniqueCountsResult(found.values, found.counts)


def unique_inverse(x: Any) -> UniqueInverseResult:
    """The distinct elements in ascending order, and for each element of x which one it is. Computed now."""
    found = _Groups("unique_inverse", asarray(x, function="unique_inverse"), equal_nan=False)
    return UniqueInverseResult(found.values, found.inverse)


def unique_all(x: Any) -> UniqueAllResult:
    """The distinct elements with all that `unique` can say of them. Computed now."""
    found = _Groups("unique_all", asarray(x, function="unique_all"), equal_nan=False)
    return UniqueAllResult(found.values, found.first, found.inverse, found.counts)


@small_by(_unique)
def unique(
    ar: Any,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
) -> Any:
    """The distinct elements in ascending order; with an axis, the distinct slices along it in lexicographic order.

    Args:
        return_index, return_inverse, return_counts: give also where each occurs first, which one each element is, and
            how often each occurs, in this order
        equal_nan: are NaNs equal? (not in slices of several dimensions)
        sorted: they are in any case

    Computed now.
    """
    x = asarray(ar, function="unique")
    if axis is not None and normalise_axis("unique", axis, x.ndim) == 0 and x.ndim == 1:
        axis = None
    if axis is None and not (return_index or return_inverse or return_counts):
        return _values("unique", x, equal_nan)
    along = None if axis is None else normalise_axis("unique", axis, x.ndim)
    if along is None:
        found = _Groups("unique", x, equal_nan, places=return_index or return_inverse)
    else:
        found = _Groups("unique", x, False, along)
    asked = ((return_index, "first"), (return_inverse, "inverse"), (return_counts, "counts"))
    given = [getattr(found, name) for wanted, name in asked if wanted]
    return (found.values, *given) if given else found.values


def _values(function: str, x: Array, equal_nan: bool) -> Array:
    """The distinct elements alone, for which values are sorted and no indices."""
    _refuse_traced(function, x)
    ordered = sort(x, None)
    return compress(_is_first(ordered, equal_nan), ordered)


def _refuse_traced(function: str, x: Array) -> None:
    if x.tracing:
        refuse("distinct", function, x)


def _differ(x: Array, y: Array, equal_nan: bool) -> Array:
    """Are elements different? NaNs are, unless they are equal."""
    if not equal_nan or x.dtype.kind not in "fc":
        return not_equal(x, y)

    return logical_and(not_equal(x, y), logical_not(logical_and(isnan(x), isnan(y))))


def _is_first(ordered: Array, equal_nan: bool) -> Array:
    """Is an element of a sorted vector the first of its value?"""
    if ordered.size < 2:
        return ones(ordered.shape, dtype=bool_, device=ordered.placed)
    differ = _differ(index(ordered, slice(1, None)), index(ordered, slice(None, -1)), equal_nan)
    return concatenate([ones(1, dtype=bool_, device=ordered.placed), differ])


class _Groups:
    """The groups of equal elements, or of equal slices along an axis.

    Attributes:
        values: one of each group.
        counts: how many there are
        first: where its first element lies; among the sorted elements, where no places were asked for
        inverse: the group of each element
    """

    def __init__(
        self, function: str, x: Array, equal_nan: bool, axis: int | None = None, *, places: bool = True
    ) -> None:
        """places: are `first` or `inverse` looked at? Without them elements are sorted, and no indices."""
        _refuse_traced(function, x)
        self._shape = x.shape if axis is None else (x.shape[axis],)
        flat = ravel(x) if axis is None else x
        if axis is not None:
            rows = moveaxis(x, axis, 0)
            table = reshape(rows, (rows.shape[0], prod(rows.shape[1:])))
            self._order = _row_order(table)
            ordered = take(table, self._order, axis=0) if table.size else table
            compute(self._order, ordered)
            self._new = _is_first_row(ordered)
        elif places:
            self._order = argsort(flat)
            compute(self._order)
            self._new = _is_first(take(flat, self._order) if flat.size else flat, equal_nan)
        else:
            flat = sort(flat)
            self._new = _is_first(flat, equal_nan)
        begins = flatnonzero(self._new)
        self.first = index(self._order, begins) if places else begins
        self.values = index(flat, self.first) if axis is None else take(x, self.first, axis=axis)
        end = asarray([self._new.size], dtype=int64, device=x.placed)
        self.counts = subtract(concatenate([index(begins, slice(1, None)), end]), begins)

    @property
    def inverse(self) -> Array:
        """The group of each element, in the shape of the array."""
        if not self._new.size:
            return zeros(self._shape, dtype=int64)
        groups = cumsum(astype(self._new, "int64")) - 1
        return reshape(_put_back(self._order, groups), self._shape)


def _row_order(table: Array) -> Array:
    """The indices that sort the rows of a matrix."""
    if not table.size:
        return asarray(np.arange(table.shape[0]))
    columns = table.T
    if columns.shape[0] > COLUMNS_SORTED_BY_AT_MOST:
        columns = fewer_columns(columns, COLUMNS_SORTED_BY_AT_MOST)
    return lexsort([index(columns, column) for column in range(columns.shape[0] - 1, -1, -1)])


def _is_first_row(ordered: Array) -> Array:
    """Does a row of a sorted matrix differ from the one before it?"""
    count = ordered.shape[0]
    if count < 2:
        return ones(count, dtype=bool_, device=ordered.placed)
    if not ordered.size:
        return asarray(np.arange(count) == 0)
    differ = any_(not_equal(index(ordered, slice(1, None)), index(ordered, slice(None, -1))), axis=1)
    return concatenate([ones(1, dtype=bool_, device=ordered.placed), differ])


def _put_back(order: Array, values: Array) -> Array:
    """The vector in whose place `order[i]` is `values[i]`, for a permutation: the values sorted by it."""
    key = ScalarType("uint64" if order.size > 2**32 else "uint32")
    bits = max(1, (order.size - 1).bit_length())
    t = TupleType((to_ir(order.dtype), to_ir(values.dtype)))
    node = Sort(bits, fun(t, lambda p: Tuple(Cast(Get(0, p), key), Get(1, p))), Zip(order.node, values.node))
    device, trace = combine("unique", (order, values))
    return array_of(node, values.shape, values.dtype, device, trace)


# --- what sets share --------------------------------------------------------------------------------------------------


@giving_arrays
@small_by(_isin)
def isin(
    element: Any, test_elements: Any, assume_unique: bool = False, invert: bool = False, *, kind: str | None = None
) -> Array:
    """Is each element among the test elements? (With `invert`: is it not?) NaN is among none.

    Args:
        assume_unique, kind: NumPy's hints how to search, which change nothing here
    """
    if kind not in (None, "sort", "table"):
        raise ValueError(f"isin: expected kind to be None, 'sort' or 'table', got {kind!r}")
    x, tests = asarray(element, function="isin"), ravel(asarray(test_elements, function="isin"))
    if not tests.size or not x.size:
        return full(x.shape, invert, dtype=bool_, device=x.placed)
    if x.size <= EAGER_ELEMENTS_IN_LOOPS >= tests.size and existing(x) is not None and existing(tests) is not None:
        made = on_host(partial(np.isin, invert=invert), x, tests)
        if made is not None:
            return made
    if tests.size <= COMPARED_ONE_BY_ONE_AT_MOST:
        among = reduce(logical_or, [equal(x, tests[i]) for i in range(tests.size)])
        return logical_not(among) if invert else among

    common = result_type(x.dtype, tests.dtype)  # numbers of Python's are not converted to the others' dtype
    if common.kind == "f" and x.dtype.kind in "iu" and tests.dtype.kind in "iu":
        common = tests.dtype  # no float holds all integers; what wraps is unequal to what is found in its place
    values, ordered = astype(x, common), sort(astype(tests, common))
    at = minimum(places(ordered, values, right=False), tests.size - 1)
    found = take(ordered, at)
    return not_equal(found, x) if invert else equal(found, x)


def in1d(ar1: Any, ar2: Any, assume_unique: bool = False, invert: bool = False, *, kind: str | None = None) -> Array:
    """`isin` of the flattened array."""
    return isin(ravel(asarray(ar1, function="in1d")), ar2, assume_unique, invert, kind=kind)


@small_by(_of_two(np.union1d))
def union1d(ar1: Any, ar2: Any) -> Array:
    """The distinct elements of both arrays, in ascending order. Computed now."""
    return unique(concatenate([ar1, ar2], axis=None))  # type: ignore[no-any-return]


@small_by(_of_two(np.intersect1d))
def intersect1d(ar1: Any, ar2: Any, assume_unique: bool = False, return_indices: bool = False) -> Any:
    """The distinct elements that are in both arrays, in ascending order. Computed now.

    Args:
        return_indices: give also where each occurs first in the one array and in the other
    """
    first, second = (ravel(asarray(ar, function="intersect1d")) for ar in (ar1, ar2))
    common = result_type(first.dtype, second.dtype)
    first, second = astype(first, common), astype(second, common)
    one = _Groups("intersect1d", first, equal_nan=True)
    if not return_indices:
        return compress(isin(one.values, second), one.values)
    both = compress(isin(one.values, second), one.values)
    other = _Groups("intersect1d", second, equal_nan=True)
    where_first = compress(isin(one.values, both), one.first)
    return both, where_first, compress(isin(other.values, both), other.first)


@small_by(_of_two(np.setdiff1d))
def setdiff1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Array:
    """The distinct elements of the one array that are not in the other, in ascending order; in their own order where
    they are assumed to be unique. Computed now.
    """
    own = asarray(ar1, function="setdiff1d")
    _refuse_traced("setdiff1d", own)
    own = ravel(own) if assume_unique else _values("setdiff1d", own, equal_nan=True)
    return compress(isin(own, ar2, invert=True), own)


@small_by(_of_two(np.setxor1d))
def setxor1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Array:
    """The distinct elements that are in one of the two arrays only, in ascending order. Computed now."""
    parts = [ravel(asarray(ar, function="setxor1d")) for ar in (ar1, ar2)]
    if not assume_unique:
        parts = [_values("setxor1d", part, equal_nan=True) for part in parts]
    both = sort(concatenate(parts))
    _refuse_traced("setxor1d", both)
    if both.size < 2:
        return both
    differ = not_equal(index(both, slice(1, None)), index(both, slice(None, -1)))
    end = ones(1, dtype=bool_, device=both.placed)
    return compress(logical_and(concatenate([end, differ]), concatenate([differ, end])), both)


@small_by(np.ediff1d, EAGER_ELEMENTS_IN_LOOPS)
def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Array:
    """The differences of neighbours in the flattened array, with something before and behind them if given."""
    x = ravel(asarray(ary, function="ediff1d"))
    if x.size:
        made = subtract(index(x, slice(1, None)), index(x, slice(None, -1)))
    else:
        made = x
    parts = [made]
    for given, front in ((to_begin, True), (to_end, False)):
        if given is None:
            continue
        end = ravel(asarray(given, function="ediff1d"))
        if not np.can_cast(end.dtype, x.dtype, "same_kind"):
            raise TypeError(f"ediff1d: cannot put {end.dtype.name} beside differences of dtype {x.dtype.name}")
        parts.insert(0 if front else len(parts), astype(end, x.dtype))
    return concatenate(parts) if len(parts) > 1 else made
