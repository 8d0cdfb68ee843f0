"""The schedule for products of few results and many terms on GPUs: each part of the terms is a product by tiles, and a
second kernel adds the parts up.
"""

from __future__ import annotations

from collections.abc import Mapping

from ir.core.expr import Expr
from ir.core.sizes import var
from ir.cost.thresholds.products import (
    FEWEST_RESULTS,
    PRODUCT_ITEMS_PER_UNIT,
    PRODUCT_PARTS_ON_A_GPU_AT_MOST,
    SHARED_TERMS_FROM,
    SHARED_TERMS_OF_LARGE_TILES_FROM,
    TILE_OF_MORE_RESULTS,
    TILE_OF_PRODUCT,
    TILE_OF_PRODUCT_IN_PARTS,
)
from ir.rewrite.derivation import Derivation
from ir.rewrite.places import array, body, joined, part, transposed, viewed
from ir.rewrite.strategy import at, seq, try_, use
from ir.rules.maps.fusion import elements_of_map, map_of_elements
from ir.rules.opencl.lowering import map_to_global, map_to_workgroup
from ir.rules.opencl.memory import to_global
from ir.schedules.products.parts import limits_of_parts, part_by_part, parts_apart, rows_in_parts, sums_of_parts
from ir.schedules.products.tiles import ProductByTiles, by_tiles, tiles_of
from ir.schedules.reductions.chains import short_chains
from ir.schedules.schedule import Choices, Constraint, Machine, Parameter
from ir.schedules.tactics import over, rows_in, to_grid

__all__ = ["ProductByTilesInParts"]


class ProductByTilesInParts(ProductByTiles):
    """A part of the terms for each work-group of the third dimension, and a second kernel that adds the parts up."""

    name = "product_tile_parts"

    def parameters(self, e: Expr) -> tuple[Parameter, ...]:
        """The parts, and what tiles have."""
        return (Parameter("parts", (4, 8, 16, 32, 64, 128, 256, 512)), *super().parameters(e))

    def default(self, e: Expr, machine: Machine, elements: int) -> dict[str, int]:
        """Small tiles, of which there are many."""
        return {"parts": 8, **super().default(e, machine, elements), **TILE_OF_PRODUCT_IN_PARTS}

    def default_at(self, e: Expr, machine: Machine, elements: int, sizes: Mapping[str, int]) -> dict[str, int]:
        """Larger tiles for more results, and as many parts as give each compute unit enough to do."""
        found = self.default(e, machine, elements)
        rows, columns, terms = self.extents(e, sizes)
        if rows * columns > FEWEST_RESULTS:
            found |= {**TILE_OF_PRODUCT, "copied": found["copied"]}
            if terms < SHARED_TERMS_OF_LARGE_TILES_FROM or _are_few(rows, columns, machine):
                found |= TILE_OF_MORE_RESULTS
        items = tiles_of(rows, columns, found) * found["down"] * found["across"]
        values = [p for p in self.parameters(e)[0].values if p <= PRODUCT_PARTS_ON_A_GPU_AT_MOST]
        most = PRODUCT_ITEMS_PER_UNIT * machine.compute_units
        fitting = [p for p in values if p * found["chunk"] <= terms and p * items <= most]
        return found | {"parts": max(fitting, default=values[0])}

    def is_preferred(self, e: Expr, machine: Machine, sizes: Mapping[str, int]) -> bool:
        """On a GPU, where results are too few for all compute units and terms are many; the more terms, the more
        results are too few.
        """
        rows, columns, terms = self.extents(e, sizes)
        if machine.is_cpu or rows * columns == 0 or terms < SHARED_TERMS_FROM:
            return False
        large = 2 * tiles_of(rows, columns, TILE_OF_PRODUCT) >= 3 * machine.compute_units
        return _are_few(rows, columns, machine) or (terms >= SHARED_TERMS_OF_LARGE_TILES_FROM and not large)

    def constraints(self, e: Expr) -> list[Constraint]:
        """Those of tiles, of a part of the terms; terms for all parts."""
        product = self.product(e)
        return [
            *limits_of_parts(product),
            *self.limits(e, product.extents[2] // var("parts", 1)),
            *short_chains(product.reduction, "parts"),
        ]

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """map (mapGlobal (reduceSeq)) ∘ map transpose ∘ transpose ∘ toGlobal (mapWorkgroup2 (tiles of a part))"""
        e = start.result
        terms, parts = self.product(e).extents[2], choices["parts"]
        cut = at(body / viewed, rows_in_parts(terms, parts))
        elements = seq(try_(elements_of_map), cut)
        tiles = over(use(map_to_workgroup, dim=2), by_tiles(terms // parts, choices))
        made = seq(part_by_part, at(array / transposed, seq(tiles, to_global)))
        added = over(use(map_to_global, dim=1), seq(map_of_elements, at(joined, over(to_grid, sums_of_parts))))
        both = seq(at(body, elements), parts_apart, at(array / part(0), made), added)
        return start.then(at(rows_in(e), both), self.name)


def _are_few(rows: int, columns: int, machine: Machine) -> bool:
    """Has a result fewer than one of the smaller tiles for two compute units?"""
    return 2 * tiles_of(rows, columns, {**TILE_OF_PRODUCT, **TILE_OF_MORE_RESULTS}) <= machine.compute_units
