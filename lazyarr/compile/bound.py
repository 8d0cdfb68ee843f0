"""The least time that a kernel can take on a device: that of the bytes that it has to move."""

from __future__ import annotations

from ir.cost.count import count
from ir.cost.thresholds.prediction import BOUND_FROM_BYTES, GOOD_ENOUGH
from ir.errors import IRError
from ir.fusion.symbols.symbolise import SymbolicKernel
from lazyarr.compile import rates
from lazyarr.errors import LazyarrError
from lazyarr.runtime import Device

__all__ = ["seconds_to_move"]


def seconds_to_move(device: Device, general: SymbolicKernel, *, measure: bool) -> float | None:
    """The seconds of a candidate that leaves nothing to be found; None where caches may hold the data, or where the
    device's bandwidth is not known.

    Args:
        measure: else it is not measured now, which takes a second or more
    """
    cost = count(general.expr)
    read, written = cost.read.evaluate(general.sizes), cost.written.evaluate(general.sizes)
    if read + written < BOUND_FROM_BYTES or device.simulator:
        return None
    try:
        known = rates.rates_of(device, (), measure=measure)
    except (LazyarrError, IRError):
        return None
    if known is None:
        return None
    if device.kind != "cpu":
        return GOOD_ENOUGH * (read + written) / known.bytes_per_second
    # A line that is written is fetched first: a copy, of which the rate is known, moves three bytes for two.
    return GOOD_ENOUGH * (read + 2 * written) / (1.5 * known.bytes_per_second)
