"""`lift.lowered` and `lift.candidates`: a function's launches, and the sources of what it could be compiled to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ir.errors import RewriteError
from ir.opencl.generate import generate
from ir.schedules.candidates import Candidates
from lazyarr.compile.generation import index_type
from lazyarr.config import settings
from lazyarr.lift.explanation import jitted
from lazyarr.runtime import Device
from lazyarr.runtime.discovery import computes_on_cpu

__all__ = ["Launch", "Lowered", "candidates", "lowered"]


@dataclass(frozen=True)
class Launch:
    """One kernel launch as it would be made through the OpenCL API.

    Attributes:
        source: the OpenCL C that the kernel stands in; in words, where the host's library computes it (`la.config(
            library="off")` has a kernel instead)
        kernel: its name there
        arguments: `runtime.Buffer`s (the device's counter of work-groups among them) and integers, in the order of the
            kernel's parameters
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
    recording, arguments = jitted("lift.lowered", function).recording(*args, **kwargs)
    program = recording.program.compiled
    inputs = recording.inputs(arguments, program.device)
    launches, _ = program.batch(inputs).listed(inputs)
    return Lowered(
        tuple(
            [
                Launch(
                    kernel.program.source,
                    kernel.name,
                    global_size,
                    local_size,
                    _with_counter(values, kernel.argument_types, program.device),
                    kernel.argument_types,
                )
                for kernel, global_size, local_size, values in launches
            ]
        )
    )


def _with_counter(values: Sequence[Any], kinds: Sequence[str], device: Device) -> tuple[Any, ...]:
    """What a launch passes, and what is set on the kernel once."""
    passed = iter(values)
    return tuple([device.memory.counter if kind == "counter" else next(passed) for kind in kinds])


def candidates(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Iterator[str]:
    """The OpenCL source of each candidate of a function's first kernel, derived and generated as it is asked for.

    What the rules refuse of a schedule's parameters is left out.
    """
    f = jitted("lift.candidates", function)
    recording, _ = f.recording(*args, **kwargs)
    if not recording.steps:
        raise ValueError(f"candidates: {getattr(function, '__name__', function)} computes nothing: it has no kernel")
    general = recording.steps[0].general
    found, on_cpu = Candidates.of(general.expr), computes_on_cpu(settings().device)
    for schedule in found.schedules:
        if schedule.by_library:
            continue
        parameters = schedule.parameters(found.normal)
        for choice in _combinations(parameters):
            configuration: dict[str, int | str] = {"schedule": schedule.name, **choice}
            try:
                low = found.derive(configuration).result
            except RewriteError:
                continue  # a search refuses these numbers of the schedule, too
            yield generate(low, "candidate", index_type(low, wide=general.wide, on_cpu=on_cpu)).source


def _combinations(parameters: Any) -> Iterator[dict[str, int]]:
    if not parameters:
        yield {}
        return
    head, *rest = parameters
    for value in head.values:
        for other in _combinations(rest):
            yield {head.name: value, **other}
