"""Kernels that differ in names alone are written once, and launched on each one's buffers."""

from __future__ import annotations

import pytest

from ir.core.notation.parser import parse
from ir.core.types import FLOAT32, array_of
from ir.core.verify import verify_low_level
from ir.opencl.generate import generate
from ir.opencl.passes.equal_kernels import but_for_names
from ir.opencl.tree import Block, Function, Statement
from tests.ir.opencl.running import check
from tests.ir.schedules.zoo import N

ROWS = {"xs": array_of(FLOAT32, N)}
TWICE = "mapGlobal (λx. x * 2 + 1) (toGlobal (mapGlobal (λx. x * 2 + 1) (toGlobal (mapGlobal (λx. x * 2 + 1) xs))))"
OTHERS = "mapGlobal (λx. x * 2 + 1) (toGlobal (mapGlobal (λx. x * 3 + 1) (toGlobal (mapGlobal (λx. x * 2 + 1) xs))))"


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (TWICE, ["lazyarr_0", "lazyarr_0", "lazyarr_0"]),
        (OTHERS, ["lazyarr_0", "lazyarr_1", "lazyarr_0"]),
    ],
)
def test_equal_kernels_are_written_once(text, names, device):
    e = parse(text, ROWS, {"n": N})
    verify_low_level(e)
    program = generate(e)
    assert [kernel.name for kernel in program.kernels] == names
    assert program.source.count("__kernel") == len(set(names))
    results = [kernel.result for kernel in program.kernels]
    assert len(set(results)) == len(results)  # each has a buffer of its own
    check(device, e, e, {"n": 37}, exact=True)


def function(name: str, *arguments: str, does: str) -> Function:
    return Function(name, [f"__global float* restrict {argument}" for argument in arguments], Block([Statement(does)]))


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        (function("f", "x", "y", does="y[0] = x[0];"), function("g", "a", "b", does="b[0] = a[0];"), True),
        (function("f", "x", "y", does="y[0] = x[0];"), function("g", "a", "b", does="a[0] = b[0];"), False),
        (function("f", "x", "y", does="y[0] = x[0];"), function("g", "x", "z", does="z[0] = x[1];"), False),
        # a component of a vector is no argument, whatever it is called
        (function("f", "s0", does="s0[0] = v.s0;"), function("g", "s1", does="s1[0] = v.s1;"), False),
        (function("f", "s0", does="s0[0] = v.s1;"), function("g", "x", does="x[0] = v.s1;"), True),
    ],
)
def test_names_of_the_kernel_and_its_arguments_do_not_tell_kernels_apart(one, other, equal):
    assert (but_for_names(one) == but_for_names(other)) is equal
