"""The search for a kernel whose first call could not wait for it: one candidate at a time, on later calls.

A slice tries one candidate on the inputs of the call that it delays, as any search does: it is checked before it is
timed, and takes the place of the kernel that there is where it is faster in a measurement that takes turns. Nothing of
a call is kept between slices but the times.
"""

from __future__ import annotations

import statistics
import time

from ir.fusion.symbols.symbolise import SymbolicKernel
from ir.schedules.candidates import Candidates
from lazyarr.compile.compiled import Compiled
from lazyarr.compile.searching import CacheJournal, complete, search_space, seeds_for
from lazyarr.compile.trials import CandidateRunner, Problem
from lazyarr.config import settings
from lazyarr.runtime import Buffer, Device
from tuner import Budget, Configuration, SlicedSearch, make_search

__all__ = ["LaterSearch"]


class LaterSearch:
    """A search in slices.

    Attributes:
        sizes: of the kernel's symbols, for which it is searched
        ended: is nothing left to be tried, or the time of a search on a first call spent?
    """

    def __init__(self, device: Device, general: SymbolicKernel, journal: CacheJournal | None, made: Compiled) -> None:
        """Nothing is tried yet; the kernel that there is comes first."""
        self.device = device
        self.general = general
        self.sizes = tuple(general.sizes.values())
        self.ended = False
        self._journal = journal
        self._first = made.configuration
        self._seconds = 0.0
        self._search: SlicedSearch | None = None

    def slice(self, before: Compiled, inputs: list[Buffer]) -> Compiled:
        """Try one candidate.

        Args:
            before: the kernel that there is

        Returns:
            The kernel that there is, or a faster one; both with the seconds that it takes, once the search has ended.
        """
        began = time.monotonic()
        runner = CandidateRunner(Problem(self.device, self.general, inputs))
        search = self._search
        if search is None:
            candidates, machine, sizes = Candidates.of(self.general.expr), runner.machine, self.general.sizes
            space = search_space(candidates, machine, sizes)
            seeds = [complete(each, space) for each in (self._first, *seeds_for(candidates, machine, sizes))]
            search = self._search = SlicedSearch(space, make_search("bayesian", space), self._journal, seeds)
        count, best = len(search.trials), search.best
        if best is not None and best.seconds is not None:
            runner.best_seconds = best.seconds
            runner.problem.agree_with(before.executable)
        try:
            stopped_by = search.go_on(runner, Budget(trials=1))
        finally:
            runner.refusals.warn_of_wrong()
        trials = search.trials
        made = before
        if count and len(trials) > count and trials[-1] is search.best:
            made = self._faster(runner, before, trials[-1].configuration)
        self._seconds += time.monotonic() - began
        self.ended = stopped_by == "exhausted" or self._seconds >= settings().tune_seconds
        if self.ended and search.best is not None:
            made = Compiled(made.general, made.executable, made.configuration, "tuned", search.best.seconds)
        return made

    def _faster(self, runner: CandidateRunner, before: Compiled, tried: Configuration) -> Compiled:
        """The kernel of what was just tried if it is faster than the one that there is, measured in turns."""
        normal = runner.candidates.normalised(tried)
        executable = runner.executable(normal)
        own, other = map(statistics.median, runner.in_turns([before.executable, executable]))
        if other >= own:
            return before
        return Compiled(self.general, executable, normal, before.origin, None)
