"""Who tries a candidate: lazyarr's runner builds, runs, checks and times it; those of tests replay records."""

from __future__ import annotations

from typing import Protocol

from tuner.trials import Configuration, Trial


class Runner(Protocol):
    """Tries one configuration. Design section 2: the tuner is handed it, so searches can be replayed from records."""

    def run(self, configuration: Configuration) -> Trial:
        """Derive, build, run, check against the reference and time it.

        Never raises for a bad candidate: that is an outcome. What it does raise is a bug of the runner and ends the
        search. `KeyboardInterrupt` passes through.
        """
