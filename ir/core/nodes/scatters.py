"""`scatter`: an array with values combined into the places that they name."""

from __future__ import annotations

from ir.core.expr import Expr, Lambda
from ir.core.nodes.maps import Vect
from ir.core.nodes.primitives import Call
from ir.core.signature import SCATTER, SCATTER_LOCAL, Kind, Pattern, array_type, require_same
from ir.core.traits import Traits
from ir.core.types import INT32, INT64, FunctionType, ScalarType, TupleType, Type
from ir.errors import TypeMismatch

__all__ = ["Scatter", "adds_integers"]


class Scatter(Pattern):
    """`scatter f key xs ys`: for each y in order, with `(i, v) = key y`, element i of xs becomes `f (xs[i], v)`.

    Over `zip(indices, values)` key is the identity. With `λ(a, b). b` for f the last value wins; with `(+)` values are
    added up. An index outside is left out: what it names is not there. `scatterSeq` does it in one work-item, which
    writes xs first.

    `scatterLocal` adds up integers in local memory: the work-items of a group share the values, and add each by an
    atomic operation. They come in any order; sums of integers, which wrap, are the same in each.
    """

    scheme = (
        "scatter : ((A, B) -> A) -> (C -> (int32 or int64, B)) -> [A]n -> [C]m -> [A]n;  scatterSeq and "
        "scatterLocal of the same type"
    )
    meaning = "combine each value into the element that its index names, in order"
    traits = Traits(computes=True, collective=True, streams=("xs", "ys"))
    __match_args__ = ("f", "key", "xs", "ys", "how")
    f: Lambda | Vect
    key: Lambda | Vect
    xs: Expr
    ys: Expr
    how: Kind

    def __new__(cls, f: Expr, key: Expr, xs: Expr, ys: Expr, how: Kind = SCATTER) -> Scatter:
        return cls._make((f, key, xs, ys), (how,))

    def _infer(self) -> Type:
        pattern = str(self.how)
        xs, ys = array_type(pattern, self.xs.type), array_type(pattern, self.ys.type)
        t = self.key.type
        if not isinstance(t, FunctionType) or t.params != (ys.element,):
            raise TypeMismatch(pattern, f"a key function of {ys.element}", t)
        pair = t.result
        if not isinstance(pair, TupleType) or len(pair.elements) != 2 or pair.elements[0] not in (INT32, INT64):
            raise TypeMismatch(pattern, "a key function that gives an int32 or int64 and a value", pair)
        t = self.f.type
        if not isinstance(t, FunctionType) or t.params != (xs.element, pair.elements[1]):
            raise TypeMismatch(pattern, f"a function of ({xs.element}, {pair.elements[1]})", t)
        require_same(pattern, xs.element, t.result)
        if self.how is SCATTER_LOCAL and not adds_integers(self.f):
            raise TypeMismatch(pattern, "a function that adds integers of 32 or 64 bits", self.f)
        return xs


def adds_integers(f: Expr) -> bool:
    """Does it add two integers that an atomic operation, or two, can add?"""
    if not isinstance(f, Lambda) or not isinstance(f.body, Call) or f.body.op != "add":
        return False
    t = f.body.type
    return set(f.body.operands) == set(f.variables) and isinstance(t, ScalarType) and t.is_integer and t.bytes >= 4
