"""What a search for a kernel works on: the space of configurations, where it starts, and the journal of what was
tried.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import inf

from ir.cost.compiling import seconds_to_compile
from ir.cost.derived import estimate
from ir.cost.functions import NOT_MEASURED, Functions
from ir.cost.thresholds.compiling import RUNS_IN_TURNS, RUNS_OF_A_TRIAL
from ir.cost.thresholds.prediction import NOT_WORTH_TRYING
from ir.cost.thresholds.tiers import LEADERS_SPECIALISED
from ir.errors import IRError
from ir.schedules.candidates import Candidates
from ir.schedules.schedule import Machine
from kernel_cache import CacheKey, KernelCache
from lazyarr.compile.compiled import configuration_of
from lazyarr.runtime.timing import median
from tuner import Categorical, Configuration, Integer, Outcome, Parameter, Space, Trial, canonical
from tuner.loop import CONFIRMED

__all__ = [
    "CacheJournal", "Cost", "complete", "cost_of", "costs_of", "leaders_of", "predicted_seconds", "predicting",
    "promising", "search_space", "seeds_for",
]  # fmt: skip

Cost = Callable[[Configuration], tuple[float, float]]
"""What `cost_of` says of a configuration."""


def search_space(candidates: Candidates, machine: Machine, sizes: Mapping[str, int]) -> Space:
    """The schedules worth a look as one categorical choice, their parameters, and the constraints as the test."""
    by_schedule = candidates.searched(machine, sizes)
    values: dict[str, set[int]] = {}
    for numeric in by_schedule.values():
        for p in numeric:
            values.setdefault(p.name, set()).update(p.values)
    parameters_: list[Parameter] = [Categorical("schedule", tuple(by_schedule))]
    parameters_ += [Integer(name, tuple(sorted(v))) for name, v in sorted(values.items())]

    def normalise(configuration: Configuration) -> Configuration:
        own = candidates.normalised(configuration)
        return {name: own.get(name, min(values[name]) if name in values else "") for name in configuration}

    def feasible(configuration: Configuration) -> bool:
        return candidates.refused(candidates.normalised(configuration), machine, sizes) is None

    branches = [{"schedule": (name,)} | {p.name: p.values for p in numeric} for name, numeric in by_schedule.items()]
    return Space(parameters_, feasible, normalise, branches)


def complete(configuration: Configuration, space: Space) -> Configuration:
    """A configuration of one schedule with a value for every parameter of the space."""
    return space.normalise({p.name: configuration.get(p.name, p.values[0]) for p in space.parameters})


def seeds_for(
    candidates: Candidates, machine: Machine, sizes: Mapping[str, int], functions: Functions = NOT_MEASURED
) -> list[Configuration]:
    """The default, then those of the other schedules by the times that are predicted for them, without the hopeless.

    What has no prediction comes last, so that the search says what is wrong with it.
    """
    default, *others = candidates.defaults(machine, sizes)
    others = [each for each in others if candidates.refused(each, machine, sizes) is None]
    if not others:
        return [default]
    times = [predicted_seconds(candidates, each, machine, sizes, functions) for each in (default, *others)]
    limit = NOT_WORTH_TRYING * min(times)
    ranked = sorted(zip(times[1:], range(len(others)), strict=True))
    return [default, *(others[i] for seconds, i in ranked if seconds <= limit or seconds == inf)]


def predicted_seconds(
    candidates: Candidates,
    configuration: Configuration,
    machine: Machine,
    sizes: Mapping[str, int],
    functions: Functions = NOT_MEASURED,
) -> float:
    """What one run takes by the cost model; infinity where it does not say.

    Args:
        functions: what is known of the device's
    """
    try:
        return estimate(candidates.derive(configuration).result, machine, sizes, functions).seconds
    except IRError:
        return inf


def cost_of(
    candidates: Candidates,
    configuration: Configuration,
    machine: Machine,
    sizes: Mapping[str, int],
    functions: Functions = NOT_MEASURED,
) -> tuple[float, float]:
    """The seconds that trying one is predicted to take, compiling it among them, and those of a run; zeros where the
    cost model does not say.
    """
    normal = candidates.normalised(configuration)
    run = predicted_seconds(candidates, normal, machine, sizes, functions)
    if run == inf:
        return 0.0, 0.0
    called = candidates.schedule(str(normal["schedule"])).by_library
    compiling = 0.0 if called else seconds_to_compile(candidates.derive(normal).result)
    return compiling + RUNS_OF_A_TRIAL * run, run


def costs_of(
    candidates: Candidates, machine: Machine, sizes: Mapping[str, int], functions: Functions = NOT_MEASURED
) -> Cost:
    """What `cost_of` says of configurations, asked once for each."""
    costs: dict[str, tuple[float, float]] = {}

    def cost(configuration: Configuration) -> tuple[float, float]:
        key = canonical(configuration)
        if key not in costs:
            costs[key] = cost_of(candidates, configuration, machine, sizes, functions)
        return costs[key]

    return cost


def predicting(cost: Cost) -> Callable[[Configuration, Sequence[Trial]], float]:
    """What the tuner predicts trials by: what was measured of those before corrects the cost model, whose error is
    much the same for all candidates of a kernel. The best few are measured again at the end.
    """

    def predict(configuration: Configuration, trials: Sequence[Trial]) -> float:
        measured = [(trial, *cost(trial.configuration)) for trial in trials if trial.ok and trial.seconds]
        known = [(trial.cost_seconds / trying, (trial.seconds or 0.0) / run) for trial, trying, run in measured if run]
        more, slower = map(median, zip(*known, strict=True)) if known else (1.0, 1.0)
        more = max(more, 1.0)  # what was compiled before took less than the next may
        trying, run = cost(configuration)
        ranked = sorted([*(trial.seconds or 0.0 for trial, *_ in measured), slower * run])
        return more * trying + RUNS_IN_TURNS * sum(ranked[:CONFIRMED])

    return predict


def promising(cost: Cost) -> Callable[[Configuration, Sequence[Trial]], bool]:
    """Tells which configurations are not predicted to be much slower than the fastest of those that were tried, whose
    times correct the cost model; what has no prediction may be anything.
    """

    def promises(configuration: Configuration, trials: Sequence[Trial]) -> bool:
        measured = [(trial.seconds, cost(trial.configuration)[1]) for trial in trials if trial.seconds]
        errors = [seconds / run for seconds, run in measured if run]
        slower = median(errors) if errors else 1.0
        return slower * cost(configuration)[1] <= NOT_WORTH_TRYING * min((s for s, _ in measured), default=inf)

    return promises


def leaders_of(best: Trial, trials: Sequence[Trial]) -> list[Configuration]:
    """The winner of a search, then the fastest others."""
    ranked = sorted((trial for trial in trials if trial.ok), key=lambda trial: trial.seconds or 0.0)
    return [trial.configuration for trial in (best, *ranked[:LEADERS_SPECIALISED])]


class CacheJournal:
    """The tuner's journal over the kernel cache: what is tried is written down before it runs."""

    def __init__(self, store: KernelCache, key: CacheKey) -> None:
        self.store = store
        self.key = key

    def begin(self, configuration: Configuration) -> None:
        """Note durably that this configuration is about to run."""
        self.store.begin_trial(self.key, dict(configuration))

    def finish(self, trial: Trial) -> None:
        """Note how it ended."""
        self.store.finish_trial(self.key, dict(trial.configuration), str(trial.outcome), trial.seconds, trial.detail)

    def known(self) -> list[Trial]:
        """What earlier processes tried and must not be tried again: crashes. Their times are measured anew."""
        return [
            Trial(configuration_of(record.configuration), Outcome.crashed, detail=record.detail)
            for record in self.store.trials(self.key)
            if record.outcome == "crashed" and isinstance(record.configuration, dict)
        ]
