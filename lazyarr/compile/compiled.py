"""A kernel ready to launch, and how it is kept in the cache.

It is made over symbols and serves all lengths. Where a search found that the same kernel made for the lengths it
measured at is faster (loops of a known number of turns unroll, what is left over of whole blocks is known to be
nothing), it comes with that one, too: two kernels at most, however many lengths there are that start from the same.
"""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ir.core.expr import Param, postorder
from ir.core.patterns import Reduce
from ir.cost.thresholds.calling_thread import IN_THREAD_SECONDS_AT_MOST
from ir.errors import IRError
from ir.fusion.symbols.symbolise import SymbolicKernel, numbered
from ir.opencl.read.views import leaves
from ir.opencl.stages import Place
from ir.schedules.candidates import Candidates
from ir.schedules.schedule import Machine, largest_of_class, size_class
from kernel_cache import Entry
from lazyarr.compile.executable import Executable, Sizes
from lazyarr.compile.generation import generated
from lazyarr.compile.in_thread import OneCore, on_one_core
from lazyarr.compile.plan import Plan
from lazyarr.compile.verifying import verify_derivation
from lazyarr.config import settings
from lazyarr.runtime import Device
from lazyarr.runtime.library import LibraryProgram
from tuner import Configuration, TuningResult

__all__ = [
    "Compiled", "Exact", "Version", "build", "classes_of", "configuration_of", "entry_of", "foreseen_sizes",
    "from_entry", "input_places", "parameters",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Version:
    """What runs for given lengths.

    Attributes:
        general: what it computes, over the symbols that are left
        seconds: the median time when it was measured; None if it never was
    """

    general: SymbolicKernel
    executable: Executable
    configuration: Configuration
    seconds: float | None


@dataclass(frozen=True, slots=True)
class Exact:
    """A kernel for one set of lengths.

    Attributes:
        sizes: these, in the order of the symbols of the kernel that serves all
        version: what runs for them, over numbers
    """

    sizes: Sizes
    version: Version


class Compiled:
    """A kernel ready to launch, and where it came from.

    Attributes:
        origin: `tuned` now, `predicted` (nothing was measured), or `cache`
        exact: the same for the lengths that a search measured at, where that is faster
    """

    __slots__ = ("configuration", "exact", "executable", "general", "origin", "result", "seconds")

    def __init__(
        self,
        general: SymbolicKernel,
        executable: Executable,
        configuration: Configuration,
        origin: str,
        seconds: float | None,
        result: TuningResult | None = None,
        exact: Exact | None = None,
    ) -> None:
        self.general = general
        self.executable = executable
        self.configuration = configuration
        self.origin = origin
        self.seconds = seconds
        self.result = result
        self.exact = exact

    def at(self, general: SymbolicKernel) -> Version:
        """What to launch for the lengths of an expression like this one's."""
        exact = self.exact
        if exact is not None and exact.sizes == tuple(general.sizes.values()):
            return exact.version
        return Version(general, self.executable, self.configuration, self.seconds)

    def seconds_on_one_core(self, general: SymbolicKernel) -> float | None:
        """What it takes there for the lengths of an expression like this one's; None: long."""
        version = self.at(general)
        return version.executable.seconds_on_one_core(version.general)


def foreseen_sizes(general: SymbolicKernel) -> dict[str, int]:
    """The sizes at which predictions compare: where results are to be deterministic, the same for all of a class,
    whichever come first.
    """
    if not settings().deterministic:
        return general.sizes
    return {name: largest_of_class(n) for name, n in general.sizes.items()}


def classes_of(machine: Machine, general: SymbolicKernel) -> tuple[str, ...]:
    """What its sizes have in common with others that the same kernel serves."""
    found = tuple([str(size_class(n)) for n in general.sizes.values()])
    if machine.is_cpu or not found or not any(isinstance(node, Reduce) for node in postorder(general.expr)):
        return found
    try:
        start = Candidates.of(general.expr).own_start(machine, foreseen_sizes(general))
    except IRError:
        return found  # there is no kernel
    return (*found, *(f"{name} {value}" for name, value in start))


def build(
    device: Device,
    general: SymbolicKernel,
    configuration: Configuration,
    name: str = "lazyarr",
    in_place: Mapping[int, Place] | None = None,
    *,
    in_thread: float = IN_THREAD_SECONDS_AT_MOST,
) -> Executable:
    """Derive, generate and build one candidate.

    Args:
        in_place: the components of the result that lie in the memory of an input (`ir.opencl.generate.generate`)
        in_thread: the seconds on one core up to which it is built for the calling thread, where there is that

    Raises:
        IRError, BuildError: one of these fails.
    """
    candidates = Candidates.of(general.expr)
    derivation = candidates.derive(configuration)
    verify_derivation(derivation)
    if candidates.schedule(str(configuration["schedule"])).by_library:
        plan = Plan.of_library(derivation.result, tuple(general.sizes), general.part)
        return Executable(
            device, LibraryProgram(device, plan.kernels[0].name, plan.library), plan, input_places(general)
        )
    program = generated(device, general, derivation, name, in_place)
    plan = Plan.of(program, tuple(general.sizes))
    one_core = on_one_core(device, general, derivation.result)
    if one_core is not None and one_core.seconds <= in_thread and device.calling_thread is not None:
        built = device.build(program.source, in_thread=True)
    else:
        built = device.build(program.source)
    return Executable(device, built, plan, input_places(general), one_core)


def input_places(general: SymbolicKernel) -> tuple[tuple[str, int], ...]:
    """The name and component of each buffer that the generated code reads, in the order in which they are passed."""
    return tuple((p.identifier, c) for p in parameters(general) for c in range(leaves(p.type)))


def parameters(general: SymbolicKernel) -> list[Param]:
    """The kernel's inputs over symbols, in order."""
    return numbered(general.expr)


def configuration_of(stored: Any) -> Configuration:
    """A configuration read from the cache.

    Raises:
        TypeError, ValueError: it is none.
    """
    return {str(name): value if isinstance(value, str) else int(value) for name, value in dict(stored).items()}


def entry_of(compiled: Compiled, *, with_binaries: bool = False) -> Entry:
    """What the cache keeps of a kernel.

    On a device that would have to compile for its binary a kernel is kept without it. There the source costs a later
    process a few milliseconds more, as the runtime keeps on disk what it compiles, and the binary a tenth of a second
    to many while a user waits.

    Args:
        with_binaries: even there: of a search that the user asked for, whose kernels are there to be carried elsewhere
    """
    executable, exact, device = compiled.executable, compiled.exact, compiled.executable.device
    plan = executable.plan.to_json()
    programs, one_core = [executable.program], [executable.one_core]
    if exact is not None:
        plan["exact"] = {
            "sizes": list(exact.sizes),
            "configuration": dict(exact.version.configuration),
            "seconds": exact.version.seconds,
            "plan": exact.version.executable.plan.to_json(),
            "derivation": Candidates.of(exact.version.general.expr).derive(exact.version.configuration).to_json(),
        }
        programs.append(exact.version.executable.program)
        one_core.append(exact.version.executable.one_core)
    asked = with_binaries or device.has_binaries
    binaries = [program.binary if asked else None for program in programs]
    plan["declarations"] = [program.declarations for program in programs]
    plan["in_thread"] = [program.in_thread for program in programs]
    plan["one_core"] = [None if one is None else one.to_json() for one in one_core]
    return Entry(
        plan=plan,
        derivation=Candidates.of(compiled.general.expr).derive(compiled.configuration).to_json(),
        configuration=dict(compiled.configuration),
        sources=tuple(program.source for program in programs),
        binaries=tuple(b for b in binaries if b is not None) if None not in binaries else (),
        seconds=compiled.seconds,
        tuned=compiled.seconds is not None,
        environment={"python": platform.python_version(), "device": device.name, "driver": device.driver},
    )


def from_entry(
    device: Device, general: SymbolicKernel, entry: Entry, in_thread: float = IN_THREAD_SECONDS_AT_MOST
) -> Compiled:
    """The kernel that was kept, built for the device.

    Args:
        in_thread: the seconds on one core up to which it is built for the calling thread, where there is that

    Raises:
        ValueError, KeyError, TypeError, IndexError: the entry does not read as one for this expression.
        BuildError: it cannot be built.
    """
    stored: Any = entry.plan
    executable = _built(device, general, stored, entry, 0, in_thread)
    found = stored.get("exact")
    return Compiled(
        general,
        executable,
        configuration_of(entry.configuration),
        "cache",
        entry.seconds,
        exact=None if found is None else _exact(device, general, found, entry, in_thread),
    )


def _exact(device: Device, general: SymbolicKernel, stored: Mapping[str, Any], entry: Entry, in_thread: float) -> Exact:
    sizes = tuple(int(n) for n in stored["sizes"])
    own = replace(general, sizes=dict(zip(general.sizes, sizes, strict=True))).at_its_sizes()
    executable = _built(device, own, stored["plan"], entry, 1, in_thread)
    return Exact(sizes, Version(own, executable, configuration_of(stored["configuration"]), float(stored["seconds"])))


def _built(
    device: Device, general: SymbolicKernel, stored: Mapping[str, Any], entry: Entry, number: int, in_thread: float
) -> Executable:
    plan = Plan.from_json(stored)
    if plan.sizes != tuple(general.sizes):
        raise ValueError(f"a plan over {plan.sizes} for a kernel over {tuple(general.sizes)}")
    if plan.library:
        return Executable(
            device, LibraryProgram(device, plan.kernels[0].name, plan.library), plan, input_places(general)
        )
    whole: Any = entry.plan
    one_core = OneCore.from_json(whole["one_core"][number])
    short = one_core is not None and one_core.at(general) <= in_thread and device.calling_thread is not None
    binary = entry.binaries[number] if entry.binaries and short == bool(whole["in_thread"][number]) else None
    source, declarations = entry.sources[number], str(whole["declarations"][number])
    if short:
        program = device.build(source, binary, declarations=declarations, in_thread=True)
    else:
        program = device.build(source, binary, declarations=declarations)
    return Executable(device, program, plan, input_places(general), one_core)
