"""Which function writes the result of a pattern that runs a loop of its own: the file that has it registers it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from ir.core.expr import Expr
from ir.opencl.read.views import Target

if TYPE_CHECKING:
    from ir.opencl.write.kernel import KernelWriter

__all__ = ["WRITERS", "Writer", "writes"]

Writer: TypeAlias = "Callable[[KernelWriter, Any, Target], None]"
"""Emits the code that fills a target with the value of a node."""

WRITERS: dict[type[Expr], Writer] = {}


def writes(*patterns: type[Expr]) -> Callable[[Writer], Writer]:
    """The function writes the results of those patterns."""

    def register(function: Writer) -> Writer:
        WRITERS.update(dict.fromkeys(patterns, function))
        return function

    return register
