"""What the lanes of a warp compute together on matrices of which each holds a part."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ir.core.nodes.tensor_cores import Mma
from ir.core.semantics.values import Value
from ir.core.tf32 import cut_to_tf32

if TYPE_CHECKING:
    from ir.core.semantics.interpreter import Interpreter, Scope

__all__ = ["mma"]


def mma(run: Interpreter, node: Mma, scope: Scope) -> Value:
    """The matrices that the lanes hold, and what is added to them."""
    held, rows, columns = (np.asarray(scope.values[x]) for x in (node.init, node.rows, node.columns))
    products = np.matmul(np.swapaxes(cut_to_tf32(rows), -1, -2), cut_to_tf32(columns))
    found: NDArray[Any] = held + _by_lanes(products)
    return found


def _by_lanes(whole: NDArray[Any]) -> NDArray[Any]:
    """A matrix of (16 m, 8 n) as the lanes hold it: (32, m, n, 4), behind what axes there are in front."""
    *batch, height, width = whole.shape
    parts = whole.reshape(*batch, height // 16, 2, 8, width // 8, 4, 2)
    i, half, r, j, q, second = range(len(batch), len(batch) + 6)
    lanes = parts.transpose(*range(len(batch)), r, q, i, j, half, second)
    return lanes.reshape(*batch, 32, height // 16, width // 8, 4)
