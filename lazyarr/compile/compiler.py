"""One compiler for each device: finds a kernel in memory, in the cache, or by searching for it."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
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
from ir.cost.thresholds.tiers import LEADERS_SPECIALISED
from ir.errors import IRError
from ir.fusion.symbols.symbolise import SymbolicKernel
from ir.schedules.candidates import Candidates
from ir.schedules.schedule import largest_of_class, size_class
from kernel_cache import CacheKey, Entry, KernelCache, TrialRecord, code_version
from lazyarr.check.reference import work
from lazyarr.compile.compiled import Compiled, build, configuration_of, entry_of, from_entry, parameters
from lazyarr.compile.refusals import Refusals, logger
from lazyarr.compile.reports import report_found
from lazyarr.compile.specialise import exact_of
from lazyarr.compile.trials import CandidateRunner, Problem, machine_of
from lazyarr.config import Settings, settings
from lazyarr.errors import CompileError, FusionError, SettingError
from lazyarr.runtime import Buffer, BuildError, Device, LaunchError
from tuner import (
    Budget,
    Categorical,
    Configuration,
    Integer,
    Outcome,
    Parameter,
    Space,
    Trial,
    TuningResult,
    make_search,
    tune,
)

__all__ = ["Compiler", "compiler_for", "search_space"]

_compilers: dict[Device, Compiler] = {}
_lock = threading.Lock()
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


Slot = tuple[Expr, tuple[int, ...], tuple[bool, bool], Settings]


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
        self._memory_lock = threading.Lock()
        self._guard = threading.RLock()  # held while a kernel is made: no two threads search at once

    def compile(self, general: SymbolicKernel, inputs: list[Buffer]) -> Compiled:
        """The kernel for an expression at its sizes: from memory, from the cache, or made now.

        The inputs are what a search measures with. Raises `FusionError` where no candidate works, `CompileError` where
        they run, and their results are wrong.
        """
        slot = self._slot(general)
        began = time.perf_counter()
        found, origin = self._remembered(slot), "memory"
        if found is None:
            with self._guard:
                found = self._remembered(slot)
                if found is None:
                    found, origin = self._find(general, inputs), ""
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

    def tried(self, general: SymbolicKernel) -> list[TrialRecord]:
        """What searches for a kernel for an expression at its sizes tried, in any process, as far as it is kept."""
        return cache().trials(self._key(general)) if settings().cache == "on" else []

    def _remembered(self, slot: Slot) -> Compiled | None:
        with self._memory_lock:
            return self._memory.get(slot)

    def _remember(self, slot: Slot, compiled: Compiled) -> None:
        with self._memory_lock:
            self._memory[slot] = compiled

    def tune(
        self, general: SymbolicKernel, inputs: list[Buffer], seconds: float | None, trials: int | None
    ) -> Compiled:
        """Search for a better kernel now, whatever the settings say, and keep it.

        Raises `SettingError` where results are to be deterministic: another kernel may round in another order.
        """
        if settings().deterministic:
            raise SettingError(
                "tune: nothing is searched for while deterministic is set: la.config(deterministic=False)"
            )
        with self._guard:
            key = self._key(general)
            began = time.perf_counter()
            made = self._search(general, inputs, key, Budget(seconds, trials))
            self._remember(self._slot(general), made)
            self.version = object()
            report_found(made, time.perf_counter() - began)
        return made

    def _slot(self, general: SymbolicKernel) -> Slot:
        sizes = tuple(map(size_class, general.sizes.values()))
        return general.expr, sizes, (general.wide, general.part), replace(settings(), debug=0)  # one kernel for all

    def _key(self, general: SymbolicKernel) -> CacheKey:
        fixed = settings().deterministic
        return CacheKey(
            structure=show(general.expr),
            dtypes=tuple(f"{p.identifier}: {p.type}" for p in parameters(general)),
            size_class=tuple(str(size_class(n)) for n in general.sizes.values()),
            device=self.device.fingerprint,
            code_version=code_version(ir, lazyarr.check, lazyarr.compile, lazyarr.memory, lazyarr.runtime),
            settings=("long",) * general.wide + ("part",) * general.part + ("deterministic",) * fixed,
        )

    def _find(self, general: SymbolicKernel, inputs: list[Buffer]) -> Compiled:
        key = self._key(general)
        wanted = self._wants_tuning(general)
        entry = cache().get(key) if settings().cache == "on" else None
        if entry is not None and (entry.tuned or not wanted):
            loaded = self._load(general, entry)
            if loaded is not None:
                return loaded
        if wanted:
            return self._searched_within_budget(general, inputs, key)
        return self._predicted(general, inputs, key)

    def _searched_within_budget(self, general: SymbolicKernel, inputs: list[Buffer], key: CacheKey) -> Compiled:
        """Search on a first call, for as long as the process may still do that; else the default is taken, and stored
        as one that was not searched for.
        """
        global _searched_seconds
        left = settings().tune_total - _searched_seconds
        if left <= 0:
            logger.info(
                "no search: those of this process have taken %.1f s, `tune_total` allows no more", _searched_seconds
            )
            return self._predicted(general, inputs, key)
        began = time.perf_counter()
        try:
            return self._search(general, inputs, key, Budget(min(settings().tune_seconds, left)))
        finally:
            _searched_seconds += time.perf_counter() - began

    def _wants_tuning(self, general: SymbolicKernel) -> bool:
        wanted = settings()
        searches = wanted.tune == "first-call" and not wanted.deterministic
        return searches and wanted.tune_seconds > 0 and self._work(general) >= wanted.tune_above

    @staticmethod
    def _work(general: SymbolicKernel) -> int:
        return work(general.expr, general.sizes)

    def _load(self, general: SymbolicKernel, entry: Entry) -> Compiled | None:
        """A stored kernel; None where the entry does not read as one (it is then made again)."""
        try:
            return from_entry(self.device, general, entry)
        except (ValueError, KeyError, TypeError, AttributeError, IndexError, IRError, BuildError, LaunchError):
            return None

    def _predicted(self, general: SymbolicKernel, inputs: list[Buffer], key: CacheKey | None) -> Compiled:
        """The predicted best, unmeasured; a candidate that the compiler refuses is passed over for the next.

        Args:
            key: where the kernel is kept; None: nowhere
        """
        candidates = _candidates_of(general)
        machine = machine_of(self.device)
        sizes = general.sizes
        if settings().deterministic:  # the same for all sizes of a class, whichever comes first
            sizes = {name: largest_of_class(n) for name, n in sizes.items()}
        refusals = Refusals(general)
        problem: object = None
        for configuration in candidates.defaults(machine, sizes):
            refused = candidates.refused(configuration, machine, sizes)
            if refused is not None:
                problem = problem or f"{dict(configuration)} needs too many {refused.reason}"
                continue
            refusals.tried += 1
            try:
                executable = build(self.device, general, configuration)
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

    def _search(self, general: SymbolicKernel, inputs: list[Buffer], key: CacheKey, budget: Budget) -> Compiled:
        _candidates_of(general)
        runner = CandidateRunner(Problem(self.device, general, inputs))
        try:
            return self._searched(runner, key, budget)
        finally:
            runner.refusals.warn_of_wrong()

    def _searched(self, runner: CandidateRunner, key: CacheKey, budget: Budget) -> Compiled:
        general, inputs = runner.problem.general, runner.problem.inputs
        candidates = runner.candidates
        space = search_space(candidates, runner)
        seeds = [_complete(c, space) for c in candidates.defaults(runner.machine, general.sizes)]
        journal = _CacheJournal(cache(), key) if settings().cache == "on" else None
        with _quiet(self.device):
            result = tune(
                space,
                runner,
                make_search("bayesian", space),
                budget,
                journal,
                seeds,
                confirm=lambda c: _confirmed(runner, c),
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
                return self._predicted(general, inputs, None)
            last = result.trials[-1] if result.trials else None
            detail = f"{last.outcome}: {last.detail}" if last is not None else "every candidate is known to fail"
            raise FusionError(f"no candidate works for\n    {general.expr}\n{detail}")
        configuration = candidates.normalised(result.best.configuration)
        executable = build(self.device, general, configuration)
        made = Compiled(general, executable, configuration, "tuned", result.best.seconds, result)
        if result.stopped_by == "interrupted":
            return made
        self._store(key, made)
        alone = _CacheJournal(cache(), self._key(general.at_its_sizes())) if settings().cache == "on" else None
        with _quiet(self.device):
            made.exact = exact_of(runner, _leaders(result), executable, alone)
        if made.exact is not None:
            self._store(key, made)
        return made

    def _store(self, key: CacheKey, compiled: Compiled) -> None:
        if settings().cache == "on":
            cache().put(key, entry_of(compiled))


def _candidates_of(general: SymbolicKernel) -> Candidates:
    """What can be made of a kernel; raises `FusionError` where there is no schedule for it."""
    try:
        return Candidates.of(general.expr)
    except IRError as error:
        raise FusionError(f"no kernel could be made for\n    {general.expr}\n{error}") from error


def search_space(candidates: Candidates, runner: CandidateRunner) -> Space:
    """The schedules worth a look as one categorical choice, their parameters, and the constraints as the test."""
    sizes = runner.problem.general.sizes
    by_schedule = candidates.searched(runner.machine, sizes)
    values: dict[str, set[int]] = {}
    for numeric in by_schedule.values():
        for p in numeric:
            values.setdefault(p.name, set()).update(p.values)
    parameters_: list[Parameter] = [Categorical("schedule", tuple(by_schedule))]
    parameters_ += [Integer(name, tuple(sorted(v))) for name, v in sorted(values.items())]

    def normalise(configuration: Configuration) -> Configuration:
        own = candidates.normalised(configuration)
        return {name: own.get(name, min(values[name]) if name in values else "") for name in configuration}

    def feasible(configuration: Configuration) -> bool:
        return candidates.refused(candidates.normalised(configuration), runner.machine, sizes) is None

    branches = [{"schedule": (name,)} | {p.name: p.values for p in numeric} for name, numeric in by_schedule.items()]
    return Space(parameters_, feasible, normalise, branches)


def _complete(configuration: Configuration, space: Space) -> Configuration:
    """A configuration of one schedule with a value for every parameter of the space."""
    return space.normalise({p.name: configuration.get(p.name, p.values[0]) for p in space.parameters})


def _leaders(result: TuningResult) -> list[Configuration]:
    """The winner of a search, then the fastest others."""
    assert result.best is not None
    ranked = sorted((trial for trial in result.trials if trial.ok), key=lambda trial: trial.seconds or 0.0)
    return [trial.configuration for trial in (result.best, *ranked[:LEADERS_SPECIALISED])]


def _confirmed(runner: CandidateRunner, configurations: Any) -> list[float]:
    return runner.confirm(configurations)


@contextmanager
def _quiet(device: Device) -> Iterator[None]:
    """Nothing of ours runs on the device while candidates are measured."""
    device.finish()
    yield
    device.finish()


class _CacheJournal:
    """The tuner's journal over the kernel cache: what is tried is written down before it runs."""

    def __init__(self, store: KernelCache, key: CacheKey) -> None:
        self.store = store
        self.key = key

    def begin(self, configuration: Configuration) -> None:
        """Note durably that this configuration is about to run."""
        self.store.begin_trial(self.key, dict(configuration))

    def finish(self, trial: Trial) -> None:
        """Note how it ended."""
        self.store.finish_trial(self.key, dict(trial.configuration), str(trial.outcome), trial.seconds, trial.detail)

    def known(self) -> list[Trial]:
        """What earlier processes tried and must not be tried again: crashes. Their times are measured anew."""
        return [
            Trial(configuration_of(record.configuration), Outcome.crashed, detail=record.detail)
            for record in self.store.trials(self.key)
            if record.outcome == "crashed" and isinstance(record.configuration, dict)
        ]
