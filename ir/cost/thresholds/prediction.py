"""What the predicted times of candidates decide: which of them a search tries first, and when it ends."""

from __future__ import annotations

from typing import Final

NOT_WORTH_TRYING: Final = 6
"""Times the shortest predicted time from which a schedule's default is no seed of a search. Measured: of 328 kernels
on two devices (`docs/cost_model.md`) the fastest schedule was predicted at most 4.9 times as slow as the predicted
best, but for one at most 4.5.
"""

RIVAL_TAKES_AT_MOST: Final = 0.9
"""Of the predicted time of a default that of a rival which comes instead. Measured: on an H100, of 60 reductions of
columns that nothing was fitted to, 25 by a warp for each, which are predicted at 0.55 to 0.89 of two kernels, take 0.31
to 0.83 of their time; 8 by a tree, predicted at 0.43 to 0.89, 0.28 to 0.87; 7 of at most 128 elements by one part,
predicted at 0.73 to 0.85, 0.51 to 0.77. One part of 400 x 30000 is predicted at 0.74 to 0.85 and takes 1.3 to 3.7: of
longer columns it is no rival. With 2500 x 1000 the warp is predicted at 0.89 to 1.04, and takes 0.54 to 0.60.
"""

OTHER_TAKES_AT_MOST: Final = 0.7
"""The same where the rival is any other schedule for the same rows on a GPU. Measured: on an H100, of 148 kernels, the
first one of the order takes 1.064 times as long as the fastest (geometric mean; 1.95 at most), the default that this
leads to 1.034 (1.57). With 0.8 one part of 400 x 30000, predicted at 0.74, would come, as above.
"""

BOUND_FROM_BYTES: Final = 1 << 26
"""Bytes that a kernel reads and writes from which on it is certain that they come from memory, and not from a cache.
Not measured on record: the last caches of most processors have less.
"""

DIVISION_TAKES: Final = 6
"""Additions that take the time of a division of vectors, in functions that are arithmetic of our own and were not
measured. Not measured on record.
"""

CALLS_OF_A_BENCHMARK: Final = 4
"""Calls of a function for each element of a benchmark, so that memory is not waited for. Not measured on record.
"""

GOOD_ENOUGH: Final = 1.1
"""Times the time in which a device moves so many bytes at which a search ends: nothing is left to be found. Not
measured on record.
"""

UNKNOWN_TURNS: Final = 8
"""Turns that a loop is taken to have whose number only the data say. Not measured on record.
"""

BOXES_OF_A_ROW: Final = 3
"""Places at even distances that are taken for those of a loop which is written out. Not measured on record: two are at
an even distance always.
"""

WAITS_FOR_A_DIVISION: Final = 4
"""Additions that a division is counted as in a statement that an accumulator waits for: for the logarithm of their
number. Not measured on record.
"""

WAITS_FOR_A_FUNCTION: Final = 8
"""The same of a function. Not measured on record."""

WAITS_FOR_A_CHOICE: Final = 0.5
"""Additions that are waited for in a statement of comparisons and choices alone. Not measured on record."""
