"""What compiling costs, and what a trial of a search does."""

from __future__ import annotations

from typing import Final

FIRST_COMPILING_SECONDS: Final = 0.6
"""Seconds beside these for the first kernel of a process. Measured: on PoCL 0.2 seconds for importing what compiles,
0.05 for the header of its compiler, 0.4 for its built-in functions.
"""

COMPILING_SECONDS: Final = 0.08
"""Seconds of a processor that compiling a kernel is taken to cost, however small. What the host's library computes
costs nothing. Measured: 99 kernels on PoCL, of which half are predicted within 0.3 with the next two; from 0.06 seconds
for `x + y` to 0.35 for a softmax of rows and 0.57 for a sort in tiles. Building takes 0.03 to 0.06 of them, deriving
and generating 0.01 to 0.15, the first launch the rest.
"""

COMPILING_SECONDS_A_CALL: Final = 0.0015
"""The same for each call of NumPy that does what a program does. Measured: 0.0012 to 0.0017 by least squares of
relative errors, over 65 programs of one to ten kernels and 1 to 350 calls.
"""

KERNELS_COMPARED_FROM: Final = 4
"""Kernels of a program from which on those that are the same are told apart from those that differ. Not measured on
record: comparing them takes some 20 microseconds for each of NumPy's calls.
"""

CALLS_COMPARED: Final = 4
"""NumPy's calls, one made of the other, by which two kernels are told apart: with more, the first turns of a loop in
Python differ from the later ones. Not measured on record.
"""

TRANSFER_SECONDS_PER_BYTE: Final = 2e-10
"""Seconds that it takes to bring a byte to a device with memory of its own. Measured: 80 MB to an H200
and back in 41 to 54 milliseconds.
"""

COMPILING_SECONDS_A_NODE: Final = 0.0002
"""The same for each node of a low-level expression. Measured: 0.00019, by least squares of relative errors over the 99
kernels, of 15 to 650 nodes; the length of the source says it a little better (half of them within 0.245 instead of
0.3), but is not known before it is generated.
"""

RUNS_OF_A_TRIAL: Final = 4
"""Runs of a candidate that trying it costs: checked, and timed until the median is stable. Measured: 4 of one that
takes longer than a tenth of a second.
"""

RUNS_IN_TURNS: Final = 5
"""Runs of each of the best few when these are measured again, in turns. Measured: 5 of one that takes longer than a
fiftieth of a second, which needs no other run to warm up.
"""

CANDIDATES_OF_A_SEARCH: Final = 2
"""Candidates that must fit into the seconds of a search on first call, as they are predicted, each compiled, tried and
measured in turns; else the search waits for later calls. Measured: on PoCL the first call of a product of 7000 x 8000
by 8000 x 7500, of which a run takes 6 seconds, took 58 seconds with searches of at most 10 seconds.
"""

RUNS_OF_A_COMPARISON: Final = 14
"""Runs of a kernel that a candidate for its lengths alone costs: checked, measured, then measured in turns with it. On
a first call they must fit into `SPECIALISING_SECONDS`, or wait for later calls. Measured: 4 and two times 5 of one
that takes longer than a fiftieth of a second.
"""
