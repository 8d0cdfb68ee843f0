"""Oclgrind's mistake about buffers that take the place of released ones, and that it does not reach our reports."""

from __future__ import annotations

import pytest

from tests import oclgrind

CODE = """
import numpy as np
import pyopencl as cl
from lazyarr.runtime import default_device

device = default_device()
source = "kernel void k(global const int* a, global int* b) { b[64] = 0; b[64] = b[64] + 1; }"
kernel = cl.Program(device.context, source).build("-cl-opt-disable").k

ours = {
    "input": lambda length: device.wrap(np.zeros(length, np.int32), copy=True).handle,
    "output": lambda: device.allocate(4 * 80).handle,
}
filled = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
plain = {
    "input": lambda length: cl.Buffer(device.context, filled, hostbuf=np.zeros(length, np.int32)),
    "output": lambda: cl.Buffer(device.context, cl.mem_flags.READ_WRITE, 4 * 80),
}
for length in (1, 4, 64):
    a = MAKE["input"](length)  # and the one before is released: the next buffer takes its place
    b = MAKE["output"]()
    kernel(device.queue.handle, (1,), (1,), a, b)
    device.queue.handle.finish()
"""


@pytest.mark.skipif(not oclgrind.available(), reason="Oclgrind is not installed")
@pytest.mark.parametrize("make", ["ours", "plain"])
def test_released_buffers_confuse_the_simulator(make):
    report = oclgrind.run(CODE.replace("MAKE", make))
    assert ("Uninitialized value" in report) == (make == "plain")
