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
from ir.core.patterns import Get, Map, Memory, Tuple
from ir.core.sizes import Size, maximum, size
from ir.core.stored import everything_below, own_results, written_before
from ir.core.types import ArrayType, TupleType
from ir.errors import GenerationError
from ir.opencl.read.views import leaves

__all__ = ["Launch", "Place", "Stage", "launch_of", "stages_of"]


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
    """The number of work-groups and their size, or the number of work-items, in each dimension.

    Attributes:
        local: None where the runtime chooses; it may launch more work-items than there are, which do nothing
    """

    groups: tuple[Size, ...]
    local: tuple[int, ...] | None

    @property
    def global_size(self) -> tuple[Size, ...]:
        """Work-items in each dimension."""
        return self.groups if self.local is None else tuple(g * n for g, n in zip(self.groups, self.local, strict=True))


Place = tuple[str, int]
"""The name of a kernel's result, and the number of one of its components, each of which lies in memory of its own."""


def stages_of(root: Expr) -> tuple[list[Stage], list[Place]]:
    """The kernels in the order in which they run, and where the components of the root's value lie: the last one's
    result, and of several what earlier ones have written.
    """
    stages: list[Stage] = []
    handed: dict[Expr, Stage] = {}  # to the last work-group, by their results
    numbers = count()
    written, before = own_results(root), written_before(root)

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
    last = Param("result", final.type)
    if not before:
        stages.append(stage(final, last))
        return stages, [(last.identifier, i) for i in range(leaves(root.type))]
    rest = [e for e, old in zip(final.operands, root.operands, strict=True) if old not in before]
    if rest:
        final_rest = rest[0] if len(rest) == 1 else Tuple(*rest)
        stages.append(stage(final_rest, Param("result", final_rest.type)))
    results: list[Place] = []
    own = count()
    for e, old in zip(final.operands, root.operands, strict=True):
        if old in before:
            assert isinstance(e, Get)
            assert isinstance(e.operand, Param)
            results += [(e.operand.identifier, _first(e) + i) for i in range(leaves(e.type))]
        else:
            results += [(last.identifier, next(own)) for _ in range(leaves(e.type))]
    return stages, results


def _first(e: Get) -> int:
    """The number of the first component that a part of a tuple takes."""
    assert isinstance(e.operand.type, TupleType)
    return sum(map(leaves, e.operand.type.elements[: e.index]))


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
    dims = range(max({**extents, **local}) + 1)
    counts = tuple(maximum(extents.get(d, size(1)), size(1)) for d in dims)
    return Launch(counts, tuple(local.get(d, 1) for d in dims) if groups else None)
