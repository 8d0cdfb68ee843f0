"""The operations of the suite "spine": scal (3 * x), asum (sum of absolute values) and dot."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import Reference, Tolerance
from benchmarks.lazy import FrontEnd

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Operation:
    """One of the three: how lazyarr writes it, its float64 reference, and which limit bounds it.

    ``arity`` is the number of inputs, ``bound`` ``"read"`` or ``"copy"``, ``moves`` the arrays moved through memory.
    """

    name: str
    arity: int
    bound: str
    moves: int
    write: Callable[[FrontEnd], Callable[..., object]]
    reference: Callable[..., Reference]


def _scal_reference(x: Floats) -> Reference:
    values = 3.0 * x.astype(np.float64)
    return Reference(values, np.abs(values), Tolerance.elementwise(x.dtype))


def _asum_reference(x: Floats) -> Reference:
    total = np.asarray(np.sum(np.abs(x), dtype=np.float64))
    return Reference(total, total, Tolerance.reduction(x.dtype, x.size))


def _dot_reference(x: Floats, y: Floats) -> Reference:
    products = x.astype(np.float64) * y
    return Reference(
        np.asarray(products.sum()), np.asarray(np.abs(products).sum()), Tolerance.reduction(x.dtype, x.size)
    )


OPERATIONS = (
    Operation("scal", 1, "copy", 2, lambda front: lambda x: 3 * x, _scal_reference),
    Operation("asum", 1, "read", 1, lambda front: lambda x: front.la.sum(front.la.abs(x)), _asum_reference),
    Operation("dot", 2, "read", 2, lambda front: lambda x, y: front.la.sum(x * y), _dot_reference),
)
ASUM = OPERATIONS[1]
DOT = OPERATIONS[2]


def inputs(operation: Operation, length: int, sets: int = 2) -> list[tuple[Floats, ...]]:
    """``sets`` sets of arrays with magnitudes in [0.5, 1.5).

    For asum the signs are mixed, so that forgetting the absolute value shows; a dot product of mixed signs would cancel
    and hide errors behind its tolerance, so its terms are positive.
    """
    rng = np.random.default_rng(len(operation.name) + length)

    def array() -> Floats:
        values = rng.uniform(0.5, 1.5, length)
        if operation.arity == 1:
            values *= rng.choice((-1.0, 1.0), length)
        return values.astype(np.float32)

    return [tuple(array() for _ in range(operation.arity)) for _ in range(sets)]
