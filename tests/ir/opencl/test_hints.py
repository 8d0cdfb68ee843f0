"""Hints for memory that is needed later: their addresses overflow nothing, however far ahead they are."""

from __future__ import annotations

import re

import pytest

from ir.core.notation.parser import parse
from ir.core.sizes import HEADROOM, LIMIT_32, var
from ir.core.types import FLOAT32, array_of
from ir.opencl.generate import generate
from ir.opencl.write.hints import FAR, LONG_ROW, NO_LOOP
from tests.ir.opencl.running import check

N, M = var("n", 1, LIMIT_32), var("m", 1, LIMIT_32)
TYPES = {"xs": array_of(FLOAT32, N), "xss": array_of(FLOAT32, N, M)}
SCOPE = {"n": N, "m": M}

COLUMNS = "join (mapGlobal (λc. reduceSeq (+) 0 (prefetch 16 c)) (transpose xss))"


def hints(text: str, index_type: str = "int") -> list[str]:
    """What the kernel of an expression asks for."""
    source = generate(parse(text, TYPES, SCOPE), index_type=index_type).source
    return re.findall(r"^ +PREFETCH_(?:READ|WRITE)\((.*)\);$", source, re.MULTILINE)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("mapSeq abs (prefetch 1024 xs)", ["xs + (i0 + 1024)"]),
        ("prefetch 16 (mapSeq abs xs)", ["result + (i0 + 16)"]),
        ("mapSeq abs (prefetch 64 (slice (n - 1) (-1) n xs))", ["xs + (n - i0 - 65)"]),
        ("join (mapGlobal (λr. reduceSeq (+) 0 (prefetch 16 r)) xss)", ["xss + (item0 * m + i0 + 16)"]),
    ],
)
def test_what_lies_close_ahead_needs_no_more_than_the_index(text, expected):
    assert hints(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (COLUMNS, ["xss + ((long)i0 * m + (long)item0 + (long)16 * m)"]),  # m may be as long as an array
        ("mapSeq abs (prefetch n xs)", ["xs + ((long)i0 + (long)n)"]),
        (f"mapSeq abs (prefetch {HEADROOM + 1} xs)", [f"xs + ((long)i0 + (long){HEADROOM + 1})"]),
        (f"mapSeq abs (prefetch {HEADROOM} xs)", [f"xs + (i0 + {HEADROOM})"]),
        ("prefetch n (mapSeq abs xs)", ["result + ((long)i0 + (long)n)"]),
    ],
)
def test_what_may_lie_far_ahead_is_found_in_64_bits(text, expected):
    assert hints(text) == expected
    assert all("(long)" not in hint for hint in hints(text, "long"))  # as all indices are then


def test_no_sum_overflows_at_the_largest_sizes():
    """The last row but one of the longest array whose indices have 32 bits."""
    (place,) = hints(COLUMNS)
    n, m = 5, LIMIT_32 // 5
    index = eval(place.removeprefix("xss + ").replace("(long)", ""), {"i0": n - 2, "m": m, "item0": m - 1})
    assert index == (n - 2 + 16) * m + m - 1 > 2**31


def unheeded(text: str, index_type: str = "int") -> tuple[str, ...]:
    """What the kernel of an expression does not ask for, though it is to."""
    return generate(parse(text, TYPES, SCOPE), index_type=index_type).unheeded


def test_a_quotient_of_what_may_overflow_is_not_asked_for():
    """Rows of the transposed matrix, joined: the element further on is found by a division of its index."""
    text = "mapSeq abs (prefetch (n * m) (join (transpose xss)))"
    assert hints(text) == []
    assert unheeded(text) == (FAR,)
    assert hints(text, "long") != []
    assert unheeded(text, "long") == ()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("mapSeq (reduceSeq (+) 0) (prefetch 4 xss)", LONG_ROW),
        ("prefetch 4 (mapSeq (mapSeq abs) xss)", LONG_ROW),
        ("mapSeq (reduceSeq (+) 0) (prefetch 4 (split 9 (slice 0 1 (9*(n // 9)) xs)))", LONG_ROW),
        ("mapSeqUnroll abs (prefetch 1 (slice 0 1 1 xs))", NO_LOOP),
        ("prefetch 1 (mapSeqUnroll abs (slice 0 1 1 xs))", NO_LOOP),
        ("reduceSeqUnroll (+) 0 (prefetch 1 (slice 0 1 1 xs))", NO_LOOP),
    ],
)
def test_a_hint_that_is_not_given_is_told(text, reason):
    assert hints(text) == []
    assert unheeded(text) == (reason,)


def test_of_a_hint_that_is_given_nothing_is_told():
    text = "mapSeq (reduceSeq (+) 0) (prefetch 4 (split 8 (slice 0 1 (8*(n // 8)) xs)))"
    assert len(hints(text)) == 8
    assert unheeded(text) == unheeded("prefetch 16 (mapSeq abs (prefetch 4 xs))") == ()


@pytest.mark.parametrize(
    "text",
    [COLUMNS, "mapSeq abs (prefetch n xs)", "prefetch n (mapSeq abs xs)", "prefetch 16 (mapSeq abs (prefetch 4 xs))"],
)
def test_hints_change_no_result(text, device):
    e = parse(text, TYPES, SCOPE)
    extents = ((1, 1), (7, 5), (31, 67))
    check(
        device, e, e, *[{"n": n, "m": m} if "xss" in text else {"n": n} for n, m in extents], exact=True, optimised=True
    )
