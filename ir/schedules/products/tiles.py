"""The schedule for products of matrices on GPUs: tiles for work-groups, staged in local memory in chunks, of which each
work-item computes a block in registers.
"""

from __future__ import annotations

from collections.abc import Mapping

from ir.core.expr import Expr
from ir.core.patterns import Join
from ir.core.sizes import Size, var
from ir.core.types import BOOL
from ir.cost.thresholds.defaults import (
    BLOCK_BYTES_ON_A_GPU_AT_MOST,
    LAUNCHED_GROUPS_AT_MOST,
    PRODUCT_FROM,
    TILE_OF_PRODUCT,
)
from ir.rewrite.derivation import Derivation
from ir.rewrite.places import body, joined, transposed, viewed
from ir.rewrite.strategy import Strategy, at, seq, succeed, use
from ir.rules.maps.fusion import elements_of_map
from ir.rules.opencl.lowering import map_to_workgroup
from ir.schedules.products.form import Product, lies_along
from ir.schedules.products.macros import (
    accumulate_together,
    below_head,
    below_views,
    blocks_together,
    columns_in_local,
    in_chunks,
    item_blocks,
    pad_to,
    rows_in_local,
    tiled,
    views_out,
)
from ir.schedules.reductions.chains import short_chains
from ir.schedules.schedule import MACHINE, Choices, Constraint, Machine, Parameter, Schedule, scalars_of, whole_blocks
from ir.schedules.tactics import row_of, rows_in, to_groups, when

__all__ = ["ProductByTiles"]


class ProductByTiles(Schedule):
    """A tile of the result for each work-group; its work-items stage what a chunk of terms reads in local memory, and
    each computes a block of the tile.
    """

    name = "product_tiles"
    exchanges = True

    def matches(self, e: Expr) -> bool:
        """Any product of matrices, of numbers."""
        product = Product.of(e)
        return product is not None and BOOL not in scalars_of(product.reduction.init.type)

    def parameters(self, e: Expr) -> tuple[Parameter, ...]:
        """Work-items of a group, down and across; rows and columns of each one's block; lanes of its vectors; terms of
        a chunk; whether rows and columns are read across the terms; whether a product and a sum are rounded once.
        """
        floats = any(part.is_float for part in scalars_of(Product.known(e).reduction.init.type))
        return (
            Parameter("down", (4, 8, 16)),
            Parameter("across", (4, 8, 16, 32)),
            Parameter("rows", (1, 2, 4, 8)),
            Parameter("columns", (1, 2, 4, 8)),
            Parameter("width", (1, 2, 4)),
            Parameter("chunk", (4, 8, 16, 32)),
            Parameter("rows_turned", (0, 1)),
            Parameter("columns_turned", (0, 1)),
            Parameter("fused", (0, 1) if floats else (0,)),
        )

    def default(self, e: Expr, machine: Machine, elements: int) -> dict[str, int]:
        """Large blocks; what lies together in memory is read together."""
        product = Product.known(e)
        fused = min(self.parameters(e)[-1].values[-1], int(machine.fused_multiply_add))
        turned = {"rows_turned": int(lies_along(product.rows)), "columns_turned": int(lies_along(product.columns))}
        return {**TILE_OF_PRODUCT, **turned, "fused": fused}

    def default_at(self, e: Expr, machine: Machine, elements: int, sizes: Mapping[str, int]) -> dict[str, int]:
        """Smaller blocks where large ones leave multiprocessors without one."""
        found = self.default(e, machine, elements)
        rows, columns, _ = (n.evaluate(sizes) for n in Product.known(e).extents)
        while found["rows"] > 2 and machine.compute_units > _tiles(rows, columns, found):
            found |= {"rows": found["rows"] // 2, "columns": found["columns"] // 2}
        return found | {"width": min(found["width"], found["columns"])}

    def is_preferred(self, e: Expr, machine: Machine, sizes: Mapping[str, int]) -> bool:
        """On a GPU, where there is something to stage."""
        rows, columns, terms = (n.evaluate(sizes) for n in Product.known(e).extents)
        return not machine.is_cpu and rows * columns * terms >= PRODUCT_FROM

    def constraints(self, e: Expr) -> list[Constraint]:
        """Work-items, local memory and registers that there are, and copies in which each work-item has its share."""
        product = Product.known(e)
        lanes = {name: var(name, 1) for name in ("down", "across", "rows", "columns", "width", "chunk")}
        items = lanes["down"] * lanes["across"]
        tall, wide = lanes["down"] * lanes["rows"], lanes["across"] * lanes["columns"]
        bytes_ = sum(part.bytes for part in scalars_of(product.reduction.init.type))
        staged, block = (tall + wide) * lanes["chunk"] * bytes_, lanes["rows"] * lanes["columns"]
        shares = [tall * lanes["chunk"] % items, wide * lanes["chunk"] % items]
        return [
            Constraint.le(items, MACHINE["max_work_group_size"], "work-items in a work-group"),
            Constraint.le(staged, MACHINE["local_memory_bytes"], "bytes of local memory"),
            Constraint.le(block * bytes_, BLOCK_BYTES_ON_A_GPU_AT_MOST, "bytes of accumulators"),
            *(
                Constraint.le(share, 0, "elements of a chunk that are no multiple of the work-items")
                for share in shares
            ),
            Constraint.le(lanes["columns"] % lanes["width"], 0, "columns that are no vectors"),
            Constraint.le(
                (product.extents[0] + tall - 1) // tall, LAUNCHED_GROUPS_AT_MOST, "work-groups over the rows"
            ),
            Constraint.le(var("fused", 0), MACHINE["fused_multiply_add"], "products and sums in one instruction"),
            *whole_blocks(product.extents[2], "chunk"),
            *short_chains(product.reduction),
        ]

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """head m ∘ map (head n) ∘ join ∘ mapWorkgroup1 (transpose ∘ join ∘ mapWorkgroup0 (.. mapLocal1 (mapLocal0
        (block)) (reduceSeq over chunks))
        """
        e = start.result
        tall, wide = choices["down"] * choices["rows"], choices["across"] * choices["columns"]
        columns = seq(when(isinstance(row_of(e), Join), elements_of_map), pad_to(wide))
        tiles = tiled(tall, wide, use(map_to_workgroup, dim=1), to_groups, _tile(Product.known(e).extents[2], choices))
        lowered = below_head(seq(views_out, below_views(tiles)))
        return start.then(at(rows_in(e), seq(at(body, columns), pad_to(tall), lowered)), self.name)


def _tile(terms: Size, choices: Choices) -> Strategy:
    """The tile of a work-group."""
    down, across = choices["down"], choices["across"]
    block = seq(accumulate_together, at(viewed, in_chunks(terms, choices["chunk"])))
    rows = (rows_in_local if choices["rows_turned"] else columns_in_local)(down, across)
    columns = (rows_in_local if choices["columns_turned"] else columns_in_local)(down, across)
    items = seq(blocks_together, item_blocks(choices["width"], bool(choices["fused"]), rows, columns))
    blocks = tiled(choices["rows"], choices["columns"], succeed, succeed, block)
    return seq(blocks, at(joined, seq(at(body, at(transposed / joined, views_out)), views_out, below_views(items))))


def _tiles(rows: int, columns: int, choices: Choices) -> int:
    tall, wide = choices["down"] * choices["rows"], choices["across"] * choices["columns"]
    return -(-rows // tall) * -(-columns // wide)
