"""The suite "model": what each schedule's default takes, beside what the cost model predicts.

For some forty kernels at several sizes, every schedule that is worth a look is derived, built, checked on a small
instance and timed. The report says how far the predictions are off, and the regret of a choice: its time over that of
the best schedule. Predictions are made anew from what is stored, so that a change of the model is judged by times that
were measured on any device (`--measured FILE`).
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from math import inf, log, prod
from statistics import geometric_mean, median, quantiles

from benchmarks.kernels import KERNELS, KernelCase, drawn, generals
from benchmarks.lazy import default_device, device_properties
from benchmarks.report import command_line
from ir.cost.count import count
from ir.cost.derived import estimate
from ir.cost.functions import NOT_MEASURED, Functions
from ir.cost.operations import Work
from ir.errors import IRError, RewriteError
from ir.fusion.symbols.symbolise import SymbolicKernel
from ir.schedules.candidates import Candidates
from ir.schedules.schedule import Machine
from lazyarr.compile.compiled import build
from lazyarr.compile.executable import Executable
from lazyarr.compile.plan import KernelPlan
from lazyarr.compile.rates import rates_of
from lazyarr.compile.trials import Problem, machine_of
from lazyarr.config import configure
from lazyarr.runtime import AllocationError, BuildError, Device, LaunchError

__all__ = [
    "Measured",
    "ModelReport",
    "Timed",
    "Tried",
    "configurations_of",
    "judgement",
    "measure",
    "run",
    "slow_defaults",
    "worst",
]

LIMIT = 900.0
"""Seconds for the whole suite, if nothing else is said."""

SMALL = 20_000
"""The product of a shape's extents below which a kernel counts as small: launches are most of its time."""

ENOUGH = 0.7
"""The part of the best schedule's speed that a default should have."""

SECONDS = 0.04
"""What the repetitions of one candidate may take in a round, once there are three."""

ROUNDS = 3
"""Rounds, in each of which all candidates of a kernel have their turn: what disturbs one is over at the next."""

LONG = 0.3
"""Seconds of a candidate that has one round: it is far from the best."""

WAITS_FROM = 5e-4
"""Seconds from which on the threads of a kernel wait for a processor where other programs run, too: there processors'
time tells what it takes.
"""


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
        for number, general in enumerate(generals(case, shape)):
            if time.monotonic() - began > limit:
                return
            yield _measured(device, machine, case, shape, number, general)


def _measured(
    device: Device, machine: Machine, case: KernelCase, shape: tuple[int, ...], number: int, general: SymbolicKernel
) -> Measured:
    inputs = [device.wrap(values) for values in drawn(general)]
    problem = Problem(device, general, inputs)
    found = Measured(case.name, shape, number)
    built: dict[int, Executable] = {}
    for configuration in configurations_of(general, machine):
        try:
            executable = build(device, general, configuration)
            wrong = problem.small_mismatch(executable)
            found.tried.append(Tried(configuration, None, "" if wrong is None else f"wrong: {wrong}"))
            if wrong is None:
                built[len(found.tried) - 1] = executable
        except (BuildError, IRError, LaunchError, AllocationError, TimeoutError) as error:
            found.tried.append(Tried(configuration, None, str(error)[:200]))
    for _ in range(ROUNDS):
        for place, executable in list(built.items()):
            tried = found.tried[place]
            try:
                seconds = _seconds(device, problem, executable)
            except (LaunchError, AllocationError, TimeoutError) as error:
                found.tried[place] = replace(tried, seconds=None, detail=str(error)[:200])
                del built[place]
                continue
            found.tried[place] = replace(tried, seconds=min(seconds, tried.seconds or seconds))
            if seconds > LONG:
                del built[place]
    return found


def _seconds(device: Device, problem: Problem, executable: Executable) -> float:
    """The shortest time of a few runs; on a processor that other programs use, what its units need together, shared out
    over as many as the kernel keeps busy, where that is less.
    """
    if device.kind != "cpu":
        return device.time_in_a_row(lambda: executable.launch(problem.inputs, problem.sizes), SECONDS).minimum
    units = max((_groups(kernel, problem.general.sizes) for kernel in executable.plan.kernels), default=1)
    units = max(1, min(machine_of(device).compute_units, units))
    times: list[tuple[float, float]] = []
    deadline = time.perf_counter() + SECONDS
    while len(times) <= 3 or time.perf_counter() < deadline:  # the first warms up
        began, began_processors = time.perf_counter(), time.process_time()
        executable.enqueue(problem.inputs, problem.sizes)[1][-1].wait()
        times.append((time.perf_counter() - began, time.process_time() - began_processors))
    shortest = min(seconds for seconds, _ in times[1:])
    if shortest < WAITS_FROM:
        return shortest
    return min(shortest, min(seconds for _, seconds in times[1:]) / units)


def _groups(kernel: KernelPlan, sizes: Mapping[str, int]) -> int:
    return prod(n.evaluate(sizes) for n in kernel.global_size) // prod(kernel.local_size or (1,))


@dataclass(frozen=True)
class ModelReport:
    """What was measured on a device."""

    device: dict[str, str]
    machine: Machine
    measured: list[Measured]
    command: str
    functions: Functions = NOT_MEASURED

    @property
    def failed(self) -> bool:
        """Was a result wrong?"""
        return any(t.detail.startswith("wrong") for each in self.measured for t in each.tried)

    def to_json(self) -> str:
        """All of it."""
        functions = {str(work): seconds for work, seconds in self.functions.measured}
        found = {"device": self.device, "machine": asdict(self.machine), "command": self.command}
        found["functions"] = functions
        return json.dumps(found | {"measured": [asdict(each) for each in self.measured]}, indent=1)

    @classmethod
    def from_json(cls, text: str) -> ModelReport:
        """What was stored."""
        found = json.loads(text)
        measured = [
            Measured(each["name"], tuple(each["shape"]), each["number"], [Tried(**t) for t in each["tried"]])
            for each in found["measured"]
        ]
        functions = Functions(
            tuple((Work("function", *name.split()), seconds) for name, seconds in found.get("functions", {}).items())
        )
        return cls(found["device"], Machine(**found["machine"]), measured, found["command"], functions)

    def to_text(self) -> str:
        """A line for each kernel: measured and predicted times of its candidates, today's default first; then how good
        the predictions are. What was measured before programs were cut or scheduled otherwise is named, and left out;
        so are kernels whose default of today was not measured, where defaults are judged.
        """
        cases = {case.name: case for case in KERNELS}
        lines: list[str] = []
        named: dict[str, tuple[bool, list[Timed]]] = {}
        others: dict[str, tuple[bool, list[Timed]]] = {}
        for each in self.measured:
            kernels = generals(cases[each.name], each.shape)
            try:
                timed, has_default = _timed(each, kernels[each.number], self.machine, self.functions)
            except (IndexError, RewriteError) as error:
                lines.append(f"{each.name} {each.shape}: left out, no longer such a kernel ({error})")
                continue
            name = f"{each.name} {each.shape}, kernel {each.number}" if each.number else f"{each.name} {each.shape}"
            (named if has_default else others)[name] = prod(each.shape) >= SMALL, timed
            lines.append(f"{name}: {', '.join(map(str, timed))}{'' if has_default else '; not its default of today'}")
        timed_of = {name: timed for name, (_, timed) in named.items()}
        every = timed_of | {name: timed for name, (_, timed) in others.items()}
        judged = judgement(list(named.values()), list(others.values()))
        return "\n".join([*lines, "", *judged, *worst(every), *slow_defaults(timed_of)])


@dataclass(frozen=True)
class Timed:
    """A candidate with both of its times, in seconds."""

    schedule: str
    measured: float
    predicted: float

    def __str__(self) -> str:
        return f"{self.schedule} {self.measured * 1e3:.3g} ({self.predicted * 1e3:.3g}) ms"


def _timed(each: Measured, general: SymbolicKernel, machine: Machine, functions: Functions) -> tuple[list[Timed], bool]:
    """The candidates that were measured, and whether today's default is among them, and so the first."""
    candidates = Candidates.of(general.expr)
    default = candidates.normalised(candidates.default(machine, general.sizes))
    tried = [t for t in each.tried if t.seconds is not None]
    tried.sort(key=lambda t: candidates.normalised(t.configuration) != default)
    timed = []
    for t in tried:
        assert t.seconds is not None  # it was measured
        predicted = _predicted(candidates, t, general, machine, functions)
        timed.append(Timed(str(t.configuration["schedule"]), t.seconds, predicted))
    return timed, bool(tried) and candidates.normalised(tried[0].configuration) == default


def _predicted(
    candidates: Candidates, tried: Tried, general: SymbolicKernel, machine: Machine, functions: Functions
) -> float:
    """In seconds; infinity for what the host's library computes. Parameters that are newer than what was tried have
    their first value, which leaves kernels as they were.
    """
    configuration = candidates.normalised(tried.configuration)
    low = candidates.derive(configuration).result
    if candidates.schedule(str(configuration["schedule"])).by_library:
        return inf
    return estimate(low, machine, general.sizes, functions).seconds


def judgement(
    kernels: Sequence[tuple[bool, Sequence[Timed]]], others: Sequence[tuple[bool, Sequence[Timed]]] = ()
) -> list[str]:
    """How far predictions are off, and the regret of several first choices, where there is a choice.

    Args:
        kernels: the candidates of each, today's default first, and whether it is large
        others: those of which today's default was not measured
    """
    every = [timed for _, kernel in (*kernels, *others) for timed in kernel if timed.predicted < inf]
    if not every:
        return ["nothing to judge"]
    ratios = [timed.predicted / timed.measured for timed in every]
    factors = [max(ratio, 1 / ratio) for ratio in ratios]
    lines = [
        f"{len(every)} candidates; predicted over measured: {_quartiles(ratios)}; off by a factor of"
        f" {_quartiles(factors)}; within 30 %: {sum(factor <= 1.3 for factor in factors) / len(factors):.0%}",
        *_errors(every),
    ]
    choices: list[tuple[str, Callable[[Sequence[Timed]], float], Sequence[tuple[bool, Sequence[Timed]]]]] = [
        ("today's default", lambda kernel: kernel[0].measured, kernels),
        ("the predicted best", lambda kernel: min(kernel, key=_by_prediction).measured, (*kernels, *others)),
        ("the better of the first two of the order", lambda kernel: min(t.measured for t in kernel[:2]), kernels),
        (
            "the better of the default and the predicted best of the others",
            lambda kernel: min(kernel[0].measured, min(kernel[1:], key=_by_prediction).measured),
            kernels,
        ),
    ]
    for what, only_large in (("all sizes", False), ("large sizes", True)):
        for name, choose, among in choices:
            chosen = [kernel for large, kernel in among if len(kernel) > 1 and (large or not only_large)]
            regrets = [choose(kernel) / min(t.measured for t in kernel) for kernel in chosen]
            if regrets:
                lines.append(
                    f"{what}, {len(regrets)} kernels: regret of {name}: {geometric_mean(regrets):.3f},"
                    f" at most {max(regrets):.2f}, within 1.43 (70 % of the best's speed) in"
                    f" {sum(regret <= 1 / 0.7 for regret in regrets) / len(regrets):.0%}"
                )
    return lines


def worst(kernels: Mapping[str, Sequence[Timed]], count: int = 10) -> list[str]:
    """The candidates that are predicted worst, by name of their kernel."""
    every = [(name, timed) for name, kernel in kernels.items() for timed in kernel if timed.predicted < inf]
    every.sort(key=lambda each: -abs(log(each[1].predicted / each[1].measured)))
    return [f"predicted worst: {name}: {timed}" for name, timed in every[:count]]


def slow_defaults(kernels: Mapping[str, Sequence[Timed]]) -> list[str]:
    """The part of the best schedule's speed that today's default has: its median, and where it is below `ENOUGH`."""
    speeds = {
        name: min(timed.measured for timed in kernel) / kernel[0].measured for name, kernel in kernels.items() if kernel
    }
    if not speeds:
        return []
    slow = sorted((speed, name) for name, speed in speeds.items() if speed < ENOUGH)
    return [
        f"today's default has {median(speeds.values()):.2f} of the best's speed in the median, less than {ENOUGH} of it"
        f" for {len(slow)} of {len(speeds)} kernels",
        *(f"{speed:.2f} of the best's speed: {name}: {', '.join(map(str, kernels[name]))}" for speed, name in slow),
    ]


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


def _by_prediction(timed: Timed) -> float:
    return timed.predicted


def _quartiles(values: Sequence[float]) -> str:
    return ", ".join(
        f"{value:.2f}" for value in (quantiles(values, n=4, method="inclusive") if len(values) > 1 else values)
    )


def _functions_of(device: Device, cases: Sequence[KernelCase]) -> Functions:
    """What the functions in the cases' kernels take."""
    kernels = [general for case in cases for general in generals(case, case.shapes[0])]
    works = {work for general in kernels for work in count(general.expr).operations if work.function}
    rates = rates_of(device, works)
    assert rates is not None  # they are measured
    return Functions.of(rates.operations_per_second)


def run(limit: float, arguments: Sequence[str], progress: Callable[[str], None]) -> ModelReport:
    """Measure the kernels for so many seconds on lazyarr's device."""
    device = default_device()
    measured = []
    before = configure(tune="off", cache="off")
    try:
        for each in measure(device, limit):
            progress(f"{each.name} {each.shape}")
            measured.append(each)
        functions = _functions_of(device, KERNELS)
    finally:
        configure(**vars(before))
    return ModelReport(device_properties(), machine_of(device), measured, command_line(arguments), functions)
