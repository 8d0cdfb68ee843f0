"""The suite "model": what each schedule's default takes, beside what the cost model predicts.

For some forty kernels at several sizes, every schedule that is worth a look is derived, built, checked on a small
instance and timed. The report says how far the predictions are off, and the regret of the first choice: its time over
the best schedule's. Only `measure` needs a device: predictions are made anew from what is stored.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field

from benchmarks.kernels import KERNELS, KernelCase, drawn, generals
from benchmarks.lazy import default_device, device_properties
from benchmarks.report import command_line
from ir.errors import IRError
from ir.fusion.symbols.symbolise import SymbolicKernel
from ir.schedules.candidates import Candidates
from ir.schedules.schedule import Machine
from lazyarr.compile.compiled import build
from lazyarr.compile.executable import Executable
from lazyarr.compile.trials import Problem, machine_of
from lazyarr.config import configure
from lazyarr.runtime import AllocationError, BuildError, Device, LaunchError

__all__ = ["Measured", "ModelReport", "Tried", "configurations_of", "measure", "run"]

LIMIT = 900.0
"""Seconds for the whole suite, if nothing else is said."""

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
    turns = [(case, shape) for place in range(4) for case in cases for shape in case.at(place, machine)]
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

    def to_text(self) -> str:
        """A line for each kernel: the times of its candidates, today's default first."""
        return "\n".join(
            f"{each.name} {each.shape}: "
            + ", ".join(
                f"{t.configuration['schedule']} {'-' if t.seconds is None else f'{t.seconds * 1e3:.4g} ms'}"
                for t in each.tried
            )
            for each in self.measured
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
