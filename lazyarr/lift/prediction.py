"""The time that `explain` predicts for a kernel, from the high-level expression and the device's benchmarked rates."""

from __future__ import annotations

from ir.cost.count import count
from ir.cost.predict import Prediction, predict
from ir.errors import IRError
from ir.fusion.symbols.symbolise import SymbolicKernel
from lazyarr.compile.executable import Executable
from lazyarr.compile.rates import rates_of
from lazyarr.config import settings
from lazyarr.errors import LazyarrError

__all__ = ["predicted"]


def predicted(executable: Executable, general: SymbolicKernel) -> Prediction | str:
    """The predicted time at those lengths, whatever candidate runs; or why there is none.

    What is not known of the device yet is benchmarked now, unless the settings say that nothing is measured.
    """
    device = executable.device
    if device.simulator:
        return f"{device.name} simulates a device: its times say nothing of any"
    cost = count(general.expr)
    try:
        rates = rates_of(device, cost.operations, measure=settings().tune != "off")
    except (LazyarrError, IRError) as error:
        return f"a benchmark of {device.name} failed: {str(error).partition(chr(10))[0]}"
    if rates is None:
        return f"{device.name} was not benchmarked yet, and nothing is measured while the setting tune is off"
    return predict(cost, general.sizes, rates, len(executable.plan.kernels))
