"""The schedule for reductions of the columns of a matrix in which a work-item reduces many columns at once.

Each turn reads a few rows of a panel of columns, in vectors across the columns, and adds them to an array of
accumulators that stays in the first-level cache. So memory is read row by row, as it lies.
"""

from __future__ import annotations

from collections.abc import Mapping

from ir.core.expr import Expr
from ir.core.patterns import Join, Map
from ir.core.sizes import Size, SizeLike, is_le, size
from ir.cost.thresholds.reductions import (
    PANEL_AT_LEAST,
    PANEL_AT_MOST,
    PANEL_GROUPS_PER_UNIT,
    PANEL_PART_AT_LEAST,
    PANEL_ROWS,
    PANEL_TURN,
)
from ir.rewrite.places import body, initial, joined, viewed
from ir.rewrite.strategy import Strategy, at, seq, use
from ir.rules.folds.accuracy import reduce_in_blocks
from ir.rules.layout.ragged import reduce_continued
from ir.rules.maps.algorithmic import map_identity
from ir.rules.maps.fusion import map_of_elements
from ir.rules.maps.horizontal import map_of_reduce
from ir.rules.opencl.lowering import map_to_seq
from ir.rules.opencl.memory import to_private
from ir.schedules.maps.flat import in_vectors, pieces
from ir.schedules.reductions.chains import input_length, short_rests, widest, widths
from ir.schedules.reductions.folding import Folding
from ir.schedules.rows.columns import ColumnsInParts, functions_use_numbers
from ir.schedules.rows.together import lie_apart, one_by_one
from ir.schedules.schedule import ALONE, Choices, Constraint, Machine, Parameter, satisfied
from ir.schedules.tactics import count_of_rows, in_order, over, push_maps, sequential, split_over, to_groups

__all__ = ["PANELS", "RowsByPanels", "in_panels", "panel_for", "smaller_panels"]

PANELS = (16, 32, 48, 64, 128, 192, 256, 320, 384, 448, 512, 640, 768, 896, 1024, 1280, 1536, 1792, 2048)
_BLOCKS = (1, 2, 4, 8)
_REST = (64, 16, 4)
"""Rows of the panels for what the large ones leave over."""


class RowsByPanels(ColumnsInParts):
    """A panel of neighbouring rows for each work-group of one work-item, which reduces them all at once."""

    name = "row_panels"

    def matches(self, e: Expr) -> bool:
        """Also only functions that all rows can take beside each other."""
        if not super().matches(e):
            return False
        assert isinstance(e, Join)
        assert isinstance(e.xs, Map)  # of rows
        return functions_use_numbers(e.xs)

    def parameters(self, e: Expr) -> tuple[Parameter, ...]:
        """How many rows a work-group takes, of how many parts of each of them one, how many elements of each in one
        turn, and how wide the vectors across the rows are.
        """
        return (
            Parameter("panel", PANELS),
            self.parts_of(e),
            Parameter("ways", _BLOCKS),
            Parameter("width", widths(self._row(e))),
        )

    def default(self, e: Expr, machine: Machine, elements: int) -> dict[str, int]:
        """Large panels, a few elements of each row in one turn, full vectors."""
        return {"panel": PANEL_AT_MOST, "parts": 1, "ways": PANEL_ROWS, "width": widest(self._row(e), machine)}

    def default_at(self, e: Expr, machine: Machine, elements: int, sizes: Mapping[str, int]) -> dict[str, int]:
        """Panels that leave few rows over, in parts where there are few panels; more parts of very long rows."""
        rows, n = count_of_rows(e).evaluate(sizes), input_length(self._row(e)).evaluate(sizes)
        panel = panel_for(rows)
        found = self.default(e, machine, elements) | {"panel": panel}
        units, panels = machine.compute_units, rows // panel
        for parts in self.parts_of(e).values:
            found["parts"] = parts
            groups = parts * panels
            even = groups >= units and (groups % units == 0 or groups >= PANEL_GROUPS_PER_UNIT * units)
            shared = even or (parts + 1) * PANEL_PART_AT_LEAST > n
            if shared and satisfied(self.constraints(e), {**machine.bindings(), **found}, sizes) is None:
                break
        return found

    def is_preferred(self, e: Expr, machine: Machine, sizes: Mapping[str, int]) -> bool:
        """On a CPU, where the rows are columns of what lies in memory, enough of them for a panel."""
        if not machine.is_cpu or not lie_apart(e) or count_of_rows(e).evaluate(sizes) < PANEL_AT_LEAST:
            return False
        chosen = self.default_at(e, machine, 0, sizes)
        return satisfied(self.constraints(e), {**machine.bindings(), **chosen}, sizes) is None

    def constraints(self, e: Expr) -> list[Constraint]:
        """Also one work-item for a group, and few elements that equal parts leave over."""
        return [ALONE, *super().constraints(e), *short_rests(self._row(e), "parts", "ways")]

    def beside(self, rows: Size, n: Size, choices: Choices) -> Strategy:
        """join ∘ mapWorkgroup (mapSeq id ∘ element 0 ∘ toPrivate (reduceSeq of arrays)) ∘ split p, the same in smaller
        panels, and join ∘ mapWorkgroup (fold) over the rows that are left
        """
        panels = smaller_panels(choices["panel"])
        return in_panels(rows, panels, n, choices["ways"], choices["width"])

    def beside_rest(self, rows: Size, n: Size, choices: Choices) -> Strategy:
        """As `beside` in panels of one width, one element after the other."""
        return in_panels(rows, _REST[:1], n, 1, choices["width"])

    def rest_parts(self, n: Size) -> SizeLike:
        """One."""
        return 1

    def last(self, count: Size, choices: Choices) -> Strategy:
        """join ∘ mapWorkgroup (reduceSeq f z)"""
        return over(to_groups, in_order)


def _work(rows: int, panels: tuple[int, ...]) -> int:
    """What it takes to reduce so many rows in those panels, in elements: each turn of a panel is one of a loop."""
    work = 0
    for panel in panels:
        work, rows = work + rows // panel * (panel + PANEL_TURN), rows % panel
    return work + rows * PANEL_TURN


def panel_for(rows: int) -> int:
    """The panel that takes the least time over so many rows."""
    fitting = [p for p in PANELS if p <= max(PANEL_AT_LEAST, rows)]
    return min(reversed(fitting), key=lambda p: _work(rows, (p, *_REST)))


def smaller_panels(panel: int) -> tuple[int, ...]:
    """The rows of a panel, and of those for what is left over."""
    return (panel, *(p for p in _REST if p < panel))


def in_panels(
    rows: Size, panels: tuple[int, ...], n: Size, ways: int, width: int, level: Strategy = to_groups
) -> Strategy:
    """A map over so many rows in the first panels, over what is left in the second ones, and so on.

    Args:
        level: who takes a panel
    """
    if not panels:
        return one_by_one(level, Folding(ways=ways))
    panel, *smaller = panels
    whole = panel * (rows // panel)
    if not (is_le(size(0), whole) and is_le(whole, rows)):
        return in_panels(rows, tuple(smaller), n, ways, width, level)  # of such sizes no rule can tell
    inner = split_over(panel, level, _panel(n, ways, min(width, panel)))
    return pieces(rows, whole, inner, in_panels(rows - whole, tuple(smaller), n, ways, width, level))


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
