"""Rows in lexicographic order, however many columns they have.

Sorting by one column after the other carries all columns along: the work grows with the square of their number. So many
columns become fewer: each element its rank in its column, and the ranks of as many columns as fit one integer.
"""

from __future__ import annotations

from lazyarr.api.elementwise.standard import equal, logical_or, not_equal
from lazyarr.api.order.sorting import argsort
from lazyarr.api.reduce.scans import cumsum
from lazyarr.api.select.taking import take_along_axis
from lazyarr.api.shape.joining import concat, stack
from lazyarr.array import Array
from lazyarr.dtypes import int64
from lazyarr.recording.conversion import astype
from lazyarr.recording.filled import zeros
from lazyarr.recording.indexing import index
from lazyarr.recording.movement import reshape

__all__ = ["fewer_columns"]


def fewer_columns(columns: Array, most: int) -> Array:
    """A matrix of `most` columns or fewer, in which rows are ordered as before.

    Args:
        columns: a matrix with a column in each row, those that count most first; it has elements
    """
    if columns.dtype.kind == "c":
        columns = reshape(stack([columns.real, columns.imag], axis=1), (-1, columns.shape[1]))
    extent = columns.shape[1]
    together = 63 // max(1, (extent - 1).bit_length())  # ranks in an int64
    while columns.shape[0] > most:
        columns = _packed(_ranks(columns), max(2, together), extent)
    return columns


def _ranks(columns: Array) -> Array:
    """How many distinct elements of its column are less than each; NaNs are one, and greater than all."""
    order = argsort(columns, axis=1)
    ordered = take_along_axis(columns, order, axis=1)
    after, before = index(ordered, (slice(None), slice(1, None))), index(ordered, (slice(None), slice(None, -1)))
    differ = not_equal(after, before)
    if columns.dtype.kind == "f":
        differ = differ & logical_or(equal(after, after), equal(before, before))
    first = zeros((columns.shape[0], 1), dtype=int64, device=columns.placed)
    ranks = cumsum(concat([first, astype(differ, int64)], axis=1), axis=1)
    return take_along_axis(ranks, argsort(order, axis=1), axis=1)


def _packed(ranks: Array, together: int, extent: int) -> Array:
    """So many columns of ranks below `extent` as digits of one number."""
    count = ranks.shape[0]
    if count % together:  # zeros in front count nothing
        padding = zeros((-count % together, extent), dtype=int64, device=ranks.placed)
        ranks = concat([padding, ranks], axis=0)
    packed = index(ranks, slice(0, None, together))
    for digit in range(1, min(together, ranks.shape[0])):
        packed = packed * extent + index(ranks, slice(digit, None, together))
    return packed
