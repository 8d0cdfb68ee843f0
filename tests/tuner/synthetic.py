"""The recorded space of these tests, and where it comes from: it is synthetic, made by this file, measured nowhere.

`python -m tests.tuner.synthetic` writes it anew; a test compares `recorded/` with what this file makes.
"""

from __future__ import annotations

import hashlib
import itertools
import math
from pathlib import Path

from tuner import Categorical, Configuration, Integer, Outcome, Recording, Trial, canonical

FOLDER = Path(__file__).parent / "recorded"

_REDUCTION = (
    Categorical("strategy", ("sequential", "tree", "strided")),
    Integer("work_group", (16, 32, 64, 128, 256, 512)),
    Integer("items", (1, 2, 4, 8, 16, 32, 64)),
    Integer("vector", (1, 2, 4, 8, 16)),
)


def reduction() -> Recording:
    """A reduction: log run time is a bowl over log parameters, one for each strategy, with some 4 % noise.

    5 of 609 configurations lie within 10 % of the optimum.

    Combinations beyond 16 KiB of local memory are infeasible, hence not recorded. Failures of every kind lie around.
    """
    names = [parameter.name for parameter in _REDUCTION]
    trials = []
    for values in itertools.product(*(parameter.values for parameter in _REDUCTION)):
        configuration: Configuration = dict(zip(names, values, strict=True))
        if int(configuration["work_group"]) * int(configuration["vector"]) * 4 <= 16384:
            trials.append(_reduction_trial(configuration))
    description = "synthetic: a reduction on an imagined device, see tests/tuner/synthetic.py"
    return Recording(description, _REDUCTION, tuple(trials))


def _reduction_trial(configuration: Configuration) -> Trial:
    strategy = str(configuration["strategy"])
    group, items, vector = (int(configuration[name]) for name in ("work_group", "items", "vector"))
    uniform = _uniform(configuration)
    normal = (sum(uniform) - 3.0) * math.sqrt(2.0)
    x, y, z = math.log2(group) - 7, math.log2(items) - (2 if strategy == "tree" else 5), math.log2(vector) - 2
    offset = {"strided": 0.0, "sequential": 0.25, "tree": 0.7}[strategy]
    log_time = offset + 0.1 * x * x + 0.07 * y * y + 0.16 * z * z + 0.025 * x * y + 0.04 * normal
    cost = round(0.15 + 0.02 * items * vector / 16 + 0.05 * uniform[0], 3)
    match strategy, group, items, vector:
        case _ if group * items * vector > 2**17:
            return Trial(configuration, Outcome.refused, None, cost, "out of resources (synthetic)")
        case _, _, 64, 16:
            return Trial(configuration, Outcome.build_failed, None, cost, "unrolled too far (synthetic)")
        case "tree", 512, _, 8:
            return Trial(configuration, Outcome.wrong_answer, None, cost, "3 of 4096 differ (synthetic)")
        case "sequential", 16, _, 16:
            return Trial(configuration, Outcome.crashed, None, cost, "signal 11 (synthetic)")
        case "strided", 16, 1, _:
            return Trial(configuration, Outcome.timed_out, None, 2.0, "2 s (synthetic)")
        case _:
            return Trial(configuration, Outcome.ok, float(f"{180e-6 * math.exp(log_time):.4g}"), cost)


def _uniform(configuration: Configuration) -> list[float]:
    """Six numbers in [0, 1), the same for the same configuration everywhere."""
    digest = hashlib.sha256(canonical(configuration).encode()).digest()
    return [int.from_bytes(digest[at : at + 4], "big") / 2**32 for at in range(0, 24, 4)]


if __name__ == "__main__":
    reduction().dump(FOLDER / "reduction.json")
