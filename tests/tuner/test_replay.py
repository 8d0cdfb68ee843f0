"""Strategies compared on recorded spaces, by replay: no device, no clock."""

from __future__ import annotations

from statistics import mean

import pytest

from tests.tuner import synthetic
from tests.tuner.helpers import FakeJournal
from tests.tuner.synthetic import Recording, ReplayRunner
from tuner import (
    Budget,
    Outcome,
    Search,
    SilentProgress,
    Trial,
    WrongAnswerWarning,
    make_search,
    tune,
)


@pytest.fixture(scope="module")
def reduction() -> Recording:
    return synthetic.reduction()


def test_all_that_can_come_of_a_trial_was_recorded(reduction: Recording) -> None:
    assert {trial.outcome for trial in reduction.trials} == set(Outcome)
    assert sum(1 for _ in reduction.space().enumerate()) == len(reduction.trials) == 609
    assert reduction.space().size() == 630


def test_what_was_not_recorded_is_refused_and_noted() -> None:
    runner = ReplayRunner([Trial({"a": 1}, Outcome.ok, 1.0)])
    assert runner.run({"a": 1}).seconds == 1.0
    assert runner.run({"a": 2}).outcome is Outcome.refused
    assert runner.calls == [{"a": 1}, {"a": 2}]
    assert runner.unrecorded == [{"a": 2}]


def trials_until_good(recording: Recording, search: Search, limit: int) -> int:
    """Trials until one is within 10 % of the optimum."""
    runner, good = recording.runner(), 1.1 * (recording.optimum().seconds or 0.0)
    for number in range(1, limit + 1):
        configuration = search.ask()
        assert configuration is not None
        trial = runner.run(configuration)
        search.tell(trial)
        if trial.seconds is not None and trial.seconds <= good:
            return number
    return limit


@pytest.mark.slow
@pytest.mark.sweep
def test_bayesian_search_needs_fewer_trials_than_random_search(reduction: Recording) -> None:
    # Over 20 and 40 seeds, 28 trials against 86. The seeds here are the first ones: nothing was picked.
    space = reduction.space()
    random = mean(trials_until_good(reduction, make_search("random", space, seed), 300) for seed in range(40))
    bayesian = mean(trials_until_good(reduction, make_search("bayesian", space, seed), 80) for seed in range(3))
    assert bayesian < 0.6 * random


@pytest.mark.filterwarnings("ignore::tuner.WrongAnswerWarning")
def test_an_exhaustive_search_finds_the_optimum_and_never_leaves_the_space(reduction: Recording) -> None:
    space, runner = reduction.space(), reduction.runner()
    result = tune(space, runner, make_search("random", space), Budget(), progress=SilentProgress())
    assert result.stopped_by == "exhausted"
    assert result.best == reduction.optimum()
    assert len(runner.calls) == 609
    assert runner.unrecorded == []


def test_failures_never_win(reduction: Recording) -> None:
    # Only failures but for the slowest success: that one is the best.
    worst = max((trial for trial in reduction.trials if trial.seconds is not None), key=lambda t: t.seconds or 0.0)
    kept = (*(trial for trial in reduction.trials if not trial.ok), worst)
    failing = Recording(reduction.parameters, kept)
    with pytest.warns(WrongAnswerWarning):
        result = tune(failing.space(), failing.runner(), make_search("random", failing.space()), Budget())
    assert len(result.trials) == len(kept) == 36
    assert result.best == worst


@pytest.mark.filterwarnings("ignore::tuner.WrongAnswerWarning")
def test_a_search_resumed_in_pieces_runs_everything_once(reduction: Recording) -> None:
    journal, runner, space = FakeJournal(), reduction.runner(), reduction.space()
    for _ in range(3):
        tune(space, runner, make_search("random", space), Budget(trials=250), journal, progress=SilentProgress())
    assert len(runner.calls) == 609
    assert len(journal.trials) == 609
    assert not journal.open
