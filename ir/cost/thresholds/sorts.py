"""Where schedules of scatters and sorts start from, and what each refuses; what NumPy does of them during a call."""

from __future__ import annotations

from typing import Final

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

SCATTER_ITEMS_PER_UNIT: Final = 1 << 11
"""Work-items for each compute unit that add up values in local memory, in groups. Measured: on an H200 ten million
int32 numbers are counted in 256 bins in 26.6 microseconds by 1056 groups of 256, in 36.5 by 528 of them; in 1024 bins
in 28.1 by 264 groups of 1024, 32.2 by 132 of these, 32.4 by 528 of 512 and 38.0 by 1056 of 256, whose sums are more.
"""

SCATTER_ITEM_SHARE: Final = 16
"""Values of such a work-item at least. Not measured on record."""

SCATTER_RANGES_OF_A_GROUP: Final = 2
"""Ranges of places that such a group adds up to, reading its values again for each, at most. Not measured on record."""

SCATTER_COMBINING_GROUP: Final = 128
"""Work-items of the group that combines the sums of a place. Not measured on record."""

SCATTER_CHUNK: Final = 64
"""Values whose indices are computed in vectors before they are scattered. Not measured on record."""

SCATTER_SORTED_FROM: Final = 1 << 12
"""Values from which on a GPU scatters over many places are sorts. Measured: on an H200 each of the ranges of places
takes 130 ns for a value that it looks at: 13 ms for 100,000 values and places, 195 to 243 ms for a million values and
100,000 places, 3.8 s for ten millions and a million; 100,000 numbers are sorted in 0.12 ms, ten millions in 3.4.
"""

SCATTER_SORTED_PLACES_EACH: Final = 1 << 13
"""Places for each value up to which they are: each place looks for its value. Measured: on an H200 5,000 float32
numbers into a hundred millions of places, 20,000 for each, take 1.46 ms by a sort; ranges of places that look at all
values would be 0.65, at 130 ns for each.
"""

SCATTER_SHARES_AT_LEAST: Final = 256
"""Shares of the values, of as many values as there are places each, from which on scatters over few places are not
sorts. Not measured on record.
"""

COUNTED_AT_ONCE: Final = 1 << 16
"""Indices that are counted at once, and keys in order of which neighbours are compared at once: caches hold them.
Measured: 8 million indices below ten are counted in 41, 36, 34, 30, 30 and 30 milliseconds with 2^13 to 2^18 at once,
by one call of NumPy's `add.at` in 82; neighbours of 2 million ordered keys are compared in 33, 32, 31, 30, 32 and 36.
"""

COUNTED_BY_NUMPY_UP_TO: Final = 1 << 17
"""Elements up to which histograms of arrays that exist are NumPy's, during the call. Measured: 50,000 float64 numbers
in ten bins take it 0.4 to 1.0 ms, kernels 0.9 to 1.1, the calls of NumPy that are written for these 1.8; a million 6 to
18, 2 to 3 and 26 to 29.
"""

COMBINED_ROWS_AT_ONCE: Final = 1 << 15
"""Elements of rows that `add.at` and its like combine at once: their places are found, which caches are to hold.
Measured: of float64 numbers 200,000 rows of eight are added in 8.8, 8.1, 8.0, 7.8 and 10.5 milliseconds with 2^13,
2^14, 2^15, 2^16 and 2^18 at once, by one call of NumPy's in 25; 200,000 of three in 3.7, 3.4, 3.4, 3.7 and 4.2, 9.5;
20,000 of 64 in 5.5, 5.0, 4.4, 4.5 and 4.4, 17.
"""

# Sorts.

SORT_COMPARED_UP_TO: Final = 1024
"""Elements that are compared each with all others; a CPU sorts more by digits, a GPU merges. Not measured on record.
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

SORT_TILE: Final = 2048
"""Elements that a work-group of a GPU sorts in local memory, at most. Measured: on an H200, 100,000 float32 numbers
take 61 microseconds with 2048 and 65 with 1024, 16,777,216 2.52 milliseconds with both.
"""

SORT_SHARE: Final = 8
"""Elements that a work-item merges in order. Measured: on an H200, two runs of 8,388,608 float32 numbers are merged in
0.22, 0.15 and 0.21 milliseconds in shares of 4, 8 and 16; 0.47 where each element is looked for.
"""

SORT_MERGED_AT_ONCE: Final = 4
"""Runs that a GPU merges in a kernel. Measured: on an H100, 100,000 float32 numbers take 66 microseconds with 4 and 70
with 8, in tiles of 16; by digits 1.8 milliseconds, of 10,000,000 numbers 7.5.
"""

SORT_IN_PAIRS_FROM: Final = 1 << 19
"""Elements from which runs are merged in pairs, in shares. Measured: on an H200, 100,000 float32 numbers take 71
microseconds in pairs and 61 with 4 at once; 1,000,000 190 in pairs, and 390 where tiles of 16 are merged.
"""

SORT_DIGITS_SECONDS: Final = 3e-9
"""Seconds that a compute unit of a CPU needs for a byte of a key, with kernels that sort by digits. Measured: processor
time of PoCL's two units beside other work, 100,000 float32 numbers take 1.5 milliseconds, 1Mi 13, float64 2.7 and 30,
of int32 1Mi 8.4: 2.0 to 3.8 nanoseconds.
"""

SORT_DIGITS_LAUNCH_SECONDS: Final = 1e-4
"""Seconds beside these for each byte of a key: kernels count its digits, and put keys in their order. Measured: 4000
float32 numbers take 0.23 milliseconds and 10,000 as long, 20,000 take 0.35; the library 0.10, 0.19 and 0.39 there.
"""

LIBRARY_SORT_BYTE_SECONDS: Final = 1.5e-9
"""Seconds that a processor needs with the host's library for a byte of numbers of one or two, which it sorts by digits.
Measured: 100,000 int16 take 0.31 milliseconds, int8 0.17; 1Mi int16 3.9 (kernels 5.5 of two units), int8 2.0 (2.4).
"""

LIBRARY_SORT_MEASURED_BY: Final = 4096
"""Random float32 numbers of the row by which it is measured, once a process, what the host's library takes for each.
Not measured on record: the first cache holds them, and they take 12 to 200 microseconds.
"""

LIBRARY_SORT_IN_VECTORS_BELOW: Final = 15e-9
"""Seconds for each of these below which the host's library is taken to sort in vectors: the more of them,
the wider numbers are. Measured: 3 nanoseconds in vectors of 64 bytes on one processor, where kernels take twice as long
as the library for 1Mi numbers; 11 on another, where they take 0.4 times as long for float32 (13 and 34 milliseconds of
processor time), 0.5 for float64 and int64, 0.3 for int32; 50 by comparisons.
"""

LIBRARY_SORT_PART: Final = 1 << 15
"""Elements of the rows that a thread sorts at a time, at least; what is less is not shared out. Measured: 100,000 rows
of 32 float32 numbers take 18.7 milliseconds on one thread, 9.1 on two in two parts, 10.2 in eight, 10.5 in 32; waking a
thread takes some tens of microseconds.
"""

SELECTED_FROM: Final = 2048
"""Elements of a row from which NumPy selects the numbers at a few places in order, where these alone are read; shorter
rows are sorted. Measured: 1,500,000 float64 numbers in rows of 256, 1024 and 10,000 take 4, 20 and 45 milliseconds to
sort, 19, 18 and 18 to select the middle two and the last one; one row 86 and 15.
"""

SELECTED_BITS_ABOVE: Final = 16
"""Bits of numbers up to which they are sorted by digits, whatever is read. Measured: 1,500,000 numbers of int8 and
int16 take 3.3 and 18 milliseconds to sort, 55 to select three.
"""

SELECTED_PLACES_AT_MOST: Final = 8
"""Places up to which it does so. Measured: of 1,500,000 float64 numbers 19 milliseconds for 3 places, 29 for 5, 39 for
9, 54 for 33, 86 to sort them.
"""

SELECTED_AT_ONCE_FROM: Final = (1 << 13) + 1
"""Elements from which on `partition` and `argpartition` are NumPy's selection, during the call; fewer are sorted.
Measured: processor time of two busy cores, of 8,000, 16,000 and 32,000 float64 numbers NumPy selects one in 82, 143 and
242 microseconds, and sorts all in 195, 453 and 1,075.
"""

COLUMNS_SORTED_BY_AT_MOST: Final = 16
"""Columns that rows are sorted by one after the other; more become fewer of ranks (`lazyarr.api.order.ranks`).
Measured: NumPy's calls on two cores, `unique` of 1000 rows of int64 along an axis; with 16 columns the first call takes
81 ms one after the other and 25 by ranks, a later one 3 and 9; with 64 columns 290 and 40, 30 and 19; 50 rows of 2000
columns did not end in three minutes, and take 0.05 s.
"""

SORTED_EAGERLY_AT_MOST: Final = 1 << 11
"""Elements of arrays that exist up to which NumPy sorts them during the call, in stable order.
Measured: 10, 512, 2048 and 4096 random float64 numbers 1.5, 6.1, 29 and 71 microseconds, carried out as what is
recorded 36, 22, 52 and 104; indices 2.2, 6.7, 27 and 62, before 44, 43, and recorded.
"""

LEXSORT_KEYS_TOGETHER: Final = 16
"""Keys of `lexsort` that each of its sorts moves, at most; of more, those that count less are sorted first, and others
are gathered in that order. Measured: on the reference tier 16 keys of 5000 float64 numbers take 5.4 ms of a processor
together, 10.7 in two parts and 18.6 in four; 400 keys take 0.3 s in parts of 16 (the first call 1.3), together 1.5 and
13.9.
"""

COMPARED_ONE_BY_ONE_AT_MOST: Final = 16
"""Elements that `isin` looks for up to which all others are compared with each of them; more are sorted, and each other
one is looked for by halving. Measured: processor time beside other work, 3, 8 and 16 int64 numbers among 100,000 take
0.24, 0.53 and 1.3 ms one by one, 4.4, 5.3 and 10 by halving, NumPy 0.29, 0.52 and 1.1; among a million 2.7, 4.3 and 15,
16, 26 and 101, NumPy 4.7, 6.9 and 8.6.
"""

COMBINED_BY_ROWS_FROM: Final = 1 << 11
"""Elements of values from which on rows are combined into an eager array element by element. Measured: processor time
of two busy cores, float64 and float32 alike; rows of 4 elements, 1,024, 2,048, 10,000 and 24,000 in all, take 15, 19,
48 and 99 microseconds so, 14, 26, 117 and 278 by `add.at` of rows; of 100 elements, 1,000, 2,000 and 25,000, 13, 15 and
59, and 11, 19 and 217.
"""

CARRIED_FROM_INDICES: Final = (1 << 13) + 1
"""Indices from which on values are combined into an eager array of float32 in float64, since so many may meet in one
place that what each addition rounds would add up. Fewer are combined in float32, as by NumPy. Measured: sums of 8,192
numbers below one in one place are off by up to 2.5e-6 of them, of 32,768 by 5.1e-6; carried by 5e-8.
"""

CARRIED_PLACES_AN_INDEX: Final = 8
"""Elements of an eager array of float32 for each index, up to which all are carried in float64 while values are
combined into the places that indices name. Measured: 9,000 values into 72,000 places take 55 microseconds so, 171
otherwise, NumPy's in float32 12; 300,000 into 2.4 million 4.7, 6.2 and 2.0 milliseconds.
"""
