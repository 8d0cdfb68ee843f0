"""What a launch and another reading of an array take, by the figures of a kind of device (paper 003, section 4): what
decides where a graph is cut, before any kernel is derived.

No rate that was measured counts here, and of the device only its kind and how many units a CPU has: a program is cut
alike from run to run. All lengths of one magnitude are cut alike, too, so the least of them is asked about.
"""

from __future__ import annotations

from ir.core.expr import Expr, postorder
from ir.core.nodes.primitives import Call, Cast
from ir.core.sizes import Size
from ir.core.types import ArrayType, ScalarType, TupleType, Type, element_type
from ir.cost.operations import work_of
from ir.cost.processors import CPU, GPU, WARP, Processor

__all__ = [
    "bytes_alike", "elements_alike", "instructions_of", "is_read_within_a_launch", "least_alike", "pays_to_read_once",
    "processor_for", "rows_to_be_busy", "seconds_from_memory", "seconds_of_instructions", "seconds_to_read",
    "seconds_to_store", "size_bytes",
]  # fmt: skip


def processor_for(by_items: bool) -> Processor:
    """The kind of device whose work-items share blocks and rows, or have one each."""
    return GPU if by_items else CPU


def seconds_to_read(count: float, processor: Processor) -> float:
    """What reading so many bytes again takes, in another kernel: any unit may read them, so what the last cache holds
    comes from there, and the rest from memory.
    """
    if count <= processor.caches[-1]:
        return count / (processor.fetches[-2] * processor.units)
    return count / processor.fetches[-1]


def seconds_to_store(count: float, processor: Processor) -> float:
    """What storing so many bytes in one kernel and reading them in the next takes: what is written is fetched before,
    line by line.
    """
    return seconds_to_read(2 * count, processor) + seconds_to_read(count, processor)


def is_read_within_a_launch(count: float, by_items: bool) -> bool:
    """Does starting one more kernel take longer than reading so many bytes?"""
    processor = processor_for(by_items)
    return seconds_to_read(count, processor) <= processor.next_launch


def pays_to_read_once(count: float, parts: float, by_items: bool) -> bool:
    """Is one kernel faster, which reads so many bytes once and leaves partial results, than two that read them?

    A second kernel adds the partial results up.

    Args:
        parts: the bytes of these, which are written and read
    """
    processor = processor_for(by_items)
    adding = processor.next_launch + seconds_to_read(2 * parts, processor)
    return seconds_to_read(count, processor) > adding


def rows_to_be_busy(by_items: bool, units: int | None) -> int:
    """Rows from which on it is no loss that each is one unit's: where a unit takes less time for one than a launch
    does, any; else those of which each unit has one.

    Args:
        units: of the device; None: a common one
    """
    return 1 if by_items else units or CPU.units


def seconds_of_instructions(count: float, size: int, by_items: bool) -> float:
    """What so many instructions on each number of an array take, in vectors or warps, for one of so many bytes."""
    processor = processor_for(by_items)
    lanes = processor.vector / size * (WARP if by_items else 1)
    return count / (processor.units * processor.clock * processor.issued * lanes)


def seconds_from_memory(size: int, by_items: bool) -> float:
    """What so many bytes of a long array take to come."""
    return size / processor_for(by_items).fetches[-1]


def instructions_of(f: Expr, by_items: bool) -> float:
    """The instructions of one call of a function; what it uses twice counts once."""
    processor = processor_for(by_items)
    takes = {"arithmetic": 1.0, "division": processor.division, "function": processor.function}
    return sum(takes[work_of(x).kind] for x in postorder(f) if isinstance(x, (Call, Cast)))


def least_alike(n: Size) -> int:
    """The least number of a length's magnitude; 0 of one that is not known."""
    return 1 << n.value.bit_length() - 1 if n.value else 0


def elements_alike(t: Type) -> int:
    """The elements of an array, or of the shortest one that is cut alike."""
    count = 1
    while isinstance(t, ArrayType):
        count *= least_alike(t.length)
        t = t.element
    return count


def bytes_alike(t: Type) -> int:
    """The bytes of an array, or of the shortest one that is cut alike."""
    return elements_alike(t) * size_bytes(t)


def size_bytes(t: Type) -> int:
    """The bytes of one element."""
    t = element_type(t)
    if isinstance(t, TupleType):
        return sum(map(size_bytes, t.elements))
    return t.bytes if isinstance(t, ScalarType) else 1
