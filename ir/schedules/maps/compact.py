"""Schedules for what goes to places that are computed, or nowhere: `compact n (map f xs)`, the end of a filter."""

from __future__ import annotations

from dataclasses import replace

from ir.core.expr import Expr
from ir.core.patterns import Compact, CompactBeside
from ir.cost.thresholds.defaults import COMPACTED_BY_ITEM
from ir.rewrite.derivation import Derivation
from ir.rewrite.places import below
from ir.rewrite.strategy import at
from ir.schedules.maps.flat import MapGrid
from ir.schedules.schedule import Choices, Constraint, Machine, Parameter, Schedule

__all__ = ["Compacted"]

_ONE_BY_ONE = {"width": 1, "streams": 1, "prefetch": 0}
"""Values lie where nobody knows before: there are no vectors of them, and nothing to ask memory for ahead."""


class Compacted(Schedule):
    """A schedule for the map that computes what is written, and where: element by element, each has its own place."""

    def __init__(self, map_: Schedule) -> None:
        self.map = map_
        self.name = map_.name
        self.exchanges = map_.exchanges
        self.reads_again = map_.reads_again

    def matches(self, e: Expr) -> bool:
        """A compact, or two beside each other, of a map that the other schedule takes."""
        return isinstance(e, (Compact, CompactBeside)) and self.map.matches(e.xs)

    def parameters(self, e: Expr) -> tuple[Parameter, ...]:
        """The map's, but for those of vectors."""
        return tuple(
            replace(p, values=(_ONE_BY_ONE[p.name],)) if p.name in _ONE_BY_ONE else p
            for p in self.map.parameters(_mapped(e))
        )

    def default(self, e: Expr, machine: Machine, elements: int) -> dict[str, int]:
        """The map's; of a grid some elements for each work-item."""
        found = self.map.default(_mapped(e), machine, elements) | _ONE_BY_ONE
        if isinstance(self.map, MapGrid):
            found["each"] = COMPACTED_BY_ITEM
        return {p.name: found[p.name] for p in self.parameters(e)}

    def constraints(self, e: Expr) -> list[Constraint]:
        """The map's."""
        return self.map.constraints(_mapped(e))

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """compact n (map f xs)  ->  compact n (the map, lowered)"""
        return start.then(at(below(Compact, CompactBeside), self.map.strategy(choices)), self.name)


def _mapped(e: Expr) -> Expr:
    assert isinstance(e, (Compact, CompactBeside))
    return e.xs
