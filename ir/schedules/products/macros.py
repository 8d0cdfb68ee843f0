"""The macros that products are lowered by: strategies with parameters, each for one decision.

They stand on the normal form of a product, `map (λrow. map (λcolumn. element 0 (reduce f z (map g (zip(row, column)))))
columns) rows`.
"""

from __future__ import annotations

from ir.core.expr import Expr
from ir.core.patterns import Element, Split, is_view_map
from ir.core.sizes import Size
from ir.rewrite.places import array, below, body, initial, joined, part, transposed, viewed
from ir.rewrite.rule import Context
from ir.rewrite.strategy import Rewritten, Strategy, at, seq, succeed, tactic, try_, use
from ir.rules.common import length, length_of_row
from ir.rules.layout.broadcasts import transpose_introduction, transpose_of_transpose
from ir.rules.layout.ragged import reduce_continued, reduce_in_chunks
from ir.rules.layout.views import exchange_maps, map_by_columns, slice_of_zip
from ir.rules.maps.algorithmic import (
    map_fission,
    map_identity,
    reduce_seq_fusion,
    rows_introduction,
    split_join,
    split_join_introduction,
)
from ir.rules.maps.fusion import fuse_operand, map_of_elements
from ir.rules.maps.horizontal import map_of_reduce
from ir.rules.maps.zips import transpose_of_zips
from ir.rules.opencl.fused import fuse_multiply_add
from ir.rules.opencl.lowering import map_to_seq, unroll
from ir.rules.opencl.memory import local_rows_apart, prefetch_again, prefetch_input, to_global, to_local, to_private
from ir.schedules.maps.flat import in_vectors, pieces
from ir.schedules.tactics import (
    below_head,
    over,
    pad_to,
    push_maps,
    sequential,
    split_over,
    to_items,
    to_rows_of_items,
    when,
)

__all__ = [
    "accumulate_together", "blocks_of_rows", "by_panels", "over_panels", "packed", "register_block",
]  # fmt: skip


def _taken_in(e: Expr, context: Context) -> Rewritten | None:
    """What `map_of_reduce` leaves to read is zipped to the accumulators; so of the reduction that it goes on from."""
    taken = seq(transpose_of_zips, try_(at(array, transposes_cancel)), map_to_seq)
    here = seq(at(array, taken), reduce_seq_fusion, at(body, use(fuse_operand, operand=1)))
    goes_on = isinstance(initial.of(e), Element)
    return seq(when(goes_on, at(initial / viewed, _taken_in)), here)(e, context)


_reduced_together: Strategy = seq(map_of_elements, map_of_reduce, at(viewed, _taken_in))
"""map (λx. element 0 (reduceSeq f z (zip(.., x, ..)))) xs  ->  element 0 (reduceSeq (λ(as, (x, ..)). map f (zip(as,
x))) (repeat n z) (zip(transpose xs, ..)))
"""

transposes_cancel: Strategy = at(part(0), transpose_of_transpose)


accumulate_together: Strategy = seq(
    at(body, seq(at(body / viewed, seq(push_maps, sequential)), _reduced_together)), _reduced_together
)
"""map (λr. map (λc. element 0 (reduce f z (map g (zip(r, c))))) cs) rs  ->  element 0 (reduceSeq (λ(ass, (as, bs)).
map (λ(s, a). map (λ(t, b). f t (g (a, b))) (zip(s, bs))) (zip(ass, as))) (repeat m (repeat n z)) (zip(transpose rs,
transpose cs)))
"""


def _row_of_registers(width: int, fused: bool) -> Strategy:
    """map f over a row of the block, in vectors without loops."""
    once = when(fused, try_(at(body, fuse_multiply_add)))
    return seq(once, in_vectors(width, seq(map_to_seq, try_(unroll))))


def _rows_of_registers(width: int, fused: bool = False) -> Strategy:
    """map (map f) over all of the block."""
    return seq(at(body, _row_of_registers(width, fused)), map_to_seq, try_(unroll))


def register_block(width: int, fused: bool, run: int = 0) -> Strategy:
    """What `accumulate_together` makes, its accumulators in registers: private memory that only unrolled loops of
    vectors read and write. The terms of each `run`, if any, are added in a loop of their own.
    """
    rows = _rows_of_registers(width)
    copied = seq(map_identity, at(body, map_identity), rows)
    turn = at(body, _rows_of_registers(width, fused))
    if run:
        turn = seq(use(reduce_in_chunks, n=run), at(body / viewed, turn))
    return seq(accumulate_together, at(viewed, seq(turn, at(initial, copied), to_private)), copied)


def blocks_of_rows(rows: int, inner: Strategy) -> Strategy:
    """map f  ->  join ∘ mapSeq (map f) ∘ split n      the maps over a block of rows lowered by `inner`"""
    return split_over(rows, map_to_seq, inner)


def by_panels(columns: int) -> Strategy:
    """map g cs  ->  head n ∘ join ∘ map (map g) ∘ split k ∘ pad      the columns in panels of k"""
    return seq(pad_to(columns), below_head(use(split_join, n=columns)))


def packed(width: int, columns: Size, level: Strategy) -> Strategy:
    """map f panels  ->  map (λp. f (transpose p)) (toGlobal (mapX (mapSeq (mapSeq id)) (map transpose panels)))

    The rows of a panel lie one after the other, so that it is read in one stream, whatever the matrix is.
    """
    return seq(map_by_columns, at(array, _stored(width, columns // width, level)))


def packed_rows(height: int, rows: Size, level: Strategy) -> Strategy:
    """rs  ->  join (map transpose (toGlobal (mapX (mapSeq (mapSeq id)) (map transpose (split n rs)))))"""
    lanes = next(w for w in (4, 2, 1) if height % w == 0)
    turned = seq(map_identity, at(body, transpose_introduction), map_fission)
    stored = _stored(lanes, rows // height, level)
    return seq(use(rows_introduction, n=height), at(joined, seq(turned, at(array, stored))))


@tactic
def _stored(e: Expr, width: int, whole: Size, level: Strategy) -> Strategy:
    """What a view shows as panels, copied to global memory. Those beyond the first `whole`, part of which are no
    elements of the matrix, are copied by themselves, so that the others are copied without asking.
    """
    rows = seq(map_identity, at(body, map_identity), at(body, in_vectors(width, map_to_seq)), map_to_seq)
    each = over(level, rows)
    return seq(map_identity, pieces(length(e), whole, each, each), to_global)


@tactic
def over_panels(e: Expr, outer: Strategy, inner: Strategy) -> Strategy:
    """map (λr. v (map (λp. map g p) ps)) rs  ->  map v (transpose (map (λp. map (λr. map g p) rs) ps))

    The map over panels is lowered by `outer`, then what a panel gives for all rows by `inner`.
    """
    if _is_shown(body.of(e)):
        return seq(map_fission, at(array, over_panels(outer, inner)))
    return seq(exchange_maps, at(transposed, seq(outer, at(body, inner))))


def _is_shown(e: Expr | None) -> bool:
    """Is it a view that moves each element to one place, or to none?"""
    return e is not None and ((e.traits.view and e.traits.moves) or is_view_map(e))


def views_out(e: Expr, context: Context) -> Rewritten | None:
    """map (λx. v (f x)) xs  ->  map v (map f xs)      for all views v that what f gives is shown through"""
    if _is_shown(body.of(e)) and not is_view_map(e):
        return seq(map_fission, at(array, views_out))(e, context)
    return Rewritten(e, ())


@tactic
def below_views(e: Expr, inner: Strategy) -> Strategy:
    """The strategy below views and maps that only rearrange."""
    if not _is_shown(e):
        return inner
    return at(array if is_view_map(e) else viewed, below_views(inner))


def tiled(rows: int, columns: int, over_rows: Strategy, over_columns: Strategy, inner: Strategy) -> Strategy:
    """map (λr. map g cs) rs  ->  join (mapX (λrt. transpose (join (mapY (λct. transpose (map (λr. map g ct) rt)) (split
    n cs)))) (split m rs))      a tile of that many rows and columns lowered by `inner`
    """
    block = seq(exchange_maps, at(transposed, inner))
    across = seq(exchange_maps, at(transposed, seq(use(split_join, n=columns), at(joined, over(over_columns, block)))))
    return seq(use(split_join, n=rows), at(joined, over(over_rows, across)))


def in_chunks(n: Size, length: int) -> Strategy:
    """reduceSeq f z xs  ->  reduceSeq f (element 0 (reduceSeq (λ(acc, ys). element 0 (reduceSeq f acc ys)) z (chunks)))
    (what is left of n elements)
    """
    whole = n // length * length
    chunks = use(reduce_in_chunks, n=length)
    if whole.value == 0:
        return succeed
    if whole is n:
        return chunks
    return seq(
        use(reduce_continued, at=whole),
        at(array, slice_of_zip),
        at(initial / viewed, seq(at(array, slice_of_zip), chunks)),
    )


blocks_together: Strategy = seq(at(body, _reduced_together), _reduced_together)
"""map (λrs. map (λcs. element 0 (reduceSeq f z (zip(rs, cs)))) css) rss  ->  element 0 (reduceSeq (λ(accs, (rss,
css)). map (λ(as, rs). map (λ(a, cs). f a (rs, cs)) (zip(as, css))) (zip(accs, rss))) ..)
"""


def over_items(inner: Strategy) -> Strategy:
    """map (map f)  ->  mapLocal1 (mapLocal0 f), and f lowered by `inner`"""
    return seq(to_rows_of_items, at(body, over(to_items, inner)))


def copied_by_items(rows: int, columns: int, width: int = 1) -> Strategy:
    """xs  ->  join (mapSeq (join ∘ mapLocal1 (mapLocal0 id)) (split m (split n xs)))      for so many work-items, each
    of which copies vectors of that width
    """
    turn = seq(use(split_join, n=rows), at(joined, over(map_to_seq, over_items(sequential))))
    return seq(map_identity, in_vectors(width, seq(use(split_join, n=columns), at(joined, turn))))


@tactic
def in_local(e: Expr, apart: int, row: int) -> Strategy:
    """xss  ->  toLocal4 xss      its rows so many elements apart, or after each `row` elements: map (join ∘ toLocal4 ∘
    split n) where rows are several times as long
    """
    if not apart:
        return to_local
    kept = seq(to_local, use(local_rows_apart, count=apart))
    if not row or length_of_row(e).value == row:
        return kept
    if (length(e) * length_of_row(e) % row).value != 0:
        return to_local
    rows = at(below(Split), seq(use(rows_introduction, n=row), at(joined, kept)))
    return seq(try_(split_join_introduction), rows)


def rows_in_local(rows: int, columns: int, kept: Strategy = to_local, width: int = 1) -> Strategy:
    """Blocks of rows, each of them a column after the other, kept in local memory: there a column of all blocks lies
    together, while the elements of a row are read one after the other.
    """
    flat = seq(split_join_introduction, at(below(Split), copied_by_items(rows, columns, width)))
    turned = seq(map_identity, at(body, transpose_introduction), map_fission)
    stored = seq(flat, transpose_introduction, at(transposed, kept))
    return seq(turned, at(array, seq(split_join_introduction, at(below(Split), stored))))


def columns_in_local(rows: int, columns: int, kept: Strategy = to_local, width: int = 1) -> Strategy:
    """`rows_in_local` where neighbouring columns are neighbours in memory: these are read one after the other."""
    joined_rows = seq(map_identity, at(body, split_join_introduction), map_fission)
    flat = seq(split_join_introduction, at(below(Split), copied_by_items(rows, columns, width)), kept)
    return seq(transpose_introduction, at(transposed, seq(joined_rows, at(array, flat))))


def item_blocks(
    width: int, fused: bool, stage_rows: Strategy, stage_columns: Strategy, unrolled: bool = False, ahead: int = 0
) -> Strategy:
    """What `blocks_together` makes, a block for each work-item: its accumulators in registers, and what a chunk reads
    staged in local memory. The terms of a chunk are added without a loop if `unrolled`; what the next one reads is
    loaded meanwhile if `ahead`; if that is 2, the last one again.
    """
    block = _rows_of_registers(width, fused)
    zeros = over_items(seq(map_identity, at(body, map_identity), _rows_of_registers(width)))
    filled = seq(map_identity, at(body, map_identity), zeros)
    staged = seq(at(array / part(1), stage_rows), at(body / array / part(1), stage_columns))
    chunk = at(body, seq(staged, over_items(at(viewed, seq(at(body, block), when(unrolled, try_(unroll)))))))
    rest = at(body, over_items(block))

    def turns(e: Expr, context: Context) -> Rewritten | None:
        if isinstance(initial.of(e), Element):
            return seq(at(initial / viewed, turns), rest)(e, context)
        return seq(at(initial, filled), chunk, ahead_of(ahead))(e, context)

    return seq(at(viewed, seq(turns, to_private)), filled)


def ahead_of(ahead: int) -> Strategy:
    """The next chunk is asked for; if 2, the last one again."""
    return when(ahead > 0, seq(use(prefetch_input, distance=1), when(ahead > 1, prefetch_again)))


def blocks_in_place(extents: tuple[Size, Size], rows: int, width: int, fused: bool) -> Strategy:
    """map (λr. map g cs) rs, in blocks of that many rows and columns, one after the other; narrower and lower ones
    where no whole one is left. Nothing is packed.
    """
    count, across = extents

    def columns(n: Size, lanes: int) -> Strategy:
        block = seq(exchange_maps, at(transposed, register_block(lanes, fused)))
        own, whole = split_over(lanes, map_to_seq, block), n // lanes * lanes
        return own if lanes == 1 else pieces(n, whole, own, columns(n - whole, 4 if lanes > 4 else 1))

    def blocks(height: int) -> Strategy:
        return blocks_of_rows(height, seq(exchange_maps, at(transposed, columns(across, width))))

    return pieces(count, count // rows * rows, blocks(rows), blocks(1))
