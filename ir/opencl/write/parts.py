"""Writes tuples of results: what one loop computes of several of them is written together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ir.core.expr import Expr
from ir.core.patterns import Concat, Map, MapReduce, Overlap, Prefetch, Scan, Tuple, length_of, moves_elements
from ir.core.sizes import size
from ir.core.stored import part_of, written_together
from ir.core.types import ArrayType, TupleType
from ir.errors import GenerationError
from ir.opencl.read.views import Target, array_target, shifted, target_at

if TYPE_CHECKING:
    from ir.opencl.write.kernel import KernelWriter

__all__ = ["write_loop", "write_parts"]


def write_parts(writer: KernelWriter, e: Tuple, target: Target) -> None:
    """Fill the parts of a target with those of a tuple: first the loops that compute several of them, then the rest,
    which may read the accumulators of these.
    """
    assert target.parts is not None
    if not written_together(e):
        for operand, part in zip(e.operands, target.parts, strict=True):
            writer.write(operand, part)
        return
    loops: dict[Expr, dict[int, Target]] = {}
    others: list[tuple[Expr, Target]] = []
    pending = list(zip(e.operands, target.parts, strict=True))
    while pending:
        node, place = pending.pop(0)
        found = part_of(node)
        if found is not None:
            loops.setdefault(found[0], {})[found[1]] = place
        elif isinstance(node, Concat):
            start = size(0)
            for operand in node.operands:
                pending.append((operand, shifted(place, start)))
                start = start + length_of(operand)
        elif isinstance(node, Overlap):
            pending += [(node.first, place), (node.last, shifted(place, node.start))]
        elif isinstance(node, Prefetch) and isinstance(node.xs, Map | Scan):  # a loop of its own, which asks ahead
            others.append((node, place))
        elif node.traits.moves or moves_elements(node):
            pending.append((node.operands[-1], writer.target_behind(node, place)))
        else:
            others.append((node, place))
    for loop, places in loops.items():
        write_loop(writer, loop, places)
    for node, place in others:
        writer.write(node, place)


def write_loop(writer: KernelWriter, e: Expr, places: dict[int, Target]) -> None:
    """Let a loop write its results to those places."""
    if isinstance(e, MapReduce):
        if 1 not in places:
            raise GenerationError(f"{e.name}: the array that it writes is a result, too")
        place = target_at(places[0], size(0)) if 0 in places else None
        accumulator = writer.fold_beside(e, places[1], place)
        if place is not None and not isinstance(e.init.type, ArrayType):
            writer.store(accumulator, place, e.init.type)
        return
    assert isinstance(e.type, ArrayType)
    assert isinstance(e.type.element, TupleType)
    if len(places) < len(e.type.element.elements):
        raise GenerationError(f"{e.name}: each of its results is written, or none")
    each = [places[i] for i in range(len(places))]
    writer.write(e, array_target(lambda i: Target(parts=tuple(target_at(place, i) for place in each))))
