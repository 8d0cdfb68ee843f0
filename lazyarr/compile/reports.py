"""What the debug ladder (`lazyarr.debugging`) says of programs and kernels; `verifying` is its last level."""

from __future__ import annotations

from collections.abc import Sequence

from ir.core.expr import Expr
from ir.core.notation.printer import show_indented
from ir.fusion.partition.graph import Graph
from ir.fusion.prepare.fission import Fission
from ir.fusion.program import ProgramPlan, Step
from ir.rewrite.derivation import Derivation, step_title
from ir.schedules.candidates import Candidates
from lazyarr import debugging
from lazyarr.compile.compiled import Compiled, Version
from lazyarr.compile.refusals import abridged, logger
from lazyarr.compile.verifying import verify_derivation
from lazyarr.debugging import counted
from lazyarr.runtime import Device

__all__ = ["report_found", "report_kernels", "report_program"]

_ORIGINS = {"tuned": "a search", "predicted": "the default configuration", "cache": "the cache"}


# --- level 1 ----------------------------------------------------------------------------------------------------------


def report_program(
    how: str, device: Device, roots: Sequence[Expr], steps: Sequence[Step], fissions: Sequence[Fission], seconds: float
) -> None:
    """A program was planned for a device, or found again; with level 2 also how maps were cut before that."""
    if not debugging.level:
        return
    graph = Graph(roots, {})
    operations = counted(sum(node.patterned for node in graph.order), "operation")
    kernels = counted(len(steps), "kernel")
    logger.info("program %s for %s in %.0f us: %s, %s", how, device.name, seconds * 1e6, operations, kernels)
    if debugging.level >= debugging.DERIVATIONS:
        for fission in fissions:
            logger.debug("cut into several expressions\n%s", _derivation(fission.derivation))


def report_found(compiled: Compiled, seconds: float, origin: str = "") -> None:
    """A kernel is ready to launch.

    Args:
        compiled: the kernel.
        seconds: how long it took to find or make it, building included.
        origin: where it was found; left out, where it says itself.
    """
    if not debugging.level:
        return
    where = origin or _ORIGINS.get(compiled.origin, compiled.origin)
    if compiled.result is not None and not origin:
        best = "" if compiled.seconds is None else f", the best of which took {compiled.seconds * 1e6:.1f} us"
        where += f" of {counted(len(compiled.result.trials), 'candidate')}{best}"
    chosen = ", ".join(f"{name} = {value}" for name, value in compiled.configuration.items())
    logger.info("kernel from %s, ready in %.3f s: %s: %s", where, seconds, chosen, abridged(compiled.general.expr))


# --- levels 2 and 3 ---------------------------------------------------------------------------------------------------


def report_kernels(made: ProgramPlan, compiled: Sequence[Compiled]) -> None:
    """How the kernels of a program came to be, each once."""
    if debugging.level < debugging.DERIVATIONS:
        return
    versions = [each.at(step.general) for step, each in zip(made.steps, compiled, strict=True)]
    for version in {id(version.executable): version for version in versions}.values():
        _report_kernel(version)


def _report_kernel(version: Version) -> None:
    expression = abridged(version.general.expr)
    derivation = Candidates.of(version.general.expr).derive(version.configuration)
    logger.debug("derivation of %s\n%s", expression, _derivation(derivation))
    verify_derivation(derivation)  # of a kernel that was in memory or in the cache
    if debugging.level >= debugging.SOURCES:
        lines = version.executable.program.source.splitlines()
        numbered = "\n".join(f"{number:4} {line}".rstrip() for number, line in enumerate(lines, 1))
        logger.debug("source of %s\n%s", expression, numbered)


def _derivation(derivation: Derivation) -> str:
    """The first expression, the rules and where each was applied, and the last expression."""
    steps = [f"  {step_title(number, step)}" for number, step in enumerate(derivation.steps, 1)]
    return "\n".join([show_indented(derivation.start), *steps, show_indented(derivation.result)])
