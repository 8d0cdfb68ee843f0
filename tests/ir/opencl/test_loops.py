"""Loops of known length: none is written for nothing or for one turn, and no guard where ranges make it needless."""

from __future__ import annotations

import pytest

from ir.core.notation.parser import parse
from ir.core.types import FLOAT32, array_of
from ir.core.verify import verify_low_level
from ir.opencl.generate import generate
from tests.ir.opencl.running import check
from tests.ir.schedules.zoo import N

ONE, FOUR, EIGHT = "(slice 0 1 1 xs)", "(slice 0 1 4 xs)", "(slice 0 1 8 xs)"


@pytest.mark.parametrize(
    ("text", "loops", "guards"),
    [
        (f"mapSeq abs {ONE}", 0, 0),
        (f"mapGlobal abs {ONE}", 0, 0),
        (f"mapWorkgroup abs {ONE}", 0, 0),
        (f"mapWorkgroup (mapLocal abs) (split 1 {ONE})", 0, 0),
        (f"mapWorkgroup (mapLocal (mapSeq abs)) (split 1 (split 1 {FOUR}))", 0, 0),
        (f"reduceSeq (+) 0 {ONE}", 0, 0),
        (f"mapSeq abs {FOUR}", 1, 0),
        (f"mapSeqUnroll abs {FOUR}", 0, 0),
        (f"reduceSeqUnroll (+) 0 {FOUR}", 0, 0),
        ("mapGlobal abs xs", 0, 1),  # there may be more work-items, for whole work-groups
        (f"mapWorkgroup (mapLocal abs) (split 4 {FOUR})", 0, 0),
        ("mapWorkgroup (mapLocal (mapSeq abs)) (split 4 (split 8 (join (repeat 4 " + EIGHT + "))))", 1, 0),
        # the second map is shorter than the launch: a guard, no loop
        (f"concat(mapGlobal abs {EIGHT}, mapGlobal abs {FOUR})", 0, 2),
        (f"mapWorkgroup (λr. concat(mapLocal abs r, mapLocal abs (slice 0 1 3 r))) (split 4 {EIGHT})", 0, 1),
        # nothing at all
        (f"concat(mapSeq abs (slice 0 1 0 xs), mapSeq abs {ONE})", 0, 0),
        (f"concat(mapGlobal abs (slice 0 1 0 xs), mapGlobal abs {FOUR})", 0, 1),
        (f"concat(mapWorkgroup abs (slice 0 1 0 xs), mapWorkgroup abs {FOUR})", 0, 0),
        (f"mapWorkgroup (λr. concat(mapLocal abs (slice 0 1 0 r), mapLocal abs r)) (split 4 {EIGHT})", 0, 0),
        (f"concat(mapSeqUnroll abs (slice 0 1 0 xs), mapSeqUnroll abs {FOUR})", 0, 0),
    ],
)  # fmt: skip
def test_loops_and_guards(text, loops, guards, device):
    e = parse(text, {"xs": array_of(FLOAT32, N)}, {"n": N})
    verify_low_level(e)
    source = generate(e).source
    assert (source.count("for ("), source.count("if (")) == (loops, guards)
    check(device, e, e, {"n": 9}, exact=True)


CHUNKS = {"n": N, "k": (N + 3) // 4 * 4 - N}
"""Names of lengths: that of an array, and how many more make it one of whole chunks of four."""


@pytest.mark.parametrize(
    ("function", "row"),
    [
        ("abs", False),
        ("(reduceSeq (+) 0)", True),
        ("(λr. (element 0 r, abs (element 0 r)))", True),  # pairs, both of which are written
        ("(mapSeqUnroll abs)", True),
    ],
)
def test_turns_behind_a_head_are_left_out(function, row, device):
    def written(how):
        text = f"head n (join (mapWorkgroup ({how} {function}) (split 4 (pad 0 k xs))))"
        e = parse(text, {"xs": array_of(FLOAT32, N, 3) if row else array_of(FLOAT32, N)}, CHUNKS)
        verify_low_level(e)
        for n in (1, 4, 9):
            check(device, e, e, {"n": n}, exact=True)
        return generate(e).source

    source = written("mapSeqHead")
    assert "if (" not in source  # none of them is tested in its turn
    assert "(n - 1)" not in source  # nor told where the array ends
    assert "if (" in written("mapSeq")


def test_only_turns_that_write_nothing_are_left_out(device):
    """The head is of each chunk, not of what is made of them."""
    e = parse("join (mapWorkgroup (λc. head 3 (mapSeqHead abs c)) (split 4 xs))", {"xs": array_of(FLOAT32, N * 4)})
    check(device, e, e, {"n": 3}, exact=True)
    assert "i0 < 3;" in generate(e).source
    whole = parse("mapSeqHead abs xs", {"xs": array_of(FLOAT32, N)})
    assert generate(whole).source == generate(parse("mapSeq abs xs", {"xs": array_of(FLOAT32, N)})).source
