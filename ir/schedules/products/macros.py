"""The macros that products are lowered by: strategies with parameters, each for one decision.

They stand on the normal form of a product, `map (λrow. map (λcolumn. element 0 (reduce f z (map g (zip(row, column)))))
columns) rows`.
"""

from __future__ import annotations

from ir.core.expr import Expr
from ir.core.patterns import Head, Join, Map
from ir.core.sizes import Size
from ir.rewrite.places import array, below, body, here, initial, part, transposed, viewed
from ir.rewrite.rule import Context
from ir.rewrite.strategy import Rewritten, Strategy, at, seq, try_, use
from ir.rules.algorithmic import map_fission, map_identity, reduce_seq_fusion, split_join
from ir.rules.broadcasts import transpose_of_transpose
from ir.rules.common import length
from ir.rules.fused import fuse_multiply_add
from ir.rules.fusion import fuse_operand, map_of_elements
from ir.rules.horizontal import map_of_reduce
from ir.rules.lowering import map_to_seq, unroll
from ir.rules.memory import to_global, to_private
from ir.rules.ragged import map_pad
from ir.rules.views import exchange_maps, map_by_columns
from ir.rules.zips import transpose_of_zips
from ir.schedules.maps.flat import in_vectors, pieces
from ir.schedules.tactics import over, push_maps, sequential, split_over, when

__all__ = [
    "accumulate_together", "blocks_of_rows", "by_panels", "over_panels", "packed", "pad_to", "register_block",
]  # fmt: skip


def pad_to(multiple: int) -> Strategy:
    """map f xs  ->  head n (map f (concat(xs, zeros)))      as many elements as are a multiple of that"""

    def run(e: Expr, context: Context) -> Rewritten | None:
        if not isinstance(e, Map):
            return None
        n = length(e.xs)
        whole = (n + multiple - 1) // multiple * multiple
        return Rewritten(e, ()) if whole is n else use(map_pad, count=whole - n)(e, context)

    return run


def _reduced_together(e: Expr, context: Context) -> Rewritten | None:
    """map (λx. element 0 (reduceSeq f z (zip(.., x, ..)))) xs  ->  element 0 (reduceSeq (λ(as, (x, ..)). map f (zip(as,
    x))) (repeat n z) (zip(transpose xs, ..)))
    """
    taken = seq(transpose_of_zips, try_(at(array, transposes_cancel)), map_to_seq)
    together = seq(at(array, taken), reduce_seq_fusion, at(body, use(fuse_operand, operand=1)))
    return seq(map_of_elements, map_of_reduce, at(viewed, together))(e, context)


transposes_cancel: Strategy = at(part(0), transpose_of_transpose)


def accumulate_together(e: Expr, context: Context) -> Rewritten | None:
    """map (λr. map (λc. element 0 (reduce f z (map g (zip(r, c))))) cs) rs  ->  element 0 (reduceSeq (λ(ass, (as, bs)).
    map (λ(s, a). map (λ(t, b). f t (g (a, b))) (zip(s, bs))) (zip(ass, as))) (repeat m (repeat n z)) (zip(transpose rs,
    transpose cs)))
    """
    in_order = at(body / viewed, seq(push_maps, sequential))
    return seq(at(body, seq(in_order, _reduced_together)), _reduced_together)(e, context)


def _row_of_registers(width: int, fused: bool) -> Strategy:
    """map f over a row of the block, in vectors without loops."""
    once = when(fused, try_(at(body, fuse_multiply_add)))
    return seq(once, in_vectors(width, seq(map_to_seq, try_(unroll))))


def _rows_of_registers(width: int, fused: bool = False) -> Strategy:
    """map (map f) over all of the block."""
    return seq(at(body, _row_of_registers(width, fused)), map_to_seq, try_(unroll))


def register_block(width: int, fused: bool) -> Strategy:
    """What `accumulate_together` makes, its accumulators in registers: private memory that only unrolled loops of
    vectors read and write.
    """
    rows = _rows_of_registers(width)
    copied = seq(map_identity, at(body, map_identity), rows)
    return seq(
        accumulate_together,
        at(viewed, seq(at(body, _rows_of_registers(width, fused)), at(initial, copied), to_private)),
        copied,
    )


def blocks_of_rows(rows: int, inner: Strategy) -> Strategy:
    """map f  ->  join ∘ mapSeq (map f) ∘ split n      the maps over a block of rows lowered by `inner`"""
    return split_over(rows, map_to_seq, inner)


def by_panels(columns: int) -> Strategy:
    """map g cs  ->  head n ∘ join ∘ map (map g) ∘ split k ∘ pad      the columns in panels of k"""

    def run(e: Expr, context: Context) -> Rewritten | None:
        padded = pad_to(columns)(e, context)
        if padded is None:
            return None
        place = below(Head) if isinstance(padded.expr, Head) else here
        return seq(pad_to(columns), at(place, use(split_join, n=columns)))(e, context)

    return run


def packed(width: int, columns: Size, level: Strategy) -> Strategy:
    """map f panels  ->  map (λp. f (transpose p)) (toGlobal (mapX (mapSeq (mapSeq id)) (map transpose panels)))

    The rows of a panel lie one after the other, so that it is read in one stream, whatever the matrix is. The last
    panel, part of which is no column, is copied by itself, so that the others are copied without asking.
    """
    rows = seq(map_identity, at(body, map_identity), at(body, in_vectors(width, map_to_seq)), map_to_seq)

    def copied(e: Expr, context: Context) -> Rewritten | None:
        n, whole = length(e), columns // width
        each = over(level, rows)
        return seq(map_identity, pieces(n, whole, each, each), to_global)(e, context)

    return seq(map_by_columns, at(array, copied))


def over_panels(outer: Strategy, inner: Strategy) -> Strategy:
    """map (λr. v (map (λp. map g p) ps)) rs  ->  map v (transpose (map (λp. map (λr. map g p) rs) ps))

    The map over panels is lowered by `outer`, then what a panel gives for all rows by `inner`.
    """

    def run(e: Expr, context: Context) -> Rewritten | None:
        row = body.of(e)
        if isinstance(row, (Head, Join)):
            return seq(map_fission, at(array, run))(e, context)
        return seq(exchange_maps, at(transposed, seq(outer, at(body, inner))))(e, context)

    return run
