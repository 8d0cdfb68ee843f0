"""Which other index an arg-reduction may find: where functions of the device compute what is compared, values that are
nearly equal may come in another order than in the reference.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ir.core.expr import Expr, Lambda, Param, close
from ir.core.interpreter import interpret
from ir.core.patterns import MAP, Join, Map, Reduce
from ir.core.types import ArrayType
from ir.rules.selection import chooses

__all__ = ["Choices", "Compared", "compared"]

_Array = np.ndarray[Any, Any]


class Compared(NamedTuple):
    """An arg-reduction.

    op : `minimum` or `maximum`
    pairs : the pairs (value, index) that it chooses among; along the rows of a matrix those of each row
    finish : what is made of a chosen pair; None: nothing
    """

    op: str
    pairs: Expr
    finish: Lambda | None


def compared(e: Expr) -> Compared | None:
    """What an expression compares, if it is an arg-reduction, or a map of the results of one."""
    finish = None
    match e:
        case Map(Lambda() as f, (Reduce() | Join()) as results, how) if how == MAP:
            finish, e = f, results
    match e.xs if isinstance(e, Join) else e:
        case Reduce(Lambda() as f, _, pairs) if (op := _choice(f)) is not None:
            return Compared(op, pairs, finish)
        case Map(Lambda() as rows, xss, how) if how == MAP:
            variables, body = rows.open()
            match body:
                case Reduce(Lambda() as f, _, pairs) if (op := _choice(f)) is not None:
                    return Compared(op, Map(close(variables, pairs), xss), finish)
    return None


def _choice(f: Lambda) -> str | None:
    (a, b), body = f.open()
    return chooses(body, a, b)


@dataclass(frozen=True)
class Choices:
    """The values that are compared and their indices, a row for each choice.

    sway : how far errors of the device's functions may move each value
    """

    of_what: Compared
    values: _Array
    indices: _Array
    sway: _Array

    @classmethod
    def of(cls, e: Compared, disturbed: Sequence[Expr], inputs: Mapping[str, Any], sizes: Mapping[str, int]) -> Choices:
        """Interpret what is compared, and the same in the disturbed expressions."""

        def rows(pairs: Expr) -> tuple[_Array, _Array]:
            values, indices = interpret(pairs, inputs, sizes)
            shape = (-1, np.shape(values)[-1])
            return np.reshape(values, shape), np.reshape(indices, shape)

        values, indices = rows(e.pairs)
        sway = np.zeros(values.shape)
        with np.errstate(all="ignore"):
            for other in map(compared, disturbed):
                if other is not None:
                    sway += 4 * np.nan_to_num(np.abs(rows(other.pairs)[0] - values), nan=0.0, posinf=0.0)
        return cls(e, values, indices, sway)

    def results(self, row: int) -> list[_Array]:
        """What a row may give, component by component; nothing where NaNs are compared."""
        values, sway = self.values[row], self.sway[row]
        best = values.min() if self.of_what.op == "minimum" else values.max()
        with np.errstate(all="ignore"):
            near = np.abs(values - best) <= sway + sway[values == best].max(initial=0.0)
        pairs = (values[near], self.indices[row][near])
        if self.of_what.finish is None:
            return list(pairs)
        t = ArrayType(self.of_what.finish.types[0], len(pairs[0]))
        made = interpret(Map(self.of_what.finish, Param("pairs", t)), {"pairs": pairs})
        return list(made) if isinstance(made, tuple) else [made]

    def wrong(self, component: int, result: _Array, suspects: _Array) -> _Array:
        """Which of the suspected elements of a result are not what a nearly best choice gives."""
        found = suspects.copy()
        for row in np.flatnonzero(suspects):
            found[row] = result[row] not in self.results(int(row))[component]
        return found
