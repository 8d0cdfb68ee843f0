"""How many random numbers are drawn at once, and by what."""

from __future__ import annotations

from typing import Final

DRAWN_AT_ONCE_AT_MOST: Final = 128
"""Blocks of random words up to which numbers whose parameters exist are drawn when they are asked for, and are eager;
more are recorded. Measured: `random` of 128, 129, 256, 512 and 2000 float64 takes 8 (of numbers drawn ahead), 46, 71,
98 and 226 us at once, 29 to 50 with a kernel that is known and 110 to 140 where it is tried how to compute them;
`normal` 10, 60, 87, 120 and 273 beside 54 to 127 and 155 to 180; of 3 numbers 27 at once, and 5000 to 11000 recorded
where what is computed with them is written anew.
"""

WORDS_IN_AN_INTEGER_AT_MOST: Final = 256
"""Blocks of random words up to which all lie in one Python integer. Measured: 1, 16, 64, 256 and 512 blocks take 6, 9,
19, 57 and 104 us so, 51, 67, 68, 78 and 91 with NumPy.
"""

DRAWN_AHEAD_GROWTH: Final = 4
"""Times as many numbers that a generator draws ahead as it did before. Measured: three normal numbers take 20 us, 1024
take 135: who asks twice pays 40 in place of 155, who asks again and again 5.7 a draw, of which drawing is 0.4.
"""

DRAWN_AHEAD: Final = 1024
"""Random numbers that a generator draws ahead for small arrays of a loop, at most. Measured: `random` of 10 float64
takes 27 us drawn each time, 3.5 with 256, 1024 or 4096 drawn ahead; of 128 29 with 256, 5.5 with 1024, 3.9 with 4096.
To draw 1024 takes 113, of `normal` 147.
"""

DRAWN_AHEAD_FOR_AT_MOST: Final = 128
"""Elements of an array up to which its random numbers are drawn with others. Measured: `random` of 128 takes 5.5 us
where 1024 are drawn at once, of 129 drawn each time 46; of 1024 elements 4096 at once won half.
"""

DRAWN_AHEAD_KINDS: Final = 64
"""Distributions of a generator of which numbers are kept, those used last. Measured: loops that draw three normal
numbers from 1 to 64 in turns take 5.0 to 5.5 us a draw, from 65 27; with 8 kept, from nine or more 26. Of each 8 KiB
are kept.
"""

DRAWN_AHEAD_OF_LARGER: Final = 4096, 32768
"""Random numbers that a generator draws ahead for larger arrays of a loop, once as many were asked for. Each size is a
program of NumPy's calls, which takes 3 ms to write. Measured: processor time, in a loop that draws 200, 1000 and
10,000 float64 numbers each draw takes 27, 43 and 182 us of `random` and 42, 52 and 383 of `standard_normal` once there
is a kernel, where it took 206, 177 and 349 and 194, 182 and 683 drawn alone; NumPy's calls take 42 ns for each of
32,768 uniform numbers, and 73 of 100,000.
"""

DRAWN_AHEAD_FOR_LARGER_AT_MOST: Final = 16384
"""Elements of an array up to which its random numbers are drawn with others by what carries recorded programs out.
Measured: draws of 16,384 take 370 us of `random` and 740 of `standard_normal` so, and 400 and 810 drawn alone.
"""
