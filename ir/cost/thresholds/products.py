"""Where schedules of products of matrices start from, and what each refuses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

PRODUCT_FROM: Final = 1 << 12
"""Products of two numbers in a product of matrices from which on it is computed in blocks: below, it is over before
panels of columns would be packed. Not measured on record.
"""

LIBRARY_EXTENT_AT_LEAST: Final = 4
"""Rows and columns of matrices that the host's library multiplies. Not measured on record: what has one row or column
is a product with a vector to it, which rounds worse the more terms there are; sizes of a class share a kernel.
"""

KERNEL_TERMS: Final = 1.6
"""Terms that a unit adds to each of a vector's elements in a tick, in kernels. Measured: products of 1000 x 1000
float32 numbers in blocks take PoCL's two units 10.4 ms, which is 2.0; 50 of 128 x 128 take 1.54 to 1.7, which is 1.3.
"""

LIBRARY_TAKES_AT_MOST: Final = 2.2
"""Times what kernels are predicted to take that the host's library may take. Measured: PoCL with two cores, 32 x
100,000 by 100,000 x 32 float32 take the library 10.3 and 5.3 ms on two machines, kernels 2.5 and 1.7. Beside other
work, processor time of the library on one thread and of kernels on two units: 4.3 and 3.3 ms for that, 3.1 and 2.7 for
16 x 200,000, 7.6 and 6.8 for 8 x 1,000,000, of float64 9.4 and 10.2, 7.8 and 6.8, 15 and 9.7; not taken: 0.52 and 0.61
for 8 x 100,000, 12.5 and 15 for 64 x 100,000, 9.9 and 19 for 32 x 30,000 by 30,000 x 300, 0.48 and 0.49 for 10,000
products of 8 x 8, 1.3 and 5.2 of 15 x 15, 0.70 and 0.84 for 1000 of 32 x 32.
"""

PRODUCTS_JOINED_AT_MOST: Final = 256
"""Products whose sum becomes one product. Not measured on record: a window of 16 x 16 places."""

JOINED_TERMS_AT_MOST: Final = 512
"""Terms of each of them. Measured: PoCL with two cores beside other work, processor time of 3 products of rows that are
shifts of one another with square weights, as one and apart by the host's library: 20,000 rows of 32 terms 1.5 and 20
ms, of 128 24 and 42; 8000 of 256 38 and 57; 4000 of 512 76 and 96. 9 of images of 64 x 64 with 64 terms 16 and 56.
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
    "down": 16, "across": 16, "rows": 8, "columns": 8, "width": 4, "chunk": 16, "apart": 4, "copied": 4, "unrolled": 1,
    "ahead": 2,
}  # fmt: skip
"""Work-items of a group that computes a tile of a product, rows and columns of each one's block, lanes of its vectors,
terms that are staged at once, elements between rows in local memory, lanes of the vectors that are copied there (where
extents are known to be their multiples), whether the terms are added without a loop, and whether the next ones are
loaded meanwhile (2: the last ones again, without a test).
Measured: on an H200, products of 4096 x 4096 float32 take 2.95 ms and 128 registers, with a test around the loads 3.01
and 161, with nothing loaded ahead 3.13, with 8 x 16 work-items 3.25; of 2048 x 2048 0.386, 0.387, 0.406 and 0.59; with
a bias and a maximum after 4096 x 4096 2.78, with a test 3.13; cuBLAS takes 2.69 and 0.346. On an H100, with 8 x 16
work-items and 4096 x 4096, 3.14, with chunks of 8 terms 3.33, copied number by number 3.62, with terms added in a loop
3.64.
"""

BANKS: Final = 32
"""Elements of a row in local memory after which the next lie apart, where warps read vectors of these. Not measured on
record: NVIDIA's GPUs have 32 banks.
"""

SMALLER_TILES: Final[tuple[Mapping[str, int], ...]] = (
    {"down": 8, "across": 16, "ahead": 0},
    {"down": 8, "across": 16, "columns": 4, "ahead": 1},
    {"down": 8, "across": 16, "rows": 4, "columns": 4},
    {"down": 8, "across": 8, "rows": 4, "columns": 4},
    {"down": 8, "across": 8, "rows": 2, "columns": 4},
)
"""Smaller ones, for results of which there are fewer than three tiles for two compute units. Measured: on an H200,
products of 1024 x 1024 float32 take 0.066 ms in tiles of 64 x 64, 0.076 without a test around what is loaded ahead, and
0.077 with nothing loaded ahead. Products of 2048 x 2048 take 0.40 ms in tiles of 64 x 128, and 0.59 with chunks loaded
ahead, which takes registers of other groups.
"""

WARP_TILE_OF_PRODUCT: Final[Mapping[str, int]] = {
    "down": 2, "across": 2, "rows": 64, "columns": 64, "chunk": 16, "copied": 4, "ahead": 2,
}  # fmt: skip
"""Warps of a group that computes a tile of a product by tensor cores, rows and columns of each one's block, terms that
are staged at once, lanes of the vectors that are copied (where extents are known to be their multiples), and whether
the next terms are loaded meanwhile (2: without any test, the last ones again, and something else beyond the end).
Measured: on an H200, products of 4096 x 4096 numbers take 1.01 ms, with a test around the loads 1.36, with chunks of 32
terms and nothing loaded ahead 1.16, with 2 x 4 warps 1.00, with 4 x 2 1.07; of 2048 x 2048 0.137, with 2 x 4 warps of
64 x 32 elements 0.179. A kernel by hand of the same tiles takes 1.01 and 0.162, cuBLAS 0.342 and 0.049.
"""

PACKED_WARP_TILE: Final[Mapping[str, int]] = {"chunk": 16, "copied": 4, "ahead": 2, "packed": 1}
"""What is different where rows and columns are rounded and put in the order of lanes by a kernel before, so that tiles
are copied past the registers. Measured: on an H200, products of 4096 x 4096 numbers take 0.59 ms and 0.08 for what two
kernels did before (0.722 in all with one, 0.733 with two, of 2048 x 2048 0.110 and 0.111), with one chunk ahead 0.67,
with chunks of 8 terms 0.67, with tiles of 64 x 128 0.67 to 0.74; all in one kernel 1.00. A kernel by hand of the same
tiles takes 0.60, cuBLAS 0.36, as many instructions without memory 0.44.
"""

SMALLER_PACKED_WARP_TILES: Final[tuple[tuple[int, Mapping[str, int]], ...]] = (
    (8, {"across": 1, "ahead": 3}),
    (12, {"across": 2, "columns": 32}),
    (6, {"rows": 32, "chunk": 32, "ahead": 2}),
    (3, {"columns": 16}),
    (3, {"rows": 16, "ahead": 3}),
)
"""The same for results of which there are fewer tiles for four compute units than so many. Measured: on an H200, the
two kernels of 3072 x 3072 numbers take 0.38 ms with tiles of 128 x 128 and 0.42 with 128 x 64; of 2048 x 2048 0.121 and
0.114, with four warps of 64 x 32 for the latter 0.123; of 1920 x 1920 0.105 with two, 0.114 with four; of 1664 x 1664
0.090, 0.080, and 0.089 with tiles of 64 x 64; of 1280 x 1280 0.047, 0.047, 0.051; of 1152 x 1152 0.043, 0.042, 0.037;
of 1001 x 1001 0.038, 0.032, 0.029, and 0.032 with 64 x 32; of 501 x 501 0.0241, 0.0212, 0.0179, 0.0170; of 333 x 333
0.0208, 0.0182, 0.0163, 0.0150, and 0.0141 with 32 x 32. Nothing made the product alone of 2048 x 2048 faster than
0.089 ms: kernels by hand with tiles of 128 x 64 or 128 x 128, whatever they load ahead, take 0.089, tiles of 128 x 256
0.098, what reads packed factors without local memory 0.100, what rounds factors where it reads them 0.123; packing
takes 0.023 more, where a copy of each factor takes 0.015.
"""

PACKED_FROM: Final = 576
"""The products of rows and columns over their sum from which that is done: half as often each number is used. Measured:
on an H200, products of 1536 x 1536 numbers take 0.073 ms so, and 0.092 in one kernel, of 1408 x 1408 0.052 and 0.072,
of 1280 x 1280 0.047 and 0.066, of 1152 x 1152 0.037 and 0.049, of 1024 x 1024 0.027 and 0.029, of 768 x 768 0.023 and
0.023; a second kernel takes the host longer.
"""

PACKED_ONE_BY_ONE_FROM: Final = 128
"""The same where extents are not known to be multiples of four, so that tiles would be copied number by number.
Measured: on an H200, launched again and again, products of 100 x 100 numbers take 0.014 ms so, and 0.012 in one kernel,
of 200 x 200 0.021 and 0.017, of 257 x 257 0.019 and 0.026, of 501 x 501 0.014 and 0.036, of 1001 x 1001 0.031 and
0.070.
"""

COPIED_AHEAD_ALIGNED: Final = 128
"""Bytes of which the addresses of arrays in local memory that are filled ahead are multiples: as many as the banks of
local memory hold side by side. Measured: on an H200, products of 4096 x 4096 numbers by tensor cores take 0.59 ms so,
and 1.03 where these arrays are aligned to 16 bytes.
"""

SMALLER_WARP_TILES: Final[tuple[tuple[int, Mapping[str, int]], ...]] = (
    (3, {"down": 1, "across": 4, "columns": 32, "chunk": 32}),
    (3, {"rows": 32}),
    (3, {"across": 2}),
    (3, {"rows": 16}),
)
"""Smaller ones, for results of which there are fewer tiles for four compute units than so many. Measured: on an H200,
products of 1024 x 1024 numbers take 0.0295 ms with tiles of 64 x 128, 0.033 with 128 x 64, 0.035 with 64 x 128 of 2 x 2
warps and a test around the loads, 0.043 with 64 x 64. Where extents are symbols, those of 1024 x 1024 take 0.028 ms and
of 512 x 512 0.016, with a test for what lies beyond the end 0.062 and 0.033, with nothing loaded ahead 0.037 and 0.022.
"""

FEW_TERMS: Final = 128
"""Terms up to which a work-group waits for memory rather than computes. Not measured on record."""

TILE_OF_FEW_TERMS: Final[Mapping[str, int]] = {"down": 8, "across": 8, "ahead": 0}
"""Work-items of a group there: many small ones wait at the same time. Measured: on an H100, a product of 4096 x 64 and
64 x 4096 float32 takes 0.086 ms with 64, 0.090 with 128, 0.178 with 256; torch takes 0.094.
"""

TILE_OF_PRODUCTS: Final[Mapping[str, int]] = {
    "down": 8, "across": 8, "rows": 4, "columns": 4, "width": 4, "chunk": 32, "ahead": 0,
}  # fmt: skip
"""The same of many products. Measured: on an H100, 1000 products of 32 x 32 float32 take 0.0096 ms, with chunks of 16
terms 0.0103, with 256 work-items 0.0106, and 0.154 where each element is computed by itself; torch takes 0.048.
"""

TILE_OF_PRODUCT_IN_PARTS: Final[Mapping[str, int]] = {
    "down": 16, "across": 16, "rows": 2, "columns": 2, "width": 2, "chunk": 32, "ahead": 0,
}  # fmt: skip
"""The same where terms are shared out among work-groups, for the fewest results. Measured: on an H100, a matrix of
100,000 x 32 float32, transposed, times itself takes 0.035 ms in 128 parts, 0.045 with 64 work-items of 4 x 4 elements,
2.75 where each element is computed by itself; torch takes 0.052.
"""

TILE_OF_MORE_RESULTS: Final[Mapping[str, int]] = {"down": 8, "across": 16, "rows": 8, "columns": 4, "ahead": 1}
"""Work-items, their blocks and whether chunks are loaded ahead (1: with a test) where terms are shared out for more
results. Measured: on an H100, a product of 256 x 2000 and 2000 x 256 float32 takes 0.030 ms, 0.070 where terms are not
shared out.
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

SHARED_TERMS_OF_LARGE_TILES_FROM: Final = 2048
"""Terms from which on they are shared out where large tiles are too few; with fewer terms smaller tiles are taken.
Measured: on an H200, a product of 997 x 20,011 and 20,011 x 997 float32 takes 0.94 ms in 4 parts and tiles of 128 x
128, 1.18 in one part and tiles of 64 x 64; of 1000 x 1000 and 1000 x 1000 0.089 and 0.072. Where results are few,
smaller tiles in parts stay: 509 x 2053 and 2053 x 509 take 0.038 ms, with the larger ones 0.054.
"""

SHARED_TERMS_FROM: Final = 1024
"""Terms from which on these are shared out on a GPU. Measured: on an H100, a product of 512 x 1024 and 1024 x 512
float32 takes 0.034 ms, 0.045 where they are not.
"""

EAGER_MULTIPLICATIONS_AT_MOST: Final = 1 << 28
"""Multiplications of a product of eager arrays up to which it is carried out eagerly. Measured: NumPy needs 8
milliseconds for as many.
"""

INTEGER_MULTIPLICATIONS_AT_MOST: Final = 1 << 16
"""The same of integers, which NumPy multiplies one by one. Measured: each multiplication of 36 x 36 int64 numbers by as
many takes 0.8 ns, of 64 x 64 numbers 1.7 (float64 0.1).
"""

EAGER_PRODUCT_ELEMENTS_AT_MOST: Final = 1 << 19
"""Elements of a matrix up to which its products are carried out eagerly where values exist: they fuse with nothing on a
CPU; what they multiply is bounded beside. Not measured on record.
"""

CONTRACTED_FROM: Final = 4
"""Times as many elements as the larger of its operands that a product of arrays which broadcast has, at least, for its
sum to be a product of matrices in the eager tier. Not measured on record.
"""

CONTRACTED_ELEMENTS_FROM: Final = 1 << 10
"""The same: elements of the product, at least. Measured: processor time on two cores beside other work, float32 sums
over the window of a convolution, of 8 x 9 x 32 x 32 elements 53 microseconds, the product first 179 (NumPy 90); of
8 x 25 x 6 elements 27, 50 and 20.
"""
