"""Schedules for reductions whose results are used on the spot: a mean's division, the `beta*y` of a gemv.

The reduction is lowered by its own schedule. What is done with its results goes where they are written: into the last
map that writes them, or after the accumulator.
"""

from __future__ import annotations

from collections.abc import Mapping

from ir.core.expr import Expr
from ir.core.patterns import MAP, Concat, Join, Map, Memory, Reduce, Transpose, Zip
from ir.rewrite.derivation import Derivation
from ir.rewrite.rule import Context
from ir.rewrite.strategy import Path, Rewritten, Strategy, at, choice, seq, succeed
from ir.rules.common import components
from ir.strategies.schedule import Choices, Constraint, Machine, Parameter, Schedule
from ir.strategies.tactics import is_open_map, keep, named
from ir.strategies.together import is_plain, is_reduction

__all__ = ["Finished", "finish"]


class Finished(Schedule):
    """A schedule for a reduction, and a map over its results."""

    def __init__(self, reduction: Schedule) -> None:
        self.reduction = reduction
        self.name = reduction.name
        self.exchanges = reduction.exchanges

    @staticmethod
    def place(e: Expr) -> Path | None:
        """Where the reduction stands below a map of its results and of other arrays of that length."""
        if not is_plain(e):
            return None
        found = [i for i, x in enumerate(components(e.xs)) if is_reduction(x)]
        if len(found) != 1:
            return None
        return (1, found[0]) if isinstance(e.xs, Zip) else (1,)

    def _reduction(self, e: Expr) -> Expr:
        place = self.place(e)
        assert place is not None  # it matches
        for index in place:
            e = e.operands[index]
        return e

    def matches(self, e: Expr) -> bool:
        """A map over the results of a reduction that the other schedule takes."""
        return self.place(e) is not None and self.reduction.matches(self._reduction(e))

    def parameters(self, e: Expr) -> tuple[Parameter, ...]:
        """Those of the reduction."""
        return self.reduction.parameters(self._reduction(e))

    def default(self, e: Expr, machine: Machine, elements: int) -> dict[str, int]:
        """The reduction's."""
        return self.reduction.default(self._reduction(e), machine, elements)

    def default_at(self, e: Expr, machine: Machine, elements: int, sizes: Mapping[str, int]) -> dict[str, int]:
        """The reduction's."""
        return self.reduction.default_at(self._reduction(e), machine, elements, sizes)

    def is_preferred(self, e: Expr, machine: Machine, sizes: Mapping[str, int]) -> bool:
        """The reduction's."""
        return self.reduction.is_preferred(self._reduction(e), machine, sizes)

    def constraints(self, e: Expr) -> list[Constraint]:
        """The reduction's."""
        return self.reduction.constraints(self._reduction(e))

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """map f ∘ (the reduction, lowered)  ->  the map goes to where the results are written"""
        place = self.place(start.result)
        assert place is not None

        def lower(e: Expr, context: Context) -> Rewritten:
            return self.reduction.derive(Derivation.of(e), choices).rewritten()

        return start.then(seq(at(place, lower), finish), self.name)


def finish(e: Expr, context: Context) -> Rewritten | None:
    """map f ∘ (a lowered result, perhaps zipped with other arrays)  ->  the map where the result is written

    The result's views and parts are gone through from the outside: a map over joined, transposed or concatenated
    results is one over what is joined, transposed or concatenated.
    """
    if not isinstance(e, Map) or not is_open_map(e):
        return Rewritten(e, ())
    found = [i for i, x in enumerate(components(e.xs)) if _is_lowered(x)]
    if not found:
        return named("map_to_seq")(e, context)
    step = _below_result(e, found[0])
    return (step or _kept(e, found))(e, context)


def _below_result(e: Map, which: int) -> Strategy | None:
    """How the map moves below the outermost pattern of that result; None where it is a reduction's, and stays."""
    zipped = isinstance(e.xs, Zip)
    result, place = components(e.xs)[which], (1, which) if zipped else (1,)
    match result:
        case Join(Concat()):
            return seq(at(place, named("join_after_concat")), finish)
        case Concat():
            apart = named("map_concat_operand", operand=which) if zipped else named("map_after_concat")
            return seq(apart, *(at((i,), finish) for i in range(len(result.operands))))
        case Join():
            rows = choice(named("zip_of_joins"), named("zip_of_join", operand=which))
            joined = seq(at((1,), rows), named("map_after_join"), at((0,), named("map_fusion")))
            return seq(joined if zipped else named("map_after_join"), at((0,), finish))
        case Transpose():
            across = named("interchange_zip" if zipped else "interchange")
            inner: Path = (0, 1, which) if zipped else (0, 1)
            return seq(across, at(inner, named("transpose_of_transpose")), at((0,), finish))
        case Map():
            together = at((1,), named("zip_into_map", operand=which)) if zipped else succeed
            return seq(together, named("map_into_map"), at((0, 0), finish))
    return None


def _kept(e: Map, results: list[int]) -> Strategy:
    """Reductions of one work-item: their results are kept, and the map is one over these."""
    places: list[Path] = [(1, i) for i in results] if isinstance(e.xs, Zip) else [(1,)]
    return seq(*(at(place, keep) for place in places), named("map_to_seq"))


def _is_lowered(e: Expr) -> bool:
    """Is it computed by a map or reduction that was given to a level of the machine?"""
    while e.traits.passes_destination and e.traits.natural:
        e = e.operands[0]
    return isinstance(e, (Reduce, Memory)) or (isinstance(e, Map) and e.how != MAP)
