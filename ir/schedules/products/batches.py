"""The schedule for many products of matrices on CPUs: a work-group for each, which computes it block by block."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from ir.core.expr import Expr
from ir.core.patterns import MAP, Map
from ir.rewrite.derivation import Derivation
from ir.rewrite.places import body
from ir.rewrite.strategy import at, seq, try_
from ir.rules.maps.fusion import elements_of_map
from ir.schedules.maps.flat import WIDTHS
from ir.schedules.products.blocks import BLOCKS, block_of
from ir.schedules.products.form import Product, ProductSchedule, fits_one_work_item
from ir.schedules.products.macros import blocks_in_place
from ir.schedules.schedule import Choices, Constraint, Machine, Parameter, up_to
from ir.schedules.tactics import over, row_of, rows_in, to_groups

__all__ = ["ProductsOneByOne", "is_of_products", "one_of"]


class ProductsOneByOne(ProductSchedule):
    """A work-group of one work-item for each product, which takes a block of rows and columns in one turn."""

    name = "products"

    def matches(self, e: Expr) -> bool:
        """A map whose function multiplies matrices of numbers."""
        return is_of_products(e) and super().matches(e)

    def found(self, e: Expr) -> Product | None:
        """One of the products, over the opened variable."""
        return one_of(e)

    def parameters(self, e: Expr) -> tuple[Parameter, ...]:
        """The rows and the columns of a block, and whether a product and a sum are rounded once."""
        return (
            Parameter("rows", BLOCKS),
            Parameter("width", WIDTHS),
            self.fused(e),
        )

    def default(self, e: Expr, machine: Machine, elements: int) -> dict[str, int]:
        """Blocks that fill the registers."""
        return {**block_of(self.product(e).reduction.init.type, machine), "fused": self.is_fused(e, machine)}

    def default_at(self, e: Expr, machine: Machine, elements: int, sizes: Mapping[str, int]) -> dict[str, int]:
        """Blocks that are no larger than the matrix."""
        found = self.default(e, machine, elements)
        rows, columns, _ = self.extents(e, sizes)
        return {
            **found,
            "rows": up_to(min(rows, found["rows"]), BLOCKS),
            "width": up_to(min(columns, found["width"]), WIDTHS),
        }

    def is_preferred(self, e: Expr, machine: Machine, sizes: Mapping[str, int]) -> bool:
        """On a CPU."""
        return machine.is_cpu

    def constraints(self, e: Expr) -> list[Constraint]:
        """Accumulators that fit the registers and have bounded rounding errors, one work-item for a group."""
        return fits_one_work_item(self.product(e).reduction)

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """mapWorkgroup (join ∘ mapSeq (block of rows and columns) ..)"""
        e = start.result
        one, (rows, columns, _) = row_of(e), self.product(e).extents
        assert one is not None
        blocks = blocks_in_place((rows, columns), choices["rows"], choices["width"], bool(choices["fused"]))
        elements = at(body, try_(elements_of_map))
        return start.then(at(rows_in(e), over(to_groups, at(rows_in(one), seq(elements, blocks)))), self.name)


def is_of_products(e: Expr) -> bool:
    """Is it a map, joined or not, that no level of the machine has been given to?"""
    rows = rows_in(e).of(e)
    return isinstance(rows, Map) and rows.how == MAP


@lru_cache(maxsize=256)
def one_of(e: Expr) -> Product | None:
    """One of many products, over the opened variable; None where there are none."""
    one = row_of(e)
    return None if one is None else Product.of(one)
