"""What a search may spend (design section 7: a budget in seconds and in trials)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from tuner.errors import BudgetError

Clock = Callable[[], float]
"""Seconds since some fixed moment, never going back. `time.monotonic`, or a fake one in tests."""


@dataclass(frozen=True, slots=True)
class Budget:
    """At most `seconds` of wall time and at most `trials` runs; None leaves that side open.

    Both are tested before each trial, so a search overruns by one trial at the most. Trials of earlier processes cost
    nothing.

    Raises:
        BudgetError: a negative amount or NaN.
    """

    seconds: float | None = None
    trials: int | None = None

    def __post_init__(self) -> None:
        for name, amount in (("seconds", self.seconds), ("trials", self.trials)):
            if amount is not None and (math.isnan(amount) or amount < 0):
                raise BudgetError(f"a budget of {name} is a number >= 0 or None, got {amount!r}")

    def start(self, clock: Clock) -> Meter:
        """Begin to spend it, now."""
        return Meter(self, clock)


class Meter:
    """A budget being spent: counts trials and reads the clock."""

    def __init__(self, budget: Budget, clock: Clock) -> None:
        self.budget = budget
        self.trials = 0
        """Trials run so far."""
        self._clock = clock
        self._started = clock()

    def count_trial(self) -> None:
        """One more trial has been run."""
        self.trials += 1

    def elapsed_seconds(self) -> float:
        """Wall time since the start, in seconds."""
        return self._clock() - self._started

    def seconds_left(self) -> float | None:
        """Wall time left in seconds, never negative; None without a bound."""
        if self.budget.seconds is None:
            return None
        return max(0.0, self.budget.seconds - self.elapsed_seconds())

    def is_spent(self) -> bool:
        """Whether either side has run out: no trial may start any more."""
        if self.budget.trials is not None and self.trials >= self.budget.trials:
            return True
        return self.seconds_left() == 0.0
