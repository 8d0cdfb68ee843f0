"""Schedules for long rows of a matrix in two levels: parts of each row are reduced by work-groups of their own, and a
second kernel reduces the results of a row's parts.

Few long rows keep all compute units busy in this way, and no accumulator takes more elements than its rounding errors
allow, however long a row is.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping

from ir.core.expr import Expr
from ir.core.sizes import Size, var
from ir.cost.thresholds.defaults import CHUNKS_PER_UNIT, GPU_VECTOR_AT_MOST
from ir.cost.thresholds.reductions import (
    LONG_ROW_TREE_GROUP_AT_MOST,
    PARTED_ROW_FROM,
    PARTED_ROWS_FROM,
    REDUCTION_WAYS,
    ROW_PART_AT_LEAST,
    ROW_PARTS,
)
from ir.rewrite.derivation import Derivation
from ir.rewrite.places import array, body
from ir.rewrite.strategy import Strategy, at, seq, use
from ir.rules.folds.reduction import reduce_to_parts
from ir.rules.layout.ragged import reduce_partition
from ir.rules.maps.algorithmic import map_fission
from ir.rules.opencl.lowering import map_to_workgroup
from ir.rules.opencl.memory import to_global
from ir.schedules.reductions.chains import (
    WAYS,
    Rows,
    in_short_chains,
    input_length,
    is_shared,
    short_chains,
    widest,
    widths,
)
from ir.schedules.reductions.folding import Folding, fold, fold_exact, parts_over, whole_over
from ir.schedules.reductions.trees import LOCAL, fits_a_group, fold_in_group, fold_row, group_parameters
from ir.schedules.rows.dependent import needs_others
from ir.schedules.schedule import Choices, Constraint, Machine, Parameter, satisfied, up_to
from ir.schedules.tactics import at_parts, count_of_rows, in_order, over, rows_in, to_groups

__all__ = ["RowsByChunks", "RowsByTrees"]

_PARTS = (2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048)


class _RowsInParts(Rows):
    """What the two schedules share.

    Attributes:
        accumulators: the parameters whose product is the number of a row's accumulators
        raised: those of them that are raised for very long rows, the first one first
    """

    accumulators: tuple[str, ...]
    raised: tuple[str, ...]

    def matches(self, e: Expr) -> bool:
        """The reductions of the rows of a matrix, by an associative, commutative function."""
        row = self.row(e)
        return is_shared(row) and not needs_others(row)

    @abstractmethod
    def fold_part(self, choices: Choices) -> Strategy:
        """How a work-group reduces a part whose length is a multiple of its step."""

    @abstractmethod
    def fold_rest(self, n: Size, choices: Choices) -> Strategy:
        """How a work-group reduces the n elements that are left over."""

    def few(self, e: Expr, machine: Machine, sizes: Mapping[str, int]) -> bool:
        """Are there long rows, too few of them for all compute units?"""
        n = input_length(self._row(e)).evaluate(sizes)
        return count_of_rows(e).evaluate(sizes) < machine.compute_units and n >= PARTED_ROW_FROM

    def enough(self, e: Expr, machine: Machine, sizes: Mapping[str, int]) -> int:
        """So many parts that there are four for each compute unit; fewer where they would be short."""
        row = self._row(e)
        rows, n = max(1, count_of_rows(e).evaluate(sizes)), input_length(row).evaluate(sizes)
        wanted = min(CHUNKS_PER_UNIT * machine.compute_units // rows, n // ROW_PART_AT_LEAST)
        return up_to(wanted, _PARTS)

    def default_at(self, e: Expr, machine: Machine, elements: int, sizes: Mapping[str, int]) -> dict[str, int]:
        """As many parts as keep all compute units busy; more of everything for very long rows."""
        row = self._row(e)
        found = self.default(e, machine, elements) | {"parts": self.enough(e, machine, sizes)}
        return in_short_chains(row, found, self.parameters(e), self.raised, sizes)

    def constraints(self, e: Expr) -> list[Constraint]:
        """Parts that are worth a work-group, accumulators with bounded rounding errors."""
        row = self._row(e)
        return [
            Constraint.le(var("parts", 1) * ROW_PART_AT_LEAST, input_length(row), "elements in the parts of a row"),
            *short_chains(row, *self.accumulators),
        ]

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """join ∘ mapWorkgroup (reduceSeq f z) ∘ toGlobal (mapWorkgroup0 (concat(join ∘ mapWorkgroup1 (fold) ∘ split,
        join ∘ mapWorkgroup1 (fold the rest))))
        """
        n, parts = input_length(self._row(start.result)), choices["parts"]
        step = choices.get("local", 1) * Folding.of(choices).step
        whole = parts * step * (n // (parts * step))
        groups = use(map_to_workgroup, dim=1)
        each, rest = parts_over(groups, self.fold_part(choices)), whole_over(groups, self.fold_rest(n - whole, choices))
        if whole is n:
            cut, inner = use(reduce_to_parts, parts=parts), each
        else:
            cut, inner = use(reduce_partition, at=whole, parts=parts), at_parts(each, rest)
        partial = at(array, seq(over(to_groups, inner), to_global))
        both = seq(at(body, cut), map_fission, partial, over(to_groups, in_order))
        return start.then(at(rows_in(start.result), both), self.name)


class RowsByChunks(_RowsInParts):
    """A contiguous part of a row for each work-group of one work-item."""

    name = "row_chunks"
    accumulators = ("parts", "width", "ways")
    raised = ("parts", "ways", "width")

    def parameters(self, e: Expr) -> tuple[Parameter, ...]:
        """How many parts a row has, how wide the vectors along it are, and how many accumulators of them."""
        row = self._row(e)
        return (Parameter("parts", _PARTS), Parameter("width", widths(row)), Parameter("ways", WAYS))

    def default(self, e: Expr, machine: Machine, elements: int) -> dict[str, int]:
        """A few parts for each compute unit, full vectors, four accumulators."""
        return {"parts": ROW_PARTS, "width": widest(self._row(e), machine), "ways": REDUCTION_WAYS}

    def is_preferred(self, e: Expr, machine: Machine, sizes: Mapping[str, int]) -> bool:
        """On a CPU, where rows are too few for its units or too long for one work-item's accumulators."""
        row = self._row(e)
        widest_alone = {"width": max(widths(row)), "ways": max(WAYS)}
        too_long = satisfied(short_chains(row, "width", "ways"), widest_alone, sizes) is not None
        return machine.is_cpu and (too_long or self.few(e, machine, sizes))

    def fold_part(self, choices: Choices) -> Strategy:
        """By one work-item."""
        return fold_exact(Folding.of(choices))

    def fold_rest(self, n: Size, choices: Choices) -> Strategy:
        """By one work-item, in vectors as far as they go."""
        return fold(Folding.of(choices))


class RowsByTrees(_RowsInParts):
    """A contiguous part of a row for each work-group, whose work-items fold strided elements of it and then halve the
    partial results.
    """

    name = "row_trees"
    exchanges = True
    accumulators = ("parts", "local", "width", "ways")
    raised = ("parts", "ways")

    def parameters(self, e: Expr) -> tuple[Parameter, ...]:
        """How many parts a row has, how many work-items are in a group, and how a work-item folds."""
        return (Parameter("parts", _PARTS), *group_parameters(widths(self._row(e))))

    def default(self, e: Expr, machine: Machine, elements: int) -> dict[str, int]:
        """Large groups, whose work-items have four vectors in flight."""
        row = self._row(e)
        local = max(
            n for n in LOCAL if n <= max(LOCAL[0], min(LONG_ROW_TREE_GROUP_AT_MOST, machine.max_work_group_size))
        )
        return {
            "parts": ROW_PARTS,
            "local": local,
            "width": min(GPU_VECTOR_AT_MOST, max(widths(row))),
            "ways": REDUCTION_WAYS,
        }

    def is_preferred(self, e: Expr, machine: Machine, sizes: Mapping[str, int]) -> bool:
        """On a GPU, where rows are too few for its units, or their groups have too little in flight to read so much."""
        rows, n = count_of_rows(e).evaluate(sizes), input_length(self._row(e)).evaluate(sizes)
        much = rows <= machine.compute_units and n >= 2 * ROW_PART_AT_LEAST and rows * n >= PARTED_ROWS_FROM
        return not machine.is_cpu and (much or self.few(e, machine, sizes))

    def constraints(self, e: Expr) -> list[Constraint]:
        """Also groups that fit."""
        return [*super().constraints(e), *fits_a_group(self._row(e))]

    def fold_part(self, choices: Choices) -> Strategy:
        """By all work-items of a group."""
        return fold_in_group(choices["local"], Folding.of(choices))

    def fold_rest(self, n: Size, choices: Choices) -> Strategy:
        """By all work-items of a group, element by element."""
        return fold_row(n, choices["local"], Folding())
