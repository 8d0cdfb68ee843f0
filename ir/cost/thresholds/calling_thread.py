"""Which programs run in the thread that calls them, where PoCL's threads would have to be woken."""

from __future__ import annotations

from typing import Final

IN_THREAD_SECONDS_AT_MOST: Final = 80e-6
"""Seconds of one core up to which the kernel of a program runs in the thread that calls it. Measured: PoCL on two cores
of a Zen 5, jitted functions of float32, called and read: predicted at up to 10 microseconds they take 17 to 30 there,
60 to 110 on PoCL's threads; at 70 to 130 half to nine tenths as long; from 190 to 370 on as long or longer. In chains
of 50 that nobody reads in between, at 96 microseconds 78 and 79, at 124 81 and 80.
"""

IN_THREAD_SECONDS_A_KERNEL: Final = 15e-6
"""Seconds by which that grows with each further kernel of the program. Measured: what one more launch costs on PoCL's
threads (`FURTHER_LAUNCH_SECONDS`); three kernels predicted at 168 microseconds take 140 in the thread, 215 on these.
"""

IN_THREAD_WORK_AT_MOST: Final = 1 << 20
"""Elements of work of a kernel, or of those of a program, above which it is not asked what one core takes: longer.
Measured: a sum of 800,000 float32, of which caches hold all, is predicted at 77 microseconds.
"""

IN_THREAD_ELEMENTS: Final = 1 << 17
"""Elements of a program's longest array up to which its kernels are guessed to run there, before they are planned: for
that thread or the others PoCL's compiler is made ready meanwhile. A wrong guess costs some of a first call. Measured:
what is predicted to run there are `x + 1` and sums of 260,000 float32, and `exp` of 16,000.
"""

IN_THREAD_LOCAL_BYTES_AT_MOST: Final = 1 << 16
"""Bytes of local memory of a kernel that may run there: PoCL takes them from the thread's stack. Not measured on
record.
"""

IN_THREAD_LAUNCH_SECONDS: Final = 10e-6
"""Seconds that a program of kernels in the calling thread is taken to cost beside what these compute. Measured: jitted
functions of 100 float32 take 16 to 17 microseconds there, 10 to 11 by NumPy's calls.
"""

IN_THREAD_FURTHER_LAUNCH_SECONDS: Final = 2e-6
"""Seconds for each further kernel of it. Measured: 2 microseconds from a launch to its end.
"""
