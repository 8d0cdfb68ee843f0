"""What a search for a kernel works on: the space of configurations, where it starts, and the journal of what was
tried.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import inf

from ir.cost.derived import estimate
from ir.cost.thresholds.prediction import NOT_WORTH_TRYING
from ir.errors import IRError
from ir.schedules.candidates import Candidates
from ir.schedules.schedule import Machine
from kernel_cache import CacheKey, KernelCache
from lazyarr.compile.compiled import configuration_of
from tuner import Categorical, Configuration, Integer, Outcome, Parameter, Space, Trial

__all__ = ["CacheJournal", "complete", "predicted_seconds", "search_space", "seeds_for"]


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


def seeds_for(candidates: Candidates, machine: Machine, sizes: Mapping[str, int]) -> list[Configuration]:
    """The default, then those of the other schedules by the times that are predicted for them, without the hopeless.

    What has no prediction comes last, so that the search says what is wrong with it.
    """
    default, *others = candidates.defaults(machine, sizes)
    others = [each for each in others if candidates.refused(each, machine, sizes) is None]
    if not others:
        return [default]
    times = [predicted_seconds(candidates, each, machine, sizes) for each in (default, *others)]
    limit = NOT_WORTH_TRYING * min(times)
    ranked = sorted(zip(times[1:], range(len(others)), strict=True))
    return [default, *(others[i] for seconds, i in ranked if seconds <= limit or seconds == inf)]


def predicted_seconds(
    candidates: Candidates, configuration: Configuration, machine: Machine, sizes: Mapping[str, int]
) -> float:
    """What one run takes by the cost model; infinity where it does not say."""
    try:
        return estimate(candidates.derive(configuration).result, machine, sizes).seconds
    except IRError:
        return inf


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
