"""Showing how a search goes: a bar on a terminal or in a notebook, nothing anywhere else (design section 7)."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

from tuner.budget import Budget

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID


class Progress(Protocol):
    """What a search tells its audience: `tune` calls `start` once, `update` after each trial, `close` at any end."""

    def start(self, budget: Budget) -> None:
        """A search begins that may spend this much."""

    def update(
        self, trials: int, best_seconds: float | None, elapsed_seconds: float, seconds_left: float | None
    ) -> None:
        """So many trials have been run; the best time so far and the time left in seconds, None where there is none."""

    def close(self) -> None:
        """The search is over, however it ended. May be called without `start`, and twice."""


class SilentProgress:
    """Shows nothing."""

    def start(self, budget: Budget) -> None:
        """Show nothing."""

    def update(
        self, trials: int, best_seconds: float | None, elapsed_seconds: float, seconds_left: float | None
    ) -> None:
        """Show nothing."""

    def close(self) -> None:
        """Show nothing."""


class RichProgress:
    """A bar on stderr, removed when the search is over.

    It fills with whichever side of the budget runs out first. A display that fails (a closed stream, a second live
    display) turns silent: it must not cost anybody a search.
    """

    def __init__(self) -> None:
        self._bar: Bar | None = None
        self._task: TaskID | None = None
        self._budget = Budget()

    def start(self, budget: Budget) -> None:
        """Show the empty bar."""
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn
        from rich.progress import Progress as Bar

        self._budget = budget
        bar = Bar(
            TextColumn("tuning"),
            BarColumn(),
            TextColumn("{task.description}"),
            console=Console(stderr=True),
            transient=True,
        )
        # Before it starts: Ctrl-C may strike while it does, and `close` must find what hid the cursor.
        self._bar = bar
        try:
            bar.start()
            self._task = bar.add_task(describe(budget, 0, None, budget.seconds), total=1.0)
        except Exception:
            self.close()

    def update(
        self, trials: int, best_seconds: float | None, elapsed_seconds: float, seconds_left: float | None
    ) -> None:
        """Move the bar."""
        if self._bar is None or self._task is None:
            return
        text = describe(self._budget, trials, best_seconds, seconds_left)
        try:
            self._bar.update(self._task, completed=_spent(self._budget, trials, elapsed_seconds), description=text)
        except Exception:
            self.close()

    def close(self) -> None:
        """Remove the bar and give the terminal its cursor back."""
        bar, self._bar = self._bar, None
        if bar is not None:
            with suppress(Exception):
                bar.stop()


def default_progress() -> Progress:
    """A bar if stderr is a terminal, or in a notebook, and rich is installed; otherwise silence."""
    return RichProgress() if _has_audience() and _is_installed("rich") else SilentProgress()


def _has_audience() -> bool:
    """Whether anybody watches stderr: it may be a file, closed, or absent (a process without a console)."""
    try:
        if sys.stderr is not None and sys.stderr.isatty():
            return True
    except ValueError:
        return False
    # Without ipywidgets, rich would print a bar per refresh into the notebook.
    return "ipykernel" in sys.modules and _is_installed("ipywidgets")


def _is_installed(module: str) -> bool:
    """Whether it could be imported, without doing so."""
    from importlib.util import find_spec

    return find_spec(module) is not None


def _spent(budget: Budget, trials: int, elapsed_seconds: float) -> float:
    """The part of the budget that is gone, 0 to 1: of the side that is nearer its end. An open budget never moves."""
    by_trials = trials / budget.trials if budget.trials else 0.0
    by_seconds = elapsed_seconds / budget.seconds if budget.seconds else 0.0
    return min(1.0, max(by_trials, by_seconds))


def describe(budget: Budget, trials: int, best_seconds: float | None, seconds_left: float | None) -> str:
    """One line: trials done and allowed, the best time so far, seconds left."""
    parts = [f"{trials}/{budget.trials} trials" if budget.trials is not None else f"{trials} trials"]
    if best_seconds is not None:
        parts.append(f"best {format_seconds(best_seconds)}")
    if seconds_left is not None:
        parts.append(f"{seconds_left:.0f} s left")
    return ", ".join(parts)


def format_seconds(seconds: float) -> str:
    """A duration with three digits and the unit that suits it: s, ms, us or ns."""
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"
