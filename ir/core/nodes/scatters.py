"""`scatter`: an array with values combined into the places that they name."""

from __future__ import annotations

from ir.core.expr import Expr, Lambda
from ir.core.nodes.maps import Vect
from ir.core.signature import SCATTER, Kind, Pattern, array_type, require_same
from ir.core.traits import Traits
from ir.core.types import INT32, INT64, FunctionType, TupleType, Type
from ir.errors import TypeMismatch

__all__ = ["Scatter"]


class Scatter(Pattern):
    """`scatter f key xs ys`: for each y in order, with `(i, v) = key y`, element i of xs becomes `f (xs[i], v)`.

    Over `zip(indices, values)` key is the identity. With `λ(a, b). b` for f the last value wins; with `(+)` values are
    added up. An index outside is left out: what it names is not there. `scatterSeq` does it in one work-item, which
    writes xs first.
    """

    scheme = (
        "scatter : ((A, B) -> A) -> (C -> (int32 or int64, B)) -> [A]n -> [C]m -> [A]n;  scatterSeq of the same type"
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
        return xs
