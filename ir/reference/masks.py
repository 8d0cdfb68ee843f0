"""The elements at which a mask is true."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ir.cost.thresholds.masks import MASK_FROM_ELEMENTS, MASK_MIXED_FROM, MASK_PART, MASK_PROBED
from ir.reference.workers import threads_at_most, together

__all__ = ["masked"]


def masked(x: NDArray[Any], mask: NDArray[np.bool_]) -> NDArray[Any]:
    """`x[mask]`. Where the mask often changes from one element to the next, in parts, of which each finds its places
    first: a processor cannot foresee what NumPy asks at each element.

    Raises:
        IndexError: their shapes do not fit.
    """
    if mask.size < MASK_FROM_ELEMENTS or x.shape != mask.shape:
        return x[mask]
    if not (x.flags.c_contiguous and mask.flags.c_contiguous and _is_mixed(mask)):
        return x[mask]
    values, true = x.reshape(-1), mask.reshape(-1)
    parts = [slice(i, i + MASK_PART) for i in range(0, len(true), MASK_PART)]
    ends = accumulate([int(np.count_nonzero(true[part])) for part in parts], initial=0)
    places = [(part, slice(*pair)) for part, pair in zip(parts, pairwise(ends), strict=True)]
    found = np.empty(places[-1][1].stop, x.dtype)

    def work(each: Iterator[tuple[slice, slice]]) -> None:
        for part, goal in each:
            # "clip": the places lie inside, and with "raise" a copy would be made of the result
            np.take(values[part], true[part].nonzero()[0], out=found[goal], mode="clip")

    together(work, places, threads_at_most())
    return found


def _is_mixed(mask: NDArray[np.bool_]) -> bool:
    """Does it often change, as far as a probe shows? It cannot where few elements are true, or few are not."""
    true = int(np.count_nonzero(mask))
    if 2 * min(true, mask.size - true) < MASK_MIXED_FROM * mask.size:
        return False
    rows = mask.size // MASK_PROBED
    probe = mask.reshape(-1)[: rows * MASK_PROBED].reshape(rows, MASK_PROBED)[:: max(1, rows // MASK_PROBED)]
    return bool(np.count_nonzero(probe[:, 1:] != probe[:, :-1]) >= MASK_MIXED_FROM * probe.size)
