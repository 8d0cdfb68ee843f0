"""Where schedules start from where nothing was measured, which of them comes first, and what each refuses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

# Which schedule comes first.

ONE_GROUP_BELOW: Final = 16384
"""Elements below which one work-group is enough, and one work-item the better default on a CPU: a second one costs more
than it saves. Not measured on record.
"""

ONE_KERNEL_BELOW: Final = 16 * ONE_GROUP_BELOW
"""Elements below which one kernel is the better default on a CPU than three. Not measured on record."""

ORDER_ON_A_GPU: Final = (
    "one_loop", "blocks", "step_tiles",
    "product_tile_parts", "product_tiles", "products_tiles",
    "local_tiles", "columns", "map_rows_grid", "part_grid", "values", "places", "comparison", "row_comparison",
    "digits", "row_digits", "grid", "tree", "row_grid", "row_trees", "row_tree", "row_warp", "row_item", "nest",
    "chunks", "sequential", "tiles", "row_group", "row_chunks", "row_panels", "row_streams", "carries", "map_rows",
    "parts",
    "product_parts", "product_blocks", "products", "product_library",
)  # fmt: skip
"""Schedules on a GPU, the preferred one first. The schedules of sorts stand in the order of the lengths that they
refuse; those from `tiles` on are unlikely there. Measured: on an H100 the first takes 1.09 times as long as the fastest
of 160 kernels (geometric mean; 5.1 at most), the predicted best 1.05 (2.3; `docs/cost_model.md`).
"""

ORDER_OF_FEW_ON_A_CPU: Final = (
    "one_loop", "blocks", "step_tiles",
    "product_library", "product_parts", "product_blocks", "products",
    "tiles", "columns", "sequential", "chunks", "carries", "parts", "part_grid", "comparison", "row_comparison",
    "digits", "row_digits", "grid", "row_item", "row_group", "row_chunks", "row_panels", "row_streams", "nest",
    "row_tree", "row_trees", "row_warp", "row_grid", "tree", "local_tiles", "map_rows", "map_rows_grid", "places",
    "values",
    "product_tiles", "product_tile_parts", "products_tiles",
)  # fmt: skip
"""The same on a CPU, below `ONE_GROUP_BELOW` elements. Measured: on PoCL the first takes 1.24 times as long as the
fastest of 44 kernels (3.3 at most), of which most is noise: they take 15 to 30 microseconds.
"""

ORDER_OF_SOME_ON_A_CPU: Final = (
    "one_loop", "blocks", "step_tiles",
    "product_library", "product_parts", "product_blocks", "products",
    "tiles", "local_tiles", "map_rows", "map_rows_grid", "columns", "chunks", "sequential", "carries", "parts",
    "part_grid", "comparison", "row_comparison", "digits", "row_digits", "grid", "row_panels", "row_chunks",
    "row_streams", "row_group", "row_item", "nest", "row_tree", "row_trees", "row_warp", "row_grid", "tree", "places",
    "values",
    "product_tiles", "product_tile_parts", "products_tiles",
)  # fmt: skip
"""The same below `ONE_KERNEL_BELOW` elements. Not measured on record."""

ORDER_OF_MANY_ON_A_CPU: Final = (
    "one_loop", "blocks", "step_tiles",
    "product_library", "product_parts", "product_blocks", "products",
    "tiles", "local_tiles", "map_rows", "map_rows_grid", "columns", "carries", "chunks", "values", "places",
    "sequential", "parts", "part_grid", "comparison", "row_comparison", "digits", "row_digits", "grid", "row_panels",
    "row_chunks", "row_streams", "row_group", "row_item", "nest", "row_tree", "row_trees", "row_warp", "row_grid",
    "tree",
    "product_tiles", "product_tile_parts", "products_tiles",
)  # fmt: skip
"""The same of more elements. Measured: on PoCL the first takes 1.10 times as long as the fastest of 109 kernels (2.2 at
most).
"""

# All schedules.

CHUNKS_PER_UNIT: Final = 4
"""Contiguous chunks for each compute unit. Not measured on record."""

UNITS_WITH_CHUNKS_AT_MOST: Final = 32
"""Compute units that get chunks of their own. Not measured on record."""

PREFETCHED_AHEAD: Final = 256
"""Elements ahead of the one in hand that a loop on a CPU asks memory for. Not measured on record."""

GPU_VECTOR_AT_MOST: Final = 4
"""Elements of a vector on a GPU: 16 bytes of float32. Not measured on record."""

PRIVATE_ARRAYS_AT_MOST: Final = 1 << 19
"""Bytes of the arrays that a CPU's work-item is given beside its counters: they lie on its stack, and in the
second-level cache. A GPU's lie in global memory, so that keeping anything there gains nothing. Not measured on record.
"""

# Maps.

MAP_GROUP: Final = 256
"""Work-items in a group of a map. Not measured on record."""

LOCAL_TILE: Final[Mapping[str, int]] = {"side": 32, "each": 4, "pad": 1}
"""Elements of the side of a tile in local memory, elements of each work-item, elements between rows: these lie on
different banks. Not measured on record.
"""

LAUNCHED_GROUPS_AT_MOST: Final = 65535
"""Work-groups of the second and third dimension that GPUs launch. Not measured on record: it is a limit of the CUDA C++
programming guide.
"""

TILE: Final[Mapping[str, int]] = {"rows": 64, "columns": 16}
"""Rows and columns of a CPU's tile: as wide as a vector of floats, so that few lines of a column fall on one set of a
cache. Not measured on record.
"""

TILE_AT_LEAST: Final = 1024
"""Elements that are worth a tile: its loops take longer to compile than fewer take to run. Not measured on record."""

TILES_OF_A_STRIP_AT_LEAST: Final = 8
"""Tiles in a strip. Not measured on record."""

TILE_GROUPS_PER_UNIT_AT_LEAST: Final = 8
"""Work-groups of tiles for each compute unit. Not measured on record."""

CLOSE_STRIDE_UP_TO: Final = 16
"""Elements apart at which neighbours are still as good as side by side, and not worth a tile. Not measured on record.
"""

STEPS_TILE: Final[Mapping[str, int]] = {"rows": 32, "columns": 512, "elements": 4096}
"""Rows and columns of a tile of several steps of a stencil, or its elements where there are no rows. Measured: PoCL
with two cores beside other work, 4 steps on 4096 x 4096 float32; the least times of five tiles of 16 to 64 rows and 256
to 1024 columns are 14.1 to 21.8 ms, of this one 14.4.
"""

LOOPS_IN_VECTORS_AT_MOST: Final = 6
"""Loops of a kernel of many parts that are made to work on vectors. Not measured on record."""

# Reductions.

REDUCTION_WAYS: Final = 4
"""Accumulators of a long reduction, or of a row: they hide how long an operation takes. Not measured on record."""

COMPENSATED_BLOCK: Final = 8
"""Vectors that are added before they reach an accumulator with corrections. Measured: mean and variance of the rows of
a matrix, 4096 x 4096 float32, take 2.9 ms, and 3.3 with blocks of four.
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

ROWS_TOGETHER: Final[Mapping[str, int]] = {"rows": 4, "turns": 16}
"""Rows that are read at once, and turns of these that a work-group takes. Not measured on record."""

ROW_ALONE_FROM: Final = 256
"""Elements of a row from which on rows are read one by one where they have nothing in common and lie side by side: the
kernel is as fast, and compiles in a half to a third of the time. Measured: four rows at once and one take 0.073 and
0.072 ms for the means of the rows of 1000 x 1000 float32 (299 and 125 ms to compile), 0.65 and 0.45 for their softmax
(630 and 231), 2.3 and 2.1 for the means of 4096 x 4096 (745 and 237); but 1.4 and 2.1 for argmin of 40000 x 100.
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

SHORT_ROWS_VECTOR_AT_MOST: Final = 4
"""The same where rows have fewer than `VECTORS_OF_A_ROW_AT_LEAST`. Not measured on record."""

VECTORS_OF_A_ROW_AT_LEAST: Final = 16
"""Vectors in a row from which on adding up the lanes of the last one costs little. Not measured on record."""

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

ONE_LOOP_BLOCK: Final = 1 << 15
"""Elements of a block of a loop that writes an array and accumulates, at most, as long as there are enough blocks.
Measured: PoCL with two cores beside other load, float32, against two kernels: AXPYDOT of 1Mi is 1.6, 1.8, 1.7 and 2.0
times as fast with 4096, 8192, 16384 and 32768, an array and its sum 1.8, 1.9, 1.9 and 1.7, an array and the sum of its
squares 1.4 to 1.5; of 16Mi no size is clearly faster (1.1 to 1.3 and 1.3 to 1.9). Without hints ahead they are as fast
as with them, or faster.
"""

PANEL_ROWS: Final = 4
"""Rows of the matrix that are added before they reach the accumulators. Measured: by hand, the same product takes 5.4,
6.0, 2.9 and 2.8 ms with 1, 2, 4 and 8 rows.
"""

COLUMN_GROUP: Final = 128
"""Work-items of a GPU in a group that reduces neighbouring columns of a matrix. Not measured on record."""

COLUMN_WAYS: Final = 4
"""Rows of the matrix that each of them reads in one turn. Not measured on record."""

COLUMN_WORK_ITEMS_PER_UNIT: Final = 1024
"""Work-items for each compute unit, which wait for memory in turns. Measured: on an H100 of 132 units, a product with
the transposed matrix of 16384 x 16384 float32 takes 0.39 ms with 262,144 work-items and 0.51 with 131,072; of 4096 x
4096 0.055 and 0.056.
"""

COLUMN_PART_AT_LEAST: Final = 16
"""Rows of the matrix in each part of the columns. Not measured on record."""

COLUMN_PARTS_BY_ITEM: Final = 64
"""Parts of a column whose results one work-item adds up; those of more parts a work-group. Not measured on record."""

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

PRODUCT_FROM: Final = 1 << 12
"""Products of two numbers in a product of matrices from which on it is computed in blocks: below, it is over before
panels of columns would be packed. Not measured on record.
"""

LIBRARY_EXTENT_AT_LEAST: Final = 4
"""Rows and columns of matrices that the host's library multiplies. Not measured on record: what has one row or column
is a product with a vector to it, which rounds worse the more terms there are; sizes of a class share a kernel.
"""

BLOCK_BYTES: Final = 64
"""Bytes of a row of a block of accumulators on a CPU: a line of the cache. Measured: by hand, on a processor with
vectors of 32 bytes, products of 1024 x 1024 float32 reach 122 GFLOP/s with 4 rows of 64 bytes, 108 with 8 of 32.
"""

BLOCK_BYTES_AT_MOST: Final = 1024
"""Bytes of all accumulators of a block. Not measured on record: processors have 16 vector registers of 32 bytes, or 32
of 64.
"""

BLOCK_ROWS: Final = 6
"""Rows of that block where vectors are narrower than these rows; twice as many where one vector holds one. Measured:
on a busy machine, products of 1024 x 1024 float32 take 45, 39 and 58 ms with 4, 6 and 8 rows, 12 to 17 with 6 on a
quiet one.
"""

BLOCK_TURNS: Final = 64
"""Blocks of rows that a work-group takes one after the other with a panel of columns. Not measured on record: 256 rows
of a thousand numbers stay in a second-level cache.
"""

PRODUCT_PART_AT_LEAST: Final = 512
"""Terms in each part of a product whose terms are shared out: fewer are not worth a second kernel. Not measured on
record.
"""

PRODUCT_PARTS_AT_MOST: Final = 64
"""Parts that such a product has. Not measured on record."""

PRODUCT_PARTS_RESULTS_AT_MOST: Final = 1 << 14
"""Elements of such a product: each part writes as many, and they are read again. Not measured on record."""

BLOCK_BYTES_ON_A_GPU_AT_MOST: Final = 512
"""Bytes of the accumulators of a work-item's block. Not measured on record: half of the registers that it may have."""

TILE_OF_PRODUCT: Final[Mapping[str, int]] = {
    "down": 8, "across": 16, "rows": 8, "columns": 8, "width": 4, "chunk": 16, "apart": 4, "copied": 4, "unrolled": 1,
}  # fmt: skip
"""Work-items of a group that computes a tile of a product, rows and columns of each one's block, lanes of its vectors,
terms that are staged at once, elements between rows in local memory, lanes of the vectors that are copied there (where
extents are known to be their multiples), and whether the terms are added without a loop.
Measured: on an H100, products of 4096 x 4096 float32 take 3.14 ms, with 16 x 16 work-items 3.20, with chunks of 8 terms
3.33, copied number by number 3.62, with terms added in a loop 3.64; cuBLAS takes 2.71.
"""

BANKS: Final = 32
"""Elements of a row in local memory after which the next lie apart, where warps read vectors of these. Not measured on
record: NVIDIA's GPUs have 32 banks.
"""

SMALLER_TILES: Final[tuple[Mapping[str, int], ...]] = (
    {"down": 8, "across": 16, "columns": 4},
    {"down": 8, "across": 16, "rows": 4, "columns": 4},
    {"down": 8, "across": 8, "rows": 4, "columns": 4},
    {"down": 8, "across": 8, "rows": 2, "columns": 4},
)
"""Smaller ones, for results of which there are fewer than three tiles for two compute units. Measured: on an H100,
products of 1024 x 1024 float32 take 0.080 ms in tiles of 64 x 64, and 0.120 of 128 x 128 by hand.
"""

FEW_TERMS: Final = 128
"""Terms up to which a work-group waits for memory rather than computes. Not measured on record."""

TILE_OF_FEW_TERMS: Final[Mapping[str, int]] = {"down": 8, "across": 8}
"""Work-items of a group there: many small ones wait at the same time. Measured: on an H100, a product of 4096 x 64 and
64 x 4096 float32 takes 0.086 ms with 64, 0.090 with 128, 0.178 with 256; torch takes 0.094.
"""

TILE_OF_PRODUCTS: Final[Mapping[str, int]] = {
    "down": 8, "across": 8, "rows": 4, "columns": 4, "width": 4, "chunk": 32,
}  # fmt: skip
"""The same of many products. Measured: on an H100, 1000 products of 32 x 32 float32 take 0.0096 ms, with chunks of 16
terms 0.0103, with 256 work-items 0.0106, and 0.154 where each element is computed by itself; torch takes 0.048.
"""

TILE_OF_PRODUCT_IN_PARTS: Final[Mapping[str, int]] = {
    "down": 16, "across": 16, "rows": 2, "columns": 2, "width": 2, "chunk": 32,
}  # fmt: skip
"""The same where terms are shared out among work-groups, for the fewest results. Measured: on an H100, a matrix of
100,000 x 32 float32, transposed, times itself takes 0.035 ms in 128 parts, 0.045 with 64 work-items of 4 x 4 elements,
2.75 where each element is computed by itself; torch takes 0.052.
"""

TILE_OF_MORE_RESULTS: Final[Mapping[str, int]] = {"down": 8, "across": 16, "rows": 8, "columns": 4}
"""Work-items and their blocks where terms are shared out for more results. Measured: on an H100, a product of 256 x
2000 and 2000 x 256 float32 takes 0.030 ms, 0.070 where terms are not shared out.
"""

FEWEST_RESULTS: Final = 1 << 12
"""Elements of a result up to which these tiles are taken, beyond it tiles of 64 x 64. Not measured on record."""

PRODUCT_ITEMS_PER_UNIT: Final = 512
"""Work-items for each compute unit, at most, where terms are shared out. Measured: on an H100, a product of 512 x
20,000 and 20,000 x 512 float32 takes 0.33 ms in 8 parts, 0.49 in 4, 0.34 in 16, 1.44 in one; torch takes 0.27.
"""

PRODUCT_PARTS_ON_A_GPU_AT_MOST: Final = 128
"""Parts of the terms, which one work-item for each element adds up. Measured: 100,000 x 32, transposed, times itself
takes 0.035 ms in 128 parts, 0.050 in 64, 0.041 in 256, 0.047 in 512.
"""

SHARED_TERMS_FROM: Final = 1024
"""Terms from which on these are shared out on a GPU. Measured: on an H100, a product of 512 x 1024 and 1024 x 512
float32 takes 0.034 ms, 0.045 where they are not.
"""

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

LONG_ROW_TREE_GROUP_AT_MOST: Final = 256
"""The same of long rows, or of parts of them. Not measured on record."""

LONG_ROW_TREE_TURNS: Final = 32
"""Elements of a long row on a GPU for each work-item of its group. Measured: with groups that grow with the rows, and
pairs read into one accumulator, products of 4096 x 4096 and 8192 x 16384 on an H200 take 2 % less than with wider
vectors.
"""

LONG_ROW_TREE_VECTOR_AT_MOST: Final = 2
"""Elements of the vectors of such a row. Measured: with the number above."""

LONG_ROW_FROM: Final = 1024
"""Elements of a row from which on a work-item of its group has several. Not measured on record."""

WARPS_OF_A_GROUP_AT_MOST: Final = 8
"""Warps of a group that reduces rows. Not measured on record."""

WARP_RESULTS_UNROLLED_AT_MOST: Final = 64
"""Partial results that one work-item folds without a loop. Not measured on record."""

# Scans.

SCAN_TREE_LARGE: Final[Mapping[str, int]] = {"local": 256, "each": 8}
"""Work-items of a group that scans a long array, and elements of each. Not measured on record."""

SCAN_TREE_SMALL: Final[Mapping[str, int]] = {"local": 64, "each": 4}
"""The same of a short array. Not measured on record."""

SCAN_TREE_LARGE_PER_UNIT: Final = 2048
"""Elements for each compute unit from which on an array is long in that sense. Not measured on record."""

SCANNED_ROW_PER_ITEM_AT_LEAST: Final = 4
"""Elements of a row for each work-item of the group that scans it. Not measured on record."""

SCAN_PARTS_UNROLLED_BELOW: Final = 8
"""Parts of a scan whose sums are scanned without a loop. Not measured on record."""

SCAN_COLUMNS_ROWS_AHEAD: Final = 8
"""Rows ahead of the one in hand that a CPU asks memory for where it scans columns. Not measured on record."""

# Scatters.

SCATTER_COPY_VECTOR: Final = 8
"""Lanes of the vectors in which one work-item copies an array before it scatters into it. Not measured on record."""

SCATTER_RANGES_ON_A_CPU_AT_MOST: Final = 64
"""Ranges of places, one for each compute unit. Not measured on record."""

SCATTER_RANGES_OF_MANY: Final = 16384
"""Ranges of places on a GPU of long arrays. Not measured on record."""

SCATTER_RANGES_OF_FEW: Final = 1024
"""The same of shorter ones. Not measured on record."""

SCATTER_MANY_FROM: Final = 1 << 20
"""Elements from which on an array is long in that sense. Not measured on record."""

SCATTER_SHARES_PER_CPU_UNIT: Final = 4
"""Shares of the values for each compute unit of a CPU. Not measured on record."""

SCATTER_SHARES_PER_GPU_UNIT: Final = 16
"""The same of a GPU. Not measured on record."""

SCATTER_CHUNK: Final = 64
"""Values whose indices are computed in vectors before they are scattered. Not measured on record."""

# Sorts.

SORT_COMPARED_UP_TO: Final = 1024
"""Elements that a CPU compares each with all others, beyond which digits are faster; a GPU, where digits take as many
kernels for a few elements as for many, `lockstep` times as many. Not measured on record.
"""

SORT_ROW_COMPARED_UP_TO: Final = 256
"""The same of each row of a matrix. Not measured on record."""

SORT_MANY_FROM: Final = 1 << 20
"""Elements from which on a CPU's first caches do not hold all the places where a digit's values go next. Not measured
on record.
"""

SORT_DIGIT_ON_A_CPU: Final = 8
"""Bits of a digit below `SORT_MANY_FROM`, and in rows. Not measured on record."""

SORT_DIGIT_ON_A_GPU: Final = 4
"""Bits of a digit on a GPU. Not measured on record."""

SORT_DIGITS_OF_MANY: Final = (11, 8)
"""Bits of a digit from `SORT_MANY_FROM` on: the first that leaves room for long runs. Not measured on record."""

SORT_RUN_AT_LEAST: Final = 64
"""Neighbours of a key that it pays to write at once. Not measured on record."""

SORT_CHUNK: Final = 64
"""Elements whose keys are computed in vectors before they are counted. Not measured on record."""

SORT_PART_ON_A_CPU_AT_LEAST: Final = 512
"""Elements in each part that a CPU counts. Not measured on record."""

SORT_PART_ON_A_GPU_AT_LEAST: Final = 64
"""The same on a GPU. Not measured on record."""

SORT_COUNTS_SHARED_FROM: Final = 1 << 15
"""Counts that are shared out; one work-item adds up fewer. Not measured on record."""

SORT_COUNT_SHARES: Final = 64
"""Work-items that they are shared out to. Not measured on record."""
