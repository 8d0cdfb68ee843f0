"""Which other index an arg-reduction may give: where functions of the device compute what is compared, values that are
nearly equal may come in another order than in the reference.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ir.core.expr import Expr, Lambda, close
from ir.core.interpreter import interpret
from ir.core.patterns import MAP, Join, Map, Reduce
from ir.rules.selection import chooses

__all__ = ["Choices", "compared"]


def compared(e: Expr) -> Expr | None:
    """The pairs (value, index) among which an arg-reduction chooses, or one along the rows of a matrix, row by row."""
    match e.xs if isinstance(e, Join) else e:
        case Reduce(Lambda() as f, _, pairs) if _is_choice(f):
            return pairs
        case Map(Lambda() as rows, xss, how) if how == MAP:
            variables, body = rows.open()
            match body:
                case Reduce(Lambda() as f, _, pairs) if _is_choice(f):
                    return Map(close(variables, pairs), xss)
    return None


def _is_choice(f: Lambda) -> bool:
    (a, b), body = f.open()
    return chooses(body, a, b) is not None


@dataclass(frozen=True)
class Choices:
    """The values that are compared and their indices, a row for each choice."""

    values: np.ndarray[Any, Any]
    indices: np.ndarray[Any, Any]

    @classmethod
    def of(cls, pairs: Expr, inputs: Mapping[str, Any], sizes: Mapping[str, int]) -> Choices:
        """Interpret what `compared` found."""
        values, indices = interpret(pairs, inputs, sizes)
        shape = (-1, np.shape(values)[-1])
        return cls(np.reshape(values, shape), np.reshape(indices, shape))

    def wrong(
        self,
        chosen: np.ndarray[Any, Any],
        best: np.ndarray[Any, Any],
        sway: np.ndarray[Any, Any],
        suspects: np.ndarray[Any, Any],
    ) -> np.ndarray[Any, Any]:
        """Which of the suspected choices are no index of a value that lies within `sway` of the best one."""
        found = suspects.copy()
        for row in np.flatnonzero(suspects):
            with np.errstate(all="ignore"):
                near = np.abs(self.values[row] - best[row]) <= sway[row]
            found[row] = not np.any(near & (self.indices[row] == chosen[row]))
        return found
