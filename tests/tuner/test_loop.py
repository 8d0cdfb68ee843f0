"""The loop: seeds, budgets, journals, interrupts, confirmation."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import pytest

from tests.tuner.helpers import FakeClock, FakeJournal, FakeProgress, FakeRunner, grid_space, time_of
from tuner import (
    INTERRUPTED,
    Budget,
    Configuration,
    ConfirmationError,
    Confirmed,
    Outcome,
    RandomSearch,
    RunnerError,
    SearchError,
    Trial,
    TrialFinished,
    TrialStarted,
    TunerError,
    TuningEvent,
    WrongAnswerWarning,
    canonical,
    tune,
)

SPACE = grid_space()
DEFAULT: Configuration = {"variant": "scalar", "tile": 4, "width": 1}
FASTEST: Configuration = {"variant": "vector", "tile": 8, "width": 4}
SLOW: Configuration = {"variant": "vector", "tile": 1, "width": 1}


def search(seed: int = 0) -> RandomSearch:
    return RandomSearch(SPACE, seed)


def keys(configurations: Sequence[Configuration]) -> list[str]:
    return [canonical(configuration) for configuration in configurations]


# --- seeds ------------------------------------------------------------------------------------------------------------


def test_seeds_are_tried_first_normalised_feasible_and_once() -> None:
    runner = FakeRunner()
    seeds: list[Configuration] = [
        {"variant": "vector", "tile": 16, "width": 8},  # infeasible
        {"variant": "scalar", "tile": 4, "width": 8},  # the default, not normalised
        FASTEST,
        {"variant": "scalar", "tile": 4, "width": 4},  # the default again
        {"colour": "red"},  # of another space
        SLOW,
    ]
    tune(SPACE, runner, search(), Budget(trials=5), seeds=seeds)
    assert runner.calls[:3] == [DEFAULT, FASTEST, SLOW]
    assert len(set(keys(runner.calls))) == 5


def test_the_search_learns_of_the_seeds() -> None:
    runner = FakeRunner()
    result = tune(SPACE, runner, search(), Budget(), seeds=[DEFAULT, FASTEST])
    assert result.stopped_by == "exhausted"
    assert sorted(keys(runner.calls)) == sorted(keys(list(SPACE.enumerate())))
    assert result.best is not None and result.best.configuration == FASTEST


def test_an_empty_space_is_exhausted() -> None:
    class Nothing(RandomSearch):
        def ask(self) -> Configuration | None:
            return None

    result = tune(SPACE, FakeRunner(), Nothing(SPACE), Budget())
    assert (result.best, result.trials, result.stopped_by) == (None, (), "exhausted")


# --- budgets ----------------------------------------------------------------------------------------------------------


def test_the_budget_of_trials_is_kept() -> None:
    runner = FakeRunner()
    result = tune(SPACE, runner, search(), Budget(trials=7))
    assert len(runner.calls) == len(result.trials) == 7
    assert result.stopped_by == "budget"


def test_the_budget_of_seconds_is_tested_before_each_trial() -> None:
    clock = FakeClock()
    runner = FakeRunner(clock=clock, cost=2.0)
    result = tune(SPACE, runner, search(), Budget(seconds=7.0), clock=clock)
    # At 0, 2, 4 and 6 seconds there is time left; at 8 there is none.
    assert len(runner.calls) == 4
    assert result.stopped_by == "budget"
    assert result.elapsed_seconds == 8.0


def test_no_trial_starts_that_is_predicted_to_take_more_than_what_is_left() -> None:
    """Once one has run well. A seed that takes too long is passed over, what is asked for ends the search."""
    clock = FakeClock()
    runner = FakeRunner(clock=clock, cost=2.0)
    asked: list[tuple[Configuration, int]] = []

    def predict(configuration: Configuration, trials: Sequence[Trial]) -> float:
        asked.append((configuration, len(trials)))
        return 9.0 if configuration == SLOW else 2.5

    seeds = [DEFAULT, SLOW, FASTEST]
    result = tune(SPACE, runner, search(), Budget(seconds=8.0), seeds=seeds, predict=predict, clock=clock)
    assert runner.calls[:2] == [DEFAULT, FASTEST]
    assert len(runner.calls) == 3  # at 6 seconds 2 are left, less than a trial takes
    assert result.stopped_by == "budget"
    assert result.elapsed_seconds == 6.0
    assert [count for _, count in asked] == [1, 1, 2, 3]
    assert asked[0][0] == SLOW


def test_until_one_has_run_well_trials_start_within_the_budget() -> None:
    clock = FakeClock()

    def failing(configuration: Configuration) -> Trial | None:
        return Trial(configuration, Outcome.build_failed) if configuration != SLOW else None

    runner = FakeRunner(failing, clock, 2.0)
    result = tune(
        SPACE,
        runner,
        search(),
        Budget(seconds=7.0),
        seeds=[DEFAULT, FASTEST, SLOW],
        predict=lambda *_: 100.0,
        clock=clock,
    )
    assert runner.calls == [DEFAULT, FASTEST, SLOW]
    assert result.best is not None
    assert result.best.configuration == SLOW


def test_without_seconds_nothing_is_predicted_to_take_too_long() -> None:
    result = tune(SPACE, FakeRunner(), search(), Budget(trials=4), predict=lambda *_: 1e9)
    assert len(result.trials) == 4


def test_seeds_are_within_the_budget() -> None:
    runner = FakeRunner()
    assert tune(SPACE, runner, search(), Budget(seconds=0.0), seeds=[DEFAULT]).best is None
    assert tune(SPACE, runner, search(), Budget(trials=0), seeds=[DEFAULT]).stopped_by == "budget"
    assert runner.calls == []


def test_a_search_that_thinks_past_the_end_runs_nothing_more() -> None:
    clock = FakeClock()

    class Slow(RandomSearch):
        def ask(self) -> Configuration | None:
            clock.now += 10.0
            return super().ask()

    runner = FakeRunner()
    result = tune(SPACE, runner, Slow(SPACE), Budget(seconds=25.0), clock=clock)
    assert len(runner.calls) == 2
    assert result.stopped_by == "budget"


def test_good_enough_ends_the_search() -> None:
    runner = FakeRunner()
    result = tune(SPACE, runner, search(), Budget(), seeds=[SLOW, FASTEST, DEFAULT], good_enough_seconds=1e-3)
    assert runner.calls == [SLOW, FASTEST]
    assert result.stopped_by == "good_enough"
    assert result.best is not None and result.best.configuration == FASTEST


# --- journals ---------------------------------------------------------------------------------------------------------


def test_every_trial_is_begun_before_it_runs_and_finished_after() -> None:
    journal = FakeJournal()
    order: list[str] = []

    def note(configuration: Configuration) -> None:
        assert journal.log[-1] == ("begin", canonical(configuration))
        order.append(canonical(configuration))

    tune(SPACE, FakeRunner(on=note), search(), Budget(trials=4), journal)
    assert journal.log == [(step, key) for key in order for step in ("begin", "finish")]
    assert not journal.open


def test_known_trials_are_told_and_never_run_again() -> None:
    known = [
        Trial(FASTEST, Outcome.ok, time_of(FASTEST)),
        Trial({"variant": "scalar", "tile": 2, "width": 8}, Outcome.ok, 5.0),  # stored before it was normalised
        Trial(DEFAULT, Outcome.crashed),
        Trial({"colour": "red"}, Outcome.ok, 1e-9),  # of a space that is no more
        Trial({"variant": "vector", "tile": 16, "width": 8}, Outcome.ok, 1e-9),  # infeasible by now
    ]
    told: list[Trial] = []

    class Listening(RandomSearch):
        def tell(self, trial: Trial) -> None:
            told.append(trial)
            super().tell(trial)

    runner = FakeRunner()
    result = tune(SPACE, runner, Listening(SPACE), Budget(), FakeJournal(known), seeds=[DEFAULT, FASTEST])
    assert len(result.known) == 3
    assert told[:3] == list(result.known)
    assert len(runner.calls) == 19 - 3
    assert not set(keys(runner.calls)) & {trial.key for trial in result.known}
    assert result.best is not None and result.best.configuration == FASTEST


def test_a_crashed_trial_is_never_run_again_even_where_it_worked_before() -> None:
    class Journal(FakeJournal):
        def known(self) -> list[Trial]:
            return [Trial(FASTEST, Outcome.ok, 1e-6), Trial(FASTEST, Outcome.crashed), Trial(FASTEST, Outcome.ok, 1e-6)]

    runner = FakeRunner()
    result = tune(SPACE, runner, search(), Budget(), Journal(), seeds=[FASTEST])
    assert FASTEST not in runner.calls
    assert result.best is not None and result.best.configuration != FASTEST


def test_a_trial_left_open_by_a_dead_process_is_not_run_again() -> None:
    journal = FakeJournal()
    journal.begin(FASTEST)
    runner = FakeRunner()
    tune(SPACE, runner, search(), Budget(), journal, seeds=[FASTEST])
    assert FASTEST not in runner.calls
    assert len(runner.calls) == 18


def test_a_search_that_repeats_itself_runs_nothing_twice_and_ends() -> None:
    class Stubborn(RandomSearch):
        def ask(self) -> Configuration | None:
            return dict(FASTEST)

    runner = FakeRunner()
    result = tune(SPACE, runner, Stubborn(SPACE), Budget())
    assert runner.calls == [FASTEST]
    assert result.stopped_by == "exhausted"


@pytest.mark.parametrize(
    "asked", [{"variant": "vector", "tile": 16, "width": 8}, {"variant": "scalar", "tile": 4, "width": 8}, {"a": 1}]
)
def test_a_search_that_asks_for_what_is_no_candidate_is_an_error(asked: Configuration) -> None:
    class Wrong(RandomSearch):
        def ask(self) -> Configuration | None:
            return asked

    runner = FakeRunner()
    with pytest.raises(SearchError):
        tune(SPACE, runner, Wrong(SPACE), Budget())
    assert runner.calls == []


# --- what goes wrong --------------------------------------------------------------------------------------------------


def test_an_interrupt_in_a_trial_keeps_the_best_and_closes_the_trial() -> None:
    journal, progress, clock = FakeJournal(), FakeProgress(), FakeClock()
    runner = FakeRunner(on=lambda c: KeyboardInterrupt() if c == DEFAULT else None, clock=clock, cost=3.0)
    result = tune(SPACE, runner, search(), Budget(), journal, [SLOW, FASTEST, DEFAULT], progress, clock=clock)
    assert result.stopped_by == "interrupted"
    assert result.best is not None and result.best.configuration == FASTEST
    assert result.trials[-1] == Trial(DEFAULT, Outcome.timed_out, None, 3.0, INTERRUPTED)
    assert journal.trials[canonical(DEFAULT)] == result.trials[-1]
    assert not journal.open
    assert progress.log[-1] == "close"


@pytest.mark.parametrize("at", ["begin", "finish", "known", "ask", "tell", "update", "start", "event"])
def test_an_interrupt_anywhere_keeps_what_was_found(at: str) -> None:
    countdown = {"begin": 3, "finish": 2, "known": 1, "ask": 1, "tell": 2, "update": 2, "start": 1, "event": 4}

    def strike(where: str) -> None:
        if where == at:
            countdown[at] -= 1
            if countdown[at] == 0:
                raise KeyboardInterrupt

    class Journal(FakeJournal):
        def begin(self, configuration: Configuration) -> None:
            super().begin(configuration)
            strike("begin")

        def finish(self, trial: Trial) -> None:
            strike("finish")
            super().finish(trial)

        def known(self) -> list[Trial]:
            strike("known")
            return super().known()

    class Listening(RandomSearch):
        def ask(self) -> Configuration | None:
            strike("ask")
            return super().ask()

        def tell(self, trial: Trial) -> None:
            strike("tell")
            super().tell(trial)

    class Watching(FakeProgress):
        def start(self, budget: object) -> None:
            strike("start")

        def update(self, *arguments: object) -> None:  # type: ignore[override]
            strike("update")

    journal, progress = Journal(), Watching()
    result = tune(
        SPACE, FakeRunner(), Listening(SPACE), Budget(), journal, [SLOW, FASTEST], progress, lambda _: strike("event")
    )
    assert result.stopped_by == "interrupted"
    assert not journal.open
    assert progress.log[-1] == "close"
    expected = None if at in ("known", "start") else FASTEST
    assert (result.best.configuration if result.best else None) == expected


def test_an_interrupt_while_the_bar_closes_loses_nothing() -> None:
    class Watching(FakeProgress):
        def close(self) -> None:
            raise KeyboardInterrupt

    result = tune(SPACE, FakeRunner(), search(), Budget(trials=2), progress=Watching())
    assert len(result.trials) == 2


def test_a_runner_that_raises_is_a_bug_and_leaves_a_consistent_journal() -> None:
    journal, progress = FakeJournal(), FakeProgress()
    runner = FakeRunner(on=lambda c: ZeroDivisionError("oops") if c == FASTEST else None)
    with pytest.raises(ZeroDivisionError, match="oops"):
        tune(SPACE, runner, search(), Budget(), journal, [DEFAULT, FASTEST], progress)
    assert not journal.open
    assert journal.trials[canonical(DEFAULT)].ok
    assert journal.trials[canonical(FASTEST)].outcome is Outcome.crashed
    assert "oops" in journal.trials[canonical(FASTEST)].detail
    assert progress.log[-1] == "close"


def test_a_runner_that_answers_for_another_configuration_is_a_bug() -> None:
    journal = FakeJournal()
    runner = FakeRunner(on=lambda c: Trial(FASTEST, Outcome.ok, 1e-9))
    with pytest.raises(RunnerError):
        tune(SPACE, runner, search(), Budget(), journal, [SLOW])
    assert not journal.open
    assert not journal.trials[canonical(SLOW)].ok


def test_a_journal_that_cannot_begin_prevents_the_run() -> None:
    class Full(FakeJournal):
        def begin(self, configuration: Configuration) -> None:
            raise OSError("disk full")

    runner, journal = FakeRunner(), Full()
    with pytest.raises(OSError, match="disk full"):
        tune(SPACE, runner, search(), Budget(), journal)
    assert runner.calls == []
    assert journal.log == []


def test_a_wrong_answer_is_reported_loudly_and_does_not_win() -> None:
    def answer(configuration: Configuration) -> Trial | None:
        wrong = configuration == FASTEST
        return Trial(configuration, Outcome.wrong_answer, None, 1.0, "7 of 64 differ") if wrong else None

    with pytest.warns(WrongAnswerWarning) as caught:
        result = tune(SPACE, FakeRunner(on=answer), search(), Budget())
    assert len(caught) == 1
    assert canonical(FASTEST) in str(caught[0].message)
    assert "7 of 64 differ" in str(caught[0].message)
    assert caught[0].filename == __file__
    assert result.best is not None and result.best.configuration != FASTEST


def test_other_failures_are_silent() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = tune(SPACE, FakeRunner(on=lambda c: Trial(c, Outcome.build_failed)), search(), Budget())
    assert result.best is None
    assert len(result.trials) == 19


# --- confirmation -----------------------------------------------------------------------------------------------------


def test_the_winner_is_by_the_second_measure() -> None:
    asked: list[Sequence[Configuration]] = []

    def confirm(configurations: Sequence[Configuration]) -> list[float]:
        asked.append(configurations)
        # The first measure was noise: the third of them is the fastest.
        return [2.0, 3.0, 1.0, 4.0]

    events: list[TuningEvent] = []
    result = tune(SPACE, FakeRunner(), search(), Budget(), seeds=[DEFAULT], confirm=confirm, on_event=events.append)
    ranked = sorted(SPACE.enumerate(), key=time_of)
    assert DEFAULT not in ranked[:3]
    assert [list(configurations) for configurations in asked] == [[DEFAULT, *ranked[:3]]]
    assert result.confirmed
    assert result.best == Trial(ranked[1], Outcome.ok, 1.0, 1.0)
    assert isinstance(events[-1], Confirmed) and events[-1].best == result.best


def test_the_default_wins_where_nothing_is_faster_than_it() -> None:
    def confirm(configurations: Sequence[Configuration]) -> list[float]:
        return [1.0] * len(configurations)

    result = tune(SPACE, FakeRunner(), search(), Budget(), seeds=[DEFAULT], confirm=confirm)
    assert result.best is not None and result.best.configuration == DEFAULT


def test_the_default_is_confirmed_also_where_it_was_known() -> None:
    asked: list[Sequence[Configuration]] = []

    def confirm(configurations: Sequence[Configuration]) -> list[float]:
        asked.append(configurations)
        return list(map(time_of, configurations))

    journal = FakeJournal([Trial(DEFAULT, Outcome.ok, 9.0)])
    tune(SPACE, FakeRunner(), search(), Budget(trials=2), journal, [DEFAULT], confirm=confirm)
    assert asked[0][0] == DEFAULT
    assert len(asked[0]) == 3


def test_a_finalist_that_fails_the_second_time_does_not_win() -> None:
    def confirm(configurations: Sequence[Configuration]) -> list[float]:
        return [float("inf"), float("nan"), 5.0, 0.0]

    result = tune(SPACE, FakeRunner(), search(), Budget(), seeds=[DEFAULT], confirm=confirm)
    assert result.best is not None and result.best.seconds == 5.0


def test_one_finalist_needs_no_comparison() -> None:
    def confirm(configurations: Sequence[Configuration]) -> list[float]:
        raise AssertionError("nothing to compare")

    result = tune(SPACE, FakeRunner(), search(), Budget(trials=1), seeds=[DEFAULT], confirm=confirm)
    assert result.confirmed and result.best is not None and result.best.configuration == DEFAULT
    nothing = tune(SPACE, FakeRunner(), search(), Budget(trials=0), confirm=confirm)
    assert not nothing.confirmed and nothing.best is None


def test_an_interrupted_confirmation_keeps_the_first_measure() -> None:
    def confirm(configurations: Sequence[Configuration]) -> list[float]:
        raise KeyboardInterrupt

    result = tune(SPACE, FakeRunner(), search(), Budget(), confirm=confirm)
    assert result.stopped_by == "interrupted"
    assert not result.confirmed
    assert result.best is not None and result.best.configuration == FASTEST


def test_an_interrupted_search_is_not_confirmed() -> None:
    def confirm(configurations: Sequence[Configuration]) -> list[float]:
        raise AssertionError("the user wants to leave")

    runner = FakeRunner(on=lambda c: KeyboardInterrupt() if c == SLOW else None)
    result = tune(SPACE, runner, search(), Budget(), seeds=[DEFAULT, FASTEST, SLOW], confirm=confirm)
    assert not result.confirmed and result.best is not None


def test_a_confirmation_of_the_wrong_length_is_an_error() -> None:
    with pytest.raises(ConfirmationError, match="1 of 4"):
        tune(SPACE, FakeRunner(), search(), Budget(), confirm=lambda configurations: [1.0])
    assert issubclass(ConfirmationError, TunerError)


# --- events and progress ----------------------------------------------------------------------------------------------


def test_events_tell_the_story() -> None:
    events: list[TuningEvent] = []
    tune(SPACE, FakeRunner(), search(), Budget(trials=2), seeds=[FASTEST, SLOW], on_event=events.append)
    first, second = (Trial(c, Outcome.ok, time_of(c), 1.0) for c in (FASTEST, SLOW))
    assert events == [
        TrialStarted(FASTEST, 1),
        TrialFinished(first, 1, first),
        TrialStarted(SLOW, 2),
        TrialFinished(second, 2, first),
    ]


def test_progress_is_told_of_each_trial() -> None:
    clock, progress = FakeClock(), FakeProgress()
    runner = FakeRunner(clock=clock, cost=2.0, on=lambda c: Trial(c, Outcome.refused) if c == SLOW else None)
    budget = Budget(seconds=3.0, trials=9)
    tune(SPACE, runner, search(), budget, seeds=[SLOW, FASTEST], progress=progress, clock=clock)
    assert progress.log == ["start", (1, None, 2.0, 1.0), (2, time_of(FASTEST), 4.0, 0.0), "close"]
