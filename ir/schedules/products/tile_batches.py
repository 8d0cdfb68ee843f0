"""The schedule for many products of matrices on GPUs: each one by tiles, in work-groups of its own."""

from __future__ import annotations

from collections.abc import Mapping

from ir.core.expr import Expr
from ir.core.patterns import Transpose
from ir.cost.thresholds.defaults import LAUNCHED_GROUPS_AT_MOST
from ir.cost.thresholds.products import TILE_OF_PRODUCTS
from ir.rewrite.derivation import Derivation
from ir.rewrite.places import body
from ir.rewrite.strategy import at, seq, try_, use
from ir.rules.maps.fusion import elements_of_map
from ir.rules.opencl.lowering import map_to_workgroup
from ir.schedules.products.batches import is_of_products, one_of
from ir.schedules.products.form import Product
from ir.schedules.products.tiles import ProductByTiles, by_tiles
from ir.schedules.schedule import Choices, Constraint, Machine
from ir.schedules.tactics import count_of_rows, over, row_of, rows_in

__all__ = ["ProductsByTiles"]


class ProductsByTiles(ProductByTiles):
    """A tile of one of the products for each work-group, whose third dimension is that of the products."""

    name = "products_tiles"

    def matches(self, e: Expr) -> bool:
        """A map whose function multiplies matrices of numbers."""
        return is_of_products(e) and super().matches(e)

    def found(self, e: Expr) -> Product | None:
        """One of the products, over the opened variable."""
        return one_of(e)

    def default(self, e: Expr, machine: Machine, elements: int) -> dict[str, int]:
        """Small tiles, as there are many products."""
        product = self.product(e)
        turned = {"rows_turned": int(_in_order(product.rows)), "columns_turned": int(_in_order(product.columns))}
        return {**super().default(e, machine, elements), **TILE_OF_PRODUCTS, **turned}

    def default_at(self, e: Expr, machine: Machine, elements: int, sizes: Mapping[str, int]) -> dict[str, int]:
        """Tiles that are no larger than it takes."""
        found = self.default(e, machine, elements)
        rows, columns, _ = self.extents(e, sizes)
        while found["rows"] > 1 and found["down"] * found["rows"] >= 2 * rows:
            found |= {"rows": found["rows"] // 2}
        while found["columns"] > 1 and found["across"] * found["columns"] >= 2 * columns:
            found |= {"columns": found["columns"] // 2}
        return found | {"width": min(found["width"], found["columns"])}

    def constraints(self, e: Expr) -> list[Constraint]:
        """Those of tiles; work-groups for all products."""
        return [*super().constraints(e), Constraint.le(count_of_rows(e), LAUNCHED_GROUPS_AT_MOST, "products")]

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """mapWorkgroup2 (tiles of a product)"""
        e = start.result
        one = row_of(e)
        assert one is not None
        elements = at(body, try_(elements_of_map))
        tiles = at(rows_in(one), seq(elements, by_tiles(self.product(e).extents[2], choices)))
        return start.then(at(rows_in(e), over(use(map_to_workgroup, dim=2), tiles)), self.name)


def _in_order(rows: Expr) -> bool:
    """Are they the rows of one of many matrices, not its columns?"""
    return not isinstance(rows, Transpose)
