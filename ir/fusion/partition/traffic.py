"""What storing a value costs, and what computing it again would (paper 003, sections 3 and 4): which of the values that
several kernels read are better computed in each of them.

A kernel's time is predicted by the bytes that it moves and the operations that it does. A stored value is written once
and read by each reader; computed again, each reader reads instead what it is made of, where it does not read that
anyway, and does its operations.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from ir.core.expr import Expr, postorder
from ir.core.patterns import Repeat
from ir.core.types import ArrayType, ScalarType, Type
from ir.cost.operations import simple_operations
from ir.cost.passes import bytes_alike, elements_alike, size_bytes
from ir.cost.thresholds.partition import FREE_OPERATIONS
from ir.cost.thresholds.ratios import LAUNCH_BYTES, OPERATIONS_PER_BYTE
from ir.fusion.partition.graph import is_computed
from ir.fusion.partition.storage import Assignment, Kernel

__all__ = ["Costs", "elements", "nbytes_moved", "operations_of", "recompute", "recompute_numbers"]


def recompute(cut: Assignment, again: Collection[Expr] = ()) -> None:
    """Store no value that its readers had better compute themselves, whatever costs say of those in `again`."""
    costs = Costs()
    for node in list(cut.maker):
        number, readers = cut.maker[node], cut.readers[node]
        if cut.graph.is_stored_first(node) or node in cut.broadcast or not is_computed(node):
            continue
        if not all(cut.fits(k, number) for k in readers):
            continue
        if node in again or costs.saves_by_recomputing(node, cut.kernels[number], [cut.kernels[k] for k in readers]):
            cut.forget(node)
            cut.move(number, readers)


def recompute_numbers(cut: Assignment) -> None:
    """Store no number that little work makes of stored numbers, and that is repeated wherever it is read: to launch a
    kernel for it costs more than to make it in each reader.
    """
    costs = Costs()
    readings = cut.graph.readers()
    repeated = {node for node in cut.graph.order if isinstance(node, Repeat)}
    members = Counter(cut.maker.values())
    for node in list(cut.maker):
        number, readers = cut.maker[node], cut.readers[node]
        kernel = cut.kernels[number]
        if node in cut.graph.wanted or not is_computed(node):
            continue
        if not all(map(_is_number, (node, *kernel.reads))) or not repeated.issuperset(readings.get(node, [node])):
            continue
        little = not any(map(cut.graph.is_barrier, kernel.vertices)) and costs.operations(kernel) <= FREE_OPERATIONS
        if members[number] == 1 and little and all(cut.fits(k, number) for k in readers):
            cut.forget(node)
            members[number] = 0
            cut.move(number, readers)


def nbytes_moved(cut: Assignment) -> int:
    """The bytes that the kernels move, and those that could be moved in the time of their launches; of a larger array a
    kernel reads as much as it has elements. They are those of the shortest arrays that are cut alike.
    """
    made: dict[int, list[Expr]] = {}
    for node, number in cut.maker.items():
        made.setdefault(number, []).append(node)
    moved = LAUNCH_BYTES * len(made)
    for number, results in made.items():
        longest = max(elements_alike(x.type) for x in results)
        moved += sum(min(elements_alike(x.type), longest) * size_bytes(x.type) for x in cut.kernels[number].reads)
        moved += sum(bytes_alike(x.type) for x in results)
    return moved


def _is_number(x: Expr) -> bool:
    """Is it an array of one number?"""
    return isinstance(x.type, ArrayType) and isinstance(x.type.element, ScalarType) and x.type.length.value == 1


class Costs:
    """Predicted costs; those of a function are computed once."""

    def __init__(self) -> None:
        self._known: dict[Expr, int] = {}

    def operations(self, kernel: Kernel) -> int:
        """What the maps of a kernel cost, in simple operations; what a function uses twice counts once."""
        total = 0
        for node in kernel.vertices:
            if is_computed(node):
                f = node.operands[0]
                if f not in self._known:
                    self._known[f] = operations_of(f)
                total += self._known[f] * elements(node.type)
        return total

    def saves_by_recomputing(self, value: Expr, maker: Kernel, readers: Sequence[Kernel]) -> bool:
        """Is it predicted to save time if each reader computes the value, and nobody stores it?"""
        count = elements(value.type)

        def transfer(x: Expr) -> int:
            return min(elements(x.type), count) * size_bytes(x.type)

        once = [transfer(x) for x in maker.reads]
        stored = transfer(value) * (1 + len(readers)) + sum(once)
        computed = sum(n for kernel in readers for x, n in zip(maker.reads, once, strict=True) if x not in kernel.reads)
        extra = max(count, self.operations(maker)) * (len(readers) - 1)
        return (stored - computed) * OPERATIONS_PER_BYTE >= extra


def operations_of(f: Expr) -> int:
    """What one call of a function costs, in simple operations; what it uses twice counts once."""
    return sum(map(simple_operations, postorder(f)))


def elements(t: Type) -> int:
    """The number of an array's elements; shapes are concrete in a recorded graph, and a length that is not is one."""
    count = 1
    while isinstance(t, ArrayType):
        count *= t.length.value or 1
        t = t.element
    return count
