"""The suite "model": what each schedule's default takes, beside what the cost model predicts.

For some forty kernels at several sizes, every schedule that is worth a look is derived, built, checked on a small
instance and timed. The report says how far the predictions are off, and the regret of a choice: its time over that of
the best schedule. Predictions are made anew from what is stored, so that a change of the model is judged by times that
were measured on any device (`--measured FILE`).
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from math import prod
from statistics import geometric_mean, median, quantiles

from benchmarks.kernels import KERNELS, KernelCase, drawn, generals
from benchmarks.lazy import default_device, device_properties
from benchmarks.report import command_line
from ir.core.expr import Expr
from ir.cost.derived import estimate
from ir.errors import IRError, RewriteError
from ir.fusion.symbols.symbolise import SymbolicKernel
from ir.schedules.candidates import Candidates
from ir.schedules.schedule import Machine
from lazyarr.compile.compiled import build
from lazyarr.compile.executable import Executable
from lazyarr.compile.trials import Problem, machine_of
from lazyarr.config import configure
from lazyarr.runtime import AllocationError, BuildError, Device, LaunchError

__all__ = ["Measured", "ModelReport", "Timed", "Tried", "configurations_of", "judgement", "measure", "run"]

LIMIT = 900.0
"""Seconds for the whole suite, if nothing else is said."""

SMALL = 20_000
"""The product of a shape's extents below which a kernel counts as small: launches are most of its time."""

SECONDS = 0.04
"""What the repetitions of one candidate may take, once there are three."""


@dataclass(frozen=True)
class Tried:
    """A candidate, and the shortest of its times in seconds; none, and why, where it was not measured."""

    configuration: dict[str, int | str]
    seconds: float | None
    detail: str = ""


@dataclass(frozen=True)
class Measured:
    """A kernel at its sizes: its number among the kernels of the program, and the candidates, today's default first."""

    name: str
    shape: tuple[int, ...]
    number: int
    tried: list[Tried] = field(default_factory=list)


def configurations_of(general: SymbolicKernel, machine: Machine) -> list[dict[str, int | str]]:
    """One configuration of each schedule that is worth a look and breaks no constraint, in the order of defaults."""
    candidates = Candidates.of(general.expr)
    looked_at = candidates.searched(machine, general.sizes)
    return [
        configuration
        for configuration in candidates.defaults(machine, general.sizes)
        if configuration["schedule"] in looked_at and candidates.refused(configuration, machine, general.sizes) is None
    ]


def measure(device: Device, limit: float, cases: Sequence[KernelCase] = KERNELS) -> Iterator[Measured]:
    """The kernels of the cases one after the other, for as many seconds; every case's middle size comes first."""
    began, machine = time.monotonic(), machine_of(device)
    turns = [(case, shape) for place in range(4) for case in cases for shape in case.at(place)]
    for case, shape in turns:
        for number, general in enumerate(generals(case, shape, device)):
            if time.monotonic() - began > limit:
                return
            yield _measured(device, machine, case, shape, number, general)


def _measured(
    device: Device, machine: Machine, case: KernelCase, shape: tuple[int, ...], number: int, general: SymbolicKernel
) -> Measured:
    inputs = [device.wrap(values) for values in drawn(general)]
    problem = Problem(device, general, inputs)
    found = Measured(case.name, shape, number)
    for configuration in configurations_of(general, machine):
        try:
            executable = build(device, general, configuration)
            wrong = problem.small_mismatch(executable)
            if wrong is not None:
                found.tried.append(Tried(configuration, None, f"wrong: {wrong}"))
                continue
            found.tried.append(Tried(configuration, _seconds(device, problem, executable)))
        except (BuildError, IRError, LaunchError, AllocationError, TimeoutError) as error:
            found.tried.append(Tried(configuration, None, str(error)[:200]))
    return found


def _seconds(device: Device, problem: Problem, executable: Executable) -> float:
    if device.kind == "cpu":
        return device.time(lambda: executable.enqueue(problem.inputs, problem.sizes)[1], SECONDS, clock="host").minimum
    return device.time_in_a_row(lambda: executable.launch(problem.inputs, problem.sizes), SECONDS).minimum


@dataclass(frozen=True)
class ModelReport:
    """What was measured on a device."""

    device: dict[str, str]
    machine: Machine
    measured: list[Measured]
    command: str

    @property
    def failed(self) -> bool:
        """Was a result wrong?"""
        return any(t.detail.startswith("wrong") for each in self.measured for t in each.tried)

    def to_json(self) -> str:
        """All of it."""
        found = {"device": self.device, "machine": asdict(self.machine), "command": self.command}
        return json.dumps(found | {"measured": [asdict(each) for each in self.measured]}, indent=1)

    @classmethod
    def from_json(cls, text: str) -> ModelReport:
        """What was stored."""
        found = json.loads(text)
        measured = [
            Measured(each["name"], tuple(each["shape"]), each["number"], [Tried(**t) for t in each["tried"]])
            for each in found["measured"]
        ]
        return cls(found["device"], Machine(**found["machine"]), measured, found["command"])

    def to_text(self) -> str:
        """A line for each kernel: measured and predicted times of its candidates, today's default first; then how good
        the predictions are. What was measured before programs were cut or scheduled otherwise is named, and left out.
        """
        cases = {case.name: case for case in KERNELS}
        device, lines, all_timed = default_device(), [], []
        for each in self.measured:
            kernels = generals(cases[each.name], each.shape, device)
            try:
                timed = _timed(each, kernels[each.number], self.machine)
            except (IndexError, RewriteError) as error:
                lines.append(f"{each.name} {each.shape}: left out, no longer such a kernel ({error})")
                continue
            all_timed.append((prod(each.shape) >= SMALL, timed))
            lines.append(f"{each.name} {each.shape}: " + ", ".join(map(str, timed)))
        return "\n".join([*lines, "", *judgement(all_timed)])


@dataclass(frozen=True)
class Timed:
    """A candidate with both of its times, in seconds."""

    schedule: str
    measured: float
    predicted: float

    def __str__(self) -> str:
        return f"{self.schedule} {self.measured * 1e3:.3g} ({self.predicted * 1e3:.3g}) ms"


def _timed(each: Measured, general: SymbolicKernel, machine: Machine) -> list[Timed]:
    candidates = Candidates.of(general.expr)
    return [
        Timed(
            str(t.configuration["schedule"]),
            t.seconds,
            estimate(_derived(candidates, t), machine, general.sizes).seconds,
        )
        for t in each.tried
        if t.seconds is not None
    ]


def _derived(candidates: Candidates, tried: Tried) -> Expr:
    """What was tried; parameters that are newer have their first value, which leaves kernels as they were."""
    return candidates.derive(candidates.normalised(tried.configuration)).result


def judgement(kernels: Sequence[tuple[bool, Sequence[Timed]]]) -> list[str]:
    """How far predictions are off, and the regret of several first choices, where there is a choice.

    Args:
        kernels: the candidates of each, today's default first, and whether it is large
    """
    every = [timed for _, kernel in kernels for timed in kernel]
    if not every:
        return ["nothing to judge"]
    ratios = [timed.predicted / timed.measured for timed in every]
    factors = [max(ratio, 1 / ratio) for ratio in ratios]
    lines = [
        f"{len(every)} candidates; predicted over measured: {_quartiles(ratios)}; off by a factor of"
        f" {_quartiles(factors)}; within 30 %: {sum(factor <= 1.3 for factor in factors) / len(factors):.0%}",
        *_errors(every),
    ]
    choices: dict[str, Callable[[Sequence[Timed]], float]] = {
        "today's default": lambda kernel: kernel[0].measured,
        "the predicted best": lambda kernel: min(kernel, key=_predicted).measured,
        "the better of the first two of the order": lambda kernel: min(t.measured for t in kernel[:2]),
        "the better of the default and the predicted best of the others": lambda kernel: min(
            kernel[0].measured, min(kernel[1:], key=_predicted).measured
        ),
    }
    for what, only_large in (("all sizes", False), ("large sizes", True)):
        chosen = [kernel for large, kernel in kernels if len(kernel) > 1 and (large or not only_large)]
        for name, choose in choices.items():
            regrets = [choose(kernel) / min(t.measured for t in kernel) for kernel in chosen]
            if regrets:
                lines.append(
                    f"{what}, {len(regrets)} kernels: regret of {name}: {geometric_mean(regrets):.3f},"
                    f" at most {max(regrets):.2f}, within 1.43 (70 % of the best's speed) in"
                    f" {sum(regret <= 1 / 0.7 for regret in regrets) / len(regrets):.0%}"
                )
    return lines


def _errors(every: Sequence[Timed]) -> list[str]:
    """Quartiles of |predicted / measured - 1|: of all candidates, and of each schedule's, the worst first."""
    families = {name: [timed for timed in every if timed.schedule == name] for name in {t.schedule for t in every}}
    ordered = sorted(families.items(), key=lambda family: (-median(map(_error, family[1])), family[0]))
    return [
        f"{name}, {len(timed)} candidates: error {_quartiles([_error(t) for t in timed])};"
        f" predicted over measured, median: {median(t.predicted / t.measured for t in timed):.2f}"
        for name, timed in [("all schedules", every), *ordered]
    ]


def _error(timed: Timed) -> float:
    return abs(timed.predicted / timed.measured - 1)


def _predicted(timed: Timed) -> float:
    return timed.predicted


def _quartiles(values: Sequence[float]) -> str:
    return ", ".join(
        f"{value:.2f}" for value in (quantiles(values, n=4, method="inclusive") if len(values) > 1 else values)
    )


def run(limit: float, arguments: Sequence[str], progress: Callable[[str], None]) -> ModelReport:
    """Measure the kernels for so many seconds on lazyarr's device."""
    device = default_device()
    measured = []
    before = configure(tune="off", cache="off")
    try:
        for each in measure(device, limit):
            progress(f"{each.name} {each.shape}")
            measured.append(each)
    finally:
        configure(**vars(before))
    return ModelReport(device_properties(), machine_of(device), measured, command_line(arguments))
