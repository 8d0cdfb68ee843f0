"""The time that a kernel's cost predicts on a device of known rates (paper 003, section 4; design, section 5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ir.cost.count import Cost
from ir.cost.operations import Work

__all__ = ["Prediction", "Rates", "milliseconds", "predict"]


@dataclass(frozen=True)
class Rates:
    """How fast a device is, each benchmarked once.

    Attributes:
        bytes_per_second: of global memory, read and written together
        launch_seconds: from a call to its end, for a kernel that does next to nothing
        operations_per_second: for each kind and dtype that was asked for
    """

    bytes_per_second: float
    launch_seconds: float
    operations_per_second: Mapping[Work, float]


@dataclass(frozen=True)
class Prediction:
    """The predicted time of one kernel, and what it is made of: `max(transfer, compute)` and the launches.

    Seconds, bytes and numbers of operations, at the lengths that were asked for; see `Cost` for what is counted.
    """

    bytes_read: int
    bytes_written: int
    bytes_gathered: int
    operations: Mapping[str, int]
    launches: int
    transfer_seconds: float
    compute_seconds: float
    launch_seconds: float

    @property
    def seconds(self) -> float:
        """The predicted time."""
        return max(self.transfer_seconds, self.compute_seconds) + self.launch_seconds

    def __str__(self) -> str:
        count = f"{self.launches} launch{'es' if self.launches > 1 else ''}"
        text = (
            f"{milliseconds(self.seconds)} = max(transfer {milliseconds(self.transfer_seconds)}, "
            f"compute {milliseconds(self.compute_seconds)}) + {count} {milliseconds(self.launch_seconds)}; "
            f"{self.bytes_read} bytes read, {self.bytes_written} written"
        )
        if self.bytes_gathered:
            text += f", {self.bytes_gathered} gathered by index, how often from a cache is not known"
        parts = ", ".join(f"{number} {kind}" for kind, number in self.operations.items())
        return f"{text}; operations: {parts or 'none'}"


def predict(cost: Cost, sizes: Mapping[str, int], rates: Rates, launches: int = 1) -> Prediction:
    """The time of a kernel that is launched as so many OpenCL kernels; a `KeyError` names a rate that is missing."""
    read, written = cost.read.evaluate(sizes), cost.written.evaluate(sizes)
    operations = {work: number.evaluate(sizes) for work, number in cost.operations.items()}
    return Prediction(
        read,
        written,
        cost.gathered.evaluate(sizes),
        {str(work): number for work, number in operations.items()},
        launches,
        (read + written) / rates.bytes_per_second,
        sum(number / rates.operations_per_second[work] for work, number in operations.items()),
        launches * rates.launch_seconds,
    )


def milliseconds(seconds: float) -> str:
    """A time as explanations print it."""
    return f"{seconds * 1e3:.4g} ms"
