"""Products of matrices: the host's library of linear algebra beside kernels, on a CPU."""

from __future__ import annotations

from ir.cost.processors import CPU, LIBRARY_CALL, LIBRARY_FETCHES, LIBRARY_SHARES_FROM, LIBRARY_TERMS, Machine
from ir.cost.thresholds.products import KERNEL_TERMS, LIBRARY_TAKES_AT_MOST

__all__ = ["library_multiplies"]


def library_multiplies(count: int, rows: int, terms: int, columns: int, itemsize: int, machine: Machine) -> bool:
    """Is the library to compute so many products? Not where kernels, on which all units work, are predicted to take
    clearly less.

    The library gives each product to one unit where its result is small, however many terms there are. It puts operands
    in another order before, so data and instructions take their turns, and lines from memory are not foreseen.
    """
    units, (side, least) = machine.compute_units, LIBRARY_SHARES_FROM
    sharing = units if max(rows, columns) >= side and rows * columns * terms >= least else 1
    per_tick = CPU.clock * 4 * machine.native_vector_width / itemsize
    added = count * rows * columns * terms
    moved = count * itemsize * (rows * terms + terms * columns + rows * columns)
    is_near = moved <= CPU.caches[-1]
    by_one = CPU.fetches[-2] if is_near else LIBRARY_FETCHES
    by_all = CPU.fetches[-2] * units if is_near else CPU.fetches[-1]
    call, each = LIBRARY_CALL
    library = call + count * each + moved / (by_one * sharing) + added / (sharing * per_tick * LIBRARY_TERMS)
    kernels = CPU.launch + max(moved / by_all, added / (units * per_tick * KERNEL_TERMS))
    return library <= LIBRARY_TAKES_AT_MOST * kernels
