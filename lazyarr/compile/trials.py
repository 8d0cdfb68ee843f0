"""Trying a candidate: derive, build, run into poisoned memory, compare with the reference, and only then time it."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from ir.core.expr import postorder
from ir.core.patterns import Slice, Slide
from ir.core.semantics.values import random_factors, random_on_grid, random_value
from ir.core.size_variables import sizes_in
from ir.core.types import ScalarType, TupleType, Type, element_type, shape_of
from ir.cost.thresholds.tiers import (
    HANGING_SECONDS,
    HOPELESS_FACTOR,
    INTERPRETED_ON_A_FIRST_CALL_AT_MOST,
    INTERPRETED_WHOLE_AT_MOST,
    SECONDS_PER_TRIAL,
)
from ir.errors import IRError
from ir.fusion.symbols.symbolise import SymbolicKernel
from ir.opencl.read.views import leaf_types, lengths_of
from ir.schedules.candidates import Candidates
from ir.schedules.schedule import Machine
from lazyarr.check.exact_sums import Description, Grid, described, flat
from lazyarr.check.reference import Mismatch, Reference, components, folds_floats, multiplies, work
from lazyarr.check.samples import Sample, samples_of
from lazyarr.compile.compiled import build, parameters
from lazyarr.compile.executable import Executable
from lazyarr.compile.in_thread import NEVER
from lazyarr.compile.refusals import Refusals, logger
from lazyarr.runtime import AllocationError, Buffer, BuildError, Device, Event, LaunchError
from lazyarr.runtime.library import allows_library, seconds_to_sort
from lazyarr.runtime.timing import median
from tuner import Configuration, Outcome, Trial

__all__ = ["CandidateRunner", "Problem", "machine_of"]

POISON = 0xA5
"""The byte that memory is filled with before a candidate is checked: what it does not write shows."""

_SMALL_WORK = 1 << 18
"""Elements that the small instance may hold: enough for every body and tail, little enough to be checked in no time."""

_PRIMES = ((20011,), (61, 331), (7, 31, 89), (5, 7, 11, 17), (3, 5, 7, 11, 13))
_SHRINK = (20011, 4099, 1009, 331, 97, 31, 11, 3, 1)
_DIGITS = (8, 6, 4, 3, 2)
"""Binary digits behind the point of a small instance's numbers: as many as leave its sums exact."""
_NEAR = 8
"""Elements by which the inside of an array is smaller than the array, at most: a stencil's width."""


def machine_of(device: Device) -> Machine:
    """What schedules may know of a device."""
    limits, host_library = device.limits, allows_library(device)
    return Machine(
        max_work_group_size=limits.max_work_group_size,
        local_memory_bytes=limits.local_memory_bytes,
        compute_units=limits.compute_units,
        native_vector_width=limits.native_vector_width_float,
        is_cpu=device.kind == "cpu",
        warp_size=limits.warp_size,
        device_fence=limits.device_fence,
        fused_multiply_add=limits.fused_multiply_add,
        tensor_cores=limits.tensor_cores,
        float64=limits.float64,
        host_library=host_library,
        host_sort_seconds=seconds_to_sort() if host_library else 0.0,
    )


class Problem:
    """One kernel with its actual inputs: what a search works on."""

    def __init__(
        self, device: Device, general: SymbolicKernel, inputs: list[Buffer], *, thorough: bool = False
    ) -> None:
        """thorough: is there time to interpret a large problem at full size, as where the user asks for a search?"""
        self.device = device
        self.general = general
        self.inputs = inputs
        self._interpreted_at_most = INTERPRETED_WHOLE_AT_MOST if thorough else INTERPRETED_ON_A_FIRST_CALL_AT_MOST
        self.sizes = tuple(general.sizes.values())
        self.parameters = parameters(general)
        self._full: Reference | None = None
        self._samples: list[Sample] | None = None
        self._small: tuple[list[Buffer], tuple[int, ...], Reference] | None = None
        self._small_known = False

    @property
    def has_small_instance(self) -> bool:
        """Is there a small instance, on which candidates are compared with the interpreter?"""
        return self._small_instance() is not None

    def small_mismatch(self, executable: Executable) -> Mismatch | None:
        """What is wrong with a candidate on a small instance, whose odd sizes reach every ragged end; None if
        nothing.
        """
        small = self._small_instance()
        if small is None:
            return None
        inputs, sizes, reference = small
        outputs, events = executable.enqueue(inputs, sizes, poison=POISON)
        wait(events[-1])
        found = reference.mismatch(self._arrays(outputs, dict(zip(self.general.sizes, sizes, strict=True))))
        return None if found is None else replace(found, found=f"at sizes {sizes}: {found}")

    def agree_with(self, executable: Executable) -> None:
        """Take the result of an executable, which was compared with the reference before, as the measure of others."""
        outputs, events = executable.enqueue(self.inputs, self.sizes if executable.plan.sizes else ())
        wait(events[-1])
        self._full = Reference.agreed([a.copy() for a in self._arrays(outputs, self.general.sizes)])

    def full_mismatch(self, results: list[Buffer]) -> Mismatch | None:
        """What is wrong with a candidate's result for the actual inputs; None if nothing."""
        arrays = self._arrays(results, self.general.sizes)
        if self._full is None:
            if work(self.general.expr, self.general.sizes) > self._interpreted_at_most:
                # too large to interpret: the small instance has been compared, the first candidate is the measure, if
                # those of its elements are right that the interpreter looks at
                wrong = self._sampled(arrays)
                if wrong is None:
                    self._full = Reference.agreed([a.copy() for a in arrays])
                return wrong
            self._full = Reference.of(
                self.general.expr, self._values(self.inputs, self.general.sizes), self.general.sizes
            )
        return self._full.mismatch(arrays) or self._sampled(arrays)

    def _sampled(self, arrays: list[np.ndarray[Any, Any]]) -> Mismatch | None:
        """What is wrong with some elements of a result that is too large to interpret; None if nothing."""
        e, sizes = self.general.expr, self.general.sizes
        if work(e, sizes) <= self._interpreted_at_most:
            return None
        if self._samples is None:
            try:
                normal = Candidates.of(e).normal
                self._samples = list(samples_of(normal, lambda: self._values(self.inputs, sizes), sizes))
            except (IRError, MemoryError) as error:
                logger.info("no elements of the result are interpreted: %s", error)
                self._samples = []
        return next((wrong for each in self._samples if (wrong := each.mismatch(arrays)) is not None), None)

    def _small_instance(self) -> tuple[list[Buffer], tuple[int, ...], Reference] | None:
        if not self._small_known:
            self._small_known = True
            self._small = self._make_small()
        return self._small

    def _make_small(self) -> tuple[list[Buffer], tuple[int, ...], Reference] | None:
        for sizes in small_sizes(self.general):
            try:
                return self._instance(sizes)
            except (IRError, ValueError):
                continue  # these sizes break a relation that the actual ones keep (a slice out of range)
        return None

    def _instance(self, sizes: Mapping[str, int]) -> tuple[list[Buffer], tuple[int, ...], Reference]:
        """An instance whose sums and products are exact, if that is possible: then a single wrong term shows."""
        e = self.general.expr
        rng = np.random.default_rng(0)
        make: Callable[[Type], Any] = partial(random_value, sizes=sizes, rng=rng)
        descriptions: Sequence[Description] = ()
        if multiplies(e):
            make = partial(random_factors, sizes=sizes, rng=rng)
        elif folds_floats(e):
            for digits in _DIGITS:
                inputs = {p.identifier: _grids(p.type, digits, sizes) for p in self.parameters}
                found = flat(described(e, inputs, sizes))
                if not any(x is None and _is_float(t) for x, t in zip(found, leaf_types(e.type), strict=True)):
                    descriptions, make = found, partial(random_on_grid, sizes=sizes, rng=rng, digits=digits)
                    break
        values = {p.identifier: make(p.type) for p in self.parameters}
        reference = Reference.of(e, values, sizes, descriptions)
        arrays = [part for p in self.parameters for part in components(values[p.identifier])]
        buffers = [self.device.wrap(np.ascontiguousarray(part).reshape(-1), copy=True) for part in arrays]
        return buffers, tuple(sizes[name] for name in self.general.sizes), reference

    def _values(self, buffers: Sequence[Buffer], sizes: Mapping[str, int]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        rest = iter(buffers)
        for p in self.parameters:
            shape = tuple(extent.evaluate(sizes) for extent in shape_of(p.type))
            found[p.identifier] = _structured(element_type(p.type), shape, rest)
        return found

    def _arrays(self, buffers: Sequence[Buffer], sizes: Mapping[str, int]) -> list[np.ndarray[Any, Any]]:
        t = self.general.expr.type
        counts = [length.evaluate(sizes) for length in lengths_of(t)]
        return [b.to_numpy(str(leaf), (n,)) for b, leaf, n in zip(buffers, leaf_types(t), counts, strict=True)]


def _structured(t: Type, shape: tuple[int, ...], buffers: Iterator[Buffer]) -> Any:
    """The interpreter's value over buffers: an array, or a tuple of them."""
    if isinstance(t, TupleType):
        return tuple(_structured(part, shape, buffers) for part in t.elements)
    return next(buffers).to_numpy(str(t), shape)


def _is_float(t: Type) -> bool:
    return isinstance(t, ScalarType) and t.is_float


def _grids(t: Type, digits: int, sizes: Mapping[str, int]) -> Description:
    """What `random_on_grid` makes of the elements of an array of that type, or of a scalar."""
    count = math.prod(extent.evaluate(sizes) for extent in shape_of(t))

    def grids(element: Type) -> Description:
        if isinstance(element, TupleType):
            return tuple(map(grids, element.elements))
        assert isinstance(element, ScalarType)
        if element.is_float:
            return Grid(-digits, Fraction(2))
        most = 1 if element.name == "bool" else min(max(count, 127), int(np.iinfo(element.name).max) + 1)
        return Grid(0, Fraction(most))

    return grids(element_type(t))


def small_sizes(general: SymbolicKernel) -> Iterator[dict[str, int]]:
    """Sizes small enough to check quickly and odd enough to reach every ragged end, the best first.

    A slice ties sizes to each other: they shrink together, or those that are nearly multiples of another stay so, as
    the extents of an array and of its inside do. None is less than its symbol may be. At last comes the actual size, if
    it is small.
    """
    names = tuple(general.sizes)
    actual = dict(general.sizes)
    least = {v.name: max(1, v.bounds()[0] or 1) for v in sizes_in(general.expr)}
    if names:
        primes = _PRIMES[min(len(names), len(_PRIMES)) - 1]
        largest = max(actual.values())
        kinds = {type(node) for node in postorder(general.expr)}
        ways: list[Callable[[int], dict[str, int]]] = [
            partial(_likewise, actual),
            lambda most: {k: max(least[k], int(v * min(1.0, most / largest))) for k, v in actual.items()},
        ]
        if Slice not in kinds:
            tied = ways if Slide in kinds else []  # windows of any length may be longer than the array of that size
            ways = [lambda most: {name: min(primes[i % len(primes)], most) for i, name in enumerate(names)}, *tied]

        def is_one(sizes: Mapping[str, int]) -> bool:
            return all(n >= least[name] for name, n in sizes.items()) and _held(general, sizes) <= _SMALL_WORK

        for way in ways:
            found = next((s for s in map(way, _SHRINK) if is_one(s)), None)
            if found is not None:
                yield found
    if _held(general, actual) <= _SMALL_WORK:
        yield actual


def _likewise(sizes: Mapping[str, int], most: int) -> dict[str, int]:
    """Sizes of which those that were a few more than once to four times another are so again."""
    bases: dict[int, int] = {}
    found: dict[str, int] = {}
    for name, value in sorted(sizes.items(), key=lambda item: item[1]):
        near = ((base, times) for base in bases for times in (1, 2, 3, 4) if abs(value - times * base) <= _NEAR)
        base, times = next(near, (value, 1))
        bases.setdefault(base, base if base <= _NEAR else min(base, most + len(bases)))
        found[name] = times * bases[base] + value - times * base
    return found


def _held(general: SymbolicKernel, sizes: Mapping[str, int]) -> int:
    """The elements of the inputs, and those that the interpreter holds at once."""
    inputs = 0
    for p in parameters(general):
        inputs += math.prod(extent.evaluate(sizes) for extent in shape_of(p.type))
    return inputs + work(general.expr, sizes)


def wait(event: Event, seconds: float = HANGING_SECONDS) -> float:
    """Wait for an event for a bounded time and return the seconds it took.

    Raises:
        TimeoutError: that time is over.
    """
    started = time.perf_counter()
    pause = 0.0
    while not event.done:
        if time.perf_counter() - started > seconds:
            raise TimeoutError(f"a run had not ended after {seconds:g} s")
        time.sleep(pause)
        pause = min(pause + 1e-5, 1e-3)
    event.wait()  # an error of the device is raised here
    return time.perf_counter() - started


class CandidateRunner:
    """The tuner's runner: never raises for a bad candidate, its outcome says what went wrong, as do `refusals`."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.machine = machine_of(problem.device)
        self.candidates = Candidates.of(problem.general.expr)
        self.best_seconds = float("inf")
        self.refusals = Refusals(problem.general)
        self.executables: dict[str, Executable] = {}

    def run(self, configuration: Configuration) -> Trial:
        """Derive, build, run, check and time one configuration."""
        began = time.monotonic()
        self.refusals.tried += 1
        outcome, seconds, detail = self._run(configuration)
        return Trial(configuration, outcome, seconds, time.monotonic() - began, detail)

    def _run(self, configuration: Configuration) -> tuple[Outcome, float | None, str]:
        problem = self.problem
        normal = self.candidates.normalised(configuration)
        refused = self.candidates.refused(normal, self.machine, problem.general.sizes)
        if refused is not None:
            return Outcome.refused, None, f"too many {refused.reason}"
        try:
            executable = build(problem.device, problem.general, normal, in_thread=NEVER)
        except (BuildError, IRError) as error:
            return Outcome.build_failed, None, str(error)
        try:
            wrong = problem.small_mismatch(executable)  # also the first launch, which some runtimes compile in
            if wrong is not None:
                self.refusals.wrong(normal, wrong, refuted=True)
                return Outcome.wrong_answer, None, str(wrong)
            results, events = executable.enqueue(problem.inputs, problem.sizes, poison=POISON)
            once = wait(events[-1])
            wrong = problem.full_mismatch(results)
            if wrong is not None:
                self.refusals.wrong(normal, wrong)
                return Outcome.wrong_answer, None, str(wrong)
            del results
            if once > 1.0 and once > HOPELESS_FACTOR * self.best_seconds:
                return Outcome.timed_out, None, f"one run took {once:.2f} s"
            seconds = self.measure(executable)
        except (LaunchError, AllocationError) as error:
            return Outcome.refused, None, str(error)
        except TimeoutError as error:
            return Outcome.timed_out, None, str(error)
        self.best_seconds = min(self.best_seconds, seconds)
        self.executables[_key(normal)] = executable
        return Outcome.ok, seconds, ""

    def exactly(self, own: SymbolicKernel, configuration: Configuration) -> tuple[Executable | None, Trial]:
        """A candidate made for the problem's lengths alone, if it computes what it should, and how that ended.

        Args:
            own: the kernel at those lengths
        """
        problem = self.problem
        self.refusals.tried += 1
        began = time.monotonic()

        def ended(outcome: Outcome, detail: object) -> tuple[None, Trial]:
            return None, Trial(configuration, outcome, None, time.monotonic() - began, str(detail))

        try:
            made = build(problem.device, own, configuration, in_thread=NEVER)
            results, events = made.enqueue(problem.inputs, (), poison=POISON)
            wait(events[-1])
            wrong = problem.full_mismatch(results)
            del results
            if wrong is not None:
                self.refusals.wrong(configuration, wrong)
                return ended(Outcome.wrong_answer, wrong)
            seconds = self.measure(made, 0.02)
        except (BuildError, IRError) as error:
            return ended(Outcome.build_failed, error)
        except (LaunchError, AllocationError) as error:
            return ended(Outcome.refused, error)
        except TimeoutError as error:
            return ended(Outcome.timed_out, error)
        return made, Trial(configuration, Outcome.ok, seconds, time.monotonic() - began)

    def measure(self, executable: Executable, budget_seconds: float = SECONDS_PER_TRIAL, least: int = 3) -> float:
        """The median time of a launch of all its kernels, in seconds, by the host's clock: alone, and waited for, on a
        CPU, where it runs on the cores of the host; among others like it on a device that works beside the host.

        Args:
            least: launches that are timed, however long they take
        """
        problem = self.problem
        sizes = problem.sizes if executable.plan.sizes else ()
        if not self.machine.is_cpu:
            return problem.device.time_in_a_row(
                lambda: executable.launch(problem.inputs, sizes), budget_seconds, least, maximum_repetitions=50
            ).median
        timing = problem.device.time(
            lambda: executable.enqueue(problem.inputs, sizes)[1],
            budget_seconds,
            least,
            maximum_repetitions=50,
            clock="host",
        )
        return timing.median

    def confirm(self, configurations: Sequence[Configuration]) -> list[float]:
        """The configurations measured again, taking turns, so that a disturbance strikes all alike."""
        chosen = [self.executable(c) for c in configurations]
        return [median(each) for each in self.in_turns(chosen)]

    def executable(self, configuration: Configuration) -> Executable:
        """What was built of a configuration that ran well."""
        return self.executables[_key(self.candidates.normalised(configuration))]

    def in_turns(self, executables: Sequence[Executable]) -> list[list[float]]:
        """The seconds of each, measured in turns five times."""
        samples: list[list[float]] = [[] for _ in executables]
        for _ in range(5):
            for executable, kept in zip(executables, samples, strict=True):
                kept.append(self.measure(executable, 0.02, 1))
        return samples


def _key(configuration: Configuration) -> str:
    return str(sorted(configuration.items()))
