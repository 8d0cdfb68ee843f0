"""A recorded graph cut into kernels over symbols, with its leaves numbered: all that depends on its structure alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from numpy.typing import NDArray

from ir.core.expr import Expr, Lambda, Param, postorder
from ir.core.patterns import Reduce, Slide, Tuple
from ir.core.types import ArrayType, ScalarType
from ir.errors import RewriteError
from ir.fusion.checks import Checks
from ir.fusion.partition.graph import captured
from ir.fusion.partition.kernels import KernelTask, Partition, partition
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
        checks, reasons: see `ir.fusion.partition.kernels.partition`
        alone: does a work-item have a block of memory for itself, as on a CPU, whose cores have caches of their own?
        machine: whose limits the only schedules of a kernel have to keep; None: any
    """
    doubles = machine is None or machine.float64
    allowed = _Allowed(products=not alone)  # on a CPU the host's library computes plain products, and nothing more
    while True:
        made, parts = _plan(roots, found, shape, granule, allowed, alone, doubles, checks, reasons)
        kernels = [step.general.expr for step in made.steps]
        if allowed.spread and not all(map(can_be_written, kernels)):
            allowed = replace(allowed, spread=False)  # where a part begins is not known for all sizes
        elif parts.written and not all(_has_blocks(e, alone) for e in kernels):
            allowed = replace(allowed, written=False)  # the array is a view, or one of several parts, after all
        elif allowed.loops and not all(_has_blocks(e, alone) for e in kernels):
            allowed = replace(allowed, loops=False)  # views taken into account, blocks of what is read differ
        elif allowed.steps and not all(map(partial(_has_steps, alone, machine), parts.tasks, made.steps)):
            allowed = replace(allowed, steps=False)  # a tile of the steps needs more elements than there are
        elif parts.finished and not all(map(_has_product, kernels)):
            allowed = replace(allowed, products=False)  # what is done with its elements is no map of numbers
        elif parts.crossed and not all(_crosses(step.general, alone, machine) for step in made.steps):
            allowed = replace(allowed, columns=False)  # a column needs more of the rows than one number of each
        elif parts.mapped and not all(map(_maps_rows, kernels)):
            allowed = replace(allowed, rows=False)  # what a map needs of its row is not told apart in its normal form
        elif parts.gathered and not all(map(_has_rows, kernels)):
            allowed = replace(allowed, dependent=False)  # both reductions read the rows through other views
        elif parts.scanned and not all(map(_has_scan, kernels)):
            allowed = replace(allowed, scans=False)  # what is done with a scan's elements is no map in its normal form
        else:
            return made


@dataclass(frozen=True)
class _Allowed:
    """What a partition may do, as `ir.fusion.partition.kernels.partition` says."""

    products: bool
    spread: bool = True
    dependent: bool = True
    rows: bool = True
    loops: bool = True
    steps: bool = True
    columns: bool = True
    scans: bool = True
    written: bool = True


def _has_blocks(e: Expr, alone: bool) -> bool:
    """Can a kernel compute its results block by block, if they are of different lengths, by such work-items?"""
    return not isinstance(e, Tuple) or _holds(e, lambda found: any(x.exchanges != alone for x in found.schedules))


def _holds(e: Expr, test: Callable[[Candidates], bool]) -> bool:
    """Is that so of the candidates for a kernel? Not where there are none."""
    try:
        return test(Candidates.of(e))
    except RewriteError:
        return False


def _crosses(general: SymbolicKernel, alone: bool, machine: Machine | None) -> bool:
    """Can a kernel reduce the columns of rows that it reduces, if it does, by such work-items?"""

    def test(found: Candidates) -> bool:
        if not is_crossed(found.normal) or machine is None:
            return is_crossed(found.normal) and any(schedule.exchanges != alone for schedule in found.schedules)
        return found.refused(found.default(machine, general.sizes), machine, general.sizes) is None

    return not _is_crossed(general.expr) or _holds(general.expr, test)


def _is_crossed(e: Expr) -> bool:
    """Does a function use what is reduced outside of it?"""
    functions = (node for node in postorder(e) if isinstance(node, Lambda))
    return any(isinstance(x, Reduce) for f in functions for array in captured(f) for x in postorder(array))


def _has_rows(e: Expr) -> bool:
    """Can a kernel reduce the rows that it reduces several times, if it does, where they are?"""
    reductions = sum(isinstance(node, Reduce) for node in postorder(e))
    return reductions <= 1 or _is_crossed(e) or _holds(e, lambda found: reduces_rows_once(found.normal))


def _maps_rows(e: Expr) -> bool:
    """Can a kernel make the elements of rows that it reduces, if it does, where the rows are?"""
    if not is_open_map(e) or not any(isinstance(node, Reduce) for node in postorder(e)):
        return True
    return _holds(e, lambda found: bool(reductions_of_row(found.normal)))


def _has_product(e: Expr) -> bool:
    """Can a kernel do what is done with the elements of a product, if it does, where they are written?"""
    is_made = is_made_of_product(e)
    return not is_made or _holds(e, lambda found: any(isinstance(x, FinishedProduct) for x in found.schedules))


def _has_scan(e: Expr) -> bool:
    """Can a kernel do what is done with the elements of a scan, if it does, where they are found?"""
    return not is_made_of_scan(e) or _holds(e, lambda found: all(map(is_of_finished_scan, found.schedules)))


def _is_of_windows(e: Expr) -> bool:
    """Is it a product of matrices whose rows are windows of two dimensions? How many these are is no product of
    symbols, of which blocks could be cut.
    """
    return reduced_in_nest(e) is not None and sum(isinstance(node, Slide) for node in postorder(e)) > 1


def _has_steps(alone: bool, machine: Machine | None, task: KernelTask, step: Step) -> bool:
    """Can a kernel do its steps of a stencil in tiles, if it does several, whatever lengths its symbols stand for?"""
    if not task.steps:
        return True
    general = step.general
    if machine is None or not holds_tiles(general.expr, alone):
        return holds_tiles(general.expr, alone)
    found = Candidates.of(general.expr)
    return found.refused(found.default(machine, general.sizes), machine, general.sizes) is None


def _plan(
    roots: Sequence[Expr],
    found: StructureKey,
    shape: Shape,
    granule: int,
    allowed: _Allowed,
    alone: bool,
    doubles: bool,
    checks: Checks | None,
    reasons: Reasons | None,
) -> tuple[ProgramPlan, Partition]:
    constants: list[tuple[Param, NDArray[Any]]] = []

    def constant(values: NDArray[Any], t: ScalarType) -> Param:
        made = Param(f"c{len(constants)}", ArrayType(t, len(values)))
        constants.append((made, values))
        if checks is not None:
            checks.note_constant(made)
        return made

    parts = partition(
        roots,
        found.known,
        constants=constant,
        spread=allowed.spread,
        dependent=allowed.dependent,
        checks=checks,
        reasons=reasons,
        blocks=allowed.loops,
        loops=allowed.loops,
        by_items=not alone,
        doubles=doubles,
        products=allowed.products,
        steps=allowed.steps,
        rows=allowed.rows,
        columns=allowed.columns,
        scans=allowed.scans,
        written=allowed.loops and allowed.written,
    )
    own = set(found.leaves)
    slots: dict[Param, tuple[int, ...]] = {leaf: (i,) for i, leaf in enumerate(found.leaves)}
    slots.update((made, (len(found.leaves) + i,)) for i, (made, _) in enumerate(constants))
    taken = len(slots)
    steps = []
    for task in parts.tasks:
        shapes = {node: shape(node) for node in postorder(task.expr) if isinstance(node, Param) and node in own}
        whole = 0 if task.start is None else _elements(task.results[0])
        columns_known = not alone and _is_crossed(task.expr)  # a work-item keeps so many accumulators
        general = symbolise(
            task.expr,
            shapes,
            granule,
            whole,
            bounded=task.steps,
            constant=_is_of_windows(task.expr),
            kept=[_elements(name) for name in task.results] if columns_known else (),
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
    made_ = ProgramPlan(len(found.leaves), tuple(steps), results, known, fissions, parts.rewritings)
    return made_, parts


def _elements(name: Param) -> int:
    assert isinstance(name.type, ArrayType)
    assert name.type.length.value is not None  # lengths are numbers in a recorded graph
    return name.type.length.value


def _place(name: Param, slots: dict[Param, tuple[int, ...]], start: int) -> Place:
    assert isinstance(name.type, ArrayType)
    assert isinstance(name.type.element, ScalarType)
    return Place(slots[name][0], start, _elements(name) * name.type.element.bytes)
