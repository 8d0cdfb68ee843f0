"""Programs: recorded graphs, found again for graphs of the same structure over other data, and which tier runs them.

A program is carried out by NumPy until kernels are worth their making. That is decided by predictions alone, which
depend on sizes and counts: the same script from the same state of the cache gives the same bits.
"""

from __future__ import annotations

import logging
import os
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import inf, prod
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from ir.core.expr import Expr, substitute_each
from ir.core.types import extents_of
from ir.cost.compiling import seconds_to_compile_program
from ir.cost.sorting import library_sorts
from ir.cost.thresholds.calling_thread import (
    IN_THREAD_ELEMENTS,
    IN_THREAD_FURTHER_LAUNCH_SECONDS,
    IN_THREAD_LAUNCH_SECONDS,
    IN_THREAD_SECONDS_A_KERNEL,
    IN_THREAD_SECONDS_AT_MOST,
)
from ir.cost.thresholds.compiling import TRANSFER_SECONDS_PER_BYTE
from ir.cost.thresholds.tiers import (
    ASKING_SECONDS,
    ASKING_SHARE,
    COMPILED_SPEED,
    COMPILED_SPEED_ELSEWHERE,
    COMPILED_SPEEDS,
    FIRST_ASKING_SECONDS,
    FURTHER_LAUNCH_SECONDS,
    LAUNCH_SECONDS,
    MAKING_BESIDE_A_FIRST_RUN,
    MAKING_SHARE,
    NOT_MADE_FROM,
    PREDICTED_FROM_SECONDS,
)
from ir.fusion.symbols.structure_key import StructureKey, structure_key
from ir.locks import make_lock
from ir.reference.library import noted_below
from ir.reference.source import Work
from lazyarr import debugging
from lazyarr.config import Settings, count_tier, precisions, settings
from lazyarr.debugging import counted
from lazyarr.errors import CandidateWarning
from lazyarr.graph.bounded_table import BoundedTable
from lazyarr.graph.dying import Dying
from lazyarr.graph.leaves import Input, buffer_of, is_borrowed, is_on_host, on_host, reading
from lazyarr.memory.snapshots import snapshot
from lazyarr.runtime import Device, find_device, first_build, is_lost, may_compute_elsewhere
from lazyarr.runtime.library import allows_library, seconds_to_sort
from lazyarr.tiers.precisions import check_tensor_cores, takes_tensor_cores
from lazyarr.tiers.reference import ReferenceTier

if TYPE_CHECKING:
    from ir.reference.generate import NumPyProgram
    from lazyarr.compile.program import CompiledProgram
    from lazyarr.tiers.making import Making

__all__ = ["Program", "Programs", "programs_for", "watching"]

logger = logging.getLogger("lazyarr.tiers")

_shape = attrgetter("shape")

_WEIGHT = 64
"""What a small program weighs, in items of a structure, beside its structure."""

_watched: dict[Program, tuple[int, Sequence[Input]]] | None = None
"""How often each program ran while a command watches, and the leaves of its last run, which hold data."""

_compiles = False
"""Was a program of this process compiled, or asked for its kernels?"""

_makes = False
"""Were kernels made in this process, or begun to be?"""

_NOT_FASTER = "kernels would not be faster"

_BY_LIBRARY = ("library product", "product with itself", "library sort", "library selection")
"""Works that the host's library may compute in kernels' place."""


def _may_be_known() -> bool:
    """Can kernels be in memory or in the cache? Not in a process that compiled nothing, without a file of the cache: it
    need not import the compiler to get to know.
    """
    if _compiles:
        return True
    from kernel_cache import default_path  # few programs come here, and it takes long to import

    try:
        return settings().cache == "on" and os.path.exists(default_path())
    except RuntimeError:
        return False  # there is no folder for it


class _Spending:
    """What the programs of one structure have cost on the reference tier.

    Attributes:
        seconds: predicted, not measured, so that it is the same in every run
        asked: how much that was when it was last asked whether the kernels are known
        awaited: how much that is when kernels that are being made in the background are waited for; None before they
            were begun
    """

    __slots__ = ("asked", "awaited", "seconds")

    def __init__(self) -> None:
        self.seconds = self.asked = 0.0
        self.awaited: float | None = None


class Program:
    """A recorded graph with its sizes. Safe to use from several threads.

    Attributes:
        place: the device it is for, or the name of that one
        again: how often it was found again by what arrays stood for
    """

    def __init__(
        self, place: Device | str, spending: _Spending, roots: Sequence[Expr], leaves: Sequence[Input]
    ) -> None:
        """The graph is kept over leaves that own no memory.

        Raises:
            SettingError: the device lacks a precision that it computes in.
        """
        self.place = place
        if precisions.vary and takes_tensor_cores(roots):
            check_tensor_cores(self.device)
        self._spending = spending
        empty: dict[Any, Input] = {leaf: Input.over(leaf.shape, leaf.type, None) for leaf in leaves}  # type: ignore[arg-type]  # an array's
        self._leaves = tuple(empty.values())
        self._roots = tuple(substitute_each(roots, empty))
        self._noted = noted_below(roots, leaves, empty)
        self._compiled: CompiledProgram | None = None
        self._reference: ReferenceTier | None = None
        # What runs for good, and the settings under which it does; None while that may change.
        self._settled: tuple[Settings, CompiledProgram | None] | None = None
        self._reason = ""
        self.again = 0
        self._making: Making | None = None
        self._judged: tuple[Settings, bool] | None = None  # settings, and are its kernels predicted to be slower?
        self._elsewhere = False  # do kernels run on another processor than the host's, as far as it was asked?

    @property
    def device(self) -> Device:
        """Where its kernels run."""
        return self.place if isinstance(self.place, Device) else find_device(self.place or None)

    @property
    def compiled(self) -> CompiledProgram:
        """Its kernels, which are compiled when they first run."""
        global _compiles
        found = self._compiled
        if found is None:
            _compiles = True
            device = self.device
            first_build.begin(device, in_thread=self._most_elements() <= IN_THREAD_ELEMENTS)
            from lazyarr.compile.program import compiled_programs_for  # what runs on NumPy alone does not need it

            found = self._compiled = compiled_programs_for(device).of(self._roots)
        return found

    @property
    def reference(self) -> ReferenceTier:
        """Its calls of NumPy."""
        found = self._reference
        if found is None:
            found = self._reference = ReferenceTier(self._roots, self._leaves, self._noted)
        return found

    @property
    def expressions(self) -> str:
        """What it computes, in the papers' notation."""
        return ", ".join(map(str, self._roots))

    @property
    def described(self) -> str:
        """How many kernels it has, or that it has none so far."""
        found = self._compiled
        return "calls of NumPy" if found is None else counted(len(found.steps), "kernel")

    @property
    def tier(self) -> str:
        """Which tier ran it last, and why, in words; empty before."""
        kernels = self._compiled
        in_thread = self._reason.startswith("compiled") and kernels is not None and kernels.in_thread
        return f"{self._reason}; in the calling thread" if in_thread else self._reason

    @property
    def takes_memory(self) -> bool:
        """May a result take the memory of a leaf that dies, as far as is known before a run?"""
        settled = self._settled
        if settled is None or settled[1] is None:
            return settled is None
        return settled[1].in_place is not None or not settled[1].is_bound

    def predicted(self, more: float) -> tuple[float, float]:
        """Seconds that its calls of NumPy are predicted to take, with some that come before, and how many of them
        kernels would save, on the host's processor.
        """
        written = self.reference.program
        if written is None:
            return inf, inf
        seconds = written.seconds + more
        return seconds, self._saved(seconds, written.works, max(written.kernels, 1)) * seconds

    def run(self, leaves: Sequence[Input], dying: Dying | None = None) -> list[Any]:
        """The memory of each root: a runtime Buffer, ready when the device is done, or a flat NumPy array.

        Args:
            leaves: those of the graph, over data
            dying: tells of which of them a root may take the memory; None: of none
        """
        if _watched is not None:
            dying = None  # they are looked at afterwards
            _watched[self] = _watched.get(self, (0, ()))[0] + 1, leaves
        if any(map(is_borrowed, leaves)):
            with reading(leaves):
                return self._run(leaves, dying)
        return self._run(leaves, dying)

    def _run(self, leaves: Sequence[Input], dying: Dying | None) -> list[Any]:
        settled = self._settled
        if settled is None or settled[0] is not settings():
            settled = self._chosen(leaves)
        compiled = settled[1]
        if compiled is None:
            return self.reference.run(leaves)
        device = compiled.device
        return compiled.run([buffer_of(leaf, device) for leaf in leaves], dying)

    def use_compiled(self) -> CompiledProgram:
        """Let kernels carry it out from now on under these settings, unless these name another tier."""
        if settings().tier != "reference":
            self._settled = settings(), self.compiled
        return self.compiled

    def _chosen(self, leaves: Sequence[Input]) -> tuple[Settings, CompiledProgram | None]:
        """What runs now; remembered where it is the same for all further calls under these settings."""
        wanted = settings()
        tier, why, final = self._choice(wanted, leaves)
        count_tier(tier, why)
        if self._reason != f"{tier}: {why}":
            self._reason = f"{tier}: {why}"
            if debugging.level:
                logger.info("program runs on the %s tier: %s", tier, why)
        made = wanted, (self.compiled if tier == "compiled" else None)
        if final:
            self._settled = made
        return made

    def _most_elements(self) -> int:
        """Of the longest array that it reads or makes."""
        return max([prod(extents_of(e.type)) for e in (*self._leaves, *self._roots)], default=0)

    def _choice(self, wanted: Settings, leaves: Sequence[Input]) -> tuple[str, str, bool]:
        """The tier, the reason, and whether both stay."""
        global _makes
        if wanted.deterministic and wanted.tier != "reference":
            return "compiled", "results are to be deterministic", True
        if wanted.tier != "auto":
            return wanted.tier, "the setting `tier`", True
        written = self.reference.program
        if written is None:
            return "compiled", f"no call of NumPy for {self.reference.why}", True
        if not all(is_on_host(leaf.storage) for leaf in leaves):
            return "compiled", "its data lie in the device's memory", False
        if is_lost():
            why = "OpenCL does not come along into a forked process"
            if self._compiled is not None or self._making is not None:
                warnings.warn(f"{why}, NumPy goes on; start it with the 'spawn' method", CandidateWarning, stacklevel=2)
            return "reference", why, True
        spending = self._spending
        seconds, kernels = written.seconds, max(written.kernels, 1)
        if self._saved(seconds, {}, kernels) <= 0:
            return "reference", _NOT_FASTER, True
        spending.seconds += seconds
        if spending.seconds < ASKING_SECONDS:
            return "reference", "it has cost little so far", False
        self._elsewhere = may_compute_elsewhere(self.place)
        if not (_compiles or self._pays_to_ask(written)):
            return "reference", "it has cost little so far", False
        self._elsewhere = may_compute_elsewhere(self.device)
        works = self._apart(written)
        saved = self._saved(seconds, works, kernels)
        if saved <= 0:
            return "reference", _NOT_FASTER, True
        made = max(written.different, 1) - self._called(works)
        if made <= 0:  # but perhaps some for what the library reads
            made = self.compiled.kernels_to_make()
        if not made:
            self.compiled.searches_later = True
            return "compiled", "the host's library computes it, nothing is to be compiled", True
        cost = seconds_to_compile_program(made, written.calls, first=not _makes)
        searching = min(made * wanted.tune_seconds, wanted.tune_total) if wanted.tune == "first-call" else 0.0
        if seconds >= cost + searching:
            _makes = True
            return "compiled", "a run takes as long as compiling and searching", True
        if self._elsewhere:
            cost += TRANSFER_SECONDS_PER_BYTE * sum([prod(leaf.shape) * leaf.type.element.bytes for leaf in leaves])  # type: ignore[attr-defined]  # of scalars
            if saved * seconds >= cost:
                _makes = self.compiled.searches_later = True
                return "compiled", "a run takes longer than compiling", True
        if spending.awaited is not None and spending.seconds >= spending.awaited:
            problem = self._made(leaves)
            if problem:  # on a device of its own, data that lie there are not brought back for it
                return "reference", problem, not (self._elsewhere and problem is _NOT_FASTER)
            return "compiled", "it has cost as much as compiling does", True
        # while they are being made, it would be by chance that they are known
        if spending.awaited is None and spending.seconds >= 2 * spending.asked:
            spending.asked = spending.seconds
            if _may_be_known() and self.compiled.is_known():
                return "compiled", "its kernels are known", True
        ran = spending.seconds > seconds or seconds >= kernels * MAKING_BESIDE_A_FIRST_RUN
        if self._making is None and ran and saved * spending.seconds >= MAKING_SHARE * cost:
            self._begin(leaves)
            _makes = True
            if spending.awaited is None:
                spending.awaited = spending.seconds + cost
        return "reference", "it has cost less than compiling would", False

    def _begin(self, leaves: Sequence[Input]) -> Making:
        """Begin to make the kernels in the background, with these leaves."""
        global _compiles
        _compiles = True  # now: other programs' choices may not depend on when the thread starts
        from lazyarr.tiers.making import Making  # few programs come here, and the first call of each process waits

        given = [
            Input.over(leaf.shape, leaf.type, snapshot(on_host(leaf)) if is_borrowed(leaf) else leaf.storage)  # type: ignore[arg-type]  # as above
            for leaf in leaves
        ]

        def make(between: Callable[[], None]) -> None:
            compiled = self.compiled
            if self._is_slower(between):
                logger.info("no kernels are made: they are predicted to take far longer than NumPy")
            else:
                compiled.searches_later = True
                compiled.make([buffer_of(leaf, compiled.device) for leaf in given], between)
            given.clear()

        logger.info("kernels are being made in the background")
        made = self._making = Making(make)
        return made

    def _made(self, leaves: Sequence[Input]) -> str:
        """Wait for the kernels; why there are none, after a warning where that is a problem; empty where there are."""
        problem = (self._making or self._begin(leaves)).wait()
        if not problem:
            return _NOT_FASTER if self._is_slower() else ""
        warnings.warn(
            f"kernels could not be made in the background, NumPy goes on: {problem}",
            CandidateWarning,
            stacklevel=2,
        )
        return "its kernels could not be made"

    def _is_slower(self, between: Callable[[], object] = lambda: None) -> bool:
        """Are its kernels predicted to take far longer than NumPy? Asked once for the settings in force, which say what
        the host's library computes.
        """
        wanted, judged = settings(), self._judged
        if judged is None or judged[0] is not wanted:
            seconds = 0.0 if self.reference.program is None else self.reference.program.seconds
            slower = seconds >= PREDICTED_FROM_SECONDS and (
                self.compiled.seconds_of_a_run(between) >= NOT_MADE_FROM * seconds
            )
            judged = self._judged = wanted, slower
        return judged[1]

    def _pays_to_ask(self, written: NumPyProgram) -> bool:
        """In a process that has asked for no kernel: has the program cost so much that finding the device, and what the
        works with speeds of their own take there, pays back, by what kernels would save on the host's processor?

        Where these would save nothing there, another device might: then it is found once that takes a small part of
        what the program has cost.
        """
        kernels, spent = max(written.kernels, 1), self._spending.seconds
        saved = self._saved(written.seconds, {} if self._elsewhere else written.works, kernels)
        if saved <= 0:
            return ASKING_SHARE * spent >= FIRST_ASKING_SECONDS
        if saved * spent < FIRST_ASKING_SECONDS:
            return False
        cost = seconds_to_compile_program(max(written.different, 1), written.calls, first=not _makes)
        return saved * spent >= MAKING_SHARE * cost or _may_be_known()

    def _apart(self, written: NumPyProgram) -> dict[str, Work]:
        """Those works in which kernels on this device have speeds of their own: on CPUs NumPy's libraries do them as
        well, or better. Sorts are such a work where the library carries out all of them.
        """
        if not written.works or self._elsewhere:
            return {}
        found, allowed = dict(written.works), allows_library(self.device)
        if "library product" in found and not allowed:
            found["library product by kernels"] = found.pop("library product")
        if "library sort" in found:
            units = self.device.limits.compute_units
            if not (allowed and all(library_sorts(*each, units, seconds_to_sort()) for each in written.sorts)):
                del found["library sort"]
        return found

    def _called(self, works: Mapping[str, Work]) -> int:
        """How many different kernels the host's library computes, of those works that have speeds of their own."""
        if not works or not allows_library(self.device):
            return 0
        return sum([works[name].different for name in _BY_LIBRARY if name in works])

    def _runs_short_ones_here(self) -> bool:
        """Do short kernels run in the calling thread? Perhaps, as long as no device was looked for."""
        return not (_compiles or isinstance(self.place, Device)) or self.device.companion is not None

    def _saved(self, seconds: float, works: Mapping[str, Work], kernels: int) -> float:
        """The part of these seconds that kernels are predicted to save; 0 or less where they would not be faster.

        Args:
            works: those with speeds of their own, among all
        """
        rest = seconds - sum([work.seconds for work in works.values()])
        apart = sum([work.seconds / COMPILED_SPEEDS[name] for name, work in works.items()])
        needed = rest / (COMPILED_SPEED_ELSEWHERE if self._elsewhere else COMPILED_SPEED) + apart
        launches = LAUNCH_SECONDS + (kernels - 1) * FURTHER_LAUNCH_SECONDS
        short = IN_THREAD_SECONDS_AT_MOST + (kernels - 1) * IN_THREAD_SECONDS_A_KERNEL
        if needed <= short and self._runs_short_ones_here():
            launches = min(launches, IN_THREAD_LAUNCH_SECONDS + (kernels - 1) * IN_THREAD_FURTHER_LAUNCH_SECONDS)
        return 1.0 - (launches + needed) / seconds if seconds else 0.0


class Programs:
    """The programs of a device that ran last. Nothing of them depends on the settings: programs look at these."""

    def __init__(self, place: Device | str, capacity: int = 4096 * _WEIGHT) -> None:
        self.place = place
        self._programs: BoundedTable[Any, Program] = BoundedTable(capacity)
        self._spending: BoundedTable[Any, _Spending] = BoundedTable(capacity)

    def of(self, roots: Sequence[Expr]) -> tuple[Program, StructureKey]:
        """The program of a graph, and the graph taken apart: a run takes its leaves, in their order."""
        found = structure_key(roots, _shape)
        key = (found.structure, found.numbers)
        program = self._programs.get(key)
        if program is None:
            weight = _WEIGHT + len(found.structure)
            spending = self._spending.get(found.structure) or self._spending.put(found.structure, _Spending(), weight)
            made = Program(self.place, spending, roots, found.leaves)  # type: ignore[arg-type]  # a recorded graph's leaves
            program = self._programs.put(key, made, weight)
        return program, found


@contextmanager
def watching() -> Iterator[dict[Program, tuple[int, Sequence[Input]]]]:
    """The programs that run meanwhile: how often each, and the leaves of its last run."""
    global _watched
    _watched = found = dict[Program, tuple[int, Sequence[Input]]]()
    try:
        yield found
    finally:
        _watched = None


_programs: dict[Device | str, Programs] = {}
_lock = make_lock()


def programs_for(place: Device | str) -> Programs:
    """The programs of a device, or of that of a name."""
    found = _programs.get(place)
    if found is None:
        with _lock:
            found = _programs.setdefault(place, Programs(place))
    return found
