"""The normal form of a product of matrices, as schedules look at it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from ir.core.expr import Bound, Expr, Lambda, Param, postorder
from ir.core.layouts import layouts
from ir.core.patterns import MAP, Element, Join, Map, Reduce, Zip
from ir.core.sizes import Size, var
from ir.core.types import BOOL
from ir.cost.thresholds.products import BLOCK_BYTES_AT_MOST
from ir.rules.common import element, is_scalar_like, length
from ir.rules.opencl.vectorise import is_vectorisable
from ir.schedules.reductions.chains import is_parallel, short_chains
from ir.schedules.schedule import ALONE, MACHINE, Constraint, Machine, Parameter, Schedule, scalars_of
from ir.schedules.tactics import row_of, rows_in

__all__ = ["Product", "ProductSchedule", "fits_one_work_item", "lies_along", "reduced_in_nest", "run_of"]


@dataclass(frozen=True)
class Product:
    """`map (λrow. map (λcolumn. reduce f z (map g (zip(row, column)))) columns) rows`, each map joined or not.

    Attributes:
        columns: the array of columns, which no row decides
        reduction: that of a row and a column, over the opened variables
    """

    rows: Expr
    columns: Expr
    reduction: Reduce

    @classmethod
    def of(cls, e: Expr) -> Product | None:
        """The product that stands here; None where none does."""
        outer, row = rows_in(e).of(e), row_of(e)
        inner = None if row is None else rows_in(row).of(row)
        if not isinstance(outer, Map) or not isinstance(inner, Map) or inner.how != MAP:
            return None
        assert isinstance(outer.f, Lambda)
        ((variable,), _), f = outer.f.open(), inner.f
        if variable in postorder(inner.xs) or not isinstance(f, Lambda):
            return None
        ((column,), reduction) = f.open()
        if isinstance(reduction, Element) and reduction.index.value == 0:
            reduction = reduction.xs
        if not isinstance(reduction, Reduce) or not is_parallel(reduction) or not is_vectorisable(reduction.f):
            return None
        if not _of_pairs(reduction, variable, column):
            return None
        return cls(outer.xs, inner.xs, reduction)

    @property
    def extents(self) -> tuple[Size, Size, Size]:
        """The rows and columns of the result, and the terms of each of its elements."""
        return length(self.rows), length(self.columns), length(self.reduction.xs)


def reduced_in_nest(e: Expr) -> Reduce | None:
    """The reduction of a row and a column, as it is recorded: `join (map (λrow. join (map (λcolumn. reduce) columns))
    rows)`, where the row does not say which columns there are; None of anything else.
    """
    nest: list[Lambda] = []
    columns: Expr | None = None
    while isinstance(e, Join) and isinstance(e.xs, Map) and isinstance(e.xs.f, Lambda):
        columns = e.xs.xs
        nest.append(e.xs.f)
        e = e.xs.f.body
    match nest:
        case [*_, of_row, _] if isinstance(e, Reduce):
            assert columns is not None
            inside = postorder(columns, prune=lambda node: not node.loose)
            return None if any(isinstance(x, Bound) and x.binder_level == of_row.own_level for x in inside) else e
    return None


class ProductSchedule(Schedule):
    """What the schedules for products have in common: which product it is, looked for once."""

    def matches(self, e: Expr) -> bool:
        """Any product of matrices, of numbers."""
        product = self.found(e)
        return product is not None and BOOL not in scalars_of(product.reduction.init.type)

    def found(self, e: Expr) -> Product | None:
        """The product that the schedule is of; None where there is none."""
        return _product(e)

    def product(self, e: Expr) -> Product:
        """That of an expression which the schedule matches."""
        found = self.found(e)
        assert found is not None
        return found

    def extents(self, e: Expr, sizes: Mapping[str, int]) -> tuple[int, int, int]:
        """Rows, columns and terms at those sizes."""
        rows, columns, terms = (n.evaluate(sizes) for n in self.product(e).extents)
        return rows, columns, terms

    def fused(self, e: Expr) -> Parameter:
        """Whether a product and a sum are rounded once."""
        floats = any(part.is_float for part in scalars_of(self.product(e).reduction.init.type))
        return Parameter("fused", (0, 1) if floats else (0,))

    def is_fused(self, e: Expr, machine: Machine) -> int:
        """They are where it is one instruction."""
        return min(self.fused(e).values[-1], int(machine.fused_multiply_add))


@lru_cache(maxsize=256)
def _product(e: Expr) -> Product | None:
    return Product.of(e)


def _of_pairs(e: Reduce, row: Param, column: Param) -> bool:
    """Does a reduction read the row and the column in a zip, and nothing else of them?"""
    xs = e.xs
    while isinstance(xs, Map) and xs.how == MAP and is_vectorisable(xs.f):
        if {row, column} & set(postorder(xs.f)):
            return False
        xs = xs.xs
    if (
        not isinstance(xs, Zip)
        or not is_scalar_like(element(xs))
        or {row, column} & {*postorder(e.f), *postorder(e.init)}
    ):
        return False
    others = [x for x in xs.operands if x is not row and x is not column]
    return {row, column} <= set(xs.operands) and not any({row, column} & set(postorder(x)) for x in others)


def lies_along(rows: Expr) -> bool:
    """Do the elements of a row lie one after the other in memory, all or run by run?"""
    return any(layout[1] and layout[1][-1][1].value == 1 for layout in layouts(rows) if len(layout) > 1)


def run_of(rows: Expr) -> int | None:
    """How many elements of a row lie one after the other where it is made of several such runs; None where it is not,
    or that is not known. A loop of its own over each run asks for no quotients.
    """
    for layout in layouts(rows):
        if len(layout) > 1 and len(layout[1]) > 1:
            extent, stride = (n.value for n in layout[1][-1])
            if stride == 1 and extent is not None:
                return extent
    return None


def fits_one_work_item(reduction: Reduce, *shares: str) -> list[Constraint]:
    """Of a block that a work-item of a CPU computes: accumulators that fit the registers and have bounded rounding
    errors, each of which takes one of so many shares of the terms, and no other work-item in the group.
    """
    bytes_ = sum(part.bytes for part in scalars_of(reduction.init.type))
    return [
        ALONE,
        Constraint.le(var("rows", 1) * var("width", 1) * bytes_, BLOCK_BYTES_AT_MOST, "bytes of accumulators"),
        Constraint.le(var("fused", 0), MACHINE["fused_multiply_add"], "products and sums in one instruction"),
        *short_chains(reduction, *shares),
    ]
