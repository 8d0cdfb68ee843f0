"""The simulator finds what it is there to find, through lazyarr's own buffers and launches."""

import subprocess

import pytest

from tests import oclgrind

pytestmark = pytest.mark.skipif(not oclgrind.available(), reason="Oclgrind is not installed")

RUN = """
import numpy as np
from lazyarr.runtime import default_device
device = default_device()
assert device.simulator
source = '''{source}'''
a = device.wrap(np.arange(64, dtype=np.float32))
out = device.allocate(64 * 4)
device.build(source).kernel("k", ["buffer", "buffer"]).launch((64,), (16,), (a, out)).wait()
{check}
"""


def report(body: str, check: str = "") -> str:
    source = f"__kernel void k(__global const float *a, __global float *out) {{ int i = get_global_id(0); {body} }}"
    return oclgrind.run(RUN.format(source=source, check=check))


def test_a_clean_kernel_reports_nothing():
    check = "assert (out.to_numpy('f4', (64,)) == np.arange(64) * 2).all()"
    assert report("out[i] = a[i] * 2;", check) == ""


def test_a_race_is_reported():
    assert "race" in report("out[0] = a[i];").lower()


def test_a_race_in_local_memory_is_reported():
    body = "__local float t[16]; t[get_local_id(0)] = a[i]; out[i] = t[15 - get_local_id(0)];"
    assert "race" in report(body).lower()


@pytest.mark.parametrize("body", ["out[i + 1] = a[i];", "out[i] = a[i + 1];"])
def test_an_access_out_of_bounds_is_reported(body):
    assert "Invalid" in report(body)


def test_an_uninitialised_read_is_reported():
    assert "ninitialized" in report("out[i] = out[i] > 0 ? a[i] : 1;")


def test_a_failing_snippet_is_an_assertion_error():
    with pytest.raises(AssertionError, match="deliberate"):
        oclgrind.run("raise SystemExit('deliberate')")


QUOTIENT_AND_REMAINDER = """
import numpy as np
from lazyarr.runtime import default_device
device = default_device()
source = '''__kernel void k(__global const int *a, __global int *out, int n) {
    int i = get_global_id(0); out[i] = a[i] / n + a[i] % n;
}'''
a, out = device.wrap(np.arange(64, dtype=np.int32)), device.allocate(64 * 4)
device.build(source).kernel("k", ["buffer", "buffer", "int32"]).launch((64,), (16,), (a, out, 7)).wait()
"""


def test_integer_division_does_not_stop_the_simulator():
    right = 'assert (out.to_numpy("i4", (64,)) == np.arange(64) // 7 + np.arange(64) % 7).all()'
    assert oclgrind.run(QUOTIENT_AND_REMAINDER + right) == ""


def test_without_the_workaround_integer_division_would():
    """When this fails, the simulator knows `freeze`, and the build option in `tests/oclgrind.py` can go."""
    log = oclgrind.run(QUOTIENT_AND_REMAINDER, environment={"OCLGRIND_BUILD_OPTIONS": ""})
    assert "Unsupported instruction: freeze" in log


def test_reading_waits_once_for_a_device_with_memory_of_its_own():
    """What is read is enqueued behind the work that makes it."""
    check = """
import pyopencl as cl
from lazyarr.runtime.queues import Queue
order, copied, finish = [], cl.enqueue_copy, Queue.finish
cl.enqueue_copy = lambda *args, **keywords: order.append("copy") or copied(*args, **keywords)
Queue.finish = lambda self: order.append("finish") or finish(self)
device.build(source).kernel("k", ["buffer", "buffer"]).launch((64,), (16,), (a, out))
assert (out.to_numpy("f4", (64,)) == np.arange(64) * 2).all()
assert out.element("f4", 5) == 10
assert order == ["copy", "finish"] * 2, order
assert not device.queue.pending
"""
    assert report("out[i] = a[i] * 2;", check) == ""


def test_codes_run_apart_and_one_that_takes_too_long_is_ended():
    """All are forks of one process."""
    assert oclgrind.run("import builtins\nbuiltins.left = 1") == ""
    assert oclgrind.run("import builtins\nassert not hasattr(builtins, 'left')") == ""
    with pytest.raises(subprocess.TimeoutExpired):
        oclgrind.run("import time\ntime.sleep(600)", timeout=0.2)
    assert oclgrind.run("import os", environment={"OCLGRIND_OTHER": "1"}) == ""
    assert oclgrind.run("import os\nassert 'OCLGRIND_OTHER' not in os.environ") == ""


def test_what_is_interrupted_or_killed_gives_the_next_code_no_answer(monkeypatch):
    def interrupted(*arguments):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(oclgrind.select, "select", interrupted)
        with pytest.raises(KeyboardInterrupt):
            oclgrind.run("import time\ntime.sleep(1)\nraise SystemExit(7)")
    assert oclgrind.run("") == ""
    with pytest.raises(AssertionError, match="exit status -9"):
        oclgrind.run("import os\nos.kill(os.getppid(), 9)\nimport time\ntime.sleep(600)")
    assert oclgrind.run("") == ""
