"""The schedule for columns of a matrix that need a number of each of its rows, as in `A.T @ (A @ x)` (paper 003: ATAX).

A work-group of one work-item reduces the rows of a block, and then adds up the block's part of each column: what it has
read for the rows is in its cache for the columns. A second kernel reduces the parts of each column.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain

from ir.core.expr import Expr
from ir.core.patterns import Join, Reduce, Zip
from ir.core.sizes import size, var
from ir.cost.thresholds.reductions import (
    ACCUMULATORS_AT_MOST,
    BLOCK_ROWS_AT_ONCE,
    BLOCKS_PER_UNIT_AT_LEAST,
    PANEL_ROWS,
    PLAIN_LANES,
    REDUCTION_WAYS,
    ROW_BLOCK_BYTES,
)
from ir.rewrite.derivation import Derivation
from ir.rewrite.places import array, body, joined, part, transposed
from ir.rewrite.rule import Context
from ir.rewrite.strategy import Rewritten, Strategy, at, choice, seq, tactic, use
from ir.rules.folds.reduction import mapped_by
from ir.rules.layout.views import interchange
from ir.rules.maps.algorithmic import split_join
from ir.rules.maps.blocks import columns_by_blocks
from ir.rules.maps.fusion import elements_of_map
from ir.rules.opencl.lowering import map_to_seq
from ir.rules.opencl.memory import to_global, to_private
from ir.schedules.reductions.chains import WAYS, input_length, prefetched, short_chains, widest, widths
from ir.schedules.reductions.folding import Folding
from ir.schedules.rows.compensated import to_pairs
from ir.schedules.rows.finished import finish
from ir.schedules.rows.panels import PANELS, in_panels, panel_for, smaller_panels
from ir.schedules.rows.together import one_by_one, together
from ir.schedules.schedule import (
    ALONE,
    PREFETCH,
    Choices,
    Constraint,
    Machine,
    Parameter,
    Schedule,
    bytes_of,
    prefetching,
    up_to,
    whole_blocks,
)
from ir.schedules.tactics import at_parts, count_of_rows, over, row_of, to_groups

__all__ = ["ColumnsByBlocks", "column_of", "is_crossed", "numbers_of_rows", "paired", "rows_within"]

_BLOCKS = (16, 32, 64)


class ColumnsByBlocks(Schedule):
    """A block of rows for each work-group, which reduces them and then its part of each column."""

    name = "row_blocks"

    def matches(self, e: Expr) -> bool:
        """Columns that need numbers of the same rows, one of each."""
        return is_crossed(e)

    def parameters(self, e: Expr) -> tuple[Parameter, ...]:
        """How many rows a block has and columns a panel, how wide vectors are, how many accumulators a row has, and how
        far ahead memory is asked.
        """
        return (
            Parameter("block", _BLOCKS),
            Parameter("panel", PANELS),
            Parameter("width", widths(column_of(e))),
            Parameter("ways", WAYS),
            Parameter("prefetch", PREFETCH),
        )

    def default_at(self, e: Expr, machine: Machine, elements: int, sizes: Mapping[str, int]) -> dict[str, int]:
        """Blocks that stay in the second-level cache, and of which there are some for each compute unit."""
        columns, rows = count_of_rows(e).evaluate(sizes), input_length(column_of(e)).evaluate(sizes)
        row = max(1, columns * bytes_of(column_of(e).init.type))
        shared = rows // (BLOCKS_PER_UNIT_AT_LEAST * machine.compute_units)
        block = up_to(min(ROW_BLOCK_BYTES // row, shared), _BLOCKS)
        found = {"block": block, "panel": panel_for(columns), "width": widest(column_of(e), machine)}
        return found | {"ways": REDUCTION_WAYS, "prefetch": prefetched(machine, elements)}

    def constraints(self, e: Expr) -> list[Constraint]:
        """One work-item for a group, accumulators that fit registers and have bounded rounding errors."""
        column, ways = column_of(e), var("ways", 1)
        return [
            ALONE,
            *whole_blocks(input_length(column), "block"),
            Constraint.le(BLOCK_ROWS_AT_ONCE * ways, ACCUMULATORS_AT_MOST, "accumulators of a work-item"),
            Constraint.le(var("block", 1), PLAIN_LANES * PANEL_ROWS, "numbers added without corrections"),
            *short_chains(_reduction(e) or column, "block"),
            *chain.from_iterable(short_chains(row, "width", "ways") for row in rows_within(e)),
            prefetching(),
        ]

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """join ∘ mapWorkgroup (columns in panels) ∘ transpose ∘ toGlobal (mapWorkgroup (rows, columns in panels))"""
        count, width = count_of_rows(start.result), choices["width"]
        panels = smaller_panels(choices["panel"])
        how = Folding.of(choices)

        def block(rows: int, ways: int) -> Strategy:
            numbers = at(joined / body / array / array, numbers_of_rows(seq(_rows(rows, how), to_private)))
            columns = in_panels(count, panels, size(rows), ways, width, map_to_seq)
            return over(to_groups, seq(numbers, elements_of_map, columns))

        def last(e: Expr, context: Context) -> Rewritten | None:
            column = row_of(e)
            assert column is not None
            return seq(elements_of_map, in_panels(count, panels, input_length(column), 1, width))(e, context)

        n, rows = input_length(column_of(start.result)), choices["block"]
        blocks = block(rows, PANEL_ROWS)
        parts = blocks if rows * (n // rows) is n else at_parts(blocks, block(1, 1))
        stored = at(joined / array / transposed, seq(parts, to_global))
        return start.then(seq(use(columns_by_blocks, rows=rows), stored, paired(last)), self.name)


def paired(inner: Strategy) -> Strategy:
    """Reductions lowered by that; sums of floats become sums of pairs, which are added up at the end."""
    return choice(seq(to_pairs, at(array, inner), finish), inner)


def _rows(rows: int, how: Folding) -> Strategy:
    """join (map (λrow. reduce f z row))  ->  the same by one work-item, some rows of a block at once"""
    if rows == 1:
        return paired(seq(elements_of_map, one_by_one(map_to_seq, how)))
    turns = seq(interchange, at(transposed, over(map_to_seq, together(how))))
    return paired(seq(elements_of_map, use(split_join, n=rows // BLOCK_ROWS_AT_ONCE), at(joined, turns)))


def is_crossed(e: Expr) -> bool:
    """Are they columns that need numbers of the same rows, each reduced of its row?"""
    if use(columns_by_blocks, rows=_BLOCKS[0])(e, ()) is None:
        return False
    return all(_reduction(x) is not None for x in _numbers(e))


@tactic
def numbers_of_rows(e: Zip, strategy: Strategy) -> Strategy | None:
    """All numbers of rows in a zip of them and a column, by a strategy."""
    numbers = [i for i, x in enumerate(e.operands) if isinstance(x, Join) and row_of(x) is not None]
    return seq(*(at(part(i), strategy) for i in numbers)) if numbers else None


def column_of(e: Expr) -> Reduce:
    """The reduction of a column."""
    found = row_of(e)
    assert isinstance(found, Reduce)
    return found


def rows_within(e: Expr) -> list[Reduce]:
    """The reductions of a row, of pairs where they add floats."""
    return [row for row in map(_reduction, _numbers(e)) if row is not None]


def _numbers(e: Expr) -> list[Expr]:
    return [x for x in mapped_by(column_of(e).xs)[1].operands if isinstance(x, Join)]


def _reduction(e: Expr) -> Reduce | None:
    """The reduction of each of some rows, of pairs where it adds floats."""
    done = to_pairs(e, ())
    found = row_of(e if done is None else done.expr.operands[1])
    return found if isinstance(found, Reduce) else None
