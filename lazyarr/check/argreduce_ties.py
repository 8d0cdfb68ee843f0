"""Which other index an arg-reduction may find: where what is compared is computed, values that are nearly equal may
come in another order than in the reference.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ir.core.expr import Expr, Lambda, Param, close
from ir.core.patterns import MAP, Join, Map, Reduce
from ir.core.selection import chooses
from ir.core.semantics.error_bounds import interpret_bounded
from ir.core.semantics.interpreter import interpret
from ir.core.types import ArrayType, TupleType, element_type, shape_of

__all__ = ["Choices", "Compared", "compared"]

_Array = np.ndarray[Any, Any]


class Compared(NamedTuple):
    """An arg-reduction.

    Attributes:
        op: `minimum` or `maximum`
        pairs: the pairs (value, index) that it chooses among; along the rows of a matrix those of each row
        finish: what is made of a chosen pair; None: nothing
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

    Attributes:
        sway: how far rounding may move each value
    """

    of_what: Compared
    values: _Array
    indices: _Array
    sway: _Array

    @classmethod
    def of(cls, e: Compared, inputs: Mapping[str, Any], sizes: Mapping[str, int]) -> Choices:
        """Interpret what is compared."""
        (values, sway), (indices, _) = interpret_bounded(e.pairs, inputs, sizes)
        pair = element_type(e.pairs.type)
        assert isinstance(pair, TupleType)
        rows = (-1, shape_of(e.pairs.type)[-1].evaluate(sizes))
        return cls(e, values.astype(str(pair.elements[0])).reshape(rows), indices.reshape(rows), sway.reshape(rows))

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
