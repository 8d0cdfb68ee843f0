"""The recorded space of these tests: it is synthetic, made by this file, measured nowhere; and who answers from it."""

from __future__ import annotations

import hashlib
import itertools
import math
from collections.abc import Iterable
from dataclasses import dataclass

from tuner import Categorical, Configuration, Integer, Outcome, Parameter, Space, Trial, best_of, canonical

_REDUCTION = (
    Categorical("strategy", ("sequential", "tree", "strided")),
    Integer("work_group", (16, 32, 64, 128, 256, 512)),
    Integer("items", (1, 2, 4, 8, 16, 32, 64)),
    Integer("vector", (1, 2, 4, 8, 16)),
)


class ReplayRunner:
    """Answers from recorded trials, at no cost: how strategies are tested and compared.

    What was never recorded is `refused`, and noted in `unrecorded`, for a test to look at.
    """

    def __init__(self, records: Iterable[Trial]) -> None:
        self._records = {trial.key: trial for trial in records}
        self.calls: list[Configuration] = []
        """Every configuration it was asked to run, in order."""
        self.unrecorded: list[Configuration] = []
        """Those among them that nobody had recorded."""

    def run(self, configuration: Configuration) -> Trial:
        """The recorded trial."""
        self.calls.append(dict(configuration))
        trial = self._records.get(canonical(configuration))
        if trial is None:
            self.unrecorded.append(dict(configuration))
            return Trial(configuration, Outcome.refused, detail="not among the recorded trials")
        return trial


@dataclass(frozen=True)
class Recording:
    """A space, walked: its parameters and a trial for each configuration that was feasible."""

    parameters: tuple[Parameter, ...]
    trials: tuple[Trial, ...]

    def space(self) -> Space:
        """The recorded space: what was recorded is feasible, nothing else is."""
        recorded = {trial.key for trial in self.trials}
        names = [parameter.name for parameter in self.parameters]

        def is_recorded(configuration: Configuration) -> bool:
            return Trial({name: configuration[name] for name in names}, Outcome.refused).key in recorded

        return Space(self.parameters, is_recorded)

    def runner(self) -> ReplayRunner:
        """A runner that answers from it."""
        return ReplayRunner(self.trials)

    def optimum(self) -> Trial:
        """The fastest recorded trial."""
        best = best_of(self.trials)
        assert best is not None
        return best


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
    return Recording(_REDUCTION, tuple(trials))


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
