"""Where schedules of scans start from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

SCAN_TREE_LARGE: Final[Mapping[str, int]] = {"local": 256, "each": 8}
"""Work-items of a group that scans a long array, and elements of each. Not measured on record."""

SCAN_TREE_SMALL: Final[Mapping[str, int]] = {"local": 64, "each": 4}
"""The same of a short array. Not measured on record."""

SCAN_TREE_LARGE_PER_UNIT: Final = 2048
"""Elements for each compute unit from which on an array is long in that sense. Not measured on record."""

SCAN_TREE_MANY_SUMS: Final = 1 << 12
"""Blocks of a long array from which on their sums are scanned in blocks, too. Measured: on an H100 the cumulative sum
of 128Mi float32 numbers takes 592 microseconds so and 687 by one group, of 16Mi 117 and 126.
"""

SCANNED_ROW_PER_ITEM_AT_LEAST: Final = 4
"""Elements of a row for each work-item of the group that scans it. Not measured on record."""

SCAN_PARTS_UNROLLED_BELOW: Final = 8
"""Parts of a scan whose sums are scanned without a loop. Not measured on record."""

SCAN_COLUMNS_ROWS_AHEAD: Final = 8
"""Rows ahead of the one in hand that a CPU asks memory for where it scans columns. Not measured on record."""
