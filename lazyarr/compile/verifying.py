"""Verifying between passes: the last level of the debug ladder (`lazyarr.debugging`).

What is broken is an error that names the pass, rather than a wrong result or a kernel that cannot be built.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

from ir.errors import RewriteError, VerificationError
from ir.fusion.checks import Checks
from ir.fusion.program import ProgramPlan
from ir.rewrite.derivation import Derivation
from lazyarr import debugging
from lazyarr.compile.refusals import abridged, logger
from lazyarr.debugging import counted
from lazyarr.errors import CompileError

__all__ = ["planning", "verify_cut", "verify_derivation"]


@contextmanager
def planning() -> Iterator[Checks | None]:
    """What checks the passes of planning a program; None where nothing is to be verified.

    Raises:
        CompileError: a pass has broken an expression.
    """
    if debugging.level < debugging.VERIFYING:
        yield None
        return
    checks = Checks()
    with _naming("a program"):
        yield checks
    logger.debug("verified a program after the passes %s", ", ".join(dict.fromkeys(checks.passed)))


def verify_cut(name: str, made: ProgramPlan, checks: Checks | None) -> ProgramPlan:
    """The kernels of a program, after a pass that rewrites them; checked where there are checks."""
    if checks is not None:
        for step in made.steps:
            checks.kernel(name, step.general, len(step.reads))
        for fission in made.fissions:
            fission.derivation.verify(low_level=False)
    return made


def verify_derivation(derivation: Derivation) -> None:
    """Check a kernel's expression after each rule, and that the last is ready for generation, if that is wanted.

    Raises:
        CompileError: a rule has broken it.
    """
    if debugging.level >= debugging.VERIFYING:
        with _naming(derivation.start):
            _verify(derivation)


@lru_cache(256)
def _verify(derivation: Derivation) -> None:
    derivation.verify()
    rules = counted(len(derivation.steps), "rule")
    logger.debug("verified %s after each of %s, and for generation", abridged(derivation.start), rules)


@contextmanager
def _naming(what: object) -> Iterator[None]:
    try:
        yield
    except (RewriteError, VerificationError) as error:
        raise CompileError(f"verifying {abridged(what)}: {error}\nThis is a bug of lazyarr.") from error
