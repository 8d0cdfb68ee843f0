"""What a search passes over, in slices and as a whole."""

from __future__ import annotations

from collections.abc import Sequence

from tests.tuner.helpers import FakeRunner
from tests.tuner.test_loop import DEFAULT, FASTEST, SLOW, SPACE, search
from tuner import Budget, Configuration, Outcome, RandomSearch, SlicedSearch, Trial, tune


def test_a_slice_passes_over_what_promises_nothing() -> None:
    runner = FakeRunner()
    sliced = SlicedSearch(SPACE, search(), seeds=[DEFAULT, SLOW, FASTEST])
    asked: list[Configuration] = []

    def promises(configuration: Configuration, trials: Sequence[Trial]) -> bool:
        asked.append(configuration)
        return configuration == FASTEST

    assert [sliced.go_on(runner, Budget(trials=1), promises) for _ in range(3)] == ["budget"] * 3
    assert runner.calls == [DEFAULT, FASTEST]  # the first whatever is promised: there is nothing to go on with
    assert asked == [SLOW, FASTEST]
    ended = [sliced.go_on(runner, Budget(trials=1), promises) for _ in range(40)]
    assert runner.calls == [DEFAULT, FASTEST]
    assert ended[-1] == "exhausted"


def test_what_promises_nothing_is_passed_over_and_the_search_told() -> None:
    """Once one has run well; the budget does not count it."""
    told: list[Trial] = []

    class Listening(RandomSearch):
        def tell(self, trial: Trial) -> None:
            told.append(trial)
            super().tell(trial)

    runner = FakeRunner()
    result = tune(
        SPACE,
        runner,
        Listening(SPACE),
        Budget(trials=4),
        seeds=[SLOW, DEFAULT],
        promises=lambda configuration, trials: configuration["variant"] == "vector",
    )
    assert runner.calls[0] == SLOW
    assert len(runner.calls) == 4
    assert all(each["variant"] == "vector" for each in runner.calls)
    passed_over = [trial for trial in told if trial not in result.trials]
    assert passed_over[0] == Trial(DEFAULT, Outcome.refused, detail="predicted to be much slower than the fastest")
    assert all(trial.outcome is Outcome.refused for trial in passed_over)
    assert result.stopped_by == "budget"


def test_where_nothing_promises_anything_the_search_ends() -> None:
    runner = FakeRunner()
    result = tune(SPACE, runner, search(), Budget(), seeds=[DEFAULT], promises=lambda *_: False)
    assert runner.calls == [DEFAULT]
    assert result.stopped_by == "exhausted"
