"""What is fused, cut or computed again: numbers of `ir.fusion`, `ir.rules` and of what `lazyarr` records."""

from __future__ import annotations

from typing import Final

# The partition into kernels.

FUSED_OPERATIONS_AT_MOST: Final = 96
"""Patterns fused into one kernel. Not measured on record: longer kernels compile slowly and win nothing that memory
traffic could show.
"""

BRANCH_OPERATIONS_AT_MOST: Final = 16
"""Patterns between arrays in memory and what is read beside a long chain, for which the kernel of the chain keeps room;
fewer than that. Measured: a `select` of 100 conditions and choices is 5 kernels that read 10 arrays, where it was 195
that read 388; with 8, 66 additions of random numbers, which have 8 each, were 13 kernels, with 16 they are 6.
"""

SCAN_RESULT_OPERATIONS: Final = 16
"""Simple operations that the kernel of a scan does for each element on a CPU. Measured: PoCL with two cores, 4Mi
float32 numbers, in the scan's kernel and in one of their own: `x - cumsum(x)` takes 1.8 to 2.5 and 3.4 milliseconds, a
running mean 2.1 to 3.1 and 3.0 to 3.2, an exponential of sums of rows 4.4 to 5.4 and 3.1 to 4.0, a sine 6.3 to 8.5 and
5.7.
"""

RESULTS_OF_A_KERNEL_AT_MOST: Final = 8
"""Results that one kernel writes. Not measured on record."""

VIEWS_AT_MOST: Final = 48
"""Views of views that a kernel reads an array through: from each it takes an index apart and puts it together. Views
that undo each other or meet as slices count as one; nested arrays are stored after twice as many. Not measured on
record: programs that are not made to be long have a dozen.
"""

GATHER_VIEWS: Final = 4
"""Views, in the number above: the indices of a gather are read and bounded, too. Not measured on record."""

COLUMNS_BY_ITEMS_AT_MOST: Final = (1 << 15) - 1
"""Columns of a matrix that need numbers of its rows, at most, where work-items keep an accumulator of each, and the end
of a magnitude. Measured: see `ROWS_BY_ITEMS`.
"""

BLOCKED_SIDE: Final = (1 << 8, 1 << 17)
"""Rows and columns of a matrix that is taken in blocks of rows for both: so many at least, and less than so many; it is
the magnitude that counts. Measured: PoCL with two cores, float32: A.T @ (A @ x) of 100,000 x 16 takes 1.25 ms in blocks
and 0.65 by two kernels, and gains from 256 columns on; sums of more blocks would take too many roundings.
"""

MAP_COMPUTED_AT_MOST: Final = 8.0
"""Times that each element of a map is computed. Not measured on record."""

CONCAT_COMPUTED_AT_MOST: Final = 1.5
"""Times that each element of a concat is computed: a kernel that reads it shifted asks for each element in which part
it lies. Not measured on record.
"""

PARTS_OF_A_BORDERED_ARRAY: Final = 3
"""Parts of an array with a border, which is not stored where its neighbours are read: what is before, the array, what
is behind. Not measured on record: a border has two sides.
"""

SHIFTS_OF_A_BORDER_AT_MOST: Final = 12.0
"""Times that each element of an array with a border that is not stored is read: 9 points, and what a border reads of
the borders before. Each shift makes one loop more, which is compiled. Measured: PoCL with two cores beside other work,
float32 in processor time, beside the array stored for 6 readings and more; 9 points of 2048 x 2048 with zeros around
take 3.2 ms instead of 8.3, mirrored 2.0 instead of 7.9, and that wrap around 1.9 instead of 8.6; four such steps 10.6,
12.0 and 11.7 instead of 18.4, 39.5 and 42.6, and 1 kernel instead of 5, 11 and 11.
"""

READINGS_AT_MOST: Final = 32
"""Ways on which a vertex is read that are told apart. 9 neighbours, each inside and behind either end of a dimension,
are 27. Measured: with 16, an array with two borders that is read at 9 places was stored after the first of them, by a
kernel that asks for each element where it lies; 9 points of 2048 x 2048 took 167 ms instead of 2.
"""

FREE_OPERATIONS: Final = 16
"""Simple operations that the kernel of a reduction may do for each result; as many more as a row has elements. They are
not done for vectors of results, as a kernel of their own would. Not measured on record.
"""

ROW_READ_AGAIN_AT_MOST: Final = (1 << 15) - 1
"""Elements of a row that stay near between two readings, and the end of a magnitude, as all lengths of one are cut
alike (`ir.fusion.symbols.structure_key.classes`). Measured: on an H200, softmaxes of float32 in one kernel and in two
take 666 and 857 us for 16384 x 16384, 651 and 432 for 4096 x 32768; of float64 450 and 941 for 4096 x 16384, 615 and
615 for 2048 x 32768. Called and waited for, norms and softmaxes of 16,383 elements take 32 and 31 us, in two kernels 43
and 47; of 32,767 42 and 43, and 48 and 65.
"""

MAPPED_ROW_FROM: Final = 128
"""Elements of a row from which on the kernel that reduces it also makes the elements that need the results; it is the
magnitude that counts. Measured: PoCL with two cores, float32, 2Mi elements less the means of their rows take 4.1, 1.3,
1.27, 0.51 and 0.49 ms with rows of 16, 33, 64, 128 and 1000 elements, in two kernels 1.0, 0.57, 0.91, 0.59 and 0.65.
"""

ROW_STEPS_AT_MOST: Final = 48
"""Arrays that a function of rows makes in a row in one kernel; of twice as many it is cut
(`ir.fusion.prepare.fission`). Not measured on record.
"""

ONE_ROW_AT_MOST: Final = (1 << 13) - 1
"""Elements of arrays of which one work-group of a CPU reduces and makes what a program asks for, and the end of a
magnitude: to launch kernels takes longer. Measured: calls of a norm, a standardisation, a softmax and a step of
conjugate gradients without the product, float32, PoCL with two cores: of 4,095 elements 12, 12, 16 and 19 us, in
kernels of their own 19, 19, 27 and 35; of 8,191 13, 13, 21 and 20, and 16, 20, 35 and 37; of 16,383 14, 80, 101 and 36,
and 18, 24, 38 and 35. Those of a GPU are rows of `ROW_READ_AGAIN_AT_MOST`.
"""

ROW_WAYS_AT_MOST: Final = 40
"""Ways on which results of a kernel lead to one reduction of a row, which is derived for each. Measured: a vector less
its mean, then k times x + 0.01 * sin(x), has 2^k: planned, derived and generated in 0.16 s with 16, 0.72 with 64, 2.6
with 256; in kernels of their own 0.04, 0.05 and 0.05. A step of conjugate gradients has 36.
"""

USES_BY_A_SUM: Final = 16
"""How often a reduction uses an element on the way to its result, for that. Not measured on record: a sum that
keeps its rounding errors adds it once and subtracts it again, which are as many ways.
"""

ROW_WORK_REPEATED_AT_MOST: Final = 2
"""How often the elements of a row are made in a kernel that reduces them and then what is made of them, on average over
their operations. Not measured on record: a softmax takes its exponentials twice.
"""

MOMENTS_OPERATIONS: Final = 26
"""Instructions that one reduction does more for each number than two, where squared distances from the mean are added
up beside the numbers (`ir.fusion.prepare.one_reading`), in 64 bits. Measured: PoCL with two cores, float32, standard
deviations of 1Mi numbers take 485 us of processor time in one reading and 198 in two, which is 26 at the rates of
`ir.cost.processors`; on an H200 of 16Mi 35 and 45 us, of 128Mi 210 and 248, which is 16.
"""

CONSTANT_EXTENT_UP_TO: Final = 4
"""Extents of multi-dimensional arrays that stay constants (colour channels, pairs): loops over them unroll. Not
measured on record.
"""

CONSTANT_WINDOW_UP_TO: Final = 16
"""Elements of windows, and steps, that stay constants: stencils, whose loops unroll. Not measured on record."""

KEPT_BORDER_AT_MOST: Final = 3
"""Elements on each side of a dimension that steps of a stencil keep or read beyond, where several steps are one kernel.
Not measured on record: neighbours further away are rare, and each form is tried.
"""

STEPS_AT_ONCE: Final = 4
"""Steps of a stencil in one kernel, in tiles that overlap. Measured: PoCL with two cores, float32; 8 steps of 5 points
on 4096 x 4096 take 20.5, 15.2 and 13.7 ms, 2, 4 and 8 at once, and with the last the first call takes a second longer.
"""

STEPS_OF_A_LINE_FROM: Final = 1 << 15
"""Elements of an array of one dimension for which several steps of a stencil are one kernel, at least; it is the
magnitude that counts. Measured: as above, 4 steps of 3 points in one kernel are 1.2 times as fast as in four for 2^15
elements, 2.2 for 2^22 and 2.6 for 2^24; it takes 0.7 s to be made, one step 0.35. On an H200 3.1 for 2^15 and 5.8 for
2^24, beside single steps of one element a work-item.
"""

STEPS_OF_A_PLANE_FROM: Final = 1 << 20
"""The same of an array of two dimensions. Measured: as above, 4 steps of 5 points are 1.1, 0.97, 1.36 and 1.8 times as
fast for 256^2, 512^2, 1024^2 and 4096^2; their kernel takes 1.7 s to be made, that of one step 0.4. On a GPU not
measured but for 4096^2: 2.1 on an H200, by four times what one step takes.
"""

STEPS_EXTENT_AT_LEAST: Final = 1 << 8
"""The extent of each dimension of such an array without its border, at least: the smallest tiles and what is around
them take half. Not measured on record.
"""

PARTS_OF_A_CONCAT_AT_MOST: Final = 16
"""Parts of the concat of one kernel. Not measured on record."""

PARTS_OF_A_SLICE_AT_MOST: Final = 4
"""Parts of a concat that a slice of it is put together from. Not measured on record."""

COMPARED_DEPTH: Final = 24
"""Patterns on a path of a part that is compared with its neighbour. Not measured on record."""

# Rules.

UNROLLED_TURNS_AT_MOST: Final = 64
"""Turns of a loop that is written out. Not measured on record."""

OPERANDS_TAKEN_APART_AT_MOST: Final = 16
"""Elements of an array that is taken apart into operands of one pattern. Not measured on record."""

SPREAD_PARTS_AT_MOST: Final = 16
"""Parts that a map is spread over; with more of them an index function asks in which part an element lies. Not measured
on record.
"""

# What is recorded.

PENDING_DEPTH_AT_MOST: Final = 128
"""Results that are not computed, one made of the other, beyond which they are: a loop that reads nothing must end in
bounded memory. A loop is computed at once where it first gets there, and then where the same operation comes again, so
that it runs the same program each time, not one for each phase of its body; up to twice as many wait for that. A second
call of the loop so runs the programs of the first. Not measured on record.
"""

PENDING_ARRAYS_NOTED: Final = 128
"""Arrays recorded last that are remembered while they live, where results lie half as deep: those of some steps of a
loop, which are computed together where it is cut. Not measured on record.
"""

PENDING_LOOKED_AT: Final = 4
"""How many times as much as waits for such a result is looked at of what has nothing to do with it, as of loops that
run in turns. Not measured on record: recording sixty of them took three times as long where all was looked at.
"""

LATER_USES_OF_A_KEPT_RESULT: Final = 2
"""How often a result must be stored and read for what computing it once costs, to be kept the first time. Not measured
on record.
"""

CHANGES_RECORDED_AT_MOST: Final = 16
"""Assignments to an array beyond which it stands for its expression, in which what was overwritten is left out. Not
measured on record.
"""

CHANGE_BYTES: Final = 1 << 18
"""Bytes of an array for which an assignment to it counts once more, in the number above. Not measured on record."""

VIEW_STEPS_AT_MOST: Final = 8
"""Steps of a view; a chain of more is brought into a shorter one that chooses the same elements. Not measured on
record.
"""

UNKNOWN_LAYOUTS_AT_MOST: Final = 8
"""Bases, each a view of one that died, whose layouts are not asked for yet. Not measured on record."""

CONCAT_PARTS_TAKEN_OVER_AT_MOST: Final = 256
"""Parts of a concat that the next assignment takes over one by one; a concat of more is left whole, and stored. Not
measured on record.
"""

POSITIONS_ASSIGNED_SINGLY_AT_MOST: Final = 8
"""Positions along one dimension that are assigned to one by one, as slices; more of them are scattered. Not measured on
record.
"""

SEARCH_COMPARED_UP_TO: Final = 16
"""Elements that each value is compared with; more are searched by halving. Measured: a million float32 numbers on PoCL,
processor's time: among 6, 16, 24, 64 and 256 elements 16, 41, 55, 170 and 595 ms by comparing, 28, 41, 40, 60 and 83 by
halving, which NumPy's calls do as well.
"""

TRANSFORM_FACTOR_AT_MOST: Final = 4
"""The product of prime factors that one step of a Fourier transform takes: a step computes p products for each element.
Not measured on record.
"""

TRANSFORM_PRIME_AT_MOST: Final = 61
"""The prime factor of a length above which the sums over it cost more than Bluestein's three transforms. Not measured
on record.
"""

TABLES_AT_MOST: Final = 256
"""Distinct parameters of a random distribution that each get a table. Not measured on record."""
