"""Compiled programs: recorded graphs compiled for a device, found again for graphs of the same structure over other
data.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from math import ceil, inf
from operator import attrgetter
from typing import Any

from ir.core.expr import Expr
from ir.cost.thresholds.compiling import RUNS_OF_A_TRIAL
from ir.cost.thresholds.tiers import FIRST_SLICE_SECONDS, RUNS_BEFORE_SLICES, SLICES_SHARE
from ir.fusion.partition.one_by_one import smaller
from ir.fusion.prepare.fission import Fission
from ir.fusion.prepare.rewriting import Rewriting
from ir.fusion.program import ProgramPlan, Step, plan_program
from ir.fusion.symbols.structure_key import StructureKey, classes, structure_key
from ir.locks import make_lock
from lazyarr import debugging
from lazyarr.compile.compiled import Compiled
from lazyarr.compile.compiler import Compiler, compiler_for
from lazyarr.compile.executable import Executable
from lazyarr.compile.generation import granule
from lazyarr.compile.in_place import InPlace
from lazyarr.compile.in_thread import NEVER, is_short, seconds_allowed
from lazyarr.compile.literal_history import Numbers
from lazyarr.compile.refusals import abridged, logger
from lazyarr.compile.reports import report_found, report_kernels, report_program
from lazyarr.compile.trials import machine_of
from lazyarr.compile.verifying import planning, verify_cut
from lazyarr.config import Settings, settings
from lazyarr.errors import CandidateWarning, FusionError
from lazyarr.graph.bounded_table import BoundedTable
from lazyarr.graph.dying import Dying
from lazyarr.runtime import Batch, Buffer, Device, Launch
from lazyarr.runtime.logged_batches import LoggedBatch

__all__ = ["CompiledProgram", "CompiledPrograms", "compiled_programs_for"]

_shape = attrgetter("shape")

_WEIGHT = 256
"""What a small program weighs, in items of a structure, beside its structure: as many bytes go into its launches."""


class CompiledProgram:
    """The kernels of a graph with its sizes, compiled when it first runs. Safe to use from several threads.

    Attributes:
        device: where it runs.
        searches_later: do searches for its kernels wait for later calls?
        in_place: which results may take the memory of leaves that die, since its launches were last made; None: none
        in_thread: did its launches, when they were last made, go to the calling thread?
    """

    def __init__(self, compiler: Compiler, cut: ProgramPlan) -> None:
        self.device = compiler.device
        self._compiler = compiler
        self._cut = cut  # another one, of smaller kernels, where one cannot be made
        self._constants = [compiler.device.wrap(values) for values in cut.constants]
        self._leaves = cut.leaves + len(self._constants)
        written = self._written(cut)
        self._places = [slot if slot < self._leaves else ~written.index(slot) for slot in cut.results]
        self._all_made = self._places == [~number for number in range(len(written))]
        # The launches, with the compiler's version and the settings that they were made under.
        self._bound: tuple[Batch, object, Settings] | None = None
        self.in_place: InPlace | None = None
        self.in_thread = False
        self.searches_later = False
        self._runs_left = inf  # until kernels are searched for
        self._run_seconds = 0.0  # what a run takes; 0 before it was measured

    @property
    def steps(self) -> tuple[Step, ...]:
        """Its kernels, in the order in which they run."""
        return self._cut.steps

    @property
    def fissions(self) -> tuple[Fission, ...]:
        """How maps of its graph were cut before that was cut into kernels, and kernels that could not be made."""
        return self._cut.fissions

    @property
    def rewritings(self) -> tuple[Rewriting, ...]:
        """How vertices of its graph were rewritten before that was cut into kernels."""
        return self._cut.rewritings

    @property
    def results(self) -> tuple[int, ...]:
        """The slot of each root; slots number the leaves, then the results of the steps."""
        return self._cut.results

    @property
    def is_bound(self) -> bool:
        """Were its launches made?"""
        return self._bound is not None

    def _written(self, cut: ProgramPlan) -> list[int]:
        """The slots of roots that steps fill, each once: as many, in the same order, if a kernel is cut smaller."""
        return list(dict.fromkeys([slot for slot in cut.results if slot >= self._leaves]))

    def run(self, inputs: Sequence[Buffer], dying: Dying | None = None) -> list[Buffer]:
        """Enqueue all kernels over the memory of the graph's leaves; the memory of each root, ready when the device is
        done.

        Args:
            dying: tells of which leaves a root may take the memory; None: of none
        """
        if self._constants:
            inputs = self.with_constants(inputs)
        self._runs_left -= 1
        if self._runs_left <= 0:
            self._search_slice(inputs)
        batch, made = self.batch(inputs), None
        if dying is not None and self.in_place is not None:
            made = self.in_place.run(inputs, dying)
        if made is None:
            made = batch.enqueue(inputs)
        return made if self._all_made else [inputs[slot] if slot >= 0 else made[~slot] for slot in self._places]

    def is_known(self) -> bool:
        """Need no kernel be made for the settings in force: are all in memory or in the cache?"""
        return all(self._compiler.is_known(step.general) for step in self._cut.steps)

    def kernels_to_make(self) -> int:
        """How many kernels are compiled for the settings in force where nothing is known; what the host's library
        computes is none.
        """
        return sum(not self._compiler.is_called(step.general) for step in self._cut.steps)

    def seconds_of_a_run(self, between: Callable[[], object] = lambda: None) -> float:
        """What its kernels are predicted to take, launches apart; those that the host's library computes are left out,
        and those of which the cost model says nothing.

        Args:
            between: called between kernels
        """
        seconds = 0.0
        for step in self._cut.steps:
            seconds += self._compiler.seconds_of_a_run(step.general)
            between()
        return seconds

    def _search_slice(self, inputs: Sequence[Buffer]) -> None:
        """Try one further candidate for a kernel that is searched for later, and say after how many runs the next one
        is tried: when these have taken so many times as long that searching is a small part of all.

        Args:
            inputs: the memory of the graph's leaves, and that of the constants
        """
        step = next((i for i, s in enumerate(self._cut.steps) if self._compiler.is_searched_later(s.general)), None)
        if step is None:
            self._runs_left = inf
            return
        began, took = time.perf_counter(), FIRST_SLICE_SECONDS
        if self._run_seconds:
            self._compiler.search_slice(self._cut.steps[step].general, self._inputs_of(step, inputs))
            took = time.perf_counter() - began
        else:
            batch = self.batch(inputs)
            self.device.finish()
            began = time.perf_counter()
            batch.enqueue(inputs)
            self.device.finish()
            self._run_seconds = time.perf_counter() - began
        took = max(took, RUNS_OF_A_TRIAL * self._run_seconds)  # the next candidate may be one that takes long
        self._runs_left = ceil(took / (SLICES_SHARE * self._run_seconds))

    def _inputs_of(self, number: int, inputs: Sequence[Buffer]) -> list[Buffer]:
        """The memory that a step reads; the steps before it run for that."""
        running = _StepByStep(self._cut.steps[: number + 1], inputs)
        for step in self._cut.steps[:number]:
            found = self._compiler.known(step.general)
            if found is None:
                found = self._compiler.compile(step.general, running.inputs(step), later=True)
            running.launch(step, found)
        return running.inputs(self._cut.steps[number])

    def with_constants(self, inputs: Sequence[Buffer]) -> Sequence[Buffer]:
        """The memory of the graph's leaves, and that of the constants, which the launches take too."""
        return [*inputs, *self._constants] if self._constants else inputs

    def batch(self, inputs: Sequence[Buffer]) -> Batch:
        """The launches of a run, compiled with these inputs (constants among them) where they are not yet for the
        settings in force.
        """
        bound = self._bound
        if bound is None or bound[1] is not self._compiler.version or bound[2] is not settings():
            return self._bind(inputs)
        return bound[0]

    def prepare(
        self, inputs: Sequence[Buffer], search: bool = False, seconds: float | None = None, trials: int | None = None
    ) -> list[Compiled]:
        """The compiled kernels, made on the memory of the leaves where that was not done before; with `search`, search
        for better ones for that many seconds and trials.
        """
        return self._prepare(inputs, search, seconds, trials)[1]

    def make(self, inputs: Sequence[Buffer], between: Callable[[], None]) -> None:
        """Make the kernels and run them once on the memory of the leaves, which some runtimes compile them in.

        Args:
            between: called between kernels
        """
        self._prepare(inputs, between=between)
        self.device.finish()

    def _prepare(
        self,
        inputs: Sequence[Buffer],
        search: bool = False,
        seconds: float | None = None,
        trials: int | None = None,
        between: Callable[[], None] | None = None,
    ) -> tuple[ProgramPlan, list[Compiled]]:
        """The same, and the cut whose kernels they are: where one cannot be made, smaller ones take its place.

        A kernel that others read from runs, since a search for these measures with its result; and PoCL compiles its
        work-group function, on a thread of its own, while the next kernel is derived.

        Args:
            between: called between kernels; then the last one runs, too
        """
        while True:
            cut = self._cut
            running = _StepByStep(cut.steps, self.with_constants(inputs))
            found: list[Compiled] = []
            left = seconds_allowed(self.device, [step.general for step in cut.steps])
            try:
                last = cut.steps[-1] if cut.steps else None
                for step in cut.steps:
                    own = running.inputs(step)
                    if search:
                        compiled = self._compiler.tune(step.general, own, seconds, trials)
                    else:
                        compiled = self._compiler.compile(step.general, own, self.searches_later, left)
                    taken = compiled.seconds_on_one_core(step.general)
                    left = NEVER if taken is None else left - taken
                    found.append(compiled)
                    if between is not None:
                        between()
                    elif step is last:
                        break  # nobody measures with its result: it is computed when the program runs
                    del own  # which would live on while the step runs
                    running.launch(step, compiled)
                return cut, found
            except FusionError as error:
                made = smaller(cut, len(found), granule(self.device), str(error))
                if made is None:
                    raise
                logger.debug("%s", error)
                warnings.warn(
                    f"{abridged(error, 240)}; each of its operations has a kernel of its own, see lift.explain",
                    CandidateWarning,
                    stacklevel=2,
                )
                with planning() as checks:
                    self._cut = verify_cut("smaller", made, checks)

    def _bind(self, inputs: Sequence[Buffer]) -> Batch:
        version, wanted = self._compiler.version, settings()  # before anything is found by them
        cut = self._cut
        known = [self._compiler.known(step.general) for step in cut.steps]
        compiled = [each for each in known if each is not None]
        if len(compiled) < len(known):
            cut, compiled = self._prepare(inputs[: self._leaves - len(self._constants)])
        else:
            for each in compiled:
                report_found(each, 0.0, "memory")
        report_kernels(cut, compiled)
        batch = self._launches(cut, compiled)
        self.in_place = self._in_place(cut, compiled)
        self._bound = batch, version, wanted
        later = any(self._compiler.is_searched_later(step.general) for step in cut.steps)
        if not later:
            self._runs_left = inf
        elif self._runs_left == inf:
            self._runs_left = RUNS_BEFORE_SLICES
        return batch

    def _in_place(self, cut: ProgramPlan, compiled: Sequence[Compiled]) -> InPlace | None:
        """What the last kernel may put into the memory of leaves. Nothing where launches are waited for and logged: who
        waits for one may hear that it failed when it has written already.
        """
        if not cut.steps or debugging.level or settings().deterministic or settings().in_place == "off":
            return None
        version = compiled[-1].at(cut.steps[-1].general)
        return InPlace.of(self.device, cut, version, lambda made: self._launches(cut, compiled, made))

    def _launches(self, cut: ProgramPlan, compiled: Sequence[Compiled], last: Executable | None = None) -> Batch:
        """All launches as one batch. Its slots are the leaves, then all that is written, intermediate memory too.

        Args:
            last: what runs in the place of the last kernel, which computes the same
        """
        place = list(range(self._leaves))  # of each slot of the cut
        launches: list[Launch] = []
        labels: list[str] | None = [] if debugging.level else None  # printing takes longer than all else here
        written: list[int] = []
        versions = [each.at(step.general) for step, each in zip(cut.steps, compiled, strict=True)]
        seconds = [each.seconds_on_one_core(step.general) for step, each in zip(cut.steps, compiled, strict=True)]
        self.in_thread = in_thread = is_short(self.device, seconds)
        for step, version in zip(cut.steps, versions, strict=True):
            into = step.into
            sizes = tuple(version.general.sizes.values())
            executable = version.executable if last is None or step is not cut.steps[-1] else last
            bound = executable.bind(sizes, 0 if into is None else into.start, in_thread)
            start = self._leaves + len(written)
            slots = [*[place[i] for i in step.reads], *range(start, start + len(bound.written))]
            written += bound.written
            if into is not None:  # in memory that several steps share: the first of them brings it along
                if step.fills:
                    written[-1] = into.nbytes
                else:
                    written.pop()
                    slots[-1] = place[into.slot]
            launches += [launch.over(slots) for launch in bound.launches]
            if labels is not None:
                labels += [abridged(version.general.expr)] * len(bound.launches)
            if into is None or step.fills:
                place += [slots[i] for i in bound.slots]
        results = [place[slot] for slot in self._written(cut)]
        if labels is not None:
            return LoggedBatch(self.device, launches, self._leaves, written, results, labels)
        return Batch(self.device, launches, self._leaves, written, results)


class _StepByStep:
    """The memory of a program whose steps run one by one, each as soon as it is compiled.

    It holds what later steps read, and no more: all results of a long program may be more than there is memory.

    Args:
        steps: of the program, in order; the last ones need not run
        inputs: the memory of its leaves, and that of the constants
    """

    def __init__(self, steps: Sequence[Step], inputs: Sequence[Buffer]) -> None:
        self._slots = dict(enumerate(inputs))
        self._next = len(inputs)
        self._last = {slot: step for step in steps for slot in _touched(step)}

    def inputs(self, step: Step) -> list[Buffer]:
        """The memory that a step reads."""
        return [self._slots[slot] for slot in step.reads]

    def launch(self, step: Step, compiled: Compiled) -> None:
        """Run the next step."""
        version = compiled.at(step.general)
        executable, sizes = version.executable, tuple(version.general.sizes.values())
        own, into = self.inputs(step), step.into
        made: list[Buffer] = []
        if into is None:
            made = executable.launch(own, sizes)
        else:
            if step.fills:
                made = [executable.device.allocate(into.nbytes)]
            whole = made[0] if made else self._slots[into.slot]
            executable.launch_into(whole, into.start, own, sizes)
        for slot, buffer in enumerate(made, self._next):
            if slot in self._last:
                self._slots[slot] = buffer
        self._next += len(made)
        for slot in _touched(step):
            if self._last[slot] is step:
                self._slots.pop(slot, None)


def _touched(step: Step) -> list[int]:
    """The slots that a step reads, and that of the memory which it writes a part of."""
    return [*step.reads] if step.into is None else [*step.reads, step.into.slot]


class CompiledPrograms:
    """The programs of a device: those that ran last, and how the graphs of their structures are cut. Neither depends on
    the settings: a program binds other launches when they change.
    """

    def __init__(self, compiler: Compiler, capacity: int = 1024 * _WEIGHT) -> None:
        self._compiler = compiler
        self._granule = granule(compiler.device)
        self._alone = compiler.device.kind == "cpu"  # whose cores have caches of their own that hold a block
        self._programs: BoundedTable[Any, CompiledProgram] = BoundedTable(capacity)
        self._cuts: BoundedTable[Any, tuple[list[int], ProgramPlan]] = BoundedTable(capacity)
        self._numbers = Numbers()

    def of(self, roots: Sequence[Expr]) -> CompiledProgram:
        """The program of a graph: a run takes the memory of its leaves, in the order of its structure key."""
        found = structure_key(roots, _shape)
        key = (found.structure, found.numbers)
        program = self._programs.get(key)
        began = time.perf_counter()
        if program is None:
            how, made = self._planned(roots, found)
            program = self._programs.put(key, CompiledProgram(self._compiler, made), _WEIGHT + len(found.structure))
        else:
            how = "found again"
        report_program(how, program.device, roots, program.steps, program.fissions, time.perf_counter() - began)
        return program

    def _planned(self, roots: Sequence[Expr], found: StructureKey) -> tuple[str, ProgramPlan]:
        """How a graph is cut into kernels, and how that was found."""
        kinds, sizes = classes(roots, found, _shape, self._granule)
        like = self._cuts.get((found.structure, kinds))
        if like is not None and like[0] == sizes:
            return "planned like one before", like[1]
        with planning() as checks:
            if like is not None and not like[1].fixed:
                return "planned like one of other lengths", verify_cut(
                    "resized", like[1].resized(like[0], sizes), checks
                )
            machine = machine_of(self._compiler.device)
            planned = plan_program(roots, found, _shape, self._granule, checks, alone=self._alone, machine=machine)
            made = self._numbers.read(planned)
            verify_cut("literal_history", made, checks)
        self._cuts.put((found.structure, kinds), (sizes, made), _WEIGHT + len(found.structure))
        return "planned", made


_programs: dict[Device, CompiledPrograms] = {}
_lock = make_lock()


def compiled_programs_for(device: Device) -> CompiledPrograms:
    """The device's programs."""
    found = _programs.get(device)
    if found is None:
        made = CompiledPrograms(compiler_for(device))
        with _lock:
            found = _programs.setdefault(device, made)
    return found
