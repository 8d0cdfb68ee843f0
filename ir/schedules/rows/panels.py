"""The schedule for reductions of the columns of a matrix in which a work-item reduces many columns at once.

Each turn reads a few rows of a panel of columns, in vectors across the columns, and adds them to an array of
accumulators that stays in the first-level cache. So memory is read row by row, as it lies.
"""

from __future__ import annotations

from collections.abc import Mapping

from ir.core.expr import Expr, Lambda, fresh, postorder, substitute
from ir.core.patterns import Join, Map, Slide
from ir.core.sizes import Size
from ir.cost.thresholds.defaults import (
    PANEL_AT_LEAST,
    PANEL_AT_MOST,
    PANEL_GROUPS_PER_UNIT,
    PANEL_ROWS,
)
from ir.rewrite.derivation import Derivation
from ir.rewrite.places import body, initial, joined, viewed
from ir.rewrite.strategy import Strategy, at, seq, use
from ir.rules.accuracy import reduce_in_blocks
from ir.rules.algorithmic import map_identity
from ir.rules.fusion import elements_of_map, map_of_elements
from ir.rules.horizontal import map_of_reduce, numbers_of
from ir.rules.lowering import map_to_seq
from ir.rules.memory import to_private
from ir.rules.ragged import reduce_continued
from ir.schedules.maps.flat import in_vectors, pieces
from ir.schedules.reductions.chains import Rows, input_length, is_parallel, short_chains, widest, widths
from ir.schedules.reductions.folding import Folding
from ir.schedules.rows.dependent import needs_others
from ir.schedules.rows.together import lie_apart, one_by_one
from ir.schedules.schedule import MACHINE, Choices, Constraint, Machine, Parameter, satisfied
from ir.schedules.tactics import count_of_rows, push_maps, sequential, split_over, to_groups

__all__ = ["RowsByPanels"]

_PANELS = (64, 128, 256, 512, 1024, 2048, 4096)
_BLOCKS = (1, 2, 4, 8)


class RowsByPanels(Rows):
    """A panel of neighbouring rows for each work-group of one work-item, which reduces them all at once."""

    name = "row_panels"

    def matches(self, e: Expr) -> bool:
        """The reductions of the rows of a matrix, by an associative, commutative function; windows are rows that
        overlap.
        """
        row = self.row(e)
        if row is None or not isinstance(e, Join) or not is_parallel(row) or needs_others(row):
            return False
        assert isinstance(e.xs, Map)  # of rows
        return _functions_use_numbers(e.xs) and not any(isinstance(node, Slide) for node in postorder(e.xs.xs))

    def parameters(self, e: Expr) -> tuple[Parameter, ...]:
        """How many rows a work-group takes, how many elements of each of them in one turn, and how wide the vectors
        across the rows are.
        """
        return (
            Parameter("panel", _PANELS),
            Parameter("ways", _BLOCKS),
            Parameter("width", widths(self._row(e))),
        )

    def default(self, e: Expr, machine: Machine, elements: int) -> dict[str, int]:
        """Large panels, a few elements of each row in one turn, full vectors."""
        return {"panel": PANEL_AT_MOST, "ways": PANEL_ROWS, "width": widest(self._row(e), machine)}

    def default_at(self, e: Expr, machine: Machine, elements: int, sizes: Mapping[str, int]) -> dict[str, int]:
        """The largest panels of which each compute unit gets one; more elements in one turn of very long rows."""
        rows = count_of_rows(e).evaluate(sizes)
        shared = min(PANEL_AT_MOST, rows // (PANEL_GROUPS_PER_UNIT * machine.compute_units))
        panel = max((p for p in _PANELS if p <= shared), default=PANEL_AT_LEAST)
        ways = next((n for n in _BLOCKS if n >= PANEL_ROWS and self._is_exact(e, n, sizes)), _BLOCKS[-1])
        return self.default(e, machine, elements) | {"panel": panel, "ways": ways}

    def _is_exact(self, e: Expr, ways: int, sizes: Mapping[str, int]) -> bool:
        """Are so many elements in one turn enough for accumulators with bounded rounding errors?"""
        return satisfied(short_chains(self._row(e), "ways"), {"ways": ways}, sizes) is None

    def is_preferred(self, e: Expr, machine: Machine, sizes: Mapping[str, int]) -> bool:
        """On a CPU, where the rows are columns of what lies in memory, enough of them for all compute units."""
        if not machine.is_cpu or not lie_apart(e):
            return False
        enough = PANEL_AT_LEAST * PANEL_GROUPS_PER_UNIT * machine.compute_units
        return count_of_rows(e).evaluate(sizes) >= enough and self._is_exact(e, _BLOCKS[-1], sizes)

    def constraints(self, e: Expr) -> list[Constraint]:
        """Accumulators with bounded rounding errors, one work-item for a group."""
        return [
            Constraint.le(MACHINE["lockstep"], 1, "work-items in lockstep, of which a group has one"),
            *short_chains(self._row(e), "ways"),
        ]

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """concat(join ∘ mapWorkgroup (mapSeq id ∘ element 0 ∘ toPrivate (reduceSeq of arrays)) ∘ split p, the same in
        small panels, join ∘ mapWorkgroup (fold)), the last over the rows that are left
        """
        n, turn = input_length(self._row(start.result)), choices["ways"]
        small = _panel(n, turn, choices["width"])
        rows, panel = count_of_rows(start.result), choices["panel"]
        whole = panel * (rows // panel)
        rest = rows - whole
        left = pieces(rest, _PANELS[0] * (rest // _PANELS[0]), split_over(_PANELS[0], to_groups, small), _alone)
        both = pieces(rows, whole, split_over(panel, to_groups, small), left)
        return start.then(seq(elements_of_map, both), self.name)


def _functions_use_numbers(rows: Map) -> bool:
    """Of its row, do the functions inside of a function of rows use single numbers only?"""
    assert isinstance(rows.f, Lambda)
    (row,), reduction = rows.f.open()
    for f in postorder(reduction):
        if isinstance(f, Lambda) and row in postorder(substitute(f, {x: fresh(x.type) for x in numbers_of(row, f)})):
            return False
    return True


_alone = one_by_one(to_groups, Folding())
"""The rows that are left, each by a work-group of its own."""


def _panel(n: Size, ways: int, width: int) -> Strategy:
    """map (λrow. element 0 (reduce f z row))  ->  mapSeq id ∘ element 0 ∘ toPrivate (reduceSeq of arrays)"""
    across = in_vectors(width, map_to_seq)
    step = at(body, across)
    first = at(initial, seq(map_identity, map_to_seq))
    goes_on = n // ways * ways is not n and (n // ways).value != 0 and ways > 1
    inner = seq(at(initial / viewed, seq(first, step)), step) if goes_on else seq(first, step)
    return seq(
        map_of_elements,
        at(joined / body, _in_turns(n, ways)),
        map_of_reduce,
        at(viewed, seq(inner, to_private)),
        map_identity,
        map_to_seq,
    )


def _in_turns(n: Size, ways: int) -> Strategy:
    """The reduction of a row in order, some elements of it in one turn; those that are left one by one."""
    blocks = seq(push_maps, use(reduce_in_blocks, ways=ways))
    whole = ways * (n // ways)
    if ways == 1 or whole.value == 0:
        return seq(push_maps, sequential)
    if whole is n:
        return seq(blocks, sequential)
    return seq(use(reduce_continued, at=whole), at(initial / viewed, blocks), push_maps, sequential)
