"""What sorts take: the host's library beside kernels that sort by digits, on a CPU."""

from __future__ import annotations

from math import log2

from ir.cost.thresholds.sorts import (
    LIBRARY_SORT_BYTE_SECONDS,
    LIBRARY_SORT_IN_VECTORS_BELOW,
    LIBRARY_SORT_MEASURED_BY,
    SORT_DIGITS_LAUNCH_SECONDS,
    SORT_DIGITS_SECONDS,
)

__all__ = ["library_sorts"]


def library_sorts(itemsize: int, rows: int, length: int, units: int, sort_seconds: float) -> bool:
    """Is the library predicted to take less time? A processor sorts whole rows, kernels share them out.

    Args:
        itemsize: bytes of an element
        units: processors
        sort_seconds: what the library needs for each of `LIBRARY_SORT_MEASURED_BY` numbers of float32
    """
    shares = max(1, min(rows, units))
    by_digits = itemsize * (SORT_DIGITS_SECONDS / max(1, units) + SORT_DIGITS_LAUNCH_SECONDS / max(1, rows * length))
    return _seconds(itemsize, length, sort_seconds) / shares <= by_digits


def _seconds(itemsize: int, length: int, sort_seconds: float) -> float:
    """What a processor needs with the library for an element of a row of that length."""
    if itemsize <= 2:
        return itemsize * LIBRARY_SORT_BYTE_SECONDS
    wider = itemsize / 4 if sort_seconds < LIBRARY_SORT_IN_VECTORS_BELOW else 1.0
    return log2(max(2, length)) / log2(LIBRARY_SORT_MEASURED_BY) * sort_seconds * wider
