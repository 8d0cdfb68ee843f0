"""The candidates for a kernel: every schedule that matches its normal form, with every choice of parameters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, product
from math import inf, isfinite, prod

from ir.core.expr import Expr, Param, postorder
from ir.core.patterns import Concat, Generate, Map
from ir.core.sizes import Size, size
from ir.core.types import shape_of
from ir.cost.derived import estimate
from ir.cost.thresholds.defaults import (
    COMBINATIONS_OF_A_CONSTRAINT,
    ONE_GROUP_BELOW,
    ONE_KERNEL_BELOW,
    ORDER_OF_FEW_ON_A_CPU,
    ORDER_OF_MANY_ON_A_CPU,
    ORDER_OF_SOME_ON_A_CPU,
    ORDER_ON_A_GPU,
)
from ir.cost.thresholds.prediction import OTHER_TAKES_AT_MOST
from ir.errors import IRError, RewriteError
from ir.rewrite.derivation import Derivation
from ir.schedules.array_and_columns import ArrayAndColumns
from ir.schedules.blocks import InBlocks
from ir.schedules.blocks_by_items import InBlocksByItems
from ir.schedules.library_sorts import SortByLibrary
from ir.schedules.maps.broadcasts import MapRows, MapRowsGrid
from ir.schedules.maps.compact import Compacted
from ir.schedules.maps.flat import MapChunks, MapGrid
from ir.schedules.maps.local_tiles import MapLocalTiles
from ir.schedules.maps.nests import Nest
from ir.schedules.maps.steps import StepsByItems, StepsInTiles
from ir.schedules.maps.tiles import MapTiles
from ir.schedules.merges import SortByMerging, SortRowsByMerging
from ir.schedules.normal_form.normalise import normalise
from ir.schedules.one_loop import InOneLoop, InOneLoopByGroup
from ir.schedules.parts import PartsByGroup, PartsByItem, computes, is_of_parts
from ir.schedules.products.batches import ProductsOneByOne
from ir.schedules.products.blocks import ProductByBlocks
from ir.schedules.products.finished import FinishedProduct
from ir.schedules.products.library import ProductByLibrary
from ir.schedules.products.parts import ProductByParts
from ir.schedules.products.tensor_cores import ProductByTensorCores
from ir.schedules.products.tile_batches import ProductsByTiles
from ir.schedules.products.tile_parts import ProductByTilesInParts
from ir.schedules.products.tiles import ProductByTiles
from ir.schedules.reductions.chains import ReduceChunks, ReduceSequential, RowsByGroup, RowsByItem
from ir.schedules.reductions.trees import ReduceTree, RowsByTree
from ir.schedules.row_blocks import ColumnsByBlocks
from ir.schedules.row_blocks_by_items import ColumnsByRowsOfItems
from ir.schedules.rows.columns import RowsByGrid
from ir.schedules.rows.compensated import Compensated
from ir.schedules.rows.finished import Finished
from ir.schedules.rows.kept import MappedRowsKept
from ir.schedules.rows.mapped import MappedRowsByGroup, MappedRowsByTree
from ir.schedules.rows.panels import RowsByPanels
from ir.schedules.rows.parts import RowsByChunks, RowsByTrees
from ir.schedules.rows.shares import RowsByShares
from ir.schedules.rows.together import RowsTogether
from ir.schedules.rows.warps import RowsByWarp
from ir.schedules.scans.chains import ScanChunks, ScanColumns, ScanRowsByGroup, ScanRowsByItem, ScanSequential
from ir.schedules.scans.finished import FinishedScan
from ir.schedules.scans.parts import ScanColumnsInParts, ScanRowsInParts
from ir.schedules.scans.trees import ScanRowsByTree, ScanTree
from ir.schedules.scatters import ScatterByGroups, ScatterByPlaces, ScatterByValues, ScatterSequential
from ir.schedules.schedule import Constraint, Machine, Parameter, Rival, Schedule, at_largest, satisfied
from ir.schedules.sorts import SortByComparison, SortByDigits, SortRowsByComparison, SortRowsByDigits
from ir.schedules.tactics import from_the_end

__all__ = ["Candidates", "Configuration", "can_be_written"]

Configuration = Mapping[str, "int | str"]

_REDUCTIONS: tuple[Schedule, ...] = tuple(
    Compensated(schedule)
    for schedule in (
        ReduceChunks(), ReduceSequential(), ReduceTree(), RowsByGroup(), RowsByItem(), RowsByTree(), RowsTogether(),
        RowsByWarp(), RowsByChunks(), RowsByTrees(), RowsByPanels(), RowsByGrid(),
        RowsByShares(),
    )
)  # fmt: skip
_SCANS = (
    ScanChunks(),
    ScanColumns(),
    ScanColumnsInParts(),
    ScanRowsInParts(),
    ScanSequential(),
    ScanRowsByGroup(),
    ScanRowsByItem(),
    ScanTree(),
    ScanRowsByTree(),
)
_MAPPED = (MappedRowsByGroup(), MappedRowsByTree(), MappedRowsKept())
_PARTS = (PartsByGroup(), PartsByItem())
_SCATTERS = (ScatterByGroups(), ScatterByPlaces(), ScatterByValues(), ScatterSequential())
_SORTS = (
    SortByComparison(), SortByDigits(), SortByMerging(),
    SortRowsByComparison(), SortRowsByDigits(), SortRowsByMerging(), SortByLibrary(),
)  # fmt: skip
_MAPS = (MapTiles(), MapLocalTiles(), MapChunks(), MapGrid(), MapRows(), MapRowsGrid())
_FINISHED_SCANS = tuple(map(FinishedScan, _SCANS))
_COMPACTS = (Compacted(MapChunks()), Compacted(MapGrid()))
_PRODUCTS = (
    ProductByParts(), ProductByBlocks(), ProductByTensorCores(), ProductByTiles(), ProductByTilesInParts(),
    ProductsOneByOne(), ProductsByTiles(), ProductByLibrary(),
)  # fmt: skip
_SCHEDULES: tuple[Schedule, ...] = (
    *_MAPS, *_MAPPED, *_REDUCTIONS, *_SCANS, *_PARTS, *_SCATTERS, *_SORTS, *_COMPACTS, *_PRODUCTS, StepsInTiles(),
    StepsByItems(),
    Nest(), InOneLoop(), InOneLoopByGroup(), InBlocks(), InBlocksByItems(), ArrayAndColumns(),
    ColumnsByBlocks(),
    ColumnsByRowsOfItems(),
)  # fmt: skip
_NORMAL = tuple(s for s in _SCHEDULES if s.starts_normal)
_AS_IT_STANDS = tuple(s for s in _SCHEDULES if not s.starts_normal)
_CROSSED = (ColumnsByBlocks(), ColumnsByRowsOfItems())
"""For what uses the results of other reductions in each of its own: all others would compute these each time."""

_FINISHED = (
    *map(Finished, _REDUCTIONS), *map(FinishedProduct, (*_PRODUCTS[:-1], Nest())), *_FINISHED_SCANS,
    *map(Compacted, _FINISHED_SCANS),
)  # fmt: skip
"""What is done with the results of a reduction or scan never has a kernel of its own: the others do not look at it."""


@dataclass(frozen=True)
class Candidates:
    """What can be made of one kernel's expression."""

    start: Derivation
    schedules: tuple[Schedule, ...]

    @classmethod
    def of(cls, e: Expr) -> Candidates:
        """The candidates for a high-level expression.

        Raises:
            RewriteError: no schedule matches.
        """
        return _candidates(e)

    @property
    def normal(self) -> Expr:
        """The normal form all candidates start from."""
        return self.start.result

    def schedule(self, name: str) -> Schedule:
        """The matching schedule of that name."""
        for schedule in self.schedules:
            if schedule.name == name:
                return schedule
        raise RewriteError(f"schedule {name} does not apply; {', '.join(s.name for s in self.schedules)} do")

    def parameters(self) -> dict[str, tuple[Parameter, ...]]:
        """The numeric parameters of each schedule."""
        return {s.name: _parameters(s, self.normal) for s in self.schedules}

    def searched(self, machine: Machine, sizes: Mapping[str, int]) -> dict[str, tuple[Parameter, ...]]:
        """The schedules that a search looks at, and the values of their parameters.

        On a CPU none whose work-items exchange values, as long as another one fits: compilers for CPUs take seconds
        over the loops that they make of the parts between barriers, and the kernels take several times as long. And
        no vectors of less than half the width that a schedule starts from: what is spared there is instructions.
        """
        if not machine.is_cpu:
            return self.parameters()
        starts = {s: self._start(s, machine, sizes) for s in self.schedules}
        if any(starts[s] is not None for s in self.schedules if not s.exchanges):
            starts = {s: start for s, start in starts.items() if not s.exchanges}
        found = {}
        for schedule, start in starts.items():
            width = 1 if start is None else int(start.get("width", 1))
            found[schedule.name] = tuple(
                replace(p, values=tuple(v for v in p.values if 2 * v >= width)) if p.name == "width" else p
                for p in _parameters(schedule, self.normal)
            )
        return found

    def _start(self, schedule: Schedule, machine: Machine, sizes: Mapping[str, int]) -> Configuration | None:
        """The schedule's default, or what is nearest to it and breaks no constraint; None where all break one."""
        chosen = self.default_of(schedule.name, machine, sizes)
        return chosen if self.refused(chosen, machine, sizes) is None else self.nearest(chosen, machine, sizes)

    def derive(self, configuration: Configuration) -> Derivation:
        """The low-level expression of one candidate, with its derivation from the high-level one."""
        schedule = self.schedule(str(configuration["schedule"]))
        choices = tuple([(p.name, int(configuration[p.name])) for p in _parameters(schedule, self.normal)])
        return _derived(self.start, schedule, choices)

    def refused(self, configuration: Configuration, machine: Machine, sizes: Mapping[str, int]) -> Constraint | None:
        """The first constraint that a candidate breaks on that machine at those sizes, or None."""
        schedule = self.schedule(str(configuration["schedule"]))
        values = {k: int(v) for k, v in configuration.items() if k != "schedule"} | machine.bindings()
        return satisfied(_constraints(schedule, self.normal), values, sizes)

    def normalised(self, configuration: Configuration) -> dict[str, int | str]:
        """The configuration with the parameters of its schedule only."""
        schedule = self.schedule(str(configuration["schedule"]))
        kept: dict[str, int | str] = {"schedule": schedule.name}
        for p in _parameters(schedule, self.normal):
            value = int(configuration.get(p.name, p.values[0]))
            kept[p.name] = value if value in p.values else min(p.values, key=lambda v: abs(v - value))
        return kept

    def default(self, machine: Machine, sizes: Mapping[str, int]) -> dict[str, int | str]:
        """The configuration to use where nothing was measured."""
        return next(self.defaults(machine, sizes))

    def defaults(self, machine: Machine, sizes: Mapping[str, int]) -> Iterator[dict[str, int | str]]:
        """One configuration of each schedule, the preferred one first, and among them all that break no constraint.

        Where the preferred one has rivals, the cost model chooses among them. Where a schedule's own default breaks a
        constraint, the nearest configuration that breaks none comes instead, after the defaults that break none; of a
        schedule without any its default comes, at the end.
        """
        ordered = self._ordered(machine, sizes)
        first = next(ordered)
        best = self._best(first, machine, sizes)
        yield best
        for chosen in chain([first], ordered):
            if chosen["schedule"] != best["schedule"]:
                yield chosen

    def allowed_default(self, machine: Machine, sizes: Mapping[str, int]) -> dict[str, int | str] | None:
        """The first default that breaks no constraint; None where all break one."""
        return next(
            (each for each in self.defaults(machine, sizes) if self.refused(each, machine, sizes) is None), None
        )

    def _best(self, first: dict[str, int | str], machine: Machine, sizes: Mapping[str, int]) -> dict[str, int | str]:
        """A default, or of those rivals that are predicted to take clearly less the one that takes the least."""
        rivals = self._rivals(first, machine, sizes)
        if not rivals or self.refused(first, machine, sizes) is not None:
            return first
        known = tuple(sorted(sizes.items()))

        def seconds(each: Configuration) -> float:
            return _predicted_seconds(self, tuple(each.items()), machine, known)

        taken = seconds(first)
        if not isfinite(taken):
            return first
        faster = [rival for rival, part in rivals if seconds(rival) <= part * taken]
        return min(faster, key=seconds, default=first)

    def _ordered(self, machine: Machine, sizes: Mapping[str, int]) -> Iterator[dict[str, int | str]]:
        """The same by the orders of preference alone."""
        order = _preference(machine, self._elements(sizes))

        def rank(schedule: Schedule) -> tuple[bool, int]:
            return not schedule.is_preferred(self.normal, machine, sizes), order.index(schedule.name)

        refused: list[dict[str, int | str]] = []
        for schedule in sorted(self.schedules, key=rank):
            chosen = self.default_of(schedule.name, machine, sizes)
            if self.refused(chosen, machine, sizes) is None:
                yield chosen
            else:
                refused.append(chosen)
        for chosen in list(refused):
            near = self.nearest(chosen, machine, sizes)
            if near is not None:
                refused.remove(chosen)
                yield near
        yield from refused

    def _rivals(
        self, configuration: Configuration, machine: Machine, sizes: Mapping[str, int]
    ) -> list[tuple[dict[str, int | str], float]]:
        """What the cost model is to compare a default with, of what matches and breaks no constraint, and the part of
        its time that each may take.
        """
        choices = {name: int(value) for name, value in configuration.items() if name != "schedule"}
        own, matching = self.schedule(str(configuration["schedule"])), {schedule.name for schedule in self.schedules}
        rivals = own.rivals(self.normal, machine, choices, sizes)
        if own.is_ranked and not machine.is_cpu:
            ranked = {schedule.name for schedule in self.schedules if schedule.is_ranked}
            others = ranked - {own.name} - {rival.schedule for rival in rivals}
            rivals += tuple(Rival(name, None, OTHER_TAKES_AT_MOST) for name in sorted(others))
        found: list[tuple[dict[str, int | str], float]] = [
            (
                self.default_of(rival.schedule, machine, sizes)
                if rival.choices is None
                else {"schedule": rival.schedule, **rival.choices},
                rival.takes_at_most,
            )
            for rival in rivals
            if rival.schedule in matching
        ]
        return [(rival, part) for rival, part in found if self.refused(rival, machine, sizes) is None]

    def own_start(self, machine: Machine, sizes: Mapping[str, int]) -> tuple[tuple[str, int | str], ...]:
        """The default, where sizes of a class that start from others have kernels of their own; else nothing."""
        if machine.is_cpu or not any(schedule.tells_sizes_apart for schedule in self.schedules):
            return ()
        return _own_start(self, machine, tuple(sizes.items()))

    def default_of(self, schedule: str, machine: Machine, sizes: Mapping[str, int]) -> dict[str, int | str]:
        """A schedule's own default at those sizes, whether it breaks a constraint or not."""
        choices = self.schedule(schedule).default_at(self.normal, machine, self._elements(sizes), sizes)
        return {"schedule": schedule, **choices}

    def nearest(
        self, configuration: Configuration, machine: Machine, sizes: Mapping[str, int]
    ) -> dict[str, int | str] | None:
        """Of the configurations of that schedule which break no constraint, one with the fewest steps from the values
        that are given; None where all break one.
        """
        own = self.normalised(configuration)
        schedule = self.schedule(str(own["schedule"]))
        parameters = _parameters(schedule, self.normal)
        start = [p.values.index(int(own[p.name])) for p in parameters]
        allowed = _allowed(parameters, _constraints(schedule, self.normal), machine, sizes)
        places = product(*([i for i, v in enumerate(p.values) if v in allowed[p.name]] for p in parameters))
        for place in sorted(places, key=lambda at: sum(abs(i - j) for i, j in zip(at, start, strict=True))):
            chosen = own | {p.name: p.values[i] for p, i in zip(parameters, place, strict=True)}
            if self.refused(chosen, machine, sizes) is None:
                return chosen
        return None

    def _elements(self, sizes: Mapping[str, int]) -> int:
        lengths = [length.evaluate(sizes) for length in _input_lengths(self.normal)]
        return max(lengths, default=1)


def can_be_written(e: Expr) -> bool:
    """Does a kernel's expression put together only arrays in memory, or parts that a schedule writes one by one?"""
    if not any(isinstance(node, Concat) and computes(node) for node in postorder(e)):
        return True
    try:
        candidates = Candidates.of(e)
    except RewriteError:
        return False
    if any(s.writes_parts for s in candidates.schedules):
        return True
    read = any(isinstance(node, Map) and _reads_parts(node.xs) for node in postorder(candidates.normal))
    return not read and is_of_parts(candidates.normal)


def _reads_parts(e: Expr) -> bool:
    """Does it put together what is computed? Views led to it that a map could not be brought out of."""
    return any(isinstance(node, Concat) and computes(node) for node in postorder(e))


def _preference(machine: Machine, elements: int) -> tuple[str, ...]:
    if not machine.is_cpu:
        return ORDER_ON_A_GPU
    if elements < ONE_GROUP_BELOW:
        return ORDER_OF_FEW_ON_A_CPU
    return ORDER_OF_SOME_ON_A_CPU if elements < ONE_KERNEL_BELOW else ORDER_OF_MANY_ON_A_CPU


def _input_lengths(e: Expr) -> list[Size]:
    lengths = [prod(shape_of(e.type), start=size(1))]
    for node in postorder(e):
        if isinstance(node, Generate):
            lengths.append(node.count)
        if isinstance(node, Param) and not node.binder and shape_of(node.type):
            lengths.append(prod(shape_of(node.type), start=size(1)))
    return lengths


@lru_cache(maxsize=1024)
def _parameters(schedule: Schedule, normal: Expr) -> tuple[Parameter, ...]:
    """Kept, as a search asks for them once for each configuration that it thinks of."""
    return schedule.parameters(normal)


@lru_cache(maxsize=1024)
def _constraints(schedule: Schedule, normal: Expr) -> tuple[Constraint, ...]:
    """Kept for the same reason."""
    return tuple(schedule.constraints(normal))


def _allowed(
    parameters: Iterable[Parameter], constraints: Iterable[Constraint], machine: Machine, sizes: Mapping[str, int]
) -> dict[str, set[int]]:
    """The values of each parameter with which every constraint of few parameters can hold, taken alone.

    A schedule of many parameters that is not for these sizes has a hundred thousand configurations and more, all of
    which break one and the same constraint.
    """
    allowed = {p.name: set(p.values) for p in parameters}
    here = {**machine.bindings(), **sizes}
    largest = {**here, **at_largest(sizes)}
    for constraint in constraints:
        names = [v.name for v in constraint.left.variables | constraint.right.variables]
        asked = [str(name) for name in names if name in allowed]
        if prod(len(allowed[name]) for name in asked) > COMBINATIONS_OF_A_CONSTRAINT:
            continue
        known = largest if constraint.throughout else here
        every = product(*(allowed[name] for name in asked))
        holding = [values for values in every if constraint.holds({**dict(zip(asked, values, strict=True)), **known})]
        if not holding:
            return {name: set[int]() for name in allowed}
        for name, values in zip(asked, zip(*holding, strict=True), strict=True):
            allowed[name] = set(values)
    return allowed


@lru_cache(maxsize=64)
def _derived(start: Derivation, schedule: Schedule, choices: tuple[tuple[str, int], ...]) -> Derivation:
    """Kept, as what builds a kernel and what stores it ask for its derivation one after the other."""
    derived = schedule.derive(start, dict(choices))
    return derived.then(from_the_end, "from the end") if schedule.reads_again else derived


@lru_cache(maxsize=1024)
def _own_start(
    candidates: Candidates, machine: Machine, sizes: tuple[tuple[str, int], ...]
) -> tuple[tuple[str, int | str], ...]:
    """Kept, as whoever looks for a kernel asks for it a few times, and its default is ranked each time."""
    chosen = candidates.default(machine, dict(sizes))
    return tuple(chosen.items()) if candidates.schedule(str(chosen["schedule"])).tells_sizes_apart else ()


@lru_cache(maxsize=1024)
def _predicted_seconds(
    candidates: Candidates,
    configuration: tuple[tuple[str, int | str], ...],
    machine: Machine,
    sizes: tuple[tuple[str, int], ...],
) -> float:
    """By the cost model, or infinity where it does not say. What was measured of a device's functions is not asked
    for: rivals compute the same functions of the same elements.
    """
    try:
        return estimate(candidates.derive(dict(configuration)).result, machine, dict(sizes)).seconds
    except IRError:
        return inf


@lru_cache(maxsize=1024)
def _candidates(e: Expr) -> Candidates:
    start = Derivation.of(e)
    schedules: tuple[Schedule, ...] = tuple(s for s in _AS_IT_STANDS if s.matches(e))
    if not schedules:
        start = start.then(normalise, "normalise")
        schedules = tuple(s for s in _CROSSED if s.matches(start.result))
        schedules = schedules or tuple(s for s in _FINISHED if s.matches(start.result))
        schedules = schedules or tuple(s for s in _NORMAL if s.matches(start.result))
    if not schedules:
        raise RewriteError(f"no schedule lowers {e}")
    return Candidates(start, schedules)
