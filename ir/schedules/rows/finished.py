"""Schedules for reductions whose results are used on the spot: a mean's division, the `beta*y` of a gemv.

The reduction is lowered by its own schedule. What is done with its results goes where they are written: into the last
map that writes them, or after the accumulator.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping

from ir.core.expr import Expr
from ir.core.patterns import (
    MAP,
    SCAN,
    AsScalar,
    Concat,
    Head,
    Join,
    Map,
    Memory,
    Prefetch,
    Reduce,
    Scan,
    Split,
    Transpose,
    Zip,
    is_view_map,
)
from ir.core.types import ArrayType
from ir.rewrite.derivation import Derivation
from ir.rewrite.places import Place, array, below, body, function, joined, part, transposed, viewed
from ir.rewrite.rule import Context
from ir.rewrite.strategy import Rewritten, Strategy, at, choice, seq, use
from ir.rules.common import components, element
from ir.rules.folds.scan import scan_map_fusion, zip_into_scan
from ir.rules.layout.broadcasts import transpose_of_transpose
from ir.rules.layout.concat import join_after_concat, map_after_concat, map_concat_operand
from ir.rules.layout.ragged import map_after_head, zip_of_head
from ir.rules.layout.views import interchange, map_after_join, map_after_split
from ir.rules.maps.algorithmic import map_fission, map_fusion
from ir.rules.maps.fusion import map_into_map, zip_into_map
from ir.rules.maps.zips import interchange_zip, rows_of_zip, zip_of_join, zip_of_joins
from ir.rules.opencl.lowering import map_to_seq
from ir.rules.opencl.memory import map_after_prefetch, zip_of_prefetch
from ir.rules.opencl.vectorise import map_after_scalars, vect_propagation, zip_of_scalars
from ir.schedules.normal_form.together import is_plain, is_reduction
from ir.schedules.schedule import Choices, Constraint, Machine, Parameter, Rival, Schedule
from ir.schedules.tactics import at_parts, is_open_map, keep, when

__all__ = ["Finished", "OfReduction", "finish"]


class OfReduction(Schedule):
    """A schedule for what holds a reduction, or becomes one, which another schedule lowers."""

    def __init__(self, reduction: Schedule) -> None:
        self.reduction = reduction
        self.name = reduction.name
        self.exchanges = reduction.exchanges
        self.reads_again = reduction.reads_again
        self.is_ranked = reduction.is_ranked
        self.tells_sizes_apart = reduction.tells_sizes_apart

    @abstractmethod
    def reduced(self, e: Expr) -> Expr:
        """The reduction that the other schedule is asked about, and does as it says in all that is not said here."""

    def parameters(self, e: Expr) -> tuple[Parameter, ...]:
        """Those of the reduction."""
        return self.reduction.parameters(self.reduced(e))

    def default(self, e: Expr, machine: Machine, elements: int) -> dict[str, int]:
        """The reduction's."""
        return self.reduction.default(self.reduced(e), machine, elements)

    def default_at(self, e: Expr, machine: Machine, elements: int, sizes: Mapping[str, int]) -> dict[str, int]:
        """The reduction's."""
        return self.reduction.default_at(self.reduced(e), machine, elements, sizes)

    def is_preferred(self, e: Expr, machine: Machine, sizes: Mapping[str, int]) -> bool:
        """The reduction's."""
        return self.reduction.is_preferred(self.reduced(e), machine, sizes)

    def rivals(self, e: Expr, machine: Machine, choices: Choices, sizes: Mapping[str, int]) -> tuple[Rival, ...]:
        """The reduction's."""
        return self.reduction.rivals(self.reduced(e), machine, choices, sizes)

    def constraints(self, e: Expr) -> list[Constraint]:
        """The reduction's."""
        return self.reduction.constraints(self.reduced(e))


class Finished(OfReduction):
    """A schedule for a reduction, and a map over its results."""

    def place(self, e: Expr) -> Place | None:
        """Where the reduction stands below a map of its results and of other arrays of that length."""
        found = [i for i, x in enumerate(components(e.xs)) if is_reduction(x)] if is_plain(e) else []
        return read_by_map(e, found[0]) if is_plain(e) and len(found) == 1 else None

    def reduced(self, e: Expr) -> Expr:
        """What stands there."""
        place = self.place(e)
        found = None if place is None else place.of(e)
        assert found is not None  # it matches
        return found

    def matches(self, e: Expr) -> bool:
        """A map over the results of a reduction that the other schedule takes."""
        return self.place(e) is not None and self.reduction.matches(self.reduced(e))

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """map f ∘ (the reduction, lowered)  ->  the map goes to where the results are written"""
        place = self.place(start.result)
        assert place is not None
        return start.then(seq(at(place, self.reduction.strategy(choices)), finish), self.name)


def finish(e: Expr, context: Context) -> Rewritten | None:
    """map f ∘ (a lowered result, perhaps zipped with other arrays)  ->  the map where the result is written

    The result's views and parts are gone through from the outside: a map over joined, transposed or concatenated
    results is one over what is joined, transposed or concatenated.
    """
    if not isinstance(e, Map) or not is_open_map(e):
        return Rewritten(e, ())
    found = [i for i, x in enumerate(components(e.xs)) if _is_lowered(x)]
    if not found:
        return map_to_seq(e, context)
    step = _below_result(e, found[0])
    return (step or _kept(e, found))(e, context)


def _below_result(e: Map, which: int) -> Strategy | None:
    """How the map moves below the outermost pattern of that result; None where it is a reduction's, and stays."""
    result, place, zipped = components(e.xs)[which], read_by_map(e, which), isinstance(e.xs, Zip)
    match result:
        case Join(Concat()):
            return seq(at(place, join_after_concat), finish)
        case Concat():
            apart = use(map_concat_operand, operand=which) if zipped else map_after_concat
            return seq(apart, at_parts(*(finish for _ in result.operands)))
        case Map() if result.how != MAP:
            return seq(_into(e, which, map_into_map), at(body, finish))
        case Scan():
            of_rows = when(isinstance(element(result), ArrayType), at(body / part(1), finish))
            return seq(when(zipped, at(array, use(zip_into_scan, operand=which))), map_to_seq, scan_map_fusion, of_rows)
    moved = _below_view(e, which)
    inner = array if isinstance(result, Map) else below(Prefetch) if isinstance(result, Prefetch) else viewed
    return None if moved is None else seq(moved, at(inner, finish))


def _below_view(e: Expr, which: int) -> Strategy | None:
    """map f (zip(.., v xs, ys, ..))  ->  v (map f' (zip(.., xs, w ys, ..)))      for the outermost view v of a result;
    what undoes it, w, is a view of the others; None where it is no view that is undone so
    """
    assert isinstance(e, Map)
    zipped = isinstance(e.xs, Zip)
    match components(e.xs)[which]:
        case Join():
            rows = choice(zip_of_joins, use(zip_of_join, operand=which))
            return seq(at(array, rows), map_after_join, at(joined, map_fusion)) if zipped else map_after_join
        case Transpose():
            across = interchange_zip if zipped else interchange
            inner = array / part(which) if zipped else array
            return seq(across, at(transposed / inner, transpose_of_transpose))
        case Split():
            return use(map_after_split, operand=which)
        case Head():
            return seq(when(zipped, at(array, use(zip_of_head, operand=which))), map_after_head)
        case Prefetch():
            return seq(when(zipped, at(array, use(zip_of_prefetch, operand=which))), map_after_prefetch)
        case AsScalar():
            lanes = when(zipped, at(array, use(zip_of_scalars, operand=which)))
            return seq(lanes, map_after_scalars, at(below(AsScalar) / function, vect_propagation))
        case Map() as result if is_view_map(result):
            return _below_view_of_rows(e, which)
    return None


def _below_view_of_rows(e: Map, which: int) -> Strategy:
    """The same where the view is one of each row."""

    def of_row(row: Expr, context: Context) -> Rewritten | None:
        moved = _below_view(row, which)
        return None if moved is None else moved(row, context)

    apart = when(isinstance(e.xs, Zip), at(array, rows_of_zip))
    return seq(_into(e, which, map_fusion), at(body, of_row), map_fission, apart)


def _into(e: Map, which: int, fused: Strategy) -> Strategy:
    """map f (zip(.., mapX g xs, ..))  ->  mapX (f ∘ g') (zip(.., xs, ..))"""
    return seq(when(isinstance(e.xs, Zip), at(array, use(zip_into_map, operand=which))), fused)


def _kept(e: Map, results: list[int]) -> Strategy:
    """Reductions of one work-item: their results are kept, and the map is one over these."""
    return seq(*(at(read_by_map(e, i), keep) for i in results), map_to_seq)


def read_by_map(e: Map, which: int) -> Place:
    """Where one of the arrays stands that a map reads."""
    return array / part(which) if isinstance(e.xs, Zip) else array


def _is_lowered(e: Expr) -> bool:
    """Is it computed by a map or reduction that was given to a level of the machine?"""
    while is_view_map(e) or (e.traits.passes_destination and (e.traits.view or e.traits.natural)):
        e = e.operands[1 if isinstance(e, Map) else 0]
    return isinstance(e, (Reduce, Memory)) or (isinstance(e, (Map, Scan)) and e.how not in (MAP, SCAN))
