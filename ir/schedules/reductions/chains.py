"""Schedules for whole reductions (`reduce f z xs`) and for reductions of the rows of a matrix, in which each work-item
works alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from ir.core.expr import Expr
from ir.core.patterns import REDUCE, Reduce
from ir.core.sizes import Size, var
from ir.core.types import Type
from ir.cost.thresholds.defaults import CHUNKS_PER_UNIT, PREFETCHED_AHEAD, UNITS_WITH_CHUNKS_AT_MOST
from ir.cost.thresholds.reductions import (
    CACHED_UP_TO,
    CHAIN_AT_MOST,
    COMPENSATED_BLOCK,
    REDUCTION_WAYS,
    SHARED_ROW_AT_LEAST,
)
from ir.rewrite.derivation import Derivation
from ir.rewrite.strategy import Strategy, at, choice, seq
from ir.rules.common import is_exact_monoid, is_monoid, length
from ir.rules.compensation import is_compensated
from ir.rules.opencl.lowering import reduce_to_seq
from ir.rules.opencl.memory import to_global
from ir.rules.opencl.vectorise import is_vectorisable
from ir.schedules.maps.flat import WIDTHS
from ir.schedules.reductions.folding import (
    Folding,
    cut_reduction,
    fold,
    fold_exact,
    operand_is_vectorisable,
    parts_over,
    sums_in_blocks,
    whole_over,
)
from ir.schedules.rows.dependent import fold_with_others
from ir.schedules.schedule import (
    PREFETCH,
    Choices,
    Constraint,
    Machine,
    Parameter,
    Schedule,
    prefetching,
    product_of,
    scalars_of,
    whole_blocks,
    widest_of,
)
from ir.schedules.tactics import in_order, over, row_of, rows_in, to_grid, to_groups

__all__ = ["ReduceChunks", "ReduceSequential", "Rows", "RowsByGroup", "RowsByItem"]

WAYS = (1, 2, 4, 8)
"""Accumulators of a reduction."""


def is_parallel(e: Expr) -> bool:
    return isinstance(e, Reduce) and e.how == REDUCE and is_monoid(e.f, e.init)


def is_shared(row: Expr | None) -> bool:
    """Is it a reduction of a row that several work-items may fold together?"""
    if row is None or not is_parallel(row):
        return False
    count = input_length(row).value
    return count is None or count >= SHARED_ROW_AT_LEAST


def widths(e: Expr) -> tuple[int, ...]:
    if isinstance(e, Reduce) and is_parallel(e) and is_vectorisable(e.f) and operand_is_vectorisable(e.xs):
        return WIDTHS
    return (1,)


def ways_of(e: Expr) -> tuple[int, ...]:
    return WAYS if is_parallel(e) else (1,)


def widest(e: Expr, machine: Machine) -> int:
    return widest_of(widths(e), e, machine)


def input_length(e: Expr) -> Size:
    assert isinstance(e, Reduce)
    return length(e.xs)


def longest_sum(t: Type) -> int:
    """Values added one after the other to one accumulator with corrections at most: the square root of the number of
    values that its numbers tell apart, 4096 for float32.

    The corrections add up to as many units in the last place as there are values, at most, each of which is rounded by
    as many of their own: together, by one of the sum's.
    """
    bits = min(np.finfo(part.name).nmant + 1 for part in scalars_of(t) if part.is_float)
    return 1 << bits // 2


def short_chains(e: Expr, *factors: str) -> list[Constraint]:
    """Each accumulator takes few enough elements for its rounding errors to stay small."""
    return _bounded(e, input_length(e) // product_of(*factors)) if isinstance(e, Reduce) else []


def short_rests(e: Expr, *factors: str) -> list[Constraint]:
    """So does the one that takes the elements which blocks of so many leave over."""
    return _bounded(e, product_of(*factors) - 1)


def _bounded(e: Expr, chain: Size) -> list[Constraint]:
    if not isinstance(e, Reduce) or not is_parallel(e) or is_exact_monoid(e.f, e.init):
        return []
    longest = longest_sum(e.init.type) if is_compensated(e.f) else CHAIN_AT_MOST
    return [Constraint.le(chain, longest, "roundings in one accumulator")]


def in_short_chains(
    e: Expr,
    found: dict[str, int],
    parameters: tuple[Parameter, ...],
    factors: tuple[str, ...],
    sizes: Mapping[str, int],
    shares: tuple[str, ...] = ("parts", "local"),
) -> dict[str, int]:
    """The choices with one factor after the other raised, as far as it takes for short chains at those sizes.

    Args:
        factors: parameters whose product is the number of accumulators, the first to be raised first; all others of the
            choices are kept
        shares: parameters by which the array is shared out
    """
    chains = short_chains(e, *(name for name in (*shares, "width", "ways") if name in found))
    values = {p.name: p.values for p in parameters}
    for name in factors:
        for value in values[name]:
            if all(c.holds({**sizes, **found}) for c in chains):
                return found
            found = found | {name: max(value, found[name])}
    return found


def prefetched(machine: Machine, elements: int) -> int:
    """How far ahead memory is asked for where rows are read."""
    return PREFETCHED_AHEAD if machine.is_cpu and elements > CACHED_UP_TO else 0


class ReduceSequential(Schedule):
    """One work-item folds the whole array: what is best for small ones."""

    name = "sequential"

    def matches(self, e: Expr) -> bool:
        """Any reduction."""
        return isinstance(e, Reduce) and e.how == REDUCE

    def parameters(self, e: Expr) -> tuple[Parameter, ...]:
        """How wide the vectors are, and how many accumulators of them."""
        return (Parameter("width", widths(e)), Parameter("ways", ways_of(e)))

    def default(self, e: Expr, machine: Machine, elements: int) -> dict[str, int]:
        """Full vectors, one accumulator."""
        return {"width": widest(e, machine), "ways": 1}

    def constraints(self, e: Expr) -> list[Constraint]:
        """Accumulators with bounded rounding errors."""
        return short_chains(e, "width", "ways")

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """reduceSeq over the body in vectors, then over the tail"""
        return start.then(fold(Folding.of(choices)), self.name)


class ReduceChunks(Schedule):
    """A contiguous chunk for each work-group of one work-item; a second kernel folds the partial results."""

    name = "chunks"

    def matches(self, e: Expr) -> bool:
        """Reductions by an associative, commutative function."""
        return is_parallel(e)

    def parameters(self, e: Expr) -> tuple[Parameter, ...]:
        """How many groups, how wide the vectors, how many accumulators, whether each takes a share of its own, and
        how far ahead memory is asked.
        """
        return (
            Parameter("groups", (2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048)),
            Parameter("width", widths(e)),
            Parameter("ways", ways_of(e)),
            Parameter("apart", (0, 1)),
            Parameter("prefetch", PREFETCH),
        )

    def default(self, e: Expr, machine: Machine, elements: int) -> dict[str, int]:
        """A few chunks for each compute unit, full vectors, four accumulators; a CPU is told ahead what is read."""
        return {
            "groups": max(2, CHUNKS_PER_UNIT * min(machine.compute_units, UNITS_WITH_CHUNKS_AT_MOST)),
            "width": widest(e, machine),
            "ways": REDUCTION_WAYS,
            "apart": int(machine.is_cpu),
            "prefetch": PREFETCHED_AHEAD if machine.is_cpu else 0,
        }

    def default_at(self, e: Expr, machine: Machine, elements: int, sizes: Mapping[str, int]) -> dict[str, int]:
        """More chunks, then more accumulators, then wider vectors, for very long arrays."""
        found = self.default(e, machine, elements)
        return in_short_chains(e, found, self.parameters(e), ("groups", "ways", "width"), sizes, shares=("groups",))

    def constraints(self, e: Expr) -> list[Constraint]:
        """Accumulators with bounded rounding errors."""
        return [
            *short_chains(e, "groups", "width", "ways"),
            *whole_blocks(input_length(e), "groups", "width", "ways"),
            Constraint.le(var("apart", 0) + 1, var("ways", 1), "accumulators that can be apart"),
            prefetching(),
        ]

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """reduceSeq f z ∘ toGlobal (concat(join ∘ mapWorkgroup (fold) ∘ split c ∘ slice, fold the tail))"""
        groups, how = choices["groups"], Folding.of(choices)
        chunk = how.step * (input_length(start.result) // (groups * how.step))
        whole, n = groups * chunk, input_length(start.result)
        rest = choice(sums_in_blocks(replace(how, apart=False, prefetch=0)), in_order)
        chunks, tail = parts_over(to_groups, fold_exact(how)), whole_over(to_groups, rest)
        partial = cut_reduction(n, whole, groups, chunks, tail, to_global)
        return start.then(seq(partial, reduce_to_seq), self.name)


class Rows(Schedule):
    """What the schedules for rows share: `join (map (λrow. reduce f z (.. row)) xss)`."""

    is_ranked = True

    def matches(self, e: Expr) -> bool:
        """The reductions of the rows of a matrix."""
        return self.row(e) is not None

    def lowered(self, start: Derivation, choices: Choices, level: Strategy) -> Derivation:
        """The map given to a level of the machine, and the reduction of a row folded."""
        inner = fold_with_others(Folding.of(choices))
        return start.then(at(rows_in(start.result), over(level, inner)), self.name)

    @staticmethod
    def row(e: Expr) -> Reduce | None:
        """The reduction of one row, over the opened variable."""
        row = row_of(e)
        return row if isinstance(row, Reduce) and row.how == REDUCE else None

    def _row(self, e: Expr) -> Reduce:
        """The same, of expressions that the schedule matches because there is one."""
        row = self.row(e)
        assert row is not None
        return row

    def parameters(self, e: Expr) -> tuple[Parameter, ...]:
        """How wide the vectors along a row are, how many accumulators of them, and how far ahead memory is asked."""
        row = self._row(e)
        return (
            Parameter("width", widths(row)),
            Parameter("ways", ways_of(row)),
            Parameter("apart", (0, 1)),
            Parameter("prefetch", PREFETCH),
        )

    def default(self, e: Expr, machine: Machine, elements: int) -> dict[str, int]:
        """Full vectors on a CPU and four accumulators; sums of floats are added in blocks of eight. On a GPU each
        work-item reads scalars.
        """
        row = self._row(e)
        if not machine.is_cpu:
            return {"width": 1, "ways": 1, "apart": 0, "prefetch": 0}
        ways = min(COMPENSATED_BLOCK if is_compensated(row.f) else REDUCTION_WAYS, max(ways_of(row)))
        return {
            "width": widest(row, machine),
            "ways": ways,
            "apart": 0,
            "prefetch": prefetched(machine, elements),
        }

    def default_at(self, e: Expr, machine: Machine, elements: int, sizes: Mapping[str, int]) -> dict[str, int]:
        """More accumulators for very long rows."""
        row = self._row(e)
        found = self.default(e, machine, elements)
        return in_short_chains(row, found, self.parameters(e), ("ways", "width"), sizes)

    def constraints(self, e: Expr) -> list[Constraint]:
        """Accumulators with bounded rounding errors; parameters that say something."""
        row = self._row(e)
        return [
            *short_chains(row, "width", "ways"),
            Constraint.le(var("apart", 0) + 1, var("ways", 1), "accumulators that can be apart"),
            prefetching(),
        ]


class RowsByGroup(Rows):
    """A work-group of one work-item for each row."""

    name = "row_group"

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """join ∘ mapWorkgroup (fold)"""
        return self.lowered(start, choices, to_groups)


class RowsByItem(Rows):
    """A work-item for each row."""

    name = "row_item"

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """join ∘ mapGlobal (fold)"""
        return self.lowered(start, choices, to_grid)
