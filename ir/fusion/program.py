"""A recorded graph cut into kernels over symbols, with its leaves numbered: all that depends on its structure alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from numpy.typing import NDArray

from ir.core.expr import Expr, Lambda, Param, postorder
from ir.core.patterns import Reduce, Slide, Tuple
from ir.core.types import ArrayType, ScalarType, extents_of
from ir.errors import RewriteError
from ir.fusion.checks import Checks
from ir.fusion.partition.graph import captured
from ir.fusion.partition.kernels import KernelTask, Partition, cut_prepared, prepare
from ir.fusion.partition.reasons import Reasons
from ir.fusion.prepare.fission import Fission, fission_of
from ir.fusion.prepare.rewriting import Rewriting
from ir.fusion.symbols.structure_key import Shape, StructureKey
from ir.fusion.symbols.symbolise import SymbolicKernel, symbolise
from ir.opencl.read.views import leaves
from ir.rules.common import is_open_map
from ir.schedules.candidates import Candidates, can_be_written
from ir.schedules.maps.steps import holds_tiles
from ir.schedules.products.finished import FinishedProduct, is_made_of_product
from ir.schedules.products.form import reduced_in_nest
from ir.schedules.row_blocks import is_crossed
from ir.schedules.rows.dependent import reduces_rows_once
from ir.schedules.rows.mapped import reductions_of_row
from ir.schedules.scans.finished import is_made_of_scan, is_of_finished_scan
from ir.schedules.schedule import Machine

__all__ = ["Place", "ProgramPlan", "Step", "plan_program"]


@dataclass(frozen=True, slots=True)
class Step:
    """One kernel.

    Attributes:
        general: what it computes; its inputs are in `reads`
        reads: the slot of each component of each input
        fills: how many slots its result fills, those after the ones of all earlier steps
        into: where it puts its result, in memory that other steps write the rest of; None: in memory of its own
        apart: why it is not one with the steps before or after it that have the same reason: no kernel of all could be
            made (`ir.fusion.partition.one_by_one`); empty for all others
    """

    general: SymbolicKernel
    reads: tuple[int, ...]
    fills: int
    into: Place | None = None
    apart: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """A part of the memory that several steps write.

    Attributes:
        slot: its number
        start: the first element that the step writes
        nbytes: how large the whole memory is
    """

    slot: int
    start: int
    nbytes: int


@dataclass(frozen=True, slots=True)
class ProgramPlan:
    """The kernels of a graph, in an order in which they can run. Slots number buffers: first one for each leaf of the
    graph, in the order of its structure key, then the constants, then the results of the steps.

    Attributes:
        results: the slot of each root
        constants: arrays of values that the graph mentions, which the kernels read as they do leaves
        fissions: how maps of the graph were cut before that, and kernels that could not be made
        rewritings: how vertices of the graph were rewritten before that, at the sizes for which it was cut
    """

    leaves: int
    steps: tuple[Step, ...]
    results: tuple[int, ...]
    constants: tuple[NDArray[Any], ...] = ()
    fissions: tuple[Fission, ...] = ()
    rewritings: tuple[Rewriting, ...] = ()

    @property
    def fixed(self) -> bool:
        """Are there kernels that only serve the very sizes for which the graph was cut?"""
        generals = [step.general for step in self.steps] + [fission.general for fission in self.fissions]
        return any(general.fixed for general in generals)

    def resized(self, sizes: Sequence[int], others: Sequence[int]) -> ProgramPlan:
        """The same for a graph with other sizes, those of each listed in one order, which are of the same classes
        (`ir.fusion.symbols.structure_key.classes`).
        """
        place = {n: i for i, n in enumerate(sizes)}

        def resized(old: SymbolicKernel) -> SymbolicKernel:
            extents = {name: others[place[n]] for name, n in old.extents.items()}
            values = {name: extents[name] // (old.extents[name] // value) for name, value in old.sizes.items()}
            return replace(old, sizes=values, extents=extents)

        steps = [replace(step, general=resized(step.general)) for step in self.steps]
        fissions = [replace(fission, general=resized(fission.general)) for fission in self.fissions]
        return replace(self, steps=tuple(steps), fissions=tuple(fissions))


def plan_program(
    roots: Sequence[Expr],
    found: StructureKey,
    shape: Shape,
    granule: int,
    checks: Checks | None = None,
    reasons: Reasons | None = None,
    alone: bool = False,
    machine: Machine | None = None,
) -> ProgramPlan:
    """Cut the graph below `roots` into kernels, each over symbols.

    Args:
        found: its structure key
        shape: the logical shape of a leaf
        granule: see `ir.fusion.symbols.symbolise.symbolise`
        checks, reasons: see `ir.fusion.partition.kernels.cut_prepared`
        alone: does a work-item have a block of memory for itself, as on a CPU, whose cores have caches of their own?
        machine: whose limits the only schedules of a kernel have to keep, and how many units it has; None: any
    """
    allowed = dict.fromkeys(_CAN_BE_MADE, True) | {
        "products": not alone,  # on a CPU the host's library computes plain products, and nothing more
    }
    constants: list[tuple[Param, NDArray[Any]]] = []

    def constant(values: NDArray[Any], t: ScalarType) -> Param:
        made = Param(f"c{len(constants)}", ArrayType(t, len(values)))
        constants.append((made, values))
        if checks is not None:
            checks.note_constant(made)
        return made

    doubles, units = machine is None or machine.float64, None if machine is None else machine.compute_units
    prepared = prepare(roots, found.known, constant, checks, by_items=not alone, doubles=doubles, units=units)
    shapes = {leaf: shape(leaf) for leaf in found.leaves}
    while True:
        parts = cut_prepared(prepared, checks=checks, reasons=reasons, by_items=not alone, units=units, **allowed)
        made = _plan(parts, found, shapes, constants, granule, not alone, checks)
        kernels: dict[tuple[object, ...], _Kernel] = {}  # of those that are alike one
        for task, step in zip(parts.tasks, made.steps, strict=True):
            key = step.general.expr, *step.general.sizes.items(), task.steps
            kernels.setdefault(key, _Kernel(task, step.general, alone, machine))
        used = (name for name in _CAN_BE_MADE if name in parts.used)
        cannot = next((name for name in used if not all(map(_CAN_BE_MADE[name], kernels.values()))), None)
        if cannot is None:
            return made
        allowed[cannot] = False


@dataclass(frozen=True)
class _Kernel:
    """A kernel of a cut, and what it is for. Each method asks whether it can be made, if it does that."""

    task: KernelTask
    general: SymbolicKernel
    alone: bool
    machine: Machine | None

    def has_parts(self) -> bool:
        """Does it compute parts of a concat? Where one begins has to be known for all sizes."""
        return can_be_written(self.general.expr)

    def has_blocks(self) -> bool:
        """Are its results of different lengths? Views taken into account, blocks of all that is read have to be alike,
        and what is written has to be an array as a whole.
        """
        return not isinstance(self.general.expr, Tuple) or self._holds(self._has_work_items)

    def has_steps(self) -> bool:
        """Does it several steps of a stencil in tiles, whatever lengths its symbols stand for? A tile of the steps has
        to need no more elements than there are.
        """
        return not self.task.steps or (holds_tiles(self.general.expr, self.alone) and self._keeps_limits())

    def has_product(self) -> bool:
        """Does it what is done with a product's elements where they are written? That has to be a map of numbers."""
        is_made = is_made_of_product(self.general.expr)
        return not is_made or self._holds(lambda found: any(isinstance(x, FinishedProduct) for x in found.schedules))

    def crosses(self) -> bool:
        """Does it reduce the columns of rows that it reduces? A column has to need one number of each row."""

        def test(found: Candidates) -> bool:
            if not is_crossed(found.normal) or self.machine is None:
                return is_crossed(found.normal) and self._has_work_items(found)
            return self._keeps_limits()

        return not _is_crossed(self.general.expr) or self._holds(test)

    def maps_rows(self) -> bool:
        """Does it make elements of rows that it reduces? Its normal form has to tell apart what it needs of its row."""
        e = self.general.expr
        if not is_open_map(e) or not any(isinstance(node, Reduce) for node in postorder(e)):
            return True
        return self._holds(lambda found: bool(reductions_of_row(found.normal)))

    def has_rows(self) -> bool:
        """Does it reduce rows several times? All reductions have to read them through the same views."""
        e = self.general.expr
        reductions = sum(isinstance(node, Reduce) for node in postorder(e))
        return reductions <= 1 or _is_crossed(e) or self._holds(lambda found: reduces_rows_once(found.normal))

    def has_scan(self) -> bool:
        """Does it what is done with a scan's elements where they are found? That has to be a map in its normal form."""
        is_made = is_made_of_scan(self.general.expr)
        return not is_made or self._holds(lambda found: all(map(is_of_finished_scan, found.schedules)))

    def _holds(self, test: Callable[[Candidates], bool]) -> bool:
        """Is that so of its candidates? Not where there are none."""
        try:
            return test(Candidates.of(self.general.expr))
        except RewriteError:
            return False

    def _has_work_items(self, found: Candidates) -> bool:
        return any(schedule.exchanges != self.alone for schedule in found.schedules)

    def _keeps_limits(self) -> bool:
        """Does its default break no constraint?"""
        if self.machine is None:
            return True
        found, sizes = Candidates.of(self.general.expr), self.general.sizes
        return found.refused(found.default(self.machine, sizes), self.machine, sizes) is None


_CAN_BE_MADE: Final[Mapping[str, Callable[[_Kernel], bool]]] = {
    "spread": _Kernel.has_parts,
    "written": _Kernel.has_blocks,
    "loops": _Kernel.has_blocks,
    "steps": _Kernel.has_steps,
    "products": _Kernel.has_product,
    "columns": _Kernel.crosses,
    "rows": _Kernel.maps_rows,
    "dependent": _Kernel.has_rows,
    "scans": _Kernel.has_scan,
}
"""What `cut_prepared` may do, in the order in which it does without where a kernel cannot be made."""


def _is_crossed(e: Expr) -> bool:
    """Does a function use what is reduced outside of it?"""
    functions = (node for node in postorder(e) if isinstance(node, Lambda))
    return any(isinstance(x, Reduce) for f in functions for array in captured(f) for x in postorder(array))


def _is_of_windows(e: Expr) -> bool:
    """Is it a product of matrices whose rows are windows of two dimensions? How many these are is no product of
    symbols, of which blocks could be cut.
    """
    return reduced_in_nest(e) is not None and sum(isinstance(node, Slide) for node in postorder(e)) > 1


def _plan(
    parts: Partition,
    found: StructureKey,
    shapes: Mapping[Param, tuple[int, ...]],
    constants: Sequence[tuple[Param, NDArray[Any]]],
    granule: int,
    by_items: bool,
    checks: Checks | None,
) -> ProgramPlan:
    """The plan of a partition.

    Args:
        shapes: of the leaves
        constants: the variables that stand for arrays of constants, and these
    """
    slots: dict[Param, tuple[int, ...]] = {leaf: (i,) for i, leaf in enumerate(found.leaves)}
    slots.update((made, (len(found.leaves) + i,)) for i, (made, _) in enumerate(constants))
    taken = len(slots)
    steps = []
    for task in parts.tasks:
        whole = 0 if task.start is None else extents_of(task.results[0].type)[0]
        columns_known = by_items and _is_crossed(task.expr)  # a work-item keeps so many accumulators
        general = symbolise(
            task.expr,
            shapes,
            granule,
            whole,
            bounded=task.steps,
            constant=_is_of_windows(task.expr),
            kept=[extents_of(name.type)[0] for name in task.results] if columns_known else (),
        )
        reads = tuple([slot for p in general.inputs for slot in slots[p]])
        if checks is not None:
            checks.kernel("symbolise", general, len(reads), task.expr)
        first = taken
        for name in task.results:
            if name not in slots:
                slots[name] = tuple(range(taken, taken + leaves(name.type)))
                taken += len(slots[name])
        into = None if task.start is None else _place(task.results[0], slots, task.start)
        steps.append(Step(replace(general, inputs=()), reads, taken - first, into))  # inputs would keep data alive
    results = tuple([slots[name][0] for name in parts.results])
    fissions = tuple([fission_of(each, granule) for each in parts.fissions])
    known = tuple(values for _, values in constants)
    return ProgramPlan(len(found.leaves), tuple(steps), results, known, fissions, parts.rewritings)


def _place(name: Param, slots: dict[Param, tuple[int, ...]], start: int) -> Place:
    assert isinstance(name.type, ArrayType)
    assert isinstance(name.type.element, ScalarType)
    return Place(slots[name][0], start, extents_of(name.type)[0] * name.type.element.bytes)
