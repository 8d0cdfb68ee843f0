"""Where schedules of reductions start from, of arrays, rows and columns, and what each refuses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

REDUCTION_WAYS: Final = 4
"""Accumulators of a long reduction, or of a row: they hide how long an operation takes. Not measured on record."""

COMPENSATED_BLOCK: Final = 8
"""Vectors that are added before they reach an accumulator with corrections. Measured: mean and variance of the rows of
a matrix, 4096 x 4096 float32, take 2.9 ms, and 3.3 with blocks of four.
"""

SCALE_STEP: Final = 16
"""What scales of sums of exponentials are multiples of (`ir.rules.exponentials`): a power of two. Numbers are half of
it from their scale at most, so that of float32 numbers those count whose exponential is more than exp(-79) of the
greatest one's, and what a change of scales leaves is exp(-16). Not measured on record.
"""

ADDED_PLAINLY_UP_TO: Final = 8
"""Numbers that are added without corrections where so few are added. Not measured on record: NumPy adds them one after
the other, too.
"""

PLAIN_ROW_UP_TO: Final = 255
"""Numbers of a row that may be added without corrections, if they are shared out to `PLAIN_LANES` accumulators. Not
measured on record: then each takes no more of them than in NumPy's pairwise sums.
"""

PLAIN_LANES: Final = 16
"""Accumulators of such a row; fewer numbers than that are left over, and added one by one. Not measured on record."""

SHARED_ROW_AT_LEAST: Final = 64
"""Elements of a row of constant length that is shared out; one work-item folds each shorter one, windows mostly. Not
measured on record.
"""

CHAIN_AT_MOST: Final = 1 << 16
"""Floating-point values multiplied one after the other into one accumulator. Not measured on record."""

CACHED_UP_TO: Final = 1 << 20
"""Elements of a matrix that lies in a CPU's caches after its first use: asking ahead for its rows takes instructions
alone. Measured: 120 x 2000 float64 take 36 us, and 31 without asking.
"""

ROW_PARTS: Final = 16
"""Parts of a long row, where the number of rows is not known. Not measured on record."""

ROW_PART_AT_LEAST: Final = 1 << 14
"""Elements in each part of a row: fewer are not worth a second kernel. Not measured on record."""

PARTED_ROW_FROM: Final = 16 * ROW_PART_AT_LEAST
"""Elements in a row from which on few rows are reduced in parts. Not measured on record."""

PARTED_ROWS_FROM: Final = 1 << 23
"""Elements in all from which on rows that are no more than a GPU's units are reduced in parts, shorter ones, too.
Measured: on an H200 of 132 units, products with a vector of float32, by a group each as `FEW_LONG_ROWS_PER_UNIT` says,
and in 4 parts: 132 x 131072 take 38 and 24 microseconds, 64 x 100,000 15 and 18, 16 x 65536 11 and 18 (what two
launches take the host).
"""

ROWS_TOGETHER: Final[Mapping[str, int]] = {"rows": 4, "turns": 16}
"""Rows that are read at once, and turns of these that a work-group takes. Not measured on record."""

ROW_ALONE_FROM: Final = 256
"""Elements of a row from which on rows are read one by one where they have nothing in common and lie side by side: the
kernel is as fast, and compiles in a half to a third of the time. Measured: four rows at once and one take 0.073 and
0.072 ms for the means of the rows of 1000 x 1000 float32 (299 and 125 ms to compile), 0.65 and 0.45 for their softmax
(630 and 231), 2.3 and 2.1 for the means of 4096 x 4096 (745 and 237); but 1.4 and 2.1 for argmin of 40000 x 100.
Shorter rows that are reduced several times are read one by one, too: see `VECTORS_FOR_EACH_LANE`.
"""

ROWS_TOGETHER_WAYS: Final = 2
"""Accumulators of each of these rows, `REDUCTION_WAYS` of sums with corrections. Not measured on record."""

COLUMNS_TOGETHER_WAYS: Final = 1
"""The same where the elements of these rows lie apart in memory, as those of columns do: their reads are waited for.
More where sums of long ones need them. Measured: with 4, 2 and 1 the means of the columns of 4096 x 4096 float32 take
63, 42 and 35 ms (838, 578 and 430 to compile), those of 1000 x 1000 0.64, 0.62 and 0.57 (379 with 2, 300 with 1), and a
product with the transposed matrix 32, 22 and 16 (940, 618 and 374).
"""

ROWS_TOGETHER_VECTOR_AT_MOST: Final = 8
"""Elements of a vector of these rows, but for functions of many instructions: NumPy's arrays begin at a multiple of 16
bytes, so that each vector of 64 would lie in two cache lines. Measured: a product of 4096 x 4096 took 4 % longer with
those.
"""

GATHERED_FROM_CACHES_BYTES: Final = 1 << 18
"""Bytes of the arrays that rows gather from, up to which nothing is asked for ahead of use, as its index would have to
be computed twice, and in vectors of `ROWS_TOGETHER_VECTOR_AT_MOST` elements. Measured: the forces of 128 neighbours
each on 12288 particles take 3.4 milliseconds of processor time in vectors of 16 with hints, 2.9 without, 2.7 in vectors
of 8 without; a loop compiled by Numba, which divides less exactly, takes 1.7.
"""

SHORT_ROWS_VECTOR_AT_MOST: Final = 4
"""The same where rows have fewer than `VECTORS_OF_A_ROW_AT_LEAST`. Not measured on record."""

VECTORS_OF_A_ROW_AT_LEAST: Final = 16
"""Vectors in a row from which on adding up the lanes of the last one costs little. Not measured on record."""

VECTORS_FOR_EACH_LANE: Final = 1
"""Vectors, at least, in a row that is reduced several times, for each element of a vector: so often its lanes are added
up one by one. Measured: 8000 rows of float32; standard deviations of 16, 32, 64, 100, 128 and 200 columns take 0.2,
0.4, 0.5, 0.7, 0.7 and 0.9 ms of a processor with one row at once and 4, 4, 8, 8, 8 and 8 elements (160 to 370 ms to
derive, generate and compile), 0.5, 1.4, 0.7, 0.8, 0.6 and 1.1 with four rows and 16 elements (600 to 1030), 0.9 with
one row of 128 columns and 16 elements; maxima and sums of softmax 0.6, 0.9, 1.0 and 1.2 of 16 to 100 columns (250 to
370), 2.3, 3.0, 0.9 and 3.5 (640 to 1000).
"""

PANEL_AT_MOST: Final = 2048
"""Columns of a matrix that a work-item of a CPU reduces at once: their accumulators stay in its first-level cache.
Measured: by hand, a product with the transposed matrix of 4096 x 4096 float32 takes 3.7, 2.2, 1.9 and 3.4 ms with 512,
1024, 2048 and 4096 columns.
"""

PANEL_AT_LEAST: Final = 16
"""The same at least: a line of the cache is read whole. Not measured on record."""

PANEL_GROUPS_PER_UNIT: Final = 4
"""Panels for each compute unit from which on none waits long for another. Not measured on record."""

PANEL_PART_AT_LEAST: Final = 256
"""Rows of the matrix in each part of the columns, where there are fewer panels than compute units. Measured: a product
with the transposed matrix of 100,000 x 32 float32 takes 0.5 ms in one part, and 0.14 to 0.20 in 4 to 64.
"""

PANEL_TURN: Final = 64
"""What a turn of a panel's loop costs beside its columns, in columns. Not measured on record."""

SHARED_BLOCK_BYTES: Final = 1 << 21
"""Bytes, read and written, of a block of what one kernel computes several results of, so that they stay in a cache; of
vectors fewer. Measured: two cores with 1 MiB each and 32 together; beside two kernels BiCGK of 4096 x 4096 float32 is
1.5, 1.6, 2.2 and 1.4 times as fast with 512 KiB, 1, 2 and 4 MiB, of 8192 x 8192 0.9 to 1.0, 1.4, 1.7 and 1.5 to 1.9
(a block of few rows writes much for the columns).
"""

BLOCKS_PER_UNIT_AT_LEAST: Final = 4
"""Blocks for each compute unit, at least, so that none waits long for another. Not measured on record."""

BLOCK_ROWS_AT_ONCE: Final = 4
"""Rows that a work-item reduces at once of a block whose columns need their results. Not measured on record."""

ROW_BLOCK_BYTES: Final = 1 << 19
"""Bytes of such a block at most, so that it stays in a cache. Measured: PoCL with two cores of 1 MiB each, beside much
other load, ATAX of 4096 x 4096 float32 takes 5.6 to 5.8 ms of processor time with 256 KiB, 5.2 and 5.4 with 512 KiB,
and 5.1 and 5.2 with 1 MiB.
"""

ITEM_BLOCK_ROWS: Final = 16
"""Rows of a block whose columns the work-items of a group take in turns for both directions of a matrix, at most: each
has an accumulator for each of them. Not measured on record.
"""

ITEM_BLOCK_GROUP: Final = 256
"""Work-items of such a group. Not measured on record."""

ROWS_BY_ITEMS: Final = ((2047, 32, 4, 128), (8191, 16, 2, 256), (16383, 16, 1, 256), (32767, 16, 1, 512))
"""Of so many columns at most: rows of a matrix for each group, and in each of its turns, and work-items of the group,
where these keep an accumulator for each column. Measured: on an H100, ATAX of float32, the first, the others in
their order, and two kernels; 65536 x 300 take 0.067, 0.15, -, -, 0.100 ms; 20000 x 1024 0.044, -, -, -, 0.097; 4096 x
4096 -, 0.036, 0.041, 0.049, 0.054; 5000 x 4097 -, 0.059, 0.048, 0.083, 0.097; 4096 x 5120 -, 0.045, -, -, 0.078; 8192 x
8192 -, 0.125, 0.112, -, 0.207; 4096 x 16000 -, -, 0.128, 0.125, 0.198; 16384 x 16384 -, -, 0.475, 0.462, 0.74; 8192 x
20000 -, -, -, 0.38, 0.54.
"""

ELEMENTS_OF_A_TURN_AT_MOST: Final = 1 << 15
"""Elements of the rows of a turn that take a register each, as registers have to hold the accumulators of all columns
and what is loaded. Measured: on an H100, ATAX of 16384 x 16384 float32 takes 0.52 ms with as many, and 0.47 with half
of them.
"""

RESULTS_OF_A_ROW: Final = 16
"""Partial results of a row that one work-item adds up in the end. Not measured on record."""

COLUMNS_BESIDE: Final = 32
"""Columns beside each other of a group that adds up parts of columns. Not measured on record."""

COLUMN_SHARES: Final = 16
"""Work-items that share out the parts of one column there. Not measured on record."""

ONE_LOOP_BLOCK: Final = 1 << 15
"""Elements of a block of a loop that writes an array and accumulates, at most, as long as there are enough blocks.
Measured: PoCL with two cores beside other load, float32, against two kernels: AXPYDOT of 1Mi is 1.6, 1.8, 1.7 and 2.0
times as fast with 4096, 8192, 16384 and 32768, an array and its sum 1.8, 1.9, 1.9 and 1.7, an array and the sum of its
squares 1.4 to 1.5; of 16Mi no size is clearly faster (1.1 to 1.3 and 1.3 to 1.9). Without hints ahead they are as fast
as with them, or faster.
"""

ONE_LOOP_GROUPS_PER_UNIT: Final = 4
"""The same on a GPU: work-groups for each compute unit, at least. Measured: on an H100, AXPYDOT of 16Mi float32 numbers
takes 109 microseconds by default and 106 after a search, of 128Mi 750 and 749.
"""

ONE_LOOP_TURNS: Final = 8
"""Turns in which a group takes its block of an array that it writes and reduces. Measured: on an H200, AXPYDOT of 16Mi
float32 numbers in 2, 4, 8 and 16 turns of 512 takes 81.0, 71.9, 71.8 and 73.3 microseconds, of 128Mi 579, 501, 498 and
505. With a part for each work-item, which another kernel folds, it takes 79 and 531. An array of 16Mi, the sum and the
greatest of its elements take 47 microseconds, with such parts 55; with the sum of the squares 57 and 66.
"""

PANEL_ROWS: Final = 4
"""Rows of the matrix that are added before they reach the accumulators. Measured: by hand, the same product takes 5.4,
6.0, 2.9 and 2.8 ms with 1, 2, 4 and 8 rows.
"""

COLUMN_GROUP: Final = 128
"""Work-items of a GPU in a group that reduces neighbouring columns of a matrix. Not measured on record."""

COLUMN_WAYS: Final = 4
"""Rows of the matrix that each of them reads in one turn. Not measured on record."""

COLUMN_WAYS_OF_EXPONENTIALS: Final = 8
"""The same for sums of exponentials beside their maxima, which have one scale for the rows of a turn. Measured: on an
H200 the logarithms of such sums of 16384^2 float32 take 0.26 ms, which is what it takes to read them.
"""

COLUMN_WORK_ITEMS_PER_UNIT: Final = 1024
"""Work-items for each compute unit, which wait for memory in turns. Measured: on an H100 of 132 units, a product with
the transposed matrix of 16384 x 16384 float32 takes 0.39 ms with 262,144 work-items and 0.51 with 131,072; of 4096 x
4096 0.055 and 0.056.
"""

COLUMN_PART_AT_LEAST: Final = 16
"""Rows of the matrix in each part of the columns. Not measured on record."""

COLUMN_PARTS_BY_ITEM: Final = 64
"""Parts of a column whose results one work-item adds up; those of more parts a work-group. Not measured on record."""

WRITTEN_COLUMN_PARTS: Final = 64
"""Parts of the columns of an array that is written by the same loops, where they are as long. Measured: on an H200,
16384^2 float32 in 16, 32, 64 and 128 parts takes 0.567, 0.562, 0.557 and 0.557 ms (the array alone 0.51).
"""

COLUMN_LAST_GROUP: Final = 128
"""Work-items in that group at most. Not measured on record."""

SHORT_ROW_ALONE_UP_TO: Final = 128
"""Elements of a row up to which a work-item of a GPU reduces it alone. Measured: on an H100, a product of 1,048,576 x
100 float32 with a vector takes 0.23 ms in that way, and 0.47 with a work-group for each row.
"""

SHORT_ROWS_ALONE: Final[Mapping[str, int]] = {"local": 32, "ways": 8}
"""Work-items in a group then, and accumulators of each. Measured: 8, 4 and 2 take 0.224, 0.229 and 0.246 ms for that
product.
"""

SHORT_ROWS_PER_UNIT: Final = 512
"""Such rows for each compute unit from which on all are busy with them. Not measured on record."""

ROW_GROUPS_PER_UNIT_AT_LEAST: Final = 16
"""Work-groups for each compute unit: with fewer, the unit that is given one more than the others is waited for. Not
measured on record.
"""

ACCUMULATORS_AT_MOST: Final = 16
"""Accumulators of one work-item. Not measured on record: processors have 16 or 32 vector registers."""

TREE_GROUP: Final = 512
"""Work-items in a group that folds a long array. Not measured on record."""

SHORT_TREE_GROUP: Final = 32
"""The same of a short array. Not measured on record."""

TREE_GROUPS_PER_UNIT: Final = 2
"""Groups of a tree for each compute unit. Not measured on record."""

TREE_GROUPS_AT_LEAST: Final = 8
"""Groups of a tree in all. Not measured on record."""

TREE_TURNS_AT_LEAST: Final = 4
"""Turns that each work-item of a tree takes; else there are fewer accumulators, lanes, groups. Not measured on record.
"""

ROW_TREE_GROUP: Final = 64
"""Work-items in a group that folds a row, so that short rows keep all of them busy. Not measured on record."""

MAPPED_ROW_ELEMENTS: Final = 8
"""Elements of a row for each work-item of the group that reduces the row and maps its elements, at least. Measured:
H100, float32; softmax of 4096 x 4096 takes 0.064, 0.061, 0.085 ms with groups of 512, 256, 128, of 50,000 x 2049 0.326
and 0.406 with 256 and 128, of 100,000 x 1000 0.376, 0.358 and 0.360 with 128, 64 and 32.
"""

KEPT_ELEMENTS: Final = 16
"""Elements of a row that each work-item of a group keeps in its registers, at least, as long as there are smaller
groups. Measured: H100, float32, kept elements times work-items; softmax of 4096 x 4096 takes 0.050 ms with 16 x 256,
0.052 with 32 x 128, 0.064 with 8 x 256, 0.063 if the row is read again; of 16384 x 16384 0.73 with 32 x 512, 0.84 with
16 x 512, 1.06 if it is read again; of 100,000 x 1000 0.27 with 16 x 64 or 32 x 32, 0.32 with 8 x 64, 0.37 if it is read
again.
"""

KEPT_OF_ROW: Final = 16
"""Of so many elements of a row all but one are kept, at least. Measured: softmax of 50,000 x 2049 float32 takes 0.28 ms
if 2048 are kept, 0.40 with registers for 4096, and 0.40 if all are read again.
"""

KEPT_ROW_BYTES: Final = 1 << 17
"""Bytes of the arrays of a row that a group keeps at one time, at most: half of the registers of a unit of a GPU.
Measured: softmaxes of 8192 rows of float64 on an H100, whose exponentials take the place of the row, take 0.69 ms kept
and 1.03 ms read again for rows of 12000 numbers, 0.90 and 1.42 ms for 16384.
"""

REGISTER_BYTES: Final = 4
"""Bytes of a register of a work-item on a GPU: a smaller number takes a whole one. Not measured on record."""

KEPT_ROW_FROM: Final = 128
"""Elements of a row of few from which on it is kept. Measured: on an H200, softmax of 20,011 x 509 float32 takes 28 us
if it is kept by a group of its own and 45 if it is read again, of 60,000 x 200 48 and 66, of 100,000 x 128 67 and 69.
"""

ROWS_TOGETHER_FROM: Final = 512
"""Rows from which on a group has several; of fewer each has a group of its own, so that more units have work. Not
measured on record.
"""

KEPT_TOGETHER_UP_TO: Final = 1536
"""Elements of a row up to which a group keeps several rows. Measured: softmaxes of 16Mi float32 on an H200, one row and
the best number of rows: of 128 elements 87 and 43 us, of 200 81 and 49, of 300 64 and 49, of 1000 47 and 44, of 1500 45
and 43; of 2000 44 and 47.
"""

KEPT_TOGETHER_GROUP: Final = 128
"""Work-items of such a group, or as many as have two rows. Measured: the same with groups of 32, 64, 128 and 256: of 64
elements 47, 44, 45 and 47 us, of 128 43, 43, 43 and 44; sums of rows of 32 elements with groups of 64 and 128 45 and 33
us, of 64 26 and 24.
"""

KEPT_SHARES: Final = (
    *((2, 4), (4, 4), (8, 4), (8, 8), (8, 16), (8, 24), (16, 16), (16, 24)),
    *((32, 16), (32, 24), (64, 16), (64, 24)),
)
"""Work-items that have such a row, and elements that each of them keeps: the first that keep most of it. Measured: the
same: of 32 elements 8 x 4 take 55 us, 4 x 8 70; of 64 8 x 8 44; of 128 8 x 16 43; of 300 16 x 24 49, 32 x 16 60; of 512
32 x 16 43, 16 x 32 48; of 1000 64 x 16 44, 32 x 32 46.
"""

KEPT_SHARES_OF_VECTORS: Final = ((2, 8), (4, 8))
"""The same where each work-item reads vectors of four; of longer rows single elements. Measured: by hand, on another
H200, softmaxes of rows of 16 elements take 39 us by 2 x 8, 44 by 4 x 4, 52 by single ones; of 32 40 by 4 x 8, 52 by 2 x
16, 53 by 8 x 4 of single ones; of 64 44 by 8 x 8 of both, 48 by 2 x 32; of 128 41 by 8 x 16 of single ones, 43 by 4 x
32. As derived: sums of rows of 16 and 32 28 and 29 us by single ones, 20 and 21 so; variances of 32 50 and 30.
"""

SHARED_ROW_FROM: Final = 12
"""Elements of a row from which on a few work-items have one of several. Measured: sums of rows of 16Mi float32 on an
H200, by a work-item for each row and so: of 8 elements 23 and 45 us, of 16 39 and 30, of 32 72 and 33, of 64 72 and 24,
of 128 50 (a warp for each) and 23, of 1000 25 and 24.
"""

LONG_ROW_TREE_GROUP_AT_MOST: Final = 256
"""The same of long rows, or of parts of them. Not measured on record."""

LONG_ROW_TREE_TURNS: Final = 32
"""Elements of a long row on a GPU for each work-item of its group. Measured: with groups that grow with the rows, and
pairs read into one accumulator, products of 4096 x 4096 and 8192 x 16384 on an H200 take 2 % less than with wider
vectors.
"""

LONG_ROW_TREE_VECTOR_AT_MOST: Final = 2
"""Elements of the vectors of such a row. Measured: with the number above."""

FEW_LONG_ROWS_PER_UNIT: Final = 4
"""Such rows for each unit of a GPU up to which work-items read vectors of `GPU_VECTOR_AT_MOST`, where they are aligned,
and `REDUCTION_WAYS` of them at a time. Measured: on an H200 of 132 units, products with a vector of float32, in pairs
and so: 132 x 131072 take 83 and 38 microseconds, 64 x 100,000 33 and 15, 16 x 65536 22 and 11, 256 x 65536 47 and 25,
400 x 32768 27 and 18, 1000 x 16384 23 and 24.
"""

LONG_ROW_FROM: Final = 1024
"""Elements of a row from which on a work-item of its group has several. Not measured on record."""

WARPS_OF_A_GROUP_AT_MOST: Final = 8
"""Warps of a group that reduces rows. Not measured on record."""

WARP_RESULTS_UNROLLED_AT_MOST: Final = 64
"""Partial results that one work-item folds without a loop. Not measured on record."""
