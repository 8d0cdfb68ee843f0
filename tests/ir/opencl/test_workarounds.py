"""What compilers get wrong is generated in the form that they get right."""

from __future__ import annotations

import numpy as np
import pytest

from ir.core.notation.parser import parse
from ir.core.types import ScalarType, array_of
from ir.opencl.generate import generate
from ir.opencl.passes.workarounds import GUARDED_BARRIERS, WORKAROUNDS, work_around
from ir.opencl.tree import Barrier, Block, Declare, Function, If, Loop, Statement, render
from ir.schedules.candidates import Candidates
from tests.ir.opencl.running import check
from tests.ir.schedules.zoo import SUMS
from tests.tiers import by_tier

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
    assert work_around(function, ()) == (function, [])
    changed, applied = work_around(function, WORKAROUNDS)
    assert applied == [GUARDED_BARRIERS]
    assert render(function) == before  # it may be kept
    text = render(changed)
    assert "for (int group0 = (int)get_group_id(0); group0 < n; group0 += (int)get_num_groups(0)) {" in text
    assert "if (" not in text
    assert text.count("int group0") == 1


def test_a_guard_without_barrier_stays():
    function = Function("f", [], guarded(Block([Statement("b[0] = 1")])))
    before = render(function)
    assert work_around(function, WORKAROUNDS) == (function, [])
    assert "if (group0 < n)" in before


@pytest.mark.slow
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
    check(device, case.expr, low, {"n": length}, exact=True, optimised=True)


NEGATIONS = ("negative(x)", "0:T - x", "x * (-1:T)", "bitwise_invert(x) + 1:T")


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64"])
@pytest.mark.parametrize("negation", NEGATIONS)
def test_minima_and_maxima_of_negated_integers(negation, dtype, device):
    """NVIDIA's compiler loses signs where two of them become one instruction."""
    info = np.iinfo(dtype)
    text = negation.replace("T", dtype)
    for n in by_tier((3,), (3, 33), (3, 5, 8, 33)):
        types = {"xs": array_of(ScalarType(dtype), n)}
        for fold, start in (("maximum", info.min), ("minimum", info.max)):
            e = parse(f"reduce (λ(a, x). {fold}(a, x)) ({start}:{dtype}) (map (λx. {text}) xs)", types)
            candidates = Candidates.of(e)
            for width in (1, 2):
                low = candidates.derive({"schedule": "sequential", "width": width, "ways": 1}).result
                check(device, e, low, {}, exact=True, optimised=True)
