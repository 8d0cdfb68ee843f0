"""A fixed share of the fuzzer's programs: processes of many programs each, on the default device."""

from __future__ import annotations

import itertools
import time

import pytest

from tests.programs.generator import programs
from tests.programs.source import standalone
from tests.programs.worker import lines_of
from tests.tiers import by_tier

SEEDS, COUNT = by_tier((1, 20), (1, 50), (5, 100))


@pytest.mark.parametrize("seed", range(SEEDS))
def test_programs_one_after_another_are_numpys(seed):
    lines = list(lines_of([str(seed), str(COUNT), "inf"], time.time() + 600, {"LAZYARR_TUNE": "off"}))
    failures = [line for line in lines if "failure" in line]
    if failures:
        at = failures[0]["failure"]
        program = list(itertools.islice(programs(seed), at + 1))[-1]
        pytest.fail(
            f"{len(failures)} failures; the first is program {at} of seed {seed}: {failures[0]['kind']}\n"
            f"{failures[0]['detail']}\n{standalone([program])}\nthe shortest list of programs that shows it: python -m "
            f"tests.programs --seed {seed} --rounds 1 --programs {at + 1} --processes 1"
        )
    assert lines[-1] == {"done": COUNT}
