"""The schedule for sorts that the host's library carries out, where it sees the memory: of numbers by their own order.

The rows are an array as it lies in memory, or a view of one with even strides. What the library is called with is read
off the low-level expression: nothing is decided later.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from ir.core.expr import Expr, postorder
from ir.core.layouts import Level
from ir.core.patterns import Sort, length_of
from ir.core.sizes import Size, size
from ir.core.sort_keys import order_of_numbers
from ir.core.types import ScalarType, element_type
from ir.cost.sorting import library_sorts
from ir.rewrite.derivation import Derivation
from ir.rewrite.places import joined
from ir.rewrite.strategy import at, seq
from ir.rules.opencl.library import opened, sort_to_library
from ir.rules.sorting.sort import sort_as_row
from ir.schedules.schedule import MACHINE, Choices, Constraint, Machine, Schedule
from ir.schedules.strides import Located, located
from ir.schedules.tactics import rows_in

__all__ = ["LibrarySort", "SortByLibrary"]


@dataclass(frozen=True)
class LibrarySort:
    """So many rows of numbers, each to be brought into order; they lie in the result row by row.

    Attributes:
        array: the array's name
        offset: the first element that is read, counted in elements
        dimensions: the rows and what is in them, the last fastest: extent and stride of each dimension
    """

    dtype: ScalarType
    descending: bool
    rows: Size
    length: Size
    array: str
    offset: Size
    dimensions: Level

    @classmethod
    def of(cls, e: Expr) -> LibrarySort | None:
        """The rows that an expression sorts, lowered or not; None where it does something else."""
        return _found(e)

    @property
    def numbers(self) -> tuple[Size, ...]:
        """Rows and their length, the order, the first element, then all extents and all strides."""
        extents, strides = ([pair[i] for pair in self.dimensions] for i in (0, 1))
        return (self.rows, self.length, size(int(self.descending)), self.offset, *extents, *strides)


@lru_cache(maxsize=256)
def _found(e: Expr) -> LibrarySort | None:
    sort: Expr = e
    rows = size(1)
    if isinstance(e, Sort):
        place = located(e.xs, {})
        levels = () if place is None else ((), *place.layout)
    else:
        many = opened(e)
        if many is None:
            return None
        (row, *_), sort, xs = many
        whole = located(xs, {})
        if not isinstance(sort, Sort) or whole is None or row not in postorder(sort.xs):
            return None
        rows = length_of(xs)
        place = located(sort.xs, {row: Located(whole.array, whole.offset, whole.layout[1:])})
        levels = () if place is None else (whole.layout[0], *place.layout)
    assert isinstance(sort, Sort)
    order = order_of_numbers(sort)
    if place is None or order is None or len(levels) != 2:
        return None
    dtype = element_type(sort.type)
    assert isinstance(dtype, ScalarType)
    dimensions = tuple(pair for level in levels for pair in level)
    return LibrarySort(dtype, order == "descending", rows, length_of(sort), place.array, place.offset, dimensions)


class SortByLibrary(Schedule):
    """One call of the host's library."""

    name = "sort_library"
    by_library = True

    def matches(self, e: Expr) -> bool:
        """A sort of numbers by their own order, or of the rows of a matrix, in a layout with even strides."""
        return LibrarySort.of(e) is not None

    def is_preferred(self, e: Expr, machine: Machine, sizes: Mapping[str, int]) -> bool:
        """Where it is predicted to take less time than sorts by digits."""
        sort = LibrarySort.of(e)
        assert sort is not None
        rows, length = sort.rows.evaluate(sizes), sort.length.evaluate(sizes)
        shared = sort.dtype.bytes, rows, length, machine.compute_units
        return machine.host_library and library_sorts(*shared, machine.host_sort_seconds)

    def constraints(self, e: Expr) -> list[Constraint]:
        """A library that sees the memory."""
        return [
            Constraint.le(1, MACHINE["host_library"], "calls of the host's library, which may compute nothing here")
        ]

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """mapLibrary (sort b key), or join of it"""
        if isinstance(start.result, Sort):
            return start.then(seq(sort_as_row, at(joined, sort_to_library)), self.name)
        return start.then(at(rows_in(start.result), sort_to_library), self.name)
