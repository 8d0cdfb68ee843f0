"""What making kernels is predicted to take: deriving, generating, building, and what runtimes do at the first launch.

It follows from what is computed, not from what was measured in this process: the same script decides the same way.
"""

from __future__ import annotations

from functools import lru_cache

from ir.core.expr import Expr, postorder
from ir.cost.thresholds.compiling import (
    COMPILING_SECONDS,
    COMPILING_SECONDS_A_CALL,
    COMPILING_SECONDS_A_NODE,
    FIRST_COMPILING_SECONDS,
)

__all__ = ["seconds_to_compile", "seconds_to_compile_program"]


def seconds_to_compile_program(kernels: int, calls: int, *, first: bool) -> float:
    """Of a program, before it is cut into kernels.

    Args:
        kernels: how many are to be made; what the host's library computes is none
        calls: of NumPy, that compute the same
        first: was none made in this process so far?
    """
    if not kernels:
        return 0.0
    return FIRST_COMPILING_SECONDS * first + COMPILING_SECONDS * kernels + COMPILING_SECONDS_A_CALL * calls


@lru_cache(maxsize=1024)
def seconds_to_compile(low: Expr) -> float:
    """Of a candidate: a low-level expression."""
    return COMPILING_SECONDS + COMPILING_SECONDS_A_NODE * sum(1 for _ in postorder(low))
