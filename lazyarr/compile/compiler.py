"""One compiler for each device: finds a kernel in memory, in the cache, or by searching for it.

What the searches on first calls leave, since `tune_total` is spent, is searched for later, in slices
(`lazyarr.compile.later_search`).
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from cachetools import LRUCache

import ir
import lazyarr.check
import lazyarr.compile
import lazyarr.memory
import lazyarr.runtime
from ir.core.expr import Expr
from ir.core.notation.printer import show
from ir.cost.derived import estimate
from ir.cost.thresholds.calling_thread import IN_THREAD_SECONDS_AT_MOST
from ir.cost.thresholds.compiling import CANDIDATES_OF_A_SEARCH, RUNS_IN_TURNS, RUNS_OF_A_COMPARISON
from ir.cost.thresholds.tiers import SPECIALISING_SECONDS
from ir.errors import IRError
from ir.fusion.symbols.symbolise import SymbolicKernel
from ir.locks import make_lock, make_rlock
from ir.schedules.candidates import Candidates
from kernel_cache import CacheKey, Entry, KernelCache, TrialRecord, code_version
from lazyarr.check.reference import work
from lazyarr.compile import bound, later_search, rates
from lazyarr.compile.compiled import Compiled, build, classes_of, entry_of, foreseen_sizes, from_entry, parameters
from lazyarr.compile.refusals import Refusals, abridged, logger
from lazyarr.compile.reports import report_found
from lazyarr.compile.searching import (
    CacheJournal,
    complete,
    cost_of,
    costs_of,
    leaders_of,
    predicting,
    promising,
    search_space,
    seeds_for,
)
from lazyarr.compile.specialise import exact_of
from lazyarr.compile.trials import CandidateRunner, Problem, machine_of
from lazyarr.config import Settings, settings
from lazyarr.errors import CandidateWarning, CompileError, FusionError, SettingError
from lazyarr.runtime import Buffer, BuildError, Device, LaunchError
from tuner import Budget, Configuration, Outcome, TuningResult, make_search, tune

__all__ = ["Compiler", "compiler_for"]

_compilers: dict[Device, Compiler] = {}
_lock = make_lock()
_shared_cache: KernelCache | None = None

_searched_seconds = 0.0
"""What searches on first calls have taken in this process."""


def compiler_for(device: Device) -> Compiler:
    """The device's compiler, made at its first use."""
    found = _compilers.get(device)
    if found is None:
        with _lock:
            found = _compilers.setdefault(device, Compiler(device))
    return found


def cache() -> KernelCache:
    """The cache of this process, opened at its first use."""
    global _shared_cache
    if _shared_cache is None:
        with _lock:
            if _shared_cache is None:
                _shared_cache = KernelCache()
    return _shared_cache


Slot = tuple[Expr, tuple[str, ...], tuple[bool, bool], Settings]


class Compiler:
    """Compiles kernels for one device and remembers them.

    Attributes:
        device: what is compiled for.
        version: another object whenever a kernel that was handed out has been replaced by a better one.
    """

    def __init__(self, device: Device) -> None:
        """Nothing is compiled yet."""
        self.device = device
        self.version = object()
        self._memory: LRUCache[Slot, Compiled] = LRUCache(2048)
        self._later: LRUCache[Slot, later_search.LaterSearch] = LRUCache(256)
        self._memory_lock = make_lock(self._forget)
        self._guard = make_rlock()  # held while a kernel is made: no two threads search at once

    def compile(
        self,
        general: SymbolicKernel,
        inputs: list[Buffer],
        later: bool = False,
        in_thread: float = IN_THREAD_SECONDS_AT_MOST,
    ) -> Compiled:
        """The kernel for an expression at its sizes: from memory, from the cache, or made now.

        The inputs are what a search measures with; with `later`, it waits for later calls.

        Args:
            in_thread: the seconds on one core up to which it is built for the calling thread

        Raises:
            FusionError: no candidate works.
            CompileError: candidates run, and their results are wrong.
        """
        slot = self._slot(general)
        began = time.perf_counter()
        found, origin = self._remembered(slot), "memory"
        if found is None:
            with self._guard:
                found = self._remembered(slot)
                if found is None:
                    found, origin = self._find(general, inputs, later, in_thread), ""
                    self._remember(slot, found)
        report_found(found, time.perf_counter() - began, origin)
        return found

    def known(self, general: SymbolicKernel) -> Compiled | None:
        """The kernel for an expression at its sizes if it is in memory."""
        return self._remembered(self._slot(general))

    def is_known(self, general: SymbolicKernel) -> bool:
        """Is it in memory, or in the cache as `compile` would take it?"""
        if self.known(general) is not None:
            return True
        if settings().cache != "on":
            return False
        entry = cache().get(self._key(general))
        return entry is not None and (entry.tuned or not self._wants_tuning(general))

    def is_called(self, general: SymbolicKernel) -> bool:
        """Is its default a call of the host's library, for which nothing is compiled?"""
        first = self._first(general) if machine_of(self.device).host_library else None
        return first is not None and first[0].schedule(str(first[1]["schedule"])).by_library

    def _first(self, general: SymbolicKernel) -> tuple[Candidates, Configuration] | None:
        """The candidates and the default that breaks no constraint at its sizes; None where there is none."""
        try:
            candidates = Candidates.of(general.expr)
        except IRError:
            return None
        found = candidates.allowed_default(machine_of(self.device), general.sizes)
        return None if found is None else (candidates, found)

    def tried(self, general: SymbolicKernel) -> list[TrialRecord]:
        """What searches for a kernel for an expression at its sizes tried, in any process, as far as it is kept."""
        return cache().trials(self._key(general)) if settings().cache == "on" else []

    def is_searched_later(self, general: SymbolicKernel) -> bool:
        """Is there more to be tried for the kernel that serves an expression at its sizes?"""
        return self._slot(general) in self._later

    def search_slice(self, general: SymbolicKernel, inputs: list[Buffer]) -> None:
        """Try one further candidate for a kernel that is searched for later, and take it where it is faster.

        A search that breaks is given up, with a warning: the kernel that there is goes on.
        """
        slot = self._slot(general)
        if not self._guard.acquire(blocking=False):
            return  # another thread searches
        try:
            search, before = self._later.get(slot), self._remembered(slot)
            if search is None or before is None or search.sizes != tuple(general.sizes.values()):
                return
            try:
                with _quiet(self.device):
                    made = search.slice(before, inputs)
            except Exception as error:
                del self._later[slot]
                warnings.warn(
                    f"the search for a faster kernel was given up, what there is goes on: {abridged(error, 240)}",
                    CandidateWarning,
                    stacklevel=2,
                )
                return
            if search.ended:
                del self._later[slot]
            if search.found:
                self._store(self._key(general), made)
            if made is not before:
                self._remember(slot, made)
                self.version = object()
                report_found(made, 0.0)
        finally:
            self._guard.release()

    def _remembered(self, slot: Slot) -> Compiled | None:
        with self._memory_lock:
            return self._memory.get(slot)

    def _forget(self) -> None:
        self._memory = LRUCache(2048)

    def _remember(self, slot: Slot, compiled: Compiled) -> None:
        with self._memory_lock:
            self._memory[slot] = compiled

    def tune(
        self, general: SymbolicKernel, inputs: list[Buffer], seconds: float | None, trials: int | None
    ) -> Compiled:
        """Search for a better kernel now, whatever the settings say, and keep it.

        Raises:
            SettingError: results are to be deterministic: another kernel may round in another order.
        """
        if settings().deterministic:
            raise SettingError(
                "tune: nothing is searched for while deterministic is set: la.config(deterministic=False)"
            )
        with self._guard:
            key = self._key(general)
            began = time.perf_counter()
            made = self._search(general, inputs, key, Budget(seconds, trials), asked=True)
            self._later.pop(self._slot(general), None)  # what is found, it might take for slower
            self._remember(self._slot(general), made)
            self.version = object()
            report_found(made, time.perf_counter() - began)
        return made

    def _slot(self, general: SymbolicKernel) -> Slot:
        return (
            general.expr,
            classes_of(machine_of(self.device), general),
            (general.wide, general.part),
            replace(settings(), debug=0, in_place="on"),
        )  # one kernel for all

    def _key(self, general: SymbolicKernel) -> CacheKey:
        fixed = settings().deterministic
        return CacheKey(
            structure=show(general.expr),
            dtypes=tuple(f"{p.identifier}: {p.type}" for p in parameters(general)),
            size_class=classes_of(machine_of(self.device), general),
            device=self.device.fingerprint,
            code_version=code_version(ir, lazyarr.check, lazyarr.compile, lazyarr.memory, lazyarr.runtime),
            settings=("long",) * general.wide
            + ("part",) * general.part
            + ("deterministic",) * fixed
            + ("no library",) * (not fixed and settings().library == "off"),
        )

    def _find(self, general: SymbolicKernel, inputs: list[Buffer], later: bool, in_thread: float) -> Compiled:
        key = self._key(general)
        wanted = self._wants_tuning(general)
        entry = cache().get(key) if settings().cache == "on" else None
        if entry is not None and (entry.tuned or not wanted):
            loaded = self._load(general, entry, in_thread)
            if loaded is not None:
                return loaded
        if not wanted:
            return self._predicted(general, key, in_thread)
        if not later:
            found = self._searched_within_budget(general, inputs, key)
            if found is not None:
                return found
        loaded = None if entry is None else self._load(general, entry, in_thread)
        made = loaded or self._predicted(general, key, in_thread)
        self._search_later(general, key, made)
        return made

    def _search_later(
        self, general: SymbolicKernel, key: CacheKey, made: Compiled, leaders: list[Configuration] | None = None
    ) -> None:
        """Let slices of later calls do what is left; leaders: where that is to make these for the lengths alone."""
        journals = self._journal(key), self._journal(self._key(general.at_its_sizes()))
        self._later[self._slot(general)] = later_search.LaterSearch(self.device, general, journals, made, leaders)

    def _searched_within_budget(self, general: SymbolicKernel, inputs: list[Buffer], key: CacheKey) -> Compiled | None:
        """Search on a first call, for as long as the process may still do that; None where it may not."""
        global _searched_seconds
        left = settings().tune_total - _searched_seconds
        if left <= 0:
            logger.info(
                "search on later calls: those of this process have taken %.1f s, `tune_total` allows no more at once",
                _searched_seconds,
            )
            return None
        left = min(settings().tune_seconds, left)
        if CANDIDATES_OF_A_SEARCH * self._predicted_seconds(general) > left:
            logger.info("search on later calls: a candidate is predicted to take too much of %.1f s", left)
            return None
        began = time.perf_counter()
        try:
            return self._search(general, inputs, key, Budget(left))
        finally:
            _searched_seconds += time.perf_counter() - began

    def _predicted_seconds(self, general: SymbolicKernel) -> float:
        """What compiling the default, trying it and measuring it in turns is predicted to take; of the next one where
        the cost model does not say, as for calls of the host's library; 0 where it says nothing.
        """
        candidates, machine = _candidates_of(general), machine_of(self.device)
        defaults = candidates.defaults(machine, general.sizes)
        costs = (cost_of(candidates, each, machine, general.sizes) for each in defaults)
        trying, run = next((cost for cost in costs if cost[1]), (0.0, 0.0))
        return trying + RUNS_IN_TURNS * run

    def seconds_of_a_run(self, general: SymbolicKernel) -> float:
        """What the default is predicted to take, launches apart; 0 where the model does not say, as of a library."""
        first = self._first(general)
        if first is None or first[0].schedule(str(first[1]["schedule"])).by_library:
            return 0.0
        candidates, default = first
        try:
            low = candidates.derive(candidates.normalised(default)).result
            found = estimate(low, machine_of(self.device), general.sizes)
        except IRError:
            return 0.0
        return found.seconds - found.launches

    def _wants_tuning(self, general: SymbolicKernel) -> bool:
        wanted = settings()
        searches = wanted.tune == "first-call" and not wanted.deterministic
        return searches and wanted.tune_seconds > 0 and self._work(general) >= wanted.tune_above

    @staticmethod
    def _work(general: SymbolicKernel) -> int:
        return work(general.expr, general.sizes)

    def _load(self, general: SymbolicKernel, entry: Entry, in_thread: float) -> Compiled | None:
        """A stored kernel; None where the entry does not read as one (it is then made again)."""
        try:
            return from_entry(self.device, general, entry, in_thread)
        except (ValueError, KeyError, TypeError, AttributeError, IndexError, IRError, BuildError, LaunchError):
            return None

    def _predicted(
        self, general: SymbolicKernel, key: CacheKey | None, in_thread: float = IN_THREAD_SECONDS_AT_MOST
    ) -> Compiled:
        """The predicted best, unmeasured; a candidate that the compiler refuses is passed over for the next.

        Args:
            key: where the kernel is kept; None: nowhere
        """
        candidates = _candidates_of(general)
        machine = machine_of(self.device)
        sizes = foreseen_sizes(general)
        refusals = Refusals(general)
        problem: object = None
        for configuration in candidates.defaults(machine, sizes):
            refused = candidates.refused(configuration, machine, sizes)
            if refused is not None:
                problem = problem or f"{dict(configuration)} needs too many {refused.reason}"
                continue
            refusals.tried += 1
            try:
                executable = build(self.device, general, configuration, in_thread=in_thread)
            except (BuildError, IRError) as error:
                problem = error
                refusals.unbuilt(configuration, error)
                continue
            refusals.warn_of_unbuilt()
            made = Compiled(general, executable, configuration, "predicted", None)
            if key is not None:
                self._store(key, made)
            return made
        raise FusionError(f"no kernel could be made for\n    {general.expr}\n{problem}")

    def _search(
        self, general: SymbolicKernel, inputs: list[Buffer], key: CacheKey, budget: Budget, *, asked: bool = False
    ) -> Compiled:
        """Search for a kernel; asked: by the user, who waits for it.

        Raises:
            KeyboardInterrupt: Ctrl-C; where it is not asked for, or nothing worked so far. The best so far is kept.
        """
        _candidates_of(general)
        runner = CandidateRunner(Problem(self.device, general, inputs, thorough=asked))
        try:
            return self._searched(runner, key, budget, asked)
        finally:
            runner.refusals.warn_of_wrong()

    def _searched(self, runner: CandidateRunner, key: CacheKey, budget: Budget, asked: bool) -> Compiled:
        general = runner.problem.general
        candidates = runner.candidates
        space = search_space(candidates, runner.machine, general.sizes)
        functions = rates.functions_of(self.device, general, measure=asked)
        seeds = [complete(c, space) for c in seeds_for(candidates, runner.machine, general.sizes, functions)]
        journal = self._journal(key)
        cost = costs_of(candidates, runner.machine, general.sizes, functions)
        with _quiet(self.device):
            result = tune(
                space,
                runner,
                make_search("bayesian", space),
                budget,
                journal,
                seeds,
                good_enough_seconds=bound.seconds_to_move(self.device, general, measure=asked),
                confirm=lambda c: _confirmed(runner, c),
                predict=predicting(cost),
                promises=promising(cost),
                warn=False,
            )
        if result.best is None:
            if result.stopped_by == "interrupted":
                raise KeyboardInterrupt
            if result.trials and all(trial.outcome is Outcome.wrong_answer for trial in result.trials):
                if runner.refusals.refuted == len(result.trials):
                    raise CompileError(
                        f"every kernel's result on a small instance differs from the interpreter's for\n"
                        f"    {general.expr}\n{result.trials[-1].detail}\n"
                        "This is a bug of lazyarr or of the device's compiler."
                    )
                # which is warned of: the numbers given are such that the order of operations matters much
                return self._predicted(general, None)
            last = result.trials[-1] if result.trials else None
            detail = f"{last.outcome}: {last.detail}" if last is not None else "every candidate is known to fail"
            raise FusionError(f"no candidate works for\n    {general.expr}\n{detail}")
        configuration = candidates.normalised(result.best.configuration)
        executable = build(self.device, general, configuration)
        made = Compiled(general, executable, configuration, "tuned", result.best.seconds, result)
        if result.stopped_by == "interrupted":
            return self._kept(made, asked)
        self._store(key, made, with_binaries=asked)
        leaders = leaders_of(result.best, result.trials)
        if not asked and _takes_long_alone(result, leaders, budget):
            if general.sizes:
                self._search_later(general, key, made, leaders)
            return made
        alone = self._journal(self._key(general.at_its_sizes()))
        try:
            with _quiet(self.device):
                made.exact = exact_of(runner, leaders, executable, alone)
        except KeyboardInterrupt:
            return self._kept(made, asked)
        if made.exact is not None:
            self._store(key, made, with_binaries=asked)
        return made

    def _kept(self, made: Compiled, asked: bool) -> Compiled:
        """The best of a search that was interrupted. Who asked for the search has it; who calls a function is
        interrupted, and the next call has it.
        """
        if not asked:
            self._remember(self._slot(made.general), made)
            raise KeyboardInterrupt
        return made

    @staticmethod
    def _journal(key: CacheKey) -> CacheJournal | None:
        return CacheJournal(cache(), key) if settings().cache == "on" else None

    def _store(self, key: CacheKey, compiled: Compiled, *, with_binaries: bool = False) -> None:
        if settings().cache == "on":
            cache().put(key, entry_of(compiled, with_binaries=with_binaries))


def _candidates_of(general: SymbolicKernel) -> Candidates:
    """What can be made of a kernel.

    Raises:
        FusionError: there is no schedule for it.
    """
    try:
        return Candidates.of(general.expr)
    except IRError as error:
        raise FusionError(f"no kernel could be made for\n    {general.expr}\n{error}") from error


def _confirmed(runner: CandidateRunner, configurations: Any) -> list[float]:
    return runner.confirm(configurations)


@contextmanager
def _quiet(device: Device) -> Iterator[None]:
    """Nothing of ours runs on the device while candidates are measured."""
    device.finish()
    yield
    device.finish()


def _takes_long_alone(result: TuningResult, leaders: Sequence[Configuration], budget: Budget) -> bool:
    """Is there no time on a first call to make the leaders for the lengths alone: do their runs take too long, or did
    trying each take so long that trying them again exceeds the whole budget?
    """
    assert result.best is not None
    again = sum(trial.cost_seconds for trial in result.trials if trial.ok and trial.configuration in leaders)
    runs = RUNS_OF_A_COMPARISON * (result.best.seconds or 0.0)
    return runs > SPECIALISING_SECONDS or (budget.seconds is not None and again > budget.seconds)
