"""The schedule for products of matrices with long rows and few results on CPUs: each work-group multiplies a part of
all rows and columns, a second kernel adds up what they give (split K).
"""

from __future__ import annotations

from collections.abc import Mapping

from ir.core.expr import Expr, Lambda, postorder
from ir.core.patterns import Element, Map, Reduce
from ir.core.sizes import LIMIT_32, Size, var
from ir.cost.thresholds.products import PRODUCT_PART_AT_LEAST, PRODUCT_PARTS_AT_MOST, PRODUCT_PARTS_RESULTS_AT_MOST
from ir.rewrite.derivation import Derivation
from ir.rewrite.places import array, body, initial, joined, part, transposed, viewed
from ir.rewrite.strategy import Strategy, at, seq, tactic, try_, use
from ir.rules.folds.reduction import reduce_to_parts
from ir.rules.layout.ragged import reduce_continued
from ir.rules.layout.views import interchange
from ir.rules.maps.algorithmic import map_fission, map_fusion
from ir.rules.maps.fusion import elements_of_map, map_of_elements, row_fission, row_parts
from ir.rules.maps.zips import transpose_of_zips, view_of_zip
from ir.rules.opencl.lowering import map_to_seq
from ir.rules.opencl.memory import to_global, to_private
from ir.schedules.maps.flat import WIDTHS
from ir.schedules.products.blocks import BLOCKS, block_of
from ir.schedules.products.form import Product, ProductSchedule, fits_one_work_item
from ir.schedules.products.macros import blocks_in_place, views_out
from ir.schedules.reductions.folding import split_parts
from ir.schedules.schedule import Choices, Constraint, Machine, Parameter, up_to
from ir.schedules.tactics import fuse_maps, over, push_maps, rows_in, sequential, to_groups, when

__all__ = ["ProductByParts", "limits_of_parts", "part_by_part", "parts_apart", "rows_in_parts", "sums_of_parts"]


def limits_of_parts(product: Product) -> list[Constraint]:
    """Terms for each part, and results of parts that indices of 32 bits count, at any size of the class."""
    rows, columns, terms = product.extents
    parts = var("parts", 1)
    return [
        Constraint.le(parts, terms, "terms for all parts"),
        Constraint.le(parts * rows * columns, LIMIT_32, "results of parts", throughout=True),
    ]


zipped_parts: Strategy = seq(at(array, view_of_zip), map_fusion)
"""map f (split l (slice (zip(xs, ys))))  ->  map (λ(xs, ys). f (zip(xs, ys))) (zip(split l (slice xs), ..))"""


def rows_in_parts(n: Size, parts: int) -> Strategy:
    """reduce f z xs  ->  reduce f (element 0 (reduce f z (map (λys. element 0 (reduce f z ys)) (split l xs)))) (what is
    left of n elements)      xs in so many parts
    """
    whole = n // parts * parts
    cut = seq(use(reduce_to_parts, parts=parts), at(array, seq(split_parts, push_maps, elements_of_map, zipped_parts)))
    return cut if whole is n else seq(use(reduce_continued, at=whole), push_maps, at(initial / viewed, cut))


@tactic
def _apart(e: Map) -> Strategy | None:
    """What a row's function makes first, all results of parts, is made by a map of its own."""
    assert isinstance(e.f, Lambda)
    made = row_parts(e.f)
    found = [i for i, x in enumerate(made) if _is_of_parts(x)]
    return use(row_fission, part=found[-1]) if found else None


parts_apart: Strategy = seq(at(body, _apart()), _apart())
"""map (λr. map (λc. f (map q (zip(v r, v c)))) cs) rs  ->  map (λ(xs, r). map (λ(x, c). f x) (zip(xs, cs)))
(zip(map (λr. map (λc. map q (zip(v r, v c))) cs) rs, rs))
"""


def _is_of_parts(e: Expr) -> bool:
    """Does it reduce parts, and nothing of what these give?"""
    if not isinstance(e, Map):
        return False
    reductions = [node for node in postorder(e) if isinstance(node, Reduce)]
    return len(reductions) == 1 and not isinstance(reductions[0].init, Element)


_outermost: Strategy = seq(
    map_fission,
    interchange,
    at(transposed, seq(at(array, transpose_of_zips), map_fusion, at(body, fuse_maps))),
)
"""map (λx. map q (zip(v x, ys))) xs  ->  transpose (map (λ(c, y). map (λx. q (x, y)) c) (zip(transpose (map v xs),
ys)))
"""


part_by_part: Strategy = seq(at(body, _outermost), views_out, at(array, _outermost))
"""map (λr. map (λc. map q (zip(v r, v c))) cs) rs  ->  map transpose (transpose (map (λ(rs, cs). map (λr. map (λc.
q (r, c)) cs) rs) (zip(transpose (map v rs), transpose (map v cs)))))
"""


@tactic
def _start_kept(e: Expr) -> Strategy:
    """What a sum goes on from is kept."""
    return when(isinstance(e, Reduce) and isinstance(e.init, Element), at(initial / viewed, to_private))


sums_of_parts: Strategy = seq(push_maps, sequential, _start_kept())
"""The sum of the parts of an element, and of what goes on from it, in order."""

_added_up: Strategy = seq(map_of_elements, at(joined, over(map_to_seq, sums_of_parts)))
"""The sums of the parts of a row's elements, one after the other."""


class ProductByParts(ProductSchedule):
    """A part of the terms for each work-group of one work-item, and a second kernel that adds the parts up."""

    name = "product_parts"

    def parameters(self, e: Expr) -> tuple[Parameter, ...]:
        """The parts, the rows and the columns of a block, and whether a product and a sum are rounded once."""
        return (
            Parameter("parts", (2, 4, 8, 16, 32, 64, 128, 256)),
            Parameter("rows", BLOCKS),
            Parameter("width", WIDTHS),
            self.fused(e),
        )

    def default(self, e: Expr, machine: Machine, elements: int) -> dict[str, int]:
        """Blocks that fill the registers."""
        return {
            "parts": 8,
            **block_of(self.product(e).reduction.init.type, machine),
            "fused": self.is_fused(e, machine),
        }

    def default_at(self, e: Expr, machine: Machine, elements: int, sizes: Mapping[str, int]) -> dict[str, int]:
        """Parts that are long enough; blocks that are no larger than the result."""
        found = self.default(e, machine, elements)
        rows, columns, terms = self.extents(e, sizes)
        parts = [p for p in self.parameters(e)[0].values if p * PRODUCT_PART_AT_LEAST <= terms]
        return {
            **found,
            "parts": max((p for p in parts if p <= PRODUCT_PARTS_AT_MOST), default=2),
            "rows": up_to(min(rows, found["rows"]), BLOCKS),
            "width": up_to(min(columns, found["width"]), WIDTHS),
        }

    def is_preferred(self, e: Expr, machine: Machine, sizes: Mapping[str, int]) -> bool:
        """On a CPU, where results are few and rows long."""
        rows, columns, terms = self.extents(e, sizes)
        few = rows * columns <= PRODUCT_PARTS_RESULTS_AT_MOST
        return machine.is_cpu and few and terms >= 2 * machine.compute_units * PRODUCT_PART_AT_LEAST

    def constraints(self, e: Expr) -> list[Constraint]:
        """Accumulators that fit the registers and have bounded rounding errors, one work-item for a group."""
        product = self.product(e)
        return [*limits_of_parts(product), *fits_one_work_item(product.reduction, "parts")]

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """map (mapSeq (reduceSeq)) ∘ map transpose ∘ transpose ∘ toGlobal (mapWorkgroup (blocks of a part))"""
        e = start.result
        rows, columns, terms = self.product(e).extents
        cut = at(body / viewed, rows_in_parts(terms, choices["parts"]))
        elements = seq(try_(elements_of_map), cut)
        blocks = blocks_in_place((rows, columns), choices["rows"], choices["width"], bool(choices["fused"]))
        made = seq(part_by_part, at(array / transposed, seq(over(to_groups, blocks), to_global)))
        both = seq(at(body, elements), parts_apart, at(array / part(0), made), over(to_groups, _added_up))
        return start.then(at(rows_in(e), both), self.name)
