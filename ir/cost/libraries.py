"""Products of matrices: the host's library of linear algebra beside kernels, on a CPU."""

from __future__ import annotations

from ir.cost.processors import CPU, LIBRARY_CALL, LIBRARY_FETCHES, LIBRARY_SHARES_FROM, LIBRARY_TERMS, Machine
from ir.cost.thresholds.products import KERNEL_TERMS, LIBRARY_TAKES_AT_MOST

__all__ = ["library_multiplies"]


def library_multiplies(count: int, rows: int, terms: int, columns: int, itemsize: int, machine: Machine) -> bool:
    """Is the library to compute so many products? Not one product with a small result of many terms, where kernels, on
    which all units work, are predicted to take clearly less.

    The library shares out rows and columns, not terms, of which it puts many in another order for few results: data and
    instructions take their turns, and lines from memory are not foreseen.
    """
    units = machine.compute_units
    if count > 1 or units == 1 or max(rows, columns) >= LIBRARY_SHARES_FROM:
        return True
    per_tick = CPU.clock * 4 * machine.native_vector_width / itemsize
    added, moved = rows * columns * terms, itemsize * (rows * terms + terms * columns + rows * columns)
    by_one, by_all = LIBRARY_FETCHES, CPU.fetches[-1]
    if moved <= CPU.caches[-1]:
        by_one, by_all = CPU.fetches[-2], CPU.fetches[-2] * units
    library = LIBRARY_CALL + moved / by_one + added / (per_tick * LIBRARY_TERMS)
    kernels = CPU.launch + max(moved / by_all, added / (units * per_tick * KERNEL_TERMS))
    return library <= LIBRARY_TAKES_AT_MOST * kernels
