"""The schedule for the rows of a matrix and its columns where the work-items of a group share a block of rows.

A work-item takes the columns of the block in turns. Of each it reads the elements once, adds them to its accumulators,
one for each row, and writes their sum, the block's part of the column's. In the end the accumulators of a row are
folded in local memory. A second kernel reduces the parts of each column.
"""

from __future__ import annotations

from collections.abc import Mapping

from ir.core.expr import Expr, Lambda, postorder
from ir.core.patterns import Join, Map, Reduce
from ir.core.sizes import Size, size, var
from ir.cost.thresholds.reductions import (
    COLUMN_SHARES,
    COLUMN_WAYS,
    COLUMNS_BESIDE,
    ITEM_BLOCK_GROUP,
    ITEM_BLOCK_ROWS,
    PLAIN_LANES,
)
from ir.rewrite.derivation import Derivation
from ir.rewrite.places import array, body, initial, joined, transposed, viewed
from ir.rewrite.strategy import Strategy, at, choice, everywhere, seq, succeed, try_, use
from ir.rules.compensation import adds_floats
from ir.rules.folds.reduction import reduce_to_parts
from ir.rules.layout.ragged import map_pad
from ir.rules.layout.views import join_after_map
from ir.rules.maps.accumulate import loops_together, maps_together
from ir.rules.maps.algorithmic import map_fission, map_identity, split_join, split_join_introduction
from ir.rules.maps.fusion import elements_of_map, map_of_elements
from ir.rules.maps.horizontal import rows_in_turns
from ir.rules.opencl.lowering import map_to_local, map_to_seq, map_to_workgroup, unroll
from ir.rules.opencl.memory import local_rows_apart, to_local, to_private
from ir.schedules.blocks import SharedOut
from ir.schedules.maps.flat import pieces
from ir.schedules.reductions.chains import input_length, is_parallel, short_chains, short_rests, ways_of
from ir.schedules.reductions.folding import Folding, fold
from ir.schedules.reductions.trees import LOCAL, fits_a_group, fold_row
from ir.schedules.rows.columns import RowsByGrid, partial_results, parts_outward
from ir.schedules.rows.compensated import Compensated, to_pairs
from ir.schedules.rows.finished import finish
from ir.schedules.rows.together import RowsTogether, lie_apart, one_by_one
from ir.schedules.schedule import MACHINE, Choices, Constraint, Machine, Parameter, bytes_of, up_to, whole_blocks
from ir.schedules.tactics import count_of_rows, in_order, over, split_over, to_groups, to_items

__all__ = ["PARTS_KEPT", "InBlocksByItems", "bytes_kept", "parts_of_columns", "rows_by_items", "turns_of_rows"]

_ROWS = (4, 8, 16, 32)

PARTS_KEPT = size(COLUMN_SHARES * (COLUMNS_BESIDE + 1))
"""Parts of columns that a group of the second kernel keeps in local memory."""


class _OfRows(RowsTogether):
    """The rows of a matrix: all of a block at once."""

    name = "block_rows"

    def matches(self, e: Expr) -> bool:
        """Rows that lie as they are read, enough for a block, whose functions use nothing else of their row."""
        if not super().matches(e) or lie_apart(e) or (count_of_rows(e).value or _ROWS[0]) < _ROWS[0]:
            return False
        assert isinstance(e, Join)
        assert isinstance(e.xs, Map)  # of rows
        assert isinstance(e.xs.f, Lambda)
        (row,), reduction = e.xs.f.open()
        uses = any(row in postorder(f) for f in postorder(reduction) if isinstance(f, Lambda))
        return not uses and is_parallel(self._row(e))

    def parameters(self, e: Expr) -> tuple[Parameter, ...]:
        """How many rows a block has, and how many work-items a group."""
        return (Parameter("rows", _ROWS), Parameter("local", LOCAL))

    def default_at(self, e: Expr, machine: Machine, elements: int, sizes: Mapping[str, int]) -> dict[str, int]:
        """Blocks of which there is one for each compute unit."""
        fitting = count_of_rows(e).evaluate(sizes) // machine.compute_units
        rows = up_to(min(fitting, ITEM_BLOCK_ROWS), _ROWS)
        return {"rows": rows, "local": min(ITEM_BLOCK_GROUP, machine.max_work_group_size)}

    def constraints(self, e: Expr) -> list[Constraint]:
        """Groups and their partial results that fit, accumulators with bounded rounding errors."""
        row = self._row(e)
        fitting = [*whole_blocks(count_of_rows(e), "rows"), *fits_a_group(row, var("rows", 1) + 2)]
        return [*fitting, *short_chains(row, "local")]

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """concat(join ∘ mapWorkgroup (rows in turns) ∘ split, join ∘ mapWorkgroup (a row) ∘ slice)"""
        n, count = input_length(self._row(start.result)), count_of_rows(start.result)
        rows, local = choices["rows"], choices["local"]
        alone = seq(map_of_elements, at(joined, over(to_groups, fold_row(n, local, Folding()))))
        block = split_over(rows, to_groups, rows_by_items(rows, local, local // rows))
        return start.then(seq(elements_of_map, pieces(count, rows * (count // rows), block, alone)), self.name)


def turns_of_rows(ways: int, turn: Strategy, folded: Strategy, loop: Strategy = succeed) -> Strategy:
    """map (λrow. element 0 (reduce f z row))
    ->  join ∘ (map (reduce f z)) ∘ transpose ∘ toLocal1 (mapLocal id) ∘ element 0 ∘ toPrivate (reduceSeq of arrays)

    Args:
        turn: who takes the columns of a turn, and each of their elements
        folded: how the map over rows of partial results is lowered
        loop: what is done with the loop over the turns
    """
    each = seq(map_identity, turn)
    turns = seq(at(initial, choice(turn, each)), at(body, turn), loop, to_private)
    kept = at(transposed, seq(at(viewed, turns), each, to_local, use(local_rows_apart, count=1)))
    return seq(map_of_elements, use(rows_in_turns, ways=ways), at(joined, seq(at(array, kept), folded)))


def rows_by_items(rows: int, local: int, parts: int, loop: Strategy = succeed) -> Strategy:
    """The rows of a block by a work-item for each column of a turn, and their partial results by as many.

    Args:
        parts: of the partial results of each row, if there are several, before they become one
        loop: what is done with the loop over the columns
    """
    folded = over(to_items, in_order)
    if parts > 1:
        flat = seq(join_after_map, one_by_one(to_items, Folding()), to_local)
        first = seq(parts_outward, at(transposed, seq(split_join_introduction, at(viewed, flat))))
        folded = seq(at(body, use(reduce_to_parts, parts=parts)), map_fission, at(array, first), folded)
    elements = seq(try_(map_identity), map_to_seq, try_(unroll))
    return turns_of_rows(local, over(to_items, elements), folded, loop)


class _OfColumns(RowsByGrid):
    """The columns of a matrix: a part of each of a block's rows, by a work-item, and then of all parts."""

    name = "block_columns"

    def matches(self, e: Expr) -> bool:
        """Columns that can be cut into parts."""
        return super().matches(e) and lie_apart(e) and len(self.parts_of(e).values) > 1

    def parameters(self, e: Expr) -> tuple[Parameter, ...]:
        """How many rows a block has, how many work-items a group, and how many accumulators a column."""
        return (Parameter("rows", _ROWS), Parameter("local", LOCAL), Parameter("ways", ways_of(self._row(e))))

    def default_at(self, e: Expr, machine: Machine, elements: int, sizes: Mapping[str, int]) -> dict[str, int]:
        """The rows and work-items are chosen by the rows of the matrix."""
        return {"rows": _ROWS[0], "local": LOCAL[0], "ways": min(COLUMN_WAYS, _ROWS[0])}

    def constraints(self, e: Expr) -> list[Constraint]:
        """Accumulators with bounded rounding errors: of a block, and of all parts."""
        row = self._row(e)
        return [
            Constraint.le(var("ways", 1), var("rows", 1), "elements of a column in a turn"),
            Constraint.le(var("rows", 1), PLAIN_LANES * var("ways", 1), "numbers added without corrections"),
            *short_rests(row, "rows"),
            *short_chains(row, "rows"),
            Constraint.le(PARTS_KEPT * bytes_kept(row), MACHINE["local_memory_bytes"], "bytes of local memory"),
        ]

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """join ∘ mapGlobal (reduceSeq f z) ∘ transpose ∘ toGlobal (mapWorkgroup (columns in turns)) ∘ transpose"""
        n, count = input_length(self._row(start.result)), count_of_rows(start.result)
        rows, local, parts = choices["rows"], choices["local"], n // choices["rows"]

        def part(how: Folding) -> Strategy:
            return over(to_groups, _columns_in_turns(count, local, how))

        first = partial_results(n, rows * parts, parts, part(Folding(ways=choices["ways"])), part(Folding()))
        last = parts_of_columns(count)
        return start.then(seq(at(joined, first), choice(seq(to_pairs, at(array, last), finish), last)), self.name)


def bytes_kept(row: Reduce) -> int:
    """The bytes of a part of a column: of a pair where sums of floats carry corrections."""
    return bytes_of(row.init.type) * (2 if adds_floats(row.f) else 1)


def _columns_in_turns(count: Size, local: int, how: Folding) -> Strategy:
    """map (λcolumn. element 0 (reduce f z column))  ->  join ∘ mapSeq (join ∘ mapLocal (fold)) ∘ split, and the rest"""
    alone = seq(map_of_elements, at(joined, over(to_items, seq(fold(how), everywhere(unroll)))))
    turns = seq(use(split_join, n=local), at(joined, over(map_to_seq, alone)))
    return pieces(count, local * (count // local), turns, alone)


def parts_of_columns(count: Size) -> Strategy:
    """join (map (λcolumn. reduce f z column))  ->  head n ∘ join ∘ mapWorkgroup1 (join ∘ mapWorkgroup (in turns))

    Work-items beside each other take neighbouring columns, others behind each other parts of each.
    """
    shares = use(map_to_local, dim=1)
    one = seq(use(split_join, n=COLUMNS_BESIDE), at(joined, over(shares, over(to_items, in_order))))
    together = turns_of_rows(COLUMN_SHARES, over(shares, seq(try_(map_identity), to_items)), one)
    padded = COLUMNS_BESIDE * (count // COLUMNS_BESIDE + 1)
    groups = split_over(padded, use(map_to_workgroup, dim=1), split_over(COLUMNS_BESIDE, to_groups, together))
    return seq(elements_of_map, use(map_pad, count=padded - count), at(viewed, groups))


_together: Strategy = seq(everywhere(maps_together), everywhere(loops_together))
"""The groups of both results, and then the loops of these."""


class InBlocksByItems(SharedOut):
    """A block of rows for each work-group, whose work-items take its columns in turns for both results."""

    name = "blocks_items"
    exchanges = True
    of_a_matrix = (_OfColumns(), Compensated(_OfRows()))
    shared = ("rows", "local")

    def matches(self, e: Expr) -> bool:
        """The rows of a matrix and its columns, one result each."""
        return super().matches(e) and sorted(map(lie_apart, e.operands)) == [False, True]

    def default_at(self, e: Expr, machine: Machine, elements: int, sizes: Mapping[str, int]) -> dict[str, int]:
        """The block that the rows of the matrix choose."""
        own = [s.default_at(x, machine, elements, sizes) for _, x, s in self.each(e) if not lie_apart(x)]
        return super().default_at(e, machine, elements, sizes) | own[0]

    def is_preferred(self, e: Expr, machine: Machine, sizes: Mapping[str, int]) -> bool:
        """Where the work-items of a group are not turns of a loop."""
        return not machine.is_cpu

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """(xs, f ys)  ->  (t.0, f t.1)      for t = toGlobal (xs and ys by the same loops of the same groups)"""
        return super().derive(start, choices).then(_together, self.name)
