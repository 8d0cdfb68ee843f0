"""The schedule for products of matrices on CPUs: blocks of accumulators in registers, panels of columns packed before.

A work-item computes a few rows of a panel of columns at once: each element of a row is multiplied with a vector of
neighbouring columns. So an element that is read from memory is used as often as the block has rows or columns.
"""

from __future__ import annotations

from collections.abc import Mapping

from ir.core.expr import Expr
from ir.core.patterns import Repeat
from ir.core.sizes import Size
from ir.core.types import Type
from ir.cost.thresholds.products import BLOCK_BYTES, BLOCK_ROWS, BLOCK_TURNS, PRODUCT_FROM
from ir.rewrite.derivation import Derivation
from ir.rewrite.places import array, below, body, part
from ir.rewrite.strategy import Strategy, at, seq, try_, use
from ir.rules.layout.views import map_beside
from ir.rules.maps.fusion import elements_of_map
from ir.rules.opencl.lowering import map_to_workgroup
from ir.schedules.maps.flat import WIDTHS, pieces
from ir.schedules.products.form import ProductSchedule, fits_one_work_item, lies_along, run_of
from ir.schedules.products.macros import (
    blocks_of_rows,
    by_panels,
    over_panels,
    packed,
    packed_rows,
    register_block,
)
from ir.schedules.schedule import Choices, Constraint, Machine, Parameter, scalars_of
from ir.schedules.tactics import below_head, pad_to, rows_in, split_over, to_groups

__all__ = ["BLOCKS", "ProductByBlocks", "block_of"]

BLOCKS = (1, 2, 4, 6, 8, 12)
"""Rows of a block."""

_TURNS = (1, 4, 16, 64, 256)

_to_row_groups: Strategy = use(map_to_workgroup, dim=1)


class ProductByBlocks(ProductSchedule):
    """A panel of columns and a chunk of rows for each work-group of one work-item, which takes a few rows in one turn.

    A kernel before packs the panels, each row of a panel after the other.
    """

    name = "product_blocks"

    def parameters(self, e: Expr) -> tuple[Parameter, ...]:
        """The rows and the columns of a block, how many blocks of rows a work-group takes, whether these are packed as
        panels are, how many terms are added in a loop of their own, and whether a product and a sum are rounded once.
        """
        run = run_of(self.product(e).rows)
        return (
            Parameter("rows", BLOCKS),
            Parameter("width", WIDTHS),
            Parameter("turns", _TURNS),
            Parameter("packed", (0, 1)),
            Parameter("run", (0,) if run is None else (0, run)),
            self.fused(e),
        )

    def default(self, e: Expr, machine: Machine, elements: int) -> dict[str, int]:
        """Blocks that fill the registers; rows packed whose elements lie apart."""
        product = self.product(e)
        choices = {
            "turns": BLOCK_TURNS,
            "packed": int(not lies_along(product.rows)),
            "run": run_of(product.rows) or 0,
            "fused": self.is_fused(e, machine),
        }
        return {**block_of(product.reduction.init.type, machine), **choices}

    def default_at(self, e: Expr, machine: Machine, elements: int, sizes: Mapping[str, int]) -> dict[str, int]:
        """Panels no wider than the matrix, higher blocks of narrower ones, and as many turns as leave each compute unit
        a chunk of rows.
        """
        found = self.default(e, machine, elements)
        rows, columns, _ = self.extents(e, sizes)
        width = min((w for w in WIDTHS if w >= min(columns, found["width"])), default=found["width"])
        registers = found["rows"] * found["width"]
        found |= {"rows": max(r for r in BLOCKS if r * width <= registers)}
        panels = max(1, -(-columns // width))
        shares = -(-machine.compute_units // panels)
        enough = [t for t in _TURNS if t <= found["turns"] and t * found["rows"] * shares <= rows]
        return found | {"width": width, "turns": max(enough, default=1)}

    def is_preferred(self, e: Expr, machine: Machine, sizes: Mapping[str, int]) -> bool:
        """On a CPU, where packing is worth it."""
        rows, columns, terms = self.extents(e, sizes)
        return machine.is_cpu and rows * columns * terms >= PRODUCT_FROM

    def constraints(self, e: Expr) -> list[Constraint]:
        """Accumulators that fit the registers and have bounded rounding errors, one work-item for a group."""
        return fits_one_work_item(self.product(e).reduction)

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """map (head n) ∘ map join ∘ transpose ∘ mapWorkgroup (λpanel. concat(join ∘ mapWorkgroup1 (join ∘ mapSeq (block
        of rows) ∘ split r) ∘ split c, the same of the rows that are left)) ∘ toGlobal (panels)
        """
        e, width = start.result, choices["width"]
        inner = at(body, seq(try_(elements_of_map), by_panels(width)))
        (n, columns, _), rows = self.product(e).extents, choices["rows"]
        outer = seq(packed(width, columns, to_groups), to_groups)
        if not choices["packed"]:
            return start.then(at(rows_in(e), seq(inner, over_panels(outer, _rows(n, choices)))), self.name)
        whole = (n + rows - 1) // rows * rows
        beside = at(array / part(1) / below(Repeat), packed_rows(rows, n, to_groups))
        both = seq(packed(width, columns, to_groups), map_beside, beside, to_groups)
        lowered = over_panels(both, _rows(whole, choices))
        return start.then(at(rows_in(e), seq(inner, pad_to(rows), below_head(lowered))), self.name)


def block_of(t: Type, machine: Machine) -> dict[str, int]:
    """The rows and columns of a block of accumulators of that type that fills the machine's registers."""
    bytes_ = sum(part.bytes for part in scalars_of(t))
    rows = BLOCK_ROWS if 4 * machine.native_vector_width < BLOCK_BYTES else 2 * BLOCK_ROWS
    return {"rows": rows, "width": max(w for w in WIDTHS if w * bytes_ <= max(BLOCK_BYTES, bytes_))}


def _rows(n: Size, choices: Choices) -> Strategy:
    """All rows of a panel: chunks of blocks, the blocks that are left in one more chunk, the rows that are left."""
    rows, block = choices["rows"], register_block(choices["width"], bool(choices["fused"]), choices["run"])

    def chunks(count: Size | int, height: int) -> Strategy:
        return split_over(count, _to_row_groups, blocks_of_rows(height, block))

    if (n % rows).value == 0:
        whole = rows * choices["turns"] * (n // rows // choices["turns"])
        return pieces(n, whole, chunks(rows * choices["turns"], rows), chunks(n - whole, rows))
    whole = rows * choices["turns"] * (n // (rows * choices["turns"]))
    rest = n - whole
    blocks = rows * (rest // rows)
    left = pieces(rest, blocks, chunks(blocks, rows), chunks(rest - blocks, 1))
    return pieces(n, whole, chunks(rows * choices["turns"], rows), left)
