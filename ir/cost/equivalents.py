"""What work costs in bytes moved to or from memory, where no rates of a device are at hand.

Decisions that are made while a program is recorded or looked up must not depend on measurements, which differ from run
to run: these few numbers are the same everywhere. They are ratios, right within a factor of two or three, and what
hangs on them is whether a result is stored or computed again, never what it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["BYTES", "LAUNCH_BYTES"]

BYTES: Final[Mapping[str, float]] = {"arithmetic": 0.25, "division": 2.0, "function": 4.0, "gather": 4.0}
"""Bytes that are moved in the time of one scalar operation of a kind (`ir.cost.operations.KINDS`)."""

LAUNCH_BYTES: Final = 200_000
"""Bytes that are moved in the time of a launch: 20 microseconds at 10 GB/s on a CPU; an H200 moves 48 MB in its 12."""
