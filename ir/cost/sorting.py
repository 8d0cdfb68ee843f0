"""What sorts take: the host's library beside kernels that sort by digits, on a CPU."""

from __future__ import annotations

from math import log2

from ir.cost.thresholds.sorts import LIBRARY_SORT_SECONDS, SORT_DIGITS_LAUNCH_SECONDS, SORT_DIGITS_SECONDS

__all__ = ["library_sorts"]


def library_sorts(itemsize: int, rows: int, length: int, units: int, *, in_vectors: bool) -> bool:
    """Is the library predicted to take less time? A processor sorts whole rows, kernels share them out.

    Args:
        itemsize: bytes of an element
        units: processors
        in_vectors: does the library sort so?
    """
    shares = max(1, min(rows, units))
    by_digits = itemsize * (SORT_DIGITS_SECONDS / max(1, units) + SORT_DIGITS_LAUNCH_SECONDS / max(1, rows * length))
    return _seconds(itemsize, length, in_vectors) / shares <= by_digits


def _seconds(itemsize: int, length: int, in_vectors: bool) -> float:
    """What a processor needs with the library for an element of a row of that length."""
    if itemsize <= 2:
        return itemsize * LIBRARY_SORT_SECONDS["byte"]
    comparisons = log2(max(2, length))
    if in_vectors:
        return comparisons * itemsize * LIBRARY_SORT_SECONDS["byte in vectors"]
    return comparisons * LIBRARY_SORT_SECONDS["comparison"]
