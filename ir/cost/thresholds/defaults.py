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
    "one_loop_group", "one_loop", "blocks_items", "array_columns", "blocks",
    "row_blocks_items", "row_blocks", "step_tiles_items", "step_tiles", "mapped_row_kept", "mapped_row_tree",
    "mapped_row_group",
    "product_warp_tiles", "product_tile_parts", "product_tiles", "products_tiles",
    "local_tiles", "column_parts", "columns", "map_rows_grid", "part_grid", "groups", "values", "places", "comparison",
    "row_comparison", "merging", "row_merging", "digits", "row_digits",
    "grid", "tree", "row_shares", "row_grid", "row_trees", "row_parts", "row_tree",
    "row_warp", "row_item", "nest",
    "chunks", "sequential", "tiles", "row_group", "row_chunks", "row_panels", "row_streams", "carries", "map_rows",
    "parts",
    "product_parts", "product_blocks", "products", "product_library", "sort_library",
)  # fmt: skip
"""Schedules on a GPU, the preferred one first. The schedules of sorts stand in the order of the lengths that they
refuse; those from `tiles` on are unlikely there. Measured: on an H100 the first takes 1.09 times as long as the fastest
of 160 kernels (geometric mean; 5.1 at most), the predicted best 1.05 (2.3; `docs/cost_model.md`).
"""

ORDER_OF_FEW_ON_A_CPU: Final = (
    "one_loop", "one_loop_group", "blocks", "blocks_items", "array_columns", "row_blocks",
    "row_blocks_items", "step_tiles", "step_tiles_items", "mapped_row_group", "mapped_row_tree", "mapped_row_kept",
    "product_library", "sort_library", "product_parts", "product_blocks", "products",
    "tiles", "columns", "sequential", "chunks", "carries", "parts", "part_grid", "comparison", "row_comparison",
    "digits", "row_digits", "merging", "row_merging",
    "grid", "row_item", "row_group", "row_chunks", "row_panels",
    "row_streams", "nest",
    "row_tree", "row_trees", "row_warp", "row_shares", "row_grid", "tree", "local_tiles", "map_rows",
    "map_rows_grid", "places", "values", "groups",
    "product_tiles", "product_tile_parts", "products_tiles", "product_warp_tiles", "column_parts", "row_parts",
)  # fmt: skip
"""The same on a CPU, below `ONE_GROUP_BELOW` elements. Measured: on PoCL the first takes 1.24 times as long as the
fastest of 44 kernels (3.3 at most), of which most is noise: they take 15 to 30 microseconds.
"""

ORDER_OF_SOME_ON_A_CPU: Final = (
    "one_loop", "one_loop_group", "blocks", "blocks_items", "array_columns", "row_blocks",
    "row_blocks_items", "step_tiles", "step_tiles_items", "mapped_row_group", "mapped_row_tree", "mapped_row_kept",
    "product_library", "sort_library", "product_parts", "product_blocks", "products",
    "tiles", "local_tiles", "map_rows", "map_rows_grid", "columns", "chunks", "sequential", "carries", "parts",
    "part_grid", "comparison", "row_comparison", "digits", "row_digits", "merging", "row_merging",
    "grid",
    "row_panels", "row_chunks",
    "row_streams", "row_group", "row_item", "nest", "row_tree", "row_trees", "row_warp", "row_shares", "row_grid",
    "tree", "places", "values", "groups",
    "product_tiles", "product_tile_parts", "products_tiles", "product_warp_tiles", "column_parts", "row_parts",
)  # fmt: skip
"""The same below `ONE_KERNEL_BELOW` elements. Not measured on record."""

ORDER_OF_MANY_ON_A_CPU: Final = (
    "one_loop", "one_loop_group", "blocks", "blocks_items", "array_columns", "row_blocks",
    "row_blocks_items", "step_tiles", "step_tiles_items", "mapped_row_group", "mapped_row_tree", "mapped_row_kept",
    "product_library", "sort_library", "product_parts", "product_blocks", "products",
    "tiles", "local_tiles", "map_rows", "map_rows_grid", "columns", "carries", "chunks", "values", "places", "groups",
    "sequential", "parts", "part_grid", "comparison", "row_comparison", "digits", "row_digits", "merging",
    "row_merging", "grid", "row_panels",
    "row_chunks", "row_streams", "row_group", "row_item", "nest", "row_tree", "row_trees", "row_warp", "row_shares",
    "row_grid", "tree",
    "product_tiles", "product_tile_parts", "products_tiles", "product_warp_tiles", "column_parts", "row_parts",
)  # fmt: skip
"""The same of more elements. Measured: on PoCL the first takes 1.10 times as long as the fastest of 109 kernels (2.2 at
most).
"""

# All schedules.

COMPACTED_BY_ITEM: Final = 4
"""Elements for each work-item of a GPU that puts some of them together. Measured: on an H100, half of 16Mi float32
numbers take 89 microseconds with 4, 110 with 2, 99 with 8 and 150 with 1.
"""

CHUNKS_PER_UNIT: Final = 4
"""Contiguous chunks for each compute unit. Not measured on record."""

UNITS_WITH_CHUNKS_AT_MOST: Final = 32
"""Compute units that get chunks of their own. Not measured on record."""

PREFETCHED_AHEAD: Final = 256
"""Elements ahead of the one in hand that a loop on a CPU asks memory for. Not measured on record."""

WAITING_OPERATIONS_OF_ONE_VECTOR: Final = 150
"""Simple operations that wait for each other from which a kernel of a CPU computes with vectors twice as wide, as one
waits for itself. Measured: PoCL with two cores, maps of 1Mi numbers, processor time beside that of one vector, of
float32 and float64; one `tanh`, `sin` or `log` 0.85 to 1.09, two that wait for each other 0.73 to 0.84, four 0.65 to
0.72, thirteen 0.59 to 0.64; eight that do not wait 0.86 to 1.07; four `exp` 0.94 and 0.83, eight 0.66.
"""

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

POCL_GROUP: Final = 64
"""Work-items of a work-group on PoCL, at most, where the kernel works with any. Measured: once, beside other work: a
map over rows of 24 elements took 4.6, 3.4, 4.2 and 5.8 ms in groups of 8, 16, 32 and 64, rounded up to whole groups.
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

STEPS_TILE_OF_ITEMS: Final[Mapping[str, int]] = {"rows": 32, "columns": 128, "items": 4, "each": 4}
"""Rows and columns of a tile of several steps that a work-group of many work-items takes, the columns with what is
around them; by how many its rows are shared, and how many rows each takes in order. Measured: on an H200, 4 steps of 5
points on 4096 x 4096 float32 take 92 microseconds, the fastest of 27 others 91, the slowest 150; with 32 x 64 elements,
8 work-items and single rows 97.
"""

STEPS_LINE_OF_ITEMS: Final[Mapping[str, int]] = {"rows": 2048, "items": 512}
"""The same where there are no rows: elements of a tile, and work-items. Measured: as above, 4 steps of 3 points on 2^24
elements take 77 microseconds, the fastest of eight others 72.
"""

LOOPS_IN_VECTORS_AT_MOST: Final = 6
"""Loops of a kernel of many parts that are made to work on vectors. Not measured on record."""

COMBINATIONS_OF_A_CONSTRAINT: Final = 4096
"""Values of the parameters of one constraint that are tried, to tell which values no configuration can have. Not
measured on record: constraints have up to four parameters of about eight values.
"""
