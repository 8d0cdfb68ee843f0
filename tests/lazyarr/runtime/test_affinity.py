"""PoCL's threads have a processor each, and nobody else is bound."""

import json
import os
import sys

import pytest

from lazyarr.runtime import default_device
from lazyarr.runtime.affinity import places
from tests.lazyarr.runtime.processes import python

# What a process, and each thread that starts when devices are looked for, may run on.
LOOK = """
import json, os
{before}
import numpy, pyopencl
def threads():
    return {{int(name) for name in os.listdir("/proc/self/task")}}
before = threads()
from lazyarr.runtime import devices, default_device
devices()
devices()  # once more: nothing changes
assert default_device().is_pocl
started = sorted(threads() - before)
print(json.dumps([sorted(os.sched_getaffinity(0)), *(sorted(os.sched_getaffinity(thread)) for thread in started)]))
"""

needs_pocl = pytest.mark.skipif(
    sys.platform != "linux"
    or not default_device().is_pocl
    or not 1 < default_device().limits.compute_units == len(os.sched_getaffinity(0)),
    reason="PoCL's threads are bound on Linux, where there are several processors, and the process may use them all",
)


def found(before: str = "", **environment: str) -> tuple[list[int], list[list[int]]]:
    """What the process may run on, and what each of the threads."""
    own, *started = json.loads(python(LOOK.format(before=before), **environment))
    return own, started


@needs_pocl
def test_each_thread_of_pocl_has_a_processor_of_its_own(monkeypatch):
    monkeypatch.delenv("POCL_AFFINITY", raising=False)
    allowed = sorted(os.sched_getaffinity(0))
    own, started = found()
    assert own == allowed
    assert sorted(started) == [[processor] for processor in allowed]


@needs_pocl
def test_who_sets_pocls_variable_has_decided():
    allowed = sorted(os.sched_getaffinity(0))
    own, started = found(POCL_AFFINITY="0")
    assert own == allowed
    assert started
    assert all(processors == allowed for processors in started)


@needs_pocl
def test_no_thread_leaves_the_processors_of_the_process(monkeypatch):
    monkeypatch.delenv("POCL_AFFINITY", raising=False)
    last = max(os.sched_getaffinity(0))
    own, started = found(f"os.sched_setaffinity(0, {{{last}}})")
    assert own == [last]
    assert started
    assert all(processors == [last] for processors in started)


def test_threads_are_bound_where_there_is_one_for_each_processor():
    assert places([70, 71, 75], {8, 3, 5}) == {70: 3, 71: 5, 75: 8}
    assert places([70, 71, 75], {3, 5}) == {}
    assert places([70, 71], {3, 5, 8}) == {}
    assert places([70], {3}) == {}
    assert places([], set()) == {}
