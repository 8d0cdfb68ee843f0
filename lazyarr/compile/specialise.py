"""After a search: its best candidates once more, made for the lengths alone that it measured at."""

from __future__ import annotations

import time
from collections.abc import Sequence

from ir.cost.thresholds.tiers import SPECIALISING_SECONDS
from ir.errors import IRError
from ir.fusion.symbols.symbolise import SymbolicKernel
from ir.schedules.candidates import Candidates
from lazyarr.compile.compiled import Compiled, Exact, Version
from lazyarr.compile.executable import Executable
from lazyarr.compile.trials import CandidateRunner
from lazyarr.runtime import AllocationError, LaunchError
from lazyarr.runtime.timing import median
from tuner import Configuration, Journal, Outcome, Trial, canonical

__all__ = ["exact_of", "faster_alone"]


def exact_of(
    runner: CandidateRunner, configurations: Sequence[Configuration], executable: Executable, journal: Journal | None
) -> Exact | None:
    """The fastest of some candidates when they are made for the problem's very lengths, if that is faster than an
    executable for all of them each time that both are measured.

    Args:
        journal: of the kernel at those lengths; what took its process down is not tried again
    """
    if not runner.problem.sizes:
        return None  # it is for no other lengths already
    try:
        return _exact_of(runner, configurations, executable, journal)
    except (LaunchError, AllocationError, TimeoutError):
        return None


def _exact_of(
    runner: CandidateRunner, configurations: Sequence[Configuration], executable: Executable, journal: Journal | None
) -> Exact | None:
    tried = _crashed(journal)
    began = time.monotonic()
    made: list[tuple[Configuration, Executable]] = []
    for configuration in configurations:
        if made and time.monotonic() - began > SPECIALISING_SECONDS:
            break
        found = _made_alone(runner, configuration, journal, tried)
        if found is not None:
            made.append(found)
    return _fastest(runner, made, executable)


def faster_alone(
    runner: CandidateRunner, configuration: Configuration, before: Compiled, journal: Journal | None, tried: set[str]
) -> Exact | None:
    """One candidate made for the problem's very lengths, if it is faster than what runs for them, in each of the turns
    in which both are measured.

    Args:
        before: the kernel for all lengths, perhaps with one for these
        tried: what was tried so far, and now this one
    """
    tried |= _crashed(journal)
    made = _made_alone(runner, configuration, journal, tried)
    if made is None:
        return None
    return _fastest(runner, [made], before.at(runner.problem.general).executable)


def _crashed(journal: Journal | None) -> set[str]:
    return {trial.key for trial in journal.known()} if journal is not None else set()


def _made_alone(
    runner: CandidateRunner, configuration: Configuration, journal: Journal | None, tried: set[str]
) -> tuple[Configuration, Executable] | None:
    """A candidate for these lengths, checked; None where there is none, or another one that was tried is the same."""
    own = runner.problem.general.at_its_sizes()
    try:
        candidates = Candidates.of(own.expr)
        normal = candidates.normalised(configuration)
    except IRError:
        return None  # another schedule serves these lengths
    if canonical(normal) in tried or candidates.schedule(str(normal["schedule"])).by_library:
        return None
    tried.add(canonical(normal))
    found = _journalled(runner, own, normal, journal)
    return None if found is None else (normal, found)


def _fastest(
    runner: CandidateRunner, made: Sequence[tuple[Configuration, Executable]], executable: Executable
) -> Exact | None:
    """The fastest, if it is faster than an executable each time that both are measured."""
    if not made:
        return None
    *seconds, for_all = runner.in_turns([*(each for _, each in made), executable])
    best, (configuration, fastest) = min(zip(seconds, made, strict=True), key=lambda pair: median(pair[0]))
    if any(alone >= other for alone, other in zip(best, for_all, strict=True)):
        return None  # perhaps by chance
    own = runner.problem.general.at_its_sizes()
    return Exact(runner.problem.sizes, Version(own, fastest, configuration, median(best)))


def _journalled(
    runner: CandidateRunner, own: SymbolicKernel, configuration: Configuration, journal: Journal | None
) -> Executable | None:
    """One of them, written down before it runs; None where it is refused."""
    if journal is not None:
        journal.begin(dict(configuration))
    try:
        made, trial = runner.exactly(own, configuration)
    except KeyboardInterrupt:
        if journal is not None:
            journal.finish(Trial(configuration, Outcome.timed_out, detail="interrupted by the user"))
        raise
    if journal is not None:
        journal.finish(trial)
    return made
