"""Universal functions with `out` and `where` of integers and numbers that their dtype does not hold.

NumPy 2.4 ends the process where it compares those with a mask.
"""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import lazyarr as la

PROGRAM = """
import sys
import numpy as np
import lazyarr as la

dtype = sys.argv[1]
la.config(tier="auto", tune="off")


def eager(v):
    made = la.zeros(v.shape, dtype=v.dtype)
    made[...] = v
    return made


calls = {
    "whole": (lambda f, x, value, out, where: f(x, value, out=out, where=where), lambda out: out),
    "backwards": (lambda f, x, value, out, where: f(x[::-1], value, out=out, where=where), lambda out: out[:, ::-1]),
    "from the right": (lambda f, x, value, out, where: f(value, x, out=out, where=where), lambda out: out.T[:, ::-1].T),
}
mask = np.array([True, False, True, True, False, False, True])
for n in (1, 5, 40, 400):
    x, where = np.arange(n).astype(dtype), np.resize(mask, (2, n))
    for value in (300 if dtype in ("int8", "uint8") else 1 << 70, -1 << 70, 3):
        for name in ("less", "less_equal", "greater", "greater_equal", "equal", "not_equal"):

            def compared(a, b, out, where):
                np.copyto(out, getattr(np, name)(a, b), where=where)

            for write, part in calls.values():
                out, wanted = eager(np.zeros((2, n), bool)), np.zeros((2, n), bool)
                write(getattr(la, name), eager(x), value, part(out), where)
                write(compared, x, value, part(wanted), where)
                assert (np.asarray(out) == wanted).all(), (n, value, name)
"""


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "int64", "uint64"])
def test_numbers_beyond_the_dtype_are_compared_where_a_mask_holds(dtype):
    ended = subprocess.run([sys.executable, "-c", PROGRAM, dtype], capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_numbers_that_the_dtype_holds_are_compared_by_numpy_in_the_memory_that_is_there():
    x, out, mask = (la.zeros(3, dtype=dtype) for dtype in ("int8", "bool", "bool"))
    for each in (x, out, mask):
        each[...] = 1
    before = out.host
    for value in (127, -128, True, 2.5):
        la.less(x, value, out=out, where=mask)
        assert out.host is before and out.value is before and np.asarray(out).all() == (value > 1)
