"""A fixed share of the fuzzer's programs: processes of many programs each, on the default device, in each tier."""

from __future__ import annotations

import itertools
import time

import pytest

from tests.programs.generator import programs
from tests.programs.source import standalone
from tests.programs.worker import SWITCHING, lines_of
from tests.tiers import by_tier

PROGRAMS = {
    "compiled": by_tier((1, 20), (1, 50), (5, 100)),
    "switching": by_tier((1, 20), (1, 50), (3, 200)),
    "reference": by_tier((1, 50), (2, 200), (5, 500)),
    "auto": by_tier((1, 50), (2, 200), (5, 500)),
}
"""In each tier how many processes there are, and programs of each: kernels take longer than NumPy's calls."""

CASES = [
    (tier, 1000 * number + seed, count)
    for number, (tier, (seeds, count)) in enumerate(PROGRAMS.items())
    for seed in range(seeds)
]


@pytest.mark.parametrize(("tier", "seed", "count"), CASES)
def test_programs_one_after_another_are_numpys(tier, seed, count):
    settings = {"LAZYARR_TUNE": "off"} | (SWITCHING if tier == "switching" else {"LAZYARR_TIER": tier})
    lines = list(lines_of([str(seed), str(count), "inf"], time.time() + 600, settings))
    failures = [line for line in lines if "failure" in line]
    if failures:
        at = failures[0]["failure"]
        program = list(itertools.islice(programs(seed), at + 1))[-1]
        pytest.fail(
            f"{len(failures)} failures; the first is program {at} of seed {seed}: {failures[0]['kind']}\n"
            f"{failures[0]['detail']}\n{standalone([program])}\nthe shortest list of programs that shows it: python -m "
            f"tests.programs --seed {seed} --rounds 1 --programs {at + 1} --processes 1 --tier {tier}"
        )
    assert lines[-1] == {"done": count}
