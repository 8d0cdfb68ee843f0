"""Each of PoCL's threads on a processor of its own.

PoCL has a thread for each processor, and all of them sleep between two launches, as does the host's thread during one.
Linux places a thread when it wakes up. The first two are often put on one processor, since the other one is still busy
with the host's thread, which then goes to sleep: half of the processors idle for as long as the scheduler's next look
around takes, which is longer than most kernels. Measured on two cores, free and bound in turns: a sum of two vectors
of 4 Mi elements in a loop 2.1 ms and 1.3 bound, a step of conjugate gradients for a matrix of 64 MiB 3.2 and 1.8, after
20 ms of rest 4.2 and 3.6. Beside several busy processes it took 8.1 and 6.4.

What it costs: a bound thread cannot flee from another process. Kernels of one work-group, of two processes at once,
took 0.6 to 0.9 ms, and 0.85 to 1.05 bound. Launches of few elements in a loop, some 30 microseconds, took up to seven
more.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

__all__ = ["places", "threads_apart"]

_SETTING = "POCL_AFFINITY"
"""PoCL's own variable for this: who sets it has decided. It binds to processors that the process may not use, too."""


@contextlib.contextmanager
def threads_apart() -> Iterator[None]:
    """PoCL's threads that start within are bound to a processor each, those that the caller may run on.

    Any other thread that starts meanwhile is taken for one of them: then their number is wrong, and none is bound. Only
    where PoCL runs already could a pool of as many threads as processors be mistaken for it.
    """
    before = None if _SETTING in os.environ else _threads()
    yield
    if before is None:
        return
    for thread, processor in places(sorted(_threads() - before), os.sched_getaffinity(0)).items():
        with contextlib.suppress(OSError):  # it has ended, or nobody may: nothing but time is lost
            os.sched_setaffinity(thread, {processor})


def places(threads: list[int], processors: set[int]) -> dict[int, int]:
    """The processor of each thread, by the thread's number.

    Empty where the numbers of the two differ. With more threads than processors some of them are not PoCL's, or the
    process may use a part of the machine only. With fewer the user wants few of them: bound, those of several processes
    would crowd on the first processors.
    """
    if len(processors) < 2 or len(threads) != len(processors):
        return {}
    return dict(zip(threads, sorted(processors), strict=True))


def _threads() -> frozenset[int]:
    """The threads of this process; none where the system does not list them, or binds no threads."""
    if sys.platform != "linux":
        return frozenset()
    try:
        return frozenset(int(path.name) for path in Path("/proc/self/task").iterdir())
    except OSError:
        return frozenset()
