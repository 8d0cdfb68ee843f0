"""Where schedules of scans start from, and how NumPy sums up to each element."""

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

SCAN_COLUMN_ITEMS_PER_UNIT: Final = 1024
"""Work-items for each compute unit that scan parts of columns. Measured: on an H200 of 132 units, 4096 columns of 4096
float32 numbers take 102, 79 and 71 microseconds in 16, 32 and 64 parts.
"""

SCAN_COLUMN_PART_AT_LEAST: Final = 16
"""Elements of a part of a column that is scanned in parts. Not measured on record."""

SCAN_COLUMN_PARTS_FROM: Final = 512
"""Elements of columns from which on they are scanned in parts. Measured: on an H200 1000 columns of 1000 take 35
microseconds so and 64 by a work-item each, 7000 of 300 take 29 and 16; 127 of 100,003 take 101 and 11,264.
"""

SCAN_ROW_PART_AT_MOST: Final = 512
"""Elements of a part of a row that is scanned in parts. Measured: on an H200 131 rows of 100,003 numbers take 107
microseconds in parts of 390, 330 in parts of 6250, and 371 by a work-group each.
"""

SCAN_ROW_PARTS_FROM: Final = 8192
"""Elements of rows from which on they are scanned in parts. Measured: as above; rows of 1031 numbers take 27."""

SCANNED_SUMS_GROUP: Final = 128
"""Work-items of a group that scans the sums of the parts of a column or a row, or a part. Not measured on record."""

SCANNED_SUMS_PLAIN_UP_TO: Final = 128
"""Elements of a part that a work-item of such a group adds up, without corrections, at most. Not measured on record: as
many as NumPy's pairwise sums add in a row.
"""

CUMULATIVE_BLOCK: Final = 1 << 17
"""Elements of float64 that are summed up to each at a time: what the cache holds. Measured: 3 million take 11.8, 10.8
and 9.6 milliseconds by 2^16, 2^17 and 2^18, rows of 50 13.5, 13.2 and 15.5, NumPy's sums one after the other 10.3 and
10.5.
"""

CUMULATIVE_PAIRS_UP_TO: Final = 1 << 13
"""Elements of float64 up to which they are summed in pairs, which is fewer calls than by fours. Measured: 1000 take 31
microseconds in pairs, 48 by fours; 10,000 64 and 84; 100,000 900 and 260.
"""

CUMULATIVE_COLUMNS_TURNED: Final = 8
"""Columns up to which these become rows meanwhile. Measured: 3 million float64 numbers in 2, 4, 8 and 16 columns take
48, 29, 28 and 17 milliseconds as they lie, 21, 17, 17 and 20 turned.
"""
