"""Loops that write an array and accumulate: right for every length, read in vectors, written in one pass, clean under
the simulator.
"""

from __future__ import annotations

import itertools
import re

import pytest

from ir.core.notation.parser import parse
from ir.core.patterns import MapReduce
from ir.core.sizes import size, var
from ir.core.stored import everything_below
from ir.core.types import FLOAT32, ArrayType, array_of
from ir.core.verify import verify_low_level
from ir.cost.thresholds.reductions import ONE_LOOP_TURNS
from ir.opencl.generate import generate
from ir.schedules.candidates import Candidates
from ir.schedules.schedule import Machine
from lazyarr.runtime import Device, default_device
from tests import oclgrind
from tests.ir.opencl.running import check
from tests.ir.schedules.zoo import CPU, GPU, LOOPS, Case

LENGTHS = [1, 63, 64, 1023, 1024, 5 * 1024, 7 * 4096 + 1023, 20_011]
CHOICES = [
    {"schedule": "one_loop_group", "local": 32, "turns": 1},
    {"schedule": "one_loop_group", "local": 64, "turns": 16},
    {"schedule": "one_loop", "block": 1024, "width": 16, "ways": 4, "prefetch": 256},
    {"schedule": "one_loop", "block": 4096, "width": 4, "ways": 2, "prefetch": 0},
    {"schedule": "one_loop", "block": 1024, "width": 1, "ways": 1, "prefetch": 0},
]


def run(device: Device, case: Case, number: int, lengths: list[int]) -> None:
    candidates = Candidates.of(case.expr)
    chosen = candidates.normalised(CHOICES[number])
    low = candidates.derive(chosen).result
    assert len(generate(low).kernels) == 2
    sizes = [{"n": n} for n in lengths]
    check(device, case.expr, low, *sizes, exact="product" not in case.name)


@pytest.mark.parametrize("number", range(len(CHOICES)))
@pytest.mark.parametrize("case", LOOPS, ids=str)
def test_results_of_any_lengths(case, number, device):
    run(device, case, number, LENGTHS)


@pytest.mark.slow
@pytest.mark.parametrize("n", [var("n", 1, 2**31 - 1), 16 * var("n", 1, 2**27), size(1000), size(1 << 20)], ids=str)
def test_every_choice_can_be_derived(n):
    """However many turns a block has, and whatever is left of it."""
    text = "let t = map (λx. x * 2) xs in (t, reduce (+) 0 (map abs t))"
    candidates = Candidates.of(parse(text, {"xs": array_of(FLOAT32, n)}))
    parameters = {p.name: p.values for p in candidates.schedule("one_loop_group").parameters(candidates.normal)}
    groups = itertools.product((32, 512), parameters["turns"])
    for local, turns in groups:
        chosen = {"schedule": "one_loop_group", "local": local, "turns": turns}
        verify_low_level(candidates.derive(chosen).result)


@pytest.mark.parametrize("case", LOOPS, ids=str)
def test_the_loop_of_a_group_writes_and_accumulates(case):
    low = Candidates.of(case.expr).derive({"schedule": "one_loop_group", "local": 64, "turns": 4}).result
    loops = [node for node in everything_below(low) if isinstance(node, MapReduce)]
    assert len(loops) == 1
    assert isinstance(loops[0].init.type, ArrayType)


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({}, None),
        ({"local": 2048}, "work-items in a work-group"),
        ({"local": 32, "turns": 1}, "roundings in one accumulator"),
    ],
)
def test_which_groups_a_gpu_does_not_take(changed, reason):
    candidates = Candidates.of(LOOPS[0].expr)
    for n in (1, 1 << 16, 1 << 24, 1 << 30):
        chosen = candidates.default(GPU, {"n": n})
        assert (chosen["schedule"], candidates.refused(chosen, GPU, {"n": n})) == ("one_loop_group", None)
    chosen = {"schedule": "one_loop_group", "local": 512, "turns": 8} | changed
    broken = candidates.refused(chosen, GPU, {"n": 1 << 30})
    assert (broken and broken.reason) == reason
    for kept, refused in ((12_288, "bytes of local memory"), (12_296, None)):  # three pairs for each work-item, and one
        little, chosen = Machine(1024, kept, 80, 1, False), {"schedule": "one_loop_group", "local": 512, "turns": 8}
        broken = candidates.refused(chosen, little, {"n": 1 << 20})
        assert (broken and broken.reason) == refused


def test_the_partial_results_of_all_reductions_have_to_fit():
    candidates = Candidates.of(next(case for case in LOOPS if case.name == "array_and_product").expr)
    chosen = {"schedule": "one_loop_group", "local": 512, "turns": 8}
    for kept, reason in ((12_288, "bytes of local memory"), (12_296, None)):  # three numbers of each, and one
        broken = candidates.refused(chosen, Machine(1024, kept, 80, 1, False), {"n": 1 << 20})
        assert (broken and broken.reason) == reason


def test_small_groups_take_more_turns_of_long_arrays():
    few, candidates, sizes = Machine(32, 1 << 15, 80, 1, False), Candidates.of(LOOPS[0].expr), {"n": 1 << 28}
    chosen = candidates.default_of("one_loop_group", few, sizes)
    assert candidates.refused(chosen, few, sizes) is None
    assert chosen["local"] == 32
    assert chosen["turns"] > ONE_LOOP_TURNS
    broken = candidates.refused({**chosen, "turns": ONE_LOOP_TURNS}, few, sizes)
    assert broken is not None
    assert broken.reason == "roundings in one accumulator"


LOOP = "let q = mapReduceSeq (λ(a, x). (a + x, x * 2)) 0 xs in "


@pytest.mark.parametrize(
    ("text", "hints"),
    [
        ("(concat(q.1, prefetch 4 (mapSeq abs ys)), q.0)", 1),
        ("(q.0, concat(prefetch 4 (scanSeq (+) 0 ys), q.1))", 1),
        ("(concat(prefetch 4 (join (mapSeq (mapSeq abs) yss)), q.1), q.0)", 0),  # where there is no loop
        ("(concat(prefetch 4 q.1, mapSeq abs ys), q.0)", 0),  # the loop writes elsewhere, too
    ],
)
def test_what_stands_beside_a_loop_may_ask_ahead(text, hints, device):
    inputs = {"xs": array_of(FLOAT32, var("n", 1)), "ys": array_of(FLOAT32, var("m", 1))}
    low = parse(LOOP + text, inputs | {"yss": array_of(FLOAT32, 3, var("m", 1))})
    source = generate(low).source
    assert source[source.index("__kernel") :].count("PREFETCH_WRITE") == hints
    check(device, low, low, {"n": 5, "m": 7}, {"n": 1, "m": 1}, exact=True)


def test_groups_of_one_work_item_are_for_cpus():
    candidates = Candidates.of(LOOPS[0].expr)
    for machine, reason in ((CPU, None), (GPU, "work-items in lockstep, of which a group has one")):
        broken = candidates.refused(candidates.default_of("one_loop", machine, {"n": 1 << 20}), machine, {"n": 1 << 20})
        assert (broken and broken.reason) == reason


def test_one_pass_in_vectors_with_several_accumulators() -> None:
    axpydot = next(case for case in LOOPS if case.name == "axpydot")
    candidates = Candidates.of(axpydot.expr)
    source = generate(candidates.derive(candidates.normalised(CHOICES[2])).result).source
    first = source[source.index("__kernel") : source.index("__kernel", source.index("__kernel") + 1)]
    loops = first.split("for (")[1:]
    assert len(loops) == 3  # of a block, of the turns that a part of one has, and of the elements that are left
    body = loops[0]
    for array in ("xs", "ys", "zs"):
        assert f"unaligned_float16*)({array} + " in body
    assert len(re.findall(r"\*\(\S* ?unaligned_float16\*\)\(.*\) = ", body)) == 4
    assert body.count("acc") > 2


def run_under_the_simulator(number: int) -> None:
    """One expression, on the default device; called in a process of its own."""
    device = default_device()
    assert device.simulator
    for choice in (0, 3):  # the simulator takes what a last work-group reads for a race
        run(device, LOOPS[number], choice, [1, 1100])


@pytest.mark.slow
@pytest.mark.skipif(not oclgrind.available(), reason="Oclgrind is not installed")
@pytest.mark.parametrize("number", range(len(LOOPS)), ids=[str(case) for case in LOOPS])
def test_a_simulator_finds_nothing_wrong(number):
    code = f"from tests.ir.opencl.test_one_loop import run_under_the_simulator as run\nrun({number})"
    assert oclgrind.run(code, timeout=600) == ""
