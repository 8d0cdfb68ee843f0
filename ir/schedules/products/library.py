"""The schedule for products of matrices that the host's library of linear algebra computes, where it sees the memory.

It is for plain products only: of two arrays of floats as they lie in memory, or transposed, or parts of them, and many
such products. What the library is called with is read off the low-level expression: nothing is decided later.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from ir.core.expr import Expr, postorder
from ir.core.patterns import Get, Zip, length_of
from ir.core.sizes import Size, size
from ir.core.types import ScalarType, element_type
from ir.cost.libraries import library_multiplies
from ir.cost.thresholds.products import LIBRARY_EXTENT_AT_LEAST
from ir.rewrite.derivation import Derivation
from ir.rewrite.strategy import at
from ir.rules.opencl.library import factors_of_sum, map_to_library, opened
from ir.schedules.schedule import MACHINE, Choices, Constraint, Machine, Schedule
from ir.schedules.strides import Located, located
from ir.schedules.tactics import rows_in

__all__ = ["LibraryProduct", "Matrices", "ProductByLibrary"]


@dataclass(frozen=True)
class Matrices:
    """Matrices in an array in memory: where their elements are, counted in elements.

    Attributes:
        array: the array's name
        strides: from one matrix to the next, and between rows and columns of one
    """

    array: str
    offset: Size
    strides: tuple[Size, Size, Size]


@dataclass(frozen=True)
class LibraryProduct:
    """So many products of matrices, which lie in the result row by row.

    Attributes:
        extents: how many, rows of each, terms, columns
    """

    dtype: ScalarType
    extents: tuple[Size, Size, Size, Size]
    left: Matrices
    right: Matrices

    @classmethod
    def of(cls, e: Expr) -> LibraryProduct | None:
        """The products that an expression is, lowered or not; None where it is none that the library computes as it is
        meant: of a layout that it does not know, NumPy would add up the products one by one.
        """
        return _found(e)

    @property
    def numbers(self) -> tuple[Size, ...]:
        """The extents, then offset and strides of both operands."""
        return (*self.extents, *(n for m in (self.left, self.right) for n in (m.offset, *m.strides)))


@lru_cache(maxsize=256)
def _found(e: Expr) -> LibraryProduct | None:
    one = _product(e, {}, size(1))
    if one is not None:
        return one
    many = opened(e)
    if many is None or len(many[0]) != 1:
        return None
    (variable,), inner, xs = many
    places = {}
    for i, x in enumerate(xs.operands if isinstance(xs, Zip) else (xs,)):
        place = located(x, {})
        if place is None or len(place.layout) < 2 or len(place.layout[0]) > 1:
            return None
        between = place.layout[0][0][1] if place.layout[0] else size(0)
        matrix = replace(place, layout=place.layout[1:], between=between)
        places[Get(i, variable) if isinstance(xs, Zip) else variable] = matrix
    return _product(inner, places, length_of(xs))


def _product(e: Expr, variables: Mapping[Expr, Located], count: Size) -> LibraryProduct | None:
    """So many products, of which one stands here, over variables that lie there."""
    outer = opened(e)
    inner = None if outer is None else opened(outer[1])
    factors = None if inner is None else factors_of_sum(inner[1])
    if outer is None or inner is None or factors is None:
        return None
    left, right = (_rows(level, factors, variables) for level in (outer, inner))
    if left is None or right is None:
        return None
    strides = _strides(left), _strides(right)
    if None in strides:
        return None
    (row, term), (column, other) = strides  # type: ignore[misc]  # both are known
    dtype = element_type(e.type)
    assert isinstance(dtype, ScalarType)
    return LibraryProduct(
        dtype,
        (count, length_of(outer[2]), length_of(factors[0]), length_of(inner[2])),
        Matrices(left.array, left.offset, (left.between, row, term)),
        Matrices(right.array, right.offset, (right.between, other, column)),
    )


def _rows(
    level: tuple[tuple[Expr, ...], Expr, Expr], factors: tuple[Expr, Expr], variables: Mapping[Expr, Located]
) -> Located | None:
    """Where the elements are of what one of the factors shows of each element of the array that a map is over."""
    ((variable,), _, xs), found = level, None
    rows = located(xs, variables)
    if rows is None:
        return None
    first, *rest = rows.layout
    for factor in factors:
        row = located(factor, {variable: replace(rows, layout=tuple(rest))})
        if row is not None and variable in postorder(factor):
            found = replace(row, layout=(first, *row.layout))
    return found


def _strides(place: Located) -> tuple[Size, Size] | None:
    """Between rows, and between the elements of a row; None where neither are side by side."""
    if len(place.layout) != 2 or any(len(level) > 1 for level in place.layout):
        return None
    rows, elements = (level[0][1] if level else size(1) for level in place.layout)
    values = rows.value, elements.value
    return (rows, elements) if 1 in values and 0 not in values else None


class ProductByLibrary(Schedule):
    """One call of the host's library of linear algebra."""

    name = "product_library"
    by_library = True

    def matches(self, e: Expr) -> bool:
        """A product of matrices, or many of them, in a layout that the library knows."""
        return LibraryProduct.of(e) is not None

    def is_preferred(self, e: Expr, machine: Machine, sizes: Mapping[str, int]) -> bool:
        """Where the library may be called, and kernels would not take clearly less."""
        product = LibraryProduct.of(e)
        assert product is not None
        count, rows, terms, columns = (n.evaluate(sizes) for n in product.extents)
        return machine.host_library and library_multiplies(count, rows, terms, columns, product.dtype.bytes, machine)

    def constraints(self, e: Expr) -> list[Constraint]:
        """A library that sees the memory; no vectors, whose products it carries in few numbers however long they are.

        All sizes of a class are as long, once one of them is.
        """
        product = LibraryProduct.of(e)
        assert product is not None
        _, rows, _, columns = product.extents
        here = Constraint.le(1, MACHINE["host_library"], "calls of the host's library, which may compute nothing here")
        return [
            here,
            *(Constraint.le(LIBRARY_EXTENT_AT_LEAST, n, "vectors among the matrices") for n in (rows, columns)),
        ]

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """mapLibrary f, or join of it"""
        return start.then(at(rows_in(start.result), map_to_library), self.name)
