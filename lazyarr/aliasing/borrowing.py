"""Borrowed memory: large eager arrays, of whose elements a statement is recorded and then computed as a whole.

    A[1:-1] = 0.25 * (A[:-2] + 2 * A[1:-1] + A[2:])     # in a loop, A is large: one program, compiled once it is hot

NumPy goes through memory once for each operator. Once that has taken as long as compiling does, operators on large
eager arrays are recorded. What they are recorded from is no copy, but a leaf over the array's own memory. It is
borrowed until somebody writes to it: what is still to be computed from it by then has a copy
(`lazyarr.array.eager.end_loan`).
Where that happens again and again, operators on that array are NumPy's again.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from lazyarr.aliasing.view_steps import Chosen, chosen_from
from lazyarr.array import Array, array_of
from lazyarr.array.eager import Loan, changing, shared_by
from lazyarr.array.lent import address_of
from lazyarr.eager.operations import is_lendable
from lazyarr.graph.leaves import over_borrowed

__all__ = ["borrowed"]


def borrowed(x: Array) -> Array:
    """An array that stands for the elements of a large eager one where they lie, as they are now; others themselves,
    and one that shows its memory otherwise than by slices.
    """
    if not is_lendable(x):
        return x
    part: Any = x.value
    shared = shared_by(x)
    owner = shared.owner()
    whole = None if owner is None else owner.value
    if type(whole) is not np.ndarray or not whole.flags.c_contiguous:
        return x
    layout, step = None, None
    if part is not whole:
        layout = part.shape, part.strides, address_of(part) - address_of(whole)
        step = _step(whole.shape, whole.dtype, layout)
        if step is None:
            return x
    with changing:
        loan = shared.loan
        if loan is None:
            flat = whole.reshape(-1)
            flat.setflags(write=False)
            loan = shared.loan = Loan(over_borrowed(whole.shape, x.dtype, flat))
        if loan.node is None:
            return x
        found = loan.parts.get(layout)
        if found is None:
            of = array_of(loan.node, whole.shape, x.dtype)
            found = loan.parts[layout] = of.standing if step is None else step.of(of).standing
    return array_of(found, x.extents, x.dtype)


@lru_cache(maxsize=4096)
def _step(
    shape: tuple[int, ...], dtype: np.dtype[np.generic], layout: tuple[tuple[int, ...], tuple[int, ...], int]
) -> Chosen | None:
    """What leads to a part of an array that lies in row-major order; None where it was no slicing."""
    own, strides, at = layout
    memory = np.empty(shape, dtype)  # of which nothing is touched
    return chosen_from(memory, np.ndarray(own, dtype, memory, at, strides))
