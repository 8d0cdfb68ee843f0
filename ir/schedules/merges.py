"""Schedules for sorts by merging: each kernel makes a few sorted runs one, until one is left.

A work-item for each element looks for its place in the other runs by bisection, so that no element waits for another:
a sort takes as few kernels as runs of runs have levels, each of which the whole device works at.
"""

from __future__ import annotations

from collections.abc import Mapping

from ir.core.expr import Expr
from ir.core.patterns import Permute, Sort
from ir.core.sizes import var
from ir.cost.thresholds.sorts import SORT_IN_PAIRS_FROM, SORT_MERGED_AT_ONCE, SORT_TILE
from ir.rewrite.derivation import Derivation
from ir.rewrite.places import array, below, body, joined
from ir.rewrite.strategy import Strategy, at, seq, try_, use
from ir.rules.common import length
from ir.rules.maps.algorithmic import map_identity_elimination
from ir.rules.opencl.lowering import map_to_global
from ir.rules.opencl.memory import to_global
from ir.rules.sorting.sort import merge_runs, runs_of_one, sort_as_row
from ir.schedules.maps.nests import keep_intermediates
from ir.schedules.schedule import Choices, Constraint, Machine, Parameter, Schedule
from ir.schedules.sorts import sorted_row
from ir.schedules.tactics import over, push_maps, rows_in, sequential, to_grid

__all__ = ["SortByMerging", "SortRowsByMerging"]

_TILES = (16, 32, 64, 128)
_WAYS = (2, 4, 8)
_SORTED = tuple(1 << bits for bits in range(6, 29, 2))

_merged: Strategy = over(
    use(map_to_global, dim=1), at(below(Permute), over(to_grid, seq(push_maps, sequential, keep_intermediates)))
)
"""map (permute ∘ map placed)  ->  mapGlobal1 (permute ∘ mapGlobal0 placed)"""


def _by_merging(runs: tuple[int, ...]) -> Strategy:
    """map (sort b key)  ->  map merged ∘ .. ∘ toGlobal (map merged), of runs of these lengths, the longest first."""
    if not runs:
        return seq(at(body, seq(runs_of_one, map_identity_elimination)), try_(map_identity_elimination))
    first = _by_merging(runs[1:]) if len(runs) == 1 else seq(_by_merging(runs[1:]), to_global)
    return seq(use(merge_runs, n=runs[0]), at(array, first), _merged)


def _merged_runs(choices: Choices) -> tuple[int, ...]:
    """How long the runs are that are merged, the longest first: single elements become tiles, which become longer."""
    runs, run = [1], min(choices["tile"], choices["sorted"])
    while run < choices["sorted"]:
        runs.append(run)
        run = min(run * choices["ways"], choices["sorted"])
    return (run, *reversed(runs))


class SortRowsByMerging(Schedule):
    """Sorted runs of the rows are merged, a few at a time, until one is left: a work-item for each element."""

    name = "row_merging"

    def matches(self, e: Expr) -> bool:
        """The sorts of the rows of a matrix whose keys depend on the element alone."""
        sort = sorted_row(e)
        return sort is not None and not sort.key.loose

    def parameters(self, e: Expr) -> tuple[Parameter, ...]:
        """How long the runs are that are made of single elements, how many runs become one, how long those are that
        come last.
        """
        return (Parameter("tile", _TILES), Parameter("ways", _WAYS), Parameter("sorted", _SORTED))

    def default(self, e: Expr, machine: Machine, elements: int) -> dict[str, int]:
        """As few kernels as that many runs make."""
        return _merging_of(elements)

    def default_at(self, e: Expr, machine: Machine, elements: int, sizes: Mapping[str, int]) -> dict[str, int]:
        """The same for rows of that length."""
        sort = sorted_row(e)
        assert sort is not None
        return _merging_of(length(sort).evaluate(sizes))

    def constraints(self, e: Expr) -> list[Constraint]:
        """The last kernel merges no more runs than the others."""
        sort = sorted_row(e)
        assert sort is not None
        return [_few_runs(sort)]

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """join (mapGlobal1 (permute ∘ mapGlobal0 placed)) ∘ .. ∘ toGlobal (mapGlobal1 (permute ∘ mapGlobal0 placed))"""
        return start.then(at(rows_in(start.result), _by_merging(_merged_runs(choices))), self.name)


class SortByMerging(SortRowsByMerging):
    """The same of a whole array, which is taken for the only row of a matrix."""

    name = "merging"

    def matches(self, e: Expr) -> bool:
        """Sorts whose keys depend on the element alone."""
        return isinstance(e, Sort) and not e.key.loose

    def default_at(self, e: Expr, machine: Machine, elements: int, sizes: Mapping[str, int]) -> dict[str, int]:
        """As few kernels as that many runs make."""
        return _merging_of(length(e).evaluate(sizes))

    def constraints(self, e: Expr) -> list[Constraint]:
        """The last kernel merges no more runs than the others."""
        return [_few_runs(e)]

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """The same of one row."""
        return start.then(seq(sort_as_row, at(joined, _by_merging(_merged_runs(choices)))), self.name)


def _merging_of(elements: int) -> dict[str, int]:
    ways = 2 if elements >= SORT_IN_PAIRS_FROM else SORT_MERGED_AT_ONCE
    last = next((s for s in _SORTED if s * ways >= elements), _SORTED[-1])
    return {"tile": SORT_TILE, "ways": ways, "sorted": last}


def _few_runs(e: Expr) -> Constraint:
    return Constraint.le(length(e), var("sorted", 1) * var("ways", 1), "elements of the runs that are merged last")
