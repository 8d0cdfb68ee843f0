"""Who tries a candidate: lazyarr's runner builds, runs, checks and times it; the one here replays records."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from tuner.trials import Configuration, Outcome, Trial, canonical


class Runner(Protocol):
    """Tries one configuration. Design section 2: the tuner is handed it, so searches can be replayed from records."""

    def run(self, configuration: Configuration) -> Trial:
        """Derive, build, run, check against the reference and time it.

        Never raises for a bad candidate: that is an outcome. What it does raise is a bug of the runner and ends the
        search. `KeyboardInterrupt` passes through.
        """


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
