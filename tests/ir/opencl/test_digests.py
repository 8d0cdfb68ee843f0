"""Kernels' sources are those that were written down: a change that should leave them alone does."""

from __future__ import annotations

import pytest

from tests.ir.opencl.digests import digests, written
from tests.ir.schedules.zoo import ZOO

WRITTEN = written()


@pytest.mark.parametrize("case", ZOO, ids=str)
def test_sources_are_those_written_down(case):
    found, wanted = digests(case), WRITTEN.get(case.name, {})
    changed = [text for text in {*found, *wanted} if found.get(text) != wanted.get(text)]
    advice = "if that is meant: python -m tests.ir.opencl.digests --write"
    assert not changed, f"{len(changed)} of {len(found)} sources are others, {changed[0]} for one; {advice}"


def test_no_case_is_left_out():
    assert set(WRITTEN) == {case.name for case in ZOO}
