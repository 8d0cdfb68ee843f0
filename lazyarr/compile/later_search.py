"""The search for a kernel whose first call could not wait for it: one candidate at a time, on later calls.

A slice tries one candidate on the inputs of the call that it delays, as any search does: it is checked before it is
timed, and takes the place of the kernel that there is where it is faster in a measurement that takes turns. One that is
predicted to be much slower than the fastest so far is passed over. At last the best candidates are made for the lengths
of the search alone, one in each slice, too. Nothing of a call is kept between slices but the times.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from ir.fusion.symbols.symbolise import SymbolicKernel
from ir.schedules.candidates import Candidates
from lazyarr.compile import rates
from lazyarr.compile.compiled import Compiled
from lazyarr.compile.searching import (
    CacheJournal,
    complete,
    costs_of,
    leaders_of,
    promising,
    search_space,
    seeds_for,
)
from lazyarr.compile.specialise import faster_alone
from lazyarr.compile.trials import CandidateRunner, Problem
from lazyarr.config import settings
from lazyarr.runtime import AllocationError, Buffer, Device, LaunchError
from lazyarr.runtime.timing import median
from tuner import Budget, Configuration, Promises, SlicedSearch, make_search

__all__ = ["LaterSearch"]


class LaterSearch:
    """A search in slices.

    Attributes:
        sizes: of the kernel's symbols, for which it is searched
        found: did the last slice end the search for a kernel for all lengths, or find a faster one for these alone?
            Then the kernel that it gave is worth keeping
        ended: is nothing left to be tried?
    """

    def __init__(
        self,
        device: Device,
        general: SymbolicKernel,
        journals: tuple[CacheJournal | None, CacheJournal | None],
        made: Compiled,
        leaders: Sequence[Configuration] | None = None,
    ) -> None:
        """Nothing is tried yet; the kernel that there is comes first.

        Args:
            journals: of the kernel, and of that for these lengths alone
            leaders: what a search that is over found best, the winner first; None where there was none
        """
        self.device = device
        self.general = general
        self.sizes = tuple(general.sizes.values())
        self.found = self.ended = False
        self._journal, self._journal_alone = journals
        self._first = made.configuration
        self._seconds = 0.0
        self._search: SlicedSearch | None = None
        self._promises: Promises | None = None
        self._leaders = None if leaders is None else list(leaders)
        self._tried_alone: set[str] = set()

    def slice(self, before: Compiled, inputs: list[Buffer]) -> Compiled:
        """Try one candidate.

        Args:
            before: the kernel that there is

        Returns:
            The kernel that there is, or a faster one; both with the seconds that it takes, once the search for one for
            all lengths has ended, or that for these lengths alone has found one.
        """
        runner = CandidateRunner(Problem(self.device, self.general, inputs))
        try:
            made = self._one(runner, before) if self._leaders is None else self._alone(runner, before, self._leaders)
        finally:
            runner.refusals.warn_of_wrong()
        self.ended = self._leaders is not None and not self._leaders
        return made

    def _one(self, runner: CandidateRunner, before: Compiled) -> Compiled:
        began = time.monotonic()
        search = self._search
        if search is None:
            candidates, machine, sizes = Candidates.of(self.general.expr), runner.machine, self.general.sizes
            space = search_space(candidates, machine, sizes)
            functions = rates.functions_of(self.device, self.general, measure=False)
            seeds = [complete(each, space) for each in (self._first, *seeds_for(candidates, machine, sizes, functions))]
            search = self._search = SlicedSearch(space, make_search("bayesian", space), self._journal, seeds)
            self._promises = promising(costs_of(candidates, machine, sizes, functions))
        count, best = len(search.trials), search.best
        if best is not None and best.seconds is not None:
            runner.best_seconds = best.seconds
            runner.problem.agree_with(before.executable)
        stopped_by = search.go_on(runner, Budget(trials=1), self._promises)
        trials = search.trials
        made = before
        if count and len(trials) > count and trials[-1] is search.best:
            made = self._faster(runner, before, trials[-1].configuration)
        self._seconds += time.monotonic() - began
        if stopped_by == "exhausted" or self._seconds >= settings().tune_seconds:
            self.found = True
            self._leaders = [] if search.best is None or not self.sizes else leaders_of(search.best, trials)
            if search.best is not None:
                made = Compiled(made.general, made.executable, made.configuration, "tuned", search.best.seconds)
        return made

    def _faster(self, runner: CandidateRunner, before: Compiled, tried: Configuration) -> Compiled:
        """The kernel of what was just tried if it is faster than the one that there is, measured in turns."""
        normal = runner.candidates.normalised(tried)
        executable = runner.executable(normal)
        own, other = map(median, runner.in_turns([before.executable, executable]))
        if other >= own:
            return before
        return Compiled(self.general, executable, normal, before.origin, None)

    def _alone(self, runner: CandidateRunner, before: Compiled, leaders: list[Configuration]) -> Compiled:
        """The kernel that there is, with one of the best made for these lengths alone where that is faster."""
        self.found = False
        runner.problem.agree_with(before.executable)
        try:
            exact = faster_alone(runner, leaders.pop(0), before, self._journal_alone, self._tried_alone)
        except (LaunchError, AllocationError, TimeoutError):
            return before
        if exact is None:
            return before
        self.found = True
        general, executable, configuration = before.general, before.executable, before.configuration
        return Compiled(general, executable, configuration, before.origin, before.seconds, before.result, exact)
