"""How many random numbers are drawn at once, and by what."""

from __future__ import annotations

from typing import Final

DRAWN_AT_ONCE_AT_MOST: Final = 3 << 11
"""Blocks of random words up to which numbers whose parameters exist are drawn when they are asked for, and are eager;
more are recorded. Measured: beside other work, `normal` of 2048, 5000, 8192 and 16384 float64 takes 220, 312, 454 and
808 us of processor time at once, 246, 373, 382 and 444 recorded and computed, `random` 160, 213, 498 and 1051 beside
156, 199, 244 and 370; of 3 numbers 20 at once, 150 recorded, and 5000 to 11000 where what is computed with them is
written anew.
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
"""Random numbers that a generator draws ahead for small arrays of a loop, at most. Measured: an EPYC beside other work,
`random` of 10 float64, drawn each time: 269 us of processor time; 256 at once: 25, 1024: 15, 4096: 12. 1024 take
0.24 ms.
"""

DRAWN_AHEAD_FOR_AT_MOST: Final = 128
"""Elements of an array up to which its random numbers are drawn with others. Measured: likewise, `random` of 128:
268 us drawn each time, 38 of 1024 at once; of 1024 elements 4096 at once won half.
"""

DRAWN_AHEAD_KINDS: Final = 64
"""Distributions of a generator of which numbers are kept, those used last. Measured: beside other work, loops that
draw three normal numbers from 1 to 64 in turns take 25 to 40 us of processor time a draw, from 65 207; with 8 kept,
from nine 219, from 16 333. Of each 8 KiB are kept.
"""
