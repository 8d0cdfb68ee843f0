"""A search in slices: what each of them tries, and what it passes over."""

from __future__ import annotations

from collections.abc import Sequence

from tests.tuner.helpers import FakeRunner
from tests.tuner.test_loop import DEFAULT, FASTEST, SLOW, SPACE, search
from tuner import Budget, Configuration, SlicedSearch, Trial


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
