"""A kernel that cannot be made, as several smaller ones: what partitions fuse no schedule may be able to lower, or no
compiler to build.

It is the way out where a kernel's expression has a form that rules do not reach, which is a defect: each operation has
a kernel of its own then, which stores its result. Whoever cuts a kernel up says so, in `Step.apart`.
"""

from __future__ import annotations

from dataclasses import replace

from ir.core.expr import Expr, Param
from ir.core.patterns import Tuple, Zip
from ir.core.size_variables import sizes_in, substitute_sizes
from ir.core.sizes import size
from ir.core.types import ArrayType, ScalarType, TupleType
from ir.fusion.partition.graph import Graph
from ir.fusion.partition.kernels import Partition, partition
from ir.fusion.prepare.fission import apart, fission_of
from ir.fusion.program import ProgramPlan, Step
from ir.fusion.symbols.symbolise import SymbolicKernel, numbered, symbolise
from ir.opencl.read.views import leaves
from ir.rewrite.derivation import Derivation
from ir.rewrite.strategy import Path
from ir.rules.common import arrays_of, element
from ir.rules.maps.zips import zip_of_components

__all__ = ["smaller"]


def smaller(made: ProgramPlan, number: int, granule: int, reason: str) -> ProgramPlan | None:
    """A plan with several kernels in place of one of them; None where that is a single operation, or was cut already.

    Args:
        number: the step whose kernel cannot be made
        granule: see `ir.fusion.symbols.symbolise.symbolise`
        reason: why it cannot
    """
    step = made.steps[number]
    found = None if step.apart else _operations(step.general)
    if found is None:
        return None
    parts, inputs, fissions = found
    first = made.leaves + len(made.constants)
    place = list(range(first))  # of each slot of the old cut
    taken = first
    steps: list[Step] = []
    for each in made.steps:
        if each is step:
            reads = [place[slot] for slot in step.reads]
            pieces, filled, taken = _pieces(replace(step, reads=tuple(reads)), parts, inputs, taken, granule, place)
            place += filled
            steps += [replace(piece, apart=reason) for piece in pieces]
            continue
        place += range(taken, taken + each.fills)
        taken += each.fills
        steps.append(_moved(each, place))
    results = tuple([place[slot] for slot in made.results])
    cuts = [fission_of(each, granule, reason) for each in fissions]
    rewritings = (*made.rewritings, *parts.rewritings)
    return replace(made, steps=tuple(steps), results=results, fissions=(*made.fissions, *cuts), rewritings=rewritings)


def _moved(step: Step, place: list[int]) -> Step:
    into = step.into and replace(step.into, slot=place[step.into.slot])
    return replace(step, reads=tuple([place[slot] for slot in step.reads]), into=into)


def _operations(general: SymbolicKernel) -> tuple[Partition, list[Param], list[Derivation]] | None:
    """A kernel's operations, at its sizes, as kernels, its inputs, and how it was cut; None for a single operation."""
    sizes = {v: size(general.sizes[v.name]) for v in sizes_in(general.expr)}
    e = substitute_sizes(general.expr, sizes)
    arrays = _arrays(e)
    roots = list(arrays_of(arrays.result))
    roots, fissions = apart(roots, Graph(roots, {}))
    parts = partition(roots, limit=1, spread=False, dependent=False)
    if len(parts.tasks) == 1:
        return None
    return parts, numbered(e), [*([arrays] if arrays.steps else []), *fissions, *parts.fissions]


def _arrays(e: Expr) -> Derivation:
    """A result as a zip of the arrays of scalars that it consists of, if there are several."""
    derivation = Derivation.of(e, shared=True)
    pending: list[Path] = [(i,) for i in range(len(e.operands))] if isinstance(e, Tuple) else [()]
    while pending:
        place = pending.pop()
        array = _at(derivation.result, place)
        if not isinstance(array, Zip) and isinstance(element(array), TupleType):
            derivation = derivation.apply(zip_of_components, place)
            array = _at(derivation.result, place)
        if isinstance(array, Zip):
            pending += [(*place, i) for i in range(len(array.operands))]
    return derivation


def _at(e: Expr, place: Path) -> Expr:
    for index in place:
        e = e.operands[index]
    return e


def _pieces(
    step: Step, parts: Partition, inputs: list[Param], taken: int, granule: int, place: list[int]
) -> tuple[list[Step], list[int], int]:
    """The steps of the smaller kernels, which slots they fill of those that the one filled, and the next one.

    Args:
        step: the one, which reads the new slots
        inputs: what it calls them
        taken: the first slot that is free
    """
    own = iter(step.reads)
    slots = {p: tuple([next(own) for _ in range(leaves(p.type))]) for p in inputs}
    found: list[Step] = []
    for task in parts.tasks:
        into = step.into if task.results == parts.results else None  # parts of an array have one result
        whole = 0
        if into is not None:
            t = task.results[0].type
            assert isinstance(t, ArrayType)
            assert isinstance(t.element, ScalarType)
            whole = into.nbytes // t.element.bytes
            into = replace(into, slot=taken if step.fills else place[into.slot])
            if not step.fills:
                slots[task.results[0]] = (into.slot,)
        first = taken
        for name in task.results:
            if name not in slots:
                slots[name] = tuple(range(taken, taken + leaves(name.type)))
                taken += len(slots[name])
        general = symbolise(task.expr, {}, granule, whole)
        reads = tuple([slot for p in general.inputs for slot in slots[p]])
        found.append(Step(replace(general, inputs=()), reads, taken - first, into))
    filled = [slot for name in parts.results for slot in slots[name]] if step.fills else []
    return found, filled, taken
