"""A low-level expression as a sequence of kernels, and the shape of each kernel's launch.

A `toGlobal` outside every map, whose result is read by something else, ends a kernel: there is no barrier across
work-groups. A `toLastGroup` there divides one: of the work-groups that run the first part, the one that is done last
goes on with the second. The rules put them there; this module only finds them.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from math import lcm

from ir.core.expr import Expr, Lambda, Param, transform
from ir.core.patterns import Map, Memory
from ir.core.sizes import Size, maximum, size
from ir.core.stored import everything_below, own_results
from ir.core.types import ArrayType
from ir.errors import GenerationError

__all__ = ["Launch", "Stage", "launch_of", "stages_of"]


@dataclass(frozen=True)
class Stage:
    """One kernel: what it computes, over inputs and earlier stages' results, and the name of its result.

    Attributes:
        before: what all its work-groups compute first, so that the last one can go on with `expr`, which reads it
    """

    expr: Expr
    result: Param
    before: Stage | None = None

    @property
    def parts(self) -> list[Stage]:
        """What is computed one after the other."""
        return [self] if self.before is None else [self.before, self]


@dataclass(frozen=True)
class Launch:
    """The number of work-groups and their size, or the number of work-items, in each dimension."""

    groups: tuple[Size, ...]
    local: tuple[int, ...] | None  # None: the runtime chooses

    @property
    def global_size(self) -> tuple[Size, ...]:
        """Work-items in each dimension."""
        return self.groups if self.local is None else tuple(g * n for g, n in zip(self.groups, self.local, strict=True))


def stages_of(root: Expr) -> list[Stage]:
    """The kernels in the order in which they run; the last one's result is the root's."""
    stages: list[Stage] = []
    handed: dict[Expr, Stage] = {}  # to the last work-group, by their results
    numbers = count()
    written = own_results(root)

    def stage(expr: Expr, result: Param) -> Stage:
        before = [handed[node] for node in everything_below(expr) if node in handed]
        if len(before) > 1 or (before and before[0].before is not None):
            raise GenerationError("a kernel is handed over to its last work-group once")
        return Stage(expr, result, before[0] if before else None)

    def visit(node: Expr, operands: tuple[Expr, ...]) -> Expr:
        rebuilt = node._rebuilt(operands) if operands != node.operands else node
        if isinstance(node, Memory) and node.is_global and node not in written:
            assert isinstance(rebuilt, Memory)
            made = stage(rebuilt.xs, Param(f"stage{next(numbers)}", node.type))
            if node.space == "global":
                stages.append(made)
            else:
                handed[made.result] = made
            return made.result
        return rebuilt

    final = transform(root, visit, lambda node: isinstance(node, Lambda))
    stages.append(stage(final, Param("result", root.type)))
    return stages


def launch_of(*roots: Expr) -> Launch:
    """One work-group or work-item for each element of each parallel map: the trip counts say how many."""
    groups: dict[int, Size] = {}
    local: dict[int, int] = {}
    items: dict[int, Size] = {}
    lanes = 1
    for node in (node for root in roots for node in everything_below(root)):
        if not isinstance(node, Map) or not node.how.parallel:
            continue
        assert isinstance(node.xs.type, ArrayType)
        trip, dim = node.xs.type.length, node.how.dim
        if node.how.name == "mapLocal":
            local[dim] = max(local.get(dim, 1), trip.value or 1)
        elif node.how.name == "mapWarp":
            lanes = lcm(lanes, dim)
            local[0] = max(local.get(0, 1), (trip.value or 1) * dim)
        elif node.how.name == "mapLane":
            pass  # it is inside a mapWarp
        else:
            extents = groups if node.how.name == "mapWorkgroup" else items
            extents[dim] = maximum(extents[dim], trip) if dim in extents else trip
    if groups and items:
        raise GenerationError("a kernel has either mapWorkgroup or mapGlobal, not both")
    extents = groups or items
    if not extents:
        return Launch((size(1),), (1,))
    if lanes > 1:
        local[0] = -(-local[0] // lanes) * lanes  # whole warps
    dims = range(max(extents) + 1)
    counts = tuple(maximum(extents.get(d, size(1)), size(1)) for d in dims)
    return Launch(counts, tuple(local.get(d, 1) for d in dims) if groups else None)
