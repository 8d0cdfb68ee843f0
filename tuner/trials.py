"""Configurations, and what came of trying them.

Failures are data, told apart by kind (design section 3, invariants 6 and 8): a search learns from them, a journal
remembers them, and none of them can win.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from tuner.errors import TrialError

Configuration = dict[str, int | str]
"""One value for each parameter of a space, by name."""


def canonical(configuration: Mapping[str, int | str]) -> str:
    """The configuration as JSON text with sorted keys: equal configurations, equal text, in every process."""
    return json.dumps(configuration, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


class Outcome(StrEnum):
    """How a trial ended. Only `ok` carries a time that counts."""

    ok = "ok"
    """Ran, agreed with the reference, was timed."""
    build_failed = "build_failed"
    """The device's compiler refused the source."""
    wrong_answer = "wrong_answer"
    """Ran and disagreed with the reference, reported as `WrongAnswerWarning`."""
    timed_out = "timed_out"
    """Took longer than the runner allows, or the user interrupted it."""
    crashed = "crashed"
    """Took its process or device down. Never tried again."""
    refused = "refused"
    """The device would not launch it (resources, work-group size)."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One configuration, tried once.

    `seconds` is the median run time in seconds, None unless the outcome is `ok`. `cost_seconds` is what trying it cost
    in all (deriving, building, checking, timing), in seconds; 0 where that is not known, as of trials read from a
    cache. `detail` is for people: a build log, a mismatch, a signal's name.

    Raises:
        TrialError: time and outcome contradict each other: a failed candidate with a time could win a search.
    """

    configuration: Configuration
    outcome: Outcome
    seconds: float | None = None
    cost_seconds: float = 0.0
    detail: str = ""

    def __post_init__(self) -> None:
        if self.outcome is Outcome.ok:
            if self.seconds is None or not (math.isfinite(self.seconds) and self.seconds > 0):
                raise TrialError(f"an ok trial needs a positive, finite time in seconds, got {self.seconds!r}")
        elif self.seconds is not None:
            raise TrialError(f"a trial with outcome {self.outcome} carries no time, got {self.seconds!r} seconds")
        if not (math.isfinite(self.cost_seconds) and self.cost_seconds >= 0):
            raise TrialError(f"the cost of a trial is a finite number of seconds >= 0, got {self.cost_seconds!r}")
        # A copy: whoever made the dictionary may go on changing it.
        object.__setattr__(self, "configuration", dict(self.configuration))

    @property
    def ok(self) -> bool:
        """Whether the time of this trial counts."""
        return self.outcome is Outcome.ok

    @property
    def key(self) -> str:
        """The canonical text of the configuration."""
        return canonical(self.configuration)


class Journal(Protocol):
    """Where trials outlive the process: `kernel_cache`, behind an adapter of lazyarr's.

    The order is the point: `begin` is durable before the candidate runs, so a candidate that takes the process down has
    left its name (design section 3, invariant 8), and reads as `crashed` from then on.
    """

    def begin(self, configuration: Configuration) -> None:
        """Note durably that this configuration is about to run."""

    def finish(self, trial: Trial) -> None:
        """Note how it ended. May be called twice with the same trial when an interrupt strikes in the middle."""

    def known(self) -> list[Trial]:
        """The trials of earlier processes, begun and never finished ones as `crashed`."""


def best_of(trials: Iterable[Trial]) -> Trial | None:
    """The fastest `ok` trial, the earliest of equals; None where nothing succeeded."""
    return min((trial for trial in trials if trial.ok), key=seconds_of, default=None)


def seconds_of(trial: Trial) -> float:
    """The run time of an `ok` trial in seconds, infinity for any other: failures sort last."""
    return math.inf if trial.seconds is None else trial.seconds
