"""What is said of candidates that should have worked and did not: one line for a kernel, and each in full in the log.

The log is that of Python's `logging`, by the name `lazyarr.compile`, at the level DEBUG.
"""

from __future__ import annotations

import logging
import math
import warnings
from collections.abc import Mapping

from ir.fusion.symbols.symbolise import SymbolicKernel
from lazyarr.check.reference import Mismatch
from lazyarr.errors import CandidateWarning
from tuner import WrongAnswerWarning

__all__ = ["Refusals", "abridged", "logger"]

logger = logging.getLogger("lazyarr.compile")

_WHERE = "logging.getLogger('lazyarr.compile') has each in full at level DEBUG"
_LONGEST = 80


def abridged(text: object, longest: int = _LONGEST) -> str:
    """A text on one line, without its middle where it is longer than that."""
    line = " ".join(str(text).split())
    half = (longest - 3) // 2
    return line if len(line) <= longest else f"{line[:half]} … {line[-half:]}"


class Refusals:
    """The candidates of one kernel that were refused.

    Attributes:
        tried: how many were run or built
        refuted: how many of them were wrong on the small instance, whose numbers no order of operations moves far
    """

    def __init__(self, general: SymbolicKernel) -> None:
        self.general = general
        self.tried = 0
        self.refuted = 0
        self._excesses: list[float] = []
        self._unbuilt: list[str] = []

    def wrong(self, configuration: Mapping[str, int | str], found: Mismatch, refuted: bool = False) -> None:
        """One of them computed something else than the reference, on the small instance or with the data at hand."""
        self.refuted += refuted
        self._excesses.append(found.excess)
        logger.debug("a result of %s differs from the reference\n%s\n%s", dict(configuration), self.general.expr, found)

    def unbuilt(self, configuration: Mapping[str, int | str], error: Exception) -> None:
        """One of them could not be built."""
        self._unbuilt.append(str(error).partition("\n")[0])
        logger.debug("%s cannot be built\n%s\n%s", dict(configuration), self.general.expr, error)

    def warn_of_wrong(self) -> None:
        """A `WrongAnswerWarning` if there were any, for all together."""
        if not self._excesses:
            return
        most = max(self._excesses)
        off = f"by up to {most:.3g} times the bound on rounding" if math.isfinite(most) else "where rounding cannot"
        small = f", {self.refuted} of them for small numbers that hardly need any" if self.refuted else ""
        warnings.warn(
            f"{len(self._excesses)} of {self.tried} candidates for the kernel {abridged(self.general.expr)} are not "
            f"used: their results differ from the reference {off}{small}; lift.explain lists them, {_WHERE}",
            WrongAnswerWarning,
            stacklevel=2,
        )

    def warn_of_unbuilt(self) -> None:
        """A `CandidateWarning` if there were any, for all together."""
        if self._unbuilt:
            warnings.warn(
                f"{len(self._unbuilt)} of {self.tried} candidates for the kernel {abridged(self.general.expr)} cannot "
                f"be built and are not used: {abridged(self._unbuilt[0])}; {_WHERE}",
                CandidateWarning,
                stacklevel=2,
            )
