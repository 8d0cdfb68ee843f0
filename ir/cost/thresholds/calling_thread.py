"""Which programs run in the thread that calls them, where PoCL's threads would have to be woken."""

from __future__ import annotations

from typing import Final

IN_THREAD_SECONDS_AT_MOST: Final = 60e-6
"""Seconds of one core up to which the kernels of a program run in the thread that calls it. Not measured on record.
"""

IN_THREAD_SECONDS_A_KERNEL: Final = 10e-6
"""Seconds by which that grows with each further kernel. Not measured on record.
"""

IN_THREAD_WORK_AT_MOST: Final = 1 << 20
"""Elements of work of a kernel, or of those of a program, above which it is not asked what one core takes: longer.
Not measured on record.
"""

IN_THREAD_LOCAL_BYTES_AT_MOST: Final = 1 << 16
"""Bytes of local memory of a kernel that runs there: they lie on the thread's stack, which may be small. Not measured
on record.
"""
