"""What a program is worth: searching for a faster kernel, waiting awake, measuring again, pooled memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

TUNED_FROM: Final = 65536
"""Elements of work below which the predicted best kernel is taken at once; the default of the setting `tune_above`. Not
measured on record.
"""

TUNING_SECONDS: Final = 3.0
"""Seconds that a search on first call may take; the default of the setting `tune_seconds`. Not measured on record."""

TUNING_SECONDS_A_PROCESS: Final = 10.0
"""Seconds that searches on first calls may take in a process together; the default of the setting `tune_total`. Not
measured on record: what a user waits for once.
"""

INTERPRETED_WHOLE_AT_MOST: Final = 1 << 26
"""Elements of work up to which a search that the user asks for compares results at full size with the interpreter's.
Not measured on record.
"""

INTERPRETED_ON_A_FIRST_CALL_AT_MOST: Final = 1 << 22
"""The same of a search on a first call, or in slices of later ones; beyond it candidates are compared with the
interpreter on a small instance, and with the first of them at full size. Measured: one comparison of `x * 1.5` over
49,000,000 float64 takes the interpreter 3 seconds, which is all that such a search may take.
"""

SAMPLED_ELEMENTS: Final = 1 << 14
"""Elements of work for which the interpreter looks at results that are larger than that. Not measured on record.
"""

RUNS_BEFORE_SLICES: Final = 8
"""Runs of a program whose kernels are searched for later, after which it is measured what a run takes. Not measured on
record.
"""

FIRST_SLICE_SECONDS: Final = 0.5
"""Seconds that the first slice of a search on later calls is taken to cost; of further ones it is what the last one
took. Measured: 0.3 to 1.3 seconds for a candidate on PoCL.
"""

SLICES_SHARE: Final = 0.1
"""The part of a program's own time that slices of searches may take. Not measured on record."""

ASKING_SHARE: Final = 0.1
"""The part of a program's own time that looking for a device may take where it may not pay. Not measured on record."""

LEADERS_SPECIALISED: Final = 4
"""Candidates that are made for the lengths alone that a search measured at, beside the winner. Not measured on record.
"""

SPECIALISING_SECONDS: Final = 1.0
"""Seconds after which no further candidate is made for known lengths alone. Not measured on record."""

SECONDS_PER_TRIAL: Final = 0.06
"""Seconds that measuring one candidate may take. Not measured on record."""

HANGING_SECONDS: Final = 20.0
"""Seconds after which a run counts as hanging. Not measured on record."""

HOPELESS_FACTOR: Final = 20.0
"""Times the incumbent, after one run of more than a second, from which a candidate is not measured. Not measured on
record.
"""

CONSTANT_KERNELS_AT_MOST: Final = 3
"""Kernels that differ in numbers only and are compiled each for itself, so that constants stay constants; all further
ones share one, whose numbers are read from memory where they differed so far. Not measured on record.
"""

CONSTANT_NUMBERS_AT_MOST: Final = 3
"""Different numbers that an operand on a line of the user's may be before further ones are read from memory. Measured:
comparing 90,000 float64 numbers with another one in each step of a loop takes 0.50 ms a step where each step is a
program of its own, 0.07 ms where all share one, and NumPy 0.04.
"""

TIMED_ON_THE_HOST_BELOW: Final = 1e-3
"""Seconds of a run below which it is timed on the host, above on the device. Measured: what the host spends on a launch
is about 1 % of a run of this length; below, it is part of what users wait for, and device clocks are coarse.
"""

LAUNCHES_TIMED_TOGETHER_AT_MOST: Final = 64
"""Launches of a row that is timed as one, so that the wait at its end is a few percent of it. Not measured on record.
"""

TIMINGS_ENOUGH: Final = 7
"""Timings after which a stable median ends a measurement. Not measured on record."""

STABLE_MEDIAN: Final = 0.01
"""The part of a median below which its standard error counts as stable. Not measured on record."""

WATCHED_SECONDS: Final = 300e-6
"""Seconds in which the host asks again and again whether a command is done, before it sleeps; a longer wait is not
worth the time that asking takes from the kernels. Measured: waking up takes some 50 microseconds where the processor
has gone to sleep, too.
"""

LONG_WAIT_SECONDS: Final = 1e-3
"""Seconds of a wait from which on the next one is slept through, until one has been shorter again: short kernels that
share a processor take some of it. Measured: a loop of these, read at every step, took a fifth longer with 300
microseconds.
"""

COPIES_POOLED_FROM: Final = 1 << 17
"""Bytes from which copies, and results that are computed eagerly or in blocks, go into memory that is used again;
below, the C library hands out touched pages faster, above it gives them back to the system, which clears them again.
Measured: three sums and products one after another take 7.7 us of 78 KiB beside 11.4 pooled, 179 of 153 KiB beside 19,
412 of 312 KiB beside 38, 2933 of 2 MiB beside 202; one alone, which finds the pages that the last one left, 4.6 of 153
KiB beside 5.7, 61 of 2 MiB beside 63.
"""

NUMPY_CALL_SECONDS: Final = 1.2e-6
"""Seconds that NumPy needs for a call, however small the arrays. Measured: 1.2 microseconds for a sum of 4 numbers."""

NUMPY_SECONDS_PER_CACHED_BYTE: Final = 2e-11
"""Seconds that NumPy needs for each byte that a call reads or writes in the processor's cache. Measured: 1.3e-11 and
3e-11 on two machines.
"""

CACHED_BYTES: Final = 1 << 23
"""Bytes that a call reads and writes up to which they are taken to lie in the processor's cache. Measured: sums of
float64 become slower between 12 and 24 MB.
"""

NUMPY_SECONDS_PER_BYTE: Final = 6e-11
"""The same of more bytes. Measured: 3.5e-11 and 9e-11 on two machines."""

NUMPY_ELEMENT_SECONDS: Final[Mapping[str, float]] = {
    "function": 2e-9,
    "function of float32": 8e-10,
    "gather": 2e-9,
    "select": 4e-9,
    "scan": 5e-9,
    "sort": 7e-9,
    "sort numbers": 1e-9,
    "selected number": 1.2e-8,
    "product": 3e-11,
    "transform": 4e-10,
    "interpolation": 2e-9,
    "windows": 1e-9,
    "correlation": 4e-10,
}
"""Seconds that NumPy needs for an element beside moving it: for a function of a library, one of float32, a gather, a
selection, a step of a scan, a comparison of a sort by keys and one of a sort of numbers, a number among which a few are
found by their places in order, a multiplication in a product of matrices, each of the log2 n steps of a Fourier
transform, each halving of the samples that one lies between, a multiplication of windows of a vector with another, and
one of NumPy's `correlate`. Measured: 0.9 to 10 ns, 0.3 to 0.5 ns with vectors of 64 bytes, 2 ns, 4.1 ns, 3.4 to 6.3 ns,
6.6 ns, 0.1 ns on a processor with vectors of 64 bytes, 7 to 26 ns, 0.012 to 0.033 ns, 0.2 to 2 ns, 0.5 (in order) to
13 ns, 1.0 to 2.7 ns, 0.3 to 0.5 ns.
"""

NUMPY_ROW_SECONDS: Final[Mapping[str, float]] = {"fold": 3e-8, "map": 5e-9, "moved": 8e-10}
"""Seconds beside these for each row that NumPy folds along the last axis, or goes through where operands have different
shapes (a part of a product with a vector is such a row), and for each element that it brings to the last axis to choose
the greatest. Measured: rows of 4, 16 and 32 float32 numbers take 18, 22 and 35 ns to add, 39, 96 and 99 to find the
greatest, 16, 50 and 67 to find its place; 6 and 5 ns a row of 4 and 16 beside what long rows take to compare with one
row, 5 to 14 ns a part of 64 terms; 0.6 to 0.9 ns.
"""

NUMPY_REUSED_FROM: Final = 4096
"""Bytes from which the memory of a value that nobody reads later is used for the next result, or let go of. Measured:
naming the memory costs as much as NumPy's own cache of small blocks saves below.
"""

BLOCKS_FROM_ELEMENTS: Final = 1 << 19
"""Elements from which NumPy's element-wise functions are carried out in blocks. Measured: on one busy core, a sum,
sqrt(x y + c) - x and steps of a Mandelbrot set and of a flow take 0.9 to 1.0 of NumPy's time without blocks and 0.8 to
1.5 with them for 100,000 float64 numbers, 0.9 to 1.1 and 0.6 to 1.1 for 300,000, 0.5 to 1.6 and 0.4 to 1.1 for a
million, 0.5 to 1.6 and 0.3 to 0.8 for 10 millions.
"""

BLOCK_BYTES: Final = 1 << 20
"""Bytes of a block's operands, results and what lies between. Measured: in blocks of 512 KiB and 1 MiB steps of a
Mandelbrot set of 300,000 numbers take 1.05 and 1.0 times as long as NumPy, steps of a flow 0.78 and 0.64 times, where
each processor has 2 MiB of cache.
"""

BLOCK_ELEMENTS_AT_LEAST: Final = 1 << 12
"""Elements of a block, however many operands it has. Measured: a call costs half a microsecond, as adding 1000 numbers
that the cache holds does.
"""

THREADS_FROM_SECONDS: Final = 300e-6
"""Seconds that element-wise functions are predicted to take in blocks from which several threads share these. Measured:
handing them out takes 4 microseconds; waking up a thread takes some 50.
"""

THREADS_AT_MOST: Final = 8
"""Threads that share blocks, where there are as many processors. Not measured on record: each call holds the
interpreter's lock for half a microsecond.
"""

FOLDED_BY_HALVES_UP_TO: Final = 64
"""Elements of a dimension up to which each component of tuples is folded by halves rather than by NumPy's reduction.
Measured: rows of 5, 8, 16, 32 and 64 float64 numbers, a million in all, take 0.8, 0.2, 0.2, 0.3 and 0.3 ms by halves,
2.1, 1.5, 0.8, 0.5 and 0.3 by reductions; columns as long as each other.
"""

TURNS_WRITTEN_UP_TO: Final = 64
"""Elements of a sequential reduction up to which each turn is written as calls of NumPy's, for all maps around at once.
Measured: a search by halving for 300,000 numbers takes 14 turns of 2 ms; compiling its kernel takes half a second.
"""

COPIED_APART_BYTES: Final = 8
"""Bytes along the last axis up to which NumPy copies its elements apart, in long loops over the other axes. Measured:
a million rows of two float32 numbers take 0.16 to 0.9 of the time that one call takes, rows of four up to four times.
"""

CORRELATED_UP_TO: Final = 11
"""Elements of windows up to which products of those of a vector with another are NumPy's `correlate`, which has loops
for as many. Measured: 100,000 windows of float64 take 0.12 ms of 3 elements, 0.50 of 11, 2.7 of 12; multiplied as a
matrix 0.82, 1.5 and 1.6.
"""

CORRELATED_AT_ONCE: Final = 1 << 14
"""Places that NumPy's `correlate` is called for at once: it copies what is not to be written to, and a cache holds so
many. Measured: of 100,000 float64 numbers and 3 taps 0.24 milliseconds with 2^13, 0.16 with 2^14 and 2^15, 0.20 with
2^17; of a million 3.3, 3.2, 3.0 and 2.6, with 9 taps 4.8, 5.3, 5.2 and 5.1.
"""

TERMS_IN_A_ROW: Final = 64
"""Terms of a sum of floats that NumPy's calls may add without pairs. Measured: its library's products with a vector err
at most 1.4 times as much as NumPy's sums in pairs up to 64 terms, 2.5 times at 256 and 25 times at 4096.
"""

TERMS_OF_A_PRODUCT: Final = 512
"""Terms of products of a matrix with a vector that are left to NumPy's library at once; of float32 only where there are
as many rows as such parts. Measured: it carries float64 in eight numbers, so that it errs as in a sum of 64 terms. On
two cores beside other work, 4000 x 4000 numbers by a vector take 7.3 ms in parts of 64 terms, 5.5 in parts of 512, 5.0
in parts of 1024 and 4.6 at once; of float32 4.9, 3.5, 2.6 and 1.9.
"""

ROWS_OF_A_PRODUCT: Final = 512
"""Rows of a matrix, row by row in memory, that are multiplied with all parts of a vector before the next ones: NumPy's
library computes a part of so few on one thread, and several threads share them. Measured: processor time on one core,
10,000 x 12,500 float64 numbers take 110 ms with all rows at once, 78 by 512 and 79 by 64, NumPy 71; 4000 x 4000 numbers
11.5, 10.0, 11.1 and 7.8.
"""

TERMS_OF_COLUMNS: Final = 256
"""Terms of a part of products of a vector with columns, as `TERMS_OF_A_PRODUCT` of those with rows; fewer, so that more
columns make up as much. Measured: see `COLUMNS_OF_A_PRODUCT`.
"""

COLUMNS_OF_A_PRODUCT: Final = 1536
"""Columns that are multiplied with a part of a vector at once; threads share the parts, which lie side by side.
Measured: processor time on two cores beside other work, 10,000 x 5000 float64 numbers take 91 ms with all columns in
parts of 512 terms, on the library's threads, which wait for each other after each part, 27 by 1562 in parts of 256, 34
by 781 in parts of 512, NumPy 28; on one core 23, 28, 32 and 24. 1800 x 1400 numbers on one core take 1.1 ms by 1400 and
2.1 by 700, NumPy 1.0 to 1.3.
"""

TERMS_OF_TWO_VECTORS: Final = 1024
"""The same of products of two vectors of float64, which the library carries in more numbers. Measured: of 1024 terms it
errs 0.9 to 1.8 times as much as products that are added in pairs, 6.2 times where signs alternate (of 512 up to 3.2, of
2048 up to 8.6); of 1000 it takes 0.8 microseconds, multiplied and added 2.8.
"""

WIDE_SUMS_BY_PRODUCTS_FROM: Final = 1 << 10
"""Elements of float32 from which sums along some axes may be products with ones of what was converted to float64.
Measured: sums of 8 x 300 x 8 numbers over the 300 take 13 us instead of 54, of 10,000 rows of three 23 instead of 380,
of 16 x 64 3.3 instead of 2.4.
"""

WIDE_SUMS_BY_PRODUCTS_UP_TO: Final = 64
"""Elements that lie side by side, in a row that is added up or beside those that are, up to which they are. Measured:
in blocks, of 100,000 rows of 16 0.9 ms instead of 2.8, of 2000 rows of 32 39 us instead of 76, of 200 of 64 18 instead
of 16, of 2000 of 256 270 instead of 310, of 1000 of 1000 530 instead of 570; of 8 x 1200 x 64 0.4 ms instead of 0.7, of
1000 x 1000 over the first axis 0.9 instead of 0.5.
"""

WIDE_SUMS_BLOCK: Final = 1 << 15
"""Elements of float32 that are converted before they are added up: caches hold them. Measured: with the whole of
2,500 x 1000 rows at once a sum took twice as long, and 20 times beside other processes.
"""

TERMS_MULTIPLIED_AT_MOST: Final = 1 << 15
"""Terms of a product of two vectors of float64, too long for NumPy's library, up to which they are multiplied by one
call and added in pairs by another. Measured: 1.4 microseconds of 2000 terms beside 5.6 in parts, 8.4 of 30,000 beside
10.6, 34 of 100,000 beside 24.
"""

MAKING_SHARE: Final = 0.5
"""Kernels begin to be made in the background once they would have saved this part of what making them costs. They are
waited for once the program has spent all of that cost since then. Measured: beside other processes, the second call of
a horizontal diffusion of 24 million float64 numbers takes 0.5 seconds of processor time (NumPy 0.8), and 2.8 where
kernels begin to be made once the program has spent this part of the cost, whatever they would have saved; second calls
of products of a matrix of 20,000 x 25,000 with two vectors took 1.1 seconds, first ones 0.44.
"""

NOT_MADE_FROM: Final = 2.0
"""How many times NumPy's seconds a run of kernels is predicted to take, by the model of the device, from which they are
not made in the background; below, the two predictions differ by no more than their errors. Measured: processor time
beside other work, of 100 programs of 0.1 to 4 million numbers (functions, stencils, reductions, sorts, gathers) two are
predicted so: `x ** 1.7` of 4 million float32 numbers at 2.5 times, which takes 2.7 times as long, and `x + x.T` of
2000 x 2000 of them at 2.2, which takes 1.4. Those predicted at less of which kernels take longest: `x ** 1.7` of a
million float64 numbers 1.95 and 3.0, `x.T + 1` of 2000 x 2000 1.99 and 5 to 8.
"""

PREDICTED_FROM_SECONDS: Final = 1e-3
"""Seconds that NumPy is predicted to need for a run from which the model of the device is asked so. Not measured on
record: of shorter runs it says more of starting kernels than of what they compute.
"""

MAKING_BESIDE_A_FIRST_RUN: Final = 0.5
"""Seconds of the first run of a program, for each of its kernels, from which these begin to be made beside it: making
takes processors and memory from it. Measured: beside other processes, the first call of a softmax of 64 x 16 x 512 x
512 float32 took 0.9 times as long as NumPy's, 2.0 times with kernels made beside it.
"""

MAKING_SECONDS_AT_MOST: Final = 60.0
"""Seconds after which kernels that are being made in the background are not waited for any more. Not measured on
record.
"""

ENDING_SECONDS: Final = 5.0
"""Seconds that the end of a process waits for a kernel that is being made in the background. Not measured on record."""

ASKING_SECONDS: Final = 0.02
"""Seconds that a program has spent on the reference tier before it is asked whether its kernels are in the cache. Not
measured on record: cutting a graph into kernels and reading the cache takes about as long.
"""

FIRST_ASKING_SECONDS: Final = 0.4
"""Seconds that kernels would have saved a program before it is asked for them in a process in which nothing was
compiled or asked for so far. Measured: importing the compiler and looking for devices takes 0.4 seconds.
"""

LAUNCH_SECONDS: Final = 50e-6
"""Seconds that a program of kernels is taken to cost beside what these compute. Measured: 28 microseconds for a launch
and a wait on PoCL, 14 on Intel's runtime, 12 on an H200, and the host's part.
"""

FURTHER_LAUNCH_SECONDS: Final = 15e-6
"""Seconds for each further kernel of it. Measured: jitted programs of 2, 5 and 17 kernels over 20,000 float32 numbers
take 77, 89 and 291 microseconds.
"""

COMPILED_SPEED: Final = 2.0
"""How many times faster than NumPy's calls kernels are taken to be, launches apart. Measured: 0.7 to 5.6 times, half of
them 2.1 or more, where these go in blocks (6 element-wise functions of 4 million float32 and float64 numbers).
"""

COMPILED_SPEED_ELSEWHERE: Final = 16.0
"""The same where they run on another processor than the host's, for all works. Measured: 4 to 220 times NumPy's speed
on one core, half of them 19 or more (15 programs of a million elements on an H200, launches not apart).
"""

COMPILED_SPEEDS: Final[Mapping[str, float]] = {
    "library product": 1.0,
    "library sort": 1.0,
    "library selection": 0.25,
    "library product by kernels": 0.5,
    "product with itself": 0.5,
    "product with vectors": 0.8,
    "product with long vectors": 1.2,
    "product of float32": 0.5,
    "product of float64": 0.5,
    "transform of float32": 0.3,
    "transform of float64": 0.12,
    "whole numbers": 6.0,
}
"""The same of works that NumPy's libraries do, on CPU devices; one of them may compute products in kernels' place.
Measured: processor time on two cores that others use too; 0.8 to 1.2 for 20 products that the library computes in both
tiers; 0.15 to 0.35 where few numbers of sorted rows are read, where kernels sort; 0.6 of the product of 3200 x 4000
numbers with its own transpose, of which NumPy computes one half; 0.6 to 1.1 for products with vectors, launches apart,
and 1.1 to 1.8 where NumPy forms them in parts; 0.2 to 1.5 for other products of matrices of float32, 0.55 to 0.96 of
float64; 0.2 to 1.0 for transforms of float32, 0.08 to 0.25 for those of float64;
6.8 and 8 for a million and 100,000 uniform random numbers, of 166 calls most of which give integers.
"""

WHOLE_NUMBERS_FROM_CALLS: Final = 64
"""Element-wise calls for a kernel that give integers, from which these are a work of their own, "whole numbers": a
kernel keeps all of them in registers. Measured: random numbers, see `COMPILED_SPEEDS`; not measured for fewer calls.
"""

IN_PLACE_FROM_BYTES: Final = 1 << 20
"""Bytes of a result from which on it may take the memory of an input that dies. Measured: from there on `x = c * x`
takes 0.3 to 0.8 of its time on PoCL; of 64 KiB, which caches hold twice, it took 1.0 to 1.3.
"""

IN_PLACE_MADE_AFTER_BYTES: Final = 1 << 30
"""Bytes of results that could have taken the memory of inputs, after which the kernel that lets them is made. Measured:
making it takes 0.05 to 0.35 seconds on PoCL; `x = c * x` of 64 MiB then saves some 10 milliseconds each time, so that
it is won back in about as many runs again.
"""

IN_PLACE_NESTED_LOOPS_AT_MOST: Final = 6
"""Loops around a statement whose order is tried in all ways, to see that no two turns write the same element; where
there are more, no result takes the memory of an input. Measured: six loops in the worst order take 3 milliseconds,
seven 22.
"""

DYING_VERTICES_AT_MOST: Final = 64
"""Vertices of a call recorded at once that are looked at for a leaf that dies with it; of larger ones none does.
Measured: looking at so many takes 80 microseconds at each evaluation.
"""

PIECES_APART_BYTES: Final = 192
"""Bytes between the pieces of memory in which NumPy's calls compute a block of elements: pieces in step would meet in
the same sets of a cache. Measured: no gain with ten pieces of 8 to 64 KiB on a Zen 5, whose first cache has twelve
ways; not on record for caches of fewer ways.
"""

LONG_INDICES_FROM_LOOPS: Final = 32
"""Sequential maps of a kernel for a CPU whose indices have 64 bits, at least. Measured: PoCL with two cores beside
other work, four steps of 5 points on 4096 x 4096 float32, 107 maps; its first launch, in which it is compiled, takes
3.1 s of processor time instead of 4.4 to 5.7, later ones 27 ms instead of 36.
"""
