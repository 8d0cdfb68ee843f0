"""A recorded graph cut into kernels over symbols, with its leaves numbered: all that depends on its structure alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ir.core.expr import Expr, Param, postorder
from ir.fusion.generalise import General, generalise
from ir.fusion.partition import partition
from ir.fusion.skeleton import Shape, Skeleton
from ir.opencl.views import leaves

__all__ = ["Cut", "Step", "cut"]


@dataclass(frozen=True, slots=True)
class Step:
    """One kernel.

    general : what it computes; its inputs are in `reads`
    reads : the slot of each component of each input
    fills : how many slots its result fills, those after the ones of all earlier steps
    """

    general: General
    reads: tuple[int, ...]
    fills: int


@dataclass(frozen=True, slots=True)
class Cut:
    """The kernels of a graph, in an order in which they can run. Slots number buffers: first one for each leaf of the
    graph, in the order of its skeleton, then the results of the steps.

    results : the slot of each root
    """

    leaves: int
    steps: tuple[Step, ...]
    results: tuple[int, ...]

    @property
    def fixed(self) -> bool:
        """Are there kernels that only serve the very sizes for which the graph was cut?"""
        return any(step.general.fixed for step in self.steps)

    def resized(self, sizes: Sequence[int], others: Sequence[int]) -> Cut:
        """The same for a graph with other sizes, those of each listed in one order, which are of the same classes
        (`ir.fusion.skeleton.classes`).
        """
        place = {n: i for i, n in enumerate(sizes)}
        steps = []
        for step in self.steps:
            old = step.general
            extents = {name: others[place[n]] for name, n in old.extents.items()}
            values = {name: extents[name] // (old.extents[name] // value) for name, value in old.sizes.items()}
            steps.append(replace(step, general=replace(old, sizes=values, extents=extents)))
        return replace(self, steps=tuple(steps))


def cut(roots: Sequence[Expr], found: Skeleton, shape: Shape, granule: int) -> Cut:
    """Cut the graph below `roots` into kernels, each over symbols.

    found : its skeleton
    shape : the logical shape of a leaf
    granule : see `ir.fusion.generalise.generalise`
    """
    parts = partition(roots, known=found.known)
    own = set(found.leaves)
    slots: dict[Param, tuple[int, ...]] = {leaf: (i,) for i, leaf in enumerate(found.leaves)}
    taken = len(slots)
    steps = []
    for task in parts.tasks:
        shapes = {node: shape(node) for node in postorder(task.expr) if isinstance(node, Param) and node in own}
        general = generalise(task.expr, shapes, granule)
        reads = tuple([slot for p in general.inputs for slot in slots[p]])
        first = taken
        for name in task.results:
            slots[name] = tuple(range(taken, taken + leaves(name.type)))
            taken += len(slots[name])
        steps.append(Step(replace(general, inputs=()), reads, taken - first))  # inputs would keep data alive
    return Cut(len(found.leaves), tuple(steps), tuple([slots[name][0] for name in parts.results]))
