"""The search itself: seeds, then what the strategy asks for, until the budget is spent (design section 7)."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Literal

from tuner.budget import Budget, Clock, Meter
from tuner.errors import ConfirmationError, RunnerError, SearchError, WrongAnswerWarning
from tuner.progress import Progress, SilentProgress, default_progress
from tuner.runners import Runner
from tuner.search import Search
from tuner.space import Space
from tuner.trials import Configuration, Journal, Outcome, Trial, best_of, canonical, seconds_of

StoppedBy = Literal["budget", "exhausted", "interrupted", "good_enough"]
Confirm = Callable[[Sequence[Configuration]], Sequence[float]]
"""Measures configurations again, interleaved and paired. Returns the seconds of each, infinity for one that failed."""

Predict = Callable[[Configuration, Sequence[Trial]], float]
"""The seconds that trying a configuration is predicted to take, after what was tried; with what `confirm` will."""

Promises = Callable[[Configuration, Sequence[Trial]], bool]
"""May a configuration become the fastest, after what was tried?"""

INTERRUPTED = "interrupted by the user"
"""The detail of the trial that was running when Ctrl-C struck; its outcome is `timed_out`."""

PASSED_OVER = "predicted to be much slower than the fastest"
"""The detail of what a search is told of a configuration that was not tried, since it promises nothing."""

CONFIRMED = 4
"""Configurations measured again at the end, the default among them."""

_REPEATS = 32
"""Tried configurations that a search may ask for in a row before it counts as exhausted."""


@dataclass(frozen=True, slots=True)
class TrialStarted:
    """A configuration is about to run; `number` counts from 1."""

    configuration: Configuration
    number: int


@dataclass(frozen=True, slots=True)
class TrialFinished:
    """A configuration has run, and is in the journal. `best` is the incumbent, this trial included."""

    trial: Trial
    number: int
    best: Trial | None


@dataclass(frozen=True, slots=True)
class Confirmed:
    """The best few were measured again: `seconds` of each, and the winner by them."""

    configurations: tuple[Configuration, ...]
    seconds: tuple[float, ...]
    best: Trial


TuningEvent = TrialStarted | TrialFinished | Confirmed


@dataclass(frozen=True, slots=True)
class TuningResult:
    """What a search found.

    `best` is the winner, None if nothing succeeded; its seconds are the second measure's where `confirmed`. `trials`
    were run in this search, in order; `known` came from the journal and count for `best` too. `confirmed` says that
    `best` was compared with the untuned default in a paired measurement; without it, noise may have chosen.
    """

    best: Trial | None
    trials: tuple[Trial, ...]
    stopped_by: StoppedBy
    known: tuple[Trial, ...] = ()
    confirmed: bool = False
    elapsed_seconds: float = 0.0


def tune(
    space: Space,
    runner: Runner,
    search: Search,
    budget: Budget,
    journal: Journal | None = None,
    seeds: Iterable[Configuration] = (),
    progress: Progress | None = None,
    on_event: Callable[[TuningEvent], None] | None = None,
    *,
    good_enough_seconds: float | None = None,
    confirm: Confirm | None = None,
    predict: Predict | None = None,
    promises: Promises | None = None,
    clock: Clock = time.monotonic,
    warn: bool = True,
) -> TuningResult:
    """Search `space` for its fastest candidate.

    The seeds are tried first (normalised, feasible, once each); the first of them counts as the untuned default. Trials
    that the journal knows are told to the search and never run again, crashed ones least of all. The budget is tested
    before each trial; once one has run well, no trial starts that `predict`, if given, says to take longer than what is
    left: such a seed is passed over, and the search ends where it asks for such a one. Nor does one start that
    `promises`, if given, says no to: it is passed over, and the search is told that it failed. Where there are many in
    a row, nothing is left. A trial as fast as `good_enough_seconds` (the roofline bound) ends the search.

    At the end `confirm`, if given, measures up to four configurations again: the default and the best few. The winner
    is the fastest by that measure, so that a tuned kernel is never slower than the default. No budget stops it.

    KeyboardInterrupt ends the search at any point and is not raised again: the result holds the best so far,
    unconfirmed. The trial it struck goes into the journal as timed out: nobody knows whether it would have ended.

    Warns once at the end, a `WrongAnswerWarning`, if candidates computed something else than the reference; not where
    `warn` is false, for callers who say so themselves. Raises what the runner, the journal or
    `on_event` raise, `RunnerError`, `SearchError` or `ConfirmationError` where one of them breaks its protocol; the
    journal is consistent by then and the progress bar closed.
    """
    tuning = _Tuning(space, search, journal, progress or default_progress(), on_event)
    meter = budget.start(clock)
    stopped_by: StoppedBy = "interrupted"
    confirmed: Trial | None = None
    try:
        tuning.progress.start(budget)
        tuning.begin(seeds)
        stopped_by = tuning.go_on(runner, meter, good_enough_seconds, predict, promises)
        if confirm is not None:
            confirmed = tuning.confirm(confirm)
    except KeyboardInterrupt:
        stopped_by = "interrupted"
    finally:
        # A second Ctrl-C may strike here; what was found is kept all the same.
        with suppress(KeyboardInterrupt):
            tuning.progress.close()
    wrong = [trial for trial in tuning.trials if trial.outcome is Outcome.wrong_answer]
    if wrong and warn:
        first = f"{wrong[0].key}: {' '.join(wrong[0].detail.split()) or 'no detail given'}"
        warnings.warn(
            f"{len(wrong)} of {len(tuning.trials)} candidates computed a wrong answer and are not used, first {first}",
            WrongAnswerWarning,
            stacklevel=2,
        )
    return TuningResult(
        best=confirmed or tuning.best,
        trials=tuple(tuning.trials),
        stopped_by=stopped_by,
        known=tuple(tuning.known),
        confirmed=confirmed is not None,
        elapsed_seconds=meter.elapsed_seconds(),
    )


class SlicedSearch:
    """A search that is done in slices, whenever there is time for one. It shows no progress and confirms nothing."""

    def __init__(
        self, space: Space, search: Search, journal: Journal | None = None, seeds: Iterable[Configuration] = ()
    ) -> None:
        """Nothing runs yet. The seeds are tried first, as `tune` does it."""
        self._tuning = _Tuning(space, search, journal, SilentProgress(), None)
        self._tuning.begin(seeds)

    @property
    def trials(self) -> tuple[Trial, ...]:
        """What was tried so far, in order."""
        return tuple(self._tuning.trials)

    @property
    def best(self) -> Trial | None:
        """The fastest so far; None if nothing succeeded."""
        return self._tuning.best

    def go_on(
        self, runner: Runner, budget: Budget, promises: Promises | None = None, clock: Clock = time.monotonic
    ) -> StoppedBy:
        """Search on with a runner within a budget; what ended it: `exhausted` where nothing is left to be tried.

        Once one has run well, a configuration that does not promise anything ends it, untried, as the budget does: the
        search goes on with the next. Where there are many in a row, nothing is left.

        Raises what `tune` does, and KeyboardInterrupt: the trial that it struck is in the journal by then.
        """
        return self._tuning.go_on(runner, budget.start(clock), None, promises=promises, in_slices=True)


class _Tuning:
    """One search under way."""

    def __init__(
        self,
        space: Space,
        search: Search,
        journal: Journal | None,
        progress: Progress,
        on_event: Callable[[TuningEvent], None] | None,
    ) -> None:
        self.space = space
        self.search = search
        self.journal = journal
        self.progress = progress
        self.on_event = on_event
        self.trials: list[Trial] = []
        self.known: list[Trial] = []
        self.best: Trial | None = None
        self.default: str | None = None
        self._done: dict[str, Trial] = {}
        self._waiting: list[Configuration] = []
        self._passed_over = 0  # in a row, since they promise nothing

    def begin(self, seeds: Iterable[Configuration]) -> None:
        """Recall what is known, and note the seeds."""
        self._recall()
        self._waiting = self._admitted(seeds)

    def go_on(
        self,
        runner: Runner,
        meter: Meter,
        good_enough_seconds: float | None,
        predict: Predict | None = None,
        promises: Promises | None = None,
        in_slices: bool = False,
    ) -> StoppedBy:
        """Try the seeds that are left, then what the search asks for. Returns what ended it.

        Args:
            in_slices: does what is passed over end this part of the search? Asking takes time, too
        """
        repeats = 0
        while True:
            if good_enough_seconds is not None and seconds_of_best(self.best) <= good_enough_seconds:
                return "good_enough"
            if meter.is_spent():
                return "budget"
            is_seed = bool(self._waiting)
            configuration = self._waiting.pop(0) if is_seed else self._ask()
            if configuration is None:
                return "exhausted"
            tried = self._done.get(canonical(configuration))
            if tried is not None:
                # Never twice, whatever a search says (design section 3, invariant 8).
                repeats += 1
                if repeats > _REPEATS:
                    return "exhausted"
                self.search.tell(tried)
                continue
            repeats = 0
            # Asking may have taken a while: a model is fitted, a library imported.
            if meter.is_spent():
                self._waiting.insert(0, configuration)
                return "budget"
            if predict is not None and not self._fits(predict, configuration, meter):
                if is_seed:
                    continue  # another one may take less
                return "budget"
            if promises is not None and self.best is not None and not promises(configuration, self.trials):
                self._passed_over += 1
                self.search.tell(Trial(configuration, Outcome.refused, detail=PASSED_OVER))
                if self._passed_over > _REPEATS:
                    return "exhausted"
                if in_slices:
                    return "budget"
                continue
            self._passed_over = 0
            self._try(configuration, runner, meter)

    def confirm(self, confirm: Confirm) -> Trial | None:
        """The winner of a second measurement among the default and the best few; None if nothing has run well."""
        ranked = sorted((trial for trial in self._done.values() if trial.ok), key=seconds_of)
        default = [trial for trial in ranked if trial.key == self.default]
        others = [trial for trial in ranked if trial.key != self.default]
        # The default first: of equals, the first wins.
        finalists = (default + others)[:CONFIRMED]
        if len(finalists) < 2:
            return finalists[0] if finalists else None
        configurations = tuple(dict(trial.configuration) for trial in finalists)
        measured = tuple(float(seconds) for seconds in confirm(configurations))
        if len(measured) != len(finalists):
            raise ConfirmationError(f"confirm measured {len(measured)} of {len(finalists)} configurations")
        valid = [
            replace(trial, seconds=seconds)
            for trial, seconds in zip(finalists, measured, strict=True)
            if math.isfinite(seconds) and seconds > 0
        ]
        best = best_of(valid)
        if best is not None:
            self._emit(Confirmed(configurations, measured, best))
        return best

    def _recall(self) -> None:
        """Tell the search what earlier processes tried. Trials that are not of this space (any more) do not count."""
        for trial in self.journal.known() if self.journal is not None else []:
            configuration = self.space.admit(trial.configuration)
            if configuration is None:
                continue
            trial = replace(trial, configuration=configuration)
            before = self._done.get(trial.key)
            # The journal may hold several, the latest last. That it crashed once outweighs that it worked once.
            if before is None or before.outcome is not Outcome.crashed:
                self._done[trial.key] = trial
        self.known = list(self._done.values())
        self.best = best_of(self.known)
        for trial in self.known:
            self.search.tell(trial)

    def _admitted(self, seeds: Iterable[Configuration]) -> list[Configuration]:
        """The seeds that are to run: normalised, feasible, once each, unknown yet. Notes which is the default."""
        admitted: dict[str, Configuration] = {}
        for seed in seeds:
            configuration = self.space.admit(seed)
            if configuration is not None:
                admitted.setdefault(canonical(configuration), configuration)
        self.default = next(iter(admitted), None)
        return [configuration for key, configuration in admitted.items() if key not in self._done]

    def _ask(self) -> Configuration | None:
        """What the search asks for.

        Raises:
            SearchError: that must not run.
        """
        asked = self.search.ask()
        if asked is None:
            return None
        configuration = self.space.admit(asked)
        if configuration != asked:
            raise SearchError(f"the search asked for {asked!r}, which is infeasible or not normalised")
        return configuration

    def _fits(self, predict: Predict, configuration: Configuration, meter: Meter) -> bool:
        """May it be tried in the seconds that are left? Until one has run well there is nothing to end with."""
        return self.best is None or predict(configuration, self.trials) <= seconds_or_infinity(meter.seconds_left())

    def _try(self, configuration: Configuration, runner: Runner, meter: Meter) -> None:
        """Run one configuration, and let everybody know."""
        number = len(self.trials) + 1
        self._emit(TrialStarted(dict(configuration), number))
        trial = self._run_journalled(configuration, runner, meter)
        self.search.tell(trial)
        best_seconds = None if self.best is None else self.best.seconds
        self.progress.update(number, best_seconds, meter.elapsed_seconds(), meter.seconds_left())
        self._emit(TrialFinished(trial, number, self.best))

    def _run_journalled(self, configuration: Configuration, runner: Runner, meter: Meter) -> Trial:
        """Begin, run, finish: whatever happens in between, no trial of a live process stays open in the journal."""
        started = meter.elapsed_seconds()
        begun = False
        try:
            if self.journal is not None:
                self.journal.begin(dict(configuration))
            begun = True
            trial = runner.run(dict(configuration))
            if trial.configuration != configuration:
                raise RunnerError(f"the runner was given {configuration!r} and answered {trial!r}")
        except BaseException as error:
            interrupted = isinstance(error, KeyboardInterrupt)
            if begun or interrupted:  # an interrupted `begin` may have reached the disk; a failed one is not finished
                cost = max(0.0, meter.elapsed_seconds() - started)
                outcome = Outcome.timed_out if interrupted else Outcome.crashed
                detail = INTERRUPTED if interrupted else f"the runner raised {error!r}"
                self._take(Trial(configuration, outcome, cost_seconds=cost, detail=detail), meter)
            raise
        self._take(trial, meter)
        return trial

    def _take(self, trial: Trial, meter: Meter) -> None:
        """Make it part of this search, then of the journal: Ctrl-C may strike while that waits for a disk."""
        self._done[trial.key] = trial
        self.trials.append(trial)
        meter.count_trial()
        self.best = best_of(t for t in (self.best, trial) if t is not None)
        self._finish(trial)

    def _finish(self, trial: Trial) -> None:
        """Write it down, also when Ctrl-C strikes in the middle of that."""
        if self.journal is None:
            return
        try:
            self.journal.finish(trial)
        except KeyboardInterrupt:
            self.journal.finish(trial)
            raise

    def _emit(self, event: TuningEvent) -> None:
        if self.on_event is not None:
            self.on_event(event)


def seconds_or_infinity(seconds: float | None) -> float:
    """Seconds that are left, infinity without a bound."""
    return math.inf if seconds is None else seconds


def seconds_of_best(best: Trial | None) -> float:
    """The incumbent's time in seconds, infinity without one."""
    return math.inf if best is None else seconds_of(best)
