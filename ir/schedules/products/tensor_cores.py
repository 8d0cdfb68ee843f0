"""The schedule for products of TF32 numbers on GPUs with tensor cores: tiles for work-groups, staged in local memory in
chunks, of which each warp multiplies small matrices.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ir.core.expr import Expr, Lambda
from ir.core.nodes.tensor_cores import MMA_COLUMNS, MMA_HELD, MMA_ROWS, MMA_TERMS
from ir.core.patterns import Call, Map
from ir.core.signature import LANES
from ir.core.sizes import LIMIT_32, ceil_div, size, var
from ir.core.types import FLOAT32
from ir.cost.thresholds.defaults import LAUNCHED_GROUPS_AT_MOST
from ir.cost.thresholds.products import (
    BLOCK_BYTES_ON_A_GPU_AT_MOST,
    PACKED_FROM,
    PACKED_ONE_BY_ONE_FROM,
    PACKED_WARP_TILE,
    PRODUCT_FROM,
    SMALLER_PACKED_WARP_TILES,
    SMALLER_WARP_TILES,
    WARP_TILE_OF_PRODUCT,
)
from ir.rewrite.derivation import Derivation
from ir.rewrite.places import body
from ir.rewrite.strategy import at, seq, try_
from ir.rules.maps.fusion import elements_of_map
from ir.rules.opencl.tensor_cores import is_zero_of_zeros
from ir.schedules.products.form import Product, ProductSchedule, lies_along
from ir.schedules.products.tiles import tiles_of
from ir.schedules.products.warp_tiles import APART, by_warp_tiles
from ir.schedules.reductions.chains import short_chains
from ir.schedules.schedule import MACHINE, Choices, Constraint, Machine, Parameter, satisfied
from ir.schedules.tactics import rows_in

__all__ = ["ProductByTensorCores"]

_CHUNKS = (8, 16, 32)
"""Terms that may be staged at once; each a multiple of the one before."""


class ProductByTensorCores(ProductSchedule):
    """A tile of the result for each work-group, a part of it for each of its warps; all work-items stage what a chunk
    of terms reads in local memory.
    """

    name = "product_warp_tiles"
    exchanges = True
    tells_sizes_apart = True

    def matches(self, e: Expr) -> bool:
        """A sum of products of float32 numbers, each of which is rounded to TF32: of as many as any chunk has, or those
        of zeros, which fill the last chunk up, add nothing.
        """
        product = self.found(e)
        if product is None or product.extents[2].value == 0 or not _is_of_tf32(product):
            return False
        reduction = product.reduction
        assert isinstance(reduction.xs, Map)
        assert isinstance(reduction.xs.f, Lambda)
        return (product.extents[2] % max(_CHUNKS)).value == 0 or is_zero_of_zeros(reduction.xs.f, reduction.init)

    def parameters(self, e: Expr) -> tuple[Parameter, ...]:
        """Warps of a group, down and across; rows and columns of each one's block; terms of a chunk; whether rows and
        columns are kept as they lie, across the terms; lanes of the vectors that are copied; whether the next chunk is
        loaded meanwhile (1), without any test (2); whether both are rounded and put in order by kernels before,
        so that as many chunks are copied ahead.
        """
        return (
            Parameter("down", (1, 2, 4)),
            Parameter("across", (1, 2, 4)),
            Parameter("rows", (16, 32, 64)),
            Parameter("columns", (16, 32, 64)),
            Parameter("chunk", _CHUNKS),
            Parameter("rows_turned", (0, 1)),
            Parameter("columns_turned", (0, 1)),
            Parameter("copied", (1, 2, 4)),
            Parameter("ahead", tuple(range(4))),
            Parameter("packed", (0, 1)),
        )

    def default(self, e: Expr, machine: Machine, elements: int) -> dict[str, int]:
        """Large blocks; what lies together in memory is read together."""
        product = self.product(e)
        turned = {"rows_turned": int(lies_along(product.rows)), "columns_turned": int(lies_along(product.columns))}
        wide = WARP_TILE_OF_PRODUCT["copied"]
        copied = wide if all((n % wide).value == 0 for n in product.extents) else 1
        return {**WARP_TILE_OF_PRODUCT, **turned, "copied": copied, "packed": 0}

    def default_at(self, e: Expr, machine: Machine, elements: int, sizes: Mapping[str, int]) -> dict[str, int]:
        """The largest tiles of which there are enough."""
        first = self.default(e, machine, elements)
        rows, columns, _ = self.extents(e, sizes)

        def chosen(tile: dict[str, int], smaller: Iterable[tuple[int, Mapping[str, int]]]) -> dict[str, int]:
            for fewest, other in smaller:
                if 4 * tiles_of(rows, columns, tile) >= fewest * machine.compute_units:
                    break
                tile = {**tile, **other}
            return tile

        packed = chosen({**first, **PACKED_WARP_TILE}, SMALLER_PACKED_WARP_TILES)
        least = PACKED_FROM if first["copied"] > 1 else PACKED_ONE_BY_ONE_FROM
        if rows * columns >= least * (rows + columns) and satisfied(self._counted(e), packed, sizes) is None:
            return packed
        return chosen(first, SMALLER_WARP_TILES)

    def _counted(self, e: Expr) -> list[Constraint]:
        """Packed factors, filled up to whole tiles, that indices of 32 bits count at any size of the class."""
        rows, columns, terms = self.product(e).extents
        names = ("down", "across", "rows", "columns", "chunk")
        down, across, tall, wide, chunk = (var(name, 1) for name in names)
        of_factor = (
            ceil_div(extent, tile) * tile * ceil_div(terms, chunk) * chunk
            for extent, tile in ((rows, down * tall), (columns, across * wide))
        )
        packed = var("packed", 0, 1)
        return [Constraint.le(packed * n, LIMIT_32, "elements of a factor", throughout=True) for n in of_factor]

    def is_preferred(self, e: Expr, machine: Machine, sizes: Mapping[str, int]) -> bool:
        """Where there is something to stage."""
        rows, columns, terms = self.extents(e, sizes)
        return rows * columns * terms >= PRODUCT_FROM

    def constraints(self, e: Expr) -> list[Constraint]:
        """Tensor cores, work-items, local memory and registers that there are, copies in which each work-item has its
        share, and bounded rounding errors.
        """
        product = self.product(e)
        lanes = {name: var(name, 1) for name in ("down", "across", "rows", "columns", "chunk", "copied")}
        chunk, block = lanes["chunk"], lanes["rows"] * lanes["columns"]
        items = lanes["down"] * lanes["across"] * LANES
        tall, wide = lanes["down"] * lanes["rows"], lanes["across"] * lanes["columns"]
        staged = size(0)
        for extent, name in ((tall, "rows_turned"), (wide, "columns_turned")):
            turned = var(name, 0, 1)
            staged += turned * extent * (chunk + APART[True]) + (1 - turned) * chunk * (extent + APART[False])
        packed, turns = var("packed", 0, 1), var("ahead", 0)
        staged = packed * (turns + 1) * (tall + wide) * chunk + (1 - packed) * staged
        held = block // LANES * FLOAT32.bytes
        ahead = (1 - packed) * ((turns + 1) // 2) * (tall + wide) * chunk * FLOAT32.bytes
        return [
            Constraint.le(1, MACHINE["tensor_cores"], "tensor cores"),
            Constraint.le(items, MACHINE["max_work_group_size"], "work-items in a work-group"),
            Constraint.le(staged * FLOAT32.bytes, MACHINE["local_memory_bytes"], "bytes of local memory"),
            Constraint.le(held, BLOCK_BYTES_ON_A_GPU_AT_MOST, "bytes of accumulators"),
            Constraint.le(ahead, items * BLOCK_BYTES_ON_A_GPU_AT_MOST, "bytes that are loaded ahead"),
            *(
                Constraint.le(
                    extent * chunk % (items * lanes["copied"]),
                    0,
                    "elements of a chunk that are no multiple of the work-items",
                )
                for extent in (tall, wide)
            ),
            Constraint.le(
                packed * turns * (MMA_HELD - lanes["copied"]), 0, "copies ahead of less than a lane hands over together"
            ),
            Constraint.le((1 - packed) * turns, 2, "turns ahead of loads"),
            Constraint.le(lanes["rows"] % MMA_ROWS, 0, "rows that are no matrices"),
            Constraint.le(lanes["columns"] % MMA_COLUMNS, 0, "columns that are no matrices"),
            Constraint.le(chunk % MMA_TERMS, 0, "terms that are no matrices"),
            Constraint.le(
                (product.extents[0] + tall - 1) // tall, LAUNCHED_GROUPS_AT_MOST, "work-groups over the rows"
            ),
            *self._counted(e),
            *short_chains(product.reduction),
        ]

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """head m ∘ map (head n) ∘ join ∘ mapWorkgroup1 (transpose ∘ join ∘ mapWorkgroup0 (.. mapLocal2 (mapLocal1
        (mapLocal0 (block))) (reduceSeq over chunks))
        """
        e = start.result
        elements = at(body, try_(elements_of_map))
        tiles = by_warp_tiles(self.product(e).extents[2], choices)
        return start.then(at(rows_in(e), seq(elements, tiles)), self.name)


def _is_of_tf32(product: Product) -> bool:
    """Are its terms products of two numbers, both of which are rounded at last?"""
    reduction = product.reduction
    if (
        not isinstance(reduction.xs, Map)
        or not isinstance(reduction.xs.f, Lambda)
        or reduction.init.type is not FLOAT32
    ):
        return False
    _, term = reduction.xs.f.open()
    (a, b), added = reduction.f.open() if isinstance(reduction.f, Lambda) else ((None, None), None)
    if not isinstance(added, Call) or added.op != "add" or added.operands != (a, b):
        return False
    if not isinstance(term, Call) or term.op != "multiply":
        return False
    return all(isinstance(factor, Call) and factor.op == "round_to_tf32" for factor in term.operands)
