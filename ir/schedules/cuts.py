"""Scans, scatters and sorts in parts: named strategies that cut an array into rows and a rest, then combine these."""

from __future__ import annotations

from ir.core.expr import Expr
from ir.core.sizes import Size, divide_exactly, size
from ir.rewrite.places import array, part, values
from ir.rewrite.strategy import Strategy, at, seq, tactic, use
from ir.rules.common import length
from ir.rules.folds.scan import scan_of_rows
from ir.rules.layout.concat import concat_of_nothing
from ir.rules.layout.ragged import array_partition
from ir.rules.maps.algorithmic import rows_introduction
from ir.rules.sorting.scatter import scatter_of_rows
from ir.rules.sorting.sort import sort_of_rows

__all__ = ["scan_partition", "scatter_to_parts", "sort_in_parts"]


@tactic
def in_rows(e: Expr, whole: Size, n: Size | int) -> Strategy:
    """xs  ->  concat(join (split n ys), zs): the first `whole` elements in rows of n, and the rest, if there is one."""
    cut, rows = use(array_partition, at=whole), use(rows_introduction, n=n)
    if length(e) is whole:
        return seq(cut, concat_of_nothing, rows)
    return seq(cut, at(part(0), rows))


def scan_partition(whole: Size, n: Size | int) -> Strategy:
    """scan f c xs  ->  a scan of each row of n elements and of the rest, each with the carry of those before it."""
    return seq(at(array, in_rows(whole, n)), scan_of_rows)


@tactic
def scatter_to_parts(e: Expr, whole: Size, parts: Size | int) -> Strategy | None:
    """scatter f key xs ys  ->  arrays of its own for each part of the values and for the rest, combined."""
    each = divide_exactly(whole, size(parts))
    if each is None or each.value == 0:
        return None
    return seq(at(values, in_rows(whole, each)), scatter_of_rows)


def sort_in_parts(whole: Size, n: Size | int) -> Strategy:
    """sort b key xs  ->  the values of each row of n elements and of the rest put where their keys' counts say."""
    return seq(at(array, in_rows(whole, n)), sort_of_rows)
