"""The schedule for products of matrices on GPUs: tiles for work-groups, staged in local memory in chunks, of which each
work-item computes a block in registers.
"""

from __future__ import annotations

from collections.abc import Mapping

from ir.core.expr import Expr
from ir.core.sizes import Size, var
from ir.cost.thresholds.defaults import LAUNCHED_GROUPS_AT_MOST
from ir.cost.thresholds.products import (
    BANKS,
    BLOCK_BYTES_ON_A_GPU_AT_MOST,
    FEW_TERMS,
    PRODUCT_FROM,
    SMALLER_TILES,
    TILE_OF_FEW_TERMS,
    TILE_OF_PRODUCT,
)
from ir.rewrite.derivation import Derivation
from ir.rewrite.places import body, joined, transposed, viewed
from ir.rewrite.strategy import Strategy, at, seq, succeed, try_, use
from ir.rules.maps.fusion import elements_of_map
from ir.rules.opencl.lowering import map_to_workgroup
from ir.schedules.products.form import Product, ProductSchedule, lies_along
from ir.schedules.products.macros import (
    accumulate_together,
    below_views,
    blocks_together,
    columns_in_local,
    in_chunks,
    in_local,
    item_blocks,
    rows_in_local,
    tiled,
    views_out,
)
from ir.schedules.reductions.chains import short_chains
from ir.schedules.schedule import MACHINE, Choices, Constraint, Machine, Parameter, scalars_of, whole_blocks
from ir.schedules.tactics import below_head, pad_to, rows_in, to_groups

__all__ = ["ProductByTiles", "by_tiles", "tiles_of"]


class ProductByTiles(ProductSchedule):
    """A tile of the result for each work-group; its work-items stage what a chunk of terms reads in local memory, and
    each computes a block of the tile.
    """

    name = "product_tiles"
    exchanges = True
    tells_sizes_apart = True

    def parameters(self, e: Expr) -> tuple[Parameter, ...]:
        """Work-items of a group, down and across; rows and columns of each one's block; lanes of its vectors; terms of
        a chunk; whether rows and columns are read across the terms; elements between rows in local memory; lanes of the
        vectors that are copied there; whether the terms of a chunk are added without a loop; whether the next chunk is
        loaded meanwhile (1), and the last one again (2); whether a product and a sum are rounded once.
        """
        return (
            Parameter("down", (4, 8, 16)),
            Parameter("across", (4, 8, 16, 32)),
            Parameter("rows", (1, 2, 4, 8)),
            Parameter("columns", (1, 2, 4, 8)),
            Parameter("width", (1, 2, 4)),
            Parameter("chunk", (4, 8, 16, 32)),
            Parameter("rows_turned", (0, 1)),
            Parameter("columns_turned", (0, 1)),
            Parameter("apart", (0, 4)),
            Parameter("copied", (1, 2, 4)),
            Parameter("unrolled", (0, 1)),
            Parameter("ahead", tuple(range(3))),
            self.fused(e),
        )

    def default(self, e: Expr, machine: Machine, elements: int) -> dict[str, int]:
        """Large blocks; what lies together in memory is read together."""
        product = self.product(e)
        turned = {"rows_turned": int(lies_along(product.rows)), "columns_turned": int(lies_along(product.columns))}
        copied = TILE_OF_PRODUCT["copied"] if _in_vectors(product, TILE_OF_PRODUCT["copied"]) else 1
        return {**TILE_OF_PRODUCT, **turned, "copied": copied, "fused": self.is_fused(e, machine)}

    def default_at(self, e: Expr, machine: Machine, elements: int, sizes: Mapping[str, int]) -> dict[str, int]:
        """The largest tiles of which there are enough; those of fewer work-items where terms are few."""
        found = self.default(e, machine, elements)
        rows, columns, terms = self.extents(e, sizes)
        if terms <= FEW_TERMS:
            found |= TILE_OF_FEW_TERMS
        for tile in SMALLER_TILES:
            if 2 * tiles_of(rows, columns, found) >= 3 * machine.compute_units:
                break
            found |= tile
        return found

    def is_preferred(self, e: Expr, machine: Machine, sizes: Mapping[str, int]) -> bool:
        """On a GPU, where there is something to stage."""
        rows, columns, terms = self.extents(e, sizes)
        return not machine.is_cpu and rows * columns * terms >= PRODUCT_FROM

    def constraints(self, e: Expr) -> list[Constraint]:
        """Those of the machine, and bounded rounding errors."""
        product = self.product(e)
        return [*self.limits(e, product.extents[2]), *short_chains(product.reduction)]

    def limits(self, e: Expr, terms: Size) -> list[Constraint]:
        """Work-items, local memory and registers that there are, and copies in which each work-item has its share."""
        product = self.product(e)
        lanes = {name: var(name, 1) for name in ("down", "across", "rows", "columns", "width", "chunk")}
        items = lanes["down"] * lanes["across"]
        tall, wide = lanes["down"] * lanes["rows"], lanes["across"] * lanes["columns"]
        bytes_ = sum(part.bytes for part in scalars_of(product.reduction.init.type))
        apart, block = var("apart", 0), lanes["rows"] * lanes["columns"]
        staged = (tall + apart + wide + apart * ((wide + BANKS - 1) // BANKS)) * lanes["chunk"] * bytes_
        copies = items * var("copied", 1)
        shares = [tall * lanes["chunk"] % copies, wide * lanes["chunk"] % copies]
        return [
            Constraint.le(items, MACHINE["max_work_group_size"], "work-items in a work-group"),
            Constraint.le(staged, MACHINE["local_memory_bytes"], "bytes of local memory"),
            Constraint.le(block * bytes_, BLOCK_BYTES_ON_A_GPU_AT_MOST, "bytes of accumulators"),
            Constraint.le(
                (var("ahead", 0) + 1) // 2 * (tall + wide) * lanes["chunk"] * bytes_,
                items * BLOCK_BYTES_ON_A_GPU_AT_MOST,
                "bytes that are loaded ahead",
            ),
            *(
                Constraint.le(share, 0, "elements of a chunk that are no multiple of the work-items")
                for share in shares
            ),
            Constraint.le(lanes["columns"] % lanes["width"], 0, "columns that are no vectors"),
            Constraint.le(
                (product.extents[0] + tall - 1) // tall, LAUNCHED_GROUPS_AT_MOST, "work-groups over the rows"
            ),
            Constraint.le(var("fused", 0), MACHINE["fused_multiply_add"], "products and sums in one instruction"),
            *whole_blocks(terms, "chunk"),
        ]

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """head m ∘ map (head n) ∘ join ∘ mapWorkgroup1 (transpose ∘ join ∘ mapWorkgroup0 (.. mapLocal1 (mapLocal0
        (block)) (reduceSeq over chunks))
        """
        e = start.result
        elements = at(body, try_(elements_of_map))
        tiles = by_tiles(self.product(e).extents[2], choices)
        return start.then(at(rows_in(e), seq(elements, tiles)), self.name)


def _in_vectors(product: Product, width: int) -> bool:
    """Are all rows known to be made of vectors, so that these are aligned?"""
    return all((n % width).value == 0 for n in product.extents)


def by_tiles(terms: Size, choices: Choices) -> Strategy:
    """map (λr. map g cs) rs, a tile of it for each work-group of the first two dimensions."""
    tall, wide = choices["down"] * choices["rows"], choices["across"] * choices["columns"]
    tiles = tiled(tall, wide, use(map_to_workgroup, dim=1), to_groups, _tile(terms, choices))
    return seq(at(body, pad_to(wide)), pad_to(tall), below_head(seq(views_out, below_views(tiles))))


def _tile(terms: Size, choices: Choices) -> Strategy:
    """The tile of a work-group."""
    down, across = choices["down"], choices["across"]
    block = seq(accumulate_together, at(viewed, in_chunks(terms, choices["chunk"])))
    apart = choices["apart"]
    copied = choices["copied"]
    rows = (
        rows_in_local(down, across, in_local(apart, 0), copied)
        if choices["rows_turned"]
        else columns_in_local(down, across, in_local(0, 0), copied)
    )
    stage = rows_in_local if choices["columns_turned"] else columns_in_local
    columns = stage(down, across, in_local(apart, BANKS), copied)
    fused, unrolled = (bool(choices[name]) for name in ("fused", "unrolled"))
    items = seq(blocks_together, item_blocks(choices["width"], fused, rows, columns, unrolled, choices["ahead"]))
    blocks = tiled(choices["rows"], choices["columns"], succeed, succeed, block)
    return seq(blocks, at(joined, seq(at(body, at(transposed / joined, views_out)), views_out, below_views(items))))


def tiles_of(rows: int, columns: int, choices: Choices) -> int:
    """How many tiles a matrix has."""
    tall, wide = choices["down"] * choices["rows"], choices["across"] * choices["columns"]
    return -(-rows // tall) * -(-columns // wide)
