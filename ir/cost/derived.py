"""The time that a derived candidate is predicted to take: a low-level expression at known sizes on a machine.

For each of its kernels `max(transfer, compute)`, and launches (paper 003, section 4). Transfer is what every cache must
fetch from the one behind it; compute counts instructions, and waits where each turn needs what the last one made.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from ir.core.expr import Expr
from ir.cost.functions import NOT_MEASURED, Functions
from ir.cost.nests import stages_to_predict
from ir.cost.on_cpu import seconds_on_a_cpu
from ir.cost.on_gpu import seconds_on_a_gpu
from ir.cost.predict import milliseconds
from ir.cost.processors import CPU, GPU, Machine

__all__ = ["Estimate", "estimate"]


@dataclass(frozen=True)
class Estimate:
    """The predicted seconds of a candidate: of each kernel those of its data and of its instructions, and launches."""

    kernels: tuple[tuple[float, float], ...]
    launches: float

    @property
    def seconds(self) -> float:
        """All of it."""
        return sum(map(max, self.kernels)) + self.launches

    def __str__(self) -> str:
        parts = " + ".join(
            f"max(data {milliseconds(data)}, instructions {milliseconds(instructions)})"
            for data, instructions in self.kernels
        )
        return f"{milliseconds(self.seconds)} = {parts} + launches {milliseconds(self.launches)}"


def estimate(low: Expr, machine: Machine, sizes: Mapping[str, int], functions: Functions = NOT_MEASURED) -> Estimate:
    """What a low-level expression takes.

    Args:
        functions: what was measured of the device's functions

    Raises:
        GenerationError: no kernels can be made of it.
    """
    return _estimate(low, machine, tuple(sorted(sizes.items())), functions)


@lru_cache(maxsize=1024)
def _estimate(low: Expr, machine: Machine, sizes: tuple[tuple[str, int], ...], functions: Functions) -> Estimate:
    stages, known = stages_to_predict(low), dict(sizes)
    processor, seconds_on = (CPU, seconds_on_a_cpu) if machine.is_cpu else (GPU, seconds_on_a_gpu)
    kernels = tuple(seconds_on(stage, machine, processor, known, functions) for stage in stages)
    return Estimate(kernels, processor.launch + processor.next_launch * (len(stages) - 1))
