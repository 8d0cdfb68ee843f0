"""Doubles that stand in for a device, a cache and a clock."""

from __future__ import annotations

from collections.abc import Callable

from tuner import Categorical, Configuration, Integer, Outcome, Space, Trial, canonical


def grid_space() -> Space:
    """30 combinations, 19 candidates: width does not matter to the scalar variant, tile 16 x width 8 is infeasible."""

    def normalise(configuration: Configuration) -> Configuration:
        return configuration if configuration["variant"] == "vector" else {**configuration, "width": 1}

    def feasible(configuration: Configuration) -> bool:
        return int(configuration["tile"]) * int(configuration["width"]) <= 64

    return Space(
        [Categorical("variant", ("scalar", "vector")), Integer("tile", (1, 2, 4, 8, 16)), Integer("width", (1, 4, 8))],
        feasible,
        normalise,
    )


def time_of(configuration: Configuration) -> float:
    """Distinct plausible seconds for each configuration of `grid_space`; vector, tile 8, width 4 is the fastest."""
    base = 1.0 if configuration["variant"] == "vector" else 2.0
    return 1e-3 * (base + abs(int(configuration["tile"]) - 8) + 0.1 * abs(int(configuration["width"]) - 4))


class FakeClock:
    """A clock that moves only when told."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class FakeRunner:
    """Answers with `time_of`, or with what `on` says for that configuration; counts every call."""

    def __init__(
        self,
        on: Callable[[Configuration], Trial | BaseException | None] = lambda configuration: None,
        clock: FakeClock | None = None,
        cost: float = 1.0,
    ) -> None:
        self.on = on
        self.clock = clock
        self.cost = cost
        self.calls: list[Configuration] = []

    def run(self, configuration: Configuration) -> Trial:
        self.calls.append(dict(configuration))
        if self.clock is not None:
            self.clock.now += self.cost
        answer = self.on(configuration)
        if isinstance(answer, BaseException):
            raise answer
        return answer or Trial(configuration, Outcome.ok, time_of(configuration), self.cost)


class FakeJournal:
    """Remembers in a list, as the kernel cache does: an open trial is a crash to the next process."""

    def __init__(self, known: list[Trial] | None = None) -> None:
        self.log: list[tuple[str, str]] = []
        self.trials: dict[str, Trial] = {trial.key: trial for trial in known or []}
        self.open: dict[str, Configuration] = {}

    def begin(self, configuration: Configuration) -> None:
        self.log.append(("begin", canonical(configuration)))
        self.open[canonical(configuration)] = configuration

    def finish(self, trial: Trial) -> None:
        self.log.append(("finish", trial.key))
        self.open.pop(trial.key, None)
        self.trials[trial.key] = trial

    def known(self) -> list[Trial]:
        crashed = [Trial(configuration, Outcome.crashed) for configuration in self.open.values()]
        return [*self.trials.values(), *crashed]


class FakeProgress:
    """Notes what it is told."""

    def __init__(self) -> None:
        self.log: list[object] = []

    def start(self, budget: object) -> None:
        self.log.append("start")

    def update(
        self, trials: int, best_seconds: float | None, elapsed_seconds: float, seconds_left: float | None
    ) -> None:
        self.log.append((trials, best_seconds, elapsed_seconds, seconds_left))

    def close(self) -> None:
        self.log.append("close")
