"""Programs run with lazyarr, and their values compared with NumPy's."""

from __future__ import annotations

import re
import traceback
import warnings
from dataclasses import asdict, dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

import lazyarr as la
from lazyarr import lift
from lazyarr.errors import CandidateWarning
from tests.programs.program import Program, define, functions_of
from tests.programs.reference import Observation, Reference, expected, observed
from tuner import WrongAnswerWarning

ROUNDING = 512
"""Rounding errors of the greatest number met that a rounded value may be off."""


@dataclass(frozen=True)
class Failure:
    """What went wrong: `kind` tells failures apart, `detail` is for people."""

    kind: str
    detail: str

    def as_dict(self) -> dict[str, str]:
        """For a process that waits for it."""
        return asdict(self)


class Runner:
    """A process' lazyarr, with the jitted functions of the programs so far."""

    def __init__(self) -> None:
        self.f: SimpleNamespace = functions_of(la, lift.jit, la.compute)

    def run(self, program: Program) -> Failure | None:
        """The first failure of one program, or None."""
        reference = expected(program)
        found: list[Observation] = []
        lines: dict[str, Any] = {}
        exec(compile(program.source(), "<program>", "exec"), {"np": np}, lines)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", CandidateWarning)
            warnings.simplefilter("error", WrongAnswerWarning)
            try:
                define(self.f, {name: program.functions[name] for name in program.called})
                lines["program"](la, self.f, lambda x: found.append(observed(x)))
            except Exception as error:
                return _raised(error, program)
        return compare(reference, found)


def _raised(error: Exception, program: Program) -> Failure:
    frames = traceback.extract_tb(error.__traceback__)
    inner = [frame for frame in frames if frame.filename != "<program>" and "tests" not in Path(frame.filename).parts]
    at = f"{Path(inner[-1].filename).name}:{inner[-1].name}" if inner else "the program"
    outer = [frame.lineno for frame in frames if frame.filename == "<program>" and frame.lineno]
    lines = program.source().splitlines()
    line = lines[outer[0] - 1].strip() if outer else ""
    message = re.sub(r"0x[0-9a-f]+|\d+", "#", str(error).splitlines()[0] if str(error) else "")[:80]
    detail = f"at `{line}`\n" + "".join(traceback.format_exception(error)[-8:])
    return Failure(f"{type(error).__name__} in {at}: {message}", detail)


def compare(reference: Reference, found: list[Observation]) -> Failure | None:
    """The first value that is not NumPy's."""
    wanted = reference.observations
    if len(found) != len(wanted):
        return Failure("another number of values", f"{len(found)} values were read, {len(wanted)} with NumPy")
    eps = float(np.finfo(np.float32 if reference.narrow else np.float64).eps)
    for i, (a, b) in enumerate(zip(wanted, found, strict=True)):
        what = f"value {i}, of `{a.by}`"
        about = f"{what}\nNumPy:   {a.kind} {_text(a.value)}\nlazyarr: {b.kind} {_text(b.value)}"
        if (a.kind, a.value.dtype, a.value.shape) != (b.kind, b.value.dtype, b.value.shape):
            return Failure(f"another type: {a.kind} {a.value.dtype} for {b.kind} {b.value.dtype}", about)
        if not a.rough:
            same = np.array_equal(a.value, b.value)
        else:
            bound = ROUNDING * eps * reference.scale
            same = bool(np.allclose(b.value, a.value, rtol=ROUNDING * eps, atol=bound))
        if not same:
            return Failure("another value" + (", rounded" if a.rough else ""), about)
    return None


def _text(value: np.ndarray) -> str:
    return f"{value.dtype}{list(value.shape)} {value.tolist()}"
