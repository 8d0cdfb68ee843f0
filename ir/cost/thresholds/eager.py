"""What is carried out eagerly, during the call, where values exist."""

from __future__ import annotations

from typing import Final

EVALUATING_SECONDS: Final = 50e-6
"""Seconds that finding a program again, asking which tier it has, and handing out its results are taken to cost: where
kernels would save less, its operations are carried out during the call. Measured: beside other work, processor time,
the sum of two arrays of 40,000 float64 numbers takes 115 us recorded and read at each step, 32 eagerly, NumPy 25; of
100,000 240, 80 and 73; adding up 100,000 107, 39 and 35; `(x * 2 + 1) / 3` of 100,000 267, 162 and 116.
"""

AT_ONCE_SECONDS_AT_MOST: Final = 5e-4
"""Seconds of NumPy's calls for all operations of a program up to which these are carried out during the call. Not
measured on record: of what takes longer, finding the program is less than a tenth, and who reads only a part of a
product, or of what is sorted, may need far less.
"""

RUNS_BEFORE_AT_ONCE: Final = 4
"""Times that a program is found again before that is asked. Not measured on record: to write an operation as calls of
NumPy takes about a millisecond.
"""

EAGER_ELEMENTS_AT_MOST: Final = 1 << 15
"""Elements of operands and results up to which element-wise functions, reductions and reads are carried out eagerly
where values exist. Measured: NumPy adds as many float64 numbers in 20 microseconds, about what recording and evaluating
cost.
"""

EAGER_ELEMENTS_IN_LOOPS: Final = 1 << 17
"""The same where an operand is eager already, and of arrays that become eager as soon as a part is written. Not
measured on record.
"""

EAGER_ELEMENTS_ON_CPUS: Final = 1 << 24
"""The same where kernels run on the host's processor and an eager operand has as many elements as the result. Measured:
a step of a two-dimensional finite-difference scheme of a million float64 numbers, whose slices are written to, takes
NumPy 7 ms, recorded 70.
"""

BORROWED_FROM: Final = 1 << 18
"""Elements of an eager array from which element-wise functions of it are recorded, from its own memory. Measured: on
two cores beside other work, a step of five points that is written to slices, float64, once its kernel is made: 380 x
380 0.75 ms, one by one 0.50; 520 x 520 0.7, 1.7 (NumPy 0.7); 1000 x 1000 2.0, 4.6 (5.5); 2000 x 2000 6.5, 27 (28).
"""

ELEMENTS_BEFORE_BORROWING: Final = 1 << 31
"""Elements of arrays of a shape that element-wise functions went through one by one, before they are. Not measured on
record: NumPy takes one to two seconds for as many, as long as kernels take to be made.
"""

COPIES_OF_BORROWED: Final = 2
"""Times that such memory is copied, since somebody wrote to it before all was computed, before functions of it are
carried out one by one. Not measured on record.
"""

CHOSEN_EAGERLY_AT_MOST: Final = 1 << 23
"""Elements of arrays and masks, or of indices, up to which a mask chooses and indices are written to eagerly: how many
there are changes in each turn of a loop, and a program for each is not worth writing. Not measured on record.
"""

JOINED_EAGERLY_FROM: Final = 1 << 6
"""Arrays that exist from which NumPy joins them during the call, though they are not eager: each takes some ten
microseconds to record.
Measured: 100 and 1000 rows of four float64 numbers are stacked in 0.05 and 0.6 milliseconds, recorded in 0.4 and 3.4,
by NumPy in 0.03 and 0.4; 1000 rows of 1000 in 1.4, recorded in 32, by NumPy in 1.3.
"""

EAGER_FUNCTION_ELEMENTS_AT_MOST: Final = 1 << 15
"""Elements of operands up to which other functions are carried out eagerly, and small arrays become eager: as many as
of element-wise functions, which what they give is operands of. Measured: sixty steps of a finite-volume scheme of 128 x
128 float64 numbers, made of `roll` and operators, take NumPy 0.6 seconds of a processor on a busy machine, lazyarr
0.75, and 0.8 in the first run; 1.6 to 1.9, and 2.4 in the first run, where the limit is 8192, twelve runs long.
"""

EAGER_THREADS_FROM_BYTES: Final = 1 << 21
"""Bytes of a result of an element-wise function, carried out eagerly, or of elements that are written, from which
several threads share it. Measured: on two cores, sums of 362 x 362 float64 numbers take 129 us instead of 136, of 512 x
512 218 instead of 280 (without their borders 284 instead of 419), of 2000 x 2000 3.9 ms instead of 9.1; copies of 362
x 362 138 us instead of 45, of 512 x 512 as long, of 850 x 850 323 us instead of 464.
"""

EAGER_SECONDS_AT_MOST: Final = 100e-6
"""Seconds that NumPy's calls for a function are predicted to take up to which it is carried out eagerly. Not measured
on record.
"""

EAGER_READS: Final = 2
"""Operations beside an eager array with which a small array that exists becomes eager, too. Measured: 1000 numbers that
are made of NumPy's and added once take 9.9 us (9.5 where they never become eager, 12.5 where they do at once), twice
17.9 (14.8, 13.9), three times 19.4 (20.0, 15.3), five times 22.0 (30.0, 17.9).
"""

EAGER_USES: Final = 8
"""Small parts that are read of or written to a large array after which it becomes eager. Where they are read its memory
is not copied before something is written. Not measured on record.
"""

EAGER_USES_OF_ANOTHER: Final = 2
"""The same where an array of that shape and dtype became eager before, since its parts were written. Measured: a step
of a two-dimensional finite-difference scheme over three arrays of 800 x 900 float64 numbers takes 7 ms eagerly, 30 to
160 recorded; a second call of 150 steps 1.3 times as long as NumPy instead of 1.6 times.
"""

EAGER_BYTES_A_USE: Final = 1 << 20
"""Bytes of it that each of these must be worth where it is copied, since parts are written. Measured: copying as many
takes as long as recording and evaluating a part, 100 microseconds.
"""

EAGER_PASSES: Final = 4
"""Uses after which a large array becomes eager that, recorded, each cost a pass over it, as becoming eager does: writes
by a mask or by indices, choices by a mask from complex numbers, small parts that are written when the earlier ones have
been read. Measured: 100 turns of a loop in which masks choose from 833 x 833 complex numbers take 1.5 times as long as
NumPy's, 2.4 times where these become eager after 11 writes, and what is only read or counted never does; a filter that
goes along the columns and rows of 3000 x 6000 numbers 1.0 times, 2.0 where they do after 144 uses.
"""

EAGER_BYTES_AT_MOST: Final = 1 << 28
"""Bytes of an array up to which it may become eager where it is copied for that. Not measured on record: what is only
read is not copied, however large.
"""

LENT_BYTES_A_PART: Final = 1 << 13
"""Bytes of lent memory that each part taken of it is worth copying. Measured: a part of lent memory takes a microsecond
longer than one of memory that was copied, which takes as long as copying 8 KiB.
"""

PENDING_CALLS_AT_MOST: Final = 16
"""Recorded calls that lie one on the other up to which a small operand is computed for an eager one. Not measured on
record.
"""

BYTES_READ_AS_TEXT: Final = 1 << 14
"""Bytes of an eager array up to which NumPy reads a copy of it in Python's bytes, which nobody can write to. Measured:
`tobytes` takes 0.05 microseconds for 80 bytes and 0.13 for 8,000, a copy that is made read-only 0.23 and 0.40; as long
for 32,000 bytes.
"""
