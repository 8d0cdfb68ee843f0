"""Schedules for sorts by merging: work-groups sort tiles in local memory, then each kernel makes a few sorted runs one.

Few runs are merged several at a time by a work-item for each element, which looks for its place in the other runs by
bisection: a sort takes as few kernels as runs of runs have levels. Of many elements two runs are merged at a time, in
shares of a few elements: bisection finds where a share begins in both, and a work-item goes on from there in order.
"""

from __future__ import annotations

from collections.abc import Mapping

from ir.core.expr import Expr
from ir.core.patterns import Head, Join, Map, Permute, Sort
from ir.core.sizes import var
from ir.core.types import FunctionType, TupleType
from ir.cost.thresholds.defaults import LAUNCHED_GROUPS_AT_MOST
from ir.cost.thresholds.sorts import SORT_IN_PAIRS_FROM, SORT_MERGED_AT_ONCE, SORT_SHARE, SORT_TILE
from ir.rewrite.derivation import Derivation
from ir.rewrite.places import array, below, body, joined
from ir.rewrite.strategy import Strategy, at, seq, tactic, use
from ir.rules.common import element, is_scalar_like, length
from ir.rules.layout.views import repeat_after_map
from ir.rules.maps.algorithmic import map_fusion, split_join
from ir.rules.opencl.lowering import map_to_global, map_to_seq, map_to_workgroup
from ir.rules.opencl.memory import to_global, to_local
from ir.rules.sorting.sort import merge_in_shares, merge_runs, runs_in_tiles, runs_of_one, sort_as_row
from ir.schedules.maps.nests import keep_intermediates
from ir.schedules.schedule import MACHINE, Choices, Constraint, Machine, Parameter, Schedule, bytes_of
from ir.schedules.sorts import sorted_row
from ir.schedules.tactics import over, push_maps, rows_in, sequential, to_grid, to_items

__all__ = ["SortByMerging", "SortRowsByMerging"]

_TILES = (64, 128, 256, 512, 1024, 2048, 4096)
_SHARES = (4, 8, 16)
_WAYS = (2, 4, 8)
_SORTED = tuple(1 << bits for bits in range(6, 30))
_shown = below(Head, Join, Permute)
"""What views of a merged array show."""

_alone: Strategy = seq(push_maps, sequential, keep_intermediates)
"""What one work-item computes."""


@tactic
def _below_views(e: Expr, lowered: Strategy) -> Strategy:
    """The strategy at the map that views show."""
    return lowered if isinstance(e, Map) else at(_shown, _below_views(lowered))


def _merging(run: int, share: int, rows: Strategy, items: Strategy, first: Strategy) -> Strategy:
    """map (sort b key)  ->  mapX merged ∘ first (map (sortRuns b run key))      in shares of so many elements; without
    any, each element by itself
    """
    rule = use(merge_in_shares, n=run, share=share) if share else use(merge_runs, n=run)
    return seq(rule, at(array, first), over(rows, _below_views(items)))


def _in_local_memory(tile: int, share: int) -> Strategy:
    """sort b key  ->  join (mapSeq merged ∘ toLocal (mapSeq merged) ∘ .. ∘ toLocal (mapSeq id))      of a tile, whose
    shares are sorted by comparing each element with each other
    """
    items = over(to_items, _alone)
    rounds = seq(use(split_join, n=tile // share), at(joined, over(map_to_seq, items)))
    keyed = seq(at(body, runs_of_one), at(array, repeat_after_map), map_fusion, at(body, map_fusion))
    level = _merging(1, 0, map_to_seq, rounds, seq(keyed, over(map_to_seq, _below_views(rounds)), to_local))
    run = share
    while run < tile:
        level = _merging(run, share, map_to_seq, items, seq(level, to_local))
        run *= 2
    return seq(sort_as_row, at(joined, level))


def _tiles(tile: int, share: int, dim: int) -> Strategy:
    """map (sortRuns b tile key)  ->  mapWorkgroup (head n ∘ join ∘ mapWorkgroup (sort b key in local memory))      the
    rows in that dimension, the tiles in the other one
    """
    tiles = over(use(map_to_workgroup, dim=1 - dim), _in_local_memory(tile, share))
    return seq(at(body, runs_in_tiles), over(use(map_to_workgroup, dim=dim), at(below(Head) / joined, tiles)))


def _by_merging(choices: Choices, dim: int) -> Strategy:
    """map (sort b key)  ->  mapGlobal1 merged ∘ toGlobal (mapGlobal1 merged) ∘ .. ∘ toGlobal (tiles)      the rows of
    tiles in that dimension
    """
    ways, share, run = choices["ways"], choices["share"], choices["tile"]
    rows, items = use(map_to_global, dim=1), over(to_grid, _alone)
    level = _tiles(run, share, dim)
    while run < choices["sorted"]:
        level = _merging(run, share if ways == 2 else 0, rows, items, seq(level, to_global))
        run = min(run * ways, choices["sorted"])
    return _merging(run, 0, rows, items, seq(level, to_global))  # however many runs there are


class SortRowsByMerging(Schedule):
    """Sorted runs of the rows are merged, a few at a time, until one is left."""

    name = "row_merging"
    exchanges = True

    def matches(self, e: Expr) -> bool:
        """The sorts of the rows of a matrix of numbers, or of tuples, whose keys depend on the element alone."""
        sort = sorted_row(e)
        return sort is not None and _has_tiles(sort)

    def parameters(self, e: Expr) -> tuple[Parameter, ...]:
        """How many elements a work-group sorts, how many runs become one, how long those are that come last, and in
        shares of how many elements two runs are merged.
        """
        return (
            Parameter("tile", _TILES),
            Parameter("ways", _WAYS),
            Parameter("sorted", _SORTED),
            Parameter("share", _SHARES),
        )

    def default(self, e: Expr, machine: Machine, elements: int) -> dict[str, int]:
        """As few kernels as that many runs make."""
        return _merging_of(self._sort(e), machine, elements)

    def default_at(self, e: Expr, machine: Machine, elements: int, sizes: Mapping[str, int]) -> dict[str, int]:
        """The same for arrays, or rows, of that length."""
        sort = self._sort(e)
        return _merging_of(sort, machine, length(sort).evaluate(sizes))

    def constraints(self, e: Expr) -> list[Constraint]:
        """The last kernel merges no more runs than the others; a tile's elements are in local memory, beside what is
        made of them, and a work-item has a share of these; a GPU launches work-groups for all tiles of a row.
        """
        sort = self._sort(e)
        runs = var("sorted", 1) * var("ways", 1)
        kept = 2 * var("tile", 1) * _bytes_kept(sort)
        items = var("share", 1) * MACHINE["max_work_group_size"]
        return [
            Constraint.le(length(sort), runs, "elements of the runs that are merged last"),
            Constraint.le(var("tile", 1), var("sorted", 1), "elements of a tile"),
            Constraint.le(kept, MACHINE["local_memory_bytes"], "bytes of local memory"),
            Constraint.le(var("tile", 1), items, "work-items in a work-group"),
            *self._launched(sort),
        ]

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """join (mapGlobal1 merged) ∘ .. ∘ toGlobal (mapWorkgroup1 (mapWorkgroup0 (sort in local memory)))"""
        return start.then(at(rows_in(start.result), _by_merging(choices, 0)), self.name)

    def _sort(self, e: Expr) -> Sort:
        """The sort of a row."""
        sort = sorted_row(e)
        assert sort is not None
        return sort

    def _launched(self, sort: Sort) -> list[Constraint]:
        """A GPU launches work-groups for all tiles, which lie in the second dimension."""
        tiles = LAUNCHED_GROUPS_AT_MOST * var("tile", 1)
        return [Constraint.le(length(sort), tiles, "work-groups over the tiles", throughout=True)]


class SortByMerging(SortRowsByMerging):
    """The same of a whole array, which is taken for the only row of a matrix."""

    name = "merging"

    def matches(self, e: Expr) -> bool:
        """Sorts of numbers, or of tuples of them, whose keys depend on the element alone."""
        return isinstance(e, Sort) and _has_tiles(e)

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """The same of one row."""
        return start.then(seq(sort_as_row, at(joined, _by_merging(choices, 1))), self.name)

    def _sort(self, e: Expr) -> Sort:
        assert isinstance(e, Sort)
        return e

    def _launched(self, sort: Sort) -> list[Constraint]:
        return []  # they lie in the first dimension


def _has_tiles(sort: Sort) -> bool:
    """Do its keys depend on the element alone, which is a number or a tuple of them and is kept beside its key?"""
    return not sort.key.loose and is_scalar_like(element(sort.xs))


def _bytes_kept(sort: Sort) -> int:
    """What an element of a tile takes: the key beside the element."""
    key = sort.key.type
    assert isinstance(key, FunctionType) and isinstance(key.result, TupleType)
    return bytes_of(key.result.elements[0]) + bytes_of(element(sort.xs))


def _merging_of(sort: Sort, machine: Machine, elements: int) -> dict[str, int]:
    """The shortest tile that holds all, else the longest; then few kernels of some runs each, or of many pairs."""
    most = min(machine.local_memory_bytes // (2 * _bytes_kept(sort)), SORT_SHARE * machine.max_work_group_size)
    tiles = [tile for tile in _TILES if tile <= min(most, SORT_TILE)] or [_TILES[0]]
    tile = next((tile for tile in tiles if tile >= elements), tiles[-1])
    ways = 2 if elements >= SORT_IN_PAIRS_FROM else SORT_MERGED_AT_ONCE
    left = 1 if ways == 2 else ways  # runs for the last kernel, to which pairs leave one
    last = next((s for s in _SORTED if s >= tile and s * left >= elements), _SORTED[-1])
    return {"tile": tile, "ways": ways, "sorted": last, "share": SORT_SHARE}
