"""Where schedules of scans start from, and how NumPy sums up to each element."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

SCAN_TREE: Final[Mapping[int, tuple[int, int]]] = {0: (64, 5), 1 << 11: (128, 17)}
"""Work-items of a group that scans a long array, and elements of each, by how many elements there are for each compute
unit at least, where each group folds the sums of the blocks before its own. Measured: on an H200 the kernels of 100,000
float32 numbers take 15.2 microseconds with 64 of 5 and 16.2 with 128 of 9; of 300,000 17.5 and, with 128 of 17, 16.5;
of 4Mi 27.0 with 128 of 17, 28.7 with 256 of 17, 29.8 with 256 of 9.
"""

SCAN_TREE_OF_MANY_SUMS: Final = (256, 17)
"""The same of arrays that have too many sums for each group to fold them, if blocks are of that many. Measured: on an
H200 the two kernels over 16Mi float32 numbers take 32.0 and 34.2 microseconds so where one group scans the sums, 39.2
and 34.4 with 256 of 9, and with 512 of 17 the second one 37.7 instead of 32.4. Where the lanes of warps hand on what
they have, each group folds the sums of so large blocks: 61.9 and 59.5 in two runs, 65.0 where one group scans them,
69.1 and 70.0 without lanes; with 128 of 17 63.4, with 512 of 17 69.0.
"""

SCAN_TREE_FOLDED_SUMS: Final = 1 << 12
"""Sums of blocks that each group folds itself at most. Measured: on an H200 2Mi float32 numbers take 16.3 microseconds
so and 19.6 where the last group to reduce a block scans them, 4Mi 21.7 and 24.7, 8Mi, 3,855 sums, 37.6 and 40.2, 16Mi,
7,710 sums, 66.7 and, with a kernel of its own for the sums, 66.9.
"""

SCAN_TREE_FOLDED_EACH: Final = 8
"""Sums that a work-item of these groups reads at a time. Measured: on an H200 the sums of 4Mi, 8Mi float32 numbers in
blocks of 128 of 17 take 22.3, 38.2 microseconds with 4, 21.7, 37.6 with 8, 21.0, 37.1 with 16, and twice the code.
"""

SCAN_TREE_SUMS_EACH: Final = 5
"""Elements of a work-item of the group that scans the sums of blocks in a kernel of its own. Measured: as below."""

SCAN_TREE_SUMS_GROUP: Final = 1 << 10
"""Work-items of the group that scans the sums of blocks in a kernel of its own, on a GPU. Measured: on an H200 16Mi
float32 numbers take 58.7 microseconds with 1,024 and 5 elements of each, 58.6 with 512 and 9, 60.2 with 256 and 17;
32Mi 111.7, 112.4 and 116.3.
"""

SCAN_TREE_MANY_SUMS: Final = 1 << 13
"""Blocks of a long array from which on their sums are scanned in blocks, too; of fewer by one group. Measured: on an
H200 the kernels of 64Mi float32 numbers, 15,420 sums, take 210.7 microseconds with a group of 1,024 and 209.9 in
blocks; where each group folds the sums of these blocks 220.5, where one scans them 225.0, of 128Mi 409.1 and 413.8.
In smaller blocks, as many sums as there are then, 64Mi take 210.0 where blocks of 256 of 17 take 217.6, and 128Mi 393.7
instead of 406.5.
"""

SCANNED_ROW_GROUP: Final = 256
"""Work-items of a group that scans a row at most. Measured: on an H200 rows of 4096 float32 numbers, 16Mi in all, take
41 microseconds so; other groups are not measured on record.
"""

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
"""Work-items of a group that scans the sums of the parts of a column or a row, or a part, at most. Not measured on
record.
"""

SCANNED_SUMS_EACH: Final = 9
"""Elements of each of these work-items in a block at most. Not measured on record."""

CUMULATIVE_BLOCK: Final = 1 << 17
"""Elements of float64 that are summed up to each at a time: what the cache holds. Measured: 3 million take 11.8, 10.8
and 9.6 milliseconds by 2^16, 2^17 and 2^18, rows of 50 13.5, 13.2 and 15.5, NumPy's sums one after the other 10.3 and
10.5.
"""

CUMULATIVE_PAIRS_UP_TO: Final = 1 << 13
"""Elements of float64 up to which they are summed in pairs, which is fewer calls than by fours. Measured: 1000 take 31
microseconds in pairs, 48 by fours; 10,000 64 and 84; 100,000 900 and 260.
"""

CUMULATIVE_WIDE_UP_TO: Final = 1 << 11
"""Elements of float64 up to which they are summed in wider numbers one after the other. Measured: 100 take 2.2
microseconds, in pairs 13.5, NumPy's in float64 1.9; 1000 10.6, 25.9 and 5.0; 3000 28.5, 36.7 and 11.7.
"""

CUMULATIVE_COLUMNS_TURNED: Final = 8
"""Columns up to which these become rows meanwhile. Measured: 3 million float64 numbers in 2, 4, 8 and 16 columns take
48, 29, 28 and 17 milliseconds as they lie, 21, 17, 17 and 20 turned.
"""
