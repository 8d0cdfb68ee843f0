"""A schedule: a named way to lower a kind of expression, with its parameters and what it asks of the machine."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from ir.core.expr import Expr, postorder
from ir.core.signature import LANES
from ir.core.sizes import Size, SizeLike, size, var
from ir.core.types import ScalarType, bytes_of, scalars_of
from ir.cost.operations import waiting_operations
from ir.cost.thresholds.defaults import (
    CHUNKS_PER_UNIT,
    ONE_GROUP_BELOW,
    PRIVATE_ARRAYS_AT_MOST,
    UNITS_WITH_CHUNKS_AT_MOST,
    WAITING_OPERATIONS_OF_ONE_VECTOR,
)
from ir.rewrite.derivation import Derivation
from ir.rewrite.strategy import Strategy

__all__ = [
    "ALONE", "GROUPS", "MACHINE", "PREFETCH", "Choices", "Constraint", "Machine", "Parameter", "Rival", "Schedule",
    "at_largest", "bytes_of", "groups_for", "prefetching", "product_of", "satisfied", "scalars_of", "up_to",
    "whole_blocks", "widest_of",
]  # fmt: skip

Choices = Mapping[str, int]


GROUPS = (1, 2, 4, 8, 16, 32, 64, 128)
"""Work-groups that an array, or what lies in it, is shared out to in contiguous chunks."""

PREFETCH = (0, 256, 1024)
"""Elements ahead of the one in hand that a loop may ask memory for; 0 for none."""


@dataclass(frozen=True)
class Parameter:
    """A numeric parameter of a schedule and the values worth trying, in ascending order."""

    name: str
    values: tuple[int, ...]


@dataclass(frozen=True)
class Machine:
    """What a schedule may know of a device: numbers only. The names are those of OpenCL's device queries."""

    max_work_group_size: int
    local_memory_bytes: int
    compute_units: int
    native_vector_width: int
    is_cpu: bool
    warp_size: int = 1  # work-items in lockstep; 1 where there is no such thing
    device_fence: bool = False  # can work-groups of a running kernel be made to see what others wrote?
    fused_multiply_add: bool = True  # is it one instruction?
    float64: bool = True  # does it compute with numbers of 64 bits?
    host_library: bool = False  # may the host's library compute on its memory?
    tensor_cores: bool = False  # do warps multiply matrices of TF32?
    host_sort_seconds: float = 0.0  # what that library needs for each of 4096 float32 numbers that it sorts

    def bindings(self) -> dict[str, int]:
        """The machine's limits by the names that constraints use."""
        return {
            "max_work_group_size": self.max_work_group_size,
            "local_memory_bytes": self.local_memory_bytes,
            "compute_units": self.compute_units,
            "warp_size": self.warp_size,
            "device_fence": int(self.device_fence),
            "fused_multiply_add": int(self.fused_multiply_add),
            "host_library": int(self.host_library),
            "tensor_cores": int(self.tensor_cores),
            "furthest_prefetch": max(PREFETCH) if self.is_cpu else 0,
            "lockstep": 1 if self.is_cpu else LANES,
            "private_array_bytes": PRIVATE_ARRAYS_AT_MOST if self.is_cpu else 0,
        }


def widest_of(widths: Sequence[int], e: Expr, machine: Machine) -> int:
    """The widest of some vectors that is no wider than the machine's: of numbers of 8 bytes half as many as of 4.

    A compiler takes wider ones apart, and may compute parts of them number by number. Where many operations wait for
    each other, two of the machine's vectors at a time keep a CPU busy; a GPU has other warps.
    """
    bytes_ = max((node.type.bytes for node in postorder(e) if isinstance(node.type, ScalarType)), default=4)
    waits = machine.is_cpu and waiting_operations(e) >= WAITING_OPERATIONS_OF_ONE_VECTOR
    at_once = 2 if waits else 1
    return up_to(at_once * machine.native_vector_width * 4 // max(4, bytes_), widths)


MACHINE: dict[str, Size] = {name: var(name, 0, None) for name in Machine(1, 1, 1, 1, True).bindings()}
"""The limits as symbols: constraints are written over these (paper 002) and evaluated when a device is known."""


def up_to(most: float, values: Sequence[int]) -> int:
    """The greatest of ascending values that is no greater; the least where there is none."""
    return max((value for value in values if value <= most), default=values[0])


def groups_for(machine: Machine, elements: int) -> int:
    """A few chunks for each compute unit, one where the array is small."""
    units = min(max(machine.compute_units, 1), UNITS_WITH_CHUNKS_AT_MOST)
    return 1 if elements < ONE_GROUP_BELOW else CHUNKS_PER_UNIT << (units.bit_length() - 1)


def size_class(n: int) -> int:
    """Sizes of one class share a kernel, but for schedules that tell them apart: a factor of four apart at most."""
    return (n.bit_length() + 1) // 2


def largest_of_class(n: int) -> int:
    """The greatest size of the class of n."""
    return int(4 ** size_class(n)) - 1


def least_of_class(n: int) -> int:
    """The least size of the class of n, which is 1 or more."""
    return int(4 ** (size_class(n) - 1))


@dataclass(frozen=True)
class Constraint:
    """`left <= right`, over the schedule's parameters, the expression's sizes and the machine's limits.

    Attributes:
        throughout: for all sizes of a class, not only for those that a kernel is made for
    """

    left: Size
    right: Size
    reason: str
    throughout: bool = False

    @classmethod
    def le(cls, left: SizeLike, right: SizeLike, reason: str, *, throughout: bool = False) -> Constraint:
        """The constraint that left is at most right."""
        return cls(size(left), size(right), reason, throughout)

    def holds(self, values: Mapping[str, int]) -> bool:
        """Does it hold for those values of all symbols?"""
        return self.left.evaluate(values) <= self.right.evaluate(values)


ALONE = Constraint.le(MACHINE["lockstep"], 1, "work-items in lockstep, of which a group has one")
"""A work-group has one work-item: that is for devices without lockstep."""


def at_largest(sizes: Mapping[str, int]) -> dict[str, int]:
    """The greatest sizes of their classes."""
    return {name: largest_of_class(n) for name, n in sizes.items()}


def satisfied(
    constraints: Iterable[Constraint], values: Mapping[str, int], sizes: Mapping[str, int]
) -> Constraint | None:
    """None where all hold, else the first that does not.

    Args:
        values: the values of the parameters
        sizes: those of the size symbols
    """
    here = {**values, **sizes}
    largest = {**values, **at_largest(sizes)}
    return next((c for c in constraints if not c.holds(largest if c.throughout else here)), None)


def prefetching() -> Constraint:
    """Only where the device's processors load nothing ahead by themselves for other work-items do hints help."""
    return Constraint.le(var("prefetch", 0), MACHINE["furthest_prefetch"], "elements asked for ahead of use")


def product_of(*factors: str | Size) -> Size:
    """The product of sizes and of some parameters, each of which is one at least."""
    return prod((var(factor, 1) if isinstance(factor, str) else factor for factor in factors), start=size(1))


def whole_blocks(n: Size, *factors: str) -> list[Constraint]:
    """Where the length is a known number, at least one block of the body must fit into it."""
    return [] if n.value is None else [Constraint.le(product_of(*factors), n, "elements in a block")]


@dataclass(frozen=True)
class Rival:
    """What the cost model compares a default with.

    Attributes:
        schedule: its name
        choices: those of its parameters; None for its default
        takes_at_most: it comes instead if it is predicted to take no more than this part of the default's time
    """

    schedule: str
    choices: Choices | None
    takes_at_most: float


class Schedule(ABC):
    """A family of derivations for one kind of expression.

    Attributes:
        exchanges: do work-items of a group hand values to each other, and wait for each other at barriers?
        by_library: does the host's library compute it, by no kernel of ours?
        starts_normal: does it start from the normal form? What others match is lowered by them alone, as it stands
        writes_parts: does it put together arrays that it computes?
        reads_again: does its last kernel read an array that the one before it has read to the end? Then it begins there
        is_ranked: does the cost model compare it on a GPU with all others of which the same is true, where it is the
            default?
        tells_sizes_apart: have sizes of a class kernels of their own on a GPU, where its parameters start from others?
    """

    name: str
    exchanges: bool = False
    by_library: bool = False
    starts_normal: bool = True
    writes_parts: bool = False
    reads_again: bool = False
    is_ranked: bool = False
    tells_sizes_apart: bool = False

    @abstractmethod
    def matches(self, e: Expr) -> bool:
        """Can this expression be lowered in this way?"""

    @abstractmethod
    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """Lower the expression all the way."""

    def strategy(self, choices: Choices) -> Strategy:
        """The same for the expression that stands at a place, which is a part of what another schedule lowers."""
        return lambda e, context: self.derive(Derivation.of(e), choices).rewritten()

    def parameters(self, e: Expr) -> tuple[Parameter, ...]:
        """The numeric parameters for this expression; none, if a schedule does not say otherwise."""
        return ()

    def default(self, e: Expr, machine: Machine, elements: int) -> dict[str, int]:
        """The parameters to use where nothing was measured, for about `elements` input elements."""
        return {}

    def default_at(self, e: Expr, machine: Machine, elements: int, sizes: Mapping[str, int]) -> dict[str, int]:
        """`default`, where it takes the extents of the input to say."""
        return self.default(e, machine, elements)

    def is_preferred(self, e: Expr, machine: Machine, sizes: Mapping[str, int]) -> bool:
        """Is it to be the default rather than schedules of that order, at those sizes? Those that say no come last."""
        return True

    def rivals(self, e: Expr, machine: Machine, choices: Choices, sizes: Mapping[str, int]) -> tuple[Rival, ...]:
        """What the cost model is to compare such choices with where they would be the default. None, if a schedule does
        not say otherwise.
        """
        return ()

    def constraints(self, e: Expr) -> list[Constraint]:
        """What the parameters must satisfy on any machine; the symbols are the parameters' names and `MACHINE`'s."""
        return []
