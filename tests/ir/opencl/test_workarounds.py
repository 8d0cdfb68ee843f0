"""What compilers get wrong is generated in the form that they get right."""

from __future__ import annotations

import pytest

from ir.opencl.generate import generate
from ir.opencl.tree import Barrier, Block, Declare, Function, If, Loop, Statement, render
from ir.opencl.workarounds import GUARDED_BARRIERS, WORKAROUNDS, work_around
from ir.strategies.candidates import Candidates
from tests.ir.opencl.running import check
from tests.ir.strategies.zoo import SUMS

TREE = {"schedule": "tree", "groups": 8, "local": 32, "width": 1, "ways": 1, "one_kernel": 0}


def guarded(body: Block) -> Block:
    """A statement, and a guarded one whose guard is the only turn of a loop over the groups."""
    loop = Loop("int", "group0", "(int)get_group_id(0)", "n", "(int)get_num_groups(0)", body)
    return Block(
        [Statement("a[0] = 1"), Declare("int", "group0", "(int)get_group_id(0)"), If("group0 < n", body, loop=loop)]
    )


def test_a_guarded_barrier_stands_in_a_loop():
    function = Function("f", [], guarded(Block([Statement("b[0] = 1"), Barrier()])))
    before = render(function)
    assert work_around(function, ()) == []
    assert render(function) == before
    assert work_around(function, WORKAROUNDS) == [GUARDED_BARRIERS]
    text = render(function)
    assert "for (int group0 = (int)get_group_id(0); group0 < n; group0 += (int)get_num_groups(0)) {" in text
    assert "if (" not in text
    assert text.count("int group0") == 1


def test_a_guard_without_barrier_stays():
    function = Function("f", [], guarded(Block([Statement("b[0] = 1")])))
    before = render(function)
    assert work_around(function, WORKAROUNDS) == []
    assert render(function) == before
    assert "if (group0 < n)" in before


def test_a_program_says_what_was_changed():
    low = Candidates.of(SUMS[0].expr).derive(TREE).result
    anywhere, plain = generate(low), generate(low, workarounds=())
    assert anywhere.workarounds == (GUARDED_BARRIERS,)
    assert plain.workarounds == ()
    assert anywhere.source != plain.source
    assert anywhere.kernels == plain.kernels


@pytest.mark.parametrize("length", [33, 255, 300, 1125, 5000])
def test_several_guarded_barriers_after_each_other(length, device):
    """The tree over a ragged length: PoCL 3.0 computes something else where these guards are conditionals."""
    case = SUMS[0]
    low = Candidates.of(case.expr).derive(TREE).result
    check(device, case.expr, low, {"n": length}, exact=True)
