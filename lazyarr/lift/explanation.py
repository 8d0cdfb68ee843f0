"""`lift.explain`, `lift.tune` and the objects that show how a function was compiled."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from ir.core.text import show_indented
from ir.fusion.generalise import General
from ir.opencl.generate import generate
from ir.rewrite.derivation import Derivation
from ir.rewrite.rule import RULES
from ir.strategies.candidates import Candidates
from lazyarr.execution.compiler import Compiled
from lazyarr.lift.jitted import Jitted, jit, prepare
from tuner import TuningResult

__all__ = ["Explanation", "KernelExplanation", "Launch", "Lowered", "candidates", "explain", "lowered", "tune"]


@dataclass(frozen=True)
class KernelExplanation:
    """How one kernel came to be."""

    general: General
    derivation: Derivation
    configuration: dict[str, int | str]
    source: str
    origin: str
    seconds: float | None
    tuning: TuningResult | None

    def __str__(self) -> str:
        lines = ["high-level expression:", _indent(show_indented(self.general.expr)), "", "derivation:"]
        for number, step in enumerate(self.derivation.steps, 1):
            rule = RULES[step.rule]
            values = ", ".join(f"{name} = {value}" for name, value in step.parameters)
            chosen = f" ({values})" if values else ""
            equation = " ".join(rule.equation.split())
            lines.append(f"  {number:2}. {step.rule}{chosen} at {list(step.path)}  [{rule.source}; {rule.label}]")
            lines.append(f"      {equation}")
        lines += ["", "low-level expression:", _indent(show_indented(self.derivation.result)), ""]
        chosen = ", ".join(f"{name} = {value}" for name, value in self.configuration.items())
        lines.append(f"parameters: {chosen}")
        lines.append(
            f"origin: {self.origin}" + (f", {self.seconds * 1e3:.4g} ms when measured" if self.seconds else "")
        )
        if self.tuning is not None:
            ok = sum(trial.ok for trial in self.tuning.trials)
            lines.append(
                f"search: {len(self.tuning.trials)} trials, {ok} ran well, stopped by {self.tuning.stopped_by}"
            )
            for trial in self.tuning.trials:
                if not trial.ok:
                    lines.append(
                        f"  {trial.outcome}: {trial.key}: {trial.detail.splitlines()[0] if trial.detail else ''}"
                    )
        lines += ["", "OpenCL source:", _indent(self.source)]
        return "\n".join(lines)


@dataclass(frozen=True)
class Explanation:
    """What `explain` found: one entry for each kernel, in the order in which they run. Print it."""

    kernels: tuple[KernelExplanation, ...]

    def __str__(self) -> str:
        count = len(self.kernels)
        return "\n\n".join(f"kernel {i} of {count}\n{'=' * 72}\n{kernel}" for i, kernel in enumerate(self.kernels, 1))

    __repr__ = __str__


def _indent(text: str) -> str:
    return "\n".join("  " + line for line in text.splitlines())


def _jitted(function: Callable[..., Any]) -> Jitted[..., Any]:
    return function if isinstance(function, Jitted) else jit(function)


def explain(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Explanation:
    """How a function (jitted or not) is computed for these arguments, compiling it if need be: print the result.

    For each kernel: the high-level expression, each rule applied and where, the low-level expression, the
    parameters chosen, the trials of the search and the OpenCL source.
    """
    f = _jitted(function)
    recording, leaves = f.recording(*args, **kwargs)
    return Explanation(tuple(map(explained, prepare(recording, leaves))))


def explained(compiled: Compiled) -> KernelExplanation:
    """How one compiled kernel came to be; its derivation is replayed from its configuration."""
    derivation = Candidates.of(compiled.general.expr).derive(compiled.configuration)
    return KernelExplanation(
        compiled.general,
        derivation,
        dict(compiled.configuration),
        compiled.executable.program.source,
        compiled.origin,
        compiled.seconds,
        compiled.result,
    )


def tune(
    function: Callable[..., Any], *args: Any, seconds: float | None = 60.0, trials: int | None = None, **kwargs: Any
) -> list[TuningResult]:
    """Search for the fastest kernels of a function on these arguments, and keep them for this and later processes.

    seconds, trials : the budget for each kernel; None leaves that side open
    Returns the result of each kernel's search. Ctrl-C keeps the best so far.
    """
    f = _jitted(function)
    recording, leaves = f.recording(*args, **kwargs)
    return [compiled.result for compiled in prepare(recording, leaves, search=True, seconds=seconds, trials=trials)]


@dataclass(frozen=True)
class Launch:
    """One kernel launch as it would be made through the OpenCL API.

    arguments are `runtime.Buffer`s and integers, in the order of the kernel's parameters
    """

    source: str
    kernel: str
    global_size: tuple[int, ...]
    local_size: tuple[int, ...] | None
    arguments: tuple[Any, ...]
    argument_types: tuple[str, ...]


@dataclass(frozen=True)
class Lowered:
    """A function taken down to its launches."""

    launches: tuple[Launch, ...]


def lowered(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Lowered:
    """The launches that a call of a function with these arguments makes, with the buffers they would use."""
    f = _jitted(function)
    recording, leaves = f.recording(*args, **kwargs)
    prepare(recording, leaves)
    from lazyarr.lift.jitted import _computed, _on_device

    device = recording.device
    slots = [_on_device(_computed(leaves[i]).node, device) for i in recording.arguments]  # type: ignore[arg-type]  # computed
    slots += [_on_device(leaf, device) for leaf in recording.captured]
    launches = []
    for step in recording.steps:
        own = [slots[i] for i in step.reads]
        fresh = own
        for call in step.calls:
            fresh = [device.allocate(nbytes) for nbytes in call.allocations]
            own += fresh
            arguments = tuple(own[s] if s >= 0 else step.constants[s] for s in call.slots)
            source = step.compiled.executable.program.source
            launches.append(
                Launch(
                    source, call.kernel.name, call.global_size, call.local_size, arguments, call.kernel.argument_types
                )
            )
        slots += fresh
    return Lowered(tuple(launches))


def candidates(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Iterator[str]:
    """The OpenCL source of each candidate of a function's first kernel, derived and generated as it is asked for."""
    f = _jitted(function)
    recording, _ = f.recording(*args, **kwargs)
    if not recording.steps:
        raise ValueError(f"candidates: {getattr(function, '__name__', function)} computes nothing: it has no kernel")
    general = recording.steps[0].general
    found = Candidates.of(general.expr)
    for schedule in found.schedules:
        parameters = schedule.parameters(found.normal)
        for choice in _combinations(parameters):
            configuration: dict[str, int | str] = {"schedule": schedule.name, **choice}
            yield generate(found.derive(configuration).result, "candidate", "long" if general.wide else "int").source


def _combinations(parameters: Any) -> Iterator[dict[str, int]]:
    if not parameters:
        yield {}
        return
    head, *rest = parameters
    for value in head.values:
        for other in _combinations(rest):
            yield {head.name: value, **other}
