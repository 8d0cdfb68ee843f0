"""Where a program is cut into kernels: at a `toGlobal` that is read, and at no other."""

from __future__ import annotations

import pytest

from ir.core.notation.parser import parse
from ir.core.types import FLOAT32, array_of
from ir.core.verify import verify_low_level
from ir.opencl.generate import generate
from tests.ir.opencl.running import check
from tests.ir.schedules.zoo import N

ROWS = array_of(FLOAT32, N, 8)


@pytest.mark.parametrize(
    ("text", "kernels"),
    [
        ("mapWorkgroup (mapLocal abs) rows", 1),
        ("toGlobal (mapWorkgroup (mapLocal abs) rows)", 1),
        ("mapWorkgroup (λr. toGlobal (mapLocal abs r)) rows", 1),
        ("mapWorkgroup (λr. join (toGlobal (mapLocal (mapSeq abs) (split 2 r)))) rows", 1),
        ("toGlobal (mapWorkgroup (λr. concat(toGlobal (mapLocal abs r), mapLocal (λx. x + 1) r)) rows)", 1),
        ("join (toGlobal (mapWorkgroup (mapLocal abs) rows))", 1),
        ("concat(toGlobal (mapGlobal abs (join rows)), mapGlobal (λx. x + 1) (join rows))", 1),
        ("(toGlobal (mapGlobal abs (join rows)), mapGlobal (λx. x + 1) (join rows))", 1),
        ("mapGlobal (λx. x + 1) (toGlobal (mapGlobal abs (join rows)))", 2),
        ("mapGlobal (λx. x + 1) (join (toGlobal (mapWorkgroup (λr. toGlobal (mapLocal abs r)) rows)))", 2),
    ],
)
def test_kernels_are_cut_where_a_result_is_read(text, kernels, device):
    e = parse(text, {"rows": ROWS}, {"n": N})
    verify_low_level(e)
    assert len(generate(e).kernels) == kernels
    if not text.startswith("("):  # the helper runs arrays
        check(device, e, e, {"n": 5}, exact=True)
