"""Kernels' sources are those that were written down: a change that should leave them alone does."""

from __future__ import annotations

import pytest

from tests.ir.opencl.digests import digests, written
from tests.ir.schedules.zoo import ZOO
from tests.tiers import by_tier

pytestmark = pytest.mark.each

WRITTEN = written()


SHARE = by_tier(4, 4, 1)
"""One of so many configurations is looked at, other ones in each case."""


@pytest.mark.parametrize(("number", "case"), list(enumerate(ZOO)), ids=[str(case) for case in ZOO])
def test_sources_are_those_written_down(number, case):
    found, wanted = digests(case, slice(number % SHARE, None, SHARE)), WRITTEN.get(case.name, {})
    changed = [text for text in ({*found, *wanted} if SHARE == 1 else found) if found.get(text) != wanted.get(text)]
    advice = "if that is meant: python -m tests.ir.opencl.digests --write"
    assert not changed, f"{len(changed)} of {len(found)} sources are others, {changed[0]} for one; {advice}"


def test_no_case_is_left_out():
    assert set(WRITTEN) == {case.name for case in ZOO}
