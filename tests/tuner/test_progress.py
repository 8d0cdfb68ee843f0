"""The bar: only where somebody watches, and never at the cost of a search."""

from __future__ import annotations

import io
import sys

import pytest

from tests.tuner.helpers import FakeRunner, grid_space
from tuner import Budget, RandomSearch, RichProgress, SilentProgress, default_progress, tune
from tuner.progress import describe, format_seconds


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_silent_where_stderr_is_no_terminal(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert isinstance(default_progress(), SilentProgress)
    tune(grid_space(), FakeRunner(), RandomSearch(grid_space()), Budget(trials=3))
    assert sys.stderr.getvalue() == ""  # type: ignore[attr-defined]
    assert capfd.readouterr() == ("", "")


def test_silent_where_stderr_is_absent_or_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    closed = io.StringIO()
    closed.close()
    for stream in (None, closed):
        monkeypatch.setattr(sys, "stderr", stream)
        assert isinstance(default_progress(), SilentProgress)


def test_silent_without_rich(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal())
    assert isinstance(default_progress(), RichProgress)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert isinstance(default_progress(), SilentProgress)


def test_a_bar_on_a_terminal(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    tune(grid_space(), FakeRunner(), RandomSearch(grid_space()), Budget(seconds=100.0, trials=3))
    shown = terminal.getvalue()
    assert "3/3 trials" in shown
    assert "best" in shown
    # The cursor comes back, and nothing went to stdout.
    assert shown.rindex("\x1b[?25h") > shown.rindex("\x1b[?25l")
    assert capfd.readouterr().out == ""


def test_the_cursor_comes_back_after_an_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    result = tune(grid_space(), FakeRunner(on=lambda c: KeyboardInterrupt()), RandomSearch(grid_space()), Budget())
    assert result.stopped_by == "interrupted"
    assert terminal.getvalue().rindex("\x1b[?25h") > terminal.getvalue().rindex("\x1b[?25l")


def test_a_terminal_that_breaks_does_not_end_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    class Breaking(Terminal):
        def write(self, text: str) -> int:
            raise OSError("gone")

    monkeypatch.setattr(sys, "stderr", Breaking())
    result = tune(grid_space(), FakeRunner(), RandomSearch(grid_space()), Budget(trials=3), progress=RichProgress())
    assert len(result.trials) == 3


def test_closing_twice_or_unstarted_is_harmless() -> None:
    progress = RichProgress()
    progress.close()
    progress.update(1, None, 0.0, None)
    progress.close()


@pytest.mark.parametrize(
    ("budget", "trials", "best", "left", "text"),
    [
        (Budget(seconds=9.0, trials=40), 3, 2.5e-4, 7.4, "3/40 trials, best 250 us, 7 s left"),
        (Budget(trials=0), 0, None, None, "0/0 trials"),
        (Budget(), 12, 1.5, None, "12 trials, best 1.5 s"),
    ],
)
def test_the_line(budget: Budget, trials: int, best: float | None, left: float | None, text: str) -> None:
    assert describe(budget, trials, best, left) == text


def test_durations_have_a_fitting_unit() -> None:
    assert [format_seconds(s) for s in (12.0, 1.2345e-2, 3.3e-6, 4.56e-8)] == ["12 s", "12.3 ms", "3.3 us", "45.6 ns"]
