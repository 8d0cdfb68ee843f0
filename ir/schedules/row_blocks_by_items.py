"""The schedule for columns of a matrix that need a number of each of its rows, as in `A.T @ (A @ x)` (paper 003: ATAX),
where the work-items of a group share a block of rows.

A group takes a few of its rows a turn. Its work-items reduce them, and then each adds their part of its own columns to
accumulators in its registers: what it read for the rows is in its cache for the columns. A second kernel reduces the
parts of each column.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain

from ir.core.expr import Expr
from ir.core.patterns import Reduce
from ir.core.sizes import var
from ir.cost.thresholds.partition import UNROLLED_TURNS_AT_MOST
from ir.cost.thresholds.reductions import (
    ELEMENTS_OF_A_TURN_AT_MOST,
    PLAIN_LANES,
    REGISTER_BYTES,
    RESULTS_OF_A_ROW,
    ROWS_BY_ITEMS,
)
from ir.rewrite.derivation import Derivation
from ir.rewrite.places import array, body, initial, joined, transposed, viewed
from ir.rewrite.rule import Context
from ir.rewrite.strategy import Rewritten, Strategy, at, choice, of, seq, top_down, use
from ir.rules.maps.algorithmic import map_identity
from ir.rules.maps.blocks import columns_by_blocks, columns_by_rows
from ir.rules.maps.fusion import elements_of_map
from ir.rules.opencl.lowering import map_to_seq, unroll
from ir.rules.opencl.memory import to_global, to_local, to_private
from ir.schedules.blocks_by_items import PARTS_KEPT, bytes_kept, parts_of_columns, rows_by_items
from ir.schedules.reductions.chains import input_length, short_chains
from ir.schedules.reductions.trees import LOCAL, groups_fit
from ir.schedules.row_blocks import column_of, is_crossed, numbers_of_rows, paired, rows_within
from ir.schedules.schedule import MACHINE, Choices, Constraint, Machine, Parameter, Schedule, bytes_of, whole_blocks
from ir.schedules.tactics import at_parts, count_of_rows, in_order, over, to_groups, to_items

__all__ = ["ColumnsByRowsOfItems"]

_BLOCKS = (16, 32, 64, 128)
_TURNS = (1, 2, 4)


class ColumnsByRowsOfItems(Schedule):
    """A block of rows for each work-group, whose work-items reduce some of them a turn, and add these to columns."""

    name = "row_blocks_items"
    exchanges = True

    def matches(self, e: Expr) -> bool:
        """A known number of columns that need numbers of the same rows, one of each."""
        return is_crossed(e) and count_of_rows(e).value is not None

    def parameters(self, e: Expr) -> tuple[Parameter, ...]:
        """How many rows a block has, how many of them a turn, and how many work-items are in a group."""
        return (Parameter("block", _BLOCKS), Parameter("turn", _TURNS), Parameter("local", LOCAL))

    def default_at(self, e: Expr, machine: Machine, elements: int, sizes: Mapping[str, int]) -> dict[str, int]:
        """Larger groups, and fewer rows a turn, for more columns."""
        columns = count_of_rows(e).evaluate(sizes)
        *_, block, turn, local = next((x for x in ROWS_BY_ITEMS if columns <= x[0]), ROWS_BY_ITEMS[-1])
        return {"block": block, "turn": turn, "local": min(local, machine.max_work_group_size)}

    def constraints(self, e: Expr) -> list[Constraint]:
        """Groups that fit, accumulators that are no loops and have bounded rounding errors."""
        column, rows, turn, local = column_of(e), rows_within(e), var("turn", 1), var("local", 1)
        registers = turn * count_of_rows(e) * -(-bytes_of(column.init.type) // REGISTER_BYTES)
        return [
            *whole_blocks(input_length(column), "block"),
            Constraint.le(turn * count_of_rows(e), UNROLLED_TURNS_AT_MOST * local, "elements of a work-item in a turn"),
            Constraint.le(registers, ELEMENTS_OF_A_TURN_AT_MOST, "registers of a group for elements of a turn"),
            Constraint.le(var("block", 1), PLAIN_LANES * turn, "numbers added without corrections"),
            *groups_fit(rows, turn + 2),
            *chain.from_iterable(short_chains(row, "local") for row in rows),
            *short_chains(column, "block"),
            Constraint.le(PARTS_KEPT * bytes_kept(column), MACHINE["local_memory_bytes"], "bytes of local memory"),
        ]

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """join ∘ mapWorkgroup (sums of parts) ∘ transpose ∘ toGlobal (mapWorkgroup (rows in turns, their columns))"""
        rows, local, n = choices["block"], choices["local"], input_length(column_of(start.result))
        blocks = over(to_groups, _in_turns(choices["turn"], local))
        parts = blocks if rows * (n // rows) is n else at_parts(blocks, over(to_groups, _in_turns(1, local)))
        stored = at(joined / array / transposed, seq(parts, to_global))
        last = paired(parts_of_columns(count_of_rows(start.result)))
        return start.then(seq(use(columns_by_blocks, rows=rows), stored, last), self.name)


def _in_turns(rows: int, local: int) -> Strategy:
    """Columns of a block, so many of its rows in a turn by the work-items of a group."""
    numbers = seq(paired(seq(elements_of_map, rows_by_items(rows, local, RESULTS_OF_A_ROW, unroll))), to_local)
    own = seq(map_to_seq, unroll)
    each = seq(map_identity, over(to_items, seq(map_identity, own)))
    turn = seq(top_down(numbers_of_rows(numbers)), over(to_items, seq(at(body, top_down(_added)), own)))
    turns = seq(at(initial, each), at(body, turn), to_private)
    kept = at(joined / transposed, seq(at(viewed, turns), each))
    return seq(use(columns_by_rows, rows=rows, items=local), choice(at(viewed, kept), kept))


@of(Reduce)
def _added(e: Expr, context: Context) -> Rewritten | None:
    """A column's elements of a turn, added up."""
    return seq(in_order, unroll, to_private)(e, context)
