"""`python -m lazyarr demo`: array programs on photographs or on a file, what became of them, and their times."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

import lazyarr as la
from lazyarr.commands.inputs import DemoInput, load
from lazyarr.commands.programs import PROGRAMS, Program, as_tuple, mismatch, relative_tolerance
from lazyarr.config import settings
from lazyarr.runtime import find_device

if TYPE_CHECKING:
    from lazyarr.lift.explanation import KernelExplanation

__all__ = ["add", "run"]

_SECONDS = 1.0
"""How long to compare times with NumPy, for each program."""
_ROUNDS = (5, 51)
_WIDTH = 100


def add(commands: Any) -> None:
    """Describe the command's arguments."""
    parser = commands.add_parser(
        "demo",
        help="run array programs on photographs, or on an array in a file",
        description="Runs array programs, shows how each became OpenCL kernels, and compares times with NumPy. Run it "
        "again: the kernels then come from the cache.",
    )
    parser.add_argument("file", nargs="?", type=Path, metavar="FILE.npy", help="an array of 1 to 3 dimensions")
    parser.set_defaults(run=lambda options: run(options.file))


def run(path: Path | None) -> int:
    """Run all programs; returns 1 if one of them computed something else than NumPy."""
    device = find_device(settings().device or None)
    given = load(path, device.limits.float64)
    print(f"device: {device.name} ({device.platform})")
    print(f"input: {given.description}")
    right = True
    tuned = 0
    for number, program in enumerate(PROGRAMS, 1):
        print(f"\n{'=' * _WIDTH}\n{number}. {program.name}: {program.meaning}\n{'=' * _WIDTH}", flush=True)
        kernels, problem = _show(program, given)
        tuned += sum(kernel.origin == "tuned" for kernel in kernels)
        right = right and problem is None
    print(f"\n{tuned} kernels were tuned in this run" if tuned else "\nnothing was tuned in this run")
    return 0 if right else 1


def _show(program: Program, given: DemoInput) -> tuple[Sequence[KernelExplanation], str | None]:
    """Compile one program, print what became of it, compare it with NumPy; returns its kernels and what is wrong."""
    f = la.lift.jit(lambda x: program.write(la, x))
    x = la.asarray(given.array)
    began = time.perf_counter()
    kernels = la.lift.explain(f, x).kernels
    ready = time.perf_counter() - began
    for number, kernel in enumerate(kernels, 1):
        print(f"\nkernel {number} of {len(kernels)}")
        print("\n".join(f"  {line}" for line in describe(kernel)))

    def ours() -> tuple[Any, ...]:
        return tuple(np.asarray(result) for result in as_tuple(f(x)))

    print(f"\nready after {ready:.2f} s")
    problem = mismatch(program, given.array, ours())
    allowed = f"{relative_tolerance(program, given.array):.1e} of the size of the terms"
    if problem is not None:
        print(f"WRONG, compared with NumPy in float64 (allowed: {allowed}): {problem}")
        return kernels, problem
    print(f"agrees with NumPy in float64 within {allowed}")
    mine, numpys = _times(ours, lambda: program.write(np, given.array))
    ratio = numpys / mine
    verdict = f"{ratio:.1f} times as fast" if ratio >= 1 else f"{1 / ratio:.1f} times slower"
    print(f"time: lazyarr {_milliseconds(mine)}, NumPy {_milliseconds(numpys)}: {verdict}")
    return kernels, None


def describe(kernel: KernelExplanation) -> list[str]:
    """One kernel for people, in lines: expressions, parameters, where it came from, trials."""
    from ir.core.notation.printer import show_indented

    lines = ["high-level expression:", *_indented(show_indented(kernel.general.expr))]
    lines += ["low-level expression:", *_indented(show_indented(kernel.derivation.result))]
    chosen = ", ".join(f"{name} = {value}" for name, value in kernel.configuration.items())
    lines.append(f"parameters: {chosen}")
    measured = f", {_milliseconds(kernel.seconds)} when it was measured" if kernel.seconds else ""
    origins = {"cache": "the cache", "tuned": "a search now", "predicted": "the prediction (too small to be measured)"}
    lines.append(f"from: {origins.get(kernel.origin, kernel.origin)}{measured}")
    if kernel.tuning is not None:
        outcomes = Counter(str(trial.outcome) for trial in kernel.tuning.trials)
        counts = ", ".join(f"{count} {outcome}" for outcome, count in outcomes.items())
        ended = f"{kernel.tuning.elapsed_seconds:.1f} s, stopped by: {kernel.tuning.stopped_by}"
        lines.append(f"trials: {len(kernel.tuning.trials)} ({counts or 'none'}), {ended}")
    else:
        lines.append("trials: none in this run")
    return lines


def _times(ours: Callable[[], object], numpys: Callable[[], object]) -> tuple[float, float]:
    """The medians of two contestants that take turns, in seconds."""
    samples: tuple[list[float], list[float]] = ([], [])
    least, most = _ROUNDS
    end = time.perf_counter() + _SECONDS
    with np.errstate(all="ignore"):
        ours(), numpys()
        while len(samples[0]) < least or (len(samples[0]) < most and time.perf_counter() < end):
            for kept, contestant in zip(samples, (ours, numpys), strict=True):
                began = time.perf_counter()
                contestant()
                kept.append(time.perf_counter() - began)
    return median(samples[0]), median(samples[1])


def _milliseconds(seconds: float) -> str:
    return f"{seconds * 1e3:.3g} ms"


def _indented(text: str) -> list[str]:
    return [f"  {line}" for line in text.splitlines()]
