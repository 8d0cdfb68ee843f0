"""`lift.explain`, `lift.tune` and the objects that show how a function was compiled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ir.cost.derived import Estimate, estimate
from ir.cost.predict import Prediction
from ir.errors import IRError
from ir.fusion.prepare.fission import Fission
from ir.fusion.prepare.rewriting import Rewriting
from ir.fusion.symbols.symbolise import SymbolicKernel
from ir.opencl.generate import Program
from ir.rewrite.derivation import Derivation
from ir.schedules.candidates import Candidates
from ir.schedules.schedule import Machine
from lazyarr.array import Array
from lazyarr.compile.compiled import Compiled, configuration_of
from lazyarr.compile.compiler import compiler_for
from lazyarr.compile.executable import Executable
from lazyarr.compile.generation import generated
from lazyarr.compile.rates import functions_of, predicted
from lazyarr.compile.trials import machine_of
from lazyarr.graph.pytree import flatten, unflatten
from lazyarr.lift.jitted import Jitted, jit
from lazyarr.lift.recording import prepare
from lazyarr.lift.text import fission_text, fissions_title, kernel_text, kernels_text, listed, rewriting_text
from lazyarr.lift.values import check_function
from lazyarr.recording.creation import asarray
from lazyarr.runtime import Device, find_device
from tuner import Outcome, Trial, TuningResult

if TYPE_CHECKING:
    from lazyarr.lift.comparison import ExplanationDiff, KernelDiff

__all__ = [
    "Explanation", "KernelExplanation", "Refused", "Resources", "explain", "tune",
]  # fmt: skip


@dataclass(frozen=True)
class Resources:
    """What one kernel launch takes of the device.

    Attributes:
        kernel: its name in the source
        global_size, local_size: work-items in all and in a work-group, in each dimension; None: the runtime chooses
        local_bytes: local memory of a work-group, in bytes; None where it is not known
    """

    kernel: str
    global_size: tuple[int, ...]
    local_size: tuple[int, ...] | None
    local_bytes: int | None

    def __str__(self) -> str:
        group = "chosen by the runtime" if self.local_size is None else " x ".join(map(str, self.local_size))
        items = " x ".join(map(str, self.global_size))
        memory = "" if self.local_bytes is None else f", {self.local_bytes} bytes of local memory"
        return f"{self.kernel}: {items} work-items, work-groups of {group}{memory}"


@dataclass(frozen=True)
class Refused:
    """A schedule that is not searched, or whose usual parameters this device or these lengths do not allow; and why."""

    configuration: dict[str, int | str]
    reason: str

    def __str__(self) -> str:
        return f"{listed(self.configuration)}: {self.reason}"


@dataclass(frozen=True)
class KernelExplanation:
    """How one kernel came to be.

    Attributes:
        seconds: the median time when it was measured; None if it never was
        tuning: the search that found it, if that was in this process
        trials: what searches for it tried, each configuration with the parameters of its schedule: those of `tuning`
            (what it was told of earlier processes first), else what the cache has kept
        workarounds: where the source is not what the low-level expression says, but an equal form, since the device's
            compiler gets that one wrong
        unheeded: hints to memory in the low-level expression that the source does not give, by the reason
        prediction: the time predicted before any search, by the high-level expression alone, and what it is made of;
            None where there is none
        unpredicted: why there is none
        estimate: the time predicted for this candidate on a device of its kind, from what its kernels do to memory
        apart: why it computes a single operation of those that the partition put into one kernel: no kernel of all of
            them could be made; empty for all others
        by_library: does the host's library compute it? Then the source says which function is called
        lengths: what symbols stood for in the kernel for all lengths, where this one is for these alone; else empty
    """

    general: SymbolicKernel
    derivation: Derivation
    configuration: dict[str, int | str]
    source: str
    origin: str
    seconds: float | None
    tuning: TuningResult | None
    device: str
    resources: tuple[Resources, ...]
    refused: tuple[Refused, ...]
    prediction: Prediction | None
    unpredicted: str | None
    trials: tuple[Trial, ...]
    workarounds: tuple[str, ...]
    unheeded: tuple[str, ...]
    apart: str = ""
    lengths: dict[str, int] = field(default_factory=dict)
    estimate: Estimate | None = None
    by_library: bool = False

    def __str__(self) -> str:
        return kernel_text(self)

    def _repr_html_(self) -> str:
        from lazyarr.lift.html import page  # shows what this module makes

        return page([self])

    def diff(self, other: KernelExplanation) -> KernelDiff:
        """What is different in another kernel's derivation, parameters and source."""
        from lazyarr.lift.comparison import compare_kernels  # shows what this module makes

        return compare_kernels(self, other)


@dataclass(frozen=True)
class Explanation:
    """What `explain` found: one entry for each kernel, in the order in which they run. Print it; notebooks show it as
    HTML.

    Attributes:
        fissions: how maps that no kernel could compute were cut into several, before the graph was cut into kernels:
            each a derivation over symbols, from the map over what it reads to what it was cut into
        rewritings: how other values were rewritten before that, such as slices of arrays that parts were assigned to:
            an example of each way, and how many values were rewritten so
        tier: which tier ran it last, `reference` (NumPy, not these kernels) or `compiled`, and why; empty if none did
    """

    kernels: tuple[KernelExplanation, ...]
    fissions: tuple[Fission, ...] = ()
    rewritings: tuple[Rewriting, ...] = ()
    tier: str = ""

    def __str__(self) -> str:
        parts = [f"it ran last on the tier {self.tier}"] if self.tier else []
        parts += [f"{fissions_title(self.fissions)}\n{'=' * 72}"] if self.fissions else []
        parts += map(fission_text, self.fissions)
        parts += map(rewriting_text, self.rewritings)
        parts += kernels_text(self.kernels)
        if not self.kernels:
            parts.append("no kernel: the results are arguments or constants, as they are")
        return "\n\n".join(parts)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from lazyarr.lift.html import page  # shows what this module makes

        return page(self.kernels, self.fissions, self.rewritings)

    def diff(self, other: Explanation) -> ExplanationDiff:
        """What is different in another explanation, say of the same function on another device: print it.

        Kernels are compared in the order in which they run: the steps that only one derivation has, the parameters
        that differ, and the sources.
        """
        from lazyarr.lift.comparison import compare  # shows what this module makes

        return compare(self, other)


def jitted(name: str, function: Callable[..., Any]) -> Jitted[..., Any]:
    """The function compiled by `jit`, if it is not yet; for the function of that name of `lift`."""
    check_function(f"{name}(f, x, ..)", function)
    return function if isinstance(function, Jitted) else jit(function)


def explain(function: Callable[..., Any], *args: Any, device: Any = None, **kwargs: Any) -> Explanation:
    """How a function (jitted or not) is computed for these arguments, compiling it if need be: print the result.

    Args:
        device: explain it for that device instead, named as in `la.asarray`: the arguments are copied there. Arrays
            that the function uses without taking them as arguments stay where they are. (An argument of the function
            that is called `device` itself is given by position.)

    First, if it ran, the tier that ran it last and why: small programs are carried out by NumPy, and these kernels are
    what they would be. Then, if there are any, the maps that were cut into several before the graph was cut into
    kernels, the values that were rewritten, and by which rules. Then for each kernel: the high-level expression, each
    rule applied and where, the low-level expression, the parameters chosen, what a launch takes of the device, the
    predicted time beside the measured one, the trials of the search, what was refused and why, and the OpenCL source. A
    device's speed, which predictions need, is benchmarked once, by the first `explain` (under a second).

    `explain(f, x).diff(explain(f, x, device=other))` says how two devices' kernels differ.
    """
    f = jitted("lift.explain", function)
    if device is not None:
        args, kwargs = _moved(args, kwargs, find_device(device))
    recording, leaves = f.recording(*args, **kwargs)
    compiled = prepare(recording, leaves)
    kernels = zip(compiled, recording.steps, strict=True)
    return Explanation(
        tuple(replace(explained(c, step.general), apart=step.apart) for c, step in kernels),
        recording.program.compiled.fissions,
        recording.program.compiled.rewritings,
        recording.program.tier,
    )


def _moved(args: Any, kwargs: Any, device: Device) -> Any:
    """The arguments with their arrays on that device."""
    leaves, structure = flatten((args, kwargs))
    if not any(isinstance(leaf, (Array, np.ndarray, np.generic)) for leaf in leaves):
        raise ValueError("explain: none of the arguments is an array, so nothing says that it runs on another device")
    return unflatten(
        structure,
        [
            asarray(np.asarray(leaf), device=device) if isinstance(leaf, (Array, np.ndarray, np.generic)) else leaf
            for leaf in leaves
        ],
    )


def explained(compiled: Compiled, general: SymbolicKernel | None = None) -> KernelExplanation:
    """How one compiled kernel came to be; its derivation is replayed from its configuration.

    Args:
        general: the expression with the lengths to state launches for, where they are not those it was compiled for
            first
    """
    every = compiled.general if general is None else general
    version = compiled.at(every)
    general, executable, configuration = version.general, version.executable, version.configuration
    candidates_ = Candidates.of(general.expr)
    derivation = candidates_.derive(configuration)
    time = predicted(executable, general)
    library = bool(executable.plan.library)
    program: Program | None = None if library else generated(executable.device, general, derivation)
    if program is not None and program.source != executable.program.source:
        program = None  # it says nothing of the kernel that runs
    return KernelExplanation(
        general,
        derivation,
        dict(configuration),
        executable.program.source,
        compiled.origin,
        version.seconds,
        compiled.result,
        executable.device.name,
        () if library else _resources(executable, program, general),
        _refused(candidates_, machine_of(executable.device), general, configuration["schedule"]),
        time if isinstance(time, Prediction) else None,
        time if isinstance(time, str) else None,
        _trials(compiled, every),
        () if program is None else program.workarounds,
        () if program is None else program.unheeded,
        lengths=dict(every.sizes) if general is not every else {},
        estimate=_estimate(derivation, executable.device, general),
        by_library=library,
    )


def _estimate(derivation: Derivation, device: Device, general: SymbolicKernel) -> Estimate | None:
    try:
        functions = functions_of(device, general, measure=False)  # those that its prediction needed are known
        return estimate(derivation.result, machine_of(device), general.sizes, functions)
    except IRError:
        return None


def _trials(compiled: Compiled, general: SymbolicKernel) -> tuple[Trial, ...]:
    """What searches for the kernel tried: the one of this process, else those that the cache knows of."""
    if compiled.result is not None:
        found = [*compiled.result.known, *compiled.result.trials]
    else:
        found = []
        for record in compiler_for(compiled.executable.device).tried(general):
            if record.outcome in tuple(Outcome) and isinstance(
                record.configuration, dict
            ):  # a running one has no outcome
                read = configuration_of(record.configuration)
                found.append(Trial(read, Outcome(record.outcome), record.seconds, detail=record.detail))
    normalised = Candidates.of(general.expr).normalised
    return tuple(replace(trial, configuration=normalised(trial.configuration)) for trial in found)


def _resources(executable: Executable, program: Program | None, general: SymbolicKernel) -> tuple[Resources, ...]:
    known = {} if program is None else {kernel.name: kernel.local_bytes for kernel in program.kernels}
    return tuple(
        Resources(
            kernel.name,
            tuple(extent.evaluate(general.sizes) for extent in kernel.global_size),
            kernel.local_size,
            known.get(kernel.name),
        )
        for kernel in executable.plan.kernels
    )


def _refused(candidates_: Candidates, machine: Machine, general: SymbolicKernel, chosen: object) -> tuple[Refused, ...]:
    """The schedules that could lower the expression, but whose usual parameters at these lengths break a constraint
    here, or that a search leaves out. `chosen` is not among them.
    """
    found = []
    searched = candidates_.searched(machine, general.sizes)
    for schedule in candidates_.schedules:
        if schedule.name == chosen:  # its usual parameters may be too much where those it was given are not
            continue
        configuration = candidates_.default_of(schedule.name, machine, general.sizes)
        broken = candidates_.refused(configuration, machine, general.sizes)
        if broken is not None:
            found.append(Refused(configuration, f"too many {broken.reason}"))
        elif schedule.name not in searched:
            reason = "not searched on a CPU, whose work-items take turns between barriers"
            found.append(Refused(configuration, reason))
    return tuple(found)


def tune(
    function: Callable[..., Any], *args: Any, seconds: float | None = 60.0, trials: int | None = None, **kwargs: Any
) -> list[TuningResult]:
    """Search for the fastest kernels of a function on these arguments, and keep them for this and later processes.

    Args:
        seconds, trials: the budget for each kernel; None leaves that side open

    Returns the result of each kernel's search. Ctrl-C keeps the best so far.
    """
    f = jitted("lift.tune", function)
    recording, leaves = f.recording(*args, **kwargs)
    compiled = prepare(recording, leaves, search=True, seconds=seconds, trials=trials)
    return [each.result for each in compiled if each.result is not None]
